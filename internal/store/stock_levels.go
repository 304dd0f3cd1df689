package store

import (
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
)

// levelRow is how much of a partner's product lies at a location.
type levelRow struct {
	partnerID string
	delivery.Level
}

var (
	stockLevels = db.NewTable("stock_levels",
		db.Key(
			db.Text("partner_id", func(l *levelRow) *string { return &l.partnerID }),
			db.Integer("product_id", func(l *levelRow) *int64 { return &l.ProductID }),
			db.Text("location", func(l *levelRow) *string { return &l.Location })),
		db.Integer("quantity", func(l *levelRow) *int64 { return &l.Quantity }),
	)
	findLevels = db.LookUpBy(byProduct, stockLevels)
	setLevels  = stockLevels.Upsert()
)

// levelsOf returns the levels of rows.
func levelsOf(rows []*levelRow) []delivery.Level {
	all := make([]delivery.Level, len(rows))
	for i, row := range rows {
		all[i] = row.Level
	}
	return all
}
