package main

import (
	"context"

	"github.com/dropyard/dropyard/client"
)

type editOrderCommand struct {
	OrderID        string `arg:"" help:"The order (ord_…)."`
	File           string `arg:"" default:"-" help:"File with the merge patch (RFC 7396), such as {\"dropoff\": {\"phone\": \"+15145550177\"}}; - for standard input."`
	Preview        bool   `help:"Only show what the edit would do to the order, its price and its estimate."`
	Version        int64  `name:"order-version" help:"Only if the order still has this version." placeholder:"N"`
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default: a new one." placeholder:"UUID"`
	outputFlags
	partnerFlags
}

// Run edits the order.
func (c *editOrderCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var edit client.OrderEdit
	if err := readObject(c.File, "the patch", &edit); err != nil {
		return err
	}
	var answer client.Answer
	send := partner.EditOrder
	if c.Preview {
		send = partner.PreviewEdit
	}
	order, err := send(ctx, c.OrderID, edit, c.Version,
		client.WithIdempotencyKey(c.IdempotencyKey), client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	fields := orderFields(order)
	if order.RateChangeCents != nil {
		fields = append(fields, field("price change", dollars(*order.RateChangeCents, order.Currency)))
	}
	return c.output().record(&answer, fields)
}
