package stock

import (
	"cmp"
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// Tally is what was counted of products at a location.
type Tally struct {
	form.Faults
	Location string
	Lines    []TallyLine
	Notes    string
}

// TallyLine is how much of a product was counted.
type TallyLine struct{ ProductID, Counted int64 }

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
func (s *Service) Count(ctx context.Context, r Request[Count], tally Tally) (idempotency.Answer, error) {
	return s.CountFrom(ctx, r, nil, tally)
}

// CountFrom does the same, but refuses with form.ErrStale unless the levels of the counted
// products at the location, by product id, are the basis of the count.
func (s *Service) CountFrom(
	ctx context.Context, r Request[Count], basis form.Basis[map[int64]int64], tally Tally,
) (idempotency.Answer, error) {
	ids := make([]int64, len(tally.Lines))
	for i, line := range tally.Lines {
		ids[i] = line.ProductID
	}
	return r.book(ctx, s, tally.Problems(), ids, func(tx Writer, locked *movement.Stock) (Count, error) {
		levels := tally.levels(locked)
		if err := basis.Check(levels); err != nil {
			return Count{}, err
		}
		return s.count(ctx, tx, locked, tally, levels)
	})
}

// levels returns the levels of the counted products where they were counted, by id.
func (t Tally) levels(locked *movement.Stock) map[int64]int64 {
	levels := make(map[int64]int64, len(t.Lines))
	for _, line := range t.Lines {
		if product := locked.Products[line.ProductID]; product != nil {
			levels[line.ProductID] = product.Level(t.Location)
		}
	}
	return levels
}

var countedOnce = form.Define("counted_once", "a product that is in no other line")

// ReadTally reads what was counted.
func ReadTally(f *form.Form) Tally {
	tally := Tally{
		Location: f.Text("location", form.Required, locationRule),
		Notes:    f.Text("notes", form.Optional, form.Length(0, 1000)),
	}
	seen := map[int64]bool{}
	for _, line := range f.Objects("lines", form.Required, 1, maxCounted) {
		id, ok := line.Integer("product_id", form.Required, 1, 1<<53)
		if ok && seen[id] {
			line.Fault("product_id", countedOnce)
		}
		seen[id] = true
		counted, _ := line.Integer("counted", form.Required, 0, maxQuantity)
		tally.Lines = append(tally.Lines, TallyLine{id, counted})
	}
	return tally
}

// count books the lines of a count.
func (s *Service) count(
	ctx context.Context, tx Writer, locked *movement.Stock, tally Tally, levels map[int64]int64,
) (Count, error) {
	result := Count{Location: tally.Location}
	var notes []*audit.Entry
	for _, counted := range tally.Lines {
		line := CountLine{ProductID: counted.ProductID, Before: levels[counted.ProductID], After: counted.Counted}
		if locked.Products[line.ProductID] == nil || line.After != line.Before {
			booked, entry, err := s.book(ctx, locked, Booking{
				Kind: delivery.MovementAdjustment, ProductID: line.ProductID, Quantity: line.After - line.Before,
				From: tally.Location, Notes: cmp.Or(tally.Notes, "count"),
			})
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
	if err := tx.SaveStock(ctx, locked); err != nil {
		return Count{}, err
	}
	return result, tx.AddAudit(ctx, notes...)
}
