package basemap_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/dropyard/dropyard/internal/route"
	"github.com/dropyard/dropyard/internal/web/basemap"
)

// TestPictures draws the ways between cities near and far: both places are within the picture, the lines end at
// most a little outside of it, and it is small.
func TestPictures(t *testing.T) {
	t.Parallel()
	const most = 6 << 10 // bytes, compressed
	cities := route.Cities()
	for i := 0; i < len(cities); i += 7 {
		for j := i; j < len(cities); j += 11 {
			name := cities[i].Name + " to " + cities[j].Name
			picture := basemap.Between(cities[i].At, cities[j].At)
			for _, spot := range []basemap.Spot{picture.From, picture.To} {
				if spot.X < 50 || spot.X > basemap.Width-50 || spot.Y < 50 || spot.Y > basemap.Height-50 {
					t.Errorf("%s: got a place at %v, want it within the picture, with room for its name", name, spot)
				}
			}
			paths := pathData.FindAllStringSubmatch(string(picture.Lines), -1)
			if len(paths) != 3 || paths[0][1] == "" {
				t.Errorf("%s: got the lines %q, want land, lakes and borders", name, picture.Lines)
			}
			for _, path := range paths {
				if err := within(path[1]); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := compressed(string(picture.Lines)); got > most {
				t.Errorf("%s: got %d bytes, want at most %d", name, got, most)
			}
		}
	}
}

// TestPictureOfWay: the same way has the same picture, and the way back the same map.
func TestPictureOfWay(t *testing.T) {
	t.Parallel()
	montreal, _ := route.City("QC", "Montréal")
	toronto, _ := route.City("ON", "Toronto")
	there, back := basemap.Between(montreal, toronto), basemap.Between(toronto, montreal)
	if again := basemap.Between(montreal, toronto); *again != *there {
		t.Errorf("got %v and then %v", there, again)
	}
	if there.From != back.To || there.To != back.From || there.Lines != back.Lines {
		t.Errorf("got %v there and %v back, want the same map", there, back)
	}
	for _, path := range pathData.FindAllStringSubmatch(string(there.Lines), -1) {
		if path[1] == "" {
			t.Errorf("got %v, want land, lakes and borders", there)
		}
	}
	if there.From.X <= there.To.X || there.From.Y >= there.To.Y {
		t.Errorf("got Montréal at %v and Toronto at %v, want Montréal in the north-east", there.From, there.To)
	}
}

var (
	pathData = regexp.MustCompile(` d="(.*?)"`)
	segment  = regexp.MustCompile(`[Mlz]|-?\d+`)
	grammar  = regexp.MustCompile(`^(M-?\d+[ -]\d+(l-?\d+[ -]\d+([ -]\d+[ -]\d+)*)?z?)*$`)
)

// within reports whether the data of a path can be read, and stay within the picture but for a margin.
func within(path string) error {
	const margin = 10
	if !grammar.MatchString(path) {
		return fmt.Errorf("got the path %q", path)
	}
	var at, step [2]int
	relative, axis := false, 0
	for _, part := range segment.FindAllString(path, -1) {
		number, err := strconv.Atoi(part)
		if err != nil {
			relative, axis = part == "l", 0
			continue
		}
		step[axis%2] = number
		if axis++; axis%2 == 1 {
			continue
		}
		if relative {
			step[0], step[1] = at[0]+step[0], at[1]+step[1]
		}
		if at = step; at[0] < -margin || at[0] > basemap.Width+margin || at[1] < -margin || at[1] > basemap.Height+margin {
			return fmt.Errorf("got %v in a path, want it within the picture", at)
		}
	}
	return nil
}

func compressed(text string) int {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes all
	_ = w.Close()
	return b.Len()
}
