package storetest

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// testUsage: what a partner has used is what is stored, whether its quota was looked
// at before or not.
func testUsage(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	used := func(at time.Time) (usage partner.Usage) {
		readPartners(t, s, func(tx partner.Reader) (err error) {
			usage, err = tx.Usage(ctx, partnerID, at)
			return err
		})
		return usage
	}
	check := func(what string, at time.Time, orders, bytes int64) {
		t.Helper()
		same(t, what, used(at), partner.Usage{OrdersToday: orders, StoredBytes: bytes})
		needs := &order.Needs{Usages: []order.UsageKey{{PartnerID: partnerID, Day: order.DayOf(at)}}}
		want := order.Usage{Day: order.DayOf(at), Orders: orders, Bytes: bytes}
		same(t, what+", peeked", *peek(t, s, needs).Usages[partnerID], want)
		same(t, what+", locked", *load(t, s, needs).Usages[partnerID], want)
	}
	size := int64(0)
	add := func(reference string, at time.Time, key byte) string {
		o := newOrder(t, reference, at)
		size += int64(len(record.Encode(o)))
		must(t, save(ctx, s, creation(o, key)))
		return o.OrderID
	}
	today, tomorrow := testkit.Epoch, testkit.Epoch.Add(24*time.Hour)
	check("nothing", today.Add(-24*time.Hour), 0, 0)
	first := add("A", today, 1)
	add("AA", today, 2)
	check("the first day", today, 2, size)
	add("AAA", today, 3)
	check("later that day", today, 3, size)
	add("AAAA", tomorrow, 4)
	check("the next day", tomorrow, 1, size)
	same(t, "a day that has passed", load(t, s, &order.Needs{
		Usages: []order.UsageKey{{PartnerID: partnerID, Day: order.DayOf(today)}},
	}).Usages[partnerID].Day, order.DayOf(tomorrow))

	var removed, erased int64
	writeRetention(t, s, func(tx retention.Writer) error {
		locked, err := tx.LockOrders(ctx, partnerID, []string{first})
		must(t, err)
		e := locked[first]
		removed = int64(len(e.Document))
		e.Document = e.Document[:0:0]
		e.Document = append(e.Document, "{}"...)
		erased = int64(len(e.Document))
		return tx.SaveErased(ctx, []*retention.Stored{e}, "erased")
	})
	check("erased", tomorrow, 1, size-removed+erased)
	for range 2 { // the second time there is nothing to remove
		writeRetention(t, s, func(tx retention.Writer) error { return tx.RemoveOrders(ctx, partnerID, []string{first}) })
		check("removed", tomorrow, 1, size-removed)
	}
}
