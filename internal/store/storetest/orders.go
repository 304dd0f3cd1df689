package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// newOrder makes an order of the suite's partner.
func newOrder(t testing.TB, reference string, at time.Time) *delivery.Order {
	t.Helper()
	id, err := delivery.NewOrderID(testkit.NewRandom(byte(len(reference))), partnerID, at)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.Order(partnerID, id, reference, at)
}

func keyOf(o *delivery.Order) order.OrderKey {
	return order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}
}

// creation is the change that stores an order and its receipt.
func creation(o *delivery.Order, key byte) *order.Changes {
	document := record.Encode(o)
	return &order.Changes{
		Created: []order.Creation{{Order: o, Document: document}},
		Receipts: []*idempotency.Receipt{{
			Request: idempotency.Request{
				Key: idempotency.Key{
					PartnerID: o.PartnerID, Scope: "POST /v1/orders", UUID: [16]byte{key},
				}, BodyHash: [32]byte{key},
			},
			OrderID: o.OrderID, CreatedAt: o.CreatedAt, Answer: document, OfCreation: true,
		}},
	}
}

func save(ctx context.Context, s *store.Store, changes *order.Changes) error {
	return s.Orders().Write(ctx, func(tx order.Writer) error { return order.Apply(ctx, tx, changes) })
}

func load(t *testing.T, s *store.Store, needs *order.Needs) (state *order.State) {
	t.Helper()
	must(t, s.Orders().Write(t.Context(), func(tx order.Writer) (err error) {
		state, err = tx.Load(t.Context(), needs)
		return err
	}))
	return state
}

func peek(t *testing.T, s *store.Store, needs *order.Needs) (state *order.State) {
	t.Helper()
	must(t, s.Orders().Read(t.Context(), func(tx order.Reader) (err error) {
		state, err = tx.Peek(t.Context(), needs)
		return err
	}))
	return state
}

func testOrderRoundTrip(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1", testkit.Epoch)
	changes := creation(o, 7)
	must(t, save(ctx, s, changes))

	key := changes.Receipts[0].Key
	state := load(t, s, &order.Needs{
		Receipts: []idempotency.Key{key, {PartnerID: partnerID, Scope: "other", UUID: key.UUID}},
		References: []order.Reference{
			{PartnerID: partnerID, PartnerOrderID: "A-1"}, {PartnerID: partnerID, PartnerOrderID: "A-2"},
		},
		Orders: []order.OrderKey{keyOf(o), {PartnerID: partnerID, OrderID: "ord_none"}},
	})
	receipt := state.Receipts[key]
	if len(state.Receipts) != 1 || receipt == nil || receipt.OrderID != o.OrderID || receipt.BodyHash != [32]byte{7} {
		t.Fatalf("receipts: %+v", state.Receipts)
	}
	if string(receipt.Answer) != string(changes.Created[0].Document) {
		t.Errorf("the kept answer differs:\n%s\n%s", receipt.Answer, changes.Created[0].Document)
	}
	taken := state.Taken[order.Reference{PartnerID: partnerID, PartnerOrderID: "A-1"}]
	if len(state.Taken) != 1 || taken != (order.Existing{OrderID: o.OrderID, Status: o.Status}) || len(state.Orders) != 1 {
		t.Errorf("taken %v, orders %v", state.Taken, state.Orders)
	}
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		got, err := tx.Order(ctx, partnerID, o.OrderID)
		if err != nil {
			return err
		}
		if string(record.Encode(got)) != string(record.Encode(o)) {
			t.Errorf("read back:\n%s\nstored:\n%s", record.Encode(got), record.Encode(o))
		}
		missing, err := tx.Order(ctx, "par_00000002", o.OrderID)
		if missing != nil {
			t.Error("another partner sees the order")
		}
		return err
	}))
}

// advance is the change that moves a stored order on by one version.
func advance(o *delivery.Order, to delivery.Status) *order.Changes {
	from := o.Version
	o.Version++
	o.Events++
	o.Status, o.UpdatedAt = to, o.UpdatedAt.Add(time.Minute)
	entry := delivery.HistoryEntry{
		Status: to, At: o.UpdatedAt, RecordedAt: o.UpdatedAt.Add(time.Hour), Notes: "note " + string(to),
		Version: o.Version,
	}
	o.History = append(o.History, entry)
	kind, _ := delivery.EventFor(to)
	return &order.Changes{
		Changed: map[order.OrderKey]*order.Change{keyOf(o): {Order: o, FromVersion: from}},
		History: []order.History{{OrderKey: keyOf(o), Version: o.Version, Entry: entry}},
		Events: []*delivery.Event{{
			EventID: fmt.Sprintf("event-%d", o.Events), PartnerID: o.PartnerID, OrderID: o.OrderID,
			Type: kind, Sequence: o.Events, CreatedAt: o.UpdatedAt,
		}},
	}
}

func testHistory(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1", testkit.Epoch)
	must(t, save(ctx, s, creation(o, 1)))
	o.Courier = &delivery.Courier{CourierID: "cou_1", Name: "Camille Tremblay", Phone: "+15145550177", Vehicle: "van"}
	for _, to := range []delivery.Status{delivery.StatusAccepted, delivery.StatusCourierAssigned, delivery.StatusFailed} {
		must(t, save(ctx, s, advance(o, to)))
	}
	o.Cancellation = &delivery.Cancellation{Reason: "gave up", At: o.UpdatedAt.Add(time.Minute)}
	must(t, save(ctx, s, advance(o, delivery.StatusCancelled)))

	single, err := s.Orders().Order(ctx, partnerID, o.OrderID)
	must(t, err)
	if string(record.Encode(single)) != string(record.Encode(o)) {
		t.Errorf("read alone:\n%s\nstored:\n%s", record.Encode(single), record.Encode(o))
	}
	stored, err := s.Orders().Stored(ctx, partnerID, o.OrderID)
	must(t, err)
	if current, err := record.Current(stored); err != nil || string(current) != string(record.EncodeCurrent(o)) {
		t.Errorf("put together:\n%s, %v\nstored:\n%s", current, err, record.EncodeCurrent(o))
	}
	if none, err := s.Orders().Stored(ctx, "par_00000002", o.OrderID); none != nil || err != nil {
		t.Errorf("stored for another partner: got %v, %v, want none", none, err)
	}
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		got, err := tx.Order(ctx, partnerID, o.OrderID)
		if err == nil && string(record.Encode(got)) != string(record.Encode(o)) {
			t.Errorf("read back:\n%s\nstored:\n%s", record.Encode(got), record.Encode(o))
		}
		if err != nil {
			return err
		}
		want := *o
		want.History = o.History[:1]
		head, err := tx.Head(ctx, partnerID, o.OrderID)
		if err == nil && string(record.Encode(head)) != string(record.Encode(&want)) {
			t.Errorf("head: got\n%s\nwant\n%s", record.Encode(head), record.Encode(&want))
		}
		if none, noErr := tx.Head(ctx, "par_00000002", o.OrderID); none != nil || noErr != nil {
			t.Errorf("head for another partner: got %v, %v, want none", none, noErr)
		}
		return err
	}))
}

func testRaced(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1", testkit.Epoch)
	must(t, save(ctx, s, creation(o, 1)))

	sameReference := newOrder(t, "A-1", testkit.Epoch.Add(time.Second))
	sameKey := newOrder(t, "A-22", testkit.Epoch.Add(time.Second))
	stale := *o
	must(t, save(ctx, s, advance(o, delivery.StatusAccepted)))
	for name, changes := range map[string]*order.Changes{
		"same reference": creation(sameReference, 2),
		"same key":       creation(sameKey, 1),
		"stale version":  advance(&stale, delivery.StatusAccepted),
	} {
		if err := save(ctx, s, changes); !errors.Is(err, order.ErrRaced) {
			t.Errorf("%s: got %v, want ErrRaced", name, err)
		}
	}
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		all, _, err := tx.Orders(ctx, order.Filter{PartnerID: partnerID, Limit: 10})
		if len(all) != 1 {
			t.Errorf("%d orders are left, want 1", len(all))
		}
		return err
	}))
}

// testLists holds every filter against a plain filter in memory.
func testLists(t *testing.T, s *store.Store) {
	ctx := t.Context()
	var all []*delivery.Order // newest first
	changes := &order.Changes{}
	for i := range 60 {
		o := newOrder(t, fmt.Sprintf("A-%02d", i), testkit.Epoch.Add(time.Duration(i)*time.Minute))
		o.Status = delivery.Statuses[i%3]
		changes.Created = append(changes.Created, order.Creation{Order: o, Document: record.Encode(o)})
		all = slices.Insert(all, 0, o)
	}
	stranger := testkit.Order("par_00000002", "ord_x", "A-01", testkit.Epoch)
	changes.Created = append(changes.Created, order.Creation{Order: stranger, Document: record.Encode(stranger)})
	must(t, save(ctx, s, changes))

	repeatable.Check(t, func(rt *rapid.T) {
		f := drawFilter(rt, all)
		var got []*delivery.Order
		var stored []string
		if err := s.Orders().Read(ctx, func(tx order.Reader) (err error) {
			if got, _, err = tx.Orders(ctx, f); err != nil {
				return err
			}
			stored = nil
			_, err = tx.EachStored(ctx, f, func(o *delivery.Stored) error {
				stored = append(stored,
					fmt.Sprintf("%s %s %v %v %s", o.OrderID, o.Status, o.UpdatedAt, o.EstimatedDelivery, o.Document))
				return nil
			})
			return err
		}); err != nil {
			rt.Fatal(err)
		}
		want := filtered(all, f)
		if !slices.EqualFunc(got, want, func(a, b *delivery.Order) bool { return a.OrderID == b.OrderID }) {
			rt.Fatalf("filter %+v: got %d orders, want %d", f, len(got), len(want))
		}
		if !slices.EqualFunc(stored, want, func(text string, o *delivery.Order) bool {
			return text == fmt.Sprintf("%s %s %v %v %s", o.OrderID, o.Status, o.UpdatedAt, o.EstimatedDelivery, record.Encode(o))
		}) {
			rt.Fatalf("filter %+v: got the stored orders %q, want %d", f, stored, len(want))
		}
	})
}

func drawFilter(rt *rapid.T, all []*delivery.Order) order.Filter {
	f := order.Filter{PartnerID: partnerID, Limit: rapid.IntRange(1, 70).Draw(rt,
		"limit"), Offset: rapid.Int64Range(0, 70).Draw(rt, "offset")}
	if rapid.Bool().Draw(rt, "by status") {
		f.Status = rapid.SampledFrom(delivery.Statuses[:4]).Draw(rt, "status")
	}
	if rapid.Bool().Draw(rt, "by cursor") {
		f.Before = rapid.SampledFrom(all).Draw(rt, "cursor").OrderID
	}
	if rapid.Bool().Draw(rt, "by reference") {
		f.PartnerOrderID = rapid.SampledFrom(all).Draw(rt, "reference").PartnerOrderID
	}
	if rapid.Bool().Draw(rt, "from") {
		f.CreatedFrom = rapid.SampledFrom(all).Draw(rt, "created from").CreatedAt
	}
	if rapid.Bool().Draw(rt, "to") {
		f.CreatedTo = rapid.SampledFrom(all).Draw(rt, "created to").CreatedAt
	}
	return f
}

func filtered(all []*delivery.Order, f order.Filter) (want []*delivery.Order) {
	skip := f.Offset
	for _, o := range all {
		if f.Status != "" && o.Status != f.Status || f.Before != "" && o.OrderID >= f.Before ||
			f.PartnerOrderID != "" && o.PartnerOrderID != f.PartnerOrderID ||
			!f.CreatedFrom.IsZero() && o.CreatedAt.Before(f.CreatedFrom) ||
			!f.CreatedTo.IsZero() && !o.CreatedAt.Before(f.CreatedTo) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if len(want) < f.Limit {
			want = append(want, o)
		}
	}
	return want
}

func testMoves(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1", testkit.Epoch)
	must(t, save(ctx, s, creation(o, 1)))
	actions := []audit.Action{audit.ActionOrderMoved, audit.ActionRequestAnswered}
	for i, by := range []string{"opr_1", "command line"} {
		change := advance(o, delivery.StatusAccepted)
		change.Audit = []*audit.Entry{{
			AuditID: identifier.FirstUUID(o.UpdatedAt), At: o.UpdatedAt, Operation: audit.Operation{OperatorID: by},
			Action: actions[i], PartnerID: partnerID, ObjectID: o.OrderID, After: map[string]int{"version": i + 2},
		}}
		must(t, save(ctx, s, change))
	}
	want := []order.Move{
		{OperatorID: "command line", At: o.UpdatedAt, After: []byte(`{"version":3}`)},
		{OperatorID: "opr_1", At: o.UpdatedAt.Add(-time.Minute), After: []byte(`{"version":2}`)},
	}
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		got, err := tx.Moves(ctx, keyOf(o))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		return err
	}))
}

// testAroundOrders reads what orders need of other tables.
func testAroundOrders(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	want := delivery.Courier{CourierID: "cou_1", Name: "Camille", Phone: "+15145550177", Vehicle: "van"}
	must(t, s.Operators().Write(ctx, func(tx operator.Writer) error {
		gone := operator.Courier{Courier: want}
		gone.CourierID = "cou_2"
		return errors.Join(
			tx.AddCourier(ctx, &operator.Courier{Courier: want, Active: true, CreatedAt: testkit.Epoch}),
			tx.AddCourier(ctx, &gone))
	}))
	must(t, s.Dispatch().Write(ctx, func(tx dispatch.Writer) error {
		return tx.SaveSettings(ctx, &dispatch.Settings{PartnerID: partnerID, AutoAccept: true})
	}))
	first, second := newOrder(t, "A-1", testkit.Epoch), newOrder(t, "A-02", testkit.Epoch.Add(time.Second))
	must(t, save(ctx, s, creation(first, 1)))
	must(t, save(ctx, s, creation(second, 2)))
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		courier, err := tx.Courier(ctx, "cou_1")
		if courier == nil || *courier != want {
			t.Errorf("got %+v, want %+v", courier, want)
		}
		gone, err2 := tx.Courier(ctx, "cou_2")
		if gone != nil {
			t.Errorf("got the inactive courier %+v", gone)
		}
		accepting, err3 := tx.AutoAccepting(ctx)
		if !slices.Equal(accepting, []string{partnerID}) {
			t.Errorf("got %v, want %s", accepting, partnerID)
		}
		email, err4 := tx.OperatorEmail(ctx, "command line")
		if email != "" {
			t.Errorf("got the address %q of no operator", email)
		}
		pending, err5 := tx.Pending(ctx, partnerID, first.OrderID, 10)
		if !slices.Equal(pending, []string{second.OrderID}) {
			t.Errorf("got %v, want the second order", pending)
		}
		byKey, err6 := tx.OrdersByKey(ctx, []order.OrderKey{keyOf(first), {PartnerID: partnerID, OrderID: "ord_none"}})
		if len(byKey) != 1 || byKey[keyOf(first)] == nil {
			t.Errorf("got %v, want the first order", byKey)
		}
		return errors.Join(err, err2, err3, err4, err5, err6)
	}))
}
