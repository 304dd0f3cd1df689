package route

import (
	"cmp"
	_ "embed" // for the table of cities
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// provinceNames are the provinces as the table of areas names them, and their codes.
var provinceNames = map[string]string{
	"Alberta": "AB", "British Columbia": "BC", "Manitoba": "MB", "New Brunswick": "NB", "Newfoundland and Labrador": "NL",
	"Northwest Territory": "NT", "Nova Scotia": "NS", "Nunavut Territory": "NU", "Ontario": "ON",
	"Prince Edward Island": "PE", "Quebec": "QC", "Saskatchewan": "SK", "Yukon": "YT",
}

// cityKey is by which a city is found.
type cityKey struct{ province, name string }

// cityTable lists the cities that maps name, each with a forward sortation area in the middle of it.
//
//go:embed cities.csv
var cityTable string

// NamedCity is a city that maps name.
type NamedCity struct {
	Name, Province string
	Rank           int // from 1: the lower, the earlier its name is shown
	At             Point
}

// Cities returns the cities that maps name.
func Cities() []NamedCity {
	records, err := csv.NewReader(strings.NewReader(cityTable)).ReadAll()
	if err != nil {
		panic("route: cities.csv: " + err.Error()) // it is a part of the program, and a test reads it
	}
	found := make([]NamedCity, 0, len(records))
	for _, record := range records[1:] {
		rank, err := strconv.Atoi(record[2])
		at, known := Centroid(record[3])
		if err != nil || !known {
			panic("route: cities.csv: " + record[0])
		}
		found = append(found, NamedCity{record[0], record[1], rank, at})
	}
	return found
}

// City returns where a city is: one that maps name, or the middle of the forward sortation areas that are
// named after it. It takes no postal code, so it says no more of an address than the name of the city. It
// reports whether the city is known.
func City(province, name string) (at Point, known bool) {
	at, known = cityPoints()[cityKey{province, plainName(name)}]
	return at, known
}

// cityPoints returns where each city is. Rural areas have many villages, of which the one in parentheses is
// the largest; it counts only where no other area is named after it.
var cityPoints = sync.OnceValue(func() map[cityKey]Point {
	rows, err := readTable(table)
	if err != nil {
		panic("route: fsa.csv: " + err.Error()) // it is a part of the program, and a test reads it
	}
	urban, rural := map[cityKey][]Point{}, map[cityKey][]Point{}
	for _, row := range rows {
		name, village := cityOf(row.name)
		key := cityKey{provinceNames[row.province], plainName(name)}
		urban[key] = append(urban[key], row.at)
		if row.code[1] == '0' && village != "" {
			key.name = plainName(village)
			rural[key] = append(rural[key], row.at)
		}
	}
	cities := map[cityKey]Point{}
	for _, areas := range []map[cityKey][]Point{rural, urban} {
		for key, points := range areas {
			cities[key] = middle(points)
		}
	}
	for _, city := range Cities() {
		cities[cityKey{city.Province, plainName(city.Name)}] = city.At
	}
	return cities
})

// middle returns the median of points, which one that is misplaced does not move far.
func middle(points []Point) Point {
	latitudes, longitudes := make([]float64, len(points)), make([]float64, len(points))
	for i, point := range points {
		latitudes[i], longitudes[i] = point.Latitude, point.Longitude
	}
	slices.Sort(latitudes)
	slices.Sort(longitudes)
	return Point{latitudes[len(points)/2], longitudes[len(points)/2]}
}

// mergedCities are the cities of areas that are named after districts, by how their codes begin; the longest
// beginning holds. The other municipalities on the island of Montréal have rows of their own.
var mergedCities = map[string]string{
	"G1": "Québec", "G2": "Québec", "G3J": "Québec", "G3K": "Québec", "H": "Montréal", "H7": "Laval",
	"K1": "Ottawa", "K2": "Ottawa", "K4A": "Ottawa", "M": "Toronto", "B3J": "Halifax", "E1A": "Dieppe",
	"G2E": "L'Ancienne-Lorette", "G2G": "L'Ancienne-Lorette", "J8X": "Gatineau", "J8Y": "Gatineau", "J8Z": "Gatineau",
	"J9A": "Gatineau", "J9H": "Gatineau", "J9J": "Gatineau",
	"H0M": "Akwesasne", "H1B": "Montréal-Est", "H3P": "Mont-Royal", "H3R": "Mont-Royal", "H4P": "Mont-Royal",
	"H3X": "Hampstead", "H3Y": "Westmount", "H3Z": "Westmount", "H4V": "Côte-Saint-Luc", "H4W": "Côte-Saint-Luc",
	"H4X": "Montréal-Ouest", "H4Y": "Dorval", "H9P": "Dorval", "H9S": "Dorval", "H9A": "Dollard-des-Ormeaux",
	"H9B": "Dollard-des-Ormeaux", "H9G": "Dollard-des-Ormeaux", "H9J": "Kirkland", "H9K": "Senneville",
	"H9R": "Pointe-Claire", "H9W": "Beaconsfield", "H9X": "Sainte-Anne-de-Bellevue",
}

// CityOf returns the city in which most addresses of a forward sortation area are, by the name that maps show
// if they name it; in rural areas it is the largest village. It is empty for an area that the table lacks.
func CityOf(area string) string {
	for size := min(len(area), codeLength); size > 0; size-- {
		if city := mergedCities[area[:size]]; city != "" {
			return city
		}
	}
	return areaCities()[area]
}

// areaCities returns the city of each area of the table.
var areaCities = sync.OnceValue(func() map[string]string {
	rows, err := readTable(table)
	if err != nil {
		panic("route: fsa.csv: " + err.Error()) // it is a part of the program, and a test reads it
	}
	named := map[cityKey]string{}
	for _, city := range Cities() {
		named[cityKey{city.Province, plainName(city.Name)}] = city.Name
	}
	cities := map[string]string{}
	for _, row := range rows {
		name, village := cityOf(row.name)
		if row.code[1] == '0' && village != "" {
			name = village
		}
		cities[row.code] = cmp.Or(named[cityKey{provinceNames[row.province], plainName(name)}], name)
	}
	return cities
})

// districts are the words by which areas of one city differ.
var districts = regexp.MustCompile(`^(?:Downtown|Central) | (?:North|South|East|West|Central|Outer|Inner` +
	`|Lower|Upper|(?:North|South)(?:east|west|central))\b.*$`)

// cityOf returns the city that an area is named after, and what is in parentheses.
func cityOf(area string) (city, inside string) {
	city, inside, _ = strings.Cut(strings.TrimSuffix(area, ")"), " (")
	return districts.ReplaceAllString(city, ""), inside
}

// saints are how names begin or go on that are also written short.
var saints = strings.NewReplacer("sainte ", "ste ", "saint ", "st ")

// plainName returns a name without what is written in several ways: case, accents, hyphens, full stops,
// apostrophes and the words for saints.
func plainName(name string) string {
	var plain strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(name)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			plain.WriteRune(r)
		case r == '-' || unicode.IsSpace(r):
			plain.WriteByte(' ')
		}
	}
	short := saints.Replace(strings.Join(strings.Fields(plain.String()), " "))
	if short == "quebec city" { // as it is called in English
		return "quebec"
	}
	return short
}
