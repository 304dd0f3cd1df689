package client

import (
	"context"
	"net/http"
	"time"
)

// Team is the people of a partner, and the invitations that can be accepted.
type Team struct {
	Users       []TeamUser   `json:"users"`       // oldest first
	Invitations []Invitation `json:"invitations"` // oldest first
}

// TeamUser is a person of a partner as the team lists them.
type TeamUser struct {
	UserID    string    `json:"user_id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	CreatedAt time.Time `json:"created_at"`
	// EmailConfirmed is as in [User].
	EmailConfirmed bool `json:"email_confirmed"`
}

// GetTeam returns the people and the open invitations.
func (s *Session) GetTeam(ctx context.Context, options ...CallOption) (*Team, error) {
	return fetch[Team](ctx, s, operation{method: http.MethodGet, path: "/v1/team"}, options)
}

// InvitationRequest invites a person into the team.
type InvitationRequest struct {
	Email string `json:"email"` // upper and lower case are the same
	Role  Role   `json:"role"`
}

// Invitation is an open invitation.
type Invitation struct {
	InvitationID string    `json:"invitation_id"`
	Email        string    `json:"email"`
	Role         Role      `json:"role"`
	ExpiresAt    time.Time `json:"expires_at"`
	// URL is the link for the person. It is set only by InviteUser, unless the service
	// has sent it by mail; no later answer holds it.
	URL string `json:"url,omitempty"`
}

// InviteUser invites a person, in the place of an earlier invitation to the same
// address. An address that has a user is refused with [CodeEmailTaken], a team of 200
// with [CodeConflict].
func (s *Session) InviteUser(
	ctx context.Context, invitation InvitationRequest, options ...CallOption,
) (*Invitation, error) {
	return fetch[Invitation](ctx, s, operation{method: http.MethodPost, path: "/v1/team/invitations", body: invitation},
		options)
}

// WithdrawnInvitation is the answer to a withdrawal.
type WithdrawnInvitation struct {
	InvitationID string `json:"invitation_id"`
	Withdrawn    bool   `json:"withdrawn"` // true
}

// WithdrawInvitation withdraws an open invitation.
func (s *Session) WithdrawInvitation(
	ctx context.Context, invitationID string, options ...CallOption,
) (*WithdrawnInvitation, error) {
	return fetch[WithdrawnInvitation](ctx, s,
		operation{method: http.MethodDelete, path: "/v1/team/invitations/{id}", id: invitationID}, options)
}

// Acceptance is what a person who was invited adds to the invitation.
type Acceptance struct {
	Name     string `json:"name"`     // 1 to 255 characters
	Password string `json:"password"` // 8 to 128 characters; the most common ones are refused
}

// AcceptInvitation makes the user, given the token that is the last segment of the
// invitation's URL. It begins no session. If no answer arrives, the user may exist: a
// further call is then refused with [CodeNotFound], and Login succeeds.
func (s *Service) AcceptInvitation(
	ctx context.Context, token string, acceptance Acceptance, options ...CallOption,
) (*Partner, error) {
	return fetch[Partner](ctx, s,
		operation{method: http.MethodPost, path: "/v1/auth/invitations/{id}", id: token, body: acceptance}, options)
}

// UserChange is what changes of a user. Empty members stay as they are.
type UserChange struct {
	Name string `json:"name,omitempty"`
	Role Role   `json:"role,omitempty"`
}

// ChangeUser changes the role or the name of a user. Leaving no owner is refused with
// [CodeConflict].
func (s *Session) ChangeUser(
	ctx context.Context, userID string, change UserChange, options ...CallOption,
) (*TeamUser, error) {
	return fetch[TeamUser](ctx, s,
		operation{method: http.MethodPatch, path: "/v1/team/{id}", id: userID, body: change, safe: true}, options)
}

// RemovedUser is the answer to a removal.
type RemovedUser struct {
	UserID  string `json:"user_id"`
	Removed bool   `json:"removed"` // true
}

// RemoveUser removes a user and ends the user's sessions. Leaving no owner is refused
// with [CodeConflict].
func (s *Session) RemoveUser(ctx context.Context, userID string, options ...CallOption) (*RemovedUser, error) {
	return fetch[RemovedUser](ctx, s, operation{method: http.MethodDelete, path: "/v1/team/{id}", id: userID}, options)
}
