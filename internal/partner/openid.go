package partner

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/mail"
)

// OpenID is how the people of a partner sign in through its OpenID Connect provider.
type OpenID struct {
	PartnerID        string
	Issuer, ClientID string
	Secret           []byte // of the client, sealed
	RoleClaim        string // the claim that names roles; empty if roles are set here
	// Values holds the value of the claim for each role; if it is empty, the values are the roles.
	Values map[Role]string
	// DefaultRole is the role of new people where no claim names it; empty if they must be
	// invited.
	DefaultRole Role
	StoppedAt   time.Time // when an operator turned it off; zero if none did
	ChangedAt   time.Time
}

// Stopped reports whether an operator has turned the sign-in off.
func (o *OpenID) Stopped() bool { return !o.StoppedAt.IsZero() }

// CompanySignIn is how the people of a partner sign in through its provider, and at which
// domains.
type CompanySignIn struct {
	OpenID  *OpenID  // nil if no provider is set
	Domains []Domain // by name
	// RedirectURI is where the provider sends people back to.
	RedirectURI string
}

// CompanySignIn returns how the people of a partner sign in through its provider. It refuses
// with not_found.
func (s *Service) CompanySignIn(ctx context.Context, partnerID string) (found *CompanySignIn, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		of, err := tx.Partner(ctx, partnerID)
		if err != nil {
			return err
		}
		if of == nil {
			return refusal.NotFound("the partner")
		}
		found, err = s.companySignIn(ctx, tx, partnerID)
		return err
	})
	return found, err
}

func (s *Service) companySignIn(ctx context.Context, tx Reader, partnerID string) (*CompanySignIn, error) {
	set, err := tx.OpenID(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	domains, err := tx.Domains(ctx, partnerID)
	return &CompanySignIn{set, domains, s.redirectURI(partnerID)}, err
}

// OpenIDCallback is the path, below which the id of a partner follows, to which its provider
// sends people back. Each partner has an address of its own, so that the answer of one
// provider is never taken for that of another (RFC 9700, section 4.4.2).
const OpenIDCallback = "/portal/signin/callback/"

func (s *Service) redirectURI(partnerID string) string {
	return s.config.BaseURL() + OpenIDCallback + partnerID
}

// OpenIDChange replaces what a partner has set of its provider.
type OpenIDChange struct {
	Issuer, ClientID string
	Secret           string // empty if it stays
	RoleClaim        string
	Values           map[Role]string
	DefaultRole      Role
	Password         string // of the person who sets it; empty if none was sent
}

var (
	issuerRule = form.TextRule{
		Rule: form.Define("openid_issuer",
			"the issuer itself, such as https://login.example.com: without a query, and without /.well-known/ and what follows it"),
		Allows: func(text string) bool {
			return text != "" && !strings.ContainsAny(text, "?#") && !strings.Contains(text, "/.well-known/")
		},
	}.And(form.TextRule{
		Rule: form.Define("openid_tenant",
			"the issuer of your own tenant, such as https://login.microsoftonline.com/TENANT-ID/v2.0"),
		Allows: func(text string) bool { return !manyTenants.MatchString(text) },
	})
	// manyTenants matches the addresses of Microsoft Entra ID that are of no tenant. Their ID tokens name the issuer of
	// a tenant, so that no one could sign in.
	manyTenants = regexp.MustCompile(`(?i)\{tenantid\}|^https://login\.microsoftonline\.com/+` +
		`(common|organizations|consumers)(/|$)`)
	namedRule  = form.Length(1, 255).And(form.NoOuterSpace).And(form.OneLine)
	secretRule = form.Length(1, 1024)

	withClaim    = form.Define("with_role_claim", "no values of roles unless role_claim is set")
	withoutClaim = form.Define("without_role_claim", "no default role with role_claim")
	otherValue   = form.Define("another_role_value", "a value that no other role has")
	secretAgain  = form.Define("client_secret_again", "the secret of this client at this issuer")
)

// defaultRoles are the roles that people may have who were not invited: an owner is made by
// a person, or by the value of a claim.
var defaultRoles = []Role{RoleDeveloper, RoleClerk, RoleReader}

// ReadOpenIDChange reads what a partner sets of its provider.
func (s *Service) ReadOpenIDChange(f *form.Form) OpenIDChange {
	change := OpenIDChange{
		Issuer:      f.Text("issuer", form.Required, issuerRule),
		ClientID:    f.Text("client_id", form.Required, namedRule),
		Secret:      f.Secret("client_secret", form.Optional, secretRule),
		RoleClaim:   f.Text("role_claim", form.Optional, namedRule),
		DefaultRole: Role(f.Text("default_role", form.Optional, form.OneOf(defaultRoles...))),
		Password:    f.Secret("password", form.Optional, credential.KnownPasswordRule),
	}
	var refused *outbound.URLError
	if change.Issuer != "" && errors.As(s.config.CheckURL(change.Issuer), &refused) {
		f.SecretFault("issuer", refused.Rule) // it may hold a password
	}
	change.Values = readRoleValues(f)
	if change.DefaultRole != "" && f.Has("role_claim") {
		f.Fault("default_role", withoutClaim)
	}
	return change
}

// readRoleValues reads the value of the claim for each role; without values the names of the roles count. It refuses a
// name that is not a role, and a null: with a role that is misspelt, the names of the roles would still count, and the
// provider could have people who are called owner. An empty object is accepted, because reads answer it.
func readRoleValues(f *form.Form) map[Role]string {
	read := map[Role]string{}
	values := f.Object("role_values", form.Optional)
	names := make([]string, len(Roles))
	for i, role := range Roles {
		names[i] = string(role)
	}
	values.Only(names...)
	for _, role := range Roles {
		required := form.Presence(values.IsNull(string(role)))
		value := values.Text(string(role), required, namedRule)
		if value == "" {
			continue
		}
		if slices.Contains(slices.Collect(maps.Values(read)), value) {
			values.Fault(string(role), otherValue)
		}
		read[role] = value
	}
	if !f.Has("role_claim") && len(read) > 0 {
		f.Fault("role_values", withClaim)
	}
	return read
}

// SetOpenID sets the provider of a partner. If the issuer or the client changes, the secret
// must be sent again, which would else go to another provider, and the sessions end that the
// earlier one has vouched for. It refuses with form.ErrStale unless what is set is the basis
// of the change, with ErrUnproven, or with validation_error if the secret is missing.
func (s *Service) SetOpenID(
	ctx context.Context, partnerID string, basis form.Basis[*OpenID], change OpenIDChange,
) (set *CompanySignIn, err error) {
	return s.changeCompany(ctx, partnerID, func(tx Writer, before *OpenID) error {
		if err := basis.Check(before); err != nil {
			return err
		}
		if err := s.refuseUnprovenActor(ctx, tx); err != nil {
			return err
		}
		after := OpenID{
			PartnerID: partnerID, Issuer: change.Issuer, ClientID: change.ClientID, RoleClaim: change.RoleClaim,
			Values: change.Values, DefaultRole: change.DefaultRole, ChangedAt: s.now(),
		}
		same := before != nil && before.Issuer == after.Issuer && before.ClientID == after.ClientID
		switch {
		case change.Secret != "":
			after.Secret = s.config.Sealer.Seal([]byte(change.Secret), SealedOpenIDFor(partnerID))
		case same:
			after.Secret = before.Secret
		default:
			return form.Fault("client_secret", nil, secretAgain)
		}
		if before != nil {
			after.StoppedAt = before.StoppedAt
		}
		if err := tx.SaveOpenID(ctx, &after); err != nil {
			return err
		}
		if before != nil && !same {
			if err := s.endVouched(ctx, tx, partnerID); err != nil {
				return err
			}
		}
		return s.noteOpenID(ctx, tx, before, &after)
	})
}

// SealedOpenIDFor returns what the secret of a partner's client is sealed for.
func SealedOpenIDFor(partnerID string) string { return "openid client of " + partnerID }

// RemoveOpenID removes the provider of a partner, and ends the sessions that it has vouched
// for. The domains stay proven. It refuses with not_found, and with forbidden if an operator
// has turned the sign-in off.
func (s *Service) RemoveOpenID(ctx context.Context, partnerID string) (*CompanySignIn, error) {
	return s.changeCompany(ctx, partnerID, func(tx Writer, before *OpenID) error {
		switch {
		case before == nil:
			return errNoProvider
		case before.Stopped(): // setting it again would turn it on
			return errStopped
		}
		if err := tx.RemoveOpenID(ctx, partnerID); err != nil {
			return err
		}
		if err := s.endVouched(ctx, tx, partnerID); err != nil {
			return err
		}
		return s.noteOpenID(ctx, tx, before, nil)
	})
}

// StopOpenID turns the sign-in through a partner's provider off, or on again. Turning it off
// ends the sessions that the provider has vouched for. It refuses with not_found.
func (s *Service) StopOpenID(ctx context.Context, partnerID string, stopped bool) (*CompanySignIn, error) {
	return s.changeCompany(ctx, partnerID, func(tx Writer, before *OpenID) error {
		if before == nil {
			return errNoProvider
		}
		if stopped == before.Stopped() {
			return nil
		}
		after := *before
		after.StoppedAt, after.ChangedAt = time.Time{}, s.now()
		if stopped {
			after.StoppedAt = after.ChangedAt
			if err := s.endVouched(ctx, tx, partnerID); err != nil {
				return err
			}
		}
		if err := tx.SaveOpenID(ctx, &after); err != nil {
			return err
		}
		return s.noteOpenID(ctx, tx, before, &after)
	})
}

// changeCompany runs a change with what the partner has set, which does not change otherwise
// until the transaction ends, and returns the result.
func (s *Service) changeCompany(
	ctx context.Context, partnerID string, change func(tx Writer, before *OpenID) error,
) (after *CompanySignIn, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := tx.LockPartner(ctx, partnerID); err != nil {
			return err
		}
		of, err := tx.Partner(ctx, partnerID)
		if err != nil {
			return err
		}
		if of == nil {
			return refusal.NotFound("the partner")
		}
		before, err := tx.OpenID(ctx, partnerID)
		if err != nil {
			return err
		}
		if err := change(tx, before); err != nil {
			return err
		}
		after, err = s.companySignIn(ctx, tx, partnerID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return after, nil
}

// endVouched ends the sessions of a partner's people that its provider has vouched for, but
// not that of the person who acts.
func (s *Service) endVouched(ctx context.Context, tx Writer, partnerID string) error {
	var kept []byte
	if by := actor.Of(ctx); by != nil && by.Session != "" {
		kept = []byte(by.Session)
	}
	return tx.EndVouchedSessions(ctx, partnerID, kept)
}

// openIDFacts is what the audit log holds of a provider.
type openIDFacts struct {
	Issuer      string          `json:"issuer"`
	ClientID    string          `json:"client_id"`
	RoleClaim   string          `json:"role_claim,omitzero"`
	Values      map[Role]string `json:"role_values,omitempty"`
	DefaultRole Role            `json:"default_role,omitzero"`
	Stopped     bool            `json:"stopped"`
	NewSecret   bool            `json:"new_secret,omitzero"` // whether this change has set another secret
}

func factsOfOpenID(o *OpenID) any {
	if o == nil {
		return nil
	}
	return openIDFacts{
		Issuer: o.Issuer, ClientID: o.ClientID, RoleClaim: o.RoleClaim, Values: o.Values, DefaultRole: o.DefaultRole,
		Stopped: o.Stopped(),
	}
}

func (s *Service) noteOpenID(ctx context.Context, tx Writer, before, after *OpenID) error {
	partnerID, now := "", factsOfOpenID(after)
	if before != nil {
		partnerID = before.PartnerID
	}
	if after != nil {
		partnerID = after.PartnerID
		if facts, is := now.(openIDFacts); is {
			facts.NewSecret = before == nil || !bytes.Equal(before.Secret, after.Secret)
			now = facts
		}
	}
	if err := s.informOwners(ctx, tx, partnerID, mail.ReasonCompanySignIn); err != nil {
		return err
	}
	return s.note(ctx, tx, audit.ActionOpenIDChanged, partnerID, partnerID, factsOfOpenID(before), now)
}

// maxProviders is how many clients of providers are kept in memory.
const maxProviders = 1000

// providers keeps the clients of partners' providers, because each remembers how its provider
// has described itself. It may be used by many goroutines.
type providers struct {
	mu      sync.Mutex
	clients map[string]keptProvider // by partner
}

type keptProvider struct {
	client *openid.Client
	sealed []byte    // the secret that it was made with
	set    time.Time // when that was set
}

// clientOf returns the client of a partner's provider.
func (s *Service) clientOf(set *OpenID) (*openid.Client, error) {
	s.providers.mu.Lock()
	defer s.providers.mu.Unlock()
	kept, known := s.providers.clients[set.PartnerID]
	if known && kept.set.Equal(set.ChangedAt) && bytes.Equal(kept.sealed, set.Secret) {
		return kept.client, nil
	}
	secret, err := s.config.Sealer.Open(set.Secret, SealedOpenIDFor(set.PartnerID))
	if err != nil {
		return nil, err
	}
	roles := make(map[string]string, len(set.Values))
	for role, value := range set.Values {
		roles[value] = string(role)
	}
	client := s.config.Provider(openid.Config{
		Issuer: set.Issuer, ClientID: set.ClientID, ClientSecret: string(secret), RoleClaim: set.RoleClaim, Roles: roles,
		RedirectURL: s.redirectURI(set.PartnerID), For: set.PartnerID, CheckURL: s.config.CheckURL,
		Sealer: s.config.Sealer, Now: s.config.MachineNow, Random: s.config.Random, Log: s.config.Log,
	})
	if s.providers.clients == nil || len(s.providers.clients) >= maxProviders {
		s.providers.clients = map[string]keptProvider{}
	}
	s.providers.clients[set.PartnerID] = keptProvider{client, set.Secret, set.ChangedAt}
	return client, nil
}
