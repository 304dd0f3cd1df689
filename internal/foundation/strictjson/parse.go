// Package strictjson reads and writes JSON as the contract wants it: member
// names are case-sensitive and unique, text is UTF-8, nothing trails, numbers
// keep their digits, and an object can be kept byte for byte.
//
// Reading gives a tree of values that delivery's forms walk, so that one pass
// over a request can tell every fault in it, wrong types included.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/go-json-experiment/json/jsontext"
)

// maxValues bounds how many values each begun megabyte of a document may hold,
// and so the memory that reading it can take. The largest order that obeys all
// rules has a tenth of it.
const maxValues = 100_000

// mostValues is how many values a document of so many bytes may hold.
func mostValues(size int) int { return maxValues * (1 + size>>20) }

// Value is one value of a document. It implements delivery.Source.
type Value struct {
	kind  form.Kind
	name  []byte // unquoted; only for a member of an object
	raw   []byte
	next  *Value // the sibling that follows
	child *Value // the first member or element
}

var absent = &Value{}

// Parse reads one whole document. Every fault of form is a bad_request.
func Parse(data []byte) (*Value, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data))
	if _, err := decoder.ReadValue(); err != nil {
		return nil, malformed(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, refusal.New(refusal.CodeBadRequest, "the body has more than one JSON value")
	}
	root, err := scan(data)
	if err != nil {
		return nil, malformed(err)
	}
	return root, nil
}

// ParseTrusted reads a document that Parse has accepted before, or that this
// service wrote: several times as fast, because it looks only for where values
// begin and end. On anything else it may misread, but does no harm.
func ParseTrusted(data []byte) (*Value, error) { return scan(data) }

// unquote gives the text of a valid JSON string; without escapes that is a
// slice of it.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	// The decoder has accepted the string, so that unquoting cannot fail.
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}

// Kind tells what the value is.
func (v *Value) Kind() form.Kind { return v.kind }

// Member finds a member of an object by its exact name.
func (v *Value) Member(name string) form.Source {
	if v.kind == form.Object {
		for member := v.child; member != nil; member = member.next {
			if string(member.name) == name {
				return member
			}
		}
	}
	return absent
}

// Names lists the members of an object, as they were written.
func (v *Value) Names() []string {
	var names []string
	if v.kind == form.Object {
		for member := v.child; member != nil; member = member.next {
			names = append(names, string(member.name))
		}
	}
	return names
}

// Elements lists the elements of a list.
func (v *Value) Elements() []form.Source {
	var elements []form.Source
	if v.kind == form.List {
		for element := v.child; element != nil; element = element.next {
			elements = append(elements, element)
		}
	}
	return elements
}

// Text is the text of a string, the digits of a number, or true or false.
func (v *Value) Text() string {
	if v.kind == form.Text {
		return string(unquote(v.raw))
	}
	return string(v.raw)
}

// Raw is the value as it was written. It shares the memory of the input.
func (v *Value) Raw() []byte { return v.raw }

// malformed says what is wrong with a document, and where.
func malformed(err error) error {
	message := err.Error()
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		message = "it ends too early"
	case !errors.As(err, &syntax):
	case errors.Is(err, jsontext.ErrDuplicateName):
		message = fmt.Sprintf("a member of an object is named twice, at byte %d", syntax.ByteOffset)
	default:
		message = fmt.Sprintf("%v at byte %d", syntax.Err, syntax.ByteOffset)
	}
	return refusal.New(refusal.CodeBadRequest, "the body is not valid JSON: "+message)
}
