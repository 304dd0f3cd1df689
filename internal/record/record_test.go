package record_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestDecodeReversesEncode encodes, decodes and encodes random orders again. The
// test sets the fields that change after creation, as the store does.
func TestDecodeReversesEncode(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		written := drawOrder(t)
		first := record.Encode(written)
		if _, err := strictjson.Parse(first); err != nil {
			t.Fatalf("Encode wrote %s: %v", first, err)
		}
		if !bytes.Contains(first, written.Metadata) {
			t.Fatalf("got %s, want the metadata %s in it", first, written.Metadata)
		}
		read, err := record.Decode(first)
		if err != nil {
			t.Fatal(err)
		}
		if !read.Promised.Equal(written.EstimatedDelivery) {
			t.Fatalf("got %s promised, want %s", read.Promised, written.EstimatedDelivery)
		}
		read.Promised = written.Promised
		read.Courier, read.History, read.Cancellation = written.Courier, written.History, written.Cancellation
		if !reflect.DeepEqual(read, written) {
			t.Fatalf("got\n%+v\nwant\n%+v", read, written)
		}
		if second := record.Encode(read); !bytes.Equal(first, second) {
			t.Fatalf("encoded again: got\n%s\nwant\n%s", second, first)
		}
	})
}

func drawOrder(t *rapid.T) *delivery.Order {
	o := &delivery.Order{
		OrderID: text(t, "order"),
		OrderRequest: delivery.OrderRequest{
			PartnerOrderID: text(t, "reference"),
			Shipment: delivery.Shipment{
				ServiceLevel: rapid.SampledFrom(delivery.ServiceLevels).Draw(t, "level"),
				Pickup:       drawContact(t),
				Dropoff:      drawContact(t),
				Parcels:      rapid.SliceOfN(rapid.Custom(drawParcel), 1, 4).Draw(t, "parcels"),
				COD:          rapid.Ptr(rapid.Custom(drawMoney), true).Draw(t, "cod"),
				Insurance:    rapid.Ptr(rapid.Custom(drawMoney), true).Draw(t, "insurance"),
			},
			Reference:    text(t, "own reference"),
			Instructions: text(t, "instructions"),
		},
		RateCents: rapid.Int64().Draw(t,
			"rate"), Currency: drawCurrency(t), TrackingURL: text(t, "url"), CreatedAt: instant(t),
		Status: rapid.SampledFrom(delivery.Statuses).Draw(t, "status"), UpdatedAt: instant(t), EstimatedDelivery: instant(t),
		History: rapid.SliceOfN(rapid.Custom(drawEntry), 0, 3).Draw(t, "history"),
		Courier: rapid.Ptr(rapid.Custom(drawCourier), true).Draw(t, "courier"),
	}
	if rapid.Bool().Draw(t, "has metadata") {
		o.Metadata = drawObject(t, 3)
	}
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		o.Items = append(o.Items, delivery.Item{ProductID: rapid.Int64().Draw(t,
			"product"), Quantity: rapid.Int64().Draw(t, "quantity"), Name: text(t, "name")})
	}
	if rapid.Bool().Draw(t, "cancelled") {
		o.Cancellation = &delivery.Cancellation{Reason: text(t, "reason"), At: instant(t)}
	}
	return o
}

// text draws a text, often with characters that JSON must escape.
func text(t *rapid.T, label string) string {
	odd := rapid.SampledFrom([]rune("\"\\/<>&\x00\x01\b\t\n\r\x1f\x7f\u0085\u2028\u2029\ufeff\ufffd\U0010ffffé🍁{}[]:,"))
	anything := rapid.StringOfN(rapid.OneOf(odd, rapid.Rune()), 0, 12, -1)
	// What AppendListed and Current search for, so that it is also found where it is text.
	member := rapid.Map(rapid.SampledFrom(listed), func(name string) string { return `,"` + name + `":"` })
	return rapid.OneOf(anything, member).Draw(t, label)
}

// instant draws a time in the precision of orders.
func instant(t *rapid.T) time.Time {
	end := time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	return time.UnixMilli(rapid.Int64Range(0, end.UnixMilli()).Draw(t, "time")).UTC()
}

func drawContact(t *rapid.T) delivery.Contact {
	return delivery.Contact{
		Name: text(t, "name"), Phone: text(t, "phone"), Email: text(t, "email"),
		Address: delivery.Address{
			Line1: text(t, "line1"), Line2: text(t, "line2"), City: text(t, "city"), Province: text(t, "province"),
			PostalCode: text(t, "postal code"), Country: text(t, "country"), Notes: text(t, "notes"),
		},
		Window: delivery.Window{Start: instant(t), End: instant(t)},
	}
}

func drawParcel(t *rapid.T) delivery.Parcel {
	size := rapid.Float64Range(0, 300)
	return delivery.Parcel{
		ParcelID: text(t, "parcel"), Description: text(t, "description"),
		LengthCm: size.Draw(t,
			"length"), WidthCm: size.Draw(t, "width"), HeightCm: size.Draw(t, "height"), WeightKg: size.Draw(t, "weight"),
		ValueCents: rapid.Int64().Draw(t, "value"), Fragile: rapid.Bool().Draw(t, "fragile"), Barcode: text(t, "barcode"),
	}
}

func drawCurrency(t *rapid.T) delivery.Currency {
	return rapid.SampledFrom([]delivery.Currency{delivery.CAD, delivery.USD}).Draw(t, "currency")
}

func drawMoney(t *rapid.T) delivery.Money {
	return delivery.Money{AmountCents: rapid.Int64().Draw(t, "amount"), Currency: drawCurrency(t)}
}

func drawEntry(t *rapid.T) delivery.HistoryEntry {
	return delivery.HistoryEntry{Status: rapid.SampledFrom(delivery.Statuses).Draw(t,
		"entered"), At: instant(t), Notes: text(t, "notes")}
}

func drawCourier(t *rapid.T) delivery.Courier {
	return delivery.Courier{Name: text(t, "name"), Phone: text(t, "phone"), Vehicle: text(t, "vehicle")}
}

// drawObject draws an object in unusual but valid JSON: with any white space,
// needless escapes, and numbers of any form.
func drawObject(t *rapid.T, depth int) []byte {
	space := func() string { return rapid.StringOfN(rapid.SampledFrom([]rune(" \t\r\n")), 0, 3, -1).Draw(t, "space") }
	out := []byte("{" + space())
	for i := range rapid.IntRange(0, 3).Draw(t, "members") {
		if i > 0 {
			out = append(out, ","+space()...)
		}
		name, err := json.Marshal(string(rune('a'+i)) + text(t, "name")) // no name twice
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, name...), space()+":"+space()...)
		if depth > 0 && rapid.Bool().Draw(t, "deeper") {
			out = append(out, drawObject(t, depth-1)...)
		} else {
			out = append(out, rapid.SampledFrom([]string{
				"1.0", "-0", "1e400", "12345678901234567890", "true", "null", `"\u0041\/\\\""`, `"}"`, `"\\"`, "[ ]",
				"[ 1 ,\n{ } ]", `"é"`,
			}).Draw(t, "value")...)
		}
		out = append(out, space()...)
	}
	return append(out, '}')
}

// fullOrder returns an order whose record has every member.
func fullOrder() *delivery.Order {
	o := testkit.Order("par_00000000", "ord_1", "A-1", testkit.Epoch)
	o.Status = delivery.StatusCancelled
	o.Parcels = append(o.Parcels, delivery.Parcel{
		ParcelID: "P-2", Description: `Lamp "Lune" <2>`, LengthCm: 40, WidthCm: 0.1, HeightCm: 60, WeightKg: 0.01,
	})
	o.COD.AmountCents = 2500
	o.Insurance = &delivery.Money{AmountCents: 100, Currency: delivery.USD}
	o.Items = []delivery.Item{
		{ProductID: 1, Quantity: 2, Name: "Sirop d’érable"},
		{ProductID: 7, SKU: "TUQUE-M", Quantity: 1, Name: "Tuque"},
	}
	o.Courier = &delivery.Courier{CourierID: "cou_1", Name: "Léa Roy", Phone: "+15145550111", Vehicle: "bike"}
	o.UpdatedAt = testkit.Epoch.Add(1500 * time.Millisecond)
	o.Cancellation = &delivery.Cancellation{Reason: "changed\ntheir mind", At: o.UpdatedAt}
	o.History = append(o.History,
		delivery.HistoryEntry{Status: delivery.StatusCancelled, At: o.UpdatedAt, Notes: o.Cancellation.Reason})
	return o
}

// TestFullRecord compares every byte of a record, because stored orders have this
// form.
func TestFullRecord(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/full_record.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := record.Encode(fullOrder()); !bytes.Equal(got, bytes.TrimSpace(want)) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func membersOf(t *testing.T, document []byte) map[string]json.RawMessage {
	t.Helper()
	return parsed(t, document)
}

func parsed(t fataler, document []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(document, &members); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return members
}

func TestAbsentMembersAreLeftOut(t *testing.T) {
	t.Parallel()
	members := membersOf(t, record.Encode(&delivery.Order{}))
	want := append(slices.Clone(listed), "livemode", "status_history")
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, want) {
		t.Errorf("got members %q, want %q", got, want)
	}
	for name, inside := range map[string][]string{
		"pickup": {
			"address", "email", "name", "phone", "time_window",
		}, "dropoff": {"address", "email", "name", "phone", "time_window"},
	} {
		contact := membersOf(t, members[name])
		if got := slices.Sorted(maps.Keys(contact)); !slices.Equal(got, inside) {
			t.Errorf("%s: got members %q, want %q", name, got, inside)
		}
		if address := membersOf(t, contact["address"]); address["line2"] != nil || address["notes"] != nil {
			t.Errorf("%s: got address %s, want it without line2 and notes", name, contact["address"])
		}
	}
}

// FuzzDecode: any bytes are decoded to an error or an order that can be encoded,
// without a panic and without changing them.
func FuzzDecode(f *testing.F) {
	full := record.Encode(fullOrder())
	f.Add(full)
	for _, cut := range []int{0, 1, 2, len(full) / 3, len(full) - 1} {
		f.Add(full[:cut])
	}
	for _, seed := range []string{
		`[]`, `"x"`, `null`, `}`, `{"parcels":{"a":1},"items":"x","metadata":`, `{"parcels":[[],"\`,
		`{"rate_cents":1e400,"created_at":0,"pickup":[{}],"cod":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		o, err := record.Decode(data)
		if (o == nil) != (err != nil) {
			t.Fatalf("%q: got %+v, %v, want either an order or an error", data, o, err)
		}
		if o != nil {
			record.Encode(o)
		}
		_, _ = record.AppendListed(nil, &delivery.Stored{Document: data})
		_, _ = record.Current(&delivery.Stored{Document: data})
		_, _ = record.Tracked(&delivery.Stored{Document: data})
		if !bytes.Equal(data, before) {
			t.Fatalf("got input %q, want it unchanged: %q", data, before)
		}
	})
}
