package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/ledger"
	"github.com/dropyard/dropyard/internal/order"
)

// The keys by which rows of several tables are looked up.
var (
	byOrder = key(
		text("partner_id", func(k *order.OrderKey) *string { return &k.PartnerID }),
		text("order_id", func(k *order.OrderKey) *string { return &k.OrderID }))
	byProduct = key(
		text("partner_id", func(k *ledger.ProductKey) *string { return &k.PartnerID }),
		integer("product_id", func(k *ledger.ProductKey) *int64 { return &k.ProductID }))
)

// orderKeysOf returns the keys of orders of one partner.
func orderKeysOf(partnerID string, orderIDs []string) []order.OrderKey {
	keys := make([]order.OrderKey, len(orderIDs))
	for i, id := range orderIDs {
		keys[i] = order.OrderKey{PartnerID: partnerID, OrderID: id}
	}
	return keys
}

// byID looks rows up by one column of text.
func byID(name string) []column[*string] {
	return key(text(name, func(id *string) *string { return id }))
}

// ids returns the one column of text that a query reads.
func ids(ctx context.Context, c conn, sql string, args ...any) (found []string, err error) {
	err = c.query(ctx, sql, args, func(r row) error {
		var id string
		err := r.scan(&id)
		found = append(found, id)
		return err
	})
	return found, err
}

// exists reports whether a query finds a row.
func exists(ctx context.Context, c conn, sql string, args ...any) (known bool, err error) {
	err = c.query(ctx, sql, args, func(row) error {
		known = true
		return nil
	})
	return known, err
}
