package store

import (
	"cmp"
	"slices"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/ledger"
)

// A ledger is what products, levels, movements and counters hold together.

// readingLedgers is the reading of ledgers in a pipeline.
type readingLedgers struct {
	products *db.Found[*productRow]
	levels   *db.Found[*levelRow]
	counters *db.Found[*counters]
}

// readLedgers queues the reading of products and of their partners' counters.
// Where they are locked, products come first in the order of their keys and
// counters second: two transactions in different orders could wait for each
// other.
func readLedgers(p *db.Pipeline, keys []ledger.ProductKey, locked bool) *readingLedgers {
	products, counters := findProducts, findCounters
	if locked {
		products, counters = lockProducts, lockCounters
	}
	return &readingLedgers{db.Find(p, products, keys), db.Find(p, findLevels, keys), db.Find(p, counters, partnersOf(keys))}
}

// partnersOf returns the partners of keys that are sorted by partner.
func partnersOf(keys []ledger.ProductKey) (partnerIDs []string) {
	for _, key := range keys {
		if len(partnerIDs) == 0 || partnerIDs[len(partnerIDs)-1] != key.PartnerID {
			partnerIDs = append(partnerIDs, key.PartnerID)
		}
	}
	return partnerIDs
}

// after returns the ledgers by partner; a partner that does not exist has none.
func (r *readingLedgers) after(done db.Flushed) map[string]*ledger.Ledger {
	ledgers := map[string]*ledger.Ledger{}
	for _, row := range r.counters.After(done) {
		ledgers[row.partnerID] = &ledger.Ledger{
			PartnerID: row.partnerID, LastMovement: row.lastMovement, Products: map[int64]*ledger.Product{},
		}
	}
	for _, row := range r.products.After(done) {
		if of := ledgers[row.partnerID]; of != nil {
			of.Products[row.ProductID] = &ledger.Product{Product: row.Product}
		}
	}
	for _, row := range r.levels.After(done) {
		if of := ledgers[row.partnerID]; of != nil && of.Products[row.ProductID] != nil {
			product := of.Products[row.ProductID]
			product.Levels = append(product.Levels, row.Level)
		}
	}
	return ledgers
}

// writeLedgers queues what has been booked in ledgers.
func writeLedgers(p *db.Pipeline, changed []*ledger.Ledger) {
	var movements []*movementRow
	var quantities []*productRow
	var levels []*levelRow
	last := make([]*counters, 0, len(changed))
	for _, of := range changed {
		for _, movement := range of.Booked {
			movements = append(movements, &movementRow{of.PartnerID, movement})
		}
		for _, product := range of.Changed() {
			quantities = append(quantities, &productRow{partnerID: of.PartnerID, Product: product.Product})
			for _, level := range product.Levels {
				levels = append(levels, &levelRow{of.PartnerID, level})
			}
		}
		last = append(last, &counters{partnerID: of.PartnerID, lastMovement: of.LastMovement})
	}
	db.WriteAll(p, addMovements, movements)
	db.WriteAll(p, setLastMovements, last)
	db.WriteAll(p, setQuantities, quantities)
	db.WriteAll(p, setLevels, levels)
}

// sortedLedgers returns ledgers in one order, so that rows are written in the
// order in which they are locked.
func sortedLedgers(byPartner map[string]*ledger.Ledger) []*ledger.Ledger {
	all := make([]*ledger.Ledger, 0, len(byPartner))
	for _, of := range byPartner {
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b *ledger.Ledger) int { return cmp.Compare(a.PartnerID, b.PartnerID) })
	return all
}
