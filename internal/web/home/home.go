// Package home is the first page: what this service is, and where to sign in.
package home

import (
	"embed"
	"net/http"

	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates
var files embed.FS

// Config holds what the pages need.
type Config struct {
	Site *page.Site
	// SignedIn returns the name of a visitor who is signed in among the people of a kind,
	// and the first page of that person; empty texts for others.
	SignedIn func(v *web.PageRequest, kind web.Audience) (name, path string, err error)
	// Demo reports whether a visitor may sign in to the demo with one click, and the path
	// of the recipient's page of an order that is on its way. It is nil without --demo.
	Demo func(*web.PageRequest) (tracking string, may bool)
}

// Door is one way into the service.
type Door struct {
	Key    string // of its phrases: home.partner, home.operator, home.courier
	SignIn string // the path of its sign-in page
	Demo   string // the path of the form that signs in to the demo
}

var doors = []Door{
	{"home.partner", "/portal/login", "/demo/partner"},
	{"home.operator", "/console/login", "/demo/operator"},
	{"home.courier", "/courier/login", "/demo/courier"},
}

// Pages is the first page.
type Pages struct {
	config    Config
	templates page.Templates
}

// New returns the pages.
func New(config Config) *Pages {
	return &Pages{config, config.Site.Templates(files, "templates/*.html")}
}

// Routes returns the routes of the pages.
func (pages *Pages) Routes() []web.Route {
	return []web.Route{{Method: http.MethodGet, Pattern: "/{$}", For: web.Anyone, Serve: pages.serve}}
}

type view struct {
	Doors    []Door
	Visitors []visitor
	Demo     bool
	Tracking string // empty if there is no order to follow
	Other    page.Link
}

// visitor is a person who is signed in.
type visitor struct{ Name, Path string }

func (pages *Pages) serve(v *web.PageRequest) (int, []byte, error) {
	language := pages.config.Site.Language(v, "")
	shown := view{Doors: doors, Other: language.InOther(v)}
	for _, kind := range []web.Audience{web.Partners, web.Operators} {
		name, path, err := pages.config.SignedIn(v, kind)
		if err != nil {
			return 0, nil, err
		}
		if path != "" {
			shown.Visitors = append(shown.Visitors, visitor{name, path})
		}
	}
	if pages.config.Demo != nil {
		shown.Tracking, shown.Demo = pages.config.Demo(v)
	}
	body, err := pages.templates.Render(v.Header, page.Document{
		Language: language, Template: "home", Title: language.Text("home.title"), Data: shown,
		Preview: &page.Preview{Title: language.Text("home.title"), Description: language.Text("home.what")},
	})
	return http.StatusOK, body, err
}
