package stock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// ImportPart is how many lines of an import are stored in one transaction, for which all
// other changes wait on the embedded database.
const ImportPart = 100

// partedImport is an import of more than ImportPart lines. The whole file is checked
// before any of it is stored, without keeping others waiting; then its parts are stored one
// after the other, between which other requests are carried out. A part counts what it has
// done under the import's idempotency key, so that a retry goes on behind it.
type partedImport struct {
	*Service
	request   Request[Imported]
	basis     form.Basis[*Plan]
	rows      []csvRow
	malformed form.Problems

	part   int          // how many parts are stored
	done   partDone     // what they did
	lines  []importLine // the rest of the file, as it was checked
	nextID int64        // of the next product that is added, unless others add one; 0 if unknown
}

// partDone is what one part of an import has done, or several.
type partDone struct {
	Lines, Created, Changed, Unchanged, Movements int
}

func (d *partDone) add(other partDone) {
	d.Lines += other.Lines
	d.Created += other.Created
	d.Changed += other.Changed
	d.Unchanged += other.Unchanged
	d.Movements += other.Movements
}

func (d *partDone) imported() Imported {
	return Imported{Created: d.Created, Changed: d.Changed, Unchanged: d.Unchanged, Movements: d.Movements}
}

// partOf returns a part of an import as a request, under whose key the part is kept.
func partOf(r Request[Imported], part int) *idempotency.Request {
	return r.Keyed.Part(strconv.Itoa(part))
}

// checkParts refuses an import whose key was used for one of several parts that did not
// come to its end.
func checkParts(ctx context.Context, r Request[Imported], tx idempotency.Reader) error {
	_, found, err := partOf(r, 0).Find(ctx, tx)
	if err == nil && found {
		err = idempotency.ErrReused
	}
	return err
}

// importParts carries out an import of many lines. One runs at a time, so that two with the
// same barcodes do not take turns part by part.
func (s *Service) importParts(
	ctx context.Context, r Request[Imported], basis form.Basis[*Plan], rows []csvRow, malformed form.Problems,
) (idempotency.Answer, error) {
	select {
	case s.importing <- struct{}{}:
		defer func() { <-s.importing }()
	case <-ctx.Done():
		return idempotency.Answer{}, ctx.Err()
	}
	p := &partedImport{Service: s, request: r, basis: basis, rows: rows, malformed: malformed}
	for {
		answer, found, err := p.check(ctx)
		if err != nil || found {
			return answer, p.interrupted(err)
		}
		answer, err = p.store(ctx)
		if !errors.Is(err, errCodeAdded) {
			return answer, err
		}
	}
}

// interrupted adds to the faults of an import how much of it is stored, if that is a part: a
// change of the products came between two parts.
func (p *partedImport) interrupted(err error) error {
	faults := form.ProblemsOf(err)
	if p.done.Lines == 0 || len(faults) == 0 {
		return err
	}
	var all form.Problems
	all.Add("lines", nil, importInterrupted.With("line", strconv.Itoa(p.rows[p.done.Lines-1].line)))
	faults = slices.Concat(all, faults)
	return faults[:min(len(faults), maxFaults)].Err()
}

// check reads how far earlier requests with the key have come, and what the rest of the file
// does. It refuses a file with faults. If the import is complete, it returns its answer.
func (p *partedImport) check(ctx context.Context) (answer idempotency.Answer, found bool, err error) {
	err = p.config.Store.Read(ctx, func(tx Reader) error {
		known, err := tx.HasPartner(ctx, p.request.PartnerID)
		if err == nil && !known {
			err = errNoPartner
		}
		if err != nil {
			return err
		}
		if answer, found, err = p.request.Keyed.Find(ctx, tx); err != nil || found {
			return err
		}
		if err := p.resume(ctx, tx); err != nil {
			return err
		}
		im, err := p.planRest(ctx, tx)
		if err != nil {
			return err
		}
		p.lines, p.nextID = im.lines, 0
		if p.part > 0 {
			return nil // the basis was checked before the first part
		}
		return p.basis.Check(im.plan())
	})
	return answer, found, err
}

// planRest reads the lines that are not stored yet. It refuses lines with faults.
func (p *partedImport) planRest(ctx context.Context, tx Reader) (*importing, error) {
	known, err := tx.Codes(ctx, p.request.PartnerID)
	if err != nil {
		return nil, err
	}
	im := newImporting(p.malformed, known)
	var ids []int64
	for _, row := range p.rows[p.done.Lines:] {
		im.find(row)
	}
	for _, line := range im.lines {
		if line.productID != 0 {
			ids = append(ids, line.productID)
		}
	}
	slices.Sort(ids)
	held, err := tx.Held(ctx, p.request.PartnerID, ids...)
	if err != nil {
		return nil, err
	}
	return im, im.readAll(held)
}

// resume skips the parts that are stored under the key.
func (p *partedImport) resume(ctx context.Context, tx Reader) error {
	for {
		done, found, err := p.stored(ctx, tx)
		if err != nil || !found {
			return err
		}
		p.skip(done)
	}
}

func (p *partedImport) skip(done partDone) {
	p.done.add(done)
	p.part++
}

// stored returns what the next part did, if it is stored already.
func (p *partedImport) stored(ctx context.Context, tx idempotency.Reader) (done partDone, found bool, err error) {
	answer, found, err := partOf(p.request, p.part).Find(ctx, tx)
	if err != nil || !found {
		return done, false, err
	}
	err = json.Unmarshal(answer.Body, &done)
	if err == nil && (done.Lines <= 0 || p.done.Lines+done.Lines > len(p.rows)) {
		err = fmt.Errorf("part %d of an import has %d lines behind %d of %d", p.part, done.Lines, p.done.Lines, len(p.rows))
	}
	return done, err == nil, err
}

// store stores the rest of the file part by part. It returns errCodeAdded if the
// products have changed so that the rest must be checked again.
func (p *partedImport) store(ctx context.Context) (answer idempotency.Answer, err error) {
	parts := slices.Collect(slices.Chunk(p.lines, ImportPart))
	if len(parts) == 0 {
		parts = [][]importLine{nil} // all lines are stored, but not the answer
	}
	for i, lines := range parts {
		var done partDone
		var nextID int64
		err := p.write(ctx, func(tx Writer) (err error) {
			done, nextID, err = p.storePart(ctx, tx, lines, p.lines[i*ImportPart+len(lines):])
			if err != nil || i < len(parts)-1 {
				return err
			}
			answer, err = p.finish(ctx, tx, done)
			return err
		})
		if err != nil {
			return idempotency.Answer{}, err
		}
		p.nextID = nextID
		if p.skip(done); p.done.Lines == len(p.rows) {
			return answer, nil
		}
	}
	return answer, nil
}

// finish keeps the answer to the whole import, whose last part did this.
func (p *partedImport) finish(ctx context.Context, tx Writer, last partDone) (idempotency.Answer, error) {
	return p.request.once(ctx, p.Service, tx, func() (Imported, error) {
		all := p.done
		all.add(last)
		return all.imported(), nil
	})
}

// storePart stores some lines in one transaction, and counts them under the key. The others
// are stored later.
func (p *partedImport) storePart(
	ctx context.Context, tx Writer, lines, later []importLine,
) (done partDone, nextID int64, err error) {
	im := newImporting(nil, Codes{})
	hasSKU := false
	for _, line := range lines {
		im.lines = append(im.lines, importLine{csvRow: line.csvRow, productID: line.productID})
		hasSKU = hasSKU || line.product.SKU != ""
	}
	if err := im.load(ctx, tx, p.request.PartnerID); err != nil || len(lines) == 0 {
		return done, 0, err
	}
	if done, found, err := p.stored(ctx, tx); err != nil || found { // a request on another node was faster
		return done, 0, err
	}
	if hasSKU { // others may have set skus since the check
		if im.known, err = tx.Codes(ctx, p.request.PartnerID); err != nil {
			return done, 0, err
		}
	}
	if err := im.readAll(im.ledger.Products); err != nil {
		return done, 0, errCodeAdded // the check reports the fault with all others
	}
	did, err := p.carryOut(ctx, tx, p.request.PartnerID, im)
	if err != nil {
		return done, 0, err
	}
	if did.Created > 0 {
		if nextID = im.firstID + int64(did.Created); im.firstID != p.nextID {
			err = im.checkAdded(ctx, tx, p.request.PartnerID, later)
		}
	}
	done = partDone{len(lines), did.Created, did.Changed, did.Unchanged, did.Movements}
	if err == nil {
		err = p.count(ctx, tx, done)
	}
	return done, nextID, err
}

// count keeps what a part did under its key.
func (p *partedImport) count(ctx context.Context, tx Writer, done partDone) error {
	answer, err := json.Marshal(done)
	if err != nil {
		return err
	}
	return partOf(p.request, p.part).Keep(ctx, tx, answer, p.now())
}

// checkAdded returns errCodeAdded if others have added a product with a barcode of the
// products that this transaction has added, or of those that are added later.
func (im *importing) checkAdded(ctx context.Context, tx Writer, partnerID string, later []importLine) error {
	codes, err := tx.Codes(ctx, partnerID)
	known := codes.Barcodes
	for _, line := range im.lines {
		if line.productID == 0 && len(known[line.product.Barcode]) > 1 {
			return errCodeAdded
		}
	}
	for _, line := range later {
		if line.productID == 0 && len(known[line.product.Barcode]) > 0 {
			return errCodeAdded
		}
	}
	return err
}
