package label_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func TestScan(t *testing.T) {
	t.Parallel()
	const highest = "14615016373309029182036848327162830196559325429"
	for text, want := range map[string]struct {
		order string
		place int
	}{
		tracking:                             {orderID, 0},
		" " + tracking + "/html\r\n":         {orderID, 0},
		"HTTP://[::1]:8/x/track/" + orderID:  {orderID, 0},
		tracking + "?lang=fr#top":            {orderID, 0},
		orderID + "\n":                       {orderID, 0},
		strings.Repeat("0", 51) + "7":        {"ord_" + strings.Repeat("0", 32), 7},
		strings.Repeat("0", 49) + "050":      {"ord_" + strings.Repeat("0", 32), 50},
		strings.Repeat("0", 52):              {},
		strings.Repeat("0", 49) + "051":      {},
		strings.Repeat("9", 49) + "001":      {},
		"":                                   {},
		"0627735067890":                      {},
		"EM-2026-004711-1":                   {},
		"/track/" + orderID:                  {},
		"ord_1":                              {},
		tracking + "x":                       {},
		"https://a/track/" + orderID[:35]:    {},
		"https://a/track/" + orderID + "/qr": {},
		"https://a/track/ord_" + strings.Repeat("u", 32): {},
		"https://%zz": {},
		highest:       {},
	} {
		order, place, ok := label.Scan(text)
		if ok != (want.order != "") || ok && (order != want.order || place != want.place) {
			t.Errorf("%q: got %q, %d, %v, want %q, %d", text, order, place, ok, want.order, want.place)
		}
	}
}

// TestScanParcelNumber: Scan resolves the number that is printed if neither
// barcode nor parcel_id can be.
func TestScanParcelNumber(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		random := bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "random"))
		partner, err := delivery.NewPartnerID(random)
		if err != nil {
			t.Fatal(err)
		}
		id, err := delivery.NewOrderID(random, partner, usual().CreatedAt)
		if err != nil {
			t.Fatal(err)
		}
		o := extreme()
		o.OrderID = id
		place := rapid.IntRange(1, delivery.MaxParcels).Draw(t, "place")
		text := label.Code128(o, place)
		if got, at, ok := label.Scan(text); !ok || got != id || at != place || len(text) != 52 {
			t.Fatalf("%q: got %s, %d, %v, want %s, %d", text, got, at, ok, id, place)
		}
	})
}

func TestCode128(t *testing.T) {
	t.Parallel()
	const (
		parcelID = "the parcel's id"
		number   = "0165173084034651114736695980925567586929419043954001"
	)
	for barcode, want := range map[string]string{
		"0627735067890":               "0627735067890",
		"a^b~c>d\\e_f":                "a^b~c>d\\e_f",
		"":                            parcelID,
		"Bœuf":                        number,
		"tab\there":                   number,
		" space":                      number,
		"space ":                      number,
		"\u00f1":                      number, // a library's mark for FNC1
		strings.Repeat("M", 31):       strings.Repeat("M", 31),
		strings.Repeat("M", 32):       number,
		strings.Repeat("9", 62):       strings.Repeat("9", 62),
		strings.Repeat("9", 64):       number,
		strings.Repeat("9", 81):       number,
		strings.Repeat(">", 31):       strings.Repeat(">", 31),
		strings.Repeat("9", 31) + ">": number,
	} {
		o := usual()
		o.Parcels[0].Barcode, o.Parcels[0].ParcelID = barcode, parcelID
		if got := label.Code128(o, 1); got != want {
			t.Errorf("barcode %q: got %q, want %q", barcode, got, want)
		}
	}
	o := usual()
	o.Parcels[0].Barcode, o.Parcels[0].ParcelID = "", "Colis n° 1"
	if got := label.Code128(o, 1); got != number {
		t.Errorf("a parcel_id that cannot be encoded: got %q, want the parcel's number %q", got, number)
	}
	o = extreme()
	o.OrderID = "not an order id"
	if got := label.Code128(o, 1); got != "" {
		t.Errorf("an order id that is not valid: got %q, want none", got)
	}
}
