package simulate

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// world is a Store and Dispatch of one order.
type world struct {
	mu       sync.Mutex // serializes Advance
	order    Order
	couriers map[string]string // ids of the active couriers by name
	added    int               // couriers added so far
	refusal  error             // if set, every move is refused with it
	asked    int               // how often HasTests was called
}

func (w *world) Read(_ context.Context, fn func(Reader) error) error { return fn(w) }

func (w *world) PartnerIDs(context.Context) ([]string, error) { return []string{"par_1"}, nil }

func (w *world) Resting(
	_ context.Context, _ string, state delivery.Status, since time.Time, after string, _ int,
) ([]Order, error) {
	if delivery.IsTestOrder(w.order.OrderID) || w.order.Status != state || w.order.UpdatedAt.After(since) || after != "" {
		return nil, nil
	}
	return []Order{w.order}, nil
}

func (w *world) RestingTests(_ context.Context, since time.Time, after Order, _ int) ([]Order, error) {
	if !w.isTest() || w.order.UpdatedAt.After(since) || after != (Order{}) {
		return nil, nil
	}
	return []Order{w.order}, nil
}

func (w *world) HasTests(context.Context) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	return w.isTest(), nil
}

// isTest reports whether the order is a test order under way.
func (w *world) isTest() bool {
	return delivery.IsTestOrder(w.order.OrderID) && len(delivery.NextStatuses(w.order.Status)) > 0
}

func (w *world) AdvanceTest(ctx context.Context, orderID string, version int64, move Move) error {
	if (move.Courier != nil) != (move.To == delivery.StatusCourierAssigned) {
		return fmt.Errorf("got a move to %s with courier %v", move.To, move.Courier)
	}
	return w.Advance(ctx, orderID, version, move)
}

func (w *world) HandOver(_ context.Context, _ string, version int64, courierID string) error {
	if version == w.order.Version && courierID != "" {
		w.order.HandedOver = true
		w.order.Version++
	}
	return nil
}

func (w *world) HandOverTest(ctx context.Context, orderID string, version int64, courier *delivery.Courier) error {
	return w.HandOver(ctx, orderID, version, courier.CourierID)
}

func (w *world) Confirm(context.Context, string, int64) error { return nil }

func (w *world) Answer(context.Context, string, bool, string) error { return nil }

func (w *world) Couriers(context.Context) (map[string]string, error) {
	return maps.Clone(w.couriers), nil
}

func (w *world) AddCourier(_ context.Context, name, _, _ string) (string, error) {
	w.added++
	w.couriers[name] = name + string(rune('a'+w.added%26))
	return w.couriers[name], nil
}

func (w *world) Advance(_ context.Context, _ string, version int64, move Move) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.refusal != nil:
		return w.refusal
	case version != w.order.Version:
		return refusal.New(delivery.CodeInvalidTransition, "too late")
	case move.CourierID != "" && !slices.Contains(slices.Collect(maps.Values(w.couriers)), move.CourierID):
		return form.Fault("courier_id", move.CourierID, form.TrueOrFalse)
	}
	w.order.Status = move.To
	w.order.Version++
	w.order.UpdatedAt = time.Unix(100, 0)
	return nil
}

func newWorld() (*world, *Service) {
	w := &world{couriers: map[string]string{}, order: Order{OrderID: "ord_1", Status: delivery.StatusAccepted, Version: 2}}
	return w, &Service{config: Config{
		Store: w, Dispatch: w, Live: true, Pace: time.Second, Now: func() time.Time {
			return time.Unix(100, 0)
		}, Log: slog.New(slog.DiscardHandler),
	}}
}

// TestCouriersAreAddedOnce expects couriers to be added again only after an
// operator has deactivated them, and not after a restart.
func TestCouriersAreAddedOnce(t *testing.T) {
	t.Parallel()
	w, s := newWorld()
	round := func(want delivery.Status, added int) {
		t.Helper()
		w.order.UpdatedAt = time.Unix(0, 0)
		if _, err := s.round(t.Context()); err != nil || w.order.Status != want || w.added != added {
			t.Errorf("got error %v, status %s, %d couriers added, want %s and %d", err, w.order.Status, w.added, want, added)
		}
	}
	round(delivery.StatusCourierAssigned, 20)
	w.order.Status = delivery.StatusAccepted
	w.couriers = map[string]string{}
	round(delivery.StatusAccepted, 20)
	round(delivery.StatusCourierAssigned, 40)
	_, restarted := newWorld()
	restarted.config.Dispatch = w
	if err := restarted.ensureCouriers(t.Context()); err != nil || w.added != 40 {
		t.Errorf("after a restart: got error %v, %d couriers added, want 40", err, w.added)
	}
}

// TestRefusedMovesAreSkipped expects a round to succeed although the order was
// moved or removed meanwhile, or the service is unavailable.
func TestRefusedMovesAreSkipped(t *testing.T) {
	t.Parallel()
	for _, code := range []refusal.Code{delivery.CodeInvalidTransition, refusal.CodeNotFound, refusal.CodeUnavailable} {
		w, s := newWorld()
		w.refusal = refusal.New(code, "no")
		if _, err := s.round(t.Context()); err != nil || w.order.Status != delivery.StatusAccepted {
			t.Errorf("refused with %s: got error %v, status %s, want none and accepted", code, err, w.order.Status)
		}
	}
}

// testOrder is the id of an order of a test account.
const testOrder = "ord_g0000000000000000000000000000000"

// TestTestOrdersNeedNoCouriers expects test orders to be moved without --simulate, by
// couriers that operators do not know.
func TestTestOrdersNeedNoCouriers(t *testing.T) {
	t.Parallel()
	w, s := newWorld()
	s.config.Live = false
	w.order.OrderID = testOrder
	for w.order.Status != delivery.StatusDelivered {
		w.order.Reference, w.order.UpdatedAt = Deliver, time.Unix(0, 0)
		before := w.order.Status
		if _, err := s.round(t.Context()); err != nil || w.order.Status == before {
			t.Fatalf("at %s: got error %v, status %s, want the next one", before, err, w.order.Status)
		}
	}
	if busy, err := s.round(t.Context()); busy || err != nil || w.added != 0 {
		t.Errorf("after the delivery: got busy %t, error %v, %d couriers added, want none of them", busy, err, w.added)
	}
	w.order = Order{OrderID: "ord_1", Status: delivery.StatusAccepted}
	if busy, err := s.round(t.Context()); busy || err != nil || w.order.Status != delivery.StatusAccepted {
		t.Errorf("a live order: got busy %t, error %v, status %s, want it untouched", busy, err, w.order.Status)
	}
}

// TestIdleSimulationRests expects no rounds while no test order is under way, until
// Wake reports one, or idleInterval has passed.
func TestIdleSimulationRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, _ := newWorld()
		asked := func() int {
			synctest.Wait()
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.asked
		}
		s := New(Config{
			Store: w, Dispatch: w, Pace: time.Second, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			At: func(at time.Time) <-chan time.Time { return time.After(time.Until(at)) },
		})
		s.Run()
		defer s.Close()
		if got := asked(); got != 1 {
			t.Fatalf("at the start: got %d rounds, want 1", got)
		}
		time.Sleep(idleInterval - time.Second)
		s.Wake("par_00000001")
		if got := asked(); got != 1 {
			t.Errorf("after a live order: got %d rounds, want 1", got)
		}
		s.Wake("par_00000001", "par_g0000001")
		if got := asked(); got != 2 {
			t.Errorf("after a test order: got %d rounds, want 2", got)
		}
		time.Sleep(idleInterval)
		if got := asked(); got != 3 {
			t.Errorf("after another %v: got %d rounds, want 3", idleInterval, got)
		}
	})
}
