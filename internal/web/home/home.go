// Package home is the first page: what this service is, and where to sign in.
package home

import (
	"embed"
	"net/http"

	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

//go:embed templates
var files embed.FS

// Door is one way into the service.
type Door struct {
	Key string // of its phrases: home.partner, home.operator, home.courier
	// SignIn is the path of its sign-in page; empty while there is none.
	SignIn string
	// Document is the path of the OpenAPI document of its interface.
	Document string
}

// Room is the first page.
type Room struct {
	doors     []Door
	templates page.Templates
}

// New returns the room. signIns are the paths of sign-in pages by the keys of doors;
// a door without one leads to the document of its interface.
func New(site *page.Site, signIns map[string]string) *Room {
	doors := []Door{
		{Key: "home.partner", Document: "/openapi.yaml"},
		{Key: "home.operator", Document: "/ops.yaml"},
		{Key: "home.courier", Document: "/ops.yaml"},
	}
	for i := range doors {
		doors[i].SignIn = signIns[doors[i].Key]
	}
	return &Room{doors, site.Templates(files, "templates/*.html")}
}

// Routes returns the routes of the room.
func (room *Room) Routes() []visit.Route {
	return []visit.Route{{Method: http.MethodGet, Pattern: "/{$}", For: visit.Anyone, Serve: room.serve}}
}

type view struct {
	Doors []Door
	Other page.Language
}

func (room *Room) serve(v *visit.Visit) (int, []byte, error) {
	language := page.LanguageOf(v.Request, "")
	body, err := room.templates.Render(v.Header, page.Document{
		Language: language, Template: "home", Title: language.Text("home.title"), Data: view{room.doors, language.Other()},
		Preview: &page.Preview{Title: language.Text("home.title"), Description: language.Text("home.what")},
	})
	return http.StatusOK, body, err
}
