package app_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

var tileOfPage = regexp.MustCompile(
	`<li><a class="card" href="([^"]+)"><b>([^<]+)</b> <span class="soft">([^<]+)</span>`)

// tilesOf returns the tiles of the first page, as path, value and label, and fails the test unless each
// leads to a page.
func tilesOf(t *testing.T, s *apptest.Service, language string) (tiles []string) {
	t.Helper()
	got := s.Do(t, "GET", "/", nil, "Accept-Language", language)
	for _, tile := range tileOfPage.FindAllSubmatch(got.Body, -1) {
		tiles = append(tiles, fmt.Sprintf("%s %s %s", tile[1], tile[2], tile[3]))
		if led := s.Do(t, "GET", string(tile[1]), nil, "Accept", "text/html"); led.Status != 200 && led.Status != 303 {
			t.Errorf("%s: got status %d, want a page", tile[1], led.Status)
		}
	}
	if len(tiles) != 4 {
		t.Errorf("got the tiles %q, want 4", tiles)
	}
	return tiles
}

// TestFirstPageShowsWhatIsPublic expects tiles that show nothing of the orders of a service that is used,
// and a picture.
func TestFirstPageShowsWhatIsPublic(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	before := tilesOf(t, s, "en")
	if !strings.HasPrefix(before[0], "/v1/ready Ready ") {
		t.Errorf("got %q, want the service ready", before[0])
	}
	p := s.Register(t, "metro")
	p.Create(t, testkit.OrderJSON("A-1", ""))
	if after := tilesOf(t, s, "en"); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("after an order: got %q, want %q", after, before)
	}
	if french := tilesOf(t, s, "fr"); !strings.HasPrefix(french[0], "/v1/ready Prêt ") {
		t.Errorf("in French: got %q", french[0])
	}
	if page := s.Do(t, "GET", "/", nil); !strings.Contains(string(page.Body), `<svg class="picture"`) {
		t.Errorf("got a first page without a picture")
	}
}
