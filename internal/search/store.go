package search

import (
	"context"
	"time"
)

// Store is what this package needs of storage. Read runs fn on a consistent view of the data; Write runs it
// in a transaction, which is durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads.
type Reader interface {
	// FilledUntil returns the moment until which the index is known to have all orders; the zero time if
	// it may lack any.
	FilledUntil(ctx context.Context) (time.Time, error)
	// Accounts lists all accounts that may have orders.
	Accounts(ctx context.Context) ([]string, error)
	// Missing lists the orders of an account that the index lacks, by id: those with an id after the
	// given one and before the end.
	Missing(ctx context.Context, account, after, end string, limit int) (orderIDs []string, err error)
	// EditedSince lists orders whose content may have changed since a time, by id, after the given one.
	EditedSince(ctx context.Context, since time.Time, after Key, limit int) ([]Key, error)
}

// Writer writes.
type Writer interface {
	// Fill writes the words of orders as they are now, and removes those of orders that do not exist. The
	// orders stay as they are until the transaction ends.
	Fill(ctx context.Context, keys []Key) error
	// SetFilledUntil writes what FilledUntil returns.
	SetFilledUntil(ctx context.Context, at time.Time) error
}

// Key names an order.
type Key struct{ PartnerID, OrderID string }
