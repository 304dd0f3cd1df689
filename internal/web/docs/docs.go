// Package docs serves the documentation: pages of the clients, which the service offers as downloads, the documents
// of the folder docs, a page for each operation and event of the OpenAPI documents, and a page for each code of an
// error.
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

	"github.com/dropyard/dropyard/internal/downloads"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/samples"
)

//go:embed templates assets clients
var files embed.FS

// Config holds what the pages need.
type Config struct {
	Site    *page.Site
	BaseURL func() string // of the service, for programs
	// Statuses are the HTTP statuses of all codes of errors.
	Statuses map[refusal.Code]int
	// Downloads are the clients that the service offers.
	Downloads *downloads.Downloads
}

// Pages is the documentation.
type Pages struct {
	config    Config
	templates page.Templates
	// libraries make all pages when the first one is read, so that a service whose
	// documentation is not read starts without it.
	libraries map[page.Language]func() library
	indexes   map[page.Language]func() ([]byte, error) // of the search
}

// New returns the pages and adds their assets to the site.
func New(config Config) *Pages {
	config.Site.AddAssets(files, "assets")
	pages := &Pages{
		config: config, templates: config.Site.Templates(files, "templates/*.html"),
		libraries: map[page.Language]func() library{}, indexes: map[page.Language]func() ([]byte, error){},
	}
	for _, l := range page.Languages {
		pages.libraries[l] = sync.OnceValue(func() library { return newLibrary(l, config) })
		pages.indexes[l] = sync.OnceValues(func() ([]byte, error) { return pages.libraries[l]().index() })
	}
	return pages
}

// Routes returns the routes of the pages.
func (pages *Pages) Routes() []web.Route {
	get := func(pattern string, serve web.Serve) web.Route {
		return web.Route{Method: http.MethodGet, Pattern: pattern, For: web.Anyone, Compressed: true, Serve: serve}
	}
	return []web.Route{
		get("/llms.txt", pages.llms),
		get(root+"/search/{name}", pages.search),
		get(root, pages.start),
		get(root+"/{$}", pages.start),
		get(root+".md", pages.startMarkdown),
		get(postmanPath, pages.postman),
		get(root+"/{page...}", pages.page),
		get(downloadsPath+"/{$}", pages.downloads),
		{Method: http.MethodGet, Pattern: downloadsPath + "/{path...}", For: web.Anyone, Serve: pages.download},
	}
}

// root is the address of the first page; those of the others begin with it.
const root = "/docs"

// start serves the first page, which lists all others.
func (pages *Pages) start(v *web.PageRequest) (int, []byte, error) {
	s := pages.config.Site.Sheet(v)
	packed, err := pages.config.Downloads.Clients()
	if err != nil {
		return 0, nil, err
	}
	groups := pages.libraries[s.Language]().contents(s.Language, root)
	shown := view{Groups: groups}
	for _, one := range clients {
		shown.Clients = append(shown.Clients, clientPage{client: one, Install: one.install(pages.config.BaseURL(), packed)})
	}
	return pages.render(s, s.Text("docs.title"), shown)
}

// page serves a page, its Markdown, or a file that a document offers.
func (pages *Pages) page(v *web.PageRequest) (int, []byte, error) {
	s := pages.config.Site.Sheet(v)
	name, asMarkdown := strings.CutSuffix(v.Request.URL.Path, ".md")
	all := pages.libraries[s.Language]()
	if found := all[name]; found != nil {
		if asMarkdown {
			return serveText(v, "text/markdown; charset=utf-8", found.Markdown(pages.config.BaseURL()))
		}
		return pages.show(s, found)
	}
	if kind, content := offer(v.Request.URL.Path); content != nil {
		return serveText(v, kind, content)
	}
	return 0, nil, errNoPage
}

// show serves a page.
func (pages *Pages) show(s page.Sheet, found *article) (int, []byte, error) {
	return pages.render(s, found.Title, view{
		Groups:  pages.libraries[s.Language]().contents(s.Language, found.Path),
		Article: found, Programs: found.Programs(pages.config.BaseURL()), Trial: found.Trial(),
	})
}

var errNoPage, errNoFile = refusal.NotFound("this page"), refusal.NotFound("this file")

// serveText serves a text, which is in the same version for as long as the service runs.
func serveText(v *web.PageRequest, kind string, text []byte) (int, []byte, error) {
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
	// Clients are how each client is installed, on the first page.
	Clients []clientPage
	// Programs send the request that the page describes.
	Programs []samples.Program
	Trial    *trial // nil on pages that have none
	Other    page.Link
}

func (pages *Pages) render(s page.Sheet, title string, shown view) (int, []byte, error) {
	shown.Sheet, shown.Other = s, s.Language.InOther(s.PageRequest)
	scripts := []string{"search.js"}
	if shown.Trial != nil {
		scripts = append(scripts, "docs/try.js")
	}
	body, err := pages.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "docs", Title: title + " · " + s.Text("docs.title"), Data: shown,
		Styles: []string{"frame.css", "docs/docs.css"}, Scripts: scripts,
		Preview: &page.Preview{Title: title, Description: s.Text("docs.what")},
	})
	return http.StatusOK, body, err
}
