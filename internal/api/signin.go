package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

// Operators and partners' people do the same about their own sign-in. The handlers
// here serve both.

// signIns returns the sign-ins of the people that the request's path is for.
func (s *Server) signIns(c *httpd.Call) *signin.Service {
	if strings.HasPrefix(c.URL.Path, opsPrefix) {
		return s.config.OperatorSignIns
	}
	return s.config.UserSignIns
}

const opsPrefix = "/ops/v1/"

// caller returns the person who is signed in.
func caller(c *httpd.Call) signin.Caller {
	by := c.Principal.(signin.Principal) //nolint:forcetypeassert // both kinds of sessions are
	return by.Caller(c.Address())
}

// userEnrolled refuses a user who lacks the second factor that the role must have, except
// from the routes and pages of one's own sign-in.
func (s *Server) userEnrolled(c *httpd.Call, user *partner.User) error {
	if permission(c) == partner.PermissionSelf {
		return nil
	}
	return s.config.UserSignIns.Enrolled(c.Context(), user.UserID, string(user.Role))
}

func (s *Server) handlePasswordChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, s.signIns(c).ReadPasswordChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.signIns(c).ChangePassword(c.Context(), caller(c), change); err != nil {
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

func (s *Server) handleSessionList(c *httpd.Call) (httpd.Reply, error) {
	by := caller(c)
	found, err := s.signIns(c).Sessions(c.Context(), by.PersonID)
	if err != nil {
		return httpd.Reply{}, err
	}
	sessions := make([]sessionAnswer, len(found))
	for i, session := range found {
		current := string(session.TokenHash) == string(by.Session)
		sessions[i] = sessionAnswer{session.SessionID, session.CreatedAt, session.LastSeenAt, session.Address, session.Agent, current}
	}
	return httpd.OK(struct {
		Sessions []sessionAnswer `json:"sessions"`
	}{sessions})
}

type endedAnswer struct {
	Ended int64 `json:"ended"`
}

func (s *Server) handleSessionEnd(c *httpd.Call) (httpd.Reply, error) {
	if err := s.signIns(c).EndSession(c.Context(), caller(c), c.PathID("session_id")); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(endedAnswer{1})
}

func (s *Server) handleOtherSessionsEnd(c *httpd.Call) (httpd.Reply, error) {
	ended, err := s.signIns(c).EndOtherSessions(c.Context(), caller(c))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(endedAnswer{ended})
}

func (s *Server) handleResetRequest(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	email, err := httpd.Decode(c, signin.ReadResetRequest)
	if err != nil {
		return httpd.Reply{}, err
	}
	s.signIns(c).RequestReset(email)
	return httpd.Answer(http.StatusAccepted, struct {
		Requested bool `json:"requested"`
	}{true})
}

func (s *Server) handleReset(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	c.ActAs("") // unknown until the link has been looked up
	wanted, err := httpd.Decode(c, s.signIns(c).ReadNewPassword)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.signIns(c).Reset(c.Context(), c.PathID("token"), wanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Email string `json:"email"`
	}{found.Email})
}

type linkAnswer struct {
	URL       string    `json:"url,omitzero"` // left out if it was sent by mail
	ExpiresAt time.Time `json:"expires_at"`
}

// linked returns the answer with a new link, which is shown only here.
func linked(link *signin.IssuedLink) (httpd.Reply, error) {
	return httpd.Created(linkAnswer{link.URL, link.ExpiresAt})
}

func (s *Server) handleOperatorResetLink(c *httpd.Call) (httpd.Reply, error) {
	link, err := s.config.OperatorSignIns.ResetLink(c.Context(), c.PathID("operator_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return linked(link)
}

func (s *Server) handleUserResetLink(c *httpd.Call) (httpd.Reply, error) {
	body, err := c.OptionalJSON()
	if err != nil {
		return httpd.Reply{}, err
	}
	var userID string
	if body != nil {
		if userID, err = form.Decode(body, signin.ReadResetUser); err != nil {
			return httpd.Reply{}, err
		}
	}
	link, err := s.config.UserSignIns.ResetLinkOf(c.Context(), c.PathID("partner_id"), userID)
	if err != nil {
		return httpd.Reply{}, err
	}
	return linked(link)
}

type listedUser struct {
	userAnswer
	CreatedAt time.Time `json:"created_at"`
	stateAnswer
}

// stateAnswer is what admins see of a person's sign-in.
type stateAnswer struct {
	TOTPEnrolled     bool       `json:"totp_enrolled"`
	ResetRequestedAt *time.Time `json:"reset_requested_at"` // null unless the person waits for a new password
}

func stateOf(s signin.State) stateAnswer { return stateAnswer{s.Enrolled, orNull(s.ResetRequestedAt)} }

func (s *Server) handleUserList(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.UserSignIns.PeopleOf(c.Context(), c.PathID("partner_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	users := make([]listedUser, len(found))
	for i, u := range found {
		users[i] = listedUser{userAnswer{u.PersonID, u.Email, u.Name, partner.Role(u.Role), u.UnprovenSince.IsZero()}, u.CreatedAt, stateOf(u.State)}
	}
	return httpd.OK(struct {
		Users []listedUser `json:"users"`
	}{users})
}

func (s *Server) handleEmailRequest(c *httpd.Call) (httpd.Reply, error) {
	wanted, err := httpd.Decode(c, signin.ReadNewEmail)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.config.UserSignIns.RequestEmail(c.Context(), caller(c), wanted); err != nil {
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

type enrolmentAnswer struct {
	Enrolled      bool       `json:"enrolled"`
	Required      bool       `json:"required"`     // the role must sign in with a code
	ConfirmedAt   *time.Time `json:"confirmed_at"` // null unless enrolled
	RecoveryCodes int64      `json:"recovery_codes_left"`
}

func (s *Server) handleTOTPGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.signIns(c).Enrolment(c.Context(), caller(c))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(enrolmentAnswer{!found.ConfirmedAt.IsZero(), found.Required, orNull(found.ConfirmedAt), found.RecoveryCodes})
}

func (s *Server) handleTOTPBegin(c *httpd.Call) (httpd.Reply, error) {
	confirmed, err := httpd.Decode(c, signin.ReadConfirmation)
	if err != nil {
		return httpd.Reply{}, err
	}
	begun, err := s.signIns(c).BeginTOTP(c.Context(), caller(c), confirmed)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Secret string `json:"secret"`
		URI    string `json:"uri"`
	}{begun.Secret, begun.URI})
}

func (s *Server) handleTOTPConfirm(c *httpd.Call) (httpd.Reply, error) {
	code, err := httpd.Decode(c, signin.ReadCode)
	if err != nil {
		return httpd.Reply{}, err
	}
	codes, err := s.signIns(c).ConfirmTOTP(c.Context(), caller(c), code)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}{codes})
}

func (s *Server) handleTOTPRemove(c *httpd.Call) (httpd.Reply, error) {
	removal, err := httpd.Decode(c, signin.ReadFactorRemoval)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.signIns(c).RemoveTOTP(c.Context(), caller(c), removal); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(removedAnswer{true})
}

type removedAnswer struct {
	Removed bool `json:"removed"`
}

func (s *Server) handleOperatorTOTPClear(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.OperatorSignIns.ClearTOTP(c.Context(), "", c.PathID("operator_id")); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(removedAnswer{true})
}

func (s *Server) handleUserTOTPClear(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.UserSignIns.ClearTOTP(c.Context(), c.PathID("partner_id"), c.PathID("user_id")); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(removedAnswer{true})
}

type rulesAnswer struct {
	TOTPRequired requiredAnswer `json:"totp_required"`
}

type requiredAnswer struct {
	Operators []string `json:"operators"`
	Users     []string `json:"users"`
}

func rulesOf(r signin.Required) rulesAnswer {
	return rulesAnswer{requiredAnswer{append([]string{}, r[signin.Operators]...), append([]string{}, r[signin.Users]...)}}
}

func (s *Server) handleRulesGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.SignInRules.Get(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(rulesOf(found))
}

func (s *Server) handleRulesPut(c *httpd.Call) (httpd.Reply, error) {
	wanted, err := httpd.Decode(c, s.config.SignInRules.Read)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.SignInRules.Set(c.Context(), wanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(rulesOf(changed))
}
