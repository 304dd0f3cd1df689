package orderform

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// orderValues returns what was typed into the order form as delivery.ReadOrderRequest reads
// it: by the same paths, and converted. Fields that are empty are in it, so that what is
// missing is a fault of the field, and not of the object that has it. What cannot be
// converted is refused at its field.
func orderValues(values url.Values, clock clocks) url.Values { return converted(values, clock, false) }

// quoteValues returns what decides the price as delivery.ReadPriced reads it.
func quoteValues(values url.Values, clock clocks) url.Values { return converted(values, clock, true) }

// clocks returns the time zone of an address.
type clocks func(delivery.Address) *time.Location

// typedAddress returns what says which clocks the address of a contact has.
func typedAddress(typed url.Values, end string) delivery.Address {
	return delivery.Address{Province: typed.Get(end + ".address.province"), PostalCode: strings.TrimSpace(typed.Get(end +
		".address.postal_code"))}
}

// conversion converts what was typed.
type conversion struct {
	typed  url.Values
	clock  clocks
	priced bool // only what decides the price
	done   url.Values
}

func converted(typed url.Values, clock clocks, priced bool) url.Values {
	c := conversion{typed, clock, priced, url.Values{}}
	c.add("", orderFields)
	c.addContact("pickup.")
	c.addContact("dropoff.")
	for _, i := range form.Rows(typed, "parcels") {
		c.add(Row("parcels", i)+".", parcelFields)
	}
	for _, money := range []string{"cod.", "insurance."} {
		if c.text(money+"amount_cents") != "" {
			c.add(money, moneyFields)
		}
	}
	if !priced {
		for _, i := range itemRows(typed) {
			c.add(Row("items", i)+".", itemFields)
		}
	}
	return c.done
}

func (c *conversion) addContact(end string) {
	c.add(end, personFields)
	c.add(end+"address.", addressFields)
	c.done.Set(end+"address.country", delivery.Country)
	window := end + "time_window."
	// A price needs no window, but half a window is a fault.
	if !c.priced || c.text(window+"start") != "" && c.text(window+"end") != "" {
		c.add(window, windowFields)
	}
}

// text returns what was typed into a field. The address of the page may have put bytes into
// it that are not UTF-8.
func (c *conversion) text(name string) string {
	return strings.ToValidUTF8(strings.TrimSpace(c.typed.Get(name)), "\ufffd")
}

// add converts fields. prefix is the path of their object, with a point.
func (c *conversion) add(prefix string, fields []orderField) {
	end, _, _ := strings.Cut(prefix, ".")
	clock := c.clock(typedAddress(c.typed, end))
	for _, f := range fields {
		if !c.priced || !f.unpriced {
			c.done.Set(prefix+f.name, f.meaning(c.text(prefix+f.name), clock))
		}
	}
}

// meaning returns what was typed into a field as it is read. A number that was written in
// another way is put in quotes, so that it is not read as something else: an amount of
// 12.000 is not 12 cents.
func (f orderField) meaning(text string, clock *time.Location) string {
	value, ok := f.convert(text, clock)
	switch {
	case text == "":
		return ""
	case ok:
		return value
	case f.kind == asNumber || f.kind == asCents || f.kind == asFlag:
		return strconv.Quote(text)
	default:
		return text
	}
}

// convert returns what was typed into a field as it is read. It is false for a text, and
// for what is not what the field must hold. clock is the time zone of the field's end of the
// delivery.
func (f orderField) convert(text string, clock *time.Location) (value string, ok bool) {
	switch f.kind {
	case asNumber:
		return number(text)
	case asCents:
		return cents(text)
	case asFlag:
		return text, text == "true"
	case asTime:
		at, ok := localTime(text, clock, f.name == "end")
		return at.Format(time.RFC3339), ok
	case asPhone:
		return delivery.InternationalPhone(text)
	default:
		return "", false
	}
}

// numberForm is a number as people type it, with a point or a comma.
var numberForm = regexp.MustCompile(`^([0-9]{0,30})(?:[.,]([0-9]{1,30}))?$`)

// number converts a number digit by digit, so that none is lost.
func number(text string) (value string, ok bool) {
	parts := numberForm.FindStringSubmatch(text)
	if parts == nil || parts[1]+parts[2] == "" {
		return "", false
	}
	value = withoutZeros(parts[1])
	if parts[2] != "" {
		value += "." + parts[2]
	}
	return value, true
}

// amountSpace is what people write around and inside of an amount.
var amountSpace = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "$", "")

// Cents returns what a field of an amount in dollars means, as use cases read it: see meaning.
func Cents(typed string) string {
	return orderField{kind: asCents}.meaning(strings.TrimSpace(typed), nil)
}

// cents converts an amount in dollars to cents. A fraction of a cent is refused.
func cents(text string) (value string, ok bool) {
	parts := numberForm.FindStringSubmatch(amountSpace.Replace(text))
	if parts == nil || parts[1]+parts[2] == "" || len(parts[2]) > 2 {
		return "", false
	}
	return withoutZeros(parts[1] + (parts[2] + "00")[:2]), true
}

func withoutZeros(digits string) string {
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	return digits
}

// The forms of a time in an input of type datetime-local.
const (
	TimeLayout  = "2006-01-02T15:04"
	localSecond = "2006-01-02T15:04:05"
)

// localTime returns the time at which a clock shows a text. It is false if the clock
// never does, as in the hour that is skipped in spring. In the hour that is repeated in
// autumn it is the first time, or the last one, so that a window holds both.
func localTime(text string, clock *time.Location, last bool) (time.Time, bool) {
	layout := TimeLayout
	if len(text) > len(TimeLayout) {
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

// Row returns the path of an element of a list.
func Row(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// rowOf returns the position that the name of a member has in a list, and the name of the
// member. It is false for names of other fields.
func rowOf(name, list string) (i int, rest string, ok bool) {
	i, rest, ok = form.RowOf(name, list)
	rest, member := strings.CutPrefix(rest, ".")
	return i, rest, ok && member
}

// itemRows returns the positions of the products of which some are ordered. The form has
// a row for each product that is offered.
func itemRows(values url.Values) []int {
	return slices.DeleteFunc(form.Rows(values, "items"), func(i int) bool {
		text := strings.TrimSpace(values.Get(Row("items", i) + ".quantity"))
		return text == "" || text == "0"
	})
}
