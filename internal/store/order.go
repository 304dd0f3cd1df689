package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
)

// byOrder looks up rows of several tables by the order to which they belong.
var byOrder = db.Key(
	db.Text("partner_id", func(k *order.OrderKey) *string { return &k.PartnerID }),
	db.Text("order_id", func(k *order.OrderKey) *string { return &k.OrderID }))

// orderKeysOf returns the keys of orders of one partner.
func orderKeysOf(partnerID string, orderIDs []string) []order.OrderKey {
	keys := make([]order.OrderKey, len(orderIDs))
	for i, id := range orderIDs {
		keys[i] = order.OrderKey{PartnerID: partnerID, OrderID: id}
	}
	return keys
}

// orderRow is an order: the record that answered its creation, and beside it in
// columns what has changed since. History is in rows of its own.
type orderRow struct {
	delivery.Order
	cancelled   delivery.Cancellation // zero unless the order is cancelled
	document    []byte
	fromVersion int64 // the version that an update must meet
}

var (
	orderKey = db.Key(
		db.Text("partner_id", func(o *orderRow) *string { return &o.PartnerID }),
		db.Text("order_id", func(o *orderRow) *string { return &o.OrderID }))
	// changing are the columns that a move of the order writes.
	changing = []db.Column[*orderRow]{
		db.Text("status", func(o *orderRow) *string { return (*string)(&o.Status) }),
		db.Integer("version", func(o *orderRow) *int64 { return &o.Version }),
		db.Integer("events", func(o *orderRow) *int64 { return &o.Events }),
		db.Moment("updated_at", func(o *orderRow) *time.Time { return &o.UpdatedAt }),
		db.Moment("estimated_delivery", func(o *orderRow) *time.Time { return &o.EstimatedDelivery }),
		db.Text("last_event", func(o *orderRow) *string { return &o.LastEvent }),
		db.JSON("courier", func(o *orderRow) **delivery.Courier { return &o.Courier },
			func(c *delivery.Courier) bool { return c == nil }, (*orderRow).damaged),
		db.Moment("cancelled_at", func(o *orderRow) *time.Time { return &o.cancelled.At }),
		db.Text("cancellation_reason", func(o *orderRow) *string { return &o.cancelled.Reason }),
		db.JSON("course", func(o *orderRow) *delivery.Course { return &o.Course },
			func(c delivery.Course) bool { return c.IsZero() }, (*orderRow).damaged),
	}
	packedDocument = packed("document", func(o *orderRow) *[]byte { return &o.document }, (*orderRow).damaged)
	metVersion     = db.Integer("version", func(o *orderRow) *int64 { return &o.fromVersion })

	orders = db.NewTable("orders", orderKey, append(changing,
		db.Text("partner_order_id", func(o *orderRow) *string { return &o.PartnerOrderID }),
		db.JSON("allocation", func(o *orderRow) *[]delivery.Take { return &o.Allocation },
			func(takes []delivery.Take) bool { return len(takes) == 0 }, (*orderRow).damaged),
		packedDocument)...)

	storedOrders = orders.Only("status", "updated_at", "estimated_delivery", "document")

	findOrders = db.LookUpBy(byOrder, orders)
	findStored = db.LookUpSome(byOrder, orders, append(orderKey, orders.Pick(
		"status", "version", "events", "updated_at", "estimated_delivery", "courier", "cancelled_at", "cancellation_reason",
		"course", "document")...))
	lockOrders = db.LockBy(byOrder, orders)
	addOrders  = orders.Insert()
	dropOrders = db.DeleteFrom(orders, byOrder)
	moveOrders = db.UpdateOf(orders, append(orderKey, metVersion), changing)
	editOrders = db.UpdateOf(orders, append(orderKey, metVersion),
		append(slices.Clone(changing), orders.Pick("allocation", "document")...))

	// originals has the records that answered the creations of orders that were edited since.
	originals     = db.NewTable("order_originals", orderKey, packedDocument)
	findOriginals = db.LookUpBy(byOrder, originals)
	addOriginals  = originals.Insert()
	dropOriginals = db.DeleteFrom(originals, byOrder)
	saveOriginals = db.UpdateOf(originals, orderKey, []db.Column[*orderRow]{packedDocument})

	// eraseOrders overwrites what may be personal.
	eraseOrders = db.UpdateOf(orders, orderKey, orders.Pick("document", "cancellation_reason", "course"))

	byReference = db.Key(
		db.Text("partner_id", func(r *order.Reference) *string { return &r.PartnerID }),
		db.Text("partner_order_id", func(r *order.Reference) *string { return &r.PartnerOrderID }))
	findReferences = db.LookUpSome(byReference, orders,
		orders.Pick("partner_id", "partner_order_id", "order_id", "status"))
	documents     = append(slices.Clone(orderKey), packedDocument)
	findDocuments = db.LookUpSome(byOrder, orders, documents)
	lockDocuments = db.LookUpSome(byOrder, orders, documents).Locked(db.ForUpdate)
)

// orderRowOf returns an order as it is stored.
func orderRowOf(o *delivery.Order, document []byte, fromVersion int64) *orderRow {
	row := &orderRow{Order: *o, document: document, fromVersion: fromVersion}
	if o.Cancellation != nil {
		row.cancelled = *o.Cancellation
	}
	return row
}

// damaged notes that a part of the row cannot be read.
func (r *orderRow) damaged(err error) { r.Damage = errors.Join(r.Damage, err) }

// damage returns the row's damage as a *delivery.DamagedError; nil if it has none.
func (r *orderRow) damage() error {
	if r.Damage == nil {
		return nil
	}
	return &delivery.DamagedError{OrderID: r.OrderID, Err: r.Damage}
}

// stored returns what lists show of the order, without decoding it.
func (r *orderRow) stored() delivery.Stored {
	return delivery.Stored{
		PartnerID: r.PartnerID, OrderID: r.OrderID, Document: r.document, Status: r.Status,
		EstimatedDelivery: r.EstimatedDelivery, UpdatedAt: r.UpdatedAt,
	}
}

// order returns the order of a row, with the first entry of its history.
func (r *orderRow) order() *delivery.Order {
	o, err := record.Decode(r.document)
	if err != nil {
		r.damaged(err)
		o = &delivery.Order{OrderID: r.OrderID}
		o.CreatedAt, _ = delivery.TimeOfOrder(r.OrderID)
	}
	o.Damage = r.damage()
	o.PartnerID, o.Status, o.Version, o.Events = r.PartnerID, r.Status, r.Version, r.Events
	o.LastEvent, o.UpdatedAt, o.EstimatedDelivery = r.LastEvent, r.UpdatedAt, r.EstimatedDelivery
	o.Courier, o.Allocation, o.Course, o.MovedIn = r.Courier, r.Allocation, r.Course, 1
	if n := len(o.Course.Transfers); n > 0 {
		o.MovedIn = o.Course.Transfers[n-1].Version
	}
	o.Cancellation = r.cancellation()
	created := delivery.HistoryEntry{Status: delivery.StatusPending, At: o.CreatedAt, RecordedAt: o.CreatedAt, Version: 1}
	o.History = []delivery.HistoryEntry{created}
	return o
}

// cancellation returns why and when the order was cancelled; nil if it was not.
func (r *orderRow) cancellation() *delivery.Cancellation {
	if r.cancelled.At.IsZero() {
		return nil
	}
	return &delivery.Cancellation{Reason: r.cancelled.Reason, At: r.cancelled.At}
}

// ordersOf returns the orders of rows by their keys, without history.
func ordersOf(rows []*orderRow) map[order.OrderKey]*delivery.Order {
	byKey := make(map[order.OrderKey]*delivery.Order, len(rows))
	for _, row := range rows {
		byKey[order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}] = row.order()
	}
	return byKey
}

// ordersByKey returns orders with their histories; those that do not exist are
// left out.
func ordersByKey(
	ctx context.Context, c db.Conn, by *db.Lookup[*order.OrderKey, *orderRow], keys []order.OrderKey,
) (map[order.OrderKey]*delivery.Order, error) {
	rows, err := db.FindNow(ctx, c, by, keys...)
	if err != nil {
		return nil, err
	}
	byKey := ordersOf(rows)
	return byKey, addHistories(ctx, c, byKey)
}

// orderByKey returns one order with its history; nil if there is none. The error
// may be a *delivery.DamagedError.
func orderByKey(
	ctx context.Context, c db.Conn, by *db.Lookup[*order.OrderKey, *orderRow], key order.OrderKey,
) (*delivery.Order, error) {
	found, err := storedByKey(ctx, c, by, key)
	if err != nil || found == nil {
		return nil, err
	}
	return found.order()
}

// undamaged returns an order, which may be nil, or its damage as the error.
func undamaged(o *delivery.Order) (*delivery.Order, error) {
	if o == nil || o.Damage == nil {
		return o, nil
	}
	return nil, o.Damage
}

// ordersByID is ordersByKey for orders whose ids alone are of interest.
func ordersByID(
	ctx context.Context, c db.Conn, by *db.Lookup[*order.OrderKey, *orderRow], keys []order.OrderKey,
) (map[string]*delivery.Order, error) {
	byKey, err := ordersByKey(ctx, c, by, keys)
	byID := make(map[string]*delivery.Order, len(byKey))
	for key, o := range byKey {
		byID[key.OrderID] = o
	}
	return byID, err
}

// listOrders lists a partner's orders, newest first, without history. It stops
// early, and reports so, when what it has read takes up order.MaxPageBytes.
func listOrders(
	ctx context.Context, c db.Conn, filter order.Filter,
) (listed []*delivery.Order, stopped bool, err error) {
	stopped, err = eachListed(ctx, c, filter, func(tail string, args []any, fn func(*orderRow) error) error {
		return orders.Each(ctx, c, tail, args, fn)
	}, func(row *orderRow) error {
		listed = append(listed, row.order())
		return nil
	})
	return listed, stopped, err
}

// eachStored calls fn for the orders that listOrders lists.
func eachStored(
	ctx context.Context, c db.Conn, filter order.Filter, fn func(*delivery.Stored) error,
) (stopped bool, err error) {
	var stored delivery.Stored
	return eachListed(ctx, c, filter, func(tail string, args []any, fn func(*orderRow) error) error {
		return storedOrders.Visit(ctx, c, tail, args, fn)
	}, func(row *orderRow) error {
		stored = row.stored()
		return fn(&stored)
	})
}

// errPageFull ends a list early.
var errPageFull = errors.New("the page is full")

// eachListed calls fn for the rows of a list, which query reads.
func eachListed(
	ctx context.Context, c db.Conn, filter order.Filter,
	query func(tail string, args []any, fn func(*orderRow) error) error, fn func(*orderRow) error,
) (stopped bool, err error) {
	selected, err := selectOrders(filter)
	if err != nil {
		return false, err
	}
	if filter.Search != "" {
		if err := addWords(ctx, selected, c, filter); err != nil {
			return false, err
		}
	}
	skip(selected, filter.Offset)
	tail, args := selected.Clause("ORDER BY order_id DESC LIMIT ?", filter.Limit)
	room := order.MaxPageBytes
	err = query(tail, args, func(row *orderRow) error {
		if room <= 0 {
			return errPageFull
		}
		if err := reserve(filter, len(row.document)); err != nil {
			return err
		}
		room -= len(row.document)
		return fn(row)
	})
	if errors.Is(err, errPageFull) {
		return true, nil
	}
	return false, err
}

func reserve(filter order.Filter, bytes int) error {
	if filter.Reserve == nil {
		return nil
	}
	return filter.Reserve(bytes)
}

// selectOrders returns the conditions of a filter. A period is a range of order
// ids, because they begin with the time of creation.
func selectOrders(filter order.Filter) (*db.Conditions, error) {
	selected := db.OfPartner(filter.PartnerID)
	selected.AddText("status = ?", string(filter.Status))
	selected.AddText("partner_order_id = ?", filter.PartnerOrderID)
	selected.AddText("order_id < ?", filter.Before)
	if err := addFirstID(selected, "order_id >= ?", filter.PartnerID, filter.CreatedFrom); err != nil {
		return nil, err
	}
	return selected, addFirstID(selected, "order_id < ?", filter.PartnerID, filter.CreatedTo)
}

// skip leaves out the newest orders that the conditions select. They are counted in an
// index, without looking at their rows.
func skip(selected *db.Conditions, orders int64) {
	if orders > 0 {
		selected.Add("order_id <= (SELECT order_id FROM orders WHERE "+selected.String()+
			" ORDER BY order_id DESC LIMIT 1 OFFSET ?)", orders)
	}
}

// addFirstID adds a condition on the first id that an order created at a time can
// have, unless the time is zero.
func addFirstID(selected *db.Conditions, condition, partnerID string, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	id, err := delivery.FirstOrderID(partnerID, at)
	if err == nil {
		selected.Add(condition, id)
	}
	return err
}

var (
	orderHistory = db.NewTable("order_history",
		db.Key(
			db.Text("partner_id", func(h *order.History) *string { return &h.PartnerID }),
			db.Text("order_id", func(h *order.History) *string { return &h.OrderID }),
			db.Integer("version", func(h *order.History) *int64 { return &h.Version })),
		db.Text("status", func(h *order.History) *string { return (*string)(&h.Entry.Status) }),
		db.Text("notes", func(h *order.History) *string { return &h.Entry.Notes }),
		db.Moment("created_at", func(h *order.History) *time.Time { return &h.Entry.At }),
		db.Moment("recorded_at", func(h *order.History) *time.Time { return &h.Entry.RecordedAt }),
	)
	findHistory = db.LookUpBy(byOrder, orderHistory)
	addHistory  = orderHistory.Insert()

	dropHistories = db.DeleteFrom(orderHistory, byOrder)
	// eraseHistories gives all entries of an order the same notes.
	eraseHistories = db.UpdateOf(orderHistory, orderHistory.Pick("partner_id", "order_id"), orderHistory.Pick("notes"))
)

// entryOf returns the entry of a row.
func entryOf(row *order.History) delivery.HistoryEntry {
	entry := row.Entry
	entry.Version = row.Version
	return entry
}

func byVersion(a, b *order.History) int { return cmp.Compare(a.Version, b.Version) }

// addHistories adds to each order the states that it entered after the first.
// An order that was never moved has no rows.
func addHistories(ctx context.Context, c db.Conn, orders map[order.OrderKey]*delivery.Order) error {
	var keys []order.OrderKey
	for key, o := range orders {
		if o.Version > 1 {
			keys = append(keys, key)
		}
	}
	rows, err := db.FindNow(ctx, c, findHistory, keys...)
	slices.SortFunc(rows, byVersion)
	for _, row := range rows {
		o := orders[row.OrderKey]
		o.History = append(o.History, entryOf(row))
		o.MovedIn = max(o.MovedIn, row.Version)
	}
	return err
}

// addHistoriesTo adds their histories to the orders of a list.
func addHistoriesTo(ctx context.Context, c db.Conn, listed []*delivery.Order) error {
	byKey := make(map[order.OrderKey]*delivery.Order, len(listed))
	for _, o := range listed {
		byKey[order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}] = o
	}
	return addHistories(ctx, c, byKey)
}

var (
	receiptKey = db.Key(
		db.Text("partner_id", func(k *idempotency.Key) *string { return &k.PartnerID }),
		db.Fixed("idempotency_key", func(k *idempotency.Key) []byte { return k.UUID[:] }),
		db.Text("scope", func(k *idempotency.Key) *string { return &k.Scope }))
	// The answer to a creation is the document of its order, and not kept a
	// second time: then the column is empty.
	idempotencyKeys = db.NewTable("idempotency_keys",
		db.Key(
			db.Text("partner_id", func(r *idempotency.Receipt) *string { return &r.PartnerID }),
			db.Fixed("idempotency_key", func(r *idempotency.Receipt) []byte { return r.UUID[:] }),
			db.Text("scope", func(r *idempotency.Receipt) *string { return &r.Scope })),
		db.Fixed("body_hash", func(r *idempotency.Receipt) []byte { return r.BodyHash[:] }),
		db.Text("order_id", func(r *idempotency.Receipt) *string { return &r.OrderID }),
		db.Document("answer", func(r *idempotency.Receipt) *[]byte { return &r.Answer }),
		db.Moment("created_at", func(r *idempotency.Receipt) *time.Time { return &r.CreatedAt }),
	)
	findReceipts = db.LookUpBy(receiptKey, idempotencyKeys)
	addReceipts  = idempotencyKeys.Insert()
	dropReceipts = db.DeleteFrom(idempotencyKeys, receiptKey)
	saveAnswers  = db.UpdateOf(idempotencyKeys, idempotencyKeys.Key, idempotencyKeys.Pick("answer"))
)

// writeReceipts queues receipts.
func writeReceipts(p *db.Pipeline, receipts []*idempotency.Receipt) {
	rows := make([]*idempotency.Receipt, len(receipts))
	for i, receipt := range receipts {
		row := *receipt
		if row.OfCreation {
			row.Answer = nil
		}
		rows[i] = &row
	}
	db.WriteAll(p, addReceipts, rows)
}

// storedOrder is an order with its history, as it is stored.
type storedOrder struct {
	row     *orderRow
	moves   []delivery.HistoryEntry // the history after the creation
	movedIn int64                   // see delivery.Order
}

// orderReads reads single orders, which nothing decodes, in groups.
type orderReads = db.Grouped[order.OrderKey, *storedOrder]

// storedByKeys reads orders and their histories in one round trip.
func storedByKeys(ctx context.Context, c db.Conn, keys []order.OrderKey) (map[order.OrderKey]*storedOrder, error) {
	p := db.NewPipeline(c)
	orderRows, historyRows := db.Find(p, findStored, keys), db.Find(p, findHistory, keys)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	byKey := make(map[order.OrderKey]*storedOrder, len(keys))
	for _, row := range orderRows.After(done) {
		byKey[order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}] = &storedOrder{row: row}
	}
	rows := historyRows.After(done)
	slices.SortFunc(rows, byVersion)
	for _, row := range rows {
		if o := byKey[row.OrderKey]; o != nil {
			o.moves, o.movedIn = append(o.moves, entryOf(row)), row.Version
		}
	}
	return byKey, nil
}

// storedByKey reads one order and its history; nil if there is none.
func storedByKey(
	ctx context.Context, c db.Conn, by *db.Lookup[*order.OrderKey, *orderRow], key order.OrderKey,
) (*storedOrder, error) {
	rows, err := db.FindNow(ctx, c, by, key)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	found := &storedOrder{row: rows[0]}
	if found.row.Version == 1 {
		return found, nil
	}
	moves, err := db.FindNow(ctx, c, findHistory, key)
	slices.SortFunc(moves, byVersion)
	for _, row := range moves {
		found.moves, found.movedIn = append(found.moves, entryOf(row)), row.Version
	}
	return found, err
}

// order returns the order, or its damage as the error. The row must be a whole one.
func (s *storedOrder) order() (*delivery.Order, error) {
	o := s.row.order()
	o.History = append(o.History, s.moves...)
	o.MovedIn = max(o.MovedIn, s.movedIn)
	return undamaged(o)
}

// stored returns the order without decoding it, or its damage as the error. Callers that
// share it must not change it.
func (s *storedOrder) stored() (*delivery.Stored, error) {
	if err := s.row.damage(); err != nil {
		return nil, err
	}
	stored := s.row.stored()
	stored.Version, stored.Events, stored.Courier, stored.Moves = s.row.Version, s.row.Events, s.row.Courier, s.moves
	stored.Cancellation, stored.Course = s.row.cancellation(), s.row.Course
	return &stored, nil
}

// read reads one order; nil if there is none.
func (s orderStore) read(
	ctx context.Context, by *db.Lookup[*order.OrderKey, *orderRow], key order.OrderKey,
) (found *storedOrder, err error) {
	err = s.database.Read(ctx, func(c db.Conn) error {
		found, err = storedByKey(ctx, c, by, key)
		return err
	})
	return found, err
}

// Order returns one order with its history; nil if there is none.
func (s orderStore) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	found, err := s.read(ctx, findOrders, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
	if err != nil || found == nil {
		return nil, err
	}
	return found.order()
}

// Stored returns what Order returns without decoding it. On a shared engine the orders of
// callers that wait at the same time are read together. Where partners lie on several nodes
// they are not: a group would wait for the slowest node.
func (s orderStore) Stored(ctx context.Context, partnerID, orderID string) (*delivery.Stored, error) {
	key := order.OrderKey{PartnerID: partnerID, OrderID: orderID}
	var found *storedOrder
	var err error
	if s.grouped != nil {
		found, err = s.grouped.Read(ctx, key)
	} else {
		found, err = s.read(ctx, findStored, key)
	}
	if err != nil || found == nil {
		return nil, err
	}
	return found.stored()
}
