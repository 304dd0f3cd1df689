package delivery

import (
	"errors"
	"slices"
)

// DamagedError means that what is stored of an order cannot be read.
type DamagedError struct {
	OrderID string
	Err     error
}

func (e *DamagedError) Error() string {
	return "order " + e.OrderID + " cannot be read: " + e.Err.Error()
}

func (e *DamagedError) Unwrap() error { return e.Err }

// DamageReport is called for each stored order that was needed and cannot be read;
// nil does nothing.
type DamageReport func(*DamagedError)

// Of calls the report if an error is that of a damaged order, and returns the error.
func (r DamageReport) Of(err error) error {
	var damaged *DamagedError
	if r != nil && errors.As(err, &damaged) {
		r(damaged)
	}
	return err
}

// Readable returns those of the orders that can be read, and calls the report for the
// others.
func (r DamageReport) Readable(orders []*Order) []*Order {
	return slices.DeleteFunc(orders, func(o *Order) bool { return r.Of(o.Damage) != nil })
}
