package signin

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/mail"
)

// PasswordChange is a new password of a person who gives the current one.
type PasswordChange struct {
	form.Faults
	Current, New string
}

// ReadPasswordChange reads a change of a password.
func (s *Service) ReadPasswordChange(f *form.Form) PasswordChange {
	return PasswordChange{
		Current: f.Secret("current_password", form.Required, credential.KnownPasswordRule),
		New:     f.Secret("new_password", form.Required, s.passwordRule(&Person{})),
	}
}

// ChangePassword sets a new password of the caller, who gives the current one, and ends
// all other sessions. Bearer tokens stay valid. It refuses with validation_error, also
// if the current password is wrong, and with rate_limited after too many attempts.
func (s *Service) ChangePassword(ctx context.Context, by Caller, change PasswordChange) error {
	p, err := s.person(ctx, by.PersonID)
	if err != nil {
		return err
	}
	if err := s.withOwn(change.Problems(), p, change.New).Err(); err != nil {
		return err
	}
	if err := s.verify(ctx, p, change.Current, "current_password", by.Address); err != nil {
		return err
	}
	hash, err := s.config.Hasher.Hash(ctx, change.New)
	if err != nil {
		return err
	}
	return s.config.Store.Write(ctx, func(tx Writer) error {
		if err := lockUnchanged(ctx, tx, p); err != nil {
			return err
		}
		return s.setPassword(ctx, tx, p, hash, by.Session)
	})
}

// withOwn adds a fault to those of reading if a new password, in itself a good one, is the
// name or the address of its person.
func (s *Service) withOwn(problems form.Problems, p *Person, password string) form.Problems {
	if rule := s.passwordRule(p); password != "" && !rule.Allows(password) {
		problems.Add("new_password", nil, rule.Rule)
	}
	return problems
}

// Confirm checks the password of the caller before a change of how others sign in. People who came through an OpenID
// provider may have none, and need none. It refuses with validation_error at the field password, or with rate_limited.
func (s *Service) Confirm(ctx context.Context, by Caller, password string) error {
	p, err := s.person(ctx, by.PersonID)
	switch {
	case err != nil || p.PasswordHash == "":
		return err
	case password == "":
		return form.Fault("password", nil, currentPassword)
	default:
		return s.verify(ctx, p, password, "password", by.Address)
	}
}

// setPassword sets the password of a person who is locked, ends all sessions but the
// one with the token, makes links for a new password or address useless, and informs the
// person by mail.
func (s *Service) setPassword(ctx context.Context, tx Writer, p *Person, hash string, except []byte) error {
	if err := tx.SetPassword(ctx, p.PersonID, hash); err != nil {
		return err
	}
	ended, err := tx.EndSessionsOf(ctx, p.PersonID, except)
	if err != nil {
		return err
	}
	if _, err := tx.RemoveLinks(ctx, s.linksOf(p, credential.LinkReset), s.linksOf(p, credential.LinkEmail)); err != nil {
		return err
	}
	if err := s.settleWish(ctx, tx, p.PersonID); err != nil {
		return err
	}
	if err := s.inform(ctx, tx, p, mail.ReasonPassword); err != nil {
		return err
	}
	entry, err := s.note(ctx, audit.ActionPasswordChanged, p, nil, endedFacts{ended})
	if err != nil {
		return err
	}
	return tx.AddAudit(ctx, entry)
}

// endedFacts is what the audit log holds of the end of sessions.
type endedFacts struct {
	SessionsEnded int64 `json:"sessions_ended"`
}

// linksOf selects the links of a kind that are for a person.
func (s *Service) linksOf(p *Person, kind credential.LinkKind) credential.LinkFilter {
	if s.config.Kind == Operators {
		return credential.LinkFilter{Kind: kind, OperatorID: p.PersonID}
	}
	return credential.LinkFilter{Kind: kind, UserID: p.PersonID}
}

// settleWish notes that a person does not wait for a new password any longer.
func (s *Service) settleWish(ctx context.Context, tx Writer, personID string) error {
	factor, err := tx.Factor(ctx, personID)
	if err != nil || factor.ResetRequestedAt.IsZero() {
		return err
	}
	factor.ResetRequestedAt = Factor{}.ResetRequestedAt
	return tx.SaveFactor(ctx, factor)
}
