package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type boardCommand struct {
	Show boardShowCommand `cmd:"" default:"withargs" help:"Show the open orders of all partners. This is what board does without a subcommand."`
	Get  boardGetCommand  `cmd:"" help:"Show all that operators see of an order."`
	Move boardMoveCommand `cmd:"" help:"Move orders to a status."`

	Create createForPartnerCommand `cmd:"" help:"Create an order for a partner, such as one who orders by phone."`

	Grant   boardGrantCommand   `cmd:"" help:"Cancel an order as its partner has requested."`
	Decline boardDeclineCommand `cmd:"" help:"Decline a partner's request to cancel an order."`
	Confirm boardConfirmCommand `cmd:"" help:"Confirm the edits of an order for its courier, after a call."`

	HandOver boardHandOverCommand `cmd:"" help:"Hand over parcels that were picked up, to another courier or a location."`
	Returns  boardReturnsCommand  `cmd:"" help:"List the parcels that come back, of orders that were cancelled after their pickup."`
	Receive  boardReceiveCommand  `cmd:"" help:"Receive parcels that come back."`
}

type boardShowCommand struct {
	Status    []client.OrderStatus     `help:"Only orders with these statuses. A final status only alone, and with --partner." placeholder:"STATUS"`
	Partner   string                   `help:"Only orders of this partner (par_…), as in dropyard partners." placeholder:"ID"`
	Courier   string                   `help:"Only orders of this courier, or none for orders without one." placeholder:"ID"`
	Zone      string                   `help:"Only orders to postal codes that begin with this (example: H2W)." placeholder:"ZONE"`
	Attention []client.AttentionReason `help:"Only orders that need attention: late, failed_twice, window_missed, no_courier, courier_gone, cancellation_requested, edited_after_pickup, short_pick or any." placeholder:"REASON"`
	Search    string                   `short:"q" help:"Only orders with this text in an id, a reference, a barcode, or the recipient's name, address or phone number; also those that have ended." placeholder:"TEXT"`
	Watch     bool                     `short:"w" help:"Keep the board on the screen, and show changes as they happen. Without a terminal: print each change."`
	listFlags
	operatorFlags
}

// largestBoardPage is the most orders of a page of the board.
const largestBoardPage = 200

// Run prints the board.
func (c *boardShowCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.BoardQuery{
		Statuses: c.Status, PartnerID: c.Partner, CourierID: c.Courier, Zone: c.Zone, Attention: c.Attention,
		Search: c.Search, Sort: client.SortWindow,
	}
	if slices.Contains(c.Status, client.StatusDelivered) || slices.Contains(c.Status, client.StatusCancelled) {
		// The service lists these newest first.
		q.Sort = ""
	}
	if c.Watch {
		return c.watch(ctx, operator, q)
	}
	return list(&c.listFlags, "orders", largestBoardPage, boardColumns(),
		func(size int, option client.CallOption) ([]client.BoardOrder, bool, error) {
			q.Limit = size
			found, err := operator.ListBoard(ctx, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Cursor = found.NextCursor
			return found.Orders, q.Cursor != "", nil
		})
}

func boardColumns() []column[client.BoardOrder] {
	return []column[client.BoardOrder]{
		text("ORDER", func(o client.BoardOrder) string { return o.OrderID }),
		status("STATUS", func(o client.BoardOrder) client.OrderStatus { return o.Status }),
		text("PARTNER", func(o client.BoardOrder) string { return o.PartnerName }),
		text("REFERENCE", func(o client.BoardOrder) string { return o.PartnerOrderID }),
		text("TO", func(o client.BoardOrder) string {
			return strings.TrimSpace(o.Recipient + " " + o.City + " " + o.Zone)
		}),
		text("DUE", func(o client.BoardOrder) string { return moment(o.Due()) }),
		text("COURIER", courierName),
		{title: "ATTENTION", cell: func(o client.BoardOrder) terminal.Cell {
			return terminal.Cell{Text: attention(o.Attention), Style: terminal.Red}
		}},
	}
}

func courierName(o client.BoardOrder) string {
	if o.Courier == nil {
		return ""
	}
	return o.Courier.Name
}

// attention returns why an order needs attention, in words.
func attention(reasons []client.AttentionReason) string {
	words := make([]string, len(reasons))
	for i, reason := range reasons {
		words[i] = strings.ReplaceAll(string(reason), "_", " ")
	}
	return strings.Join(words, ", ")
}

type boardGetCommand struct {
	OrderID string `arg:"" help:"The order (ord_…)."`
	outputFlags
	operatorFlags
}

// Run prints the order, its notes and its history.
func (c *boardGetCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	record, err := operator.GetOrderRecord(ctx, c.OrderID, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	fields := append(orderFields(&record.Order),
		field("partner", record.PartnerName+" ("+record.PartnerID+")"),
		field("version", number(record.Version)),
		terminal.Field{Name: "attention", Value: attention(record.Attention), Style: terminal.Red})
	for _, edit := range record.Order.Changes {
		if edit.Confirmed != nil {
			name := cmp.Or(record.Couriers[edit.CourierID], record.Operators[edit.ConfirmedBy], edit.ConfirmedBy)
			fields = append(fields, field("edited "+exactly(edit.At),
				strings.Join(edit.Fields, ", ")+", "+confirmation(&edit, name)))
		}
	}
	for _, note := range record.Notes {
		fields = append(fields, field("note "+moment(note.At), note.Text))
	}
	out := c.output()
	if err := out.record(&answer, fields); err != nil {
		return err
	}
	return out.history(record.Order.StatusHistory)
}

type boardMoveCommand struct {
	Status  client.OrderStatus `arg:"" help:"The next status (example: accepted)."`
	OrderID []string           `arg:"" help:"The orders (ord_…), at most 200."`
	Courier string             `help:"With courier_assigned: the courier." placeholder:"COURIER-ID"`
	Notes   string             `help:"Notes for the history, which the partner sees." placeholder:"TEXT"`
	Failure string             `help:"With failed: not_home, wrong_address, no_access, declined, damaged, other, or text for the partner." placeholder:"REASON"`
	NextTry time.Time          `name:"next-attempt" help:"With failed: when the next attempt is planned." placeholder:"TIME"`
	Reason  string             `help:"With cancelled: the reason." placeholder:"TEXT"`
	collectedFlags
	Yes bool `short:"y" help:"Do not ask before more than one order is cancelled."`
	outputFlags
	operatorFlags
}

// errNotMoved means that at least one order was not moved.
var errNotMoved = errors.New("not all orders were moved")

// Run moves the orders, each independently of the others.
func (c *boardMoveCommand) Run(ctx context.Context) error {
	if c.Status == client.StatusCourierAssigned && c.Courier == "" {
		return usageError{errors.New("--courier: needed with courier_assigned; dropyard couriers list has the ids")}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	if c.Status == client.StatusCancelled && len(c.OrderID) > 1 && !c.Yes {
		if err := confirm(ctx, fmt.Sprintf("Cancel %d orders? This cannot be undone.", len(c.OrderID))); err != nil {
			return err
		}
	}
	step := client.StatusMove{
		Status: c.Status, Notes: c.Notes, CourierID: c.Courier, FailureReason: c.Failure, NextAttempt: c.NextTry,
		Reason: c.Reason,
	}
	var answer client.Answer
	if len(c.OrderID) == 1 {
		order, err := operator.ChangeOrderStatus(ctx, c.OrderID[0],
			client.StatusMoveRequest{StatusMove: step, Collected: c.collected(c.Notes)}, client.WithAnswer(&answer))
		if err != nil {
			return err
		}
		return c.output().record(&answer,
			[]terminal.Field{field("order", order.OrderID), statusField("status", order.Status)})
	}
	if c.Collected != nil {
		return usageError{errors.New("--collected: each order has an amount of its own, so move one order at a time")}
	}
	moved, err := operator.ChangeOrderStatuses(ctx, client.StatusMovesRequest{OrderIDs: c.OrderID, StatusMove: step},
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	refused := false
	for _, result := range moved.Results {
		refused = refused || !result.OK
	}
	err = newLister(c.output(), "results", []column[client.StatusResult]{
		text("ORDER", func(r client.StatusResult) string { return r.OrderID }),
		status("STATUS", func(r client.StatusResult) client.OrderStatus { return r.Status }),
		{title: "REFUSED", cell: func(r client.StatusResult) terminal.Cell {
			if r.Error == nil {
				return terminal.Cell{}
			}
			return terminal.Cell{Text: r.Error.Message + following(r.Error), Style: terminal.Red}
		}},
	}).print(moved.Results, &answer)
	if err == nil && refused {
		return errNotMoved
	}
	return err
}

// watch shows the board, and again after each change, until ctx ends.
func (c *boardShowCommand) watch(ctx context.Context, operator *client.Operator, q client.BoardQuery) error {
	out := c.output()
	if !terminal.Is(os.Stdout) || out.json {
		return unlessStopped(ctx, c.follow(ctx, operator, out))
	}
	after := ""
	for {
		page, err := c.screen(ctx, operator, q)
		if err != nil {
			return unlessStopped(ctx, err)
		}
		_, _ = fmt.Fprint(os.Stdout, page)
		if after, err = nextChange(ctx, operator, after); err != nil {
			return unlessStopped(ctx, err)
		}
	}
}
