package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/simulate"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

func testSimulation(t *testing.T, s *store.Store) {
	ctx := t.Context()
	for _, id := range []string{"par_00000002", partnerID} {
		must(t, s.Partners().Write(ctx, func(tx partner.Writer) error {
			_, err := tx.AddPartner(ctx, &partner.Partner{PartnerID: id})
			return err
		}))
	}
	orders := make([]*delivery.Order, 3)
	for i, reference := range []string{"A-1", "A-22", "A-333"} {
		o := newOrder(t, reference, testkit.Epoch)
		o.Reference = "for " + reference
		orders[i] = o
		must(t, save(ctx, s, creation(o, byte(i))))
	}
	slices.SortFunc(orders, func(a, b *delivery.Order) int { return cmp.Compare(a.OrderID, b.OrderID) })
	for _, o := range orders[1:] {
		for range 2 {
			must(t, save(ctx, s, advance(o, delivery.StatusFailed)))
		}
	}
	must(t, save(ctx, s, advance(orders[2], delivery.StatusInTransit)))
	orders[2].Course.Request = &delivery.CancellationRequest{
		State: delivery.RequestOpen, Reason: "too late", At: testkit.Epoch,
	}
	must(t, save(ctx, s, advance(orders[2], delivery.StatusFailed)))

	resting := func(status delivery.Status, since time.Time, after string, limit int) (found []simulate.Order) {
		must(t, s.Simulation().Read(ctx, func(tx simulate.Reader) (err error) {
			found, err = tx.Resting(ctx, partnerID, status, since, after, limit)
			return err
		}))
		return found
	}
	want := func(o *delivery.Order, failures int) simulate.Order {
		return simulate.Order{
			OrderID: o.OrderID, Reference: o.Reference, Status: o.Status, Version: o.Version, UpdatedAt: o.UpdatedAt,
			Failures: failures,
		}
	}
	pending, twice, thrice := want(orders[0], 0), want(orders[1], 2), want(orders[2], 3)
	thrice.Requested, thrice.Reason = true, "too late"
	for name, c := range map[string]struct{ got, want []simulate.Order }{
		"pending":  {resting(delivery.StatusPending, pending.UpdatedAt, "", 9), []simulate.Order{pending}},
		"too new":  {resting(delivery.StatusPending, pending.UpdatedAt.Add(-time.Millisecond), "", 9), nil},
		"failed":   {resting(delivery.StatusFailed, thrice.UpdatedAt, "", 9), []simulate.Order{twice, thrice}},
		"a page":   {resting(delivery.StatusFailed, thrice.UpdatedAt, "", 1), []simulate.Order{twice}},
		"the next": {resting(delivery.StatusFailed, thrice.UpdatedAt, twice.OrderID, 9), []simulate.Order{thrice}},
	} {
		if !slices.EqualFunc(c.got, c.want, equalResting) {
			t.Errorf("%s: got %+v, want %+v", name, c.got, c.want)
		}
	}
	must(t, s.Simulation().Read(ctx, func(tx simulate.Reader) error {
		ids, err := tx.PartnerIDs(ctx)
		if !slices.Equal(ids, []string{partnerID, "par_00000002"}) {
			t.Errorf("partners: got %v, want both, by id", ids)
		}
		return err
	}))
}

func testSimulatedTests(t *testing.T, s *store.Store) {
	ctx := t.Context()
	testID := delivery.TestAccount(partnerID)
	for _, id := range []string{partnerID, testID} {
		must(t, s.Partners().Write(ctx, func(tx partner.Writer) error {
			_, err := tx.AddPartner(ctx, &partner.Partner{PartnerID: id})
			return err
		}))
	}
	var orders []*delivery.Order
	random := repeatable.Reader(t)
	for i, status := range []delivery.Status{
		delivery.StatusPending, delivery.StatusFailed, delivery.StatusDelivered, delivery.StatusCancelled,
	} {
		for _, account := range []string{partnerID, testID} {
			orderID, err := delivery.NewOrderID(random, account, testkit.Epoch)
			must(t, err)
			o := testkit.Order(account, orderID, fmt.Sprint("A-", i), testkit.Epoch.Add(time.Duration(i)*time.Second))
			o.Status, o.Reference, o.Version = status, "sim:any", 1
			must(t, save(ctx, s, creation(o, byte(2*i+len(orders)%2))))
			if account == testID {
				orders = append(orders, o)
			}
		}
	}
	first := simulate.Order{
		OrderID: orders[0].OrderID, Reference: "sim:any", Status: delivery.StatusPending, Version: 1,
		UpdatedAt: orders[0].UpdatedAt,
	}
	second := first
	second.OrderID, second.Status, second.UpdatedAt = orders[1].OrderID, delivery.StatusFailed, orders[1].UpdatedAt
	for name, c := range map[string]struct {
		since time.Time
		after simulate.Order
		limit int
		want  []simulate.Order
	}{
		"all":      {second.UpdatedAt, simulate.Order{}, 9, []simulate.Order{first, second}},
		"too new":  {second.UpdatedAt.Add(-time.Millisecond), simulate.Order{}, 9, []simulate.Order{first}},
		"a page":   {second.UpdatedAt, simulate.Order{}, 1, []simulate.Order{first}},
		"the next": {second.UpdatedAt, first, 9, []simulate.Order{second}},
		"the last": {second.UpdatedAt, second, 9, nil},
	} {
		must(t, s.Simulation().Read(ctx, func(tx simulate.Reader) error {
			got, err := tx.RestingTests(ctx, c.since, c.after, c.limit)
			if !slices.EqualFunc(got, c.want, equalResting) {
				t.Errorf("%s: got %+v, want %+v", name, got, c.want)
			}
			return err
		}))
	}
	hasTests := func() (has bool) {
		must(t, s.Simulation().Read(ctx, func(tx simulate.Reader) (err error) {
			has, err = tx.HasTests(ctx)
			return err
		}))
		return has
	}
	if !hasTests() {
		t.Error("two test orders under way: got none")
	}
	for _, o := range orders[:2] {
		must(t, save(ctx, s, advance(o, delivery.StatusCancelled)))
	}
	if hasTests() {
		t.Error("no test order under way: got one")
	}
}

func equalResting(a, b simulate.Order) bool {
	sameTime := a.UpdatedAt.Equal(b.UpdatedAt)
	a.UpdatedAt = b.UpdatedAt
	return sameTime && a == b
}
