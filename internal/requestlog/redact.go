package requestlog

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxBody is how much of a body is kept, in bytes: of what was sent, and of what is
// left of it once it is redacted.
const MaxBody = 4 << 10

// cut stands for the rest of a body.
const cut = "…"

// containers are the members whose objects and lists are shown. What is inside of any
// other member is hidden altogether.
var containers = map[string]bool{
	"pickup": true, "dropoff": true, "address": true, "time_window": true,
	"parcels": true, "cod": true, "insurance": true, "items": true, "orders": true,
}

// harmless are the members whose values are shown, each with what these may be. A value
// of another form is hidden, because it may be in the wrong place.
var harmless = map[string]func(kind jsontext.Kind, text string) bool{
	"service_level": word(func(text string) bool {
		return slices.Contains(delivery.ServiceLevels, delivery.ServiceLevel(text))
	}),
	"province": word(func(text string) bool { return len(text) == 2 && isUpper(text) }),
	"country":  word(func(text string) bool { return len(text) == 2 && isUpper(text) }),
	"currency": word(func(text string) bool { return len(text) == 3 && isUpper(text) }),
	"start":    word(isTime), "end": word(isTime), "since": word(isTime),
	"length_cm": number, "width_cm": number, "height_cm": number, "weight_kg": number,
	"value_cents": number, "amount_cents": number,
	"product_id": number, "quantity": number,
}

func word(allowed func(text string) bool) func(jsontext.Kind, string) bool {
	return func(kind jsontext.Kind, text string) bool { return kind == '"' && allowed(text) }
}

// longestNumber is shorter than a phone number with its country code.
const longestNumber = 9

func number(kind jsontext.Kind, text string) bool { return kind == '0' && len(text) <= longestNumber }

func isUpper(text string) bool {
	return consistsOf(text, func(c byte) bool { return 'A' <= c && c <= 'Z' })
}

// isTime reports whether a text begins with a date of this century and consists of
// what times are written with.
func isTime(text string) bool {
	const day, longest = len("2006-01-02"), 35
	if len(text) < day || len(text) > longest || text[0] != '2' || text[1] != '0' {
		return false
	}
	_, err := time.Parse(time.DateOnly, text[:day])
	return err == nil &&
		consistsOf(text[day:], func(c byte) bool { return isDigit(c) || bytes.IndexByte([]byte("TZtz:.+-"), c) >= 0 })
}

// Redact returns what may be kept of a body: the names of members, the structure that
// the interface knows, and the values of members that cannot be personal. Other values
// become their kind and length. What is not JSON is left out.
func Redact(body []byte) []byte {
	complete := len(body) <= MaxBody
	r := &redactor{in: jsontext.NewDecoder(bytes.NewReader(body[:min(len(body), MaxBody)]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if r.value("", true) != nil || r.full {
		r.out = append(r.out, cut...)
	} else if _, err := r.in.ReadToken(); err == nil || !complete {
		r.out = append(r.out, cut...)
	}
	return r.out
}

// redactor copies JSON, value by value, until one cannot be read.
type redactor struct {
	in   *jsontext.Decoder
	out  []byte
	full bool // nothing more fits
}

func (r *redactor) write(text string) {
	if r.full = r.full || len(r.out)+len(text) > MaxBody-len(cut); !r.full {
		r.out = append(r.out, text...)
	}
}

// value copies the next value. name is that of the nearest member around it. open
// is false inside of a member that is hidden.
func (r *redactor) value(name string, open bool) error {
	switch r.in.PeekKind() {
	case '{':
		return r.group("{", "}", name, open)
	case '[':
		return r.group("[", "]", name, open)
	default: // a single token
	}
	token, err := r.in.ReadToken()
	if err != nil {
		return err
	}
	if open {
		r.write(shown(name, token))
	}
	return nil
}

// shown returns a value as it may be kept.
func shown(name string, token jsontext.Token) string {
	kind, text := token.Kind(), token.String()
	if allowed := harmless[name]; allowed != nil && allowed(kind, text) {
		if kind == '"' {
			return strconv.Quote(text)
		}
		return text
	}
	switch kind {
	case '"':
		return fmt.Sprintf(`"[text of %d]"`, utf8.RuneCountInString(text))
	case '0':
		return `"[number]"`
	default:
		return text // null, true or false
	}
}

// group copies an object or a list.
func (r *redactor) group(begin, end, name string, open bool) error {
	root := r.in.StackDepth() == 0
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	inner := open && (root || containers[name])
	if open {
		r.write(begin)
		if !inner {
			r.write(cut)
		}
	}
	for first := true; r.in.PeekKind() != jsontext.Kind(end[0]); first = false {
		if inner && !first {
			r.write(",")
		}
		member := name
		if begin == "{" {
			token, err := r.in.ReadToken()
			if err != nil {
				return err
			}
			member = token.String()
			if inner {
				r.write(`"` + nameOf(member) + `":`)
			}
		}
		if err := r.value(member, inner); err != nil {
			return err
		}
	}
	if open {
		r.write(end)
	}
	_, err := r.in.ReadToken()
	return err
}

// nameOf returns the name of a member if it looks like one: a client may use anything
// as a name, such as an e-mail address.
func nameOf(member string) string {
	const longest = 40
	isName := func(c byte) bool { return isLower(c) || c == '_' || isDigit(c) }
	if member == "" || len(member) > longest || !isLower(member[0]) || !consistsOf(member, isName) {
		return cut
	}
	return member
}
