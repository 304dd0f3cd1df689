package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
)

// sender returns the operator who makes a request; nil for any other.
func sender(c *httpd.Call) *operator.Operator { return operator.Of(c.Principal) }

// operatorHeader may name the operator whose credentials a request must have. An app that
// sends what it has kept uses it, because another operator may have signed in meanwhile.
const operatorHeader = "Dropyard-Operator"

// Operator finds out which operator makes a request, and refuses one who may not use the
// route.
func (s *Server) Operator(c *httpd.Call) error {
	found, shown, err := s.CurrentOperator(c)
	if err != nil {
		return err
	}
	by := operator.Of(found)
	c.Principal = found // refusals on pages have the operator's menu
	if only := c.Header.Get(operatorHeader); only != "" && only != by.OperatorID {
		return refusal.New(refusal.CodeUnauthorized, "the credentials are another operator's than "+operatorHeader+" names")
	}
	c.PersonID = by.OperatorID
	needs, _ := c.Route.Needs.(operator.Needs)
	if !slices.Contains(needs.Roles, by.Role) {
		return refusal.New(refusal.CodeForbidden, fmt.Sprintf("the role %s may not do this", by.Role))
	}
	c.Payer = by.OperatorID
	c.ActFor(&actor.Actor{Person: by.Actor(), Credential: shown})
	if !needs.OwnSignIn && !found.Vouched { // an OpenID provider asks for second factors itself
		if err := s.config.OperatorSignIns.Enrolled(c.Context(), by.OperatorID, string(by.Role)); err != nil {
			return err
		}
	}
	return refuseTestPath(c)
}

// refuseTestPath refuses a path with the id of a test order or a test account: for
// operators they do not exist.
func refuseTestPath(c *httpd.Call) error {
	switch {
	case delivery.IsTestOrder(c.PathValue("order_id")):
		return refusal.NotFound("order")
	case delivery.IsTest(c.PathValue("partner_id")):
		return refusal.NotFound("partner")
	default:
		return nil
	}
}

var errNoOperator = refusal.New(refusal.CodeUnauthorized,
	"send a token from POST /ops/v1/tokens as Authorization: Bearer, or log in")

// CurrentOperator returns the session of the request, or what stands for one if there is a
// bearer token, and which of them was shown.
// A token wins over the session: a client sends it on purpose, a browser sends its
// cookie always. It refuses with unauthorized.
func (s *Server) CurrentOperator(c *httpd.Call) (found *signin.Session, shown actor.Credential, err error) {
	scheme, token, _ := strings.Cut(c.Header.Get("Authorization"), " ")
	session := c.Token(web.Operators)
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		shown.Token = string(credential.HashToken(token))
		var by *operator.Operator
		if by, err = s.config.Operators.ByToken(c.Context(), token); by != nil {
			found = &signin.Session{Holder: by}
		}
	case session == "" || scheme != "":
		return nil, shown, errNoOperator
	default:
		if err := c.RefuseCrossSite(); err != nil {
			return nil, shown, err
		}
		shown.Session = string(credential.HashToken(session))
		found, err = s.config.OperatorSignIns.BySession(c.Context(), session)
	}
	if err == nil && found == nil {
		err = refusal.New(refusal.CodeUnauthorized, "this token or session does not exist or has expired")
	}
	return found, shown, err
}
