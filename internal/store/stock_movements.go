package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/stock"
)

// movementRow is a line of a partner's stock ledger, without the product's name.
type movementRow struct {
	partnerID string
	delivery.Movement
}

var (
	stockMovements = db.NewTable("stock_movements",
		db.Key(
			db.Text("partner_id", func(m *movementRow) *string { return &m.partnerID }),
			db.Integer("movement_id", func(m *movementRow) *int64 { return &m.MovementID })),
		db.Integer("product_id", func(m *movementRow) *int64 { return &m.ProductID }),
		db.Text("type", func(m *movementRow) *string { return (*string)(&m.Type) }),
		db.Integer("quantity", func(m *movementRow) *int64 { return &m.Quantity }),
		db.Text("location", func(m *movementRow) *string { return &m.Location }),
		db.Text("order_id", func(m *movementRow) *string { return &m.OrderID }),
		db.Text("notes", func(m *movementRow) *string { return &m.Notes }),
		db.Moment("created_at", func(m *movementRow) *time.Time { return &m.At }),
	)
	addMovements = stockMovements.Insert()
)

// selectMovements returns the conditions of a filter.
func selectMovements(filter stock.MovementFilter) *db.Conditions {
	selected := db.OfPartner(filter.PartnerID)
	if filter.ProductID != 0 {
		selected.Add("product_id = ?", filter.ProductID)
	}
	selected.AddText("type = ?", string(filter.Type))
	selected.AddText("location = ?", filter.Location)
	selected.AddTime("created_at >= ?", filter.From)
	selected.AddTime("created_at < ?", filter.To)
	if filter.Before != 0 {
		selected.Add("movement_id < ?", filter.Before)
	}
	return selected
}
