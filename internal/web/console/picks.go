package console

import (
	"net/http"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const picksPath = "/console/picks"

func (pages *Pages) pickRoutes() []web.Route {
	return []web.Route{
		pages.get("/warehouse", warehousing, (*Pages).warehouseHome),
		pages.get("/picks", warehousing, (*Pages).picks),
		pages.get("/picks/wave", warehousing, (*Pages).wave),
		pages.get("/picks/list", warehousing, (*Pages).pickList),
		pages.get("/picks/labels", warehousing, (*Pages).pickLabels),
		pages.post("/picks/scan", warehousing, (*Pages).scanPick),
		pages.post("/picks/pack", warehousing, (*Pages).scanPacked),
		pages.post("/picks/{order_id}", warehousing, (*Pages).pick),
		pages.post("/picks/{order_id}/packed", warehousing, (*Pages).pack),
	}
}

// mostInWave is the number of orders on a page of the list, and the most that are picked together: as many as
// a file of labels has.
const mostInWave = label.MaxOrders

// picksView is what the list of orders to pick shows.
type picksView struct {
	*sheet
	State    delivery.PickState // empty for those that have something left to pick
	Location string
	Rows     []pickRow
	States   []page.Link
	Days     []page.Link
	Places   []page.Link
	Shown    string
	Pages    page.Pages
	Groups   []pickGroup
	Form     *page.Form // that packs an order by a scan; nil unless the list has picked orders
}

// pickRow is an order that the warehouse picks. It shows nothing of the recipient.
type pickRow struct {
	dispatch.Pick
	Window string // when the courier comes
	State  delivery.PickState
	Units  int64      // that are left to pick
	Form   *page.Form // that packs the order; nil if it is not picked
}

// Courier returns the name of the courier who comes; empty while none is assigned.
func (r pickRow) Courier() string {
	if r.Order.Courier == nil {
		return ""
	}
	return r.Order.Courier.Name
}

// endOfToday returns when the day that has begun somewhere has ended everywhere.
func (pages *Pages) endOfToday() time.Time {
	day, _ := time.Parse(time.DateOnly, pages.config.Reports.Today().String())
	return time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, pages.config.Calendar.Clock("BC"))
}

// dayEnds returns the values of the parameter that chooses until when couriers come, and how many days
// each adds to today; the last one stands for all orders.
var dayEnds = []struct {
	value string
	days  int
}{{"", 0}, {"tomorrow", 1}, {"all", -1}}

// picks lists the orders to pick, by when their couriers come, and what they take from each location.
func (pages *Pages) picks(s *sheet) (int, []byte, error) {
	v := &picksView{sheet: s, Location: s.parameter("location")}
	for _, state := range delivery.PickStates[1:] {
		if s.parameter("state") == string(state) {
			v.State = state
		}
	}
	filter := dispatch.PickFilter{Location: v.Location, State: v.State, Limit: mostInWave}
	until := v.addDays()
	filter.Until = until
	if after, ok := dispatch.ReadGoodsCursor(s.parameter("cursor")); ok {
		filter.After = after
	}
	found, next, err := pages.config.Dispatch.Picks(s.Context(), filter)
	if err != nil {
		return 0, nil, err
	}
	if v.Rows, err = s.pickRows(found); err != nil {
		return 0, nil, err
	}
	v.addChips(found)
	v.Shown = s.Language.Count("picks.shown", len(found))
	if next != "" {
		v.Shown = s.Language.Count("picks.shown.more", len(found))
		v.Pages.Next = v.here("cursor", next)
	}
	if filter.After != (dispatch.GoodsCursor{}) {
		v.Pages.First = v.here()
	}
	if v.State == "" || v.State == delivery.PickShort {
		v.Groups = groupsOf(found)
	}
	if v.State == delivery.PickDone {
		if v.Form, err = s.form(picksPath+"/pack", 0); err != nil {
			return 0, nil, err
		}
	}
	return s.show(leaf{template: "console-picks", title: s.Text("console.picks"), data: v, scripts: []string{"scan.js"}})
}

// linkRow is a row of links that choose what a list shows.
type linkRow struct {
	Label string
	Links []page.Link
}

// Chips returns a row of links with its label, which is given as a phrase.
func (v *picksView) Chips(label string, links []page.Link) linkRow {
	return linkRow{v.Text(label), links}
}

// here returns the address of the list with other parameters in the place of its own.
func (v *picksView) here(others ...string) string {
	own := [...]string{"state", string(v.State), "location", v.Location, "until", v.parameter("until")}
	kept := append(make([]string, 0, len(own)+len(others)), own[:]...)
	for i := 0; i+1 < len(others); i += 2 {
		for j := 0; j < len(kept); j += 2 {
			if kept[j] == others[i] {
				kept[j+1] = ""
			}
		}
	}
	return v.Link(picksPath, append(kept, others...)...)
}

// addDays adds the links that choose until when couriers come, and returns the time that is chosen; zero
// for all orders.
func (v *picksView) addDays() (until time.Time) {
	chosen := v.parameter("until")
	today := v.pages.endOfToday()
	for i, end := range dayEnds {
		current := chosen == end.value
		if current && end.days >= 0 {
			until = today.AddDate(0, 0, end.days)
		}
		v.Days = append(v.Days, page.Link{
			Text: v.Text([]string{"picks.today", "picks.tomorrow", "picks.all"}[i]), Path: v.here("until", end.value),
			Current: current,
		})
	}
	return until
}

// addChips adds the links that choose states and locations.
func (v *picksView) addChips(found []dispatch.Pick) {
	for _, state := range append([]delivery.PickState{""}, delivery.PickStates[1:]...) {
		key := "picks.state." + string(state)
		if state == "" {
			key = "picks.state.to_pick"
		}
		v.States = append(v.States, page.Link{
			Text: v.Text(key), Path: v.here("state", string(state)), Current: state == v.State,
		})
	}
	groups := groupsOf(found)
	places := make([]string, 0, len(groups))
	for _, group := range groups {
		places = append(places, group.Location)
	}
	if v.Location != "" {
		places = []string{v.Location}
	}
	v.Places = append(v.Places, page.Link{
		Text: v.Text("picks.everywhere"), Path: v.here("location", ""), Current: v.Location == "",
	})
	for _, place := range places {
		v.Places = append(v.Places, page.Link{
			Text: place, Path: v.here("location", place), Current: place == v.Location,
		})
	}
}

func (s *sheet) pickRows(found []dispatch.Pick) ([]pickRow, error) {
	rows := make([]pickRow, len(found))
	for i, one := range found {
		clock := s.pages.config.Calendar.ClockAt(one.Order.Pickup.Address)
		rows[i] = pickRow{
			Pick: one, State: one.Order.PickState(),
			Window: s.Language.Window(one.Order.Pickup.Window, clock, s.Site.Now()),
		}
		for _, line := range one.Lines {
			rows[i].Units += line.Left()
		}
		if rows[i].State == delivery.PickDone {
			var err error
			if rows[i].Form, err = s.form(picksPath+"/"+one.Order.OrderID+"/packed", 0); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// pack records that an order is packed.
func (pages *Pages) pack(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Dispatch.PickOf(s.Context(), s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	return s.packed(sent, found.Order)
}

// scanPacked records that the order is packed that a label, or a number, names.
func (pages *Pages) scanPacked(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	code := strings.TrimSpace(sent.Values.Get("scan"))
	var found []dispatch.Pick
	if code != "" && len(code) <= maxScan && form.IsText(code) {
		if found, err = pages.config.Dispatch.FindPicks(s.Context(), scanOf(code)); err != nil {
			return 0, nil, err
		}
	}
	if len(found) != 1 {
		return s.LeadTo(pickedPath, page.Flash{Key: "picks.unknown", Arguments: []string{"code", code}, Danger: true})
	}
	return s.packed(sent, found[0].Order)
}

// pickedPath lists the orders to pack.
var pickedPath = page.Address(picksPath, "state", string(delivery.PickDone), "until", "all")

// scanOf returns what a text means that was read from a label or typed.
func scanOf(code string) dispatch.Scan {
	scan := dispatch.Scan{Text: code}
	scan.OrderID, scan.Place, _ = label.Scan(code)
	return scan
}

func (s *sheet) packed(sent *page.Form, o *delivery.Order) (int, []byte, error) {
	_, err := s.pages.config.Orders.Pick(s.Context(), s.once(sent), o.OrderID, delivery.Pick{Packed: true})
	message := page.Flash{Key: "picks.packed", Arguments: []string{"order", o.PartnerOrderID}}
	if refusal.HasCode(err, refusal.CodeConflict) {
		message, err = page.Flash{Key: "picks.unpicked", Arguments: message.Arguments, Danger: true}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(pickedPath, message)
}

// pickLabels responds with the labels of orders that the warehouse picks, in a file.
func (pages *Pages) pickLabels(s *sheet) (int, []byte, error) {
	return pages.labels(s, picksPath, func(orderID string) (*delivery.Order, error) {
		found, err := pages.config.Dispatch.PickOf(s.Context(), orderID)
		return found.Order, err
	})
}

// waveView is what the page shows that picks some orders together.
type waveView struct {
	*sheet
	Picks   []dispatch.Pick
	IDs     []string // of the orders
	Groups  []pickGroup
	Left    int64 // units
	Total   int64
	Next    *pickProduct // what is picked next; nil if nothing is left
	Code    string       // of a product, as it was scanned or typed
	Failed  bool         // nothing that is left to pick has the code
	Product *pickProduct // that has the code; nil before the scan
	Scan    *page.Form   // of the label of an order
	Forms   []pickForm   // of the orders that take the product
	List    string       // the address of the list on paper
	Labels  string
}

// Without returns the address of the page before the scan of a product.
func (v *waveView) Without() string { return waveLink(picksPath+"/wave", v.IDs) }

// pickForm is the form that records a pick for an order.
type pickForm struct {
	pickFor
	Form *page.Form
}

// chosen returns the orders that the address names, as far as the warehouse picks them. It reports false
// if it names none, or too many.
func (s *sheet) chosen(ids []string) ([]dispatch.Pick, bool, error) {
	ids = page.Distinct(ids)
	if len(ids) == 0 || len(ids) > mostInWave {
		return nil, false, nil
	}
	found, err := s.pages.config.Dispatch.PicksOf(s.Context(), ids)
	return found, len(found) > 0, err
}

// wave shows what some orders take from each location. The code of a product leads to the orders that take it.
func (pages *Pages) wave(s *sheet) (int, []byte, error) {
	found, ok, err := s.chosen(s.Request.URL.Query()["order_id"])
	if err != nil {
		return 0, nil, err
	}
	if !ok {
		return s.LeadTo(picksPath, page.Flash{Key: "picks.none", Danger: true})
	}
	v := &waveView{sheet: s, Picks: found, Groups: groupsOf(found), Code: s.parameter("code")}
	for _, one := range found {
		v.IDs = append(v.IDs, one.Order.OrderID)
		for _, line := range one.Lines {
			v.Left, v.Total = v.Left+line.Left(), v.Total+line.Quantity
		}
	}
	v.List, v.Labels = waveLink(picksPath+"/list", v.IDs), waveLink(picksPath+"/labels", v.IDs, "format", "pdf")
	v.Next = nextOf(v.Groups)
	if v.Code != "" {
		if err := v.find(); err != nil {
			return 0, nil, err
		}
	}
	return s.show(leaf{
		template: "console-wave", title: s.Language.Count("picks.wave", len(found)), data: v,
		back: &page.Link{Text: s.Text("console.picks"), Path: picksPath}, scripts: []string{"scan.js"},
	})
}

// find finds the product that was scanned among those that are left, and prepares the forms of its orders.
func (v *waveView) find() error {
	meant, err := v.meant()
	if err != nil {
		return err
	}
	if v.Product = leftOf(v.Groups, meant); v.Product == nil {
		v.Failed = true
		return nil
	}
	if v.Scan, err = v.form(picksPath+"/scan", 0); err != nil {
		return err
	}
	for _, one := range v.Product.For {
		if one.Left == 0 {
			continue
		}
		sending, err := v.form(picksPath+"/"+one.OrderID, 0)
		if err != nil {
			return err
		}
		v.Forms = append(v.Forms, pickForm{one, sending})
	}
	return nil
}

// meant returns the products of the orders' partners that have the code.
func (v *waveView) meant() (map[dispatch.ProductKey]bool, error) {
	products := map[dispatch.ProductKey]bool{}
	if !form.IsText(v.Code) || len(v.Code) > maxScan {
		return products, nil
	}
	asked := map[string]bool{}
	for _, one := range v.Picks {
		partnerID := one.Order.PartnerID
		if asked[partnerID] {
			continue
		}
		asked[partnerID] = true
		found, err := v.pages.config.Stock.Find(v.Context(), partnerID, v.Code)
		if err != nil {
			return nil, err
		}
		for _, product := range found[v.Code] {
			products[dispatch.ProductKey{PartnerID: partnerID, ProductID: product.ProductID}] = true
		}
	}
	return products, nil
}

// pick records what was picked of a product for an order, and leads back to the orders that are picked
// together.
func (pages *Pages) pick(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Dispatch.PickOf(s.Context(), s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	return s.recordPick(sent, found.Order, strings.TrimSpace(sent.Values.Get("quantity")))
}

// scanPick records all that is left of a product for the order with the label that was scanned.
func (pages *Pages) scanPick(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	found, _, err := s.chosen(sent.Values["order_id"])
	if err != nil {
		return 0, nil, err
	}
	code := strings.TrimSpace(sent.Values.Get("scan"))
	for i := range found {
		if len(code) > maxScan || !form.IsText(code) || !found[i].Has(scanOf(code)) {
			continue
		}
		for _, line := range found[i].Lines {
			if line.Left() > 0 && line.Location == sent.Values.Get("location") &&
				numbered(line.ProductID) == sent.Values.Get("product_id") {
				return s.recordPick(sent, found[i].Order, numbered(line.Left()))
			}
		}
	}
	return s.LeadTo(waveLink(picksPath+"/wave", sent.Values["order_id"], "code", sent.Values.Get("code")),
		page.Flash{Key: "picks.unknown", Arguments: []string{"code", code}, Danger: true})
}

func (s *sheet) recordPick(sent *page.Form, o *delivery.Order, quantity string) (int, []byte, error) {
	request := s.once(sent)
	sent.Values.Set("lines[0].product_id", sent.Values.Get("product_id"))
	sent.Values.Set("lines[0].quantity", quantity)
	pick, _ := form.Decode(sent.Typed(typedNumbers), delivery.ReadPick) // keeps its faults
	_, err := s.pages.config.Orders.Pick(s.Context(), request, o.OrderID, pick)
	message := page.Flash{Key: "picks.recorded", Arguments: []string{"n", quantity, "order", o.PartnerOrderID}}
	if problems := form.ProblemsOf(err); len(problems) > 0 {
		why := page.FaultText(problems[0], s.Language)
		message, err = page.Flash{Key: "picks.refused", Arguments: []string{"why", why}, Danger: true}, nil
	}
	if refusal.HasCode(err, refusal.CodeConflict) {
		message, err = page.Flash{Key: "picks.late", Arguments: message.Arguments, Danger: true}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	wave := sent.Values["order_id"]
	if len(wave) == 0 {
		wave = []string{o.OrderID}
	}
	return s.LeadTo(waveLink(picksPath+"/wave", wave, "code", s.rest(wave, sent.Values.Get("code"))), message)
}

// rest returns the code of a product if orders that are picked together still take it; otherwise nothing, so
// that the next product is asked for.
func (s *sheet) rest(wave []string, code string) string {
	found, _, err := s.chosen(wave)
	v := waveView{sheet: s, Picks: found, Code: code}
	if err != nil || code == "" {
		return ""
	}
	meant, err := v.meant()
	if err != nil || leftOf(groupsOf(found), meant) == nil {
		return ""
	}
	return code
}

// pickList shows what some orders take from each location, on paper.
func (pages *Pages) pickList(s *sheet) (int, []byte, error) {
	found, ok, err := s.chosen(s.Request.URL.Query()["order_id"])
	if err != nil {
		return 0, nil, err
	}
	if !ok {
		return s.LeadTo(picksPath, page.Flash{Key: "picks.none", Danger: true})
	}
	v := &waveView{sheet: s, Picks: found, Groups: groupsOf(found)}
	return s.show(leaf{
		template: "pick-list", title: s.Language.Count("picks.list.title", len(found)), data: v, status: http.StatusOK,
		back: &page.Link{Text: s.Text("console.picks"), Path: picksPath},
	})
}
