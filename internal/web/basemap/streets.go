package basemap

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
)

// Streets are the street tiles of an operator; the zero value has none.
type Streets struct {
	File        string // of PMTiles
	Server      string // of tiles: an address with {z}, {x} and {y}
	Attribution string
}

// streetLibraries read files of PMTiles. They are loaded when a map with such a file is first opened.
var streetLibraries = map[string]string{
	"pmtiles": "vendored/pmtiles.js", "fflate": "vendored/fflate.js",
}

// Origins returns the servers that pages with the map read from, besides this one.
func (s Streets) Origins() []string {
	if s.Server == "" {
		return nil
	}
	server, err := url.Parse(s.Server)
	if err != nil {
		return nil // its setting is checked
	}
	return []string{server.Scheme + "://" + server.Host}
}

// Described returns, as JSON, where the modules of the map find the tiles, and of which kind these are. The
// file is served at a path. It is empty without any.
func (s Streets) Described(path string) string {
	var tiles struct {
		Kind        string `json:"kind"`
		URL         string `json:"url"`
		Attribution string `json:"attribution"`
	}
	tiles.Attribution = s.Attribution
	switch {
	case s.File != "":
		tiles.Kind, tiles.URL = "pmtiles", path
	case s.Server != "":
		tiles.Kind, tiles.URL = "raster", s.Server
		if at := strings.ToLower(s.Server); strings.Contains(at, ".pbf") || strings.Contains(at, ".mvt") {
			tiles.Kind = "vector"
		}
	default:
		return ""
	}
	return string(encoded(tiles))
}

// largestPart is how much of the file is sent at a time, in bytes: more than directories and
// tiles have.
const largestPart = 4 << 20

// Serve responds with the part of the file that the header Range names.
func (s Streets) Serve(v *web.PageRequest) (status int, body []byte, err error) {
	file, err := os.Open(s.File)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, refusal.NotFound("the file of street tiles")
	}
	if err != nil {
		return 0, nil, fmt.Errorf("street tiles: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return 0, nil, fmt.Errorf("street tiles: %w", err)
	}
	first, last, ok := rangeOf(v.Request.Header.Get("Range"), info.Size())
	if !ok {
		v.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", info.Size()))
		return http.StatusRequestedRangeNotSatisfiable, nil, nil
	}
	body = make([]byte, last-first+1)
	if _, err := file.ReadAt(body, first); err != nil {
		return 0, nil, fmt.Errorf("street tiles: %w", err)
	}
	v.Header.Set("Content-Type", "application/octet-stream")
	v.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, info.Size()))
	v.Header.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	v.Header.Set("Cache-Control", "private, max-age=3600")
	return http.StatusPartialContent, body, nil
}

// rangeOf returns the first and the last byte of a part that a header Range names, of a file of a size.
// A part that ends beyond the end of the file ends there.
func rangeOf(header string, size int64) (first, last int64, ok bool) {
	from, to, ok := strings.Cut(strings.TrimPrefix(header, "bytes="), "-")
	if !ok || !strings.HasPrefix(header, "bytes=") {
		return 0, 0, false
	}
	first, errFirst := strconv.ParseInt(from, 10, 64)
	last, errLast := strconv.ParseInt(to, 10, 64)
	if errFirst != nil || errLast != nil || first < 0 || last < first || first >= size || last-first >= largestPart {
		return 0, 0, false
	}
	return first, min(last, size-1), true
}
