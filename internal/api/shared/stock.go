package shared

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// Product is a product in JSON (docs/contract.md, Products and movements).
type Product struct {
	ProductID   int64                  `json:"product_id"`
	Name        string                 `json:"name"`
	Quantity    int64                  `json:"quantity"`
	LowStock    bool                   `json:"low_stock"`
	StockMin    int64                  `json:"stock_min"`
	StockMax    int64                  `json:"stock_max"`
	Price       float64                `json:"price"` // dollars
	Status      delivery.ProductStatus `json:"status"`
	Barcode     string                 `json:"barcode"`
	SKU         *string                `json:"sku"` // null if it has none
	IsAvailable bool                   `json:"is_available"`
}

// ProductOf returns a product in JSON.
func ProductOf(p delivery.Product) Product {
	return Product{
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
		SKU:         strictjson.OrNull(p.SKU),
		IsAvailable: p.Available(),
	}
}

// Movement is a stock movement in JSON (docs/contract.md, Products and movements).
type Movement struct {
	MovementID  int64                 `json:"movement_id"`
	Type        delivery.MovementType `json:"type"`
	Quantity    int64                 `json:"quantity"`
	ProductID   int64                 `json:"product_id"`
	ProductName string                `json:"product_name"`
	Location    string                `json:"location"`
	Date        time.Time             `json:"date"`
}

// MovementsOf returns movements in JSON.
func MovementsOf(booked []delivery.Movement) []Movement {
	all := make([]Movement, len(booked))
	for i, m := range booked {
		all[i] = Movement{
			MovementID: m.MovementID, Type: m.Type, Quantity: m.Quantity, ProductID: m.ProductID, ProductName: m.ProductName,
			Location: m.Location, Date: m.At,
		}
	}
	return all
}
