package store

import (
	"github.com/dropyard/dropyard/internal/delivery"
)

// levelRow is how much of a partner's product lies at a location.
type levelRow struct {
	partnerID string
	delivery.Level
}

var (
	stockLevels = newTable("stock_levels",
		key(
			text("partner_id", func(l *levelRow) *string { return &l.partnerID }),
			integer("product_id", func(l *levelRow) *int64 { return &l.ProductID }),
			text("location", func(l *levelRow) *string { return &l.Location })),
		integer("quantity", func(l *levelRow) *int64 { return &l.Quantity }),
	)
	findLevels = lookUpBy(byProduct, stockLevels)
	setLevels  = stockLevels.upsert()
)

// levelsOf returns the levels of rows.
func levelsOf(rows []*levelRow) []delivery.Level {
	all := make([]delivery.Level, len(rows))
	for i, row := range rows {
		all[i] = row.Level
	}
	return all
}
