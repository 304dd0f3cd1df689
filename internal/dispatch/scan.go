package dispatch

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Scan describes what was read from a label.
type Scan struct {
	Text string // the text as it was read
	// OrderID and Place are set if the text is one of this service's own codes, of
	// an order or of a parcel. Place counts the order's parcels from 1, and is 0 for
	// all of them.
	OrderID string
	Place   int
	// CourierID limits the scan to one courier's orders; empty for the dispatch
	// desk.
	CourierID string
}

// Match is an order that a scan has found, and which parcel of it.
type Match struct {
	Job
	Place int // of the parcel, from 1; 0 if the label's code stands for the whole order
}

// maxMatches is the most parcels that are returned for a barcode: partners choose
// their barcodes, and two partners may choose the same.
const maxMatches = 20

// Find returns the orders that a label belongs to: any order by this service's own code, orders under way by
// a parcel's barcode or parcel_id, and otherwise those whose goods are due back. The error may be not_found.
func (s *Service) Find(ctx context.Context, scan Scan) (matches []Match, err error) {
	now := s.now()
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		places, orders, err := named(ctx, tx, scan)
		if err == nil && len(orders) == 0 {
			places, orders, err = s.barcoded(ctx, tx, scan, now)
		}
		if err == nil && len(orders) == 0 {
			places, orders, err = s.comingBack(ctx, tx, scan)
		}
		if err == nil && len(orders) == 0 {
			err = refusal.NotFound("a parcel of this label")
		}
		if err != nil {
			return err
		}
		jobs, err := jobsOf(ctx, tx, orders)
		matches = make([]Match, len(jobs))
		for i := range jobs {
			matches[i] = Match{jobs[i], places[i]}
		}
		return err
	})
	return matches, s.config.Damaged.Of(err)
}

// named returns the order, if any, that the scan names by this service's own code,
// and the place of its parcel.
func named(ctx context.Context, tx Reader, scan Scan) (places []int, orders []*delivery.Order, err error) {
	partnerID, ok := delivery.PartnerOfLiveOrder(scan.OrderID)
	if !ok {
		return nil, nil, nil
	}
	o, err := tx.Order(ctx, partnerID, scan.OrderID)
	if err != nil || o == nil || scan.Place > len(o.Parcels) || scan.CourierID != "" && !o.CarriedBy(scan.CourierID) {
		return nil, nil, err
	}
	return []int{scan.Place}, []*delivery.Order{o}, nil
}

// barcoded returns the orders under way that have a parcel with what was scanned on its label, and
// the places of the parcels. The text as it was read comes first: partners choose their codes,
// and one may look like another reading of another code.
func (s *Service) barcoded(
	ctx context.Context, tx Reader, scan Scan, now time.Time,
) (places []int, orders []*delivery.Order, err error) {
	readings := barcode.Readings(scan.Text)
	if len(readings) == 0 {
		return nil, nil, nil
	}
	places, orders, err = s.withLines(ctx, tx, scan, readings[:1], now)
	if lines := linesOf(readings); err == nil && len(orders) == 0 && len(lines) > 0 {
		places, orders, err = s.withLines(ctx, tx, scan, lines, now)
	}
	return places, orders, err
}

// comingBack returns the orders whose goods are due back and that have a parcel with what was scanned on its
// label, and the places of the parcels.
func (s *Service) comingBack(
	ctx context.Context, tx Reader, scan Scan,
) (places []int, orders []*delivery.Order, err error) {
	found, err := s.labelledReturns(ctx, tx, scan.Text)
	lines := barcode.Readings(scan.Text)
	if len(lines) > 0 {
		lines = append(lines[:1:1], linesOf(lines)...)
	}
	for _, one := range found {
		if scan.CourierID == "" || one.Order.CarriedBy(scan.CourierID) {
			places, orders = append(places, labelled(one.Order, lines)), append(orders, one.Order)
		}
	}
	return places, orders, err
}

// linesOf returns the texts that labels may have for some readings, besides the first one: a GTIN
// may be written in several lengths.
func linesOf(readings []string) []string {
	lines := make([]string, 0, len(readings))
	for _, reading := range readings {
		lines = append(append(lines, reading), barcode.Lengths(reading)...)
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == readings[0] })
}

// withLines returns the orders under way that have a parcel with one of the texts on its label.
// The board ignores case and also finds the texts elsewhere, for example in references; so
// further pages are read until there are enough parcels or no more rows.
func (s *Service) withLines(
	ctx context.Context, tx Reader, scan Scan, lines []string, now time.Time,
) (places []int, orders []*delivery.Order, _ error) {
	filter := Filter{Lines: lines, CourierID: scan.CourierID, Sort: SortOldest, Limit: maxMatches}
	for {
		rows, err := tx.Board(ctx, filter, now)
		if err != nil {
			return nil, nil, err
		}
		found, err := tx.OrdersOf(ctx, rows)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range s.config.Damaged.Readable(ordersIn(rows, found)) {
			if place := labelled(o, lines); place > 0 && len(orders) < maxMatches {
				places, orders = append(places, place), append(orders, o)
			}
		}
		if len(rows) < filter.Limit || len(orders) == maxMatches {
			return places, orders, nil
		}
		filter.After = filter.cursorOf(rows[len(rows)-1])
	}
}

// labelled returns the place of the parcel, from 1, that has the first text that any has on its
// label; 0 if there is none. A parcel with a barcode has no parcel_id in its code, and many
// orders may have the same parcel_id.
func labelled(o *delivery.Order, texts []string) int {
	for _, text := range texts {
		at := slices.IndexFunc(o.Parcels, func(p delivery.Parcel) bool { return p.Barcode == text })
		if at < 0 {
			at = slices.IndexFunc(o.Parcels, func(p delivery.Parcel) bool { return p.Barcode == "" && p.ParcelID == text })
		}
		if at >= 0 {
			return at + 1
		}
	}
	return 0
}
