package client

import (
	"fmt"
	"iter"
	"net/url"
	"reflect"
	"time"
)

// pages iterates over the elements of pages. next returns the page that a query asks
// for and whether more follow, and changes the query so that it asks for the next. Each
// loop over the iterator begins with q again. A page that leads to itself is an ErrAnswer.
func pages[Q, T any](q Q, next func(q *Q) (page []T, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		q := q
		for more := true; more; {
			var page []T
			var err error
			asked := q
			page, more, err = next(&q)
			if err == nil && more && reflect.DeepEqual(q, asked) {
				err = fmt.Errorf("%w: a page of its list is followed by itself", ErrAnswer)
			}
			if err != nil {
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

// queryOf returns the parameters of a query: the fields of a struct by the names in
// their tags, a slice as one parameter for each element. Zero fields are left out.
func queryOf(q any) url.Values {
	values := url.Values{}
	fields := reflect.ValueOf(q)
	for i := range fields.NumField() {
		field, name := fields.Field(i), fields.Type().Field(i).Tag.Get("query")
		switch {
		case field.IsZero():
		case field.Kind() == reflect.Slice:
			for j := range field.Len() {
				values.Add(name, parameter(field.Index(j)))
			}
		default:
			values.Set(name, parameter(field))
		}
	}
	return values
}

// parameter returns a value as text.
func parameter(value reflect.Value) string {
	if at, ok := value.Interface().(time.Time); ok {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value.Interface())
}
