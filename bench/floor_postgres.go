package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/jackc/pgx/v5"
)

// postgresFloor writes to PostgreSQL by its bare driver. A group of orders is one
// pipelined batch: one round trip, with one statement for each table.
type postgresFloor struct{ conns []*pgx.Conn }

// openPostgresFloor creates the service's schema in an empty database and connects
// to it.
func openPostgresFloor(ctx context.Context, url string, writers int) (*postgresFloor, error) {
	schema, err := store.OpenPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := schema.Close(); err != nil {
		return nil, err
	}
	f := &postgresFloor{}
	for range writers {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.conns = append(f.conns, conn)
	}
	return f, nil
}

func (f *postgresFloor) close() (err error) {
	for _, conn := range f.conns {
		err = errors.Join(err, conn.Close(context.Background()))
	}
	return err
}

func (f *postgresFloor) bytes(ctx context.Context) (bytes int64, err error) {
	return bytes, f.conns[0].QueryRow(ctx, databaseBytes).Scan(&bytes)
}

func (*postgresFloor) committed(int) {}

func (f *postgresFloor) fill(ctx context.Context, accounts []account) error {
	return fillPostgres(ctx, f.conns[0], accounts)
}

// fillPostgres adds the rows that sales update.
func fillPostgres(ctx context.Context, conn *pgx.Conn, accounts []account) error {
	var batch pgx.Batch
	for _, a := range accounts {
		batch.Queue("INSERT INTO partner_counters (partner_id, last_product, last_movement) VALUES ($1, $2, 0)", a.PartnerID, products)
		for id := range products {
			batch.Queue(`INSERT INTO products (partner_id, product_id, name, search_key, quantity, stock_min, stock_max, price_cents, barcode, status, created_at)
				VALUES ($1, $2, $3, '', $4, 0, 0, 0, '', 'active', 0)`, a.PartnerID, id+1, productName, openingStock)
			for _, location := range locations {
				batch.Queue("INSERT INTO stock_levels (quantity, partner_id, product_id, location) VALUES ($1, $2, $3, $4)",
					openingStock, a.PartnerID, id+1, location)
			}
		}
	}
	return conn.SendBatch(ctx, &batch).Close()
}

// The statements of the service's committer, on arrays. Of the rows that groups
// share, the counters are written first, in the order of partners, so that writers
// cannot deadlock.
var (
	addOrders = fromArrays("orders", `partner_order_id text, status text, version bigint, events bigint, updated_at bigint,
		estimated_delivery bigint, last_event text, courier text, cancelled_at bigint, cancellation_reason text, allocation text,
		document text, partner_id text, order_id text`)
	addKeys = fromArrays("idempotency_keys", `body_hash bytea, order_id text, answer text, created_at bigint, partner_id text,
		idempotency_key bytea, scope text`)
	addMovements = fromArrays("stock_movements", `product_id bigint, type text, quantity bigint, location text, order_id text,
		notes text, created_at bigint, partner_id text, movement_id bigint`)
	setCounters = fromArrays("partner_counters", `partner_id text, last_product bigint, last_movement bigint`) +
		` ON CONFLICT (partner_id) DO UPDATE SET last_movement = excluded.last_movement`
	setProducts = `UPDATE products AS t SET quantity = v.rest FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS v(rest, partner_id, product_id)
		WHERE t.partner_id = v.partner_id AND t.product_id = v.product_id`
	setLevels = fromArrays("stock_levels", `quantity bigint, partner_id text, product_id bigint, location text`) +
		` ON CONFLICT (partner_id, product_id, location) DO UPDATE SET quantity = excluded.quantity`
)

// fromArrays returns an insert from one array for each column. columns lists names
// and types.
func fromArrays(table, columns string) string {
	names := strings.Split(columns, ",")
	arrays := make([]string, len(names))
	for i, column := range names {
		name, kind, _ := strings.Cut(strings.TrimSpace(column), " ")
		names[i], arrays[i] = name, fmt.Sprintf("$%d::%s[]", i+1, kind)
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT * FROM unnest(%s)", table, strings.Join(names, ", "), strings.Join(arrays, ", "))
}

// commit sends a group as one batch, which is one transaction without BEGIN.
func (f *postgresFloor) commit(ctx context.Context, writer int, group *floorGroup) error {
	var batch pgx.Batch
	queueOrders(&batch, group.orders)
	if len(group.sold) > 0 {
		queueMovements(&batch, group.movements)
		queueSales(&batch, group.sold)
	}
	return f.conns[writer].SendBatch(ctx, &batch).Close()
}

// list returns an array of a statement: a value of each row.
func list[R, V any](rows []R, value func(R) V) []V {
	values := make([]V, len(rows))
	for i, row := range rows {
		values[i] = value(row)
	}
	return values
}

// same returns an array with the same value for all rows.
func same[R, V any](rows []R, value V) []V { return list(rows, func(R) V { return value }) }

func queueOrders(batch *pgx.Batch, rows []*floorOrder) {
	created := list(rows, func(o *floorOrder) int64 { return o.CreatedAt.UnixMicro() })
	partners := list(rows, func(o *floorOrder) string { return o.PartnerID })
	ids := list(rows, func(o *floorOrder) string { return o.OrderID })
	batch.Queue(addOrders,
		list(rows, func(o *floorOrder) string { return o.PartnerOrderID }),
		list(rows, func(o *floorOrder) string { return string(o.Status) }),
		same(rows, int64(1)), same(rows, int64(0)), created,
		list(rows, func(o *floorOrder) int64 { return o.EstimatedDelivery.UnixMicro() }),
		same(rows, ""), same(rows, ""), same(rows, int64(0)), same(rows, ""),
		list(rows, func(o *floorOrder) string { return o.allocation }),
		list(rows, func(o *floorOrder) string { return string(o.document) }),
		partners, ids)
	batch.Queue(addKeys,
		list(rows, func(o *floorOrder) []byte { return o.hash[:] }),
		ids, same(rows, ""), created, partners,
		list(rows, func(o *floorOrder) []byte { return o.key[:] }),
		same(rows, creationScope))
}

func queueMovements(batch *pgx.Batch, rows []floorMovement) {
	batch.Queue(addMovements,
		list(rows, func(m floorMovement) int64 { return m.ProductID }),
		same(rows, "OUT"),
		list(rows, func(m floorMovement) int64 { return m.Quantity }),
		list(rows, func(m floorMovement) string { return m.Location }),
		list(rows, func(m floorMovement) string { return m.OrderID }),
		same(rows, ""),
		list(rows, func(m floorMovement) int64 { return m.CreatedAt.UnixMicro() }),
		list(rows, func(m floorMovement) string { return m.PartnerID }),
		list(rows, func(m floorMovement) int64 { return m.id }))
}

func queueSales(batch *pgx.Batch, rows []floorSale) {
	batch.Queue(setCounters,
		list(rows, func(s floorSale) string { return s.partnerID }),
		same(rows, int64(products)),
		list(rows, func(s floorSale) int64 { return s.lastMove }))
	stocked := make([]floorLevel, 0, len(rows)*products)
	levels := make([]floorLevel, 0, len(rows)*products*len(locations))
	for _, s := range rows {
		for id := range int64(products) {
			stocked = append(stocked, floorLevel{s, id + 1, ""})
			for _, location := range locations {
				levels = append(levels, floorLevel{s, id + 1, location})
			}
		}
	}
	left := func(l floorLevel) int64 { return l.left }
	partner := func(l floorLevel) string { return l.partnerID }
	product := func(l floorLevel) int64 { return l.product }
	batch.Queue(setProducts, list(stocked, left), list(stocked, partner), list(stocked, product))
	batch.Queue(setLevels, list(levels, left), list(levels, partner), list(levels, product),
		list(levels, func(l floorLevel) string { return l.location }))
}

// floorLevel is the remaining quantity of a product, in total or at one location.
type floorLevel struct {
	floorSale
	product  int64
	location string
}
