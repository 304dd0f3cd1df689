// Package self has the pages on which people manage their own sign-in: their name and
// address, password, second factor, and sessions. Partners' people and operators have
// the same ones, each below a path of their own.
package self

import (
	"cmp"
	"context"
	"embed"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

//go:embed templates
var files embed.FS

// Corner holds what differs between the audiences of the pages.
type Corner struct {
	Path    string // of the first page, such as /portal/sign-in
	For     visit.Audience
	Needs   any             // what the people must be permitted
	SignIns *signin.Service // of these people
	// Frame returns what surrounds the pages. Its heading and its way back are set here.
	Frame func(page.Sheet) *page.Frame
	// Rename changes the name of a partner's user; nil for operators, who have no name.
	Rename func(ctx context.Context, partnerID, userID string, change partner.UserChange) (*partner.User, error)
	// ChangesEmail is set where people may change their address, and HasMail if the
	// service sends mail, by which an address is proved.
	ChangesEmail, HasMail bool
	Roomy                 bool // the pages are read standing
}

// Room has the pages of one corner.
type Room struct {
	corner    Corner
	site      *page.Site
	templates page.Templates
}

// New returns the room of a corner.
func New(site *page.Site, corner Corner) *Room {
	return &Room{corner, site, site.Templates(files, "templates/*.html")}
}

// sheet is a visit of a person's own pages.
type sheet struct {
	page.Sheet
	*Room
	Caller  signin.Caller
	Session *signin.Session
	Member  *partner.Member // nil for an operator
}

func (room *Room) sheet(of page.Sheet) *sheet {
	session, _ := of.Principal.(*signin.Session)
	return &sheet{of, room, session.Caller(of.Address), session, partner.MemberOf(session)}
}

// Routes returns the routes of the room. People who must set up a second factor first can
// open them, and nothing else.
func (room *Room) Routes() []visit.Route {
	routes := []visit.Route{
		room.route(http.MethodGet, "", (*sheet).overview),
		room.route(http.MethodPost, "/sessions", (*sheet).endOtherSessions),
		room.route(http.MethodPost, "/sessions/{session_id}", (*sheet).endSession),
		room.route(http.MethodGet, "/password", (*sheet).password),
		room.route(http.MethodPost, "/password", (*sheet).changePassword),
		room.route(http.MethodGet, "/factor", (*sheet).factor),
		room.route(http.MethodPost, "/factor", (*sheet).beginFactor),
		room.route(http.MethodPost, "/factor/confirm", (*sheet).confirmFactor),
		room.route(http.MethodPost, "/factor/remove", (*sheet).removeFactor),
	}
	if room.corner.ChangesEmail {
		routes = append(routes, room.route(http.MethodGet, "/email", (*sheet).email), room.route(http.MethodPost, "/email", (*sheet).requestEmail),
			room.route(http.MethodPost, "/email/again", (*sheet).proveAgain))
	}
	if room.corner.Rename != nil {
		routes = append(routes, room.route(http.MethodGet, "/name", (*sheet).name), room.route(http.MethodPost, "/name", (*sheet).rename))
	}
	return routes
}

// route returns a route below the path of the corner.
func (room *Room) route(method, path string, handle func(*sheet) (int, []byte, error)) visit.Route {
	return visit.Route{
		Method: method, Pattern: room.corner.Path + path, For: room.corner.For, Needs: room.corner.Needs,
		Serve: func(v *visit.Visit) (int, []byte, error) { return handle(room.sheet(room.site.Sheet(v))) },
	}
}

// Path returns the address of a page, given what follows the path of the corner.
func (s *sheet) Path(rest string) string { return s.corner.Path + rest }

// Email returns the address with which the person signs in.
func (s *sheet) Email() string {
	if s.Member == nil {
		return operator.Of(s.Session).Email
	}
	return s.Member.User.Email
}

// Confirmable reports whether the person has an address that is confirmed by a mailed link.
func (s *sheet) Confirmable() bool { return s.Member != nil && s.corner.HasMail }

// Confirmed reports whether the person has confirmed the address.
func (s *sheet) Confirmed() bool { return s.Member.User.Confirmed() }

// Name returns the name of a partner's user; empty for operators.
func (s *sheet) Name() string {
	if s.Member == nil {
		return ""
	}
	return s.Member.User.Name
}

// HasName reports whether the person has a name, which these pages can change.
func (s *sheet) HasName() bool { return s.corner.Rename != nil }

// ChangesEmail reports whether the person may change the address.
func (s *sheet) ChangesEmail() bool { return s.corner.ChangesEmail }

// leaf is a page that is about to be shown.
type leaf struct {
	template string
	title    string // a phrase
	data     any    // what the template is given; it embeds the *sheet
	status   int    // 0 for 200
	back     *page.Link
}

// show renders a page in the frame of the corner.
func (s *sheet) show(l leaf) (int, []byte, error) {
	title, frame := s.Text(l.title), s.corner.Frame(s.Sheet)
	frame.Heading, frame.Back = title, l.back
	body, err := s.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: l.template, Title: title + " · " + s.Text("home.title"), Data: l.data, Frame: frame, Roomy: s.corner.Roomy,
	})
	return cmp.Or(l.status, http.StatusOK), body, err
}

// showPart shows a page that belongs to the first one.
func (s *sheet) showPart(template, title string, status int, data any) (int, []byte, error) {
	return s.show(leaf{template, title, data, status, &page.Link{Text: s.Text("me.title"), Path: s.Path("")}})
}

// done leads to the first page, which shows a message.
func (s *sheet) done(key string, arguments ...string) (int, []byte, error) {
	return s.LeadTo(s.Path(""), page.Flash{Key: key, Arguments: arguments})
}

// send reads the form that was sent as a command, and carries out a use case with it. If
// what the form holds is refused, send returns it with its faults.
func send[C any](s *sheet, read func(*form.Form) C, do func(C) error) (refused *page.Form, err error) {
	sent, err := page.ReadForm(s.Visit)
	if err != nil {
		return nil, err
	}
	command, err := form.Decode(sent.Typed(nil), read)
	if err == nil {
		err = do(command)
	}
	if sent.Refuse(err, s.Language) {
		return sent, nil
	}
	return nil, err
}

// own returns a use case of one's own sign-in as send takes it.
func own[C any](s *sheet, do func(context.Context, signin.Caller, C) error) func(C) error {
	return func(command C) error { return do(s.Context(), s.Caller, command) }
}
