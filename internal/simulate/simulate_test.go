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

// world is one order, and couriers some of whom may be gone.
type world struct {
	mu       sync.Mutex
	order    Order
	couriers map[string]string // active ones by name; guarded by mu
	hired    int
	refusal  error // what every move is refused with
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
	w.hired++
	w.couriers[name] = name + string(rune('a'+w.hired%26))
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
	return w, &Service{Config: Config{
		Store: w, Dispatch: w, Pace: time.Second, Now: func() time.Time { return time.Unix(100, 0) }, Log: slog.New(slog.DiscardHandler),
	}}
}

// TestCouriersAreMadeOnce, and again where an operator has deactivated one.
func TestCouriersAreMadeOnce(t *testing.T) {
	t.Parallel()
	w, s := newWorld()
	look := func(want delivery.Status, hired int) {
		t.Helper()
		w.order.UpdatedAt = time.Unix(0, 0)
		if err := s.look(t.Context()); err != nil || w.order.Status != want || w.hired != hired {
			t.Errorf("%v: %s, %d hired", err, w.order.Status, w.hired)
		}
	}
	look(delivery.StatusCourierAssigned, 20)
	w.order.Status = delivery.StatusAccepted
	w.couriers = map[string]string{}
	look(delivery.StatusAccepted, 20)
	look(delivery.StatusCourierAssigned, 40)
	_, again := newWorld()
	again.Dispatch = w
	if err := again.hire(t.Context()); err != nil || w.hired != 40 {
		t.Errorf("after a restart: %v, %d hired", err, w.hired)
	}
}

// TestLosersGoOn: an order that somebody else has moved or removed is no fault,
// and neither is a service that is stopping.
func TestLosersGoOn(t *testing.T) {
	t.Parallel()
	for _, code := range []refusal.Code{delivery.CodeInvalidTransition, refusal.CodeNotFound, refusal.CodeUnavailable} {
		w, s := newWorld()
		w.refusal = refusal.New(code, "no")
		if err := s.look(t.Context()); err != nil || w.order.Status != delivery.StatusAccepted {
			t.Errorf("%s: %v, %s", code, err, w.order.Status)
		}
	}
}
