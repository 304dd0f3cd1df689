package main

import (
	"context"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type boardGrantCommand struct {
	OrderID string `arg:"" help:"The order (ord_…)."`
	Answer  string `help:"For the partner, at most 500 characters." placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run cancels the order.
func (c *boardGrantCommand) Run(ctx context.Context) error {
	return answerRequest(ctx, c.operatorFlags, c.outputFlags, c.OrderID,
		client.CancellationAnswer{Grant: true, Answer: c.Answer})
}

type boardDeclineCommand struct {
	OrderID string `arg:"" help:"The order (ord_…)."`
	Answer  string `required:"" help:"For the partner: why, at most 500 characters." placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run leaves the order as it is.
func (c *boardDeclineCommand) Run(ctx context.Context) error {
	return answerRequest(ctx, c.operatorFlags, c.outputFlags, c.OrderID, client.CancellationAnswer{Answer: c.Answer})
}

// answerRequest answers the request to cancel an order.
func answerRequest(
	ctx context.Context, as operatorFlags, to outputFlags, orderID string, wanted client.CancellationAnswer,
) error {
	operator, err := as.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	order, err := operator.AnswerCancellationRequest(ctx, orderID, wanted, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return to.output().record(&answer, append([]terminal.Field{
		field("order", order.OrderID), statusField("status", order.Status),
	}, cancellationFields(order.CancellationRequest)...))
}
