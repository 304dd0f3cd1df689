package pricing

import (
	"strings"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Zone is the class of distance between the two ends of a shipment.
type Zone string

// The zones. ZoneOf decides which one applies if several would.
const (
	Local    Zone = "local"    // same FSA, or same city
	Regional Zone = "regional" // same province
	Adjacent Zone = "adjacent" // neighbouring provinces
	National Zone = "national" // any other
	Remote   Zone = "remote"   // a rural or northern end
)

// Zones lists all zones, nearest first.
var Zones = []Zone{Local, Regional, Adjacent, National, Remote}

// ZoneOf returns the zone between two addresses, which must have valid postal
// codes. It depends on the postal codes and, within one province, on the cities;
// not on the province field, which may disagree with the postal code.
func ZoneOf(pickup, dropoff delivery.Address) Zone {
	from, to := delivery.PostalArea(pickup.PostalCode), delivery.PostalArea(dropoff.PostalCode)
	origin, destination := postalProvince[from[0]], postalProvince[to[0]]
	switch {
	// First, because a rural FSA can span a thousand kilometres: two addresses in
	// it are not near each other.
	case remote(from) || remote(to):
		return Remote
	case from == to:
		return Local
	case origin == destination && sameCity(pickup.City, dropoff.City):
		return Local
	case origin == destination:
		return Regional
	case adjacent(origin, destination):
		return Adjacent
	default:
		return National
	}
}

// remote reports whether an area is rural (its second character is 0) or in one of the three
// territories (X and Y).
func remote(area string) bool {
	return area[1] == '0' || area[0] == 'X' || area[0] == 'Y'
}

// postalProvince holds the province of each first letter of a postal code. X and
// Y are left out, because they are always remote.
var postalProvince = map[byte]string{
	'A': "NL", 'B': "NS", 'C': "PE", 'E': "NB",
	'G': "QC", 'H': "QC", 'J': "QC",
	'K': "ON", 'L': "ON", 'M': "ON", 'N': "ON", 'P': "ON",
	'R': "MB", 'S': "SK", 'T': "AB", 'V': "BC",
}

// neighbours holds, for each province, those with a land border or a bridge to it.
var neighbours = map[string]string{
	"BC": "AB",
	"AB": "BC SK",
	"SK": "AB MB",
	"MB": "SK ON",
	"ON": "MB QC",
	"QC": "ON NB NL",
	"NB": "QC NS PE",
	"NS": "NB",
	"PE": "NB",
	"NL": "QC",
}

func adjacent(a, b string) bool { return strings.Contains(neighbours[a], b) }

// sameCity reports whether two names of cities are equal apart from case, accents,
// hyphens and surrounding space. Both must be in one province, because cities of
// different provinces share names (Windsor, Kingston, Richmond). A city that is not known equals none.
func sameCity(a, b string) bool {
	return a != "" && b != "" && (strings.EqualFold(a, b) || plainCity(a) == plainCity(b))
}

func plainCity(name string) string {
	return strings.Map(plainLetter, strings.TrimSpace(name))
}

// plainLetter returns a letter in lower case without its accent, and -1 for a
// combining accent. It knows the letters of French only, so that pricing does not
// need x/text.
func plainLetter(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return -1 // a combining accent
	}
	switch r = unicode.ToLower(r); r {
	case 'à', 'â', 'ä':
		return 'a'
	case 'ç':
		return 'c'
	case 'é', 'è', 'ê', 'ë':
		return 'e'
	case 'î', 'ï':
		return 'i'
	case 'ô', 'ö':
		return 'o'
	case 'ù', 'û', 'ü':
		return 'u'
	case '’':
		return '\''
	case '-':
		return ' '
	}
	return r
}
