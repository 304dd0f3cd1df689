package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/order"
)

// Feed is the store as the feed of the board sees it.
func (s *Store) Feed() feed.Store {
	return view[feed.Reader, feed.Reader]{database: s.Database, reader: func(c db.Conn) feed.Reader {
		return feedTx{dispatchTx{auditing{c}}, s.Database}
	}}
}

// feedTx is a transaction of the feed.
type feedTx struct {
	dispatchTx
	database *db.Database
}

// Clock returns the time by the clock of the database; the zero time if it has none.
func (tx feedTx) Clock(ctx context.Context) (time.Time, error) {
	return tx.database.Clock(ctx, tx.conn)
}

// AllRows returns all rows of the board, in no particular order.
func (tx feedTx) AllRows(ctx context.Context) ([]*board.Row, error) {
	return openListed.All(ctx, tx.conn, "")
}

// EachVersion calls each with the id and version of every row of the board.
func (tx feedTx) EachVersion(ctx context.Context, each func(orderID string, version int64)) error {
	return tx.conn.Query(ctx, "SELECT order_id, version FROM open_orders", nil, func(r db.Row) error {
		var orderID string
		var version int64
		err := r.Scan(&orderID, &version)
		each(orderID, version)
		return err
	})
}

var findOpenListed = db.LookUpBy(byOrder, openListed)

// Rows returns the rows of orders; those that are not on the board are left out.
func (tx feedTx) Rows(ctx context.Context, orderIDs []string) ([]*board.Row, error) {
	keys := make([]order.OrderKey, 0, len(orderIDs))
	for _, id := range orderIDs {
		if partnerID, ok := delivery.PartnerOfOrder(id); ok {
			keys = append(keys, order.OrderKey{PartnerID: partnerID, OrderID: id})
		}
	}
	return db.FindNow(ctx, tx.conn, findOpenListed, keys...)
}
