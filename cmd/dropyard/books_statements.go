package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type closeMonthCommand struct {
	Period  string `required:"" help:"The month, which has ended (example: 2026-11)." placeholder:"MONTH"`
	Partner string `help:"Only the statement of this partner. Default: those of all partners, which the service closes in the background; repeat the command to see how far it is." placeholder:"ID"`
	Preview bool   `help:"With --partner: only show the statement; close nothing."`
	outputFlags
	operatorFlags
}

// Run closes the month, or shows what would be on a statement.
func (c *closeMonthCommand) Run(ctx context.Context) error {
	if c.Preview && c.Partner == "" {
		return usageError{errors.New("--preview: needs --partner")}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	if c.Preview {
		found, err := operator.PreviewStatement(ctx, c.Partner, client.PeriodQuery{Period: c.Period},
			client.WithAnswer(&answer))
		if err != nil {
			return err
		}
		return c.output().record(&answer, statementFields(found))
	}
	closed, err := operator.CloseMonth(ctx,
		client.ClosingRequest{Period: c.Period, PartnerID: c.Partner}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	if c.Partner != "" {
		return c.output().record(&answer, statementFields(&closed.Statement))
	}
	return c.output().record(&answer, []terminal.Field{
		field("month", closed.Period), field("state", string(closed.State)),
		field("statements", fmt.Sprintf("%d of %d", closed.Done, closed.Total)),
	})
}

func statementFields(s *client.Statement) []terminal.Field {
	fields := []terminal.Field{
		field("statement", s.StatementID), field("partner", s.PartnerName), field("month", s.Period),
	}
	for _, sums := range s.Sums {
		fields = append(fields, field("opening balance", dollars(sums.OpeningBalanceCents, sums.Currency)),
			field("charged before taxes", dollars(sums.ChargedCents, sums.Currency)))
		for _, tax := range sums.Taxes {
			fields = append(fields, field(strings.ToUpper(string(tax.Tax)), dollars(tax.AmountCents, sums.Currency)))
		}
		fields = append(fields, field("paid", dollars(-sums.PaidCents, sums.Currency)),
			field("collected", dollars(-sums.CollectedCents, sums.Currency)),
			field("remitted", dollars(sums.RemittedCents, sums.Currency)),
			field("closing balance", dollars(sums.ClosingBalanceCents, sums.Currency)))
	}
	return append(fields, field("lines", strconv.Itoa(len(s.Lines))))
}

type listStatementsCommand struct {
	Partner string `help:"Only statements of this partner." placeholder:"ID"`
	Period  string `help:"Only statements of this month (example: 2026-11)." placeholder:"MONTH"`
	listFlags
	operatorFlags
}

// Run prints the closed statements.
func (c *listStatementsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var names map[string]string
	if !c.JSON {
		if names, err = partnerNames(ctx, operator); err != nil {
			return err
		}
	}
	q := client.OperatorStatementsQuery{PartnerID: c.Partner, Period: c.Period}
	return list(&c.listFlags, "statements", largestPage, []column[client.StatementSummary]{
		text("MONTH", func(s client.StatementSummary) string { return s.Period }),
		text("PARTNER", func(s client.StatementSummary) string { return s.PartnerID }),
		text("NAME", func(s client.StatementSummary) string { return names[s.PartnerID] }),
		figure("NUMBER", func(s client.StatementSummary) string { return strconv.FormatInt(s.Number, 10) }),
		figure("BALANCE", func(s client.StatementSummary) string { return balancesOf(s.Balances) }),
		text("STATEMENT", func(s client.StatementSummary) string { return s.StatementID }),
	}, func(size int, option client.CallOption) ([]client.StatementSummary, bool, error) {
		q.Limit = size
		found, err := operator.ListStatements(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Statements, q.Cursor != "", nil
	})
}

func balancesOf(balances []client.ClosingBalance) string {
	texts := make([]string, len(balances))
	for i, one := range balances {
		texts[i] = dollars(one.ClosingBalanceCents, one.Currency)
	}
	return strings.Join(texts, ", ")
}

type statementCommand struct {
	StatementID string `arg:"" help:"The statement (stm_…)."`
	Out         string `name:"output" short:"o" help:"File to write, or - for standard output. Default: the statement's id, with .pdf or .csv." placeholder:"FILE"`
	Format      string `help:"pdf or csv." enum:"pdf,csv" default:"pdf" placeholder:"FORMAT"`
	operatorFlags
}

// Run writes the statement. A file that exists is replaced.
func (c *statementCommand) Run(ctx context.Context) error {
	if c.Out == "" {
		c.Out = c.StatementID + "." + c.Format
	}
	if c.Out == "-" && terminal.Is(os.Stdout) {
		return usageError{errors.New("--output: the file is not for a terminal; name a file, or send it through a pipe")}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	format := client.StatementPDF
	if c.Format == "csv" {
		format = client.StatementCSV
	}
	file, err := operator.GetStatementFile(ctx, c.StatementID, format)
	if err != nil {
		return err
	}
	if c.Out == "-" {
		_, err = os.Stdout.Write(file)
		return err
	}
	if err := os.WriteFile(c.Out, file, 0o600); err != nil {
		return err
	}
	notice("%s: %d bytes", c.Out, len(file))
	return nil
}
