package stock

import (
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
)

// seeded is the catalogue of a test account, by product id from 1.
var seeded = []delivery.Product{
	{
		Name: "Maple syrup 540 ml", PriceCents: 12_99, StockMin: 20, StockMax: seededQuantity, Barcode: "0627843400011",
		SKU: "MAPLE-540", Status: delivery.ProductActive,
	},
	{
		Name: "Dark roast coffee 1 kg", PriceCents: 24_50, StockMin: 10, StockMax: seededQuantity, Barcode: "0627843400028",
		SKU: "COFFEE-1KG", Status: delivery.ProductActive,
	},
	{
		Name: "Wool blanket", PriceCents: 89_00, StockMin: 5, StockMax: seededQuantity, Barcode: "0627843400035",
		SKU: "BLANKET", Status: delivery.ProductActive,
	},
}

const (
	// seededQuantity is how many units of each product a test account gets: no test
	// uses them up, and an order for more is refused with insufficient_stock.
	seededQuantity = 1_000_000
	seededLocation = "TEST-1"
)

// Seed gives a test account its catalogue: three products with ample stock. It does
// nothing if the account has one. The error may be not_found.
func (s *Service) Seed(ctx context.Context, testAccount string) error {
	return s.write(ctx, func(tx Writer) error {
		locked, err := tx.LockStock(ctx, testAccount, 1)
		if err != nil {
			return err
		}
		if locked == nil {
			return errNoPartner
		}
		if locked.Products[1] != nil {
			return nil
		}
		return s.seed(ctx, tx, testAccount)
	})
}

// seed adds the products, and books their stock in.
func (s *Service) seed(ctx context.Context, tx Writer, testAccount string) error {
	now := s.now()
	first, err := tx.AddProducts(ctx, testAccount, now, seeded...)
	if err != nil {
		return err
	}
	ids := make([]int64, len(seeded))
	for i := range ids {
		ids[i] = first + int64(i)
	}
	locked, err := tx.LockStock(ctx, testAccount, ids...)
	if err != nil {
		return err
	}
	for _, id := range ids {
		locked.Book(delivery.Movement{
			Type: delivery.MovementIn, Quantity: seededQuantity, ProductID: id, Location: seededLocation, Notes: "opening stock",
			At: now,
		})
	}
	return tx.SaveStock(ctx, locked)
}
