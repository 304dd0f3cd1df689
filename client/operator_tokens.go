package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// TokenRequest is the credentials of an operator, and a name for the new token.
type TokenRequest struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	// of the authenticator app, or a recovery code, if the account has a second factor
	Code string `json:"code,omitempty"`
	Name string `json:"name,omitempty"` // says where the token is used, at most 255 characters; optional
}

// Token is a token of an operator.
type Token struct {
	TokenID   string       `json:"token_id"`
	Token     string       `json:"token"` // for [NewOperator]; no later answer holds it
	Role      OperatorRole `json:"role"`
	ExpiresAt time.Time    `json:"expires_at"`
}

// CreateToken returns a new token of an operator. Wrong passwords are throttled per
// account and per address. If no answer arrives, a token may exist that is lost.
func (s *Service) CreateToken(ctx context.Context, credentials TokenRequest, options ...CallOption) (*Token, error) {
	return fetch[Token](ctx, s, operation{method: http.MethodPost, path: "/ops/v1/tokens", body: credentials}, options)
}

// ListedToken is a token in a list, without its secret.
type ListedToken struct {
	TokenID    string    `json:"token_id"`
	OperatorID string    `json:"operator_id"`
	Name       string    `json:"name"` // empty if none was given
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// TokenList is a page of tokens.
type TokenList struct {
	Tokens     []ListedToken `json:"tokens"`
	NextCursor string        `json:"next_cursor,omitempty"` // empty on the last page
}

// TokenQuery chooses tokens. Zero fields do not restrict.
type TokenQuery struct {
	OperatorID string `query:"operator_id"` // the owner; the operator who asks if it is empty
	Limit      int    `query:"limit"`       // the most tokens of a page, 1 to 500; 50 if it is 0
	Cursor     string `query:"cursor"`      // the NextCursor of the previous page
}

// ListTokens returns a page of the tokens that have not expired. Only an admin may ask
// for those of another operator.
func (o *Operator) ListTokens(ctx context.Context, q TokenQuery, options ...CallOption) (*TokenList, error) {
	return fetch[TokenList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/tokens", query: queryOf(q)}, options)
}

// Tokens iterates over the tokens that have not expired. An error is the last value.
func (o *Operator) Tokens(ctx context.Context, q TokenQuery, options ...CallOption) iter.Seq2[ListedToken, error] {
	return pages(q, func(q *TokenQuery) ([]ListedToken, bool, error) {
		page, err := o.ListTokens(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Tokens, q.Cursor != "", nil
	})
}

// RevokedToken is the answer to a revocation.
type RevokedToken struct {
	TokenID string `json:"token_id"`
	Revoked bool   `json:"revoked"` // true
}

// RevokeToken revokes a token, which stops working immediately. Operators may revoke
// their own tokens, and an admin any.
func (o *Operator) RevokeToken(ctx context.Context, tokenID string, options ...CallOption) (*RevokedToken, error) {
	return fetch[RevokedToken](ctx, o,
		operation{method: http.MethodDelete, path: "/ops/v1/tokens/{id}", id: tokenID, keyed: true}, options)
}
