package signin

import (
	"cmp"
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/mail"
)

var (
	errNoMail = refusal.New(refusal.CodeConflict,
		"mail is not configured, and only a link sent to the new address proves that you read it")
	errEmailTaken = refusal.New(refusal.CodeEmailTaken, "this e-mail address has an account")
)

// NewEmail is the wish for another address, which the password confirms.
type NewEmail struct{ Email, Password string }

// ReadNewEmail reads the wish for another address.
func ReadNewEmail(f *form.Form) NewEmail {
	return NewEmail{
		Email:    f.Text("new_email", form.Required, delivery.EmailRule),
		Password: f.Secret("password", form.Required, credential.KnownPasswordRule),
	}
}

// RequestEmail sends a link to the new address of the caller. It refuses with
// validation_error if the password is wrong, with rate_limited, and with conflict if there
// is no mail. Whether the address has an account shows only to those who open the link.
func (s *Service) RequestEmail(ctx context.Context, by Caller, wanted NewEmail) error {
	if s.config.Post == nil {
		return errNoMail
	}
	p, err := s.person(ctx, by.PersonID)
	if err != nil {
		return err
	}
	if err := s.verify(ctx, p, wanted.Password, "password", by.Address); err != nil {
		return err
	}
	token, link, err := s.newLink(ctx, p, credential.LinkEmail)
	if err != nil {
		return err
	}
	link.Email, link.EmailKey = wanted.Email, emailKey(wanted.Email)
	entry, err := s.note(ctx, audit.ActionEmailLinkCreated, p, nil, linkFacts{link.LinkID, link.ExpiresAt})
	if err != nil {
		return err
	}
	return s.addLink(ctx, p, link, voidOlder, entry, &mail.Message{
		Kind: mail.Email, To: wanted.Email, PartnerID: p.PartnerID, URL: s.config.BaseURL() + s.way.path + "/email/" +
			token, Until: link.ExpiresAt,
	})
}

// emailFacts is what the audit log holds of an address.
type emailFacts struct {
	Email string `json:"email"`
}

// ProveAgain sends another link by which the caller confirms the address that the account
// has; earlier ones can still be used. It does nothing if the address is confirmed. It
// refuses with rate_limited, and with conflict if there is no mail.
func (s *Service) ProveAgain(ctx context.Context, by Caller) error {
	if s.config.Post == nil {
		return errNoMail
	}
	p, err := s.person(ctx, by.PersonID)
	if err != nil || p.UnprovenSince.IsZero() {
		return err
	}
	token, link, err := s.newLink(ctx, p, credential.LinkEmail)
	if err != nil {
		return err
	}
	link.Email, link.EmailKey = p.Email, p.EmailKey
	entry, err := s.note(ctx, audit.ActionEmailLinkCreated, p, nil, linkFacts{link.LinkID, link.ExpiresAt})
	if err != nil {
		return err
	}
	return s.addLink(ctx, p, link, keepOlder, entry, &mail.Message{
		Kind: mail.Proof, To: p.Email, PartnerID: p.PartnerID, URL: s.config.BaseURL() + s.way.path + "/email/" + token,
		Until: link.ExpiresAt,
	})
}

// PersonOfEmail returns the person that a link to an address is for, given its token, and
// the address. It does not use the link up, and refuses with not_found if the link cannot
// be used.
func (s *Service) PersonOfEmail(ctx context.Context, token string) (p *Person, email string, err error) {
	p, link, err := s.ofLink(ctx, credential.LinkEmail, credential.HashToken(token))
	if err != nil {
		return nil, "", err
	}
	return p, link.Email, nil
}

// ConfirmEmail changes the address of the person that a link was made for, and returns
// the new one. The link shows that its reader gets the mails to the address, and not that
// the account is the reader's: a stranger may have entered the address. So the person must
// be the caller, or else the confirmation has the person's password. Links that were sent
// to the old address cannot be used any longer, and a mail to it says that it was changed.
// It refuses with not_found if the link cannot be used, with validation_error or
// rate_limited for the password, after which the link still can, or with email_taken.
func (s *Service) ConfirmEmail(
	ctx context.Context, token string, by Caller, confirmed Confirmation,
) (email string, err error) {
	asked, _, err := s.PersonOfEmail(ctx, token)
	if err != nil {
		return "", err
	}
	if by.PersonID != asked.PersonID {
		if err := confirmed.Problems().Err(); err != nil {
			return "", err
		}
		if err := s.verify(ctx, asked, confirmed.Password, "password", by.Address); err != nil {
			return "", err
		}
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		link, err := tx.TakeLink(ctx, credential.LinkEmail, credential.HashToken(token), s.now())
		if err != nil || link == nil {
			return cmp.Or[error](err, credential.ErrNoLink)
		}
		p, err := tx.LockPerson(ctx, link.UserID)
		if err != nil || p == nil || p.PasswordHash != asked.PasswordHash {
			return cmp.Or[error](err, credential.ErrNoLink) // a new password ends links
		}
		changed, err := tx.SetEmail(ctx, p.PersonID, link.Email, link.EmailKey)
		if err != nil {
			return err
		}
		if !changed {
			return errEmailTaken
		}
		if _, err := tx.RemoveLinks(ctx, s.linksOf(p, credential.LinkReset)); err != nil {
			return err
		}
		email = link.Email
		if link.EmailKey != p.EmailKey { // p is what was before, and so is its address
			if err := s.inform(ctx, tx, p, mail.ReasonAddress); err != nil {
				return err
			}
		}
		entry, err := s.note(audit.ActingAs(ctx, p.PersonID), audit.ActionEmailChanged, p, emailFacts{p.Email},
			emailFacts{email})
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	return email, err
}
