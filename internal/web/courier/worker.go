package courier

import (
	"crypto/sha256"
	_ "embed" // the worker
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// workerSource is the service worker without the list of what it keeps.
//
//go:embed assets/worker/worker.js
var workerSource []byte

// WorkerPolicy is the content security policy of the service worker: it loads from this
// server only, and runs nothing but itself.
const WorkerPolicy = "default-src 'none'; connect-src 'self'"

// versionHeader says which version of the app a page is of. A worker keeps only the pages
// of its own version.
const versionHeader = "Dropyard-App"

// shell is what the service worker keeps: see assets/worker/worker.js.
type shell struct {
	Version string          `json:"version"` // differs when anything below or the worker does
	Assets  []page.AppAsset `json:"assets"`  // what the app needs to start
	Later   []page.AppAsset `json:"later"`   // what is kept once it has been used
}

// newShell returns what the worker keeps of the assets of a site.
func newShell(site *page.Site) shell {
	start, later := site.AppAssets(folder)
	sum := sha256.New()
	sum.Write(workerSource)
	for _, asset := range slices.Concat(start, later) {
		sum.Write([]byte(asset.Path + "\n")) // has the digest of the content
	}
	return shell{hex.EncodeToString(sum.Sum(nil)[:8]), start, later}
}

// serveWorker serves the service worker to anyone: browsers look for a new one also while
// the courier is signed out.
func (pages *Pages) serveWorker(v *web.PageRequest) (int, []byte, error) {
	list, err := json.Marshal(pages.shell())
	if err != nil {
		return 0, nil, err
	}
	v.Header.Set("Content-Type", "text/javascript; charset=utf-8")
	v.Header.Set("Cache-Control", "no-cache")
	v.Header.Set("Content-Security-Policy", WorkerPolicy)
	v.Header.Set("Service-Worker-Allowed", appPath)
	return http.StatusOK, slices.Concat([]byte("self.shell = "), list, []byte(";\n"), workerSource), nil
}

// serveOffline serves the page that the worker shows where a page cannot be reached. The
// phone keeps it, so that it holds nothing of a person.
func (pages *Pages) serveOffline(v *web.PageRequest) (int, []byte, error) {
	s := pages.config.Site.Sheet(v)
	s.Header.Set(versionHeader, pages.shell().Version)
	body, err := pages.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "courier-offline", Title: s.Text("courier.offline.title") + " · " +
			s.Text("home.title"), Roomy: true,
	})
	return http.StatusOK, body, err
}
