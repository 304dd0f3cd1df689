package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dropyard/dropyard/client"
)

type createForPartnerCommand struct {
	PartnerID string `arg:"" help:"The partner (par_…), as in dropyard partners."`
	orderFlags
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default: a new one, which is printed on standard error." placeholder:"UUID"`
	outputFlags
	operatorFlags
}

// Run creates the order for the partner.
func (c *createForPartnerCommand) Run(ctx context.Context) error {
	body, err := c.body()
	if err != nil {
		return usageError{err}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	if c.IdempotencyKey == "" {
		c.IdempotencyKey = client.NewIdempotencyKey()
		notice("idempotency key: %s", c.IdempotencyKey)
	}
	var wanted client.OrderRequest
	if err := json.Unmarshal(body, &wanted); err != nil {
		return fmt.Errorf("the order: %w", err)
	}
	var answer client.Answer
	order, err := operator.CreateOrderForPartner(ctx, c.PartnerID, wanted, client.WithAnswer(&answer),
		client.WithIdempotencyKey(c.IdempotencyKey))
	if err != nil {
		return err
	}
	return c.output().record(&answer, orderFields(order))
}
