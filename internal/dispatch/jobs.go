package dispatch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
)

// StopKind is what a courier does at a stop.
type StopKind string

// The kinds of stops.
const (
	StopPickup  StopKind = "pickup"
	StopDropoff StopKind = "dropoff"
)

// Stop is the place that an order's courier goes to next.
type Stop struct {
	Kind    StopKind
	Contact *delivery.Contact // the end of its window is the deadline
	Area    string            // the zone of its address, see board.Zone
}

// Job describes what a courier has to do for an order.
type Job struct {
	Order       *delivery.Order
	PartnerName string
	Stop        Stop
	Failures    int64 // attempts that have failed
	// NextAttempt is when the next attempt at a failed order is planned; zero if
	// none is planned or the order has not failed.
	NextAttempt time.Time
	Actions     []delivery.Status // the states that its courier may move it to now
}

// Done describes what a courier has delivered since a time.
type Done struct {
	Count  int64
	Latest []Delivery // newest first, at most maxDone
}

// Delivery is an order that was delivered.
type Delivery struct {
	OrderID        string
	PartnerOrderID string // empty if the order cannot be read
	At             time.Time
}

// Round is the work of a courier.
type Round struct {
	CourierID string
	Jobs      []Job // those with a place in the courier's sequence first
	More      bool  // there are more jobs than these, which are due first
	Returns   []Bringing
	Done      Done
	Unread    []*Message // oldest first, at most maxUnread
	Phone     string     // at which the courier reaches the desk; empty if none is set
}

const (
	// maxJobs is the most jobs in a round, more than a courier carries in a day.
	maxJobs = 200
	// maxDone is the most deliveries listed in a round.
	maxDone = 50
	// MaxSince is how far back a round may count deliveries.
	MaxSince = 7 * 24 * time.Hour
)

// Round returns the orders under way of a courier, in the courier's sequence, the goods that the
// courier brings back, what the courier has delivered since a time, and what the desk says. The error may be
// not_found.
func (s *Service) Round(ctx context.Context, courierID string, since time.Time) (*Round, error) {
	round, now := &Round{CourierID: courierID}, s.now()
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		if err := exists(ctx, tx, courierID); err != nil {
			return err
		}
		if round.Jobs, round.More, err = s.jobs(ctx, tx, courierID, now); err != nil {
			return err
		}
		if round.Returns, err = s.bringing(ctx, tx, courierID); err != nil {
			return err
		}
		if round.Done, err = s.done(ctx, tx, courierID, since); err != nil {
			return err
		}
		if round.Unread, err = tx.Unread(ctx, courierID, maxUnread); err != nil {
			return err
		}
		round.Phone, err = tx.Phone(ctx)
		return err
	})
	return round, err
}

// done returns what a courier has delivered since a time.
func (s *Service) done(ctx context.Context, tx Reader, courierID string, since time.Time) (Done, error) {
	done, err := tx.Deliveries(ctx, courierID, since, maxDone)
	if err != nil {
		return done, err
	}
	ids := make([]string, len(done.Latest))
	for i := range done.Latest {
		ids[i] = done.Latest[i].OrderID
	}
	orders, err := s.ordersByID(ctx, tx, ids)
	for i := range done.Latest {
		if o := orders[ids[i]]; o != nil {
			done.Latest[i].PartnerOrderID = o.PartnerOrderID
		}
	}
	return done, err
}

// jobs returns the jobs of a courier: those with a place in the courier's sequence, and
// then the others as SortJobs sorts them. It reports whether there are more.
func (s *Service) jobs(
	ctx context.Context, tx Reader, courierID string, now time.Time,
) (jobs []Job, more bool, err error) {
	rows, err := tx.Board(ctx, Filter{CourierID: courierID, Sort: SortWindow, Limit: maxJobs + 1}, now)
	if err != nil {
		return nil, false, err
	}
	if more = len(rows) > maxJobs; more {
		rows = rows[:maxJobs]
	}
	found, err := tx.OrdersOf(ctx, rows)
	if err != nil {
		return nil, false, err
	}
	if jobs, err = jobsOf(ctx, tx, s.config.Damaged.Readable(ordersIn(rows, found))); err != nil {
		return nil, false, err
	}
	sequence, err := sequenceOf(ctx, tx, courierID)
	SortJobs(jobs, now)
	sequence.sort(jobs)
	return jobs, more, err
}

// ordersIn returns those orders of rows that were found, in the order of the rows.
func ordersIn(rows []*board.Row, found map[string]*delivery.Order) []*delivery.Order {
	orders := make([]*delivery.Order, 0, len(rows))
	for i := range rows {
		if o := found[rows[i].OrderID]; o != nil {
			orders = append(orders, o)
		}
	}
	return orders
}

// jobsOf returns the jobs of orders, whose histories must be complete.
func jobsOf(ctx context.Context, tx Reader, orders []*delivery.Order) ([]Job, error) {
	partnerIDs := make([]string, len(orders))
	var failed []*delivery.Order
	for i, o := range orders {
		partnerIDs[i] = o.PartnerID
		if o.Status == delivery.StatusFailed {
			failed = append(failed, o)
		}
	}
	partners, err := tx.PartnerNames(ctx, distinct(partnerIDs))
	if err != nil {
		return nil, err
	}
	attempts, err := tx.FailedAttempts(ctx, failed)
	if err != nil {
		return nil, err
	}
	jobs := make([]Job, len(orders))
	for i, o := range orders {
		jobs[i] = jobOf(o)
		jobs[i].PartnerName = partners[o.PartnerID]
		if next := attempts[o.OrderID].Next; next != nil {
			jobs[i].NextAttempt = *next
		}
	}
	return jobs, nil
}

// jobOf returns the job of an order, without the partner's name and the next
// attempt.
func jobOf(o *delivery.Order) Job {
	job := Job{Order: o, Stop: stopOf(o), Failures: board.Of(o).Failures, Actions: []delivery.Status{}}
	for _, status := range delivery.NextStatuses(o.Status) {
		if slices.Contains(delivery.CourierStatuses, status) {
			job.Actions = append(job.Actions, status)
		}
	}
	return job
}

// stopOf returns the pickup until the order has been picked up, even if an attempt
// to do so has failed, and the dropoff after that.
func stopOf(o *delivery.Order) Stop {
	stop := Stop{Kind: StopPickup, Contact: &o.Pickup}
	pickedUp := func(entry delivery.HistoryEntry) bool {
		return !slices.Contains(board.AtPickup, entry.Status) && entry.Status != delivery.StatusFailed &&
			entry.Status != delivery.StatusCancelled
	}
	if slices.ContainsFunc(o.History, pickedUp) {
		stop = Stop{Kind: StopDropoff, Contact: &o.Dropoff}
	}
	stop.Area = board.Zone(stop.Contact.Address)
	return stop
}

// slot is the length of time within which stops are sequenced by area rather than
// by deadline.
const slot = time.Hour

// SortJobs sorts jobs that have no place in a sequence into the order in which a
// courier should do them:
//
//   - by the hour of their deadline, the end of the next stop's window; overdue
//     jobs count as due in the current hour;
//   - within an hour by area, so that stops close to each other follow each other:
//     the area with the earliest deadline comes first;
//   - within an area pickups before dropoffs, then by deadline and address;
//   - last come failed orders whose next attempt is still to come, by its time.
func SortJobs(jobs []Job, now time.Time) {
	type place struct {
		hour time.Time
		area string
	}
	placeOf := func(j *Job) place {
		due := j.Stop.Contact.Window.End
		if due.Before(now) {
			due = now
		}
		return place{due.Truncate(slot), j.Stop.Area}
	}
	first := map[place]time.Time{}
	for i := range jobs {
		due, at := jobs[i].Stop.Contact.Window.End, placeOf(&jobs[i])
		if earliest, known := first[at]; !known || due.Before(earliest) {
			first[at] = due
		}
	}
	later := func(j *Job) time.Time {
		if j.NextAttempt.After(now) {
			return j.NextAttempt
		}
		return time.Time{}
	}
	slices.SortFunc(jobs, func(a, b Job) int {
		x, y := placeOf(&a), placeOf(&b)
		return cmp.Or(
			later(&a).Compare(later(&b)),
			x.hour.Compare(y.hour),
			first[x].Compare(first[y]),
			cmp.Compare(x.area, y.area),
			cmp.Compare(rank[a.Stop.Kind], rank[b.Stop.Kind]),
			a.Stop.Contact.Window.End.Compare(b.Stop.Contact.Window.End),
			cmp.Compare(delivery.NormalPostalCode(a.Stop.Contact.Address.PostalCode),
				delivery.NormalPostalCode(b.Stop.Contact.Address.PostalCode)),
			cmp.Compare(a.Stop.Contact.Address.Line1, b.Stop.Contact.Address.Line1),
			cmp.Compare(a.Order.OrderID, b.Order.OrderID),
		)
	})
}

// rank puts pickups before dropoffs.
var rank = map[StopKind]int{StopPickup: 0, StopDropoff: 1}
