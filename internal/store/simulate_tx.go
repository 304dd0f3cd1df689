package store

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/simulate"
)

// Simulation is the store as the simulation sees it.
func (s *Store) Simulation() simulate.Store {
	reader := func(c conn) simulate.Reader { return simulateTx{c} }
	return view[simulate.Reader, simulate.Reader]{s.engine, reader, reader}
}

// simulateTx is a transaction of the simulation.
type simulateTx struct{ conn conn }

// PartnerIDs lists all partners by id.
func (tx simulateTx) PartnerIDs(ctx context.Context) ([]string, error) {
	return partnerIDs(ctx, tx.conn)
}

// Resting lists orders that have been in a status since a time or longer, by the
// index that lists follow.
func (tx simulateTx) Resting(ctx context.Context, partnerID string, status delivery.Status, since time.Time, after string, limit int) (found []simulate.Order, err error) {
	err = tx.conn.query(ctx, `SELECT order_id, version, updated_at, document,
			(SELECT count(*) FROM order_history h WHERE h.partner_id = o.partner_id AND h.order_id = o.order_id AND h.status = 'failed')
		FROM orders o WHERE partner_id = $1 AND status = $2 AND order_id > $3 AND updated_at <= $4 ORDER BY order_id LIMIT $5`,
		[]any{partnerID, string(status), after, since, limit}, func(r row) error {
			o := simulate.Order{Status: status}
			var document []byte
			if err := r.scan(&o.OrderID, &o.Version, &o.UpdatedAt, &document, &o.Failures); err != nil {
				return err
			}
			content, err := record.Decode(document)
			if err != nil {
				return fmt.Errorf("order %s: %w", o.OrderID, err)
			}
			o.Reference = content.Reference
			found = append(found, o)
			return nil
		})
	return found, err
}
