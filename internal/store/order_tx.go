package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Orders is the store as package order sees it.
func (s *Store) Orders() order.Store {
	warmth := s.Warmth()
	return orderStore{view[order.Reader, order.Writer]{s.Database,
		func(c db.Conn) order.Reader { return orderTx{conn: c} },
		func(c db.Conn) order.Writer { return orderTx{conn: c, warmth: warmth} }}, warmth, s.orderReads}
}

// orderTx is a transaction of package order.
type orderTx struct {
	conn   db.Conn
	warmth *db.Warmth // see orderStore
}

// Order returns one order with its history; nil if there is none. The error may be
// a *delivery.DamagedError.
func (tx orderTx) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	return orderByKey(ctx, tx.conn, findOrders, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
}

// Head returns one order as Order does, but its history has the creation only.
func (tx orderTx) Head(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	key := order.OrderKey{PartnerID: partnerID, OrderID: orderID}
	rows, err := db.FindNow(ctx, tx.conn, findOrders, key)
	if err != nil {
		return nil, err
	}
	return undamaged(ordersOf(rows)[key])
}

// Orders lists a partner's orders, newest first, without history. It stops
// early, and reports so, when what it has read takes up order.MaxPageBytes.
func (tx orderTx) Orders(ctx context.Context, filter order.Filter) (listed []*delivery.Order, stopped bool, err error) {
	return listOrders(ctx, tx.conn, filter)
}

// EachStored calls fn for the orders that Orders lists.
func (tx orderTx) EachStored(
	ctx context.Context, filter order.Filter, fn func(*delivery.Stored) error,
) (stopped bool, err error) {
	return eachStored(ctx, tx.conn, filter, fn)
}

// OrdersByKey returns orders with their histories; those that do not exist are
// left out.
func (tx orderTx) OrdersByKey(ctx context.Context, keys []order.OrderKey) (map[order.OrderKey]*delivery.Order, error) {
	return ordersByKey(ctx, tx.conn, findOrders, keys)
}

// Courier returns an active courier; nil if there is none.
func (tx orderTx) Courier(ctx context.Context, courierID string) (*delivery.Courier, error) {
	var active *delivery.Courier
	err := tx.conn.Query(ctx, "SELECT courier_id, name, phone, vehicle FROM couriers WHERE courier_id = $1 AND active = 1",
		[]any{courierID}, func(r db.Row) error {
			active = &delivery.Courier{}
			return r.Scan(&active.CourierID, &active.Name, &active.Phone, &active.Vehicle)
		})
	return active, err
}

// lastMoves is how far back the audit log is read for who moved an order. More
// moves than this hardly come between a refusal and its reason.
const lastMoves = 20

// Moves lists the latest moves of an order by operators, and their answers to its partner's
// request, newest first.
func (tx orderTx) Moves(ctx context.Context, key order.OrderKey) (moves []order.Move, err error) {
	err = audited.Each(ctx, tx.conn,
		"WHERE object_id = $1 AND partner_id = $2 AND action IN ($3, $4, $5, $6) ORDER BY audit_id DESC LIMIT $7",
		[]any{
			key.OrderID, key.PartnerID, string(audit.ActionOrderMoved), string(audit.ActionRequestAnswered),
			string(audit.ActionOrderHandedOver), string(audit.ActionOrderReturned), lastMoves,
		}, func(row *operator.Audited) error {
			moves = append(moves, order.Move{OperatorID: row.OperatorID, At: row.At, After: row.After})
			return nil
		})
	return moves, err
}

// FailedAttempt returns what the event of the latest failed attempt of an order says; nil if
// it is not kept any more, or cannot be read.
func (tx orderTx) FailedAttempt(ctx context.Context, key order.OrderKey) (*delivery.EventFacts, error) {
	found, err := failedAttempts(ctx, tx.conn, []order.OrderKey{key})
	if failed := found[key]; failed != nil && !failed.Damaged {
		return &failed.Facts, err
	}
	return nil, err
}

// OperatorEmail returns an operator's e-mail address; empty if there is no such
// operator.
func (tx orderTx) OperatorEmail(ctx context.Context, operatorID string) (email string, err error) {
	err = tx.conn.Query(ctx, "SELECT email FROM operators WHERE operator_id = $1", []any{operatorID},
		func(r db.Row) error { return r.Scan(&email) })
	return email, err
}

// AutoAccepting lists the partners whose orders are accepted automatically.
func (tx orderTx) AutoAccepting(ctx context.Context) (partnerIDs []string, err error) {
	return autoAccepting(ctx, tx.conn)
}

// Pending lists a partner's pending orders, by the index that lists follow.
func (tx orderTx) Pending(ctx context.Context, partnerID, after string, limit int) (orderIDs []string, err error) {
	return db.IDs(ctx, tx.conn, `SELECT order_id FROM orders WHERE partner_id = $1 AND status = 'pending' AND order_id > $2
		ORDER BY order_id LIMIT $3`, partnerID, after, limit)
}

// Load reads what a group of commands touches, locked until the transaction
// ends.
func (tx orderTx) Load(ctx context.Context, needs *order.Needs) (*order.State, error) {
	start := time.Now()
	if needs.LockWait > 0 {
		if err := tx.conn.WaitForLocks(ctx, needs.LockWait); err != nil {
			return nil, err
		}
	}
	state, err := readState(ctx, tx.conn, needs, true)
	tx.warmth.Loaded(lookups(needs), time.Since(start))
	return state, ofGroup(err)
}

// Peek reads what a group of commands would touch, without locking it.
func (tx orderTx) Peek(ctx context.Context, needs *order.Needs) (*order.State, error) {
	return readState(ctx, tx.conn, needs, false)
}

// readState reads receipts last: a group that has waited for another node's locks
// must find the receipts that were committed with what it now sees, or it would
// refuse a retry for the effects of its own first try.
func readState(ctx context.Context, c db.Conn, needs *order.Needs, locked bool) (*order.State, error) {
	byKey, people := findOrders, &readActors
	if locked {
		byKey, people = lockOrders, &lockActors
	}
	named, err := readNamed(ctx, c, needs.SKUs, needs.Barcodes)
	if err != nil {
		return nil, err
	}
	p := db.NewPipeline(c)
	actors := people.find(p, needs.Actors)
	orderRows := db.Find(p, byKey, needs.Orders)
	stocks := readStocks(p, named.with(needs.Products), locked)
	usages := readUsages(p, needs.Usages, locked)
	documents := db.Find(p, findDocuments, needs.Documents)
	proofs := db.Find(p, findProofs, needs.Proofs)
	taken := db.Find(p, findReferences, needs.References)
	receipts := db.Find(p, findReceipts, needs.Receipts)
	books, entries := findBooks(p, needs.Books), db.Find(p, findEntries, needs.Charged)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	state := &order.State{
		Stocks: stocks.after(done), Proofs: bestProofs(proofs.After(done)),
		Actors: actors.after(done), Charged: chargedOf(entries.After(done)), Taken: map[order.Reference]order.Existing{},
		Receipts: map[idempotency.Key]*idempotency.Receipt{},
	}
	if state.SKUs, err = idsByCode(named.bySKU, findBySKU.of, state.Stocks); err != nil {
		return nil, err
	}
	if state.Barcodes, err = idsByCode(named.byBarcode, findByBarcode.of, state.Stocks); err != nil {
		return nil, err
	}
	for _, row := range taken.After(done) {
		reference := order.Reference{PartnerID: row.PartnerID, PartnerOrderID: row.PartnerOrderID}
		state.Taken[reference] = order.Existing{OrderID: row.OrderID, Status: row.Status}
	}
	for _, row := range receipts.After(done) {
		state.Receipts[row.Key] = row
	}
	if len(needs.Documents) > 0 {
		state.Documents = map[order.OrderKey][]byte{}
	}
	for _, row := range documents.After(done) {
		state.Documents[order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}] = row.document
	}
	state.Orders = ordersOf(orderRows.After(done))
	if state.Books, err = booksOf(books.After(done)); err != nil {
		return nil, err
	}
	if state.Usages, err = usagesOf(ctx, c, usages.After(done), needs.Usages, locked); err != nil {
		return nil, err
	}
	if err := addHistories(ctx, c, state.Orders); err != nil {
		return nil, err
	}
	return state, addDocuments(ctx, c, state.Receipts)
}

// documentsOf returns the records that answered the creations of orders.
func documentsOf(ctx context.Context, c db.Conn, keys []order.OrderKey) ([]*orderRow, error) {
	p := db.NewPipeline(c)
	found, kept := db.Find(p, findDocuments, keys), db.Find(p, findOriginals, keys)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	return append(found.After(done), kept.After(done)...), nil // an original replaces what the edits have left
}

// addDocuments fills in the answers to creations, which are the documents of the
// orders.
func addDocuments(ctx context.Context, c db.Conn, receipts map[idempotency.Key]*idempotency.Receipt) error {
	byOrder := map[order.OrderKey][]*idempotency.Receipt{} // the first order of a batch has two
	var keys []order.OrderKey
	for _, receipt := range receipts {
		if len(receipt.Answer) == 0 {
			key := order.OrderKey{PartnerID: receipt.PartnerID, OrderID: receipt.OrderID}
			if byOrder[key] == nil {
				keys = append(keys, key)
			}
			byOrder[key] = append(byOrder[key], receipt)
		}
	}
	rows, err := documentsOf(ctx, c, keys)
	for _, row := range rows {
		for _, receipt := range byOrder[order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}] {
			receipt.Answer = row.document
		}
	}
	// Retention removes keys before their orders. A transaction that sees the key
	// and not the order has read between the two, and the key is gone as well.
	maps.DeleteFunc(receipts,
		func(_ idempotency.Key, receipt *idempotency.Receipt) bool { return len(receipt.Answer) == 0 })
	return err
}

// LockQueues locks the turns and the endpoints of partners and returns their greatest
// event ids, the heads of their queues, and how far the events ahead of new ones have
// come. All are read after the locks: another transaction may have added events, or ended
// a wait, before it let go. Further endpoints, which few partners have, are locked by their
// keys, so that they are locked in order.
func (tx orderTx) LockQueues(
	ctx context.Context, partnerIDs []string, ahead []outbox.EventKey,
) (queues order.Queues, err error) {
	p := db.NewPipeline(tx.conn)
	takeTurns(p, partnerIDs)
	firsts := firstsOf(partnerIDs)
	newest, locked := db.Find(p, findNewest, partnerIDs), db.Find(p, firstQueues.lockEndpoints, firsts)
	further := db.Find(p, findFurtherKeys, firsts)
	var unnumbered []outbox.EventKey
	ahead = slices.DeleteFunc(slices.Clone(ahead), func(key outbox.EventKey) bool {
		if key.Sequence == 0 {
			unnumbered = append(unnumbered, key)
		}
		return key.Sequence == 0
	})
	latest := db.Find(p, findLatest, unnumbered)
	done, err := p.Flush(ctx)
	if err != nil {
		return queues, ofGroup(err)
	}
	queues.Newest = make(map[string]string, len(partnerIDs))
	for _, e := range newest.After(done) {
		queues.Newest[e.PartnerID] = e.EventID
	}
	queues.Latest = make(map[outbox.EventKey]int64, len(unnumbered))
	for _, e := range latest.After(done) {
		queues.Latest[outbox.Unnumbered(&e.Event)] = e.Sequence
		ahead = append(ahead, outbox.KeyOf(&e.Event))
	}
	endpoints := locked.After(done)
	if keys := keysOf(further.After(done)); len(keys) > 0 {
		found, err := lockEndpoints(ctx, tx.conn, keys)
		if err != nil {
			return queues, ofGroup(err)
		}
		endpoints = slices.AppendSeq(endpoints, maps.Values(found))
	}
	queues.Heads, queues.Ahead, err = tx.queuesOf(ctx, endpoints, ahead)
	return queues, err
}

// firstsOf returns the keys of the first endpoints of partners.
func firstsOf(partnerIDs []string) []outbox.EndpointKey {
	keys := make([]outbox.EndpointKey, len(partnerIDs))
	for i, partnerID := range partnerIDs {
		keys[i].PartnerID = partnerID
	}
	return keys
}

// keysOf returns the keys of endpoints in the order in which they are locked.
func keysOf(endpoints []*webhook.Endpoint) []outbox.EndpointKey {
	keys := make([]outbox.EndpointKey, len(endpoints))
	for i, e := range endpoints {
		keys[i] = e.Key()
	}
	slices.SortFunc(keys, outbox.EndpointKey.Compare)
	return keys
}

// queuesOf returns the heads of the queues of locked endpoints, and how far those events
// have come that such an endpoint sends.
func (tx orderTx) queuesOf(
	ctx context.Context, locked []*webhook.Endpoint, ahead []outbox.EventKey,
) (map[outbox.EndpointKey]outbox.Head, map[outbox.EventKey]outbox.Progress, error) {
	heads := make(map[outbox.EndpointKey]outbox.Head, len(locked))
	atPartner := make(map[string][]string, len(locked))
	for _, e := range locked {
		heads[e.Key()] = e.Head
		atPartner[e.PartnerID] = append(atPartner[e.PartnerID], e.EndpointID)
	}
	var keys []outbox.EventKey
	for _, key := range ahead {
		for _, key.EndpointID = range atPartner[key.PartnerID] {
			keys = append(keys, key)
		}
	}
	p := db.NewPipeline(tx.conn)
	var found [len(queuesInOrder)]*db.Found[*webhook.Event]
	for i, q := range queuesInOrder {
		found[i] = db.Find(p, q.findStates, of(q, keys, endpointOfKey))
	}
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, nil, err
	}
	progress := make(map[outbox.EventKey]outbox.Progress, len(keys))
	for _, rows := range found {
		for _, e := range rows.After(done) {
			progress[e.Key()] = outbox.Progress{State: e.State, Tries: e.Tries}
		}
	}
	return heads, progress, nil
}

// Save writes what a group of commands changes. It returns order.ErrRaced if
// fewer rows were written than decided: another node was faster.
func (tx orderTx) Save(ctx context.Context, c *order.Changes) error {
	created := make([]*orderRow, len(c.Created))
	for i, creation := range c.Created {
		created[i] = orderRowOf(creation.Order, creation.Document, 0)
	}
	changed := make([]*orderRow, 0, len(c.Changed))
	var edited, replaced []*orderRow
	for _, change := range c.Changed {
		row := orderRowOf(change.Order, change.Document, change.FromVersion)
		if change.Document == nil {
			changed = append(changed, row)
			continue
		}
		edited = append(edited, row)
		if change.Original != nil {
			replaced = append(replaced, orderRowOf(change.Order, change.Original, 0))
		}
	}
	p := db.NewPipeline(tx.conn)
	db.WriteAll(p, addOrders, created)
	db.WriteAll(p, moveOrders, changed)
	db.WriteAll(p, editOrders, edited)
	db.WriteAll(p, addOriginals, replaced)
	db.WriteAll(p, addHistory, db.Pointers(c.History))
	writeBoard(p, c.Shown, c.Ended)
	writeDeliveries(p, c.Deliveries)
	db.WriteAll(p, saveReturns, c.Returns)
	writeReceipts(p, c.Receipts)
	writeStocks(p, sortedStocks(c.Stocks))
	writeQueue(p, c.Queue, c.Wakes)
	writeEntries(p, c.Entries)
	if err := writeAudit(p, c.Audit); err != nil {
		return err
	}
	writeUsages(p, c.Used)
	db.WriteAll(p, addMails, c.Mails)
	writeFigures(p, &c.Figures)
	_, err := p.Flush(ctx)
	return ofGroup(err)
}

// ofGroup returns the error of a group of commands: as order.ErrRaced if another node was
// faster.
func ofGroup(err error) error {
	if errors.Is(err, db.ErrRaced) {
		return order.ErrRaced
	}
	return db.AtOnce(err)
}

// usageRow is what a partner has used of its quotas.
type usageRow struct {
	partnerID          string
	orders             int64 // created, ever
	day, ordersEarlier int64 // see Usage.Day; what was created before that day
	storedBytes        int64
}

var (
	usageKey   = db.Key(db.Text("partner_id", func(u *usageRow) *string { return &u.partnerID }))
	usageOfDay = []db.Column[*usageRow]{
		db.Integer("day", func(u *usageRow) *int64 { return &u.day }),
		db.Integer("orders_earlier", func(u *usageRow) *int64 { return &u.ordersEarlier }),
	}
	usageTotals = []db.Column[*usageRow]{
		db.Integer("orders", func(u *usageRow) *int64 { return &u.orders }),
		db.Integer("stored_bytes", func(u *usageRow) *int64 { return &u.storedBytes }),
	}
	partnerUsage = db.NewTable("partner_usage", usageKey, append(usageOfDay, usageTotals...)...)

	addUsages    = partnerUsage.Insert()
	findUsages   = db.LookUpBy(db.ByID("partner_id"), partnerUsage)
	lockUsages   = db.LockBy(db.ByID("partner_id"), partnerUsage)
	beginDays    = db.UpdateOf(partnerUsage, usageKey, usageOfDay)
	increaseUses = db.IncreaseOf(partnerUsage, usageKey, usageTotals)
)

// readUsages queues the reading of what partners have used.
func readUsages(p *db.Pipeline, keys []order.UsageKey, locked bool) *db.Found[*usageRow] {
	byKey := findUsages
	if locked {
		byKey = lockUsages
	}
	ids := make([]string, len(keys))
	for i, key := range keys {
		ids[i] = key.PartnerID
	}
	return db.Find(p, byKey, ids)
}

// usagesOf returns what partners have used, by partner. The orders of a day are
// counted when the day is first asked for. From then on the row knows them; it is
// written if it is locked.
func usagesOf(
	ctx context.Context, c db.Conn, rows []*usageRow, keys []order.UsageKey, locked bool,
) (map[string]*order.Usage, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	days := make(map[string]int64, len(keys))
	for _, key := range keys {
		days[key.PartnerID] = key.Day
	}
	usages := make(map[string]*order.Usage, len(rows))
	for _, row := range rows {
		if day := days[row.partnerID]; day > row.day {
			created, err := createdSince(ctx, c, row.partnerID, day)
			if err != nil {
				return nil, err
			}
			row.day, row.ordersEarlier = day, row.orders-created
			if locked {
				if err := db.WriteAllNow(ctx, c, beginDays, row); err != nil {
					return nil, err
				}
			}
		}
		usages[row.partnerID] = &order.Usage{Day: row.day, Orders: row.orders - row.ordersEarlier, Bytes: row.storedBytes}
	}
	return usages, nil
}

// createdSince counts the orders that were created on a day or later. It follows the
// primary key, because order ids begin with the time of creation.
func createdSince(ctx context.Context, c db.Conn, partnerID string, day int64) (count int64, err error) {
	first, err := delivery.FirstOrderID(partnerID, time.Unix(0, 0).UTC().AddDate(0, 0, int(day)))
	if err == nil {
		err = c.Query(ctx, "SELECT count(*) FROM orders WHERE partner_id = $1 AND order_id >= $2", []any{partnerID, first},
			func(r db.Row) error { return r.Scan(&count) })
	}
	return count, err
}

// writeUsages queues what partners have used in addition. Rows of partners with a
// quota are locked already; those of others are locked by this statement, which must
// therefore be the last but for that of the figures.
func writeUsages(p *db.Pipeline, used []order.Used) {
	rows := make([]*usageRow, len(used))
	for i, u := range used {
		rows[i] = &usageRow{partnerID: u.PartnerID, orders: u.Orders, storedBytes: u.Bytes}
	}
	db.Write(p, increaseUses, rows)
}

const (
	// warmFor bounds how long a command is warmed before it is queued.
	warmFor = 200 * time.Millisecond
	// warmTogether is how many look-ups of a large command one connection makes.
	warmTogether = 16
)

// orderStore is the store as package order sees it.
type orderStore struct {
	view[order.Reader, order.Writer]
	warmth  *db.Warmth  // nil if the engine needs none
	grouped *orderReads // nil if reads are not grouped
}

// Cold reports whether Warm is worth its cost.
func (s orderStore) Cold() bool { return s.warmth.Cold() }

func lookups(needs *order.Needs) int {
	return len(needs.Receipts) + len(needs.References) + len(needs.Orders) + len(needs.Products) + len(needs.Proofs) +
		len(needs.Charged) + len(needs.SKUs) + len(needs.Barcodes)
}

// Warm reads what a command will look up, so that Load finds it in memory: what lies at
// random places, which are keys, references, and orders. It does not wait longer than warmFor.
func (s orderStore) Warm(ctx context.Context, needs *order.Needs) {
	ctx, cancel := context.WithTimeout(ctx, warmFor)
	defer cancel()
	random := order.Needs{Receipts: needs.Receipts, References: needs.References, Orders: needs.Orders}
	if count := lookups(&random); count <= warmTogether {
		s.look(ctx, &random)
		return
	}
	var all sync.WaitGroup
	for _, part := range partsOf(&random) {
		all.Go(func() { s.look(ctx, part) })
	}
	all.Wait()
}

func partsOf(needs *order.Needs) (parts []*order.Needs) {
	for some := range slices.Chunk(needs.Receipts, warmTogether) {
		parts = append(parts, &order.Needs{Receipts: some})
	}
	for some := range slices.Chunk(needs.References, warmTogether) {
		parts = append(parts, &order.Needs{References: some})
	}
	for some := range slices.Chunk(needs.Orders, warmTogether) {
		parts = append(parts, &order.Needs{Orders: some})
	}
	return parts
}

func (s orderStore) look(ctx context.Context, needs *order.Needs) {
	s.warmth.Look(ctx, lookups(needs), func(c db.Conn) error {
		_, err := readState(ctx, c, needs, false)
		return err
	})
}
