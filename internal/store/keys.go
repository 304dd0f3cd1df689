package store

import (
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/ledger"
	"github.com/dropyard/dropyard/internal/order"
)

// The keys by which rows of several tables are looked up.
var (
	byOrder = db.Key(
		db.Text("partner_id", func(k *order.OrderKey) *string { return &k.PartnerID }),
		db.Text("order_id", func(k *order.OrderKey) *string { return &k.OrderID }))
	byProduct = db.Key(
		db.Text("partner_id", func(k *ledger.ProductKey) *string { return &k.PartnerID }),
		db.Integer("product_id", func(k *ledger.ProductKey) *int64 { return &k.ProductID }))
)

// orderKeysOf returns the keys of orders of one partner.
func orderKeysOf(partnerID string, orderIDs []string) []order.OrderKey {
	keys := make([]order.OrderKey, len(orderIDs))
	for i, id := range orderIDs {
		keys[i] = order.OrderKey{PartnerID: partnerID, OrderID: id}
	}
	return keys
}
