package partner

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Team is the people of a partner, and those who have been invited.
type Team struct {
	Users       []User       // oldest first
	Invitations []Invitation // those that can be accepted, oldest first
}

// Invitation is an open invitation into a team.
type Invitation struct {
	InvitationID string
	Email        string // as given
	Role         Role
	CreatedAt    time.Time
	ExpiresAt    time.Time
}

func invitationOf(l *credential.Link) Invitation {
	return Invitation{
		InvitationID: l.LinkID, Email: l.Email, Role: Role(l.Role), CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt,
	}
}

// maxTeam is how many people a partner may have, with open invitations counted:
// more than any shop employs, too few to fill the database with.
const maxTeam = 200

var (
	errTeamFull = refusal.New(refusal.CodeConflict,
		fmt.Sprintf("%d people and invitations are the most that an account may have", maxTeam))
	errLastOwner = refusal.New(refusal.CodeConflict, "this is the last owner: make another one first")
)

// Team returns the people of a partner and the open invitations.
func (s *Service) Team(ctx context.Context, partnerID string) (team *Team, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		team, err = readTeam(ctx, tx, partnerID, s.now())
		return err
	})
	return team, err
}

func readTeam(ctx context.Context, tx Reader, partnerID string, now time.Time) (*Team, error) {
	users, err := tx.Users(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	links, err := tx.Links(ctx, credential.LinkFilter{Kind: credential.LinkInvitation, PartnerID: partnerID}, now)
	if err != nil {
		return nil, err
	}
	team := &Team{Users: users, Invitations: make([]Invitation, len(links))}
	for i, link := range links {
		team.Invitations[i] = invitationOf(link)
	}
	return team, nil
}

// lockTeam returns the team of a partner, which does not change until the
// transaction ends: everything that changes a team begins with lockTeam.
func (s *Service) lockTeam(ctx context.Context, tx Writer, partnerID string) (*Team, error) {
	if err := tx.LockPartner(ctx, partnerID); err != nil {
		return nil, err
	}
	return readTeam(ctx, tx, partnerID, s.now())
}

// user returns a member of the team. It refuses with not_found.
func (t *Team) user(userID string) (*User, error) {
	for i := range t.Users {
		if t.Users[i].UserID == userID {
			return &t.Users[i], nil
		}
	}
	return nil, refusal.NotFound("the user")
}

// keepOwner refuses with conflict if the user is the last owner.
func (t *Team) keepOwner(user *User) error {
	for _, other := range t.Users {
		if other.Role == RoleOwner && other.UserID != user.UserID {
			return nil
		}
	}
	if user.Role != RoleOwner {
		return nil
	}
	return errLastOwner
}

// memberFacts is what the audit log holds of a user or an invitation.
type memberFacts struct {
	Email string `json:"email"`
	Name  string `json:"name,omitzero"`
	Role  Role   `json:"role"`
}

func factsOfUser(u *User) memberFacts { return memberFacts{u.Email, u.Name, u.Role} }

// UserChange is what changes of a user. What is empty stays as it is.
type UserChange struct {
	Name string
	Role Role
}

// ReadUserChange reads what changes of a user.
func ReadUserChange(f *form.Form) UserChange { return readUser(f, form.Optional) }

// ReadUser reads both the name and the role of a user.
func ReadUser(f *form.Form) UserChange { return readUser(f, form.Required) }

func readUser(f *form.Form, presence form.Presence) UserChange {
	return UserChange{
		Name: f.Text("name", presence, delivery.OwnNameRule),
		Role: Role(f.Text("role", presence, form.OneOf(Roles...))),
	}
}

// ReadNewName reads the name of a user, and nothing else.
func ReadNewName(f *form.Form) UserChange {
	return UserChange{Name: f.Text("name", form.Required, delivery.OwnNameRule)}
}

// ChangeUser changes the name or the role of a user. A new role takes effect with the
// user's next request. It refuses with not_found, and with conflict if no owner would be
// left.
func (s *Service) ChangeUser(
	ctx context.Context, partnerID, userID string, change UserChange,
) (changed *User, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		team, err := s.lockTeam(ctx, tx, partnerID)
		if err != nil {
			return err
		}
		if changed, err = team.user(userID); err != nil {
			return err
		}
		before := *changed
		changed.Name, changed.Role = cmp.Or(change.Name, changed.Name), cmp.Or(change.Role, changed.Role)
		return s.saveUser(ctx, tx, team, before, changed)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// saveUser writes a user if it has changed. A new role makes the links void that
// were sent to the user before, and the user's invitations.
func (s *Service) saveUser(ctx context.Context, tx Writer, team *Team, before User, after *User) error {
	if before == *after {
		return nil
	}
	if before.Role != after.Role {
		if after.Role != RoleOwner {
			if err := team.keepOwner(&before); err != nil {
				return err
			}
		}
		if err := removeLinks(ctx, tx, after.UserID); err != nil {
			return err
		}
	}
	if err := tx.SaveUser(ctx, after); err != nil {
		return err
	}
	return s.note(ctx, tx, audit.ActionUserChanged, after.PartnerID, after.UserID, factsOfUser(&before),
		factsOfUser(after))
}

// removeLinks removes the links to a user, and the invitations by which a user who is
// removed could come back.
func removeLinks(ctx context.Context, tx Writer, userID string) error {
	_, err := tx.RemoveLinks(ctx, credential.LinkFilter{UserID: userID}, credential.LinkFilter{CreatedBy: userID})
	return err
}

// RemoveUser removes a user from the team of a partner, ends the user's sessions, and
// withdraws the user's invitations. The API keys that the user has made still work. It refuses with not_found, and with
// conflict if no owner would be left.
func (s *Service) RemoveUser(ctx context.Context, partnerID, userID string) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		team, err := s.lockTeam(ctx, tx, partnerID)
		if err != nil {
			return err
		}
		user, err := team.user(userID)
		if err != nil {
			return err
		}
		if err := team.keepOwner(user); err != nil {
			return err
		}
		if err := removeLinks(ctx, tx, userID); err != nil {
			return err
		}
		if err := tx.RemoveUser(ctx, partnerID, userID); err != nil {
			return err
		}
		if err := s.markRemoved(ctx, tx, user); err != nil {
			return err
		}
		return s.note(ctx, tx, audit.ActionUserRemoved, partnerID, userID, factsOfUser(user), nil)
	})
}
