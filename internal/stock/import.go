package stock

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/ledger"
)

// Imported tells what an import did.
type Imported struct {
	Created, Changed, Unchanged int
	Movements                   int // of opening stock
}

// importLine is one line of an import, and what it is about.
type importLine struct {
	csvRow
	productID int64 // 0 for a new product
	before    delivery.Product
	product   delivery.Product
	opening   entry // of a new product; without quantity there is none
}

// Import adds and changes products from the CSV of a request: a line with a
// product_id, or with the barcode of one product, changes it, and any other adds
// one. Every fault is told with its line; with any, nothing is stored. With its
// key the request is carried out once: a line without a barcode would be added
// again. The key is looked for as soon as products and counters are locked, in
// the order in which orders lock them.
func (s *Service) Import(ctx context.Context, r Request) (answer Answer, err error) {
	var malformed form.Problems
	rows, err := readRows(r.Body, &malformed)
	if err != nil {
		return Answer{}, err
	}
	for err = errOutrun; errors.Is(err, errOutrun); {
		answer, err = s.importRows(ctx, r, rows, malformed)
	}
	return answer, err
}

// importRows is one try at an import. It is errOutrun if it must be tried again.
func (s *Service) importRows(ctx context.Context, r Request, rows []csvRow, malformed form.Problems) (answer Answer, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		known, err := tx.Barcodes(ctx, r.PartnerID)
		if err != nil {
			return err
		}
		im := &importing{problems: slices.Clone(malformed), barcodes: known, taken: map[int64]int{}, fresh: map[string]int{}}
		for _, row := range rows {
			im.find(row)
		}
		if err := im.load(ctx, tx, r.PartnerID); err != nil {
			return err
		}
		var found bool
		if answer, found, err = r.find(ctx, tx); err != nil || found {
			return err
		}
		if err := im.stillFresh(ctx, tx, r.PartnerID); err != nil {
			return err
		}
		for i := range im.lines {
			im.read(&im.lines[i])
		}
		if len(im.problems) > maxTold {
			im.problems = im.problems[:maxTold]
		}
		if err := im.problems.Err(); err != nil {
			return err
		}
		done, err := s.carryOut(ctx, tx, r.PartnerID, im)
		if err != nil {
			return err
		}
		answer, err = s.keep(ctx, tx, r, done)
		return err
	})
	return answer, err
}

// importing is an import while it is read.
type importing struct {
	lines    []importLine
	problems form.Problems
	barcodes map[string][]int64
	taken    map[int64]int  // the line that is about a product
	fresh    map[string]int // the line that adds a barcode
	ledger   *ledger.Ledger
}

// fault notes what is wrong with a line.
func (im *importing) fault(row csvRow, column string, expected string) {
	im.problems.Add(fmt.Sprintf("lines[%d].%s", row.line, column), row.echo(column), expected)
}

func (r csvRow) echo(column string) any {
	if cell, ok := r.cells[column]; ok {
		return cell
	}
	return nil
}

// find tells which product a line is about.
func (im *importing) find(row csvRow) {
	line := importLine{csvRow: row}
	var own form.Problems
	id, given := form.New(row, &own).Integer("product_id", form.Optional, 1, 1<<53)
	barcode := row.cells["barcode"]
	by := "product_id"
	switch matches := im.barcodes[barcode]; {
	case len(own) > 0:
		im.fault(row, "product_id", own[0].Expected)
		return
	case given:
		line.productID = id
	case barcode != "" && len(matches) > 1:
		im.fault(row, "barcode", "a product_id too: several products have this barcode")
		return
	case barcode != "" && len(matches) == 1:
		line.productID, by = matches[0], "barcode"
	case barcode != "" && im.fresh[barcode] > 0:
		im.fault(row, "barcode", fmt.Sprintf("another barcode than line %d", im.fresh[barcode]))
		return
	case barcode != "":
		im.fresh[barcode] = row.line
	}
	if other := im.taken[line.productID]; other > 0 && line.productID != 0 {
		im.fault(row, by, fmt.Sprintf("another product than line %d", other))
		return
	}
	im.taken[line.productID] = row.line
	im.lines = append(im.lines, line)
}

// load locks the products that lines are about.
func (im *importing) load(ctx context.Context, tx Writer, partnerID string) (err error) {
	ids := make([]int64, 1, 1+len(im.lines)) // 0 is for the lock of the partner
	for _, line := range im.lines {
		ids = append(ids, line.productID)
	}
	if im.ledger, err = tx.LockLedger(ctx, partnerID, ids...); err == nil && im.ledger == nil {
		err = errNoPartner
	}
	return err
}

// errOutrun ends a try at an import that another has outrun.
var errOutrun = errors.New("another import has added the same barcode meanwhile")

// stillFresh looks, now that nobody else adds products, whether somebody has added
// a barcode since they were read. It is errOutrun.
func (im *importing) stillFresh(ctx context.Context, tx Writer, partnerID string) error {
	if len(im.fresh) == 0 {
		return nil
	}
	known, err := tx.Barcodes(ctx, partnerID)
	for barcode := range im.fresh {
		if len(known[barcode]) > 0 {
			return errOutrun
		}
	}
	return err
}

// read reads what a line says of its product.
func (im *importing) read(line *importLine) {
	var own form.Problems
	f := form.New(line.csvRow, &own)
	line.product = delivery.Product{Status: delivery.ProductActive}
	if line.productID == 0 {
		readInto(f, &line.product, form.Required)
	} else {
		product := im.ledger.Products[line.productID]
		if product == nil {
			im.fault(line.csvRow, "product_id", "the id of one of the partner's products")
			return
		}
		line.before, line.product = product.Product, product.Product
		readInto(f, &line.product, form.Optional)
	}
	line.readOpening(f)
	for _, problem := range own {
		im.fault(line.csvRow, problem.Field, problem.Expected)
	}
}

// readOpening reads what a new product begins with. A product that exists has
// movements and counts for that: a file that is imported twice must not add its
// stock twice.
func (l *importLine) readOpening(f *form.Form) {
	switch {
	case !f.Has("opening_quantity") && !f.Has("opening_location"):
	case l.productID != 0:
		f.Fault("opening_quantity", "nothing for a product that exists: book a movement or a count")
	default:
		quantity, _ := f.Integer("opening_quantity", form.Required, 1, maxQuantity)
		l.opening = entry{
			kind: delivery.MovementIn, quantity: quantity, notes: "opening stock",
			from: f.Text("opening_location", form.Required, locationRule),
		}
	}
}

// carryOut writes an import that has no fault.
func (s *Service) carryOut(ctx context.Context, tx Writer, partnerID string, im *importing) (done Imported, err error) {
	var added, changed []delivery.Product
	var openings []entry
	var entries []*audit.Entry
	for _, line := range im.lines {
		switch {
		case line.productID == 0:
			added, openings = append(added, line.product), append(openings, line.opening)
		case line.product == line.before:
			done.Unchanged++
		default:
			changed = append(changed, line.product)
			entry, err := s.note(ctx, audit.ActionProductChanged, partnerID, line.productID, factsOf(line.before), factsOf(line.product))
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
		notes, booked, err := s.add(ctx, tx, partnerID, added, openings)
		if err != nil {
			return done, err
		}
		entries, done.Movements = append(entries, notes...), booked
	}
	return done, tx.AddAudit(ctx, entries...)
}

// add adds products with the stock that they begin with.
func (s *Service) add(ctx context.Context, tx Writer, partnerID string, added []delivery.Product, openings []entry) (entries []*audit.Entry, booked int, err error) {
	first, err := tx.AddProducts(ctx, partnerID, s.now(), added...)
	if err != nil {
		return nil, 0, err
	}
	var ids []int64
	for i, product := range added {
		id := first + int64(i)
		entry, err := s.note(ctx, audit.ActionProductCreated, partnerID, id, nil, factsOf(product))
		if err != nil {
			return nil, 0, err
		}
		entries = append(entries, entry)
		if openings[i].productID = id; openings[i].quantity > 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return entries, 0, nil
	}
	locked, err := tx.LockLedger(ctx, partnerID, ids...)
	if err != nil {
		return nil, 0, err
	}
	for _, opening := range openings {
		if opening.quantity == 0 {
			continue
		}
		_, entry, err := s.book(ctx, locked, opening)
		if err != nil {
			return nil, 0, err
		}
		entries = append(entries, entry)
	}
	return entries, len(locked.Booked), tx.SaveLedger(ctx, locked)
}
