package httpd

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// The rules for query parameters; CursorRule is that of cursors, and UUIDCursor accepts one
// that is the sortable id of the last row before a page.
var (
	UUIDCursor = form.TextRule{Rule: CursorRule, Allows: func(text string) bool {
		_, ok := identifier.UUIDTime(text)
		return ok
	}}

	CursorRule  = form.Define("cursor", "the next_cursor of an earlier response")
	singleValue = form.Define("single_value", "a single value")
	valueIfSent = form.Define("value_if_sent", "a value, unless the parameter is left out")
	timeInQuery = form.Define("time_in_query", "an RFC 3339 date-time with offset")

	unknownParameter = form.Define("unknown_parameter", "no such parameter, but one of {known}")
)

// Query reads query parameters and collects every fault in them.
type Query struct {
	Values   url.Values
	problems form.Problems
	ofList   bool
	known    []string // the parameters read so far, for ofList
}

// ListQuery is Query for a list, which refuses parameters that it does not know: a filter
// that is misspelt would otherwise answer everything. All parameters are read before Err.
func (c *Call) ListQuery() (*Query, error) {
	q, err := c.Query()
	if err != nil {
		return nil, err
	}
	q.ofList, q.known = true, make([]string, 0, 12)
	if c.Route.Access == AccessPartner {
		q.known = append(q.known, "mode") // read before the handler, by which account it acts for
	}
	return q, nil
}

// Query parses the query string, which must be well-formed.
func (c *Call) Query() (*Query, error) {
	values, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return nil, refusal.New(refusal.CodeBadRequest, "the query string is malformed")
	}
	for name, all := range values {
		for _, text := range append(all, name) {
			if !form.IsText(text) {
				return nil, refusal.New(refusal.CodeBadRequest, "the query string must be UTF-8 text without NUL")
			}
		}
	}
	return &Query{Values: values}, nil
}

// emptyIsAbsent are the parameters of the contract that count as absent if they are
// empty. Any other parameter must have a value.
var emptyIsAbsent = []string{"status", "search", "product_id", "limit", "offset"}

// Fault adds a fault of a parameter that was sent.
func (q *Query) Fault(name string, sent any, rule form.Rule) { q.problems.Add(name, sent, rule) }

// Err returns the refusal for all faults so far; nil if there are none.
func (q *Query) Err() error {
	if q.ofList {
		for _, name := range slices.Sorted(maps.Keys(q.Values)) {
			if !slices.Contains(q.known, name) && !q.selectsNothing(name) {
				q.Fault(form.Shorten(name, maxName), nil, unknownParameter.With("known", q.known))
			}
		}
	}
	return q.problems.Err()
}

// maxName is how many characters of the name of an unknown parameter are repeated.
const maxName = 100

// selectsNothing reports whether a parameter is one of the contract's that is empty, as
// programs send it which always name the same ones, or has neither name nor value.
func (q *Query) selectsNothing(name string) bool {
	return (name == "" || slices.Contains(emptyIsAbsent, name)) && strings.Join(q.Values[name], "") == ""
}

// Text returns a parameter as sent; empty if it was not sent. A parameter that is
// sent twice is a fault, because it is unknown which value was meant.
func (q *Query) Text(name string) string {
	if q.ofList {
		q.known = append(q.known, name)
	}
	sent := q.Values[name]
	switch {
	case len(sent) > 1:
		q.Fault(name, nil, singleValue)
		return ""
	case len(sent) == 1 && sent[0] == "" && !slices.Contains(emptyIsAbsent, name):
		q.Fault(name, "", valueIfSent)
		return ""
	}
	return q.Values.Get(name)
}

// All returns each value of a parameter that may be repeated.
func (q *Query) All(name string) []string {
	if q.ofList {
		q.known = append(q.known, name)
	}
	return q.Values[name]
}

// OneOf returns a parameter that must fit the rule; empty if it was not sent or
// does not fit.
func (q *Query) OneOf(name string, rule form.TextRule) string {
	text := q.Text(name)
	if text != "" && !rule.Allows(text) {
		q.Fault(name, text, rule.Rule)
		return ""
	}
	return text
}

// Integer returns a whole number from least to most, or the fallback if the
// parameter was not sent or does not fit.
func (q *Query) Integer(name string, fallback, least, most int64) int64 {
	text := q.Text(name)
	if text == "" {
		return fallback
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < least || number > most {
		q.Fault(name, text, form.IntegerFrom(least, most))
		return fallback
	}
	return number
}

// defaultLimit is how many rows a page of a list has if the request does not say. The
// contract has it.
const defaultLimit = 50

// Limit returns how many rows the request wants on a page, at most so many.
func (q *Query) Limit(most int64) int { return int(q.Integer("limit", defaultLimit, 1, most)) }

// Time returns an RFC 3339 date-time; the zero time if it was not sent or does not
// parse.
func (q *Query) Time(name string) time.Time {
	text := q.Text(name)
	if text == "" {
		return time.Time{}
	}
	at, ok := timestamp.Parse(text)
	if !ok {
		q.Fault(name, text, timeInQuery)
	}
	return at
}

// Day returns a date; 0 if it was not sent.
func (q *Query) Day(name string) date.Day {
	text := q.Text(name)
	if text == "" {
		return 0
	}
	day, ok := date.Parse(text)
	if !ok {
		q.Fault(name, text, form.DayRule)
	}
	return day
}

// MaxOffset is an offset that every database accepts.
const MaxOffset = 1 << 40

// Cursor returns the cursor of a list as read reads it; zero for the first page.
func Cursor[C any](q *Query, read func(text string) (C, bool)) (after C) {
	text := q.Text("cursor")
	if text == "" {
		return after
	}
	after, ok := read(text)
	if !ok {
		q.Fault("cursor", text, CursorRule)
	}
	return after
}
