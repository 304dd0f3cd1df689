package v1

import (
	"time"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
)

// teamUser is a user as the team lists them.
type teamUser struct {
	shared.User
	CreatedAt time.Time `json:"created_at"`
}

func teamUserOf(u *partner.User) teamUser { return teamUser{shared.UserOf(u), u.CreatedAt} }

type invitationAnswer struct {
	InvitationID string       `json:"invitation_id"`
	Email        string       `json:"email"`
	Role         partner.Role `json:"role"`
	CreatedAt    time.Time    `json:"-"`
	ExpiresAt    time.Time    `json:"expires_at"`
}

func (s *Server) handleTeam(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Partners.Team(c.Context(), c.Account)
	if err != nil {
		return httpd.Reply{}, err
	}
	users, invitations := make([]teamUser, len(found.Users)), make([]invitationAnswer, len(found.Invitations))
	for i := range found.Users {
		users[i] = teamUserOf(&found.Users[i])
	}
	for i, invitation := range found.Invitations {
		invitations[i] = invitationAnswer(invitation)
	}
	return httpd.OK(struct {
		Users       []teamUser         `json:"users"`
		Invitations []invitationAnswer `json:"invitations"`
	}{users, invitations})
}

func (s *Server) handleInvite(c *httpd.Call) (httpd.Reply, error) {
	invited, err := httpd.Decode(c, partner.ReadInvitee)
	if err != nil {
		return httpd.Reply{}, err
	}
	made, err := s.config.Partners.Invite(c.Context(), user(c), invited)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(struct {
		invitationAnswer
		URL string `json:"url,omitzero"`
	}{invitationAnswer(made.Invitation), made.URL})
}

func (s *Server) handleWithdraw(c *httpd.Call) (httpd.Reply, error) {
	id := c.PathID("invitation_id")
	if err := s.config.Partners.Withdraw(c.Context(), c.Account, id); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		InvitationID string `json:"invitation_id"`
		Withdrawn    bool   `json:"withdrawn"`
	}{id, true})
}

func (s *Server) handleAccept(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	accepting, err := httpd.Decode(c, partner.ReadAcceptance)
	if err != nil {
		return httpd.Reply{}, err
	}
	c.ActAs("") // unknown until the user has been added
	accepted, err := s.config.Partners.Accept(c.Context(), c.PathValue("token"), accepting)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(memberOf(accepted))
}

func (s *Server) handleUserChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, partner.ReadUserChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Partners.ChangeUser(c.Context(), c.Account, c.PathID("user_id"), change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(teamUserOf(changed))
}

func (s *Server) handleUserRemove(c *httpd.Call) (httpd.Reply, error) {
	id := c.PathID("user_id")
	if err := s.config.Partners.RemoveUser(c.Context(), c.Account, id); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		UserID  string `json:"user_id"`
		Removed bool   `json:"removed"`
	}{id, true})
}
