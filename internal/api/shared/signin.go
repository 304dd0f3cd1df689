// Package shared has what the interfaces of partners and of operators have in common: what
// people do about their own sign-in, figures, and the bodies of what both show.
package shared

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/signin"
)

// SignIns handles what people do about their own sign-in, which is the same for operators
// and partners' people.
type SignIns struct{ Service *signin.Service }

// Routes returns the routes below a prefix. Their callers prove and need what is given,
// except those who have forgotten their password.
func (s SignIns) Routes(prefix string, access httpd.Access, needs any) []httpd.Route {
	prefix += "/auth"
	own := func(method, pattern string, handle httpd.Handler) httpd.Route {
		return httpd.Route{Method: method, Pattern: prefix + pattern, Access: access, Needs: needs, Handle: handle}
	}
	// The answers to these have secrets, which are not stored.
	begin := own("POST", "/totp", s.beginTOTP)
	confirm := own("POST", "/totp/confirm", s.confirmTOTP)
	begin.Repeated, confirm.Repeated = httpd.Unkeyed, httpd.Unkeyed
	return []httpd.Route{
		own("POST", "/password", s.changePassword),
		own("GET", "/sessions", s.listSessions),
		own("DELETE", "/sessions", s.endOtherSessions),
		own("DELETE", "/sessions/{session_id}", s.endSession),
		httpd.Public("POST", prefix+"/reset", s.requestReset),
		httpd.Public("POST", prefix+"/reset/{token}", s.reset),
		own("GET", "/totp", s.enrolment), begin, confirm,
		own("DELETE", "/totp", s.removeTOTP),
	}
}

// Caller returns the person who is signed in.
func Caller(c *httpd.Call) signin.Caller {
	return c.Principal.(*signin.Session).Caller(c.Address()) //nolint:forcetypeassert // set by callers
}

func (s SignIns) changePassword(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, s.Service.ReadPasswordChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.Service.ChangePassword(c.Context(), Caller(c), change); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		PasswordChanged bool `json:"password_changed"`
	}{true})
}

type sessionAnswer struct {
	SessionID  string    `json:"session_id"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	Address    string    `json:"address"`
	Agent      string    `json:"agent"`
	Current    bool      `json:"current"` // the request came in this session
}

func (s SignIns) listSessions(c *httpd.Call) (httpd.Reply, error) {
	by := Caller(c)
	found, err := s.Service.Sessions(c.Context(), by.PersonID)
	if err != nil {
		return httpd.Reply{}, err
	}
	sessions := make([]sessionAnswer, len(found))
	for i, session := range found {
		current := string(session.TokenHash) == string(by.Session)
		sessions[i] = sessionAnswer{
			SessionID: session.SessionID, CreatedAt: session.CreatedAt, LastUsedAt: session.LastSeenAt, Address: session.Address,
			Agent: session.Agent, Current: current,
		}
	}
	return httpd.OK(struct {
		Sessions []sessionAnswer `json:"sessions"`
	}{sessions})
}

type endedAnswer struct {
	Ended int64 `json:"ended"`
}

func (s SignIns) endSession(c *httpd.Call) (httpd.Reply, error) {
	if err := s.Service.EndSession(c.Context(), Caller(c), c.PathID("session_id")); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(endedAnswer{1})
}

func (s SignIns) endOtherSessions(c *httpd.Call) (httpd.Reply, error) {
	ended, err := s.Service.EndOtherSessions(c.Context(), Caller(c))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(endedAnswer{ended})
}

func (s SignIns) requestReset(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	email, err := httpd.Decode(c, signin.ReadResetRequest)
	if err != nil {
		return httpd.Reply{}, err
	}
	s.Service.RequestReset(email)
	return httpd.Answer(http.StatusAccepted, struct {
		Requested bool `json:"requested"`
	}{true})
}

func (s SignIns) reset(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	c.ActAs("") // unknown until the link has been looked up
	wanted, err := httpd.Decode(c, s.Service.ReadNewPassword)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.Service.Reset(c.Context(), c.PathID("token"), wanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Email string `json:"email"`
	}{found.Email})
}

type enrolmentAnswer struct {
	Enrolled      bool       `json:"enrolled"`
	Required      bool       `json:"required"`     // the role must sign in with a code
	ConfirmedAt   *time.Time `json:"confirmed_at"` // null unless enrolled
	RecoveryCodes int64      `json:"recovery_codes_left"`
}

func (s SignIns) enrolment(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.Service.Enrolment(c.Context(), Caller(c))
	if err != nil {
		return httpd.Reply{}, err
	}
	confirmed := strictjson.OrNull(found.ConfirmedAt)
	return httpd.OK(enrolmentAnswer{!found.ConfirmedAt.IsZero(), found.Required, confirmed, found.RecoveryCodes})
}

func (s SignIns) beginTOTP(c *httpd.Call) (httpd.Reply, error) {
	confirmed, err := httpd.Decode(c, signin.ReadConfirmation)
	if err != nil {
		return httpd.Reply{}, err
	}
	begun, err := s.Service.BeginTOTP(c.Context(), Caller(c), confirmed)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Secret string `json:"secret"`
		URI    string `json:"uri"`
	}{begun.Secret, begun.URI})
}

func (s SignIns) confirmTOTP(c *httpd.Call) (httpd.Reply, error) {
	code, err := httpd.Decode(c, signin.ReadCode)
	if err != nil {
		return httpd.Reply{}, err
	}
	codes, err := s.Service.ConfirmTOTP(c.Context(), Caller(c), code)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}{codes})
}

func (s SignIns) removeTOTP(c *httpd.Call) (httpd.Reply, error) {
	removal, err := httpd.Decode(c, signin.ReadFactorRemoval)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.Service.RemoveTOTP(c.Context(), Caller(c), removal); err != nil {
		return httpd.Reply{}, err
	}
	return Removed()
}

// Removed responds that something has been removed.
func Removed() (httpd.Reply, error) {
	return httpd.OK(struct {
		Removed bool `json:"removed"`
	}{true})
}
