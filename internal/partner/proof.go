package partner

import (
	"context"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/mail"
)

// mailProof has a link sent to a new user's address, if there is mail, which proves that
// the user reads it. At the limit of such mails to the address the user asks for the link
// later.
func (s *Service) mailProof(ctx context.Context, tx Writer, user *Account) error {
	if s.config.Post == nil {
		return nil
	}
	token, link, err := credential.NewLink(s.config.Random, credential.LinkEmail, s.now())
	if err != nil {
		return err
	}
	link.UserID, link.PartnerID, link.Email, link.EmailKey = user.UserID, user.PartnerID, user.Email, user.EmailKey
	err = s.config.Post.Send(ctx, tx, &mail.Message{
		Kind: mail.Proof, To: user.Email, PartnerID: user.PartnerID,
		URL: s.config.BaseURL() + "/portal/email/" + token, Until: link.ExpiresAt,
	})
	if refusal.HasCode(err, refusal.CodeRateLimited) {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.AddLink(ctx, link)
}

// informOfKey has the user whose account made an API key informed by mail, if there is
// mail: a thief of the session would keep access by it.
func (s *Service) informOfKey(ctx context.Context, tx Writer, by *Member) error {
	if s.config.Post == nil {
		return nil
	}
	return s.config.Post.Send(ctx, tx, &mail.Message{
		Kind: mail.Changed, To: by.User.Email, PartnerID: by.Partner.PartnerID, At: s.now(), Reason: mail.ReasonKey,
	})
}

// informOwners has the owners of a partner informed by mail that how its people sign in was
// changed, if there is mail: a thief of a session would keep access by it.
func (s *Service) informOwners(ctx context.Context, tx Writer, partnerID, reason string) error {
	if s.config.Post == nil {
		return nil
	}
	of, err := tx.Partner(ctx, partnerID)
	if err != nil || of == nil {
		return err
	}
	users, err := tx.Users(ctx, partnerID)
	if err != nil {
		return err
	}
	for _, user := range users {
		if user.Role != RoleOwner {
			continue
		}
		if err := s.config.Post.Send(ctx, tx, &mail.Message{
			Kind: mail.Changed, To: user.Email, PartnerID: partnerID, At: s.now(), Reason: reason, Team: of.Name,
		}); err != nil {
			return err
		}
	}
	return nil
}

// ErrUnproven refuses what sends mails to others, or brings them in, until the user has confirmed the address.
var ErrUnproven = refusal.New(refusal.CodeConflict,
	"confirm your e-mail address first: open the link that was sent to it, or have another sent on the page of your sign-in")

// refuseUnproven refuses with conflict while the user's address is not proven: a stranger
// could otherwise have the service send mails to anyone. Without mail nothing is sent.
func (s *Service) refuseUnproven(ctx context.Context, tx Writer, userID string) error {
	if s.config.Post == nil {
		return nil
	}
	user, err := tx.LockUser(ctx, userID)
	if err == nil && user != nil && !user.Confirmed() {
		err = ErrUnproven
	}
	return err
}

// refuseUnprovenActor is refuseUnproven for the user who acts: otherwise the people of a stranger's provider would
// stay when the owner of the address takes the account over.
func (s *Service) refuseUnprovenActor(ctx context.Context, tx Writer) error {
	if by := actor.Of(ctx); by != nil && by.Kind == actor.User {
		return s.refuseUnproven(ctx, tx, by.PersonID)
	}
	return nil
}
