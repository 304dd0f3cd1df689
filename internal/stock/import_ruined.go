package stock

import (
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// importTexts are the columns with texts that spreadsheets may change, with the field of each.
var importTexts = map[string]func(l *importLine) string{
	"name":    func(l *importLine) string { return l.before.Name },
	"barcode": func(l *importLine) string { return l.before.Barcode },
	"sku":     func(l *importLine) string { return l.before.SKU },
}

// keepTexts puts the text of the product in the place of a cell that has it as spreadsheets keep
// it, for example without blanks around it. So a file that was exported changes nothing.
func (l *importLine) keepTexts() {
	for column, before := range importTexts {
		cell, found := l.read[column]
		switch {
		case found && cell.Keeps(before(l)):
			l.cells.Set(column, before(l))
		case found: // the product may have changed since the line was read first
			l.cells.Set(column, cell.Text)
		}
	}
}

// isRuined reports whether a spreadsheet has ruined a cell: what was there, or what is meant,
// cannot be known from it.
func (l *importLine) isRuined(column string) bool {
	cell, found := l.read[column]
	before, isText := importTexts[column]
	switch {
	case !found || column == "in_stock" || column == "sku" && isRemoval(cell):
		return false
	case !isText || l.productID == 0:
		return cell.Ruined() || slices.Contains(l.lacks, column)
	case cell.Keeps(before(l)):
		return false
	case slices.Contains(l.lacks, column):
		return true
	case column == "barcode" && isRuinedGTIN(cell, before(l)):
		return true
	default:
		return cell.Damages(before(l))
	}
}

// isRuinedGTIN reports whether a cell has digits that cannot be a GTIN, in the place of a GTIN.
func isRuinedGTIN(cell csvfile.Cell, before string) bool {
	_, was := barcode.GTIN(before)
	_, is := barcode.GTIN(cell.Text)
	return was && !is && !cell.Literal && len(cell.Text) >= 8 && barcode.IsDigits(cell.Text)
}
