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

// TestShortPageHasCursor checks that a page of large orders, which ends before its
// limit, has a cursor unless it is the last.
func TestShortPageHasCursor(t *testing.T) {
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
			t.Fatalf("page %d: got %+v, %v, want order %s", i, page, err, want.OrderID)
		}
		if last := i == len(store.found)-1; (page.Next == Cursor{}) != last {
			t.Errorf("page %d: got next cursor %+v, want one unless the page is the last", i, page.Next)
		}
		filter.After = page.Next
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	const id = "ord_7dqv2m8ke61r0bnc5xyt4wzj39fhgsap"
	for _, at := range []time.Time{time.UnixMicro(0).UTC(), testkit.Epoch, time.Date(9999, 12, 31, 23, 59, 59, 999_000_000,
		time.UTC)} {
		cursor := Cursor{at, id}
		if got, ok := ParseCursor(cursor.String()); !ok || got != cursor {
			t.Errorf("%v as text: got back %v, %t", cursor, got, ok)
		}
	}
	for _, text := range []string{"", "1", "." + id, "-1." + id, "1." + id + "x", "x." + id, strings.Repeat("1", 19) +
		"." + id} {
		if got, ok := ParseCursor(text); ok {
			t.Errorf("%q: got cursor %v, want none", text, got)
		}
	}
	if got := (Cursor{}).String(); got != "" {
		t.Errorf("zero cursor: got text %q, want none", got)
	}
}
