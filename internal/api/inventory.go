package api

import (
	"math"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/stock"
)

// The bounds of the parameter limit of both inventory lists. The contract gives the
// upper bound for products only.
const (
	defaultInventory = 50
	maxInventory     = 100
)

// product is a product in JSON (docs/contract.md, Products and movements).
type product struct {
	ProductID   int64                  `json:"product_id"`
	Name        string                 `json:"name"`
	Quantity    int64                  `json:"quantity"`
	LowStock    bool                   `json:"low_stock"`
	StockMin    int64                  `json:"stock_min"`
	StockMax    int64                  `json:"stock_max"`
	Price       float64                `json:"price"` // dollars
	Status      delivery.ProductStatus `json:"status"`
	Barcode     string                 `json:"barcode"`
	IsAvailable bool                   `json:"is_available"`
}

func productOf(p delivery.Product) product {
	return product{
		ProductID: p.ProductID,
		Name:      p.Name,
		Quantity:  p.Quantity,
		LowStock:  p.LowStock(),
		StockMin:  p.StockMin,
		StockMax:  p.StockMax,
		// For every allowed price the quotient is the float64 nearest to the exact
		// amount, so that it is written with at most two decimals.
		Price:       float64(p.PriceCents) / 100,
		Status:      p.Status,
		Barcode:     p.Barcode,
		IsAvailable: p.Available(),
	}
}

// movement is a stock movement in JSON (docs/contract.md, Products and movements).
type movement struct {
	MovementID  int64                 `json:"movement_id"`
	Type        delivery.MovementType `json:"type"`
	Quantity    int64                 `json:"quantity"`
	ProductID   int64                 `json:"product_id"`
	ProductName string                `json:"product_name"`
	Location    string                `json:"location"`
	Date        time.Time             `json:"date"`
}

func movementsOf(booked []delivery.Movement) []movement {
	all := make([]movement, len(booked))
	for i, m := range booked {
		all[i] = movement{m.MovementID, m.Type, m.Quantity, m.ProductID, m.ProductName, m.Location, m.At}
	}
	return all
}

func productFilter(c *httpd.Call) (stock.ProductFilter, error) {
	q, err := c.Query()
	if err != nil {
		return stock.ProductFilter{}, err
	}
	filter := stock.ProductFilter{
		PartnerID: c.Account,
		Search:    q.Text("search"),
		Limit:     int(q.Integer("limit", defaultInventory, 1, maxInventory)),
		Offset:    q.Integer("offset", 0, 0, httpd.MaxOffset),
	}
	return filter, q.Err()
}

func (s *Server) handleProductList(c *httpd.Call) (httpd.Reply, error) {
	filter, err := productFilter(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, total, err := s.config.Stock.Products(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	products := make([]product, len(found))
	for i, p := range found {
		products[i] = productOf(p)
	}
	return httpd.OK(struct {
		Products []product `json:"products"`
		Count    int       `json:"count"`
		Total    int64     `json:"total"`
		Limit    int       `json:"limit"`
		Offset   int64     `json:"offset"`
	}{products, len(products), total, filter.Limit, filter.Offset})
}

func movementFilter(c *httpd.Call) (stock.MovementFilter, error) {
	q, err := c.Query()
	if err != nil {
		return stock.MovementFilter{}, err
	}
	filter := stock.MovementFilter{
		PartnerID: c.Account,
		ProductID: q.Integer("product_id", 0, 1, math.MaxInt64),
		Limit:     int(q.Integer("limit", defaultInventory, 1, maxInventory)),
		Offset:    q.Integer("offset", 0, 0, httpd.MaxOffset),
	}
	return filter, q.Err()
}

func (s *Server) handleMovementList(c *httpd.Call) (httpd.Reply, error) {
	filter, err := movementFilter(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.config.Stock.Movements(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Movements []movement `json:"movements"`
		Count     int        `json:"count"`
		Limit     int        `json:"limit"`
		Offset    int64      `json:"offset"`
	}{movementsOf(found), len(found), filter.Limit, filter.Offset})
}
