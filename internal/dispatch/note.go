package dispatch

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Note is what an operator tells the others about an order. Partners and
// recipients never see it.
type Note struct {
	NoteID     string // sorts by time
	PartnerID  string
	OrderID    string
	At         time.Time
	OperatorID string
	Text       string
}

// maxNote is how many characters a note may have, and maxNotes how many notes
// an order's record shows: the newest.
const (
	maxNote  = 2000
	maxNotes = 100
)

// AddNote adds a note to an order. It is a validation_error, or not_found.
func (s *Service) AddNote(ctx context.Context, orderID string, root form.Source) (*Note, error) {
	var problems form.Problems
	text := form.New(root, &problems).Text("text", form.Required, form.Length(1, maxNote))
	if err := problems.Err(); err != nil {
		return nil, err
	}
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok {
		return nil, refusal.NotFound("order")
	}
	now := s.now()
	id, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return nil, err
	}
	// The audit log is not erased with the recipient's data, and so does not
	// repeat what was written.
	entry, err := audit.NewEntry(ctx, s.config.Random, now, audit.ActionOrderNoted)
	if err != nil {
		return nil, err
	}
	note := &Note{NoteID: id, PartnerID: partnerID, OrderID: orderID, At: now, OperatorID: entry.OperatorID, Text: text}
	entry.PartnerID, entry.ObjectID, entry.After = partnerID, orderID, noteFacts{NoteID: id}
	return note, s.config.Store.Write(ctx, func(tx Writer) error {
		// Locked, so that retention does not remove it in between.
		found, err := tx.LockOrders(ctx, partnerID, []string{orderID})
		if err == nil && found[orderID] == nil {
			err = refusal.NotFound("order")
		}
		if err != nil {
			return err
		}
		if err := tx.AddNote(ctx, note); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
}

// noteFacts are what the audit log tells of a note.
type noteFacts struct {
	NoteID string `json:"note_id"`
}

// Record is all that operators see of an order.
type Record struct {
	Entry
	Order  *delivery.Order
	Notes  []*Note           // newest first
	Proofs []*delivery.Proof // oldest first
}

// Order reads one order, under way or not, with its notes and proofs. For a
// courier no other courier's orders exist; an empty id is nobody's.
func (s *Service) Order(ctx context.Context, courierID, orderID string) (*Record, error) {
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok {
		return nil, refusal.NotFound("order")
	}
	var record Record
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		if record.Order, err = tx.Order(ctx, partnerID, orderID); err != nil {
			return err
		}
		if record.Order == nil || courierID != "" && !record.Order.CarriedBy(courierID) {
			return refusal.NotFound("order")
		}
		entries, err := entriesOf(ctx, tx, []*board.Row{board.Of(record.Order)}, s.now())
		if err != nil {
			return err
		}
		record.Entry = entries[0]
		if record.Notes, err = tx.Notes(ctx, partnerID, orderID, maxNotes); err != nil {
			return err
		}
		record.Proofs, err = tx.Proofs(ctx, partnerID, orderID)
		return err
	})
	return &record, err
}
