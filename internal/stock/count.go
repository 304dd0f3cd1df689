package stock

import (
	"cmp"
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/ledger"
)

// Count is the result of counting products at a location.
type Count struct {
	Location string
	Lines    []CountLine
}

// CountLine is the result for one product.
type CountLine struct {
	ProductID     int64
	Before, After int64          // the level at the location
	MovementID    int64          // of the adjustment; 0 if none was booked
	Refusal       *refusal.Error // why the count was not booked; nil if it was, or agreed
}

// maxCounted is the most products in one count.
const maxCounted = 500

// Count books an adjustment for each product whose counted quantity differs from its
// level at the location. A line that cannot be booked is reported in the answer; the
// others are booked all the same.
func (s *Service) Count(ctx context.Context, r Request, root form.Source) (Answer, error) {
	return s.CountFrom(ctx, r, nil, root)
}

// CountFrom does the same, but refuses with form.ErrStale unless the levels of the counted
// products at the location, by product id, are the basis of the count.
func (s *Service) CountFrom(ctx context.Context, r Request, basis form.Basis[map[int64]int64], root form.Source) (Answer, error) {
	wanted, ids, problems := readCount(root)
	return s.once(ctx, r, problems.Err(), ids, func(tx Writer, locked *ledger.Ledger) (any, error) {
		levels := levelsOf(locked, wanted)
		if err := basis.Check(levels); err != nil {
			return nil, err
		}
		return s.count(ctx, tx, locked, wanted, levels)
	})
}

// levelsOf returns the levels of the counted products where they were counted, by id.
func levelsOf(locked *ledger.Ledger, wanted []entry) map[int64]int64 {
	levels := make(map[int64]int64, len(wanted))
	for _, e := range wanted {
		if product := locked.Products[e.productID]; product != nil {
			levels[e.productID] = product.Level(e.from)
		}
	}
	return levels
}

var countedOnce = form.Define("counted_once", "a product that is in no other line")

// readCount returns one entry for each line, whose quantity is the counted one.
func readCount(root form.Source) (wanted []entry, ids []int64, problems form.Problems) {
	f := form.New(root, &problems)
	location := f.Text("location", form.Required, locationRule)
	notes := f.Text("notes", form.Optional, form.Length(0, 1000))
	seen := map[int64]bool{}
	if f != nil {
		for _, line := range f.Objects("lines", form.Required, 1, maxCounted) {
			id, ok := line.Integer("product_id", form.Required, 1, 1<<53)
			if ok && seen[id] {
				line.Fault("product_id", countedOnce)
			}
			seen[id] = true
			counted, _ := line.Integer("counted", form.Required, 0, maxQuantity)
			wanted = append(wanted, entry{
				kind: delivery.MovementAdjustment, productID: id, quantity: counted, from: location, notes: cmp.Or(notes, "count"),
			})
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		ids = []int64{0} // only locks the partner
	}
	return wanted, ids, problems
}

// count books the lines of a count. The quantity of an entry is the counted one.
func (s *Service) count(ctx context.Context, tx Writer, locked *ledger.Ledger, wanted []entry, levels map[int64]int64) (Count, error) {
	result := Count{Location: wanted[0].from}
	var notes []*audit.Entry
	for _, e := range wanted {
		line := CountLine{ProductID: e.productID, Before: levels[e.productID], After: e.quantity}
		e.quantity -= line.Before
		if locked.Products[e.productID] == nil || e.quantity != 0 {
			booked, entry, err := s.book(ctx, locked, e)
			if err != nil && !errors.As(err, &line.Refusal) {
				return Count{}, err
			}
			if err == nil {
				line.MovementID = booked[0].MovementID
				notes = append(notes, entry)
			} else {
				line.After = line.Before
			}
		}
		result.Lines = append(result.Lines, line)
	}
	if len(notes) == 0 {
		return result, nil
	}
	if err := tx.SaveLedger(ctx, locked); err != nil {
		return Count{}, err
	}
	return result, tx.AddAudit(ctx, notes...)
}
