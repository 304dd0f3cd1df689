package pricing

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// localZones names the time zones of postal codes whose clocks differ from those of the
// capital of their province, by how the codes begin; the longest beginning holds. Most are
// forward sortation areas. Some rural areas are on both sides of a border of time zones: then
// the majority has a row, and the places of the minority have rows of their own.
var localZones = map[string]string{
	// British Columbia: the Rockies on the time of Alberta, Peace River and the Creston Valley on
	// that of the mountains all year.
	"V0A": "America/Edmonton", // Golden, Invermere
	"V0B": "America/Edmonton", // Fernie, Elkford
	"V1A": "America/Edmonton", // Kimberley
	"V1C": "America/Edmonton", // Cranbrook
	"V0C": "America/Dawson_Creek",
	"V1G": "America/Dawson_Creek",
	"V1J": "America/Dawson_Creek", // Fort St. John

	"V0B1A": "America/Creston",   // Boswell
	"V0B1C": "America/Creston",   // Canyon
	"V0B1E": "America/Creston",   // Crawford Bay
	"V0B1G": "America/Creston",   // Creston
	"V0B1K": "America/Creston",   // Erickson
	"V0B1S": "America/Creston",   // Gray Creek
	"V0B1X": "America/Creston",   // Kootenay Bay
	"V0B1Y": "America/Creston",   // Lister
	"V0B2B": "America/Creston",   // Riondel
	"V0B2C": "America/Creston",   // Sirdar
	"V0B2N": "America/Creston",   // Wynndel
	"V0C1L": "America/Vancouver", // Dease Lake
	"V0C1R": "America/Fort_Nelson",

	// Saskatchewan: Lloydminster has the time of Alberta, in which its other half is.
	"S9V": "America/Edmonton",

	// Ontario west of 90° W is on central time; a few places are on eastern time all year.
	"P0V":   "America/Winnipeg", // Red Lake
	"P0W":   "America/Winnipeg", // Emo
	"P0X":   "America/Winnipeg", // Keewatin
	"P0Y":   "America/Winnipeg", // Ingolf
	"P8N":   "America/Winnipeg", // Dryden
	"P8T":   "America/Winnipeg", // Sioux Lookout
	"P9A":   "America/Winnipeg", // Fort Frances
	"P9N":   "America/Winnipeg", // Kenora
	"P0T1C": "America/Atikokan",
	"P0T1T": "America/Winnipeg", // Ignace
	"P0V3A": "America/Atikokan", // Pickle Lake

	// Quebec: the Magdalen Islands, and the coast east of the Natashquan, on Atlantic time all
	// year.
	"G4T":   "America/Halifax",
	"G0G1C": "America/Blanc-Sablon",
	"G0G1G": "America/Blanc-Sablon", // Chevery
	"G0G1M": "America/Blanc-Sablon", // La Romaine
	"G0G1N": "America/Blanc-Sablon", // Harrington Harbour
	"G0G1T": "America/Blanc-Sablon", // La Tabatière
	"G0G1W": "America/Blanc-Sablon", // Lourdes-de-Blanc-Sablon
	"G0G2P": "America/Blanc-Sablon", // Rivière-Saint-Paul
	"G0G2R": "America/Blanc-Sablon", // Saint-Augustin
	"G0G2W": "America/Blanc-Sablon", // Tête-à-la-Baleine

	// Labrador, but for its southern coast (A0K), is on Atlantic time.
	"A0P":   "America/Goose_Bay",
	"A0R":   "America/Goose_Bay", // Churchill Falls
	"A2V":   "America/Goose_Bay", // Labrador City
	"A0K1V": "America/Goose_Bay", // Cartwright

	// Nunavut has three time zones, and two places that never change their clocks.
	"X0B":   "America/Cambridge_Bay",
	"X0C":   "America/Rankin_Inlet",
	"X0A0V": "America/Resolute",
	"X0C0C": "America/Atikokan", // Coral Harbour
}

// areasOfPlaces has the forward sortation areas of which single places have rows in localZones.
var areasOfPlaces = func() map[string]bool {
	areas := map[string]bool{}
	for code := range localZones {
		if area := delivery.PostalArea(code); area != code {
			areas[area] = true
		}
	}
	return areas
}()

// localZone returns the name of the time zone of a postal code that has not the clock of its
// province's capital. It is empty for all others.
func localZone(postalCode string) string {
	const placeLength = 5
	area := delivery.PostalArea(postalCode)
	if areasOfPlaces[area] {
		code := delivery.NormalPostalCode(postalCode)
		if name := localZones[code[:min(placeLength, len(code))]]; name != "" {
			return name
		}
	}
	return localZones[area]
}

// ClockAt returns the time zone of an address: that of its postal code where it differs from
// that of the province's capital. Of an address without a postal code it is the province's.
func (c *Calendar) ClockAt(a delivery.Address) *time.Location {
	if c != nil {
		if clock := c.local[localZone(a.PostalCode)]; clock != nil {
			return clock
		}
	}
	return c.Clock(a.Province)
}

// at returns the place of an address.
func (c *Calendar) at(a delivery.Address) *place {
	province := c.places[a.Province]
	return &place{clock: c.ClockAt(a), holidays: province.holidays}
}

// Clocks returns the time zones of the provinces, and those of postal codes whose clocks differ
// from those of the capital of their province, by how the codes begin: with three characters or
// with five.
func (c *Calendar) Clocks() map[string]*time.Location {
	clocks := make(map[string]*time.Location, len(c.places)+len(localZones))
	for province, place := range c.places {
		clocks[province] = place.clock
	}
	for code, name := range localZones {
		clocks[code] = c.local[name]
	}
	return clocks
}
