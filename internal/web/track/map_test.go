package track_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// TestOrderPageMap: the way on the map is as far gone as the order.
func TestOrderPageMap(t *testing.T) {
	t.Parallel()
	const (
		start = `class="parcel" cx="583" cy="80"`
		half  = `class="parcel" cx="360" cy="180"`
		end   = `class="parcel" cx="137" cy="280"`
	)
	for status, want := range map[delivery.Status]string{
		delivery.StatusPending: start, delivery.StatusAccepted: start, delivery.StatusCourierAssigned: start,
		delivery.StatusPickedUp: half, delivery.StatusInTransit: half, delivery.StatusOutForDelivery: half,
		delivery.StatusDelivered: end,
	} {
		_, _, text, _ := shown(t, &services{order: order(status)}, "/track/ord_1/html")
		gone, absent := []string{`class="gone"`}, []string(nil)
		if want == start {
			gone, absent = absent, gone
		}
		check(t, string(status), text, append(gone, want, `class="land"`, `d="M583 80L137 280"`,
			`<text x="583" y="54" text-anchor="end">Montréal</text>`, `<text x="137" y="324" text-anchor="start">Toronto</text>`,
			`aria-label="Map of the way from Montréal to Toronto: `,
		), absent)
	}

	failed := order(delivery.StatusFailed)
	failed.History = append(failed.History,
		delivery.TrackedStatus{Status: delivery.StatusOutForDelivery, At: failed.UpdatedAt})
	_, _, text, _ := shown(t, &services{order: failed}, "/track/ord_1/html?lang=fr")
	check(t, "failed", text, []string{half, `aria-label="Carte du trajet, Montréal – Toronto`}, nil)

	_, _, text, _ = shown(t, &services{order: order(delivery.StatusCancelled)}, "/track/ord_1/html")
	check(t, "cancelled", text, []string{`class="way"`}, []string{`class="parcel"`, `class="gone"`})

	local := order(delivery.StatusInTransit)
	local.Origin = local.Destination
	_, _, text, _ = shown(t, &services{order: local}, "/track/ord_1/html")
	check(t, "in one city", text, []string{`aria-label="Map of Toronto: In transit"`, half}, []string{`class="way"`})
	if got := strings.Count(text, ">Toronto</text>"); got != 1 {
		t.Errorf("in one city: got its name %d times on the map, want once", got)
	}
}

// pageMap is the part of the page that the map is in.
var pageMap = regexp.MustCompile(`(?s)<div id="map".*?</div>`)

// TestOrderPageMapShowsCities: the map depends on the cities only, which the page names, and there is none
// if one of them is not known.
func TestOrderPageMapShowsCities(t *testing.T) {
	t.Parallel()
	mapOf := func(change func(o *delivery.Tracked)) string {
		o := order(delivery.StatusInTransit)
		change(o)
		_, _, text, err := shown(t, &services{order: o}, "/track/ord_1/html")
		if err != nil {
			t.Fatal(err)
		}
		return pageMap.FindString(text)
	}
	plain := mapOf(func(*delivery.Tracked) {})
	if got := mapOf(func(o *delivery.Tracked) { o.Origin.Area, o.Destination.Area = "H2W", "M1B" }); got != plain ||
		!strings.Contains(plain, "<svg") {
		t.Errorf("got the map\n%s\nof addresses with areas, want as without\n%s", got, plain)
	}
	for name, place := range map[string]delivery.Place{
		"a city that is not known": {City: "<b>Toronto</b>", Province: "ON", Area: "M5H"},
		"another province":         {City: "Toronto", Province: "QC", Area: "M5H"},
		"nothing":                  {},
	} {
		for _, got := range []string{
			mapOf(func(o *delivery.Tracked) { o.Origin = place }),
			mapOf(func(o *delivery.Tracked) { o.Destination = place }),
		} {
			if strings.Contains(got, "<svg") || got == "" {
				t.Errorf("%s: got %q, want an empty part of the page", name, got)
			}
		}
	}
}
