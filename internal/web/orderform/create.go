package orderform

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
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/web/page"
)

// New is the form for a new order, and what its page shows.
type New struct {
	Form
	Notice string // why the order was not created, if no field is to blame
	// Faults are what is wrong with the fields of the whole form, and Missing what keeps
	// it from having a price.
	Faults, Missing []Fault
	Quote           *pricing.Quote // nil without a price
	Orders          *order.Service
	Now             time.Time
	// Create creates the order under the key of the form, with which the same form never creates a second
	// order. It adds the scope of the key.
	Create func(key idempotency.Key, content []byte, wanted order.Wanted) (order.Answer, error)
}

// The fields of the form that are not part of the request.
const (
	priceField = "_price" // the price that was shown, in cents
)

// Open fills in a fresh form. Parameters of the address fill in its fields: from is the id
// of an order to copy, parcels the number of parcels, and any other is the name of a
// field. With check=yes the page says what is wrong.
func (o *New) Open(query url.Values) error {
	if err := o.fill(query.Get("from")); err != nil {
		return err
	}
	o.Keep(query)
	if err := o.Arrange(); err != nil {
		return err
	}
	o.AddParcels(query.Get("parcels"))
	if query.Get("from") == "" && o.Value("pickup.time_window.start")+o.Value("dropoff.time_window.start") == "" {
		if _, err := o.proposeWindows(); err != nil {
			return err
		}
	}
	if err := o.price(); err != nil {
		return err
	}
	if query.Get("check") != "" {
		o.Refuse(o.validate())
	}
	return nil
}

// Read reads what was typed.
func (o *New) Read(sent *page.Form) error {
	o.Keep(sent.Values)
	for _, own := range append([]string{priceField, SearchField, proposedField}, OwnFields...) {
		o.Sent.Values.Set(own, sent.Values.Get(own))
	}
	return o.Arrange()
}

// Price does what the button says with which the form was sent, and prices the order.
func (o *New) Price(posted url.Values) (err error) {
	act, part, _ := strings.Cut(posted.Get(ActField), ":")
	fault := ""
	switch act {
	case "add":
		o.AddParcel()
	case "remove":
		o.RemoveParcel(part)
	case codeAct:
		err = o.addByCode()
	case windowAct:
		fault, err = o.proposeWindows()
	case FillAct, PresetAct:
		o.FillSaved(act, part, posted)
	}
	if err == nil && act != windowAct {
		err = o.followWindows()
	}
	if err == nil {
		err = o.price()
	}
	if fault != "" {
		text := o.Sheet.Text(fault) // at both ends: each has the button
		o.WindowFaults = map[string]string{"pickup": text, "dropoff": text}
	}
	return err
}

// Warnings are about what is allowed, but probably not meant.
func (o *New) Warnings() []string {
	if o.Quote == nil {
		return nil
	}
	return o.WarningTexts(o.Quote.Warnings)
}

// Save creates the order, and returns its id. The price is the one of the quote that
// the page has shown; ErrPrice means that it would be another one.
func (o *New) Save(key [16]byte) (orderID string, err error) {
	if err := o.passedWindows().Err(); err != nil {
		return "", err
	}
	if o.Sent.Values.Get("quote_id") == "" {
		if err := o.priceAgain(); err != nil {
			return "", err
		}
	}
	orderID, err = o.send(key)
	if problems := form.ProblemsOf(err); len(problems) == 1 && problems[0].Field == "quote_id" {
		if err := o.priceAgain(); err != nil {
			return "", err
		}
		return o.send(key)
	}
	return orderID, err
}

// ErrPrice means that the order has another price than the one that was shown.
var ErrPrice = errors.New("the price is not the one that was shown")

// Refused shows why Save has not created the order, and returns the status of the page. It returns err if the
// page cannot show it.
func (o *New) Refused(err error) (status int, _ error) {
	if errors.Is(err, ErrPrice) {
		return http.StatusConflict, nil
	}
	if !o.Refuse(err) {
		return 0, err
	}
	return http.StatusUnprocessableEntity, o.price()
}

// priceAgain prices the order, and returns ErrPrice unless the page has shown that price.
func (o *New) priceAgain() error {
	shown := o.Sent.Values.Get(priceField)
	if err := o.price(); err != nil {
		return err
	}
	switch now := o.Sent.Values.Get(priceField); {
	case o.Quote == nil:
		o.Missing = nil
		return o.validate()
	case shown == "":
		o.Notice = o.Sheet.Text("neworder.price.first", "price", o.Sheet.Language.Dollars(o.Quote.RateCents))
	case shown != now:
		o.Notice = o.Sheet.Text("neworder.price.changed", "price", o.Sheet.Language.Dollars(o.Quote.RateCents))
	default:
		return nil
	}
	return ErrPrice
}

// send creates the order.
func (o *New) send(key [16]byte) (orderID string, err error) {
	typed, wanted := o.read()
	answer, err := o.Create(idempotency.Key{PartnerID: o.PartnerID, UUID: key}, []byte(typed.Encode()), wanted)
	return record.OrderID(answer.Record), err
}

// read reads the order that was typed.
func (o *New) read() (typed url.Values, wanted order.Wanted) {
	typed = o.Typed()
	wanted, _ = form.Decode(form.FromValues(typed, nil), order.ReadWanted) // keeps its faults
	return typed, wanted
}

// validate returns what creating the order would be refused for; nil if it would not. Then the
// page has all warnings: those of a quote leave out the fields that do not change the price.
func (o *New) validate() error {
	_, wanted := o.read()
	dry, err := o.Orders.Validate(o.Sheet.Context(), o.PartnerID, wanted)
	if err == nil && o.Quote != nil {
		o.Quote.Warnings = dry.Warnings
	}
	return err
}

// price quotes what was typed, if that is enough for a price, and puts the quote into
// the form.
func (o *New) price() error {
	o.Quote, o.Missing, o.WindowFaults = nil, nil, nil
	o.Sent.Values.Del("quote_id")
	o.Sent.Values.Del(priceField)
	typed := o.TypedForPrice()
	shipment, err := form.Decode(form.FromValues(typed, nil), delivery.ReadPriced)
	var quote pricing.Quote
	if err == nil {
		quote, err = o.Orders.Quote(o.Sheet.Context(), o.PartnerID, shipment)
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
	o.Sent.Values.Set(priceField, Decimal(quote.RateCents))
	return o.foresee()
}

// foresee adds what creation would be refused for although all fields are filled in: a
// reference that is taken, or products that are not there. Fields that are still empty
// are not wrong yet.
func (o *New) foresee() error {
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

// Refuse shows why the order was not created: at the fields, or else as a notice. It
// reports whether err is a refusal that the page can show.
func (o *New) Refuse(err error) bool {
	faults, ok := o.faultsOfRefusal(err)
	if !ok {
		return false
	}
	o.Faults = faults
	for _, fault := range faults {
		o.Sent.Faults = append(o.Sent.Faults, page.Fault{Field: fault.Field, Text: fault.Text})
	}
	return true
}

// faultsOfRefusal returns the fields that are to blame for a refusal. If there are none,
// the notice says what is. It is false for other errors.
func (o *New) faultsOfRefusal(err error) (faults []Fault, ok bool) {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return nil, false
	}
	if problems := form.ProblemsOf(err); problems != nil {
		return o.FaultsOf(problems), true
	}
	switch refused.Code {
	case delivery.CodeInsufficientStock:
		return o.Shortages(refused), true
	case refusal.CodeConflict:
		return []Fault{o.Fault("partner_order_id", o.Words("neworder.fault.taken"))}, true
	case delivery.CodeQuotaExceeded:
		o.Notice = o.Words("neworder.quota")
	case refusal.CodeIdempotencyInProgress, refusal.CodeIdempotencyKeyReused:
		return nil, false // the page of the refusal says it
	default:
		o.Notice = o.Sheet.Text("neworder.refused", "why", o.Sheet.Language.Refusal(refused.Code))
	}
	return nil, true
}
