package dispatch

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/route"
)

// Proposal is a sequence of all jobs of a courier by way, which is stored nowhere.
type Proposal struct {
	CourierID string
	Stops     []ProposedStop
}

// ProposedStop is one stop of a proposal.
type ProposedStop struct {
	OrderID string
	Arrival time.Time     // estimated; not before the stop's window
	Late    time.Duration // by how much that is after the end of the window; 0 if it is not
}

// shift is how long ago a courier may have done a stop to be assumed still there.
const shift = 12 * time.Hour

// Propose proposes the sequence that is the shortest way for a courier, without more
// lateness than the present one (see package route). The way begins now where the
// courier has done a stop last, or, if that is long ago, at the first job. The error
// may be not_found.
func (s *Service) Propose(ctx context.Context, courierID string) (*Proposal, error) {
	now := s.now()
	var jobs []Job
	var last string
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		if err := exists(ctx, tx, courierID); err != nil {
			return err
		}
		if jobs, _, err = s.jobs(ctx, tx, courierID, now); err != nil {
			return err
		}
		last, err = lastArea(ctx, tx, courierID, jobs, now.Add(-shift))
		return err
	})
	if err != nil {
		return nil, err
	}
	stops := make([]route.Stop, len(jobs))
	for i := range jobs {
		stops[i] = stopOnTheWay(&jobs[i])
	}
	start := route.Start{Area: last, At: now}
	order := route.Propose(stops, start, s.config.Pace)
	sorted := make([]route.Stop, len(order))
	for place, i := range order {
		sorted[place] = stops[i]
	}
	proposal := &Proposal{CourierID: courierID, Stops: make([]ProposedStop, len(order))}
	for place, visit := range route.Follow(sorted, start, s.config.Pace) {
		proposal.Stops[place] = ProposedStop{jobs[order[place]].Order.OrderID, visit.Arrival, visit.Late}
	}
	return proposal, nil
}

// stopOnTheWay returns what package route needs of a job.
func stopOnTheWay(j *Job) route.Stop {
	earliest := j.Stop.Contact.Window.Start
	if j.NextAttempt.After(earliest) {
		earliest = j.NextAttempt
	}
	return route.Stop{Area: j.Stop.Area, Earliest: earliest, Latest: j.Stop.Contact.Window.End}
}

// lastArea returns the area of the stop that a courier has done last since a time: a
// delivery, or a pickup or failed attempt of the jobs. It is empty if there is none.
func lastArea(ctx context.Context, tx Reader, courierID string, jobs []Job, since time.Time) (area string, err error) {
	done, err := tx.Deliveries(ctx, courierID, since, 1)
	if err != nil {
		return "", err
	}
	for _, latest := range done.Latest {
		partnerID, _ := delivery.PartnerOfOrder(latest.OrderID)
		o, err := tx.Order(ctx, partnerID, latest.OrderID)
		if err != nil {
			return "", err
		}
		if o != nil {
			area, since = board.Zone(o.Dropoff.Address), latest.At
		}
	}
	for i := range jobs {
		if where, at := lastVisit(jobs[i].Order); at.After(since) {
			area, since = where, at
		}
	}
	return area, nil
}

// lastVisit returns where and when an order under way was last picked up or tried in
// vain; a zero time if it was not.
func lastVisit(o *delivery.Order) (area string, at time.Time) {
	pickedUp := false
	for _, entry := range o.History {
		switch entry.Status {
		case delivery.StatusPickedUp:
			pickedUp = true
			area, at = board.Zone(o.Pickup.Address), entry.At
		case delivery.StatusFailed:
			area, at = board.Zone(o.Pickup.Address), entry.At
			if pickedUp {
				area = board.Zone(o.Dropoff.Address)
			}
		default: // no stop was done
		}
	}
	return area, at
}
