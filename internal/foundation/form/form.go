package form

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Kind is the kind of a received value.
type Kind byte

// The kinds of JSON values, and the absence of one.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	Text
	List
	Object
)

// Source is a received value, whatever it was written in. Forms read from it.
type Source interface {
	Kind() Kind
	// Member is the named member of an object; its kind is Absent if there is
	// none. Names are compared exactly.
	Member(name string) Source
	// Names are the members of an object, as they were written.
	Names() []string
	// Elements are the elements of a list.
	Elements() []Source
	// Text is the text of a string, the digits of a number, or true or false.
	Text() string
	// Raw is the value as it was written, byte for byte.
	Raw() []byte
}

// Problem is one fault of a request: which field, what it held, what it should
// hold (interface section 7).
type Problem struct {
	Field    string `json:"field"` // a path such as parcels[0].weight_kg
	Value    any    `json:"value"` // the scalar as sent; null when missing or secret
	Expected string `json:"expected"`
}

// Problems collects the faults of one request, in the order of its fields.
type Problems []Problem

// Fault is the validation error of one fault.
func Fault(field string, value any, expected string) error {
	var problems Problems
	problems.Add(field, value, expected)
	return problems.Err()
}

// Add notes a fault. A text that is told back is cut when long.
func (p *Problems) Add(field string, value any, expected string) {
	if text, ok := value.(string); ok {
		value = Shorten(text, echoed)
	}
	*p = append(*p, Problem{Field: field, Value: value, Expected: expected})
}

type problemDetails struct {
	Problem
	Errors Problems `json:"errors"`
}

// Err is nil without problems, and otherwise the one validation error that
// tells all of them, the first in front.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	message := fmt.Sprintf("%s: expected %s", cmp.Or(p[0].Field, "body"), p[0].Expected)
	if more := len(p) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return &refusal.Error{Code: refusal.CodeValidation, Message: message, Details: problemDetails{Problem: p[0], Errors: p}}
}

// WithProblems adds further faults to a validation error. Any other error, and
// one to which nothing is added, is returned as it is.
func WithProblems(err error, more Problems) error {
	var refused *refusal.Error
	if len(more) == 0 || !errors.As(err, &refused) {
		return err
	}
	details, ok := refused.Details.(problemDetails)
	if !ok {
		return err
	}
	return slices.Concat(details.Errors, more).Err()
}

// Presence says whether a field must be there. An optional field that is null
// counts as absent.
type Presence bool

// The two presences.
const (
	Optional Presence = false
	Required Presence = true
)

// Form reads the fields of one object and notes every fault on the way, so
// that one pass tells all that is wrong. A nil Form reads zero values and
// notes nothing: what is missing as a whole is one fault, not one per field.
type Form struct {
	source   Source
	parent   *Form
	name     string // the form's member name, or its list's
	index    int    // position in the list, -1 outside of one
	problems *Problems
}

// NewForm starts reading at the root of a document. A root that is no object
// is noted as a fault.
func New(root Source, problems *Problems) *Form {
	form := &Form{source: root, index: -1, problems: problems}
	if root.Kind() != Object {
		problems.Add("", nil, "a JSON object")
		return nil
	}
	return form
}

// path writes where the form stands: "" at the root, "parcels[0]." inside.
func (f *Form) path() string {
	if f.parent == nil {
		return ""
	}
	return f.parent.path() + f.place() + "."
}

func (f *Form) place() string {
	if f.index < 0 {
		return f.name
	}
	return f.name + "[" + strconv.Itoa(f.index) + "]"
}

// Fault notes that a field of the form does not hold what it should.
func (f *Form) Fault(name string, expected string) {
	if f != nil {
		f.problems.Add(f.path()+name, echo(f.source.Member(name)), expected)
	}
}

// take reads a field of the wanted kind. A field of another kind, one that read
// does not take, and a required one that is missing are faults. What was
// expected is written only then: it costs something, and is hardly ever read.
func take[T any](f *Form, name string, presence Presence, kind Kind, read func(Source) (T, bool), expected func() string) (T, bool) {
	var none T
	if f == nil {
		return none, false
	}
	source := f.source.Member(name)
	switch source.Kind() {
	case kind:
		if value, ok := read(source); ok {
			return value, true
		}
	case Absent, Null:
		if presence == Optional {
			return none, false
		}
	default: // another kind
	}
	f.Fault(name, expected())
	return none, false
}

// Has tells whether the field was sent and is not null.
func (f *Form) Has(name string) bool {
	return f != nil && f.source.Member(name).Kind() > Null
}

// IsNull tells whether the field was sent as null, which clears it where that
// is allowed.
func (f *Form) IsNull(name string) bool {
	return f != nil && f.source.Member(name).Kind() == Null
}

// Only notes every member of the object that has none of these names. It is for
// documents in which a member that is not understood must not be passed over.
func (f *Form) Only(names ...string) {
	if f == nil {
		return
	}
	for _, name := range f.source.Names() {
		if !slices.Contains(names, name) {
			f.Fault(Shorten(name, echoed), "no such member")
		}
	}
}

// TextRule says which texts a field takes.
type TextRule struct {
	Expected string
	Allows   func(string) bool
}

// Length allows texts of so many characters (not bytes) that hold no NUL,
// which no database keeps.
func Length(atLeast, atMost int) TextRule {
	expected := fmt.Sprintf("a string of %d to %d characters, without NUL", atLeast, atMost)
	if atLeast == 0 {
		expected = fmt.Sprintf("a string of at most %d characters, without NUL", atMost)
	}
	return TextRule{Expected: expected, Allows: func(s string) bool {
		if len(s) < atLeast || len(s) > 4*atMost {
			return false
		}
		count := utf8.RuneCountInString(s)
		return count >= atLeast && count <= atMost && strings.IndexByte(s, 0) < 0
	}}
}

// OneOf allows the listed words and no other.
func OneOf[T ~string](words ...T) TextRule {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return TextRule{
		Expected: "one of " + strings.Join(texts, ", "),
		Allows:   func(s string) bool { return slices.Contains(texts, s) },
	}
}

// Text reads a string.
func (f *Form) Text(name string, presence Presence, rule TextRule) string {
	text, _ := take(f, name, presence, Text, func(s Source) (string, bool) {
		text := s.Text()
		return text, rule.Allows(text)
	}, func() string { return rule.Expected })
	return text
}

// Secret reads a string that must never be told back, such as a password.
func (f *Form) Secret(name string, presence Presence, rule TextRule) string {
	if f == nil {
		return ""
	}
	value := f.source.Member(name)
	switch {
	case value.Kind() == Text && rule.Allows(value.Text()):
		return value.Text()
	case value.Kind() > Null || presence == Required:
		f.problems.Add(f.path()+name, nil, rule.Expected)
	}
	return ""
}

// Decimal reads a number between two bounds, both included. The second result
// is false when there is none.
func (f *Form) Decimal(name string, presence Presence, least, most float64) (float64, bool) {
	return take(f, name, presence, Number, func(s Source) (float64, bool) {
		number, err := strconv.ParseFloat(s.Text(), 64)
		return number, err == nil && number >= least && number <= most
	}, func() string { return fmt.Sprintf("a number from %s to %s", plain(least), plain(most)) })
}

// plain writes a number as people do: 1000000000, not 1e+09.
func plain(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

// Integer reads a whole number between two bounds, both included. 100.0 and
// 1e2 are whole, 10.5 is not. The second result is false when there is none.
func (f *Form) Integer(name string, presence Presence, least, most int64) (int64, bool) {
	return take(f, name, presence, Number, func(s Source) (int64, bool) {
		number, ok := wholeNumber(s.Text())
		return number, ok && number >= least && number <= most
	}, func() string { return fmt.Sprintf("an integer from %d to %d", least, most) })
}

func wholeNumber(digits string) (int64, bool) {
	if strings.ContainsAny(digits, "eE") {
		number, err := strconv.ParseFloat(digits, 64)
		if err != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53 {
			return 0, false
		}
		return int64(number), true
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	number, err := strconv.ParseInt(whole, 10, 64)
	return number, err == nil && strings.Trim(fraction, "0") == ""
}

// Flag reads true or false; an absent one is false.
func (f *Form) Flag(name string) bool {
	flag, _ := take(f, name, Optional, Bool,
		func(s Source) (bool, bool) { return s.Text() == "true", true },
		func() string { return "true or false" })
	return flag
}

// Time reads an RFC 3339 date-time with offset, to the millisecond, in UTC.
func (f *Form) Time(name string, presence Presence) time.Time {
	at, _ := take(f, name, presence, Text,
		func(s Source) (time.Time, bool) { return timestamp.Parse(s.Text()) },
		func() string { return "an RFC 3339 date-time with offset, from 1970 on" })
	return at
}

// Object reads a nested object; nil when there is none.
func (f *Form) Object(name string, presence Presence) *Form {
	form, _ := take(f, name, presence, Object, func(s Source) (*Form, bool) {
		return &Form{source: s, parent: f, name: name, index: -1, problems: f.problems}, true
	}, func() string { return "an object" })
	return form
}

// Objects reads a list of objects with a bounded count. A list that is too
// long is one fault and its elements are not looked at.
func (f *Form) Objects(name string, presence Presence, least, most int) []*Form {
	elements, _ := take(f, name, presence, List, func(s Source) ([]Source, bool) {
		elements := s.Elements()
		return elements, len(elements) >= least && len(elements) <= most
	}, func() string { return fmt.Sprintf("an array of %d to %d objects", least, most) })
	forms := make([]*Form, len(elements))
	for i, element := range elements {
		form := &Form{source: element, parent: f, name: name, index: i, problems: f.problems}
		if element.Kind() != Object {
			f.problems.Add(f.path()+form.place(), echo(element), "an object")
			continue
		}
		forms[i] = form
	}
	return forms
}

// Raw reads an object of any content, as it was written, up to a size in bytes.
func (f *Form) Raw(name string, most int) []byte {
	raw, _ := take(f, name, Optional, Object,
		func(s Source) ([]byte, bool) { return s.Raw(), len(s.Raw()) <= most },
		func() string { return fmt.Sprintf("an object of at most %d bytes", most) })
	return raw
}

// echoed is how many characters of a refused text are told back.
const echoed = 100

// echo is what a fault tells of the refused value: a scalar as sent, cut when
// long, and only a mark for an object or a list.
func echo(value Source) any {
	switch value.Kind() {
	case Bool:
		return value.Text() == "true"
	case Number:
		// The digits as sent, because a float64 would tell others; as a text if
		// they are more than others could read as a number.
		digits := value.Text()
		if _, err := strconv.ParseFloat(digits, 64); err != nil || len(digits) > echoed {
			return digits
		}
		return json.RawMessage(digits)
	case Text:
		return value.Text()
	case List:
		return "[…]"
	case Object:
		return "{…}"
	default:
		return nil
	}
}

// Shorten cuts a text to a number of characters and marks the cut.
func Shorten(text string, most int) string {
	count := 0
	for i := range text {
		if count == most {
			return text[:i] + "…"
		}
		count++
	}
	return text
}
