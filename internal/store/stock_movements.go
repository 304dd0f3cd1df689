package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/stock"
)

// movementRow is a line of a partner's stock ledger, without the product's name.
type movementRow struct {
	partnerID string
	delivery.Movement
}

var (
	stockMovements = newTable("stock_movements",
		key(
			text("partner_id", func(m *movementRow) *string { return &m.partnerID }),
			integer("movement_id", func(m *movementRow) *int64 { return &m.MovementID })),
		integer("product_id", func(m *movementRow) *int64 { return &m.ProductID }),
		text("type", func(m *movementRow) *string { return (*string)(&m.Type) }),
		integer("quantity", func(m *movementRow) *int64 { return &m.Quantity }),
		text("location", func(m *movementRow) *string { return &m.Location }),
		text("order_id", func(m *movementRow) *string { return &m.OrderID }),
		text("notes", func(m *movementRow) *string { return &m.Notes }),
		moment("created_at", func(m *movementRow) *time.Time { return &m.At }),
	)
	addMovements = stockMovements.insert()
)

// selectMovements returns the conditions of a filter.
func selectMovements(filter stock.MovementFilter) *conditions {
	selected := ofPartner(filter.PartnerID)
	if filter.ProductID != 0 {
		selected.add("product_id = ?", filter.ProductID)
	}
	selected.addText("type = ?", string(filter.Type))
	selected.addText("location = ?", filter.Location)
	selected.addTime("created_at >= ?", filter.From)
	selected.addTime("created_at < ?", filter.To)
	if filter.Before != 0 {
		selected.add("movement_id < ?", filter.Before)
	}
	return selected
}
