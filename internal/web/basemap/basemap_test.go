package basemap

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/page"
)

// TestLibraries compares the files of others with the list of what they are.
func TestLibraries(t *testing.T) {
	t.Parallel()
	testkit.Vendored(t, "vendored", "*.js", "*.css")
}

// TestLines reads what the map is drawn from: the lines, and cities that are where they are.
func TestLines(t *testing.T) {
	t.Parallel()
	var topology struct {
		Type    string
		Objects map[string]json.RawMessage
		Cities  []city
	}
	if err := json.Unmarshal(linesWithCities(), &topology); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"land", "lakes", "provinces", "borders"} {
		if topology.Objects[name] == nil {
			t.Errorf("got no %s", name)
		}
	}
	if topology.Type != "Topology" || len(topology.Cities) < 100 {
		t.Errorf("got %q with %d cities, want a topology with the cities of the table", topology.Type, len(topology.Cities))
	}
	at := slices.IndexFunc(topology.Cities, func(one city) bool { return one.Name == "Montréal" })
	if got := topology.Cities[at]; got.Rank != 1 || got.At != [2]float64{-73.562, 45.505} {
		t.Errorf("got %+v, want Montréal first among names, where H2Z is", got)
	}
}

// TestMapIsLoadedLater: an island with a map can import its parts, and loads none of them at first.
func TestMapIsLoadedLater(t *testing.T) {
	t.Parallel()
	site := page.NewSite(page.Config{})
	AddTo(site, "yard", Streets{})
	AddTo(site, "garden", Streets{File: "streets.pmtiles"}) // a site has the files once
	for _, files := range []map[string]string{modules, parts} {
		for name, file := range files {
			if !site.Has(file) {
				t.Errorf("got no asset %s for %s", file, name)
			}
		}
	}
}
