package console

import (
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/web/page"
)

// ordersOnPage is the number of orders on a page of the list.
const ordersOnPage = 100

// maxSearch is the length of the longest search, in bytes.
const maxSearch = 255

// ordersView is what the list of orders shows.
type ordersView struct {
	*sheet
	Orders   []orderRow
	Search   string
	Status   string
	Partner  string // the id of the partner whose orders are shown; empty for all partners
	Name     string // of the partner
	All      string // the path of the same list for all partners
	Chips    []page.Link
	Shown    string // how many orders, and which
	Pages    page.Pages
	Narrowed bool   // there may be orders that the list does not show
	New      string // the path of a new order; empty if the reader may create none
}

// orderRow is an order of the list.
type orderRow struct {
	dispatch.Entry
	Late    bool // it is due, and not delivered
	IsOpen  bool
	Reasons []string
}

// attentionStatus selects the orders that need attention, in the place of a status.
const attentionStatus = "attention"

// orders lists the orders under way by what is due first. A search also finds those that have ended.
// The search of other pages leads to the order if it finds one only.
func (pages *Pages) orders(s *sheet) (int, []byte, error) {
	query := s.Request.URL.Query()
	search, status, partnerID := strings.TrimSpace(query.Get("q")), query.Get("status"), query.Get("partner")
	if search = label.Meant(search); len(search) > maxSearch {
		search = ""
	}
	filter := dispatch.Filter{
		PartnerID: partnerID, Search: search, Sort: dispatch.SortDue, Limit: ordersOnPage, Recipients: true,
	}
	switch {
	case status == attentionStatus:
		filter.Attention = board.Reasons
	case board.IsOpen(delivery.Status(status)):
		filter.Statuses = []delivery.Status{delivery.Status(status)}
	default:
		status = ""
	}
	filter.After, _ = dispatch.ParseCursor(query.Get("cursor"))
	found, err := pages.config.Dispatch.Board(s.Context(), filter)
	if err != nil {
		return 0, nil, err
	}
	if query.Get("open") != "" && search != "" && len(found.Entries) == 1 {
		return s.LeadTo(ordersPath+"/"+found.Entries[0].OrderID, page.Flash{})
	}
	view := ordersView{
		sheet: s, Orders: s.rowsOf(found.Entries), Search: search, Status: status, Partner: partnerID,
		Narrowed: search != "" || status != "" || partnerID != "",
	}
	// The chips count all orders, and a search is not sorted by urgency.
	words := "console.orders.shown"
	switch {
	case search != "":
		words = "console.orders.found"
	case found.Next.String() != "" || filter.After != (dispatch.Cursor{}):
		words = "console.orders.part"
	}
	view.Shown = s.Language.Count(words, len(found.Entries))
	if search != "" {
		view.sortFound()
	}
	if err := view.ofPartner(); err != nil {
		return 0, nil, err
	}
	shown := leaf{template: "console-orders", title: s.Text("console.orders")}
	if s.MayDispatch() {
		shown.action = &page.Link{Text: s.Text("console.board"), Path: "/console/board"}
		if view.New = ordersPath + "/new"; partnerID != "" {
			view.New = newOrderPath(partnerID)
		}
	}
	if view.Chips, err = view.chips(); err != nil {
		return 0, nil, err
	}
	here := []string{"q", search, "status", status, "partner", partnerID}
	if next := found.Next.String(); next != "" {
		view.Pages.Next = s.Link(ordersPath, append(slices.Clone(here), "cursor", next)...)
	}
	if filter.After != (dispatch.Cursor{}) {
		view.Pages.First = s.Link(ordersPath, here...)
	}
	shown.data = view
	return s.show(shown)
}

// sortFound puts orders under way before those that have ended: callers mostly ask about the former. An order with
// exactly the number that was searched for stays in front.
func (v *ordersView) sortFound() {
	rank := func(row orderRow) int {
		switch {
		case strings.EqualFold(row.PartnerOrderID, v.Search) || strings.EqualFold(row.OrderID, v.Search):
			return 0
		case row.IsOpen:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(v.Orders, func(a, b orderRow) int { return rank(a) - rank(b) })
}

func (s *sheet) rowsOf(entries []dispatch.Entry) []orderRow {
	rows := make([]orderRow, len(entries))
	for i, entry := range entries {
		rows[i] = orderRow{Entry: entry, Late: slices.Contains(entry.Attention,
			board.ReasonLate), IsOpen: board.IsOpen(entry.Status)}
		for _, reason := range entry.Attention {
			rows[i].Reasons = append(rows[i].Reasons, s.Text("board.reason."+string(reason)))
		}
	}
	return rows
}

// ofPartner reads the name of the partner whose orders are shown, if they are of one. It
// refuses with not_found.
func (v *ordersView) ofPartner() (err error) {
	if v.Partner == "" {
		return nil
	}
	v.Name, err = v.pages.PartnerName(v.Sheet, v.Partner)
	v.All = v.Link(ordersPath, "q", v.Search, "status", v.Status)
	return err
}

// chips returns the links that narrow the list, with how many orders each shows. Those of
// one partner have no numbers: only the orders of all partners are counted.
func (v *ordersView) chips() ([]page.Link, error) {
	counts, err := v.pages.config.Dispatch.Count(v.Context())
	if err != nil {
		return nil, err
	}
	chip := func(text, status string, count int64) page.Link {
		if v.Partner == "" {
			text += " " + v.Language.Number(int(count))
		}
		return page.Link{Text: text, Path: v.Link(ordersPath, "status", status, "partner",
			v.Partner), Current: status == v.Status}
	}
	chips := []page.Link{chip(v.Text("console.orders.open"), "", counts.Open)}
	for _, status := range delivery.Statuses {
		if board.IsOpen(status) {
			chips = append(chips, chip(v.Text("statuses."+string(status)), string(status), counts.Statuses[status]))
		}
	}
	return append(chips, chip(v.Text("console.orders.attention"), attentionStatus, counts.Attention)), nil
}
