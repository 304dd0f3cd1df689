package store

import (
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// TestDamagedEvents: an event whose facts or attempts cannot be read is listed,
// exported and erased all the same.
func TestDamagedEvents(t *testing.T) {
	t.Parallel()
	s, err := OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "dropyard.db"))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	t.Cleanup(func() { _ = s.Close() })
	ctx := t.Context()
	o := testkit.Order("par_1", "ord_1", "A-1", testkit.Epoch)
	o.Events = 1
	must(s.Orders().Write(ctx, func(tx order.Writer) error {
		return order.Apply(ctx, tx, &order.Changes{
			Created: []order.Creation{{Order: o, Document: record.Encode(o)}},
			Events: []*delivery.Event{{
				EventID: "evt_1", PartnerID: "par_1", OrderID: "ord_1", Type: delivery.EventOrderFailed, Sequence: 1,
				CreatedAt: testkit.Epoch, Facts: delivery.EventFacts{FailureReason: "Alex was out"},
			}},
		})
	}))
	change(t, s, `UPDATE events SET facts = '{"failure_reason": "Alex', attempts = '{'`)

	read := func() (listed *webhook.Event, exported []*retention.Event) {
		t.Helper()
		must(s.Webhooks().Read(ctx, func(tx webhook.Reader) (err error) {
			listed, err = tx.Event(ctx, "par_1", "evt_1")
			return err
		}))
		must(s.Retention().Read(ctx, func(tx retention.Reader) (err error) {
			exported, err = tx.Events(ctx, outbox.EventKey{PartnerID: "par_1"}, 10)
			return err
		}))
		if listed == nil || len(exported) != 1 {
			t.Fatalf("got %v and %v, want one event each", listed, exported)
		}
		return listed, exported
	}
	listed, exported := read()
	if !listed.Damaged || listed.Facts != (delivery.EventFacts{}) || listed.Log != nil || listed.EventID != "evt_1" {
		t.Errorf("got %+v, want an event that is damaged", listed)
	}
	if !exported[0].Damaged || exported[0].EventID != "evt_1" || len(exported[0].Attempts) > 0 {
		t.Errorf("got %+v to export, want an event that is damaged", exported[0])
	}
	must(s.Retention().Write(ctx, func(tx retention.Writer) error {
		locked, err := tx.LockOrders(ctx, "par_1", []string{"ord_1"})
		must(err)
		return tx.SaveErased(ctx, []*retention.Stored{locked["ord_1"]}, "")
	}))
	if listed, _ := read(); listed.Damaged || listed.Facts != (delivery.EventFacts{}) {
		t.Errorf("got %+v once it is erased, want empty facts", listed)
	}
}
