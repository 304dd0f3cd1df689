package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/store"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// storeFloor writes the rows of orders with the bare driver and nothing
// around: no HTTP, no look-ups, no decisions. Many goroutines wait for one
// writer, which commits all that waits together.
type storeFloor struct {
	conn     *sqlite.Conn // of the writer
	keeper   *sqlite.Conn // copies the log into the database
	queue    chan *floorOrder
	wake     chan struct{} // holds one; the keeper shall work
	finish   chan struct{} // holds one; the writer shall copy the rest of the log
	sinceLog int           // orders since the keeper was woken
	lastMove map[string]int64
	levels   map[string]int64 // sold so far, by partner
}

// floorOrder is an order that waits to be written.
type floorOrder struct {
	*delivery.Order
	document []byte
	key      [16]byte
	hash     [32]byte
	written  chan error // holds one
}

// floorPragmas are those of the service.
var floorPragmas = []string{
	"PRAGMA synchronous = FULL",
	"PRAGMA foreign_keys = ON",
	"PRAGMA wal_autocheckpoint = 0",
	"PRAGMA temp_store = MEMORY",
	"PRAGMA cache_size = -32000", // KiB
}

const (
	// floorCheckpoint is how many orders apart the log is copied: about as far
	// as the service lets it grow, 32 MiB.
	floorCheckpoint = 3000
	floorGroup      = 256
	floorDatabase   = "floor.db"
)

// openFloor makes an empty database with the service's schema.
func openFloor(ctx context.Context, path string) (*storeFloor, error) {
	schema, err := store.OpenSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := schema.Close(); err != nil {
		return nil, err
	}
	f := &storeFloor{
		queue: make(chan *floorOrder, 4*floorGroup), wake: make(chan struct{}, 1), finish: make(chan struct{}, 1),
		lastMove: map[string]int64{}, levels: map[string]int64{},
	}
	if f.conn, err = openFloorConn(path); err != nil {
		return nil, err
	}
	if f.keeper, err = openFloorConn(path); err != nil {
		return nil, errors.Join(err, f.conn.Close())
	}
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

// floorRun is a run of the store floor: as a load, but without connections.
type floorRun struct {
	load
	directory string
	accounts  []account
}

// run measures the floor in the directory, and tells how many bytes the
// database had before.
func (r floorRun) run(ctx context.Context) (measured *result, before int64, err error) {
	path := filepath.Join(r.directory, floorDatabase)
	if err := os.MkdirAll(r.directory, 0o700); err != nil {
		return nil, 0, err
	}
	f, err := openFloor(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	if err = f.stock(r.accounts); err == nil {
		before, err = diskBytes(path)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.keeper.Close(), f.conn.Close())
	}
	var group sync.WaitGroup
	group.Go(f.write)
	group.Go(f.keepLog)
	measured, err = r.each(ctx, func(client int) (task, error) {
		return f.client(r.accounts[client%len(r.accounts)].PartnerID, client), nil
	})
	close(f.queue)
	group.Wait()
	return measured, before, errors.Join(err, f.keeper.Close(), f.conn.Close())
}

// stock adds the rows that sales update.
func (f *storeFloor) stock(accounts []account) error {
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

// client gives what one waiting goroutine does for each order.
func (f *storeFloor) client(partnerID string, number int) task {
	maker := newOrderMaker()
	return func() error {
		number++
		made, document, err := maker.make(partnerID, number, time.Now())
		if err != nil {
			return err
		}
		o := &floorOrder{
			Order: made, document: document, key: newUUID(maker.random),
			hash: sha256.Sum256(document), written: make(chan error, 1),
		}
		f.queue <- o
		return <-o.written
	}
}

// write commits whatever waits, until the queue is closed.
func (f *storeFloor) write() {
	defer close(f.wake)
	for first := range f.queue {
		group := []*floorOrder{first}
		for len(group) < floorGroup && len(f.queue) > 0 {
			group = append(group, <-f.queue)
		}
		err := f.commit(group)
		for _, o := range group {
			o.written <- err
		}
		f.committed(len(group))
	}
}

// committed sees to the log after each commit: every so often the keeper
// copies most of it, and then the writer the little that came since.
func (f *storeFloor) committed(orders int) {
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

func (f *storeFloor) keepLog() {
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

func (f *storeFloor) commit(group []*floorOrder) (err error) {
	end, err := sqlitex.ImmediateTransaction(f.conn)
	if err != nil {
		return err
	}
	defer end(&err)
	for _, o := range group {
		if err := f.insert(o); err != nil {
			return err
		}
	}
	return f.insertStock(group)
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

func (f *storeFloor) insert(o *floorOrder) error {
	at := o.CreatedAt.UnixMicro()
	allocation := ""
	for _, take := range o.Allocation {
		allocation += fmt.Sprintf(`{"product_id":%d,"location":%q,"quantity":%d},`, take.ProductID, take.Location, take.Quantity)
	}
	if err := f.exec(insertOrder, o.PartnerOrderID, string(o.Status), 1, 0, at, o.EstimatedDelivery.UnixMicro(), "",
		0, "", allocation, string(o.document), o.PartnerID, o.OrderID); err != nil {
		return err
	}
	if err := f.exec(insertKey, o.hash[:], o.OrderID, "", at, o.PartnerID, o.key[:], creationScope); err != nil {
		return err
	}
	for _, take := range o.Allocation {
		f.lastMove[o.PartnerID]++
		if err := f.exec(insertMovement, take.ProductID, "OUT", take.Quantity, take.Location, o.OrderID, "", at,
			o.PartnerID, f.lastMove[o.PartnerID]); err != nil {
			return err
		}
	}
	return nil
}

// insertStock writes, once for each product of the group, what is left of it.
func (f *storeFloor) insertStock(group []*floorOrder) error {
	touched := map[string]bool{}
	for _, o := range group {
		if len(o.Allocation) > 0 {
			touched[o.PartnerID] = true
			f.levels[o.PartnerID]++
		}
	}
	for partnerID := range touched {
		if err := f.exec(updateCounter, f.lastMove[partnerID], partnerID); err != nil {
			return err
		}
		for id := range products {
			if err := f.insertProduct(partnerID, id+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *storeFloor) insertProduct(partnerID string, id int) error {
	left := openingStock - f.levels[partnerID]
	if err := f.exec(updateProduct, left, partnerID, id); err != nil {
		return err
	}
	for _, location := range locations {
		if err := f.exec(upsertLevel, left, partnerID, id, location); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a prepared statement.
func (f *storeFloor) exec(sql string, args ...any) error {
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
		return fmt.Errorf("%d rows instead of one: %s", f.conn.Changes(), sql)
	}
	return st.Reset()
}
