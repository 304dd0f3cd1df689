package store

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// column ties a column of a table to the field of T that it holds: how the
// field becomes a parameter, and where a scan puts what was read.
type column[T any] struct {
	columnSpec
	bind func(of *T, b binder)
	into func(of *T) any
}

// text is a column of a string.
func text[T any](name string, field func(*T) *string) column[T] {
	return column[T]{
		columnSpec{name, textColumn},
		func(of *T, b binder) { b.text(*field(of)) },
		func(of *T) any { return field(of) },
	}
}

// integer is a column of a whole number.
func integer[T any](name string, field func(*T) *int64) column[T] {
	return column[T]{
		columnSpec{name, integerColumn},
		func(of *T, b binder) { b.integer(*field(of)) },
		func(of *T) any { return field(of) },
	}
}

// count is a column of a whole number that is held as an int.
func count[T any](name string, field func(*T) *int) column[T] {
	return column[T]{
		columnSpec{name, integerColumn},
		func(of *T, b binder) { b.integer(int64(*field(of))) },
		func(of *T) any { return field(of) },
	}
}

// moment is a column of a time, in microseconds since 1970; 0 is the zero time.
func moment[T any](name string, field func(*T) *time.Time) column[T] {
	return column[T]{
		columnSpec{name, integerColumn},
		func(of *T, b binder) { b.integer(micros(*field(of))) },
		func(of *T) any { return field(of) },
	}
}

// flag is a column of true (1) or false (0).
func flag[T any](name string, field func(*T) *bool) column[T] {
	return column[T]{
		columnSpec{name, integerColumn},
		func(of *T, b binder) { b.integer(flagOf(*field(of))) },
		func(of *T) any { return field(of) },
	}
}

func flagOf(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// blob is a column of bytes. Empty bytes are not NULL.
func blob[T any](name string, field func(*T) *[]byte) column[T] {
	return column[T]{
		columnSpec{name, bytesColumn},
		func(of *T, b binder) { b.bytes(notNil(*field(of))) },
		func(of *T) any { return field(of) },
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
func fixed[T any](name string, field func(*T) []byte) column[T] {
	return column[T]{
		columnSpec{name, bytesColumn},
		func(of *T, b binder) { b.bytes(field(of)) },
		func(of *T) any { return fixedBytes(field(of)) },
	}
}

// document is a column of text that is held as bytes, such as JSON to be passed
// on unread.
func document[T any](name string, field func(*T) *[]byte) column[T] {
	return column[T]{
		columnSpec{name, textColumn},
		func(of *T, b binder) { b.text(string(*field(of))) },
		func(of *T) any { return field(of) },
	}
}

// jsonText is a column of a value as JSON; an empty value is stored as "". damaged
// is called for a row whose text cannot be read, with the reason.
func jsonText[T, V any](name string, field func(*T) *V, empty func(V) bool, damaged func(*T, error)) column[T] {
	return encoded(name, func(of *T) (string, error) {
		if empty(*field(of)) {
			return "", nil
		}
		encoded, err := strictjson.Marshal(*field(of))
		return string(encoded), err
	}, func(of *T, stored string) error {
		if err := fromJSON(stored, field(of)); err != nil {
			damaged(of, fmt.Errorf("%s: %w", name, err))
		}
		return nil
	})
}

// encoded is a column of text that a field is written to and read from.
func encoded[T any](name string, write func(*T) (string, error), read func(*T, string) error) column[T] {
	return column[T]{
		columnSpec{name, textColumn},
		func(of *T, b binder) {
			stored, err := write(of)
			if err != nil {
				b.fail(err)
			}
			b.text(stored)
		},
		func(of *T) any { return reading[T]{of, read} },
	}
}

// reading is an encoded column of one row that is being scanned.
type reading[T any] struct {
	of   *T
	read func(*T, string) error
}

func (r reading[T]) scanText(stored string) error { return r.read(r.of, stored) }

func fromJSON(stored string, value any) error {
	if stored == "" {
		return nil
	}
	return strictjson.Unmarshal([]byte(stored), value)
}

// specs returns columns as SQL knows them.
func specs[T any](columns []column[T]) []columnSpec {
	all := make([]columnSpec, len(columns))
	for i, c := range columns {
		all[i] = c.columnSpec
	}
	return all
}

// bindColumns binds the columns of one row.
func bindColumns[T any](columns []column[T], of *T, b binder) {
	for _, c := range columns {
		c.bind(of, b)
	}
}

// within returns columns of rows that hold a T among other things.
func within[R, T any](part func(*R) *T, columns ...column[T]) []column[R] {
	all := make([]column[R], len(columns))
	for i, c := range columns {
		all[i] = column[R]{
			c.columnSpec,
			func(of *R, b binder) { c.bind(part(of), b) },
			func(of *R) any { return c.into(part(of)) },
		}
	}
	return all
}
