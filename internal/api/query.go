package api

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// The rules for query parameters.
var (
	cursorRule  = form.Define("cursor", "the next_cursor of an earlier response")
	singleValue = form.Define("single_value", "a single value")
	valueIfSent = form.Define("value_if_sent", "a value, unless the parameter is left out")
	timeInQuery = form.Define("time_in_query", "an RFC 3339 date-time with offset")
)

// query reads query parameters and collects every fault in them.
type query struct {
	values   url.Values
	problems form.Problems
}

// query parses the query string, which must be well-formed.
func (c *call) query() (*query, error) {
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
	return &query{values: values}, nil
}

// emptyIsAbsent are the parameters of the contract that count as absent if they are
// empty. Any other parameter must have a value.
var emptyIsAbsent = []string{"status", "search", "product_id", "limit", "offset"}

// text returns a parameter as sent; empty if it was not sent. A parameter that is
// sent twice is a fault, because it is unknown which value was meant.
func (q *query) text(name string) string {
	sent := q.values[name]
	switch {
	case len(sent) > 1:
		q.problems.Add(name, nil, singleValue)
		return ""
	case len(sent) == 1 && sent[0] == "" && !slices.Contains(emptyIsAbsent, name):
		q.problems.Add(name, "", valueIfSent)
		return ""
	}
	return q.values.Get(name)
}

// oneOf returns a parameter that must fit the rule; empty if it was not sent or
// does not fit.
func (q *query) oneOf(name string, rule form.TextRule) string {
	text := q.text(name)
	if text != "" && !rule.Allows(text) {
		q.problems.Add(name, text, rule.Rule)
		return ""
	}
	return text
}

// integer returns a whole number from least to most, or the fallback if the
// parameter was not sent or does not fit.
func (q *query) integer(name string, fallback, least, most int64) int64 {
	text := q.text(name)
	if text == "" {
		return fallback
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < least || number > most {
		q.problems.Add(name, text, form.IntegerFrom(least, most))
		return fallback
	}
	return number
}

// time returns an RFC 3339 date-time; the zero time if it was not sent or does not
// parse.
func (q *query) time(name string) time.Time {
	text := q.text(name)
	if text == "" {
		return time.Time{}
	}
	at, ok := timestamp.Parse(text)
	if !ok {
		q.problems.Add(name, text, timeInQuery)
	}
	return at
}

// maxOffset is an offset that every database accepts.
const maxOffset = 1 << 40
