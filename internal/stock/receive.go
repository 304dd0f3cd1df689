package stock

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// MaxReceived is the most lines of a receipt of goods.
const MaxReceived = 100

// Receipt is a receipt of goods at a location. Several lines may be about one product.
type Receipt struct {
	form.Faults
	Location string
	Lines    []ReceiptLine
	Notes    string
}

// ReceiptLine is how much of a product has come in.
type ReceiptLine struct{ ProductID, Quantity int64 }

// ReadReceipt reads a receipt of goods.
func ReadReceipt(f *form.Form) Receipt {
	receipt := Receipt{Location: f.Text("location", form.Required, locationRule)}
	for _, line := range f.Objects("lines", form.Required, 1, MaxReceived) {
		productID, _ := line.Integer("product_id", form.Required, 1, 1<<53)
		quantity, _ := line.Integer("quantity", form.Required, 1, maxQuantity)
		receipt.Lines = append(receipt.Lines, ReceiptLine{productID, quantity})
	}
	receipt.Notes = f.Text("notes", form.Optional, form.Length(0, 1000))
	return receipt
}

// Received is the result of receiving goods: one movement for each line, in their order.
type Received struct {
	Movements []delivery.Movement
}

// Receive books the lines of a receipt, all of them or none. The faults of lines have
// fields such as lines[2].quantity.
func (s *Service) Receive(ctx context.Context, r Request[Received], receipt Receipt) (idempotency.Answer, error) {
	ids := make([]int64, len(receipt.Lines))
	for i, line := range receipt.Lines {
		ids[i] = line.ProductID
	}
	return r.book(ctx, s, receipt.Problems(), ids, func(tx Writer, locked *movement.Stock) (Received, error) {
		return s.receive(ctx, tx, locked, receipt)
	})
}

// receive books the lines in the locked stock, which is written only if all of them can
// be booked.
func (s *Service) receive(ctx context.Context, tx Writer, locked *movement.Stock, receipt Receipt) (Received, error) {
	var done Received
	var notes []*audit.Entry
	var problems form.Problems
	for i, line := range receipt.Lines {
		booked, note, err := s.book(ctx, locked, Booking{
			Kind: delivery.MovementIn, ProductID: line.ProductID, Quantity: line.Quantity, From: receipt.Location,
			Notes: receipt.Notes,
		})
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
	if err := tx.SaveStock(ctx, locked); err != nil {
		return Received{}, err
	}
	return done, tx.AddAudit(ctx, notes...)
}
