package portal

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
)

// factorPath is the page of one's own second factor.
const factorPath = ownPath + "/factor"

// factorView is what the page of the second factor shows: one of its steps.
type factorView struct {
	signInView
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
// unless it has one.
func (room *Room) showFactor(s *sheet, step factorView, path string, status int) (int, []byte, error) {
	enrolment, err := room.config.SignIns.Enrolment(s.Context(), s.Caller)
	if err != nil {
		return 0, nil, err
	}
	s = s.on(factorPath) // where the links of the answers to forms lead
	step.signInView = signInView{sheet: s, Email: s.Session.User.Email, Enrolment: enrolment}
	if step.Form == nil {
		if step.Form, err = s.form(path); err != nil {
			return 0, nil, err
		}
	}
	return s.showOwn("own-factor", "me.factor", status, &step)
}

func (room *Room) factor(s *sheet) (int, []byte, error) {
	enrolment, err := room.config.SignIns.Enrolment(s.Context(), s.Caller)
	if err != nil {
		return 0, nil, err
	}
	path := factorPath
	if !enrolment.ConfirmedAt.IsZero() {
		path += "/remove"
	}
	return room.showFactor(s, factorView{}, path, http.StatusOK)
}

func (room *Room) beginFactor(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.Visit)
	if err != nil {
		return 0, nil, err
	}
	body, err := sent.Object("password")
	if err != nil {
		return 0, nil, err
	}
	begun, err := room.config.SignIns.BeginTOTP(s.Context(), s.Caller, body)
	switch {
	case err == nil:
		return room.showFactor(s, factorView{Begun: begun, Confirming: true}, factorPath+"/confirm", http.StatusOK)
	case sent.Refuse(err, s.Language):
		return room.showFactor(s, factorView{Form: sent}, "", http.StatusUnprocessableEntity)
	default:
		return 0, nil, err
	}
}

func (room *Room) confirmFactor(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.Visit)
	if err != nil {
		return 0, nil, err
	}
	body, err := sent.Object("code")
	if err != nil {
		return 0, nil, err
	}
	codes, err := room.config.SignIns.ConfirmTOTP(s.Context(), s.Caller, body)
	switch {
	case err == nil:
		return room.showFactor(s, factorView{Codes: codes}, "", http.StatusOK)
	case sent.Refuse(err, s.Language):
		return room.showFactor(s, factorView{Form: sent, Confirming: true}, "", http.StatusUnprocessableEntity)
	default:
		return 0, nil, err
	}
}

func (room *Room) removeFactor(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.Visit)
	if err != nil {
		return 0, nil, err
	}
	body, err := sent.Object("password", "code")
	if err != nil {
		return 0, nil, err
	}
	err = room.config.SignIns.RemoveTOTP(s.Context(), s.Caller, body)
	switch {
	case err == nil:
		return s.LeadTo(ownPath, page.Flash{Key: "me.factor.removed"})
	case sent.Refuse(err, s.Language):
		return room.showFactor(s, factorView{Form: sent}, "", http.StatusUnprocessableEntity)
	default:
		return 0, nil, err
	}
}
