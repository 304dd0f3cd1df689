package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
)

// moveLamp books a movement of the first product at a location, as the warehouse does.
func moveLamp(ctx context.Context, s *stock.Service, kind delivery.MovementType, quantity int64) error {
	_, err := s.Record(ctx, partnerID, stock.Booking{Kind: kind, ProductID: 1, Quantity: quantity, From: "A"})
	return err
}

// lampEvents lists the events of the first product in words, oldest first.
func lampEvents(t *testing.T, s *store.Store, endpointID string) (all []string) {
	t.Helper()
	readWebhooks(t, s, func(tx webhook.Reader) error {
		found, err := tx.Events(t.Context(), webhook.Filter{
			PartnerID: partnerID, EndpointID: endpointID, OrderID: delivery.StockID(1), Limit: 1000, After: "0",
		})
		for _, e := range found {
			all = append(all, fmt.Sprintf("%d %s of %d %s due=%t", e.Sequence, e.Type, e.Facts.Stock.Total, e.State,
				!e.DueAt.IsZero()))
		}
		return err
	})
	return all
}

// testStockEvents: a product has one sequence of events. Changes are recorded while an endpoint names them, which need
// not be the first; each event waits for the one in front of it, and the latest one is not removed.
func testStockEvents(t *testing.T, s *store.Store) {
	ctx, now := t.Context(), func() time.Time { return testkit.Epoch }
	addProducts(t, s, lamp)
	var woken []outbox.EndpointKey
	goods := stock.NewService(stock.Config{
		Store: s.Stock(), Random: repeatable.Reader(t), Now: now,
		Wake: func(keys ...outbox.EndpointKey) { woken = append(woken, keys...) },
	})
	first, second := endpoint(partnerID), further(partnerID, "whe_stock")
	for _, e := range []*webhook.Endpoint{first, second} {
		e.WakeAt, e.OpenUntil, e.Events = time.Time{}, time.Time{}, ""
	}
	saveEndpoints(t, s, first)
	must(t, moveLamp(ctx, goods, delivery.MovementIn, 10))
	must(t, moveLamp(ctx, goods, delivery.MovementOut, 7))
	want := make([]string, 0, 4)
	want = append(want, "1 stock.low of 3 skipped due=false")
	same(t, "events that no endpoint names", lampEvents(t, s, ""), want)

	second.Events = outbox.FilterOf([]delivery.EventType{delivery.EventStockChanged})
	saveEndpoints(t, s, second)
	must(t, moveLamp(ctx, goods, delivery.MovementIn, 1))
	must(t, moveLamp(ctx, goods, delivery.MovementOut, 2))
	want = append(want, "2 stock.changed of 4 skipped due=false", "3 stock.changed of 2 skipped due=false",
		"4 stock.low of 2 skipped due=false")
	same(t, "events", lampEvents(t, s, ""), want)
	same(t, "events of the endpoint that names changes", lampEvents(t, s, second.EndpointID), []string{
		"2 stock.changed of 4 pending due=true", "3 stock.changed of 2 pending due=false",
		"4 stock.low of 2 pending due=false",
	})
	same(t, "endpoints that were woken", woken, []outbox.EndpointKey{second.Key(), second.Key()})

	removable := func(want ...int64) {
		t.Helper()
		var got []int64
		readRetention(t, s, func(tx retention.Reader) error {
			listed, err := tx.EventTimes(ctx, outbox.EventKey{PartnerID: partnerID}, "ore", 10)
			for _, one := range listed {
				got = append(got, one.Sequence)
			}
			return err
		})
		same(t, "events to be removed", got, want)
	}
	removable(1)
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		_, err := tx.SkipPending(ctx, second.Key(), 10)
		must(t, err)
		return tx.RemoveEndpoint(ctx, second.Key())
	}))
	removable(1, 2, 3)
	writeRetention(t, s, func(tx retention.Writer) error {
		all := make([]retention.EventTime, 3)
		for i := range all {
			all[i] = retention.EventTime{State: outbox.Skipped, EventKey: outbox.EventKey{
				PartnerID: partnerID, OrderID: delivery.StockID(1), Sequence: int64(i + 1),
			}}
		}
		return tx.RemoveEvents(ctx, all)
	})
	must(t, moveLamp(ctx, goods, delivery.MovementIn, 8))
	must(t, moveLamp(ctx, goods, delivery.MovementOut, 8))
	same(t, "events after a sweep", lampEvents(t, s, ""), []string{
		"4 stock.low of 2 skipped due=false", "5 stock.low of 2 skipped due=false",
	})
	removable(4)
}

// testStockEventRaces: the events of movements at the same time are numbered without gaps, and say what the levels
// were one after the other.
func testStockEventRaces(t *testing.T, s *store.Store) {
	addProducts(t, s, lamp)
	named := endpoint(partnerID)
	named.Events = outbox.FilterOf([]delivery.EventType{delivery.EventStockChanged, delivery.EventStockLow})
	saveEndpoints(t, s, named)
	const nodes, each = 3, 6
	errs := make(chan error)
	for node := range nodes {
		goods := stock.NewService(stock.Config{
			Store: s.Stock(), Random: repeatable.Reader(t, fmt.Sprint(node)), Now: func() time.Time { return testkit.Epoch },
		})
		go func() {
			for range each {
				if err := moveLamp(t.Context(), goods, delivery.MovementIn, 1); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range nodes {
		must(t, <-errs)
	}
	want := make([]string, nodes*each)
	for i := range want {
		want[i] = fmt.Sprintf("%d stock.changed of %d pending due=%t", i+1, i+1, i == 0)
	}
	same(t, "events", lampEvents(t, s, ""), want)
}
