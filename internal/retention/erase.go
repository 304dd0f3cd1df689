package retention

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// The values that replace personal data.
const (
	ErasedText  = record.ErasedText
	ErasedPhone = record.ErasedPhone
	ErasedEmail = record.ErasedEmail
)

// Selection selects the orders that are erased.
type Selection struct {
	OrderIDs []string
	// Recipient is an e-mail address. It selects the orders that have it, in any
	// case, at the pickup or the dropoff; only that end of them is erased.
	Recipient string
	// Force also erases orders under way, which then lack the address that they
	// are to be delivered to.
	Force bool
}

// batchSize is the most orders that one transaction rewrites.
const batchSize = 20

// target is an order to be erased.
type target struct {
	orderID string
	version int64             // when the order was selected
	email   string            // the ends with this address are erased; that of the recipient if it is empty
	answers []idempotency.Key // of receipts that repeat the order's record
}

// ErrPicturesLeft means that the orders are erased, but not all pictures of their proofs.
var ErrPicturesLeft = errors.New(
	"the orders are erased; the service will delete the remaining pictures of their proofs within two hours",
)

// erasureFacts is what the audit log holds of an erasure. It does not name the
// recipient.
type erasureFacts struct {
	Orders      int  `json:"orders"`
	ByRecipient bool `json:"by_recipient"`
	Force       bool `json:"force"`
}

// Erase replaces the personal fields of recipients in orders and returns the number
// of orders. If one of the selected orders cannot be erased, none is, and Erase refuses
// with not_found or conflict. After a crash, the same call erases what was left. The
// audit log records an erasure with its first orders.
//
// A recipient's address also selects the partner's test orders, even those under way.
// What the erased rows have left in the files of the database is overwritten, too. If that
// fails, it is logged, and the next sweep does it.
func (s *Service) Erase(ctx context.Context, partnerID string, selection Selection) (erased int, err error) {
	return s.EraseFrom(ctx, partnerID, nil, selection)
}

// EraseFrom does the same, but refuses with form.ErrStale unless what it would erase is
// the basis of the erasure. An order that changes after that is refused, as by Erase.
func (s *Service) EraseFrom(
	ctx context.Context, partnerID string, basis form.Basis[*Preview], selection Selection,
) (erased int, err error) {
	c, err := s.chooseAll(ctx, partnerID, selection)
	if err == nil {
		err = basis.Check(c.preview())
	}
	if err != nil {
		return 0, err
	}
	targets, err := s.targets(ctx, c.live, selection.Force)
	if err != nil {
		return 0, err
	}
	tests, err := s.targets(ctx, c.tests, true)
	if err != nil {
		return 0, err
	}
	entry, err := s.note(ctx, audit.ActionPartnerErased, partnerID,
		erasureFacts{len(targets) + len(tests), selection.Recipient != "", selection.Force})
	if err != nil {
		return 0, err
	}
	if erased, err = s.eraseAll(ctx, partnerID, targets, entry); err != nil {
		return erased, err
	}
	if selection.Recipient != "" {
		err = s.config.Store.Write(ctx, func(tx Writer) error {
			return tx.RemoveSaved(ctx, partnerID, selection.Recipient, nil)
		})
		if err != nil {
			return erased, err
		}
	}
	erasedTests, err := s.eraseAll(ctx, c.tests.partnerID, tests, nil)
	if erased += erasedTests; err != nil {
		return erased, err
	}
	s.scrubNow(ctx)
	// The pictures of removed proofs are due immediately, whatever the clock shows.
	if _, err := s.deletePictures(ctx, partnerID, time.Time{}); err != nil {
		return erased, fmt.Errorf("%w: %w", ErrPicturesLeft, err)
	}
	return erased, nil
}

// eraseAll erases orders of an account batch by batch. The first transaction adds the
// entry, if it is not nil, to the audit log.
func (s *Service) eraseAll(
	ctx context.Context, partnerID string, targets []*target, entry *audit.Entry,
) (erased int, err error) {
	for first := true; first && entry != nil || erased < len(targets); first = false {
		batch := targets[erased:min(erased+batchSize, len(targets))]
		err := s.config.Store.Write(ctx, func(tx Writer) error {
			if first && entry != nil {
				if err := tx.AddAudit(ctx, entry); err != nil {
					return err
				}
			}
			return eraseBatch(ctx, tx, partnerID, batch)
		})
		if err != nil {
			return erased, err
		}
		erased += len(batch)
	}
	return erased, nil
}

// targets returns the orders that were chosen, each with the answers that repeat its
// record. It refuses orders that are under way unless forced is true.
func (s *Service) targets(ctx context.Context, e *eraser, forced bool) ([]*target, error) {
	if len(e.damaged) > 0 {
		return nil, refusal.New(refusal.CodeConflict, fmt.Sprintf("nothing was erased, because these orders cannot be read and may be the recipient's: %s; restore them or remove them, or name the orders to erase by id",
			few(e.damaged)))
	}
	if len(e.underWay) > 0 && !forced {
		return nil, refusal.New(refusal.CodeConflict,
			"nothing was erased, because these orders are under way and need the address: "+few(e.underWay))
	}
	if len(e.targets) == 0 {
		return nil, nil
	}
	return e.targets, s.findAnswers(ctx, e.partnerID, e.targets)
}

// choice is what a selection selects.
type choice struct {
	live, tests *eraser // the orders of the partner, and of its test account
}

// chooseAll collects the orders that a selection selects. It refuses with not_found, and the account's own address:
// orders of other recipients, who have given none, have it.
func (s *Service) chooseAll(ctx context.Context, partnerID string, selection Selection) (c choice, err error) {
	partner, err := findPartner(ctx, s.config.Store, partnerID)
	if err != nil {
		return c, err
	}
	if strings.EqualFold(selection.Recipient, partner.Email) {
		var problems form.Problems
		problems.Add("recipient", selection.Recipient, notTheAccount)
		return c, problems.Err()
	}
	if c.live, err = s.choose(ctx, partnerID, selection); err != nil {
		return c, err
	}
	c.tests, err = s.choose(ctx, delivery.TestAccount(partnerID), Selection{Recipient: selection.Recipient})
	return c, err
}

// choose collects the orders of an account that a selection selects.
func (s *Service) choose(ctx context.Context, partnerID string, selection Selection) (*eraser, error) {
	e := &eraser{
		store: s.config.Store, partnerID: partnerID, chosen: map[string]bool{}, edited: map[string]*delivery.Order{},
	}
	for _, orderID := range selection.OrderIDs {
		if err := e.byID(ctx, orderID); err != nil {
			return nil, err
		}
	}
	if selection.Recipient == "" {
		return e, nil
	}
	if err := e.byRecipient(ctx, selection.Recipient); err != nil {
		return nil, err
	}
	return e, s.byAnswers(ctx, e, selection.Recipient)
}

// few lists some of the orders.
func few(orders []string) string {
	const most = 50
	if len(orders) <= most {
		return strings.Join(orders, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(orders[:most], ", "), len(orders)-most)
}

// eraser collects the orders of a partner that a selection selects.
type eraser struct {
	store     Store
	partnerID string
	targets   []*target
	selected  []Selected      // the targets, for people
	chosen    map[string]bool // ids of the targets
	underWay  []string        // ids and states of targets that are under way
	damaged   []string        // ids of orders that cannot be read, and may concern the recipient
	// edited are orders that do not have the recipient's address, but may have had it between two
	// edits: answers to edits are kept for a time.
	edited map[string]*delivery.Order
}

// findPartner returns an account. It refuses with not_found.
func findPartner(ctx context.Context, store Store, partnerID string) (found *Partner, err error) {
	err = store.Read(ctx, func(tx Reader) error {
		found, err = tx.Partner(ctx, partnerID)
		if err == nil && found == nil {
			err = refusal.NotFound("partner " + partnerID)
		}
		return err
	})
	return found, err
}

// choose adds an order to the targets, once.
func (e *eraser) choose(o *delivery.Order, email string) {
	if e.chosen[o.OrderID] {
		return
	}
	e.chosen[o.OrderID] = true
	e.targets = append(e.targets, &target{orderID: o.OrderID, version: o.Version, email: email})
	e.selected = append(e.selected, Selected{o.OrderID, o.PartnerOrderID, o.Status, o.CreatedAt})
	if board.IsOpen(o.Status) {
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

// byRecipient chooses the orders that have an e-mail address. It reads all orders of
// the partner: erasing is rare, and nothing else needs an index by address.
func (e *eraser) byRecipient(ctx context.Context, email string) error {
	return pages(func(last *delivery.Order) (page []*delivery.Order, err error) {
		err = e.store.Read(ctx, func(tx Reader) error {
			page, err = ordersAfter(ctx, tx, e.partnerID, last)
			return err
		})
		return page, err
	}, func(page []*delivery.Order) error {
		for _, o := range page {
			if o.Damage != nil {
				e.damaged = append(e.damaged, o.OrderID)
			}
			has, err := hasEmail(o, email), error(nil)
			if !has && len(o.Course.Edits) > 0 {
				has, err = e.hadEmail(ctx, o.OrderID, email)
			}
			if err != nil {
				return err
			}
			switch {
			case has:
				e.choose(o, email)
			case len(o.Course.Edits) > 1:
				e.edited[o.OrderID] = o
			}
		}
		return nil
	})
}

// byAnswers chooses the orders of which an answer to an edit has an e-mail address that a later edit has
// removed.
func (s *Service) byAnswers(ctx context.Context, e *eraser, email string) error {
	if len(e.edited) == 0 {
		return nil
	}
	w := &sweep{Service: s}
	return w.receipts(ctx, e.partnerID, func(page []*idempotency.Receipt) error {
		var keys []idempotency.Key
		for _, receipt := range page {
			if e.edited[receipt.OrderID] != nil && !receipt.OfCreation {
				keys = append(keys, receipt.Key)
			}
		}
		if len(keys) == 0 {
			return nil
		}
		return w.read(ctx, func(tx Reader) error {
			receipts, err := tx.Answers(ctx, keys)
			for _, receipt := range receipts {
				if answered, err := record.Decode(receipt.Answer); err == nil && hasEmail(answered, email) {
					e.choose(e.edited[receipt.OrderID], email)
				}
			}
			return err
		})
	})
}

func hasEmail(o *delivery.Order, email string) bool {
	return strings.EqualFold(o.Dropoff.Email, email) || strings.EqualFold(o.Pickup.Email, email)
}

// hadEmail reports whether an order that was edited since was created with an address.
func (e *eraser) hadEmail(ctx context.Context, orderID, email string) (had bool, err error) {
	err = e.store.Read(ctx, func(tx Reader) error {
		document, err := tx.Original(ctx, e.partnerID, orderID)
		if err != nil || document == nil {
			return err
		}
		created, err := record.Decode(document)
		had = err == nil && hasEmail(created, email)
		return err
	})
	return had, err
}

// findAnswers finds the receipts of cancellations, whose answers repeat the orders'
// records. It reads page by page, and does not block writers.
func (s *Service) findAnswers(ctx context.Context, partnerID string, targets []*target) error {
	byID := make(map[string]*target, len(targets))
	for _, t := range targets {
		byID[t.orderID] = t
	}
	w := &sweep{Service: s}
	return w.receipts(ctx, partnerID, func(page []*idempotency.Receipt) error {
		for _, receipt := range page {
			if t := byID[receipt.OrderID]; t != nil && !receipt.OfCreation {
				t.answers = append(t.answers, receipt.Key)
			}
		}
		return nil
	})
}

// errChanged can only occur with Force: an order that has ended does not change.
var errChanged = refusal.New(refusal.CodeConflict, "an order changed while it was being erased: run this again")

// eraseBatch erases a batch of orders in one transaction.
func eraseBatch(ctx context.Context, tx Writer, partnerID string, targets []*target) error {
	ids := make([]string, len(targets))
	for i, t := range targets {
		ids[i] = t.orderID
	}
	found, err := tx.LockOrders(ctx, partnerID, ids)
	if err != nil {
		return err
	}
	var rewritten []*Stored
	var persons []string
	for _, t := range targets {
		stored := found[t.orderID]
		if stored == nil {
			continue // a sweep has removed it
		}
		if stored.Order.Version != t.version {
			return errChanged
		}
		ids, err := savedIDs(stored, t.email)
		if err != nil {
			return err
		}
		persons = append(persons, ids...)
		if err := eraseStored(stored, t.email); err != nil {
			return err
		}
		rewritten = append(rewritten, stored)
		for _, key := range t.answers {
			// A cancelled order does not change any more, so the answer to its
			// cancellation is the record as it is now. That of an earlier move by an
			// operator differs only until then.
			encode := record.Encode
			switch {
			case strings.Contains(key.Scope, " /ops/"):
				encode = record.EncodeForOperators
			case strings.HasPrefix(key.Scope, "PATCH "):
				encode = record.EncodeCurrent
			}
			if err := tx.SaveAnswer(ctx, key, encode(stored.Order)); err != nil {
				return err
			}
		}
	}
	if err := tx.SaveErased(ctx, rewritten, ErasedText); err != nil || len(persons) == 0 {
		return err
	}
	return tx.RemoveSaved(ctx, partnerID, "", persons)
}

// savedIDs returns the ids under which the erased ends of an order may be saved, as they are and as they were created:
// an edit of the name or the postal code gives another id.
func savedIDs(stored *Stored, email string) (ids []string, err error) {
	versions := []*delivery.Order{stored.Order}
	if stored.Original != nil {
		created, err := record.Decode(stored.Original)
		if err != nil {
			return nil, err
		}
		versions = append(versions, created)
	}
	for _, version := range versions {
		for _, end := range erasedEnds(version, email) {
			ids = append(ids, delivery.SavedID(end.Name, end.Address.PostalCode))
		}
	}
	return ids, nil
}

// eraseStored erases the personal fields in everything that is stored of an order.
func eraseStored(stored *Stored, email string) error {
	var err error
	if stored.Document, err = erasedRecord(stored.Document, email); err != nil {
		return err
	}
	if stored.Original != nil {
		if stored.Original, err = erasedRecord(stored.Original, email); err != nil {
			return err
		}
	}
	eraseOrder(stored.Order, email)
	if board.Shows(stored.Order) {
		stored.Shown = board.Of(stored.Order)
	}
	for _, event := range stored.Events {
		record.EraseFacts(&event.Facts)
	}
	return nil
}

// erasedRecord returns the record of a creation without what may identify its recipient.
func erasedRecord(document []byte, email string) ([]byte, error) {
	created, err := record.Decode(document)
	if err != nil {
		return nil, err
	}
	// The document does not hold the history, which at its creation was this.
	created.History = []delivery.HistoryEntry{
		{Status: created.Status, At: created.CreatedAt, RecordedAt: created.CreatedAt},
	}
	eraseOrder(created, email)
	return record.Encode(created), nil
}

// eraseOrder replaces the fields of an order that may identify its recipient: one or
// both ends, and every free text. What accounting needs stays: ids, prices, sizes,
// times, items, city and province.
func eraseOrder(o *delivery.Order, email string) {
	for _, end := range erasedEnds(o, email) {
		record.EraseContact(end)
	}
	record.EraseTexts(o)
}

// erasedEnds returns the ends of an order that are erased: those with an e-mail address, or that of the recipient if it
// is empty.
func erasedEnds(o *delivery.Order, email string) []*delivery.Contact {
	if email == "" {
		return []*delivery.Contact{o.Recipient()}
	}
	return slices.DeleteFunc([]*delivery.Contact{&o.Pickup, &o.Dropoff}, func(end *delivery.Contact) bool {
		return !strings.EqualFold(end.Email, email)
	})
}
