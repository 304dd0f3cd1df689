package storetest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
	"pgregory.net/rapid"
)

// figuresRun moves orders of some partners on several nodes at the same time.
type figuresRun struct {
	db       *store.Store
	nodes    []*order.Service
	partners []string
}

// additionsOfRuns are what the rate card of a run charges beside prices.
var additionsOfRuns = pricing.Additions{AttemptCents: 301, ReturnCents: 450, LateCancellationCents: 401}

// couriersOfFigures are the couriers of a run.
var couriersOfFigures = []string{"cou_f1", "cou_f2", "cou_f3"}

// testFigures compares the figures with a scan of all orders and their histories, after
// random moves by several nodes, and after these orders were erased and removed.
func testFigures(t *testing.T, s *store.Store) {
	writeOperators(t, s, func(tx operator.Writer) error {
		for _, id := range couriersOfFigures {
			must(t, tx.AddCourier(t.Context(),
				&operator.Courier{Courier: delivery.Courier{CourierID: id, Name: "Camille " + id}, Active: true}))
		}
		return nil
	})
	number := uint32(0)
	repeatable.Check(t, func(rt *rapid.T) {
		number++
		if number > uint32(testkit.Scaled(60, 4)) {
			return
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		run := &figuresRun{db: s}
		for i := range 3 {
			run.partners = append(run.partners, fmt.Sprintf("par_%07d%d", number, i))
		}
		run.work(t, seed)
		run.compare(t)
		run.forget(t)
	})
	if retries := s.Stats().Retries; retries > 0 {
		t.Errorf("got %d transactions that the database rolled back, want none", retries)
	}
}

// work lets several callers create and move orders through several nodes.
func (r *figuresRun) work(t *testing.T, seed uint64) {
	t.Helper()
	for range 3 {
		r.nodes = append(r.nodes, r.node(t, seed))
	}
	var done sync.WaitGroup
	for i := range 12 {
		done.Go(func() {
			caller := figuresCaller{r, mathrand.New(mathrand.NewPCG(seed, uint64(i)))}
			for n := range 3 {
				caller.order(t, fmt.Sprintf("F-%d-%d", i, n))
			}
		})
	}
	done.Wait()
	for _, node := range r.nodes {
		node.Close()
	}
	r.deliver(t)
}

// node returns a service whose clock jumps within ten days, as those of acts do that the
// service learns of late.
func (r *figuresRun) node(t *testing.T, seed uint64) *order.Service {
	var mu sync.Mutex
	random := mathrand.New(mathrand.NewPCG(seed, 99))
	return orderNode(r.db, r.db.Orders(), repeatable.Reader(t, fmt.Sprint(seed, len(r.nodes))), func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return testkit.Epoch.Add(time.Duration(random.Int64N(240*3_600_000)) * time.Millisecond)
	})
}

// orderNode returns the service of a node that keeps its orders in a store.
func orderNode(db *store.Store, orders order.Store, random io.Reader, now func() time.Time) *order.Service {
	return order.NewService(order.Config{
		Store: orders, ByPartner: db.Sharded(), Random: random, Now: now,
		Card: func(context.Context, string, time.Time) (*pricing.Card, error) {
			card := *pricing.DefaultCard()
			card.Additions = additionsOfRuns
			return &card, nil
		},
		Calendar:    testkit.Calendar(),
		TrackingURL: func(orderID string) string { return "http://localhost/track/" + orderID },
		ProofURL:    func(name string) string { return "http://localhost/proofs/" + name },
	})
}

type figuresCaller struct {
	*figuresRun
	random *mathrand.Rand
}

func pick[T any](c figuresCaller, from []T) T { return from[c.random.IntN(len(from))] }

// order creates an order, and moves it a random number of times.
func (c figuresCaller) order(t *testing.T, reference string) {
	ctx := t.Context()
	province := pick(c,
		[]string{`"ON","postal_code":"M5H 2N2"`, `"BC","postal_code":"V6B 1A1"`, `"NL","postal_code":"A1A 1A1"`})
	body := strings.Replace(string(testkit.OrderJSON(reference, "")), `"ON","postal_code":"M5H 2N2"`, province, 1)
	o, err := createOrder(ctx, pick(c, c.nodes), pick(c, c.partners), []byte(body), c.random.Uint64())
	if err != nil {
		t.Error(err)
		return
	}
	for status, left := delivery.StatusPending, c.random.IntN(12); left > 0; left-- {
		next := delivery.NextStatuses(status)
		if len(next) == 0 {
			return
		}
		status = pick(c, next)
		move := order.Advance{Status: status}
		if status == delivery.StatusCourierAssigned {
			move.CourierID = pick(c, couriersOfFigures)
		}
		if c.random.IntN(3) == 0 {
			move.ETA = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		_, err := pick(c, c.nodes).Advance(audit.WithOperation(ctx, audit.Operation{OperatorID: "opr_1"}), nil, o.OrderID,
			move)
		if err != nil {
			t.Errorf("%+v: %v", move, err)
			return
		}
	}
}

// createOrder creates an order under a key, or finds the one that was created under it.
func createOrder(
	ctx context.Context, node *order.Service, partnerID string, body []byte, number uint64,
) (*delivery.Order, error) {
	root, err := strictjson.Parse(body)
	if err != nil {
		return nil, err
	}
	wanted, err := form.Decode(root, order.ReadWanted)
	if err != nil {
		return nil, err
	}
	key := idempotency.Key{PartnerID: partnerID, Scope: "POST /v1/orders"}
	binary.NativeEndian.PutUint64(key.UUID[:], number)
	answer, err := node.Create(ctx, idempotency.NewRequest(key, body), wanted)
	if err != nil {
		return nil, err
	}
	return record.Decode(answer.Record)
}

// deliver counts every second event as delivered, as the sender does.
func (r *figuresRun) deliver(t *testing.T) {
	t.Helper()
	for _, partnerID := range r.partners {
		must(t, r.db.Webhooks().Write(t.Context(), func(tx webhook.Writer) error {
			listed, err := tx.Events(t.Context(), webhook.Filter{PartnerID: partnerID, Limit: 10_000})
			if err != nil {
				return err
			}
			tally := figures.Tally{Clock: testkit.Calendar().Clock}
			var progress []webhook.Progress
			for i, e := range listed {
				if i%2 == 0 {
					from := e.State
					e.State = outbox.Delivered
					progress = append(progress, webhook.Progress{Event: e, FromState: from})
					tally.WebhookDelivered(&e.Event, e.CreatedAt)
				}
			}
			saved, err := tx.SaveProgress(t.Context(), progress)
			if len(saved) != len(progress) {
				t.Errorf("got %d events saved, want %d", len(saved), len(progress))
			}
			if err != nil {
				return err
			}
			return tx.AddFigures(t.Context(), &tally)
		}))
	}
}

// compare compares the figures with the scan: all of them, by courier, of one courier.
func (r *figuresRun) compare(t *testing.T) {
	t.Helper()
	for _, partnerID := range r.partners {
		scanned := r.scan(t, partnerID)
		r.check(t, scanned, figures.Filter{PartnerID: partnerID, ByCourier: true})
		r.check(t, scanned, figures.Filter{PartnerID: partnerID})
		r.check(t, scanned, figures.Filter{PartnerID: partnerID, CourierID: couriersOfFigures[0]})
	}
}

// check compares the sums of a filter with the scan.
func (r *figuresRun) check(t *testing.T, scanned map[figures.Key]*figures.Counts, f figures.Filter) {
	t.Helper()
	f.First, f.Last = figures.DayOf(nil, testkit.Epoch, "")-2, figures.DayOf(nil, testkit.Epoch, "")+20
	want := map[figures.Key]figures.Counts{}
	for key, counts := range scanned {
		if f.CourierID != "" && key.CourierID != f.CourierID {
			continue
		}
		key.PartnerID = ""
		if !f.ByCourier {
			key.CourierID = ""
		}
		sum := want[key]
		sum.Orders, sum.Assigned, sum.Delivered, sum.OnTime = sum.Orders+counts.Orders, sum.Assigned+counts.Assigned,
			sum.Delivered+counts.Delivered, sum.OnTime+counts.OnTime
		sum.FailedAttempts, sum.Cancelled, sum.WebhooksDelivered = sum.FailedAttempts+counts.FailedAttempts,
			sum.Cancelled+counts.Cancelled, sum.WebhooksDelivered+counts.WebhooksDelivered
		for i, stay := range counts.Stays {
			sum.Stays[i].Ended += stay.Ended
			sum.Stays[i].Millis += stay.Millis
		}
		want[key] = sum
	}
	got := r.figures(t, f)
	if len(got) != len(want) {
		t.Errorf("%+v: got %d rows, want %d", f, len(got), len(want))
	}
	for _, row := range got {
		if row.Counts != want[row.Key] {
			t.Errorf("%+v, %+v: got\n%+v, want\n%+v", f, row.Key, row.Counts, want[row.Key])
		}
	}
}

func (r *figuresRun) figures(t *testing.T, f figures.Filter) (rows []*figures.Row) {
	t.Helper()
	must(t, r.db.Reports().Read(t.Context(), func(tx report.Reader) (err error) {
		rows, err = tx.Figures(t.Context(), f)
		return err
	}))
	return rows
}

// scan counts from the stored orders, their histories and their events.
func (r *figuresRun) scan(t *testing.T, partnerID string) map[figures.Key]*figures.Counts {
	t.Helper()
	counted := map[figures.Key]*figures.Counts{}
	must(t, r.db.Retention().Read(t.Context(), func(tx retention.Reader) error {
		orders, err := tx.Orders(t.Context(), partnerID, "", 10_000)
		if err != nil {
			return err
		}
		events, err := tx.Events(t.Context(), outbox.EventKey{PartnerID: partnerID}, 10_000)
		if err != nil {
			return err
		}
		for _, o := range orders {
			own := slices.DeleteFunc(slices.Clone(events), func(e *retention.Event) bool { return e.OrderID != o.OrderID })
			scanOrder(counted, o, own)
		}
		return nil
	}))
	return counted
}

// scanOrder counts an order. Each entry of its history after the first has an event, between which
// others may lie.
func scanOrder(counted map[figures.Key]*figures.Counts, o *delivery.Order, events []*retention.Event) {
	on := func(at time.Time, courierID string) *figures.Counts {
		key := figures.Key{PartnerID: o.PartnerID, Day: figures.DayOf(testkit.Calendar().Clock, at,
			o.Dropoff.Address.Province), CourierID: courierID}
		if counted[key] == nil {
			counted[key] = &figures.Counts{}
		}
		return counted[key]
	}
	on(o.CreatedAt, "").Orders++
	had := ""
	i := -1
	for _, e := range events {
		if e.State == string(outbox.Delivered) {
			on(e.CreatedAt, "").WebhooksDelivered++
		}
		if !slices.Contains(delivery.MoveEvents, e.Type) {
			continue
		}
		i++
		before, entry := o.History[i], o.History[i+1]
		gets := ""
		if e.Facts.Courier != nil {
			gets = e.Facts.Courier.CourierID
		}
		row := on(entry.At, had)
		stay := &row.Stays[slices.Index(figures.Passing[:], before.Status)]
		stay.Ended++
		stay.Millis += entry.At.Sub(before.At).Milliseconds()
		switch entry.Status {
		case delivery.StatusCourierAssigned:
			on(entry.At, gets).Assigned++
		case delivery.StatusDelivered:
			row.Delivered++
			if !entry.At.After(o.Promised) {
				row.OnTime++
			}
		case delivery.StatusFailed:
			row.FailedAttempts++
		case delivery.StatusCancelled:
			row.Cancelled++
		default:
		}
		had = gets
	}
}

// forget erases and removes all orders. The figures must stay.
func (r *figuresRun) forget(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	for _, partnerID := range r.partners {
		scanned := r.scan(t, partnerID)
		var ids []string
		must(t, r.db.Retention().Read(ctx, func(tx retention.Reader) error {
			orders, err := tx.Orders(ctx, partnerID, "", 10_000)
			for _, o := range orders {
				ids = append(ids, o.OrderID)
			}
			return err
		}))
		writeRetention(t, r.db, func(tx retention.Writer) error {
			locked, err := tx.LockOrders(ctx, partnerID, ids)
			must(t, err)
			var erased []*retention.Stored
			for _, stored := range locked {
				erased = append(erased, stored)
			}
			must(t, tx.SaveErased(ctx, erased, "erased"))
			return tx.RemoveOrders(ctx, partnerID, ids)
		})
		r.check(t, scanned, figures.Filter{PartnerID: partnerID, ByCourier: true})
	}
}
