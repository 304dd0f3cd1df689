package courier_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/web/courier"
	"github.com/dropyard/dropyard/internal/web/page"
)

// rider returns a courier in whose browser the app can be opened.
func rider(t *testing.T, s *apptest.Service) *apptest.Visitor {
	t.Helper()
	return s.Operate(t).As(t, "courier").Visit(t)
}

// list is what the worker keeps.
type list struct {
	Version       string
	Assets, Later []page.AppAsset
}

// has reports whether the worker keeps what is at a path.
func (l *list) has(path string) bool {
	return slices.ContainsFunc(slices.Concat(l.Assets, l.Later), func(one page.AppAsset) bool { return one.Path == path })
}

// listOf returns the list in front of the worker's source.
func listOf(t *testing.T, worker *apptest.Answer) (decoded list) {
	t.Helper()
	first, _, _ := bytes.Cut(worker.Body, []byte(";\n"))
	encoded, found := bytes.CutPrefix(first, []byte("self.shell = "))
	if err := json.Unmarshal(encoded, &decoded); err != nil || !found {
		t.Fatalf("got %.200s, %v, want a list of what is kept", worker.Body, err)
	}
	return decoded
}

// asset finds the paths of assets in documents, styles and import maps.
var asset = regexp.MustCompile(`/assets/[^"')\s]+\.[0-9a-f]{16}\.[a-z]+`)

// TestWorkerKeepsAllAssets compares the list of the worker with everything that the
// document, its import map and its styles name, and with what the service sends.
func TestWorkerKeepsAllAssets(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	document := rider(t, s).Open(t, "/courier").Must(t, http.StatusOK)
	worker := s.Visit().Open(t, "/courier/worker.js").Must(t, http.StatusOK)
	kept := listOf(t, worker)
	if got := document.Header.Get("Dropyard-App"); got != kept.Version || got == "" {
		t.Errorf("got a document of version %q, want that of the worker, %q", got, kept.Version)
	}
	offline := s.Visit().Open(t, "/courier/offline").Must(t, http.StatusOK)
	if got := offline.Header.Get("Dropyard-App"); got != kept.Version {
		t.Errorf("got the offline page of version %q, want that of the worker, %q", got, kept.Version)
	}
	needed := asset.FindAllString(string(document.Body)+string(offline.Body), -1)
	for _, one := range slices.Concat(kept.Assets, kept.Later) {
		answer := s.Visit().Open(t, one.Path).Must(t, http.StatusOK)
		sum := sha256.Sum256(answer.Body)
		kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
		if want := (page.AppAsset{Path: one.Path, Type: kind, Integrity: "sha256-" +
			base64.StdEncoding.EncodeToString(sum[:])}); one != want {
			t.Errorf("got %+v in the worker's list, want %+v", one, want)
		}
		if strings.HasSuffix(one.Path, ".css") {
			needed = append(needed, asset.FindAllString(string(answer.Body), -1)...)
		}
	}
	if len(needed) < 15 {
		t.Errorf("got %q, want the assets of the document", needed)
	}
	for _, path := range needed {
		if !kept.has(path) {
			t.Errorf("%s: the document needs it, and the worker does not keep it", path)
		}
	}
}

func TestWorkerHeaders(t *testing.T) {
	t.Parallel()
	answer := apptest.Start(t).Visit().Open(t, "/courier/worker.js").Must(t, http.StatusOK)
	for name, want := range map[string]string{
		"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache", "Service-Worker-Allowed": "/courier",
		"Content-Security-Policy": courier.WorkerPolicy,
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestAppPolicy compares the policy of the app with that of all pages.
func TestAppPolicy(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := rider(t, s)
	got := v.Open(t, "/courier").Must(t, http.StatusOK).Header.Get("Content-Security-Policy")
	digest := regexp.MustCompile(` 'sha256-[^']+'`).FindString(got)
	want := strings.Replace(page.Policy, "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"+digest,
		1) + "; trusted-types dropyard-worker"
	if digest == "" || got != want || got != courier.Policy() {
		t.Errorf("got %q, want %q and %q", got, want, courier.Policy())
	}
	for _, path := range []string{"/courier/offline", "/courier/sign-in"} {
		if got := v.Open(t, path).Must(t, http.StatusOK).Header.Get("Content-Security-Policy"); got != page.Policy {
			t.Errorf("%s: got the policy %q, want that of all pages", path, got)
		}
	}
}

// TestManifest reads the manifest in both languages, and all icons that it names.
func TestManifest(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := rider(t, s)
	for language, name := range map[string]string{"en": "Dropyard for couriers", "fr": "Dropyard pour les livreurs"} {
		document := v.Open(t, "/courier?lang="+language).Must(t, http.StatusOK)
		path := "/courier/app.webmanifest?lang=" + language
		document.Shows(t, http.StatusOK, `<link rel="manifest" href="`+path+`">`)
		answer := s.Visit().Open(t, path).Must(t, http.StatusOK)
		var got struct {
			Name, Lang, Scope, Display string
			ShortName                  string `json:"short_name"`
			StartURL                   string `json:"start_url"`
			Icons                      []struct{ Src, Sizes, Type, Purpose string }
		}
		if err := json.Unmarshal(answer.Body, &got); err != nil {
			t.Fatal(err)
		}
		if got.Name != name || got.Lang != language || got.Scope != "/courier" || got.StartURL != "/courier" ||
			got.Display != "standalone" || len(got.ShortName) > 12 {
			t.Errorf("%s: got %+v", path, got)
		}
		if kind := answer.Header.Get("Content-Type"); kind != "application/manifest+json" {
			t.Errorf("%s: got the type %q", path, kind)
		}
		var kinds []string
		for _, icon := range got.Icons {
			kinds = append(kinds, icon.Sizes+" "+icon.Purpose)
			body := s.Visit().Open(t, icon.Src).Must(t, http.StatusOK)
			if kind := body.Header.Get("Content-Type"); kind != icon.Type {
				t.Errorf("%s: got the type %q, want %q", icon.Src, kind, icon.Type)
			}
			if icon.Type == "image/png" {
				checkIcon(t, body.Body, icon.Sizes, icon.Purpose)
			}
		}
		if want := []string{
			"192x192 any", "512x512 any", "192x192 maskable", "512x512 maskable", "any any",
		}; !slices.Equal(kinds, want) {
			t.Errorf("%s: got the icons %q, want %q", path, kinds, want)
		}
	}
}

// checkIcon looks at the size of an icon, at a corner, which is clear unless the phone
// cuts the icon itself, at the ground, and at a line of the mark.
func checkIcon(t *testing.T, content []byte, sizes, purpose string) {
	t.Helper()
	drawn, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	side := drawn.Bounds().Dx()
	at := func(x, y int) string {
		r, g, b, a := drawn.At(x*side/32, y*side/32).RGBA()
		return fmt.Sprintf("%02x%02x%02x%02x", r>>8, g>>8, b>>8, a>>8)
	}
	corner := map[string]string{"any": "00000000", "maskable": "0b5d3bff"}[purpose]
	if got, want := []string{at(0, 0), at(2, 16), at(16, 20)},
		[]string{corner, "0b5d3bff", "ffffffff"}; fmt.Sprintf("%dx%[1]d", side) != sizes || !slices.Equal(got, want) {
		t.Errorf("%s %s: got %d pixels and %q, want %q", sizes, purpose, side, got, want)
	}
}

// TestIconsDrawTheMark fails when the mark's drawing changes, which the icons repeat.
func TestIconsDrawTheMark(t *testing.T) {
	t.Parallel()
	drawing, err := os.ReadFile("../page/assets/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`viewBox="0 0 32 32"`, `rx="7" fill="#0b5d3b"`, `d="M7 12l9-5 9 5v9l-9 5-9-5zM7 12l9 5 9-5M16 17v9"`,
		`stroke="#fff" stroke-width="2"`,
	} {
		if !strings.Contains(string(drawing), want) {
			t.Errorf("got %s, want it to have %s, as icons.go draws it", drawing, want)
		}
	}
}
