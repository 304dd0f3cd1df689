package db

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// Column ties a column of a table to the field of a row that it holds: how the
// field becomes a parameter, and where a scan puts what was read.
//
// R is a pointer to the row, here and wherever this package has an R: the compiler
// makes one body of a generic function for all pointers, but one for each type of
// row. For the same reason the columns of which there are hundreds are made by
// functions that are not inlined: otherwise each column would get closures of its
// own to compile. The two took as long as the rest of the package.
type Column[R any] struct {
	Spec
	bind func(of R, b binder)
	into func(of R) any
}

// Text is a column of a string.
//
//go:noinline
func Text[R any](name string, field func(R) *string) Column[R] {
	return Column[R]{
		Spec{name, TextKind},
		func(of R, b binder) { b.text(*field(of)) },
		func(of R) any { return field(of) },
	}
}

// Integer is a column of a whole number.
//
//go:noinline
func Integer[R any](name string, field func(R) *int64) Column[R] {
	return Column[R]{
		Spec{name, IntegerKind},
		func(of R, b binder) { b.integer(*field(of)) },
		func(of R) any { return field(of) },
	}
}

// Count is a column of a whole number that is held as an int.
func Count[R any](name string, field func(R) *int) Column[R] {
	return Column[R]{
		Spec{name, IntegerKind},
		func(of R, b binder) { b.integer(int64(*field(of))) },
		func(of R) any { return field(of) },
	}
}

// Moment is a column of a time, in microseconds since 1970; 0 is the zero time.
//
//go:noinline
func Moment[R any](name string, field func(R) *time.Time) Column[R] {
	return Column[R]{
		Spec{name, IntegerKind},
		func(of R, b binder) { b.integer(micros(*field(of))) },
		func(of R) any { return field(of) },
	}
}

// Flag is a column of true (1) or false (0).
func Flag[R any](name string, field func(R) *bool) Column[R] {
	return Column[R]{
		Spec{name, IntegerKind},
		func(of R, b binder) { b.integer(flagOf(*field(of))) },
		func(of R) any { return field(of) },
	}
}

func flagOf(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// Blob is a column of bytes. Empty bytes are not NULL.
func Blob[R any](name string, field func(R) *[]byte) Column[R] {
	return Column[R]{
		Spec{name, BytesKind},
		func(of R, b binder) { b.bytes(NotNil(*field(of))) },
		func(of R) any { return field(of) },
	}
}

// NotNil returns bytes that are not NULL in the database, although they may be empty.
func NotNil(p []byte) []byte {
	if p == nil {
		return []byte{}
	}
	return p
}

// Fixed is a column of bytes that an array of fixed length holds; field returns
// the array as a slice.
func Fixed[R any](name string, field func(R) []byte) Column[R] {
	return Column[R]{
		Spec{name, BytesKind},
		func(of R, b binder) { b.bytes(field(of)) },
		func(of R) any { return fixedBytes(field(of)) },
	}
}

// Document is a column of text that is held as bytes, such as JSON to be passed
// on unread.
func Document[R any](name string, field func(R) *[]byte) Column[R] {
	return Column[R]{
		Spec{name, TextKind},
		func(of R, b binder) { b.text(string(*field(of))) },
		func(of R) any { return field(of) },
	}
}

// JSON is a column of a value as JSON; an empty value is stored as "". damaged
// is called for a row whose text cannot be read, with the reason.
func JSON[R, V any](name string, field func(R) *V, empty func(V) bool, damaged func(R, error)) Column[R] {
	return Encoded(name, func(of R) (string, error) {
		if empty(*field(of)) {
			return "", nil
		}
		encoded, err := strictjson.Marshal(*field(of))
		return string(encoded), err
	}, func(of R, stored string) error {
		if err := ReadJSON(stored, field(of)); err != nil {
			damaged(of, fmt.Errorf("%s: %w", name, err))
		}
		return nil
	})
}

// Encoded is a column of text that a field is written to and read from.
func Encoded[R any](name string, write func(R) (string, error), read func(R, string) error) Column[R] {
	return Column[R]{
		Spec{name, TextKind},
		func(of R, b binder) {
			stored, err := write(of)
			if err != nil {
				b.fail(err)
			}
			b.text(stored)
		},
		func(of R) any { return reading[R]{of, read} },
	}
}

// EncodedBytes is a column of bytes that a field is written to and read from. What read gets
// is valid until it returns.
func EncodedBytes[R any](name string, write func(R) []byte, read func(of R, stored []byte)) Column[R] {
	return Column[R]{
		Spec{name, BytesKind},
		func(of R, b binder) { b.bytes(NotNil(write(of))) },
		func(of R) any { return readingBytes[R]{of, read} },
	}
}

// reading is an encoded column of one row that is being scanned.
type reading[R any] struct {
	of   R
	read func(R, string) error
}

func (r reading[R]) scanText(stored string) error { return r.read(r.of, stored) }

// readingBytes is a column of encoded bytes of one row that is being scanned.
type readingBytes[R any] struct {
	of   R
	read func(R, []byte)
}

func (r readingBytes[R]) scanBytes(stored []byte) { r.read(r.of, stored) }

// ScanBytes implements pgtype.BytesScanner.
func (r readingBytes[R]) ScanBytes(stored []byte) error {
	r.scanBytes(stored)
	return nil
}

// ReadJSON reads a value from a column of JSON, in which an empty value is stored as "".
func ReadJSON(stored string, value any) error {
	if stored == "" {
		return nil
	}
	return strictjson.Unmarshal([]byte(stored), value)
}

// specs returns columns as SQL knows them.
func specs[R any](columns []Column[R]) []Spec {
	all := make([]Spec, len(columns))
	for i, c := range columns {
		all[i] = c.Spec
	}
	return all
}

// bindColumns binds the columns of one row.
func bindColumns[R any](columns []Column[R], of R, b binder) {
	for _, c := range columns {
		c.bind(of, b)
	}
}

// Within returns columns of rows that hold a P among other things.
func Within[R, P any](part func(R) P, columns ...Column[P]) []Column[R] {
	all := make([]Column[R], len(columns))
	for i, c := range columns {
		all[i] = Column[R]{
			c.Spec,
			func(of R, b binder) { c.bind(part(of), b) },
			func(of R) any { return c.into(part(of)) },
		}
	}
	return all
}
