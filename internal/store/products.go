package store

import (
	"context"
	"strings"
	"time"

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
	productKey = key(
		text("partner_id", func(p *productRow) *string { return &p.partnerID }),
		integer("product_id", func(p *productRow) *int64 { return &p.ProductID }))
	// described are the columns that a change of the catalogue writes; the stock
	// is not among them.
	described = []column[*productRow]{
		text("name", func(p *productRow) *string { return &p.Name }),
		text("search_key", func(p *productRow) *string { return &p.searchKey }),
		integer("stock_min", func(p *productRow) *int64 { return &p.StockMin }),
		integer("stock_max", func(p *productRow) *int64 { return &p.StockMax }),
		integer("price_cents", func(p *productRow) *int64 { return &p.PriceCents }),
		text("barcode", func(p *productRow) *string { return &p.Barcode }),
		text("status", func(p *productRow) *string { return (*string)(&p.Status) }),
	}
	quantity = integer("quantity", func(p *productRow) *int64 { return &p.Quantity })
	products = newTable("products", productKey, append(described, quantity,
		moment("created_at", func(p *productRow) *time.Time { return &p.createdAt }))...)

	findProducts     = lookUpBy(byProduct, products)
	lockProducts     = lockBy(byProduct, products)
	addProducts      = products.insert()
	describeProducts = updateOf(products, productKey, described)
	setQuantities    = updateOf(products, productKey, key(quantity))
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
func selectProducts(filter stock.ProductFilter) *conditions {
	selected := ofPartner(filter.PartnerID)
	if filter.Search != "" {
		selected.add(`search_key LIKE ? ESCAPE '\'`, "%"+likeLiteral.Replace(filter.Search)+"%")
	}
	selected.addText("status = ?", string(filter.Status))
	if filter.After != 0 {
		selected.add("product_id > ?", filter.After)
	}
	if filter.LowStock {
		selected.add("quantity <= stock_min")
	}
	return selected
}

// likeLiteral escapes the characters that mean something to LIKE.
var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// productNames returns the names of a partner's products by id.
func productNames(ctx context.Context, c conn, keys []ledger.ProductKey) (map[int64]string, error) {
	rows, err := findNow(ctx, c, findProducts, keys...)
	names := make(map[int64]string, len(rows))
	for _, row := range rows {
		names[row.ProductID] = row.Name
	}
	return names, err
}
