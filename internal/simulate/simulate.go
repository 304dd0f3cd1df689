// Package simulate moves orders automatically, for partners who test their
// integration: a simulated dispatcher with simulated couriers moves every order at
// a set pace. It uses the same calls as operators do, so that transitions, events
// and stock movements are real.
//
// It keeps no state: an order's next step follows from the order alone. So a
// simulation continues after a restart, and any number of nodes may run it: if two
// of them make the same move, one succeeds and the other continues with the next
// order.
package simulate

import (
	"context"
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
	Resting(ctx context.Context, partnerID string, state delivery.Status, since time.Time, after string, limit int) ([]Order, error)
}

// Order holds the fields of an order that decide its next step.
type Order struct {
	OrderID   string
	Reference string
	Status    delivery.Status
	Version   int64
	UpdatedAt time.Time
	Failures  int // attempts that have failed
}

// Move is one step of an order.
type Move struct {
	To            delivery.Status
	Notes         string
	CourierID     string // for courier_assigned
	FailureReason string // for failed
	NextAttempt   *time.Time
	Reason        string // for cancelled
}

// Dispatch moves orders and manages couriers.
type Dispatch interface {
	// Advance moves an order if it still has the given version.
	Advance(ctx context.Context, orderID string, version int64, move Move) error
	// Couriers returns the ids of the couriers that can be assigned, by name.
	Couriers(ctx context.Context) (idByName map[string]string, err error)
	AddCourier(ctx context.Context, name, phone, vehicle string) (courierID string, err error)
}

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store    Store
	Dispatch Dispatch
	Pace     time.Duration // between two steps of an order
	Now      func() time.Time
	At       func(time.Time) <-chan time.Time // fires at a time
	Log      *slog.Logger
}

// Service moves orders until it is closed.
type Service struct {
	config   Config
	cancel   context.CancelFunc
	stopped  sync.WaitGroup
	couriers []string // ids, in the order of courierNames; only run's goroutine writes it
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
	// page is how many orders one query reads.
	page = 500
	// concurrency is how many orders are moved at a time, so that they share
	// commits.
	concurrency = 64
)

// Start returns a service that moves orders in the background until Close.
func Start(config Config) *Service {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Service{config: config, cancel: cancel}
	s.stopped.Go(func() { s.run(audit.WithOperation(ctx, audit.Operation{OperatorID: Operator})) })
	return s
}

// Close cancels the moves under way and waits for them to end.
func (s *Service) Close() {
	s.cancel()
	s.stopped.Wait()
}

func (s *Service) run(ctx context.Context) {
	interval := min(max(s.config.Pace/roundsPerStep, minInterval), maxInterval)
	for ctx.Err() == nil {
		next := s.config.Now().Add(interval)
		if err := s.round(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.Error("a round of the simulation failed, trying again", "error", err)
		}
		select {
		case <-s.config.At(next):
		case <-ctx.Done():
		}
	}
}

// round makes every step that is due.
func (s *Service) round(ctx context.Context) error {
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
	for after := ""; ctx.Err() == nil; {
		var orders []Order
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			orders, err = tx.Resting(ctx, partnerID, state, now.Add(-s.config.Pace), after, page)
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
		after = orders[len(orders)-1].OrderID
	}
	return ctx.Err()
}

func (s *Service) moveEach(ctx context.Context, orders []Order, now time.Time) {
	var moving sync.WaitGroup
	slots := make(chan struct{}, concurrency)
	for _, o := range orders {
		slots <- struct{}{}
		moving.Go(func() {
			defer func() { <-slots }()
			s.move(ctx, o, now)
		})
	}
	moving.Wait()
}

// move makes the next step of one order. That the order was moved or removed
// meanwhile is not an error.
func (s *Service) move(ctx context.Context, o Order, now time.Time) {
	move := next(o, now.Add(s.config.Pace))
	if move.To == delivery.StatusCourierAssigned {
		move.CourierID = s.couriers[hashOf(o.OrderID, "courier")%uint64(len(s.couriers))]
	}
	err := s.config.Dispatch.Advance(ctx, o.OrderID, o.Version, move)
	switch {
	case err == nil, ctx.Err() != nil:
	case refusal.HasCode(err, delivery.CodeInvalidTransition), refusal.HasCode(err, refusal.CodeNotFound):
	case refusal.HasCode(err, refusal.CodeValidation) && move.CourierID != "":
		s.courierGone.Store(true)
	default:
		s.config.Log.Warn("the simulation could not move an order, trying again", "order_id", o.OrderID, "to", move.To, "error", err)
	}
}

var (
	courierNames = strings.Fields("Alice Bruno Camille Denis Élise Farid Gabrielle Hugo Inès Jules " +
		"Karim Léa Malik Noémie Omar Pascale Quentin Rosalie Samuel Thérèse")
	vehicles = []string{"cargo bike", "van", "car", "e-scooter"}
)

// phone returns the i-th fictitious number: 555-01xx is not assigned to anyone.
func phone(i int) string { return "+151455501" + string([]byte{'0' + byte(i/10), '0' + byte(i%10)}) }
