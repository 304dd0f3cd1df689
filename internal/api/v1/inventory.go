package v1

import (
	"math"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/stock"
)

// maxInventory bounds the parameter limit of both inventory lists. The contract gives it
// for products only.
const maxInventory = 100

func productFilter(c *httpd.Call) (stock.ProductFilter, error) {
	q, err := c.ListQuery()
	if err != nil {
		return stock.ProductFilter{}, err
	}
	filter := stock.ProductFilter{
		PartnerID: c.Account,
		Search:    q.Text("search"),
		SKU:       q.Text("sku"),
		Limit:     q.Limit(maxInventory),
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
	products := make([]shared.Product, len(found))
	for i, p := range found {
		products[i] = shared.ProductOf(p)
	}
	return httpd.OK(struct {
		Products []shared.Product `json:"products"`
		Count    int              `json:"count"`
		Total    int64            `json:"total"`
		Limit    int              `json:"limit"`
		Offset   int64            `json:"offset"`
	}{products, len(products), total, filter.Limit, filter.Offset})
}

func movementFilter(c *httpd.Call) (stock.MovementFilter, error) {
	q, err := c.ListQuery()
	if err != nil {
		return stock.MovementFilter{}, err
	}
	filter := stock.MovementFilter{
		PartnerID: c.Account,
		ProductID: q.Integer("product_id", 0, 1, math.MaxInt64),
		Limit:     q.Limit(maxInventory),
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
		Movements []shared.Movement `json:"movements"`
		Count     int               `json:"count"`
		Limit     int               `json:"limit"`
		Offset    int64             `json:"offset"`
	}{shared.MovementsOf(found), len(found), filter.Limit, filter.Offset})
}
