// Package login has the pages by which people come in: signing in, registering, new
// passwords, invitations, and signing out.
package login

import (
	"cmp"
	"embed"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates
var files embed.FS

// Config holds what the pages need.
type Config struct {
	Site      *page.Site
	Partners  *partner.Service
	Operators *operator.Service
	// UserSignIns and OperatorSignIns are the sign-ins of both kinds of people.
	UserSignIns     *signin.Service
	OperatorSignIns *signin.Service
	// Sealer seals what a person has typed between the two steps of a sign-in. Nothing
	// else is sealed under its key.
	Sealer       *credential.Sealer
	Registration partner.Registration
	HasMail      bool // the service sends mail
	HasOpenID    bool // operators may sign in through an OpenID provider
	// Demo signs in with one click; nil unless the service is a demo that only this
	// machine can reach.
	Demo *Demo
	// BaseURL returns the public address of the service.
	BaseURL func() string
}

// Pages has the pages by which people come in.
type Pages struct {
	config    Config
	templates page.Templates
}

// New returns the pages.
func New(config Config) *Pages {
	return &Pages{config, config.Site.Templates(files, "templates/*.html")}
}

// door is a way into the service: the pages of one audience, below a path.
type door struct {
	path string
	kind web.Audience
	// Its phrases: the title and the lead of the sign-in page, the link to it from the
	// other doors, and the title of what is behind it.
	title, lead, instead, home string
}

var (
	portal = &door{
		path: "/portal", kind: web.Partners,
		title: "entrance.portal.title", lead: "entrance.portal.lead", instead: "entrance.portal.instead", home: "portal.home",
	}
	console = &door{
		path: "/console", kind: web.Operators,
		title: "entrance.console.title", lead: "entrance.console.lead", instead: "entrance.console.instead",
		home: "entrance.console.home",
	}
	courier = &door{
		path: "/courier", kind: web.Operators,
		title: "entrance.courier.title", lead: "entrance.courier.lead", instead: "entrance.courier.instead",
		home: "entrance.courier.home",
	}
)

// roleKeys are the phrases of roles, of partners' people and of operators.
var roleKeys = map[string]string{
	"owner": "entrance.role.owner", "developer": "entrance.role.developer", "clerk": "entrance.role.clerk",
	"reader": "entrance.role.reader", "admin": "entrance.role.admin", "dispatcher": "entrance.role.dispatcher",
	"accountant": "entrance.role.accountant", "warehouse": "entrance.role.warehouse", "courier": "entrance.role.courier",
}

// others are the doors beside one, for people who have taken the wrong one.
func (d *door) others() []*door {
	return slices.DeleteFunc([]*door{portal, console, courier}, func(other *door) bool { return other == d })
}

// sheet is a request for a page of the login.
type sheet struct {
	page.Sheet
	pages *Pages
	door  *door
}

// handler responds to a visit.
type handler func(*sheet) (status int, body []byte, err error)

// Routes returns the routes of the pages.
func (pages *Pages) Routes() []web.Route {
	registration := pages.both(portal, "/register", (*sheet).registerPage, (*sheet).register)
	registration[1].Registers = true
	routes := slices.Concat(
		registration,
		pages.both(portal, "/invitations/{token}", (*sheet).invitationPage, (*sheet).acceptInvitation),
		pages.both(portal, "/email/{token}", (*sheet).emailPage, (*sheet).confirmEmail),
		pages.companyRoutes(),
		pages.demoRoutes(),
	)
	for _, d := range []*door{portal, console, courier} {
		routes = append(routes, pages.both(d, "/login", (*sheet).loginPage, (*sheet).login)...)
		out := pages.route(http.MethodPost, d, "/logout", (*sheet).logout)
		out.Uncounted = true
		routes = append(routes, out)
	}
	for _, d := range []*door{portal, console} {
		routes = append(routes, pages.both(d, "/reset", (*sheet).forgottenPage, (*sheet).forgotten)...)
		routes = append(routes, pages.both(d, "/reset/{token}", (*sheet).resetPage, (*sheet).reset)...)
	}
	return routes
}

// both returns the routes of a page and of the form on it.
func (pages *Pages) both(d *door, path string, show, send handler) []web.Route {
	return []web.Route{pages.route(http.MethodGet, d, path, show), pages.route(http.MethodPost, d, path, send)}
}

func (pages *Pages) route(method string, d *door, path string, handle handler) web.Route {
	return web.Route{Method: method, Pattern: d.path + path, For: web.Anyone, Serve: pages.serve(d, handle)}
}

func (pages *Pages) serve(d *door, handle handler) web.Serve {
	return func(v *web.PageRequest) (int, []byte, error) {
		s := &sheet{pages.config.Site.Sheet(v), pages, d}
		if s.isOverHTTP() {
			return s.showSecure()
		}
		return handle(s)
	}
}

// signIns returns the sign-ins of the people of the door.
func (s *sheet) signIns() *signin.Service { return s.pages.signIns(s.door.kind) }

func (pages *Pages) signIns(kind web.Audience) *signin.Service {
	if kind == web.Partners {
		return pages.config.UserSignIns
	}
	return pages.config.OperatorSignIns
}

// leaf is what a page of the login shows.
type leaf struct {
	Title   string
	Lead    []string // what the page is for, a paragraph each
	Message *page.Message
	// Form is what the person fills in; nil if there is nothing.
	Form   *page.Form
	Hidden []page.Field
	Fields []page.Field
	// Account is the address that password managers keep a new password with; empty if a
	// field holds it.
	Account string
	Button  string
	// Other is another way to do the same, such as an OpenID provider; nil if there is none.
	Other *page.Link
	Links []page.Link
	// InOther is a link to the page in the other language. It is set by show.
	InOther page.Link
	status  int // 0 for 200
}

// show renders a page.
func (s *sheet) show(l leaf) (int, []byte, error) {
	site := s.pages.config.Site
	if l.Message == nil {
		l.Message = site.TakeFlash(s.PageRequest, s.Language)
	}
	l.InOther = s.Language.InOther(s.PageRequest)
	body, err := s.pages.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "entrance", Title: l.Title + " · " + s.Text(
			"home.title",
		), Data: l, Roomy: s.door == courier,
		Scripts: []string{"drafts.js"}, // what was being typed when the session ended comes back after signing in
	})
	return cmp.Or(l.status, http.StatusOK), body, err
}

// problem returns a message about what went wrong.
func (s *sheet) problem(key string) *page.Message {
	return &page.Message{Text: s.Text(key), Danger: true}
}

// newForm returns a new form that is sent to a path.
func (s *sheet) newForm(path string) (*page.Form, error) {
	return s.pages.config.Site.NewForm(path, 0)
}

// emailField and passwordField are fields that several pages have.
func (s *sheet) emailField() page.Field {
	return page.Field{
		Name: "email", Label: s.Text("entrance.email"), Type: "email", Autocomplete: "username", Required: true,
	}
}

func (s *sheet) passwordField() page.Field {
	return page.Field{
		Name: "password", Label: s.Text("entrance.password"), Type: "password", Autocomplete: "current-password",
		Required: true,
	}
}

// newPasswordField is the field of a password that begins to be used.
func (s *sheet) newPasswordField(name string) page.Field {
	least := credential.MinUserPassword
	if s.door.kind == web.Operators {
		least = credential.MinOperatorPassword
	}
	label := "entrance.password"
	if name == "new_password" {
		label = "entrance.password.new"
	}
	return page.Field{
		Name: name, Label: s.Text(label), Hint: s.Text("entrance.password.rule", "least", least),
		Type: "password", Autocomplete: "new-password", Required: true,
	}
}

// withAll returns the fields with what the form holds for them.
func withAll(form *page.Form, fields ...page.Field) []page.Field {
	for i := range fields {
		fields[i] = form.With(fields[i])
	}
	return fields
}
