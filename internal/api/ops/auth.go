package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
)

type tokenAnswer struct {
	TokenID   string        `json:"token_id"`
	Token     string        `json:"token"`
	Role      operator.Role `json:"role"`
	ExpiresAt time.Time     `json:"expires_at"`
}

func (s *Server) handleTokenCreate(c *httpd.Call) (httpd.Reply, error) {
	c.ActAs("") // unknown until the password has been checked
	request, err := httpd.Decode(c, operator.ReadTokenRequest)
	if err != nil {
		return httpd.Reply{}, err
	}
	token, err := s.config.Operators.IssueToken(c.Context(), request, c.Address())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(tokenAnswer{token.TokenID, token.Secret, token.Role, token.ExpiresAt})
}

type listedToken struct {
	TokenID    string    `json:"token_id"`
	OperatorID string    `json:"operator_id"`
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

var tokenCursor = idCursor("tok_")

func (s *Server) handleTokenList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	owner := q.Text("operator_id")
	if owner == "" {
		owner = sender(c).OperatorID
	}
	cursor := q.OneOf("cursor", tokenCursor)
	limit := q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if owner != sender(c).OperatorID && sender(c).Role != operator.RoleAdmin {
		return httpd.Reply{}, refusal.New(refusal.CodeForbidden, "only an admin may see the tokens of other operators")
	}
	page, err := s.config.Operators.Tokens(c.Context(), owner, cursor, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	tokens := make([]listedToken, len(page.Tokens))
	for i, t := range page.Tokens {
		tokens[i] = listedToken{t.TokenID, t.OperatorID, t.Name, t.CreatedAt, t.ExpiresAt}
	}
	return httpd.OK(struct {
		Tokens     []listedToken `json:"tokens"`
		NextCursor string        `json:"next_cursor,omitzero"`
	}{tokens, page.Next})
}

func (s *Server) handleTokenRevoke(c *httpd.Call) (httpd.Reply, error) {
	tokenID := c.PathID("token_id")
	if err := s.config.Operators.RevokeToken(c.Context(), sender(c), tokenID); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		TokenID string `json:"token_id"`
		Revoked bool   `json:"revoked"`
	}{tokenID, true})
}

func (s *Server) handleLogin(c *httpd.Call) (httpd.Reply, error) {
	c.ActAs("") // unknown until the password has been checked
	with, err := httpd.Decode(c, signin.ReadCredentials)
	if err != nil {
		return httpd.Reply{}, err
	}
	from, err := c.Origin()
	if err != nil {
		return httpd.Reply{}, err
	}
	found, token, err := s.config.OperatorSignIns.Login(c.Context(), with, from)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := c.SignedIn(web.Operators, token, from); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(operatorOf(operator.Of(found)))
}

func (s *Server) handleLogout(c *httpd.Call) (httpd.Reply, error) {
	c.ActAs("")
	return c.SignOut(web.Operators)
}
