package strictjson

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

var (
	errTooManyValues = fmt.Errorf("more than %d values to the megabyte", maxValues)
	errNotJSON       = errors.New("not a JSON document")
)

// scanner builds the tree of a document that is known to be valid JSON.
type scanner struct {
	data  []byte
	at    int     // the next byte to read
	count int     // how many values it has read
	spare []Value // for the next values; allocated in chunks
}

const (
	// chunk is how many values are allocated at a time, at most.
	chunk = 64
	// spacing is how many bytes of a document there are to a value, about.
	spacing = 20
)

func scan(data []byte) (*Value, error) {
	s := scanner{data: data, spare: make([]Value, min(1+len(data)/spacing, 2*chunk))}
	return s.value()
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) value() (*Value, error) {
	if s.count++; s.count > mostValues(len(s.data)) {
		return nil, errTooManyValues
	}
	v, first := s.alloc(), s.peek()
	start := s.at
	v.kind = kindOf(first)
	var err error
	switch v.kind {
	case form.Object, form.List:
		err = s.inside(v)
	case form.Text:
		err = s.text()
	case form.Absent:
		err = errNotJSON
	default:
		s.literal()
	}
	v.raw = s.data[start:s.at]
	return v, err
}

func kindOf(first byte) form.Kind {
	switch first {
	case '{':
		return form.Object
	case '[':
		return form.List
	case '"':
		return form.Text
	case 'n':
		return form.Null
	case 't', 'f':
		return form.Bool
	case 0:
		return form.Absent
	default:
		return form.Number
	}
}

// inside reads the members or elements of v, from the opening to the closing
// bracket.
func (s *scanner) inside(v *Value) error {
	s.at++
	for tail := &v.child; ; tail = &(*tail).next {
		switch s.peek() {
		case '}', ']':
			s.at++
			return nil
		case ',':
			s.at++
		}
		inner, err := s.inner(v.kind)
		if err != nil {
			return err
		}
		*tail = inner
	}
}

func (s *scanner) inner(kind form.Kind) (*Value, error) {
	if kind == form.List {
		return s.value()
	}
	if s.peek() != '"' {
		return nil, errNotJSON
	}
	start := s.at
	if err := s.text(); err != nil {
		return nil, err
	}
	name := unquote(s.data[start:s.at])
	if s.peek() != ':' {
		return nil, errNotJSON
	}
	s.at++
	v, err := s.value()
	if err == nil {
		v.name = name
	}
	return v, err
}

// text skips a string, up to the first quote that is not escaped.
func (s *scanner) text() error {
	for from := s.at + 1; ; from = s.at {
		quote := bytes.IndexByte(s.data[from:], '"')
		if quote < 0 {
			return errNotJSON
		}
		s.at = from + quote + 1
		slashes := 0
		for s.data[s.at-2-slashes] == '\\' && s.at-2-slashes >= from {
			slashes++
		}
		if slashes%2 == 0 {
			return nil
		}
	}
}

// literal skips a number, true, false or null.
func (s *scanner) literal() {
	for ; s.at < len(s.data); s.at++ {
		switch s.data[s.at] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return
		}
	}
}

func (s *scanner) alloc() *Value {
	if len(s.spare) == 0 {
		s.spare = make([]Value, chunk)
	}
	v := &s.spare[0]
	s.spare = s.spare[1:]
	return v
}
