package main

import (
	"context"

	"github.com/dropyard/dropyard/client"
)

type returnOrderCommand struct {
	OrderID        string `arg:"" help:"The order (ord_…) that was delivered."`
	File           string `arg:"" default:"-" help:"JSON file with the return as POST /v1/orders/{order_id}/returns takes it, or - for standard input."`
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default: a new one." placeholder:"UUID"`
	outputFlags
	partnerFlags
}

// Run creates the return.
func (c *returnOrderCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var wanted client.ReturnRequest
	if err := readObject(c.File, "the return", &wanted); err != nil {
		return err
	}
	var answer client.Answer
	order, err := partner.CreateReturn(ctx, c.OrderID, wanted,
		client.WithIdempotencyKey(c.IdempotencyKey), client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, orderFields(order))
}
