package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/page"
)

// TestLibraries compares the modules of others with the list of what they are.
func TestLibraries(t *testing.T) {
	t.Parallel()
	testkit.Vendored(t, "vendored", "*.mjs")
}

var importMap = regexp.MustCompile(`<script type="importmap">(.*?)</script>`)

// TestIslandImportsByDigest renders a page with two modules. The import map leads to
// assets that exist, comes before every module, and is the one that the policy allows.
func TestIslandImportsByDigest(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	site.AddAssets(fstest.MapFS{
		"files/yard/main.js":  {Data: []byte(`import "./other.js";`)},
		"files/yard/other.js": {Data: []byte(`import { openDB } from "idb";`)},
		"files/alone.js":      {Data: []byte(`1;`)},
	}, "files")
	site.AddLibraries("yard", map[string]string{"idb": "idb.mjs"}, map[string]string{"alone": "alone.js"})
	templates := site.Templates(fstest.MapFS{"yard.html": {Data: []byte(`{{define "yard"}}{{end}}`)}}, "yard.html")
	header := http.Header{}
	body, err := templates.Render(header,
		page.Document{Language: page.English, Template: "yard", Scripts: []string{"yard/main.js"}, Island: "yard"})
	if err != nil {
		t.Fatal(err)
	}
	found := importMap.FindSubmatch(body)
	if found == nil || strings.Index(string(body), "importmap") > strings.Index(string(body), `type="module"`) {
		t.Fatalf("got\n%s\nwant an import map before all modules", body)
	}
	var decoded struct{ Imports map[string]string }
	if err := json.Unmarshal(found[1], &decoded); err != nil {
		t.Fatal(err)
	}
	if got, want := decoded.Imports["/assets/yard/other.js"], site.Asset("yard/other.js"); got != want ||
		len(decoded.Imports) != 18 {
		t.Errorf("got %v, want two own modules, of which other.js leads to %s, nine that islands share, five libraries "+
			"of all, and two of its own", decoded.Imports, want)
	}
	for name, target := range decoded.Imports {
		if status, header, _, err := get(t, site, target); err != nil || status != http.StatusOK ||
			header.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%s: got %d, %v, %v at %s, want a module", name, status, header, err, target)
		}
	}
	for name, want := range map[string]bool{"idb.mjs": true, "alone.js": false} {
		if got := strings.Contains(string(body), `<link rel="modulepreload" href="`+site.Asset(name)); got != want {
			t.Errorf("%s: got loaded with the page: %t, want %t", name, got, want)
		}
	}
	sum := sha256.Sum256(found[1])
	want := strings.Replace(page.Policy, "script-src 'self'",
		"script-src 'self' 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", 1)
	if got := header.Get("Content-Security-Policy"); got != want || site.IslandPolicy("yard") != want {
		t.Errorf("got the policies %q and %q, want %q", got, site.IslandPolicy("yard"), want)
	}
}

// TestMapPolicy: a page with a map may start a worker and read from the servers that it names,
// and nothing else is different.
func TestMapPolicy(t *testing.T) {
	t.Parallel()
	site, header := newSite(t), http.Header{}
	site.AddAssets(fstest.MapFS{"files/yard/main.js": {Data: []byte(`1;`)}}, "files")
	templates := site.Templates(fstest.MapFS{"yard.html": {Data: []byte(`{{define "yard"}}{{end}}`)}}, "yard.html")
	const tiles = "https://tiles.example.com"
	if _, err := templates.Render(header, page.Document{
		Language: page.English, Template: "yard", Island: "yard", Map: &page.Map{Origins: []string{tiles}},
	}); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(site.IslandPolicy("yard"), "connect-src 'self'", "connect-src 'self' "+tiles, 1) +
		"; trusted-types " + page.TrustedWorker
	if got := header.Get("Content-Security-Policy"); got != want || site.MapPolicy("yard", tiles) != want {
		t.Errorf("got the policies %q and %q, want %q", got, site.MapPolicy("yard", tiles), want)
	}
}

func TestOtherPagesHaveNoImportMap(t *testing.T) {
	t.Parallel()
	site, header := newSite(t), http.Header{}
	templates := site.Templates(fstest.MapFS{"yard.html": {Data: []byte(`{{define "yard"}}{{end}}`)}}, "yard.html")
	body, err := templates.Render(header, page.Document{Language: page.English, Template: "yard"})
	if err != nil || importMap.Match(body) || header.Get("Content-Security-Policy") != page.Policy {
		t.Errorf("got %v, %v\n%s\nwant no import map, and the policy of all pages", header, err, body)
	}
}
