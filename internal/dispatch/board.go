package dispatch

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/search"
)

// Sort is the order in which the board is listed.
type Sort string

// The sort orders.
const (
	SortOldest Sort = "oldest" // by creation, oldest first
	SortWindow Sort = "window" // by the end of the dropoff's window, earliest first
	SortDue    Sort = "due"    // by board.Row.Due, earliest first: as the board in the browser
)

// Sorts lists the sort orders that the interface offers.
var Sorts = []Sort{SortOldest, SortWindow}

// NoCourier selects orders without a courier, in place of a courier's id.
const NoCourier = "none"

// Filter selects orders for the board. An empty field does not restrict the
// selection; all orders under way match the empty filter.
type Filter struct {
	Statuses     []delivery.Status // any of them
	PartnerID    string
	CourierID    string // or NoCourier
	Zone         string // or the beginning of it
	ServiceLevel delivery.ServiceLevel
	CreatedFrom  time.Time // included
	CreatedTo    time.Time // excluded
	// DueBefore selects orders at risk: the dropoff's window has not ended yet, and
	// ends before this time.
	DueBefore time.Time
	Attention []board.Reason // any of them
	Search    string         // occurs in the row's search text, in any case
	Lines     []string       // any of them is a whole line of it, in any case
	// Recipients asks for who gets the orders of a page.
	Recipients bool
	Sort       Sort
	After      Cursor
	Limit      int
}

// Cursor is the position of the last row of a page; zero before the first page.
type Cursor struct {
	At      time.Time // the time that the page is sorted by
	OrderID string
}

// String returns the cursor as text, which ParseCursor reads; empty if c is zero.
func (c Cursor) String() string {
	if c.OrderID == "" {
		return ""
	}
	return strconv.FormatInt(c.At.UnixMicro(), 10) + "." + c.OrderID
}

// ParseCursor reads a cursor that String has written.
func ParseCursor(text string) (c Cursor, ok bool) {
	const width = 18 // digits; a time of this era has fewer
	at, orderID, _ := strings.Cut(text, ".")
	us, err := strconv.ParseInt(at, 10, 64)
	if _, known := delivery.PartnerOfOrder(orderID); !known || err != nil || us < 0 || len(at) > width {
		return c, false
	}
	return Cursor{At: time.UnixMicro(us).UTC(), OrderID: orderID}, true
}

// cursorOf returns the position of a row in the filter's order.
func (f *Filter) cursorOf(row *board.Row) Cursor {
	switch f.Sort {
	case SortWindow:
		return Cursor{row.Dropoff.End, row.OrderID}
	case SortDue:
		return Cursor{row.Due(), row.OrderID}
	default:
		return Cursor{row.CreatedAt, row.OrderID}
	}
}

// ended reports whether the filter asks for orders that have ended.
func (f *Filter) ended() bool {
	return slices.ContainsFunc(f.Statuses, func(s delivery.Status) bool { return !board.IsOpen(s) })
}

var (
	oneEndedStatus = form.Define("one_ended_status", "one value only, if it is delivered or cancelled")
	partnerOfEnded = form.Define("partner_of_ended", "a partner, if status is delivered or cancelled")
	notOfEnded     = form.Define("not_of_ended", "no value, if status is delivered or cancelled")
)

// check returns an error if the filter asks for orders that have ended in a way
// that they cannot be listed: the board does not have them, so they are read from
// one partner's list of orders in one state.
func (f *Filter) check() error {
	var problems form.Problems
	if !f.ended() {
		return nil
	}
	if len(f.Statuses) > 1 {
		problems.Add("status", nil, oneEndedStatus)
	}
	if f.PartnerID == "" {
		problems.Add("partner_id", nil, partnerOfEnded)
	}
	for _, other := range []struct {
		name  string
		given bool
	}{
		{"courier_id", f.CourierID != ""}, {"zone", f.Zone != ""}, {"service_level", f.ServiceLevel != ""},
		{
			"at_risk", !f.DueBefore.IsZero(),
		}, {"attention", len(f.Attention) > 0}, {"q", f.Search != ""}, {"sort", f.Sort == SortWindow},
	} {
		if other.given {
			problems.Add(other.name, nil, notOfEnded)
		}
	}
	return problems.Err()
}

// Entry is a row of the board with what is shown beside it.
type Entry struct {
	*board.Row
	PartnerName string
	// To is who gets the order; nil unless Filter.Recipients asked for it.
	To            *delivery.Contact
	CourierName   string // empty while no courier is assigned
	CourierActive bool   // false while no courier is assigned
	Attention     []board.Reason
	Age           time.Duration // since creation
}

// Page is a part of the board. Next is the cursor of the page that follows; zero
// on the last page.
type Page struct {
	Entries []Entry
	Next    Cursor
}

// Board lists orders under way, or those of one partner that are all delivered or
// all cancelled. A search also finds orders by their exact order_id or partner_order_id and by their
// words (see search.Parse), those that have ended too. The error may be a validation_error.
func (s *Service) Board(ctx context.Context, filter Filter) (page Page, err error) {
	if err := filter.check(); err != nil {
		return page, err
	}
	now := s.now()
	limit := filter.Limit
	filter.Limit++ // one more row shows whether there is a next page
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if filter.ended() {
			page, err = s.endedPage(ctx, tx, filter, limit, now)
			return err
		}
		found, rows, err := s.find(ctx, tx, filter, now)
		if err != nil {
			return err
		}
		rows, page.Next = paging.Cut(append(found, rows...), limit, func(row *board.Row) Cursor {
			if slices.Contains(found, row) {
				return Cursor{time.UnixMicro(0), row.OrderID} // before the first row of the board
			}
			return filter.cursorOf(row)
		})
		if page.Entries, err = entriesOf(ctx, tx, rows, now); err == nil && filter.Recipients {
			err = addRecipients(ctx, tx, rows, page.Entries)
		}
		return err
	})
	return page, s.config.Damaged.Of(err)
}

// endedPage lists orders that have ended. One that cannot be read is left out, and
// reported; the cursor passes it all the same.
func (s *Service) endedPage(
	ctx context.Context, tx Reader, filter Filter, limit int, now time.Time,
) (page Page, err error) {
	orders, stopped, err := tx.EndedOrders(ctx, filter)
	if err != nil {
		return page, err
	}
	orders, next := paging.Cut(orders, limit, func(o *delivery.Order) string { return o.OrderID })
	if last := len(orders) - 1; next != "" || stopped {
		page.Next = filter.cursorOf(board.Of(orders[last]))
	}
	page.Entries, err = entriesOf(ctx, tx, rowsOf(s.config.Damaged.Readable(orders)), now)
	return page, err
}

// find returns the rows of a page of the board, and before them those that only the other ways of a search
// find: orders that have ended, and those whose words are in parts that the board has not.
func (s *Service) find(
	ctx context.Context, tx Reader, filter Filter, now time.Time,
) (found, rows []*board.Row, err error) {
	rows, err = tx.Board(ctx, filter, now)
	if err != nil || !filter.searchesAll() {
		return nil, rows, err
	}
	orders, err := findAnywhere(ctx, tx, filter)
	found = rowsOf(s.config.Damaged.Readable(orders))
	return slices.DeleteFunc(found, func(row *board.Row) bool {
		return board.IsOpen(row.Status) && board.Contains(row.Search, filter.Search)
	}), rows, err
}

// searchesAll reports whether the filter is only a search, for its first page.
// That page also shows orders that have ended.
func (f *Filter) searchesAll() bool {
	return f.Search != "" && f.After == (Cursor{}) && len(f.Statuses) == 0 && f.CourierID == "" && f.Zone == "" &&
		f.ServiceLevel == "" && f.CreatedFrom.IsZero() && f.CreatedTo.IsZero() && f.DueBefore.IsZero() &&
		len(f.Attention) == 0
}

// findAnywhere returns orders that have what is searched for, whatever their state: first those that it names
// exactly, then the newest that have all its words.
func findAnywhere(ctx context.Context, tx Reader, filter Filter) ([]*delivery.Order, error) {
	exact, err := findExactly(ctx, tx, filter)
	words := search.Parse(filter.Search)
	if err != nil || len(words) == 0 {
		return exact, err
	}
	found, err := tx.OrdersWith(ctx, filter.PartnerID, words, mostFound)
	return append(exact, slices.DeleteFunc(found, func(o *delivery.Order) bool {
		return slices.ContainsFunc(exact, func(e *delivery.Order) bool { return e.OrderID == o.OrderID })
	})...), err
}

// findExactly returns the orders whose order_id or partner_order_id is the text
// that is searched for, whatever their state.
func findExactly(ctx context.Context, tx Reader, filter Filter) ([]*delivery.Order, error) {
	partnerID, isID := delivery.PartnerOfLiveOrder(strings.ToLower(filter.Search))
	if !isID || filter.PartnerID != "" && filter.PartnerID != partnerID {
		return tx.OrdersNamed(ctx, filter.PartnerID, filter.Search, maxExact)
	}
	found, err := tx.Order(ctx, partnerID, strings.ToLower(filter.Search))
	if err != nil || found == nil {
		return nil, err
	}
	return []*delivery.Order{found}, nil
}

// addRecipients adds who gets the orders of rows to their entries.
func addRecipients(ctx context.Context, tx Reader, rows []*board.Row, entries []Entry) error {
	orders, err := tx.OrdersOf(ctx, rows)
	for i := range entries {
		if o := orders[entries[i].OrderID]; o != nil && o.Damage == nil {
			entries[i].To = &o.Dropoff
		}
	}
	return err
}

// maxExact is how many orders with the same partner_order_id, of different
// partners, a search shows.
const maxExact = 20

// mostFound is how many orders with the words of a search it shows beside them.
const mostFound = 20

// rowsOf returns the rows of orders, also of those that have ended.
func rowsOf(orders []*delivery.Order) []*board.Row {
	rows := make([]*board.Row, len(orders))
	for i, o := range orders {
		rows[i] = board.Of(o)
	}
	return rows
}

// entriesOf adds to rows the names of their partners and couriers, and what needs
// attention.
func entriesOf(ctx context.Context, tx Reader, rows []*board.Row, now time.Time) ([]Entry, error) {
	partnerIDs, courierIDs := make([]string, 0, len(rows)), make([]string, 0, len(rows))
	for i := range rows {
		partnerIDs = append(partnerIDs, rows[i].PartnerID)
		if rows[i].CourierID != "" {
			courierIDs = append(courierIDs, rows[i].CourierID)
		}
	}
	partners, err := tx.PartnerNames(ctx, distinct(partnerIDs))
	if err != nil {
		return nil, err
	}
	couriers, err := tx.Couriers(ctx, distinct(courierIDs))
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i, row := range rows {
		courier := couriers[row.CourierID]
		entries[i] = Entry{
			Row: row, PartnerName: partners[row.PartnerID], CourierName: courier.Name, CourierActive: courier.Active,
			Attention: row.Reasons(now, courier.Active), Age: max(now.Sub(row.CreatedAt), 0),
		}
	}
	return entries, nil
}

// distinct sorts ids and removes repetitions.
func distinct(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Counts holds the numbers of orders under way, by state, and of those that need
// attention, by reason. An order may count for several reasons.
type Counts struct {
	Open      int64
	Statuses  map[delivery.Status]int64
	Attention int64 // orders with at least one reason
	Reasons   map[board.Reason]int64
}

// Count counts the orders under way.
func (s *Service) Count(ctx context.Context) (counts Counts, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		counts, err = tx.Count(ctx, s.now())
		return err
	})
	return counts, err
}

// Loads counts the orders under way of each courier, by courier id. Couriers without
// any are left out.
func (s *Service) Loads(ctx context.Context) (loads map[string]int64, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		loads, err = tx.Loads(ctx)
		return err
	})
	return loads, err
}
