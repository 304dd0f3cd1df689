package api

import (
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

// teamUser is a user as the team lists them.
type teamUser struct {
	userAnswer
	CreatedAt time.Time `json:"created_at"`
}

func teamUserOf(u *partner.User) teamUser { return teamUser{userOf(u), u.CreatedAt} }

type invitationAnswer struct {
	InvitationID string       `json:"invitation_id"`
	Email        string       `json:"email"`
	Role         partner.Role `json:"role"`
	ExpiresAt    time.Time    `json:"expires_at"`
}

func (s *Server) handleTeam(c *call) (reply, error) {
	found, err := s.config.Partners.Team(c.Context(), c.partnerID)
	if err != nil {
		return reply{}, err
	}
	users, invitations := make([]teamUser, len(found.Users)), make([]invitationAnswer, len(found.Invitations))
	for i := range found.Users {
		users[i] = teamUserOf(&found.Users[i])
	}
	for i, invitation := range found.Invitations {
		invitations[i] = invitationAnswer(invitation)
	}
	return ok(struct {
		Users       []teamUser         `json:"users"`
		Invitations []invitationAnswer `json:"invitations"`
	}{users, invitations})
}

func (s *Server) handleInvite(c *call) (reply, error) {
	invited, err := decode(c, partner.ReadInvitee)
	if err != nil {
		return reply{}, err
	}
	made, err := s.config.Partners.Invite(c.Context(), &c.session.Member, invited)
	if err != nil {
		return reply{}, err
	}
	return created(struct {
		invitationAnswer
		URL string `json:"url,omitzero"`
	}{invitationAnswer(made.Invitation), made.URL})
}

func (s *Server) handleWithdraw(c *call) (reply, error) {
	id := c.pathID("invitation_id")
	if err := s.config.Partners.Withdraw(c.Context(), c.partnerID, id); err != nil {
		return reply{}, err
	}
	return ok(struct {
		InvitationID string `json:"invitation_id"`
		Withdrawn    bool   `json:"withdrawn"`
	}{id, true})
}

func (s *Server) handleAccept(c *call) (reply, error) {
	if err := s.limitUnauthenticated(c); err != nil {
		return reply{}, err
	}
	accepting, err := decode(c, partner.ReadAcceptance)
	if err != nil {
		return reply{}, err
	}
	c.actAs("") // unknown until the user has been added
	accepted, err := s.config.Partners.Accept(c.Context(), c.PathValue("token"), accepting)
	if err != nil {
		return reply{}, err
	}
	return created(memberOf(accepted))
}

func (s *Server) handleUserChange(c *call) (reply, error) {
	change, err := decode(c, partner.ReadUserChange)
	if err != nil {
		return reply{}, err
	}
	changed, err := s.config.Partners.ChangeUser(c.Context(), c.partnerID, c.pathID("user_id"), change)
	if err != nil {
		return reply{}, err
	}
	return ok(teamUserOf(changed))
}

func (s *Server) handleUserRemove(c *call) (reply, error) {
	id := c.pathID("user_id")
	if err := s.config.Partners.RemoveUser(c.Context(), c.partnerID, id); err != nil {
		return reply{}, err
	}
	return ok(struct {
		UserID  string `json:"user_id"`
		Removed bool   `json:"removed"`
	}{id, true})
}
