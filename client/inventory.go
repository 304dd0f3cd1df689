package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Product is a product that the service stores for the partner.
type Product struct {
	ProductID   int64         `json:"product_id"` // each partner's are numbered from 1
	Name        string        `json:"name"`
	Quantity    int64         `json:"quantity"`  // the sum over all locations
	LowStock    bool          `json:"low_stock"` // Quantity is at most StockMin
	StockMin    int64         `json:"stock_min"`
	StockMax    int64         `json:"stock_max"`
	Price       float64       `json:"price"` // Canadian dollars, not cents; at most two decimals
	Status      ProductStatus `json:"status"`
	Barcode     string        `json:"barcode"`      // empty if there is none
	SKU         *string       `json:"sku"`          // the partner's own name of it; nil if there is none
	IsAvailable bool          `json:"is_available"` // the product is active and Quantity more than 0
}

// ProductList is a page of products.
type ProductList struct {
	Products []Product `json:"products"`
	Count    int       `json:"count"` // of this page
	Total    int       `json:"total"` // of all pages
	Limit    int       `json:"limit"`
	Offset   int       `json:"offset"`
}

// ProductQuery chooses products. Zero fields do not restrict.
type ProductQuery struct {
	Search string `query:"search"` // text anywhere in the name, barcode or sku, in either case
	SKU    string `query:"sku"`    // only the product with this sku
	Limit  int    `query:"limit"`  // the most products of a page, 1 to 100; 50 if it is 0
	Offset int    `query:"offset"` // how many products to skip
}

// ListProducts returns a page of products with their stock, by their ids.
func (c *Client) ListProducts(ctx context.Context, q ProductQuery, options ...CallOption) (*ProductList, error) {
	return fetch[ProductList](ctx, c, operation{method: http.MethodGet, path: "/v1/inventory/products", query: queryOf(q)},
		options)
}

// Products iterates over products with their stock, by their ids. An error is the last
// value.
func (c *Client) Products(ctx context.Context, q ProductQuery, options ...CallOption) iter.Seq2[Product, error] {
	return pages(q, func(q *ProductQuery) ([]Product, bool, error) {
		page, err := c.ListProducts(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Offset += len(page.Products)
		return page.Products, len(page.Products) > 0 && q.Offset < page.Total, nil
	})
}

// Movement is a change of stock.
type Movement struct {
	MovementID  int64        `json:"movement_id"` // each partner's are numbered from 1
	Type        MovementType `json:"type"`
	Quantity    int64        `json:"quantity"` // never 0; signed for ADJUSTMENT and TRANSFER
	ProductID   int64        `json:"product_id"`
	ProductName string       `json:"product_name"`
	Location    string       `json:"location"` // a code of the warehouse
	Date        time.Time    `json:"date"`
}

// MovementList is a page of movements.
type MovementList struct {
	Movements []Movement `json:"movements"`
	Count     int        `json:"count"` // of this page
	Limit     int        `json:"limit"`
	Offset    int        `json:"offset"`
}

// MovementQuery chooses movements. Zero fields do not restrict.
type MovementQuery struct {
	ProductID int64 `query:"product_id"` // only movements of this product
	Limit     int   `query:"limit"`      // the most movements of a page, 1 to 100; 50 if it is 0
	Offset    int   `query:"offset"`     // how many movements to skip
}

// ListMovements returns a page of stock movements, newest first.
func (c *Client) ListMovements(ctx context.Context, q MovementQuery, options ...CallOption) (*MovementList, error) {
	return fetch[MovementList](ctx, c,
		operation{method: http.MethodGet, path: "/v1/inventory/movements", query: queryOf(q)}, options)
}

// Movements iterates over stock movements, newest first. Those that are added meanwhile
// are not among them, and do not make it repeat others. An error is the last value.
func (c *Client) Movements(ctx context.Context, q MovementQuery, options ...CallOption) iter.Seq2[Movement, error] {
	type position struct {
		MovementQuery
		last int64 // the id of the oldest movement so far
	}
	return pages(position{MovementQuery: q}, func(p *position) ([]Movement, bool, error) {
		page, err := c.ListMovements(ctx, p.MovementQuery, options...)
		if err != nil {
			return nil, false, err
		}
		p.Offset += len(page.Movements)
		older := page.Movements
		for len(older) > 0 && p.last > 0 && older[0].MovementID >= p.last {
			older = older[1:]
		}
		if len(older) > 0 {
			p.last = older[len(older)-1].MovementID
		}
		return older, len(page.Movements) == page.Limit, nil
	})
}
