package console

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/web/page"
)

// moveKey returns the key of the phrase that names a move, as its button says it.
func moveKey(from, to delivery.Status) string {
	switch {
	case to == delivery.StatusAccepted && from == delivery.StatusCourierAssigned:
		return "act.unassign"
	case to == delivery.StatusCourierAssigned && from == to:
		return "act.reassign"
	default:
		return "act.to." + string(to)
	}
}

// againKeys are the phrases on the buttons of moves after a failed attempt, which the panel of the board has, too.
var againKeys = map[delivery.Status]string{
	delivery.StatusInTransit: "act.again.keep", delivery.StatusOutForDelivery: "act.again.start",
	delivery.StatusCancelled: "act.cancel.return",
}

// buttonKey returns the key of the phrase on the button of a move.
func buttonKey(o *delivery.Order, to delivery.Status) string {
	if key, ok := againKeys[to]; ok && o.Status == delivery.StatusFailed && o.InHands() {
		return key
	}
	return moveKey(o.Status, to)
}

func movePath(orderID string, to delivery.Status) string {
	return ordersPath + "/" + orderID + "/moves/" + string(to)
}

// movesOf returns the moves of an order that are allowed now, the usual one first.
func (s *sheet) movesOf(o *delivery.Order) (moves []moveView, err error) {
	for i, to := range delivery.NextStatuses(o.Status) {
		m := moveView{
			Text: s.Text(buttonKey(o, to)), First: i == 0,
			Danger: to == delivery.StatusFailed || to == delivery.StatusCancelled,
		}
		path := movePath(o.OrderID, to)
		if asksFor(o, to) {
			m.Ask = path
		} else if m.Form, err = s.form(path, o.Version); err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	if o.InHands() {
		moves = append(moves, moveView{Text: s.Text("act.transfer"), Ask: transferPath(o.OrderID)})
	}
	return moves, nil
}

// moveAsk is the page that asks before a move.
type moveAsk struct {
	*sheet
	Record *dispatch.Record
	To     delivery.Status
	Form   *page.Form
	Fields []page.Field
	Button string
	// Returned is how many units of products a cancellation returns to stock.
	Returned int
	// DueBack is set if the parcels were picked up, so that a cancellation makes them due back.
	DueBack bool
}

// askMove asks for what a move needs.
func (pages *Pages) askMove(s *sheet) (int, []byte, error) {
	return pages.showMove(s, nil, http.StatusOK)
}

// showMove shows the page that asks before a move, with a form that was refused if there
// is one.
func (pages *Pages) showMove(s *sheet, sent *page.Form, status int) (int, []byte, error) {
	to := delivery.Status(s.Request.PathValue("status"))
	found, err := pages.config.Dispatch.Order(s.Context(), "", s.ID("order_id"))
	if err == nil && !asksFor(found.Order, to) {
		err = refusal.NotFound("page")
	}
	if err != nil {
		return 0, nil, err
	}
	if !delivery.MayMove(found.Order.Status, to, delivery.ActorService) {
		version := found.Version
		if sent != nil {
			version = max(sent.Version, 1)
		}
		return s.tooLate(found, version)
	}
	if sent == nil {
		if sent, err = s.form(movePath(found.OrderID, to), found.Version); err != nil {
			return 0, nil, err
		}
	}
	key := moveKey(found.Order.Status, to)
	view := moveAsk{sheet: s, Record: found, To: to, Form: sent, Button: s.Text(key + ".do")}
	if view.DueBack = found.Order.InHands(); !view.DueBack {
		for _, take := range found.Order.Allocation {
			view.Returned += int(take.Quantity)
		}
	}
	if view.Fields, err = pages.moveFields(s, sent, found, to); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		template: "console-order-move", title: s.Text(key+".title", "order",
			found.PartnerOrderID), data: view, status: status,
		back: &page.Link{Text: found.PartnerOrderID, Path: ordersPath + "/" + found.OrderID},
	})
}

// moveFields returns the fields of the form of a move.
func (pages *Pages) moveFields(
	s *sheet, form *page.Form, found *dispatch.Record, to delivery.Status,
) ([]page.Field, error) {
	switch to {
	case delivery.StatusCourierAssigned:
		couriers, err := pages.courierOptions(s, found.CourierID)
		choose := page.Field{
			Name: "courier_id", Label: s.Text("act.courier"), Type: "select", Required: true, Options: couriers,
		}
		return []page.Field{form.With(choose)}, err
	case delivery.StatusFailed:
		reasons := make([]page.Option, len(delivery.FailureReasons))
		for i, reason := range delivery.FailureReasons {
			reasons[i] = page.Option{Value: string(reason), Label: s.Text("failure." + string(reason))}
		}
		zone := s.Language.Zone(s.Site.Now().In(pages.config.Calendar.ClockAt(found.Order.Dropoff.Address)))
		return []page.Field{
			form.With(page.Field{
				Name: "failure_reason", Label: s.Text("act.reason"), Type: "select", Required: true, Options: reasons,
			}),
			form.With(page.Field{
				Name: "next_attempt", Label: s.Text("act.next"), Type: "datetime-local",
				Hint: s.Text("act.next.hint", "zone", zone),
			}),
			form.With(page.Field{Name: "notes", Label: s.Text("act.remark"), Type: "textarea", Hint: s.Text("act.remark.hint")}),
		}, nil
	case delivery.StatusDelivered:
		return s.collectedFields(form, "collected.", found.Order), nil
	default:
		return []page.Field{form.With(page.Field{
			Name: "reason", Label: s.Text("act.reason"), Type: "textarea", Hint: s.Text("act.reason.hint"),
		})}, nil
	}
}

// couriersAtOnce is how many couriers are read together.
const couriersAtOnce = 500

// courierOptions returns the couriers who can be assigned, but the one who is.
func (pages *Pages) courierOptions(s *sheet, assigned string) (options []page.Option, err error) {
	for cursor := ""; ; {
		found, err := pages.config.Operators.Couriers(s.Context(), cursor, couriersAtOnce)
		if err != nil {
			return nil, err
		}
		for _, one := range found.Couriers {
			if one.Active && one.CourierID != assigned {
				options = append(options, page.Option{Value: one.CourierID, Label: one.Name + " · " + one.Vehicle})
			}
		}
		if cursor = found.Next; cursor == "" {
			slices.SortFunc(options, func(a, b page.Option) int { return strings.Compare(a.Label, b.Label) })
			return options, nil
		}
	}
}

// move moves an order from the version that its form was made from.
func (pages *Pages) move(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	orderID, to := s.ID("order_id"), s.Request.PathValue("status")
	found, err := pages.config.Dispatch.Order(s.Context(), "", orderID)
	if err != nil {
		return 0, nil, err
	}
	// The version keeps a form that is sent twice from moving the order twice.
	version := max(sent.Version, 1)
	sent.Values.Set("status", to)
	sent.Values.Set("version", strconv.FormatInt(version, 10))
	if to == string(delivery.StatusDelivered) && asksFor(found.Order, delivery.StatusDelivered) {
		sent.Values.Set("collected.currency", string(currencyOf(found.Order)))
	}
	move, err := form.Decode(sent.Typed(pages.typedMove(found.Order)), pages.config.Orders.ReadAdvance(""))
	if err == nil {
		_, err = pages.config.Orders.Advance(s.Context(), nil, orderID, move)
	}
	switch {
	case refusal.HasCode(err, delivery.CodeInvalidTransition):
		return pages.showTooLate(s, orderID, version)
	case s.refuseAmounts(sent, err):
		return pages.showMove(s, sent, http.StatusUnprocessableEntity)
	case err != nil:
		return 0, nil, err
	}
	key := moveKey(found.Order.Status, delivery.Status(to))
	return s.LeadTo(ordersPath+"/"+orderID,
		page.Flash{Key: key + ".done", Arguments: []string{"order", found.PartnerOrderID}})
}

// typedMove returns what the fields of a move mean. The next attempt is typed in the time
// of the place.
func (pages *Pages) typedMove(o *delivery.Order) func(path, text string) string {
	zone := pages.config.Calendar.ClockAt(o.Dropoff.Address)
	return func(path, text string) string {
		text = strings.TrimSpace(text)
		if path == "next_attempt" {
			if at, err := time.ParseInLocation("2006-01-02T15:04", text, zone); err == nil {
				return at.Format(time.RFC3339)
			}
		}
		return typedAmounts(path, text)
	}
}

// showTooLate leads to an order whose move was refused; version is that of the form.
func (pages *Pages) showTooLate(s *sheet, orderID string, version int64) (int, []byte, error) {
	found, err := pages.config.Dispatch.Order(s.Context(), "", orderID)
	if err != nil {
		return 0, nil, err
	}
	return s.tooLate(found, version)
}

// tooLate leads to an order, and says why it was not moved: the status forbids it, or the
// order has changed since the version that the reader saw, perhaps by another operator.
func (s *sheet) tooLate(found *dispatch.Record, version int64) (int, []byte, error) {
	flash := page.Flash{
		Key: "act.late", Arguments: []string{"status", s.Text("status." + string(found.Order.Status))}, Danger: true,
	}
	switch {
	case found.Version <= version:
		flash.Key = "act.late.impossible"
	case len(found.Moves) > 0 && found.Moves[0].Version == found.Version &&
		found.Moves[0].OperatorID != s.Operator.OperatorID:
		by := found.Moves[0].OperatorID
		flash.Key = "act.late.by"
		flash.Arguments = append(flash.Arguments, "who", cmp.Or(found.Operators[by], by))
	}
	return s.LeadTo(ordersPath+"/"+found.OrderID, flash)
}

// NoteField is the field for a new note.
func (v *orderView) NoteField() page.Field {
	return v.Note.With(page.Field{Name: "text", Label: v.Text("act.note"), Type: "textarea", Required: true})
}

// addNote adds a note to an order.
func (pages *Pages) addNote(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	orderID := s.ID("order_id")
	text, err := form.Decode(sent.Typed(nil), dispatch.ReadNote)
	if err == nil {
		_, err = pages.config.Dispatch.AddNote(s.Context(), orderID, text)
	}
	switch {
	case sent.Refuse(err, s.Language):
		return pages.showOrder(s.on(ordersPath+"/"+orderID), http.StatusUnprocessableEntity,
			func(v *orderView) { v.Note = sent })
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo(ordersPath+"/"+orderID, page.Flash{Key: "act.note.done"})
}

// addProof adds a picture to an order.
func (pages *Pages) addProof(s *sheet) (int, []byte, error) {
	form, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	orderID := s.ID("order_id")
	refuse := func(key string) (int, []byte, error) {
		form.Faults = append(form.Faults, page.Fault{Field: "picture", Text: s.Text(key)})
		return pages.showOrder(s.on(ordersPath+"/"+orderID), http.StatusUnprocessableEntity,
			func(v *orderView) { v.Proof = form })
	}
	upload := proof.Upload{OrderID: orderID, Kind: delivery.ProofKind(form.Values.Get("kind"))}
	if !slices.Contains(delivery.ProofKinds, upload.Kind) {
		return 0, nil, refusal.New(refusal.CodeBadRequest, "kind must be signature or photo")
	}
	if upload.Data, err = s.File("picture"); err != nil {
		return 0, nil, err
	}
	if len(upload.Data) == 0 {
		return refuse("act.proof.choose")
	}
	_, _, err = pages.config.Proofs.Add(s.Context(), upload)
	switch {
	case refusal.HasCode(err, refusal.CodeValidation), refusal.HasCode(err, refusal.CodePayloadTooLarge):
		return refuse("act.proof.unfit")
	case refusal.HasCode(err, refusal.CodeConflict):
		return refuse("act.proof.late")
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo(ordersPath+"/"+orderID, page.Flash{Key: "act.proof.added"})
}
