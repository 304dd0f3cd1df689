package operator

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
)

// Identity ties a person at a provider to an operator.
type Identity struct {
	Issuer, Subject string
	OperatorID      string
	CreatedAt       time.Time
}

var (
	errUnknown = refusal.New(refusal.CodeForbidden,
		"this e-mail address has no operator: an admin must add it first")
	errOther = refusal.New(refusal.CodeForbidden,
		"the operator with this e-mail address is another person at the OpenID provider")
	errCourierByAdmin = refusal.New(refusal.CodeForbidden,
		"an admin must add operators with the role courier, to say which courier they are")
)

// vouchedReasons names the refusals of LoginVouched, for the sign-in page and the log.
var vouchedReasons = map[error]string{
	errUnknown: "operator_unknown", errOther: "operator_of_another",
	errCourierByAdmin: "courier_by_admin", signin.ErrInactive: "operator_inactive", errLastAdmin: "last_admin",
}

// VouchedReason returns the name of a refusal of LoginVouched; empty for any other error.
func VouchedReason(err error) string {
	for refused, reason := range vouchedReasons {
		if errors.Is(err, refused) {
			return reason
		}
	}
	return signin.VouchedReason(err)
}

// LoginVouched begins a session of an operator for whom a provider vouches, and returns
// its token. A person is known by issuer and subject after the first login, and by the
// verified e-mail address at the first. If roles are taken from a claim, the operator's
// role follows it, and a person without an operator gets one. LoginVouched refuses with
// forbidden, and with conflict if no active admin would be left.
func (s *Service) LoginVouched(
	ctx context.Context, v signin.Vouched, from credential.Origin,
) (*signin.Session, string, error) {
	role, err := Role(""), v.Check()
	if err == nil {
		role, err = signin.RoleOf(v, Roles)
	}
	if err == nil && role != "" {
		err = s.config.Admits(ctx, role)
	}
	if err != nil {
		return nil, "", err
	}
	ctx = audit.ActingAs(ctx, "openid")
	var found *Account
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if found, err = s.identify(ctx, tx, v, role); err != nil {
			return err
		}
		if !found.Active {
			return signin.ErrInactive
		}
		found, err = s.follow(ctx, tx, found, role)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return s.config.SignIns.LoginVouched(ctx, found.Person(), from)
}

// identify returns the operator that a person is, locked. One who comes for the first
// time is tied to the operator with the address; if there is none, to a new one.
func (s *Service) identify(ctx context.Context, tx Writer, v signin.Vouched, role Role) (*Account, error) {
	known, err := tx.Identity(ctx, v.Issuer, v.Subject)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return tx.LockOperator(ctx, known.OperatorID)
	}
	found, err := s.byAddress(ctx, tx, v, role)
	if err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, audit.ActionOperatorLinked, found.OperatorID, nil, identityFacts{v.Issuer, v.Subject})
	if err != nil {
		return nil, err
	}
	added, err := tx.AddIdentity(ctx, &Identity{v.Issuer, v.Subject, found.OperatorID, s.now()})
	if err == nil && !added { // another login of the person was faster; the next one will find it
		err = refusal.New(refusal.CodeUnavailable, "this person is signing in a second time at this moment")
	}
	if err != nil {
		return nil, err
	}
	return found, tx.AddAudit(ctx, entry)
}

// identityFacts is what the audit log holds of an identity.
type identityFacts struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

// byAddress returns the operator with a person's address, locked, or a new one with the
// role. It refuses an operator who is another person at the same provider already:
// providers give the address of a person who has left to another.
func (s *Service) byAddress(ctx context.Context, tx Writer, v signin.Vouched, role Role) (*Account, error) {
	found, err := tx.Account(ctx, strings.ToLower(v.Email))
	if err != nil {
		return nil, err
	}
	if found == nil {
		return s.create(ctx, tx, v, role)
	}
	if found, err = tx.LockOperator(ctx, found.OperatorID); err != nil {
		return nil, err
	}
	taken, err := tx.HasIdentity(ctx, found.OperatorID, v.Issuer)
	if err == nil && taken {
		err = errOther
	}
	return found, err
}

// create adds an operator without a password for a person who has none.
func (s *Service) create(ctx context.Context, tx Writer, v signin.Vouched, role Role) (_ *Account, err error) {
	if role == "" {
		return nil, errUnknown
	}
	if role == RoleCourier {
		return nil, errCourierByAdmin
	}
	account := &Account{
		EmailKey: strings.ToLower(v.Email), Operator: Operator{Email: v.Email, Role: role, Active: true, CreatedAt: s.now()},
	}
	if account.OperatorID, err = identifier.New(s.config.Random, "opr_"); err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, audit.ActionOperatorCreated, account.OperatorID, nil, operatorFactsOf(&account.Operator))
	if err != nil {
		return nil, err
	}
	added, err := tx.AddOperator(ctx, account)
	if err == nil && !added {
		err = errEmailTaken
	}
	if err != nil {
		return nil, err
	}
	return account, tx.AddAudit(ctx, entry)
}

// follow gives an operator the role that the claim names.
func (s *Service) follow(ctx context.Context, tx Writer, before *Account, role Role) (*Account, error) {
	if role == "" || role == before.Role {
		return before, nil
	}
	if role == RoleCourier {
		return nil, errCourierByAdmin
	}
	following := Change{Role: role}
	after := following.apply(*before, "")
	if err := following.check(ctx, tx, before, &after); err != nil {
		return nil, err
	}
	return &after, s.save(ctx, tx, before, &after)
}
