package retention

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/record"
)

// What stands where personal data was. Each has the form that its field must
// have, so that a record stays one that the interface allows.
const (
	ErasedText  = "erased"
	ErasedPhone = "+10000000000"
	ErasedEmail = "erased@erased.invalid"
	// erasedUnit follows the first half of a postal code, which is that of a
	// region and stays, for statistics.
	erasedUnit = " 0A0"
)

// Selection says whose data is erased.
type Selection struct {
	OrderIDs []string
	// Recipient is an e-mail address, compared without regard to case: every
	// order that has it at one of its ends.
	Recipient string
	// Force erases orders under way too, which then lack the address that they
	// are to be delivered to.
	Force bool
}

// eraseBatch is how many orders one transaction rewrites.
const eraseBatch = 20

// target is an order to be erased, as it was when it was chosen.
type target struct {
	orderID string
	version int64
	email   string // ends with this address are erased, and the dropoff if it is empty
	answers []ReceiptKey
}

// Erase removes the personal fields of recipients from orders, and tells how
// many orders that were. Either all orders selected can be erased, or nothing
// is. What a crash has left undone, the same call does when it is repeated.
func (s *Service) Erase(ctx context.Context, partnerID string, selection Selection) (erased int, err error) {
	targets, err := s.targets(ctx, partnerID, selection)
	if err != nil || len(targets) == 0 {
		return 0, err
	}
	if err := s.findAnswers(ctx, partnerID, targets); err != nil {
		return 0, err
	}
	for batch := range slices.Chunk(targets, eraseBatch) {
		err := s.config.Store.Write(ctx, func(tx Writer) error { return eraseAll(ctx, tx, partnerID, batch) })
		if err != nil {
			return erased, err
		}
		erased += len(batch)
	}
	if _, err := s.deletePictures(ctx, partnerID, s.config.Now()); err != nil {
		return erased, fmt.Errorf("the orders are erased, and pictures of their proofs will be deleted by the service within two hours: %w", err)
	}
	return erased, nil
}

// targets finds the orders that a selection means.
func (s *Service) targets(ctx context.Context, partnerID string, selection Selection) ([]*target, error) {
	e := &eraser{store: s.config.Store, partnerID: partnerID, chosen: map[string]bool{}}
	if err := e.checkPartner(ctx); err != nil {
		return nil, err
	}
	for _, orderID := range selection.OrderIDs {
		if err := e.byID(ctx, orderID); err != nil {
			return nil, err
		}
	}
	if selection.Recipient != "" {
		if err := e.byRecipient(ctx, selection.Recipient); err != nil {
			return nil, err
		}
	}
	if len(e.underWay) > 0 && !selection.Force {
		return nil, fmt.Errorf("nothing was erased: under way, and in need of the address: %s", strings.Join(e.underWay, ", "))
	}
	return e.targets, nil
}

// eraser gathers the orders to erase.
type eraser struct {
	store     Store
	partnerID string
	targets   []*target
	chosen    map[string]bool
	underWay  []string
}

func (e *eraser) checkPartner(ctx context.Context) error {
	return e.store.Read(ctx, func(tx Reader) error {
		found, err := tx.Partner(ctx, e.partnerID)
		if err == nil && found == nil {
			err = refusal.NotFound("partner " + e.partnerID)
		}
		return err
	})
}

func (e *eraser) choose(o *delivery.Order, email string) {
	if e.chosen[o.OrderID] {
		return
	}
	e.chosen[o.OrderID] = true
	e.targets = append(e.targets, &target{orderID: o.OrderID, version: o.Version, email: email})
	if len(delivery.NextStatuses(o.Status)) > 0 {
		e.underWay = append(e.underWay, fmt.Sprintf("%s (%s)", o.OrderID, o.Status))
	}
}

func (e *eraser) byID(ctx context.Context, orderID string) error {
	return e.store.Read(ctx, func(tx Reader) error {
		o, err := tx.Order(ctx, e.partnerID, orderID)
		switch {
		case err != nil:
			return err
		case o == nil:
			return refusal.NotFound("order " + orderID)
		}
		e.choose(o, "")
		return nil
	})
}

// byRecipient reads all orders of the partner: nothing else needs an index by
// address, and erasing is rare.
func (e *eraser) byRecipient(ctx context.Context, email string) error {
	return pages(func(last *delivery.Order) (page []*delivery.Order, err error) {
		err = e.store.Read(ctx, func(tx Reader) error {
			page, err = ordersBehind(ctx, tx, e.partnerID, last)
			return err
		})
		return page, err
	}, func(page []*delivery.Order) error {
		for _, o := range page {
			if strings.EqualFold(o.Dropoff.Email, email) || strings.EqualFold(o.Pickup.Email, email) {
				e.choose(o, email)
			}
		}
		return nil
	})
}

// findAnswers finds the kept answers that repeat what is in the orders: those
// to cancellations. It reads past the writer, in pages.
func (s *Service) findAnswers(ctx context.Context, partnerID string, targets []*target) error {
	byID := make(map[string]*target, len(targets))
	for _, t := range targets {
		byID[t.orderID] = t
	}
	w := &sweep{Service: s}
	return w.receipts(ctx, partnerID, func(page []Receipt) error {
		for _, receipt := range page {
			if t := byID[receipt.OrderID]; t != nil && receipt.OwnAnswer {
				t.answers = append(t.answers, receipt.ReceiptKey)
			}
		}
		return nil
	})
}

// errChanged can only come of Force: what is over does not change.
var errChanged = errors.New("an order changed while it was erased; run this again")

func eraseAll(ctx context.Context, tx Writer, partnerID string, targets []*target) error {
	ids := make([]string, len(targets))
	for i, t := range targets {
		ids[i] = t.orderID
	}
	found, err := tx.LockOrders(ctx, partnerID, ids)
	if err != nil {
		return err
	}
	var rewritten []*Stored
	for _, t := range targets {
		stored := found[t.orderID]
		if stored == nil {
			continue // retention was faster
		}
		if stored.Order.Version != t.version {
			return errChanged
		}
		if err := eraseStored(stored, t.email); err != nil {
			return err
		}
		rewritten = append(rewritten, stored)
		for _, key := range t.answers {
			// An order changes no more after its cancellation: the answer to that
			// is the record as it is now.
			if err := tx.SaveAnswer(ctx, partnerID, key, record.Encode(stored.Order)); err != nil {
				return err
			}
		}
	}
	return tx.SaveErased(ctx, rewritten, ErasedText)
}

// eraseStored removes personal fields from all that is stored of an order.
func eraseStored(stored *Stored, email string) error {
	created, err := record.Decode(stored.Document)
	if err != nil {
		return err
	}
	// As it was answered; the record of a creation has this history.
	created.History = []delivery.HistoryEntry{{Status: created.Status, At: created.CreatedAt}}
	eraseOrder(created, email)
	stored.Document = record.Encode(created)
	eraseOrder(stored.Order, email)
	if board.IsOpen(stored.Order.Status) {
		stored.Shown = board.Of(stored.Order)
	}
	for _, event := range stored.Events {
		event.Facts.Reason, event.Facts.FailureReason, event.Facts.SignatureURL = "", "", ""
	}
	return nil
}

// eraseOrder removes from an order what may tell who its recipient is: one or
// both ends, and every text that somebody wrote freely. What is needed to
// account for the order stays: its ids, prices, sizes, times, items, city and
// province.
func eraseOrder(o *delivery.Order, email string) {
	if email == "" {
		eraseContact(&o.Dropoff)
	} else {
		for _, end := range []*delivery.Contact{&o.Pickup, &o.Dropoff} {
			if strings.EqualFold(end.Email, email) {
				eraseContact(end)
			}
		}
	}
	o.Reference, o.Instructions, o.Metadata = "", "", nil
	for i := range o.Parcels {
		o.Parcels[i].Description = ErasedText
	}
	for i := range o.History {
		o.History[i].Notes = ""
	}
	if o.Cancellation != nil {
		o.Cancellation = &delivery.Cancellation{At: o.Cancellation.At}
	}
}

func eraseContact(c *delivery.Contact) {
	c.Name, c.Phone, c.Email = ErasedText, ErasedPhone, ErasedEmail
	c.Address.Line1, c.Address.Line2, c.Address.Notes = ErasedText, "", ""
	if code := delivery.NormalPostalCode(c.Address.PostalCode); len(code) > 3 {
		c.Address.PostalCode = code[:3] + erasedUnit
	}
}
