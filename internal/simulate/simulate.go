// Package simulate moves orders automatically, for partners who test their
// integration: a simulated dispatcher with simulated couriers moves every test order
// at a set pace, and live orders too if Config.Live is set. Live orders are moved by the
// same calls as operators make, so that transitions, events and stock movements are
// real.
//
// While no test order is under way, it only looks for some now and then.
//
// It keeps no state: an order's next step follows from the order alone. So a
// simulation continues after a restart, and any number of nodes may run it: if two
// of them make the same move, one succeeds and the other continues with the next
// order.
package simulate

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Operator is the operator id under which moves appear in the audit log.
const Operator = "simulator"

// Store is the storage that this package needs.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
}

// Reader finds orders that are due.
type Reader interface {
	PartnerIDs(ctx context.Context) ([]string, error)
	// Resting returns a partner's orders whose status has been state since the given
	// time or longer, sorted by id, beginning after the given id.
	Resting(
		ctx context.Context, partnerID string, state delivery.Status, since time.Time, after string, limit int,
	) ([]Order, error)
	// RestingTests returns test orders under way that have not moved since the given
	// time or longer, sorted by the time of their last move and by id, beginning after
	// the given one.
	RestingTests(ctx context.Context, since time.Time, after Order, limit int) ([]Order, error)
	// HasTests reports whether any test order is under way.
	HasTests(ctx context.Context) (bool, error)
}

// Order holds the fields of an order that decide its next step.
type Order struct {
	OrderID   string
	Reference string
	Status    delivery.Status
	Version   int64
	UpdatedAt time.Time
	Failures  int // attempts that have failed
	// Requested is set while a request to cancel the order awaits its answer, and Reason is
	// that of the request.
	Requested bool
	Reason    string
	// Unseen is the version of the latest edit that the order's courier has not confirmed; 0 if there is
	// none.
	Unseen int64
	// HandedOver is set once the parcels have gone to another courier.
	HandedOver bool
}

// Move is one step of an order.
type Move struct {
	To        delivery.Status
	Notes     string
	CourierID string // for courier_assigned
	// Courier is the courier of a test order, instead of CourierID. Operators do not
	// know such couriers, so that they cannot assign them to live orders.
	Courier       *delivery.Courier
	FailureReason string // for failed
	NextAttempt   *time.Time
	Reason        string // for cancelled
}

// Dispatch moves orders and manages couriers.
type Dispatch interface {
	// Advance moves a live order if it still has the given version.
	Advance(ctx context.Context, orderID string, version int64, move Move) error
	// AdvanceTest does so with a test order.
	AdvanceTest(ctx context.Context, orderID string, version int64, move Move) error
	// HandOver gives the parcels of an order to another courier if it still has the given version.
	HandOver(ctx context.Context, orderID string, version int64, courierID string) error
	// HandOverTest gives those of a test order to another courier if it still has the given version.
	HandOverTest(ctx context.Context, orderID string, version int64, courier *delivery.Courier) error
	// Confirm notes that the courier of an order, live or test, has seen its edits up to a version.
	Confirm(ctx context.Context, orderID string, version int64) error
	// Answer answers the request to cancel an order, live or test.
	Answer(ctx context.Context, orderID string, granted bool, text string) error
	// Couriers returns the ids of the couriers that can be assigned, by name.
	Couriers(ctx context.Context) (idByName map[string]string, err error)
	AddCourier(ctx context.Context, name, phone, vehicle string) (courierID string, err error)
}

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store    Store
	Dispatch Dispatch
	Live     bool          // also moves live orders
	Pace     time.Duration // between two steps of an order
	Now      func() time.Time
	At       func(time.Time) <-chan time.Time // fires at a time
	Log      *slog.Logger
}

// Service moves orders between Run and Close.
type Service struct {
	config   Config
	cancel   context.CancelFunc
	stopped  sync.WaitGroup
	wake     chan struct{} // holds one
	couriers []string      // ids, in the order of courierNames; only run's goroutine writes it
	// courierGone is set when a courier could not be assigned because an operator
	// has deactivated it. Then another one of the same name is added.
	courierGone atomic.Bool
}

const (
	// roundsPerStep is how many rounds fit into the pace: the smaller it is, the
	// later an order moves.
	roundsPerStep = 4
	// minInterval and maxInterval bound the time between two rounds.
	minInterval = 10 * time.Millisecond
	maxInterval = 30 * time.Second
	// idleInterval is the time between two rounds while no test order is under way.
	// Wake ends it; it is for the orders that another node has left behind.
	idleInterval = time.Minute
	// page is how many orders one query reads.
	page = 500
	// concurrency is how many orders are moved at a time, so that they share
	// commits.
	concurrency = 64
)

// New returns a service that does nothing until Run.
func New(config Config) *Service {
	return &Service{config: config, wake: make(chan struct{}, 1)}
}

// Run starts to move orders, until Close. It does not wait.
func (s *Service) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stopped.Go(func() { s.run(audit.WithOperation(ctx, audit.Operation{OperatorID: Operator})) })
}

// Close cancels the moves under way and waits for them to end.
func (s *Service) Close() {
	if s.cancel != nil {
		s.cancel()
	}
	s.stopped.Wait()
}

// Wake reports that accounts have new orders. It never blocks.
func (s *Service) Wake(partnerIDs ...string) {
	if !slices.ContainsFunc(partnerIDs, delivery.IsTest) {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
}

func (s *Service) run(ctx context.Context) {
	interval := min(max(s.config.Pace/roundsPerStep, minInterval), maxInterval)
	for ctx.Err() == nil {
		next := s.config.Now().Add(interval)
		busy, err := s.round(ctx)
		if err != nil && ctx.Err() == nil {
			s.config.Log.Error("a round of the simulation failed, trying again", "error", err)
		}
		wake := s.wake
		if busy || err != nil {
			wake = nil // the next round is near, and finds what is new
		} else {
			next = s.config.Now().Add(max(interval, idleInterval))
		}
		select {
		case <-s.config.At(next):
		case <-wake:
		case <-ctx.Done():
		}
	}
}

// round makes every step that is due, and reports whether there are orders that may
// be due soon.
func (s *Service) round(ctx context.Context) (busy bool, err error) {
	if s.config.Live {
		if err := s.moveLive(ctx); err != nil {
			return true, err
		}
	}
	if err := s.moveTests(ctx); err != nil {
		return true, err
	}
	err = s.config.Store.Read(ctx, func(tx Reader) (err error) {
		busy, err = tx.HasTests(ctx)
		return err
	})
	return busy || s.config.Live, err
}

// moveTests moves the test orders for which the next step is due.
func (s *Service) moveTests(ctx context.Context) error {
	now := s.config.Now()
	return s.movePages(ctx, now, func(tx Reader, after Order) ([]Order, error) {
		return tx.RestingTests(ctx, now.Add(-s.config.Pace), after, page)
	})
}

// moveLive moves the orders of live accounts for which the next step is due.
func (s *Service) moveLive(ctx context.Context) error {
	if err := s.ensureCouriers(ctx); err != nil {
		return err
	}
	var partners []string
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		partners, err = tx.PartnerIDs(ctx)
		return err
	})
	for _, partnerID := range partners {
		for _, state := range delivery.Statuses {
			if len(delivery.NextStatuses(state)) > 0 && err == nil {
				err = s.moveAll(ctx, partnerID, state)
			}
		}
	}
	return err
}

// ensureCouriers finds the simulated couriers and adds those that are missing. It
// does so in the first round, and after a courier could not be assigned.
func (s *Service) ensureCouriers(ctx context.Context) error {
	if len(s.couriers) > 0 && !s.courierGone.Swap(false) {
		return nil
	}
	known, err := s.config.Dispatch.Couriers(ctx)
	if err != nil {
		return err
	}
	var ids []string
	for i, name := range courierNames {
		name = "Simulated " + name
		id := known[name]
		if id == "" {
			if id, err = s.config.Dispatch.AddCourier(ctx, name, phone(i), vehicles[i%len(vehicles)]); err != nil {
				return err
			}
		}
		ids = append(ids, id)
	}
	s.couriers = ids
	return nil
}

// moveAll moves a partner's orders of one status for which the next step is due.
func (s *Service) moveAll(ctx context.Context, partnerID string, state delivery.Status) error {
	now := s.config.Now()
	return s.movePages(ctx, now, func(tx Reader, after Order) ([]Order, error) {
		return tx.Resting(ctx, partnerID, state, now.Add(-s.config.Pace), after.OrderID, page)
	})
}

// movePages moves the orders of a list for which the next step is due. read returns
// the page after the given order, which is zero for the first.
func (s *Service) movePages(
	ctx context.Context, now time.Time, read func(tx Reader, after Order) ([]Order, error),
) error {
	for after := (Order{}); ctx.Err() == nil; {
		var orders []Order
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			orders, err = read(tx, after)
			return err
		})
		if err != nil {
			return err
		}
		due := slices.DeleteFunc(slices.Clone(orders), func(o Order) bool { return now.Before(dueAt(o, s.config.Pace)) })
		s.moveEach(ctx, due, now)
		if len(orders) < page {
			return nil
		}
		after = orders[len(orders)-1]
	}
	return ctx.Err()
}

func (s *Service) moveEach(ctx context.Context, orders []Order, now time.Time) {
	var moving sync.WaitGroup
	permits := make(chan struct{}, concurrency)
	for _, o := range orders {
		permits <- struct{}{}
		moving.Go(func() {
			defer func() { <-permits }()
			s.move(ctx, o, now)
		})
	}
	moving.Wait()
}

// move makes the next step of one order. That the order was moved or removed
// meanwhile is not an error.
func (s *Service) move(ctx context.Context, o Order, now time.Time) {
	err := s.step(ctx, o, now)
	switch {
	case err == nil, ctx.Err() != nil:
	case refusal.HasCode(err, delivery.CodeInvalidTransition), refusal.HasCode(err, refusal.CodeNotFound),
		refusal.HasCode(err, refusal.CodeConflict):
	case refusal.HasCode(err, refusal.CodeValidation) && o.Status == delivery.StatusAccepted:
		s.courierGone.Store(true)
	default:
		s.config.Log.Warn("the simulation could not move an order, trying again", "order_id", o.OrderID, "status", o.Status,
			"error", err)
	}
}

// step answers the partner's request to cancel the order, or confirms its edits and moves it.
func (s *Service) step(ctx context.Context, o Order, now time.Time) error {
	if o.Unseen > 0 {
		if err := s.config.Dispatch.Confirm(ctx, o.OrderID, o.Unseen); err != nil {
			return err
		}
	}
	if o.Requested {
		granted, text := answer(o.Reason)
		return s.config.Dispatch.Answer(ctx, o.OrderID, granted, text)
	}
	if handsOver(o) && (delivery.IsTestOrder(o.OrderID) || len(s.couriers) > 1) {
		return s.handOver(ctx, o)
	}
	return s.advance(ctx, o, next(o, now.Add(s.config.Pace)))
}

// handOver gives the parcels of an order to the courier after the one who has them.
func (s *Service) handOver(ctx context.Context, o Order) error {
	drawn := hashOf(o.OrderID, "courier") + 1
	if delivery.IsTestOrder(o.OrderID) {
		return s.config.Dispatch.HandOverTest(ctx, o.OrderID, o.Version, testCourier(int(drawn%uint64(len(courierNames)))))
	}
	return s.config.Dispatch.HandOver(ctx, o.OrderID, o.Version, s.couriers[drawn%uint64(len(s.couriers))])
}

// advance makes a move, with a courier if it needs one.
func (s *Service) advance(ctx context.Context, o Order, move Move) error {
	assigns, drawn := move.To == delivery.StatusCourierAssigned, hashOf(o.OrderID, "courier")
	if delivery.IsTestOrder(o.OrderID) {
		if assigns {
			move.Courier = testCourier(int(drawn % uint64(len(courierNames))))
		}
		return s.config.Dispatch.AdvanceTest(ctx, o.OrderID, o.Version, move)
	}
	if assigns {
		move.CourierID = s.couriers[drawn%uint64(len(s.couriers))]
	}
	return s.config.Dispatch.Advance(ctx, o.OrderID, o.Version, move)
}

// testCourier returns the i-th courier of test orders.
func testCourier(i int) *delivery.Courier {
	return &delivery.Courier{
		CourierID: fmt.Sprintf("cou_test%02d",
			i), Name: "Simulated " + courierNames[i], Phone: phone(i), Vehicle: vehicles[i%len(vehicles)],
	}
}

var (
	courierNames = strings.Fields("Alice Bruno Camille Denis Élise Farid Gabrielle Hugo Inès Jules " +
		"Karim Léa Malik Noémie Omar Pascale Quentin Rosalie Samuel Thérèse")
	vehicles = []string{"cargo bike", "van", "car", "e-scooter"}
)

// phone returns the i-th fictitious number: 555-01xx is not assigned to anyone.
func phone(i int) string { return "+151455501" + string([]byte{'0' + byte(i/10), '0' + byte(i%10)}) }
