package basemap

import (
	"encoding/json"
	"html/template"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
	"github.com/paulmach/orb/planar"
	"github.com/paulmach/orb/simplify"

	"github.com/dropyard/dropyard/internal/route"
)

// Picture is a small still map of what lies around two places, for an SVG whose view box is Width by Height.
// Nothing of it depends on the language or the theme.
type Picture struct {
	Lines    template.HTML // paths of the classes land, lakes and borders
	From, To Spot
}

// Spot is a place in a picture.
type Spot struct{ X, Y int }

// Width and Height are the size of pictures in their own units.
const (
	Width  = 720
	Height = 360
)

const (
	// roomBeside and roomAbove are how far places are from the sides of a picture, so that there is room for names.
	roomBeside, roomAbove = 110, 80
	// nearest is the scale at which the lines look as they are, in units for a radian: a picture is at least
	// some 140 km wide.
	nearest = 24_000
	// beyond is how far lines go on outside of a picture, so that what cuts them off is not seen.
	beyond = 8
	// exactness is how far a simplified line may be from where it is, and smallest the size of an island or lake
	// that is left out, in square units.
	exactness, smallest = 2, 12
)

// northWest and southEast enclose the lines: there is nothing beyond.
var northWest, southEast = mercator(-150, 84), mercator(-45, 33)

// Between returns the picture of the way between two places.
func Between(from, to route.Point) *Picture {
	return pictures.between([2]route.Point{from, to})
}

// pictures are those that were drawn last.
var pictures = album{drawn: map[[2]route.Point]*Picture{}}

// album keeps pictures. When it is full it is emptied: most ways are between the same few cities.
type album struct {
	mu    sync.Mutex
	drawn map[[2]route.Point]*Picture
}

// pages is how many pictures an album keeps, of about 5 kB each.
const pages = 500

func (a *album) between(ends [2]route.Point) *Picture {
	a.mu.Lock()
	picture := a.drawn[ends]
	a.mu.Unlock()
	if picture != nil {
		return picture
	}
	picture = draw(ends[0], ends[1])
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.drawn) >= pages {
		clear(a.drawn)
	}
	a.drawn[ends] = picture
	return picture
}

// draw draws a picture, in the Mercator projection, as maps in browsers do.
func draw(from, to route.Point) *Picture {
	a, b := mercator(from.Longitude, from.Latitude), mercator(to.Longitude, to.Latitude)
	scale := min(nearest, (Width-2*roomBeside)/math.Abs(a[0]-b[0]), (Height-2*roomAbove)/math.Abs(a[1]-b[1]))
	scale = max(scale, Width/(southEast[0]-northWest[0]))
	f := frame{scale: scale, left: (a[0]+b[0])/2 - Width/2/scale, top: (a[1]+b[1])/2 - Height/2/scale}
	f.left = min(max(f.left, northWest[0]), southEast[0]-Width/scale)
	f.top = min(max(f.top, northWest[1]), southEast[1]-Height/scale)
	shapes := shapesAt(scale)
	text := append([]byte(nil), `<path class="land" fill-rule="evenodd" d="`...)
	text = append(f.areas(text, shapes["land"]), `"/><path class="lakes" fill-rule="evenodd" d="`...)
	text = append(f.areas(text, shapes["lakes"]), `"/><path class="borders" d="`...)
	text = append(f.lines(f.lines(text, shapes["provinces"]), shapes["borders"]), `"/>`...)
	return &Picture{template.HTML(text), f.spot(a), f.spot(b)} // of the program's own words and of numbers
}

// frame is what a picture shows: where its upper left corner is, and how many units a radian has.
type frame struct{ scale, left, top float64 }

func (f frame) spot(p orb.Point) Spot {
	return Spot{int(math.Round((p[0] - f.left) * f.scale)), int(math.Round((p[1] - f.top) * f.scale))}
}

// size returns the size of what a bound encloses, in square units.
func (f frame) size(b orb.Bound) float64 {
	return (b.Max[0] - b.Min[0]) * (b.Max[1] - b.Min[1]) * f.scale * f.scale
}

// bound returns what is drawn.
func (f frame) bound() orb.Bound {
	return orb.Bound{
		Min: orb.Point{f.left - beyond/f.scale, f.top - beyond/f.scale},
		Max: orb.Point{f.left + (Width+beyond)/f.scale, f.top + (Height+beyond)/f.scale},
	}
}

// areas appends rings to the data of a path. Those that lie in others are holes by the rule evenodd.
func (f frame) areas(path []byte, shapes []shape) []byte {
	bound, simpler := f.bound(), simplify.DouglasPeucker(exactness/f.scale)
	for _, shape := range shapes {
		if !bound.Intersects(shape.bound) || f.size(shape.bound) < smallest {
			continue
		}
		ring := clip.Ring(bound, orb.Ring(slices.Clone(shape.points)))
		if math.Abs(planar.Area(ring))*f.scale*f.scale < smallest {
			continue
		}
		if ring = simpler.Ring(ring); len(ring) > 3 {
			path = append(f.append(path, orb.LineString(ring[:len(ring)-1])), 'z')
		}
	}
	return path
}

// lines appends lines to the data of a path.
func (f frame) lines(path []byte, shapes []shape) []byte {
	bound, simpler := f.bound(), simplify.DouglasPeucker(exactness/f.scale)
	for _, shape := range shapes {
		if !bound.Intersects(shape.bound) {
			continue
		}
		for _, line := range clip.LineString(bound, shape.points) {
			path = f.append(path, simpler.LineString(line))
		}
	}
	return path
}

// append appends a line to the data of a path: where it begins, and the steps from there, in whole units.
func (f frame) append(path []byte, line orb.LineString) []byte {
	var last Spot
	for i, point := range line {
		at := f.spot(point)
		switch i {
		case 0:
			path = pair(append(path, 'M'), at.X, at.Y)
		case 1:
			path = pair(append(path, 'l'), at.X-last.X, at.Y-last.Y)
		default:
			if at == last {
				continue
			}
			if at.X >= last.X { // a minus sign separates, too
				path = append(path, ' ')
			}
			path = pair(path, at.X-last.X, at.Y-last.Y)
		}
		last = at
	}
	return path
}

func pair(path []byte, x, y int) []byte {
	path = strconv.AppendInt(path, int64(x), 10)
	if y >= 0 {
		path = append(path, ' ')
	}
	return strconv.AppendInt(path, int64(y), 10)
}

// mercator returns where a place is, in radians to the east and downwards.
func mercator(longitude, latitude float64) orb.Point {
	const degree = math.Pi / 180
	return orb.Point{longitude * degree, -math.Asinh(math.Tan(latitude * degree))}
}

// shape is a line, or a ring around an area.
type shape struct {
	points orb.LineString // in the Mercator projection; not to be changed
	bound  orb.Bound
	ring   bool
}

// far is the scale below which pictures are drawn from lines that were simplified before.
const far = 2500

// shapesAt returns what pictures of a scale are drawn from, by the names of the objects of the map.
func shapesAt(scale float64) map[string][]shape {
	if scale < far {
		return projected().far
	}
	return projected().near
}

// levels are the shapes of the map, and what remains of them where little is seen.
type levels struct{ near, far map[string][]shape }

// projected returns the shapes of the map. They are read once, for the first picture, which waits some 40 ms for it:
// services that show none need no room for it.
var projected = sync.OnceValue(func() levels {
	l := levels{near: decoded(), far: map[string][]shape{}}
	simpler := simplify.DouglasPeucker(exactness / far / 2)
	for name, shapes := range l.near {
		for _, one := range shapes {
			if !one.ring || (frame{scale: far}).size(one.bound) >= smallest {
				points := simpler.LineString(slices.Clone(one.points))
				l.far[name] = append(l.far[name], shape{points, one.bound, one.ring})
			}
		}
	}
	return l
})

// decoded reads the shapes of the map.
func decoded() map[string][]shape {
	var topology struct {
		Arcs      [][][2]float64
		Transform struct{ Scale, Translate [2]float64 }
		Objects   map[string]struct {
			Geometries []struct{ Arcs json.RawMessage }
		}
	}
	if err := json.Unmarshal([]byte(lines), &topology); err != nil {
		panic("basemap: basemap.topojson: " + err.Error()) // it is a part of the program, and a test reads it
	}
	arcs := make([]orb.LineString, len(topology.Arcs))
	for i, steps := range topology.Arcs {
		var x, y float64
		for _, step := range steps {
			x, y = x+step[0], y+step[1]
			arcs[i] = append(arcs[i], mercator(x*topology.Transform.Scale[0]+topology.Transform.Translate[0],
				y*topology.Transform.Scale[1]+topology.Transform.Translate[1]))
		}
	}
	shapes := map[string][]shape{}
	for name, object := range topology.Objects {
		var found []orb.LineString
		for _, geometry := range object.Geometries {
			for _, parts := range chains(geometry.Arcs) {
				found = append(found, joined(arcs, parts))
			}
		}
		ring := name == "land" || name == "lakes"
		if !ring {
			found = longer(found)
		}
		for _, points := range found {
			shapes[name] = append(shapes[name], shape{points, points.Bound(), ring})
		}
	}
	return shapes
}

// longer joins lines that begin where others end, so that they can be simplified as one.
func longer(pieces []orb.LineString) (whole []orb.LineString) {
	for len(pieces) > 0 {
		line := pieces[len(pieces)-1]
		pieces = pieces[:len(pieces)-1]
		for i := 0; i < len(pieces); i++ {
			next, joins := extended(line, pieces[i])
			if !joins {
				continue
			}
			line, pieces = next, slices.Delete(pieces, i, i+1)
			i = -1 // others may fit the new ends
		}
		whole = append(whole, line)
	}
	return whole
}

// extended returns a line with a piece at the end where that fits.
func extended(line, piece orb.LineString) (longer orb.LineString, joins bool) {
	first, last := line[0], line[len(line)-1]
	begin, end := piece[0], piece[len(piece)-1]
	if last == end || first == begin {
		piece = slices.Clone(piece)
		slices.Reverse(piece)
		begin, end = end, begin
	}
	switch {
	case last == begin:
		return slices.Concat(line, piece[1:]), true
	case first == end:
		return slices.Concat(piece, line[1:]), true
	default:
		return line, false
	}
}

// chains returns the lists of arcs that the lines and rings of a geometry consist of. TopoJSON nests them as
// deeply as the kind of geometry asks.
func chains(nested json.RawMessage) (found [][]int) {
	var arcs []int
	if json.Unmarshal(nested, &arcs) == nil {
		return [][]int{arcs}
	}
	var parts []json.RawMessage
	if json.Unmarshal(nested, &parts) != nil {
		return nil // a geometry of nothing
	}
	for _, part := range parts {
		found = append(found, chains(part)...)
	}
	return found
}

// joined returns arcs as one line. Each begins where the one before ends; those below zero are the
// complements of their numbers, and go backwards.
func joined(arcs []orb.LineString, numbers []int) (line orb.LineString) {
	for i, number := range numbers {
		arc := arcs[max(number, ^number)]
		if number < 0 {
			arc = slices.Clone(arc)
			slices.Reverse(arc)
		}
		if i > 0 {
			arc = arc[1:]
		}
		line = append(line, arc...)
	}
	return line
}
