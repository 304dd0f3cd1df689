package docs_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard"
	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/downloads"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/docs"
	"github.com/dropyard/dropyard/internal/web/page"
)

// site serves the documentation without a service.
func site(t testing.TB) http.Handler {
	t.Helper()
	shared := page.NewSite(page.Config{Now: time.Now, Random: repeatable.Reader(t)})
	pages := docs.New(docs.Config{
		Site: shared, BaseURL: func() string { return "https://api.dropyard.example" }, Statuses: api.Statuses(),
		Downloads: downloads.New(dropyard.Sources, "0.1.0"),
	})
	mux := http.NewServeMux()
	for _, route := range append(pages.Routes(), shared.Routes()...) {
		mux.HandleFunc(route.Method+" "+route.Pattern, func(w http.ResponseWriter, r *http.Request) {
			status, body, err := route.Serve(&web.PageRequest{Request: r, Header: w.Header()})
			var refused *refusal.Error
			if errors.As(err, &refused) {
				status = api.Statuses()[refused.Code]
			} else if err != nil {
				status = http.StatusInternalServerError
			}
			w.WriteHeader(status)
			_, _ = w.Write(body) // a recorder takes everything
		})
	}
	return mux
}

// read returns the status and the body of a page.
func read(from http.Handler, address string) (int, string) {
	answer := httptest.NewRecorder()
	from.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, address, nil))
	return answer.Code, answer.Body.String()
}

var (
	target = regexp.MustCompile(` href="([^"]+)"`)
	anchor = regexp.MustCompile(` id="([^"]+)"`)
)

// elsewhere are the addresses that other packages serve.
var elsewhere = map[string]bool{
	"/": true, "/openapi.yaml": true, "/ops.yaml": true, "/openapi.json": true, "/ops.json": true, "/portal": true,
	"/docs/postman.json": true,
	"/portal/keys":       true,
}

// repository is where links lead to files that the service does not serve.
const repository = "https://github.com/dropyard/dropyard/blob/main/"

// TestNoLinkIsDead follows all links of all pages, with their fragments, and
// compares the ids of each page.
func TestNoLinkIsDead(t *testing.T) {
	t.Parallel()
	server := site(t)
	bodies, waiting := map[string]string{}, []string{"/docs"}
	for len(waiting) > 0 {
		address := waiting[0]
		waiting = waiting[1:]
		status, body := read(server, address)
		if status != http.StatusOK {
			t.Errorf("%s: got status %d, want 200", address, status)
		}
		bodies[address] = body
		for _, link := range target.FindAllStringSubmatch(body, -1) {
			to, _, _ := strings.Cut(link[1], "#")
			to, _, _ = strings.Cut(to, "?")
			if _, seen := bodies[to]; strings.HasPrefix(to, "/") && !elsewhere[to] && !seen {
				bodies[to] = ""
				waiting = append(waiting, to)
			}
		}
	}
	for address, body := range bodies {
		checkTargets(t, address, body, bodies)
		checkIDs(t, address, body)
	}
}

// checkTargets checks the fragments of a page's links, and its links to the repository.
func checkTargets(t *testing.T, address, body string, bodies map[string]string) {
	t.Helper()
	if extension := path.Ext(address); extension != "" {
		return
	}
	for _, link := range target.FindAllStringSubmatch(body, -1) {
		if file, ok := strings.CutPrefix(link[1], repository); ok {
			file, _, _ = strings.Cut(file, "#")
			if _, err := os.Stat(filepath.Join("../../..", file)); err != nil {
				t.Errorf("%s: the link to %s: %v", address, link[1], err)
			}
			continue
		}
		to, fragment, marked := strings.Cut(link[1], "#")
		if to == "" {
			to = address
		}
		if marked && bodies[to] != "" && !strings.Contains(bodies[to], ` id="`+fragment+`"`) {
			t.Errorf("%s: the link to %s: got no element %q, want one", address, link[1], fragment)
		}
	}
}

// checkIDs fails for a page on which two elements have one id.
func checkIDs(t *testing.T, address, body string) {
	t.Helper()
	seen := map[string]bool{}
	for _, id := range anchor.FindAllStringSubmatch(body, -1) {
		if seen[id[1]] {
			t.Errorf("%s: got two elements with the id %q, want one", address, id[1])
		}
		seen[id[1]] = true
	}
}

// TestEveryDocumentIsListed fails for a document of the folder docs that no group of the
// contents has.
func TestEveryDocumentIsListed(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../../docs/*.md")
	guides, wrong := filepath.Glob("../../../docs/guides/*.md")
	if names = append(names, guides...); err != nil || wrong != nil || len(guides) == 0 {
		t.Fatalf("got %q, %v, %v, want the documents", names, err, wrong)
	}
	_, start := read(site(t), "/docs")
	for _, name := range names {
		address := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), "../../.."), ".md")
		if address == "/docs/README" {
			continue // itself a list of the documents
		}
		if !strings.Contains(start, `href="`+address+`"`) {
			t.Errorf("%s: got no link to it on the first page, want one: add it to the shelves", name)
		}
	}
}

// TestEveryErrorHasAPage fails for a code whose page is missing in a language, or has no
// example.
func TestEveryErrorHasAPage(t *testing.T) {
	t.Parallel()
	server := site(t)
	for _, code := range api.Codes() {
		for _, language := range page.Languages {
			key := "docs.error." + string(code)
			if !page.Has(key+".means") || !page.Has(key+".do") {
				t.Fatalf("%s: got no phrases %s.means and %s.do, want both", code, key, key)
			}
			address := "/docs/errors/" + string(code) + ".md?lang=" + string(language)
			status, body := read(server, address)
			if status != http.StatusOK {
				t.Errorf("%s: got status %d, want 200", address, status)
			}
			for _, part := range []string{
				language.Text(key + ".means"), language.Text(key + ".do"), `"code": "` + string(code) + `"`,
				`"doc_url": "https://api.dropyard.example/docs/errors/` + string(code) + `"`,
			} {
				if !strings.Contains(body, part) {
					t.Errorf("%s: got %q, want it to hold %q", address, body, part)
				}
			}
		}
	}
	for _, key := range page.Keys() {
		code, is := strings.CutPrefix(key, "docs.error.")
		code, _, about := strings.Cut(code, ".")
		if _, known := api.Statuses()[refusal.Code(code)]; is && about && !known {
			t.Errorf("%s: got a phrase for a code that does not exist", key)
		}
	}
}

// TestErrorsLeadWithTheUsual compares the first example of some codes with the one that
// most readers meet.
func TestErrorsLeadWithTheUsual(t *testing.T) {
	t.Parallel()
	server := site(t)
	first := regexp.MustCompile(`"message": "([^"]*)"`)
	for code, want := range map[string]string{
		"conflict": "partner_order_id", "validation_error": "service_level", "unauthorized": "does not match",
		"forbidden": "scopes", "not_found": "order", "bad_request": "not valid JSON",
	} {
		_, body := read(server, "/docs/errors/"+code+".md")
		if found := first.FindStringSubmatch(body); found == nil || !strings.Contains(found[1], want) {
			t.Errorf("%s: got the first example %q, want one about %s", code, found, want)
		}
	}
}

// TestErrorNamesTheWayOut: who can no longer cancel an order reads by which request the service does it.
func TestErrorNamesTheWayOut(t *testing.T) {
	t.Parallel()
	server := site(t)
	for _, language := range page.Languages {
		_, body := read(server, "/docs/errors/order_not_cancellable.md?lang="+string(language))
		if !strings.Contains(body, "POST /v1/orders/{order_id}/cancellation-request") {
			t.Errorf("%s: got %q, want the request for a cancellation", language, body)
		}
	}
}

// TestFirstVisitIsLight adds up what a browser loads for a page.
func TestFirstVisitIsLight(t *testing.T) {
	t.Parallel()
	const most = 100_000
	server := site(t)
	loaded := regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)
	_, start := read(server, "/docs")
	for _, link := range target.FindAllStringSubmatch(start, -1) {
		if !strings.HasPrefix(link[1], "/docs") {
			continue
		}
		_, body := read(server, link[1])
		total := compressed(t, body)
		for _, asset := range loaded.FindAllStringSubmatch(body, -1) {
			_, content := read(server, asset[1])
			total += compressed(t, content)
		}
		if total > most {
			t.Errorf("%s: got %d bytes with its assets, want at most %d", link[1], total, most)
		}
	}
}

// compressed returns the size of a text as gzip sends it.
func compressed(t *testing.T, text string) int {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// TestSearchIndex looks for a document, an operation and an error in the index, whose
// addresses must exist.
func TestSearchIndex(t *testing.T) {
	t.Parallel()
	const most = 100_000
	server := site(t)
	status, body := read(server, "/docs/search/en.json")
	var entries []struct {
		P, T, X string
		O       bool
	}
	if err := json.Unmarshal([]byte(body), &entries); err != nil || status != http.StatusOK {
		t.Fatalf("got status %d and %v, want an index", status, err)
	}
	if size := compressed(t, body); size > most {
		t.Errorf("got an index of %d bytes, want at most %d", size, most)
	}
	others := map[string]bool{
		"/docs/contract": false, "/docs/api/createOrder": false, "/docs/operating": true, "/docs/api/operators": true,
		"/docs/api/listBoard": true,
	}
	found := map[string]bool{}
	for _, one := range entries {
		found[one.P] = true
		if want, is := others[one.P]; is && one.O != want {
			t.Errorf("%s is for other readers than partners: got %t, want %t", one.P, one.O, want)
		}
	}
	for _, path := range []string{
		"/docs/guides/first-order", "/docs/api/createOrder#body", "/docs/errors/conflict", "/docs/events/order.failed#body",
	} {
		if !found[path] {
			t.Errorf("got no entry of %s, want one", path)
		}
	}
	if status, _ := read(server, "/docs/search/xx.json"); status != http.StatusNotFound {
		t.Errorf("the index in an unknown language: got status %d, want 404", status)
	}
}

// TestStartAsMarkdown compares the links of the first page with those of its Markdown.
func TestStartAsMarkdown(t *testing.T) {
	t.Parallel()
	server := site(t)
	_, start := read(server, "/docs")
	status, body := read(server, "/docs.md")
	if status != http.StatusOK || !strings.HasPrefix(body, "# Dropyard documentation\n") {
		t.Fatalf("got status %d and %.60q, want the first page", status, body)
	}
	for _, link := range target.FindAllStringSubmatch(start, -1) {
		if strings.HasPrefix(link[1], "/docs/") && !strings.Contains(body, "]("+link[1]+".md)") {
			t.Errorf("got no link to %s.md, want one, as on the page", link[1])
		}
	}
}

// TestLLMsText follows the links of the list for programs.
func TestLLMsText(t *testing.T) {
	t.Parallel()
	server := site(t)
	_, body := read(server, "/llms.txt")
	links := regexp.MustCompile(`\]\(https://api\.dropyard\.example([^)]+)\)`).FindAllStringSubmatch(body, -1)
	if len(links) < 150 {
		t.Fatalf("got %d links, want one for each page:\n%s", len(links), body)
	}
	for _, link := range links {
		if status, _ := read(server, link[1]); status != http.StatusOK {
			t.Errorf("%s: got status %d, want 200", link[1], status)
		}
	}
}
