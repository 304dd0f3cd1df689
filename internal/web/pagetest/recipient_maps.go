package pagetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/web/page"
)

// mappedRecipients returns orders that go other ways on the map of the recipient's page.
func mappedRecipients() invented {
	s := invented{}
	for name, way := range map[string][2]delivery.Place{
		"map-city":   {{City: "Toronto", Province: "ON"}, {City: "Toronto", Province: "ON"}},
		"map-near":   {{City: "Toronto", Province: "ON"}, {City: "Mississauga", Province: "ON"}},
		"map-far":    {{City: "St. John’s", Province: "NL"}, {City: "Whitehorse", Province: "YT"}},
		"map-across": {{City: "Vancouver", Province: "BC"}, {City: "Saint-Jean-sur-Richelieu", Province: "QC"}},
		"map-none":   {{City: "Montréal", Province: "QC"}, {City: "Anse-aux-Foins", Province: "QC"}},
	} {
		order := orderOf(livePartner, strings.Fields("pending accepted courier_assigned picked_up in_transit"))
		order.Origin, order.Destination = way[0], way[1]
		order.OrderID = fmt.Sprintf("ord_e3rmcbfx06gzv5ekn284wv1j4r%06x", len(name)*7+int(name[4]))
		s[name] = tracked{order: order, sender: metro}
	}
	return s
}

// mappedRecipientScenes returns the scenes of these orders.
func mappedRecipientScenes(server string) (scenes []Scene) {
	for _, id := range slices.Sorted(maps.Keys(mappedRecipients())) {
		scenes = append(scenes, Scene{Name: "track-" + id, URL: server + "/track/" + id + "/html", Policy: page.Policy})
	}
	return scenes
}
