package page_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

var now = time.Date(2026, time.June, 18, 16, 50, 0, 0, time.UTC)

func newSite(t testing.TB) *page.Site {
	t.Helper()
	return page.NewSite(page.Config{Now: func() time.Time { return now }, Random: repeatable.Reader(t)})
}

// TestDocumentsImportByDigest serves a module of documents that imports one of all pages.
func TestDocumentsImportByDigest(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	site.AddAssets(fstest.MapFS{"files/mine.js": {Data: []byte(`import { load } from "dropyard/swap.js";`)}}, "files")
	status, _, body, err := get(t, site, site.Asset("mine.js"))
	if want := `import { load } from "` + site.Asset("swap.js") + `";`; err != nil || status != http.StatusOK ||
		string(body) != want {
		t.Errorf("got %d, %v, %q, want %q", status, err, body, want)
	}
}

// get requests a path from the shared routes of a site.
func get(
	t *testing.T, site *page.Site, path string, headers ...string,
) (status int, header http.Header, body []byte, err error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	header = http.Header{}
	mux := http.NewServeMux()
	for _, route := range site.Routes() {
		mux.HandleFunc(route.Method+" "+route.Pattern, func(_ http.ResponseWriter, r *http.Request) {
			status, body, err = route.Serve(&web.PageRequest{Request: r, Header: header})
		})
	}
	mux.ServeHTTP(httptest.NewRecorder(), r)
	return status, header, body, err
}

func TestAssetsAreCachedForEver(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	path := site.Asset("swap.js")
	status, header, plain, err := get(t, site, path)
	if err != nil || status != http.StatusOK || header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
		header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Fatalf("%s: got %d, %v, %v, want a script that is cached for ever", path, status, header, err)
	}
	_, header, packed, err := get(t, site, path, "Accept-Encoding", "br, gzip")
	if err != nil || header.Get("Content-Encoding") != "gzip" || header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%s: got %v, %v, want it compressed", path, header, err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err := io.ReadAll(reader); err != nil || !bytes.Equal(unpacked, plain) {
		t.Errorf("compressed: got %d bytes, %v, want the same %d", len(unpacked), err, len(plain))
	}
}

// TestAssetsHaveOnePath: an asset at a path without the digest of its content would be
// cached for ever, too.
func TestAssetsHaveOnePath(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	for _, path := range []string{
		"/assets/swap.js", "/assets/swap.0000000000000000.js", "/assets/none.js", "/assets/page.css",
	} {
		if status, _, _, err := get(t, site, path); !refusal.HasCode(err, refusal.CodeNotFound) {
			t.Errorf("%s: got %d, %v, want not_found", path, status, err)
		}
	}
}

func TestSwapStaysSmall(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("assets/swap.js")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(script, []byte("\n")); lines > 150 {
		t.Errorf("swap.js: got %d lines, want at most 150", lines)
	}
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wanted, preferred, accepted string
		want                        page.Language
	}{
		"no preference":    {"", "", "", page.English},
		"accepts French":   {"", "", "fr-CA,fr;q=0.9,en;q=0.5", page.French},
		"asks for English": {"en", "fr", "fr", page.English},
		"asks for French":  {"fr", "en", "en", page.French},
		"partner's":        {"", "fr", "en", page.French},
		"asks for neither": {"de", "", "fr", page.French},
		"asks for garbage": {"<script>", "<b>", "!!", page.English},
	} {
		r := httptest.NewRequest(http.MethodGet, "/?lang="+url.QueryEscape(c.wanted), nil)
		r.Header.Set("Accept-Language", c.accepted)
		if got := page.LanguageOf(r, page.Language(c.preferred)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	here := now.In(zone.Own().Location("America/Toronto"))
	for _, c := range []struct {
		name, got, want string
	}{
		{"today", page.English.Moment(here.Add(-9*time.Minute), now), "Today, 12:41 PM"},
		{"yesterday, in the zone of the time", page.French.Moment(here.Add(-13*time.Hour), now), "Hier, 23 h 50"},
		{"tomorrow", page.English.Moment(here.Add(12*time.Hour), now), "Tomorrow, 12:50 AM"},
		{"this year", page.French.Moment(here.AddDate(0, 0, 4), now), "Lundi 22 juin, 12 h 50"},
		{"another year", page.English.Moment(here.AddDate(1, 0, 0), now), "June 18, 2027, 12:50 PM"},
		{"now", page.French.Relative(here.Add(20*time.Second), now), "à l’instant"},
		{"soon", page.English.Relative(here.Add(130*time.Minute), now), "in 2 h 10"},
		{"past", page.French.Relative(here.Add(-12*time.Minute), now), "il y a 12 min"},
		{"far", page.English.Relative(here.AddDate(0, 0, -1), now), "yesterday, 12:50 PM"},
		{"within a sentence", page.French.Within(here.Add(-9*time.Minute), now), "aujourd’hui, 12 h 41"},
		{"a date within a sentence", page.English.Within(here.AddDate(0, 0, -9),
			now), page.English.Moment(here.AddDate(0, 0, -9), now)},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
	for hours, want := range map[time.Duration]string{1: "11:50 and 12:50", 2: "11:50 AM and 1:50 PM"} {
		start := here.Add(-time.Hour)
		if hours == 1 {
			start = start.Add(12 * time.Hour)
		}
		from, to := page.English.Between(start, start.Add(hours*time.Hour))
		if got := from + " and " + to; !strings.HasPrefix(got, want) && hours == 2 {
			t.Errorf("%d hours: got %q, want %q", hours, got, want)
		}
	}
}

// TestFormKeepsWhatWasSent reads a form with faults, as it is shown again.
func TestFormKeepsWhatWasSent(t *testing.T) {
	t.Parallel()
	made, err := newSite(t).NewForm("/settings", 7)
	if err != nil {
		t.Fatal(err)
	}
	sent := url.Values{"_key": {made.Key}, "_version": {"7"}, "email": {"lea@"}, "password": {"secret"}}
	r := httptest.NewRequest(http.MethodPost, "/settings", strings.NewReader(sent.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	read, err := page.ReadForm(&web.PageRequest{Request: r})
	if err != nil || read.Key != made.Key || read.Version != 7 {
		t.Fatalf("got %+v, %v, want the key %q and version 7", read, err, made.Key)
	}
	var problems form.Problems
	problems.Add("email", "lea@", delivery.EmailRule.Rule)
	problems.Add("name", nil, delivery.NameRule.Rule)
	if !read.Refuse(problems.Err(), page.French) {
		t.Fatal("got no faults, want those of the validation error")
	}
	email, name := read.With(page.Field{Name: "email"}), read.With(page.Field{Name: "name"})
	if email.Value != "lea@" || email.Fault != "Entrez une adresse de courriel." ||
		name.Fault != "Ce champ est obligatoire." {
		t.Errorf("got %+v and %+v, want the value and the faults in French", email, name)
	}
	if password := read.With(page.Field{Name: "password", Type: "password"}); password.Value != "" {
		t.Errorf("got %+v, want no password on the page", password)
	}
	if read.Refuse(errors.New("disk full"), page.English) {
		t.Error("got faults of an error that is not a validation error")
	}
}

// TestFaultsNameTheirFields writes a list of faults above the fields, which name
// themselves only as they are written. A fault of a field that is not on the page stays.
func TestFaultsNameTheirFields(t *testing.T) {
	t.Parallel()
	templates := newSite(t).Templates(fstest.MapFS{"sent.html": {Data: []byte(
		`{{define "sent"}}{{template "faults" .Form}}{{template "field" (.Form.With .Field)}}{{end}}`,
	)}}, "sent.html")
	sent := &page.Form{
		Values: url.Values{}, Faults: []page.Fault{{Field: "name", Text: "Too long."}, {Field: "absent", Text: "Unknown."}},
	}
	body, err := templates.Render(http.Header{}, page.Document{Language: page.English, Template: "sent", Data: struct {
		Form  *page.Form
		Field page.Field
	}{sent, page.Field{Name: "name", Label: "Your <name>", Type: "text"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<li><a href="#field-name">Your &lt;name&gt;</a> · Too long.</li>`, `<li><a href="#field-absent">Unknown.</a></li>`,
	} {
		if strings.Count(string(body), want) != 1 {
			t.Errorf("got no %s, or several, want one:\n%s", want, body)
		}
	}
}

func TestFormNeedsAKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "short", strings.Repeat("zz", 16)} {
		r := httptest.NewRequest(http.MethodPost, "/settings", strings.NewReader("_key="+key))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if _, err := page.ReadForm(&web.PageRequest{Request: r}); !refusal.HasCode(err, refusal.CodeBadRequest) {
			t.Errorf("key %q: got %v, want bad_request", key, err)
		}
	}
}

// TestFlashIsShownOnce takes a message from the cookie that set it, and nothing from
// cookies that it did not set.
func TestFlashIsShownOnce(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	left := http.Header{}
	site.SetFlash(&web.PageRequest{Header: left},
		page.Flash{Key: "portal.cancel.done", Arguments: []string{"order", "<b>A-1"}, Danger: true})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Cookie", strings.Split(left.Get("Set-Cookie"), ";")[0])
	taken := http.Header{}
	message := site.TakeFlash(&web.PageRequest{Request: r, Header: taken}, page.English)
	if message == nil || !strings.HasPrefix(message.Text, "Order <b>A-1 is cancelled.") || !message.Danger {
		t.Errorf("got %+v, want the message as text", message)
	}
	if removed := taken.Get("Set-Cookie"); !strings.Contains(removed, "Max-Age=0") {
		t.Errorf("got %q, want the cookie removed", removed)
	}
	for _, forged := range []string{"", "flash=%%%", "flash=e30", "flash=eyJrIjoibm9uZSJ9"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Cookie", forged)
		if message := site.TakeFlash(&web.PageRequest{Request: r, Header: http.Header{}}, page.English); message != nil {
			t.Errorf("%q: got %+v, want no message", forged, message)
		}
	}
}

func TestRefusedPage(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	for _, c := range []struct {
		code  refusal.Code
		want  string
		again bool
	}{
		{refusal.CodeNotFound, "Cette page n’existe pas", false},
		{refusal.CodeRateLimited, "Trop de requêtes", true},
		{refusal.CodeConflict, "C’est déjà fait", true},
		{refusal.CodeInternal, "Un problème est survenu", true},
		{"unknown_code", "Un problème est survenu", true},
		{refusal.CodeGone, "Ceci n’est plus accessible", false},
		{delivery.CodeInvalidTransition, "La commande ne peut pas passer à cet état", true},
	} {
		header := http.Header{"X-Request-Id": {"req_1"}}
		v := &web.PageRequest{Request: httptest.NewRequest(http.MethodGet, "/somewhere?lang=fr", nil), Header: header}
		_, body, err := site.Refused(v, refusal.New(c.code, "refused"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(body)
		if !strings.Contains(text, c.want) || !strings.Contains(text, "req_1") ||
			strings.Contains(text, "Réessayer") != c.again {
			t.Errorf("%s: got\n%s\nwant %q, the id of the request, and to try again: %t", c.code, text, c.want, c.again)
		}
		if header.Get("Content-Security-Policy") != page.Policy || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got headers %v, want the policy and no-store", c.code, header)
		}
	}
}

// TestEntrances leads people who have not signed in to where they can, and from there
// back to what they asked for.
func TestEntrances(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	for _, c := range []struct{ method, path, referer, want string }{
		{"GET", "/portal/orders?status=failed", "", "/portal/login?next=%2Fportal%2Forders%3Fstatus%3Dfailed"},
		{"GET", "/console/board", "", "/console/login?next=%2Fconsole%2Fboard"},
		{"GET", "/courier", "", "/courier/login?next=%2Fcourier"},
		{
			"POST", "/portal/keys", "http://example.com/portal/keys?mode=test",
			"/portal/login?next=%2Fportal%2Fkeys%3Fmode%3Dtest",
		},
		{"POST", "/portal/keys", "http://elsewhere.example/x", "/portal/login?next=%2Fportal"},
	} {
		v := &web.PageRequest{Request: httptest.NewRequest(c.method, c.path, nil), Header: http.Header{}}
		v.Request.Header.Set("Referer", c.referer)
		status, _, err := site.Refused(v, refusal.New(refusal.CodeUnauthorized, "log in first"))
		if got := v.Header.Get("Location"); err != nil || status != http.StatusSeeOther || got != c.want {
			t.Errorf("%s %s from %q: got %d to %q, %v, want 303 to %q", c.method, c.path, c.referer, status, got, err, c.want)
		}
	}
}
