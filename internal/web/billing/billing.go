// Package billing has what pages of partners and of operators share about statements: their lists, what is on one,
// and their files.
package billing

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/statement"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// View is where statements are shown.
type View struct {
	page.Sheet
	Accounting *accounting.Service
	// PartnerID is whose statements alone are shown; empty for those of all partners.
	PartnerID string
	Orders    string // the path below which the pages of orders are
	Files     string // the path below which the files of statements are
}

// Row is a closed statement in a list.
type Row struct {
	PartnerID, Partner string // Partner is its name, which the list of operators adds
	Number             int64
	Month, Closed      string
	Balance            string
	PDF, CSV, JSON     string // the addresses of its files
}

// List is a page of closed statements.
type List struct {
	Rows []Row
	Next accounting.StatementCursor
}

// onPage is how many statements a page shows.
const onPage = 50

// List returns a page of the closed statements of a month, or of all months if that is 0, the latest first.
func (v *View) List(period money.Period, after accounting.StatementCursor) (list List, err error) {
	found, err := v.Accounting.Statements(v.Context(),
		accounting.StatementFilter{PartnerID: v.PartnerID, Period: period, After: after, Limit: onPage})
	if err != nil {
		return list, err
	}
	list.Next = found.Next
	for _, one := range found.Statements {
		file := v.Files + "/" + one.StatementID()
		row := Row{
			PartnerID: one.PartnerID, Number: one.Number, Month: Month(v.Language, one.Period),
			Closed: v.Language.BriefDate(one.ClosedAt, v.Site.Now()),
			PDF:    file + ".pdf", CSV: file + ".csv", JSON: file + ".json",
		}
		var balances []string
		for _, closing := range one.Closings {
			balances = append(balances, v.Language.Money(closing.Balance(), closing.Currency))
		}
		row.Balance = strings.Join(balances, " · ")
		list.Rows = append(list.Rows, row)
	}
	return list, nil
}

// Month returns the name of a month with its year.
func Month(l page.Language, period money.Period) string { return l.Month(period.First().Midnight()) }

var endings = map[string]statement.Format{
	".pdf": statement.FormatPDF, ".csv": statement.FormatCSV, ".json": statement.FormatJSON,
}

// File responds with a statement as the file that a path names by the statement's id and an ending. It refuses with
// not_found.
func (v *View) File(name string) (int, []byte, error) {
	for ending, format := range endings {
		statementID, is := strings.CutSuffix(name, ending)
		if !is {
			continue
		}
		file, err := v.Accounting.StatementFile(v.Context(), v.PartnerID, statementID, format)
		if err != nil {
			return 0, nil, err
		}
		web.SetFile(v.Header, file.Name(statementID), file.ContentType())
		return http.StatusOK, file.Data, nil
	}
	return 0, nil, refusal.NotFound("the statement")
}

// Statement is what is on a statement.
type Statement struct {
	Sums  []Sums
	Lines []Line
	More  int // lines that are not shown
}

// Sums are the sums in a currency.
type Sums struct {
	Figures []Figure
	Held    string // what was collected and is not sent yet; empty for nothing
}

// Figure is an amount with what it is.
type Figure struct {
	Title, Value string
	Total        bool
}

// Line is an entry on a statement.
type Line struct {
	Date, Act, Notes  string
	Number, OrderPath string // empty if it is about no order
	Net, Taxes, Total string
}

// linesShown is how many lines a page shows; the files have all.
const linesShown = 200

// Statement returns what is on a statement, the newest lines first.
func (v *View) Statement(s *money.Statement) Statement {
	var shown Statement
	for _, sums := range s.Sums {
		shown.Sums = append(shown.Sums, v.sums(sums))
	}
	shown.More = max(0, len(s.Lines)-linesShown)
	for i := len(s.Lines) - 1; i >= shown.More; i-- {
		shown.Lines = append(shown.Lines, v.line(s.Lines[i]))
	}
	return shown
}

func (v *View) sums(sums money.Sums) (shown Sums) {
	add := func(key string, cents int64, total bool) {
		shown.Figures = append(shown.Figures, Figure{v.Text(key), v.Language.Money(cents, sums.Currency), total})
	}
	add("statement.opening", sums.Opening.Balance(), true)
	add("statement.charged", sums.Charged, false)
	for _, tax := range sums.Taxes {
		add("money.account."+string(tax.Tax), tax.Cents, false)
	}
	if sums.Paid != 0 {
		add("statement.paid", -sums.Paid, false)
	}
	if sums.Collected != 0 || sums.Remitted != 0 {
		add("statement.collected", -sums.Collected, false)
		add(v.remitted(), sums.Remitted, false)
	}
	add("statement.closing", sums.Closing.Balance(), true)
	if held := -sums.Closing.Collected; held != 0 {
		shown.Held = v.Text("statement.held", "amount", v.Language.Money(held, sums.Currency))
	}
	return shown
}

// remitted names the sum that was sent to a partner.
func (v *View) remitted() string {
	if v.PartnerID != "" {
		return "statement.remitted.yours"
	}
	return "statement.remitted"
}

func (v *View) line(line money.StatementLine) Line {
	shown := Line{
		Date: v.day(line.Day), Act: v.act(line.Act), Notes: line.Notes, Number: line.PartnerOrderID,
		Net: v.Language.Money(line.Net, line.Currency), Total: v.Language.Money(line.Total, line.Currency),
	}
	if line.OrderID != "" {
		shown.OrderPath = v.Orders + "/" + line.OrderID
	}
	taxes := make([]string, len(line.Taxes))
	for i, tax := range line.Taxes {
		taxes[i] = v.Language.Money(tax.Cents, line.Currency) + " " + v.Text("money.account."+string(tax.Tax))
	}
	shown.Taxes = strings.Join(taxes, " · ")
	return shown
}

// act names what a line is about.
func (v *View) act(act money.Act) string {
	if act == money.ActRemittance && v.PartnerID != "" {
		return v.Text("statement.remittance")
	}
	return v.Text("money.act." + string(act))
}

func (v *View) day(day date.Day) string { return v.Language.BriefDate(day.Midnight(), v.Site.Now()) }
