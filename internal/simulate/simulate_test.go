package simulate

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
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
}

func (w *world) Read(_ context.Context, fn func(Reader) error) error { return fn(w) }

func (w *world) PartnerIDs(context.Context) ([]string, error) { return []string{"par_1"}, nil }

func (w *world) Resting(_ context.Context, _ string, state delivery.Status, since time.Time, after string, _ int) ([]Order, error) {
	if w.order.Status != state || w.order.UpdatedAt.After(since) || after != "" {
		return nil, nil
	}
	return []Order{w.order}, nil
}

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
		return form.Fault("courier_id", move.CourierID, "an active courier")
	}
	w.order.Status = move.To
	w.order.Version++
	w.order.UpdatedAt = time.Unix(100, 0)
	return nil
}

func newWorld() (*world, *Service) {
	w := &world{couriers: map[string]string{}, order: Order{OrderID: "ord_1", Status: delivery.StatusAccepted, Version: 2}}
	return w, &Service{config: Config{
		Store: w, Dispatch: w, Pace: time.Second, Now: func() time.Time { return time.Unix(100, 0) }, Log: slog.New(slog.DiscardHandler),
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
		if err := s.round(t.Context()); err != nil || w.order.Status != want || w.added != added {
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
		if err := s.round(t.Context()); err != nil || w.order.Status != delivery.StatusAccepted {
			t.Errorf("refused with %s: got error %v, status %s, want none and accepted", code, err, w.order.Status)
		}
	}
}
