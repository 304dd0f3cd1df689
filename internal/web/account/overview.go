package account

import (
	"bytes"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
)

// overviewView is what the first page shows.
type overviewView struct {
	*sheet
	state
	Sessions []session
	Others   *page.Form // ends all other sessions; nil if there is none
	Again    *page.Form // sends a link to the address; nil unless it is to be confirmed
}

// state is that of the person's second factor.
type state struct {
	signin.Enrolment
	vouched bool
}

// Enrolled reports whether the person has a second factor.
func (f state) Enrolled() bool { return !f.ConfirmedAt.IsZero() }

// MustEnrol reports whether these pages are all that the person can open until a second
// factor is set up. An OpenID provider asks for second factors itself.
func (f state) MustEnrol() bool { return f.Required && !f.Enrolled() && !f.vouched }

// CodesLeft returns how many recovery codes are left.
func (f state) CodesLeft() int { return int(f.RecoveryCodes) }

// state returns the state of the person's second factor.
func (s *sheet) state() (state, error) {
	found, err := s.section.SignIns.Enrolment(s.Context(), s.Caller)
	return state{found, s.Session.Vouched}, err
}

// session is a session as its person sees it.
type session struct {
	*signin.Session
	Current bool
	Form    *page.Form // ends it; nil for the current one
}

// Device returns the browser and the system that a session was begun with; empty if
// they are unknown.
func (s session) Device() string { return deviceOf(s.Agent) }

func (s *sheet) overview() (_ int, _ []byte, err error) {
	view := &overviewView{sheet: s}
	if view.state, err = s.state(); err != nil {
		return 0, nil, err
	}
	if view.Sessions, err = s.sessions(); err != nil {
		return 0, nil, err
	}
	if len(view.Sessions) > 1 {
		if view.Others, err = s.Site.NewForm(s.Path("/sessions"), 0); err != nil {
			return 0, nil, err
		}
	}
	if s.Confirmable() && !s.Confirmed() {
		if view.Again, err = s.Site.NewForm(s.Path("/email/again"), 0); err != nil {
			return 0, nil, err
		}
	}
	return s.show(leaf{template: "self", title: "me.title", data: view})
}

// sessions returns the person's sessions, each but the current one with a form that ends
// it.
func (s *sheet) sessions() (rows []session, err error) {
	found, err := s.section.SignIns.Sessions(s.Context(), s.Caller.PersonID)
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		row := session{Session: one, Current: bytes.Equal(one.TokenHash, s.Caller.Session)}
		if !row.Current {
			if row.Form, err = s.Site.NewForm(s.Path("/sessions/"+one.SessionID), 0); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *sheet) endSession() (int, []byte, error) {
	err := s.section.SignIns.EndSession(s.Context(), s.Caller, s.ID("session_id"))
	if err != nil && !refusal.HasCode(err, refusal.CodeNotFound) { // it has ended already
		return 0, nil, err
	}
	return s.done("me.session.ended")
}

func (s *sheet) endOtherSessions() (int, []byte, error) {
	if _, err := s.section.SignIns.EndOtherSessions(s.Context(), s.Caller); err != nil {
		return 0, nil, err
	}
	return s.done("me.sessions.ended")
}
