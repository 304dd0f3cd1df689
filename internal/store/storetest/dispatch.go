package storetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

const otherPartnerID = "par_00000002"

// addPartner adds a partner of any id.
func addPartner(t *testing.T, s *store.Store, id, name string) {
	t.Helper()
	account := &partner.Partner{PartnerID: id, Name: name, Email: name + "@example.com", CreatedAt: at(0)}
	must(t, s.Partners().Write(t.Context(), func(tx partner.Writer) error {
		if added, err := tx.AddPartner(t.Context(), account); err != nil || !added {
			t.Fatalf("add %s: got %t, %v, want true", id, added, err)
		}
		return nil
	}))
}

func testNotes(t *testing.T, s *store.Store) {
	ctx := t.Context()
	note := func(n int, partnerID, orderID string) dispatch.Note {
		return dispatch.Note{
			NoteID: fmt.Sprintf("note %d", n), PartnerID: partnerID, OrderID: orderID, At: at(n),
			OperatorID: fmt.Sprintf("operator %d", n), Text: fmt.Sprintf("text %d", n),
		}
	}
	notes := []dispatch.Note{note(1, partnerID, "ord_1"), note(2, partnerID, "ord_1"), note(3, partnerID, "ord_1")}
	writeDispatch(t, s, func(tx dispatch.Writer) error {
		for _, n := range append(notes, note(4, partnerID, "ord_2"), note(5, otherPartnerID, "ord_1")) {
			must(t, tx.AddNote(ctx, &n))
		}
		return nil
	})
	if err := s.Dispatch().Write(ctx, func(tx dispatch.Writer) error { return tx.AddNote(ctx, &notes[0]) }); err == nil {
		t.Error("a note was added twice")
	}
	slices.Reverse(notes) // as they are listed
	readDispatch(t, s, func(tx dispatch.Reader) error {
		for limit, want := range map[int][]dispatch.Note{9: notes, 2: notes[:2]} {
			if got, err := tx.Notes(ctx, partnerID, "ord_1", limit); err != nil || !slices.Equal(values(got), want) {
				t.Errorf("limit %d: got %+v, %v, want %+v", limit, values(got), err, want)
			}
		}
		return nil
	})
}

func testDispatchSettings(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	addPartner(t, s, otherPartnerID, "Other")
	check := func(when string, accepting bool) {
		t.Helper()
		readDispatch(t, s, func(tx dispatch.Reader) error {
			want := dispatch.Settings{PartnerID: partnerID, AutoAccept: accepting}
			if got, err := tx.Settings(ctx, partnerID); err != nil || got == nil || *got != want {
				t.Errorf("%s: got %+v, %v, want %+v", when, got, err, want)
			}
			if got, err := tx.Settings(ctx, "par_none"); err != nil || got != nil {
				t.Errorf("unknown partner: got %+v, %v, want none", got, err)
			}
			return nil
		})
		must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
			var want []string
			if accepting {
				want = []string{partnerID}
			}
			if got, err := tx.AutoAccepting(ctx); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got accepting partners %q, %v, want %q", when, got, err, want)
			}
			return nil
		}))
	}
	check("never set", false)
	for _, accepting := range []bool{true, false, true} {
		writeDispatch(t, s, func(tx dispatch.Writer) error {
			return tx.SaveSettings(ctx, &dispatch.Settings{PartnerID: partnerID, AutoAccept: accepting})
		})
		check("set", accepting)
	}
}

func testSequences(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addCouriers(t, s)
	couriers := []string{activeCourier, inactiveCourier, "cou_none"}
	check := func(when string, want ...dispatch.Sequence) {
		t.Helper()
		readDispatch(t, s, func(tx dispatch.Reader) error {
			got, err := tx.Sequences(ctx, couriers)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%s: got %d sequences, %v, want %d", when, len(got), err, len(want))
			}
			for _, w := range want {
				if g := got[w.CourierID]; g == nil || g.Version != w.Version || !slices.Equal(g.Stops, w.Stops) {
					t.Errorf("%s: got %+v, want %+v", when, g, w)
				}
			}
			return nil
		})
	}
	check("never set")
	first := dispatch.Sequence{CourierID: activeCourier, Version: 1, Stops: []dispatch.Placed{
		{OrderID: "ord_2", Stop: dispatch.StopDropoff}, {OrderID: "ord_1", Stop: dispatch.StopPickup},
	}}
	second := dispatch.Sequence{CourierID: inactiveCourier, Version: 7}
	for _, set := range []dispatch.Sequence{
		first, second, {CourierID: activeCourier, Version: 2, Stops: first.Stops[1:]},
	} {
		writeDispatch(t, s, func(tx dispatch.Writer) error {
			if known, err := tx.LockCouriers(ctx, couriers); err != nil || len(known) != 2 {
				t.Errorf("got locked couriers %q, %v, want the 2 that exist", known, err)
			}
			return tx.SaveSequence(ctx, &set)
		})
	}
	check("set", dispatch.Sequence{CourierID: activeCourier, Version: 2, Stops: first.Stops[1:]}, second)
}

// testDispatchNames reads partners and couriers for the board.
func testDispatchNames(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartner(t, s, otherPartnerID, "Other")
	register(t, s)
	addCouriers(t, s)
	readDispatch(t, s, func(tx dispatch.Reader) error {
		names, err := tx.PartnerNames(ctx, []string{partnerID, "par_none", otherPartnerID})
		if want := map[string]string{partnerID: "Metro", otherPartnerID: "Other"}; err != nil || !maps.Equal(names, want) {
			t.Errorf("got names %q, %v, want %q", names, err, want)
		}
		found, err := tx.Couriers(ctx, []string{activeCourier, inactiveCourier, "cou_none"})
		want := map[string]dispatch.Courier{activeCourier: {Name: "Camille", Active: true}, inactiveCourier: {Name: "Denis"}}
		if err != nil || !maps.Equal(found, want) {
			t.Errorf("got couriers %+v, %v, want %+v", found, err, want)
		}
		return nil
	})
}

// records returns orders as their partners see them.
func records(orders ...*delivery.Order) (all []string) {
	for _, o := range orders {
		all = append(all, string(record.Encode(o)))
	}
	return all
}

// byID returns the orders of a map, sorted by their ids.
func byID(found map[string]*delivery.Order) (orders []*delivery.Order) {
	for _, id := range slices.Sorted(maps.Keys(found)) {
		orders = append(orders, found[id])
	}
	return orders
}

// testDispatchOrders finds orders, with their histories, in every way that the
// dispatch package does.
func testDispatchOrders(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	addPartner(t, s, otherPartnerID, "Other")
	first, second := newOrder(t, "A-1", at(0)), newOrder(t, "A-2", at(1))
	third := newOrder(t, "A-3", at(2))
	namesake := testkit.Order(otherPartnerID, "ord_other", "A-1", at(3))
	for i, o := range []*delivery.Order{first, second, third, namesake} {
		must(t, save(ctx, s, creation(o, byte(i))))
		must(t, save(ctx, s, advance(o, delivery.StatusAccepted)))
	}
	for _, o := range []*delivery.Order{first, second} {
		o.Cancellation = &delivery.Cancellation{Reason: "gave up", At: at(5)}
		must(t, save(ctx, s, advance(o, delivery.StatusCancelled)))
	}
	same := func(what string, got []*delivery.Order, err error, want ...*delivery.Order) {
		t.Helper()
		if err != nil || !slices.Equal(records(got...), records(want...)) {
			t.Errorf("%s: got %v, %s\nwant %s", what, err, records(got...), records(want...))
		}
	}
	readDispatch(t, s, func(tx dispatch.Reader) error {
		o, err := tx.Order(ctx, partnerID, first.OrderID)
		same("one", []*delivery.Order{o}, err, first)
		if o, err := tx.Order(ctx, otherPartnerID, first.OrderID); err != nil || o != nil {
			t.Errorf("another partner's: got %+v, %v, want none", o, err)
		}
		rows := []*board.Row{board.Of(first), board.Of(namesake), {PartnerID: partnerID, OrderID: "ord_none"}}
		found, err := tx.OrdersOf(ctx, rows)
		same("of rows", []*delivery.Order{found[first.OrderID], found[namesake.OrderID]}, err, first, namesake)
		if len(found) != 2 {
			t.Errorf("of rows: got %d orders, want 2", len(found))
		}
		named, err := tx.OrdersNamed(ctx, partnerID, "A-1", 9)
		same("of one partner by name", named, err, first)
		named, err = tx.OrdersNamed(ctx, "", "A-1", 9)
		slices.SortFunc(named, func(a, b *delivery.Order) int { return a.CreatedAt.Compare(b.CreatedAt) })
		same("of any partner by name", named, err, first, namesake)
		if named, err = tx.OrdersNamed(ctx, "", "A-1", 1); err != nil || len(named) != 1 {
			t.Errorf("with a limit: got %d orders, %v, want 1", len(named), err)
		}
		return nil
	})
	writeDispatch(t, s, func(tx dispatch.Writer) error {
		found, err := tx.LockOrders(ctx, partnerID, []string{first.OrderID, third.OrderID, namesake.OrderID})
		same("locked", byID(found), err, first, third)
		return nil
	})
	cancelled := dispatch.Filter{PartnerID: partnerID, Statuses: []delivery.Status{delivery.StatusCancelled}, Limit: 9}
	for what, c := range map[string]struct {
		change func(*dispatch.Filter)
		want   []*delivery.Order
	}{
		"ended":                 {func(*dispatch.Filter) {}, []*delivery.Order{second, first}},
		"ended in another way":  {func(f *dispatch.Filter) { f.Statuses = []delivery.Status{delivery.StatusDelivered} }, nil},
		"ended, later":          {func(f *dispatch.Filter) { f.CreatedFrom = second.CreatedAt }, []*delivery.Order{second}},
		"ended, earlier":        {func(f *dispatch.Filter) { f.CreatedTo = second.CreatedAt }, []*delivery.Order{first}},
		"ended, second page":    {func(f *dispatch.Filter) { f.After.OrderID = second.OrderID }, []*delivery.Order{first}},
		"ended, one to a page":  {func(f *dispatch.Filter) { f.Limit = 1 }, []*delivery.Order{second}},
		"ended, of the other's": {func(f *dispatch.Filter) { f.PartnerID = otherPartnerID }, nil},
	} {
		filter := cancelled
		c.change(&filter)
		readDispatch(t, s, func(tx dispatch.Reader) error {
			found, stopped, err := tx.EndedOrders(ctx, filter)
			same(what, found, err, c.want...)
			if stopped {
				t.Errorf("%s: got stopped, want all of a small page", what)
			}
			return nil
		})
	}
}

// testDeliveries reads what couriers have delivered, and when failed orders are
// to be tried again.
func testDeliveries(t *testing.T, s *store.Store) {
	ctx := t.Context()
	next := at(500)
	courier := func(id string) *delivery.Courier { return &delivery.Courier{CourierID: id, Name: "name of " + id} }
	moves := []struct {
		courier string
		to      delivery.Status
	}{{"cou_1", delivery.StatusDelivered}, {
		"cou_1", delivery.StatusDelivered,
	}, {"cou_2", delivery.StatusDelivered}, {"cou_1", delivery.StatusFailed}, {"cou_1", delivery.StatusFailed}}
	orders := make([]*delivery.Order, 0, len(moves))
	for i, c := range moves {
		o := newOrder(t, fmt.Sprintf("A-%d", i), at(10*i))
		must(t, save(ctx, s, creation(o, byte(i))))
		o.Courier = courier(c.courier)
		moved := advance(o, c.to)
		if c.to == delivery.StatusFailed {
			moved.Events[0].Type = delivery.EventOrderFailed
		}
		if i == 3 {
			moved.Events[0].Facts.NextAttempt = &next
		}
		must(t, save(ctx, s, moved))
		orders = append(orders, o)
	}
	readDispatch(t, s, func(tx dispatch.Reader) error {
		done := []dispatch.Delivery{
			{OrderID: orders[1].OrderID, At: orders[1].UpdatedAt}, {OrderID: orders[0].OrderID, At: orders[0].UpdatedAt},
		}
		for _, c := range []struct {
			courier string
			since   time.Time
			limit   int
			count   int64
			latest  []dispatch.Delivery
		}{
			{"cou_1", at(0), 9, 2, done},
			{"cou_1", at(0), 1, 2, done[:1]},
			{"cou_1", done[0].At, 9, 1, done[:1]},
			{"cou_1", done[0].At.Add(time.Millisecond), 9, 0, nil},
			{"cou_2", at(0), 9, 1, []dispatch.Delivery{{OrderID: orders[2].OrderID, At: orders[2].UpdatedAt}}},
			{"cou_3", at(0), 9, 0, nil},
		} {
			got, err := tx.Deliveries(ctx, c.courier, c.since, c.limit)
			if err != nil || got.Count != c.count || !slices.Equal(got.Latest, c.latest) {
				t.Errorf("%s since %v, limit %d: got %+v, %v, want %d, %+v", c.courier, c.since, c.limit, got, err, c.count,
					c.latest)
			}
		}
		attempts, err := tx.FailedAttempts(ctx, orders[2:])
		failed, without := attempts[orders[3].OrderID], attempts[orders[4].OrderID]
		if err != nil || len(attempts) != 2 || failed.Next == nil || !failed.Next.Equal(next) || without.Next != nil ||
			failed.Reason != delivery.FailureUndefined {
			t.Errorf("got failed attempts %v, %v, want two for no known reason, the first with the next at %v", attempts, err,
				next)
		}
		return nil
	})
}

// checkAudit fails the test unless the audit log consists of these entries.
func checkAudit(t *testing.T, s *store.Store, want ...*audit.Entry) {
	t.Helper()
	readOperators(t, s, func(tx operator.Reader) error {
		got, err := tx.Audit(t.Context(), operator.AuditFilter{Limit: 9, Oldest: true})
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %d entries, %v, want %d", len(got), err, len(want))
		}
		for i, entry := range got {
			if entry.AuditID != want[i].AuditID || entry.ObjectID != want[i].ObjectID {
				t.Errorf("got entry %+v, want %+v", entry, want[i])
			}
		}
		return nil
	})
}

// auditEntry returns an entry of the audit log.
func auditEntry(n int, action audit.Action) *audit.Entry {
	return &audit.Entry{
		AuditID: identifier.FirstUUID(at(n)), At: at(n), Operation: audit.Operation{OperatorID: "opr_1"}, Action: action,
		PartnerID: partnerID, ObjectID: fmt.Sprintf("ord_%d", n),
	}
}

func testDispatchAudit(t *testing.T, s *store.Store) {
	one, two := auditEntry(1, audit.ActionOrderNoted), auditEntry(2, audit.ActionOrderNoted)
	writeDispatch(t, s, func(tx dispatch.Writer) error { return tx.AddAudit(t.Context(), one, two) })
	checkAudit(t, s, one, two)
}
