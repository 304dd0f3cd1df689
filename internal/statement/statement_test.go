package statement_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/statement"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// tester is a test, of rapid or not.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// entry returns an entry of an act with lines of amounts on accounts.
func entry(number int, act money.Act, currency delivery.Currency, lines map[money.Account]int64) *money.Entry {
	e := &money.Entry{
		PartnerID: "par_00000001", EntryID: fmt.Sprintf("%032d", number), Day: date.On(2026, 11, 1+number%30), Act: act,
		OrderID: fmt.Sprint("ord_", number), PartnerOrderID: fmt.Sprint("LD-", 1200+number),
	}
	for account, cents := range lines {
		e.Lines = append(e.Lines, money.Line{Account: account, Currency: currency, Cents: cents})
	}
	money.SortLines(e.Lines)
	return e
}

// drawEntries draws entries of all acts whose lines add up to zero.
func drawEntries(t *rapid.T) (entries []*money.Entry) {
	amount := rapid.Int64Range(-200_000_00, 200_000_00)
	for i := range rapid.IntRange(0, 120).Draw(t, "entries") {
		currency := rapid.SampledFrom([]delivery.Currency{delivery.CAD, delivery.CAD, delivery.USD}).Draw(t, "currency")
		act := rapid.SampledFrom(money.Acts).Draw(t, "act")
		cents := amount.Draw(t, "amount")
		lines := map[money.Account]int64{}
		switch act {
		case money.ActPayment:
			lines[money.Charges], lines[money.Bank] = -cents, cents
		case money.ActRemittance:
			lines[money.Collected], lines[money.Bank] = cents, -cents
		case money.ActCollection, money.ActUnconfirmed, money.ActCorrection:
			lines[money.Collected], lines[money.Terminal] = -cents, cents
		case money.ActHandIn, money.ActDeposit:
			lines[money.Desk], lines[money.Bank] = -cents, cents
		default:
			tax := amount.Draw(t, "tax")
			kind := rapid.SampledFrom([]money.Account{money.TaxGST, money.TaxHST, money.TaxQST}).Draw(t, "kind")
			lines[money.Charges], lines[money.Revenue], lines[kind] = cents+tax, -cents, -tax
		}
		e := entry(i, act, currency, lines)
		e.Notes = rapid.SampledFrom([]string{"", "Twice", "Façade, « fragile »", strings.Repeat("long ", 60), "日本 Ελλάδα"}).
			Draw(t, "notes")
		entries = append(entries, e)
	}
	return entries
}

func closed(entries []*money.Entry, before []money.Closing) *money.Statement {
	s := money.NewStatement(entries, before)
	s.PartnerID, s.Number, s.Period, s.Name = "par_00000001", 17, money.PeriodOf(date.On(2026, 11, 1)), "Librairie du Port"
	s.ClosedAt, s.ClosedOn = testkit.Epoch, date.On(2026, 12, 1)
	s.Firm = money.Firm{
		Name: "Dropyard Livraisons inc.", Address: "4000 Rue Saint-Denis\nMontréal QC  H2W 2M5",
		Numbers: money.Numbers{GSTHST: "12345 6789 RT0001", QST: "1234567890 TQ0001"},
	}
	return s
}

// files returns a statement in all formats.
func files(t tester, s *money.Statement, in statement.Language) map[statement.Format][]byte {
	t.Helper()
	written, err := statement.Files(s, in)
	if err != nil {
		t.Fatal(err)
	}
	found := map[statement.Format][]byte{}
	for _, file := range written {
		found[file.Format] = file.Data
	}
	return found
}

// read is what all formats have.
type read struct {
	opening, closing map[string]int64 // by currency
	lines            []string         // "date total currency"
	total            map[string]int64
}

func (r *read) line(day string, cents int64, currency string) {
	r.lines = append(r.lines, fmt.Sprintf("%s %d %s", day, cents, currency))
	r.total[currency] += cents
}

func newRead() *read {
	return &read{opening: map[string]int64{}, closing: map[string]int64{}, total: map[string]int64{}}
}

func fromJSON(t tester, data []byte) *read {
	t.Helper()
	var document struct {
		Sums []struct {
			Currency  string
			Opening   int64 `json:"opening_balance_cents"`
			Closing   int64 `json:"closing_balance_cents"`
			Charged   int64 `json:"charged_cents"`
			Paid      int64 `json:"paid_cents"`
			Collected int64 `json:"collected_cents"`
			Remitted  int64 `json:"remitted_cents"`
			Taxes     []struct {
				AmountCents int64 `json:"amount_cents"`
			}
		}
		Lines []struct {
			Date, Currency string
			Amount         int64 `json:"amount_cents"`
			Total          int64 `json:"total_cents"`
			Taxes          []struct {
				AmountCents int64 `json:"amount_cents"`
			}
		}
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	r := newRead()
	for _, one := range document.Sums {
		r.opening[one.Currency], r.closing[one.Currency] = one.Opening, one.Closing
		sum := one.Opening + one.Charged - one.Paid - one.Collected + one.Remitted
		for _, tax := range one.Taxes {
			sum += tax.AmountCents
		}
		if sum != one.Closing {
			t.Errorf("got sums that add up to %d, want the closing balance %d", sum, one.Closing)
		}
	}
	for _, one := range document.Lines {
		r.line(one.Date, one.Total, one.Currency)
		for _, tax := range one.Taxes {
			one.Amount += tax.AmountCents
		}
		if one.Amount != one.Total {
			t.Errorf("got %+v, want a total of the amount and its taxes", one)
		}
	}
	return r
}

// cents reads an amount such as -1,204.50 or -1 204,50.
func cents(t tester, text string) int64 {
	t.Helper()
	number, err := strconv.ParseInt(regexp.MustCompile(`[^0-9-]`).ReplaceAllString(text, ""), 10, 64)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return number
}

func fromCSV(t tester, data []byte) *read {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	r := newRead()
	for _, row := range rows[1:] {
		total := cents(t, row[9])
		switch row[1] {
		case "opening_balance":
			r.opening[row[10]] = total
		case "closing_balance":
			r.closing[row[10]] = total
		default:
			r.line(row[0], total, row[10])
		}
	}
	return r
}

// compare compares two formats of a statement, and its sums.
func compare(t tester, got, want *read) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%v\nwant, as in JSON,\n%v", got, want)
	}
	for currency, opening := range got.opening {
		if sum := opening + got.total[currency]; sum != got.closing[currency] {
			t.Errorf("%s: got lines that lead from %d to %d, want %d", currency, opening, sum, got.closing[currency])
		}
	}
}

// TestFormatsAgree compares the formats of random statements, one of which begins with what the other has ended with.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		split := rapid.IntRange(0, len(entries)).Draw(t, "split")
		first := closed(entries[:split], nil)
		second := closed(entries[split:], first.Closings())
		all := closed(entries, nil)
		if got, want := fmt.Sprint(balances(second)), fmt.Sprint(balances(all)); got != want {
			t.Errorf("got the balances %s after two statements, want %s as after one", got, want)
		}
		for _, s := range []*money.Statement{first, second} {
			one, err := statement.JSON(s)
			if err != nil {
				t.Fatal(err)
			}
			written, err := statement.Files(s, statement.English)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := statement.Files(s, statement.English)
			for i, file := range written {
				if !bytes.Equal(file.Data, again[i].Data) {
					t.Errorf("%s: got other bytes the second time", file.Format)
				}
				if file.Format == statement.FormatCSV {
					compare(t, fromCSV(t, file.Data), fromJSON(t, one))
				}
			}
		}
	})
}

func balances(s *money.Statement) map[delivery.Currency]int64 {
	found := map[delivery.Currency]int64{}
	for _, sums := range s.Sums {
		if cents := sums.Closing.Balance(); cents != 0 {
			found[sums.Currency] = cents
		}
	}
	return found
}

// sample returns a statement of several pages.
func sample() *money.Statement {
	var entries []*money.Entry
	for i := range 140 {
		net, tax := int64(1299+1000*i), int64(65+50*i)
		lines := map[money.Account]int64{
			money.Charges: net + tax + 2*tax, money.Revenue: -net, money.TaxGST: -tax, money.TaxQST: -2 * tax,
		}
		if i%3 == 0 {
			lines = map[money.Account]int64{money.Charges: net + tax, money.Revenue: -net, money.TaxHST: -tax}
		}
		entries = append(entries, entry(i, money.ActDelivery, delivery.CAD, lines))
	}
	correction := entry(200, money.ActAdjustment, delivery.CAD,
		map[money.Account]int64{money.Charges: -1356, money.Revenue: 1200, money.TaxHST: 156})
	correction.Notes = "LD-1188 charged twice, as Amélie Łukasz of the bookshop has noticed: the second charge is taken back"
	payment := entry(201, money.ActPayment, delivery.CAD,
		map[money.Account]int64{money.Charges: -50_000, money.Bank: 50_000})
	payment.OrderID, payment.PartnerOrderID, payment.Notes = "", "", "Cheque 1044"
	entries = append(entries, correction, payment,
		entry(202, money.ActCollection, delivery.CAD, map[money.Account]int64{money.Collected: -4505, money.Cash: 4505}),
		entry(203, money.ActCollection, delivery.USD, map[money.Account]int64{money.Collected: -1000, money.Terminal: 1000}),
		entry(204, money.ActRemittance, delivery.CAD, map[money.Account]int64{money.Collected: 4000, money.Bank: -4000}))
	return closed(entries, []money.Closing{{Currency: delivery.CAD, Charges: 120_411, Collected: -200}})
}

// pdfText returns the text of a PDF as it is laid out.
func pdfText(t *testing.T, data []byte) string {
	t.Helper()
	testkit.NeedPoppler.OrSkip(t)
	path := filepath.Join(t.TempDir(), "statement.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTextOfPDF reads the file as a search in it does, and compares its amounts with the other formats.
func TestTextOfPDF(t *testing.T) {
	t.Parallel()
	s := sample()
	for in, c := range map[statement.Language]struct {
		words            []string
		line             *regexp.Regexp
		opening, closing string
		layout           string
	}{
		statement.English: {
			[]string{
				"Statement 17 · November 2026", "Closed on Dec 1, 2026", "Librairie du Port", "Dropyard Livraisons inc.",
				"GST/HST number 12345 6789 RT0001", "Cheque 1044", "Amélie Łukasz", "Page 1 of 6", "Page 6 of 6",
				"Collected at doors", "Collected at the door", // as on pages
			},
			regexp.MustCompile(`^(Nov \d+, 2026) .* (-?[\d,]+\.\d\d)( USD)?$`), "Opening balance", "Closing balance", "Jan 2, 2006",
		},
		statement.French: {
			[]string{"Relevé 17 · novembre 2026", "Clôturé le 2026-12-01", "Numéro de TVQ 1234567890 TQ0001", "Page 1 de 6"},
			regexp.MustCompile(`^(2026-11-\d\d) .*? {2}(-?[\d\x{a0} ]+,\d\d)( USD)?$`), "Solde d’ouverture", "Solde de clôture",
			time.DateOnly,
		},
	} {
		found := files(t, s, in)
		text := pdfText(t, found[statement.FormatPDF])
		for _, want := range c.words {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got\n%s\nwant %q in it", in, text, want)
			}
		}
		got := newRead()
		amount := regexp.MustCompile(`-?\$?[\d,\x{a0} ]*[.,]?\d*[.,]\d\d([\x{a0} ]\$)?( USD)?`)
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if parts := c.line.FindStringSubmatch(line); parts != nil {
				at, err := time.Parse(c.layout, parts[1])
				if err != nil {
					t.Fatal(err)
				}
				got.line(at.Format(time.DateOnly), cents(t, parts[2]), currencyOf(parts[3]))
			}
			for name, of := range map[string]map[string]int64{c.opening: got.opening, c.closing: got.closing} {
				if rest, is := strings.CutPrefix(line, name); is {
					match := amount.FindString(strings.TrimSpace(rest))
					of[currencyOf(match[max(0, len(match)-4):])] = cents(t, match)
				}
			}
		}
		compare(t, got, fromJSON(t, found[statement.FormatJSON]))
	}
}

func currencyOf(text string) string {
	if strings.TrimSpace(text) == "USD" {
		return "USD"
	}
	return "CAD"
}

// TestEveryAct: all acts and taxes have names in both languages.
func TestEveryAct(t *testing.T) {
	t.Parallel()
	var entries []*money.Entry
	for i, act := range money.Acts {
		entries = append(entries, entry(i, act, delivery.CAD, map[money.Account]int64{money.Charges: 113, money.TaxHST: -13}))
	}
	for _, in := range []statement.Language{statement.English, statement.French} {
		text := pdfText(t, files(t, closed(entries, nil), in)[statement.FormatPDF])
		if count := strings.Count(text, "0,13") + strings.Count(text, "0.13"); count != len(money.Acts) {
			t.Errorf("%s: got\n%s\nwant a line for each act", in, text)
		}
	}
}
