package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/webhook"
)

// byProduct looks up rows of several tables by the product to which they belong.
var byProduct = db.Key(
	db.Text("partner_id", func(k *movement.ProductKey) *string { return &k.PartnerID }),
	db.Integer("product_id", func(k *movement.ProductKey) *int64 { return &k.ProductID }))

// productRow is a product of a partner.
type productRow struct {
	partnerID string
	delivery.Product
	searchKey string // what searches look into: see stock.SearchKey
	createdAt time.Time
}

var (
	productKey = db.Key(
		db.Text("partner_id", func(p *productRow) *string { return &p.partnerID }),
		db.Integer("product_id", func(p *productRow) *int64 { return &p.ProductID }))
	// described are the columns that a change of the catalogue writes; the stock
	// is not among them.
	described = []db.Column[*productRow]{
		db.Text("name", func(p *productRow) *string { return &p.Name }),
		db.Text("search_key", func(p *productRow) *string { return &p.searchKey }),
		db.Integer("stock_min", func(p *productRow) *int64 { return &p.StockMin }),
		db.Integer("stock_max", func(p *productRow) *int64 { return &p.StockMax }),
		db.Integer("price_cents", func(p *productRow) *int64 { return &p.PriceCents }),
		db.Text("barcode", func(p *productRow) *string { return &p.Barcode }),
		db.Text("sku", func(p *productRow) *string { return &p.SKU }),
		db.Text("status", func(p *productRow) *string { return (*string)(&p.Status) }),
	}
	quantity = db.Integer("quantity", func(p *productRow) *int64 { return &p.Quantity })
	products = db.NewTable("products", productKey, append(described, quantity,
		db.Moment("created_at", func(p *productRow) *time.Time { return &p.createdAt }))...)

	findProducts = db.LookUpBy(byProduct, products)
	lockProducts = db.LockBy(byProduct, products)
	// The conditions are those of the indexes.
	findBySKU        = findByCode("sku", func(p *productRow) string { return p.SKU })
	findByBarcode    = findByCode("barcode", func(p *productRow) string { return p.Barcode })
	addProducts      = products.Insert()
	describeProducts = db.UpdateOf(products, productKey, described)
	setQuantities    = db.UpdateOf(products, productKey, db.Key(quantity))
)

// productRows returns products as they are stored.
func productRows(partnerID string, listed []delivery.Product) []*productRow {
	rows := make([]*productRow, len(listed))
	for i, product := range listed {
		rows[i] = &productRow{partnerID: partnerID, Product: product, searchKey: stock.SearchKey(product)}
	}
	return rows
}

// productsOf returns the products of rows.
func productsOf(rows []*productRow) []delivery.Product {
	all := make([]delivery.Product, len(rows))
	for i, row := range rows {
		all[i] = row.Product
	}
	return all
}

// selectProducts returns the conditions of a filter.
func selectProducts(filter stock.ProductFilter) *db.Conditions {
	selected := db.OfPartner(filter.PartnerID)
	if filter.Search != "" {
		selected.Add(searchKeyHas, containing(filter.Search))
	}
	selected.AddText("status = ?", string(filter.Status))
	if filter.SKU != "" {
		selected.Add("sku = ? AND sku <> ''", filter.SKU) // the condition of the index
	}
	if filter.After != 0 {
		selected.Add("product_id > ?", filter.After)
	}
	if filter.LowStock {
		selected.Add("quantity <= stock_min")
	}
	return selected
}

// searchKeyHas is the condition that a product has the text in its search key that containing is given.
const searchKeyHas = `search_key LIKE ? ESCAPE '\'`

func containing(search string) string { return "%" + likeLiteral.Replace(search) + "%" }

// likeLiteral escapes the characters that mean something to LIKE.
var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// productNames returns the names of a partner's products by id.
func productNames(ctx context.Context, c db.Conn, keys []movement.ProductKey) (map[int64]string, error) {
	rows, err := db.FindNow(ctx, c, findProducts, keys...)
	names := make(map[int64]string, len(rows))
	for _, row := range rows {
		names[row.ProductID] = row.Name
	}
	return names, err
}

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

// movementRow is a line of a partner's journal of stock, without the product's name.
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

// counters holds the last product and movement ids of a partner, from which
// the next are taken under the row's lock.
type counters struct {
	partnerID                 string
	lastProduct, lastMovement int64
}

var (
	countersKey  = db.Key(db.Text("partner_id", func(c *counters) *string { return &c.partnerID }))
	lastMovement = db.Integer("last_movement", func(c *counters) *int64 { return &c.lastMovement })

	partnerCounters = db.NewTable("partner_counters", countersKey,
		db.Integer("last_product", func(c *counters) *int64 { return &c.lastProduct }),
		lastMovement,
	)
	addCounters      = partnerCounters.Insert()
	findCounters     = db.LookUpBy(db.ByID("partner_id"), partnerCounters)
	lockCounters     = db.LockBy(db.ByID("partner_id"), partnerCounters)
	setLastMovements = db.UpdateOf(partnerCounters, countersKey, db.Key(lastMovement))
)

// byCode finds the ids of products by a code.
type byCode struct {
	*db.Lookup[*movement.ProductCode, *productRow]
	of func(*productRow) string // the code of a product
}

func findByCode(column string, of func(*productRow) string) byCode {
	key := db.Key(
		db.Text("partner_id", func(k *movement.ProductCode) *string { return &k.PartnerID }),
		db.Text(column, func(k *movement.ProductCode) *string { return &k.Code }))
	found := db.LookUpSome(key, products, products.Pick("partner_id", "product_id", column))
	return byCode{found.Where(column + " <> ''"), of}
}

// namedProducts are the products that codes name.
type namedProducts struct{ bySKU, byBarcode []*productRow }

// readNamed reads which products codes name, without locking them.
func readNamed(ctx context.Context, c db.Conn, skus, barcodes []movement.ProductCode) (n namedProducts, err error) {
	if len(skus)+len(barcodes) == 0 {
		return n, nil
	}
	p := db.NewPipeline(c)
	bySKU, byBarcode := db.Find(p, findBySKU.Lookup, skus), db.Find(p, findByBarcode.Lookup, barcodes)
	done, err := p.Flush(ctx)
	if err != nil {
		return n, err
	}
	return namedProducts{bySKU.After(done), byBarcode.After(done)}, nil
}

// with returns the keys of the products beside others, sorted.
func (n namedProducts) with(keys []movement.ProductKey) []movement.ProductKey {
	if len(n.bySKU)+len(n.byBarcode) == 0 {
		return keys
	}
	keys = slices.Clone(keys)
	for _, row := range slices.Concat(n.bySKU, n.byBarcode) {
		keys = append(keys, movement.ProductKey{PartnerID: row.partnerID, ProductID: row.ProductID})
	}
	slices.SortFunc(keys, movement.CompareKeys)
	return slices.Compact(keys)
}

// idsByCode returns the ids of products by their codes, of those that are among stocks. The error is
// db.ErrRaced if a product has got another code since the codes were looked up.
func idsByCode(
	rows []*productRow, code func(*productRow) string, stocks map[string]*movement.Stock,
) (map[movement.ProductCode][]int64, error) {
	ids := make(map[movement.ProductCode][]int64, len(rows))
	for _, row := range rows {
		of := stocks[row.partnerID]
		if of == nil || of.Products[row.ProductID] == nil ||
			code(&productRow{Product: of.Products[row.ProductID].Product}) != code(row) {
			return nil, db.ErrRaced
		}
		key := movement.ProductCode{PartnerID: row.partnerID, Code: code(row)}
		ids[key] = append(ids[key], row.ProductID)
	}
	return ids, nil
}

// A stock is what products, levels, movements and counters hold together.

// readingStocks is the reading of stocks in a pipeline.
type readingStocks struct {
	products *db.Found[*productRow]
	levels   *db.Found[*levelRow]
	counters *db.Found[*counters]
	filters  [2]*db.Found[*webhook.Endpoint] // of the first endpoints of partners, and of further ones
}

// readStocks queues the reading of products and of their partners' counters.
// Where they are locked, products come first in the order of their keys and
// counters second: two transactions in different orders could wait for each
// other.
func readStocks(p *db.Pipeline, keys []movement.ProductKey, locked bool) *readingStocks {
	products, counters := findProducts, findCounters
	if locked {
		products, counters = lockProducts, lockCounters
	}
	partnerIDs := partnersOf(keys)
	reading := &readingStocks{
		products: db.Find(p, products, keys), levels: db.Find(p, findLevels, keys),
		counters: db.Find(p, counters, partnerIDs),
	}
	var filtering []outbox.EndpointKey
	if locked { // otherwise nothing is booked
		filtering = firstsOf(partnerIDs)
	}
	reading.filters[0] = db.Find(p, findFilters, filtering)
	reading.filters[1] = db.Find(p, findFurtherFilters, filtering)
	return reading
}

// partnersOf returns the partners of keys that are sorted by partner.
func partnersOf(keys []movement.ProductKey) (partnerIDs []string) {
	for _, key := range keys {
		if len(partnerIDs) == 0 || partnerIDs[len(partnerIDs)-1] != key.PartnerID {
			partnerIDs = append(partnerIDs, key.PartnerID)
		}
	}
	return partnerIDs
}

// after returns the stocks by partner; a partner that does not exist has none.
func (r *readingStocks) after(done db.Flushed) map[string]*movement.Stock {
	stocks := map[string]*movement.Stock{}
	for _, row := range r.counters.After(done) {
		stocks[row.partnerID] = &movement.Stock{
			PartnerID: row.partnerID, LastMovement: row.lastMovement, Products: map[int64]*movement.Product{},
		}
	}
	for _, row := range r.products.After(done) {
		if of := stocks[row.partnerID]; of != nil {
			of.Products[row.ProductID] = &movement.Product{Product: row.Product}
		}
	}
	for _, row := range r.levels.After(done) {
		if of := stocks[row.partnerID]; of != nil && of.Products[row.ProductID] != nil {
			product := of.Products[row.ProductID]
			product.Levels = append(product.Levels, row.Level)
		}
	}
	for _, found := range r.filters {
		for _, endpoint := range found.After(done) {
			if of := stocks[endpoint.PartnerID]; of != nil && endpoint.Events.Takes(delivery.EventStockChanged) {
				of.Traced = true
			}
		}
	}
	return stocks
}

// writeStocks queues what has been booked in stocks.
func writeStocks(p *db.Pipeline, changed []*movement.Stock) {
	var movements []*movementRow
	var quantities []*productRow
	var levels []*levelRow
	last := make([]*counters, 0, len(changed))
	for _, of := range changed {
		for _, movement := range of.Booked {
			movements = append(movements, &movementRow{of.PartnerID, movement})
		}
		for _, product := range of.Changed() {
			quantities = append(quantities, &productRow{partnerID: of.PartnerID, Product: product.Product})
			for _, level := range product.Levels {
				levels = append(levels, &levelRow{of.PartnerID, level})
			}
		}
		last = append(last, &counters{partnerID: of.PartnerID, lastMovement: of.LastMovement})
	}
	db.WriteAll(p, addMovements, movements)
	db.WriteAll(p, setLastMovements, last)
	db.WriteAll(p, setQuantities, quantities)
	db.WriteAll(p, setLevels, levels)
}

// sortedStocks returns stocks in one order, so that rows are written in the
// order in which they are locked.
func sortedStocks(byPartner map[string]*movement.Stock) []*movement.Stock {
	all := make([]*movement.Stock, 0, len(byPartner))
	for _, of := range byPartner {
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b *movement.Stock) int { return cmp.Compare(a.PartnerID, b.PartnerID) })
	return all
}

// Stock is the store as package stock sees it.
func (s *Store) Stock() stock.Store {
	return view[stock.Reader, stock.Writer]{s.Database,
		func(c db.Conn) stock.Reader { return stockTx{auditing{c}} },
		func(c db.Conn) stock.Writer { return stockTx{auditing{c}} }}
}

// stockTx is a transaction of package stock.
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
func (tx stockTx) Product(
	ctx context.Context, partnerID string, productID int64,
) (*delivery.Product, []delivery.Level, error) {
	row, err := db.FindOne(ctx, tx.conn, findProducts, movement.ProductKey{PartnerID: partnerID, ProductID: productID})
	if err != nil || row == nil {
		return nil, nil, err
	}
	levels, err := stockLevels.All(ctx, tx.conn, "WHERE partner_id = $1 AND product_id = $2 ORDER BY location", partnerID,
		productID)
	return &row.Product, levelsOf(levels), err
}

// LowStock lists active products of live accounts of which no more than the wanted
// minimum is left, those after the given one. The index products_low holds products
// that are low only.
func (tx stockTx) LowStock(
	ctx context.Context, after stock.PartnerProduct, limit int,
) ([]stock.PartnerProduct, error) {
	low := new(db.Conditions)
	low.Add("quantity <= stock_min AND status = 'active'")
	return tx.ofAllPartners(ctx, low, after, limit)
}

// FindProducts lists the first products of live accounts that have a text in their search keys. It reads all
// products: an index that leads to parts of texts would cost every change of the catalogue more.
func (tx stockTx) FindProducts(ctx context.Context, search string, limit int) ([]stock.PartnerProduct, error) {
	found := new(db.Conditions)
	found.Add(searchKeyHas, containing(search))
	return tx.ofAllPartners(ctx, found, stock.PartnerProduct{}, limit)
}

// ofAllPartners lists products of live accounts, those after the given one.
func (tx stockTx) ofAllPartners(
	ctx context.Context, selected *db.Conditions, after stock.PartnerProduct, limit int,
) (listed []stock.PartnerProduct, err error) {
	selected.Add("(partner_id, product_id) > (?, ?)", after.PartnerID, after.ProductID)
	selected.Add("partner_id < '" + delivery.FirstTestID + "'")
	tail, args := selected.Clause("ORDER BY partner_id, product_id LIMIT ?", limit)
	err = products.Each(ctx, tx.conn, tail, args, func(row *productRow) error {
		listed = append(listed, stock.PartnerProduct{PartnerID: row.partnerID, Product: row.Product})
		return nil
	})
	return listed, err
}

// Movements lists movements, newest first, with the names that their products
// have now.
func (tx stockTx) Movements(ctx context.Context, filter stock.MovementFilter) (found []delivery.Movement, err error) {
	tail, args := selectMovements(filter).Clause("ORDER BY movement_id DESC LIMIT ? OFFSET ?", filter.Limit, filter.Offset)
	var keys []movement.ProductKey
	err = stockMovements.Each(ctx, tx.conn, tail, args, func(row *movementRow) error {
		found = append(found, row.Movement)
		if key := (movement.ProductKey{PartnerID: row.partnerID, ProductID: row.ProductID}); !slices.Contains(keys, key) {
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
func (tx stockTx) AddProducts(
	ctx context.Context, partnerID string, at time.Time, added ...delivery.Product,
) (first int64, err error) {
	counted, err := tx.conn.Exec(ctx, "UPDATE partner_counters SET last_product = last_product + $1 WHERE partner_id = $2",
		len(added), partnerID)
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

// Codes returns the products of a partner by their barcodes and skus.
func (tx stockTx) Codes(ctx context.Context, partnerID string) (stock.Codes, error) {
	codes := stock.Codes{Barcodes: map[string][]int64{}, SKUs: map[string][]int64{}}
	add := func(ids map[string][]int64, code string, id int64) {
		if code != "" {
			ids[code] = append(ids[code], id)
		}
	}
	return codes, tx.conn.Query(ctx,
		`SELECT product_id, barcode, sku FROM products WHERE partner_id = $1 AND (barcode <> '' OR sku <> '')
		ORDER BY product_id`,
		[]any{partnerID}, func(r db.Row) error {
			var id int64
			var barcode, sku string
			err := r.Scan(&id, &barcode, &sku)
			add(codes.Barcodes, barcode, id)
			add(codes.SKUs, sku, id)
			return err
		})
}

// WithSKU returns the products of a partner that have a sku.
func (tx stockTx) WithSKU(ctx context.Context, partnerID, sku string) (ids []int64, err error) {
	rows, err := db.FindNow(ctx, tx.conn, findBySKU.Lookup, movement.ProductCode{PartnerID: partnerID, Code: sku})
	for _, row := range rows {
		ids = append(ids, row.ProductID)
	}
	return ids, err
}

// Held returns those of some products that exist, with how much of them lies where.
func (tx stockTx) Held(
	ctx context.Context, partnerID string, productIDs ...int64,
) (map[int64]*movement.Product, error) {
	if len(productIDs) == 0 {
		return nil, nil
	}
	keys := make([]movement.ProductKey, len(productIDs))
	for i, id := range productIDs {
		keys[i] = movement.ProductKey{PartnerID: partnerID, ProductID: id}
	}
	p := db.NewPipeline(tx.conn)
	stocks := readStocks(p, keys, false)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	if found := stocks.after(done)[partnerID]; found != nil {
		return found.Products, nil
	}
	return nil, nil
}

// Locations returns where a partner's products lie or have lain.
func (tx stockTx) Locations(ctx context.Context, partnerID string) (locations []string, err error) {
	err = tx.conn.Query(ctx, "SELECT DISTINCT location FROM stock_levels WHERE partner_id = $1 ORDER BY location",
		[]any{partnerID}, func(r db.Row) error {
			var location string
			err := r.Scan(&location)
			locations = append(locations, location)
			return err
		})
	return locations, err
}

// LockStock returns a partner's stock with those of the products that exist,
// locked until the transaction ends; nil if there is no such partner.
func (tx stockTx) LockStock(ctx context.Context, partnerID string, productIDs ...int64) (*movement.Stock, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(productIDs)))
	keys := make([]movement.ProductKey, len(ids))
	for i, id := range ids {
		keys[i] = movement.ProductKey{PartnerID: partnerID, ProductID: id}
	}
	p := db.NewPipeline(tx.conn)
	stocks := readStocks(p, keys, true)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	return stocks.after(done)[partnerID], nil
}

// SaveStock writes what has been booked in a stock and how it leaves the
// stock.
func (tx stockTx) SaveStock(ctx context.Context, changed *movement.Stock) error {
	p := db.NewPipeline(tx.conn)
	writeStocks(p, []*movement.Stock{changed})
	_, err := p.Flush(ctx)
	return err
}

// AddEvents adds events of products, and returns the endpoints for which they wait.
func (tx stockTx) AddEvents(ctx context.Context, events []*delivery.Event) ([]outbox.EndpointKey, error) {
	return addEvents(ctx, tx.conn, events)
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
