package dispatch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Sequence is the order in which the dispatch desk wants a courier's stops done. It
// may leave stops out: those follow as SortJobs sorts them.
type Sequence struct {
	CourierID string
	Version   int64 // counts the changes; 0 before the first
	Stops     []Placed
}

// Placed is a stop in a sequence. It counts while it is the next stop of an order
// under way of the courier. So an order loses its place when it has been picked up
// and when another courier gets it, and no move of an order writes a sequence.
type Placed struct {
	OrderID string   `json:"order_id"`
	Stop    StopKind `json:"stop"`
}

// orderIDs returns the orders of the stops.
func (s *Sequence) orderIDs() []string {
	ids := make([]string, len(s.Stops))
	for i, placed := range s.Stops {
		ids[i] = placed.OrderID
	}
	return ids
}

// sort moves the jobs that have a place to the front, in the order of their places.
// The others keep theirs among each other.
func (s *Sequence) sort(jobs []Job) {
	places := make(map[Placed]int, len(s.Stops))
	for i, placed := range s.Stops {
		places[placed] = i
	}
	placeOf := func(j *Job) int {
		if place, known := places[Placed{j.Order.OrderID, j.Stop.Kind}]; known {
			return place
		}
		return len(places)
	}
	slices.SortStableFunc(jobs, func(a, b Job) int { return placeOf(&a) - placeOf(&b) })
}

// Sequence returns the sequence of a courier with the stops that count. The error may
// be not_found.
func (s *Service) Sequence(ctx context.Context, courierID string) (found *Sequence, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if err := exists(ctx, tx, courierID); err != nil {
			return err
		}
		if found, err = sequenceOf(ctx, tx, courierID); err != nil {
			return err
		}
		found.Stops, err = s.counting(ctx, tx, found)
		return err
	})
	return found, err
}

// exists refuses with not_found if there is no such courier.
func exists(ctx context.Context, tx Reader, courierID string) error {
	known, err := tx.Couriers(ctx, []string{courierID})
	if _, exists := known[courierID]; err == nil && !exists {
		err = refusal.NotFound("courier")
	}
	return err
}

// sequenceOf returns the sequence of a courier as it is stored.
func sequenceOf(ctx context.Context, tx Reader, courierID string) (*Sequence, error) {
	found, err := tx.Sequences(ctx, []string{courierID})
	if stored := found[courierID]; stored != nil {
		return stored, err
	}
	return &Sequence{CourierID: courierID}, err
}

// counting returns the stops of a sequence that count.
func (s *Service) counting(ctx context.Context, tx Reader, sequence *Sequence) ([]Placed, error) {
	orders, err := s.ordersByID(ctx, tx, sequence.orderIDs())
	return slices.DeleteFunc(slices.Clone(sequence.Stops), func(placed Placed) bool {
		o := orders[placed.OrderID]
		return o == nil || !o.CarriedBy(sequence.CourierID) || !board.IsOpen(o.Status) || stopOf(o).Kind != placed.Stop
	}), err
}

// ordersByID returns orders with their histories. Those that do not exist or
// cannot be read are left out.
func (s *Service) ordersByID(ctx context.Context, tx Reader, ids []string) (map[string]*delivery.Order, error) {
	var rows []*board.Row
	for _, id := range ids {
		if partnerID, ok := delivery.PartnerOfOrder(id); ok {
			rows = append(rows, &board.Row{PartnerID: partnerID, OrderID: id})
		}
	}
	found, err := tx.OrdersOf(ctx, rows)
	readable := make(map[string]*delivery.Order, len(found))
	for _, o := range s.config.Damaged.Readable(slices.Collect(maps.Values(found))) {
		readable[o.OrderID] = o
	}
	return readable, err
}

// MaxSequence is the most stops in a sequence: as many as a round has.
const MaxSequence = maxJobs

// maxSequenceVersion bounds the versions that a caller may name.
const maxSequenceVersion = 1 << 53

// SequenceChange is a request to replace the sequence of a courier.
type SequenceChange struct {
	OrderIDs []string // open orders of the courier, each once
	Version  int64    // of the sequence that is replaced
}

// ReadSequenceChange reads a request to replace a sequence.
func ReadSequenceChange(f *form.Form) SequenceChange {
	ids := f.Texts("order_ids", form.Required, 0, MaxSequence, form.Length(1, 255))
	version, ok := f.Integer("version", form.Required, 0, maxSequenceVersion)
	// An id that was refused is empty, and not the same as another one.
	if ok && !slices.Contains(ids, "") && len(distinct(slices.Clone(ids))) < len(ids) {
		f.Fault("order_ids", delivery.EachOrderOnce)
	}
	return SequenceChange{ids, version}
}

// SetSequence replaces the sequence of a courier and returns it. Orders that ended after
// the caller saw them are left out. The error may be a validation_error, not_found, or
// conflict if the version is another.
func (s *Service) SetSequence(ctx context.Context, courierID string, change SequenceChange) (*Sequence, error) {
	wanted := &Sequence{CourierID: courierID}
	return wanted, s.config.Store.Write(ctx, func(tx Writer) error {
		known, err := tx.LockCouriers(ctx, []string{courierID})
		if err == nil && !slices.Contains(known, courierID) {
			err = refusal.NotFound("courier")
		}
		if err != nil {
			return err
		}
		before, err := sequenceOf(ctx, tx, courierID)
		if err != nil {
			return err
		}
		if before.Version != change.Version {
			return refusal.New(refusal.CodeConflict,
				fmt.Sprintf("the sequence was changed meanwhile and has version %d, not %d", before.Version, change.Version))
		}
		if before.Stops, err = s.counting(ctx, tx, before); err != nil {
			return err
		}
		wanted.Version = before.Version
		if wanted.Stops, err = s.placed(ctx, tx, courierID, change.OrderIDs); err != nil ||
			slices.Equal(wanted.Stops, before.Stops) {
			return err // an unchanged sequence is not written, nor logged
		}
		return s.saveSequence(ctx, tx, before, wanted)
	})
}

var openOrderOfCourier = form.Define("open_order_of_courier", "an open order of the courier")

// placed returns the next stops of orders. Orders of the courier that have ended are
// left out; others that are not open orders of the courier are a validation_error.
func (s *Service) placed(ctx context.Context, tx Reader, courierID string, ids []string) ([]Placed, error) {
	var problems form.Problems
	stops := make([]Placed, 0, len(ids))
	orders, err := s.ordersByID(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		switch o := orders[id]; {
		case o == nil || !o.CarriedBy(courierID):
			problems.Add(fmt.Sprintf("order_ids[%d]", i), id, openOrderOfCourier)
		case board.IsOpen(o.Status):
			stops = append(stops, Placed{id, stopOf(o).Kind})
		}
	}
	return stops, problems.Err()
}

// saveSequence writes a sequence as the next version, with an entry of the audit log.
func (s *Service) saveSequence(ctx context.Context, tx Writer, before, after *Sequence) error {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), audit.ActionSequenceChanged)
	if err != nil {
		return err
	}
	after.Version = before.Version + 1
	entry.ObjectID = after.CourierID
	entry.Before, entry.After = factsOfSequence(before), factsOfSequence(after)
	if err := tx.SaveSequence(ctx, after); err != nil {
		return err
	}
	return tx.AddAudit(ctx, entry)
}

// sequenceFacts is what the audit log holds of a sequence.
type sequenceFacts struct {
	Version  int64    `json:"version"`
	OrderIDs []string `json:"order_ids"`
}

func factsOfSequence(s *Sequence) sequenceFacts { return sequenceFacts{s.Version, s.orderIDs()} }

// HandOver adds orders to the end of a courier's sequence, in the order in which they
// had places in the sequences of other couriers, who have them no longer. from holds
// these couriers by order id. Orders without a place there get none.
func (s *Service) HandOver(ctx context.Context, to string, from map[string]string) error {
	couriers := distinct(append(slices.Collect(maps.Values(from)), to))
	return s.config.Store.Write(ctx, func(tx Writer) error {
		if _, err := tx.LockCouriers(ctx, couriers); err != nil {
			return err
		}
		stored, err := tx.Sequences(ctx, couriers)
		if err != nil {
			return err
		}
		var handed []Placed
		for _, giver := range couriers {
			before := stored[giver]
			if before == nil || giver == to {
				continue
			}
			leaving, staying := divide(before.Stops, func(placed Placed) bool { return from[placed.OrderID] == giver })
			if len(leaving) == 0 {
				continue
			}
			handed = append(handed, leaving...)
			if err := s.saveSequence(ctx, tx, before, &Sequence{CourierID: giver, Stops: staying}); err != nil {
				return err
			}
		}
		return s.receive(ctx, tx, stored[to], to, handed)
	})
}

// divide returns the stops for which in is true, and the others.
func divide(stops []Placed, in func(Placed) bool) (those, others []Placed) {
	for _, placed := range stops {
		if in(placed) {
			those = append(those, placed)
		} else {
			others = append(others, placed)
		}
	}
	return those, others
}

// receive adds stops to the end of a courier's sequence, which may be nil. Older places
// of the same orders end.
func (s *Service) receive(ctx context.Context, tx Writer, before *Sequence, to string, handed []Placed) error {
	if len(handed) == 0 {
		return nil
	}
	if before == nil {
		before = &Sequence{CourierID: to}
	}
	_, kept := divide(before.Stops, func(old Placed) bool {
		return slices.ContainsFunc(handed, func(placed Placed) bool { return placed.OrderID == old.OrderID })
	})
	return s.saveSequence(ctx, tx, before, &Sequence{CourierID: to, Stops: append(kept, handed...)})
}
