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
		"as usual":           {window(1, 2), window(24, 30), at(29), nil},
		"at the last moment": {window(1, 2), window(24, 30), at(30), nil},
		"late":               {window(1, 2), window(24, 30), at(31), []delivery.WarningCode{delivery.WarningLate}},
		"overlapping":        {window(1, 4), window(2, 3), at(3), nil},
		"before the pickup": {window(10,
			12), window(5, 10), at(9), []delivery.WarningCode{delivery.WarningDropoffBeforePickup}},
		"before and late": {window(10,
			12), window(5, 9), at(30), []delivery.WarningCode{delivery.WarningDropoffBeforePickup, delivery.WarningLate}},
		"no window of a dropoff": {window(10, 12), delivery.Window{}, at(30), nil},
		"no window of a pickup":  {delivery.Window{}, window(5, 9), at(8), nil},
	} {
		shipment := delivery.Shipment{
			Pickup: delivery.Contact{Window: c.pickup}, Dropoff: delivery.Contact{Window: c.dropoff},
		}
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

// TestPlausibility: what an address, an e-mail address and a phone number cannot be is a warning.
func TestPlausibility(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*delivery.Contact)
		want   delivery.WarningCode
	}{
		{func(*delivery.Contact) {}, ""},
		{func(c *delivery.Contact) { c.Address.Province = "ON" }, delivery.WarningProvince},
		{func(c *delivery.Contact) { c.Address.PostalCode = "k1a 0b1" }, ""}, // of Gatineau
		{func(c *delivery.Contact) { c.Address.PostalCode = "K1P 1A4" }, delivery.WarningProvince},
		{func(c *delivery.Contact) { c.Address.Province, c.Address.PostalCode = "NT", "X0A 0H0" }, delivery.WarningProvince},
		{func(c *delivery.Contact) { c.Address.Province, c.Address.PostalCode = "NU", "X0A 0H0" }, ""},
		{func(c *delivery.Contact) { c.Address.Province, c.Address.PostalCode = "NT", "X1A 1A1" }, ""},
		{func(c *delivery.Contact) { c.Address.Line1 = "PO Box 12" }, delivery.WarningPostBox},
		{func(c *delivery.Contact) { c.Address.Line1 = "P.O. BOX 12" }, delivery.WarningPostBox},
		{func(c *delivery.Contact) { c.Address.Line1 = "C.P. 1200" }, delivery.WarningPostBox},
		{func(c *delivery.Contact) { c.Address.Line1 = "12 rue CP Rail" }, ""},
		{func(c *delivery.Contact) { c.Address.Line1 = "1 Boxwood Lane" }, ""},
		{func(c *delivery.Contact) { c.Address.Line1 = "Box 7, Site 3" }, delivery.WarningPostBox},
		{func(c *delivery.Contact) { c.Address.Line2 = "case postale 3" }, delivery.WarningPostBox},
		{func(c *delivery.Contact) { c.Email = "a@shop.ca" }, ""},
		{func(c *delivery.Contact) { c.Email = "a@boutique.quebec" }, ""},
		{func(c *delivery.Contact) { c.Email = "a@shop.example" }, ""},
		{func(c *delivery.Contact) { c.Email = "a@shop.con" }, delivery.WarningEmail},
		{func(c *delivery.Contact) { c.Email = "a@shop" }, delivery.WarningEmail},
		{func(c *delivery.Contact) { c.Email = "a@192.168.1.1" }, delivery.WarningEmail},
		{func(c *delivery.Contact) { c.Email = "a@shop.invalid" }, delivery.WarningEmail},
		{func(c *delivery.Contact) { c.Phone = "+1514555010" }, delivery.WarningPhone},
		{func(c *delivery.Contact) { c.Phone = "+151455501001" }, delivery.WarningPhone},
		{func(c *delivery.Contact) { c.Phone = "+33142685300" }, ""},
		{func(c *delivery.Contact) { c.Phone = "+3314268530" }, delivery.WarningPhone},
		{func(c *delivery.Contact) { c.Phone = "+9991234567" }, delivery.WarningPhone},
		{func(c *delivery.Contact) { *c = delivery.Contact{} }, ""},
	} {
		contact := delivery.Contact{Phone: "+15145550100", Email: "a@example.com", Address: delivery.Address{
			Line1: "1 rue Principale", City: "Montréal", Province: "QC", PostalCode: "H2X 1Y4",
		}}
		c.change(&contact)
		shipment := delivery.Shipment{Dropoff: contact}
		got := delivery.WarningCode("")
		if warnings := shipment.Warnings(testkit.Epoch); len(warnings) > 0 {
			got = warnings[0].Code
		}
		if got != c.want {
			t.Errorf("%+v: got the warning %q, want %q", contact, got, c.want)
		}
	}
}
