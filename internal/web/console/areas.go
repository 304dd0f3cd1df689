package console

import (
	"encoding/json"
	"math"
	"sync"

	"github.com/dropyard/dropyard/internal/route"
)

// areasFile is the asset with the middles of forward sortation areas, for the map.
const areasFile = boardFolder + "/areas.json"

// areas returns latitudes and longitudes by area, as JSON: to a thousandth of a degree,
// which is about 100 m.
var areas = sync.OnceValue(func() []byte {
	middles := map[string][2]float64{}
	for code, at := range route.Areas() {
		middles[code] = [2]float64{thousandth(at.Latitude), thousandth(at.Longitude)}
	}
	content, err := json.Marshal(middles)
	if err != nil {
		panic("console: " + err.Error()) // numbers can always be encoded
	}
	return content
})

func thousandth(degrees float64) float64 { return math.Round(degrees*1000) / 1000 }
