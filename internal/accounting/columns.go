package accounting

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/money"
)

// Columns names the program whose columns a file of entries has; empty for all that the journal has.
type Columns string

// The programs. docs/money.md describes their columns and the steps of an import.
const (
	ColumnsQuickBooks Columns = "quickbooks" // Online
	ColumnsXero       Columns = "xero"
)

// Filename returns the name of a file of the journal in these columns.
func (c Columns) Filename() string {
	if slices.Contains(Programs, c) {
		return "journal-" + string(c) + ".csv"
	}
	return "journal.csv"
}

// Programs lists them.
var Programs = []Columns{ColumnsQuickBooks, ColumnsXero}

// table is a kind of file with entries.
type table struct {
	columns []string
	row     func(e *money.Entry, line money.Line, partner string) []csvfile.Value
	named   bool // rows have the names of partners
	// leavesOut reports whether a line has no row; nil for none.
	leavesOut func(money.Line) bool
}

var (
	ownTable = table{columns: []string{
		"day", "entry_id", "partner_id", "act", "order_id", "partner_order_id", "account", "courier_id", "amount", "currency",
		"at", "recorded_at", "actor_id", "notes",
	}, row: ownRow}

	tables = map[Columns]table{
		ColumnsQuickBooks: {
			columns: []string{
				"JournalNo", "JournalDate", "AccountName", "Debits", "Credits", "Description", "Name", "Currency",
			},
			row: quickBooksRow, named: true,
			leavesOut: func(line money.Line) bool { return line.Cents == 0 },
		},
		ColumnsXero: {
			columns: []string{
				"*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount", "TrackingName1", "TrackingOption1",
				"TrackingName2", "TrackingOption2",
			},
			row: xeroRow, named: true,
			// The journals of Xero are in the currency of the organization.
			leavesOut: func(line money.Line) bool { return line.Cents == 0 || line.Currency != delivery.CAD },
		},
	}
)

// longestName is how many characters QuickBooks takes of a name.
const longestName = 100

func quickBooksRow(e *money.Entry, line money.Line, partner string) []csvfile.Value {
	debits, credits := csvfile.Dollars(line.Cents), csvfile.Plain("")
	if line.Cents < 0 {
		debits, credits = credits, csvfile.Dollars(-line.Cents)
	}
	return []csvfile.Value{
		csvfile.Plain(journalNumber(e, line.Currency)), csvfile.Plain(e.Day.Midnight().Format("01/02/2006")),
		csvfile.Plain(string(line.Account)), debits, credits, csvfile.Words(summary(e)),
		csvfile.Words(first(oneLine(partner), longestName-1)), // an apostrophe may be put in front
		csvfile.Plain(string(line.Currency)),
	}
}

// xeroCodes are the codes of accounts whose names are longer than the ten characters of a code.
var xeroCodes = map[money.Account]string{money.Differences: "difference"}

func xeroRow(e *money.Entry, line money.Line, partner string) []csvfile.Value {
	none := csvfile.Plain("")
	return []csvfile.Value{
		// Lines with the same narration and date become one journal.
		csvfile.Words(journalNumber(e, line.Currency) + " " + summary(e)),
		csvfile.Plain(e.Day.Midnight().Format("02 Jan 2006")), csvfile.Words(oneLine(partner)),
		csvfile.Plain(cmp.Or(xeroCodes[line.Account], string(line.Account))),
		csvfile.Plain("Tax Exempt"), // taxes have lines of their own
		csvfile.Dollars(line.Cents), none, none, none, none,
	}
}

// journalNumber returns the number under which other programs keep the part of an entry in one currency. It is the
// same in every file, and has at most the 21 characters that QuickBooks takes.
func journalNumber(e *money.Entry, currency delivery.Currency) string {
	const digits = 10
	digest := sha256.Sum256([]byte(e.EntryID))
	number := e.Day.Midnight().Format("060102") + "-" + base32.StdEncoding.EncodeToString(digest[:])[:digits]
	if currency != delivery.CAD {
		number += "-" + string(currency)
	}
	return number
}

// summary says on one line what an entry is about.
func summary(e *money.Entry) string {
	text := strings.ReplaceAll(string(e.Act), "_", " ")
	if e.PartnerOrderID != "" {
		text += " " + e.PartnerOrderID
	}
	if e.Notes != "" {
		text += ": " + e.Notes
	}
	return oneLine(text)
}

// oneLine returns a text with a blank for each run of white space and control characters.
func oneLine(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.Join(parts, " ")
}

// first returns the first characters of a text.
func first(text string, most int) string {
	characters := []rune(text)
	return string(characters[:min(most, len(characters))])
}
