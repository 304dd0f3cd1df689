// Package account has the pages on which people manage their own sign-in: their name and
// address, password, second factor, and sessions. Partners' people and operators have
// the same ones, each below a path of their own.
package account

import (
	"cmp"
	"context"
	"embed"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates
var files embed.FS

// Section holds what differs between the audiences of the pages.
type Section struct {
	Path    string // of the first page, such as /portal/sign-in
	For     web.Audience
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

// Pages has the pages of one section.
type Pages struct {
	section   Section
	site      *page.Site
	templates page.Templates
}

// New returns the pages of a section.
func New(site *page.Site, section Section) *Pages {
	return &Pages{section, site, site.Templates(files, "templates/*.html")}
}

// sheet is a visit of a person's own pages.
type sheet struct {
	page.Sheet
	*Pages
	Caller  signin.Caller
	Session *signin.Session
	Member  *partner.Member // nil for an operator
}

func (pages *Pages) sheet(of page.Sheet) *sheet {
	session, _ := of.Principal.(*signin.Session)
	return &sheet{of, pages, session.Caller(of.Address), session, partner.MemberOf(session)}
}

// Routes returns the routes of the pages. People who must set up a second factor first can
// open them, and nothing else.
func (pages *Pages) Routes() []web.Route {
	routes := []web.Route{
		pages.route(http.MethodGet, "", (*sheet).overview),
		pages.route(http.MethodPost, "/sessions", (*sheet).endOtherSessions),
		pages.route(http.MethodPost, "/sessions/{session_id}", (*sheet).endSession),
		pages.route(http.MethodGet, "/password", (*sheet).password),
		pages.route(http.MethodPost, "/password", (*sheet).changePassword),
		pages.route(http.MethodGet, "/factor", (*sheet).factor),
		pages.route(http.MethodPost, "/factor", (*sheet).beginFactor),
		pages.route(http.MethodPost, "/factor/confirm", (*sheet).confirmFactor),
		pages.route(http.MethodPost, "/factor/remove", (*sheet).removeFactor),
	}
	if pages.section.ChangesEmail {
		routes = append(routes, pages.route(http.MethodGet, "/email", (*sheet).email),
			pages.route(http.MethodPost, "/email", (*sheet).requestEmail),
			pages.route(http.MethodPost, "/email/again", (*sheet).proveAgain))
	}
	if pages.section.Rename != nil {
		routes = append(routes, pages.route(http.MethodGet, "/name", (*sheet).name),
			pages.route(http.MethodPost, "/name", (*sheet).rename))
	}
	return routes
}

// route returns a route below the path of the section.
func (pages *Pages) route(method, path string, handle func(*sheet) (int, []byte, error)) web.Route {
	return web.Route{
		Method: method, Pattern: pages.section.Path + path, For: pages.section.For, Needs: pages.section.Needs,
		Serve: func(v *web.PageRequest) (int, []byte, error) { return handle(pages.sheet(pages.site.Sheet(v))) },
	}
}

// Path returns the address of a page, given what follows the path of the section.
func (s *sheet) Path(rest string) string { return s.section.Path + rest }

// Email returns the address with which the person signs in.
func (s *sheet) Email() string {
	if s.Member == nil {
		return operator.Of(s.Session).Email
	}
	return s.Member.User.Email
}

// Confirmable reports whether the person has an address that is confirmed by a mailed link.
func (s *sheet) Confirmable() bool { return s.Member != nil && s.section.HasMail }

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
func (s *sheet) HasName() bool { return s.section.Rename != nil }

// ChangesEmail reports whether the person may change the address.
func (s *sheet) ChangesEmail() bool { return s.section.ChangesEmail }

// leaf is a page that is about to be shown.
type leaf struct {
	template string
	title    string // a phrase
	data     any    // what the template is given; it embeds the *sheet
	status   int    // 0 for 200
	back     *page.Link
}

// show renders a page in the frame of the section.
func (s *sheet) show(l leaf) (int, []byte, error) {
	title, frame := s.Text(l.title), s.section.Frame(s.Sheet)
	frame.Heading, frame.Back = title, l.back
	body, err := s.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: l.template, Title: title + " · " + s.Text("home.title"), Data: l.data, Frame: frame,
		Roomy: s.section.Roomy,
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
	sent, err := page.ReadForm(s.PageRequest)
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
