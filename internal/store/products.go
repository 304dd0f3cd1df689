package store

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/ledger"
	"github.com/dropyard/dropyard/internal/stock"
)

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
		db.Text("status", func(p *productRow) *string { return (*string)(&p.Status) }),
	}
	quantity = db.Integer("quantity", func(p *productRow) *int64 { return &p.Quantity })
	products = db.NewTable("products", productKey, append(described, quantity,
		db.Moment("created_at", func(p *productRow) *time.Time { return &p.createdAt }))...)

	findProducts     = db.LookUpBy(byProduct, products)
	lockProducts     = db.LockBy(byProduct, products)
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
		selected.Add(`search_key LIKE ? ESCAPE '\'`, "%"+likeLiteral.Replace(filter.Search)+"%")
	}
	selected.AddText("status = ?", string(filter.Status))
	if filter.After != 0 {
		selected.Add("product_id > ?", filter.After)
	}
	if filter.LowStock {
		selected.Add("quantity <= stock_min")
	}
	return selected
}

// likeLiteral escapes the characters that mean something to LIKE.
var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// productNames returns the names of a partner's products by id.
func productNames(ctx context.Context, c db.Conn, keys []ledger.ProductKey) (map[int64]string, error) {
	rows, err := db.FindNow(ctx, c, findProducts, keys...)
	names := make(map[int64]string, len(rows))
	for _, row := range rows {
		names[row.ProductID] = row.Name
	}
	return names, err
}
