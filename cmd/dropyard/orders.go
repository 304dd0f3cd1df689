package main

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type ordersCommand struct {
	List   listOrdersCommand  `cmd:"" default:"withargs" help:"List orders, newest first."`
	Get    getOrderCommand    `cmd:"" help:"Show an order and its history."`
	Create createOrderCommand `cmd:"" help:"Create an order."`
	Edit   editOrderCommand   `cmd:"" help:"Change the content of an order."`
	Cancel cancelOrderCommand `cmd:"" help:"Cancel an order that is pending or accepted."`

	RequestCancellation requestCancellationCommand `cmd:"" help:"Request the cancellation of an order that you can no longer cancel yourself."`
	Return              returnOrderCommand         `cmd:"" help:"Create a return of a delivered order."`
	Import              importOrdersCommand        `cmd:"" help:"Create the orders in a CSV file. Repeating it creates no order twice."`
	Label               labelCommand               `cmd:"" help:"Write the labels of an order's parcels to a file."`
}

type listOrdersCommand struct {
	Status         client.OrderStatus `help:"Only orders with this status." placeholder:"STATUS"`
	PartnerOrderID string             `help:"Only the order with this partner_order_id." placeholder:"ID"`
	Search         string             `short:"q" help:"Only orders with these words in the number, a barcode, or the recipient's name, address, phone number or e-mail address." placeholder:"TEXT"`
	CreatedFrom    time.Time          `help:"Only orders created at this time or later (example: 2026-11-23T00:00:00Z)." placeholder:"TIME"`
	CreatedTo      time.Time          `help:"Only orders created before this time." placeholder:"TIME"`
	listFlags
	partnerFlags
}

// largestPage is the most objects of a page of most lists.
const largestPage = 500

// Run prints the orders that the flags choose.
func (c *listOrdersCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	q := client.OrderQuery{
		Status: c.Status, PartnerOrderID: c.PartnerOrderID, Search: c.Search, CreatedFrom: c.CreatedFrom,
		CreatedTo: c.CreatedTo,
	}
	return list(&c.listFlags, "orders", largestPage, []column[client.ListedOrder]{
		text("ORDER", func(o client.ListedOrder) string { return o.OrderID }),
		status("STATUS", func(o client.ListedOrder) client.OrderStatus { return o.Status }),
		text("REFERENCE", func(o client.ListedOrder) string { return o.PartnerOrderID }),
		text("TO", func(o client.ListedOrder) string { return o.Dropoff.Address.City }),
		text("LEVEL", func(o client.ListedOrder) string { return string(o.ServiceLevel) }),
		figure("PRICE", func(o client.ListedOrder) string { return dollars(o.RateCents, o.Currency) }),
		text("ESTIMATE", func(o client.ListedOrder) string { return moment(o.EstimatedDelivery) }),
		text("CREATED", func(o client.ListedOrder) string { return moment(o.CreatedAt) }),
	}, func(size int, option client.CallOption) ([]client.ListedOrder, bool, error) {
		q.Limit = size
		found, err := partner.ListOrders(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Orders, q.Cursor != "", nil
	})
}

type getOrderCommand struct {
	OrderID string `arg:"" help:"The order (ord_…)."`
	outputFlags
	partnerFlags
}

// Run prints the order and its history.
func (c *getOrderCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	order, err := partner.GetOrder(ctx, c.OrderID, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	out := c.output()
	if err := out.record(&answer, orderFields(order)); err != nil {
		return err
	}
	return out.history(order.StatusHistory)
}

// orderFields returns an order for people.
func orderFields(o *client.Order) []terminal.Field {
	fields := []terminal.Field{
		field("order", o.OrderID),
		field("reference", o.PartnerOrderID),
		statusField("status", o.Status),
		field("reason", o.CancellationReason),
		field("level", string(o.ServiceLevel)),
		field("from", contactLine(o.Pickup)),
		field("to", contactLine(o.Dropoff)),
		field("parcels", number(len(o.Parcels))),
		field("price", dollars(o.RateCents, o.Currency)),
		field("estimate", exactly(o.EstimatedDelivery)),
	}
	if o.COD != nil && o.COD.AmountCents > 0 {
		fields = append(fields, field("collect", dollars(o.COD.AmountCents, o.COD.Currency)))
	}
	if o.Courier != nil {
		fields = append(fields, field("courier", o.Courier.Name+", "+o.Courier.Phone))
	}
	fields = append(fields, cancellationFields(o.CancellationRequest)...)
	if !o.LiveMode {
		fields = append(fields, field("mode", "test"))
	}
	for _, warning := range o.Warnings {
		fields = append(fields,
			terminal.Field{Name: "warning", Value: warning.Field + ": " + warning.Message, Style: terminal.Yellow})
	}
	return append(fields, field("tracking", o.TrackingURL))
}

func contactLine(c client.Contact) string {
	a := c.Address
	return c.Name + ", " + a.Line1 + ", " + a.City + ", " + string(a.Province) + " " + a.PostalCode
}

// history prints the history of an order below it.
func (o *output) history(changes []client.StatusChange) error {
	if o.json {
		return nil
	}
	if err := o.say(""); err != nil {
		return err
	}
	table := terminal.NewTable(o.to, o.palette, []terminal.Column{{Title: "WHEN"}, {Title: "STATUS"}, {Title: "NOTES"}})
	for _, change := range changes {
		table.Add(terminal.Cell{Text: exactly(change.Timestamp)}, statusCell(change.Status),
			terminal.Cell{Text: change.Notes})
	}
	return table.Flush()
}

type cancelOrderCommand struct {
	OrderID        string `arg:"" help:"The order (ord_…)."`
	Reason         string `help:"Reason, at most 500 characters." placeholder:"TEXT"`
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default: a new one." placeholder:"UUID"`
	outputFlags
	partnerFlags
}

// Run cancels the order.
func (c *cancelOrderCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	order, err := partner.CancelOrder(ctx, c.OrderID, client.CancelRequest{Reason: c.Reason},
		client.WithIdempotencyKey(c.IdempotencyKey), client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, orderFields(order))
}

type requestCancellationCommand struct {
	OrderID        string `arg:"" help:"The order (ord_…), from courier_assigned to failed."`
	Reason         string `required:"" help:"Reason, for the dispatcher, at most 500 characters." placeholder:"TEXT"`
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default: a new one." placeholder:"UUID"`
	outputFlags
	partnerFlags
}

// Run requests that the service cancels the order.
func (c *requestCancellationCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	order, err := partner.RequestCancellation(ctx, c.OrderID, client.CancellationWanted{Reason: c.Reason},
		client.WithIdempotencyKey(c.IdempotencyKey), client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, orderFields(order))
}

// cancellationFields says how the request to cancel an order stands; nothing if there is none.
func cancellationFields(r *client.CancellationRequest) []terminal.Field {
	if r == nil {
		return nil
	}
	fields := []terminal.Field{
		field("cancellation", string(r.State)+" ("+exactly(r.At)+")"), field("requested for", r.Reason),
	}
	if r.Answer != "" {
		fields = append(fields, field("answer", r.Answer))
	}
	return fields
}
