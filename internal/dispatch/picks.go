package dispatch

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// PickFilter selects orders that the warehouse picks, or has picked.
type PickFilter struct {
	PartnerID string             // whose orders they are; empty for all partners
	Location  string             // that an order takes something from; empty for any
	Until     time.Time          // before which the pickup window begins; zero for all
	State     delivery.PickState // empty for those that have something left to pick
	After     GoodsCursor        // zero for the first page
	Limit     int
}

// admits reports whether the filter selects an order.
func (f *PickFilter) admits(o *delivery.Order) bool {
	if !pickable(o) || f.Location != "" && !slices.ContainsFunc(o.Allocation, func(take delivery.Take) bool {
		return take.Location == f.Location
	}) {
		return false
	}
	state := o.PickState()
	return state == f.State || f.State == "" && (state == delivery.PickOpen || state == delivery.PickShort)
}

// pickable reports whether the warehouse has something to do with an order.
func pickable(o *delivery.Order) bool {
	return slices.Contains(delivery.PickableStatuses, o.Status) && len(o.Allocation) > 0
}

// Pick is an order that the warehouse picks.
type Pick struct {
	Order       *delivery.Order
	PartnerName string
	Lines       []PickLine
}

// PickLine is what an order takes from a location.
type PickLine struct {
	delivery.PickLine
	Name    string
	SKU     string
	Barcode string
	InStock int64 // at the location, besides what orders have taken
}

// ProductKey names a product of a partner.
type ProductKey struct {
	PartnerID string
	ProductID int64
}

// Shelf is what the warehouse has of a product.
type Shelf struct {
	Barcode string
	Levels  map[string]int64 // by location
}

// Picks lists orders by the begin of their pickup windows, and the cursor of the next page; it is empty at the
// end. With a location, the orders have only the lines of it. Orders that cannot be read are reported and
// left out.
func (s *Service) Picks(ctx context.Context, f PickFilter) (picks []Pick, next string, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		orders, more, err := s.toPick(ctx, tx, f)
		if err != nil {
			return err
		}
		if more {
			last := orders[len(orders)-1]
			next = GoodsCursor{last.Pickup.Window.Start, last.OrderID}.String()
		}
		picks, err = picksOf(ctx, tx, orders, f.Location)
		return err
	})
	return picks, next, err
}

// toPick returns the orders of a page, and whether there are more. The board knows what is left of an
// order, but not where: so further rows are read until there are enough orders.
func (s *Service) toPick(
	ctx context.Context, tx Reader, f PickFilter,
) (orders []*delivery.Order, more bool, err error) {
	limit := f.Limit
	f.Limit++
	for {
		rows, err := tx.ToPick(ctx, f)
		if err != nil {
			return nil, false, err
		}
		found, err := tx.OrdersOf(ctx, rows)
		if err != nil {
			return nil, false, err
		}
		for _, o := range s.config.Damaged.Readable(ordersIn(rows, found)) {
			if !f.admits(o) {
				continue
			}
			if len(orders) == limit {
				return orders, true, nil
			}
			orders = append(orders, o)
		}
		if len(rows) < f.Limit {
			return orders, false, nil
		}
		last := rows[len(rows)-1]
		f.After = GoodsCursor{last.Pickup.Start, last.OrderID}
	}
}

// picksOf returns what the warehouse picks of orders: at one location, or at all if it is empty.
func picksOf(ctx context.Context, tx Reader, orders []*delivery.Order, location string) ([]Pick, error) {
	ids := make([]string, len(orders))
	var keys []ProductKey
	for i, o := range orders {
		ids[i] = o.PartnerID
		for _, take := range o.Allocation {
			keys = append(keys, ProductKey{o.PartnerID, take.ProductID})
		}
	}
	partners, err := tx.PartnerNames(ctx, distinct(ids))
	if err != nil {
		return nil, err
	}
	shelves, err := tx.Shelves(ctx, keys)
	picks := make([]Pick, len(orders))
	for i, o := range orders {
		picks[i] = Pick{Order: o, PartnerName: partners[o.PartnerID]}
		for _, line := range o.PickLines() {
			if location == "" || line.Location == location {
				shelf := shelves[ProductKey{o.PartnerID, line.ProductID}]
				picks[i].Lines = append(picks[i].Lines, PickLine{
					line, o.ItemName(line.ProductID), o.ItemSKU(line.ProductID), shelf.Barcode, shelf.Levels[line.Location],
				})
			}
		}
	}
	return picks, err
}

// Promised holds the units that orders have taken out of stock and that still lie on the shelf, by product
// and location.
type Promised map[int64]map[string]int64

// Of returns the units of a product at all locations.
func (p Promised) Of(productID int64) (units int64) {
	for _, left := range p[productID] {
		units += left
	}
	return units
}

// promisedAtOnce is the number of orders that Promised reads at a time.
const promisedAtOnce = 500

// Promised returns what a partner's orders have taken out of stock and the warehouse has not picked yet.
func (s *Service) Promised(ctx context.Context, partnerID string) (Promised, error) {
	promised := Promised{}
	return promised, s.config.Store.Read(ctx, func(tx Reader) error {
		f := PickFilter{PartnerID: partnerID, Limit: promisedAtOnce}
		for more := true; more; {
			var orders []*delivery.Order
			var err error
			if orders, more, err = s.toPick(ctx, tx, f); err != nil {
				return err
			}
			for _, o := range orders {
				for _, line := range o.PickLines() {
					if line.Left() <= 0 {
						continue
					}
					if promised[line.ProductID] == nil {
						promised[line.ProductID] = map[string]int64{}
					}
					promised[line.ProductID][line.Location] += line.Left()
				}
				f.After = GoodsCursor{o.Pickup.Window.Start, o.OrderID}
			}
		}
		return nil
	})
}

// PicksOf returns the orders with some ids that the warehouse picks, or has picked, in the order of the ids.
// Any other order is left out.
func (s *Service) PicksOf(ctx context.Context, orderIDs []string) (picks []Pick, err error) {
	rows := make([]*board.Row, 0, len(orderIDs))
	for _, id := range orderIDs {
		if partnerID, ok := delivery.PartnerOfLiveOrder(id); ok {
			rows = append(rows, &board.Row{PartnerID: partnerID, OrderID: id})
		}
	}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err := tx.OrdersOf(ctx, rows)
		if err != nil {
			return err
		}
		orders := s.config.Damaged.Readable(ordersIn(rows, found))
		orders = slices.DeleteFunc(orders, func(o *delivery.Order) bool { return !pickable(o) })
		picks, err = picksOf(ctx, tx, orders, "")
		return err
	})
	return picks, err
}

// FindPicks returns the orders that a label, or the number of an order, belongs to, as far as the warehouse
// picks them or has picked them.
func (s *Service) FindPicks(ctx context.Context, scan Scan) (picks []Pick, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		orders, err := s.scanned(ctx, tx, scan)
		if err != nil {
			return err
		}
		orders = slices.DeleteFunc(orders, func(o *delivery.Order) bool { return !pickable(o) })
		picks, err = picksOf(ctx, tx, orders, "")
		return err
	})
	return picks, s.config.Damaged.Of(err)
}

// scanned returns the orders that a label, or the number of an order, belongs to.
func (s *Service) scanned(ctx context.Context, tx Reader, scan Scan) ([]*delivery.Order, error) {
	_, orders, err := named(ctx, tx, scan)
	if err == nil && len(orders) == 0 {
		_, orders, err = s.barcoded(ctx, tx, scan, s.now())
	}
	if err == nil && len(orders) == 0 {
		orders, err = tx.OrdersNamed(ctx, "", scan.Text, maxExact)
		orders = s.config.Damaged.Readable(orders)
	}
	return orders, err
}

// FindOrders returns the orders that a label, or the number of an order, belongs to, whatever their state.
func (s *Service) FindOrders(ctx context.Context, scan Scan) (orders []*delivery.Order, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		orders, err = s.scanned(ctx, tx, scan)
		return err
	})
	return orders, s.config.Damaged.Of(err)
}

// Has reports whether a text that was scanned or typed names the order: a label of it, or its number.
func (p *Pick) Has(scan Scan) bool {
	if scan.OrderID != "" {
		return scan.OrderID == p.Order.OrderID
	}
	return scan.Text == p.Order.PartnerOrderID || scan.Text == p.Order.OrderID ||
		labelled(p.Order, barcode.Readings(scan.Text)) > 0
}

// PickOf returns an order that the warehouse picks, or has picked. The error may be not_found.
func (s *Service) PickOf(ctx context.Context, orderID string) (Pick, error) {
	found, err := s.PicksOf(ctx, []string{orderID})
	if err == nil && len(found) == 0 {
		err = refusal.NotFound("order")
	}
	if err != nil {
		return Pick{}, err
	}
	return found[0], nil
}

// CountToPick counts the orders that have something left to pick and a pickup window that begins before a
// time.
func (s *Service) CountToPick(ctx context.Context, until time.Time) (count int64, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		count, err = tx.CountToPick(ctx, until)
		return err
	})
	return count, err
}
