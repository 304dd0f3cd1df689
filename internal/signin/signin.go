// Package signin has the way in of people: they sign in, see and end their sessions, change
// a password, set a new one by a link, and enrol a second factor. It is the same for operators
// and for partners' people; each kind has a Service.
package signin

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/mail"
)

// Kind is a kind of people.
type Kind string

// The kinds of people.
const (
	Operators Kind = "operators"
	Users     Kind = "users" // of partners
)

// way is what differs between the kinds of people.
type way struct {
	accounts    string // what counts of logins call their accounts
	path        string // of the pages on which they sign in
	minPassword int    // the least length of a new password, in characters
	changed     error  // the refusal of a person who changes in the middle of a login
}

var (
	errChangedMeanwhile = refusal.New(refusal.CodeUnauthorized, "the account has changed; log in again")
	// ErrInactive is the refusal of an operator who may not sign in.
	ErrInactive = refusal.New(refusal.CodeForbidden, "this operator is not active")

	ways = map[Kind]way{
		Operators: {"operator", "/console", credential.MinOperatorPassword, ErrInactive},
		Users:     {"partner", "/portal", credential.MinUserPassword, errChangedMeanwhile},
	}
)

// Config holds what a service needs.
type Config struct {
	Kind   Kind
	Store  Store
	Hasher *credential.Hasher
	// Factors checks the codes that people sign in with besides the password. With nil there
	// must be none who do.
	Factors *Factors
	Rules   *Rules
	// Counts keeps the counts of logins for all nodes; nil counts on this node only.
	Counts credential.CountStore
	// Observer is called with the outcome of each login, for metrics; nil observes nothing.
	Observer credential.GateObserver
	// MayUse refuses with forbidden if the people of a partner may not use the service; nil
	// admits all.
	MayUse func(ctx context.Context, partnerID string) error
	// BaseURL returns the public address of the service, with which links begin.
	BaseURL func() string
	// Post sends links by mail, and informs people of new devices. With nil there is no mail,
	// and links are returned to those who made them.
	Post mail.Post
	Now  func() time.Time
	// Aged returns the time by which what has expired is removed; nil stands for Now.
	Aged   func() time.Time
	Random io.Reader    // safe for use by many goroutines
	Log    *slog.Logger // for failures in the background
}

// Service carries out the use cases of one kind of people. It may be used by many
// goroutines.
type Service struct {
	config Config
	way    way
	gate   *credential.Gate
	uses   *credential.Uses // of sessions
	wishes chan string      // e-mail addresses whose owners ask for a new password
	stop   chan struct{}
	ended  sync.WaitGroup

	tidying sync.Mutex
	swept   time.Time // when sweep last removed what has expired; guarded by tidying
}

// NewService returns a service that works in the background until Close.
func NewService(config Config) *Service {
	if config.Aged == nil {
		config.Aged = config.Now
	}
	if config.MayUse == nil {
		config.MayUse = func(context.Context, string) error { return nil }
	}
	s := &Service{config: config, way: ways[config.Kind], wishes: make(chan string, maxWishes), stop: make(chan struct{})}
	s.gate = credential.NewGate(credential.GateConfig{
		Accounts: s.way.accounts, Hasher: config.Hasher, Store: config.Counts,
		Now: config.Now, Aged: config.Aged, Log: config.Log, Observer: config.Observer,
	})
	s.uses = credential.NewUses(s.saveUses, config.Log)
	s.ended.Go(s.noteWishes)
	return s
}

// Close stops the background work and writes when sessions were last used. The store must
// still be open.
func (s *Service) Close() error {
	close(s.stop)
	s.ended.Wait()
	return s.uses.Close()
}

// Caller is a person who is signed in.
type Caller struct {
	PersonID string
	Role     string
	// Session is the hash of the token of the session that the request came in; nil if
	// it came with a bearer token.
	Session []byte
	Address string // the IP address of the request
}

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// errGone means that the caller was removed while the request ran.
var errGone = refusal.New(refusal.CodeUnauthorized, "this account does not exist any longer")

// person returns the caller.
func (s *Service) person(ctx context.Context, personID string) (found *Person, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Person(ctx, personID)
		return err
	})
	if err == nil && found == nil {
		err = errGone
	}
	return found, err
}

// passwordRule is the rule for a new password of a person.
func (s *Service) passwordRule(p *Person) form.TextRule {
	return credential.NewPasswordRule(s.way.minPassword, p.Name, p.Email)
}

var currentPassword = form.Define("current_password", "the current password")

// verify checks the password of a person who is signed in, as for a login: a stolen
// session must not help to guess it. It refuses with validation_error at the field, or
// with rate_limited.
func (s *Service) verify(ctx context.Context, p *Person, password, field string, address string) error {
	err := s.gate.Verify(ctx, credential.Attempt{
		Account: p.EmailKey, PersonID: p.PersonID, Address: address, Password: password, Hash: p.PasswordHash,
	})
	if refusal.HasCode(err, refusal.CodeUnauthorized) {
		return form.Fault(field, nil, currentPassword)
	}
	return err
}

var errChanged = refusal.New(refusal.CodeConflict, "the password was changed meanwhile")

// lockUnchanged locks a person whose password has been verified. It refuses if it was
// changed since.
func lockUnchanged(ctx context.Context, tx Writer, verified *Person) error {
	now, err := tx.LockPerson(ctx, verified.PersonID)
	switch {
	case err != nil:
		return err
	case now == nil:
		return errGone
	case now.PasswordHash != verified.PasswordHash:
		return errChanged
	}
	return nil
}

// note returns an entry of the audit log about a person.
func (s *Service) note(ctx context.Context, action audit.Action, p *Person, before, after any) (*audit.Entry, error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), action)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID, entry.Before, entry.After = p.PartnerID, p.PersonID, before, after
	return entry, nil
}

// inform has a person informed of a change by mail, if there is mail.
func (s *Service) inform(ctx context.Context, tx Writer, p *Person, reason string) error {
	if s.config.Post == nil {
		return nil
	}
	return s.config.Post.Send(ctx, tx,
		&mail.Message{Kind: mail.Changed, To: p.Email, PartnerID: p.PartnerID, At: s.now(), Reason: reason})
}

// emailKey returns the form in which e-mail addresses are compared.
func emailKey(email string) string { return strings.ToLower(email) }
