package console

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// once returns the request of a form as one that is carried out once under the key of the
// form, for what the form has. encode writes what is kept of the result.
func once[R any](r *storeroom, sent *page.Form, content string, encode func(R) ([]byte, error)) stock.Request[R] {
	scope := r.Request.Method + " " + r.Request.URL.Path + " " + r.Operator.OperatorID
	key := idempotency.Key{PartnerID: r.PartnerID, Scope: scope}
	_, _ = hex.Decode(key.UUID[:], []byte(sent.Key)) // page.ReadForm has checked it
	return stock.Request[R]{PartnerID: r.PartnerID, Keyed: new(idempotency.NewRequest(key,
		[]byte(content))), Encode: encode}
}

// bookings are the kinds of movements that the warehouse books, with the phrase of each.
var bookings = []struct {
	kind delivery.MovementType
	key  string
}{
	{delivery.MovementIn, "warehouse.receive"}, {delivery.MovementTransfer, "warehouse.transfer"},
	{delivery.MovementOut, "warehouse.withdraw"}, {delivery.MovementAdjustment, "warehouse.correct"},
}

// bookView is what the form that books goods shows.
type bookView struct {
	*storeroom
	Kind      delivery.MovementType
	Hint      string // what this kind of movement does
	Verb      string // of the button
	Chips     []page.Link
	Form      *page.Form
	Fields    []page.Field
	Lines     []receiptLine // of a receipt; none of other movements
	Locations []string
	// NewLocation is a location that was typed and where nothing has been yet, and NewIn the field with it. The form
	// asks whether it is meant, because a mistyped name would begin a location. Both are empty if it does not ask.
	NewLocation, NewIn string
	// Found are the products that fit what was typed, if it is not clear which is meant.
	Found []delivery.Product
}

// bookView returns the form for the kind of movement that the address names, or for
// receiving goods.
func (r *storeroom) bookView() (*bookView, error) {
	v := &bookView{storeroom: r, Kind: delivery.MovementIn}
	for _, one := range bookings {
		if r.parameter("type") == string(one.kind) {
			v.Kind = one.kind
		}
	}
	for _, one := range bookings {
		link := r.Link(r.Path("/book"), "type", string(one.kind), "location", r.parameter("location"), "product",
			r.parameter("product"))
		v.Chips = append(v.Chips, page.Link{Text: r.Text(one.key), Path: link, Current: one.kind == v.Kind})
		if one.kind == v.Kind {
			v.Verb = r.Text(one.key)
		}
	}
	v.Hint = map[delivery.MovementType]string{
		delivery.MovementIn: r.Text("warehouse.receive.hint"), delivery.MovementTransfer: r.Text("warehouse.transfer.hint"),
		delivery.MovementOut:        r.Text("warehouse.withdraw.hint"),
		delivery.MovementAdjustment: r.Text("warehouse.correct.hint"),
	}[v.Kind]
	var err error
	v.Locations, err = r.locations()
	return v, err
}

// show shows the form with its fields.
func (v *bookView) show(status int) (int, []byte, error) {
	field := func(name, label, mode string, required bool) {
		v.Fields = append(v.Fields, v.Form.With(page.Field{
			Name: name, Type: "text", Label: v.Text(label), InputMode: mode, Autocomplete: "off", Required: required,
		}))
	}
	var scripts []string
	if v.Kind == delivery.MovementIn {
		scripts = []string{"receipt.js", "scan.js"}
		if err := v.addLines(); err != nil {
			return 0, nil, err
		}
	} else {
		field("product", "warehouse.code", "", true)
		field("quantity", "warehouse.quantity", "numeric", true)
	}
	field("location",
		map[bool]string{true: "warehouse.from", false: "movements.location"}[v.Kind == delivery.MovementTransfer], "", true)
	if v.Kind == delivery.MovementTransfer {
		field("to_location", "warehouse.to", "", true)
	}
	correction := v.Kind == delivery.MovementAdjustment
	field("notes", map[bool]string{true: "warehouse.reason", false: "movements.notes"}[correction], "", correction)
	return v.storeroom.show(leaf{
		template: "stock-book", title: v.Text("warehouse.book"), data: v, status: status, scripts: scripts,
	})
}

func (pages *Pages) bookForm(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	v, err := of.bookView()
	if err != nil {
		return 0, nil, err
	}
	if v.Form, err = s.form(of.Link(of.Path("/book"), "type", string(v.Kind)), 0); err != nil {
		return 0, nil, err
	}
	for _, name := range []string{"product", "location", "to_location"} {
		v.Form.Values.Set(name, s.parameter(name))
	}
	return v.show(http.StatusOK)
}

// book books a movement or the lines of a receipt, and shows the form again for the next one.
func (pages *Pages) book(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	v, err := of.bookView()
	if err != nil {
		return 0, nil, err
	}
	if v.Form, err = page.ReadForm(s.PageRequest); err != nil {
		return 0, nil, err
	}
	if v.Kind == delivery.MovementIn {
		return v.receive()
	}
	product, err := v.product()
	if err != nil {
		return 0, nil, err
	}
	v.askForLocation()
	if len(v.Form.Faults) > 0 {
		return v.show(http.StatusUnprocessableEntity)
	}
	value := func(name string) string { return strings.TrimSpace(v.Form.Values.Get(name)) }
	v.Form.Values.Set("type", string(v.Kind))
	v.Form.Values.Set("product_id", strconv.FormatInt(product, 10))
	request := once(of, v.Form, v.Form.Values.Encode(), func(booked []delivery.Movement) ([]byte, error) {
		return strictjson.Marshal(booked)
	})
	booking, _ := form.Decode(v.Form.Typed(typedNumbers), stock.ReadBooking) // keeps its faults
	if _, err := pages.config.Stock.RecordOnce(s.Context(), request, booking); err != nil {
		return v.refuse(err)
	}
	message, err := v.booked(s.Context(), product)
	if err != nil {
		return 0, nil, err
	}
	next := of.Link(of.Path("/book"), "type", string(v.Kind), "location", value("location"), "to_location",
		value("to_location"))
	return s.LeadTo(next, message)
}

// locations returns where the partner's goods lie or have lain, and the locations that have an address, sorted.
func (r *storeroom) locations() ([]string, error) {
	locations, err := r.pages.config.Stock.Locations(r.Context(), r.PartnerID)
	if err != nil {
		return nil, err
	}
	addressed, err := r.pages.config.Operators.Locations(r.Context())
	for _, location := range addressed {
		locations = append(locations, location.Code)
	}
	slices.Sort(locations)
	return slices.Compact(locations), err
}

// agreedField is the field with the new location that the reader has confirmed.
const agreedField = "new_location"

// askForLocation adds a fault to the form if it brings goods to a location where nothing has been, and the reader has
// not confirmed that location yet. The first location of all needs no confirmation.
func (v *bookView) askForLocation() {
	field := map[delivery.MovementType]string{
		delivery.MovementIn: "location", delivery.MovementAdjustment: "location", delivery.MovementTransfer: "to_location",
	}[v.Kind]
	at := strings.TrimSpace(v.Form.Values.Get(field))
	if at == "" || !form.IsText(at) || len(v.Locations) == 0 || slices.Contains(v.Locations, at) ||
		v.Form.Values.Get(agreedField) == at {
		return
	}
	v.NewLocation, v.NewIn = at, field
	text := v.Text("warehouse.location.unknown", "location", at)
	if i := slices.IndexFunc(v.Locations, func(known string) bool { return sameLetters(known, at) }); i >= 0 {
		text = v.Text("warehouse.location.close", "location", at, "known", v.Locations[i])
	}
	v.Form.Faults = append(v.Form.Faults, page.Fault{Field: field, Text: text})
}

// sameLetters reports whether two names of locations differ only in case, spaces and punctuation.
func sameLetters(a, b string) bool {
	letters := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}
	return strings.Map(letters, a) == strings.Map(letters, b)
}

// product returns the id of the product that is meant: the one with the barcode or number
// that was typed, or the only one with the text in its name. It adds a fault to the form
// and returns 0 if there is none, or more than one.
func (v *bookView) product() (productID int64, err error) {
	code := strings.TrimSpace(v.Form.Values.Get("product"))
	fault := func(key string) {
		v.Form.Faults = append(v.Form.Faults, page.Fault{Field: "product", Text: v.Text(key)})
	}
	if code == "" || !form.IsText(code) {
		fault("fault.required")
		return 0, nil
	}
	named, err := v.pages.config.Stock.Find(v.Context(), v.PartnerID, code)
	if err != nil {
		return 0, err
	}
	for _, product := range named[code] {
		v.Found = append(v.Found, product.Product)
	}
	if len(v.Found) == 0 {
		const shown = 20
		filter := stock.ProductFilter{PartnerID: v.PartnerID, Search: code, Limit: shown}
		if v.Found, _, err = v.pages.config.Stock.Products(v.Context(), filter); err != nil {
			return 0, err
		}
	}
	switch len(v.Found) {
	case 0:
		fault("warehouse.code.unknown")
		return 0, nil
	case 1:
		return v.Found[0].ProductID, nil
	}
	fault("warehouse.code.several")
	return 0, nil
}

// Choose returns the address of the form for one of the products that were found.
func (v *bookView) Choose(p delivery.Product) string {
	return v.Link(v.Path("/book"), "type", string(v.Kind), "location", v.Form.Values.Get("location"), "to_location",
		v.Form.Values.Get("to_location"), "product", strconv.FormatInt(p.ProductID, 10))
}

// refuse shows the form with what is wrong with it.
func (v *bookView) refuse(refused error) (int, []byte, error) {
	if short := delivery.ShortagesOf(refused); len(short) > 0 {
		text := v.Text("warehouse.short", "n", v.Language.Number(int(short[0].Available)))
		v.Form.Faults = append(v.Form.Faults, page.Fault{Field: "quantity", Text: text})
	} else if !v.Form.Refuse(refused, v.Language) {
		return 0, nil, refused
	}
	return v.show(http.StatusUnprocessableEntity)
}

// booked returns the message that says what was booked, and where the product lies now.
func (v *bookView) booked(ctx context.Context, productID int64) (page.Flash, error) {
	product, levels, err := v.pages.config.Stock.Product(ctx, v.PartnerID, productID)
	if err != nil {
		return page.Flash{}, err
	}
	var now []string
	for _, level := range levels {
		if slices.Contains([]string{
			strings.TrimSpace(v.Form.Values.Get("location")), strings.TrimSpace(v.Form.Values.Get("to_location")),
		}, level.Location) {
			now = append(now, v.Text("warehouse.booked.level",
				"location", level.Location, "quantity", v.Language.Number(int(level.Quantity))))
		}
	}
	return page.Flash{Key: "warehouse.booked", Arguments: []string{
		"what", v.Text("movement." + string(v.Kind)), "quantity", v.Form.Values.Get("quantity"), "name", product.Name,
		"levels", cmp.Or(strings.Join(now, ", "), "0"), "total", v.Language.Number(int(product.Quantity)),
	}}, nil
}
