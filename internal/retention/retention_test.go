package retention

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOrderBatches are full but not over, leave out what is young, and let an
// order with more rows than a batch go alone.
func TestOrderBatches(t *testing.T) {
	t.Parallel()
	old, young := testkit.Epoch.Add(-time.Nanosecond), testkit.Epoch
	batches := orderBatches([]Ended{
		{"a", old, 200}, {"b", old, 300}, {"c", old, 1}, {"d", young, 1}, {"e", old, 2000}, {"f", old, 499}, {"g", old, 1}, {"h", old, 1},
	}, testkit.Epoch)
	if got := fmt.Sprint(batches); got != "[[a b] [c] [e] [f g] [h]]" {
		t.Errorf("got %s", got)
	}
	if got := orderBatches([]Ended{{"d", young, 1}}, testkit.Epoch); len(got) != 0 {
		t.Errorf("of the young: %v", got)
	}
}

// stored is an order that was just created.
func stored(pickupEmail string) *Stored {
	o := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
	o.Pickup.Email, o.Pickup.Name = pickupEmail, "Sam Pickup"
	o.Dropoff.Email, o.Dropoff.Name = "alex@example.com", "Alex Dropoff"
	return &Stored{Order: o, Document: record.Encode(o)}
}

// TestEraseStoredEnds erases the ends of the recipient and no other.
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
				t.Errorf("%+v: %s", c, text)
			}
		}
	}
}

// TestEraseStoredBoard: an order under way is found on the board by nothing that
// was erased, and one that has ended is not put there.
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
			t.Errorf("%s: got the row %+v", status, s.Shown)
		}
	}
}

// TestEraseStoredKeepsTheRest of the record that answered the creation, and
// what it puts in is what the interface allows.
func TestEraseStoredKeepsTheRest(t *testing.T) {
	t.Parallel()
	s := stored("shop@example.com")
	want := *s.Order
	s.Order.Status, s.Order.EstimatedDelivery = delivery.StatusDelivered, testkit.Epoch.Add(99*time.Hour)
	s.Events = []*delivery.Event{{Facts: delivery.EventFacts{PartnerOrderID: "A-1", FailureReason: "Alex was out", Reason: "Alex"}}}
	if err := eraseStored(s, ""); err != nil {
		t.Fatal(err)
	}
	want.Dropoff.Name, want.Dropoff.Phone, want.Dropoff.Email = "erased", "+10000000000", "erased@erased.invalid"
	want.Dropoff.Address = delivery.Address{Line1: "erased", City: "Toronto", Province: "ON", PostalCode: "M5H 0A0", Country: "CA"}
	want.Reference, want.Instructions, want.Metadata = "", "", nil
	want.Parcels = []delivery.Parcel{want.Parcels[0]}
	want.Parcels[0].Description = "erased"
	if got := string(s.Document); got != string(record.Encode(&want)) {
		t.Errorf("got  %s\nwant %s", got, record.Encode(&want))
	}
	if facts := s.Events[0].Facts; facts != (delivery.EventFacts{PartnerOrderID: "A-1"}) {
		t.Errorf("facts: %+v", facts)
	}
	d := want.Dropoff
	if !delivery.PhoneRule.Allows(d.Phone) || !delivery.EmailRule.Allows(d.Email) || !delivery.NameRule.Allows(d.Name) {
		t.Errorf("%+v is not allowed", d)
	}
	once := string(s.Document)
	if err := eraseStored(s, ""); err != nil || string(s.Document) != once {
		t.Errorf("twice: %s, %v", s.Document, err)
	}
}

// TestExportDamagedEvent: an event whose facts cannot be read is exported without
// them.
func TestExportDamagedEvent(t *testing.T) {
	t.Parallel()
	var to strings.Builder
	e := &export{to: &to}
	event := &delivery.Event{EventID: "evt_1", Type: delivery.EventOrderFailed, OrderID: "ord_1", Sequence: 2, CreatedAt: testkit.Epoch}
	if err := e.event(&Event{Event: event, State: "failed", Damaged: true}); err != nil {
		t.Fatal(err)
	}
	if want := `"facts":null,"state":"failed"}}`; !strings.HasSuffix(to.String(), want+"\n") {
		t.Errorf("got %s, want it to end with %s", to.String(), want)
	}
}
