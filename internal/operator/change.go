package operator

import (
	"cmp"
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

var (
	courierIDRule = form.Length(1, 255)

	courierNotTaken  = form.Define("courier_not_taken", "a courier that no other operator is")
	knownCourier     = form.Define("known_courier", "a courier that exists")
	courierOfRole    = form.Define("courier_of_role", "the courier that the operator is, with the role courier")
	noCourierForRole = form.Define("no_courier_for_role", "nothing, unless the role is courier")
)

// ErrCourierTaken means that another operator, active or not, is the courier that an
// operator is to be.
var ErrCourierTaken = form.Fault("courier_id", nil, courierNotTaken)

// checkCourier locks the courier that an operator is to be, and refuses one that does not
// exist or that another operator is. Whatever links an operator to a courier locks the
// courier first, so that it sees the links that were made before. No courier is as good.
func (o *Operator) checkCourier(ctx context.Context, tx Writer) error {
	if o.CourierID == "" {
		return nil
	}
	courier, err := tx.LockCourier(ctx, o.CourierID)
	if err != nil {
		return err
	}
	if courier == nil {
		return form.Fault("courier_id", o.CourierID, knownCourier)
	}
	taken, err := tx.HasOtherLogin(ctx, o.CourierID, o.OperatorID)
	if err == nil && taken {
		err = ErrCourierTaken
	}
	return err
}

// NewOperator is an operator who is to be added.
type NewOperator struct {
	Operator Operator // with address, role, and courier
	Password string
}

// ReadNewOperator reads an operator who is to be added.
func ReadNewOperator(f *form.Form) NewOperator {
	o := Operator{
		Email:     f.Text("email", form.Required, delivery.EmailRule),
		Role:      Role(f.Text("role", form.Required, roleRule)),
		CourierID: f.Text("courier_id", form.Optional, courierIDRule),
	}
	password := f.Secret("password", form.Required, passwordRule(o.Email))
	reported := f.Has("courier_id") && o.CourierID == "" // the field has a fault already
	if rule, ok := o.linked(); !ok && !reported {
		f.Fault("courier_id", rule)
	}
	return NewOperator{o, password}
}

// linked reports whether the operator's CourierID fits the role, and returns the rule if
// it does not.
func (o *Operator) linked() (rule form.Rule, ok bool) {
	switch {
	case o.Role == RoleCourier && o.CourierID == "":
		return courierOfRole, false
	case o.Role != RoleCourier && o.CourierID != "":
		return noCourierForRole, false
	default:
		return form.Rule{}, true
	}
}

// Page is a page of operators. Next is the cursor of the next page; empty at the
// end.
type Page struct {
	Operators []*Operator
	Next      string
}

// List lists operators by id, those after the cursor.
func (s *Service) List(ctx context.Context, cursor string, limit int) (page Page, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page.Operators, err = tx.Operators(ctx, cursor, limit+1)
		return err
	})
	page.Operators, page.Next = paging.Cut(page.Operators, limit, func(o *Operator) string { return o.OperatorID })
	return page, err
}

// Operator returns an operator. It refuses with not_found.
func (s *Service) Operator(ctx context.Context, operatorID string) (found *Operator, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Operator(ctx, operatorID)
		return err
	})
	if err == nil && found == nil {
		err = errNoOperator
	}
	return found, err
}

// ByEmail returns the operator with an e-mail address, without regard to case; nil if
// there is none.
func (s *Service) ByEmail(ctx context.Context, email string) (*Operator, error) {
	found, err := s.account(ctx, email)
	if err != nil || found == nil {
		return nil, err
	}
	return &found.Operator, nil
}

var errNoOperator = refusal.NotFound("the operator")

// Change is what changes of an operator. What is empty or nil stays as it is.
type Change struct {
	Role      Role
	Active    *bool
	Password  string
	CourierID *string // of no courier if it points to an empty text
}

// ReadChange reads what changes of an operator.
func ReadChange(f *form.Form) Change {
	return Change{
		Active:    f.FlagIfSent("active"),
		Role:      Role(f.Text("role", form.Optional, roleRule)),
		Password:  f.Secret("password", form.Optional, passwordRule("")),
		CourierID: f.NullableText("courier_id", courierIDRule),
	}
}

// apply returns the account after the change, given the hash of the new password if there
// is one. Only the role courier has a courier.
func (c Change) apply(a Account, hash string) Account {
	a.Role, a.PasswordHash = cmp.Or(c.Role, a.Role), cmp.Or(hash, a.PasswordHash)
	if c.Active != nil {
		a.Active = *c.Active
	}
	switch {
	case c.CourierID != nil:
		a.CourierID = *c.CourierID
	case a.Role != RoleCourier:
		a.CourierID = ""
	}
	return a
}

var errLastAdmin = refusal.New(refusal.CodeConflict, "this is the last active admin: make another one first")

// Change changes an operator. A new password or a deactivation removes all
// tokens and sessions in the same transaction. It refuses with not_found, with
// validation_error, and with conflict if no active admin would be left.
func (s *Service) Change(ctx context.Context, operatorID string, change Change) (*Operator, error) {
	return s.ChangeFrom(ctx, operatorID, nil, change)
}

// ChangeFrom does the same, but refuses with form.ErrStale unless the operator is the
// basis of the change.
func (s *Service) ChangeFrom(
	ctx context.Context, operatorID string, basis form.Basis[*Operator], change Change,
) (*Operator, error) {
	if change.Role != "" {
		if err := s.config.Admits(ctx, change.Role); err != nil {
			return nil, err
		}
	}
	var hash string
	if change.Password != "" {
		var err error
		if hash, err = s.config.Hasher.Hash(ctx, change.Password); err != nil {
			return nil, err
		}
	}
	var changed Account
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		before, err := tx.LockOperator(ctx, operatorID)
		if err != nil {
			return err
		}
		if before == nil {
			return errNoOperator
		}
		if err := basis.Check(&before.Operator); err != nil {
			return err
		}
		changed = change.apply(*before, hash)
		if err := change.check(ctx, tx, before, &changed); err != nil {
			return err
		}
		return s.save(ctx, tx, before, &changed)
	})
	if err != nil {
		return nil, err
	}
	return &changed.Operator, nil
}

// check refuses a change that is not allowed.
func (c Change) check(ctx context.Context, tx Writer, before, after *Account) error {
	// Accounts from before couriers had to be linked can be changed in other
	// respects.
	links := c.Role != "" || c.CourierID != nil
	if rule, ok := after.linked(); !ok && links {
		return form.Fault("courier_id", orNil(after.CourierID), rule)
	}
	if rule := passwordRule(after.Email); c.Password != "" && !rule.Allows(c.Password) {
		return form.Fault("password", nil, rule.Rule)
	}
	if c.CourierID != nil {
		if err := after.checkCourier(ctx, tx); err != nil {
			return err
		}
	}
	wasAdmin := before.Active && before.Role == RoleAdmin
	if !wasAdmin || after.Active && after.Role == RoleAdmin {
		return nil
	}
	admins, err := tx.LockActiveAdmins(ctx)
	if err == nil && admins < 2 {
		err = errLastAdmin
	}
	return err
}

// save writes an operator if it has changed.
func (s *Service) save(ctx context.Context, tx Writer, before, after *Account) error {
	if *before == *after {
		return nil
	}
	facts := operatorFactsOf(&after.Operator)
	facts.PasswordChanged = before.PasswordHash != after.PasswordHash
	entry, err := s.note(ctx, audit.ActionOperatorChanged, after.OperatorID, operatorFactsOf(&before.Operator), facts)
	if err != nil {
		return err
	}
	if err := tx.SaveOperator(ctx, after); err != nil {
		return err
	}
	if facts.PasswordChanged || !after.Active {
		if err := signOut(ctx, tx, after.OperatorID); err != nil {
			return err
		}
	}
	if before.Role != after.Role {
		if err := removeLinks(ctx, tx, after.OperatorID); err != nil {
			return err
		}
	}
	return tx.AddAudit(ctx, entry)
}

// signOut removes all tokens, sessions and links of an operator.
func signOut(ctx context.Context, tx Writer, operatorID string) error {
	if err := tx.RevokeTokens(ctx, operatorID); err != nil {
		return err
	}
	if err := removeLinks(ctx, tx, operatorID); err != nil {
		return err
	}
	_, err := tx.EndSessionsOf(ctx, operatorID, nil)
	return err
}

// removeLinks removes the links to an operator, and those that the operator has made
// for others, by which a dismissed admin could take over their accounts.
func removeLinks(ctx context.Context, tx Writer, operatorID string) error {
	_, err := tx.RemoveLinks(ctx, credential.LinkFilter{OperatorID: operatorID},
		credential.LinkFilter{CreatedBy: operatorID})
	return err
}
