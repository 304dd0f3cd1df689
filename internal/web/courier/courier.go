// Package courier is the courier's app: a page that couriers put on the home screen of
// their phone, and that works without a connection.
package courier

import (
	"embed"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates assets
var files embed.FS

// Paths of the app. The worker's path has no digest, because a browser finds a new worker
// at the path of the old one.
const (
	appPath      = "/courier"
	manifestPath = "/courier/app.webmanifest"
	workerPath   = "/courier/worker.js"
	offlinePath  = "/courier/offline"
)

// folder is the folder of the assets in which the app's modules are.
const folder = "courier"

// Config holds what the pages need.
type Config struct {
	Site *page.Site
	// Clocks are the time zones of provinces, and of postal codes by how they begin.
	Clocks map[string]*time.Location
}

// Pages is the courier's app.
type Pages struct {
	config    Config
	templates page.Templates
	shell     func() shell // on the first call, when all packages have added their assets
}

// New returns the pages.
func New(config Config) *Pages {
	addAssets(config.Site)
	kept := sync.OnceValue(func() shell { return newShell(config.Site) })
	return &Pages{config, config.Site.Templates(files, "templates/*.html"), kept}
}

// Routes returns the routes of the pages.
func (pages *Pages) Routes() []web.Route {
	return append(iconRoutes(), []web.Route{
		{
			Method: http.MethodGet, Pattern: appPath, For: web.Operators, Serve: pages.serveApp,
			Needs: operator.Needs{Roles: []operator.Role{operator.RoleAdmin, operator.RoleDispatcher, operator.RoleCourier}},
		},
		{Method: http.MethodGet, Pattern: manifestPath, For: web.Anyone, Serve: pages.serveManifest},
		{Method: http.MethodGet, Pattern: workerPath, For: web.Anyone, Serve: pages.serveWorker},
		{Method: http.MethodGet, Pattern: offlinePath, For: web.Anyone, Serve: pages.serveOffline},
	}...)
}

// Policy returns the content security policy of the app.
func Policy() string {
	site := page.NewSite(page.Config{})
	addAssets(site)
	return site.AppPolicy(folder)
}

// phrasePrefixes are the beginnings of the keys of the phrases that the app's modules use.
var phrasePrefixes = []string{
	"courier.", "me.title", "status.", "failure.", "time.", "board.late", "act.close", "copy.", "refused.request",
}

// view is what the document of the app shows until its modules run.
type view struct {
	*operator.Operator
	Phrases map[string]string
	Now     string
	Worker  string    // the path of the service worker
	Version string    // of the app
	Other   page.Link // the app in the other language
	Zones   string    // the clocks of places, as JSON
	Code    string    // by which a colleague hands parcels over to the courier
}

// codePrefix is what the code of a courier begins with, see handover.js. The courier's id follows.
const codePrefix = "courier:"

// serveApp serves the document of the app. It holds nothing of the courier's stops, so
// that the phone may keep it.
func (pages *Pages) serveApp(v *web.PageRequest) (int, []byte, error) {
	s := pages.config.Site.Sheet(v)
	courier := reader(s)
	if courier.CourierID == "" {
		return pages.serveOthers(s)
	}
	clocks, err := s.Clocks(pages.config.Clocks)
	if err != nil {
		return 0, nil, err
	}
	version := pages.shell().Version
	s.Header.Set(versionHeader, version)
	body, err := pages.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "courier", Title: s.Text("courier.title") + " · " + s.Text("home.title"), Roomy: true,
		Styles: []string{folder + "/courier.css", folder + "/proofs.css"}, Scripts: []string{folder + "/main.js"},
		Island: folder, App: &page.App{Manifest: page.Address(manifestPath, "lang", string(s.Language)), Icon: touchIcon},
		Data: view{
			Operator: courier, Phrases: s.Language.Phrases(phrasePrefixes...), Now: s.Site.Now().UTC().Format(time.RFC3339Nano),
			Worker: workerPath, Version: version, Other: s.Language.InOther(s.PageRequest), Zones: clocks,
			Code: codePrefix + courier.CourierID,
		},
	})
	return http.StatusOK, body, err
}

// serveOthers serves the page for operators who are not couriers, and so have no stops.
func (pages *Pages) serveOthers(s page.Sheet) (int, []byte, error) {
	frame := Frame(s)
	frame.Heading = s.Text("courier.title")
	body, err := pages.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "courier-others", Title: frame.Heading + " · " + s.Text("home.title"), Roomy: true,
		Frame: frame,
	})
	return http.StatusOK, body, err
}

// reader returns the operator who opens a page.
func reader(s page.Sheet) *operator.Operator {
	return operator.Of(s.Principal)
}

// Frame returns what surrounds the pages of couriers beside the app. Couriers sign out in
// the app, which knows what waits to be sent.
func Frame(s page.Sheet) *page.Frame {
	by := reader(s)
	ways := []page.Link{
		{Text: s.Text("courier.title"), Path: appPath}, {Text: s.Text("me.title"), Path: appPath + "/sign-in"},
	}
	if by.Role != operator.RoleCourier {
		ways = slices.Insert(ways, 0, page.Link{Text: s.Text("entrance.console.home"), Path: "/console"})
	}
	for i := range ways {
		ways[i].Current = ways[i].Path == s.Request.URL.Path
	}
	frame := &page.Frame{
		Home: page.Link{Text: s.Text("home.title"), Path: appPath}, Groups: []page.Group{{Links: ways}},
		Message: s.Site.TakeFlash(s.PageRequest, s.Language),
		Person:  by.Email, Other: s.Language.InOther(s.PageRequest),
	}
	if by.CourierID == "" {
		frame.SignOut = appPath + "/logout"
	}
	return frame
}
