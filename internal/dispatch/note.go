package dispatch

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Note is a note about an order, written by an operator for the others. Partners
// and recipients never see it.
type Note struct {
	NoteID     string // sorts by time
	PartnerID  string
	OrderID    string
	At         time.Time
	OperatorID string
	Text       string
}

const (
	maxNote  = 2000 // characters of a note, at most
	maxNotes = 100  // notes in an order's record, at most: the newest
)

// ReadNote reads the text of a note.
func ReadNote(f *form.Form) string { return f.Text("text", form.Required, form.Length(1, maxNote)) }

// AddNote adds a note to an order. The error may be not_found.
func (s *Service) AddNote(ctx context.Context, orderID, text string) (*Note, error) {
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok {
		return nil, refusal.NotFound("order")
	}
	now := s.now()
	id, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return nil, err
	}
	// The audit log does not repeat the text, because it is not erased with the
	// recipient's data.
	entry, err := audit.NewEntry(ctx, s.config.Random, now, audit.ActionOrderNoted)
	if err != nil {
		return nil, err
	}
	note := &Note{NoteID: id, PartnerID: partnerID, OrderID: orderID, At: now, OperatorID: entry.OperatorID, Text: text}
	entry.PartnerID, entry.ObjectID, entry.After = partnerID, orderID, noteFacts{NoteID: id}
	return note, s.config.Store.Write(ctx, func(tx Writer) error {
		// The lock keeps retention from removing the order before the commit.
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

// noteFacts is what the audit log holds of a note.
type noteFacts struct {
	NoteID string `json:"note_id"`
}

// Record holds all that operators see of an order.
type Record struct {
	Entry
	Order  *delivery.Order
	Notes  []*Note           // newest first
	Proofs []*delivery.Proof // oldest first
	Scans  []*Scanned        // newest first
	Moves  []Move            // by operators, newest first: the latest 20
	// Failed is the latest attempt, if it has failed and its event is still kept; otherwise nil.
	Failed *delivery.FailedAttempt
	// Operators are the e-mail addresses of the operators in Notes, Proofs, Scans, picks, Moves and edits,
	// by their ids. What acts by itself, such as the command line, has none.
	Operators map[string]string
	// Couriers are the couriers in Moves and confirmations by their ids. Those that no longer exist are left out.
	Couriers map[string]Courier
}

// Move is a move of an order by an operator.
type Move struct {
	Version    int64 // of the order after it
	At         time.Time
	OperatorID string
	CourierID  string // who had the order after it; empty for no courier
}

// courierIDs returns the ids of the couriers in the moves and the confirmations.
func (r *Record) courierIDs() (ids []string) {
	for _, move := range r.Moves {
		if move.CourierID != "" {
			ids = append(ids, move.CourierID)
		}
	}
	for _, edit := range r.Order.Course.Edits {
		if edit.Seen != nil && edit.Seen.CourierID != "" {
			ids = append(ids, edit.Seen.CourierID)
		}
	}
	return distinct(ids)
}

// operatorIDs returns the ids of the operators in the record.
func (r *Record) operatorIDs() (ids []string) {
	ids = append(ids, r.Order.Course.CreatedBy) // empty for an order by the partner
	for _, note := range r.Notes {
		ids = append(ids, note.OperatorID)
	}
	for _, proof := range r.Proofs {
		ids = append(ids, proof.OperatorID)
	}
	for _, scan := range r.Scans {
		ids = append(ids, scan.OperatorID)
	}
	for _, move := range r.Moves {
		ids = append(ids, move.OperatorID)
	}
	for _, edit := range r.Order.Course.Edits {
		ids = append(ids, edit.OperatorID) // empty for the partner's
		if edit.Seen != nil {
			ids = append(ids, edit.Seen.OperatorID)
		}
	}
	if picking := r.Order.Course.Picking; picking != nil {
		for _, line := range picking.Lines {
			ids = append(ids, line.OperatorID)
		}
		if picking.Packed != nil {
			ids = append(ids, picking.Packed.OperatorID)
		}
	}
	return slices.DeleteFunc(distinct(ids), func(id string) bool { return id == "" })
}

// Order returns one order, under way or not, with its notes and proofs. A
// courierID limits it to that courier's orders: any other is not_found.
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
		if record.Proofs, err = tx.Proofs(ctx, partnerID, orderID); err != nil {
			return err
		}
		if record.Scans, err = tx.Scans(ctx, partnerID, orderID, maxScans); err != nil {
			return err
		}
		if record.Moves, err = tx.Moves(ctx, partnerID, orderID); err != nil {
			return err
		}
		if record.Failed, err = failedAttempt(ctx, tx, record.Order); err != nil {
			return err
		}
		if record.Operators, err = tx.OperatorEmails(ctx, record.operatorIDs()); err != nil {
			return err
		}
		record.Couriers, err = tx.Couriers(ctx, record.courierIDs())
		return err
	})
	return &record, s.config.Damaged.Of(err)
}

// failedAttempt returns the latest attempt at an order, if it has failed and its event is still kept.
func failedAttempt(ctx context.Context, tx Reader, o *delivery.Order) (*delivery.FailedAttempt, error) {
	if o.Status != delivery.StatusFailed {
		return nil, nil
	}
	attempts, err := tx.FailedAttempts(ctx, []*delivery.Order{o})
	if attempt, known := attempts[o.OrderID]; known {
		return &attempt, err
	}
	return nil, err
}
