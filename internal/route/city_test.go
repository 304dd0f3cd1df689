package route_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/route"
)

// TestCity finds cities however they are written, in their province only.
func TestCity(t *testing.T) {
	t.Parallel()
	const near = 12.0 // km
	for _, c := range []struct {
		province, name, area string // the area is in the middle of the city, or empty if it is not to be found
	}{
		{"ON", "Toronto", "M5S"}, {"QC", "Montréal", "H2T"}, {"QC", "MONTREAL ", "H2T"}, {"QC", "Québec", "G1N"},
		{"QC", "Laval", "H7M"}, {"BC", "Vancouver", "V5V"}, {"BC", "North Vancouver", "V7K"}, {"ON", "Mississauga", "L5B"},
		{"NS", "Halifax", "B3K"}, {"NL", "St. John's", "A1B"}, {"NL", "Saint John’s", "A1B"}, {"ON", "North York", "M2N"},
		{"QC", "Saint-Jérôme", "J7Z"}, {"QC", "St-Jerome", "J7Z"}, {"NL", "Ferryland", "A0A"}, {"ON", "Ottawa", "K1Z"},
		{"YT", "Whitehorse", "Y1A"}, {"NT", "Yellowknife", "X1A"}, {"PE", "Charlottetown", "C1A"}, {"AB", "Calgary", "T2S"},
		{"NU", "Iqaluit", "X0A"}, {"NB", "Moncton", "E1C"}, {"MB", "Winnipeg", "R3B"}, {"SK", "Regina", "S4P"},
		{"AB", "Edmonton", "T5J"}, {"QC", "Longueuil", "J4K"}, {"QC", "Gatineau", "J8X"}, {"QC", "Sherbrooke", "J1H"},
		{"ON", "London", "N6A"}, {"ON", "Hamilton", "L8P"}, {"BC", "Victoria", "V8T"}, {"QC", "Trois-Rivières", "G9A"},
		{"QC", "Toronto", ""}, {"ON", "Nowhere", ""}, {"ON", "", ""}, {"", "Toronto", ""},
	} {
		got, known := route.City(c.province, c.name)
		if known != (c.area != "") {
			t.Errorf("%s, %s: got %v, %v, want known %v", c.name, c.province, got, known, c.area != "")
			continue
		}
		if want, _ := route.Centroid(c.area); known && route.Kilometres(got, want) > near {
			t.Errorf("%s, %s: got %v, want within %v km of %v, where %s is", c.name, c.province, got, near, want, c.area)
		}
	}
}

// TestCityOf: districts have the name of their city, rural areas that of their largest village.
func TestCityOf(t *testing.T) {
	t.Parallel()
	for area, want := range map[string]string{
		"H2X": "Montréal", "H3B": "Montréal", "H7T": "Laval", "H3Z": "Westmount", "H1B": "Montréal-Est", "M5V": "Toronto",
		"M1B": "Toronto", "K2K": "Ottawa", "L5N": "Mississauga", "G1R": "Québec", "G1V": "Québec", "T2P": "Calgary",
		"B3J": "Halifax", "A1C": "St. John's", "X0A": "Iqaluit", "X1A": "Yellowknife", "J4B": "Boucherville", "H4Y": "Dorval",
		"X9X": "", "": "",
	} {
		if got := route.CityOf(area); got != want {
			t.Errorf("%s: got %q, want %q", area, got, want)
		}
	}
}
