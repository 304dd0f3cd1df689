package browser_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
)

const (
	policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src *; connect-src 'self'"
	clean  = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Clean</title><main><h1>Clean</h1></main></html>`
	// restless asks for what is not there all the time, and leaves when its cookie is gone.
	restless = `<!doctype html><title>Restless</title><p style="width:5000px">wide</p><img src="http://127.0.0.1:1/foreign.png">
<script>console.log("here"); setInterval(async () => { if ((await fetch("/none")).status === 401) location.assign("/elsewhere"); }, 1); nothing();</script>`
)

// TestProblems shows a page with all kinds of problems, and then, in the same tab, one
// without: nothing of the first is reported of the second, although it goes on for ever.
func TestProblems(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		body := map[string]string{"/clean": clean, "/restless": restless}[r.URL.Path]
		switch _, err := r.Cookie("session"); {
		case err != nil:
			w.WriteHeader(http.StatusUnauthorized)
		case body == "":
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	chromium, err := browser.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer chromium.Close()
	for range 3 {
		got := problems(t, chromium, server.URL+"/restless", "default-src 'self'")
		for _, want := range []string{
			"wider than the window", "without width and height", "html-has-lang", "console.log: \"here\"", "exception: ",
			"another server: http://127.0.0.1:1/foreign.png", "policy of ",
		} {
			if !slices.ContainsFunc(got, func(problem string) bool { return strings.Contains(problem, want) }) {
				t.Errorf("the restless page: got %q, want one with %q", got, want)
			}
		}
		if got := problems(t, chromium, server.URL+"/clean", policy); len(got) > 0 {
			t.Errorf("the clean page: got %q, want no problems", got)
		}
	}
}

// problems returns what is wrong with a page. The reader has a cookie.
func problems(t *testing.T, chromium *browser.Browser, address, policy string) []string {
	t.Helper()
	visit, err := chromium.Open(address, browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Cookie: "session=1"})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	if visit.Bytes() == 0 {
		t.Errorf("%s: got 0 bytes, want those of the document", address)
	}
	return visit.Problems(policy)
}
