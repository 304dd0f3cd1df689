package dispatch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// StopKind says what a courier does at a stop.
type StopKind string

// The kinds of stops.
const (
	StopPickup  StopKind = "pickup"
	StopDropoff StopKind = "dropoff"
)

// Stop is where an order takes its courier next.
type Stop struct {
	Kind    StopKind
	Contact *delivery.Contact // whose window's end is the deadline
	Area    string            // the first half of its postal code
}

// Job is what a courier has to do for an order.
type Job struct {
	Order       *delivery.Order
	PartnerName string
	Stop        Stop
	Failures    int64
	// NextAttempt is when a failed order is to be tried again; zero if nothing is
	// planned, and for an order that has not failed.
	NextAttempt time.Time
	Actions     []delivery.Status // that its courier may move it to now
}

// Done is what a courier has delivered since a time.
type Done struct {
	Count  int64
	Latest []Delivery // newest first, and not more than maxDone
}

// Delivery is an order that was delivered.
type Delivery struct {
	OrderID string
	At      time.Time
}

// Round is a courier's work.
type Round struct {
	CourierID string
	Jobs      []Job // in the order of Sequence
	More      bool  // there are more jobs: these are due first
	Done      Done
}

const (
	// maxJobs is how many jobs a round has, more than anybody carries in a day.
	maxJobs = 200
	maxDone = 50
	// MaxSince is how far back it is asked what a courier has delivered.
	MaxSince = 7 * 24 * time.Hour
)

// Round reads the open orders of a courier, in the order in which they are best
// seen to, and what was delivered since a time. It is not_found.
func (s *Service) Round(ctx context.Context, courierID string, since time.Time) (*Round, error) {
	round, now := &Round{CourierID: courierID}, s.now()
	err := s.config.Store.Read(ctx, func(tx Reader) error {
		known, err := tx.Couriers(ctx, []string{courierID})
		if err != nil {
			return err
		}
		if _, exists := known[courierID]; !exists {
			return refusal.NotFound("courier")
		}
		rows, err := tx.Board(ctx, Filter{CourierID: courierID, Sort: SortWindow, Limit: maxJobs + 1}, now)
		if err != nil {
			return err
		}
		if round.More = len(rows) > maxJobs; round.More {
			rows = rows[:maxJobs]
		}
		found, err := tx.OrdersOf(ctx, rows)
		if err != nil {
			return err
		}
		if round.Jobs, err = jobsOf(ctx, tx, ordersIn(rows, found)); err != nil {
			return err
		}
		round.Done, err = tx.Deliveries(ctx, courierID, since, maxDone)
		return err
	})
	Sequence(round.Jobs, now)
	return round, err
}

// ordersIn are the orders of rows that were found, in the order of the rows.
func ordersIn(rows []*board.Row, found map[string]*delivery.Order) []*delivery.Order {
	orders := make([]*delivery.Order, 0, len(rows))
	for i := range rows {
		if o := found[rows[i].OrderID]; o != nil {
			orders = append(orders, o)
		}
	}
	return orders
}

// jobsOf makes the jobs of orders, which need their histories.
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
	planned, err := tx.NextAttempts(ctx, failed)
	if err != nil {
		return nil, err
	}
	jobs := make([]Job, len(orders))
	for i, o := range orders {
		jobs[i] = jobOf(o)
		jobs[i].PartnerName, jobs[i].NextAttempt = partners[o.PartnerID], planned[o.OrderID]
	}
	return jobs, nil
}

func jobOf(o *delivery.Order) Job {
	job := Job{Order: o, Stop: stopOf(o), Failures: board.Of(o).Failures, Actions: []delivery.Status{}}
	for _, status := range delivery.NextStatuses(o.Status) {
		if slices.Contains(delivery.CourierStatuses, status) {
			job.Actions = append(job.Actions, status)
		}
	}
	return job
}

// stopOf is the pickup until the order has been picked up, even if an attempt to
// do so has failed, and then the dropoff.
func stopOf(o *delivery.Order) Stop {
	stop := Stop{Kind: StopPickup, Contact: &o.Pickup}
	pickedUp := func(entry delivery.HistoryEntry) bool {
		return !slices.Contains(board.AtPickup, entry.Status) && entry.Status != delivery.StatusFailed && entry.Status != delivery.StatusCancelled
	}
	if slices.ContainsFunc(o.History, pickedUp) {
		stop = Stop{Kind: StopDropoff, Contact: &o.Dropoff}
	}
	stop.Area = board.Zone(stop.Contact.Address)
	return stop
}

// slot is the time within which it matters more that stops are near each other
// than which of them is due first.
const slot = time.Hour

// Sequence puts jobs in the order in which they are best seen to:
//
//   - by the hour of their deadline, the end of the next stop's window; what is
//     overdue counts to this hour;
//   - within an hour by postal area, so that neighbours are seen to together: first
//     the area in which something is due first;
//   - within an area pickups before dropoffs, and then by deadline and address;
//   - at the end what has failed and is to be tried again later, by that time.
func Sequence(jobs []Job, now time.Time) {
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
			cmp.Compare(delivery.NormalPostalCode(a.Stop.Contact.Address.PostalCode), delivery.NormalPostalCode(b.Stop.Contact.Address.PostalCode)),
			cmp.Compare(a.Stop.Contact.Address.Line1, b.Stop.Contact.Address.Line1),
			cmp.Compare(a.Order.OrderID, b.Order.OrderID),
		)
	})
}

// rank puts pickups before dropoffs.
var rank = map[StopKind]int{StopPickup: 0, StopDropoff: 1}
