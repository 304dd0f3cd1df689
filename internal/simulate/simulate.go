// Package simulate is a fictive dispatcher with fictive couriers, for partners
// who test what they build: it moves every order along at a set pace, through
// the same door as operators do, so that transitions, events and stock are real.
//
// It remembers nothing. What is next for an order follows from the order alone,
// so that it goes on after a restart where it was, and any number of nodes may
// run it: of two that make the same move one wins, and the other goes on.
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

// Operator is who moves orders, in the audit log.
const Operator = "simulator"

// Store is what this room needs of storage.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
}

// Reader finds what is to be done.
type Reader interface {
	PartnerIDs(ctx context.Context) ([]string, error)
	// Resting lists a partner's orders that have been in a state since a time or
	// longer, by their ids, those behind the given one.
	Resting(ctx context.Context, partnerID string, state delivery.Status, since time.Time, after string, limit int) ([]Order, error)
}

// Order is what the next step of an order follows from.
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

// Dispatch moves orders, and keeps couriers.
type Dispatch interface {
	// Advance moves an order unless its version is another by now.
	Advance(ctx context.Context, orderID string, version int64, move Move) error
	// Couriers lists those couriers that can be assigned, by name.
	Couriers(ctx context.Context) (idByName map[string]string, err error)
	AddCourier(ctx context.Context, name, phone, vehicle string) (courierID string, err error)
}

// Config is what the service is made of.
type Config struct {
	Store    Store
	Dispatch Dispatch
	Pace     time.Duration // between two steps of an order
	Now      func() time.Time
	At       func(time.Time) <-chan time.Time // fires at a time
	Log      *slog.Logger
}

// Service moves orders along until it is closed.
type Service struct {
	Config
	cancel   context.CancelFunc
	stopped  sync.WaitGroup
	couriers []string // ids, in the order of their names
	// dismissed is set when a courier could not be assigned: an operator has
	// deactivated them, and another must be hired.
	dismissed atomic.Bool
}

const (
	// looks is how often the service looks for work during one step.
	looks = 4
	// minLook and maxLook bound the time between two looks.
	minLook = 10 * time.Millisecond
	maxLook = 30 * time.Second
	// page is how many orders are read at a time.
	page = 500
	// atOnce is how many orders are moved at a time: they share commits.
	atOnce = 64
)

// Start begins to move orders.
func Start(config Config) *Service {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Service{Config: config, cancel: cancel}
	s.stopped.Go(func() { s.run(audit.WithOperation(ctx, audit.Operation{OperatorID: Operator})) })
	return s
}

// Close ends what is under way, and waits for it.
func (s *Service) Close() {
	s.cancel()
	s.stopped.Wait()
}

func (s *Service) run(ctx context.Context) {
	every := min(max(s.Pace/looks, minLook), maxLook)
	for ctx.Err() == nil {
		next := s.Now().Add(every)
		if err := s.look(ctx); err != nil && ctx.Err() == nil {
			s.Log.Error("simulation does not get on, trying again", "error", err)
		}
		select {
		case <-s.At(next):
		case <-ctx.Done():
		}
	}
}

// look makes every step that is due.
func (s *Service) look(ctx context.Context) error {
	if err := s.hire(ctx); err != nil {
		return err
	}
	var partners []string
	err := s.Store.Read(ctx, func(tx Reader) (err error) {
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

// hire sees to it that there are couriers.
func (s *Service) hire(ctx context.Context) error {
	if len(s.couriers) > 0 && !s.dismissed.Swap(false) {
		return nil
	}
	known, err := s.Dispatch.Couriers(ctx)
	if err != nil {
		return err
	}
	var ids []string
	for i, name := range courierNames {
		name = "Simulated " + name
		id := known[name]
		if id == "" {
			if id, err = s.Dispatch.AddCourier(ctx, name, phone(i), vehicles[i%len(vehicles)]); err != nil {
				return err
			}
		}
		ids = append(ids, id)
	}
	s.couriers = ids
	return nil
}

// moveAll moves a partner's orders in a state that have rested long enough.
func (s *Service) moveAll(ctx context.Context, partnerID string, state delivery.Status) error {
	now := s.Now()
	for after := ""; ctx.Err() == nil; {
		var orders []Order
		err := s.Store.Read(ctx, func(tx Reader) (err error) {
			orders, err = tx.Resting(ctx, partnerID, state, now.Add(-s.Pace), after, page)
			return err
		})
		if err != nil {
			return err
		}
		due := slices.DeleteFunc(slices.Clone(orders), func(o Order) bool { return now.Before(dueAt(o, s.Pace)) })
		s.moveEach(ctx, due, now)
		if len(orders) < page {
			return nil
		}
		after = orders[len(orders)-1].OrderID
	}
	return ctx.Err()
}

func (s *Service) moveEach(ctx context.Context, orders []Order, now time.Time) {
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, o := range orders {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			s.move(ctx, o, now)
		})
	}
	all.Wait()
}

// move makes the next step of one order. Somebody else who was faster, or who
// has removed the order, is no fault.
func (s *Service) move(ctx context.Context, o Order, now time.Time) {
	move := next(o, now.Add(s.Pace))
	if move.To == delivery.StatusCourierAssigned {
		move.CourierID = s.couriers[hashOf(o.OrderID, "courier")%uint64(len(s.couriers))]
	}
	err := s.Dispatch.Advance(ctx, o.OrderID, o.Version, move)
	switch {
	case err == nil, ctx.Err() != nil:
	case refusal.HasCode(err, delivery.CodeInvalidTransition), refusal.HasCode(err, refusal.CodeNotFound):
	case refusal.HasCode(err, refusal.CodeValidation) && move.CourierID != "":
		s.dismissed.Store(true)
	default:
		s.Log.Warn("simulation could not move an order, trying again", "order_id", o.OrderID, "to", move.To, "error", err)
	}
}

var (
	courierNames = strings.Fields("Alice Bruno Camille Denis Élise Farid Gabrielle Hugo Inès Jules " +
		"Karim Léa Malik Noémie Omar Pascale Quentin Rosalie Samuel Thérèse")
	vehicles = []string{"cargo bike", "van", "car", "e-scooter"}
)

// phone is a number that is nobody's.
func phone(i int) string { return "+151455501" + string([]byte{'0' + byte(i/10), '0' + byte(i%10)}) }
