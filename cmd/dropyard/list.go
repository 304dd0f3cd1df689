package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// listFlags say how much of a list is printed, and how.
type listFlags struct {
	Limit int  `short:"n" help:"Number of rows to print at most." default:"20" placeholder:"N"`
	All   bool `help:"Print all rows."`
	outputFlags

	none string // replaces the notice that there are none, if it is set
}

// column is a column of a list of T.
type column[T any] struct {
	title string
	cell  func(T) terminal.Cell
	right bool
}

// text returns a column of plain text.
func text[T any](title string, value func(T) string) column[T] {
	return column[T]{title: title, cell: func(t T) terminal.Cell { return terminal.Cell{Text: value(t)} }}
}

// figure returns a column of numbers.
func figure[T any](title string, value func(T) string) column[T] {
	c := text(title, value)
	c.right = true
	return c
}

// status returns a column of statuses.
func status[T any, S ~string](title string, value func(T) S) column[T] {
	return column[T]{title: title, cell: func(t T) terminal.Cell { return statusCell(value(t)) }}
}

// nextPage is a request for a page of a list: at most size items, with an option that keeps
// the answer. It returns the items, and whether more follow.
type nextPage[T any] func(size int, option client.CallOption) (items []T, more bool, err error)

// list prints the items of all pages up to the limit. member is the name of the list in
// the service's answers, and largest the greatest page that it returns.
func list[T any](f *listFlags, member string, largest int, columns []column[T], next nextPage[T]) error {
	if f.Limit < 1 {
		return usageError{fmt.Errorf("--limit: %d is not positive", f.Limit)}
	}
	l := newLister(f.output(), member, columns)
	seen := cursors{}
	for more, left := true, f.Limit; more; {
		size := largest
		if !f.All {
			size = min(largest, left)
		}
		var answer client.Answer
		items, follow, err := next(size, client.WithAnswer(&answer))
		if err != nil {
			return err
		}
		if !f.All && len(items) > left {
			items, follow = items[:left], true
		}
		if err := l.print(items, &answer); err != nil {
			return err
		}
		if follow {
			if err := seen.add(nextCursor(&answer)); err != nil {
				return err
			}
		}
		if more, left = follow, left-len(items); more && !f.All && left == 0 {
			notice("There are more; see --limit and --all.")
			return nil
		}
	}
	if l.count == 0 && !f.JSON {
		notice("%s", cmp.Or(f.none, "There are none."))
	}
	return nil
}

// lister prints pages of a list.
type lister[T any] struct {
	out     *output
	member  string
	columns []column[T]
	table   *terminal.Table
	count   int
}

func newLister[T any](out *output, member string, columns []column[T]) *lister[T] {
	titles := make([]terminal.Column, len(columns))
	for i, c := range columns {
		titles[i] = terminal.Column{Title: c.title, Right: c.right}
	}
	return &lister[T]{out, member, columns, terminal.NewTable(out.to, out.palette, titles), 0}
}

// print prints a page, or its first items as they are in the answer.
func (l *lister[T]) print(items []T, answer *client.Answer) error {
	l.count += len(items)
	if l.out.json {
		return l.printRaw(len(items), answer)
	}
	for _, item := range items {
		cells := make([]terminal.Cell, len(l.columns))
		for i, c := range l.columns {
			cells[i] = c.cell(item)
		}
		l.table.Add(cells...)
	}
	return l.table.Flush()
}

// errNoList means that an answer does not have what was asked for.
var errNoList = errors.New("the response is not from a dropyard service")

// errNoEnd means that a service repeats the cursor of an earlier page, so that the list
// would never end.
var errNoEnd = fmt.Errorf("%w: its list has no end, because a cursor is repeated", client.ErrAnswer)

// cursors are those of the pages of a list.
type cursors map[string]bool

// add adds the cursor of the next page, or "" for a list without cursors. It returns
// errNoEnd if an earlier page had the same cursor.
func (c cursors) add(cursor string) error {
	if cursor != "" && c[cursor] {
		return errNoEnd
	}
	c[cursor] = true
	return nil
}

// nextCursor returns the cursor of the next page that an answer has, or "".
func nextCursor(answer *client.Answer) string {
	var body struct {
		NextCursor string `json:"next_cursor"`
	}
	_ = json.Unmarshal(answer.Body, &body) // another type is no cursor
	return body.NextCursor
}

// rawItems returns the first items of the list in an answer as they are.
func rawItems(answer *client.Answer, member string, count int) ([]json.RawMessage, error) {
	var body map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(answer.Body, &body) != nil || json.Unmarshal(body[member], &items) != nil || len(items) < count {
		return nil, errNoList
	}
	return items[:count], nil
}

func (l *lister[T]) printRaw(count int, answer *client.Answer) error {
	items, err := rawItems(answer, l.member, count)
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := l.out.line(item); err != nil {
			return err
		}
	}
	return nil
}
