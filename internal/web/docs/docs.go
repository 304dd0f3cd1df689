// Package docs serves the documentation: the documents of the folder docs, a page for each
// operation and event of the OpenAPI documents, and a page for each code of an error.
//
// Every page is an [article] in Markdown, which is served as it is at the page's address
// with .md, and rendered at the address without it.
package docs

import (
	"bytes"
	"embed"
	"net/http"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/samples"
	"github.com/dropyard/dropyard/internal/web/visit"
)

//go:embed templates assets
var files embed.FS

// Config holds what the room needs.
type Config struct {
	Site    *page.Site
	BaseURL func() string // of the service, for programs
	// Statuses are the HTTP statuses of all codes of errors.
	Statuses map[refusal.Code]int
}

// Room is the documentation.
type Room struct {
	config    Config
	templates page.Templates
	// libraries make all pages when the first one is read, so that a service whose
	// documentation is not read starts without it.
	libraries map[page.Language]func() library
	indexes   map[page.Language]func() ([]byte, error) // of the search
}

// New returns the room and adds its assets to the site.
func New(config Config) *Room {
	config.Site.AddAssets(files, "assets")
	room := &Room{
		config: config, templates: config.Site.Templates(files, "templates/*.html"),
		libraries: map[page.Language]func() library{}, indexes: map[page.Language]func() ([]byte, error){},
	}
	for _, l := range page.Languages {
		room.libraries[l] = sync.OnceValue(func() library { return newLibrary(l, config.Statuses) })
		room.indexes[l] = sync.OnceValues(func() ([]byte, error) { return room.libraries[l]().index() })
	}
	return room
}

// Routes returns the routes of the room.
func (room *Room) Routes() []visit.Route {
	get := func(pattern string, serve visit.Serve) visit.Route {
		return visit.Route{Method: http.MethodGet, Pattern: pattern, For: visit.Anyone, Compressed: true, Serve: serve}
	}
	return []visit.Route{
		get("/llms.txt", room.llms),
		get(root+"/search/{name}", room.search),
		get(root, room.start),
		get(root+".md", room.startMarkdown),
		get(root+"/{page...}", room.page),
	}
}

// root is the address of the first page; those of the others begin with it.
const root = "/docs"

// start serves the first page, which lists all others.
func (room *Room) start(v *visit.Visit) (int, []byte, error) {
	s := room.config.Site.Sheet(v)
	return room.render(s, s.Text("docs.title"), view{Groups: room.libraries[s.Language]().contents(s.Language, root)})
}

// page serves a page, its Markdown, or a file that a document offers.
func (room *Room) page(v *visit.Visit) (int, []byte, error) {
	s := room.config.Site.Sheet(v)
	name, asMarkdown := strings.CutSuffix(v.Request.URL.Path, ".md")
	all := room.libraries[s.Language]()
	if found := all[name]; found != nil {
		if asMarkdown {
			return serveText(v, "text/markdown; charset=utf-8", found.Markdown(room.config.BaseURL()))
		}
		return room.render(s, found.Title, view{
			Groups: all.contents(s.Language, name), Article: found, Programs: found.Programs(room.config.BaseURL()), Trial: found.Trial(),
		})
	}
	if offered := example(v.Request.URL.Path); offered != nil {
		return serveText(v, "text/csv; charset=utf-8", offered)
	}
	return 0, nil, errNoPage
}

var errNoPage = refusal.NotFound("this page")

// serveText serves a text, which is in the same version for as long as the service runs.
func serveText(v *visit.Visit, kind string, text []byte) (int, []byte, error) {
	v.Header.Set("Content-Type", kind)
	v.Header.Set("Cache-Control", "no-cache")
	v.Header.Set("Vary", "Accept-Language")
	return http.StatusOK, bytes.Clone(text), nil
}

// view is what the template of all pages shows.
type view struct {
	page.Sheet
	Groups  []page.Group
	Article *article // nil on the first page
	// Programs send the request that the page describes.
	Programs []samples.Program
	Trial    *trial // nil on pages that have none
	Other    page.Link
}

func (room *Room) render(s page.Sheet, title string, shown view) (int, []byte, error) {
	shown.Sheet, shown.Other = s, s.Language.InOther(s.Visit)
	scripts := []string{"search.js"}
	if shown.Trial != nil {
		scripts = append(scripts, "docs/try.js")
	}
	body, err := room.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "docs", Title: title + " · " + s.Text("docs.title"), Data: shown,
		Styles: []string{"frame.css", "docs/docs.css"}, Scripts: scripts,
		Preview: &page.Preview{Title: title, Description: s.Text("docs.what")},
	})
	return http.StatusOK, body, err
}
