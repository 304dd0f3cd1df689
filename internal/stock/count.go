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
	wanted, ids, problems := readCount(root)
	return s.once(ctx, r, problems.Err(), ids, func(tx Writer, locked *ledger.Ledger) (any, error) {
		return s.count(ctx, tx, locked, wanted)
	})
}

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
				line.Fault("product_id", "a product that is in no other line")
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
func (s *Service) count(ctx context.Context, tx Writer, locked *ledger.Ledger, wanted []entry) (Count, error) {
	result := Count{Location: wanted[0].from}
	var notes []*audit.Entry
	for _, e := range wanted {
		line := CountLine{ProductID: e.productID, After: e.quantity}
		product := locked.Products[e.productID]
		if product != nil {
			line.Before = product.Level(e.from)
		}
		e.quantity -= line.Before
		if product == nil || e.quantity != 0 {
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
