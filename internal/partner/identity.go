package partner

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
)

// Identity ties a person at a partner's provider to a user.
type Identity struct {
	PartnerID, Issuer, Subject string
	UserID                     string // who may have been removed
	// CreatedAt is when the person was tied to the user, or when that user was removed.
	CreatedAt time.Time
}

var (
	errNoProvider = refusal.New(refusal.CodeNotFound, "no account signs in through an OpenID provider here")
	errStopped    = refusal.New(refusal.CodeForbidden,
		"the operator of this service has turned off the sign-in through this OpenID provider")
	errReplaced = refusal.New(refusal.CodeUnauthorized, "the OpenID provider was changed meanwhile: begin again")

	errForeignDomain = refusal.New(refusal.CodeForbidden,
		"the e-mail address is not at a domain that this account has proven")
	errUnknown = refusal.New(refusal.CodeForbidden,
		"this e-mail address has no user in the account: an owner must invite it first")
	errOther = refusal.New(refusal.CodeForbidden,
		"the user with this e-mail address is another person at the OpenID provider")
	errElsewhere = refusal.New(refusal.CodeForbidden, "this e-mail address has a user in another account")
	errRemoved   = refusal.New(refusal.CodeForbidden,
		"this person was removed from the account: an owner must invite the address again")
)

// vouchedReasons names the refusals of sign-ins through a partner's provider, for the sign-in
// page and the log.
var vouchedReasons = map[error]string{
	errNoProvider: "provider_missing", errStopped: "provider_stopped", errReplaced: "sign_in_expired",
	errForeignDomain: "domain_unproven", errUnknown: "user_unknown", errOther: "user_of_another",
	errElsewhere: "user_elsewhere", errRemoved: "user_removed", errLastOwner: "last_owner", errTeamFull: "team_full",
	ErrSuspended: "partner_suspended", ErrPending: "partner_pending",
}

// vouchedReason returns the name of the cause of a refusal; its code if there is no closer one.
func vouchedReason(refused *refusal.Error) string {
	for one, reason := range vouchedReasons {
		if errors.Is(refused, one) {
			return reason
		}
	}
	if details, is := refused.Details.(openid.Details); is {
		return details.Reason
	}
	return cmp.Or(signin.VouchedReason(refused), string(refused.Code))
}

// OpenIDDestination returns the host to which people at a domain are led to sign in. It refuses
// with not_found if no partner has proven the domain and set a provider, with forbidden if an
// operator has turned it off or the partner may not use the service, and with unavailable if
// the provider cannot be reached.
func (s *Service) OpenIDDestination(ctx context.Context, domain string) (host string, err error) {
	_, client, err := s.clientOfDomain(ctx, domain)
	if err != nil {
		return "", err
	}
	return client.Destination(ctx)
}

func (s *Service) clientOfDomain(ctx context.Context, domain string) (*OpenID, *openid.Client, error) {
	var partnerID string
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		partnerID, err = tx.ProvenBy(ctx, strings.ToLower(domain))
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	set, err := s.openIDOf(ctx, partnerID)
	if err != nil {
		return nil, nil, err
	}
	client, err := s.clientOf(set)
	return set, client, err
}

// openIDOf returns the provider of a partner. It refuses with not_found and forbidden, as
// OpenIDDestination does.
func (s *Service) openIDOf(ctx context.Context, partnerID string) (set *OpenID, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		set, err = tx.OpenID(ctx, partnerID)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case set == nil:
		return nil, errNoProvider
	case set.Stopped():
		return nil, errStopped
	}
	return set, s.MayUse(ctx, partnerID)
}

// BeginOpenID begins a sign-in of a person at a domain. returnTo is given back by
// FinishOpenID. It refuses as OpenIDDestination does.
func (s *Service) BeginOpenID(
	ctx context.Context, domain, returnTo string,
) (set *OpenID, begun *openid.Beginning, err error) {
	set, client, err := s.clientOfDomain(ctx, domain)
	if err != nil {
		return nil, nil, err
	}
	begun, err = client.Begin(ctx, returnTo)
	return set, begun, err
}

// FinishOpenID finishes a sign-in with the parameters with which a partner's provider has sent
// the browser back, and the browser's ticket, and begins a session. It signs in only people
// with a verified e-mail address at a domain that this partner has proven. A person is known by
// the issuer and the subject after the first sign-in, and by the address at the first. It
// refuses as LoginVouched of operators does.
func (s *Service) FinishOpenID(
	ctx context.Context, partnerID, ticket string, sent url.Values, from credential.Origin,
) (session *signin.Session, token, returnTo string, err error) {
	set, err := s.openIDOf(ctx, partnerID)
	if err != nil {
		return nil, "", "", err
	}
	client, err := s.clientOf(set)
	if err != nil {
		return nil, "", "", err
	}
	person, returnTo, err := client.Finish(ctx, ticket, sent)
	if err != nil {
		return nil, "", "", err
	}
	found, err := s.identify(ctx, set, person)
	if err != nil {
		s.config.Log.WarnContext(ctx, "a person for whom a partner's OpenID provider vouches may not sign in",
			"partner_id", partnerID, "subject", person.Subject, "claim", set.RoleClaim, "values",
			person.Values[:min(len(person.Values), loggedValues)], "error", err)
		return nil, "", "", err
	}
	session, token, err = s.config.SignIns.LoginVouched(ctx, found.Person(), from)
	if err != nil {
		return nil, "", "", err
	}
	// What has been changed since then has not ended this session.
	err = s.config.Store.Read(ctx, func(tx Reader) error { return refuseVouched(ctx, tx, set, person.Email) })
	if err == nil {
		err = s.MayUse(ctx, partnerID)
	}
	if err != nil {
		return nil, "", "", errors.Join(err, s.config.SignIns.Logout(ctx, token))
	}
	return session, token, returnTo, nil
}

// loggedValues is how many values of the role claim a refusal logs.
const loggedValues = 20

// OpenIDReason returns the name of the cause of a refused sign-in, and logs it. It is empty if
// the error is not a refusal.
func (s *Service) OpenIDReason(ctx context.Context, partnerID string, err error) string {
	refused, is := errors.AsType[*refusal.Error](err)
	if !is {
		return ""
	}
	reason := vouchedReason(refused)
	s.config.Log.WarnContext(ctx, "a sign-in through a partner's OpenID provider was refused",
		"request_id", audit.OperationOf(ctx).RequestID, "partner_id", partnerID, "reason", reason, "error", err)
	return reason
}

// refuseVouched refuses a person for whom a provider vouches if the partner's provider is
// another one by now, or the domain of the address is not the partner's.
func refuseVouched(ctx context.Context, tx Reader, set *OpenID, email string) error {
	now, err := tx.OpenID(ctx, set.PartnerID)
	switch {
	case err != nil:
		return err
	case now == nil || now.Stopped() || !now.ChangedAt.Equal(set.ChangedAt):
		return errReplaced
	}
	owner, err := tx.ProvenBy(ctx, DomainOf(email))
	if err == nil && owner != set.PartnerID {
		err = errForeignDomain
	}
	return err
}

// identify returns the user that a person at a partner's provider is. One who comes for the
// first time is tied to the user with the address; if there is none, to a new one. If roles
// are taken from a claim, the user's role follows it.
func (s *Service) identify(ctx context.Context, set *OpenID, person *openid.Person) (found *Account, err error) {
	v := signin.Vouched{
		Issuer: person.Issuer, Subject: person.Subject, Email: person.Email, EmailVerified: person.EmailVerified,
		Claim: set.RoleClaim, Roles: person.Roles,
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	role, err := signin.RoleOf(v, Roles)
	if err != nil {
		return nil, err
	}
	ctx = audit.ActingAs(ctx, "openid")
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		team, err := s.lockTeam(ctx, tx, set.PartnerID)
		if err != nil {
			return err
		}
		if err := refuseVouched(ctx, tx, set, v.Email); err != nil {
			return err
		}
		a := arrival{s, tx, team, set, v, role, person.Name}
		if found, err = a.user(ctx); err != nil || role == "" || role == found.Role {
			return err
		}
		before := found.User
		found.Role = role
		return s.saveUser(ctx, tx, team, before, &found.User)
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// arrival is the sign-in of a person for whom the provider of a partner vouches, within a
// transaction that has locked the team.
type arrival struct {
	*Service
	tx   Writer
	team *Team
	set  *OpenID
	signin.Vouched
	role Role   // that the claim names; empty if roles are not taken from a claim
	name string // may be empty
}

// user returns the user that the person is, locked.
func (a *arrival) user(ctx context.Context) (*Account, error) {
	known, err := a.tx.Identity(ctx, a.set.PartnerID, a.Issuer, a.Subject)
	if err != nil {
		return nil, err
	}
	var removedAt time.Time // zero unless the person was removed
	if known != nil {
		if user, err := a.tx.LockUser(ctx, known.UserID); err != nil || user != nil {
			return user, err
		}
		removedAt = known.CreatedAt
	}
	user, err := a.byAddress(ctx, removedAt)
	if err != nil {
		return nil, err
	}
	tie := &Identity{a.set.PartnerID, a.Issuer, a.Subject, user.UserID, a.now()}
	if err := a.tx.SaveIdentity(ctx, tie); err != nil {
		return nil, err
	}
	if err := a.tx.Prove(ctx, user.UserID); err != nil { // the provider has verified the address
		return nil, err
	}
	return user, a.note(ctx, a.tx, audit.ActionUserLinked, user.PartnerID, user.UserID, nil,
		identityFacts{a.Issuer, a.Subject})
}

// identityFacts is what the audit log holds of an identity.
type identityFacts struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

// byAddress returns the user with the person's address, locked, or a new one. It refuses a
// user who is another person at the same provider already: companies give the address of a
// person who has left to another. A person who was removed is a user only if that user was
// added since: an owner has invited the address again.
func (a *arrival) byAddress(ctx context.Context, removedAt time.Time) (*Account, error) {
	found, err := a.tx.Account(ctx, emailKey(a.Email))
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		marked, err := a.addressRemovedAt(ctx)
		if err != nil {
			return nil, err
		}
		if marked.After(removedAt) {
			removedAt = marked
		}
		return a.create(ctx, removedAt)
	case found.PartnerID != a.set.PartnerID:
		return nil, errElsewhere
	case found.CreatedAt.Before(removedAt):
		return nil, errRemoved
	}
	taken, err := a.tx.HasIdentity(ctx, found, a.Issuer)
	if err != nil {
		return nil, err
	}
	if taken {
		return nil, errOther
	}
	return a.tx.LockUser(ctx, found.UserID)
}

// create adds a user without a password. The role is that of the claim, else that of an open
// invitation, else that of new people. A person who was removed must be invited again:
// removedAt is when, and zero for other people.
func (a *arrival) create(ctx context.Context, removedAt time.Time) (*Account, error) {
	role, invited := a.role, slices.IndexFunc(a.team.Invitations, func(i Invitation) bool {
		return strings.EqualFold(i.Email, a.Email) && !i.CreatedAt.Before(removedAt)
	})
	if invited >= 0 {
		role = cmp.Or(role, a.team.Invitations[invited].Role)
	}
	role = cmp.Or(role, a.set.DefaultRole)
	switch {
	case !removedAt.IsZero() && invited < 0:
		return nil, errRemoved
	case role == "":
		return nil, errUnknown
	case invited < 0 && len(a.team.Users)+len(a.team.Invitations) >= maxTeam:
		return nil, errTeamFull
	}
	account := &Account{
		User: User{
			PartnerID: a.set.PartnerID, Email: a.Email, Name: a.nameOf(), Role: role, CreatedAt: a.now(),
		},
		EmailKey: emailKey(a.Email),
	}
	var err error
	if account.UserID, err = newUserID(a.config.Random); err != nil {
		return nil, err
	}
	if err := addUser(ctx, a.tx, account); err != nil {
		return nil, err
	}
	invitations := credential.LinkFilter{
		Kind: credential.LinkInvitation, PartnerID: account.PartnerID, EmailKey: account.EmailKey,
	}
	if _, err := a.tx.RemoveLinks(ctx, invitations); err != nil {
		return nil, err
	}
	return account, a.note(ctx, a.tx, audit.ActionUserJoined, account.PartnerID, account.UserID, nil,
		factsOfUser(&account.User))
}

// RemovedIssuer stands for the issuer in the identities that mark the addresses of removed
// people; no provider has it. Their subject is a hash of the address.
const RemovedIssuer = "removed"

// removedSubject returns the hash of an address under a key of the service, so that the store
// keeps no address of a person who is gone.
func removedSubject(key []byte, partnerID, emailKey string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(partnerID + " " + emailKey))
	return hex.EncodeToString(mac.Sum(nil))
}

// markRemoved marks the address of a user who is removed: the person does not come back through
// the provider, even without having used it before. The user's own identities have the time of
// the removal from then on.
func (s *Service) markRemoved(ctx context.Context, tx Writer, user *User) error {
	now := s.now()
	if err := tx.EndIdentities(ctx, user.PartnerID, user.UserID, now); err != nil {
		return err
	}
	subject := removedSubject(s.config.AddressKeys[0], user.PartnerID, emailKey(user.Email))
	return tx.SaveIdentity(ctx, &Identity{user.PartnerID, RemovedIssuer, subject, user.UserID, now})
}

// addressRemovedAt returns when the user with the person's address was removed; zero if the
// address is not marked.
func (a *arrival) addressRemovedAt(ctx context.Context) (time.Time, error) {
	for _, key := range a.config.AddressKeys {
		marked, err := a.tx.Identity(ctx, a.set.PartnerID, RemovedIssuer,
			removedSubject(key, a.set.PartnerID, emailKey(a.Email)))
		if err != nil {
			return time.Time{}, err
		}
		if marked != nil {
			return marked.CreatedAt, nil
		}
	}
	return time.Time{}, nil
}

// nameOf returns the name of a new user: that which the provider sends, or else the first part
// of the address.
func (a *arrival) nameOf() string {
	if delivery.OwnNameRule.Allows(a.name) {
		return a.name
	}
	name, _, _ := strings.Cut(a.Email, "@")
	return name
}
