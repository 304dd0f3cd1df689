package stock

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
)

// The columns of a catalogue in CSV. An export has the first; an import takes
// all of them, reads over in_stock, and books what a new product begins with.
var (
	exportColumns = []string{"product_id", "name", "price", "stock_min", "stock_max", "barcode", "status", "in_stock"}
	importColumns = append(exportColumns[:len(exportColumns):len(exportColumns)], "opening_quantity", "opening_location")
)

// exportPage is how many products are read at a time.
const exportPage = 500

// Export gives what writes a partner's catalogue in CSV, a page at a time. The
// first page is there when it returns.
func (s *Service) Export(ctx context.Context, partnerID string) (pages func(io.Writer) error, err error) {
	filter := ProductFilter{PartnerID: partnerID, Limit: exportPage}
	products, more, err := s.Catalogue(ctx, filter)
	if err != nil {
		return nil, err
	}
	return func(out io.Writer) error {
		w := csv.NewWriter(out)
		_ = w.Write(exportColumns) // w.Error tells
		for {
			for _, p := range products {
				_ = w.Write(exportRow(p))
			}
			w.Flush()
			if err := w.Error(); err != nil || !more {
				return err
			}
			filter.After = products[len(products)-1].ProductID
			if products, more, err = s.Catalogue(ctx, filter); err != nil {
				return err
			}
		}
	}, nil
}

func exportRow(p delivery.Product) []string {
	return []string{
		strconv.FormatInt(p.ProductID, 10), escapeFormula(p.Name), dollars(p.PriceCents),
		strconv.FormatInt(p.StockMin, 10), strconv.FormatInt(p.StockMax, 10), escapeFormula(p.Barcode), string(p.Status),
		strconv.FormatInt(p.Quantity, 10),
	}
}

func dollars(cents int64) string {
	text := strconv.FormatInt(cents, 10)
	if len(text) < 3 {
		text = strings.Repeat("0", 3-len(text)) + text
	}
	return text[:len(text)-2] + "." + text[len(text)-2:]
}

// formula are the characters that make a spreadsheet compute what follows. The
// quote is among them so that escaping can be undone.
const formula = "=+-@\t\r'"

// escapeFormula keeps a spreadsheet from computing a text.
func escapeFormula(text string) string {
	if text != "" && strings.Contains(formula, text[:1]) {
		return "'" + text
	}
	return text
}

// unescapeFormula undoes escapeFormula.
func unescapeFormula(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.Contains(formula, cell[1:2]) {
		return cell[1:]
	}
	return cell
}
