package operator

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// tokenLife is how long a token is valid.
const tokenLife = 30 * 24 * time.Hour

// IssuedToken is a new token. Secret is not stored and cannot be read again.
type IssuedToken struct {
	TokenID   string
	Secret    string
	Role      Role
	ExpiresAt time.Time
}

// IssueToken issues a token, given an operator's e-mail address and password. It
// refuses with validation_error, with unauthorized, with rate_limited after too
// many failures from the address or for the account (see credential.Gate), and
// with forbidden if the operator is not active.
func (s *Service) IssueToken(ctx context.Context, root form.Source, address string) (*IssuedToken, error) {
	var problems form.Problems
	f := form.New(root, &problems)
	email, password := readLogin(f)
	name := f.Text("name", form.Optional, delivery.NameRule)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	found, err := s.byPassword(ctx, email, password, address)
	if err != nil {
		return nil, err
	}
	return s.issue(ctx, found, name)
}

// readLogin reads the e-mail address and the password of a request.
func readLogin(f *form.Form) (email, password string) {
	email = f.Text("email", form.Required, delivery.EmailRule)
	password = f.Secret("password", form.Required, credential.KnownPasswordRule)
	return email, password
}

func (s *Service) byPassword(ctx context.Context, email, password, address string) (*Account, error) {
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
	return found, nil
}

var errInactive = refusal.New(refusal.CodeForbidden, "this operator is not active")

// letIn refuses unless the account is still the one that a password was verified
// for: it may have been changed meanwhile. It stays locked until the transaction
// ends.
func letIn(ctx context.Context, tx Writer, verified *Account) error {
	now, err := tx.LockOperator(ctx, verified.OperatorID)
	if err != nil {
		return err
	}
	if now == nil || !now.Active || now.PasswordHash != verified.PasswordHash {
		return errInactive
	}
	return nil
}

// actingAs returns a context for what an operator does before being signed in.
func actingAs(ctx context.Context, operatorID string) context.Context {
	return audit.WithOperation(ctx, audit.Operation{OperatorID: operatorID, RequestID: audit.OperationOf(ctx).RequestID})
}

func (s *Service) issue(ctx context.Context, operator *Account, name string) (*IssuedToken, error) {
	id, err := identifier.New(s.config.Random, "tok_")
	if err != nil {
		return nil, err
	}
	secret, err := credential.Token(s.config.Random, "")
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
	entry, err := s.note(actingAs(ctx, operator.OperatorID), audit.ActionTokenCreated, id, nil, tokenFactsOf(token))
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := letIn(ctx, tx, operator); err != nil {
			return err
		}
		if err := tx.RemoveExpiredTokens(ctx, operator.OperatorID, now); err != nil {
			return err
		}
		if err := tx.AddToken(ctx, token); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	return &IssuedToken{TokenID: id, Secret: secret, Role: operator.Role, ExpiresAt: token.ExpiresAt}, nil
}

// tokenFacts is what the audit log holds of a token.
type tokenFacts struct {
	OperatorID string    `json:"operator_id"`
	Name       string    `json:"name"`
	ExpiresAt  time.Time `json:"expires_at"`
}

func tokenFactsOf(t *Token) tokenFacts { return tokenFacts{t.OperatorID, t.Name, t.ExpiresAt} }

// ByToken returns the operator that a token belongs to; nil if there is no such
// token, it has expired, or the operator is not active.
func (s *Service) ByToken(ctx context.Context, token string) (found *Operator, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.OfToken(ctx, credential.HashToken(token), s.now())
		return err
	})
	return found, err
}

// TokenPage is a page of an operator's tokens. Next is the cursor of the next
// page; empty at the end.
type TokenPage struct {
	Tokens []*Token
	Next   string
}

// Tokens lists an operator's tokens that have not expired, by id, those after
// the cursor.
func (s *Service) Tokens(ctx context.Context, operatorID, cursor string, limit int) (page TokenPage, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page.Tokens, err = tx.Tokens(ctx, operatorID, s.now(), cursor, limit+1)
		return err
	})
	page.Tokens, page.Next = paging.Cut(page.Tokens, limit, func(t *Token) string { return t.TokenID })
	return page, err
}

// RevokeToken removes a token: an operator's own or, if by is an admin, any
// token. It refuses any other with not_found.
func (s *Service) RevokeToken(ctx context.Context, by *Operator, tokenID string) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		token, err := tx.Token(ctx, tokenID)
		if err != nil {
			return err
		}
		if token == nil || token.OperatorID != by.OperatorID && by.Role != RoleAdmin {
			return refusal.NotFound("the token")
		}
		entry, err := s.note(ctx, audit.ActionTokenRevoked, tokenID, tokenFactsOf(token), nil)
		if err != nil {
			return err
		}
		removed, err := tx.RemoveToken(ctx, tokenID)
		if err != nil {
			return err
		}
		if !removed { // another request was faster
			return refusal.NotFound("the token")
		}
		return tx.AddAudit(ctx, entry)
	})
}
