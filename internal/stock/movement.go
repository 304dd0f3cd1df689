package stock

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/ledger"
)

// Record books a movement: stock that came in or went out, a correction, or a
// transfer, which writes two rows. No level goes below zero.
func (s *Service) Record(ctx context.Context, partnerID string, root form.Source) (movements []delivery.Movement, err error) {
	wanted, problems := readEntry(root)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		locked, err := tx.LockLedger(ctx, partnerID, wanted.productID)
		if err != nil {
			return err
		}
		if locked == nil {
			return errNoPartner
		}
		movements, err = s.record(ctx, tx, locked, wanted)
		return err
	})
	if err != nil {
		return nil, err
	}
	return movements, nil
}

// record books an entry, and writes it with its note in the audit log.
func (s *Service) record(ctx context.Context, tx Writer, locked *ledger.Ledger, wanted entry) ([]delivery.Movement, error) {
	movements, entry, err := s.book(ctx, locked, wanted)
	if err != nil {
		return nil, err
	}
	if err := tx.SaveLedger(ctx, locked); err != nil {
		return nil, err
	}
	return movements, tx.AddAudit(ctx, entry)
}

// book applies an entry, and notes it for the audit log.
func (s *Service) book(ctx context.Context, locked *ledger.Ledger, wanted entry) ([]delivery.Movement, *audit.Entry, error) {
	product := locked.Products[wanted.productID]
	if err := wanted.check(product); err != nil {
		return nil, nil, err
	}
	before := product.Quantity
	movements := wanted.rows(s.now())
	for i := range movements {
		movements[i] = locked.Book(movements[i])
	}
	entry, err := s.note(ctx, audit.ActionStockMoved, locked.PartnerID, wanted.productID, levelFacts{Quantity: before}, bookedFacts(product, movements))
	return movements, entry, err
}

// levelFacts is what the audit log holds of a movement.
type levelFacts struct {
	Quantity  int64           `json:"quantity"` // of the product, over all locations
	Movements []movementFacts `json:"movements,omitzero"`
}

type movementFacts struct {
	MovementID int64                 `json:"movement_id"`
	Type       delivery.MovementType `json:"type"`
	Quantity   int64                 `json:"quantity"`
	Location   string                `json:"location"`
	Notes      string                `json:"notes,omitzero"`
}

func bookedFacts(product *ledger.Product, booked []delivery.Movement) levelFacts {
	facts := levelFacts{Quantity: product.Quantity}
	for _, m := range booked {
		facts.Movements = append(facts.Movements, movementFacts{m.MovementID, m.Type, m.Quantity, m.Location, m.Notes})
	}
	return facts
}

// entry is a valid wish to book a movement.
type entry struct {
	kind      delivery.MovementType
	productID int64
	quantity  int64
	from, to  string // to is empty for all but transfers
	notes     string
}

func readEntry(root form.Source) (entry, form.Problems) {
	var problems form.Problems
	f := form.New(root, &problems)
	kind := delivery.MovementType(f.Text("type", form.Required, form.OneOf(delivery.MovementTypes...)))
	productID, _ := f.Integer("product_id", form.Required, 1, 1<<53)
	e := entry{
		kind:      kind,
		productID: productID,
		quantity:  readQuantity(f, kind),
		from:      f.Text("location", form.Required, locationRule),
		notes:     f.Text("notes", form.Optional, form.Length(0, 1000)),
	}
	e.to = readTarget(f, e)
	return e, problems
}

var (
	locationRule = form.Length(1, 64)

	notZero          = form.Define("not_zero", "an integer that is not 0")
	otherLocation    = form.Define("other_location", "a location other than location")
	onlyTransfer     = form.Define("only_transfer", "nothing, unless type is TRANSFER")
	productOfPartner = form.Define("product_of_partner", "the id of one of the partner's products")
	withinStock      = form.Define("within_stock", "a quantity that keeps the product's stock within {most}")
)

// readQuantity reads how much is moved: signed for a correction (and for a type
// that could not be read, which is fault enough), otherwise at least 1.
func readQuantity(f *form.Form, kind delivery.MovementType) int64 {
	if kind != delivery.MovementAdjustment && kind != "" {
		quantity, _ := f.Integer("quantity", form.Required, 1, maxQuantity)
		return quantity
	}
	quantity, ok := f.Integer("quantity", form.Required, -maxQuantity, maxQuantity)
	if ok && quantity == 0 {
		f.Fault("quantity", notZero)
	}
	return quantity
}

// readTarget reads where a transfer leads. A target on anything else is refused
// rather than ignored, because its sender believes in a transfer.
func readTarget(f *form.Form, e entry) string {
	switch {
	case e.kind == delivery.MovementTransfer:
		to := f.Text("to_location", form.Required, locationRule)
		if to != "" && to == e.from {
			f.Fault("to_location", otherLocation)
		}
		return to
	case e.kind != "" && f.Has("to_location"):
		f.Fault("to_location", onlyTransfer)
	}
	return ""
}

// check refuses an entry that the product cannot take: there is no such product,
// a level would fall below zero, or the stock would grow beyond its bound.
func (e entry) check(product *ledger.Product) error {
	if product == nil {
		return form.Fault("product_id", e.productID, productOfPartner)
	}
	rows := e.rows(time.Time{})
	// Only the first row can take stock away.
	if have, change := product.Level(e.from), rows[0].Change(); have+change < 0 {
		return shortage(delivery.Shortage{ProductID: e.productID, Available: have, Requested: -change})
	}
	total := product.Quantity
	for _, row := range rows {
		total += row.Change()
	}
	if total > maxStock {
		return form.Fault("quantity", e.quantity, withinStock.With("most", int64(maxStock)))
	}
	return nil
}

// rows are the movements of an entry, not numbered yet.
func (e entry) rows(at time.Time) []delivery.Movement {
	row := delivery.Movement{
		Type: e.kind, Quantity: e.quantity, ProductID: e.productID, Location: e.from, Notes: e.notes, At: at,
	}
	if e.kind != delivery.MovementTransfer {
		return []delivery.Movement{row}
	}
	source, target := row, row
	source.Quantity, target.Location = -e.quantity, e.to
	return []delivery.Movement{source, target}
}

func shortage(s delivery.Shortage) error {
	refused := delivery.InsufficientStock([]delivery.Shortage{s})
	refused.Message = "there is not enough stock at this location"
	return refused
}
