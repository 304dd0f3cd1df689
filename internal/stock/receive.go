package stock

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/ledger"
)

// MaxReceived is the most lines of a receipt of goods.
const MaxReceived = 100

// Received is the result of receiving goods: one movement for each line, in their order.
type Received struct {
	Movements []delivery.Movement
}

// Receive books the lines of a receipt of goods at a location, all of them or none.
// Several lines may be about one product. The faults of lines have fields such as
// lines[2].quantity.
func (s *Service) Receive(ctx context.Context, r Request, root form.Source) (Answer, error) {
	wanted, ids, problems := readReceived(root)
	return s.once(ctx, r, problems.Err(), ids, func(tx Writer, locked *ledger.Ledger) (any, error) {
		return s.receive(ctx, tx, locked, wanted)
	})
}

func readReceived(root form.Source) (wanted []entry, ids []int64, problems form.Problems) {
	f := form.New(root, &problems)
	location := f.Text("location", form.Required, locationRule)
	if f != nil {
		for _, line := range f.Objects("lines", form.Required, 1, MaxReceived) {
			id, _ := line.Integer("product_id", form.Required, 1, 1<<53)
			quantity, _ := line.Integer("quantity", form.Required, 1, maxQuantity)
			wanted = append(wanted, entry{kind: delivery.MovementIn, productID: id, quantity: quantity, from: location})
			ids = append(ids, id)
		}
	}
	notes := f.Text("notes", form.Optional, form.Length(0, 1000))
	for i := range wanted {
		wanted[i].notes = notes
	}
	if len(ids) == 0 {
		ids = []int64{0} // only locks the partner
	}
	return wanted, ids, problems
}

// receive books the lines in the locked ledger, which is written only if all of them can
// be booked.
func (s *Service) receive(ctx context.Context, tx Writer, locked *ledger.Ledger, wanted []entry) (Received, error) {
	var done Received
	var notes []*audit.Entry
	var problems form.Problems
	for i, e := range wanted {
		booked, note, err := s.book(ctx, locked, e)
		refused := form.ProblemsOf(err)
		if err != nil && len(refused) == 0 {
			return Received{}, err
		}
		for _, p := range refused {
			problems.Add(fmt.Sprintf("lines[%d].%s", i, p.Field), p.Value, p.Rule)
		}
		done.Movements = append(done.Movements, booked...)
		notes = append(notes, note)
	}
	if err := problems.Err(); err != nil {
		return Received{}, err
	}
	if err := tx.SaveLedger(ctx, locked); err != nil {
		return Received{}, err
	}
	return done, tx.AddAudit(ctx, notes...)
}
