package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/search"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// found returns the partners' numbers of the orders that a search finds: in the list of the account or, if all is
// set, for desks.
func found(t *testing.T, s *store.Store, typed string, filter order.Filter, all bool) (numbers []string) {
	t.Helper()
	words := search.Parse(typed)
	if all {
		readDispatch(t, s, func(tx dispatch.Reader) error {
			orders, err := tx.OrdersWith(t.Context(), filter.PartnerID, words, 10)
			for _, o := range orders {
				numbers = append(numbers, o.PartnerOrderID)
			}
			return err
		})
		return numbers
	}
	filter.PartnerID, filter.Search = partnerID, typed
	if filter.Limit == 0 {
		filter.Limit = 10
	}
	must(t, s.Orders().Read(t.Context(), func(tx order.Reader) error {
		orders, _, err := tx.Orders(t.Context(), filter)
		for _, o := range orders {
			numbers = append(numbers, o.PartnerOrderID)
		}
		return err
	}))
	return numbers
}

func fill(t *testing.T, s *store.Store, orders ...*delivery.Order) {
	t.Helper()
	must(t, s.Search().Write(t.Context(), func(tx search.Writer) error {
		keys := make([]search.Key, 0, 2*len(orders))
		for _, o := range slices.Concat(orders, orders) { // keys may repeat
			keys = append(keys, search.Key{PartnerID: o.PartnerID, OrderID: o.OrderID})
		}
		return tx.Fill(t.Context(), append(keys, search.Key{PartnerID: partnerID, OrderID: "ord_none"}))
	}))
}

// testSearch finds orders by their words, newest first, whatever the order in which they were filled.
func testSearch(t *testing.T, s *store.Store) {
	register(t, s)
	first, second := ended(t, s, "A-771", testkit.Epoch, 1), ended(t, s, "A-772", testkit.Epoch.Add(time.Hour), 2)
	open := newOrder(t, "B-3", testkit.Epoch.Add(2*time.Hour))
	must(t, save(t.Context(), s, creation(open, 3)))
	check := func(what, typed string, filter order.Filter, all bool, want ...string) {
		t.Helper()
		if got := found(t, s, typed, filter, all); !slices.Equal(got, want) {
			t.Errorf("%s: %q finds %q, want %q", what, typed, got, want)
		}
	}
	name := first.Dropoff.Name
	check("before it is filled", name, order.Filter{}, false)
	fill(t, s, second)
	fill(t, s, open, first)
	fill(t, s, first, second) // changes nothing
	check("all", name, order.Filter{}, false, "B-3", "A-772", "A-771")
	check("a page", name, order.Filter{Limit: 1}, false, "B-3")
	check("the next page", name, order.Filter{Before: open.OrderID, Limit: 1}, false, "A-772")
	check("the last page", name, order.Filter{Before: second.OrderID}, false, "A-771")
	check("in one status", name, order.Filter{Status: delivery.StatusPending}, false, "B-3")
	check("a number", "a 771", order.Filter{}, false, "A-771")
	check("a beginning", name[:4], order.Filter{}, false, "B-3", "A-772", "A-771")
	check("no word", "!?", order.Filter{}, false)
	check("another number", "a 773", order.Filter{}, false)
	check("for a desk", name, order.Filter{}, true, "B-3", "A-772", "A-771")
	check("of the partner", name, order.Filter{PartnerID: partnerID}, true, "B-3", "A-772", "A-771")
	check("of another partner", name, order.Filter{PartnerID: "par_00000002"}, true)

	writeRetention(t, s, func(tx retention.Writer) error {
		locked, err := tx.LockOrders(t.Context(), partnerID, []string{first.OrderID})
		must(t, err)
		erased := locked[first.OrderID]
		erased.Order.Dropoff.Name = retention.ErasedText
		erased.Document = record.Encode(erased.Order)
		return tx.SaveErased(t.Context(), []*retention.Stored{erased}, "")
	})
	check("erased", name, order.Filter{}, false, "B-3", "A-772")
	check("erased, by its number", "A-771", order.Filter{}, false, "A-771")
	writeRetention(t, s, func(tx retention.Writer) error {
		return tx.RemoveOrders(t.Context(), partnerID, []string{second.OrderID})
	})
	check("removed", name, order.Filter{}, false, "B-3")
	check("removed, for a desk", name, order.Filter{}, true, "B-3")
}

// testSearchLook finds what the index lacks, page by page.
func testSearchLook(t *testing.T, s *store.Store) {
	register(t, s)
	orders := make([]*delivery.Order, 0, 5)
	for n := range cap(orders) {
		// two of one millisecond
		o := newOrder(t, "A-"+strings.Repeat("1", n+1), testkit.Epoch.Add(time.Duration(n/2)*time.Second))
		must(t, save(t.Context(), s, creation(o, byte(n+1))))
		orders = append(orders, o)
	}
	slices.SortFunc(orders, func(a, b *delivery.Order) int { return strings.Compare(a.OrderID, b.OrderID) })
	fill(t, s, orders[1], orders[3])
	read := func(fn func(search.Reader) error) {
		t.Helper()
		must(t, s.Search().Read(t.Context(), fn))
	}
	missing := func(after, end string, limit int, want ...*delivery.Order) {
		t.Helper()
		read(func(tx search.Reader) error {
			got, err := tx.Missing(t.Context(), partnerID, after, end, limit)
			ids := make([]string, len(want))
			for i, o := range want {
				ids[i] = o.OrderID
			}
			if !slices.Equal(got, ids) {
				t.Errorf("from %q to %q: got %q, want %q", after, end, got, ids)
			}
			return err
		})
	}
	missing("", "~", 2, orders[0], orders[2])
	missing(orders[2].OrderID, "~", 2, orders[4])
	missing("", orders[2].OrderID, 2, orders[0])
	fill(t, s, orders...)
	missing("", "~", 9)
	read(func(tx search.Reader) error {
		accounts, err := tx.Accounts(t.Context())
		if !slices.Contains(accounts, partnerID) {
			t.Errorf("got the accounts %q, want %s among them", accounts, partnerID)
		}
		must(t, err)
		edited, err := tx.EditedSince(t.Context(), testkit.Epoch, search.Key{}, 9)
		if len(edited) > 0 {
			t.Errorf("got the edited orders %v, want none: all have their first version", edited)
		}
		return err
	})
	for _, want := range []time.Time{{}, testkit.Epoch, testkit.Epoch.Add(time.Hour)} {
		if !want.IsZero() {
			must(t, s.Search().Write(t.Context(), func(tx search.Writer) error {
				return tx.SetFilledUntil(t.Context(), want)
			}))
		}
		read(func(tx search.Reader) error {
			got, err := tx.FilledUntil(t.Context())
			if !got.Equal(want) {
				t.Errorf("filled until: got %v, want %v", got, want)
			}
			return err
		})
	}
}

// testSearchFiller fills what is committed, and what a filler that was ended has left.
func testSearchFiller(t *testing.T, s *store.Store) {
	register(t, s)
	now := testkit.Epoch.Add(time.Hour)
	filler := search.NewFiller(search.Config{Store: s.Search(), Now: func() time.Time { return now }})
	create := func(number string, receipt byte) *delivery.Order {
		o := newOrder(t, number, now)
		must(t, save(t.Context(), s, creation(o, receipt)))
		return o
	}
	check := func(when string, want ...string) {
		t.Helper()
		if got := found(t, s, "martin", order.Filter{}, false); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	named := create("A-1", 1)
	filler.Committed(search.Key{PartnerID: named.PartnerID, OrderID: named.OrderID})
	check("before")
	must(t, filler.Fill(t.Context()))
	check("filled", "A-1")
	now = now.Add(time.Minute)
	create("A-2", 2)
	must(t, filler.Fill(t.Context()))
	check("not named", "A-1")
	must(t, filler.Look(t.Context()))
	check("looked for", "A-2", "A-1")

	now = now.Add(time.Minute)
	create("A-3", 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := filler.Look(ctx); err == nil {
		t.Error("a look that is ended has no error")
	}
	must(t, filler.Look(t.Context()))
	check("looked for again", "A-3", "A-2", "A-1")
}
