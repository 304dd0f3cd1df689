package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// callers finds out for the server who makes requests.
type callers struct{ *Server }

// user returns the session of the user who makes a request; nil for any other.
func user(c *httpd.Call) *partner.Session {
	session, _ := c.Principal.(*partner.Session)
	return session
}

// sender returns the operator who makes a request; nil for any other.
func sender(c *httpd.Call) *operator.Operator {
	if session, is := c.Principal.(*operator.Session); is {
		return &session.Operator
	}
	return nil
}

func (s callers) Key(ctx context.Context, publicKey string) (*httpd.Key, error) {
	key, err := s.config.Partners.SigningKey(ctx, publicKey)
	if err != nil || key == nil {
		return nil, err
	}
	return &httpd.Key{ID: key.KeyID, Account: key.PartnerID, Secret: key.Secret, RequireV2: key.RequireV2, Of: key}, nil
}

// signingKey returns a key as its room knows it.
func signingKey(key *httpd.Key) *partner.SigningKey {
	return key.Of.(*partner.SigningKey) //nolint:forcetypeassert // set by Key
}

func (s callers) KeyUsed(key *httpd.Key) { s.config.Partners.Used(signingKey(key)) }

// PermitKey looks at the scopes of the key, and refuses a query whose mode is none,
// although the key alone decides the mode of a signed request.
func (s callers) PermitKey(c *httpd.Call, key *httpd.Key) error {
	if err := signingKey(key).May(permission(c)); err != nil {
		return err
	}
	_, err := chosenMode(c)
	return err
}

func (s callers) UseNonce(ctx context.Context, key *httpd.Key, nonce string, at time.Time) (isNew bool, err error) {
	return s.config.Partners.UseNonce(ctx, partner.Nonce{PartnerID: key.Account, KeyID: key.ID, Text: nonce, SignedAt: at})
}

func (s callers) Terms(ctx context.Context, account string) (httpd.Terms, error) {
	settings, err := s.config.Partners.Settings(ctx, account)
	if err != nil {
		return httpd.Terms{}, err
	}
	terms := httpd.Terms{RateLimit: settings.RateLimit, Refused: settings.Refusal()}
	if settings.RateLimit == partner.DefaultRate {
		terms.RateLimit = s.config.RateLimit
	}
	if !settings.Established(s.config.Now()) {
		terms.Newcomer = delivery.LiveAccount(account)
	}
	return terms, nil
}

func (s callers) User(c *httpd.Call) error {
	session, err := s.session(c)
	if err != nil {
		return err
	}
	mode, err := chosenMode(c)
	if err != nil {
		return err
	}
	c.Account, c.Principal = delivery.Account(session.Partner.PartnerID, mode), session
	return nil
}

func (s callers) UserAgain(c *httpd.Call) error {
	session, err := s.session(c)
	if err == nil {
		c.Principal = session
	}
	return err
}

// operatorHeader may name the operator whose credentials a request must have. An app that
// sends what it has kept uses it, because another operator may have signed in meanwhile.
const operatorHeader = "Dropyard-Operator"

func (s callers) Operator(c *httpd.Call) error {
	found, shown, err := s.currentOperator(c)
	if err != nil {
		return err
	}
	by := &found.Operator
	if only := c.Header.Get(operatorHeader); only != "" && only != by.OperatorID {
		return refusal.New(refusal.CodeUnauthorized, "the credentials are another operator's than "+operatorHeader+" names")
	}
	c.PersonID = by.OperatorID
	needs, _ := c.Route.Needs.(operator.Needs)
	if !slices.Contains(needs.Roles, by.Role) {
		return refusal.New(refusal.CodeForbidden, fmt.Sprintf("the role %s may not do this", by.Role))
	}
	c.Principal, c.Payer = found, by.OperatorID
	c.ActFor(&actor.Actor{Person: by.Actor(), Credential: shown})
	if !needs.OwnSignIn && !found.Vouched { // an OpenID provider asks for second factors itself
		if err := s.config.OperatorSignIns.Enrolled(c.Context(), by.OperatorID, string(by.Role)); err != nil {
			return err
		}
	}
	return refuseTestPath(c)
}

func (s callers) EndSession(ctx context.Context, a visit.Audience, token string) error {
	if a == visit.Operators {
		return s.config.Operators.Logout(ctx, token)
	}
	return s.config.Partners.Logout(ctx, token)
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

// currentOperator returns the session of the request, or what stands for one if there is a
// bearer token, and which of them was shown.
// A token wins over the session: a client sends it on purpose, a browser sends its
// cookie always. It refuses with unauthorized.
func (s *Server) currentOperator(c *httpd.Call) (found *operator.Session, shown actor.Credential, err error) {
	scheme, token, _ := strings.Cut(c.Header.Get("Authorization"), " ")
	session := c.Token(visit.Operators)
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		shown.Token = string(credential.HashToken(token))
		var by *operator.Operator
		if by, err = s.config.Operators.ByToken(c.Context(), token); by != nil {
			found = &operator.Session{Operator: *by}
		}
	case session == "" || scheme != "":
		return nil, shown, errNoOperator
	default:
		if err := c.RefuseCrossSite(); err != nil {
			return nil, shown, err
		}
		shown.Session = string(credential.HashToken(session))
		found, err = s.config.Operators.BySession(c.Context(), session)
	}
	if err == nil && found == nil {
		err = refusal.New(refusal.CodeUnauthorized, "this token or session does not exist or has expired")
	}
	return found, shown, err
}

// permission returns what the route needs of a partner's user or key.
func permission(c *httpd.Call) partner.Permission {
	needs, _ := c.Route.Needs.(partner.Permission)
	return needs
}

// chosenMode returns the mode that the query chooses, for requests in a session; live
// if it does not, or the route has no modes.
func chosenMode(c *httpd.Call) (delivery.Mode, error) {
	if c.Route.Access != httpd.AccessPartner && c.Route.Access != httpd.AccessPage || c.URL.RawQuery == "" {
		return delivery.ModeLive, nil
	}
	q, err := c.Query()
	if err != nil {
		return "", err
	}
	mode := delivery.Mode(q.OneOf("mode", form.OneOf(delivery.Modes...)))
	return cmp.Or(mode, delivery.ModeLive), q.Err()
}
