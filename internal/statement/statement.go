// Package statement writes statements of partners as files: JSON, CSV, and PDF in two languages. Which entries are on
// a statement, and what they add up to, is in package money; the same statement always gives the same bytes.
package statement

import (
	"bytes"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/money"
)

// Format is how a statement is written, as a media type.
type Format string

// The formats of statements.
const (
	FormatJSON Format = "application/json"
	FormatCSV  Format = "text/csv"
	FormatPDF  Format = "application/pdf"
)

// Formats lists all formats.
var Formats = []Format{FormatJSON, FormatCSV, FormatPDF}

// File is a statement in a format.
type File struct {
	Format Format
	Data   []byte
}

var endings = map[Format]string{FormatJSON: ".json", FormatCSV: ".csv", FormatPDF: ".pdf"}

// Name returns the name of the file of a statement.
func (f File) Name(statementID string) string { return "statement-" + statementID + endings[f.Format] }

// ContentType returns the type of the file, with its encoding.
func (f File) ContentType() string {
	if f.Format == FormatCSV {
		return string(f.Format) + "; charset=utf-8"
	}
	return string(f.Format)
}

// Files returns a closed statement in all formats.
func Files(s *money.Statement, in Language) ([]File, error) {
	files := make([]File, len(Formats))
	for i, format := range Formats {
		data, err := writers[format](s, in)
		if err != nil {
			return nil, err
		}
		files[i] = File{format, data}
	}
	return files, nil
}

var writers = map[Format]func(*money.Statement, Language) ([]byte, error){
	FormatJSON: func(s *money.Statement, _ Language) ([]byte, error) { return JSON(s) },
	FormatCSV:  func(s *money.Statement, _ Language) ([]byte, error) { return csv(s) },
	FormatPDF:  pdf,
}

// document is a statement in JSON.
type document struct {
	StatementID *string        `json:"statement_id"` // null while it is not closed
	Number      *int64         `json:"number"`
	PartnerID   string         `json:"partner_id"`
	PartnerName string         `json:"partner_name"`
	Period      money.Period   `json:"period"`
	ClosedAt    *time.Time     `json:"closed_at"`
	Firm        firm           `json:"firm"`
	Sums        []documentSums `json:"sums"`
	Lines       []documentLine `json:"lines"`
}

type firm struct {
	Name    string  `json:"name"`
	Address string  `json:"address"`
	Numbers numbers `json:"numbers"`
}

type numbers struct {
	GSTHST *string `json:"gst_hst"`
	QST    *string `json:"qst"`
}

type documentSums struct {
	Currency  delivery.Currency `json:"currency"`
	Opening   int64             `json:"opening_balance_cents"`
	Charged   int64             `json:"charged_cents"`
	Taxes     []tax             `json:"taxes"`
	Paid      int64             `json:"paid_cents"`
	Collected int64             `json:"collected_cents"`
	Remitted  int64             `json:"remitted_cents"`
	Closing   int64             `json:"closing_balance_cents"`
	Held      int64             `json:"held_cents"`
}

type tax struct {
	Tax         string `json:"tax"`
	AmountCents int64  `json:"amount_cents"`
}

type documentLine struct {
	Date           date.Day          `json:"date"`
	EntryID        string            `json:"entry_id"`
	Act            money.Act         `json:"act"`
	OrderID        *string           `json:"order_id"`
	PartnerOrderID *string           `json:"partner_order_id"`
	Notes          string            `json:"notes"`
	Currency       delivery.Currency `json:"currency"`
	AmountCents    int64             `json:"amount_cents"`
	Taxes          []tax             `json:"taxes"`
	TotalCents     int64             `json:"total_cents"`
}

// JSON returns a statement in JSON, which need not be closed.
func JSON(s *money.Statement) ([]byte, error) {
	d := document{
		StatementID: strictjson.OrNull(idOf(s)), Number: strictjson.OrNull(s.Number), PartnerID: s.PartnerID,
		PartnerName: s.Name, Period: s.Period, ClosedAt: strictjson.OrNull(s.ClosedAt),
		Firm: firm{s.Firm.Name, s.Firm.Address,
			numbers{strictjson.OrNull(s.Firm.Numbers.GSTHST), strictjson.OrNull(s.Firm.Numbers.QST)}},
		Sums: make([]documentSums, len(s.Sums)), Lines: make([]documentLine, len(s.Lines)),
	}
	for i, one := range s.Sums {
		d.Sums[i] = documentSums{
			one.Currency, one.Opening.Balance(), one.Charged, taxesOf(one.Taxes), one.Paid, one.Collected, one.Remitted,
			one.Closing.Balance(), -one.Closing.Collected,
		}
	}
	for i, line := range s.Lines {
		d.Lines[i] = documentLine{
			line.Day, line.EntryID, line.Act, strictjson.OrNull(line.OrderID), strictjson.OrNull(line.PartnerOrderID),
			line.Notes, line.Currency, line.Net, taxesOf(line.Taxes), line.Total,
		}
	}
	return strictjson.Marshal(d)
}

// idOf returns the id of a statement; empty while it is not closed.
func idOf(s *money.Statement) string {
	if s.Number == 0 {
		return ""
	}
	return delivery.StatementID(s.PartnerID, s.Number)
}

// taxNames are the names of taxes.
var taxNames = map[money.Account]string{money.TaxGST: "gst", money.TaxHST: "hst", money.TaxQST: "qst"}

func taxesOf(amounts []money.TaxAmount) []tax {
	taxes := make([]tax, len(amounts))
	for i, one := range amounts {
		taxes[i] = tax{taxNames[one.Tax], one.Cents}
	}
	return taxes
}

var csvColumns = []string{
	"date", "act", "order_id", "partner_order_id", "notes", "amount", "gst", "hst", "qst", "total", "currency", "entry_id",
}

// The rows of balances, in the place of acts.
const (
	openingRow = "opening_balance"
	closingRow = "closing_balance"
)

// csv returns a closed statement as a CSV file. In front of the lines are the opening balances, behind them the
// closing ones, so that the column total adds up.
func csv(s *money.Statement) ([]byte, error) {
	var file bytes.Buffer
	w := csvfile.NewWriter(&file, csvfile.Layout{}, csvColumns...)
	for _, one := range s.Sums {
		balanceRow(w, s.Period.First(), openingRow, one.Opening.Balance(), one.Currency)
	}
	for _, line := range s.Lines {
		w.Row(csvfile.Plain(line.Day.String()), csvfile.Plain(string(line.Act)), csvfile.Plain(line.OrderID),
			csvfile.Words(line.PartnerOrderID), csvfile.Words(line.Notes), csvfile.Dollars(line.Net),
			csvfile.Dollars(amountOf(line.Taxes, money.TaxGST)), csvfile.Dollars(amountOf(line.Taxes, money.TaxHST)),
			csvfile.Dollars(amountOf(line.Taxes, money.TaxQST)), csvfile.Dollars(line.Total),
			csvfile.Plain(string(line.Currency)), csvfile.Plain(line.EntryID))
	}
	for _, one := range s.Sums {
		balanceRow(w, s.Period.Last(), closingRow, one.Closing.Balance(), one.Currency)
	}
	err := w.Flush()
	return file.Bytes(), err
}

func balanceRow(w *csvfile.Writer, day date.Day, name string, cents int64, currency delivery.Currency) {
	none := csvfile.Plain("")
	w.Row(csvfile.Plain(day.String()), csvfile.Plain(name), none, none, none, none, none, none, none,
		csvfile.Dollars(cents), csvfile.Plain(string(currency)), none)
}

func amountOf(taxes []money.TaxAmount, kind money.Account) (cents int64) {
	for _, one := range taxes {
		if one.Tax == kind {
			cents += one.Cents
		}
	}
	return cents
}
