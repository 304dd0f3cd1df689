package console

import (
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const returnsPath = "/console/returns"

func (pages *Pages) returnRoutes() []web.Route {
	return []web.Route{
		pages.get("/returns", storing, (*Pages).returns),
		pages.get("/returns/{order_id}", storing, (*Pages).receipt),
		pages.post("/returns/{order_id}", storing, (*Pages).receiveReturn),
	}
}

// returnsOnPage is the number of orders on a page of the list.
const returnsOnPage = 50

// maxScan is the length of the longest text of a label, in bytes.
const maxScan = 3000

// returnsView is what the list of parcels that come back shows.
type returnsView struct {
	*sheet
	State  delivery.ReturnState // of all that are listed; empty for those that a scan has found
	Rows   []returnRow
	Chips  []page.Link
	Shown  string // how many there are, and which
	Pages  page.Pages
	Code   string // what was scanned or typed
	Failed string // why nothing was found for it; empty if something was
}

// returnRow is an order whose parcels come back, or have come back.
type returnRow struct {
	dispatch.Return
	Holder    string   // who has the parcels
	Goods     []string // what is due, or what was received
	Path      string   // of the page that receives the parcels; empty if the reader may not receive them
	OrderPath string   // empty if the reader may not open the order's page
}

// returns lists the parcels that come back: those that are due by how long they are, and those that
// were received, newest first. The code of a label, or the number of an order, leads to the order.
func (pages *Pages) returns(s *sheet) (int, []byte, error) {
	view := returnsView{sheet: s, State: delivery.ReturnDue, Code: s.parameter("code")}
	if s.parameter("state") == string(delivery.ReturnReceived) {
		view.State = delivery.ReturnReceived
	}
	for _, state := range []delivery.ReturnState{delivery.ReturnDue, delivery.ReturnReceived} {
		view.Chips = append(view.Chips, page.Link{
			Text: s.Text("return.chip." + string(state)), Path: s.Link(returnsPath, "state", string(state)),
			Current: state == view.State,
		})
	}
	if view.Code != "" {
		found, err := pages.scannedReturns(s, view.Code)
		if err != nil {
			return 0, nil, err
		}
		if len(found) == 1 {
			return s.LeadTo(returnsPath+"/"+found[0].OrderID, page.Flash{})
		}
		if len(found) == 0 {
			if view.Failed, err = s.noReturn(view.Code); err != nil {
				return 0, nil, err
			}
		} else {
			view.State, view.Rows = "", s.returnRows(found)
			view.Shown = s.Language.Count("returns.several", len(found))
		}
	}
	if view.State != "" {
		if err := view.list(); err != nil {
			return 0, nil, err
		}
	}
	return s.show(leaf{
		template: "console-returns", title: s.Text("console.returns"), data: view, scripts: []string{"scan.js"},
	})
}

// scannedReturns returns the orders that a text names.
func (pages *Pages) scannedReturns(s *sheet, code string) ([]dispatch.Return, error) {
	if len(code) > maxScan {
		return nil, nil
	}
	return pages.config.Dispatch.FindReturns(s.Context(), scanOf(code))
}

// noReturn says why nothing comes back of what a text names: the parcels of an order under way are still to be
// delivered, as long as the desk has not given it up.
func (s *sheet) noReturn(code string) (string, error) {
	unknown := s.Text("returns.scan.unknown", "code", code)
	if len(code) > maxScan || !form.IsText(code) {
		return unknown, nil
	}
	found, err := s.pages.config.Dispatch.FindOrders(s.Context(), scanOf(code))
	if err != nil || len(found) == 0 {
		return unknown, err
	}
	key := "returns.scan.under_way"
	if len(delivery.NextStatuses(found[0].Status)) == 0 {
		key = "returns.scan.ended"
	}
	return s.Text(key, "order", found[0].PartnerOrderID, "status", s.Text("status."+string(found[0].Status))), nil
}

// list reads the page of the list that the address names.
func (v *returnsView) list() error {
	filter := dispatch.ReturnFilter{State: v.State, Limit: returnsOnPage}
	if after, ok := dispatch.ReadGoodsCursor(v.parameter("cursor")); ok {
		filter.After = after
	}
	found, next, err := v.pages.config.Dispatch.Returns(v.Context(), filter)
	if err != nil {
		return err
	}
	v.Rows = v.returnRows(found)
	v.Shown = v.Language.Count("return.shown."+string(v.State), len(found))
	here := []string{"state", string(v.State)}
	if next != "" {
		v.Pages.Next = v.Link(returnsPath, append(here, "cursor", next)...)
	}
	if filter.After != (dispatch.GoodsCursor{}) {
		v.Pages.First = v.Link(returnsPath, here...)
	}
	return nil
}

func (s *sheet) returnRows(found []dispatch.Return) []returnRow {
	rows := make([]returnRow, len(found))
	for i, one := range found {
		rows[i] = s.returnRow(one)
	}
	return rows
}

func (s *sheet) returnRow(one dispatch.Return) returnRow {
	row := returnRow{Return: one, Holder: s.holder(one.Holder), Goods: s.goodsOf(one.Order)}
	if s.in(storing) {
		row.Path = returnsPath + "/" + one.OrderID
	}
	if s.MayDispatch() {
		row.OrderPath = ordersPath + "/" + one.OrderID
	}
	return row
}

// Due reports whether the parcels have not been received yet.
func (r returnRow) Due() bool { return r.State == delivery.ReturnDue }

// goodsOf returns what comes back with an order: its items, or how many parcels it has; once they were
// received, the lines of the receipt.
func (s *sheet) goodsOf(o *delivery.Order) (texts []string) {
	quantity := func(n, productID int64) string {
		return s.Text("returns.quantity", "n", s.Language.Number(int(n)), "name", o.ItemName(productID))
	}
	for _, line := range o.Course.Return.Lines {
		state := s.Text("disposition." + string(line.Disposition))
		texts = append(texts, quantity(line.Quantity, line.ProductID)+" · "+strings.ToLower(state))
	}
	if len(texts) > 0 {
		return texts
	}
	for _, item := range o.Items {
		texts = append(texts, quantity(item.Quantity, item.ProductID))
	}
	if len(texts) == 0 {
		texts = []string{s.Language.Count("track.parcels", len(o.Parcels))}
	}
	return texts
}

// holder returns who has parcels, in words.
func (s *sheet) holder(h delivery.Holder) string {
	switch {
	case h.Kind == delivery.HeldByCourier && h.Name == "":
		return s.Text("holder.courier")
	case h.Kind == delivery.HeldByCourier:
		return h.Name
	case h.Kind == delivery.HeldByRecipient:
		return s.Text("holder.recipient")
	case h.Kind == delivery.HeldBySender:
		return s.Text("holder.sender")
	default:
		return h.ID
	}
}

// findReturn returns the order in the path, whose parcels come back or have come back.
func (s *sheet) findReturn() (returnRow, error) {
	found, err := s.pages.config.Dispatch.FindReturns(s.Context(), dispatch.Scan{OrderID: s.ID("order_id")})
	if err == nil && len(found) == 0 {
		err = refusal.NotFound("the return")
	}
	if err != nil {
		return returnRow{}, err
	}
	return s.returnRow(found[0]), nil
}
