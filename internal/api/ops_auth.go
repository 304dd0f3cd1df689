package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signin"
)

// operatorHeader may name the operator whose credentials a request must have. An app that
// sends what it has kept uses it, because another operator may have signed in meanwhile.
const operatorHeader = "Dropyard-Operator"

// authenticateOperator sets the operator of a request from its bearer token or
// session, and checks the role.
func (s *Server) authenticateOperator(c *call, roles []operator.Role) error {
	found, shown, err := s.currentOperator(c)
	if err != nil {
		return err
	}
	if only := c.Header.Get(operatorHeader); only != "" && only != found.OperatorID {
		return refusal.New(refusal.CodeUnauthorized, "the credentials are another operator's than "+operatorHeader+" names")
	}
	c.personID = found.OperatorID
	if !slices.Contains(roles, found.Role) {
		return refusal.New(refusal.CodeForbidden, fmt.Sprintf("the role %s may not do this", found.Role))
	}
	c.operator, c.payer = found, found.OperatorID
	c.actFor(&actor.Actor{Person: found.Actor(), Credential: shown})
	if err := s.operatorEnrolled(c); err != nil {
		return err
	}
	return c.refuseTestPath()
}

// refuseTestPath refuses a path with the id of a test order or a test account: for
// operators they do not exist.
func (c *call) refuseTestPath() error {
	switch {
	case delivery.IsTestOrder(c.PathValue("order_id")):
		return refusal.NotFound("order")
	case delivery.IsTest(c.PathValue("partner_id")):
		return refusal.NotFound("partner")
	default:
		return nil
	}
}

// currentOperator returns the operator of the bearer token, or else of the session, and
// which of them it was.
// A token wins over the session: a client sends it on purpose, a browser sends its
// cookie always. It refuses with unauthorized.
func (s *Server) currentOperator(c *call) (found *operator.Operator, shown actor.Credential, err error) {
	scheme, token, _ := strings.Cut(c.Header.Get("Authorization"), " ")
	session := c.cookie(operatorCookie)
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		shown.Token = string(credential.HashToken(token))
		found, err = s.config.Operators.ByToken(c.Context(), token)
	case session == "" || scheme != "":
		return nil, shown, refusal.New(refusal.CodeUnauthorized, "send a token from POST /ops/v1/tokens as Authorization: Bearer, or log in")
	default:
		if err := s.refuseCrossSite(c); err != nil {
			return nil, shown, err
		}
		shown.Session = string(credential.HashToken(session))
		var current *operator.Session
		if current, err = s.config.Operators.BySession(c.Context(), session); current != nil {
			found, c.vouched = &current.Operator, current.Vouched
		}
	}
	if err == nil && found == nil {
		err = refusal.New(refusal.CodeUnauthorized, "this token or session does not exist or has expired")
	}
	return found, shown, err
}

// actFor lets everything that happens with the call's context from now on happen on the
// authority of a person. Every change reads it again in its transaction.
func (c *call) actFor(by *actor.Actor) {
	c.actAs(by.PersonID)
	c.Request = c.WithContext(actor.With(c.Context(), by))
}

// actAs names the operator or user and the request in the audit entries of
// everything that happens with the call's context from now on. An empty id stands for
// an operator who is not known yet; the room that checks the password sets it.
func (c *call) actAs(id string) {
	ctx := audit.WithOperation(c.Context(), audit.Operation{OperatorID: id, RequestID: c.id})
	c.Request = c.WithContext(ctx)
	c.personID = cmp.Or(id, c.personID)
}

type tokenAnswer struct {
	TokenID   string        `json:"token_id"`
	Token     string        `json:"token"`
	Role      operator.Role `json:"role"`
	ExpiresAt time.Time     `json:"expires_at"`
}

func (s *Server) handleTokenCreate(c *call) (reply, error) {
	c.actAs("") // unknown until the password has been checked
	request, err := decode(c, operator.ReadTokenRequest)
	if err != nil {
		return reply{}, err
	}
	token, err := s.config.Operators.IssueToken(c.Context(), request, s.address(c))
	if err != nil {
		return reply{}, err
	}
	return created(tokenAnswer{token.TokenID, token.Secret, token.Role, token.ExpiresAt})
}

type listedToken struct {
	TokenID    string    `json:"token_id"`
	OperatorID string    `json:"operator_id"`
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

var tokenCursor = idCursor("tok_")

func (s *Server) handleTokenList(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	owner := q.text("operator_id")
	if owner == "" {
		owner = c.operator.OperatorID
	}
	cursor := q.oneOf("cursor", tokenCursor)
	limit := int(q.integer("limit", defaultPage, 1, maxPage))
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	if owner != c.operator.OperatorID && c.operator.Role != operator.RoleAdmin {
		return reply{}, refusal.New(refusal.CodeForbidden, "only an admin may see the tokens of other operators")
	}
	page, err := s.config.Operators.Tokens(c.Context(), owner, cursor, limit)
	if err != nil {
		return reply{}, err
	}
	tokens := make([]listedToken, len(page.Tokens))
	for i, t := range page.Tokens {
		tokens[i] = listedToken{t.TokenID, t.OperatorID, t.Name, t.CreatedAt, t.ExpiresAt}
	}
	return ok(struct {
		Tokens     []listedToken `json:"tokens"`
		NextCursor string        `json:"next_cursor,omitzero"`
	}{tokens, page.Next})
}

func (s *Server) handleTokenRevoke(c *call) (reply, error) {
	tokenID := c.pathID("token_id")
	if err := s.config.Operators.RevokeToken(c.Context(), c.operator, tokenID); err != nil {
		return reply{}, err
	}
	return ok(struct {
		TokenID string `json:"token_id"`
		Revoked bool   `json:"revoked"`
	}{tokenID, true})
}

func (s *Server) handleOperatorLogin(c *call) (reply, error) {
	c.actAs("") // unknown until the password has been checked
	with, err := decode(c, signin.ReadCredentials)
	if err != nil {
		return reply{}, err
	}
	from, err := s.origin(c)
	if err != nil {
		return reply{}, err
	}
	found, token, err := s.config.Operators.Login(c.Context(), with, from)
	if err != nil {
		return reply{}, err
	}
	if err := s.signedIn(c, operatorCookie, token, from); err != nil {
		return reply{}, err
	}
	return ok(operatorOf(found))
}

func (s *Server) handleOperatorLogout(c *call) (reply, error) {
	c.actAs("")
	return s.signOut(c, operatorCookie)
}
