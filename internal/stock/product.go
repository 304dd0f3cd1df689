package stock

import (
	"context"
	"math"

	"github.com/dropyard/dropyard/internal/delivery"
)

const (
	// maxQuantity bounds the quantity of one movement, and the levels that a
	// product can be wanted to have.
	maxQuantity = 1_000_000_000
	// maxStock bounds a product's stock over all locations, so that no sum of
	// movements comes near an overflow.
	maxStock = 1_000_000_000_000
)

// CreateProduct adds a product to a partner's catalogue. It has no stock until
// a movement brings some.
func (s *Service) CreateProduct(ctx context.Context, partnerID string, root delivery.Source) (delivery.Product, error) {
	product, problems := readProduct(root)
	if err := problems.Err(); err != nil {
		return delivery.Product{}, err
	}
	err := s.Store.Write(ctx, func(tx Writer) (err error) {
		product.ProductID, err = tx.AddProduct(ctx, partnerID, product, s.now())
		if err == nil && product.ProductID == 0 {
			err = errNoPartner
		}
		if err != nil {
			return err
		}
		entry, err := s.note(ctx, delivery.ActionProductCreated, partnerID, product.ProductID, nil, factsOf(product))
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	return product, err
}

// productFacts are what the audit log tells of a product.
type productFacts struct {
	Name       string                 `json:"name"`
	PriceCents int64                  `json:"price_cents"`
	StockMin   int64                  `json:"stock_min"`
	StockMax   int64                  `json:"stock_max"`
	Barcode    string                 `json:"barcode"`
	Status     delivery.ProductStatus `json:"status"`
}

func factsOf(p delivery.Product) productFacts {
	return productFacts{p.Name, p.PriceCents, p.StockMin, p.StockMax, p.Barcode, p.Status}
}

var errNoPartner = delivery.NotFound("partner")

func readProduct(root delivery.Source) (delivery.Product, delivery.Problems) {
	var problems delivery.Problems
	f := delivery.NewForm(root, &problems)
	p := delivery.Product{
		Name:       f.Text("name", delivery.Required, delivery.NameRule),
		PriceCents: readPrice(f),
	}
	least, _ := f.Integer("stock_min", delivery.Optional, 0, maxQuantity)
	most, given := f.Integer("stock_max", delivery.Optional, 0, maxQuantity)
	if given && most < least {
		f.Fault("stock_max", "an integer that is not less than stock_min")
	}
	p.StockMin, p.StockMax = least, max(least, most)
	p.Barcode = f.Text("barcode", delivery.Optional, delivery.Length(0, 255))
	p.Status = delivery.ProductActive
	if f.Has("status") {
		rule := delivery.OneOf(delivery.ProductActive, delivery.ProductInactive)
		p.Status = delivery.ProductStatus(f.Text("status", delivery.Optional, rule))
	}
	return p, problems
}

// readPrice reads dollars with at most two decimals, as cents. Up to the
// largest price a float64 tells every cent apart, so that dividing gives the
// number back if and only if it was a whole number of cents.
func readPrice(f *delivery.Form) int64 {
	dollars, ok := f.Decimal("price", delivery.Required, 0, delivery.MaxCents/100)
	cents := math.Round(dollars * 100)
	if ok && cents/100 != dollars {
		f.Fault("price", "a number with at most two decimals")
	}
	return int64(cents)
}
