package dispatch

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
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
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		places, orders, err := named(ctx, tx, scan)
		if err == nil && len(orders) == 0 {
			places, orders, err = barcoded(ctx, tx, scan, now)
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

// barcoded finds the parcels that have a text on their label, on orders under way.
// The board finds the text without regard to case and among other things too, such
// as references, so it is asked until there are enough parcels or no more rows.
func barcoded(ctx context.Context, tx Reader, scan Scan, now time.Time) (places []int, orders []*delivery.Order, _ error) {
	filter := Filter{Line: scan.Text, CourierID: scan.CourierID, Sort: SortOldest, Limit: maxMatches}
	for {
		rows, err := tx.Board(ctx, filter, now)
		if err != nil {
			return nil, nil, err
		}
		found, err := tx.OrdersOf(ctx, rows)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range ordersIn(rows, found) {
			if place := labelled(o, scan.Text); place > 0 && len(orders) < maxMatches {
				places, orders = append(places, place), append(orders, o)
			}
		}
		if len(rows) < filter.Limit || len(orders) == maxMatches {
			return places, orders, nil
		}
		filter.After = filter.cursorOf(rows[len(rows)-1])
	}
}

// labelled is the place of the parcel, from 1, that has a text on its label; 0 if none has.
func labelled(o *delivery.Order, text string) int {
	at := slices.IndexFunc(o.Parcels, func(p delivery.Parcel) bool { return p.Barcode == text })
	if at < 0 {
		at = slices.IndexFunc(o.Parcels, func(p delivery.Parcel) bool { return p.ParcelID == text })
	}
	return at + 1
}
