package dispatch

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Scan is what was read from a label.
type Scan struct {
	Text string // all that was read
	// OrderID and Place are what the text stands for, if it names an order or a
	// parcel by this service's own numbers: Place counts the order's parcels from 1
	// and is 0 for all of them. Otherwise OrderID is empty.
	OrderID string
	Place   int
	// CourierID is who scans, and for whom no other courier's orders exist; empty
	// for the dispatch desk.
	CourierID string
}

// Match is an order, and the parcel of it, that a scan has found.
type Match struct {
	Job
	Place int // of the parcel, from 1; 0 if the label's code stands for the whole order
}

// maxMatches is how many parcels a barcode is found on: barcodes are partners'
// own, and two of them may use the same.
const maxMatches = 20

// Find finds what a label is of: any order by its own number, and those under way
// by a parcel's barcode or parcel_id. It is not_found.
func (s *Service) Find(ctx context.Context, scan Scan) (matches []Match, err error) {
	now := s.now()
	err = s.Store.Read(ctx, func(tx Reader) error {
		places, orders, err := named(ctx, tx, scan)
		if err == nil && len(orders) == 0 {
			rows, failed := tx.Board(ctx, Filter{Line: scan.Text, CourierID: scan.CourierID, Sort: SortOldest, Limit: maxMatches}, now)
			if failed != nil {
				return failed
			}
			places, orders, err = barcoded(ctx, tx, rows, scan.Text)
		}
		if err == nil && len(orders) == 0 {
			err = delivery.NotFound("a parcel of this label")
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
	return matches, err
}

// named finds the order that a label names by this service's own numbers.
func named(ctx context.Context, tx Reader, scan Scan) (places []int, orders []*delivery.Order, err error) {
	partnerID, ok := delivery.PartnerOfOrder(scan.OrderID)
	if !ok {
		return nil, nil, nil
	}
	o, err := tx.Order(ctx, partnerID, scan.OrderID)
	if err != nil || o == nil || scan.Place > len(o.Parcels) || scan.CourierID != "" && !o.CarriedBy(scan.CourierID) {
		return nil, nil, err
	}
	return []int{scan.Place}, []*delivery.Order{o}, nil
}

// barcoded finds the parcels that have a text on their label. The board finds it
// without regard to case, and among other things too.
func barcoded(ctx context.Context, tx Reader, rows []Open, text string) (places []int, orders []*delivery.Order, err error) {
	found, err := tx.OrdersOf(ctx, rows)
	for _, o := range ordersIn(rows, found) {
		at := slices.IndexFunc(o.Parcels, func(p delivery.Parcel) bool { return p.Barcode == text })
		if at < 0 {
			at = slices.IndexFunc(o.Parcels, func(p delivery.Parcel) bool { return p.ParcelID == text })
		}
		if at >= 0 {
			places, orders = append(places, at+1), append(orders, o)
		}
	}
	return places, orders, err
}
