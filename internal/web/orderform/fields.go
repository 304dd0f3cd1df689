package orderform

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/web/page"
)

// kind is how a field of the order form is typed, and what it becomes.
type kind byte

const (
	asText   kind = iota
	asPhone       // a phone number; that of a Canadian one may lack the country code
	asNumber      // with a point or a comma
	asCents       // an amount in dollars
	asFlag        // a checkbox
	asTime        // a time of the clocks at one end of the delivery
)

// orderField is a field of the order form.
type orderField struct {
	name     string // in its object
	label    string // the key of its phrase
	kind     kind
	optional bool
	unpriced bool // it does not change the price
}

// The fields of the order form, by the objects of the request that they belong to.
var (
	orderFields = []orderField{
		{name: "partner_order_id", label: "neworder.partner_order_id", unpriced: true},
		{name: "service_level", label: "neworder.level"},
		{name: "reference", label: "neworder.reference", optional: true, unpriced: true},
		{name: "instructions", label: "neworder.instructions", optional: true, unpriced: true},
		{name: "quote_id", label: "neworder.price", optional: true, unpriced: true},
	}
	personFields = []orderField{
		{name: "name", label: "neworder.name", unpriced: true},
		{name: "phone", label: "neworder.phone", kind: asPhone, unpriced: true},
		{name: "email", label: "neworder.email", unpriced: true},
	}
	addressFields = []orderField{
		{name: "line1", label: "neworder.line1", unpriced: true},
		{name: "line2", label: "neworder.line2", optional: true, unpriced: true},
		{name: "city", label: "neworder.city"},
		{name: "province", label: "neworder.province"},
		{name: "postal_code", label: "neworder.postal_code"},
		{name: "notes", label: "neworder.notes", optional: true, unpriced: true},
	}
	windowFields = []orderField{
		{name: "start", label: "neworder.start", kind: asTime},
		{name: "end", label: "neworder.end", kind: asTime},
	}
	parcelFields = []orderField{
		{name: "parcel_id", label: "neworder.parcel_id", unpriced: true},
		{name: "description", label: "neworder.description", unpriced: true},
		{name: "weight_kg", label: "neworder.weight", kind: asNumber},
		{name: "length_cm", label: "neworder.length", kind: asNumber},
		{name: "width_cm", label: "neworder.width", kind: asNumber},
		{name: "height_cm", label: "neworder.height", kind: asNumber},
		{name: "value_cents", label: "neworder.value", kind: asCents, unpriced: true},
		{name: "barcode", label: "neworder.barcode", optional: true, unpriced: true},
		{name: "fragile", label: "neworder.fragile", kind: asFlag, optional: true},
	}
	moneyFields = []orderField{
		{name: "amount_cents", label: "neworder.amount", kind: asCents, optional: true},
		{name: "currency", label: "neworder.currency", optional: true},
	}
	itemFields = []orderField{
		{name: "product_id", label: "neworder.product", kind: asNumber, optional: true},
		{name: "quantity", label: "neworder.quantity", kind: asNumber, optional: true},
	}

	contactFields = slices.Concat(personFields, within("address", addressFields), within("time_window", windowFields))
)

func within(object string, fields []orderField) []orderField {
	inner := slices.Clone(fields)
	for i := range inner {
		inner[i].name = object + "." + inner[i].name
	}
	return inner
}

// findField returns the field with a path, such as parcels[2].weight_kg, and the object
// that has it, such as parcels[2]. It is false if the form has no such field.
func findField(path string) (found orderField, object string, ok bool) {
	object, name, nested := strings.Cut(path, ".")
	fields := []orderField(nil)
	list, _, _ := strings.Cut(object, "[")
	_, _, isRow := rowOf(path, list)
	switch {
	case !nested:
		object, name, fields = "", path, orderFields
	case object == "pickup" || object == "dropoff":
		fields = contactFields
	case object == "cod" || object == "insurance":
		fields = moneyFields
	case isRow && list == "parcels":
		fields = parcelFields
	case isRow && list == "items":
		fields = itemFields
	}
	i := slices.IndexFunc(fields, func(f orderField) bool { return f.name == name })
	if i < 0 {
		return found, "", false
	}
	return fields[i], object, true
}

// provinceKeys are the phrases of the provinces.
var provinceKeys = map[string]string{
	"AB": "province.AB", "BC": "province.BC", "MB": "province.MB", "NB": "province.NB", "NL": "province.NL",
	"NS": "province.NS", "NT": "province.NT", "NU": "province.NU", "ON": "province.ON", "PE": "province.PE",
	"QC": "province.QC", "SK": "province.SK", "YT": "province.YT",
}

// Field returns a field of the form as it is shown.
func (o *Form) Field(path string) page.Field {
	f, object, _ := findField(path)
	field := page.Field{
		Name: path, Label: o.Sheet.Text(f.label), Type: "text", Required: !f.optional,
		Hint: o.hintOf(path), Options: o.optionsOf(f.name),
	}
	if path == recipientEmail && o.OwnEmail != "" {
		field.Required, field.Hint = false, o.Words("neworder.email.hint", "email", o.OwnEmail)
	}
	if object == "dropoff" {
		field.Autocomplete = "off" // a browser would offer the address of the person who types
	}
	switch {
	case field.Options != nil:
		field.Type = "select"
	case f.kind == asPhone:
		field.Type = "tel"
	case f.name == "email":
		field.Type = "email"
	case f.kind == asTime:
		field.Type = "datetime-local"
	case f.name == "quantity":
		field.InputMode = "numeric"
	case f.kind == asNumber || f.kind == asCents:
		field.InputMode = "decimal"
	case f.name == "instructions":
		field.Type = "textarea"
	}
	if o.Types(path) {
		return o.Sent.With(field)
	}
	field.Fixed, field.Value = true, cmp.Or(o.shown(path, f, field.Options), "–")
	return field
}

// Types reports whether a field can be typed.
func (o *Form) Types(path string) bool { return o.Editable == nil || o.Editable(partOf(path)) }

// Edits reports whether the form edits an order that exists.
func (o *Form) Edits() bool { return o.Editable != nil }

// partOf returns the part of an order, as delivery.Parts has it, to which a field belongs.
func partOf(path string) string {
	object, _, nested := strings.Cut(path, ".")
	end, _, isWindow := strings.Cut(path, ".time_window.")
	switch list, _, isRow := strings.Cut(object, "["); {
	case isRow:
		return list
	case isWindow:
		return end + ".time_window"
	case nested && (object == "cod" || object == "insurance"):
		return object
	default:
		return path
	}
}

// HasExtras reports whether the form has a field of the extras, or shows one.
func (o *Form) HasExtras() bool {
	return o.Shows("cod") || o.Shows("insurance") || o.Shows("instructions")
}

// Shows reports whether a part of the extras can be typed, or holds something.
func (o *Form) Shows(part string) bool {
	return o.Types(part) || o.Value(part)+o.Value(part+".amount_cents") != ""
}

// shown returns what a field holds as text.
func (o *Form) shown(path string, f orderField, options []page.Option) string {
	text, l := o.Value(path), o.Sheet.Language
	end, _, _ := strings.Cut(path, ".")
	switch i := slices.IndexFunc(options, func(option page.Option) bool { return option.Value == text }); {
	case text == "":
		return ""
	case i >= 0:
		return options[i].Label
	case f.kind == asTime:
		if at, ok := localTime(text, o.Clock(typedAddress(o.Sent.Values, end)), false); ok {
			return l.Moment(at, o.Sheet.Site.Now())
		}
	}
	return text
}

// End is one end of the delivery.
type End struct {
	Name, Title string
	Stop        *page.Stop // what is shown if nothing of it can be typed
}

// Ends returns both ends of the delivery.
func (o *Form) Ends() []End {
	return []End{
		{Name: "pickup", Title: o.Sheet.Text("neworder.pickup")}, {Name: "dropoff", Title: o.Sheet.Text("neworder.dropoff")},
	}
}

// Provinces returns the provinces to choose from, none chosen.
func Provinces(s page.Sheet) []page.Option {
	options := make([]page.Option, 1, 1+len(delivery.Provinces))
	options[0].Label = s.Text("neworder.choose")
	for _, province := range delivery.Provinces {
		options = append(options, page.Option{Value: province, Label: s.Text(provinceKeys[province])})
	}
	return options
}

// optionsOf returns what can be chosen for a field; nil for one that is typed.
func (o *Form) optionsOf(name string) (options []page.Option) {
	switch name {
	case "address.province":
		return Provinces(o.Sheet)
	case "currency":
		for _, currency := range []delivery.Currency{delivery.CAD, delivery.USD} {
			options = append(options, page.Option{Value: string(currency), Label: string(currency)})
		}
	}
	return options
}

var hints = map[string]string{
	"partner_order_id": "neworder.partner_order_id.hint", "reference": "neworder.reference.hint",
	"instructions": "neworder.instructions.hint", "dropoff.address.notes": "neworder.notes.hint",
}

func (o *Form) hintOf(path string) string {
	if key := hints[path]; key != "" {
		return o.Words(key)
	}
	return ""
}

// namingPartner are the phrases for a dispatcher that name the partner, by those that speak to it.
var namingPartner = map[string]string{
	"neworder.partner_order_id.hint": "neworder.partner_order_id.hint.for",
	"neworder.reference.hint":        "neworder.reference.hint.for",
	"neworder.email.hint":            "neworder.email.hint.for",
	"neworder.stock":                 "neworder.stock.for",
	"neworder.stock.why":             "neworder.stock.why.for",
	"neworder.quota":                 "neworder.quota.for",
	"neworder.fault.taken":           "neworder.fault.taken.for",
}

// Words returns a phrase for the person who types the order: the partner, or a dispatcher.
func (o *Form) Words(key string, arguments ...any) string {
	if naming := namingPartner[key]; naming != "" && o.PartnerName != "" {
		return o.Sheet.Text(naming, append(arguments, "partner", o.PartnerName)...)
	}
	return o.Sheet.Text(key, arguments...)
}

// Value returns what a field holds.
func (o *Form) Value(path string) string { return o.Sent.Values.Get(path) }

// Search is what products are searched for.
func (o *Form) Search() string { return o.Value(SearchField) }

// FaultOf returns what is wrong with a field; empty if nothing is.
func (o *Form) FaultOf(path string) string { return o.Sent.With(page.Field{Name: path}).Fault }

// Ordinal counts from 1.
func (o *Form) Ordinal(i int) int { return i + 1 }

var promises = map[delivery.ServiceLevel]string{
	delivery.Standard: "neworder.level.standard", delivery.Express: "neworder.level.express",
	delivery.SameDay: "neworder.level.same_day",
}

// Promise says how fast a service level is.
func (o *Form) Promise(level string) string {
	return o.Sheet.Text(promises[delivery.ServiceLevel(level)])
}

// Levels are the service levels.
func (o *Form) Levels() (levels []page.Option) {
	for _, level := range delivery.ServiceLevels {
		levels = append(levels, page.Option{Value: string(level), Label: o.Sheet.Text("level." + string(level))})
	}
	return levels
}

// warnings are the phrases that this page has for warnings besides those of all pages.
var warnings = map[delivery.WarningCode]string{
	delivery.WarningDropoffBeforePickup: "neworder.warn.before", delivery.WarningLate: "neworder.warn.late",
}

// WarningTexts says what is allowed, but probably not meant.
func (o *Form) WarningTexts(found []delivery.Warning) (texts []string) {
	for _, warning := range found {
		if key := warnings[warning.Code]; key != "" {
			texts = append(texts, o.Sheet.Text(key))
		} else {
			texts = append(texts, o.Sheet.Language.Warning(warning))
		}
	}
	return texts
}

// Checked reports whether a checkbox is ticked, or an option is chosen.
func (o *Form) Checked(path, value string) bool { return o.Sent.Values.Get(path) == value }

// Zone says at which clocks a window is typed.
func (o *Form) Zone(end string) string {
	province := o.Sent.Values.Get(end + ".address.province")
	key := provinceKeys[province]
	if key == "" {
		return o.Sheet.Text("neworder.zone.unknown")
	}
	clock := o.Clock(typedAddress(o.Sent.Values, end))
	zone := o.Sheet.Language.Zone(o.Sheet.Site.Now().In(clock))
	return o.Sheet.Text("neworder.zone", "province", o.Sheet.Text(key), "zone", zone)
}

// Keep adds the values of fields of the form to it, and leaves out all others.
func (o *Form) Keep(values url.Values) {
	for name, typed := range values {
		if _, _, ok := findField(name); ok {
			o.Sent.Values[name] = typed
		}
	}
}
