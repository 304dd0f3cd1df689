package feed

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// Store is what this package needs of storage. Read runs fn on a consistent view of
// the data, which is no older than the call. fn may run again.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
}

// Reader reads. Rows have no search texts.
type Reader interface {
	// Clock returns the time by the clock of the database, which all nodes share; the
	// zero time if it has none. Then there is one node.
	Clock(ctx context.Context) (time.Time, error)
	// AllRows returns all rows of the board, in no particular order.
	AllRows(ctx context.Context) ([]*board.Row, error)
	// EachVersion calls each with the id and version of every row of the board.
	EachVersion(ctx context.Context, each func(orderID string, version int64)) error
	// Rows returns the rows of orders; those that are not on the board are left out.
	Rows(ctx context.Context, orderIDs []string) ([]*board.Row, error)
	// PartnerNames returns partners' names, and Couriers couriers, by their ids.
	PartnerNames(ctx context.Context, ids []string) (map[string]string, error)
	Couriers(ctx context.Context, ids []string) (map[string]dispatch.Courier, error)
}
