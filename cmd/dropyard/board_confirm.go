package main

import (
	"context"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type boardConfirmCommand struct {
	OrderID string `arg:"" help:"The order (ord_…)."`
	Version int64  `name:"order-version" required:"" help:"Version of the order that the courier knows, as board get prints it. Later edits are not confirmed." placeholder:"N"`
	outputFlags
	operatorFlags
}

// Run confirms the edits of an order.
func (c *boardConfirmCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	order, err := operator.ConfirmOrderEdits(ctx, c.OrderID, client.EditConfirmation{Version: c.Version},
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	fields := []terminal.Field{field("order", order.OrderID), statusField("status", order.Status)}
	for _, edit := range order.Changes {
		if edit.Confirmed != nil {
			fields = append(fields, field("edited "+exactly(edit.At), confirmation(&edit, edit.ConfirmedBy)))
		}
	}
	return c.output().record(&answer, fields)
}

// confirmation says whether the courier knows an edit, and who confirmed it.
func confirmation(edit *client.OrderChange, by string) string {
	if *edit.Confirmed {
		return "confirmed " + exactly(edit.ConfirmedAt) + " by " + by
	}
	return "not confirmed"
}
