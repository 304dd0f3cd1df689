package route

import (
	_ "embed" // for the table of areas
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Point is a place on the earth, in degrees (WGS 84).
type Point struct{ Latitude, Longitude float64 }

// table lists the forward sortation areas of Canada with their centroids. README.md
// names its source and licence.
//
//go:embed fsa.csv
var table string

// The columns of the table that are read.
const (
	columnCode = iota
	columnName
	columnProvince
	columnLatitude
	columnLongitude
	columns = columnLongitude + 2 // the last is the accuracy
)

// codeLength is the length of the code of an area.
const codeLength = 3

// Centroid returns the middle of a forward sortation area, the first three characters
// of a postal code in upper case. For an area that the table lacks it returns the mean
// of the areas that share its first two characters, or else its first. It reports
// whether there are any.
func Centroid(code string) (at Point, known bool) {
	for size := min(len(code), codeLength); size > 0; size-- {
		if at, known = centroids()[code[:size]]; known {
			return at, true
		}
	}
	return Point{}, false
}

// centroids returns the middle of each area, and the mean of the areas that begin with
// the same two characters, and with the same first.
var centroids = sync.OnceValue(func() map[string]Point {
	rows, err := readTable(table)
	if err != nil {
		panic("route: fsa.csv: " + err.Error()) // it is a part of the program, and a test reads it
	}
	sums, counts := map[string]Point{}, map[string]float64{}
	for _, row := range rows {
		for size := 1; size <= len(row.code); size++ {
			sum := sums[row.code[:size]]
			sums[row.code[:size]] = Point{sum.Latitude + row.at.Latitude, sum.Longitude + row.at.Longitude}
			counts[row.code[:size]]++
		}
	}
	for prefix, sum := range sums {
		sums[prefix] = Point{sum.Latitude / counts[prefix], sum.Longitude / counts[prefix]}
	}
	return sums
})

// Areas returns the middle of each forward sortation area of the table, by code.
func Areas() map[string]Point {
	found := map[string]Point{}
	for code, at := range centroids() {
		if len(code) == codeLength {
			found[code] = at
		}
	}
	return found
}

// misplaced names the areas whose rows of the table are wrong: H0H, for letters to
// Santa Claus, is at the North Pole, and H4Y, the airport of Montreal, 70 km from it.
var misplaced = []string{"H0H", "H4Y"}

// area is a row of the table.
type area struct {
	code, name, province string
	at                   Point
}

// readTable returns the areas of a table, without those that are misplaced.
func readTable(text string) (areas []area, err error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = columns
	records, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	for _, record := range records[1:] {
		row := area{code: record[columnCode], name: record[columnName], province: record[columnProvince]}
		if row.at.Latitude, err = strconv.ParseFloat(record[columnLatitude], 64); err == nil {
			row.at.Longitude, err = strconv.ParseFloat(record[columnLongitude], 64)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row.code, err)
		}
		if !slices.Contains(misplaced, row.code) {
			areas = append(areas, row)
		}
	}
	return areas, nil
}

// earthRadius is the mean radius of the earth in kilometres.
const earthRadius = 6371.0

// Kilometres returns the distance between two points along the surface of the earth,
// by the haversine formula.
func Kilometres(a, b Point) float64 {
	const degree = math.Pi / 180
	half := func(x float64) float64 { return math.Pow(math.Sin(x*degree/2), 2) }
	h := half(b.Latitude-a.Latitude) +
		math.Cos(a.Latitude*degree)*math.Cos(b.Latitude*degree)*half(b.Longitude-a.Longitude)
	return 2 * earthRadius * math.Asin(min(1, math.Sqrt(h)))
}
