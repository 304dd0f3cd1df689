package store

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	if filter.Search != "" {
		where += ` AND search_key LIKE $2 ESCAPE '\'`
		args = append(args, "%"+likeLiteral.Replace(filter.Search)+"%")
	}
	return where, args
}

// likeLiteral takes the meaning from the characters that LIKE gives one.
var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ListMovements lists movements, newest first.
func (tx *Tx) ListMovements(ctx context.Context, filter stock.MovementFilter) (found []delivery.Movement, err error) {
	where, args := "m.partner_id = $1", []any{filter.PartnerID}
	if filter.ProductID != 0 {
		where += " AND m.product_id = $2"
		args = append(args, filter.ProductID)
	}
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

// AddProduct adds a product under the next id of its partner; 0 if there is no
// such partner. Counting up first locks the counter, so that of two products
// at once each gets an id of its own.
func (tx *Tx) AddProduct(ctx context.Context, partnerID string, p delivery.Product, at time.Time) (productID int64, err error) {
	counted, err := tx.conn.exec(ctx, "UPDATE partner_counters SET last_product = last_product + 1 WHERE partner_id = $1", partnerID)
	if err != nil || counted == 0 {
		return 0, err
	}
	err = tx.conn.query(ctx, "SELECT last_product FROM partner_counters WHERE partner_id = $1", []any{partnerID}, func(r row) error {
		return r.scan(&productID)
	})
	if err != nil {
		return 0, err
	}
	_, err = tx.conn.exec(ctx, `INSERT INTO products
		(partner_id, product_id, name, search_key, quantity, stock_min, stock_max, price_cents, barcode, status, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		partnerID, productID, p.Name, stock.SearchKey(p), p.Quantity, p.StockMin, p.StockMax, p.PriceCents, p.Barcode, string(p.Status), micros(at))
	return productID, err
}

// LockLedger locks the product and then the partner's counters, as Load does:
// in another order it and the committer could wait for each other.
func (tx *Tx) LockLedger(ctx context.Context, partnerID string, productID int64) (*stock.Ledger, error) {
	key := order.ProductKey{PartnerID: partnerID, ProductID: productID}
	found, err := tx.stock(ctx, []order.ProductKey{key})
	if err != nil {
		return nil, err
	}
	last, err := tx.lastMovements(ctx, []order.ProductKey{key})
	movement, known := last[partnerID]
	if err != nil || !known {
		return nil, err
	}
	ledger := &stock.Ledger{LastMovement: movement}
	if product := found[key]; product != nil {
		ledger.Product, ledger.Levels = &product.Product, product.Levels
	}
	return ledger, nil
}

// SaveLedger writes new movements and what they leave of the stock, in the way
// that the committer writes those of orders.
func (tx *Tx) SaveLedger(ctx context.Context, partnerID string, ledger *stock.Ledger, movements []delivery.Movement) error {
	key := order.ProductKey{PartnerID: partnerID, ProductID: ledger.Product.ProductID}
	changes := &order.Changes{
		Stock:        map[order.ProductKey]*order.Stock{key: {Product: *ledger.Product, Levels: ledger.Levels}},
		LastMovement: map[string]int64{partnerID: ledger.LastMovement},
	}
	for _, movement := range movements {
		changes.Movements = append(changes.Movements, order.Movement{PartnerID: partnerID, Movement: movement})
	}
	return tx.Save(ctx, changes)
}
