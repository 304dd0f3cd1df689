// Package basemap is the map on which pages show where orders are: MapLibre GL, coasts, lakes,
// borders and the names of cities, which the program carries, and street tiles where the operator
// has them.
package basemap

import (
	"embed"
	"encoding/json"
	"maps"
	"math"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/route"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed assets
var files embed.FS

// libraryFiles are what others have written, as their packages ship it. vendored/vendored.json
// says what it is.
//
//go:embed vendored/*.js vendored/*.css
var libraryFiles embed.FS

// lines are coasts, lakes, provinces and borders as TopoJSON.
//
//go:embed basemap.topojson
var lines string

// linesFile is the asset with the lines and the names of cities.
const linesFile = "map/basemap.json"

// partsFile is the asset with the paths of what a map consists of besides its modules.
const partsFile = "map/parts.json"

// modules are the modules of the map and where their parts are, by the names that the modules of
// islands import. All is loaded when a map is first opened.
var modules = map[string]string{
	"dropyard/basemap.js":  "map/basemap.js",
	"dropyard/clusters.js": "map/clusters.js",
	"dropyard/dots.js":     "map/dots.js",
	"dropyard/map.json":    partsFile,
}

// parts are what a map consists of besides its modules. The names are those in basemap.js. They are
// in a file of their own, so that pages do not carry their paths until a map is opened.
var parts = map[string]string{
	"lines":          linesFile,
	"styles":         "map/map.css",
	"maplibre":       "vendored/maplibre-gl-csp.js",
	"maplibreWorker": "vendored/maplibre-gl-csp-worker.js",
	"maplibreStyles": "vendored/maplibre-gl.css",
	"topojson":       "vendored/topojson-client.js",
}

// AddTo adds the map to a site, and lets the modules of an island use it.
func AddTo(site *page.Site, folder string, streets Streets) {
	if !site.Has(linesFile) {
		site.AddAssets(files, "assets")
		site.AddAssets(libraryFiles, ".")
		site.AddAsset(linesFile, linesWithCities())
		paths := map[string]string{}
		for name, file := range parts {
			paths[name] = site.Asset(file)
		}
		site.AddAsset(partsFile, encoded(paths))
	}
	later := maps.Clone(modules)
	if streets.Server != "" || streets.File != "" {
		later["dropyard/streets.js"] = "map/streets.js"
	}
	if streets.File != "" {
		maps.Copy(later, streetLibraries)
	}
	site.AddLibraries(folder, nil, later)
}

// linesWithCities returns the lines, with the cities as one more member.
var linesWithCities = sync.OnceValue(func() []byte {
	return []byte(`{"cities":` + string(encoded(cities())) + "," + strings.TrimPrefix(lines, "{"))
})

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic("basemap: " + err.Error()) // numbers and texts can always be encoded
	}
	return text
}

// city is a name on the map.
type city struct {
	Name string     `json:"name"`
	Rank int        `json:"rank"` // from 1: the lower, the earlier it is shown
	At   [2]float64 `json:"at"`   // longitude and latitude
}

// cities returns the cities that the map names.
func cities() (found []city) {
	for _, named := range route.Cities() {
		found = append(found, city{
			named.Name, named.Rank, [2]float64{thousandth(named.At.Longitude), thousandth(named.At.Latitude)},
		})
	}
	return found
}

func thousandth(degrees float64) float64 { return math.Round(degrees*1000) / 1000 }
