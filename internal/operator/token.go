package operator

import (
	"context"
	"errors"
	"strings"
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

// IssueToken issues a token to an operator who may sign in. It refuses with
// unauthorized, with rate_limited after too many failures from the address or for the
// account (see credential.Gate), and with forbidden if the operator is not active.
func (s *Service) IssueToken(ctx context.Context, request TokenRequest, address string) (*IssuedToken, error) {
	in := login{Credentials: request.Credentials, from: credential.Origin{Address: address}}
	found, err := s.byPassword(ctx, in)
	if err != nil {
		return nil, err
	}
	token, err := s.issue(ctx, found, in, request.Name)
	return token, s.refused(ctx, in, found, err)
}

// login is what an operator signs in with, and from where.
type login struct {
	signin.Credentials
	from credential.Origin
	// vouched is set if an OpenID provider vouches for the operator. It asks for second
	// factors itself.
	vouched bool
}

func (in login) attempt(of *Account) credential.Attempt {
	return credential.Attempt{Account: strings.ToLower(in.Email), PersonID: of.OperatorID, Address: in.from.Address, Password: in.Password, Hash: of.PasswordHash}
}

func (s *Service) byPassword(ctx context.Context, in login) (*Account, error) {
	found, err := s.account(ctx, in.Email)
	if err != nil {
		return nil, err
	}
	if found == nil {
		found = &Account{}
	}
	if err := s.gate.Verify(ctx, in.attempt(found)); err != nil {
		return nil, err
	}
	return found, nil
}

// refused returns the error of a login whose password was right. A wrong code counts
// as a failed login.
func (s *Service) refused(ctx context.Context, in login, found *Account, err error) error {
	if errors.Is(err, signin.ErrCodeWrong) {
		s.gate.Failed(ctx, in.attempt(found))
	}
	return err
}

var errInactive = refusal.New(refusal.CodeForbidden, "this operator is not active")

// letIn refuses unless the account is still the one that a password was verified for,
// as it may have been changed meanwhile, and the code is right if it needs one. The
// account stays locked until the transaction ends.
func (s *Service) letIn(ctx context.Context, tx Writer, verified *Account, in login) error {
	now, err := tx.LockOperator(ctx, verified.OperatorID)
	if err != nil {
		return err
	}
	if now == nil || !now.Active || now.PasswordHash != verified.PasswordHash {
		return errInactive
	}
	if in.vouched {
		return nil
	}
	return s.config.Factors.Check(ctx, tx, verified.OperatorID, in.Code)
}

func (s *Service) issue(ctx context.Context, operator *Account, in login, name string) (*IssuedToken, error) {
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
	entry, err := s.note(audit.ActingAs(ctx, operator.OperatorID), audit.ActionTokenCreated, id, nil, tokenFactsOf(token))
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := s.letIn(ctx, tx, operator, in); err != nil {
			return err
		}
		if err := tx.RemoveExpiredTokens(ctx, operator.OperatorID, s.config.Aged()); err != nil {
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
