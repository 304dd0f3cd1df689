package main

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// collectedFlags say what was collected at the door.
type collectedFlags struct {
	Collected *money                  `help:"With delivered: what was collected, in dollars (example: 49.99)." placeholder:"DOLLARS"`
	Paid      client.CollectionMethod `help:"How it was paid: cash or terminal." enum:"cash,terminal" default:"cash"`
	Currency  client.Currency         `help:"Currency of the amount." enum:"CAD,USD" default:"CAD"`
}

// collected returns what was collected; nil if the command does not say.
func (f *collectedFlags) collected(notes string) *client.Collected {
	if f.Collected == nil {
		return nil
	}
	c := &client.Collected{AmountCents: inCents(*f.Collected), Currency: f.Currency, Method: f.Paid, Notes: notes}
	if c.AmountCents == 0 {
		c.Method = client.PaidNothing
	}
	return c
}

type collectCommand struct {
	OrderID  string                  `arg:"" help:"The order (ord_…)."`
	Dollars  money                   `arg:"" help:"Amount in dollars; 0 for nothing (example: 49.99)."`
	Paid     client.CollectionMethod `help:"How it was paid: cash or terminal." enum:"cash,terminal" default:"cash"`
	Currency client.Currency         `help:"Currency of the amount." enum:"CAD,USD" default:"CAD"`
	Notes    string                  `help:"Reason, if the amount differs from the one to be collected." placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run sets what was collected.
func (c *collectCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	flags := collectedFlags{&c.Dollars, c.Paid, c.Currency}
	var answer client.Answer
	order, err := operator.PutOrderCollected(ctx, c.OrderID, *flags.collected(c.Notes), client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{
		field("order", order.OrderID), field("collected", dollars(inCents(c.Dollars), c.Currency)),
	})
}

type cashCommand struct {
	Courier string `arg:"" optional:"" help:"The courier (cou_…). Default: all couriers."`
	outputFlags
	operatorFlags
}

// Run prints the cash that is under way.
func (c *cashCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	out := c.output()
	if c.Courier != "" {
		found, err := operator.GetCourierCash(ctx, c.Courier, client.WithAnswer(&answer))
		if err != nil {
			return err
		}
		if out.json {
			return out.raw(answer.Body)
		}
		return newLister(out, "", []column[client.CarriedCash]{
			text("NUMBER", func(o client.CarriedCash) string { return o.PartnerOrderID }),
			text("COLLECTED", func(o client.CarriedCash) string { return moment(o.CollectedAt) }),
			figure("AMOUNT", func(o client.CarriedCash) string { return dollars(o.AmountCents, o.Currency) }),
			text("ORDER", func(o client.CarriedCash) string { return o.OrderID }),
		}).print(found.Orders, nil)
	}
	found, err := operator.GetCash(ctx, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	if out.json {
		return out.raw(answer.Body)
	}
	names := map[string]string{}
	for courier, err := range operator.Couriers(ctx, client.PageQuery{Limit: largestPage}) {
		if err != nil {
			return err
		}
		names[courier.CourierID] = courier.Name
	}
	return newLister(out, "", []column[client.CashHeld]{
		text("COURIER", func(h client.CashHeld) string { return h.CourierID }),
		text("NAME", func(h client.CashHeld) string { return names[h.CourierID] }),
		figure("CARRIES", func(h client.CashHeld) string { return dollars(h.AmountCents, h.Currency) }),
	}).print(found.Couriers, nil)
}

type countCashCommand struct {
	Courier  string          `arg:"" help:"The courier (cou_…)."`
	Counted  money           `arg:"" help:"What was counted, in dollars (example: 184.50)."`
	Kept     money           `help:"What the courier keeps, in dollars." placeholder:"DOLLARS"`
	Currency client.Currency `help:"Currency of the amounts." enum:"CAD,USD" default:"CAD"`
	Notes    string          `help:"Notes about the count. Needed if there is a difference: why." placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run records the count.
func (c *countCashCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	found, err := operator.GetCourierCash(ctx, c.Courier)
	if err != nil {
		return err
	}
	var carried int64
	for _, held := range found.Balances {
		if held.Currency == c.Currency {
			carried = held.AmountCents
		}
	}
	if err := c.whyDiffers(carried); err != nil {
		return usageError{err}
	}
	var answer client.Answer
	count, err := operator.CreateHandIn(ctx, c.Courier, client.HandInRequest{
		CountedCents: inCents(c.Counted), KeptCents: inCents(c.Kept), ExpectedCents: &carried, Currency: c.Currency,
		Notes: c.Notes,
	}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{
		field("carried", dollars(count.ExpectedCents, count.Currency)),
		field("counted", dollars(count.CountedCents, count.Currency)),
		field("kept", dollars(count.KeptCents, count.Currency)),
		field("missing", dollars(count.DifferenceCents, count.Currency)),
	})
}

// whyDiffers asks for the reason of a difference, because a count that was typed wrongly cannot be taken back. It
// returns nil if there is nothing to ask.
func (c *countCashCommand) whyDiffers(carried int64) error {
	missing, what := carried-inCents(c.Counted)-inCents(c.Kept), "missing"
	if missing == 0 || c.Notes != "" {
		return nil
	}
	if missing < 0 {
		missing, what = -missing, "too much"
	}
	return fmt.Errorf("the courier carries %s, so %s is %s: count again, or enter why with --notes",
		dollars(carried, c.Currency), dollars(missing, c.Currency), what)
}

type depositCommand struct {
	Dollars  money              `arg:"" help:"Amount in dollars (example: 1469.00)."`
	From     client.BookAccount `help:"Where the money comes from: desk, or terminal for what was paid by card." enum:"desk,terminal" default:"desk"`
	Currency client.Currency    `help:"Currency of the amount." enum:"CAD,USD" default:"CAD"`
	Notes    string             `help:"What the deposit refers to." placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run records the deposit.
func (c *depositCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	deposit, err := operator.CreateDeposit(ctx, client.DepositRequest{
		AmountCents: inCents(c.Dollars), Currency: c.Currency, From: c.From, Notes: c.Notes,
	}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{field("deposited", dollars(deposit.AmountCents, deposit.Currency))})
}

type remitCommand struct {
	Partner  string             `arg:"" help:"The partner (par_…), as in dropyard partners."`
	Dollars  money              `arg:"" help:"Amount in dollars (example: 1469.00)."`
	From     client.BookAccount `help:"Where the money comes from: bank or desk." enum:"bank,desk" default:"bank"`
	Currency client.Currency    `help:"Currency of the amount." enum:"CAD,USD" default:"CAD"`
	Notes    string             `help:"What the payment refers to." placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run records the remittance.
func (c *remitCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	sent, err := operator.CreateRemittance(ctx, c.Partner, client.RemittanceRequest{
		AmountCents: inCents(c.Dollars), Currency: c.Currency, From: c.From, Notes: c.Notes,
	}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{
		field("day", sent.Day), field("sent", onAccount(*sent, client.BookAccountCollected, 1)), field("entry", sent.EntryID),
	})
}
