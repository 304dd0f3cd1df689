package db

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
func storedColumn(spec Spec, place, columns int) Column[*storedRow] {
	field := func(r *storedRow) *value {
		if r.values == nil {
			r.values = make([]value, columns)
		}
		return &r.values[place]
	}
	column := Column[*storedRow]{Spec: spec}
	switch spec.Kind {
	case TextKind:
		column.bind = func(r *storedRow, b binder) { b.text(field(r).text) }
		column.into = func(r *storedRow) any { return &field(r).text }
	case IntegerKind:
		column.bind = func(r *storedRow, b binder) { b.integer(field(r).integer) }
		column.into = func(r *storedRow) any { return &field(r).integer }
	case BytesKind:
		column.bind = func(r *storedRow, b binder) { b.bytes(NotNil(field(r).bytes)) }
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

func (t *StoredTable) keyOf(row *storedRow) keyText {
	text := make(keyText, len(t.Key))
	for i, column := range t.Key {
		switch v := row.values[i]; column.Kind {
		case TextKind:
			text[i] = v.text
		case IntegerKind:
			text[i] = strconv.FormatInt(v.integer, 10)
		case BytesKind:
			text[i] = hex.EncodeToString(v.bytes)
		}
	}
	return text
}

// parameters returns the values that a key stands for.
func (t *StoredTable) parameters(text keyText) ([]any, error) {
	if len(text) != len(t.Key) {
		return nil, fmt.Errorf("%s: got a key of %d values, want %d", t.Name, len(text), len(t.Key))
	}
	parameters := make([]any, len(text))
	for i, column := range t.Key {
		var err error
		switch column.Kind {
		case TextKind:
			parameters[i] = text[i]
		case IntegerKind:
			parameters[i], err = strconv.ParseInt(text[i], 10, 64)
		case BytesKind:
			parameters[i], err = hex.DecodeString(text[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: read the key %q: %w", t.Name, text, err)
		}
	}
	return parameters, nil
}

// errPageFull ends a query early.
var errPageFull = errors.New("the page is full")

// pageBytes ends a page early, because rows may be large.
const pageBytes = 4 << 20

// page returns the rows that follow a key, or the first rows if it is empty, in
// the order in which this engine sorts keys: texts are not sorted alike
// everywhere.
func (t *StoredTable) page(ctx context.Context, c Conn, after keyText, limit int) (rows []*storedRow, err error) {
	var rest Conditions
	keys := names(specs(t.Key))
	if len(after) > 0 {
		parameters, err := t.parameters(after)
		if err != nil {
			return nil, err
		}
		rest.Add("("+keys+") > (?"+strings.Repeat(", ?", len(after)-1)+")", parameters...)
	}
	tail, args := rest.Clause("ORDER BY "+keys+" LIMIT ?", limit)
	room := pageBytes
	err = t.Each(ctx, c, tail, args, func(r *storedRow) error {
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
