package v1

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
)

// user returns the user who makes a request in a session; nil for any other.
func user(c *httpd.Call) *partner.Member { return partner.MemberOf(c.Principal) }

// Key returns the API key with a public key; nil if there is none.
func (s *Server) Key(ctx context.Context, publicKey string) (*httpd.Key, error) {
	key, err := s.config.Partners.SigningKey(ctx, publicKey)
	if err != nil || key == nil {
		return nil, err
	}
	return &httpd.Key{ID: key.KeyID, Account: key.PartnerID, Secret: key.Secret, RequireV2: key.RequireV2, Of: key}, nil
}

// signingKey returns a key as its package knows it.
func signingKey(key *httpd.Key) *partner.SigningKey {
	return key.Of.(*partner.SigningKey) //nolint:forcetypeassert // set by Key
}

// KeyUsed notes that a key has signed a request.
func (s *Server) KeyUsed(key *httpd.Key) { s.config.Partners.Used(signingKey(key)) }

// PermitKey looks at the scopes of the key, and refuses a query whose mode is none,
// although the key alone decides the mode of a signed request.
func (s *Server) PermitKey(c *httpd.Call, key *httpd.Key) error {
	if err := signingKey(key).May(permission(c)); err != nil {
		return err
	}
	_, err := chosenMode(c)
	return err
}

// UseNonce uses up the nonce of a signed request.
func (s *Server) UseNonce(ctx context.Context, key *httpd.Key, nonce string, at time.Time) (isNew bool, err error) {
	return s.config.Partners.UseNonce(ctx, partner.Nonce{PartnerID: key.Account, KeyID: key.ID, Text: nonce, SignedAt: at})
}

// Terms returns what holds for an account.
func (s *Server) Terms(ctx context.Context, account string) (httpd.Terms, error) {
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

// User finds out whose session a request has.
func (s *Server) User(c *httpd.Call) error {
	session, err := s.session(c)
	if err != nil {
		return err
	}
	mode, err := chosenMode(c)
	if err != nil {
		return err
	}
	c.Account = delivery.Account(session.PartnerID, mode)
	return nil
}

// UserAgain looks again when the body has been read.
func (s *Server) UserAgain(c *httpd.Call) error {
	_, err := s.session(c)
	return err
}

// permission returns what the route needs of a partner's user or key.
func permission(c *httpd.Call) partner.Permission {
	needs, _ := c.Route.Needs.(partner.Permission)
	return needs
}

// userEnrolled refuses a user who lacks the second factor that the role must have, except
// from the routes and pages of one's own sign-in. vouched is set if the partner's OpenID
// provider has vouched for the user: it asks for second factors itself.
func (s *Server) userEnrolled(c *httpd.Call, user *partner.User, vouched bool) error {
	if permission(c) == partner.PermissionSelf || vouched {
		return nil
	}
	return s.config.UserSignIns.Enrolled(c.Context(), user.UserID, string(user.Role))
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
