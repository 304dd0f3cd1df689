package store

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/ledger"
	"github.com/dropyard/dropyard/internal/stock"
)

// Stock is the store as the stock room sees it.
func (s *Store) Stock() stock.Store {
	return view[stock.Reader, stock.Writer]{s.Database,
		func(c db.Conn) stock.Reader { return stockTx{auditing{c}} },
		func(c db.Conn) stock.Writer { return stockTx{auditing{c}} }}
}

// stockTx is a transaction of the stock room.
type stockTx struct{ auditing }

// Products lists products by their ids.
func (tx stockTx) Products(ctx context.Context, filter stock.ProductFilter) ([]delivery.Product, error) {
	tail, args := selectProducts(filter).Clause("ORDER BY product_id LIMIT ? OFFSET ?", filter.Limit, filter.Offset)
	rows, err := products.All(ctx, tx.conn, tail, args...)
	return productsOf(rows), err
}

// CountProducts counts the products on all pages.
func (tx stockTx) CountProducts(ctx context.Context, filter stock.ProductFilter) (count int64, err error) {
	tail, args := selectProducts(filter).Clause("")
	err = tx.conn.Query(ctx, "SELECT count(*) FROM products "+tail, args, func(r db.Row) error { return r.Scan(&count) })
	return count, err
}

// Product returns one product and how much of it lies where; nil if there is
// none.
func (tx stockTx) Product(ctx context.Context, partnerID string, productID int64) (*delivery.Product, []delivery.Level, error) {
	row, err := db.FindOne(ctx, tx.conn, findProducts, ledger.ProductKey{PartnerID: partnerID, ProductID: productID})
	if err != nil || row == nil {
		return nil, nil, err
	}
	levels, err := stockLevels.All(ctx, tx.conn, "WHERE partner_id = $1 AND product_id = $2 ORDER BY location", partnerID, productID)
	return &row.Product, levelsOf(levels), err
}

// LowStock lists active products of live accounts of which no more than the wanted
// minimum is left, those after the given one. The index products_low holds products
// that are low only.
func (tx stockTx) LowStock(ctx context.Context, after stock.LowProduct, limit int) (low []stock.LowProduct, err error) {
	err = products.Each(ctx, tx.conn, `WHERE quantity <= stock_min AND status = 'active' AND (partner_id, product_id) > ($1, $2)
		AND partner_id < '`+delivery.FirstTestID+`' ORDER BY partner_id, product_id LIMIT $3`, []any{after.PartnerID, after.ProductID, limit}, func(row *productRow) error {
		low = append(low, stock.LowProduct{PartnerID: row.partnerID, Product: row.Product})
		return nil
	})
	return low, err
}

// Movements lists movements, newest first, with the names that their products
// have now.
func (tx stockTx) Movements(ctx context.Context, filter stock.MovementFilter) (found []delivery.Movement, err error) {
	tail, args := selectMovements(filter).Clause("ORDER BY movement_id DESC LIMIT ? OFFSET ?", filter.Limit, filter.Offset)
	var keys []ledger.ProductKey
	err = stockMovements.Each(ctx, tx.conn, tail, args, func(row *movementRow) error {
		found = append(found, row.Movement)
		if key := (ledger.ProductKey{PartnerID: row.partnerID, ProductID: row.ProductID}); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	names, err := productNames(ctx, tx.conn, keys)
	for i := range found {
		found[i].ProductName = names[found[i].ProductID]
	}
	return found, err
}

// HasPartner reports whether there is such a partner.
func (tx stockTx) HasPartner(ctx context.Context, partnerID string) (bool, error) {
	row, err := db.FindOne(ctx, tx.conn, findCounters, partnerID)
	return row != nil, err
}

// AddProducts adds products under the next ids of their partner and returns the
// first; 0 if there is no such partner. Counting up first locks the counter, so
// that of two transactions at the same time each gets ids of its own.
func (tx stockTx) AddProducts(ctx context.Context, partnerID string, at time.Time, added ...delivery.Product) (first int64, err error) {
	counted, err := tx.conn.Exec(ctx, "UPDATE partner_counters SET last_product = last_product + $1 WHERE partner_id = $2", len(added), partnerID)
	if err != nil || counted == 0 {
		return 0, err
	}
	counter, err := db.FindOne(ctx, tx.conn, findCounters, partnerID)
	if err != nil || counter == nil {
		return 0, err
	}
	first = counter.lastProduct - int64(len(added)) + 1
	rows := productRows(partnerID, added)
	for i, row := range rows {
		row.ProductID, row.createdAt = first+int64(i), at
	}
	return first, db.WriteAllNow(ctx, tx.conn, addProducts, rows...)
}

// SaveProducts writes the descriptions of products, but not their stock.
func (tx stockTx) SaveProducts(ctx context.Context, partnerID string, changed ...delivery.Product) error {
	return db.WriteAllNow(ctx, tx.conn, describeProducts, productRows(partnerID, changed)...)
}

// Barcodes returns the products of a partner by their barcodes. There is no
// index for that: every order would have to write to it, and imports are rare.
func (tx stockTx) Barcodes(ctx context.Context, partnerID string) (map[string][]int64, error) {
	byBarcode := map[string][]int64{}
	return byBarcode, tx.conn.Query(ctx, "SELECT product_id, barcode FROM products WHERE partner_id = $1 AND barcode <> '' ORDER BY product_id", []any{partnerID}, func(r db.Row) error {
		var id int64
		var barcode string
		err := r.Scan(&id, &barcode)
		byBarcode[barcode] = append(byBarcode[barcode], id)
		return err
	})
}

// Held returns those of some products that exist, with how much of them lies where.
func (tx stockTx) Held(ctx context.Context, partnerID string, productIDs ...int64) (map[int64]*ledger.Product, error) {
	if len(productIDs) == 0 {
		return nil, nil
	}
	keys := make([]ledger.ProductKey, len(productIDs))
	for i, id := range productIDs {
		keys[i] = ledger.ProductKey{PartnerID: partnerID, ProductID: id}
	}
	p := db.NewPipeline(tx.conn)
	ledgers := readLedgers(p, keys, false)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	if found := ledgers.after(done)[partnerID]; found != nil {
		return found.Products, nil
	}
	return nil, nil
}

// Locations returns where a partner's products lie or have lain.
func (tx stockTx) Locations(ctx context.Context, partnerID string) (locations []string, err error) {
	err = tx.conn.Query(ctx, "SELECT DISTINCT location FROM stock_levels WHERE partner_id = $1 ORDER BY location", []any{partnerID}, func(r db.Row) error {
		var location string
		err := r.Scan(&location)
		locations = append(locations, location)
		return err
	})
	return locations, err
}

// LockLedger returns a partner's ledger with those of the products that exist,
// locked until the transaction ends; nil if there is no such partner.
func (tx stockTx) LockLedger(ctx context.Context, partnerID string, productIDs ...int64) (*ledger.Ledger, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(productIDs)))
	keys := make([]ledger.ProductKey, len(ids))
	for i, id := range ids {
		keys[i] = ledger.ProductKey{PartnerID: partnerID, ProductID: id}
	}
	p := db.NewPipeline(tx.conn)
	ledgers := readLedgers(p, keys, true)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	return ledgers.after(done)[partnerID], nil
}

// SaveLedger writes what has been booked in a ledger and how it leaves the
// stock.
func (tx stockTx) SaveLedger(ctx context.Context, changed *ledger.Ledger) error {
	p := db.NewPipeline(tx.conn)
	writeLedgers(p, []*ledger.Ledger{changed})
	_, err := p.Flush(ctx)
	return err
}

// Receipt returns what is kept under an idempotency key; nil if nothing is.
func (tx stockTx) Receipt(ctx context.Context, key idempotency.Key) (*idempotency.Receipt, error) {
	return db.FindOne(ctx, tx.conn, findReceipts, key)
}

// AddReceipt keeps an answer.
func (tx stockTx) AddReceipt(ctx context.Context, receipt *idempotency.Receipt) error {
	p := db.NewPipeline(tx.conn)
	writeReceipts(p, []*idempotency.Receipt{receipt})
	_, err := p.Flush(ctx)
	return err
}
