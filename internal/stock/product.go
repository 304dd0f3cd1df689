package stock

import (
	"context"
	"math"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// maxQuantity bounds the quantity of one movement, and a product's stock_min and
	// stock_max.
	maxQuantity = 1_000_000_000
	// maxStock bounds a product's stock over all locations, so that no sum of
	// movements comes near an overflow.
	maxStock = 1_000_000_000_000
)

// CreateProduct adds a product to a partner's catalogue. Its stock is 0 until
// movements are booked. The error may be a validation_error or not_found.
func (s *Service) CreateProduct(ctx context.Context, partnerID string, root form.Source) (delivery.Product, error) {
	product, problems := readProduct(root)
	if err := problems.Err(); err != nil {
		return delivery.Product{}, err
	}
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		first, err := tx.AddProducts(ctx, partnerID, s.now(), product)
		if err == nil && first == 0 {
			err = errNoPartner
		}
		if err != nil {
			return err
		}
		product.ProductID = first
		entry, err := s.note(ctx, audit.ActionProductCreated, partnerID, product.ProductID, nil, factsOf(product))
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	return product, err
}

// productFacts is what the audit log holds of a product.
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

var errNoPartner = refusal.NotFound("partner")

var (
	notBelowMin = form.Define("not_below_min", "an integer not less than stock_min")
	twoDecimals = form.Define("two_decimals", "a number with at most two decimals")
)

func readProduct(root form.Source) (delivery.Product, form.Problems) {
	var problems form.Problems
	p := delivery.Product{Status: delivery.ProductActive}
	readInto(form.New(root, &problems), &p, form.Required)
	return p, problems
}

// readInto reads the fields that a form has into a product and leaves the others as
// they are. presence applies to name and price.
func readInto(f *form.Form, p *delivery.Product, presence form.Presence) {
	if presence == form.Required || f.Has("name") {
		p.Name = f.Text("name", form.Required, delivery.NameRule)
	}
	if presence == form.Required || f.Has("price") {
		p.PriceCents = readPrice(f)
	}
	if least, given := f.Integer("stock_min", form.Optional, 0, maxQuantity); given {
		p.StockMin = least
	}
	if most, given := f.Integer("stock_max", form.Optional, 0, maxQuantity); given {
		if most < p.StockMin {
			f.Fault("stock_max", notBelowMin)
		}
		p.StockMax = most
	}
	p.StockMax = max(p.StockMin, p.StockMax)
	if f.Has("barcode") {
		p.Barcode = f.Text("barcode", form.Optional, form.Length(0, 255))
	}
	if f.Has("status") {
		rule := form.OneOf(delivery.ProductActive, delivery.ProductInactive)
		p.Status = delivery.ProductStatus(f.Text("status", form.Optional, rule))
	}
}

// ChangeProduct changes the fields of a product that the request has. Only movements
// change its stock. The error may be a validation_error or not_found.
func (s *Service) ChangeProduct(ctx context.Context, partnerID string, productID int64, root form.Source) (changed delivery.Product, err error) {
	return s.ChangeProductFrom(ctx, partnerID, productID, nil, root)
}

// ChangeProductFrom does the same, but refuses with form.ErrStale unless the product is
// the basis of the change.
func (s *Service) ChangeProductFrom(ctx context.Context, partnerID string, productID int64, basis form.Basis[delivery.Product], root form.Source) (changed delivery.Product, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		locked, err := tx.LockLedger(ctx, partnerID, productID)
		switch {
		case err != nil:
			return err
		case locked == nil:
			return errNoPartner
		case locked.Products[productID] == nil:
			return errNoProduct
		}
		before := locked.Products[productID].Product
		if err := basis.Check(before); err != nil {
			return err
		}
		var problems form.Problems
		changed = before
		readInto(form.New(root, &problems), &changed, form.Optional)
		if err := problems.Err(); err != nil || changed == before {
			return err
		}
		entry, err := s.note(ctx, audit.ActionProductChanged, partnerID, productID, factsOf(before), factsOf(changed))
		if err != nil {
			return err
		}
		if err := tx.SaveProducts(ctx, partnerID, changed); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	return changed, err
}

var errNoProduct = refusal.NotFound("product")

// readPrice reads dollars with at most two decimals and returns cents. Up to the
// largest price, neighbouring cents are different float64 numbers. So dividing the
// cents by 100 gives the number that was sent if and only if that was a whole number
// of cents.
func readPrice(f *form.Form) int64 {
	dollars, ok := f.Decimal("price", form.Required, 0, delivery.MaxCents/100)
	cents := math.Round(dollars * 100)
	if ok && cents/100 != dollars {
		f.Fault("price", twoDecimals)
	}
	return int64(cents)
}
