package retention

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOrderBatches checks that batches have at most MaxRows rows, leave out orders
// that ended after the cutoff, and hold an order with more rows alone.
func TestOrderBatches(t *testing.T) {
	t.Parallel()
	old, young := testkit.Epoch.Add(-time.Nanosecond), testkit.Epoch
	batches := orderBatches([]Ended{
		{"a", old, 200}, {"b", old, 300}, {"c", old, 1}, {"d", young, 1}, {"e", old, 2000}, {"f", old, 499}, {"g", old, 1},
		{"h", old, 1},
	}, clock.At(testkit.Epoch), testkit.Epoch)
	if got := fmt.Sprint(batches); got != "[[a b] [c] [e] [f g] [h]]" {
		t.Errorf("got batches %s, want [[a b] [c] [e] [f g] [h]]", got)
	}
	if got := orderBatches([]Ended{{"d", young, 1}}, clock.At(testkit.Epoch), testkit.Epoch); len(got) != 0 {
		t.Errorf("of orders that ended at the cutoff: got batches %v, want none", got)
	}
}

// stored returns an order that was just created, as it is stored.
func stored(pickupEmail string) *Stored {
	o := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
	o.Pickup.Email, o.Pickup.Name = pickupEmail, "Sam Pickup"
	o.Dropoff.Email, o.Dropoff.Name = "alex@example.com", "Alex Dropoff"
	return &Stored{Order: o, Document: record.Encode(o)}
}

// TestEraseStoredEnds checks that only the ends of the recipient are erased.
func TestEraseStoredEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		email, pickupEmail string
		pickup, dropoff    bool
	}{
		{"", "shop@example.com", false, true},
		{"", "alex@example.com", false, true},
		{"ALEX@example.com", "shop@example.com", false, true},
		{"shop@example.com", "Shop@example.com", true, false},
		{"alex@example.com", "alex@example.com", true, true},
	} {
		s := stored(c.pickupEmail)
		if err := eraseStored(s, c.email); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(s.Document), string(record.Encode(s.Order))} {
			if strings.Contains(text, "Sam Pickup") == c.pickup || strings.Contains(text, "Alex Dropoff") == c.dropoff {
				t.Errorf("erase %q, pickup of %q: got %s, want erased pickup %t, dropoff %t", c.email, c.pickupEmail, text,
					c.pickup, c.dropoff)
			}
		}
	}
}

// TestEraseStoredBoard checks that the board no longer finds an order under way by
// erased data, and that no row is written for one that has ended.
func TestEraseStoredBoard(t *testing.T) {
	t.Parallel()
	for _, status := range delivery.Statuses {
		s := stored("shop@example.com")
		s.Order.Status = status
		if err := eraseStored(s, ""); err != nil {
			t.Fatal(err)
		}
		switch {
		case !board.IsOpen(status):
			if s.Shown != nil {
				t.Errorf("%s: got the row %+v, want none", status, s.Shown)
			}
		case s.Shown == nil || s.Shown.OrderID != s.Order.OrderID || strings.Contains(s.Shown.Search, "alex"):
			t.Errorf("%s: got the row %+v, want that of the order without its recipient", status, s.Shown)
		}
	}
}

// TestEraseStoredKeepsTheRest checks that nothing else changes in the record that
// answered the creation, and that the replacements are valid.
func TestEraseStoredKeepsTheRest(t *testing.T) {
	t.Parallel()
	s := stored("shop@example.com")
	want := *s.Order
	s.Order.Status, s.Order.EstimatedDelivery = delivery.StatusDelivered, testkit.Epoch.Add(99*time.Hour)
	s.Events = []*delivery.Event{
		{Facts: delivery.EventFacts{PartnerOrderID: "A-1", FailureReason: "Alex was out", Reason: "Alex"}},
	}
	if err := eraseStored(s, ""); err != nil {
		t.Fatal(err)
	}
	want.Dropoff.Name, want.Dropoff.Phone, want.Dropoff.Email = "erased", "+10000000000", "erased@erased.invalid"
	want.Dropoff.Address = delivery.Address{
		Line1: "erased", City: "Toronto", Province: "ON", PostalCode: "M5H 0A0", Country: "CA",
	}
	want.Reference, want.Instructions, want.Metadata = "", "", nil
	want.Parcels = []delivery.Parcel{want.Parcels[0]}
	want.Parcels[0].Description = "erased"
	if got := string(s.Document); got != string(record.Encode(&want)) {
		t.Errorf("got  %s\nwant %s", got, record.Encode(&want))
	}
	if facts := s.Events[0].Facts; facts != (delivery.EventFacts{PartnerOrderID: "A-1"}) {
		t.Errorf("got facts %+v, want only the partner_order_id", facts)
	}
	d := want.Dropoff
	if !delivery.PhoneRule.Allows(d.Phone) || !delivery.EmailRule.Allows(d.Email) || !delivery.NameRule.Allows(d.Name) {
		t.Errorf("got dropoff %+v, want one that the interface allows", d)
	}
	once := string(s.Document)
	if err := eraseStored(s, ""); err != nil || string(s.Document) != once {
		t.Errorf("erased twice: got %s, %v, want it unchanged", s.Document, err)
	}
}

// TestExportDamagedEvent: an event whose facts cannot be read is exported without
// them.
func TestExportDamagedEvent(t *testing.T) {
	t.Parallel()
	var to strings.Builder
	e := &export{to: &to}
	event := &delivery.Event{
		EventID: "evt_1", Type: delivery.EventOrderFailed, OrderID: "ord_1", Sequence: 2, CreatedAt: testkit.Epoch,
	}
	if err := e.event(&Event{Event: event, State: "failed", Damaged: true}); err != nil {
		t.Fatal(err)
	}
	if want := `"facts":null,"state":"failed"}}`; !strings.HasSuffix(to.String(), want+"\n") {
		t.Errorf("got %s, want it to end with %s", to.String(), want)
	}
}
