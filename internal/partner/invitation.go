package partner

import (
	"context"
	"strings"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/mail"
)

// NewInvitation is an invitation with its link, which is shown only here.
type NewInvitation struct {
	Invitation
	URL string // empty if it was sent by mail
}

// Invitee is a person who is to be invited into a team.
type Invitee struct {
	Email string
	Role  Role
}

// ReadInvitee reads who is to be invited.
func ReadInvitee(f *form.Form) Invitee {
	return Invitee{
		Email: f.Text("email", form.Required, delivery.EmailRule),
		Role:  Role(f.Text("role", form.Required, form.OneOf(Roles...))),
	}
}

// Invite invites a person into the team of a partner, instead of an earlier
// invitation to the same address. It refuses with email_taken if the address has a user
// already, and with conflict if the team is full or the address of the user who invites is
// not confirmed, and with rate_limited if too many invitations were sent by the partner or
// to the address.
func (s *Service) Invite(ctx context.Context, by *Member, invited Invitee) (*NewInvitation, error) {
	token, link, err := credential.NewLink(s.config.Random, credential.LinkInvitation, s.now())
	if err != nil {
		return nil, err
	}
	link.Email, link.EmailKey, link.Role = invited.Email, strings.ToLower(invited.Email), string(invited.Role)
	link.PartnerID, link.CreatedBy = by.Partner.PartnerID, by.User.UserID
	made := &NewInvitation{invitationOf(link), s.config.BaseURL() + "/portal/invitations/" + token}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		earlier := credential.LinkFilter{Kind: credential.LinkInvitation, PartnerID: link.PartnerID, EmailKey: link.EmailKey}
		if err := tx.LockPartner(ctx, link.PartnerID); err != nil {
			return err
		}
		if err := s.refuseUnproven(ctx, tx, by.User.UserID); err != nil {
			return err
		}
		if _, err := tx.RemoveLinks(ctx, earlier); err != nil {
			return err
		}
		team, err := readTeam(ctx, tx, link.PartnerID, link.CreatedAt)
		if err != nil {
			return err
		}
		if len(team.Users)+len(team.Invitations) >= maxTeam {
			return errTeamFull
		}
		if err := refuseTaken(ctx, tx, link.EmailKey); err != nil {
			return err
		}
		if err := tx.AddLink(ctx, link); err != nil {
			return err
		}
		if err := s.mailInvitation(ctx, tx, &by.Partner, made); err != nil {
			return err
		}
		return s.note(ctx, tx, audit.ActionUserInvited, link.PartnerID, link.LinkID, nil, factsOfInvitation(link))
	})
	if err != nil {
		return nil, err
	}
	if s.config.Post != nil {
		made.URL = ""
	}
	return made, nil
}

// mailInvitation has an invitation sent if there is mail.
func (s *Service) mailInvitation(ctx context.Context, tx mail.Writer, by *Partner, made *NewInvitation) error {
	if s.config.Post == nil {
		return nil
	}
	return s.config.Post.Send(ctx, tx, &mail.Message{
		Kind: mail.Invitation, To: made.Email, PartnerID: by.PartnerID,
		URL: made.URL, Until: made.ExpiresAt, Team: by.Name, Role: string(made.Role),
	})
}

func factsOfInvitation(l *credential.Link) memberFacts {
	return memberFacts{Email: l.Email, Role: Role(l.Role)}
}

// Withdraw removes an open invitation. It refuses with not_found.
func (s *Service) Withdraw(ctx context.Context, partnerID, invitationID string) error {
	selected := credential.LinkFilter{Kind: credential.LinkInvitation, PartnerID: partnerID, LinkID: invitationID}
	return s.config.Store.Write(ctx, func(tx Writer) error {
		found, err := tx.Links(ctx, selected, s.now())
		if err != nil {
			return err
		}
		if invitationID == "" || len(found) == 0 {
			return refusal.NotFound("the invitation")
		}
		if _, err := tx.RemoveLinks(ctx, selected); err != nil {
			return err
		}
		return s.note(ctx, tx, audit.ActionInvitationWithdrawn, partnerID, invitationID, factsOfInvitation(found[0]), nil)
	})
}

// Acceptance is what a person gives who accepts an invitation.
type Acceptance struct {
	form.Faults
	Name, Password string
}

// ReadAcceptance reads what a person gives who accepts an invitation.
func ReadAcceptance(f *form.Form) Acceptance {
	name := f.Text("name", form.Required, delivery.OwnNameRule)
	rule := credential.NewPasswordRule(credential.MinUserPassword, name)
	return Acceptance{Name: name, Password: f.Secret("password", form.Required, rule)}
}

// Accept makes a user of the person who was invited, given the token of the invitation. It
// begins no session, so that there is one way to sign in. It refuses with
// credential.ErrNoLink, with validation_error, with email_taken if the address has become a
// user meanwhile, and with forbidden if the partner is suspended or awaits approval.
func (s *Service) Accept(ctx context.Context, token string, accepting Acceptance) (*Member, error) {
	hash := credential.HashToken(token)
	link, err := s.invitation(ctx, hash)
	if err != nil {
		return nil, err
	}
	account, err := s.accepted(link, accepting)
	if err != nil {
		return nil, err
	}
	if account.PasswordHash, err = s.config.Hasher.Hash(ctx, accepting.Password); err != nil {
		return nil, err
	}
	accepted := &Member{User: account.User}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := tx.LockPartner(ctx, account.PartnerID); err != nil {
			return err
		}
		if taken, err := tx.TakeLink(ctx, credential.LinkInvitation, hash, s.now()); err != nil || taken == nil {
			return orNoLink(err)
		}
		if err := addUser(ctx, tx, account); err != nil {
			return err
		}
		of, err := tx.Partner(ctx, account.PartnerID)
		if err != nil || of == nil {
			return orNoLink(err)
		}
		accepted.Partner = *of
		ctx := audit.ActingAs(ctx, account.UserID)
		return s.note(ctx, tx, audit.ActionUserJoined, account.PartnerID, account.UserID, nil, factsOfUser(&account.User))
	})
	if err != nil {
		return nil, err
	}
	return accepted, nil
}

// orNoLink returns err, or else credential.ErrNoLink.
func orNoLink(err error) error {
	if err != nil {
		return err
	}
	return credential.ErrNoLink
}

// invitation returns an open invitation of a partner that may use the service. It
// is looked up before the password is hashed, which is expensive.
func (s *Service) invitation(ctx context.Context, tokenHash []byte) (link *credential.Link, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		link, err = tx.Link(ctx, credential.LinkInvitation, tokenHash, s.now())
		return err
	})
	if err != nil || link == nil {
		return nil, orNoLink(err)
	}
	return link, s.MayUse(ctx, link.PartnerID)
}

// Invited is what a person who follows the link of an invitation may know.
type Invited struct {
	Invitation
	Team string // the name of the partner
	By   string // who has invited; empty if the person has left the team
}

// Invited describes an open invitation, given its token. It refuses as Accept does.
func (s *Service) Invited(ctx context.Context, token string) (*Invited, error) {
	link, err := s.invitation(ctx, credential.HashToken(token))
	if err != nil {
		return nil, err
	}
	found := &Invited{Invitation: invitationOf(link)}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		of, err := tx.Partner(ctx, link.PartnerID)
		if err != nil || of == nil {
			return orNoLink(err)
		}
		found.Team = of.Name
		users, err := tx.Users(ctx, link.PartnerID)
		for _, user := range users {
			if user.UserID == link.CreatedBy {
				found.By = user.Name
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// accepted returns the user that an invitation makes. The password must not be the address
// that was invited.
func (s *Service) accepted(link *credential.Link, by Acceptance) (*Account, error) {
	problems := by.Problems()
	if rule := credential.NewPasswordRule(credential.MinUserPassword, link.Email); by.Password != "" &&
		!rule.Allows(by.Password) {
		problems.Add("password", nil, rule.Rule)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	userID, err := newUserID(s.config.Random)
	if err != nil {
		return nil, err
	}
	return &Account{
		User: User{
			UserID: userID, PartnerID: link.PartnerID, Email: link.Email, Name: by.Name, Role: Role(link.Role),
			CreatedAt: s.now(),
		},
		EmailKey: link.EmailKey,
	}, nil
}
