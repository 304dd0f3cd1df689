package orderform

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/testkit"
)

// clock returns the time zone of an address.
func clock(a delivery.Address) *time.Location { return testkit.Calendar().ClockAt(a) }

// typedOrder is a form in which everything is filled in.
func typedOrder() url.Values {
	values := url.Values{
		"partner_order_id": {" A-1 "}, "service_level": {"express"}, "reference": {"R"}, "instructions": {"Ring \"twice\""},
		"parcels[0].parcel_id": {"P-1"}, "parcels[0].description": {"Books"}, "parcels[0].weight_kg": {"2,5"},
		"parcels[0].length_cm": {"30"}, "parcels[0].width_cm": {"20.0"}, "parcels[0].height_cm": {".5"},
		"parcels[0].value_cents": {"$1 234,5"}, "parcels[0].fragile": {"true"}, "cod.amount_cents": {"12.50"},
		"cod.currency": {"USD"}, "insurance.amount_cents": {""}, "insurance.currency": {"CAD"}, "items[0].product_id": {"7"},
		"items[0].quantity": {""}, "items[1].product_id": {"8"}, "items[1].quantity": {"2"},
	}
	for end, province := range map[string]string{"pickup": "QC", "dropoff": "NL"} {
		for name, value := range map[string]string{
			"name": "Alex", "phone": "(514) 555-0100", "email": "a@example.com", "address.line1": "1 Rue",
			"address.city": "Ville", "address.province": province, "address.postal_code": "H2X 1Y4",
			"time_window.start": "2026-01-15T09:00", "time_window.end": "2026-01-15T12:00",
		} {
			values.Set(end+"."+name, value)
		}
	}
	return values
}

// TestOrderValues reads what was typed as the use case gets it.
func TestOrderValues(t *testing.T) {
	t.Parallel()
	body := orderValues(typedOrder(), clock)
	got, err := form.Decode(form.FromValues(body, nil), delivery.ReadOrderRequest)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	parcel := got.Parcels[0]
	if parcel.WeightKg != 2.5 || parcel.HeightCm != 0.5 || parcel.ValueCents != 123450 || !parcel.Fragile {
		t.Errorf("got the parcel %+v, want 2.5 kg, 0.5 cm high, worth 123450 cents, fragile", parcel)
	}
	if got.PartnerOrderID != "A-1" || got.Pickup.Phone != "+15145550100" || got.Instructions != `Ring "twice"` {
		t.Errorf("got %q, %q and %q, want trimmed and international", got.PartnerOrderID, got.Pickup.Phone, got.Instructions)
	}
	if *got.COD != (delivery.Money{AmountCents: 1250, Currency: delivery.USD}) || got.Insurance != nil {
		t.Errorf("got %+v and %+v, want 12.50 USD and no insurance", got.COD, got.Insurance)
	}
	if len(got.Items) != 1 || got.Items[0].ProductID != 8 || got.Items[0].Quantity != 2 {
		t.Errorf("got the items %+v, want 2 of product 8", got.Items)
	}
	for at, want := range map[time.Time]time.Time{
		got.Pickup.Window.Start:  time.Date(2026, 1, 15, 14, 0, 0, 0, time.UTC),
		got.Dropoff.Window.Start: time.Date(2026, 1, 15, 12, 30, 0, 0, time.UTC),
	} {
		if !at.Equal(want) {
			t.Errorf("got a window that starts %s, want %s", at, want)
		}
	}
}

// TestQuoteValuesAreEnough prices what was typed, without names and with half a window.
func TestQuoteValuesAreEnough(t *testing.T) {
	t.Parallel()
	values := typedOrder()
	for _, name := range []string{
		"pickup.name", "dropoff.email", "parcels[0].description", "parcels[0].length_cm", "dropoff.time_window.end",
	} {
		values.Del(name)
	}
	values.Set("pickup.phone", "5")
	source := form.FromValues(quoteValues(values, clock), nil)
	if _, problems := form.Decode(source, delivery.ReadPriced); problems != nil {
		t.Errorf("got %v, want a valid request", problems)
	}
}

func TestConvertedFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind        kind
		typed, want string // want is empty if the text is not converted
	}{
		{asNumber, "2.5", "2.5"},
		{asNumber, "2,50", "2.50"},
		{asNumber, "007", "7"},
		{asNumber, ",5", "0.5"},
		{asNumber, "1e3", ""},
		{asNumber, "-1", ""},
		{asNumber, ".", ""},
		{asNumber, "1.2.3", ""},
		{asCents, "0", "0"},
		{asCents, "12", "1200"},
		{asCents, "12,5", "1250"},
		{asCents, "$ 0.07", "7"},
		{asCents, "1\u00a0234,56 $", "123456"},
		{asCents, "90071992547409.93", "9007199254740993"},
		{asCents, "1.005", ""},
		{asCents, "1,234.00", ""},
		{asPhone, "514-555-0100", `"+15145550100"`},
		{asPhone, "1 (514) 555.0100", `"+15145550100"`},
		{asPhone, "+33 1 23 45 67 89", `"+33123456789"`},
		{asPhone, "555-0100", ""},
		{asFlag, "true", "true"},
		{asFlag, "on", ""},
		{asText, "x", ""},
	} {
		got, ok := (orderField{kind: c.kind}).convert(c.typed, time.UTC)
		if c.kind == asPhone {
			got = strconv.Quote(got)
		}
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%d, %q: got %q, %t, want %q", c.kind, c.typed, got, ok, c.want)
		}
	}
}

// TestLocalTime reads clocks on the days on which they are changed, too: an hour that is
// skipped is refused, and one that is repeated belongs to the window as a whole.
func TestLocalTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, province string
		last            bool
		want            string
	}{
		{"2026-01-15T09:00", "QC", false, "2026-01-15T09:00:00-05:00"},
		{"2026-07-15T09:00:30", "BC", true, "2026-07-15T09:00:30-07:00"},
		{"2026-01-15T09:00", "NL", false, "2026-01-15T09:00:00-03:30"},
		{"2026-03-08T02:30", "ON", false, ""},
		{"2026-03-08T02:30", "SK", false, "2026-03-08T02:30:00-06:00"},
		{"2026-11-01T01:30", "ON", false, "2026-11-01T01:30:00-04:00"},
		{"2026-11-01T01:30", "ON", true, "2026-11-01T01:30:00-05:00"},
		{"2026-11-01T01:30", "AB", true, "2026-11-01T01:30:00-06:00"}, // which no longer sets its clocks back
		{"2026-12-15T09:00", "BC", false, "2026-12-15T09:00:00-07:00"},
		{"2027-03-14T02:30", "MB", false, "2027-03-14T02:30:00-05:00"},
		{"2026-02-30T09:00", "ON", false, ""},
		{"tomorrow", "ON", false, ""},
	} {
		at, ok := localTime(c.typed, clock(delivery.Address{Province: c.province}), c.last)
		if got := at.Format(time.RFC3339); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s in %s, last %t: got %s, %t, want %q", c.typed, c.province, c.last, got, ok, c.want)
		}
	}
}

// FuzzOrderValues sends forms with any fields: they are read or refused, and each field that
// is not empty is in what is read.
func FuzzOrderValues(f *testing.F) {
	f.Add(typedOrder().Encode())
	f.Add("pickup.time_window.start=x&parcels[7].weight_kg=1e9&parcels[07].weight_kg=1&items[1].quantity=%00&dropoff.name=%ff&cod.amount_cents=%7B")
	f.Fuzz(func(t *testing.T, sent string) {
		values, _ := url.ParseQuery(sent) // keeps what it could read
		for _, body := range []url.Values{orderValues(values, clock), quoteValues(values, clock)} {
			_, err := form.Decode(form.FromValues(body, nil), delivery.ReadOrderRequest)
			if err != nil && form.ProblemsOf(err) == nil {
				t.Fatalf("%q: got %q, which is refused with %v, want a validation_error", sent, body, err)
			}
			if !utf8.ValidString(fmt.Sprint(body)) {
				t.Fatalf("%q: got %q, which is not UTF-8", sent, body)
			}
		}
		root := form.FromValues(orderValues(values, clock), nil)
		for name := range values {
			if _, _, known := findField(name); known && strings.TrimSpace(values.Get(name)) != "" &&
				isMissing(root, name, values) {
				t.Fatalf("%q: got %s, want it to have the field %q", sent, orderValues(values, clock), name)
			}
		}
	})
}

// isMissing reports whether a field is not in the body although it belongs there: a
// currency needs an amount, and a product a quantity.
func isMissing(root form.Source, name string, values url.Values) bool {
	for _, list := range []string{"parcels", "items"} {
		i, rest, ok := rowOf(name, list)
		if !ok {
			continue
		}
		rows := form.Rows(values, list)
		if list == "items" {
			rows = itemRows(values)
		}
		at := -1
		for j, row := range rows {
			if row == i {
				at = j
			}
		}
		if at < 0 {
			return list == "parcels"
		}
		return root.Member(list).Elements()[at].Member(rest).Kind() == form.Absent
	}
	if object, field, _ := strings.Cut(name, "."); field == "currency" &&
		strings.TrimSpace(values.Get(object+".amount_cents")) == "" {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if root = root.Member(part); root.Kind() == form.Absent {
			return true
		}
	}
	return false
}
