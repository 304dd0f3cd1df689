package courier

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"sync"

	"github.com/dropyard/dropyard/internal/web"
)

// icon is the service's mark as a PNG, for home screens that show no SVG.
type icon struct {
	path     string
	size     int  // in pixels
	maskable bool // fills the square, because the phone cuts it to its own shape
	drawn    func() []byte
}

// touchIcon is the path of the icon that iOS shows.
const touchIcon = "/courier/icon-maskable-192.png"

// icons are drawn when they are first asked for.
var icons = []icon{
	newIcon("/courier/icon-192.png", 192, false), newIcon("/courier/icon-512.png", 512, false),
	newIcon(touchIcon, 192, true), newIcon("/courier/icon-maskable-512.png", 512, true),
}

func newIcon(path string, size int, maskable bool) icon {
	return icon{path, size, maskable, sync.OnceValue(func() []byte { return drawMark(size, maskable) })}
}

// purpose returns what the manifest says the icon is for.
func (i icon) purpose() string {
	if i.maskable {
		return "maskable"
	}
	return "any"
}

func (i icon) route() web.Route {
	return web.Route{
		Method: http.MethodGet, Pattern: i.path, For: web.Anyone, Serve: func(v *web.PageRequest) (int, []byte, error) {
			v.Header.Set("Content-Type", "image/png")
			v.Header.Set("Cache-Control", "public, max-age=86400")
			return http.StatusOK, i.drawn(), nil
		},
	}
}

func iconRoutes() []web.Route {
	routes := make([]web.Route, len(icons))
	for i, one := range icons {
		routes[i] = one.route()
	}
	return routes
}

// point is a point of the mark, in the units of its drawing.
type point struct{ x, y float64 }

// The mark, as internal/web/page/assets/icon.svg draws it: white lines, 2 wide, on a green
// square of 32 with round corners.
const (
	markSide   = 32
	markCorner = 7
	markPen    = 2
)

var (
	markGreen = color.NRGBA{R: 0x0b, G: 0x5d, B: 0x3b, A: 0xff}
	markLines = [][]point{
		{{7, 12}, {16, 7}, {25, 12}, {25, 21}, {16, 26}, {7, 21}, {7, 12}},
		{{7, 12}, {16, 17}, {25, 12}},
		{{16, 17}, {16, 26}},
	}
)

// drawMark returns the mark as a PNG. A pixel at an edge is covered as far as its middle is
// within, to half a pixel on both sides. The mark is within the circle that all shapes of
// maskable icons show, 0.8 of the square wide.
func drawMark(size int, maskable bool) []byte {
	corner, scale := float64(markCorner), float64(size)/markSide
	if maskable {
		corner = 0
	}
	drawn := image.NewNRGBA(image.Rect(0, 0, size, size))
	for i := range size * size {
		at := point{(float64(i%size) + .5) / scale, (float64(i/size) + .5) / scale}
		ground := cover(outside(at, corner) * scale)
		if maskable {
			ground = 1
		}
		drawn.SetNRGBA(i%size, i/size, mixed(cover((fromLines(at)-markPen/2)*scale), ground))
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, drawn); err != nil {
		panic("courier: " + err.Error()) // a buffer takes everything
	}
	return encoded.Bytes()
}

// cover returns how much of a pixel is covered by what ends at a distance from its middle.
func cover(distance float64) float64 { return min(max(.5-distance, 0), 1) }

// mixed returns white over the mark's green.
func mixed(white, ground float64) color.NRGBA {
	mix := func(part uint8) uint8 { return uint8(math.Round(float64(part) + (255-float64(part))*white)) }
	return color.NRGBA{R: mix(markGreen.R), G: mix(markGreen.G), B: mix(markGreen.B), A: uint8(math.Round(255 * ground))}
}

// outside returns how far a point is outside the square with round corners; less than zero
// within.
func outside(at point, corner float64) float64 {
	const half = markSide / 2
	x, y := math.Abs(at.x-half)-half+corner, math.Abs(at.y-half)-half+corner
	return math.Hypot(max(x, 0), max(y, 0)) + min(max(x, y), 0) - corner
}

// fromLines returns how far a point is from the nearest line of the mark.
func fromLines(at point) float64 {
	nearest := math.Inf(1)
	for _, line := range markLines {
		for i := range line[1:] {
			nearest = min(nearest, fromSegment(at, line[i], line[i+1]))
		}
	}
	return nearest
}

func fromSegment(at, from, to point) float64 {
	x, y := to.x-from.x, to.y-from.y
	along := min(max(((at.x-from.x)*x+(at.y-from.y)*y)/(x*x+y*y), 0), 1)
	return math.Hypot(at.x-from.x-along*x, at.y-from.y-along*y)
}
