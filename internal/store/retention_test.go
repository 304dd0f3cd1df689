package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

const (
	retained = "par_00000007"
	month    = 30 * 24 * time.Hour
)

// watched is a store that notes how many rows each transaction removes.
type watched struct {
	retention.Store
	removed []int
	// between is called after every transaction.
	between func()
}

func (w *watched) Write(ctx context.Context, fn func(retention.Writer) error) error {
	defer w.between()
	return w.Store.Write(ctx, func(tx retention.Writer) error { return fn(&watchedWriter{tx, w}) })
}

type watchedWriter struct {
	retention.Writer
	store *watched
}

func (w *watchedWriter) RemoveOrders(ctx context.Context, partnerID string, ids []string) error {
	w.store.removed = append(w.store.removed, len(ids)*rowsPerOrder)
	return w.Writer.RemoveOrders(ctx, partnerID, ids)
}

func (w *watchedWriter) RemoveReceipts(ctx context.Context, keys []idempotency.Key) error {
	w.store.removed = append(w.store.removed, len(keys))
	return w.Writer.RemoveReceipts(ctx, keys)
}

func (w *watchedWriter) RemoveEvents(ctx context.Context, keys []retention.EventTime) error {
	w.store.removed = append(w.store.removed, len(keys))
	return w.Writer.RemoveEvents(ctx, keys)
}

const (
	manyOrders   = 1300 // more than a page and several batches
	rowsPerOrder = 3    // itself, one change, one event
)

// deliver stores orders that were delivered at their creation.
func deliver(t *testing.T, s *store.Store, first, count int, at time.Time) {
	t.Helper()
	changes := &order.Changes{}
	for i := first; i < first+count; i++ {
		created := at.Add(time.Duration(i) * time.Millisecond)
		id, err := delivery.NewOrderID(testkit.NewRandom(byte(i)), retained, created)
		if err != nil {
			t.Fatal(err)
		}
		o := testkit.Order(retained, id, fmt.Sprint("A-", i), created)
		document := record.Encode(o)
		o.Status, o.Version, o.Events = delivery.StatusDelivered, 2, 1
		key := order.OrderKey{PartnerID: retained, OrderID: id}
		changes.Created = append(changes.Created, order.Creation{Order: o, Document: document})
		changes.Receipts = append(changes.Receipts, &idempotency.Receipt{
			Request: idempotency.Request{
				Key: idempotency.Key{PartnerID: retained, Scope: "POST /v1/orders", UUID: [16]byte{byte(i), byte(i >> 8)}},
			},
			OrderID: id, CreatedAt: created, Answer: document, OfCreation: true,
		})
		changes.History = append(changes.History,
			order.History{OrderKey: key, Version: 2, Entry: delivery.HistoryEntry{Status: o.Status, At: created}})
		changes.Events = append(changes.Events, &delivery.Event{
			EventID: fmt.Sprint("event-",
				i), PartnerID: retained, OrderID: id, Type: delivery.EventOrderDelivered, Sequence: 1, CreatedAt: created,
		})
	}
	if err := s.Orders().Write(t.Context(),
		func(tx order.Writer) error { return order.Apply(t.Context(), tx, changes) }); err != nil {
		t.Fatal(err)
	}
}

// TestSweepNeverHoldsTheWriterForLong: no transaction removes more than
// MaxRows rows, each is followed by a rest, and between any two of them others
// can write.
func TestSweepNeverHoldsTheWriterForLong(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) *store.Store{"sqlite": openSQLite, "postgres": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ctx := open(t), t.Context()
			account := &partner.Partner{PartnerID: retained, Name: "Metro", Email: "a@example.com", CreatedAt: testkit.Epoch}
			if err := s.Partners().Write(ctx,
				func(tx partner.Writer) error { _, err := tx.AddPartner(ctx, account); return err }); err != nil {
				t.Fatal(err)
			}
			deliver(t, s, 0, manyOrders, testkit.Epoch)
			now, added, rests := testkit.Epoch.Add(month), manyOrders, 0
			w := &watched{Store: s.Retention(), between: func() {
				deliver(t, s, added, 1, now) // which waits for the writer if it is held
				added++
			}}
			service := retention.NewService(retention.Config{
				Store: w, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
				Policy: retention.Policy{Orders: month / 2},
				Pause: func(context.Context, time.Duration) error {
					rests++
					return nil
				},
			})
			removed, err := service.Sweep(ctx)
			if err != nil || removed != (retention.Removed{Orders: manyOrders, Keys: manyOrders}) {
				t.Errorf("got %+v removed, %v, want %d orders with their keys", removed, err, manyOrders)
			}
			if most := slices.Max(w.removed); most > retention.MaxRows || rests < len(w.removed) {
				t.Errorf("got transactions of %v rows and %d rests, want at most %d rows and a rest after each", w.removed, rests,
					retention.MaxRows)
			}
			left, err := service.Sweep(ctx)
			if err != nil || left != (retention.Removed{}) {
				t.Errorf("got %+v removed by a second sweep, %v, want nothing", left, err)
			}
			var page []*delivery.Order
			if err := s.Retention().Read(ctx, func(tx retention.Reader) (err error) {
				page, err = tx.Orders(ctx, retained, "", 1000)
				return err
			}); err != nil || len(page) != added-manyOrders {
				t.Errorf("got %d orders left, %v, want the %d added meanwhile", len(page), err, added-manyOrders)
			}
		})
	}
}

// TestSweepStopsWhenCancelled: a sweep ends between two transactions once its
// context has ended.
func TestSweepStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	ctx, cancel := context.WithCancel(t.Context())
	account := &partner.Partner{PartnerID: retained}
	if err := s.Partners().Write(ctx,
		func(tx partner.Writer) error { _, err := tx.AddPartner(ctx, account); return err }); err != nil {
		t.Fatal(err)
	}
	deliver(t, s, 0, manyOrders, testkit.Epoch)
	w := &watched{Store: s.Retention(), between: cancel}
	service := retention.NewService(retention.Config{
		Store: w, Now: func() time.Time { return testkit.Epoch.Add(month) }, Log: slog.New(slog.DiscardHandler),
	})
	if _, err := service.Sweep(ctx); err == nil || len(w.removed) != 1 {
		t.Errorf("got %v after %d transactions, want an error after the first", err, len(w.removed))
	}
}
