package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

// Operators and partners' people do the same about their own sign-in. The handlers
// here serve both.

// signIns returns the sign-ins of the people that the request's path is for.
func (s *Server) signIns(c *call) *signin.Service {
	if strings.HasPrefix(c.URL.Path, opsPrefix) {
		return s.config.OperatorSignIns
	}
	return s.config.UserSignIns
}

const opsPrefix = "/ops/v1/"

// caller returns the person who is signed in.
func (s *Server) caller(c *call) signin.Caller {
	by := signin.Caller{Address: s.address(c)}
	if c.session != nil {
		by.PersonID, by.Role, by.Session = c.session.User.UserID, string(c.session.User.Role), c.session.TokenHash
		return by
	}
	by.PersonID, by.Role = c.operator.OperatorID, string(c.operator.Role)
	if token := c.cookie(operatorCookie); token != "" && c.Header.Get("Authorization") == "" {
		by.Session = credential.HashToken(token)
	}
	return by
}

// operatorEnrolled refuses an operator who lacks the second factor that the role must
// have, except from the routes and pages of one's own sign-in. Operators who come
// from an OpenID provider need none: the provider asks for second factors itself.
func (s *Server) operatorEnrolled(c *call) error {
	if c.vouched || strings.HasPrefix(c.URL.Path, opsPrefix+"auth/") || c.URL.Path == opsPrefix+"me" || c.needed == partner.PermissionSelf {
		return nil
	}
	return s.config.OperatorSignIns.Enrolled(c.Context(), c.operator.OperatorID, string(c.operator.Role))
}

// userEnrolled refuses a user in the same way.
func (s *Server) userEnrolled(c *call, user *partner.User) error {
	if c.needed == partner.PermissionSelf {
		return nil
	}
	return s.config.UserSignIns.Enrolled(c.Context(), user.UserID, string(user.Role))
}

func (s *Server) handlePasswordChange(c *call) (reply, error) {
	change, err := decode(c, s.signIns(c).ReadPasswordChange)
	if err != nil {
		return reply{}, err
	}
	if err := s.signIns(c).ChangePassword(c.Context(), s.caller(c), change); err != nil {
		return reply{}, err
	}
	return ok(struct {
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

func (s *Server) handleSessionList(c *call) (reply, error) {
	by := s.caller(c)
	found, err := s.signIns(c).Sessions(c.Context(), by.PersonID)
	if err != nil {
		return reply{}, err
	}
	sessions := make([]sessionAnswer, len(found))
	for i, session := range found {
		current := string(session.TokenHash) == string(by.Session)
		sessions[i] = sessionAnswer{session.SessionID, session.CreatedAt, session.LastSeenAt, session.Address, session.Agent, current}
	}
	return ok(struct {
		Sessions []sessionAnswer `json:"sessions"`
	}{sessions})
}

type endedAnswer struct {
	Ended int64 `json:"ended"`
}

func (s *Server) handleSessionEnd(c *call) (reply, error) {
	if err := s.signIns(c).EndSession(c.Context(), s.caller(c), c.pathID("session_id")); err != nil {
		return reply{}, err
	}
	return ok(endedAnswer{1})
}

func (s *Server) handleOtherSessionsEnd(c *call) (reply, error) {
	ended, err := s.signIns(c).EndOtherSessions(c.Context(), s.caller(c))
	if err != nil {
		return reply{}, err
	}
	return ok(endedAnswer{ended})
}

func (s *Server) handleResetRequest(c *call) (reply, error) {
	if err := s.limitUnauthenticated(c); err != nil {
		return reply{}, err
	}
	email, err := decode(c, signin.ReadResetRequest)
	if err != nil {
		return reply{}, err
	}
	s.signIns(c).RequestReset(email)
	return answer(http.StatusAccepted, struct {
		Requested bool `json:"requested"`
	}{true})
}

func (s *Server) handleReset(c *call) (reply, error) {
	if err := s.limitUnauthenticated(c); err != nil {
		return reply{}, err
	}
	c.actAs("") // unknown until the link has been looked up
	wanted, err := decode(c, s.signIns(c).ReadNewPassword)
	if err != nil {
		return reply{}, err
	}
	found, err := s.signIns(c).Reset(c.Context(), c.pathID("token"), wanted)
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		Email string `json:"email"`
	}{found.Email})
}

type linkAnswer struct {
	URL       string    `json:"url,omitzero"` // left out if it was sent by mail
	ExpiresAt time.Time `json:"expires_at"`
}

// linked returns the answer with a new link, which is shown only here.
func linked(link *signin.IssuedLink) (reply, error) {
	return created(linkAnswer{link.URL, link.ExpiresAt})
}

func (s *Server) handleOperatorResetLink(c *call) (reply, error) {
	link, err := s.config.OperatorSignIns.ResetLink(c.Context(), c.pathID("operator_id"))
	if err != nil {
		return reply{}, err
	}
	return linked(link)
}

func (s *Server) handleUserResetLink(c *call) (reply, error) {
	body, err := c.optionalJSON()
	if err != nil {
		return reply{}, err
	}
	var userID string
	if body != nil {
		if userID, err = form.Decode(body, signin.ReadResetUser); err != nil {
			return reply{}, err
		}
	}
	link, err := s.config.UserSignIns.ResetLinkOf(c.Context(), c.pathID("partner_id"), userID)
	if err != nil {
		return reply{}, err
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

func (s *Server) handleUserList(c *call) (reply, error) {
	found, err := s.config.UserSignIns.PeopleOf(c.Context(), c.pathID("partner_id"))
	if err != nil {
		return reply{}, err
	}
	users := make([]listedUser, len(found))
	for i, u := range found {
		users[i] = listedUser{userAnswer{u.PersonID, u.Email, u.Name, partner.Role(u.Role), u.UnprovenSince.IsZero()}, u.CreatedAt, stateOf(u.State)}
	}
	return ok(struct {
		Users []listedUser `json:"users"`
	}{users})
}

func (s *Server) handleEmailRequest(c *call) (reply, error) {
	wanted, err := decode(c, signin.ReadNewEmail)
	if err != nil {
		return reply{}, err
	}
	if err := s.config.UserSignIns.RequestEmail(c.Context(), s.caller(c), wanted); err != nil {
		return reply{}, err
	}
	return answer(http.StatusAccepted, struct {
		Requested bool `json:"requested"`
	}{true})
}

func (s *Server) handleEmailConfirm(c *call) (reply, error) {
	if err := s.limitUnauthenticated(c); err != nil {
		return reply{}, err
	}
	confirmed, err := decode(c, signin.ReadConfirmation)
	if err != nil {
		return reply{}, err
	}
	c.actAs("") // unknown until the link has been looked up
	by := signin.Caller{Address: s.address(c)}
	email, err := s.config.UserSignIns.ConfirmEmail(c.Context(), c.pathID("token"), by, confirmed)
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		Email string `json:"email"`
	}{email})
}

type enrolmentAnswer struct {
	Enrolled      bool       `json:"enrolled"`
	Required      bool       `json:"required"`     // the role must sign in with a code
	ConfirmedAt   *time.Time `json:"confirmed_at"` // null unless enrolled
	RecoveryCodes int64      `json:"recovery_codes_left"`
}

func (s *Server) handleTOTPGet(c *call) (reply, error) {
	found, err := s.signIns(c).Enrolment(c.Context(), s.caller(c))
	if err != nil {
		return reply{}, err
	}
	return ok(enrolmentAnswer{!found.ConfirmedAt.IsZero(), found.Required, orNull(found.ConfirmedAt), found.RecoveryCodes})
}

func (s *Server) handleTOTPBegin(c *call) (reply, error) {
	confirmed, err := decode(c, signin.ReadConfirmation)
	if err != nil {
		return reply{}, err
	}
	begun, err := s.signIns(c).BeginTOTP(c.Context(), s.caller(c), confirmed)
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		Secret string `json:"secret"`
		URI    string `json:"uri"`
	}{begun.Secret, begun.URI})
}

func (s *Server) handleTOTPConfirm(c *call) (reply, error) {
	code, err := decode(c, signin.ReadCode)
	if err != nil {
		return reply{}, err
	}
	codes, err := s.signIns(c).ConfirmTOTP(c.Context(), s.caller(c), code)
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}{codes})
}

func (s *Server) handleTOTPRemove(c *call) (reply, error) {
	removal, err := decode(c, signin.ReadFactorRemoval)
	if err != nil {
		return reply{}, err
	}
	if err := s.signIns(c).RemoveTOTP(c.Context(), s.caller(c), removal); err != nil {
		return reply{}, err
	}
	return ok(removedAnswer{true})
}

type removedAnswer struct {
	Removed bool `json:"removed"`
}

func (s *Server) handleOperatorTOTPClear(c *call) (reply, error) {
	if err := s.config.OperatorSignIns.ClearTOTP(c.Context(), "", c.pathID("operator_id")); err != nil {
		return reply{}, err
	}
	return ok(removedAnswer{true})
}

func (s *Server) handleUserTOTPClear(c *call) (reply, error) {
	if err := s.config.UserSignIns.ClearTOTP(c.Context(), c.pathID("partner_id"), c.pathID("user_id")); err != nil {
		return reply{}, err
	}
	return ok(removedAnswer{true})
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

func (s *Server) handleRulesGet(c *call) (reply, error) {
	found, err := s.config.SignInRules.Get(c.Context())
	if err != nil {
		return reply{}, err
	}
	return ok(rulesOf(found))
}

func (s *Server) handleRulesPut(c *call) (reply, error) {
	wanted, err := decode(c, s.config.SignInRules.Read)
	if err != nil {
		return reply{}, err
	}
	changed, err := s.config.SignInRules.Set(c.Context(), wanted)
	if err != nil {
		return reply{}, err
	}
	return ok(rulesOf(changed))
}
