package delivery

import (
	"regexp"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Provinces lists the thirteen provinces and territories of Canada (docs/contract.md, Addresses and
// contacts).
var Provinces = []string{"AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"}

// Country is the only country served (ISO 3166-1 alpha-2).
const Country = "CA"

// Address is a place in Canada (docs/contract.md, Addresses and contacts).
type Address struct {
	Line1      string
	Line2      string
	City       string
	Province   string // one of Provinces
	PostalCode string // as sent; compare by NormalPostalCode
	Country    string // always Country
	Notes      string // delivery instructions for this address
}

// Window is a span of time in which a courier may come. End is after Start.
type Window struct {
	Start, End time.Time // at the offset that was sent, to the millisecond
}

// Contact is one end of a delivery: a person, a place and a time window (docs/contract.md,
// Addresses and contacts).
type Contact struct {
	Name    string
	Phone   string // E.164
	Email   string
	Address Address
	Window  Window
}

// The patterns that texts must match. The OpenAPI document repeats them; a test
// compares both.
var (
	// Canada Post uses no D, F, I, O, Q or U, and no W or Z as the first letter.
	postalCodeForm = regexp.MustCompile(`^[ABCEGHJ-NPRSTVXYabceghj-nprstvxy][0-9][ABCEGHJ-NPRSTV-Zabceghj-nprstv-z] ?[0-9][ABCEGHJ-NPRSTV-Zabceghj-nprstv-z][0-9]$`)
	phoneForm      = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	// A mailbox of RFC 5321 as HTML forms accept it: ASCII, no display name, no quotes.
	emailForm = regexp.MustCompile("^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$")
)

// The rules for texts that appear in several requests.
var (
	NameRule = form.Length(1, 255)
	// OwnNameRule is for the names of partners and people, which others get in mails and on
	// pages: they cannot break a line, or turn the text around them.
	OwnNameRule = form.TextRule{
		Rule: form.Define("own_name", "a string of 1 to 255 characters on one line, "+
			"without control characters and changes of direction"),
		Allows: func(s string) bool { return s != "" && shortText.Allows(s) && form.OneLine.Allows(s) },
	}.And(form.NotBlank)
	shortText = form.Length(0, 255)
	EmailRule = form.TextRule{Rule: form.Define("email", "an e-mail address"), Allows: func(s string) bool {
		return len(s) <= 254 && strings.IndexByte(s, '@') <= 64 && emailForm.MatchString(s)
	}}
	PhoneRule = form.TextRule{
		Rule:   form.Define("phone", "a phone number in E.164 form, such as +15145550100"),
		Allows: phoneForm.MatchString,
	}
	lineRule  = form.Length(1, 255)
	noteRule  = form.Length(0, 1000)
	line2Rule = form.Length(0, 255)

	provinceRule   = form.OneOf(Provinces...)
	countryRule    = form.OneOf(Country)
	postalCodeRule = form.TextRule{
		Rule:   form.Define("postal_code", "a Canadian postal code, such as H2X 1Y4"),
		Allows: postalCodeForm.MatchString,
	}

	// AfterStart is the rule for the end of a window.
	AfterStart = form.Define("after_start", "a time after start")
	// WindowLength is the rule for the end of a window that ends when it starts.
	WindowLength = form.Define("window_length", "a time after start: a time window of length zero is no time to come")
)

// NormalPostalCode returns a postal code in upper case without its space, such
// as H2X1Y4.
func NormalPostalCode(code string) string {
	return strings.ToUpper(strings.ReplaceAll(code, " ", ""))
}

const areaLength = 3

// PostalArea returns the forward sortation area of a postal code, such as H2X; less of a text
// that is shorter.
func PostalArea(code string) string {
	if len(code) < areaLength || strings.ContainsFunc(code[:areaLength], notNormal) {
		code = NormalPostalCode(code)
	}
	return code[:min(areaLength, len(code))]
}

// notNormal reports whether NormalPostalCode may change a character.
func notNormal(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') }

// needs says which fields of a shipment are required, of those that an order needs.
type needs struct {
	unpriced form.Presence // those that do not affect the price
	place    form.Presence // city and province, which can be assumed by the postal code
}

var (
	inOrder = needs{unpriced: form.Required, place: form.Required}
	inPrice = needs{unpriced: form.Optional, place: form.Required}
	inQuote = needs{unpriced: form.Optional, place: form.Optional}
)

func readContact(f *form.Form, n needs) Contact {
	return Contact{
		Name:    f.Text("name", n.unpriced, NameRule),
		Phone:   f.Text("phone", n.unpriced, PhoneRule),
		Email:   f.Text("email", n.unpriced, EmailRule),
		Address: readAddress(f.Object("address", form.Required), n),
		Window:  readWindow(f.Object("time_window", n.unpriced)),
	}
}

func readAddress(f *form.Form, n needs) Address {
	return Address{
		Line1:      f.Text("line1", n.unpriced, lineRule),
		Line2:      f.Text("line2", form.Optional, line2Rule),
		City:       f.Text("city", n.place, lineRule),
		Province:   f.Text("province", n.place, provinceRule),
		PostalCode: f.Text("postal_code", form.Required, postalCodeRule),
		Country:    f.Text("country", form.Required, countryRule),
		Notes:      f.Text("notes", form.Optional, noteRule),
	}
}

func readWindow(f *form.Form) Window {
	window := Window{Start: f.TimeWithOffset("start", form.Required), End: f.TimeWithOffset("end", form.Required)}
	if window.Start.IsZero() || window.End.IsZero() || window.End.After(window.Start) {
		return window
	}
	if window.End.Equal(window.Start) {
		f.Fault("end", WindowLength)
	} else {
		f.Fault("end", AfterStart)
	}
	return window
}

// ReadKnownContact reads a contact that is kept for later orders: only its name is required, and it has no
// window.
func ReadKnownContact(f *form.Form) {
	f.Text("name", form.Required, NameRule)
	f.Text("phone", form.Optional, PhoneRule)
	f.Text("email", form.Optional, EmailRule)
	address := f.Object("address", form.Optional)
	address.Text("line1", form.Optional, line2Rule)
	address.Text("line2", form.Optional, line2Rule)
	address.Text("city", form.Optional, line2Rule)
	address.Text("province", form.Optional, provinceRule)
	address.Text("postal_code", form.Optional, postalCodeRule)
	address.Text("notes", form.Optional, noteRule)
}
