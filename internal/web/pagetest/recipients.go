package pagetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	livePartner = "par_3ebmvgjr"
	plainSender = "par_4ebmvgjr"
	longSender  = "par_5ebmvgjr"
	badSender   = "par_6ebmvgjr"
	testAccount = "par_kebmvgjr"
)

var metro = partner.Sender{PartnerID: livePartner, Name: "Épicerie Métro", Profile: partner.Profile{
	PublicName: "Épicerie Métro", SupportURL: "https://metro.example/aide", LogoVersion: "06f9c2d41b7a8e35",
}}

// hostile is what a partner may try to write into a page.
const hostile = `<script>hacked=1</script>"><img src=x onerror=hacked=2>'-hacked=3-'<svg/onload=hacked=4>{{.}}</title></textarea><!--` + "\u202e\u0000\u2028" + `javascript:hacked=5`

// hostileText is hostile without what the service itself refuses.
var hostileText = strings.ReplaceAll(hostile, "\u0000", "")

// hostileName is the same for names of partners, people and products, which are on one line.
var hostileName = strings.NewReplacer("\u202e", "", "\u2028", "").Replace(hostileText)

// recipients returns an order in every state that the recipient's page shows.
func recipients() invented {
	s := invented{}
	for name, statuses := range map[string]string{
		"received": "pending", "accepted": "pending accepted", "assigned": "pending accepted courier_assigned",
		"picked-up":        "pending accepted courier_assigned picked_up",
		"in-transit":       "pending accepted courier_assigned picked_up in_transit",
		"out-for-delivery": "pending accepted courier_assigned picked_up in_transit out_for_delivery",
		"delivered":        "pending accepted courier_assigned picked_up in_transit out_for_delivery delivered",
		"failed":           "pending accepted courier_assigned picked_up in_transit out_for_delivery failed",
		"cancelled":        "pending accepted cancelled",
	} {
		s[name] = tracked{order: orderOf(livePartner, strings.Fields(statuses)), sender: metro}
	}
	delivered := s["delivered"]
	delivered.photo = "2f0c8d.jpg"
	s["delivered"] = delivered
	next := Now.Add(22 * time.Hour)
	s["failed"].order.Failed = &delivery.FailedAttempt{Reason: delivery.FailureNotHome, Next: &next}
	out := strings.Fields("pending accepted courier_assigned picked_up out_for_delivery")

	late := orderOf(livePartner, out)
	late.EstimatedDelivery = Now.Add(-50 * time.Minute)
	late.Window = delivery.Window{Start: Now.Add(-4 * time.Hour), End: late.EstimatedDelivery}
	s["late"] = tracked{order: late, sender: metro}
	s["test"] = tracked{order: orderOf(testAccount, out), sender: metro}
	s["plain"] = tracked{order: orderOf(plainSender,
		out), sender: partner.Sender{PartnerID: plainSender, Name: "Librairie Nord"}}
	s["long"] = tracked{order: longOrder(out), sender: partner.Sender{
		PartnerID: longSender, Name: strings.Repeat("Quincaillerie ", 18),
		Profile: partner.Profile{SupportURL: "https://" + strings.Repeat("long", 40) + ".example/"},
	}}
	s["hostile"] = tracked{
		order: hostileOrder(out), sender: partner.Sender{PartnerID: badSender, Name: hostile, Profile: partner.Profile{
			PublicName: hostile, SupportURL: "javascript:hacked=6", LogoVersion: "06f9c2d41b7a8e35", Language: "<script>",
		}},
	}
	for name, scene := range s {
		if name != "hostile" {
			scene.order.OrderID = fmt.Sprintf("ord_e3rmcbfx06gzv5ekn284wv1j4p%06x", len(name)*7+int(name[0]))
		}
	}
	return s
}

// laterRecipients returns states of the recipient's page that came after the others, in which order they are
// looked at.
func laterRecipients() invented {
	out := strings.Fields("pending accepted courier_assigned picked_up out_for_delivery")
	cash := orderOf(livePartner, out)
	cash.COD = &delivery.Money{AmountCents: 6493, Currency: delivery.CAD}
	late := orderOf(livePartner, out)
	late.EstimatedDelivery = Now.Add(27 * time.Hour)
	unlinked := orderOf(plainSender, strings.Fields("pending accepted courier_assigned picked_up failed"))
	unlinked.COD = cash.COD
	unlinked.Failed = &delivery.FailedAttempt{Reason: delivery.FailureNoAccess}
	plain := partner.Sender{PartnerID: plainSender, Name: "Librairie Nord"}
	s := invented{
		"cash": {order: cash, sender: metro}, "late-estimate": {order: late, sender: metro},
		"no-support-link": {order: unlinked, sender: plain},
	}
	for name, scene := range s {
		scene.order.OrderID = fmt.Sprintf("ord_e3rmcbfx06gzv5ekn284wv1j4q%06x", len(name))
	}
	return s
}

// laterRecipientScenes returns the scenes of these states.
func laterRecipientScenes(server string) (scenes []Scene) {
	for _, id := range slices.Sorted(maps.Keys(laterRecipients())) {
		scenes = append(scenes, Scene{Name: "track-" + id, URL: server + "/track/" + id + "/html", Policy: page.Policy})
	}
	return scenes
}

// orderOf returns an order that has entered these statuses, the last one nine minutes
// ago.
func orderOf(partnerID string, statuses []string) *delivery.Tracked {
	o := &delivery.Tracked{
		PartnerID: partnerID,
		Status:    delivery.Status(statuses[len(statuses)-1]),
		// 6 PM in Toronto.
		EstimatedDelivery: time.Date(2026, time.June, 18, 22, 0, 0, 0, time.UTC),
		Origin:            delivery.Place{City: "Montréal", Province: "QC"},
		Destination:       delivery.Place{City: "Toronto", Province: "ON"},
		Window:            delivery.Window{Start: Now.Add(10 * time.Minute), End: Now.Add(5*time.Hour + 10*time.Minute)},
		Parcels:           2, PartnerOrderID: "A-1042",
	}
	o.Promised = o.EstimatedDelivery
	at := Now.Add(-9 * time.Minute)
	for i, distance := len(statuses)-1, time.Duration(0); i >= 0; i-- {
		o.History = append([]delivery.TrackedStatus{{Status: delivery.Status(statuses[i]), At: at.Add(-distance)}},
			o.History...)
		distance = distance*2 + 3*time.Hour
	}
	o.UpdatedAt, o.CreatedAt = at, o.History[0].At
	if len(statuses) > 2 && o.Status != delivery.StatusCancelled {
		o.Courier = &delivery.TrackedCourier{FirstName: "Amélie", Vehicle: "cargo bike"}
	}
	return o
}

func longOrder(statuses []string) *delivery.Tracked {
	o := orderOf(longSender, statuses)
	o.PartnerOrderID = longName
	o.Destination.City = "Saint-Louis-du-Ha! Ha!-" + strings.Repeat("sur-le-Lac-", 20)
	o.Origin.City = strings.Repeat("Xwxw", 60)
	o.Courier.FirstName, o.Courier.Vehicle = strings.Repeat("Maximilienne-", 18), strings.Repeat("tricycle ", 25)
	o.Parcels = 50
	for range 6 { // attempts that failed
		o.History = append(o.History, delivery.TrackedStatus{Status: delivery.StatusFailed, At: o.UpdatedAt},
			delivery.TrackedStatus{Status: delivery.StatusOutForDelivery, At: o.UpdatedAt})
	}
	o.Window = delivery.Window{Start: Now.AddDate(0, 0, 3), End: Now.AddDate(0, 0, 4)}
	o.EstimatedDelivery = Now.AddDate(0, 0, 4)
	return o
}

func hostileOrder(statuses []string) *delivery.Tracked {
	o := orderOf(badSender, statuses)
	o.OrderID, o.PartnerOrderID = hostile, hostile
	o.Origin.City, o.Destination.City = hostile, hostile
	o.Courier.FirstName, o.Courier.Vehicle = hostile, hostile
	return o
}
