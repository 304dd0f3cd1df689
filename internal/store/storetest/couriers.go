package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// testProofs: the best proof is loaded with its order, and pictures become loose
// when their orders go.
func testProofs(t *testing.T, s *store.Store) {
	ctx := t.Context()
	proven, bare := newOrder(t, "A-1", testkit.Epoch), newOrder(t, "A-02", testkit.Epoch)
	must(t, save(ctx, s, creation(proven, 1)))
	must(t, save(ctx, s, creation(bare, 2)))
	best := func() string {
		t.Helper()
		state := load(t, s, &order.Needs{Proofs: []order.OrderKey{keyOf(proven), keyOf(bare)}})
		if state.Proofs[keyOf(bare)] != nil {
			t.Error("the other order has a proof")
		}
		if found := state.Proofs[keyOf(proven)]; found != nil {
			return found.Name
		}
		return ""
	}
	if got := best(); got != "" {
		t.Errorf("none: %s", got)
	}
	steps := []struct {
		kind delivery.ProofKind
		best string
	}{{delivery.ProofPhoto, "0"}, {delivery.ProofPhoto, "1"}, {delivery.ProofSignature, "2"}, {delivery.ProofPhoto, "2"}, {delivery.ProofSignature, "4"}}
	all := make([]*delivery.Proof, 0, len(steps))
	for i, step := range steps {
		at := testkit.Epoch.Add(time.Duration(i) * time.Minute)
		p := &delivery.Proof{
			ProofID: identifier.FirstUUID(at), PartnerID: partnerID, OrderID: proven.OrderID, Kind: step.kind,
			Name: string(rune('0' + i)), Digest: [32]byte{byte(i), 31: 1}, At: at, OperatorID: "opr_1",
		}
		all = append(all, p)
		must(t, s.Proofs().Write(ctx, func(tx proof.RecordWriter) error { return tx.AddProof(ctx, p) }))
		if got := best(); got != step.best {
			t.Errorf("after %d: %q is the best", i, got)
		}
	}
	proofs := func(orderID string) (found []*delivery.Proof) {
		t.Helper()
		must(t, s.Proofs().Read(ctx, func(tx proof.RecordReader) (err error) {
			found, err = tx.Proofs(ctx, partnerID, orderID)
			return err
		}))
		return found
	}
	if got := proofs(proven.OrderID); !slices.EqualFunc(got, all, func(a, b *delivery.Proof) bool { return *a == *b }) {
		t.Errorf("read %+v", got)
	}
	loose := func(now time.Time) (names []string) {
		t.Helper()
		must(t, s.Retention().Read(ctx, func(tx retention.Reader) (err error) {
			names, err = tx.LoosePictures(ctx, partnerID, now, 10)
			return err
		}))
		return names
	}
	must(t, s.Proofs().Write(ctx, func(tx proof.RecordWriter) error {
		return tx.AddLoosePicture(ctx, partnerID, "sent", testkit.Epoch.Add(time.Hour))
	}))
	if got := loose(testkit.Epoch.Add(time.Hour - time.Millisecond)); len(got) != 0 {
		t.Errorf("early: %v", got)
	}
	must(t, s.Proofs().Write(ctx, func(tx proof.RecordWriter) error {
		for _, want := range []bool{true, false} {
			taken, err := tx.TakeLoosePicture(ctx, partnerID, "sent")
			if err != nil || taken != want {
				t.Errorf("taken %t, %v", taken, err)
			}
		}
		return tx.AddLoosePicture(ctx, partnerID, "sent again", testkit.Epoch.Add(time.Hour))
	}))
	must(t, s.Retention().Write(ctx, func(tx retention.Writer) error { return tx.RemoveOrders(ctx, partnerID, []string{proven.OrderID}) }))
	if got := loose(testkit.Epoch.Add(time.Hour)); !slices.Equal(got, []string{"0", "1", "2", "3", "4", "sent again"}) || len(proofs(proven.OrderID)) != 0 {
		t.Errorf("loose are %v, left %v", got, proofs(proven.OrderID))
	}
	must(t, s.Retention().Write(ctx, func(tx retention.Writer) error { return tx.ForgetPictures(ctx, partnerID, []string{"0", "2", "none"}) }))
	if got := loose(testkit.Epoch); !slices.Equal(got, []string{"1", "3", "4"}) {
		t.Errorf("then %v", got)
	}
}

// testCourierJobs: the board has what couriers have to do and have done.
func testCourierJobs(t *testing.T, s *store.Store) {
	ctx := t.Context()
	c := operator.Courier{Courier: delivery.Courier{CourierID: "cou_1", Name: "C", Phone: "+15145550177", Vehicle: "van"}, CreatedAt: testkit.Epoch}
	writeOperators(t, s, func(tx operator.Writer) error { return tx.AddCourier(ctx, &c) })
	next := testkit.Epoch.Add(20 * time.Hour)
	failed, done := newOrder(t, "A-1", testkit.Epoch), newOrder(t, "A-02", testkit.Epoch)
	for i, o := range []*delivery.Order{failed, done} {
		must(t, save(ctx, s, creation(o, byte(i))))
		o.Courier = &c.Courier
		must(t, save(ctx, s, advance(o, delivery.StatusCourierAssigned)))
	}
	failure := advance(failed, delivery.StatusFailed)
	failure.Events[0].Facts.NextAttempt = &next
	must(t, save(ctx, s, failure))
	must(t, save(ctx, s, advance(done, delivery.StatusDelivered)))
	must(t, s.Dispatch().Read(ctx, func(tx dispatch.Reader) error {
		rows, err := tx.Board(ctx, dispatch.Filter{CourierID: "cou_1", Sort: dispatch.SortWindow, Limit: 9}, testkit.Epoch)
		must(t, err)
		gone, err := tx.Board(ctx, dispatch.Filter{Attention: []board.Reason{board.ReasonCourierGone}, Sort: dispatch.SortOldest, Limit: 9}, testkit.Epoch)
		must(t, err)
		orders, err := tx.OrdersOf(ctx, append(rows, &board.Row{PartnerID: partnerID, OrderID: "ord_none"}))
		must(t, err)
		if len(rows) != 1 || len(gone) != 1 || len(orders) != 1 || len(orders[failed.OrderID].History) != 3 {
			t.Errorf("rows %v, gone %v, orders %v", rows, gone, orders)
		}
		planned, err := tx.NextAttempts(ctx, []*delivery.Order{failed, done})
		must(t, err)
		if len(planned) != 1 || !planned[failed.OrderID].Equal(next) {
			t.Errorf("planned %v", planned)
		}
		for since, want := range map[time.Time]int64{done.UpdatedAt: 1, done.UpdatedAt.Add(time.Millisecond): 0} {
			found, err := tx.Deliveries(ctx, "cou_1", since, 5)
			if err != nil || found.Count != want || len(found.Latest) != int(want) {
				t.Errorf("delivered %+v, %v", found, err)
			}
		}
		lines, err := tx.Board(ctx, dispatch.Filter{Line: "P-1", Sort: dispatch.SortOldest, Limit: 9}, testkit.Epoch)
		must(t, err)
		parts, err := tx.Board(ctx, dispatch.Filter{Line: "P-", Sort: dispatch.SortOldest, Limit: 9}, testkit.Epoch)
		if len(lines) != 1 || len(parts) != 0 {
			t.Errorf("lines %v, parts %v", lines, parts)
		}
		return err
	}))
}
