package account

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
)

// factorView is what the page of the second factor shows: one of its steps.
type factorView struct {
	*sheet
	state
	Form       *page.Form   // of the step; nil after the last one
	Begun      *signin.TOTP // a secret, which is shown once; nil in other steps
	Confirming bool         // the form takes the first code of the app
	Codes      []string     // recovery codes, which are shown once
}

// Joined returns the recovery codes as a text to copy.
func (v *factorView) Joined() string { return strings.Join(v.Codes, "\n") }

// SecretGroups returns the secret in groups of four characters, as people type it.
func (v *factorView) SecretGroups() string {
	var groups strings.Builder
	for i, letter := range v.Begun.Secret {
		if i > 0 && i%4 == 0 {
			groups.WriteByte(' ')
		}
		groups.WriteRune(letter)
	}
	return groups.String()
}

// showFactor shows a step of the second factor, with a new form that is sent to path
// unless it has one or is the last step.
func (s *sheet) showFactor(step factorView, path string, status int) (_ int, _ []byte, err error) {
	step.sheet = s.sheet(s.At(s.Path("/factor"))) // where the links of the answers to forms lead
	if step.state, err = s.state(); err != nil {
		return 0, nil, err
	}
	if step.Form == nil && path != "" {
		if step.Form, err = s.Site.NewForm(s.Path(path), 0); err != nil {
			return 0, nil, err
		}
	}
	return step.showPart("self-factor", "me.factor", status, &step)
}

func (s *sheet) factor() (int, []byte, error) {
	now, err := s.state()
	if err != nil {
		return 0, nil, err
	}
	if now.Enrolled() {
		return s.showFactor(factorView{}, "/factor/remove", http.StatusOK)
	}
	return s.showFactor(factorView{}, "/factor", http.StatusOK)
}

func (s *sheet) beginFactor() (int, []byte, error) {
	var begun *signin.TOTP
	refused, err := send(s, signin.ReadConfirmation, func(confirmed signin.Confirmation) (err error) {
		begun, err = s.section.SignIns.BeginTOTP(s.Context(), s.Caller, confirmed)
		return err
	})
	switch {
	case err != nil:
		return 0, nil, err
	case refused != nil:
		return s.showFactor(factorView{Form: refused}, "", http.StatusUnprocessableEntity)
	}
	return s.showFactor(factorView{Begun: begun, Confirming: true}, "/factor/confirm", http.StatusOK)
}

func (s *sheet) confirmFactor() (int, []byte, error) {
	var codes []string
	refused, err := send(s, signin.ReadCode, func(code string) (err error) {
		codes, err = s.section.SignIns.ConfirmTOTP(s.Context(), s.Caller, code)
		return err
	})
	switch {
	case err != nil:
		return 0, nil, err
	case refused != nil:
		return s.showFactor(factorView{Form: refused, Confirming: true}, "", http.StatusUnprocessableEntity)
	}
	return s.showFactor(factorView{Codes: codes}, "", http.StatusOK)
}

func (s *sheet) removeFactor() (int, []byte, error) {
	refused, err := send(s, signin.ReadFactorRemoval, own(s, s.section.SignIns.RemoveTOTP))
	switch {
	case err != nil:
		return 0, nil, err
	case refused != nil:
		return s.showFactor(factorView{Form: refused}, "", http.StatusUnprocessableEntity)
	}
	return s.done("me.factor.removed")
}
