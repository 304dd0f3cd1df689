// Package partner manages who may use the service: partners' accounts, the people
// who use them, and the API keys that sign requests.
package partner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/signin"
)

// Partner is a partner's account.
type Partner struct {
	PartnerID string
	Name      string
	Email     string // of the owner who registered it
	CreatedAt time.Time
}

// Config holds what the service needs.
type Config struct {
	Store  Store
	Hasher *credential.Hasher
	Sealer *credential.Sealer // of API keys' secrets
	// BaseURL returns the public address of the service, with which links begin.
	BaseURL func() string
	// Post sends invitations by mail. With nil there is no mail, and their links are
	// returned to the user who invites.
	Post    mail.Post
	Cleaner *picture.Cleaner // of logos
	// SeedTest gives a test account its catalogue, unless it has one; nil leaves it
	// without.
	SeedTest func(ctx context.Context, testAccount string) error
	// Registration says who may open an account.
	Registration Registration
	// Admit returns an error if no account can be registered at the moment; nil admits
	// all.
	Admit func() error
	Now   func() time.Time
	// MachineNow returns the time by the machine's clock, which Now may be ahead of. It is
	// compared with the times of signatures; nil stands for Now.
	MachineNow func() time.Time
	// Aged returns the time by which what has expired is removed, which is not later than
	// MachineNow; nil stands for MachineNow.
	Aged   func() time.Time
	Random io.Reader    // safe for use by many goroutines
	Log    *slog.Logger // for failures in the background
	// SignIns begins the sessions of people for whom a partner's provider vouches.
	SignIns *signin.Service
	// Provider returns the client of a partner's OpenID Connect provider. It reaches no
	// addresses that partners may not reach through this service.
	Provider func(openid.Config) *openid.Client
	// CheckURL returns an *outbound.URLError if a URL cannot be that of a provider, or nil.
	CheckURL func(url string) error
	// AddressKeys are the keys under which the addresses of removed people are hashed: with the
	// first, while the others may still be in use.
	AddressKeys [][]byte
	// Resolver looks up the records by which partners prove domains.
	Resolver TextResolver
	// TidySignIns is called with each Tidy, to tidy how partners' people sign in; nil does
	// nothing.
	TidySignIns func(ctx context.Context) error
}

// Service carries out the use cases of accounts. It may be used by many
// goroutines.
type Service struct {
	config Config
	keys   *keyCache
	// settings caches what operators have set for partners.
	settings *freshCache[Settings]
	// senders caches how partners appear to recipients.
	senders *freshCache[Sender]
	// providers keeps the clients of partners' OpenID Connect providers.
	providers    providers
	domainChecks *throttle.Limiter // of look-ups of domains' records, by partner

	stop    chan struct{}
	stopped sync.WaitGroup
	tidying sync.Mutex // guards the keys' savedAt
}

// NewService returns a service that tidies in the background until Close.
func NewService(config Config) *Service {
	if config.MachineNow == nil {
		config.MachineNow = config.Now
	}
	if config.Aged == nil {
		config.Aged = config.MachineNow
	}
	if config.TidySignIns == nil {
		config.TidySignIns = func(context.Context) error { return nil }
	}
	s := &Service{
		config:   config,
		keys:     newKeyCache(config.Now()),
		settings: newFreshCache[Settings](config.Now()),
		senders:  newFreshCache[Sender](config.Now()),

		domainChecks: throttle.New(domainRate, config.MachineNow),
		stop:         make(chan struct{}),
	}
	s.stopped.Go(s.keepTidy)
	return s
}

// tidyEvery is how old a stored last_used_at may be. A crash loses that much.
const tidyEvery = 30 * time.Second

func (s *Service) keepTidy() {
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := s.Tidy(context.Background()); err != nil {
				s.config.Log.Error("partner accounts not tidied, trying again later", "error", err)
			}
		case <-s.stop:
			return
		}
	}
}

// Close stops the background work and writes what it has gathered. No other method
// may be running or be called afterwards, and the store must still be open.
func (s *Service) Close() error {
	close(s.stop)
	s.stopped.Wait()
	return s.Tidy(context.Background())
}

// Tidy writes when keys were last used, removes what is kept of signatures that have expired,
// and tidies sign-ins. The service calls it regularly; tests call it so as not to wait.
func (s *Service) Tidy(ctx context.Context) error {
	s.tidying.Lock()
	defer s.tidying.Unlock()
	if err := errors.Join(s.saveKeyUses(ctx), s.config.TidySignIns(ctx)); err != nil {
		return err
	}
	return s.config.Store.Write(ctx,
		func(tx Writer) error { return tx.ForgetSignatures(ctx, s.config.Aged().Add(-signature.Kept)) })
}

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

var (
	errEmailTaken = refusal.New(refusal.CodeEmailTaken, "this e-mail address has an account")
)

// emailKey returns the form in which e-mail addresses are compared, which ignores
// case; empty for text that is not an e-mail address.
func emailKey(email string) string {
	if !delivery.EmailRule.Allows(email) {
		return ""
	}
	return strings.ToLower(email)
}

// maxDraws is how often a partner's id is drawn: its 40 bits may be in use.
const maxDraws = 5

// NewAccount is an account that is to be opened.
type NewAccount struct {
	form.Faults
	Name            string // of the account
	PersonName      string // of the owner; empty for that of the account
	Email, Password string // of the owner
}

// ReadNewAccount reads an account that is to be opened. The name of its owner may be missing, as clients of
// earlier releases do not send it.
func ReadNewAccount(f *form.Form) NewAccount { return readNewAccount(f, form.Optional) }

// ReadNewAccountOfPerson reads an account that its owner opens on a page, who has to give a name.
func ReadNewAccountOfPerson(f *form.Form) NewAccount { return readNewAccount(f, form.Required) }

func readNewAccount(f *form.Form, person form.Presence) NewAccount {
	account := NewAccount{
		Name:       f.Text("name", form.Required, delivery.OwnNameRule),
		PersonName: f.Text("person_name", person, delivery.OwnNameRule),
		Email:      f.Text("email", form.Required, delivery.EmailRule),
	}
	rule := credential.NewPasswordRule(credential.MinUserPassword, account.Name, account.PersonName, account.Email)
	account.Password = f.Secret("password", form.Required, rule)
	return account
}

// Register opens an account with its first user, the owner. The account awaits
// approval if Registration says so. Register refuses with validation_error or
// email_taken, with forbidden while registration is closed, and as Admit does.
func (s *Service) Register(ctx context.Context, wanted NewAccount) (*Listed, error) {
	if s.config.Registration == RegistrationClosed {
		return nil, errClosed
	}
	if s.config.Admit != nil {
		if err := s.config.Admit(); err != nil {
			return nil, err
		}
	}
	if err := wanted.Problems().Err(); err != nil {
		return nil, err
	}
	owner := &Account{
		User: User{
			Name: cmp.Or(wanted.PersonName, wanted.Name), Email: wanted.Email, Role: RoleOwner, CreatedAt: s.now(),
		},
		EmailKey: emailKey(wanted.Email),
	}
	if s.config.Post != nil {
		owner.UnprovenSince = owner.CreatedAt
	}
	// Looked up before the transaction as well, to save a useless hashing.
	err := s.config.Store.Read(ctx, func(tx Reader) error { return refuseTaken(ctx, tx, owner.EmailKey) })
	if err != nil {
		return nil, err
	}
	if owner.PasswordHash, err = s.config.Hasher.Hash(ctx, wanted.Password); err != nil {
		return nil, err
	}
	if owner.UserID, err = newUserID(s.config.Random); err != nil {
		return nil, err
	}
	settings := DefaultSettings
	settings.NewSince = owner.CreatedAt
	if s.config.Registration == RegistrationApproval {
		settings.PendingSince = owner.CreatedAt
	}
	for range maxDraws {
		if owner.PartnerID, err = delivery.NewPartnerID(s.config.Random); err != nil {
			return nil, err
		}
		registered := &Listed{Partner{owner.PartnerID, wanted.Name, owner.Email, owner.CreatedAt}, settings}
		added, err := s.add(ctx, registered, owner)
		if err != nil {
			return nil, err
		}
		if added {
			return registered, nil
		}
	}
	return nil, fmt.Errorf("%d partner ids in a row were in use", maxDraws)
}

func newUserID(random io.Reader) (string, error) { return identifier.New(random, "usr_") }

// add returns false if the partner's id, and nothing else, was in use.
func (s *Service) add(ctx context.Context, registered *Listed, owner *Account) (added bool, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if added, err = tx.AddPartner(ctx, &registered.Partner); err != nil || !added {
			return err
		}
		if err := addUser(ctx, tx, owner); err != nil {
			return err
		}
		if err := s.mailProof(ctx, tx, owner); err != nil {
			return err
		}
		if _, err := tx.LockSettings(ctx, registered.PartnerID); err != nil {
			return err
		}
		return tx.SaveSettings(ctx, registered.PartnerID, registered.Settings)
	})
	return added, err
}

// addUser refuses with email_taken.
func addUser(ctx context.Context, tx Writer, account *Account) error {
	added, err := tx.AddUser(ctx, account)
	if err == nil && !added {
		err = errEmailTaken
	}
	return err
}

func refuseTaken(ctx context.Context, tx Reader, emailKey string) error {
	account, err := tx.Account(ctx, emailKey)
	if err == nil && account != nil {
		err = errEmailTaken
	}
	return err
}
