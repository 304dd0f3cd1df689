package portal

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// orderJSON returns what was typed into the order form as the body of POST /v1/orders.
// The fields of the form are named by their paths in it. A field that is left empty is
// left out. What cannot be converted is sent as it was typed, so that the use case
// refuses it at its field. clock returns the time zone of a province.
func orderJSON(values url.Values, clock clocks) []byte { return writeOrder(values, clock, false) }

// quoteJSON returns what decides the price as the body of POST /v1/rates/quote.
func quoteJSON(values url.Values, clock clocks) []byte { return writeOrder(values, clock, true) }

// clocks returns the time zone of a province.
type clocks func(province string) *time.Location

// typed writes what was typed as JSON.
type typed struct {
	strictjson.Writer
	values url.Values
	clock  clocks
	priced bool // only what decides the price
}

func writeOrder(values url.Values, clock clocks, priced bool) []byte {
	t := typed{values: values, clock: clock, priced: priced}
	t.Object("")
	t.members("", orderFields)
	t.contact("pickup")
	t.contact("dropoff")
	t.List("parcels")
	for _, i := range rowsOf(values, "parcels") {
		t.Object("")
		t.members(row("parcels", i)+".", parcelFields)
		t.EndObject()
	}
	t.EndList()
	for _, name := range []string{"cod", "insurance"} {
		if t.text(name+".amount_cents") != "" {
			t.object(name, name+".", moneyFields)
		}
	}
	if lines := itemRows(values); len(lines) > 0 && !priced {
		t.List("items")
		for _, i := range lines {
			t.object("", row("items", i)+".", itemFields)
		}
		t.EndList()
	}
	t.EndObject()
	return t.Buffer
}

func (t *typed) contact(end string) {
	t.Object(end)
	t.members(end+".", personFields)
	t.Object("address")
	t.members(end+".address.", addressFields)
	t.Text("country", delivery.Country)
	t.EndObject()
	start, until := t.text(end+".time_window.start"), t.text(end+".time_window.end")
	// A price needs no window, but half a window is a fault.
	if !t.priced || start != "" && until != "" {
		t.object("time_window", end+".time_window.", windowFields)
	}
	t.EndObject()
}

func (t *typed) object(name, prefix string, fields []orderField) {
	t.Object(name)
	t.members(prefix, fields)
	t.EndObject()
}

func (t *typed) text(name string) string { return strings.TrimSpace(t.values.Get(name)) }

// members writes the fields that are not empty. prefix is the path of their object.
func (t *typed) members(prefix string, fields []orderField) {
	for _, f := range fields {
		text := t.text(prefix + f.name)
		if text == "" || t.priced && f.unpriced {
			continue
		}
		value, ok := f.convert(text, t.clock(t.values.Get(addressOf(prefix)+"province")))
		if ok {
			t.Raw(f.name, value)
		} else {
			t.Text(f.name, text)
		}
	}
}

// addressOf returns the path of the address at the end of a delivery that a window
// belongs to.
func addressOf(prefix string) string {
	end, _, _ := strings.Cut(prefix, ".")
	return end + ".address."
}

// convert returns what was typed into a field as JSON. It is false for a text, and for
// what is not what the field must hold. clock is the time zone of the field's end of the delivery.
func (f orderField) convert(text string, clock *time.Location) (value []byte, ok bool) {
	switch f.kind {
	case asNumber:
		return number(text)
	case asCents:
		return cents(text)
	case asFlag:
		return []byte(text), text == "true"
	case asTime:
		at, ok := localTime(text, clock, f.name == "end")
		return strconv.AppendQuote(nil, at.Format(time.RFC3339)), ok
	case asPhone:
		return internationalPhone(text)
	default:
		return nil, false
	}
}

// numberForm is a number as people type it, with a point or a comma.
var numberForm = regexp.MustCompile(`^([0-9]{0,30})(?:[.,]([0-9]{1,30}))?$`)

// number converts a number digit by digit, so that none is lost.
func number(text string) (value []byte, ok bool) {
	parts := numberForm.FindStringSubmatch(text)
	if parts == nil || parts[1]+parts[2] == "" {
		return nil, false
	}
	value = append(value, withoutZeros(parts[1])...)
	if parts[2] != "" {
		value = append(append(value, '.'), parts[2]...)
	}
	return value, true
}

// amountSpace is what people write around and inside of an amount.
var amountSpace = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "$", "")

// cents converts an amount in dollars to cents. A fraction of a cent is refused.
func cents(text string) (value []byte, ok bool) {
	parts := numberForm.FindStringSubmatch(amountSpace.Replace(text))
	if parts == nil || parts[1]+parts[2] == "" || len(parts[2]) > 2 {
		return nil, false
	}
	return []byte(withoutZeros(parts[1] + (parts[2] + "00")[:2])), true
}

func withoutZeros(digits string) string {
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	return digits
}

// The forms of a time in an input of type datetime-local.
const (
	localForm   = "2006-01-02T15:04"
	localSecond = "2006-01-02T15:04:05"
)

// localTime returns the time at which a clock shows a text. It is false if the clock
// never does, as in the hour that is skipped in spring. In the hour that is repeated in
// autumn it is the first time, or the last one, so that a window holds both.
func localTime(text string, clock *time.Location, last bool) (time.Time, bool) {
	layout := localForm
	if len(text) > len(localForm) {
		layout = localSecond
	}
	at, err := time.ParseInLocation(layout, text, clock)
	if err != nil || at.Format(layout) != text {
		return time.Time{}, false
	}
	other := at.Add(-time.Hour)
	if last {
		other = at.Add(time.Hour)
	}
	if other.Format(layout) == text {
		return other, true
	}
	return at, true
}

var phoneSpace = strings.NewReplacer(" ", "", "\u00a0", "", "-", "", ".", "", "(", "", ")", "")

// internationalPhone adds the country code to a Canadian phone number that was typed
// without it, and removes what people write between the digits.
func internationalPhone(text string) (value []byte, ok bool) {
	digits := phoneSpace.Replace(text)
	switch {
	case strings.HasPrefix(digits, "+"):
	case len(digits) == 10:
		digits = "+1" + digits
	case len(digits) == 11 && digits[0] == '1':
		digits = "+" + digits
	}
	if !delivery.PhoneRule.Allows(digits) {
		return nil, false
	}
	return strconv.AppendQuote(nil, digits), true
}

// row returns the path of an element of a list.
func row(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// rowOf returns the position that the name of a field has in a list, and the rest of the
// name. It is false for names of other fields.
func rowOf(name, list string) (i int, rest string, ok bool) {
	inside, found := strings.CutPrefix(name, list+"[")
	digits, rest, closed := strings.Cut(inside, "].")
	i, err := strconv.Atoi(digits)
	return i, rest, found && closed && err == nil && i >= 0 && strconv.Itoa(i) == digits
}

// rowsOf returns the positions of the elements of a list that the form holds, in order.
func rowsOf(values url.Values, list string) (rows []int) {
	for name := range values {
		if i, _, ok := rowOf(name, list); ok {
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// itemRows returns the positions of the products of which some are ordered. The form has
// a row for each product that is offered.
func itemRows(values url.Values) []int {
	return slices.DeleteFunc(rowsOf(values, "items"), func(i int) bool {
		text := strings.TrimSpace(values.Get(row("items", i) + ".quantity"))
		return text == "" || text == "0"
	})
}
