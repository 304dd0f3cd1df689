package chromium_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/web/basemap"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/console"
)

// oneTile returns a PMTiles file (version 3) with one picture, which is the tile of all places at the zooms 0 to 15.
func oneTile(t *testing.T) []byte {
	t.Helper()
	const (
		headerSize      = 127
		deepest         = 15
		tiles           = (1<<(2*(deepest+1)) - 1) / 3
		plain, pngTiles = 1, 2                       // not compressed, and of which kind tiles are
		east, north     = 1_800_000_000, 850_000_000 // in degrees times ten millions
	)
	picture := image.NewPaletted(image.Rect(0, 0, 256, 256), color.Palette{color.RGBA{200, 220, 200, 255}})
	var tile bytes.Buffer
	if err := png.Encode(&tile, picture); err != nil {
		t.Fatal(err)
	}
	// The one entry: the id of its first tile, how many tiles it is, its length and its offset, from 1.
	directory := binary.AppendUvarint([]byte{1, 0}, tiles)
	directory = append(binary.AppendUvarint(directory, uint64(tile.Len())), 1)
	const metadata = "{}"
	metadataAt := headerSize + len(directory)
	tileAt := metadataAt + len(metadata)
	header := append([]byte(nil), "PMTiles\x03"...)
	for _, number := range []int{
		headerSize, len(directory), metadataAt, len(metadata), 0, 0, tileAt, tile.Len(), tiles, 1, 1,
	} {
		header = binary.LittleEndian.AppendUint64(header, uint64(number))
	}
	header = append(header, 1, plain, plain, pngTiles, 0, deepest)
	for _, degrees := range []int32{-east, -north, east, north} {
		header = binary.LittleEndian.AppendUint32(header, uint32(degrees))
	}
	header = append(header, make([]byte, headerSize-len(header))...) // the middle is at 0, 0
	return append(append(append(header, directory...), metadata...), tile.Bytes()...)
}

// TestMapWithStreets starts the service with a file of street tiles: the map of the board reads parts of it, and
// draws them under its policy.
func TestMapWithStreets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "streets.pmtiles")
	if err := os.WriteFile(file, oneTile(t), 0o600); err != nil {
		t.Fatal(err)
	}
	service := apptest.Start(t, inRealTime, func(c *config.Config, _ *app.Surroundings) {
		c.Map, c.MapAttribution = file, "Streets of the test"
	})
	visit := openMap(t, mapOrders(t, service), browser.Reader{Language: "en", Width: 1280, Scripts: true})
	// The header with the directory, and then tiles, which the map may still be asking for.
	const parts = `(async () => {
		const parts = () => performance.getEntriesByType("resource").filter(({ name, responseStatus }) =>
			name.endsWith("/console/board/streets") && responseStatus === 206).length;
		for (let i = 0; i < 600 && parts() < 2; i++) await new Promise((resolve) => setTimeout(resolve, 100));
		return parts();
	})()`
	if got, err := browser.Evaluate[int](visit, parts); err != nil || got < 2 {
		t.Errorf("got %d parts of the file, %v, want its header and a tile", got, err)
	}
	const attributed = `document.querySelector(".map-view").textContent.includes("Streets of the test")`
	if got, err := browser.Evaluate[bool](visit, attributed); err != nil || !got {
		t.Errorf("got that the map says where its streets are from: %v, %v", got, err)
	}
	for _, problem := range visit.Problems(console.BoardPolicyWith(basemap.Streets{File: file})) {
		t.Error(problem)
	}
}
