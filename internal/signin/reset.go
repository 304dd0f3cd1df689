package signin

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/mail"
)

const (
	// maxWishes is how many requests for a new password may wait to be noted. Further
	// ones are dropped; their people ask again.
	maxWishes = 256
	// wishEvery is how often the same person's request is noted.
	wishEvery = time.Minute
	// wishTimeout bounds the work on one request.
	wishTimeout = 10 * time.Second
)

// ReadResetRequest reads the e-mail address of a person who asks for a new password.
func ReadResetRequest(f *form.Form) (email string) {
	return f.Text("email", form.Required, delivery.EmailRule)
}

// RequestReset asks for a new password of the person with an e-mail address. It looks nothing up, so that it takes as
// long for an address without an account. The request is noted in the background, and with mail a link is sent.
func (s *Service) RequestReset(email string) {
	select {
	case s.wishes <- email:
	default:
		s.config.Log.Warn("too many requests for new passwords, one was dropped", "kind", s.config.Kind)
	}
}

func (s *Service) noteWishes() {
	for {
		select {
		case email := <-s.wishes:
			ctx, cancel := context.WithTimeout(context.Background(), wishTimeout)
			if err := s.noteWish(ctx, email); err != nil {
				s.config.Log.Error("a request for a new password was not noted", "kind", s.config.Kind, "error", err)
			}
			cancel()
		case <-s.stop:
			return
		}
	}
}

func (s *Service) noteWish(ctx context.Context, email string) error {
	var p *Person
	noted := false
	err := s.config.Store.Write(ctx, func(tx Writer) (err error) {
		noted = false
		if p, err = tx.PersonByEmail(ctx, emailKey(email)); err != nil || p == nil {
			return err
		}
		if _, err = tx.LockPerson(ctx, p.PersonID); err != nil {
			return err
		}
		factor, err := tx.Factor(ctx, p.PersonID)
		now := s.now()
		if err != nil || now.Sub(factor.ResetRequestedAt) < wishEvery {
			return err
		}
		factor.ResetRequestedAt, noted = now, true
		return tx.SaveFactor(ctx, factor)
	})
	if err != nil || !noted || s.config.Post == nil {
		return err
	}
	_, err = s.resetLink(audit.ActingAs(ctx, p.PersonID), p, keepOlder)
	if refusal.HasCode(err, refusal.CodeRateLimited) { // the last link that was sent still works
		err = nil
	}
	return err
}

// older says what becomes of the links of a person that were made before.
type older bool

const (
	// keepOlder is for links that anyone can ask for: a stranger who does must not void
	// the one that the person is about to open.
	keepOlder older = false
	voidOlder older = true
)

// IssuedLink is a new link, which is shown once.
type IssuedLink struct {
	PersonID  string
	URL       string // empty if it was sent by mail
	ExpiresAt time.Time
}

// ResetLink makes a link by which a person sets a new password. Older ones of the
// person cannot be used any longer. It refuses with not_found.
func (s *Service) ResetLink(ctx context.Context, personID string) (*IssuedLink, error) {
	p, err := s.person(ctx, personID)
	if refusal.HasCode(err, refusal.CodeUnauthorized) {
		err = refusal.NotFound("this person")
	}
	if err != nil {
		return nil, err
	}
	return s.resetLink(ctx, p, voidOlder)
}

// ReadResetUser reads the id of the user that a link is for, if there is one. It refuses
// everything else: a link for the owner must not be the answer to a misspelt member.
func ReadResetUser(f *form.Form) (userID string) {
	f.Only("user_id")
	required := form.Optional
	if f.Has("user_id") || f.IsNull("user_id") {
		required = form.Required
	}
	return f.Text("user_id", required, form.Length(1, 255))
}

// ResetLinkOf is ResetLink for a user of a partner, or for the partner's oldest owner if
// userID is empty. It refuses the id of no user of the partner.
func (s *Service) ResetLinkOf(ctx context.Context, partnerID, userID string) (*IssuedLink, error) {
	people, err := s.PeopleOf(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	for _, p := range people {
		if p.PersonID == userID || userID == "" && p.Role == owner {
			return s.resetLink(ctx, &p.Person, voidOlder)
		}
	}
	return nil, refusal.NotFound("the user")
}

// owner is the role of users that every partner has one of.
const owner = "owner"

func (s *Service) resetLink(ctx context.Context, p *Person, old older) (*IssuedLink, error) {
	token, link, err := s.newLink(ctx, p, credential.LinkReset)
	if err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, audit.ActionResetLinkCreated, p, nil, linkFacts{link.LinkID, link.ExpiresAt})
	if err != nil {
		return nil, err
	}
	issued := &IssuedLink{
		PersonID: p.PersonID, URL: s.config.BaseURL() + s.way.path + "/reset/" + token, ExpiresAt: link.ExpiresAt,
	}
	err = s.addLink(ctx, p, link, old, entry, &mail.Message{
		Kind: mail.Reset, To: p.Email, PartnerID: p.PartnerID, URL: issued.URL, Until: link.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}
	if s.config.Post != nil {
		issued.URL = ""
	}
	return issued, nil
}

// linkFacts is what the audit log holds of a link.
type linkFacts struct {
	LinkID    string    `json:"link_id"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (s *Service) newLink(
	ctx context.Context, p *Person, kind credential.LinkKind,
) (token string, link *credential.Link, err error) {
	token, link, err = credential.NewLink(s.config.Random, kind, s.now())
	if err != nil {
		return "", nil, err
	}
	of := s.linksOf(p, kind)
	link.UserID, link.OperatorID, link.PartnerID = of.UserID, of.OperatorID, p.PartnerID
	link.CreatedBy = audit.OperationOf(ctx).OperatorID
	return token, link, nil
}

// addLink writes a link for a person, in place of older ones of the kind or beside them,
// and has it sent if there is mail. It refuses with rate_limited if too many were sent.
func (s *Service) addLink(
	ctx context.Context, p *Person, link *credential.Link, old older, entry *audit.Entry, message *mail.Message,
) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		if locked, err := tx.LockPerson(ctx, p.PersonID); err != nil || locked == nil {
			return cmp.Or[error](err, errGone)
		}
		if old == voidOlder {
			if _, err := tx.RemoveLinks(ctx, s.linksOf(p, link.Kind)); err != nil {
				return err
			}
		}
		if err := tx.AddLink(ctx, link); err != nil {
			return err
		}
		if s.config.Post != nil {
			if err := s.config.Post.Send(ctx, tx, message); err != nil {
				return err
			}
		}
		return tx.AddAudit(ctx, entry)
	})
}

// NewPassword is the password that a person sets by a link.
type NewPassword struct {
	form.Faults
	Password string
}

// ReadNewPassword reads a password that is set by a link.
func (s *Service) ReadNewPassword(f *form.Form) NewPassword {
	return NewPassword{Password: f.Secret("new_password", form.Required, s.passwordRule(&Person{}))}
}

// Reset sets a new password of the person that a link is for, and ends all sessions
// and bearer tokens of that person, and the API keys that the person made before the
// address was first proven. It returns the person. It refuses with not_found
// if the link cannot be used, or with validation_error, after which it still can.
func (s *Service) Reset(ctx context.Context, token string, wanted NewPassword) (*Person, error) {
	hash := credential.HashToken(token)
	p, _, err := s.ofLink(ctx, credential.LinkReset, hash)
	if err != nil {
		return nil, err
	}
	if err := s.withOwn(wanted.Problems(), p, wanted.Password).Err(); err != nil {
		return nil, err
	}
	passwordHash, err := s.config.Hasher.Hash(ctx, wanted.Password)
	if err != nil {
		return nil, err
	}
	ctx = audit.ActingAs(ctx, p.PersonID)
	return p, s.config.Store.Write(ctx, func(tx Writer) error {
		link, err := tx.TakeLink(ctx, credential.LinkReset, hash, s.now())
		if err != nil {
			return err
		}
		if link == nil { // another request was faster
			return credential.ErrNoLink
		}
		locked, err := tx.LockPerson(ctx, p.PersonID)
		if err != nil || locked == nil {
			return cmp.Or[error](err, credential.ErrNoLink)
		}
		if err := tx.RevokeTokens(ctx, p.PersonID); err != nil {
			return err
		}
		if err := s.takeOver(ctx, tx, locked); err != nil {
			return err
		}
		return s.setPassword(ctx, tx, p, passwordHash, nil)
	})
}

// takeOver proves the address of a person who has come by a mailed link. If it was not
// proven before, a stranger may have opened the account with it: the API keys that were
// made until now end with the sessions, the second factor is removed, and the webhook
// endpoint gets no more events. Keys of an account whose address is proven stay,
// because the shop's programs use them.
func (s *Service) takeOver(ctx context.Context, tx Writer, p *Person) error {
	if s.config.Post == nil || p.UnprovenSince.IsZero() {
		return nil
	}
	revoked, err := tx.RevokeKeys(ctx, p, s.now())
	if err != nil {
		return err
	}
	for _, keyID := range revoked {
		entry, err := s.note(ctx, audit.ActionKeyRevoked, p, nil, nil)
		if err != nil {
			return err
		}
		entry.ObjectID = keyID
		if err := tx.AddAudit(ctx, entry); err != nil {
			return err
		}
	}
	if err := s.dropFactor(ctx, tx, p); err != nil {
		return err
	}
	if err := tx.DisableWebhooks(ctx, p.PartnerID); err != nil {
		return err
	}
	return tx.Prove(ctx, p.PersonID)
}

// dropFactor removes the second factor that a stranger may have set up: its app would keep
// the person out.
func (s *Service) dropFactor(ctx context.Context, tx Writer, p *Person) error {
	factor, err := tx.Factor(ctx, p.PersonID)
	if err != nil || len(factor.Secret) == 0 {
		return err
	}
	if err := removeFactor(ctx, tx, factor); err != nil {
		return err
	}
	entry, err := s.note(ctx, audit.ActionTOTPRemoved, p, nil, nil)
	if err != nil {
		return err
	}
	return tx.AddAudit(ctx, entry)
}

// PersonOf returns the person that a link for a new password is for, given its token. It
// does not use the link up, and refuses with not_found if the link cannot be used.
func (s *Service) PersonOf(ctx context.Context, token string) (*Person, error) {
	p, _, err := s.ofLink(ctx, credential.LinkReset, credential.HashToken(token))
	return p, err
}

// ofLink returns the person that a link of a kind is for, and the link. It refuses if the
// link cannot be used, or is for the other kind of people.
func (s *Service) ofLink(
	ctx context.Context, kind credential.LinkKind, hash []byte,
) (p *Person, link *credential.Link, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if link, err = tx.Link(ctx, kind, hash, s.now()); err != nil || link == nil {
			return cmp.Or[error](err, credential.ErrNoLink)
		}
		personID := link.UserID
		if s.config.Kind == Operators {
			personID = link.OperatorID
		}
		p, err = tx.Person(ctx, personID)
		return err
	})
	if err == nil && p == nil {
		err = credential.ErrNoLink
	}
	return p, link, err
}
