package operator

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
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

// TokenRequest is what an operator gets a token for.
type TokenRequest struct {
	signin.Credentials
	Name string // of the token, by which people know it; empty if none was given
}

// ReadTokenRequest reads what an operator gets a token for.
func ReadTokenRequest(f *form.Form) TokenRequest {
	return TokenRequest{signin.ReadCredentials(f), f.Text("name", form.Optional, delivery.NameRule)}
}

// IssueToken issues a token to an operator who may sign in. It refuses as
// signin.Service.Enter does.
func (s *Service) IssueToken(
	ctx context.Context, request TokenRequest, address string,
) (token *IssuedToken, err error) {
	err = s.config.SignIns.Enter(ctx, request.Credentials, address, func(p *signin.Person, admit signin.Admission) error {
		token, err = s.issue(ctx, p, request.Name, admit)
		return err
	})
	return token, err
}

func (s *Service) issue(
	ctx context.Context, operator *signin.Person, name string, admit signin.Admission,
) (*IssuedToken, error) {
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
		OperatorID: operator.PersonID,
		Name:       name,
		CreatedAt:  now,
		ExpiresAt:  now.Add(tokenLife),
	}
	entry, err := s.note(audit.ActingAs(ctx, operator.PersonID), audit.ActionTokenCreated, id, nil, tokenFactsOf(token))
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := admit(ctx, tx); err != nil {
			return err
		}
		if err := tx.RemoveExpiredTokens(ctx, operator.PersonID, s.config.Aged()); err != nil {
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
	return &IssuedToken{TokenID: id, Secret: secret, Role: Role(operator.Role), ExpiresAt: token.ExpiresAt}, nil
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
