package stock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// Imported holds the numbers of products and movements of an import.
type Imported struct {
	Created, Changed, Unchanged int
	Movements                   int // of opening stock
}

// Plan is what an import does.
type Plan struct {
	Lines     []PlannedLine // that add or change a product
	Unchanged int           // lines whose product is as they say already
}

// PlannedLine is a line of an import that adds or changes a product.
type PlannedLine struct {
	Line          int // of the file, of which the header is line 1
	Before, After delivery.Product
	// OpeningQuantity and OpeningLocation are the opening stock of a new product; the
	// quantity is 0 if there is none.
	OpeningQuantity int64
	OpeningLocation string
}

// New reports whether the line adds a product.
func (l PlannedLine) New() bool { return l.After.ProductID == 0 }

// importLine is one line of an import with its product.
type importLine struct {
	csvRow
	productID int64 // 0 for a new product
	before    delivery.Product
	product   delivery.Product
	opening   Booking // the opening stock of a new product; quantity 0 for none
}

// Import adds and changes products from the CSV of a request. A line with a
// product_id, with the sku of a product, or with the barcode of exactly one product,
// changes that product; any other line adds one. If lines have faults, all are reported with their lines and
// nothing is stored.
//
// With its idempotency key the request is carried out once, since otherwise a line
// without a barcode would be added again. The key is looked up after the products
// and counters have been locked, in the order in which orders lock them.
func (s *Service) Import(ctx context.Context, r Request[Imported], file []byte) (idempotency.Answer, error) {
	return s.ImportFrom(ctx, r, nil, file)
}

// ImportFrom does the same, but refuses with form.ErrStale unless what it would do is the
// basis of the import.
func (s *Service) ImportFrom(
	ctx context.Context, r Request[Imported], basis form.Basis[*Plan], file []byte,
) (answer idempotency.Answer, err error) {
	var malformed form.Problems
	rows, err := readRows(file, &malformed)
	if err != nil {
		return idempotency.Answer{}, err
	}
	if len(rows) > ImportPart {
		return s.importParts(ctx, r, basis, rows, malformed)
	}
	for err = errCodeAdded; errors.Is(err, errCodeAdded); {
		answer, err = s.importRows(ctx, r, basis, rows, malformed)
	}
	return answer, err
}

// PlanImport returns what Import would do with a file, and changes nothing. It refuses
// what Import refuses. To read the file as Import does, it is an import that accepts no
// plan.
func (s *Service) PlanImport(ctx context.Context, partnerID string, file []byte) (plan *Plan, err error) {
	none := func(p *Plan) bool { plan = p; return false }
	_, err = s.ImportFrom(ctx, Request[Imported]{PartnerID: partnerID}, none, file)
	if errors.Is(err, form.ErrStale) {
		err = nil
	}
	return plan, err
}

// importRows is one try at an import. It returns errCodeAdded if another try is
// needed.
func (s *Service) importRows(
	ctx context.Context, r Request[Imported], basis form.Basis[*Plan], rows []csvRow, malformed form.Problems,
) (answer idempotency.Answer, err error) {
	err = s.write(ctx, func(tx Writer) error {
		known, err := tx.Codes(ctx, r.PartnerID)
		if err != nil {
			return err
		}
		im := newImporting(malformed, known)
		for _, row := range rows {
			im.find(row)
		}
		if err := im.load(ctx, tx, r.PartnerID); err != nil {
			return err
		}
		answer, err = r.once(ctx, s, tx, func() (done Imported, err error) {
			if err := checkParts(ctx, r, tx); err != nil {
				return done, err
			}
			if err := im.checkNewCodes(ctx, tx, r.PartnerID); err != nil {
				return done, err
			}
			if err := im.readAll(im.ledger.Products); err != nil {
				return done, err
			}
			if err := basis.Check(im.plan()); err != nil {
				return done, err
			}
			return s.carryOut(ctx, tx, r.PartnerID, im)
		})
		return err
	})
	return answer, err
}

// importing is an import that is being read.
type importing struct {
	lines    []importLine
	problems form.Problems
	known    Codes          // of the products
	lineOf   map[int64]int  // the line of a product
	newCodes map[string]int // the line of a barcode that no product has, by codeKey
	barcodes *codes         // the barcodes in other forms; nil until they are needed
	skus     *codes         // the skus in other forms, likewise
	ledger   *movement.Stock
	firstID  int64 // of the products that were added
}

// newImporting returns an import with these faults, of a partner whose products have these
// codes.
func newImporting(malformed form.Problems, known Codes) *importing {
	return &importing{
		problems: slices.Clone(malformed), known: known, lineOf: map[int64]int{}, newCodes: map[string]int{},
	}
}

// readAll reads the products of all lines, of which those with an id are among held. It
// refuses lines with faults.
func (im *importing) readAll(held map[int64]*movement.Product) error {
	for i := range im.lines {
		im.read(&im.lines[i], held)
	}
	im.checkSKUs()
	if len(im.problems) > maxFaults {
		im.problems = im.problems[:maxFaults]
	}
	return im.problems.Err()
}

// The rules for lines of an import.
var (
	ambiguousBarcode  = form.Define("import_ambiguous", "a product_id as well, because several products have this barcode")
	barcodeTwice      = form.Define("import_barcode_twice", "a barcode other than that of line {line}")
	productTwice      = form.Define("import_product_twice", "a product other than that of line {line}")
	noOpening         = form.Define("import_opening", "no value for an existing product: book a movement or a count")
	importColumnRule  = form.Define("import_columns", "columns, each at most once, out of {columns}")
	importCells       = form.Define("import_cells", "{cells} cells, as the header has")
	importInterrupted = form.Define("import_interrupted", "products that do not change during the import: "+
		"it is stored up to line {line}; send the lines behind it, corrected")
	importSize   = form.Define("import_most", "at most {most} products")
	importRuined = form.Define("import_ruined", "what was there before a spreadsheet changed it: "+
		"format the column as text and enter the value again, or write it as =\"0012\"")
)

// fault adds a problem with a column of a line.
func (im *importing) fault(row csvRow, column string, rule form.Rule) {
	im.problems.Add(fmt.Sprintf("lines[%d].%s", row.line, column), row.echo(column), rule)
}

// echo returns the text of a cell for a problem; nil if it is empty.
func (r csvRow) echo(column string) any {
	if cell := r.cells.Get(column); cell != "" {
		return cell
	}
	return nil
}

// match returns the products that have the barcode of a line, in any length if it is a GTIN. It
// reports whether the barcode is what a spreadsheet made of one of a product.
func (im *importing) match(row csvRow) (matches []int64, ruined bool) {
	cell, found := row.read["barcode"]
	if matches = im.known.Barcodes[cell.Text]; !found || len(matches) > 0 {
		return matches, false
	}
	if im.barcodes == nil {
		im.barcodes = newCodes(im.known.Barcodes)
	}
	if im.barcodes.isRuined(cell) {
		return nil, true
	}
	return im.barcodes.find(cell.Text), false
}

// matchSKU returns the product that has the sku of a line; 0 if none has. It reports whether the sku
// is what a spreadsheet made of one of a product.
func (im *importing) matchSKU(row csvRow) (productID int64, ruined bool) {
	cell, found := row.read["sku"]
	if !found || isRemoval(cell) {
		return 0, false
	}
	if matches := im.known.SKUs[cell.Text]; len(matches) > 0 {
		return matches[0], false
	}
	if im.skus == nil {
		im.skus = newCodes(im.known.SKUs)
	}
	return 0, im.skus.isRuined(cell)
}

// checkSKUs adds a fault for each line with the sku of another product or line. A product keeps its
// sku from others even if another line takes it away: parts of an import are stored one by one.
func (im *importing) checkSKUs() {
	lineOf := map[string]int{}
	for _, line := range im.lines {
		sku := line.product.SKU
		if sku == "" {
			continue
		}
		owners := im.known.SKUs[sku]
		if len(owners) > 0 && owners[0] != line.productID || lineOf[sku] > 0 {
			im.fault(line.csvRow, "sku", SKUOfOther)
		}
		lineOf[sku] = line.line
	}
}

// find decides which product a line changes, if any, and adds it to the lines.
func (im *importing) find(row csvRow) {
	line := importLine{csvRow: row}
	var own form.Problems
	id, given := row.form(&own).Integer("product_id", form.Optional, 1, 1<<53)
	barcode := row.cells.Get("barcode")
	by := "product_id"
	matches, ruined := im.match(row)
	ofSKU, skuRuined := im.matchSKU(row)
	switch {
	case row.read["product_id"].Ruined():
		im.fault(row, "product_id", importRuined)
		return
	case len(own) > 0:
		im.fault(row, "product_id", own[0].Rule)
		return
	case given:
		line.productID = id
	case skuRuined:
		im.fault(row, "sku", importRuined)
		return
	case ofSKU != 0:
		line.productID, by = ofSKU, "sku"
	case ruined:
		im.fault(row, "barcode", importRuined)
		return
	case barcode != "" && len(matches) > 1:
		im.fault(row, "barcode", ambiguousBarcode)
		return
	case barcode != "" && len(matches) == 1:
		line.productID, by = matches[0], "barcode"
	case barcode != "" && im.newCodes[codeKey(barcode)] > 0:
		im.fault(row, "barcode", barcodeTwice.With("line", strconv.Itoa(im.newCodes[codeKey(barcode)])))
		return
	case barcode != "":
		im.newCodes[codeKey(barcode)] = row.line
	}
	if other := im.lineOf[line.productID]; other > 0 && line.productID != 0 {
		im.fault(row, by, productTwice.With("line", strconv.Itoa(other)))
		return
	}
	im.lineOf[line.productID] = row.line
	im.lines = append(im.lines, line)
}

// load locks the products of the lines.
func (im *importing) load(ctx context.Context, tx Writer, partnerID string) (err error) {
	ids := make([]int64, 1, 1+len(im.lines)) // 0 locks the partner, even if all lines are new
	for _, line := range im.lines {
		ids = append(ids, line.productID)
	}
	if im.ledger, err = tx.LockStock(ctx, partnerID, ids...); err == nil && im.ledger == nil {
		err = errNoPartner
	}
	return err
}

// errCodeAdded ends a try at an import: another import was faster.
var errCodeAdded = errors.New("another import has added a product with the same barcode or sku")

// checkNewCodes returns errCodeAdded if a product with one of the new barcodes has
// been added since the codes were read, or a sku of a line has come to another product.
// From now on the lock keeps others from adding and changing products.
func (im *importing) checkNewCodes(ctx context.Context, tx Writer, partnerID string) error {
	hasSKU := slices.ContainsFunc(im.lines, func(l importLine) bool { return l.cells.Has("sku") })
	if len(im.newCodes) == 0 && !hasSKU {
		return nil
	}
	known, err := tx.Codes(ctx, partnerID)
	for barcode := range known.Barcodes {
		if im.newCodes[codeKey(barcode)] > 0 {
			return errCodeAdded
		}
	}
	for _, line := range im.lines {
		sku := line.cells.Get("sku")
		if sku != "" && !slices.Equal(known.SKUs[sku], im.known.SKUs[sku]) {
			return errCodeAdded
		}
	}
	return err
}

// read reads the product of a line, or what the line changes in it.
func (im *importing) read(line *importLine, held map[int64]*movement.Product) {
	var own form.Problems
	f := line.form(&own)
	if line.productID == 0 {
		line.removeSKU()
		line.product = ReadProduct(f)
	} else {
		product := held[line.productID]
		if product == nil {
			im.fault(line.csvRow, "product_id", productOfPartner)
			return
		}
		line.before = product.Product
		line.keepTexts()
		removed := line.removeSKU()
		line.product = readChange(f, &line.before).of(line.before)
		if removed {
			line.product.SKU = ""
		}
	}
	line.readOpening(f)
	for _, column := range importColumns {
		if line.isRuined(column) {
			im.fault(line.csvRow, column, importRuined)
		}
	}
	for _, problem := range own {
		if line.isRuined(problem.Field) {
			continue
		}
		im.fault(line.csvRow, problem.Field, problem.Rule)
	}
}

// removal is the cell that removes the sku of a product, because an empty one leaves it as it is.
const removal = "-"

// isRemoval reports whether a cell of the column sku removes that of the product. The formula ="-" is a sku.
func isRemoval(cell csvfile.Cell) bool { return cell.Text == removal && !cell.Literal }

// removeSKU leaves out the sku of a line that removes it, and reports whether it does. A product whose sku is the text
// for it keeps that, so that a file that was exported changes nothing.
func (l *importLine) removeSKU() bool {
	if !isRemoval(l.read["sku"]) || l.before.SKU == removal {
		return false
	}
	l.cells.Del("sku")
	return true
}

// readOpening reads the opening stock of a new product. An existing product must not
// have any, because a file that is imported twice would add its stock twice.
func (l *importLine) readOpening(f *form.Form) {
	switch {
	case !f.Has("opening_quantity") && !f.Has("opening_location"):
	case l.productID != 0:
		f.Fault("opening_quantity", noOpening)
	default:
		quantity, _ := f.Integer("opening_quantity", form.Required, 1, maxQuantity)
		l.opening = Booking{
			Kind: delivery.MovementIn, Quantity: quantity, Notes: "opening stock",
			From: f.Text("opening_location", form.Required, locationRule),
		}
	}
}

// plan returns what an import without faults does.
func (im *importing) plan() *Plan {
	plan := &Plan{}
	for _, line := range im.lines {
		if line.productID != 0 && line.product == line.before {
			plan.Unchanged++
			continue
		}
		plan.Lines = append(plan.Lines,
			PlannedLine{line.line, line.before, line.product, line.opening.Quantity, line.opening.From})
	}
	return plan
}

// carryOut writes an import without faults.
func (s *Service) carryOut(ctx context.Context, tx Writer, partnerID string, im *importing) (done Imported, err error) {
	var added, changed []delivery.Product
	var openings []Booking
	var entries []*audit.Entry
	for _, line := range im.lines {
		switch {
		case line.productID == 0:
			added, openings = append(added, line.product), append(openings, line.opening)
		case line.product == line.before:
			done.Unchanged++
		default:
			changed = append(changed, line.product)
			im.ledger.Describe(line.product, s.now())
			entry, err := s.note(ctx, audit.ActionProductChanged, partnerID, line.productID, factsOf(line.before),
				factsOf(line.product))
			if err != nil {
				return done, err
			}
			entries = append(entries, entry)
		}
	}
	if err := tx.SaveProducts(ctx, partnerID, changed...); err != nil {
		return done, err
	}
	done.Changed, done.Created = len(changed), len(added)
	if len(added) > 0 {
		first, notes, booked, err := s.add(ctx, tx, partnerID, added, openings)
		if err != nil {
			return done, err
		}
		im.firstID = first
		entries, done.Movements = append(entries, notes...), booked
	}
	if err := tx.SaveStock(ctx, im.ledger); err != nil {
		return done, err
	}
	return done, tx.AddAudit(ctx, entries...)
}

// add adds products with their opening stock, and returns the first of their ids.
func (s *Service) add(
	ctx context.Context, tx Writer, partnerID string, added []delivery.Product, openings []Booking,
) (first int64, entries []*audit.Entry, booked int, err error) {
	first, err = tx.AddProducts(ctx, partnerID, s.now(), added...)
	if err != nil {
		return 0, nil, 0, err
	}
	var ids []int64
	for i, product := range added {
		id := first + int64(i)
		entry, err := s.note(ctx, audit.ActionProductCreated, partnerID, id, nil, factsOf(product))
		if err != nil {
			return 0, nil, 0, err
		}
		entries = append(entries, entry)
		if openings[i].ProductID = id; openings[i].Quantity > 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return first, entries, 0, nil
	}
	locked, err := tx.LockStock(ctx, partnerID, ids...)
	if err != nil {
		return 0, nil, 0, err
	}
	for _, opening := range openings {
		if opening.Quantity == 0 {
			continue
		}
		_, entry, err := s.book(ctx, locked, opening)
		if err != nil {
			return 0, nil, 0, err
		}
		entries = append(entries, entry)
	}
	return first, entries, len(locked.Booked), tx.SaveStock(ctx, locked)
}
