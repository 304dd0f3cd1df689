package portal

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// signInRoutes are those of one's own sign-in. People who must enrol a second factor
// first can open them, and nothing else.
func (room *Room) signInRoutes() []visit.Route {
	return []visit.Route{
		room.get("/sign-in", partner.PermissionSelf, (*Room).signIn),
		room.post("/sign-in/sessions", partner.PermissionSelf, (*Room).endOtherSessions),
		room.post("/sign-in/sessions/{session_id}", partner.PermissionSelf, (*Room).endSession),
		room.get("/sign-in/password", partner.PermissionSelf, (*Room).password),
		room.post("/sign-in/password", partner.PermissionSelf, (*Room).changePassword),
		room.get("/sign-in/email", partner.PermissionSelf, (*Room).email),
		room.post("/sign-in/email", partner.PermissionSelf, (*Room).requestEmail),
		room.get("/sign-in/factor", partner.PermissionSelf, (*Room).factor),
		room.post("/sign-in/factor", partner.PermissionSelf, (*Room).beginFactor),
		room.post("/sign-in/factor/confirm", partner.PermissionSelf, (*Room).confirmFactor),
		room.post("/sign-in/factor/remove", partner.PermissionSelf, (*Room).removeFactor),
	}
}

// ownPath is the page of one's own sign-in.
const ownPath = "/portal/sign-in"

// signInView is what the page of one's own sign-in shows.
type signInView struct {
	*sheet
	Email     string
	Enrolment signin.Enrolment
	Sessions  []session
	Others    *page.Form // ends all other sessions; nil if there is none
}

// Enrolled reports whether the person has a second factor.
func (v *signInView) Enrolled() bool { return !v.Enrolment.ConfirmedAt.IsZero() }

// CodesLeft returns how many recovery codes are left.
func (v *signInView) CodesLeft() int { return int(v.Enrolment.RecoveryCodes) }

// session is a session as its person sees it.
type session struct {
	*signin.Session
	Current bool
	Form    *page.Form // ends it; nil for the current one
}

// Device returns the browser and the system that a session was begun with; empty if
// they are unknown.
func (s session) Device() string { return deviceOf(s.Agent) }

func (room *Room) signIn(s *sheet) (int, []byte, error) {
	view := &signInView{sheet: s, Email: s.Session.User.Email}
	found, err := room.config.SignIns.Sessions(s.Context(), s.Caller.PersonID)
	if err != nil {
		return 0, nil, err
	}
	if view.Enrolment, err = room.config.SignIns.Enrolment(s.Context(), s.Caller); err != nil {
		return 0, nil, err
	}
	for _, one := range found {
		row := session{Session: one, Current: bytes.Equal(one.TokenHash, s.Caller.Session)}
		if !row.Current {
			if row.Form, err = s.form(ownPath + "/sessions/" + one.SessionID); err != nil {
				return 0, nil, err
			}
		}
		view.Sessions = append(view.Sessions, row)
	}
	if len(found) > 1 {
		view.Others, err = s.form(ownPath + "/sessions")
	}
	if err != nil {
		return 0, nil, err
	}
	return s.show(leaf{template: "own-sign-in", title: s.Text("me.title"), data: view, modeless: true})
}

// showOwn shows a page that belongs to that of one's own sign-in.
func (s *sheet) showOwn(template, title string, status int, data any) (int, []byte, error) {
	back := &page.Link{Text: s.Text("me.title"), Path: ownPath}
	return s.show(leaf{template: template, title: s.Text(title), data: data, status: status, modeless: true, back: back})
}

func (room *Room) endSession(s *sheet) (int, []byte, error) {
	err := room.config.SignIns.EndSession(s.Context(), s.Caller, s.ID("session_id"))
	if err != nil && !refusal.HasCode(err, refusal.CodeNotFound) { // it has ended already
		return 0, nil, err
	}
	return s.LeadTo(ownPath, page.Flash{Key: "me.session.ended"})
}

func (room *Room) endOtherSessions(s *sheet) (int, []byte, error) {
	if _, err := room.config.SignIns.EndOtherSessions(s.Context(), s.Caller); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(ownPath, page.Flash{Key: "me.sessions.ended"})
}

// ownForm is a page with one form, of one's own sign-in.
type ownForm struct {
	*sheet
	Email  string
	Form   *page.Form
	NoMail bool // the service sends no mail, by which an address is proved
}

// showForm shows a page with a form, which is new if it is nil.
func (s *sheet) showForm(template, title, path string, f *page.Form, status int) (_ int, _ []byte, err error) {
	if f == nil {
		if f, err = s.form(path); err != nil {
			return 0, nil, err
		}
	}
	return s.showOwn(template, title, status, ownForm{s, s.Session.User.Email, f, !s.room.config.Mail})
}

func (room *Room) password(s *sheet) (int, []byte, error) {
	return s.showForm("own-password", "me.password", ownPath+"/password", nil, http.StatusOK)
}

func (room *Room) changePassword(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.Visit)
	if err != nil {
		return 0, nil, err
	}
	body, err := sent.Object("current_password", "new_password")
	if err != nil {
		return 0, nil, err
	}
	err = room.config.SignIns.ChangePassword(s.Context(), s.Caller, body)
	switch {
	case err == nil:
		return s.LeadTo(ownPath, page.Flash{Key: "me.password.changed"})
	case sent.Refuse(err, s.Language):
		return s.showForm("own-password", "me.password", "", sent, http.StatusUnprocessableEntity)
	default:
		return 0, nil, err
	}
}

func (room *Room) email(s *sheet) (int, []byte, error) {
	return s.showForm("own-email", "me.email", ownPath+"/email", nil, http.StatusOK)
}

func (room *Room) requestEmail(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.Visit)
	if err != nil {
		return 0, nil, err
	}
	body, err := sent.Object("new_email", "password")
	if err != nil {
		return 0, nil, err
	}
	err = room.config.SignIns.RequestEmail(s.Context(), s.Caller, body)
	switch {
	case err == nil:
		return s.LeadTo(ownPath, page.Flash{Key: "me.email.sent", Arguments: []string{"email", sent.Values.Get("new_email")}})
	case refusal.HasCode(err, refusal.CodeEmailTaken):
		sent.Faults = append(sent.Faults, page.Fault{Field: "new_email", Text: s.Text("team.taken")})
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return s.showForm("own-email", "me.email", "", sent, http.StatusUnprocessableEntity)
}

// deviceOf returns the browser and the system that a User-Agent names, such as "Firefox,
// Windows"; its first word if it names none, as programs do.
func deviceOf(agent string) string {
	var names []string
	for _, list := range [][]known{browsers, systems} {
		for _, one := range list {
			if strings.Contains(agent, one.mark) {
				names = append(names, one.name)
				break
			}
		}
	}
	if len(names) == 0 {
		first, _, _ := strings.Cut(agent, " ")
		return first
	}
	return strings.Join(names, ", ")
}

// known is a program that is known by a mark in its User-Agent.
type known struct{ mark, name string }

// browsers and systems are in the order in which they are looked for: browsers name
// those that they are compatible with, and phones name the system that theirs descends
// from.
var (
	browsers = []known{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems  = []known{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)
