package orderform

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Edit is the form that edits an order, and what its page shows. The form holds, beside what was
// typed, what its fields held when it was made: only the fields that differ are edited. So an edit
// overwrites nothing that the person has not typed, whatever else has changed meanwhile.
type Edit struct {
	Form
	page.OrderView
	By delivery.Editor
	// Preview is what the edit would do; nil if it would be refused.
	Preview *order.EditPreview
	Notice  string  // why the edit was not made, if no field is to blame
	Faults  []Fault // what is wrong with the fields
	// Meanwhile is what has happened to the order since the form was made, in words.
	Meanwhile []string
	// Who returns the name of those who made an edit of the order.
	Who func(delivery.Edit) string

	orders *order.Service
	was    url.Values // what the fields held when the form was made
	agreed string     // the price and the estimate that the page has shown
	lost   []string   // what was typed into fields that can no longer be edited, by their labels
}

// The fields of the form that are not part of the order.
const (
	wasField    = "_was"
	agreedField = "_agreed"
	reasonField = "reason"
)

// NewEdit returns the form that edits an order as it is now. made has the address and the key of
// the form, and fields says how it is shown.
func NewEdit(
	fields Form, made *page.Form, found *delivery.Order, by delivery.Editor, orders *order.Service,
) (*Edit, error) {
	e := &Edit{Form: fields, By: by, orders: orders, OrderView: fields.Sheet.OrderView(found, fields.Clock)}
	e.Sent = &page.Form{Action: made.Action, Key: made.Key, Version: found.Version, Values: url.Values{}}
	editable := delivery.EditableFields(by, delivery.StageOf(found))
	e.Editable = func(part string) bool { return slices.Contains(editable, part) }
	e.Offers = fields.Offers && e.Editable("items")
	e.Products, e.MoreProducts = nil, false
	e.fill()
	e.was = url.Values{}
	for name, texts := range e.Sent.Values {
		e.was[name] = texts
	}
	if err := e.Arrange(); err != nil {
		return nil, err
	}
	e.agreed = termsOf(found)
	return e, nil
}

// Read puts what was sent into the form.
func (e *Edit) Read(sent *page.Form) error {
	e.Sent.Key, e.Sent.Sent, e.Sent.Version = sent.Key, true, sent.Version
	was, err := url.ParseQuery(sent.Values.Get(wasField))
	if err != nil {
		return refusal.New(refusal.CodeBadRequest, "the form is damaged")
	}
	e.was, e.agreed = was, sent.Values.Get(agreedField)
	e.replace("parcels", sent.Values)
	e.replace("items", sent.Values)
	for name := range e.typable() {
		if values, isSent := sent.Values[name]; isSent {
			e.Sent.Values[name] = values
		}
	}
	for _, own := range []string{SearchField, reasonField} {
		e.Set(own, sent.Values.Get(own))
	}
	for name := range sent.Values {
		_, _, known := findField(name)
		if known && !e.Types(name) && sent.Values.Get(name) != was.Get(name) && !slices.Contains(e.lost, e.labelOf(name)) {
			e.lost = append(e.lost, e.labelOf(name))
		}
	}
	e.Products = nil
	return e.Arrange()
}

// replace replaces the rows of a list by those that were sent.
func (e *Edit) replace(list string, sent url.Values) {
	if !e.Editable(list) {
		return
	}
	for name := range e.Sent.Values {
		if strings.HasPrefix(name, list+"[") {
			e.Sent.Values.Del(name)
		}
	}
	for name, values := range sent {
		if _, _, known := findField(name); known && strings.HasPrefix(name, list+"[") {
			e.Sent.Values[name] = values
		}
	}
}

// fill fills in the content of the order.
func (e *Edit) fill() {
	o := e.Order
	e.Set("partner_order_id", o.PartnerOrderID)
	e.Set("service_level", string(o.ServiceLevel))
	e.Set("reference", o.Reference)
	e.Set("instructions", o.Instructions)
	for end, contact := range map[string]delivery.Contact{"pickup": o.Pickup, "dropoff": o.Dropoff} {
		e.FillContact(end, contact)
		clock := e.Clock(contact.Address)
		e.Set(end+".time_window.start", contact.Window.Start.In(clock).Format(TimeLayout))
		e.Set(end+".time_window.end", contact.Window.End.In(clock).Format(TimeLayout))
	}
	for i := range o.Parcels {
		e.FillParcel(i, &o.Parcels[i])
	}
	for i, item := range o.Items {
		e.Set(Row("items", i)+".product_id", Decimal(item.ProductID))
		e.Set(Row("items", i)+".quantity", Decimal(item.Quantity))
	}
	for name, money := range map[string]*delivery.Money{"cod": o.COD, "insurance": o.Insurance} {
		e.Set(name+".amount_cents", "")
		e.Set(name+".currency", string(delivery.CAD))
		e.FillMoney(name, money)
	}
}

// typable returns the fields that can be typed, with what they hold.
func (e *Edit) typable() url.Values {
	values := url.Values{}
	for name, texts := range e.Sent.Values {
		if _, _, known := findField(name); known && e.Types(name) {
			values[name] = texts
		}
	}
	return values
}

// Was is what the fields held when the form was made, for its hidden field.
func (e *Edit) Was() string { return e.was.Encode() }

// Agreed is the price and the estimate that the page shows, for its hidden field.
func (e *Edit) Agreed() string { return e.agreed }

// termsOf returns the price and the estimate of an order.
func termsOf(o *delivery.Order) string {
	return fmt.Sprint(o.RateCents, "|", o.Currency, "|", o.EstimatedDelivery.Unix())
}

// Types reports whether a field can be typed.
func (e *Edit) Types(path string) bool { return e.Form.Types(path) }

// Ends returns both ends of the delivery.
func (e *Edit) Ends() []End {
	ends := e.Form.Ends()
	for i := range ends {
		if !e.EditsAny(ends[i].Name + ".") {
			ends[i].Stop = &e.Stops[i]
		}
	}
	return ends
}

// EditsAny reports whether anything can be typed of a part of the form, such as dropoff.
func (e *Edit) EditsAny(prefix string) bool {
	return slices.ContainsFunc(delivery.Parts, func(part delivery.Part) bool {
		return strings.HasPrefix(part.Field, prefix) && e.Editable(part.Field)
	})
}

// Service reports whether the service edits, which says why.
func (e *Edit) Service() bool { return e.By == delivery.EditorService }

// Reason is the field for why the service edits.
func (e *Edit) Reason() page.Field {
	return e.Sent.With(page.Field{
		Name: reasonField, Label: e.Sheet.Text("act.reason"), Type: "textarea", Hint: e.Sheet.Text("edit.reason.hint"),
		Required: true,
	})
}

// typed returns what the form holds, and of fields that cannot be typed what they held when it
// was made.
func (e *Edit) typed() url.Values {
	values := e.typable()
	for name, texts := range e.was {
		if _, _, known := findField(name); known && !e.Types(name) {
			values[name] = texts
		}
	}
	return values
}

// changed returns the fields that were changed in the form, converted. Lists are whole.
func (e *Edit) changed() url.Values {
	before, now := e.order(e.was), e.order(e.typed())
	changed := url.Values{}
	for name := range now {
		if e.Types(name) && !strings.Contains(name, "[") && now.Get(name) != before.Get(name) {
			changed.Set(name, now.Get(name))
		}
	}
	for _, money := range []string{"cod", "insurance"} {
		amount, currency := money+".amount_cents", money+".currency"
		switch {
		case !e.Editable(money):
		case !now.Has(amount) && before.Has(amount):
			changed.Set(amount, "0") // none
			changed.Set(currency, before.Get(currency))
		case changed.Has(amount) || changed.Has(currency):
			changed.Set(amount, now.Get(amount))
			changed.Set(currency, now.Get(currency))
		}
	}
	for _, list := range []string{"parcels", "items"} {
		rows := rowsOf(now, list)
		if !e.Editable(list) || sameRows(list, rows, rowsOf(before, list)) {
			continue
		}
		changed.Set(list+"[]", "")
		for name, texts := range rows {
			changed[name] = texts
		}
	}
	return changed
}

// rowsOf returns the fields of the rows of a list that are not empty.
func rowsOf(values url.Values, list string) url.Values {
	rows := url.Values{}
	for name, texts := range values {
		if strings.HasPrefix(name, list+"[") && texts[0] != "" {
			rows[name] = texts
		}
	}
	return rows
}

// sameRows reports whether two lists hold the same. The order of products means nothing: it is
// that of the page.
func sameRows(list string, a, b url.Values) bool {
	texts := func(rows url.Values) (all []string) {
		for _, i := range form.Rows(rows, list) {
			row := url.Values{}
			for name, texts := range rows {
				if at, rest, ok := rowOf(name, list); ok && at == i {
					row[rest] = texts
				}
			}
			all = append(all, row.Encode())
		}
		if list == "items" {
			slices.Sort(all)
		}
		return all
	}
	return slices.Equal(texts(a), texts(b))
}

// edit returns the edit that the form asks for.
func (e *Edit) edit() order.Edit {
	changed := e.changed()
	read := order.ReadEdit
	if e.Service() {
		read = order.ReadServiceEdit
		changed.Set(reasonField, strings.TrimSpace(e.Value(reasonField)))
	}
	edit, _ := form.Decode(form.FromChanges(changed, nil), read) // keeps its faults
	edit.Version = e.Sent.Version
	return edit
}

// Try finds out what the edit would do. The error is one that the page cannot show. The reason
// is asked for last: without one the preview is shown, too.
func (e *Edit) Try() error {
	e.Preview, e.Faults, e.Notice, e.Sent.Faults = nil, nil, "", nil
	preview, err := e.preview()
	if refusal.HasCode(err, refusal.CodeConflict) || refusal.HasCode(err, delivery.CodeOrderNotEditable) {
		if err := e.rebase(); err != nil {
			return err
		}
		preview, err = e.preview()
	}
	if err != nil {
		return e.refuse(err)
	}
	e.Preview, e.agreed = &preview, termsOf(preview.After)
	return nil
}

func (e *Edit) preview() (order.EditPreview, error) {
	edit := e.edit()
	edit.Faults = form.Faults{}
	return e.orders.PreviewEdit(e.Sheet.Context(), e.Sheet.Account, e.Order.OrderID, edit)
}

// Save makes the edit, if the page has shown what it does to price and estimate. It reports
// false, with the status of the answer, if the page has to be shown again. The error is one that
// it cannot show.
func (e *Edit) Save(request *idempotency.Request) (saved bool, status int, err error) {
	agreed := e.agreed
	if err := e.Try(); err != nil {
		return false, 0, err
	}
	switch {
	case e.Meanwhile != nil:
		return false, http.StatusConflict, nil
	case e.Preview == nil:
		return false, http.StatusUnprocessableEntity, nil
	case agreed != e.agreed:
		e.Notice = e.Sheet.Text("edit.terms")
		return false, http.StatusConflict, nil
	}
	_, err = e.orders.Edit(e.Sheet.Context(), request, e.Order.OrderID, e.edit())
	if err == nil {
		return true, 0, nil
	}
	return false, http.StatusUnprocessableEntity, e.refuse(err)
}

// refuse shows why the edit was refused: at the fields, or else as a notice. It returns an error
// that the page cannot show.
func (e *Edit) refuse(err error) error {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return err
	}
	if problems := form.ProblemsOf(err); problems != nil {
		e.blame(e.FaultsOf(problems))
		return nil
	}
	switch refused.Code {
	case delivery.CodeInsufficientStock:
		e.blame(e.Shortages(refused))
	case refusal.CodeConflict, delivery.CodeOrderNotEditable: // since the preview
		return e.Try()
	default:
		e.Notice = e.Sheet.Text("edit.refused", "why", e.Sheet.Language.Refusal(refused.Code))
	}
	return nil
}

func (e *Edit) blame(faults []Fault) {
	e.Faults = faults
	for _, fault := range faults {
		e.Sent.Faults = append(e.Sent.Faults, page.Fault{Field: fault.Field, Text: fault.Text})
	}
}

// rebase makes the form anew from the order as it is now, keeps what was typed as far as that can
// still be edited, and says what has happened meanwhile.
func (e *Edit) rebase() error {
	seen, typed := e.Sent.Version, e.changedTexts()
	found, err := e.orders.Track(e.Sheet.Context(), e.Order.OrderID)
	if err != nil {
		return err
	}
	reason := e.Value(reasonField)
	fresh, err := NewEdit(e.Form, e.Sent, found, e.By, e.orders)
	if err != nil {
		return err
	}
	fresh.Sent.Sent, fresh.Who = true, e.Who
	for _, list := range []string{"parcels", "items"} {
		if len(form.Rows(typed, list)) > 0 {
			fresh.replace(list, typed)
		}
	}
	for name, texts := range typed {
		if fresh.Types(name) {
			fresh.Sent.Values[name] = texts
		}
	}
	fresh.Set(reasonField, reason)
	fresh.Products = nil
	if err := fresh.Arrange(); err != nil {
		return err
	}
	fresh.Meanwhile = fresh.happened(seen)
	if slices.Sort(e.lost); len(e.lost) > 0 {
		fresh.Meanwhile = append(fresh.Meanwhile, e.Sheet.Text("edit.late", "fields", strings.Join(e.lost, ", "),
			"status", e.Sheet.Text("status."+string(found.Status))))
	}
	*e = *fresh
	return nil
}

// changedTexts returns what was typed into the fields that were changed.
func (e *Edit) changedTexts() url.Values {
	texts := url.Values{}
	for name := range e.changed() {
		if list, _, isRow := strings.Cut(name, "["); isRow {
			for field, typed := range e.Sent.Values {
				if strings.HasPrefix(field, list+"[") {
					texts[field] = typed
				}
			}
			continue
		}
		texts[name] = e.Sent.Values[name]
	}
	return texts
}

// happened says what has happened to the order since a version.
func (e *Edit) happened(version int64) []string {
	l, now, texts := e.Sheet.Language, e.Sheet.Site.Now(), []string{}
	for _, edit := range e.Order.Course.Edits {
		if edit.Version > version {
			texts = append(texts, l.Text("edit.meanwhile", "who", e.Who(edit), "when", l.Moment(edit.At, now), "fields",
				l.OrderFields(edit.Fields)))
		}
	}
	for _, entry := range e.Order.History {
		if entry.Version > version {
			texts = append(texts, l.Text("edit.moved", "status", l.Text("status."+string(entry.Status)), "when",
				l.Moment(entry.At, now)))
		}
	}
	return texts
}

// Changes names what the edit would change.
func (e *Edit) Changes() string {
	if e.Preview == nil {
		return ""
	}
	return e.Sheet.Language.OrderFields(e.Preview.Fields())
}

// RateChange is what the edit would add to the price, with its sign; empty if it stays.
func (e *Edit) RateChange() string {
	switch change := e.Preview.After.RateCents - e.Preview.Before.RateCents; {
	case change == 0:
		return ""
	case change > 0:
		return "+" + e.Money(change, e.Preview.After.Currency)
	default:
		return "−" + e.Money(-change, e.Preview.After.Currency)
	}
}

// Later reports whether the edit would change the estimate.
func (e *Edit) Later() bool {
	return !e.Preview.After.EstimatedDelivery.Equal(e.Preview.Before.EstimatedDelivery)
}

// Warned are the warnings about the order as the edit would leave it.
func (e *Edit) Warned() []string { return e.WarningTexts(e.Preview.After.Warnings) }

// Act does what a button of the form says that changes nothing.
func (e *Edit) Act(act string) error {
	name, position, _ := strings.Cut(act, ":")
	switch {
	case name == codeAct:
		return e.addByCode() // if the items can be edited
	case !e.Editable("parcels"):
	case name == "add":
		e.AddParcel()
	case name == "remove":
		e.RemoveParcel(position)
	}
	return nil
}
