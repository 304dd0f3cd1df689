// Package strictjson reads and writes JSON as the partner interface demands: member
// names are case-sensitive and unique, text is UTF-8, nothing follows the document,
// numbers keep their digits, and objects can be kept byte for byte.
//
// Parsing returns a tree of values for package form, which can then find all faults
// of a request in one pass, wrong types included.
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

// maxValues bounds how many values a document may hold per begun megabyte, and so
// the memory that parsing it takes. The largest valid order has a tenth of it.
const maxValues = 100_000

// mostValues returns how many values a document of so many bytes may hold.
func mostValues(size int) int { return maxValues * (1 + size>>20) }

// Value is one value of a document. It implements form.Source.
type Value struct {
	kind  form.Kind
	name  []byte // without quotes and escapes; set only for a member of an object
	raw   []byte
	next  *Value // the next member or element of the same object or list
	child *Value // the first member or element of this object or list
}

var absent = &Value{}

// Parse parses a document that consists of one JSON value. Its errors are refusals
// with bad_request.
func Parse(data []byte) (*Value, error) {
	if !jsontext.Value(data).IsValid() { // which reuses its decoders
		return nil, fault(data)
	}
	root, err := scan(data)
	if err != nil {
		return nil, malformed(err)
	}
	return root, nil
}

// fault returns the refusal of a document that is not valid.
func fault(data []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data))
	if _, err := decoder.ReadValue(); err != nil {
		return malformed(err)
	}
	return refusal.New(refusal.CodeBadRequest, "the body has more than one JSON value")
}

// ParseTrusted parses a document that Parse has accepted before, or that this
// service has written. It is several times as fast as Parse, because it only looks
// for the bounds of values. It never panics, but misreads documents that Parse
// would refuse.
func ParseTrusted(data []byte) (*Value, error) { return scan(data) }

// CutText returns the text of the string with which trusted JSON begins, and what follows
// the string.
func CutText(data []byte) (text string, rest []byte, err error) {
	s := scanner{data: data}
	if s.peek() != '"' {
		return "", data, errNotJSON
	}
	start := s.at
	if err := s.text(); err != nil {
		return "", data, err
	}
	return string(unquote(data[start:s.at])), data[s.at:], nil
}

// unquote returns the text of a valid JSON string. Without escapes, that is a slice
// of the input.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	// The error is always nil, because the decoder has accepted the string.
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}

// Kind returns the value's kind.
func (v *Value) Kind() form.Kind { return v.kind }

// Member returns a member of an object by its exact name, or a value of kind Absent.
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

// Names returns the names of an object's members, in the order of the document.
func (v *Value) Names() []string {
	var names []string
	if v.kind == form.Object {
		for member := v.child; member != nil; member = member.next {
			names = append(names, string(member.name))
		}
	}
	return names
}

// Elements returns the elements of a list.
func (v *Value) Elements() []form.Source {
	var elements []form.Source
	if v.kind == form.List {
		for element := v.child; element != nil; element = element.next {
			elements = append(elements, element)
		}
	}
	return elements
}

// Text returns the text of a string, the digits of a number, or true or false.
func (v *Value) Text() string {
	if v.kind == form.Text {
		return string(unquote(v.raw))
	}
	return string(v.raw)
}

// Raw returns the value byte for byte as it was sent. It shares memory with the
// input.
func (v *Value) Raw() []byte { return v.raw }

// malformed returns the refusal of a document. It says what is wrong, and where.
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
