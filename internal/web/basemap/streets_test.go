package basemap

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/web"
)

// TestPartsOfStreets asks for parts of a file of tiles, as browsers do.
func TestPartsOfStreets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "streets.pmtiles")
	const magic = "PMTiles\x03"
	content := magic + "0123456789"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	streets := Streets{File: file}
	for header, want := range map[string]string{
		"bytes=0-7": magic, "bytes=8-10": "012", "bytes=16-16383": "89", "bytes=17-17": "9",
		"": "", "bytes=18-20": "", "bytes=9-8": "", "bytes=-5": "", "bytes=5-": "", "bytes=0-4194304": "",
		"bytes=0-1,3-4": "",
	} {
		request := httptest.NewRequest(http.MethodGet, "/streets", http.NoBody)
		request.Header.Set("Range", header)
		v := &web.PageRequest{Request: request, Header: http.Header{}}
		status, got, err := streets.Serve(v)
		wantStatus := http.StatusPartialContent
		if want == "" {
			wantStatus = http.StatusRequestedRangeNotSatisfiable
		}
		if err != nil || status != wantStatus || string(got) != want || v.Header.Get("Content-Range") == "" {
			t.Errorf("%q: got %d %q, %v with %v, want %d %q", header, status, got, err, v.Header, wantStatus, want)
		}
	}
}

func TestDescribedStreets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		streets Streets
		told    string
		origins []string
	}{
		{Streets{}, "", nil},
		{Streets{File: "a.pmtiles", Attribution: "OSM"}, `{"kind":"pmtiles","url":"/tiles","attribution":"OSM"}`, nil},
		{
			Streets{Server: "https://tiles.example.com:8443/{z}/{x}/{y}.png"},
			`{"kind":"raster","url":"https://tiles.example.com:8443/{z}/{x}/{y}.png","attribution":""}`,
			[]string{"https://tiles.example.com:8443"},
		},
		{
			Streets{Server: "http://10.0.0.1/{z}/{x}/{y}.pbf"},
			`{"kind":"vector","url":"http://10.0.0.1/{z}/{x}/{y}.pbf","attribution":""}`, []string{"http://10.0.0.1"},
		},
	} {
		if told, origins := c.streets.Described("/tiles"), c.streets.Origins(); told != c.told || !slices.Equal(origins, c.origins) {
			t.Errorf("%+v: got %s and %q, want %s and %q", c.streets, told, origins, c.told, c.origins)
		}
	}
}
