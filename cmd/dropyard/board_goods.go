package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type boardHandOverCommand struct {
	OrderID        string    `arg:"" help:"The order (ord_…)."`
	Courier        string    `help:"The courier who gets the parcels (cou_…)." placeholder:"COURIER-ID" xor:"to"`
	Location       string    `help:"The warehouse or hub that gets the parcels." placeholder:"CODE" xor:"to"`
	At             time.Time `help:"When it happened. Default: now." placeholder:"TIME"`
	IdempotencyKey string    `help:"UUID that names the transfer. Repeat the command with it if you do not know whether the transfer was recorded. Default: a new one." placeholder:"UUID"`
	outputFlags
	operatorFlags
}

// Run hands the parcels over. The order keeps its status.
func (c *boardHandOverCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	order, err := operator.TransferOrder(ctx, c.OrderID,
		client.TransferRequest{CourierID: c.Courier, Location: c.Location, OccurredAt: c.At},
		client.WithIdempotencyKey(c.IdempotencyKey), client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	to := c.Location
	if order.Courier != nil {
		to = order.Courier.Name
	}
	return c.output().record(&answer, []terminal.Field{
		field("order", order.OrderID), statusField("status", order.Status), field("with", to),
	})
}

type boardReceiveCommand struct {
	OrderID        string   `arg:"" help:"The order (ord_…)."`
	Location       string   `help:"Where the parcels are now. Leave it out if the sender has received them, which needs a proof." placeholder:"CODE"`
	Line           []string `help:"What came back, as PRODUCT:QUANTITY:CONDITION, where CONDITION is sellable, damaged or missing (example: 7:2:sellable)." placeholder:"LINE"`
	IdempotencyKey string   `help:"UUID that names the receipt. Repeat the command with it if you do not know whether the receipt was booked. Default: a new one." placeholder:"UUID"`
	outputFlags
	operatorFlags
}

// Run receives the parcels.
func (c *boardReceiveCommand) Run(ctx context.Context) error {
	receipt := client.ReceiptRequest{Location: c.Location}
	for _, text := range c.Line {
		line, err := readReturnLine(text)
		if err != nil {
			return usageError{fmt.Errorf("--line: %w", err)}
		}
		receipt.Lines = append(receipt.Lines, line)
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	order, err := operator.ReceiveReturn(ctx, c.OrderID, receipt, client.WithIdempotencyKey(c.IdempotencyKey),
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	fields := []terminal.Field{field("order", order.OrderID), statusField("status", order.Status)}
	if order.Return != nil {
		fields = append(fields, field("return", string(order.Return.State)))
		for _, line := range order.Return.Lines {
			fields = append(fields, field("product "+number(line.ProductID), number(line.Quantity)+" "+string(line.Disposition)))
		}
	}
	return c.output().record(&answer, fields)
}

// readReturnLine reads PRODUCT:QUANTITY:CONDITION.
func readReturnLine(text string) (line client.ReturnLine, err error) {
	known := []client.Disposition{client.Sellable, client.Damaged, client.Missing}
	if parts := strings.Split(text, ":"); len(parts) == 3 {
		line.ProductID, err = strconv.ParseInt(parts[0], 10, 64)
		if err == nil {
			line.Quantity, err = strconv.ParseInt(parts[1], 10, 64)
		}
		line.Disposition = client.Disposition(parts[2])
	}
	if err != nil || !slices.Contains(known, line.Disposition) {
		err = fmt.Errorf("%q is not PRODUCT:QUANTITY:CONDITION (example: 7:2:sellable)", text)
	}
	return line, err
}

type boardReturnsCommand struct {
	Received bool `help:"List the parcels that were received, newest first. Default: those that are due, longest first."`
	listFlags
	operatorFlags
}

// largestReturnPage is the most orders of a page of parcels that come back.
const largestReturnPage = 500

// Run prints the parcels that come back.
func (c *boardReturnsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.ReturnQuery{State: client.ReturnStateDue}
	if c.Received {
		q.State = client.ReturnStateReceived
	}
	return list(&c.listFlags, "returns", largestReturnPage, returnColumns(c.Received),
		func(size int, option client.CallOption) ([]client.Return, bool, error) {
			q.Limit = size
			found, err := operator.ListReturns(ctx, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Cursor = found.NextCursor
			return found.Returns, q.Cursor != "", nil
		})
}

func returnColumns(received bool) []column[client.Return] {
	since := text("DUE SINCE", func(r client.Return) string { return moment(r.DueAt) })
	if received {
		since = text("RECEIVED", func(r client.Return) string { return moment(r.ReceivedAt) })
	}
	return []column[client.Return]{
		text("ORDER", func(r client.Return) string { return r.OrderID }),
		text("PARTNER", func(r client.Return) string { return r.PartnerName }),
		text("REFERENCE", func(r client.Return) string { return r.PartnerOrderID }),
		text("WITH", holderName), since,
		text("CONTENTS", contents),
	}
}

// holderName returns who has parcels.
func holderName(r client.Return) string {
	switch {
	case r.Holder.Name != "":
		return r.Holder.Name
	case r.Holder.ID != "":
		return r.Holder.ID
	default:
		return string(r.Holder.Kind)
	}
}

// contents returns what came back or, until it has, what has left. Products are named by their ids,
// which the lines of a receipt need.
func contents(r client.Return) string {
	var parts []string
	for _, line := range r.Lines {
		parts = append(parts, fmt.Sprintf("%d:%d:%s", line.ProductID, line.Quantity, line.Disposition))
	}
	if len(parts) == 0 {
		for _, item := range r.Items {
			parts = append(parts, fmt.Sprintf("%d × %s (%d)", item.Quantity, item.Name, item.ProductID))
		}
	}
	return strings.Join(parts, ", ")
}
