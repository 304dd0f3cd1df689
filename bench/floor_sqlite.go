package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/store"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// sqliteFloor writes to the embedded database by its bare driver, with one writer.
type sqliteFloor struct {
	path     string
	conn     *sqlite.Conn  // of the writer
	keeper   *sqlite.Conn  // copies the log into the database
	wake     chan struct{} // buffered: wakes keepLog
	finish   chan struct{} // buffered: asks the writer to copy the rest of the log
	sinceLog int           // orders since the keeper was woken
	keeping  sync.WaitGroup
}

// floorPragmas are the pragmas of the service.
var floorPragmas = []string{
	"PRAGMA synchronous = FULL",
	"PRAGMA foreign_keys = ON",
	"PRAGMA wal_autocheckpoint = 0",
	"PRAGMA temp_store = MEMORY",
	"PRAGMA cache_size = -32000", // KiB
}

const (
	// floorCheckpoint is after how many orders the log is copied, when it is about as
	// large as the service lets it become: 32 MiB.
	floorCheckpoint = 3000
	floorDatabase   = "floor.db"
)

// openSQLiteFloor creates a database with the service's schema and opens it.
func openSQLiteFloor(ctx context.Context, path string) (*sqliteFloor, error) {
	schema, err := store.OpenSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := schema.Close(); err != nil {
		return nil, err
	}
	f := &sqliteFloor{path: path, wake: make(chan struct{}, 1), finish: make(chan struct{}, 1)}
	if f.conn, err = openFloorConn(path); err != nil {
		return nil, err
	}
	if f.keeper, err = openFloorConn(path); err != nil {
		return nil, errors.Join(err, f.conn.Close())
	}
	f.keeping.Go(f.keepLog)
	return f, nil
}

func openFloorConn(path string) (*sqlite.Conn, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(10 * time.Second)
	for _, pragma := range floorPragmas {
		if err := sqlitex.ExecuteTransient(c, pragma, nil); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

func (f *sqliteFloor) close() error {
	close(f.wake)
	f.keeping.Wait()
	return errors.Join(f.keeper.Close(), f.conn.Close())
}

func (f *sqliteFloor) bytes(context.Context) (int64, error) { return diskBytes(f.path) }

// fill adds the rows that sales update.
func (f *sqliteFloor) fill(_ context.Context, accounts []account) error {
	for _, a := range accounts {
		if err := f.exec("INSERT INTO partner_counters (partner_id, last_product, last_movement) VALUES (?, ?, 0)", a.PartnerID, products); err != nil {
			return err
		}
		for id := range products {
			if err := f.exec(`INSERT INTO products (partner_id, product_id, name, search_key, quantity, stock_min, stock_max, price_cents, barcode, status, created_at)
				VALUES (?, ?, ?, '', ?, 0, 0, 0, '', 'active', 0)`, a.PartnerID, id+1, productName, openingStock); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *sqliteFloor) commit(_ context.Context, _ int, group *floorGroup) (err error) {
	end, err := sqlitex.ImmediateTransaction(f.conn)
	if err != nil {
		return err
	}
	defer end(&err)
	for _, o := range group.orders {
		if err := f.insert(o); err != nil {
			return err
		}
	}
	for _, m := range group.movements {
		if err := f.exec(insertMovement, m.ProductID, "OUT", m.Quantity, m.Location, m.OrderID, "", m.CreatedAt.UnixMicro(),
			m.PartnerID, m.id); err != nil {
			return err
		}
	}
	for _, sale := range group.sold {
		if err := f.sell(sale); err != nil {
			return err
		}
	}
	return nil
}

// committed has the log copied into the database from time to time: most of it by
// keepLog, and what was written meanwhile by the writer.
func (f *sqliteFloor) committed(orders int) {
	select {
	case <-f.finish:
		checkpoint(f.conn)
	default:
	}
	if f.sinceLog += orders; f.sinceLog >= floorCheckpoint {
		f.sinceLog = 0
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
}

func (f *sqliteFloor) keepLog() {
	for range f.wake {
		checkpoint(f.keeper)
		checkpoint(f.keeper)
		select {
		case f.finish <- struct{}{}:
		default:
		}
	}
}

func checkpoint(c *sqlite.Conn) {
	_ = sqlitex.Execute(c, "PRAGMA wal_checkpoint(PASSIVE)", nil) // the next one tries again
}

// The statements of the service's committer.
const (
	insertOrder = `INSERT INTO orders (partner_order_id, status, version, events, updated_at, estimated_delivery, last_event, courier,
		cancelled_at, cancellation_reason, allocation, document, partner_id, order_id) VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?)`
	insertKey = `INSERT INTO idempotency_keys (body_hash, order_id, answer, created_at, partner_id, idempotency_key, scope)
		VALUES (?, ?, ?, ?, ?, ?, ?)`
	insertMovement = `INSERT INTO stock_movements (product_id, type, quantity, location, order_id, notes, created_at, partner_id, movement_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	updateProduct = `UPDATE products SET quantity = ? WHERE partner_id = ? AND product_id = ?`
	updateCounter = `UPDATE partner_counters SET last_movement = ? WHERE partner_id = ?`
	upsertLevel   = `INSERT INTO stock_levels (quantity, partner_id, product_id, location) VALUES (?, ?, ?, ?)
		ON CONFLICT (partner_id, product_id, location) DO UPDATE SET quantity = excluded.quantity`
)

func (f *sqliteFloor) insert(o *floorOrder) error {
	at := o.CreatedAt.UnixMicro()
	if err := f.exec(insertOrder, o.PartnerOrderID, string(o.Status), 1, 0, at, o.EstimatedDelivery.UnixMicro(), "",
		0, "", o.allocation, string(o.document), o.PartnerID, o.OrderID); err != nil {
		return err
	}
	return f.exec(insertKey, o.hash[:], o.OrderID, "", at, o.PartnerID, o.key[:], creationScope)
}

// sell writes the remaining quantities of a partner's products.
func (f *sqliteFloor) sell(sale floorSale) error {
	if err := f.exec(updateCounter, sale.lastMove, sale.partnerID); err != nil {
		return err
	}
	for id := range products {
		if err := f.exec(updateProduct, sale.left, sale.partnerID, id+1); err != nil {
			return err
		}
		for _, location := range locations {
			if err := f.exec(upsertLevel, sale.left, sale.partnerID, id+1, location); err != nil {
				return err
			}
		}
	}
	return nil
}

// exec runs a prepared statement.
func (f *sqliteFloor) exec(sql string, args ...any) error {
	st, err := f.conn.Prepare(sql)
	if err != nil {
		return err
	}
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			st.BindText(i+1, arg)
		case []byte:
			st.BindBytes(i+1, arg)
		case int64:
			st.BindInt64(i+1, arg)
		case int:
			st.BindInt64(i+1, int64(arg))
		}
	}
	if _, err = st.Step(); err != nil {
		return err
	}
	if f.conn.Changes() != 1 {
		return fmt.Errorf("%d rows were changed, want 1: %s", f.conn.Changes(), sql)
	}
	return st.Reset()
}
