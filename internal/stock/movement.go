package stock

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// Record books a movement: stock that came in or went out, a correction, or a
// transfer, which writes two rows. No level goes below zero.
func (s *Service) Record(
	ctx context.Context, partnerID string, wanted Booking,
) (movements []delivery.Movement, err error) {
	r := Request[[]delivery.Movement]{PartnerID: partnerID, Encode: func(booked []delivery.Movement) ([]byte, error) {
		movements = booked
		return nil, nil
	}}
	if _, err := s.RecordOnce(ctx, r, wanted); err != nil {
		return nil, err
	}
	return movements, nil
}

// RecordOnce is Record for a request that may be repeated: with its key, the
// movement is booked once.
func (s *Service) RecordOnce(
	ctx context.Context, r Request[[]delivery.Movement], wanted Booking,
) (idempotency.Answer, error) {
	do := func(tx Writer, locked *movement.Stock) ([]delivery.Movement, error) {
		return s.record(ctx, tx, locked, wanted)
	}
	return r.book(ctx, s, wanted.Problems(), []int64{wanted.ProductID}, do)
}

// record books an entry, and writes it with its note in the audit log.
func (s *Service) record(
	ctx context.Context, tx Writer, locked *movement.Stock, wanted Booking,
) ([]delivery.Movement, error) {
	movements, entry, err := s.book(ctx, locked, wanted)
	if err != nil {
		return nil, err
	}
	if err := tx.SaveStock(ctx, locked); err != nil {
		return nil, err
	}
	return movements, tx.AddAudit(ctx, entry)
}

// book applies an entry, and notes it for the audit log.
func (s *Service) book(
	ctx context.Context, locked *movement.Stock, wanted Booking,
) ([]delivery.Movement, *audit.Entry, error) {
	product := locked.Products[wanted.ProductID]
	if err := wanted.check(product); err != nil {
		return nil, nil, err
	}
	before := product.Quantity
	movements := wanted.rows(s.now())
	for i := range movements {
		movements[i] = locked.Book(movements[i])
	}
	entry, err := s.note(ctx, audit.ActionStockMoved, locked.PartnerID, wanted.ProductID, levelFacts{Quantity: before},
		bookedFacts(product, movements))
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

func bookedFacts(product *movement.Product, booked []delivery.Movement) levelFacts {
	facts := levelFacts{Quantity: product.Quantity}
	for _, m := range booked {
		facts.Movements = append(facts.Movements, movementFacts{m.MovementID, m.Type, m.Quantity, m.Location, m.Notes})
	}
	return facts
}

// Booking is a movement to be booked.
type Booking struct {
	form.Faults
	Kind      delivery.MovementType
	ProductID int64
	Quantity  int64  // signed for a correction, otherwise at least 1
	From, To  string // locations; To is empty for all but transfers
	Notes     string
}

// ReadBooking reads what is to be booked.
func ReadBooking(f *form.Form) Booking {
	kind := delivery.MovementType(f.Text("type", form.Required, form.OneOf(delivery.MovementTypes...)))
	productID, _ := f.Integer("product_id", form.Required, 1, 1<<53)
	b := Booking{
		Kind:      kind,
		ProductID: productID,
		Quantity:  readQuantity(f, kind),
		From:      f.Text("location", form.Required, fromRule(kind)),
		Notes:     f.Text("notes", form.Optional, form.Length(0, 1000)),
	}
	b.To = readTarget(f, b)
	return b
}

var (
	// locationRule is for the places to which something is booked. Releases before 0.2 allowed white
	// space at the ends of their names: from such a place, goods can still be taken.
	locationRule    = oldLocationRule.And(form.NoOuterSpace)
	oldLocationRule = form.Length(1, 64)

	notZero          = form.Define("not_zero", "an integer that is not 0")
	otherLocation    = form.Define("other_location", "a location other than location")
	onlyTransfer     = form.Define("only_transfer", "nothing, unless type is TRANSFER")
	productOfPartner = form.Define("product_of_partner", "the id of one of the partner's products")
	withinStock      = form.Define("within_stock", "a quantity that keeps the product's stock within {most}")
)

// fromRule returns the rule for the location of a movement.
func fromRule(kind delivery.MovementType) form.TextRule {
	if kind == delivery.MovementOut || kind == delivery.MovementTransfer {
		return oldLocationRule
	}
	return locationRule
}

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
func readTarget(f *form.Form, e Booking) string {
	switch {
	case e.Kind == delivery.MovementTransfer:
		to := f.Text("to_location", form.Required, locationRule)
		if to != "" && to == e.From {
			f.Fault("to_location", otherLocation)
		}
		return to
	case e.Kind != "" && f.Has("to_location"):
		f.Fault("to_location", onlyTransfer)
	}
	return ""
}

// check refuses an entry that the product cannot take: there is no such product,
// a level would fall below zero, or the stock would grow beyond its bound.
func (e Booking) check(product *movement.Product) error {
	if product == nil {
		return form.Fault("product_id", e.ProductID, productOfPartner)
	}
	rows := e.rows(time.Time{})
	// Only the first row can take stock away.
	if have, change := product.Level(e.From), rows[0].Change(); have+change < 0 {
		return shortage(delivery.Shortage{ProductID: e.ProductID, Available: have, Requested: -change})
	}
	total := product.Quantity
	for _, row := range rows {
		total += row.Change()
	}
	if total > maxStock {
		return form.Fault("quantity", e.Quantity, withinStock.With("most", int64(maxStock)))
	}
	return nil
}

// rows are the movements of an entry, not numbered yet.
func (e Booking) rows(at time.Time) []delivery.Movement {
	row := delivery.Movement{
		Type: e.Kind, Quantity: e.Quantity, ProductID: e.ProductID, Location: e.From, Notes: e.Notes, At: at,
	}
	if e.Kind != delivery.MovementTransfer {
		return []delivery.Movement{row}
	}
	source, target := row, row
	source.Quantity, target.Location = -e.Quantity, e.To
	return []delivery.Movement{source, target}
}

func shortage(s delivery.Shortage) error {
	refused := delivery.InsufficientStock([]delivery.Shortage{s})
	refused.Message = "there is not enough stock at this location"
	return refused
}
