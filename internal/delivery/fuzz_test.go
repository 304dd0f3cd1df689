package delivery_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// FuzzReadOrderRequest: any JSON is read either as a valid request or as a
// validation error that names its faults.
func FuzzReadOrderRequest(f *testing.F) {
	f.Add([]byte(orderBody))
	f.Add([]byte(`{"parcels":[{"weight_kg":1e400,"value_cents":10.5},null,[],"x"],"items":[{"product_id":1e0}],"metadata":[]}`))
	f.Add([]byte(`{"pickup":{"address":[],"time_window":{"start":"2026-03-02T09:00:00Z","end":"2026-03-02T09:00:00Z"}},"cod":{}}`))
	f.Add([]byte(`[{}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := strictjson.Parse(data)
		if err != nil {
			return
		}
		request, problems := delivery.ReadOrderRequest(root)
		if len(problems) == 0 {
			checkValid(t, request)
			return
		}
		details := detailsOf(t, problems)
		if len(details.Errors) != len(problems) || details.Field != problems[0].Field {
			t.Fatalf("got %d problems in the error, want %d, the first at %q", len(details.Errors), len(problems), problems[0].Field)
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
		if p.ParcelID == "" || p.WeightKg < 0.01 || p.WeightKg > 70 || p.LengthCm < 0.1 || p.LengthCm > 300 || p.ValueCents < 0 {
			t.Fatalf("no problems with the invalid parcel %+v", p)
		}
	}
	for _, item := range r.Items {
		if item.ProductID < 1 || item.Quantity < 1 {
			t.Fatalf("no problems with the invalid item %+v", item)
		}
	}
}
