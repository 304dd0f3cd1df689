package delivery_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/route"
)

// FuzzReadOrderRequest: any JSON is read either as a valid request or as a
// validation error that names its faults.
func FuzzReadOrderRequest(f *testing.F) {
	f.Add([]byte(orderBody))
	f.Add(
		[]byte(`{"parcels":[{"weight_kg":1e400,"value_cents":10.5},null,[],"x"],"items":[{"product_id":1e0}],"metadata":[]}`),
	)
	f.Add([]byte(
		`{"pickup":{"address":[],"time_window":{"start":"2026-03-02T09:00:00Z","end":"2026-03-02T09:00:00Z"}},"cod":{}}`,
	))
	f.Add([]byte(`[{}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := strictjson.Parse(data)
		if err != nil {
			return
		}
		request, problems := read(root, delivery.ReadOrderRequest)
		if len(problems) == 0 {
			checkValid(t, request)
			return
		}
		details := detailsOf(t, problems)
		if len(details.Errors) != len(problems) || details.Field != problems[0].Field {
			t.Fatalf("got %d problems in the error, want %d, the first at %q", len(details.Errors), len(problems),
				problems[0].Field)
		}
		for _, problem := range details.Errors {
			if problem.Expected == "" || !fieldForm.MatchString(problem.Field) {
				t.Fatalf("got %+v, want the path of a field and what is expected", problem)
			}
		}
	})
}

func checkValid(t *testing.T, r delivery.OrderRequest) {
	t.Helper()
	window := func(c delivery.Contact) time.Duration { return c.Window.End.Sub(c.Window.Start) }
	if r.PartnerOrderID == "" || r.ServiceLevel == "" || window(r.Pickup) <= 0 || window(r.Dropoff) <= 0 ||
		r.Pickup.Address.Country != delivery.Country || len(r.Parcels) < 1 || len(r.Parcels) > delivery.MaxParcels {
		t.Fatalf("no problems with the invalid request %+v", r)
	}
	for _, p := range r.Parcels {
		if p.ParcelID == "" || p.WeightKg < 0.01 || p.WeightKg > 70 || p.LengthCm < 0.1 || p.LengthCm > 300 ||
			p.ValueCents < 0 {
			t.Fatalf("no problems with the invalid parcel %+v", p)
		}
	}
	for _, item := range r.Items {
		if item.ProductID < 1 || item.Quantity < 1 {
			t.Fatalf("no problems with the invalid item %+v", item)
		}
	}
}

// FuzzOrderID: a text is the id of an order, with a partner and a time, or of none.
func FuzzOrderID(f *testing.F) {
	for _, id := range []string{
		"ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "ord_00000000000000000000000000000000",
		"ord_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "ord_", "par_3kq9w0zt",
	} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		partnerID, known := delivery.PartnerOfOrder(id)
		at, timed := delivery.TimeOfOrder(id)
		if known != timed {
			t.Fatalf("%q: got partner %v, time %v, want both or none", id, known, timed)
		}
		if !known {
			return
		}
		if first, err := delivery.FirstOrderID(partnerID, at); err != nil || first > id || first[:21] != id[:21] {
			t.Fatalf("%q: got %q, %v as the first id of its partner and time", id, first, err)
		}
	})
}

// FuzzPostalCode: a postal code that an order may have has one normal form.
func FuzzPostalCode(f *testing.F) {
	for _, code := range []string{"H2X 1Y4", "h2x1y4", "K1A0B1", "X0A 0H0", "D1A 1A1", "H2X  1Y4", "\uff282X 1Y4", ""} {
		f.Add(code)
	}
	normal := regexp.MustCompile(`^[A-Z][0-9][A-Z][0-9][A-Z][0-9]$`)
	f.Fuzz(func(t *testing.T, code string) {
		text, err := json.Marshal(code)
		if err != nil {
			return
		}
		root, err := strictjson.Parse([]byte(strings.Replace(orderBody, `"H2X 1Y4"`, string(text), 1)))
		if err != nil {
			return
		}
		request, problems := read(root, delivery.ReadOrderRequest)
		if len(problems) > 0 {
			return
		}
		got := delivery.NormalPostalCode(request.Pickup.Address.PostalCode)
		if !normal.MatchString(got) || delivery.NormalPostalCode(got) != got {
			t.Fatalf("%q: got %q, want six letters and digits", code, got)
		}
		if _, known := route.Centroid(got[:3]); !known {
			t.Fatalf("%q: got no place of its area", code)
		}
		zone := pricing.ZoneOf(request.Pickup.Address, request.Dropoff.Address)
		if back := pricing.ZoneOf(request.Dropoff.Address, request.Pickup.Address); zone != back {
			t.Fatalf("%q: got the zone %v, and %v on the way back", code, zone, back)
		}
	})
}
