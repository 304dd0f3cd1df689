package stock

import (
	"context"
	"io"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// The columns of a catalogue in CSV. An export has exportColumns. An import may have
// all of importColumns; it ignores in_stock, and books the opening quantity of a new
// product.
var (
	exportColumns = []string{"product_id", "name", "price", "stock_min", "stock_max", "barcode", "status", "in_stock",
		"sku"}
	importColumns = append(exportColumns[:len(exportColumns):len(exportColumns)], "opening_quantity", "opening_location")
)

// exportPage is the number of products that are read at a time.
const exportPage = 500

// Export returns a function that writes a partner's catalogue as CSV and reads it
// page by page. Export itself has read the first page, so that it returns the error
// for an unknown partner.
func (s *Service) Export(
	ctx context.Context, partnerID string, layout csvfile.Layout,
) (pages func(io.Writer) error, err error) {
	filter := ProductFilter{PartnerID: partnerID, Limit: exportPage}
	products, more, err := s.Catalogue(ctx, filter)
	if err != nil {
		return nil, err
	}
	return func(out io.Writer) error {
		w := csvfile.NewWriter(out, layout, exportColumns...)
		for {
			for _, p := range products {
				w.Row(exportRow(p)...)
			}
			if err := w.Flush(); err != nil || !more {
				return err
			}
			filter.After = products[len(products)-1].ProductID
			if products, more, err = s.Catalogue(ctx, filter); err != nil {
				return err
			}
		}
	}, nil
}

func exportRow(p delivery.Product) []csvfile.Value {
	return []csvfile.Value{
		csvfile.Whole(p.ProductID), csvfile.Words(p.Name), csvfile.Dollars(p.PriceCents),
		csvfile.Whole(p.StockMin), csvfile.Whole(p.StockMax), csvfile.Code(p.Barcode), csvfile.Plain(string(p.Status)),
		csvfile.Whole(p.Quantity), csvfile.Code(p.SKU),
	}
}

// ImportColumns returns the columns that an import may have.
func ImportColumns() []string { return slices.Clone(importColumns) }
