package stock

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// codeKey returns a text that is the same for barcodes that name the same product.
func codeKey(code string) string {
	if number, ok := barcode.GTIN(code); ok {
		return "GTIN " + number
	}
	return code
}

// codes are the barcodes or skus of a partner's products, and forms by which products are found
// besides the exact one.
type codes struct {
	exact     map[string][]int64
	gtins     map[string][]int64 // products by their GTIN without leading zeros
	shortened map[string]bool    // barcodes of digits that begin with zeros, without these
}

func newCodes(barcodes map[string][]int64) *codes {
	c := &codes{barcodes, map[string][]int64{}, map[string]bool{}}
	for known, ids := range barcodes {
		if number, ok := barcode.GTIN(known); ok {
			c.gtins[number] = append(c.gtins[number], ids...)
		}
		if barcode.IsDigits(known) && known[0] == '0' {
			c.shortened[strings.TrimLeft(known, "0")] = true
		}
	}
	return c
}

// isRuined reports whether a barcode that no product has is what a spreadsheet made of one: the
// line would add the product again.
func (c *codes) isRuined(cell csvfile.Cell) bool {
	return cell.Ruined() || !cell.Literal && c.shortened[cell.Text]
}

// find returns the products with the same GTIN, in order.
func (c *codes) find(text string) []int64 {
	number, ok := barcode.GTIN(text)
	if !ok {
		return nil
	}
	return slices.Sorted(slices.Values(c.gtins[number]))
}

// read returns the products that a scanned code names: by a barcode, or else by a sku, or else by a
// product_id.
func (c *codes) read(scanned string, skus map[string][]int64) []int64 {
	readings := barcode.Readings(scanned)
	for _, reading := range readings {
		if ids := c.exact[reading]; len(ids) > 0 {
			return ids
		}
		if ids := c.find(reading); len(ids) > 0 {
			return ids
		}
	}
	for _, reading := range readings {
		if ids := skus[reading]; len(ids) > 0 {
			return ids
		}
	}
	for _, reading := range readings {
		if id, err := strconv.ParseInt(reading, 10, 64); err == nil {
			return []int64{id}
		}
	}
	return nil
}
