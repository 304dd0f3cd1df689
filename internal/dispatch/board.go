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
)

// Sort is the order of a list.
type Sort string

// The orders of the board.
const (
	SortOldest Sort = "oldest" // created first
	SortWindow Sort = "window" // due first, by the end of the dropoff's window
)

// Sorts lists them.
var Sorts = []Sort{SortOldest, SortWindow}

// NoCourier selects, in place of a courier's id, what nobody is assigned to.
const NoCourier = "none"

// Filter selects orders for the board. What is empty selects all that are
// under way.
type Filter struct {
	Statuses     []delivery.Status // any of them
	PartnerID    string
	CourierID    string // or NoCourier
	Zone         string // its beginning will do
	ServiceLevel delivery.ServiceLevel
	CreatedFrom  time.Time // included
	CreatedTo    time.Time // excluded
	// DueBefore selects what is at risk: its dropoff's window ends before this
	// time and has not ended yet.
	DueBefore time.Time
	Attention []board.Reason // any of them
	Search    string         // part of what an order is asked for by
	Line      string         // all of one of the things that it is asked for by
	Sort      Sort
	After     Cursor
	Limit     int
}

// Cursor is the place of the last row of a page. It is empty before the first.
type Cursor struct {
	At      time.Time // what the page is sorted by
	OrderID string
}

// String writes the cursor as a text that ParseCursor reads.
func (c Cursor) String() string {
	if c.OrderID == "" {
		return ""
	}
	return strconv.FormatInt(c.At.UnixMicro(), 10) + "." + c.OrderID
}

// ParseCursor reads what String has written.
func ParseCursor(text string) (c Cursor, ok bool) {
	const width = 18 // more digits than a time of this era has
	at, orderID, _ := strings.Cut(text, ".")
	us, err := strconv.ParseInt(at, 10, 64)
	if _, known := delivery.PartnerOfOrder(orderID); !known || err != nil || us < 0 || len(at) > width {
		return c, false
	}
	return Cursor{At: time.UnixMicro(us).UTC(), OrderID: orderID}, true
}

func (f *Filter) cursorOf(row *board.Row) Cursor {
	switch {
	case !board.IsOpen(row.Status) && !f.ended():
		return Cursor{time.UnixMicro(0), row.OrderID} // a search shows it in front of the board
	case f.Sort == SortWindow:
		return Cursor{row.Dropoff.End, row.OrderID}
	default:
		return Cursor{row.CreatedAt, row.OrderID}
	}
}

// ended tells whether the filter asks for orders that have ended.
func (f *Filter) ended() bool {
	return slices.ContainsFunc(f.Statuses, func(s delivery.Status) bool { return !board.IsOpen(s) })
}

// check tells what keeps orders that have ended from being listed: there is no
// board of them, only each partner's list.
func (f *Filter) check() error {
	var problems form.Problems
	if !f.ended() {
		return nil
	}
	if len(f.Statuses) > 1 {
		problems.Add("status", nil, "a single value with delivered or cancelled")
	}
	if f.PartnerID == "" {
		problems.Add("partner_id", nil, "a partner with delivered or cancelled")
	}
	for _, other := range []struct {
		name  string
		given bool
	}{
		{"courier_id", f.CourierID != ""}, {"zone", f.Zone != ""}, {"service_level", f.ServiceLevel != ""},
		{"at_risk", !f.DueBefore.IsZero()}, {"attention", len(f.Attention) > 0}, {"q", f.Search != ""}, {"sort", f.Sort == SortWindow},
	} {
		if other.given {
			problems.Add(other.name, nil, "nothing with delivered or cancelled")
		}
	}
	return problems.Err()
}

// Entry is a row of the board as it is shown.
type Entry struct {
	*board.Row
	PartnerName string
	CourierName string // empty while none is assigned
	Attention   []board.Reason
	Age         time.Duration // since creation
}

// Page is a part of the board. Next is the cursor for what follows, empty at
// the end.
type Page struct {
	Entries []Entry
	Next    Cursor
}

// Board lists orders: those under way, or those of one partner that have ended
// in one way. A search also finds what has ended, by its exact order_id or
// partner_order_id. It is a validation_error.
func (s *Service) Board(ctx context.Context, filter Filter) (page Page, err error) {
	if err := filter.check(); err != nil {
		return page, err
	}
	now := s.now()
	limit := filter.Limit
	filter.Limit++ // one more tells whether a next page exists
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		rows, stopped, err := find(ctx, tx, filter, now)
		if err != nil {
			return err
		}
		rows, page.Next = paging.Cut(rows, limit, filter.cursorOf)
		if stopped && page.Next == (Cursor{}) {
			page.Next = filter.cursorOf(rows[len(rows)-1])
		}
		page.Entries, err = entriesOf(ctx, tx, rows, now)
		return err
	})
	return page, err
}

// find finds the rows of a page, and tells whether it has stopped before the
// filter's limit.
func find(ctx context.Context, tx Reader, filter Filter, now time.Time) (rows []*board.Row, stopped bool, err error) {
	if filter.ended() {
		orders, stopped, err := tx.EndedOrders(ctx, filter)
		return openOf(orders), stopped, err
	}
	rows, err = tx.Board(ctx, filter, now)
	if err != nil || !filter.searchesAll() {
		return rows, false, err
	}
	exact, err := findExactly(ctx, tx, filter)
	found := openOf(exact)
	found = slices.DeleteFunc(found, func(row *board.Row) bool { return board.IsOpen(row.Status) }) // which the board has
	return append(found, rows...), false, err
}

// searchesAll tells whether the filter is nothing but a search, on whose first
// page what has ended is shown as well.
func (f *Filter) searchesAll() bool {
	return f.Search != "" && f.After == (Cursor{}) && len(f.Statuses) == 0 && f.CourierID == "" && f.Zone == "" &&
		f.ServiceLevel == "" && f.CreatedFrom.IsZero() && f.CreatedTo.IsZero() && f.DueBefore.IsZero() && len(f.Attention) == 0
}

func findExactly(ctx context.Context, tx Reader, filter Filter) ([]*delivery.Order, error) {
	partnerID, isID := delivery.PartnerOfOrder(strings.ToLower(filter.Search))
	if !isID || filter.PartnerID != "" && filter.PartnerID != partnerID {
		return tx.OrdersNamed(ctx, filter.PartnerID, filter.Search, maxExact)
	}
	found, err := tx.Order(ctx, partnerID, strings.ToLower(filter.Search))
	if err != nil || found == nil {
		return nil, err
	}
	return []*delivery.Order{found}, nil
}

// maxExact is how many partners' orders of the same name a search shows.
const maxExact = 20

func openOf(orders []*delivery.Order) []*board.Row {
	rows := make([]*board.Row, len(orders))
	for i, o := range orders {
		rows[i] = board.Of(o)
	}
	return rows
}

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
			Row: row, PartnerName: partners[row.PartnerID], CourierName: courier.Name,
			Attention: row.Reasons(now, courier.Active), Age: max(now.Sub(row.CreatedAt), 0),
		}
	}
	return entries, nil
}

func distinct(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Counts tells how many orders are under way, in which state, and how many
// need attention, for which reason; one may have several.
type Counts struct {
	Open      int64
	Statuses  map[delivery.Status]int64
	Attention int64 // for any reason
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
