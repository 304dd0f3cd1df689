package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// ReturnWanted is a request to bring goods back that an order has delivered.
type ReturnWanted struct {
	form.Faults
	delivery.ReturnRequest
}

// ReadReturn reads a request to bring goods back.
func ReadReturn(f *form.Form) ReturnWanted {
	return ReturnWanted{ReturnRequest: delivery.ReadReturnRequest(f)}
}

var placeOfReturns = form.Define("place_of_returns", "a warehouse for which the service has set an address")

// CreateReturn creates an order that brings goods of a delivered order back, from its dropoff to its
// pickup or to a warehouse. Its items move no stock until they are received. Over all returns they
// are at most what was delivered.
func (s *Service) CreateReturn(
	ctx context.Context, r idempotency.Request, orderID string, wanted ReturnWanted,
) (Answer, error) {
	if err := s.editable(ctx); err != nil {
		return Answer{}, err
	}
	origin, err := s.Get(ctx, r.PartnerID, orderID)
	if err != nil {
		return Answer{}, err
	}
	order, err := s.returnOrder(ctx, origin, &wanted)
	return s.settleOnce(ctx, r.Key, s.creating(ctx, r, order, nil, err))
}

// returnOrder returns the order that a request to bring goods back asks for.
func (s *Service) returnOrder(
	ctx context.Context, origin *delivery.Order, wanted *ReturnWanted,
) (*delivery.Order, error) {
	if err := wanted.Problems().Err(); err != nil {
		return nil, err
	}
	var err error
	if wanted.Items, err = s.returnedItems(ctx, origin, wanted.Items); err != nil {
		return nil, err
	}
	from := delivery.Origin{OrderID: origin.OrderID, Reason: wanted.Reason, To: wanted.To, Location: wanted.Location}
	end, err := s.endOfReturn(ctx, origin, &from)
	if err != nil {
		return nil, err
	}
	content, now := wanted.Content(origin, end), s.now()
	price, err := s.quoted(ctx, origin.PartnerID, &content, now)
	if err != nil {
		return nil, err
	}
	if window := &content.Dropoff.Window; price.EstimatedDelivery.After(window.End) {
		window.End = price.EstimatedDelivery.In(window.End.Location())
	}
	order, err := s.newOrder(origin.PartnerID, &content, price, now)
	if err == nil {
		order.Course.Origin = &from
	}
	return order, err
}

var deliveredProduct = form.Define("delivered_product", "a product of the order")

// returnedItems returns the items of a request with the products of the order that they name: by the
// sku that the order has recorded, or by a code of the catalogue.
func (s *Service) returnedItems(
	ctx context.Context, origin *delivery.Order, wanted []delivery.Item,
) ([]delivery.Item, error) {
	needs := &Needs{}
	items := slices.Clone(wanted)
	for i, item := range items {
		at := slices.IndexFunc(origin.Items, func(has delivery.Item) bool { return item.SKU != "" && has.SKU == item.SKU })
		if at >= 0 {
			items[i].ProductID = origin.Items[at].ProductID
		} else if item.ProductID == 0 {
			needs.addItems(origin.PartnerID, items[i:i+1])
		}
	}
	if len(needs.SKUs)+len(needs.Barcodes) == 0 {
		return items, nil
	}
	var state *State
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		state, err = tx.Peek(ctx, needs)
		return err
	})
	if err != nil {
		return nil, err
	}
	var problems form.Problems
	for i, item := range items {
		if item.ProductID != 0 {
			continue
		}
		ids := slices.DeleteFunc(codedBy(state, origin.PartnerID, item), func(id int64) bool {
			return !slices.ContainsFunc(origin.Items, func(has delivery.Item) bool { return has.ProductID == id })
		})
		field, sent, rule := "sku", item.SKU, deliveredProduct
		if item.Barcode != "" {
			field, sent = "barcode", item.Barcode
		}
		switch {
		case len(ids) == 1:
			items[i].ProductID = ids[0]
			continue
		case len(ids) > 1:
			rule = ambiguousBarcode
		}
		problems.Add(fmt.Sprintf("items[%d].%s", i, field), sent, rule)
	}
	return items, problems.Err()
}

// endOfReturn returns where a return order brings the goods, and completes the location.
func (s *Service) endOfReturn(
	ctx context.Context, origin *delivery.Order, from *delivery.Origin,
) (delivery.Contact, error) {
	if from.To != delivery.ReturnToWarehouse {
		from.Location = ""
		return origin.Pickup, nil
	}
	if from.Location == "" && len(origin.Allocation) > 0 {
		from.Location = origin.Allocation[0].Location
	}
	var found []*delivery.Location
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		found, err = tx.Locations(ctx, from.Location)
		return err
	})
	if err == nil && len(found) != 1 { // unknown, or in doubt which
		err = form.Fault("to", string(from.To), placeOfReturns)
	}
	if err != nil {
		return delivery.Contact{}, err
	}
	from.Location = found[0].Code
	return found[0].Contact, nil
}
