package form

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FromValues returns what a person typed into a form of a page. Fields are named by their
// paths, such as lines[0].quantity, and all of them hold text: a field of a form reads the
// number or the flag in it. A field that is empty is absent; an object whose members are
// all empty is there, so that each missing member is a fault of its own. A name that ends
// in [] says that there is a list, which may be empty. convert returns what a text means to
// the use case, such as 1250 for 12,50 in a field of dollars; nil changes nothing.
func FromValues(values url.Values, convert func(path, text string) string) Source {
	return typed{values: values, convert: convert}
}

// FromChanges does the same for the fields that a person changed: one that is empty was
// cleared, and holds the empty text.
func FromChanges(changed url.Values, convert func(path, text string) string) Source {
	return typed{values: changed, convert: convert, cleared: true}
}

// typed is a field, an object or a list of a form, or the whole of it.
type typed struct {
	values  url.Values
	convert func(path, text string) string
	cleared bool   // whether an empty field holds the empty text
	path    string // empty for the whole
	text    string // of an element of a field with several values
}

// Kind returns Typed for a field that is not absent.
func (t typed) Kind() Kind {
	switch {
	case t.path == "":
		return Object
	case t.Text() != "", t.cleared && t.values.Has(t.path):
		return Typed
	case t.contains("."):
		return Object
	case t.contains("["):
		return List
	default:
		return Absent
	}
}

func (t typed) contains(separator string) bool {
	for name := range t.values {
		if strings.HasPrefix(name, t.path+separator) {
			return true
		}
	}
	return false
}

// Member returns the field, the object or the list with a name.
func (t typed) Member(name string) Source {
	if t.path != "" {
		name = t.path + "." + name
	}
	return t.at(name)
}

func (t typed) at(path string) typed {
	t.path = path
	return t
}

// Names returns the names of members that are not absent. Names that begin with an
// underscore belong to the page.
func (t typed) Names() (names []string) {
	for name := range t.values {
		inside, found := strings.CutPrefix(name, t.path)
		if t.path != "" {
			inside, found = strings.CutPrefix(inside, ".")
		}
		if end := strings.IndexAny(inside, ".["); end >= 0 {
			inside = inside[:end]
		}
		if found && !strings.HasPrefix(inside, "_") && t.Member(inside).Kind() != Absent {
			names = append(names, inside)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Elements returns the rows of a list in the order of their positions, or the values of a
// field that has several. Pages close gaps between rows before, so that a position in a
// fault is that of the row.
func (t typed) Elements() (elements []Source) {
	if texts := t.values[t.path]; len(texts) > 0 {
		for _, text := range texts {
			elements = append(elements, typed{convert: t.convert, path: t.path, text: text})
		}
		return elements
	}
	for _, i := range Rows(t.values, t.path) {
		elements = append(elements, t.at(t.path+"["+strconv.Itoa(i)+"]"))
	}
	return elements
}

// Text returns what was typed, as convert has it.
func (t typed) Text() string {
	text := t.text
	if t.values != nil {
		text = t.values.Get(t.path)
	}
	if t.convert != nil && text != "" {
		return t.convert(t.path, text)
	}
	return text
}

// Raw returns what was typed.
func (t typed) Raw() []byte { return []byte(t.Text()) }

// Rows returns the positions that a list has in the names of a form's fields, in order.
func Rows(values url.Values, list string) (rows []int) {
	for name := range values {
		if i, _, ok := RowOf(name, list); ok {
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// RowOf returns the position that the name of a field has in a list, and what follows it in
// the name. It is false for names of other fields.
func RowOf(name, list string) (i int, rest string, ok bool) {
	inside, found := strings.CutPrefix(name, list+"[")
	digits, rest, closed := strings.Cut(inside, "]")
	i, err := strconv.Atoi(digits)
	return i, rest, found && closed && err == nil && i >= 0 && strconv.Itoa(i) == digits
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// IsNumber reports whether a text is a number in the notation of JSON, without an exponent.
func IsNumber(text string) bool { return number.MatchString(text) }

// holds reports whether a text that was typed can be read as a kind.
func holds(kind Kind, text string) bool {
	switch kind {
	case Text, List:
		return true
	case Number:
		return IsNumber(text)
	case Bool:
		return text == "true" || text == "false"
	default:
		return false
	}
}
