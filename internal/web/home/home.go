// Package home is the first page: what this service is, and where to sign in.
package home

import (
	"embed"
	"net/http"

	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates assets
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
	// Facts returns what the tiles show.
	Facts func(*web.PageRequest) ([]Fact, error)
}

// Fact is a number that the first page shows to everyone. A demo shows those of its orders. Elsewhere
// these are the operator's business: the page shows only what its public pages also reveal.
type Fact struct {
	Key   string // of its phrase
	Count int64
	Of    int64  // if it is not 0, the share of Count in it is shown
	Word  string // the key of a phrase that is shown instead of a number; may be empty
	Path  string // of the page that has more
}

// text returns what a tile shows in large type.
func (f *Fact) text(language page.Language) string {
	switch {
	case f.Word != "":
		return language.Text(f.Word)
	case f.Of != 0:
		return language.Percent(f.Count, f.Of)
	default:
		return language.Number(int(f.Count))
	}
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

// New returns the pages and adds their assets to the site.
func New(config Config) *Pages {
	config.Site.AddAssets(files, "assets")
	return &Pages{config, config.Site.Templates(files, "templates/*.html")}
}

// Routes returns the routes of the pages.
func (pages *Pages) Routes() []web.Route {
	return []web.Route{{Method: http.MethodGet, Pattern: "/{$}", For: web.Anyone, Serve: pages.serve}}
}

type view struct {
	Tiles    []tile
	Doors    []Door
	Visitors []visitor
	Demo     bool
	Tracking string // empty if there is no order to follow
	Other    page.Link
}

// tile is a fact in the language of the page.
type tile struct{ Value, Label, Path string }

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
	facts, err := pages.config.Facts(v)
	if err != nil {
		return 0, nil, err
	}
	for _, fact := range facts {
		shown.Tiles = append(shown.Tiles, tile{fact.text(language), language.Text(fact.Key), fact.Path})
	}
	body, err := pages.templates.Render(v.Header, page.Document{
		Language: language, Template: "home", Title: language.Text("home.title"), Data: shown,
		Styles:  []string{"home.css"},
		Preview: &page.Preview{Title: language.Text("home.title"), Description: language.Text("home.what")},
	})
	return http.StatusOK, body, err
}
