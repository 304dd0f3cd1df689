package accounting_test

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// journal is a store with entries, oldest first, and the names of partners.
type journal struct {
	accounting.Reader
	entries []*money.Entry
	names   map[string]string
}

func (j *journal) Read(_ context.Context, fn func(accounting.Reader) error) error { return fn(j) }

func (j *journal) Write(context.Context, func(accounting.Writer) error) error {
	panic("an export writes nothing")
}

func (j *journal) PartnerNames(context.Context, ...string) (map[string]string, error) {
	return j.names, nil
}

func (j *journal) Entries(_ context.Context, f accounting.Filter) ([]*money.Entry, error) {
	found := j.entries
	if f.After != (accounting.Cursor{}) {
		found = found[1+slices.IndexFunc(found, func(e *money.Entry) bool { return accounting.CursorOf(e) == f.After }):]
	}
	return found[:min(len(found), f.Limit)], nil
}

// file returns the entries as a file.
func (j *journal) file(t rapid.TB, columns accounting.Columns, layout csvfile.Layout) string {
	t.Helper()
	books := accounting.NewService(accounting.Config{Store: j, Now: time.Now, Zone: time.UTC})
	write, err := books.Export(context.Background(), accounting.Filter{}, columns, layout)
	var file strings.Builder
	if err == nil {
		err = write(&file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// rows returns the rows of the entries as a file, by their columns.
func (j *journal) rows(t rapid.TB, columns accounting.Columns) (rows []map[string]string) {
	t.Helper()
	file := j.file(t, columns, csvfile.Layout{Spreadsheet: true, Semicolons: true}) // which do not count
	read, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatalf("got %v for the file\n%s", err, file)
	}
	for _, cells := range read[1:] {
		row := map[string]string{}
		for i, name := range read[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// line returns a line in CAD.
func line(account money.Account, cents int64) money.Line {
	return money.Line{Account: account, Currency: delivery.CAD, Cents: cents}
}

// someEntries is a journal with entries of several kinds.
func someEntries() *journal {
	usd := func(account money.Account, cents int64) money.Line {
		return money.Line{Account: account, Currency: delivery.USD, Cents: cents}
	}
	cash := line(money.Cash, 1990)
	cash.CourierID = "cou_1"
	day, _ := date.Parse("2026-12-03")
	entries := []*money.Entry{
		{Act: money.ActDelivery, OrderID: "ord_1", PartnerOrderID: "A-1", Lines: []money.Line{
			line(money.Charges, 1469), line(money.Revenue, -1300), line(money.TaxHST, -169),
		}},
		{
			Act: money.ActAdjustment, OrderID: "ord_1", PartnerOrderID: "A-1", Notes: "Too late;\r\n=see \"mail\"",
			Lines: []money.Line{line(money.Charges, -1469), line(money.Revenue, 1300), line(money.TaxHST, 169)},
		},
		{Act: money.ActUnconfirmed, OrderID: "ord_2", PartnerOrderID: "=A-2"},
		{Act: money.ActCorrection, OrderID: "ord_2", PartnerOrderID: "=A-2", Lines: []money.Line{
			line(money.Collected, -1990), cash, usd(money.Collected, -500), usd(money.Terminal, 500),
		}},
		{Act: money.ActHandIn, Lines: []money.Line{
			line(money.Cash, -1990), line(money.Desk, 1900), line(money.Differences, 90),
		}},
		{Act: money.ActPayment, Notes: "Cheque 12", Lines: []money.Line{line(money.Charges, -500), line(money.Bank, 500)}},
	}
	for i, entry := range entries {
		entry.PartnerID, entry.Day = "par_1", day+date.Day(i/3)
		entry.EntryID = fmt.Sprintf("019bbd14-8a00-7000-8000-00000000000%d", i)
		entry.At = entry.Day.Midnight()
		entry.RecordedAt = entry.At
	}
	return &journal{entries: entries, names: map[string]string{"par_1": "@Comptoir Rivard"}}
}

var updateGolden = flag.Bool("update-golden", false, "write the files that the test expects")

// TestFilesForOtherPrograms compares the files for each program with those in testdata.
func TestFilesForOtherPrograms(t *testing.T) {
	t.Parallel()
	for _, columns := range append([]accounting.Columns{"own"}, accounting.Programs...) {
		got, path := someEntries().file(t, columns, csvfile.Layout{}), filepath.Join("testdata", string(columns)+".csv")
		if *updateGolden {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || got != string(want) {
			t.Errorf("%s: got %v and\n%s, want\n%s", path, err, got, want)
		}
	}
}

// drawJournal draws a journal with balanced entries, oldest first.
func drawJournal(t *rapid.T) *journal {
	j := &journal{names: map[string]string{"par_1": rapid.String().Draw(t, "name")}}
	cents := rapid.Int64Range(-10_000_000_000, 10_000_000_000)
	for i := range rapid.IntRange(0, 12).Draw(t, "entries") {
		e := &money.Entry{
			PartnerID: rapid.SampledFrom([]string{"par_1", "par_2"}).Draw(t, "partner"), Day: date.Day(20_000 + i/3),
			EntryID: fmt.Sprintf("019bbd14-8a00-7000-8000-%012d", i), Act: rapid.SampledFrom(money.Acts).Draw(t, "act"),
			PartnerOrderID: rapid.StringN(0, 255, -1).Draw(t, "order"), Notes: rapid.StringN(0, 500, -1).Draw(t, "notes"),
		}
		for _, currency := range []delivery.Currency{delivery.CAD, delivery.USD} {
			rest := int64(0)
			for range rapid.IntRange(0, 3).Draw(t, "lines") {
				l := money.Line{
					Account: rapid.SampledFrom(money.Accounts).Draw(t, "account"), Currency: currency, Cents: cents.Draw(t, "cents"),
				}
				e.Lines, rest = append(e.Lines, l), rest-l.Cents
			}
			e.Lines = append(e.Lines, money.Line{Account: money.Charges, Currency: currency, Cents: rest})
		}
		money.SortLines(e.Lines)
		j.entries = append(j.entries, e)
	}
	return j
}

// sums are the amounts of an account in a currency, as both programs and the journal have them.
type sums map[string]int64

func (j *journal) sums(currencies ...delivery.Currency) sums {
	all := sums{}
	for _, e := range j.entries {
		for _, l := range e.Lines {
			if slices.Contains(currencies, l.Currency) && l.Cents != 0 {
				all[string(l.Account)+" "+string(l.Currency)] += l.Cents
			}
		}
	}
	return all
}

func (s sums) compare(t *rapid.T, want sums) {
	if fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("got the sums %v, want those of the journal: %v", s, want)
	}
}

var amountForm = regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)

// centsOf returns an amount in cents; 0 for none.
func centsOf(t *rapid.T, text string) int64 {
	if text == "" {
		return 0
	}
	number, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
	if err != nil || !amountForm.MatchString(text) {
		t.Fatalf("got the amount %q, want dollars with two decimals", text)
	}
	return number
}

// safe fails the test if a cell is a formula, has more than one line, or is too long.
func safe(t *rapid.T, row map[string]string, column string, most int) {
	text := row[column]
	if n := utf8.RuneCountInString(text); n > most || strings.ContainsAny(text, "\r\n\t\x00") {
		t.Errorf("%s: got %q with %d characters, want one line of at most %d", column, text, n, most)
	}
	if text != "" && strings.ContainsAny(text[:1], "=+-@") {
		t.Errorf("%s: got the formula %q", column, text)
	}
}

// TestQuickBooksRules checks what QuickBooks Online asks of a file with journal entries: each number is that of one
// entry in one currency, whose debits are its credits.
func TestQuickBooksRules(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		j := drawJournal(t)
		all, balance, about, last := sums{}, map[string]int64{}, map[string]string{}, ""
		for _, row := range j.rows(t, accounting.ColumnsQuickBooks) {
			number, debits, credits := row["JournalNo"], centsOf(t, row["Debits"]), centsOf(t, row["Credits"])
			if (debits > 0) == (credits > 0) || debits < 0 || credits < 0 {
				t.Errorf("got debits %d and credits %d, want one of them", debits, credits)
			}
			if _, err := time.Parse("01/02/2006", row["JournalDate"]); err != nil {
				t.Error(err)
			}
			safe(t, row, "JournalNo", 21)
			safe(t, row, "Description", 4000)
			safe(t, row, "Name", 100)
			shared := row["JournalDate"] + row["Currency"] + row["Description"]
			if _, known := about[number]; known && (about[number] != shared || last != number) {
				t.Errorf("%s: got %q and %q under one number", number, about[number], shared)
			}
			about[number], last = shared, number
			balance[number] += debits - credits
			all[row["AccountName"]+" "+row["Currency"]] += debits - credits
		}
		for number, cents := range balance {
			if cents != 0 {
				t.Errorf("%s: got debits that are %d cents above credits", number, cents)
			}
		}
		all.compare(t, j.sums(delivery.CAD, delivery.USD))
	})
}

// TestXeroRules checks what Xero asks of a file with manual journals: the lines with the same narration and date, which
// become one journal, add up to zero in the one currency of the organization.
func TestXeroRules(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		j := drawJournal(t)
		all, balance := sums{}, map[string]int64{}
		for _, row := range j.rows(t, accounting.ColumnsXero) {
			cents := centsOf(t, row["*Amount"])
			if cents == 0 || row["*TaxRate"] == "" || row["*AccountCode"] == "" {
				t.Errorf("got %v, want an amount, a tax rate and an account", row)
			}
			if _, err := time.Parse("02 Jan 2006", row["*Date"]); err != nil {
				t.Error(err)
			}
			safe(t, row, "*Narration", 4000)
			safe(t, row, "Description", 4000)
			safe(t, row, "*AccountCode", 10)
			balance[row["*Narration"]+row["*Date"]] += cents
			all[strings.Replace(row["*AccountCode"], "difference", "differences", 1)+" CAD"] += cents
		}
		for narration, cents := range balance {
			if cents != 0 {
				t.Errorf("%s: got the sum %d", narration, cents)
			}
		}
		all.compare(t, j.sums(delivery.CAD))
	})
}
