// Package operator is who runs the service: operators and their roles, the
// tokens that they work with, and the couriers.
package operator

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/credential"
	"github.com/dropyard/dropyard/internal/delivery"
)

// Role says what an operator may do; the routes of the operator interface say
// which roles they take.
type Role string

// The roles.
const (
	RoleAdmin      Role = "admin"
	RoleDispatcher Role = "dispatcher"
	RoleWarehouse  Role = "warehouse"
	RoleCourier    Role = "courier"
)

// Roles lists them.
var Roles = []Role{RoleAdmin, RoleDispatcher, RoleWarehouse, RoleCourier}

// Operator is somebody who runs the service.
type Operator struct {
	OperatorID string
	Email      string // as given
	Role       Role
	CreatedAt  time.Time
}

// Config is what the service is made of.
type Config struct {
	Store  Store
	Hasher *credential.Hasher
	Now    func() time.Time
	Random io.Reader // safe for use by many goroutines
}

// Service carries out the use cases of operators. It may be used by many
// goroutines.
type Service struct {
	Config
	gate *credential.Gate
}

// NewService makes the service.
func NewService(config Config) *Service {
	return &Service{Config: config, gate: credential.NewGate(config.Hasher, config.Now)}
}

// now is the time as records hold it.
func (s *Service) now() time.Time { return delivery.Instant(s.Now()) }

var (
	roleRule = delivery.OneOf(Roles...)

	errEmailTaken = delivery.Refuse(delivery.CodeEmailTaken, "this e-mail address has an operator")
)

// Add makes an operator. It is a validation_error, or email_taken: e-mail
// addresses are compared without regard to case.
func (s *Service) Add(ctx context.Context, email, password string, role Role) (*Operator, error) {
	if err := Check(email, password, role); err != nil {
		return nil, err
	}
	id, err := delivery.NewID(s.Random, "opr_")
	if err != nil {
		return nil, err
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return nil, err
	}
	account := &Account{
		Operator:     Operator{OperatorID: id, Email: email, Role: role, CreatedAt: s.now()},
		EmailKey:     strings.ToLower(email),
		PasswordHash: hash,
	}
	entry, err := s.note(ctx, delivery.ActionOperatorCreated, id, nil, operatorFacts{Email: email, Role: role})
	if err != nil {
		return nil, err
	}
	err = s.Store.Write(ctx, func(tx Writer) error {
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

// operatorFacts are what the audit log tells of an operator.
type operatorFacts struct {
	Email string `json:"email"`
	Role  Role   `json:"role"`
}

// Check tells, as one validation_error, what keeps an operator from being made.
func Check(email, password string, role Role) error {
	var problems delivery.Problems
	if !delivery.EmailRule.Allows(email) {
		problems.Add("email", email, delivery.EmailRule.Expected)
	}
	if !credential.NewPasswordRule.Allows(password) {
		problems.Add("password", nil, credential.NewPasswordRule.Expected)
	}
	if !roleRule.Allows(string(role)) {
		problems.Add("role", string(role), roleRule.Expected)
	}
	return problems.Err()
}

// EnsureOperator makes an operator unless one has this e-mail address, who is
// then left as it is: a password that was changed since must not come back
// with the next start. It tells whether it made one.
func (s *Service) EnsureOperator(ctx context.Context, email, password string, role Role) (made bool, err error) {
	found, err := s.account(ctx, email)
	if err != nil || found != nil {
		return false, err
	}
	_, err = s.Add(ctx, email, password, role)
	if delivery.HasCode(err, delivery.CodeEmailTaken) { // by another node, meanwhile
		return false, nil
	}
	return err == nil, err
}

// account finds an operator by e-mail address; nil if there is none.
func (s *Service) account(ctx context.Context, email string) (found *Account, err error) {
	err = s.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.OperatorByEmail(ctx, strings.ToLower(email))
		return err
	})
	return found, err
}

// tokenLife is how long a token lasts.
const tokenLife = 30 * 24 * time.Hour

// IssuedToken is a new token. Secret is told this once.
type IssuedToken struct {
	TokenID   string
	Secret    string
	Role      Role
	ExpiresAt time.Time
}

// IssueToken makes a token for whoever knows the password of an operator. It
// is a validation_error, unauthorized, or rate_limited after too many failures
// from the address or for the account (see credential.Gate).
func (s *Service) IssueToken(ctx context.Context, root delivery.Source, address string) (*IssuedToken, error) {
	var problems delivery.Problems
	f := delivery.NewForm(root, &problems)
	email := f.Text("email", delivery.Required, delivery.EmailRule)
	password := f.Secret("password", delivery.Required, credential.KnownPasswordRule)
	name := f.Text("name", delivery.Optional, delivery.NameRule)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	found, err := s.byPassword(ctx, email, password, address)
	if err != nil {
		return nil, err
	}
	return s.issue(ctx, found, name)
}

func (s *Service) byPassword(ctx context.Context, email, password, address string) (*Operator, error) {
	found, err := s.account(ctx, email)
	if err != nil {
		return nil, err
	}
	if found == nil {
		found = &Account{}
	}
	err = s.gate.Verify(ctx, credential.Attempt{
		Account:  strings.ToLower(email),
		Address:  address,
		Password: password,
		Hash:     found.PasswordHash,
	})
	if err != nil {
		return nil, err
	}
	return &found.Operator, nil
}

func (s *Service) issue(ctx context.Context, operator *Operator, name string) (*IssuedToken, error) {
	id, err := delivery.NewID(s.Random, "tok_")
	if err != nil {
		return nil, err
	}
	secret, err := credential.Token(s.Random, "")
	if err != nil {
		return nil, err
	}
	now := s.now()
	token := &Token{
		TokenID:    id,
		TokenHash:  credential.HashToken(secret),
		OperatorID: operator.OperatorID,
		Name:       name,
		CreatedAt:  now,
		ExpiresAt:  now.Add(tokenLife),
	}
	// Nobody is signed in yet; it is the operator who asks.
	ctx = delivery.WithOperation(ctx, delivery.Operation{OperatorID: operator.OperatorID, RequestID: delivery.OperationOf(ctx).RequestID})
	entry, err := s.note(ctx, delivery.ActionTokenCreated, id, nil, tokenFacts{Name: name, ExpiresAt: token.ExpiresAt})
	if err != nil {
		return nil, err
	}
	err = s.Store.Write(ctx, func(tx Writer) error {
		if err := tx.RemoveOperatorTokens(ctx, operator.OperatorID, now); err != nil {
			return err
		}
		if err := tx.AddOperatorToken(ctx, token); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	return &IssuedToken{TokenID: id, Secret: secret, Role: operator.Role, ExpiresAt: token.ExpiresAt}, nil
}

// tokenFacts are what the audit log tells of a token.
type tokenFacts struct {
	Name      string    `json:"name"`
	ExpiresAt time.Time `json:"expires_at"`
}

// ByToken finds whom a token belongs to; nil if there is no such token, or it
// has expired.
func (s *Service) ByToken(ctx context.Context, token string) (found *Operator, err error) {
	err = s.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.OperatorByToken(ctx, credential.HashToken(token), s.now())
		return err
	})
	return found, err
}
