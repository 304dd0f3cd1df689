package pricing

import (
	"strings"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Zone is how far apart, for pricing, the two ends of a shipment are.
type Zone string

// The zones. The first that applies, in the order of ZoneOf, is the zone.
const (
	Local    Zone = "local"    // same FSA, or same city
	Regional Zone = "regional" // same province
	Adjacent Zone = "adjacent" // neighbouring provinces
	National Zone = "national" // any other
	Remote   Zone = "remote"   // a rural or northern end
)

// Zones lists them, nearest first.
var Zones = []Zone{Local, Regional, Adjacent, National, Remote}

// ZoneOf is the zone between two addresses, both with valid postal codes. Only
// postal codes and, within one province, cities decide; the province field
// does not, because it may disagree with the postal code.
func ZoneOf(pickup, dropoff delivery.Address) Zone {
	from, to := delivery.NormalPostalCode(pickup.PostalCode), delivery.NormalPostalCode(dropoff.PostalCode)
	origin, destination := postalProvince[from[0]], postalProvince[to[0]]
	switch {
	// First, because a rural FSA can span a thousand kilometres: the same FSA
	// or city is no sign of nearness there.
	case remote(from) || remote(to):
		return Remote
	case from[:3] == to[:3]:
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

// remote tells whether a postal code is rural (second character 0) or lies in
// the three territories (X and Y).
func remote(code string) bool {
	return code[1] == '0' || code[0] == 'X' || code[0] == 'Y'
}

// postalProvince is the province of a postal code's first letter. X and Y are
// always remote, so their territories need no telling apart.
var postalProvince = map[byte]string{
	'A': "NL", 'B': "NS", 'C': "PE", 'E': "NB",
	'G': "QC", 'H': "QC", 'J': "QC",
	'K': "ON", 'L': "ON", 'M': "ON", 'N': "ON", 'P': "ON",
	'R': "MB", 'S': "SK", 'T': "AB", 'V': "BC",
}

// neighbours have a land border or a bridge between them.
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

// sameCity compares names of cities without regard to case, accents, hyphens
// and space around them. It is asked within one province only: from one to
// another many cities share a name (Windsor, Kingston, Richmond).
func sameCity(a, b string) bool {
	return strings.EqualFold(a, b) || plainCity(a) == plainCity(b)
}

func plainCity(name string) string {
	return strings.Map(plainLetter, strings.TrimSpace(name))
}

// plainLetter is a letter in lower case without its accent. It knows the
// letters of French, composed or not; x/text would know all, but this room
// keeps to the standard library.
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
