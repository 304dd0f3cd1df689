package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Details says in an error why a sign-in is not complete.
type Details struct {
	Reason string `json:"reason"`
}

// The refusals of sign-ins with the right password.
var (
	ErrCodeRequired = &refusal.Error{
		Code: refusal.CodeUnauthorized, Message: "this account signs in with a code as well: send code",
		Details: Details{"totp_required"},
	}
	ErrCodeWrong = &refusal.Error{
		Code: refusal.CodeUnauthorized, Message: "the code is wrong, or was used already", Details: Details{"totp_wrong"},
	}
	// ErrMustEnrol is the refusal of everything but a person's own sign-in, while the
	// person lacks the second factor that the role must have.
	ErrMustEnrol = &refusal.Error{
		Code: refusal.CodeForbidden, Message: "this role must sign in with a code as well: enrol an authenticator app first",
		Details: Details{"totp_enrolment_required"},
	}
)

// Issuer is the name of the service in authenticator apps.
const Issuer = "Dropyard"

// Factors checks second factors.
type Factors struct {
	Sealer *credential.Sealer
	Now    func() time.Time
}

// Check returns nil if a person who has shown the right password may sign in with a
// code: always, if the person has not enrolled. It refuses with ErrCodeRequired or
// ErrCodeWrong. The transaction has locked the person, so that a code is accepted
// once.
func (f *Factors) Check(ctx context.Context, tx FactorWriter, personID, code string) error {
	factor, err := tx.Factor(ctx, personID)
	if err != nil || !factor.Enrolled() {
		return err
	}
	if code == "" {
		return ErrCodeRequired
	}
	taken, err := tx.TakeRecoveryCode(ctx, personID, credential.HashRecoveryCode(code))
	if err != nil || taken {
		return err
	}
	return f.accept(ctx, tx, factor, code)
}

// accept writes that a code of the app was used.
func (f *Factors) accept(ctx context.Context, tx FactorWriter, factor Factor, code string) error {
	secret, err := f.Sealer.Open(factor.Secret, factor.PersonID)
	if err != nil {
		return fmt.Errorf("open the TOTP secret of %s: %w", factor.PersonID, err)
	}
	step, right := credential.TOTPStep(string(secret), code, f.Now(), factor.Step)
	if !right {
		return ErrCodeWrong
	}
	factor.Step = step
	return tx.SaveFactor(ctx, factor)
}

// Enrolment is the state of a person's second factor.
type Enrolment struct {
	Required      bool // the person's role must have one
	ConfirmedAt   time.Time
	RecoveryCodes int64 // how many are left
}

// Enrolment returns the state of the caller's second factor.
func (s *Service) Enrolment(ctx context.Context, by Caller) (found Enrolment, err error) {
	if found.Required, err = s.config.Rules.require(ctx, s.config.Kind, by.Role); err != nil {
		return found, err
	}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		factor, err := tx.Factor(ctx, by.PersonID)
		if err != nil {
			return err
		}
		found.ConfirmedAt = factor.ConfirmedAt
		found.RecoveryCodes, err = tx.CountRecoveryCodes(ctx, by.PersonID)
		return err
	})
	return found, err
}

// Enrolled returns ErrMustEnrol if a person's role must have a second factor and the
// person has none.
func (s *Service) Enrolled(ctx context.Context, personID, role string) error {
	required, err := s.config.Rules.require(ctx, s.config.Kind, role)
	if err != nil || !required {
		return err
	}
	return s.config.Store.Read(ctx, func(tx Reader) error {
		factor, err := tx.Factor(ctx, personID)
		if err == nil && !factor.Enrolled() {
			err = ErrMustEnrol
		}
		return err
	})
}

// PasswordSuffices returns ErrCodeRequired if a person signs in with a code as well.
func (s *Service) PasswordSuffices(ctx context.Context, personID string) error {
	return s.config.Store.Read(ctx, func(tx Reader) error {
		factor, err := tx.Factor(ctx, personID)
		if err == nil && factor.Enrolled() {
			err = ErrCodeRequired
		}
		return err
	})
}

// TOTP is the secret of an authenticator app, which is shown once.
type TOTP struct {
	Secret string // base32
	URI    string // the same for a QR code
}

var errEnrolled = refusal.New(refusal.CodeConflict, "an authenticator app is enrolled already: remove it first")

// BeginTOTP makes a secret for the caller's authenticator app, which replaces one that
// was not confirmed. The caller gives the password, so that a stolen session cannot
// lock its owner out. It refuses with validation_error, rate_limited, or conflict.
func (s *Service) BeginTOTP(ctx context.Context, by Caller, confirmed Confirmation) (*TOTP, error) {
	if err := confirmed.Problems().Err(); err != nil {
		return nil, err
	}
	p, err := s.person(ctx, by.PersonID)
	if err != nil {
		return nil, err
	}
	if err := s.verify(ctx, p, confirmed.Password, "password", by.Address); err != nil {
		return nil, err
	}
	secret, uri, err := credential.NewTOTP(s.config.Random, Issuer, p.Email)
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := lockUnchanged(ctx, tx, p); err != nil {
			return err
		}
		factor, err := tx.Factor(ctx, p.PersonID)
		if err == nil && factor.Enrolled() {
			err = errEnrolled
		}
		if err != nil {
			return err
		}
		factor.Secret = s.config.Factors.Sealer.Seal([]byte(secret), p.PersonID)
		return tx.SaveFactor(ctx, factor)
	})
	if err != nil {
		return nil, err
	}
	return &TOTP{secret, uri}, nil
}

var errNotBegun = refusal.New(refusal.CodeConflict,
	"no authenticator app waits to be confirmed: ask for a secret first")

// ReadCode reads a code that an authenticator app shows.
func ReadCode(f *form.Form) string { return f.Text("code", form.Required, credential.CodeRule) }

// ConfirmTOTP enrols the caller's authenticator app, given a code that it shows, and
// returns recovery codes, which are shown once. From now on the caller signs in with a
// code as well. It refuses with validation_error if the code is wrong, with rate_limited
// after too many wrong ones, or conflict.
func (s *Service) ConfirmTOTP(ctx context.Context, by Caller, code string) (codes []string, err error) {
	p, err := s.person(ctx, by.PersonID)
	if err != nil {
		return nil, err
	}
	attempt := credential.Attempt{Account: p.EmailKey, PersonID: p.PersonID, Address: by.Address}
	if err := s.gate.Admit(ctx, attempt); err != nil {
		return nil, err
	}
	codes, hashes, err := credential.NewRecoveryCodes(s.config.Random)
	if err != nil {
		return nil, err
	}
	err = s.changeFactor(ctx, by.PersonID, audit.ActionTOTPEnrolled, func(tx Writer, factor Factor) error {
		if len(factor.Secret) == 0 || factor.Enrolled() {
			return errNotBegun
		}
		factor.ConfirmedAt = s.now()
		if err := s.config.Factors.accept(ctx, tx, factor, code); err != nil {
			return err
		}
		return tx.SetRecoveryCodes(ctx, by.PersonID, hashes)
	})
	return codes, s.countWrongCode(ctx, attempt, err)
}

// FactorRemoval is what removes a second factor.
type FactorRemoval struct{ Password, Code string }

// ReadFactorRemoval reads what removes a second factor.
func ReadFactorRemoval(f *form.Form) FactorRemoval {
	return FactorRemoval{
		Password: f.Secret("password", form.Required, credential.KnownPasswordRule),
		Code:     f.Text("code", form.Required, credential.CodeRule),
	}
}

// RemoveTOTP removes the caller's authenticator app and recovery codes, given the
// password and a code. It refuses with validation_error if one of them is wrong, with
// rate_limited, or with not_found.
func (s *Service) RemoveTOTP(ctx context.Context, by Caller, removal FactorRemoval) error {
	p, err := s.person(ctx, by.PersonID)
	if err != nil {
		return err
	}
	if err := s.verify(ctx, p, removal.Password, "password", by.Address); err != nil {
		return err
	}
	err = s.changeFactor(ctx, by.PersonID, audit.ActionTOTPRemoved, func(tx Writer, factor Factor) error {
		if !factor.Enrolled() {
			return errNoFactor
		}
		if err := s.config.Factors.Check(ctx, tx, by.PersonID, removal.Code); err != nil {
			return err
		}
		return removeFactor(ctx, tx, factor)
	})
	return s.countWrongCode(ctx, credential.Attempt{Account: p.EmailKey, Address: by.Address}, err)
}

// ClearTOTP removes the second factor of a person who has lost the authenticator app and
// the recovery codes. partnerID is that of a user, and empty for an operator. ClearTOTP
// refuses with not_found.
func (s *Service) ClearTOTP(ctx context.Context, partnerID, personID string) error {
	return s.ClearTOTPFrom(ctx, partnerID, personID, nil)
}

// ClearTOTPFrom does the same, but refuses with form.ErrStale unless the state of the
// person's sign-in is the basis of the change.
func (s *Service) ClearTOTPFrom(ctx context.Context, partnerID, personID string, basis form.Basis[State]) error {
	p, err := s.person(ctx, personID)
	if refusal.HasCode(err, refusal.CodeUnauthorized) || err == nil && p.PartnerID != partnerID {
		err = refusal.NotFound("this person")
	}
	if err != nil {
		return err
	}
	return s.changeFactor(ctx, personID, audit.ActionTOTPRemoved, func(tx Writer, factor Factor) error {
		if err := basis.Check(stateOf(factor)); err != nil {
			return err
		}
		if !factor.Enrolled() {
			return errNoFactor
		}
		return removeFactor(ctx, tx, factor)
	})
}

var errNoFactor = refusal.NotFound("the authenticator app")

func removeFactor(ctx context.Context, tx Writer, factor Factor) error {
	if err := tx.SetRecoveryCodes(ctx, factor.PersonID, nil); err != nil {
		return err
	}
	return tx.SaveFactor(ctx, Factor{PersonID: factor.PersonID, ResetRequestedAt: factor.ResetRequestedAt})
}

// countWrongCode counts a wrong code as a failed login, and returns its refusal as a
// fault of the field: a person who is signed in already is not unauthorized.
func (s *Service) countWrongCode(ctx context.Context, a credential.Attempt, err error) error {
	if !errors.Is(err, ErrCodeWrong) {
		return err
	}
	s.gate.Failed(ctx, a)
	return form.Fault("code", nil, credential.CodeRule.Rule)
}

// changeFactor runs fn with the second factor of a person, who is locked.
func (s *Service) changeFactor(
	ctx context.Context, personID string, action audit.Action, fn func(Writer, Factor) error,
) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		p, err := tx.LockPerson(ctx, personID)
		if err != nil || p == nil {
			return cmp.Or[error](err, errGone)
		}
		factor, err := tx.Factor(ctx, personID)
		if err != nil {
			return err
		}
		if err := fn(tx, factor); err != nil {
			return err
		}
		entry, err := s.note(ctx, action, p, nil, nil)
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
}
