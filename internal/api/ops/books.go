package ops

import (
	"net/http"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/money"
)

// firmAnswer is who sends statements, in JSON.
type firmAnswer struct {
	Name    string        `json:"name"`
	Address string        `json:"address"`
	Numbers numbersAnswer `json:"numbers"`
}

type numbersAnswer struct {
	GSTHST *string `json:"gst_hst"` // null while the tax is not charged
	QST    *string `json:"qst"`
}

func firmOf(f money.Firm) firmAnswer {
	return firmAnswer{
		Name: f.Name, Address: f.Address,
		Numbers: numbersAnswer{GSTHST: strictjson.OrNull(f.Numbers.GSTHST), QST: strictjson.OrNull(f.Numbers.QST)},
	}
}

func (s *Server) handleFirmGet(c *httpd.Call) (httpd.Reply, error) {
	firm, err := s.config.Accounting.Firm(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(firmOf(firm))
}

func (s *Server) handleFirmPut(c *httpd.Call) (httpd.Reply, error) {
	entry, err := httpd.Decode(c, accounting.ReadFirmEntry)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.config.Accounting.SetFirm(c.Context(), nil, entry); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(firmOf(entry.Firm))
}

// booksAnswer holds the settings of the books in JSON.
type booksAnswer struct {
	From             *string `json:"books_from"` // null while the books are off
	RequireCollected bool    `json:"require_collected"`
	CloseOnDay       *int64  `json:"close_on_day"` // null if no month is closed by itself
}

func booksOf(s money.Settings) booksAnswer {
	return booksAnswer{strictjson.OrNull(dayText(s.From)), !s.CollectedFrom.IsZero(), strictjson.OrNull(s.CloseOnDay)}
}

// dayText returns a date as it is sent; empty for none.
func dayText(day date.Day) string {
	if day == 0 {
		return ""
	}
	return day.String()
}

func (s *Server) handleBooksGet(c *httpd.Call) (httpd.Reply, error) {
	settings, err := s.config.Accounting.Settings(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(booksOf(settings))
}

func (s *Server) handleBooksChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.DecodePatch(c, accounting.ReadSettingsChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Accounting.ChangeSettings(c.Context(), nil, change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(booksOf(changed))
}

// entryAnswer is an entry of the journal in JSON.
type entryAnswer struct {
	EntryID        string       `json:"entry_id"`
	PartnerID      string       `json:"partner_id"`
	Day            string       `json:"day"`
	At             time.Time    `json:"at"`
	RecordedAt     time.Time    `json:"recorded_at"`
	Act            money.Act    `json:"act"`
	OrderID        *string      `json:"order_id"` // null for an act that is about no order
	PartnerOrderID *string      `json:"partner_order_id"`
	ActorID        *string      `json:"actor_id"` // null for what the service does by itself
	Notes          string       `json:"notes"`
	Lines          []lineAnswer `json:"lines"`
}

type lineAnswer struct {
	Account     money.Account     `json:"account"`
	CourierID   *string           `json:"courier_id"` // of cash; null on other accounts
	AmountCents int64             `json:"amount_cents"`
	Currency    delivery.Currency `json:"currency"`
}

func entryOf(e *money.Entry) entryAnswer {
	answer := entryAnswer{
		EntryID: e.EntryID, PartnerID: e.PartnerID, Day: e.Day.String(), At: e.At, RecordedAt: e.RecordedAt, Act: e.Act,
		OrderID: strictjson.OrNull(e.OrderID), PartnerOrderID: strictjson.OrNull(e.PartnerOrderID),
		ActorID: strictjson.OrNull(e.ActorID), Notes: e.Notes, Lines: make([]lineAnswer, len(e.Lines)),
	}
	for i, line := range e.Lines {
		answer.Lines[i] = lineAnswer{line.Account, strictjson.OrNull(line.CourierID), line.Cents, line.Currency}
	}
	return answer
}

// journalFilter reads what the journal and the balances are selected by.
func journalFilter(q *httpd.Query) accounting.Filter {
	return accounting.Filter{
		PartnerID: q.Text("partner_id"), CourierID: q.Text("courier_id"), First: q.Day("from"), Last: q.Day("to"),
	}
}

const journalCSV = "text/csv"

var journalFormats = map[string]string{journalCSV: journalCSV, "application/json": "application/json"}

func (s *Server) handleBookEntries(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := journalFilter(q)
	filter.OrderID, filter.Act = q.Text("order_id"), money.Act(q.OneOf("act", form.OneOf(money.Acts...)))
	filter.After, filter.Limit = httpd.Cursor(q, accounting.ParseCursor), q.Limit(maxPage)
	columns := accounting.Columns(q.OneOf("columns", form.OneOf(accounting.Programs...)))
	layout := q.CSVLayout()
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if httpd.Preferred(c.Header.Values("Accept"), journalFormats, "application/json") == journalCSV {
		return s.journalFile(c, filter, columns, layout)
	}
	page, err := s.config.Accounting.Journal(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Entries []entryAnswer `json:"entries"`
		Next    string        `json:"next_cursor,omitzero"`
	}{entriesOf(page.Entries), page.Next.String()})
}

// journalFile responds with the entries that a filter selects as a CSV file, oldest first.
func (s *Server) journalFile(
	c *httpd.Call, filter accounting.Filter, columns accounting.Columns, layout csvfile.Layout,
) (httpd.Reply, error) {
	pages, err := s.config.Accounting.Export(c.Context(), filter, columns, layout)
	if err != nil {
		return httpd.Reply{}, err
	}
	c.ReplyHeader.Set("Content-Type", "text/csv; charset=utf-8")
	c.ReplyHeader.Set("Content-Disposition", `attachment; filename="`+columns.Filename()+`"`)
	return httpd.Reply{Status: http.StatusOK, Stream: pages}, nil
}

type balanceAnswer struct {
	Account     money.Account     `json:"account"`
	Currency    delivery.Currency `json:"currency"`
	AmountCents int64             `json:"amount_cents"`
}

func (s *Server) handleBalances(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := journalFilter(q)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.config.Accounting.Balances(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	balances := make([]balanceAnswer, len(found))
	for i, b := range found {
		balances[i] = balanceAnswer{b.Account, b.Currency, b.Cents}
	}
	return httpd.OK(struct {
		Balances []balanceAnswer `json:"balances"`
	}{balances})
}

func (s *Server) handleAdjustment(c *httpd.Call) (httpd.Reply, error) {
	adjustment, err := httpd.Decode(c, accounting.ReadAdjustment)
	if err != nil {
		return httpd.Reply{}, err
	}
	posted, err := s.config.Accounting.Adjust(c.Context(), c.PathID("partner_id"), adjustment)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(entryOf(posted))
}

func (s *Server) handlePayment(c *httpd.Call) (httpd.Reply, error) {
	payment, err := httpd.Decode(c, accounting.ReadPayment)
	if err != nil {
		return httpd.Reply{}, err
	}
	posted, err := s.config.Accounting.Pay(c.Context(), c.PathID("partner_id"), payment)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(entryOf(posted))
}

// handleFigures responds with the figures, which have money for those who may read the books.
func (s *Server) handleFigures(c *httpd.Call) (httpd.Reply, error) {
	return shared.Figures{Reports: s.config.Reports}.OfAll(c, slices.Contains(bookkeeping.Roles, sender(c).Role))
}
