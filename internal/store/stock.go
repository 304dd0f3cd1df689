package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/stock"
)

// The transaction as the stock room sees it.
var (
	_ stock.Reader = (*Tx)(nil)
	_ stock.Writer = (*Tx)(nil)
)

// Stock is the store as the stock room sees it.
func (s *Store) Stock() stock.Store { return View[stock.Reader, stock.Writer]{s} }

// ListProducts lists products by their ids.
func (tx *Tx) ListProducts(ctx context.Context, filter stock.ProductFilter) (found []delivery.Product, err error) {
	where, args := productConditions(filter)
	args = append(args, filter.Limit, filter.Offset)
	text := fmt.Sprintf("SELECT %s FROM products WHERE %s ORDER BY product_id LIMIT $%d OFFSET $%d",
		names(productColumns), where, len(args)-1, len(args))
	err = tx.conn.query(ctx, text, args, func(r row) error {
		_, product, err := scanProduct(r)
		found = append(found, product)
		return err
	})
	return found, err
}

// CountProducts counts the products on all pages.
func (tx *Tx) CountProducts(ctx context.Context, filter stock.ProductFilter) (count int64, err error) {
	where, args := productConditions(filter)
	err = tx.conn.query(ctx, "SELECT COUNT(*) FROM products WHERE "+where, args, func(r row) error {
		return r.scan(&count)
	})
	return count, err
}

func productConditions(filter stock.ProductFilter) (where string, args []any) {
	where, args = "partner_id = $1", []any{filter.PartnerID}
	add := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND "+condition, len(args))
	}
	if filter.Search != "" {
		add(`search_key LIKE $%d ESCAPE '\'`, "%"+likeLiteral.Replace(filter.Search)+"%")
	}
	if filter.Status != "" {
		add("status = $%d", string(filter.Status))
	}
	if filter.After != 0 {
		add("product_id > $%d", filter.After)
	}
	if filter.LowStock {
		where += " AND quantity <= stock_min"
	}
	return where, args
}

// likeLiteral takes the meaning from the characters that LIKE gives one.
var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ListMovements lists movements, newest first.
func (tx *Tx) ListMovements(ctx context.Context, filter stock.MovementFilter) (found []delivery.Movement, err error) {
	where, args := movementConditions(filter)
	args = append(args, filter.Limit, filter.Offset)
	text := fmt.Sprintf(`SELECT m.movement_id, m.type, m.quantity, m.product_id, p.name, m.location, m.order_id, m.notes, m.created_at
		FROM stock_movements m JOIN products p ON p.partner_id = m.partner_id AND p.product_id = m.product_id
		WHERE %s ORDER BY m.movement_id DESC LIMIT $%d OFFSET $%d`, where, len(args)-1, len(args))
	err = tx.conn.query(ctx, text, args, func(r row) error {
		var m delivery.Movement
		err := r.scan(&m.MovementID, (*string)(&m.Type), &m.Quantity, &m.ProductID, &m.ProductName,
			&m.Location, &m.OrderID, &m.Notes, &m.At)
		found = append(found, m)
		return err
	})
	return found, err
}

func movementConditions(filter stock.MovementFilter) (where string, args []any) {
	where, args = "m.partner_id = $1", []any{filter.PartnerID}
	add := func(wanted bool, condition string, value any) {
		if wanted {
			args = append(args, value)
			where += fmt.Sprintf(" AND m.%s $%d", condition, len(args))
		}
	}
	add(filter.ProductID != 0, "product_id =", filter.ProductID)
	add(filter.Type != "", "type =", string(filter.Type))
	add(filter.Location != "", "location =", filter.Location)
	add(!filter.From.IsZero(), "created_at >=", filter.From)
	add(!filter.To.IsZero(), "created_at <", filter.To)
	add(filter.Before != 0, "movement_id <", filter.Before)
	return where, args
}

// LockLedger is LockLedgers for one product.
func (tx *Tx) LockLedger(ctx context.Context, partnerID string, productID int64) (*stock.Ledger, error) {
	ledgers, err := tx.LockLedgers(ctx, partnerID, productID)
	if err != nil || ledgers == nil {
		return nil, err
	}
	ledger := ledgers.Products[productID]
	if ledger == nil {
		ledger = &stock.Ledger{}
	}
	ledger.LastMovement = ledgers.LastMovement
	return ledger, nil
}

// LockLedgers locks products and then the partner's counters, as Load does:
// in another order it and the committer could wait for each other.
func (tx *Tx) LockLedgers(ctx context.Context, partnerID string, productIDs ...int64) (*stock.Ledgers, error) {
	keys := make([]order.ProductKey, len(productIDs))
	for i, id := range slices.Sorted(slices.Values(productIDs)) {
		keys[i] = order.ProductKey{PartnerID: partnerID, ProductID: id}
	}
	found, err := tx.stock(ctx, slices.Compact(keys))
	if err != nil {
		return nil, err
	}
	last, err := tx.lastMovements(ctx, keys)
	movement, known := last[partnerID]
	if err != nil || !known {
		return nil, err
	}
	ledgers := &stock.Ledgers{LastMovement: movement, Products: map[int64]*stock.Ledger{}}
	for key, product := range found {
		ledgers.Products[key.ProductID] = &stock.Ledger{Product: &product.Product, Levels: product.Levels}
	}
	return ledgers, nil
}

// SaveLedger is SaveLedgers for one product.
func (tx *Tx) SaveLedger(ctx context.Context, partnerID string, ledger *stock.Ledger, movements []delivery.Movement) error {
	return tx.SaveLedgers(ctx, partnerID, &stock.Ledgers{
		LastMovement: ledger.LastMovement, Products: map[int64]*stock.Ledger{ledger.Product.ProductID: ledger},
	}, movements)
}

// SaveLedgers writes new movements and what they leave of the stock, in the way
// that the committer writes those of orders.
func (tx *Tx) SaveLedgers(ctx context.Context, partnerID string, ledgers *stock.Ledgers, movements []delivery.Movement) error {
	changes := &order.Changes{
		Stock:        map[order.ProductKey]*order.Stock{},
		LastMovement: map[string]int64{partnerID: ledgers.LastMovement},
	}
	for id, ledger := range ledgers.Products {
		changes.Stock[order.ProductKey{PartnerID: partnerID, ProductID: id}] = &order.Stock{Product: *ledger.Product, Levels: ledger.Levels}
	}
	for _, movement := range movements {
		changes.Movements = append(changes.Movements, order.Movement{PartnerID: partnerID, Movement: movement})
	}
	return tx.Save(ctx, changes)
}
