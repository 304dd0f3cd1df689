package delivery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return testkit.Epoch.Add(time.Duration(hour) * time.Hour) }
	window := func(from, to int) delivery.Window { return delivery.Window{Start: at(from), End: at(to)} }
	for name, c := range map[string]struct {
		pickup, dropoff delivery.Window
		estimate        time.Time
		want            []delivery.WarningCode
	}{
		"as usual":               {window(1, 2), window(24, 30), at(29), nil},
		"at the last moment":     {window(1, 2), window(24, 30), at(30), nil},
		"late":                   {window(1, 2), window(24, 30), at(31), []delivery.WarningCode{delivery.WarningLate}},
		"overlapping":            {window(1, 4), window(2, 3), at(3), nil},
		"before the pickup":      {window(10, 12), window(5, 10), at(9), []delivery.WarningCode{delivery.WarningDropoffBeforePickup}},
		"before and late":        {window(10, 12), window(5, 9), at(30), delivery.WarningCodes},
		"no window of a dropoff": {window(10, 12), delivery.Window{}, at(30), nil},
		"no window of a pickup":  {delivery.Window{}, window(5, 9), at(8), nil},
	} {
		shipment := delivery.Shipment{Pickup: delivery.Contact{Window: c.pickup}, Dropoff: delivery.Contact{Window: c.dropoff}}
		var got []delivery.WarningCode
		for _, warning := range shipment.Warnings(c.estimate) {
			got = append(got, warning.Code)
			if warning.Field != "dropoff.time_window" || warning.Message == "" {
				t.Errorf("%s: got %+v, want the path of the dropoff's window and a message", name, warning)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
