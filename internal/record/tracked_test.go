package record_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestTracked: what the recipient may know of an order is the same whether the record is
// decoded or not, whatever the order's texts contain.
func TestTracked(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		o := drawOrder(t)
		courier := rapid.Ptr(rapid.Custom(drawCourier), true).Draw(t, "courier now")
		isReturn := rapid.Bool().Draw(t, "is a return")
		stored := &delivery.Stored{
			PartnerID: "par_1", OrderID: o.OrderID, Document: record.Encode(o), Courier: courier,
			Status: rapid.SampledFrom(delivery.Statuses).Draw(t,
				"new status"), EstimatedDelivery: instant(t), UpdatedAt: instant(t),
			Moves: rapid.SliceOfN(rapid.Custom(drawEntry), 0, 3).Draw(t, "moves"),
		}
		want := &delivery.Tracked{
			PartnerID: "par_1", OrderID: o.OrderID, PartnerOrderID: o.PartnerOrderID, Status: stored.Status,
			ServiceLevel: o.ServiceLevel, EstimatedDelivery: stored.EstimatedDelivery, Promised: o.EstimatedDelivery,
			CreatedAt: o.CreatedAt, UpdatedAt: stored.UpdatedAt,
			Origin: delivery.Place{
				City: o.Pickup.Address.City, Province: o.Pickup.Address.Province,
				Area: delivery.AreaOf(o.Pickup.Address.PostalCode),
			},
			Destination: delivery.Place{
				City: o.Dropoff.Address.City, Province: o.Dropoff.Address.Province,
				Area: delivery.AreaOf(o.Dropoff.Address.PostalCode),
			},
			Window: o.Dropoff.Window, Parcels: len(o.Parcels), COD: o.COD,
			History: []delivery.TrackedStatus{{Status: delivery.StatusPending, At: o.CreatedAt}},
		}
		if isReturn {
			stored.Course.Origin = &delivery.Origin{OrderID: "ord_0"}
			want.IsReturn, want.Collection = true, o.Pickup.Window
		}
		if courier != nil {
			want.Courier = &delivery.TrackedCourier{FirstName: courier.FirstName(), Vehicle: courier.Vehicle}
		}
		for _, move := range stored.Moves {
			want.History = append(want.History, delivery.TrackedStatus{Status: move.Status, At: move.At})
		}
		if got, err := record.Tracked(stored); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: got\n%+v, %v\nwant\n%+v", stored.Document, got, err, want)
		}
	})
}

// TestTrackedHidesPrivateData searches what strangers may know for the private texts of an
// order.
func TestTrackedHidesPrivateData(t *testing.T) {
	t.Parallel()
	o := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
	o.Reference, o.Instructions, o.Metadata, o.RateCents = "PRIVATE-own", "PRIVATE",
		[]byte(`{"city":"PRIVATE","cod":{"amount_cents":987654,"currency":"CAD"},"x":"PRIVATE"}`), 987654
	for _, contact := range []*delivery.Contact{&o.Pickup, &o.Dropoff} {
		contact.Name, contact.Phone, contact.Email = "PRIVATE-name", "PRIVATE-phone", "PRIVATE-email"
		contact.Address.Line1, contact.Address.Line2 = `PRIVATE","city":"PRIVATE`, "PRIVATE-line2"
		contact.Address.Notes, contact.Address.PostalCode = "PRIVATE-notes", "PRIVATE-code"
	}
	o.Parcels[0].Description = `PRIVATE},{"parcel_id":"PRIVATE"`
	got, err := record.Tracked(&delivery.Stored{
		OrderID: o.OrderID, Document: record.Encode(o), Status: o.Status,
		Courier:      &delivery.Courier{CourierID: "cou_PRIVATE", Name: "Camille PRIVATE", Phone: "PRIVATE", Vehicle: "van"},
		Moves:        []delivery.HistoryEntry{{Status: delivery.StatusCancelled, Notes: "PRIVATE-notes"}},
		Cancellation: &delivery.Cancellation{Reason: "PRIVATE-reason"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Courier.FirstName != "Camille" || got.Destination.City != "Toronto" || got.Parcels != 1 {
		t.Errorf("got %+v, courier %+v, want one parcel that Camille brings to Toronto", got, got.Courier)
	}
	if text := fmt.Sprintf("%+v %+v %+v", got, *got.Courier, got.History); strings.Contains(text, "PRIVATE") ||
		strings.Contains(text, "987") {
		t.Errorf("got %s, want nothing private", text)
	}
}

func BenchmarkTracked(b *testing.B) {
	stored := &delivery.Stored{Document: record.Encode(fullOrder())}
	for b.Loop() {
		if _, err := record.Tracked(stored); err != nil {
			b.Fatal(err)
		}
	}
}
