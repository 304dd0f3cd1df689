package store

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/stock"
)

var (
	toldOfProducts = slices.Concat(texts("name", "search_key"), integers("stock_min", "stock_max", "price_cents"), texts("barcode", "status"))
	addProducts    = newSet(insertNew, "products", productKeys, slices.Concat(toldOfProducts, integers("quantity", "created_at")))
	setProducts    = newSet(update, "products", productKeys, toldOfProducts)
)

func bindTold(b binder, p delivery.Product) {
	b.text(p.Name)
	b.text(stock.SearchKey(p))
	b.integer(p.StockMin)
	b.integer(p.StockMax)
	b.integer(p.PriceCents)
	b.text(p.Barcode)
	b.text(string(p.Status))
}

// AddProducts adds products under the next ids of their partner; the first is 0
// if there is no such partner. Counting up first locks the counter, so that of
// two at once each gets ids of its own.
func (tx *Tx) AddProducts(ctx context.Context, partnerID string, at time.Time, products ...delivery.Product) (first int64, err error) {
	counted, err := tx.conn.exec(ctx, "UPDATE partner_counters SET last_product = last_product + $1 WHERE partner_id = $2", len(products), partnerID)
	if err != nil || counted == 0 {
		return 0, err
	}
	err = tx.conn.query(ctx, "SELECT last_product FROM partner_counters WHERE partner_id = $1", []any{partnerID}, func(r row) error {
		return r.scan(&first)
	})
	if err != nil {
		return 0, err
	}
	first -= int64(len(products)) - 1
	return first, tx.all(ctx, addProducts, len(products), func(i int, b binder) {
		bindTold(b, products[i])
		b.integer(products[i].Quantity)
		b.integer(micros(at))
		b.text(partnerID)
		b.integer(first + int64(i))
	})
}

// SaveProducts writes what is told of products, but not their stock.
func (tx *Tx) SaveProducts(ctx context.Context, partnerID string, products ...delivery.Product) error {
	return tx.all(ctx, setProducts, len(products), func(i int, b binder) {
		bindTold(b, products[i])
		b.text(partnerID)
		b.integer(products[i].ProductID)
	})
}

// Barcodes are the products of a partner by their barcodes. There is no index
// for that: every order would have to write to it, and imports are rare.
func (tx *Tx) Barcodes(ctx context.Context, partnerID string) (map[string][]int64, error) {
	found := map[string][]int64{}
	err := tx.conn.query(ctx, "SELECT product_id, barcode FROM products WHERE partner_id = $1 AND barcode <> ''", []any{partnerID}, func(r row) error {
		var id int64
		var barcode string
		err := r.scan(&id, &barcode)
		found[barcode] = append(found[barcode], id)
		return err
	})
	return found, err
}

// HasPartner tells whether there is such a partner.
func (tx *Tx) HasPartner(ctx context.Context, partnerID string) (known bool, err error) {
	err = tx.conn.query(ctx, "SELECT partner_id FROM partner_counters WHERE partner_id = $1", []any{partnerID}, func(row) error {
		known = true
		return nil
	})
	return known, err
}

// ProductWithLevels reads one product and how much of it lies where.
func (tx *Tx) ProductWithLevels(ctx context.Context, partnerID string, productID int64) (found *delivery.Product, levels []delivery.Level, err error) {
	key := []any{partnerID, productID}
	err = tx.conn.query(ctx, "SELECT "+names(productColumns)+" FROM products WHERE partner_id = $1 AND product_id = $2", key, func(r row) error {
		_, product, err := scanProduct(r)
		found = &product
		return err
	})
	if err != nil || found == nil {
		return nil, nil, err
	}
	err = tx.conn.query(ctx, `SELECT location, quantity FROM stock_levels
		WHERE partner_id = $1 AND product_id = $2 ORDER BY location`, key, func(r row) error {
		level := delivery.Level{ProductID: productID}
		err := r.scan(&level.Location, &level.Quantity)
		levels = append(levels, level)
		return err
	})
	return found, levels, err
}

// ListLowStock lists active products of which no more than the wanted minimum
// is left. The index products_low holds these alone.
func (tx *Tx) ListLowStock(ctx context.Context, after stock.LowProduct, limit int) (low []stock.LowProduct, err error) {
	err = tx.conn.query(ctx, "SELECT "+names(productColumns)+` FROM products
		WHERE quantity <= stock_min AND status = 'active' AND (partner_id, product_id) > ($1, $2)
		ORDER BY partner_id, product_id LIMIT $3`, []any{after.PartnerID, after.ProductID, limit}, func(r row) error {
		partnerID, product, err := scanProduct(r)
		low = append(low, stock.LowProduct{PartnerID: partnerID, Product: product})
		return err
	})
	return low, err
}

// Receipt is the answer that is kept under an idempotency key of the warehouse;
// nil if there is none.
func (tx *Tx) Receipt(ctx context.Context, partnerID, scope string, key [16]byte) (*stock.Receipt, error) {
	asked := order.ReceiptKey{PartnerID: partnerID, Scope: scope, Key: key}
	found, err := tx.receipts(ctx, []order.ReceiptKey{asked})
	kept := found[asked]
	if err != nil || kept == nil {
		return nil, err
	}
	return &stock.Receipt{Scope: scope, Key: key, BodyHash: kept.BodyHash, Answer: kept.Answer, CreatedAt: kept.CreatedAt}, nil
}

// AddReceipt keeps an answer that belongs to no order.
func (tx *Tx) AddReceipt(ctx context.Context, partnerID string, receipt *stock.Receipt) error {
	return tx.saveReceipts(ctx, &order.Changes{Receipts: []*order.Receipt{{
		ReceiptKey: order.ReceiptKey{PartnerID: partnerID, Scope: receipt.Scope, Key: receipt.Key},
		BodyHash:   receipt.BodyHash, Answer: receipt.Answer, CreatedAt: receipt.CreatedAt,
	}}})
}
