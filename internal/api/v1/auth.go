package v1

import (
	"errors"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
)

// pendingAnswer is a partner whose account awaits approval.
type pendingAnswer struct {
	shared.Partner
	Status string `json:"status"`
}

// memberAnswer is a partner, and the user who is logged in.
type memberAnswer struct {
	shared.Partner
	User shared.User `json:"user"`
}

func memberOf(m *partner.Member) memberAnswer {
	return memberAnswer{shared.PartnerOf(&m.Partner), shared.UserOf(&m.User)}
}

func (s *Server) handleRegister(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	wanted, err := httpd.Decode(c, partner.ReadNewAccount)
	if err != nil {
		return httpd.Reply{}, err
	}
	return c.LimitRegistrations(func() (httpd.Reply, bool, error) {
		registered, err := s.config.Partners.Register(c.Context(), wanted)
		if refusal.HasCode(err, refusal.CodeValidation) {
			// The contract wants 400 here; everywhere else it is 422 (docs/contract.md, Errors).
			err = httpd.StatusError{Err: err, Status: http.StatusBadRequest}
		}
		if err != nil {
			return httpd.Reply{}, false, err
		}
		answer, err := registeredAnswer(registered)
		return answer, true, err
	})
}

func registeredAnswer(registered *partner.Listed) (httpd.Reply, error) {
	if registered.Pending() {
		return httpd.Created(pendingAnswer{shared.PartnerOf(&registered.Partner), "pending"})
	}
	return httpd.Created(shared.PartnerOf(&registered.Partner))
}

func (s *Server) handleLogin(c *httpd.Call) (httpd.Reply, error) {
	with, err := httpd.Decode(c, signin.ReadCredentials)
	if err != nil {
		return httpd.Reply{}, err
	}
	from, err := c.Origin()
	if err != nil {
		return httpd.Reply{}, err
	}
	found, token, err := s.config.UserSignIns.Login(c.Context(), with, from)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := c.SignedIn(web.Partners, token, from); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(memberOf(partner.MemberOf(found)))
}

func (s *Server) handleLogout(c *httpd.Call) (httpd.Reply, error) { return c.SignOut(web.Partners) }

var errNotLoggedIn = refusal.New(refusal.CodeUnauthorized, "log in first")

// session returns the session of the request. It refuses with unauthorized, and with
// forbidden if the user's role may not use the route.
func (s *Server) session(c *httpd.Call) (*signin.Session, error) {
	found, err := s.config.UserSignIns.BySession(c.Context(), c.Token(web.Partners))
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errNotLoggedIn
	}
	c.ActFor(found.Actor())
	c.Principal = found // refusals on pages have the user's menu
	return found, s.permitUser(c, partner.MemberOf(found), found.Vouched)
}

// permitUser refuses a user whose role may not use the route, or lacks the second factor
// that the role must have.
func (s *Server) permitUser(c *httpd.Call, by *partner.Member, vouched bool) error {
	if err := by.User.Role.May(permission(c)); err != nil {
		return err
	}
	return s.userEnrolled(c, &by.User, vouched)
}

func (s *Server) handleMe(c *httpd.Call) (httpd.Reply, error) {
	return httpd.OK(memberOf(user(c)))
}

func (s *Server) handleEmailRequest(c *httpd.Call) (httpd.Reply, error) {
	wanted, err := httpd.Decode(c, signin.ReadNewEmail)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.config.UserSignIns.RequestEmail(c.Context(), shared.Caller(c), wanted); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Answer(http.StatusAccepted, struct {
		Requested bool `json:"requested"`
	}{true})
}

func (s *Server) handleEmailConfirm(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	confirmed, err := httpd.Decode(c, signin.ReadConfirmation)
	if err != nil {
		return httpd.Reply{}, err
	}
	c.ActAs("") // unknown until the link has been looked up
	by := signin.Caller{Address: c.Address()}
	email, err := s.config.UserSignIns.ConfirmEmail(c.Context(), c.PathID("token"), by, confirmed)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Email string `json:"email"`
	}{email})
}

// byPassword returns the user with an e-mail address and password. It refuses as
// session does, and with unauthorized if the user signs in with a code as well.
func (s *Server) byPassword(c *httpd.Call, email, password string) (*partner.Member, error) {
	holder, by, err := s.config.UserSignIns.ByPassword(c.Context(), email, password, c.Address())
	if err != nil {
		return nil, err
	}
	c.ActFor(by)
	if err := s.config.UserSignIns.PasswordSuffices(c.Context(), by.PersonID); err != nil {
		return nil, err
	}
	found := holder.(*partner.Member) //nolint:forcetypeassert // as all users are
	return found, s.permitUser(c, found, false)
}

// member returns the user of the headers X-Partner-Email and X-Partner-Password, or
// the one who is logged in. The headers win over the session: a client sends them on
// purpose, a browser sends its cookie always.
func (s *Server) member(c *httpd.Call) (*partner.Member, error) {
	email, password := c.Header.Get("X-Partner-Email"), c.Header.Get("X-Partner-Password")
	if email != "" || password != "" {
		return s.byPassword(c, email, password)
	}
	found, err := s.session(c)
	return partner.MemberOf(found), err
}

type createdKey struct {
	KeyID     string          `json:"key_id"`
	Name      string          `json:"name"`
	PublicKey string          `json:"public_key"`
	SecretKey string          `json:"secret_key"`
	CreatedAt time.Time       `json:"created_at"`
	CreatedBy creatorAnswer   `json:"created_by"`
	Scopes    []partner.Scope `json:"scopes"` // empty for a key that may do everything
	Mode      delivery.Mode   `json:"mode"`
	LiveMode  bool            `json:"livemode"`
	RequireV2 bool            `json:"require_v2"`
}

type creatorAnswer struct {
	UserID string `json:"user_id"`
	Name   string `json:"name"`
}

// scopesOf returns the scopes of a key as a list that is never null.
func scopesOf(k *partner.APIKey) []partner.Scope { return append([]partner.Scope{}, k.Scopes...) }

func (s *Server) handleKeyCreate(c *httpd.Call) (httpd.Reply, error) {
	body, err := c.OptionalJSON()
	if err != nil {
		return httpd.Reply{}, err
	}
	var request partner.KeyRequest
	var refused error
	if body != nil {
		request, refused = form.Decode(body, partner.ReadKeyRequest)
	}
	creator, err := s.keyCreator(c, request)
	if err != nil {
		return httpd.Reply{}, err
	}
	if refused != nil {
		return httpd.Reply{}, refused
	}
	key, err := s.config.Partners.CreateKey(c.Context(), creator, request)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(createdKey{
		KeyID: key.KeyID, Name: key.Name, PublicKey: key.PublicKey, SecretKey: key.SecretKey, CreatedAt: key.CreatedAt,
		CreatedBy: creatorAnswer(key.CreatedBy), Scopes: scopesOf(&key.APIKey), Mode: key.Mode,
		LiveMode: key.Mode == delivery.ModeLive, RequireV2: key.RequireV2,
	})
}

// keyCreator returns member. If there is neither a session nor the headers, it returns
// the user whose e-mail address and password are in the body.
func (s *Server) keyCreator(c *httpd.Call, request partner.KeyRequest) (*partner.Member, error) {
	found, err := s.member(c)
	if errors.Is(err, errNotLoggedIn) && (request.Email != "" || request.Password != "") {
		return s.byPassword(c, request.Email, request.Password)
	}
	return found, err
}

type listedKey struct {
	KeyID      string          `json:"key_id"`
	Name       string          `json:"name"`
	PublicKey  string          `json:"public_key"`
	CreatedAt  time.Time       `json:"created_at"`
	LastUsedAt *time.Time      `json:"last_used_at"` // null until the first use
	CreatedBy  creatorAnswer   `json:"created_by"`
	Scopes     []partner.Scope `json:"scopes"`
	Mode       delivery.Mode   `json:"mode"`
	LiveMode   bool            `json:"livemode"`
	RequireV2  bool            `json:"require_v2"`
}

func (s *Server) handleKeyList(c *httpd.Call) (httpd.Reply, error) {
	manager, err := s.member(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.config.Partners.Keys(c.Context(), manager.Partner.PartnerID)
	if err != nil {
		return httpd.Reply{}, err
	}
	keys := make([]listedKey, len(found))
	for i, key := range found {
		keys[i] = listedKey{
			KeyID: key.KeyID, Name: key.Name, PublicKey: key.PublicKey, CreatedAt: key.CreatedAt,
			CreatedBy: creatorAnswer(key.CreatedBy), Scopes: scopesOf(&key),
			Mode: key.Mode, LiveMode: key.Mode == delivery.ModeLive, RequireV2: key.RequireV2,
		}
		if !key.LastUsedAt.IsZero() {
			keys[i].LastUsedAt = &key.LastUsedAt
		}
	}
	return httpd.OK(struct {
		APIKeys []listedKey `json:"api_keys"`
		Count   int         `json:"count"`
	}{keys, len(keys)})
}

func (s *Server) handleKeyRevoke(c *httpd.Call) (httpd.Reply, error) {
	manager, err := s.member(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	keyID := c.PathID("key_id")
	if err := s.config.Partners.RevokeKey(c.Context(), manager.Partner.PartnerID, keyID); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		KeyID   string `json:"key_id"`
		Revoked bool   `json:"revoked"`
	}{keyID, true})
}
