package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

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
	shared.User
	CreatedAt time.Time `json:"created_at"`
	stateAnswer
}

// stateAnswer is what admins see of a person's sign-in.
type stateAnswer struct {
	TOTPEnrolled     bool       `json:"totp_enrolled"`
	ResetRequestedAt *time.Time `json:"reset_requested_at"` // null unless the person waits for a new password
}

func stateOf(s signin.State) stateAnswer {
	return stateAnswer{s.Enrolled, strictjson.OrNull(s.ResetRequestedAt)}
}

func (s *Server) handleUserList(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.UserSignIns.PeopleOf(c.Context(), c.PathID("partner_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	users := make([]listedUser, len(found))
	for i, u := range found {
		users[i] = listedUser{shared.User{
			UserID: u.PersonID, Email: u.Email, Name: u.Name, Role: partner.Role(u.Role),
			EmailConfirmed: u.UnprovenSince.IsZero(),
		}, u.CreatedAt, stateOf(u.State)}
	}
	return httpd.OK(struct {
		Users []listedUser `json:"users"`
	}{users})
}

func (s *Server) handleOperatorTOTPClear(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.OperatorSignIns.ClearTOTP(c.Context(), "", c.PathID("operator_id")); err != nil {
		return httpd.Reply{}, err
	}
	return shared.Removed()
}

func (s *Server) handleUserTOTPClear(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.UserSignIns.ClearTOTP(c.Context(), c.PathID("partner_id"), c.PathID("user_id")); err != nil {
		return httpd.Reply{}, err
	}
	return shared.Removed()
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
