package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// picksCommand is what the warehouse picks for orders.
type picksCommand struct {
	List   listPicksCommand  `cmd:"" default:"withargs" help:"List the orders to pick, of all partners."`
	Record recordPickCommand `cmd:"" help:"Record what was picked for an order."`
}

type listPicksCommand struct {
	Location string           `help:"Only what is taken from this location." placeholder:"CODE"`
	Until    time.Time        `help:"Only orders with a pickup window that begins before this time." placeholder:"TIME"`
	State    client.PickState `help:"Only orders in this state: to_pick, short, picked or packed. Default: to_pick and short." placeholder:"STATE"`
	listFlags
	operatorFlags
}

// largestPickPage is the most orders of a page of the list.
const largestPickPage = 500

// Run prints the orders, by when their couriers may come.
func (c *listPicksCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.PickQuery{Location: c.Location, Until: c.Until, State: c.State}
	return list(&c.listFlags, "picks", largestPickPage, pickColumns,
		func(size int, option client.CallOption) ([]client.Pick, bool, error) {
			q.Limit = size
			found, err := operator.ListPicks(ctx, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Cursor = found.NextCursor
			return found.Picks, q.Cursor != "", nil
		})
}

var pickColumns = []column[client.Pick]{
	text("ORDER", func(p client.Pick) string { return p.OrderID }),
	text("PARTNER", func(p client.Pick) string { return p.PartnerName }),
	text("REFERENCE", func(p client.Pick) string { return p.PartnerOrderID }),
	text("COURIER FROM", func(p client.Pick) string { return moment(p.TimeWindow.Start) }),
	text("STATE", func(p client.Pick) string { return string(p.State) }),
	text("ITEMS", func(p client.Pick) string { return strings.Join(pickTexts(p.Lines), ", ") }),
}

// pickTexts returns what is taken from each location. Products are named by their ids, too, which
// recording a pick needs.
func pickTexts(lines []client.PickLine) []string {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = fmt.Sprintf("%s: %d of %d × %s (%d)", line.Location, line.Picked, line.Quantity, line.Name, line.ProductID)
	}
	return texts
}

type recordPickCommand struct {
	OrderID        string   `arg:"" help:"The order (ord_…)."`
	Location       string   `help:"Where the units were picked." placeholder:"CODE"`
	Line           []string `help:"What was picked, as PRODUCT:QUANTITY (example: 7:2). May be repeated. With fewer units than are left, the order needs attention (short_pick)." placeholder:"LINE"`
	Packed         bool     `help:"The order is packed for the courier."`
	IdempotencyKey string   `help:"UUID that names the pick. Repeat the command with it if you do not know whether the pick was recorded. Default: a new one." placeholder:"UUID"`
	outputFlags
	operatorFlags
}

// Run records the pick. Stock does not change.
func (c *recordPickCommand) Run(ctx context.Context) error {
	if len(c.Line) == 0 && !c.Packed {
		return usageError{errors.New("--line or --packed: one of them is needed; dropyard picks list has what to pick")}
	}
	request := client.PickRequest{Location: c.Location, Packed: c.Packed}
	for _, text := range c.Line {
		line, err := readPickedLine(text)
		if err != nil {
			return usageError{fmt.Errorf("--line: %w", err)}
		}
		request.Lines = append(request.Lines, line)
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	pick, err := operator.PickOrder(ctx, c.OrderID, request, client.WithIdempotencyKey(c.IdempotencyKey),
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	fields := []terminal.Field{field("order", pick.OrderID), field("state", string(pick.State))}
	for _, text := range pickTexts(pick.Lines) {
		fields = append(fields, field("picked", text))
	}
	return c.output().record(&answer, fields)
}

// readPickedLine reads PRODUCT:QUANTITY.
func readPickedLine(text string) (line client.PickedLine, err error) {
	product, quantity, _ := strings.Cut(text, ":")
	if line.ProductID, err = strconv.ParseInt(product, 10, 64); err == nil {
		line.Quantity, err = strconv.ParseInt(quantity, 10, 64)
	}
	if err != nil {
		err = fmt.Errorf("%q is not PRODUCT:QUANTITY (example: 7:2)", text)
	}
	return line, err
}
