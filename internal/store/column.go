package store

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// column ties a column of a table to the field of a row that it holds: how the
// field becomes a parameter, and where a scan puts what was read.
//
// R is a pointer to the row, here and wherever this package has an R: the compiler
// makes one body of a generic function for all pointers, but one for each type of
// row. For the same reason the columns of which there are hundreds are made by
// functions that are not inlined: otherwise each column would get closures of its
// own to compile. The two took as long as the rest of the package.
type column[R any] struct {
	columnSpec
	bind func(of R, b binder)
	into func(of R) any
}

// text is a column of a string.
//
//go:noinline
func text[R any](name string, field func(R) *string) column[R] {
	return column[R]{
		columnSpec{name, textColumn},
		func(of R, b binder) { b.text(*field(of)) },
		func(of R) any { return field(of) },
	}
}

// integer is a column of a whole number.
//
//go:noinline
func integer[R any](name string, field func(R) *int64) column[R] {
	return column[R]{
		columnSpec{name, integerColumn},
		func(of R, b binder) { b.integer(*field(of)) },
		func(of R) any { return field(of) },
	}
}

// count is a column of a whole number that is held as an int.
func count[R any](name string, field func(R) *int) column[R] {
	return column[R]{
		columnSpec{name, integerColumn},
		func(of R, b binder) { b.integer(int64(*field(of))) },
		func(of R) any { return field(of) },
	}
}

// moment is a column of a time, in microseconds since 1970; 0 is the zero time.
//
//go:noinline
func moment[R any](name string, field func(R) *time.Time) column[R] {
	return column[R]{
		columnSpec{name, integerColumn},
		func(of R, b binder) { b.integer(micros(*field(of))) },
		func(of R) any { return field(of) },
	}
}

// flag is a column of true (1) or false (0).
func flag[R any](name string, field func(R) *bool) column[R] {
	return column[R]{
		columnSpec{name, integerColumn},
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

// blob is a column of bytes. Empty bytes are not NULL.
func blob[R any](name string, field func(R) *[]byte) column[R] {
	return column[R]{
		columnSpec{name, bytesColumn},
		func(of R, b binder) { b.bytes(notNil(*field(of))) },
		func(of R) any { return field(of) },
	}
}

func notNil(p []byte) []byte {
	if p == nil {
		return []byte{}
	}
	return p
}

// fixed is a column of bytes that an array of fixed length holds; field returns
// the array as a slice.
func fixed[R any](name string, field func(R) []byte) column[R] {
	return column[R]{
		columnSpec{name, bytesColumn},
		func(of R, b binder) { b.bytes(field(of)) },
		func(of R) any { return fixedBytes(field(of)) },
	}
}

// document is a column of text that is held as bytes, such as JSON to be passed
// on unread.
func document[R any](name string, field func(R) *[]byte) column[R] {
	return column[R]{
		columnSpec{name, textColumn},
		func(of R, b binder) { b.text(string(*field(of))) },
		func(of R) any { return field(of) },
	}
}

// jsonText is a column of a value as JSON; an empty value is stored as "". damaged
// is called for a row whose text cannot be read, with the reason.
func jsonText[R, V any](name string, field func(R) *V, empty func(V) bool, damaged func(R, error)) column[R] {
	return encoded(name, func(of R) (string, error) {
		if empty(*field(of)) {
			return "", nil
		}
		encoded, err := strictjson.Marshal(*field(of))
		return string(encoded), err
	}, func(of R, stored string) error {
		if err := fromJSON(stored, field(of)); err != nil {
			damaged(of, fmt.Errorf("%s: %w", name, err))
		}
		return nil
	})
}

// encoded is a column of text that a field is written to and read from.
func encoded[R any](name string, write func(R) (string, error), read func(R, string) error) column[R] {
	return column[R]{
		columnSpec{name, textColumn},
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

// reading is an encoded column of one row that is being scanned.
type reading[R any] struct {
	of   R
	read func(R, string) error
}

func (r reading[R]) scanText(stored string) error { return r.read(r.of, stored) }

func fromJSON(stored string, value any) error {
	if stored == "" {
		return nil
	}
	return strictjson.Unmarshal([]byte(stored), value)
}

// specs returns columns as SQL knows them.
func specs[R any](columns []column[R]) []columnSpec {
	all := make([]columnSpec, len(columns))
	for i, c := range columns {
		all[i] = c.columnSpec
	}
	return all
}

// bindColumns binds the columns of one row.
func bindColumns[R any](columns []column[R], of R, b binder) {
	for _, c := range columns {
		c.bind(of, b)
	}
}

// within returns columns of rows that hold a P among other things.
func within[R, P any](part func(R) P, columns ...column[P]) []column[R] {
	all := make([]column[R], len(columns))
	for i, c := range columns {
		all[i] = column[R]{
			c.columnSpec,
			func(of R, b binder) { c.bind(part(of), b) },
			func(of R) any { return c.into(part(of)) },
		}
	}
	return all
}
