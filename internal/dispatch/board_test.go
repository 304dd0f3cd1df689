package dispatch

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// largeOrders is a store in which one order fills a page.
type largeOrders struct {
	Store
	Reader
	found []*delivery.Order
}

func (l largeOrders) Read(_ context.Context, fn func(Reader) error) error { return fn(l) }

func (l largeOrders) EndedOrders(_ context.Context, f Filter) (found []*delivery.Order, stopped bool, err error) {
	for i, o := range l.found {
		if f.After.OrderID == "" || o.OrderID < f.After.OrderID {
			return l.found[i : i+1], i+1 < len(l.found), nil
		}
	}
	return nil, false, nil
}

func (l largeOrders) PartnerNames(context.Context, []string) (map[string]string, error) {
	return nil, nil
}

func (l largeOrders) Couriers(context.Context, []string) (map[string]Courier, error) {
	return nil, nil
}

// TestAPageThatStopsEarly has a cursor all the same.
func TestAPageThatStopsEarly(t *testing.T) {
	t.Parallel()
	store := largeOrders{}
	for _, id := range []string{"ord_3", "ord_2", "ord_1"} {
		store.found = append(store.found, &delivery.Order{OrderID: id, Status: delivery.StatusDelivered})
	}
	s := &Service{config: Config{Store: store, Now: time.Now}}
	filter := Filter{Statuses: []delivery.Status{delivery.StatusDelivered}, PartnerID: "par_1", Limit: 50}
	for i, want := range store.found {
		page, err := s.Board(t.Context(), filter)
		if err != nil || len(page.Entries) != 1 || page.Entries[0].OrderID != want.OrderID {
			t.Fatalf("page %d is %+v: %v", i, page, err)
		}
		if last := i == len(store.found)-1; (page.Next == Cursor{}) != last {
			t.Errorf("page %d goes on at %+v", i, page.Next)
		}
		filter.After = page.Next
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	const id = "ord_7dqv2m8ke61r0bnc5xyt4wzj39fhgsap"
	for _, at := range []time.Time{time.UnixMicro(0).UTC(), testkit.Epoch, time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)} {
		cursor := Cursor{at, id}
		if got, ok := ParseCursor(cursor.String()); !ok || got != cursor {
			t.Errorf("%v became %v, %t", cursor, got, ok)
		}
	}
	for _, text := range []string{"", "1", "." + id, "-1." + id, "1." + id + "x", "x." + id, strings.Repeat("1", 19) + "." + id} {
		if got, ok := ParseCursor(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
	if (Cursor{}).String() != "" {
		t.Error("no cursor has a text")
	}
}
