package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
)

// stockEvents are the events of stock, which an order for one unit causes.
var stockEvents = []delivery.EventType{delivery.EventStockChanged, delivery.EventStockLow}

var (
	errTestStock = errors.New("stock.low needs a live key: test mode has no warehouse")
	// errNotRecorded keeps the command from saying that it caused an event which nothing will ever list.
	errNotRecorded = errors.New("no endpoint names stock.changed, so the service would not record it: " +
		"add one with dropyard webhooks add URL --events stock.changed")
	errNoStock = errors.New("no active product has more than its stock_min in stock; book some in first")
)

// triggerStock orders a unit of a product, which changes its stock, and cancels the order, which brings the unit
// back. For stock.low an operator raises the product's stock_min meanwhile to what is left.
func (c *triggerCommand) triggerStock(
	ctx context.Context, partner *client.Client, event delivery.EventType,
) (err error) {
	low := event == delivery.EventStockLow
	var operator *client.Operator
	switch {
	case low && inTest(partner):
		return usageError{errTestStock}
	case low:
		if operator, err = c.dispatcher(ctx); err != nil {
			return err
		}
	}
	recorded, err := takesChanges(ctx, partner)
	switch {
	case err != nil:
		return err
	case !recorded && !low:
		return errNotRecorded
	}
	product, err := plentiful(ctx, partner)
	if err != nil {
		return err
	}
	request := sandboxOrder(time.Now())
	request.Items = []client.Item{{ProductID: product.ProductID, Quantity: 1}}
	if inTest(partner) {
		request.Reference = "sim:hold"
	}
	order, err := partner.CreateOrder(ctx, request)
	if err != nil {
		return fmt.Errorf("create an order: %w", err)
	}
	tell("order %s created", order.OrderID)
	if recorded {
		printCaused("taken", delivery.EventStockChanged)
	}
	if low {
		err = runLow(ctx, operator, order.OrderID, product)
	}
	ctx, cancel := undoing(ctx)
	defer cancel()
	if _, cancelErr := partner.CancelOrder(ctx, order.OrderID, client.CancelRequest{Reason: "a test"}); cancelErr != nil {
		return errors.Join(err, fmt.Errorf("cancel the order: %w", cancelErr))
	}
	printCaused("cancelled", delivery.EventOrderCancelled)
	if recorded {
		printCaused("returned", delivery.EventStockChanged)
	}
	return err
}

// takesChanges reports whether an endpoint of the partner names stock.changed: the service records it for such
// endpoints only.
func takesChanges(ctx context.Context, partner *client.Client) (bool, error) {
	list, err := partner.ListWebhookEndpoints(ctx)
	if err != nil {
		return false, fmt.Errorf("look at the endpoints: %w", err)
	}
	return slices.ContainsFunc(list.Endpoints, func(e client.WebhookEndpoint) bool {
		return slices.Contains(e.Events, client.EventStockChanged)
	}), nil
}

// plentiful returns a product of which one unit can be taken without its stock being low.
func plentiful(ctx context.Context, partner *client.Client) (*client.Product, error) {
	for product, err := range partner.Products(ctx, client.ProductQuery{}) {
		switch {
		case err != nil:
			return nil, fmt.Errorf("find a product: %w", err)
		case product.IsAvailable && product.Quantity > product.StockMin+1:
			return &product, nil
		}
	}
	return nil, errNoStock
}

// runLow raises the stock_min of a product, of which an order has taken a unit, so that it is low, and sets it back.
func runLow(ctx context.Context, operator *client.Operator, orderID string, product *client.Product) error {
	order, err := operator.GetOrderRecord(ctx, orderID)
	if err != nil {
		return fmt.Errorf("look at the order: %w", err)
	}
	raised := product.Quantity - 1
	_, err = operator.ChangeProduct(ctx, order.PartnerID, product.ProductID, client.ProductChange{StockMin: &raised})
	if err != nil {
		err = fmt.Errorf("raise stock_min of the product: %w", err) // which may have happened
	} else {
		printCaused("stock_min", delivery.EventStockLow)
	}
	ctx, cancel := undoing(ctx)
	defer cancel()
	_, backErr := operator.ChangeProduct(ctx, order.PartnerID, product.ProductID,
		client.ProductChange{StockMin: &product.StockMin, StockMax: &product.StockMax})
	if backErr != nil {
		backErr = fmt.Errorf("set stock_min of the product back to %d: %w", product.StockMin, backErr)
	}
	return errors.Join(err, backErr)
}

// undoing returns a context for what undoes an event, also after the command was interrupted.
func undoing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
}
