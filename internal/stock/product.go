package stock

import (
	"cmp"
	"context"
	"math"
	"slices"

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

// CreateProduct adds a product to a partner's catalogue, under an id of its own. Its stock
// is 0 until movements are booked. The error may be not_found or sku_taken.
func (s *Service) CreateProduct(
	ctx context.Context, partnerID string, product delivery.Product,
) (delivery.Product, error) {
	err := s.write(ctx, func(tx Writer) error {
		first, err := tx.AddProducts(ctx, partnerID, s.now(), product)
		if err == nil && first == 0 {
			err = errNoPartner
		}
		if err != nil {
			return err
		}
		product.ProductID = first
		if err := checkSKU(ctx, tx, partnerID, product); err != nil {
			return err
		}
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
	SKU        string                 `json:"sku,omitempty"`
	Status     delivery.ProductStatus `json:"status"`
}

func factsOf(p delivery.Product) productFacts {
	return productFacts{
		Name: p.Name, PriceCents: p.PriceCents, StockMin: p.StockMin, StockMax: p.StockMax, Barcode: p.Barcode,
		SKU: p.SKU, Status: p.Status,
	}
}

var errNoPartner = refusal.NotFound("partner")

// A barcode identifies a product. Releases before 0.2 allowed white space at its ends, and names with line breaks: an
// import leaves such texts as they are.
var (
	nameRule       = delivery.NameRule.And(form.OneLine)
	skuRule        = barcodeRule.And(form.OneLine)
	barcodeRule    = oldBarcodeRule.And(form.NoOuterSpace)
	oldBarcodeRule = form.Length(0, delivery.MaxProductCode)
)

// SKUOfOther is the rule for the sku of a product.
var SKUOfOther = form.Define("sku_of_other", "a sku that no other product has")

var (
	notBelowMin = form.Define("not_below_min", "an integer not less than stock_min")
	twoDecimals = form.Define("two_decimals", "a number with at most two decimals")
)

// ReadProduct reads a new product.
func ReadProduct(f *form.Form) delivery.Product {
	blank := delivery.Product{Status: delivery.ProductActive}
	return readChange(f, &blank).of(blank)
}

// ProductChange is what is set in a product. What is nil stays as it is.
type ProductChange struct {
	form.Faults
	Name       *string
	PriceCents *int64
	StockMin   *int64 // StockMax is never less
	StockMax   *int64
	Barcode    *string
	SKU        *string
	Status     *delivery.ProductStatus
	sentMax    any // StockMax as it was sent, for a fault
}

// ReadProductChange reads a change of a product.
func ReadProductChange(f *form.Form) ProductChange { return readChange(f, nil) }

// readChange reads what a form sets in a product: in a blank one, which has no id, at least
// its name and price. A nil product is not known yet.
func readChange(f *form.Form, before *delivery.Product) (c ProductChange) {
	blank := before != nil && before.ProductID == 0
	if blank || f.Has("name") {
		rule := nameRule
		if before != nil && f.Sent("name") == before.Name {
			rule = delivery.NameRule
		}
		c.Name = new(f.Text("name", form.Required, rule))
	}
	if blank || f.Has("price") {
		c.PriceCents = new(readPrice(f))
	}
	if least, given := f.Integer("stock_min", form.Optional, 0, maxQuantity); given {
		c.StockMin = &least
	}
	if most, given := f.Integer("stock_max", form.Optional, 0, maxQuantity); given {
		c.StockMax, c.sentMax = &most, f.Sent("stock_max")
		if before != nil && c.crosses(*before) {
			f.Fault("stock_max", notBelowMin)
		}
	}
	if f.Has("barcode") {
		rule := barcodeRule
		if before != nil && f.Sent("barcode") == before.Barcode {
			rule = oldBarcodeRule
		}
		c.Barcode = new(f.Text("barcode", form.Optional, rule))
	}
	rule := skuRule
	if before != nil && f.Sent("sku") == before.SKU {
		rule = oldBarcodeRule
	}
	c.SKU = f.NullableText("sku", rule)
	if f.Has("status") {
		rule := form.OneOf(delivery.ProductActive, delivery.ProductInactive)
		c.Status = new(delivery.ProductStatus(f.Text("status", form.Optional, rule)))
	}
	return c
}

// of returns a product with the change.
func (c ProductChange) of(p delivery.Product) delivery.Product {
	set(&p.Name, c.Name)
	set(&p.PriceCents, c.PriceCents)
	set(&p.StockMin, c.StockMin)
	set(&p.StockMax, c.StockMax)
	p.StockMax = max(p.StockMin, p.StockMax)
	set(&p.Barcode, c.Barcode)
	set(&p.SKU, c.SKU)
	set(&p.Status, c.Status)
	return p
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// crosses reports whether the change sets a stock_max that is less than stock_min.
func (c ProductChange) crosses(p delivery.Product) bool {
	return c.StockMax != nil && *c.StockMax < c.of(p).StockMin
}

// check returns what is wrong with the change of a product, in the order of the columns.
func (c ProductChange) check(p delivery.Product) error {
	faults := c.Problems()
	if c.crosses(p) {
		faults.Add("stock_max", c.sentMax, notBelowMin)
		slices.SortStableFunc(faults, func(a, b form.Problem) int {
			return cmp.Compare(slices.Index(importColumns, a.Field), slices.Index(importColumns, b.Field))
		})
	}
	return faults.Err()
}

// ChangeProduct changes a product. Only movements change its stock. The error may be a
// validation_error, not_found or sku_taken.
func (s *Service) ChangeProduct(
	ctx context.Context, partnerID string, productID int64, change ProductChange,
) (changed delivery.Product, err error) {
	return s.ChangeProductFrom(ctx, partnerID, productID, nil, change)
}

// ChangeProductFrom does the same, but refuses with form.ErrStale unless the product is
// the basis of the change.
func (s *Service) ChangeProductFrom(
	ctx context.Context, partnerID string, productID int64, basis form.Basis[delivery.Product], change ProductChange,
) (changed delivery.Product, err error) {
	err = s.write(ctx, func(tx Writer) error {
		locked, err := tx.LockStock(ctx, partnerID, productID)
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
		changed = change.of(before)
		if err := change.check(before); err != nil || changed == before {
			return err
		}
		entry, err := s.note(ctx, audit.ActionProductChanged, partnerID, productID, factsOf(before), factsOf(changed))
		if err != nil {
			return err
		}
		if err := tx.SaveProducts(ctx, partnerID, changed); err != nil {
			return err
		}
		if err := checkSKU(ctx, tx, partnerID, changed); err != nil {
			return err
		}
		locked.Describe(changed, s.now())
		if err := tx.SaveStock(ctx, locked); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	return changed, err
}

// checkSKU refuses a product that has been written if another one of its partner has its sku. The
// transaction holds the lock on the partner's counters, and so do all that write products.
func checkSKU(ctx context.Context, tx Writer, partnerID string, product delivery.Product) error {
	if product.SKU == "" {
		return nil
	}
	ids, err := tx.WithSKU(ctx, partnerID, product.SKU)
	if i := slices.IndexFunc(ids, func(id int64) bool { return id != product.ProductID }); i >= 0 {
		return delivery.SKUTaken(product.SKU, ids[i])
	}
	return err
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
