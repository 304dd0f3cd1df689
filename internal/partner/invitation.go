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

// Invite invites a person into the team of a partner, instead of an earlier
// invitation to the same address. It refuses with validation_error, with email_taken
// if the address has a user already, and with conflict if the team is full or the
// address of the user who invites is not confirmed, and with rate_limited if too many
// invitations were sent by the partner or to the address.
func (s *Service) Invite(ctx context.Context, by *Member, root form.Source) (*NewInvitation, error) {
	link, token, err := s.readInvitation(root)
	if err != nil {
		return nil, err
	}
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

// readInvitation returns the link of an invitation and its token.
func (s *Service) readInvitation(root form.Source) (*credential.Link, string, error) {
	var problems form.Problems
	f := form.New(root, &problems)
	email := f.Text("email", form.Required, delivery.EmailRule)
	role := f.Text("role", form.Required, form.OneOf(Roles...))
	if err := problems.Err(); err != nil {
		return nil, "", err
	}
	token, link, err := credential.NewLink(s.config.Random, credential.LinkInvitation, s.now())
	if err != nil {
		return nil, "", err
	}
	link.Email, link.EmailKey, link.Role = email, strings.ToLower(email), role
	return link, token, nil
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

// Accept makes a user of the person who was invited, given the token of the
// invitation, a name and a password. It begins no session, so that there is one way
// to sign in. It refuses with credential.ErrNoLink, with validation_error, with
// email_taken if the address has become a user meanwhile, and with forbidden if the
// partner is suspended or awaits approval.
func (s *Service) Accept(ctx context.Context, token string, root form.Source) (*Member, error) {
	hash := credential.HashToken(token)
	link, err := s.invitation(ctx, hash)
	if err != nil {
		return nil, err
	}
	account, password, err := s.readAcceptance(link, root)
	if err != nil {
		return nil, err
	}
	if account.PasswordHash, err = s.config.Hasher.Hash(ctx, password); err != nil {
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
	return link, s.mayUse(ctx, link.PartnerID)
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

// readAcceptance returns the user whom an invitation makes.
func (s *Service) readAcceptance(link *credential.Link, root form.Source) (*Account, string, error) {
	var problems form.Problems
	f := form.New(root, &problems)
	account := &Account{
		User: User{
			PartnerID: link.PartnerID, Email: link.Email, Role: Role(link.Role), CreatedAt: s.now(),
			Name: f.Text("name", form.Required, delivery.OwnNameRule),
		},
		EmailKey: link.EmailKey,
	}
	password := f.Secret("password", form.Required, credential.NewPasswordRule(credential.MinUserPassword, account.Name, account.Email))
	if err := problems.Err(); err != nil {
		return nil, "", err
	}
	var err error
	account.UserID, err = newUserID(s.config.Random)
	return account, password, err
}
