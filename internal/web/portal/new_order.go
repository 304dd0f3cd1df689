package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	newOrderPath = "/portal/orders/new"
	pricePath    = newOrderPath + "/quote"
)

func (pages *Pages) newOrderRoutes() []web.Route {
	price := pages.post("/orders/new/quote", partner.PermissionOrders, (*Pages).priceOrder)
	price.ChangesNothing = true
	return []web.Route{
		pages.get("/orders/new", partner.PermissionOrders, (*Pages).newOrder),
		pages.post("/orders/new", partner.PermissionOrders, (*Pages).createOrder),
		price,
		// For links on a page that was the answer to a form.
		pages.get("/orders/new/quote", partner.PermissionOrders, func(_ *Pages, s *sheet) (int, []byte, error) {
			return s.LeadTo(s.Link(newOrderPath), page.Flash{})
		}),
	}
}

// orderForm is the form for a new order, and what its page shows.
type orderForm struct {
	*sheet
	orderform.Form
	Notice string // why the order was not created, if no field is to blame
	// Faults are what is wrong with the fields of the whole form, and Missing what keeps
	// it from having a price.
	Faults, Missing []orderform.Fault
	Quote           *pricing.Quote // nil without a price
	now             time.Time
	key             [16]byte
}

// The fields of the form that are not part of the request.
const (
	priceField = "_price" // the price that was shown, in cents
)

// newOrder shows the form. Parameters of the address fill in its fields: from is the id
// of an order to copy, parcels the number of parcels, and any other is the name of a
// field. With check=yes the page says what is wrong.
func (pages *Pages) newOrder(s *sheet) (int, []byte, error) {
	made, err := s.form(newOrderPath)
	if err != nil {
		return 0, nil, err
	}
	o, err := pages.orderForm(s, made)
	if err != nil {
		return 0, nil, err
	}
	query := s.Request.URL.Query()
	if err := o.fill(query.Get("from")); err != nil {
		return 0, nil, err
	}
	o.Keep(query)
	if err := o.Arrange(); err != nil {
		return 0, nil, err
	}
	o.AddParcels(query.Get("parcels"))
	if query.Get("from") == "" && o.Value("pickup.time_window.start")+o.Value("dropoff.time_window.start") == "" {
		if err := o.proposeWindows(); err != nil {
			return 0, nil, err
		}
	}
	if err := o.price(); err != nil {
		return 0, nil, err
	}
	if query.Get("check") != "" {
		o.refuse(o.validate())
	}
	return o.show(http.StatusOK)
}

// priceOrder shows the form again with its price, after what a button says was done.
func (pages *Pages) priceOrder(s *sheet) (int, []byte, error) {
	o, err := pages.readOrderForm(s)
	if err != nil {
		return 0, nil, err
	}
	act, position, _ := strings.Cut(s.Request.PostForm.Get(orderform.ActField), ":")
	switch act {
	case "add":
		o.AddParcel()
	case "remove":
		o.RemoveParcel(position)
	case windowAct:
		err = o.proposeWindows()
	case orderform.FillAct, orderform.PresetAct:
		o.FillSaved(act, position, s.Request.PostForm)
	}
	if err == nil {
		err = o.price()
	}
	if err != nil {
		return 0, nil, err
	}
	return o.show(http.StatusOK)
}

// createOrder creates the order, if its price is the one that the page has shown.
func (pages *Pages) createOrder(s *sheet) (int, []byte, error) {
	o, err := pages.readOrderForm(s)
	if err != nil {
		return 0, nil, err
	}
	orderID, err := o.create()
	if err == nil {
		err = o.keepEnds()
	}
	if err == nil {
		return s.LeadTo(s.Link("/portal/orders/"+orderID),
			page.Flash{Key: "neworder.created", Arguments: []string{"order", o.Sent.Values.Get("partner_order_id")}})
	}
	changed := errors.Is(err, errPrice)
	if !changed && !o.refuse(err) {
		return 0, nil, err
	}
	status := http.StatusUnprocessableEntity
	if changed {
		status = http.StatusConflict
	} else if err := o.price(); err != nil {
		return 0, nil, err
	}
	return o.show(status)
}

func (o *orderForm) show(status int) (int, []byte, error) {
	return o.sheet.show(leaf{
		template: "portal-new-order", title: o.Text("portal.new"), data: o, status: status,
		scripts: []string{"order-form.js"},
		back:    &page.Link{Text: o.Text("portal.orders"), Path: o.Link("/portal/orders")},
	})
}

func (pages *Pages) orderForm(s *sheet, made *page.Form) (*orderForm, error) {
	kept, err := pages.savedForForms(s)
	return &orderForm{sheet: s, Form: orderform.Form{
		Sheet: s.Sheet, Sent: made, ActPath: s.Link(pricePath), PartnerID: s.Account, Clock: pages.config.Calendar.ClockAt,
		Stock: pages.config.Stock, Offers: s.May(partner.PermissionStockRead),
		OwnEmail: s.Member.Partner.Email,
		Saved:    kept,
	}, now: pages.config.Site.Now()}, err
}

// keepEnds saves the ends of the order that are to be saved. That there is no room for more is no fault of the order.
func (o *orderForm) keepEnds() error {
	for _, wanted := range o.KeptEnds() {
		err := o.pages.config.Saved.Save(o.Context(), o.Account, wanted, "")
		if err != nil && !errors.As(err, new(*refusal.Error)) {
			return err
		}
	}
	return nil
}

// Warnings are about what is allowed, but probably not meant.
func (o *orderForm) Warnings() []string {
	if o.Quote == nil {
		return nil
	}
	return o.WarningTexts(o.Quote.Warnings)
}

// readOrderForm reads what was typed.
func (pages *Pages) readOrderForm(s *sheet) (*orderForm, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return nil, err
	}
	values := sent.Values
	o, err := pages.orderForm(s, &page.Form{Action: s.Link(newOrderPath), Key: sent.Key, Values: url.Values{}})
	if err != nil {
		return nil, err
	}
	if o.key, err = s.Key(); err != nil {
		return nil, err
	}
	o.Keep(values)
	for _, own := range append([]string{priceField, orderform.SearchField}, orderform.OwnFields...) {
		o.Sent.Values.Set(own, values.Get(own))
	}
	return o, o.Arrange()
}

// create creates the order, and returns its id. The price is the one of the quote that
// the page has shown; errPrice means that it would be another one.
func (o *orderForm) create() (orderID string, err error) {
	if err := o.passedWindows().Err(); err != nil {
		return "", err
	}
	if o.Sent.Values.Get("quote_id") == "" {
		if err := o.priceAgain(); err != nil {
			return "", err
		}
	}
	orderID, err = o.send()
	if problems := form.ProblemsOf(err); len(problems) == 1 && problems[0].Field == "quote_id" {
		if err := o.priceAgain(); err != nil {
			return "", err
		}
		return o.send()
	}
	return orderID, err
}

// errPrice means that the order has another price than the one that was shown.
var errPrice = errors.New("the price is not the one that was shown")

// priceAgain prices the order, and returns errPrice unless the page has shown that price.
func (o *orderForm) priceAgain() error {
	shown := o.Sent.Values.Get(priceField)
	if err := o.price(); err != nil {
		return err
	}
	switch now := o.Sent.Values.Get(priceField); {
	case o.Quote == nil:
		o.Missing = nil
		return o.validate()
	case shown == "":
		o.Notice = o.Text("neworder.price.first", "price", o.Language.Dollars(o.Quote.RateCents))
	case shown != now:
		o.Notice = o.Text("neworder.price.changed", "price", o.Language.Dollars(o.Quote.RateCents))
	default:
		return nil
	}
	return errPrice
}

// send creates the order under the key of the form, so that the same form never creates
// a second one.
func (o *orderForm) send() (orderID string, err error) {
	typed, wanted := o.read()
	key := idempotency.Key{PartnerID: o.Account, Scope: "POST /v1/orders", UUID: o.key}
	request := idempotency.NewRequest(key, []byte(typed.Encode()))
	answer, err := o.pages.config.Orders.Create(o.Context(), request, wanted)
	return record.OrderID(answer.Record), err
}

// read reads the order that was typed.
func (o *orderForm) read() (typed url.Values, wanted order.Wanted) {
	typed = o.Typed()
	wanted, _ = form.Decode(form.FromValues(typed, nil), order.ReadWanted) // keeps its faults
	return typed, wanted
}

// validate returns what creating the order would be refused for; nil if it would not. Then the
// page has all warnings: those of a quote leave out the fields that do not change the price.
func (o *orderForm) validate() error {
	_, wanted := o.read()
	dry, err := o.pages.config.Orders.Validate(o.Context(), o.Account, wanted)
	if err == nil && o.Quote != nil {
		o.Quote.Warnings = dry.Warnings
	}
	return err
}

// price quotes what was typed, if that is enough for a price, and puts the quote into
// the form.
func (o *orderForm) price() error {
	o.Quote, o.Missing, o.WindowFaults = nil, nil, nil
	o.Sent.Values.Del("quote_id")
	o.Sent.Values.Del(priceField)
	typed := o.TypedForPrice()
	shipment, err := form.Decode(form.FromValues(typed, nil), delivery.ReadQuoteRequest)
	var quote pricing.Quote
	if err == nil {
		quote, err = o.pages.config.Orders.Quote(o.Context(), o.Account, shipment)
	}
	problems := form.ProblemsOf(err)
	if err == nil {
		problems = o.passedWindows()
	}
	if problems != nil {
		o.Missing = o.MissingOf(problems)
		o.blameWindows(o.Missing)
		return nil
	}
	if err != nil {
		return err
	}
	o.Quote = &quote
	o.Sent.Values.Set("quote_id", quote.QuoteID)
	o.Sent.Values.Set(priceField, orderform.Decimal(quote.RateCents))
	return o.foresee()
}

// foresee adds what creation would be refused for although all fields are filled in: a
// reference that is taken, or products that are not there. Fields that are still empty
// are not wrong yet.
func (o *orderForm) foresee() error {
	err := o.validate()
	switch {
	case refusal.HasCode(err, refusal.CodeConflict) || refusal.HasCode(err, delivery.CodeInsufficientStock):
		o.Missing, _ = o.faultsOfRefusal(err)
		return nil
	case errors.As(err, new(*refusal.Error)):
		return nil
	}
	return err
}
