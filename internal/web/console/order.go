package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const ordersPath = "/console/orders"

func (pages *Pages) orderRoutes() []web.Route {
	label := pages.get("/orders/{order_id}/label", dispatching, (*Pages).orderLabel)
	labels := pages.get("/orders/labels", dispatching, (*Pages).orderLabels)
	label.Heavy, labels.Heavy = true, true
	preview := pages.post("/orders/{order_id}/edit/preview", dispatching, (*Pages).previewEdit)
	preview.ChangesNothing = true
	return []web.Route{
		pages.get("/orders", reading, (*Pages).orders),
		pages.get("/orders/{order_id}", reading, (*Pages).order),
		pages.get("/orders/{order_id}/moves/{status}", dispatching, (*Pages).askMove),
		pages.post("/orders/{order_id}/moves/{status}", dispatching, (*Pages).move),
		pages.post("/orders/{order_id}/cancellation-request", dispatching, (*Pages).answerRequest),
		pages.get("/orders/{order_id}/edit", dispatching, (*Pages).askEdit),
		pages.post("/orders/{order_id}/edit", dispatching, (*Pages).saveEdit),
		preview,
		// For links on a page that was the answer to a form.
		pages.get("/orders/{order_id}/edit/preview", dispatching, func(_ *Pages, s *sheet) (int, []byte, error) {
			return s.LeadTo(editPath(s.ID("order_id")), page.Flash{})
		}),
		pages.post("/orders/{order_id}/notes", dispatching, (*Pages).addNote),
		pages.post("/orders/{order_id}/proofs", dispatching, (*Pages).addProof),
		label, labels,
	}
}

// orderView is what the page of an order shows.
type orderView struct {
	*sheet
	page.OrderView
	Record  *dispatch.Record
	Late    bool     // it is due, and not delivered
	Reasons []string // why the order needs attention
	Charged string   // what it was charged, for those who keep the books; empty for nothing
	// What follows is for those who dispatch only.
	Moves  []moveView // those that are allowed now
	Answer *page.Form // to the partner's request to cancel the order; nil if none awaits one
	Note   *page.Form
	Proof  *page.Form // nil if no proof can be added
}

// Correct is the path of the form that corrects what the order was charged.
func (v *orderView) Correct() string {
	return correctionPath(v.Order.PartnerID, v.Order.PartnerOrderID)
}

// FailedBecause returns why the latest attempt has failed; empty unless the order waits for another one.
func (v *orderView) FailedBecause() string {
	for _, entry := range slices.Backward(v.Order.History) {
		if entry.Status == delivery.StatusFailed && v.Order.Status == delivery.StatusFailed {
			return v.OrderView.Note(entry)
		}
	}
	return ""
}

// Creator is the operator who created the order for its partner; empty for an order by the partner.
func (v *orderView) Creator() string {
	by := v.Record.Order.Course.CreatedBy
	return cmp.Or(v.Record.Operators[by], by)
}

// moveView is a move that is allowed now: a form that is sent with one press, or a link to
// one that asks.
type moveView struct {
	Text   string
	Ask    string // the path of the page that asks; empty for a form
	Form   *page.Form
	First  bool // what most come here for
	Danger bool
}

// order shows an order.
func (pages *Pages) order(s *sheet) (int, []byte, error) {
	return pages.showOrder(s, http.StatusOK, func(*orderView) {})
}

// showOrder shows the order in the path. change puts a form that was refused in the
// place of a fresh one.
func (pages *Pages) showOrder(s *sheet, status int, change func(*orderView)) (int, []byte, error) {
	found, err := pages.config.Dispatch.Order(s.Context(), "", s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	view, err := s.viewOfOrder(found)
	if err != nil {
		return 0, nil, err
	}
	change(view)
	shown := leaf{
		template: "console-order", title: found.PartnerOrderID, data: view, status: status,
		back: &page.Link{Text: s.Text("console.orders"), Path: ordersPath},
	}
	if s.MayDispatch() {
		shown.action = &page.Link{
			Text: s.Text("console.order.board"), Path: s.Link("/console/board", "order", found.OrderID),
		}
	}
	return s.show(shown)
}

func (s *sheet) viewOfOrder(found *dispatch.Record) (*orderView, error) {
	v := &orderView{sheet: s, OrderView: s.OrderView(found.Order, s.pages.config.Calendar.ClockAt), Record: found}
	v.Late = !v.HasEnded() && s.Site.Now().After(v.Due())
	for _, reason := range found.Attention {
		v.Reasons = append(v.Reasons, s.Text("board.reason."+string(reason)))
	}
	if s.KeepsBooks() {
		if err := v.addCharges(); err != nil {
			return nil, err
		}
	}
	if !s.MayDispatch() {
		return v, nil
	}
	return v, v.addActs()
}

// addCharges adds what the order has been charged.
func (v *orderView) addCharges() error {
	found, err := v.pages.config.Accounting.Journal(v.Context(),
		accounting.Filter{OrderID: v.Order.OrderID, Oldest: true, Limit: chargesOnPage})
	var charges []string
	for _, entry := range found.Entries {
		if entry.IsCharge() || entry.Act == money.ActAdjustment {
			charges = append(charges, v.Text("money.charge", "amount", v.sums(balancesOf(entry), 1, money.Charges),
				"act", v.Text("money.charge."+string(entry.Act))))
		}
	}
	v.Charged = strings.Join(charges, ", ")
	return err
}

// addActs adds what can be done with the order.
func (v *orderView) addActs() (err error) {
	o, path := v.Order, ordersPath+"/"+v.Order.OrderID
	if v.Moves, err = v.movesOf(o); err != nil {
		return err
	}
	for _, one := range []struct {
		form   **page.Form
		path   string
		wanted bool
	}{
		{&v.Answer, "/cancellation-request", mayAnswer(o)},
		{&v.Note, "/notes", true},
		{&v.Proof, "/proofs", mayProve(v.Record)},
	} {
		if !one.wanted {
			continue
		}
		if *one.form, err = v.form(path+one.path, 0); err != nil {
			return err
		}
	}
	return nil
}

// Due returns when the order is due.
func (v *orderView) Due() time.Time {
	return delivery.Due(v.Order.Dropoff.Window, v.Order.EstimatedDelivery)
}

// DueAt says when the order is due, on the clock of the dropoff as its window is, which the zone names.
func (v *orderView) DueAt() string {
	due := v.Due().In(v.pages.config.Calendar.ClockAt(v.Order.Dropoff.Address))
	return v.Language.Within(due, v.pages.config.Site.Now()) + " " + v.Language.Zone(due)
}

// By returns the name of an operator: the e-mail address, or the id of what acts by
// itself.
func (v *orderView) By(operatorID string) string {
	return cmp.Or(v.Record.Operators[operatorID], operatorID)
}

// recordedLate is how long after an act its recording is worth mentioning.
const recordedLate = time.Minute

// Timeline returns what has happened to the order, newest first, with the operators who did it.
func (v *orderView) Timeline() []page.TimelineEntry {
	by := map[int64]dispatch.Move{}
	for _, move := range v.Record.Moves {
		by[move.Version] = move
	}
	return v.OrderView.Timeline(func(entry delivery.HistoryEntry, shown *page.TimelineEntry) {
		move := by[entry.Version]
		shown.By = v.By(move.OperatorID)
		if entry.RecordedAt.Sub(entry.At) > recordedLate {
			shown.Recorded = entry.RecordedAt
		}
		if entry.Status == delivery.StatusCourierAssigned {
			shown.Courier = v.Record.Couriers[move.CourierID].Name
		}
	}, func(edit delivery.Edit, shown *page.TimelineEntry) {
		shown.By, shown.Note = editor(v.sheet, v.Record, edit), edit.Reason
	})
}

// mayProve reports whether the desk may add a proof to an order: after the pickup, until
// it is cancelled; and then until its parcels are back.
func mayProve(found *dispatch.Record) bool {
	before := []delivery.Status{
		delivery.StatusPending, delivery.StatusAccepted, delivery.StatusCourierAssigned, delivery.StatusCancelled,
	}
	may := !slices.Contains(before, found.Order.Status) || found.Order.InHands()
	return may && len(found.Proofs) < proof.MaxProofs
}

// labelFormats maps what the parameter format may name.
var labelFormats = map[string]label.Format{"": label.FormatPDF, "pdf": label.FormatPDF, "zpl": label.FormatZPL}

// orderLabel responds with the labels of an order's parcels.
func (pages *Pages) orderLabel(s *sheet) (int, []byte, error) {
	format, resolution, err := s.printing()
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Dispatch.Order(s.Context(), "", s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	file, err := label.NewFile(found.Order, format, resolution, pages.config.Calendar.ClockAt(found.Order.Dropoff.Address))
	if err != nil {
		return 0, nil, err
	}
	web.SetFile(s.Header, file.Name, string(file.Format))
	return http.StatusOK, file.Data, nil
}
