package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// storedRow is a row of any table: a value for each of its columns, in their
// order.
type storedRow struct{ values []value }

// value is what a column of a row holds, in the field of the column's kind.
type value struct {
	text    string
	integer int64
	bytes   []byte
}

// storedColumn is the column at a place among all columns of a table.
func storedColumn(spec columnSpec, place, columns int) column[*storedRow] {
	field := func(r *storedRow) *value {
		if r.values == nil {
			r.values = make([]value, columns)
		}
		return &r.values[place]
	}
	column := column[*storedRow]{columnSpec: spec}
	switch spec.kind {
	case textColumn:
		column.bind = func(r *storedRow, b binder) { b.text(field(r).text) }
		column.into = func(r *storedRow) any { return &field(r).text }
	case integerColumn:
		column.bind = func(r *storedRow, b binder) { b.integer(field(r).integer) }
		column.into = func(r *storedRow) any { return &field(r).integer }
	case bytesColumn:
		column.bind = func(r *storedRow, b binder) { b.bytes(notNil(field(r).bytes)) }
		column.into = func(r *storedRow) any { return &field(r).bytes }
	}
	return column
}

// size returns roughly how many bytes of memory the row takes.
func (r *storedRow) size() int {
	size := 0
	for _, v := range r.values {
		size += 8 + len(v.text) + len(v.bytes)
	}
	return size
}

// keyText is a primary key as text: a value for each of its columns.
type keyText []string

func (t *storedTable) keyOf(row *storedRow) keyText {
	text := make(keyText, len(t.key))
	for i, column := range t.key {
		switch v := row.values[i]; column.kind {
		case textColumn:
			text[i] = v.text
		case integerColumn:
			text[i] = strconv.FormatInt(v.integer, 10)
		case bytesColumn:
			text[i] = hex.EncodeToString(v.bytes)
		}
	}
	return text
}

// parameters returns the values that a key stands for.
func (t *storedTable) parameters(text keyText) ([]any, error) {
	if len(text) != len(t.key) {
		return nil, fmt.Errorf("%s: got a key of %d values, want %d", t.name, len(text), len(t.key))
	}
	parameters := make([]any, len(text))
	for i, column := range t.key {
		var err error
		switch column.kind {
		case textColumn:
			parameters[i] = text[i]
		case integerColumn:
			parameters[i], err = strconv.ParseInt(text[i], 10, 64)
		case bytesColumn:
			parameters[i], err = hex.DecodeString(text[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: read the key %q: %w", t.name, text, err)
		}
	}
	return parameters, nil
}

// pageBytes ends a page early, because rows may be large.
const pageBytes = 4 << 20

// page returns the rows that follow a key, or the first rows if it is empty, in
// the order in which this engine sorts keys: texts are not sorted alike
// everywhere.
func (t *storedTable) page(ctx context.Context, c conn, after keyText, limit int) (rows []*storedRow, err error) {
	var rest conditions
	keys := names(specs(t.key))
	if len(after) > 0 {
		parameters, err := t.parameters(after)
		if err != nil {
			return nil, err
		}
		rest.add("("+keys+") > (?"+strings.Repeat(", ?", len(after)-1)+")", parameters...)
	}
	tail, args := rest.clause("ORDER BY "+keys+" LIMIT ?", limit)
	room := pageBytes
	err = t.each(ctx, c, tail, args, func(r *storedRow) error {
		if room <= 0 {
			return errPageFull
		}
		rows, room = append(rows, r), room-r.size()
		return nil
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return rows, err
}
