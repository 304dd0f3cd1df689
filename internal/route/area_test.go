package route

import (
	"math"
	"testing"
)

func TestCentroid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		area  string
		near  string // an area that the table has
		known bool
	}{
		{"H2W", "H2W", true},
		{"M5H", "M5H", true},
		{"H4Y", "H4Z", true}, // misplaced in the table: the mean of H4
		{"H0H", "H2W", true}, // likewise, not at the North Pole
		{"H2Ω", "H2W", true}, // the mean of H2
		{"M5", "M5H", true},
		{"M", "M5H", true},
		{"D1A", "", false}, // no postal code begins with D
		{"", "", false},
		{"h2w", "", false},
	} {
		at, known := Centroid(c.area)
		if known != c.known {
			t.Errorf("centroid of %q: got known %t, want %t", c.area, known, c.known)
		}
		if near, _ := Centroid(c.near); known && Kilometres(at, near) > 25 {
			t.Errorf("centroid of %q: got %v, %.0f km from %s, want at most 25", c.area, at, Kilometres(at, near), c.near)
		}
	}
}

// TestAreasAreInCanada holds the table against mistakes such as a swapped or missing
// coordinate.
func TestAreasAreInCanada(t *testing.T) {
	t.Parallel()
	areas, err := readTable(table)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(areas), 1651-len(misplaced); got != want {
		t.Errorf("got %d areas, want %d", got, want)
	}
	for _, row := range areas {
		if len(row.code) != codeLength || row.at.Latitude < 41.6 || row.at.Latitude > 83.2 || row.at.Longitude < -141.1 ||
			row.at.Longitude > -52.6 {
			t.Errorf("area %q: got %v, want a place in Canada", row.code, row.at)
		}
	}
}

func TestKilometres(t *testing.T) {
	t.Parallel()
	toronto, montreal := Point{43.6532, -79.3832}, Point{45.5019, -73.5674}
	for _, c := range []struct {
		a, b Point
		want float64
	}{
		{toronto, montreal, 504},
		{montreal, toronto, 504},
		{montreal, montreal, 0},
		{Point{0, 0}, Point{0, 180}, math.Pi * earthRadius},
	} {
		if got := Kilometres(c.a, c.b); math.Abs(got-c.want) > 1 {
			t.Errorf("from %v to %v: got %.1f km, want %.0f", c.a, c.b, got, c.want)
		}
	}
}
