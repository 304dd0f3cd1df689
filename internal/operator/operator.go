// Package operator manages the people who run the service: operators with their
// roles and tokens, and couriers. It also reads the audit log.
package operator

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/signin"
)

// Role is what an operator may do. The routes of the operator interface list the
// roles that they admit.
type Role string

// The roles.
const (
	RoleAdmin      Role = "admin"
	RoleDispatcher Role = "dispatcher"
	RoleAccountant Role = "accountant"
	RoleWarehouse  Role = "warehouse"
	RoleCourier    Role = "courier"
)

// Roles lists them. Of several roles that an OpenID provider names, the first counts.
var Roles = []Role{RoleAdmin, RoleDispatcher, RoleAccountant, RoleWarehouse, RoleCourier}

// Operator is a person who runs the service.
type Operator struct {
	OperatorID string
	Email      string // as given
	Role       Role
	Active     bool // only active operators may sign in
	// CourierID is the courier that an operator with the role courier is; empty
	// for any other.
	CourierID string
	CreatedAt time.Time
}

// Actor returns what the operator's authority rests on.
func (o *Operator) Actor() actor.Person {
	return actor.Person{Kind: actor.Operator, PersonID: o.OperatorID, Role: string(o.Role), CourierID: o.CourierID}
}

// DisplayName returns what pages call the operator.
func (o *Operator) DisplayName() string { return o.Email }

// Of returns the operator who sends a request in a session, or with what stands for one; nil
// for any other sender.
func Of(principal any) *Operator {
	session, _ := principal.(*signin.Session)
	if session == nil {
		return nil
	}
	by, _ := session.Holder.(*Operator)
	return by
}

// Config holds what a service needs.
type Config struct {
	Store  Store
	Hasher *credential.Hasher
	Now    func() time.Time
	// Aged returns the time by which what has expired is removed; nil stands for Now.
	Aged   func() time.Time
	Random io.Reader // safe for use by many goroutines
	Log    *slog.Logger
	// SignIns is how operators sign in; nil if none do.
	SignIns *signin.Service
	// Admits returns an error while no operator may get a role; nil admits all roles.
	Admits func(ctx context.Context, role Role) error
	// Unreadable is called for each document of the audit log that cannot be read,
	// for metrics; nil counts nothing.
	Unreadable func()
}

// Service carries out the use cases of operators. It may be used by many
// goroutines.
type Service struct{ config Config }

// NewService returns a service.
func NewService(config Config) *Service {
	if config.Aged == nil {
		config.Aged = config.Now
	}
	if config.Admits == nil {
		config.Admits = func(context.Context, Role) error { return nil }
	}
	if config.Unreadable == nil {
		config.Unreadable = func() {}
	}
	return &Service{config}
}

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

var (
	roleRule = form.OneOf(Roles...)

	errEmailTaken = refusal.New(refusal.CodeEmailTaken, "this e-mail address has an operator")
)

// passwordRule is the rule for a new password of the operator with an e-mail address.
func passwordRule(email string) form.TextRule {
	return credential.NewPasswordRule(credential.MinOperatorPassword, email)
}

// Add adds an operator with an e-mail address, a role and, for the role courier,
// the courier that the operator is. It refuses with validation_error, of which
// ErrCourierTaken is one, or, since addresses are compared without regard to case, with
// email_taken.
func (s *Service) Add(ctx context.Context, o Operator, password string) (_ *Operator, err error) {
	if err := Check(o, password); err != nil {
		return nil, err
	}
	if err := s.config.Admits(ctx, o.Role); err != nil {
		return nil, err
	}
	account := &Account{Operator: o, EmailKey: strings.ToLower(o.Email)}
	account.Active, account.CreatedAt = true, s.now()
	if account.OperatorID, err = identifier.New(s.config.Random, "opr_"); err != nil {
		return nil, err
	}
	if account.PasswordHash, err = s.config.Hasher.Hash(ctx, password); err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, audit.ActionOperatorCreated, account.OperatorID, nil, operatorFactsOf(&account.Operator))
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := account.checkCourier(ctx, tx); err != nil {
			return err
		}
		added, err := tx.AddOperator(ctx, account)
		if err == nil && !added {
			err = errEmailTaken
		}
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	return &account.Operator, nil
}

// operatorFacts is what the audit log holds of an operator.
type operatorFacts struct {
	Email     string `json:"email"`
	Role      Role   `json:"role"`
	Active    bool   `json:"active"`
	CourierID string `json:"courier_id"`
	// PasswordChanged is true if the change set a new password.
	PasswordChanged bool `json:"password_changed,omitzero"`
}

func operatorFactsOf(o *Operator) operatorFacts {
	return operatorFacts{Email: o.Email, Role: o.Role, Active: o.Active, CourierID: o.CourierID}
}

// Check returns one validation_error with everything that keeps an operator from
// being added.
func Check(o Operator, password string) error {
	var problems form.Problems
	if !delivery.EmailRule.Allows(o.Email) {
		problems.Add("email", o.Email, delivery.EmailRule.Rule)
	}
	if rule := passwordRule(o.Email); !rule.Allows(password) {
		problems.Add("password", nil, rule.Rule)
	}
	if !roleRule.Allows(string(o.Role)) {
		problems.Add("role", string(o.Role), roleRule.Rule)
	}
	if rule, ok := o.linked(); !ok {
		problems.Add("courier_id", orNil(o.CourierID), rule)
	}
	return problems.Err()
}

// orNil returns the value that a fault repeats of an optional text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// EnsureOperator adds an operator unless there is one with this e-mail address,
// and reports whether it did. An existing operator is left unchanged: otherwise
// each start would undo a change of password.
func (s *Service) EnsureOperator(ctx context.Context, email, password string, role Role) (made bool, err error) {
	found, err := s.account(ctx, email)
	if err != nil || found != nil {
		return false, err
	}
	_, err = s.Add(ctx, Operator{Email: email, Role: role}, password)
	if refusal.HasCode(err, refusal.CodeEmailTaken) { // another node was faster
		return false, nil
	}
	return err == nil, err
}

// account returns the account with an e-mail address; nil if there is none.
func (s *Service) account(ctx context.Context, email string) (found *Account, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Account(ctx, strings.ToLower(email))
		return err
	})
	return found, err
}
