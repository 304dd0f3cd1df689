package page

import (
	"encoding/json"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/zone"
)

// clocks are the clocks of places as the modules of islands need them (island/zone.js):
// browsers may have older time zones than the service.
type clocks struct {
	// Zones has for each time zone the changes of its clocks: the time, in seconds since 1970,
	// by how many seconds they are ahead of UTC from then on, and the zone's abbreviation.
	Zones map[string][][3]any `json:"zones"`
	// Places has the names of the time zones of places.
	Places map[string]string `json:"places"`
}

// clocksAhead is how far ahead islands know the clocks: windows are rarely planned a year ahead, and the last change
// that is known holds from then on.
const clocksAhead = 400 * 24 * time.Hour

// Clocks returns the clocks of places from yesterday on as JSON, for the attribute data-zones of
// an island. Places are provinces and the beginnings of postal codes.
func (s Sheet) Clocks(places map[string]*time.Location) (string, error) {
	found, from := clocks{map[string][][3]any{}, map[string]string{}}, s.Site.Now().Add(-24*time.Hour)
	for place, location := range places {
		name := location.String()
		found.Places[place] = name
		if found.Zones[name] != nil {
			continue
		}
		for _, shift := range zone.Shifts(location, from, from.Add(clocksAhead)) {
			abbreviation := s.Language.Zone(shift.At.In(location))
			found.Zones[name] = append(found.Zones[name], [3]any{shift.At.Unix(), int64(shift.East.Seconds()), abbreviation})
		}
	}
	encoded, err := json.Marshal(found)
	return string(encoded), err
}
