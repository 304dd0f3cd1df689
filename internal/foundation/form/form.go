// Package form reads the fields of a received object and checks them, so that one
// pass over a request finds all its faults. Faults become one validation error.
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

	"github.com/dropyard/dropyard/internal/foundation/date"
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
	Typed // a text that a person typed, which is a number, a flag or a list where one is read
)

// IsText reports whether every database accepts a text: it must be UTF-8 without NUL.
func IsText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Source is a received value. Forms read from it.
type Source interface {
	Kind() Kind
	// Member returns the named member of an object; its kind is Absent if there is
	// none. Names are compared exactly.
	Member(name string) Source
	// Names returns the names of an object's members, in the order of the document.
	Names() []string
	// Elements returns the elements of a list.
	Elements() []Source
	// Text returns the text of a string, the digits of a number, or true or false.
	Text() string
	// Raw returns the value byte for byte as it was sent.
	Raw() []byte
}

// Problem is one fault of a request.
type Problem struct {
	Field    string `json:"field"` // a path such as parcels[0].weight_kg
	Value    any    `json:"value"` // the scalar as sent; null if it is missing or secret
	Expected string `json:"expected"`
	Rule     Rule   `json:"-"` // what Expected says; the zero Rule if the problem was decoded
}

// Problems collects the faults of one request, in the order of its fields.
type Problems []Problem

// Fault returns the validation error for one fault.
func Fault(field string, value any, rule Rule) error {
	var problems Problems
	problems.Add(field, value, rule)
	return problems.Err()
}

// Add adds a fault. A long text in value is cut.
func (p *Problems) Add(field string, value any, rule Rule) {
	if text, ok := value.(string); ok {
		value = Shorten(text, maxEcho)
	}
	*p = append(*p, Problem{Field: field, Value: value, Expected: rule.Expected(), Rule: rule})
}

type problemDetails struct {
	Problem
	Errors Problems `json:"errors"`
}

// Err returns one validation error for all problems, or nil if there are none. The
// message describes the first problem.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	message := fmt.Sprintf("%s: expected %s", cmp.Or(p[0].Field, "body"), p[0].Expected)
	if more := len(p) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return &refusal.Error{
		Code: refusal.CodeValidation, Message: message, Details: problemDetails{Problem: p[0], Errors: p},
	}
}

// WithProblems adds problems to a validation error. It returns any other error
// unchanged.
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

// ProblemsOf returns the problems that a validation error holds; nil for other errors.
func ProblemsOf(err error) Problems {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return nil
	}
	details, _ := refused.Details.(problemDetails)
	return details.Errors
}

// Presence says whether a field is required. An optional field that is null counts
// as absent.
type Presence bool

// The values of Presence.
const (
	Optional Presence = false
	Required Presence = true
)

// Form reads the fields of one object and adds every fault to a list of problems. A
// nil Form reads zero values and adds nothing, so that an object that is missing is
// one fault and not one per field.
type Form struct {
	source   Source
	parent   *Form
	name     string // the name of the object, or of the list that it is in
	index    int    // its position in the list, -1 outside of a list
	problems *Problems
}

// New returns a form for the root of a document. A root that is not an object is a
// fault, and then the form is nil.
func New(root Source, problems *Problems) *Form {
	form := &Form{source: root, index: -1, problems: problems}
	if root.Kind() != Object {
		problems.Add("", nil, jsonObject)
		return nil
	}
	return form
}

// Source returns the object that the form reads; nil if there is none.
func (f *Form) Source() Source {
	if f == nil {
		return nil
	}
	return f.source
}

// path returns the prefix of the form's fields: "" at the root, "parcels[0]." in a
// parcel.
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

// Fault adds a fault of one field. The rule says what the field should hold.
func (f *Form) Fault(name string, rule Rule) {
	if f != nil {
		f.problems.Add(f.path()+name, f.Sent(name), rule)
	}
}

// SecretFault adds a fault of one field that must not show what the field holds.
func (f *Form) SecretFault(name string, rule Rule) {
	if f != nil {
		f.problems.Add(f.path()+name, nil, rule)
	}
}

// take reads a field of one kind. A field of another kind, a field that read
// refuses, and a required field that is missing are faults. rule is called only for a
// fault, because its arguments take memory and faults are rare.
func take[T any](
	f *Form, name string, presence Presence, kind Kind, read func(Source) (T, bool), rule func() Rule,
) (T, bool) {
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
	case Typed:
		if holds(kind, source.Text()) {
			if value, ok := read(source); ok {
				return value, true
			}
		}
	case Absent, Null:
		if presence == Optional {
			return none, false
		}
	default: // another kind
	}
	f.Fault(name, rule())
	return none, false
}

// Sent returns what a fault shows of a field.
func (f *Form) Sent(name string) any {
	if f == nil {
		return nil
	}
	return echo(f.source.Member(name))
}

// Has reports whether the field was sent and is not null.
func (f *Form) Has(name string) bool {
	return f != nil && f.source.Member(name).Kind() > Null
}

// IsNull reports whether the field was sent as null, which clears some fields.
func (f *Form) IsNull(name string) bool {
	return f != nil && f.source.Member(name).Kind() == Null
}

// Only adds a fault for every member of the object with another name. It is for
// documents in which unknown members must not be ignored.
func (f *Form) Only(names ...string) {
	if f == nil {
		return
	}
	for _, name := range f.source.Names() {
		if !slices.Contains(names, name) {
			f.Fault(Shorten(name, maxEcho), noSuchMember)
		}
	}
}

// TextRule says which texts a field may hold.
type TextRule struct {
	Rule   Rule
	Allows func(string) bool
	// parts are the rules of which And has made this one; nil for a rule of one part.
	parts []TextRule
}

// And returns the rule that allows what both rules allow. A fault names the first that a text
// breaks; a field that is missing breaks the first.
func (r TextRule) And(other TextRule) TextRule {
	return TextRule{
		Rule:   r.Rule,
		Allows: func(s string) bool { return r.Allows(s) && other.Allows(s) },
		parts:  []TextRule{r, other},
	}
}

// Broken returns the rule that a text breaks.
func (r TextRule) Broken(text string) Rule {
	for _, part := range r.parts {
		if !part.Allows(text) {
			return part.Broken(text)
		}
	}
	return r.Rule
}

// Length allows texts of atLeast to atMost characters (not bytes) without NUL,
// which PostgreSQL cannot store. If there must be any, one of them can be seen.
func Length(atLeast, atMost int) TextRule {
	if atLeast == 0 {
		return AnyLength(0, atMost)
	}
	return AnyLength(atLeast, atMost).And(NotBlank)
}

// AnyLength allows what Length does, and blank texts. It is for what is compared with texts
// that are stored, and not stored itself.
func AnyLength(atLeast, atMost int) TextRule {
	return TextRule{Rule: lengthRule(atLeast, atMost), Allows: func(s string) bool {
		if len(s) < atLeast || len(s) > 4*atMost {
			return false
		}
		count := utf8.RuneCountInString(s)
		return count >= atLeast && count <= atMost && strings.IndexByte(s, 0) < 0
	}}
}

func lengthRule(atLeast, atMost int) Rule {
	switch atLeast {
	case 0:
		return textAtMost.With("most", atMost)
	case 1:
		return textFromOne.With("most", atMost)
	default:
		return textLength.With("least", atLeast, "most", atMost)
	}
}

// OneOf allows the listed words and no others.
func OneOf[T ~string](words ...T) TextRule {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return TextRule{
		Rule:   oneOf.With("choices", texts),
		Allows: func(s string) bool { return slices.Contains(texts, s) },
	}
}

// Text reads a string.
func (f *Form) Text(name string, presence Presence, rule TextRule) string {
	broken := rule.Rule
	text, _ := take(f, name, presence, Text, func(s Source) (string, bool) {
		text := s.Text()
		if rule.Allows(text) {
			return text, true
		}
		broken = rule.Broken(text)
		return text, false
	}, func() Rule { return broken })
	return text
}

// NullableText reads a string that null clears: nil for an absent field, which a change
// leaves as it is.
func (f *Form) NullableText(name string, rule TextRule) *string {
	if text := f.Text(name, Optional, rule); f.Has(name) || f.IsNull(name) {
		return &text
	}
	return nil
}

// Secret reads a string that must not appear in an error, such as a password.
func (f *Form) Secret(name string, presence Presence, rule TextRule) string {
	if f == nil {
		return ""
	}
	value := f.source.Member(name)
	switch {
	case (value.Kind() == Text || value.Kind() == Typed) && rule.Allows(value.Text()):
		return value.Text()
	case value.Kind() > Null || presence == Required:
		f.SecretFault(name, rule.Rule)
	}
	return ""
}

// Decimal reads a number from least to most. It reports false if there is none.
func (f *Form) Decimal(name string, presence Presence, least, most float64) (float64, bool) {
	return take(f, name, presence, Number, func(s Source) (float64, bool) {
		number, err := strconv.ParseFloat(s.Text(), 64)
		return number, err == nil && number >= least && number <= most
	}, func() Rule { return decimal.With("least", least, "most", most) })
}

// Integer reads a whole number from least to most. 100.0 and 1e2 are whole, 10.5 is
// not. It reports false if there is none.
func (f *Form) Integer(name string, presence Presence, least, most int64) (int64, bool) {
	return take(f, name, presence, Number, func(s Source) (int64, bool) {
		number, ok := wholeNumber(s.Text())
		return number, ok && number >= least && number <= most
	}, func() Rule { return IntegerFrom(least, most) })
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

// Flag reads true or false; an absent field is false.
func (f *Form) Flag(name string) bool { return f.flag(name, Optional) }

// RequiredFlag reads true or false, which must be sent.
func (f *Form) RequiredFlag(name string) bool { return f.flag(name, Required) }

func (f *Form) flag(name string, presence Presence) bool {
	flag, _ := take(f, name, presence, Bool,
		func(s Source) (bool, bool) { return s.Text() == "true", true },
		func() Rule { return TrueOrFalse })
	return flag
}

// FlagIfSent reads true or false; nil for an absent field, which a change leaves as it is.
func (f *Form) FlagIfSent(name string) *bool {
	if flag := f.Flag(name); f.Has(name) {
		return &flag
	}
	return nil
}

// Time reads an RFC 3339 date-time with offset, as timestamp.Parse does.
func (f *Form) Time(name string, presence Presence) time.Time {
	at, _ := take(f, name, presence, Text,
		func(s Source) (time.Time, bool) { return timestamp.Parse(s.Text()) },
		func() Rule { return dateTime })
	return at
}

// DayRule is the rule for dates.
var DayRule = Define("day", "a date such as 2026-11-21")

// Day reads a date, as date.Parse does; 0 if there is none.
func (f *Form) Day(name string, presence Presence) date.Day {
	day, _ := take(f, name, presence, Text,
		func(s Source) (date.Day, bool) { return date.Parse(s.Text()) },
		func() Rule { return DayRule })
	return day
}

// Object reads a nested object; the form is nil if there is none.
func (f *Form) Object(name string, presence Presence) *Form {
	form, _ := take(f, name, presence, Object, func(s Source) (*Form, bool) {
		return &Form{source: s, parent: f, name: name, index: -1, problems: f.problems}, true
	}, func() Rule { return object })
	return form
}

// TimeWithOffset reads a time as Time does, and leaves it at the offset that was sent.
func (f *Form) TimeWithOffset(name string, presence Presence) time.Time {
	at, _ := take(f, name, presence, Text,
		func(s Source) (time.Time, bool) { return timestamp.ParseWithOffset(s.Text()) },
		func() Rule { return dateTime })
	return at
}

// Objects reads a list of least to most objects. A list that is too long is one
// fault, and its elements are not read.
func (f *Form) Objects(name string, presence Presence, least, most int) []*Form {
	elements, _ := take(f, name, presence, List, func(s Source) ([]Source, bool) {
		elements := s.Elements()
		return elements, len(elements) >= least && len(elements) <= most
	}, func() Rule { return objects.With("least", least, "most", most) })
	forms := make([]*Form, len(elements))
	for i, element := range elements {
		form := &Form{source: element, parent: f, name: name, index: i, problems: f.problems}
		if element.Kind() != Object {
			f.problems.Add(f.path()+form.place(), echo(element), object)
			continue
		}
		forms[i] = form
	}
	return forms
}

// Documents returns the elements of a list, for a reader to which each is a document of
// its own; none if there is no list.
func (f *Form) Documents(name string) []Source {
	if f == nil {
		return nil
	}
	return f.source.Member(name).Elements()
}

// Raw reads an object with any content, byte for byte as it was sent, of at most so
// many bytes.
func (f *Form) Raw(name string, most int) []byte {
	raw, _ := take(f, name, Optional, Object,
		func(s Source) ([]byte, bool) { return s.Raw(), len(s.Raw()) <= most },
		func() Rule { return objectSize.With("most", most) })
	return raw
}

// maxEcho is how many characters of a refused text a fault contains.
const maxEcho = 100

// echo returns what a fault shows of the refused value: a scalar as it was sent,
// and a mark in place of an object or a list.
func echo(value Source) any {
	switch value.Kind() {
	case Bool:
		return value.Text() == "true"
	case Number:
		// The digits as sent, because a float64 might have others. They become a text
		// if they are too large or too many for a number.
		digits := value.Text()
		if _, err := strconv.ParseFloat(digits, 64); err != nil || len(digits) > maxEcho {
			return digits
		}
		return json.RawMessage(digits)
	case Text, Typed:
		return value.Text()
	case List:
		return "[…]"
	case Object:
		return "{…}"
	default:
		return nil
	}
}

// Shorten cuts a text to at most so many characters, and marks the cut by an
// ellipsis.
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
