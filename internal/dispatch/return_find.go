package dispatch

import (
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// FindReturns returns the orders with goods that come back, or have come back, that a text names: one
// order by this service's own code, or those with the text as their partner_order_id. If there are
// none, it returns the orders whose goods are due and that have a parcel with the text on its label.
func (s *Service) FindReturns(ctx context.Context, scan Scan) (found []Return, err error) {
	if !form.IsText(scan.Text) {
		return nil, nil
	}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		_, orders, err := named(ctx, tx, scan)
		if err == nil && len(orders) == 0 && scan.Text != "" {
			orders, err = tx.OrdersNamed(ctx, "", scan.Text, maxExact)
		}
		if err != nil {
			return err
		}
		var back []*delivery.Returned
		for _, o := range orders {
			if o.Course.Return != nil {
				back = append(back, &delivery.Returned{PartnerID: o.PartnerID, OrderID: o.OrderID})
			}
		}
		if len(back) == 0 && len(orders) == 0 {
			found, err = s.labelledReturns(ctx, tx, scan.Text)
			return err
		}
		if found, err = s.returnsOf(ctx, tx, back); err != nil {
			return err
		}
		for i := range found {
			found[i].Returned = found[i].Order.Returned()
		}
		return nil
	})
	return found, err
}

// returnsRead is how many returns are read together to find a label among them.
const returnsRead = 200

// labelledReturns returns the orders whose goods are due and that have a parcel with the text on its
// label. The text as it was read comes before other readings of it. The board no longer has these
// orders, so all goods that are due are read: there are few of them.
func (s *Service) labelledReturns(ctx context.Context, tx Reader, text string) (exact []Return, err error) {
	readings := barcode.Readings(text)
	if len(readings) == 0 {
		return nil, nil
	}
	var similar []Return
	lines := linesOf(readings)
	for filter := (ReturnFilter{State: delivery.ReturnDue, Limit: returnsRead}); ; {
		back, err := tx.Returns(ctx, filter)
		if err != nil {
			return nil, err
		}
		due, err := s.returnsOf(ctx, tx, back)
		if err != nil {
			return nil, err
		}
		for _, one := range due {
			switch {
			case labelled(one.Order, readings[:1]) > 0:
				exact = append(exact, one)
			case labelled(one.Order, lines) > 0:
				similar = append(similar, one)
			}
		}
		if len(back) < filter.Limit || len(exact) >= maxMatches {
			break
		}
		last := back[len(back)-1]
		filter.After = GoodsCursor{last.DueAt, last.OrderID}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return similar, nil
}
