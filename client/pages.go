package client

import (
	"iter"
	"net/url"
	"strconv"
	"time"
)

// pages iterates over the elements of pages. next returns the page that a query asks
// for and whether more follow, and changes the query so that it asks for the next. Each
// loop over the iterator begins with q again.
func pages[Q, T any](q Q, next func(q *Q) (page []T, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		q := q
		for more := true; more; {
			var page []T
			var err error
			if page, more, err = next(&q); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, element := range page {
				if !yield(element, nil) {
					return
				}
			}
		}
	}
}

// queryValues collects the parameters of a query. Zero values are left out.
type queryValues struct{ values url.Values }

func (q *queryValues) text(name, value string) {
	if value == "" {
		return
	}
	if q.values == nil {
		q.values = url.Values{}
	}
	q.values.Set(name, value)
}

func (q *queryValues) number(name string, value int) {
	if value != 0 {
		q.text(name, strconv.Itoa(value))
	}
}

func (q *queryValues) time(name string, value time.Time) {
	if !value.IsZero() {
		q.text(name, value.UTC().Format(time.RFC3339Nano))
	}
}
