package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// booksCommand shows what was charged, and sets from when on that is done.
type booksCommand struct {
	Show     showBooksCommand     `cmd:"" default:"withargs" help:"Show the first day of the books, and how they are closed."`
	Set      setBooksCommand      `cmd:"" help:"Set the first day of the books, and how they are closed, as an admin."`
	Firm     firmCommand          `cmd:"" help:"Show the name and address on statements, and the tax numbers."`
	SetFirm  setFirmCommand       `cmd:"" help:"Set the name and address on statements, and the tax numbers, as an admin."`
	Journal  listJournalCommand   `cmd:"" help:"List the entries of the journal, newest first."`
	Balances listBalancesCommand  `cmd:"" help:"Show the balances of the accounts."`
	Adjust   adjustChargesCommand `cmd:"" help:"Correct what a partner was charged."`
	Pay      payCommand           `cmd:"" help:"Record that a partner has paid."`
	Cash     cashCommand          `cmd:"" help:"Show the cash that couriers carry, or the orders that one courier's cash is from."`
	Count    countCashCommand     `cmd:"" help:"Record a count of the cash that a courier hands in."`
	Deposit  depositCommand       `cmd:"" help:"Record a deposit of cash at the bank."`
	Remit    remitCommand         `cmd:"" help:"Record that a partner was sent what was collected for it."`
	Collect  collectCommand       `cmd:"" help:"Confirm or correct the amount collected for a delivered order."`

	Close      closeMonthCommand     `cmd:"" help:"Close a month: from then on its statements never change."`
	Statements listStatementsCommand `cmd:"" help:"List closed statements, the latest month first."`
	Statement  statementCommand      `cmd:"" help:"Write a statement to a file."`
}

type showBooksCommand struct {
	outputFlags
	operatorFlags
}

// Run prints the settings.
func (c *showBooksCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := operator.GetBooks(ctx, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, booksFields(found))
}

func booksFields(b *client.Books) []terminal.Field {
	required := map[bool]string{true: "required on delivery", false: "not required on delivery"}
	closed := "by hand"
	if b.CloseOnDay != 0 {
		closed = fmt.Sprintf("on day %d of the next month", b.CloseOnDay)
	}
	return []terminal.Field{
		field("charged since", cmp.Or(b.BooksFrom, "nothing is charged")),
		field("what was collected", required[b.RequireCollected]),
		field("months are closed", closed),
	}
}

type setBooksCommand struct {
	From       string `help:"First day of the books, in the time zone of the service (example: 2026-12-01)." placeholder:"DATE"`
	Off        bool   `help:"Turn the books off; possible until the first charge."`
	CloseOnDay *int   `name:"close-on-day" help:"Day of the month, 1 to 28, on which the month before is closed for all partners; 0 for none." placeholder:"DAY"`
	// Require is nil if neither flag is given.
	Require *bool `name:"require-collected" help:"Whether a delivery of an order with an amount to collect must say what was collected." negatable:""`
	outputFlags
	operatorFlags
}

// Run changes the settings.
func (c *setBooksCommand) Run(ctx context.Context) error {
	change := client.BooksChange{RequireCollected: c.Require}
	switch {
	case c.From != "" && c.Off, c.From == "" && !c.Off && c.Require == nil && c.CloseOnDay == nil:
		return usageError{errors.New(
			"--from, --off, --require-collected, --close-on-day: one of them is needed, and only one of the first two")}
	case c.Off:
		change.BooksFrom = client.Reset[string]()
	case c.From != "":
		change.BooksFrom = client.Set(c.From)
	}
	if c.CloseOnDay != nil {
		change.CloseOnDay = client.Set(*c.CloseOnDay)
		if *c.CloseOnDay == 0 {
			change.CloseOnDay = client.Reset[int]()
		}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	changed, err := operator.ChangeBooks(ctx, change, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, booksFields(changed))
}

type firmCommand struct {
	outputFlags
	operatorFlags
}

// Run prints the firm.
func (c *firmCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := operator.GetFirm(ctx, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, firmFields(found))
}

func firmFields(f *client.Firm) []terminal.Field {
	return []terminal.Field{
		field("name", f.Name), field("address", f.Address),
		field("number for GST and HST", cmp.Or(f.Numbers.GSTHST, "none, not charged")),
		field("number for QST", cmp.Or(f.Numbers.QST, "none, not charged")),
	}
}

type setFirmCommand struct {
	Name    string `arg:"" help:"Name that statements print."`
	Address string `help:"Address that statements print; may have several lines." placeholder:"TEXT"`
	GSTHST  string `name:"gst-hst" help:"Number for GST and HST (example: 123456789 RT0001). Default: they are not charged." placeholder:"NUMBER"`
	QST     string `name:"qst" help:"Number for QST (example: 1234567890 TQ0001). Default: it is not charged." placeholder:"NUMBER"`
	outputFlags
	operatorFlags
}

// Run sets the firm.
func (c *setFirmCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	changed, err := operator.PutFirm(ctx, client.Firm{
		Name: c.Name, Address: c.Address, Numbers: client.FirmNumbers{GSTHST: c.GSTHST, QST: c.QST},
	}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, firmFields(changed))
}

type listJournalCommand struct {
	Partner string `help:"Only entries of this partner." placeholder:"ID"`
	Order   string `help:"Only entries of this order." placeholder:"ORDER-ID"`
	From    string `help:"The first day (example: 2026-12-01)." placeholder:"DATE"`
	To      string `help:"The last day." placeholder:"DATE"`
	Columns string `help:"Print all these entries as CSV, oldest first, for an import into another program: quickbooks or xero." placeholder:"PROGRAM"`
	listFlags
	operatorFlags
}

// Run prints the entries of the journal.
func (c *listJournalCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.BookEntriesQuery{
		PartnerID: c.Partner, OrderID: c.Order, From: c.From, To: c.To, Columns: client.BookColumns(c.Columns),
	}
	if c.Columns != "" {
		file, err := operator.ExportBookEntries(ctx, q)
		if err != nil {
			return err
		}
		return c.output().text(file)
	}
	return list(&c.listFlags, "entries", largestPage, []column[client.BookEntry]{
		text("DAY", func(e client.BookEntry) string { return e.Day }),
		text("PARTNER", func(e client.BookEntry) string { return e.PartnerID }),
		text("ACT", func(e client.BookEntry) string { return string(e.Act) }),
		text("NUMBER", func(e client.BookEntry) string { return e.PartnerOrderID }),
		figure("NET", func(e client.BookEntry) string { return onAccount(e, client.BookAccountRevenue, -1) }),
		figure("CHARGED", func(e client.BookEntry) string { return onAccount(e, client.BookAccountCharges, 1) }),
		figure("MOVED", moved),
		text("ORDER", func(e client.BookEntry) string { return e.OrderID }),
	}, func(size int, option client.CallOption) ([]client.BookEntry, bool, error) {
		q.Limit = size
		found, err := operator.ListBookEntries(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Entries, q.Cursor != "", nil
	})
}

// moved returns what an entry that charges nothing has moved to other accounts, such as cash or what was sent to a
// partner; empty for a charge.
func moved(e client.BookEntry) string {
	sums := map[client.Currency]int64{}
	for _, line := range e.Lines {
		if line.Account == client.BookAccountCharges {
			return ""
		}
		sums[line.Currency] += max(line.AmountCents, 0)
	}
	var texts []string
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		texts = append(texts, dollars(sums[currency], currency))
	}
	return strings.Join(texts, ", ")
}

// onAccount returns the amount of an entry on an account, times a sign; empty if it has none.
func onAccount(e client.BookEntry, account client.BookAccount, sign int64) string {
	for _, line := range e.Lines {
		if line.Account == account {
			return dollars(sign*line.AmountCents, line.Currency)
		}
	}
	return ""
}

type listBalancesCommand struct {
	Partner string `help:"Only the balances of this partner." placeholder:"ID"`
	From    string `help:"The first day (example: 2026-12-01)." placeholder:"DATE"`
	To      string `help:"The last day." placeholder:"DATE"`
	outputFlags
	operatorFlags
}

// Run prints the balances.
func (c *listBalancesCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := operator.ListBalances(ctx,
		client.BalancesQuery{PartnerID: c.Partner, From: c.From, To: c.To}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	out := c.output()
	if out.json {
		return out.raw(answer.Body)
	}
	return newLister(out, "", []column[client.Balance]{
		text("ACCOUNT", func(b client.Balance) string { return string(b.Account) }),
		figure("BALANCE", func(b client.Balance) string { return dollars(b.AmountCents, b.Currency) }),
	}).print(found.Balances, nil)
}

type adjustChargesCommand struct {
	Partner string `arg:"" help:"The partner (par_…), as in dropyard partners."`
	Dollars money  `arg:"" help:"Amount in dollars before taxes; below zero if too much was charged (example: -- par_3ebmvgjr -12.50)."`
	Reason  string `help:"Reason, which statements show." required:"" placeholder:"TEXT"`
	Order   string `help:"Order whose charge is corrected, with its part of the taxes." placeholder:"ORDER-ID"`
	outputFlags
	operatorFlags
}

// Run posts the correction.
func (c *adjustChargesCommand) Run(ctx context.Context) error {
	if c.Order != "" && !strings.HasPrefix(c.Order, "ord_") { // such as the partner's number
		const wanted = "the id of an order (ord_…), as in dropyard books journal"
		return usageError{fmt.Errorf("--order: expected %s, not %q", wanted, c.Order)}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	posted, err := operator.CreateAdjustment(ctx, c.Partner, client.AdjustmentRequest{
		AmountCents: inCents(c.Dollars), OrderID: c.Order, Reason: c.Reason,
	}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, postedFields(posted))
}

type payCommand struct {
	Partner string `arg:"" help:"The partner (par_…), as in dropyard partners."`
	Dollars money  `arg:"" help:"Amount in dollars (example: 1469.00)."`
	Notes   string `help:"What the payment refers to." placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run records the payment.
func (c *payCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	posted, err := operator.CreatePayment(ctx, c.Partner,
		client.PaymentRequest{AmountCents: inCents(c.Dollars), Notes: c.Notes}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, postedFields(posted))
}

// inCents returns an amount in cents.
func inCents(dollars money) int64 { return int64(math.Round(100 * float64(dollars))) }

func postedFields(e *client.BookEntry) []terminal.Field {
	return []terminal.Field{
		field("day", e.Day), field("act", string(e.Act)), field("order", e.PartnerOrderID),
		field("owed in addition", onAccount(*e, client.BookAccountCharges, 1)), field("entry", e.EntryID),
	}
}
