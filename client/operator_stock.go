package client

import (
	"context"
	"iter"
	"net/http"
	"strconv"
)

// ProductRequest is a new product.
type ProductRequest struct {
	Name     string        `json:"name"`                // 1 to 255 characters
	Price    float64       `json:"price"`               // Canadian dollars, with at most two decimals
	StockMin int64         `json:"stock_min,omitempty"` // at which the product is to be restocked
	StockMax int64         `json:"stock_max,omitempty"` // at least StockMin; StockMin if it is 0
	Barcode  string        `json:"barcode,omitempty"`
	SKU      string        `json:"sku,omitempty"`    // the partner's own name of it; see [CodeSKUTaken]
	Status   ProductStatus `json:"status,omitempty"` // [ProductActive] if it is empty
}

// CreateProduct adds a product to a partner's catalogue. It has no stock until a movement
// adds some. If no answer arrives, the product may exist.
func (o *Operator) CreateProduct(
	ctx context.Context, partnerID string, product ProductRequest, options ...CallOption,
) (*Product, error) {
	return fetch[Product](ctx, o,
		operation{method: http.MethodPost, path: productsPath, id: partnerID, body: product, keyed: true}, options)
}

// productsPath is the path of a partner's catalogue.
const productsPath = "/ops/v1/partners/{id}/products"

// productPath returns the path of a product of a partner.
func productPath(productID int64) string {
	return productsPath + "/" + strconv.FormatInt(productID, 10)
}

// ProductWithLevels is a product and where it is.
type ProductWithLevels struct {
	Product
	Levels []StockLevel `json:"levels"` // every location that has or had the product
}

// StockLevel is how much of a product is at a location.
type StockLevel struct {
	Location string `json:"location"`
	Quantity int64  `json:"quantity"`
}

// GetProduct returns a product and its stock at each location.
func (o *Operator) GetProduct(
	ctx context.Context, partnerID string, productID int64, options ...CallOption,
) (*ProductWithLevels, error) {
	return fetch[ProductWithLevels](ctx, o, operation{method: http.MethodGet, path: productPath(productID), id: partnerID},
		options)
}

// ProductChange is what to change of a product. Fields that are nil or empty stay as they
// are.
type ProductChange struct {
	Name     string        `json:"name,omitempty"`
	Price    *float64      `json:"price,omitempty"`
	StockMin *int64        `json:"stock_min,omitempty"`
	StockMax *int64        `json:"stock_max,omitempty"` // raised to StockMin if it is nil and would be less
	Barcode  *string       `json:"barcode,omitempty"`
	SKU      *string       `json:"sku,omitempty"` // empty to remove it
	Status   ProductStatus `json:"status,omitempty"`
}

// ChangeProduct changes the description of a product. Its stock is changed by
// CreateMovement and CreateCount.
func (o *Operator) ChangeProduct(
	ctx context.Context, partnerID string, productID int64, change ProductChange, options ...CallOption,
) (*Product, error) {
	return fetch[Product](ctx, o,
		operation{method: http.MethodPatch, path: productPath(productID), id: partnerID, body: change, keyed: true}, options)
}

// CatalogueQuery chooses products of a partner. Zero fields do not restrict.
type CatalogueQuery struct {
	Search   string        `query:"search"`    // text anywhere in the name, barcode or sku, in either case
	SKU      string        `query:"sku"`       // only the product with this sku
	LowStock bool          `query:"low_stock"` // only products whose quantity is at most their StockMin
	Status   ProductStatus `query:"status"`
	Limit    int           `query:"limit"`  // the most products of a page, 1 to 500; 50 if it is 0
	Cursor   string        `query:"cursor"` // the NextCursor of the previous page
}

// CataloguePage is a page of a partner's products.
type CataloguePage struct {
	Products   []Product `json:"products"`
	NextCursor string    `json:"next_cursor,omitempty"` // empty on the last page
}

// ListCatalogue returns a page of a partner's products, by their ids.
func (o *Operator) ListCatalogue(
	ctx context.Context, partnerID string, q CatalogueQuery, options ...CallOption,
) (*CataloguePage, error) {
	return fetch[CataloguePage](ctx, o,
		operation{method: http.MethodGet, path: productsPath, id: partnerID, query: queryOf(q)}, options)
}

// Catalogue iterates over a partner's products, by their ids. An error is the last value.
func (o *Operator) Catalogue(
	ctx context.Context, partnerID string, q CatalogueQuery, options ...CallOption,
) iter.Seq2[Product, error] {
	return pages(q, func(q *CatalogueQuery) ([]Product, bool, error) {
		page, err := o.ListCatalogue(ctx, partnerID, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Products, q.Cursor != "", nil
	})
}

// csvKind is the media type of catalogues as files.
const csvKind = "text/csv"

// ExportProducts returns a partner's whole catalogue as CSV.
func (o *Operator) ExportProducts(ctx context.Context, partnerID string, options ...CallOption) ([]byte, error) {
	return content(fetch[[]byte](ctx, o,
		operation{method: http.MethodGet, path: productsPath + "/export", id: partnerID, accept: csvKind}, options))
}

// Imported says what an import has done.
type Imported struct {
	Created   int `json:"created"` // products
	Changed   int `json:"changed"` // products
	Unchanged int `json:"unchanged"`
	Movements int `json:"movements"` // that were booked for opening quantities
}

// ImportProducts adds and changes products from CSV, up to 10,000 lines. If the file has
// faults, nothing is stored, and a refusal with [CodeValidationError] names them by line,
// such as lines[7].price. A file of more than 100 lines is stored in parts, after all of it
// has been checked. A retry with the same key adds no product twice, and continues an import
// that was interrupted.
func (o *Operator) ImportProducts(
	ctx context.Context, partnerID string, file []byte, options ...CallOption,
) (*Imported, error) {
	return fetch[Imported](ctx, o, operation{
		method: http.MethodPost, path: productsPath + "/import", id: partnerID, file: file, kind: csvKind, keyed: true,
	}, options)
}

// LowProduct is a product to restock, and whose it is.
type LowProduct struct {
	Product
	PartnerID string `json:"partner_id"`
}

// LowStockPage is a page of products to restock.
type LowStockPage struct {
	Products   []LowProduct `json:"products"`
	NextCursor string       `json:"next_cursor,omitempty"` // empty on the last page
}

// ListLowStock returns a page of the active products of all partners whose quantity is at
// most their StockMin, by partner and id.
func (o *Operator) ListLowStock(ctx context.Context, q PageQuery, options ...CallOption) (*LowStockPage, error) {
	return fetch[LowStockPage](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/low-stock", query: queryOf(q)},
		options)
}

// LowStock iterates over the products of ListLowStock. An error is the last value.
func (o *Operator) LowStock(ctx context.Context, q PageQuery, options ...CallOption) iter.Seq2[LowProduct, error] {
	return pages(q, func(q *PageQuery) ([]LowProduct, bool, error) {
		page, err := o.ListLowStock(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Products, q.Cursor != "", nil
	})
}
