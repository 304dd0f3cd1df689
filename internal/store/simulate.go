package store

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/simulate"
)

// The transaction as the simulation sees it.
var _ simulate.Reader = (*Tx)(nil)

// Simulation is the store as the simulation sees it.
func (s *Store) Simulation() simulate.Store { return View[simulate.Reader, any]{s} }

// Resting lists orders that have been in a state since a time or longer, by the
// index that lists follow.
func (tx *Tx) Resting(ctx context.Context, partnerID string, state delivery.Status, since time.Time, after string, limit int) (found []simulate.Order, err error) {
	err = tx.conn.query(ctx, `SELECT order_id, version, updated_at, document,
			(SELECT count(*) FROM order_history h WHERE h.partner_id = o.partner_id AND h.order_id = o.order_id AND h.status = 'failed')
		FROM orders o WHERE partner_id = $1 AND status = $2 AND order_id > $3 AND updated_at <= $4 ORDER BY order_id LIMIT $5`,
		[]any{partnerID, string(state), after, since, limit}, func(r row) error {
			o := simulate.Order{Status: state}
			var failures int64
			var document []byte
			if err := r.scan(&o.OrderID, &o.Version, &o.UpdatedAt, &document, &failures); err != nil {
				return err
			}
			content, err := record.Decode(document)
			if err != nil {
				return fmt.Errorf("order %s: %w", o.OrderID, err)
			}
			o.Reference, o.Failures = content.Reference, int(failures)
			found = append(found, o)
			return nil
		})
	return found, err
}
