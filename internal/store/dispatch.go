package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	courierDeliveries = db.NewTable("courier_deliveries",
		db.Within(func(d *order.Delivery) *order.OrderKey { return &d.OrderKey }, byOrder...),
		db.Text("courier_id", func(d *order.Delivery) *string { return &d.CourierID }),
		db.Moment("delivered_at", func(d *order.Delivery) *time.Time { return &d.At }),
	)
	addDeliveries  = courierDeliveries.Insert()
	dropDeliveries = db.DeleteFrom(courierDeliveries, byOrder)
)

// writeDeliveries queues what couriers have delivered.
func writeDeliveries(p *db.Pipeline, delivered []order.Delivery) {
	db.WriteAll(p, addDeliveries, db.Pointers(delivered))
}

// deliveriesOf counts what a courier has delivered since a time, and lists the
// latest of it.
func deliveriesOf(
	ctx context.Context, c db.Conn, courierID string, since time.Time, limit int,
) (done dispatch.Done, err error) {
	err = c.Query(ctx, "SELECT count(*) FROM courier_deliveries WHERE courier_id = $1 AND delivered_at >= $2",
		[]any{courierID, since}, func(r db.Row) error { return r.Scan(&done.Count) })
	if err != nil {
		return done, err
	}
	err = courierDeliveries.Each(ctx, c,
		"WHERE courier_id = $1 AND delivered_at >= $2 ORDER BY delivered_at DESC, order_id LIMIT $3",
		[]any{courierID, since, limit}, func(d *order.Delivery) error {
			done.Latest = append(done.Latest, dispatch.Delivery{OrderID: d.OrderID, At: d.At})
			return nil
		})
	return done, err
}

var (
	courierSequences = db.NewTable("courier_sequences",
		db.Key(db.Text("courier_id", func(s *dispatch.Sequence) *string { return &s.CourierID })),
		db.Integer("version", func(s *dispatch.Sequence) *int64 { return &s.Version }),
		db.JSON("stops", func(s *dispatch.Sequence) *[]dispatch.Placed { return &s.Stops },
			func(stops []dispatch.Placed) bool { return len(stops) == 0 },
			func(s *dispatch.Sequence, _ error) { s.Stops = nil }), // the jobs then follow the rule for those without a place
	)
	findCourierSequences = db.LookUpBy(db.ByID("courier_id"), courierSequences)
	saveCourierSequences = courierSequences.Upsert()
)

// sequencesOf returns the sequences of couriers by their ids; those that never had one
// are left out.
func sequencesOf(ctx context.Context, c db.Conn, courierIDs []string) (map[string]*dispatch.Sequence, error) {
	rows, err := db.FindNow(ctx, c, findCourierSequences, courierIDs...)
	byID := make(map[string]*dispatch.Sequence, len(rows))
	for _, row := range rows {
		byID[row.CourierID] = row
	}
	return byID, err
}

var (
	dispatchSettings = db.NewTable("dispatch_settings",
		db.Key(db.Text("partner_id", func(s *dispatch.Settings) *string { return &s.PartnerID })),
		db.Flag("auto_accept", func(s *dispatch.Settings) *bool { return &s.AutoAccept }),
	)
	findDispatchSettings = db.LookUpBy(db.ByID("partner_id"), dispatchSettings)
	lockDispatchSettings = db.LockBy(db.ByID("partner_id"), dispatchSettings)
	addDispatchSettings  = dispatchSettings.Insert()
	saveDispatchSettings = dispatchSettings.Upsert()
)

// autoAccepting lists the partners whose orders are accepted automatically.
func autoAccepting(ctx context.Context, c db.Conn) ([]string, error) {
	return db.IDs(ctx, c, "SELECT partner_id FROM dispatch_settings WHERE auto_accept = 1 ORDER BY partner_id")
}

// noteText is the text of all notes of an order.
type noteText struct {
	order.OrderKey
	text string
}

var (
	orderNotes = db.NewTable("order_notes",
		db.Key(
			db.Text("partner_id", func(n *dispatch.Note) *string { return &n.PartnerID }),
			db.Text("order_id", func(n *dispatch.Note) *string { return &n.OrderID }),
			db.Text("note_id", func(n *dispatch.Note) *string { return &n.NoteID })),
		db.Text("operator_id", func(n *dispatch.Note) *string { return &n.OperatorID }),
		db.Moment("at", func(n *dispatch.Note) *time.Time { return &n.At }),
		db.Text("note", func(n *dispatch.Note) *string { return &n.Text }),
	)
	addNotes  = orderNotes.Insert()
	dropNotes = db.DeleteFrom(orderNotes, byOrder)
	// overwriteNotes gives all notes of an order the same text.
	overwriteNotes = db.UpdateOf(orderNotes,
		db.Within(func(n *noteText) *order.OrderKey { return &n.OrderKey }, byOrder...),
		db.Key(db.Text("note", func(n *noteText) *string { return &n.text })))
)

// notesOf lists the newest notes of an order, newest first.
func notesOf(ctx context.Context, c db.Conn, key order.OrderKey, limit int) ([]*dispatch.Note, error) {
	return orderNotes.All(ctx, c, "WHERE partner_id = $1 AND order_id = $2 ORDER BY note_id DESC LIMIT $3", key.PartnerID,
		key.OrderID, limit)
}

// Dispatch is the store as package dispatch sees it.
func (s *Store) Dispatch() dispatch.Store {
	return view[dispatch.Reader, dispatch.Writer]{s.Database,
		func(c db.Conn) dispatch.Reader { return dispatchTx{auditing{c}} },
		func(c db.Conn) dispatch.Writer { return dispatchTx{auditing{c}} }}
}

// dispatchTx is a transaction of package dispatch.
type dispatchTx struct{ auditing }

// Board lists orders under way in the filter's order, as of a time.
func (tx dispatchTx) Board(ctx context.Context, f dispatch.Filter, now time.Time) ([]*board.Row, error) {
	return listBoard(ctx, tx.conn, f, now)
}

// Count counts orders under way by state, and what needs attention, as of a
// time.
func (tx dispatchTx) Count(ctx context.Context, now time.Time) (dispatch.Counts, error) {
	return countBoard(ctx, tx.conn, now)
}

// Loads counts the orders under way of each courier that has any.
func (tx dispatchTx) Loads(ctx context.Context) (map[string]int64, error) {
	loads := map[string]int64{}
	const text = "SELECT courier_id, count(*) FROM open_orders WHERE courier_id <> '' GROUP BY courier_id"
	return loads, tx.conn.Query(ctx, text, nil, func(r db.Row) error {
		var courierID string
		var load int64
		if err := r.Scan(&courierID, &load); err != nil {
			return err
		}
		loads[courierID] = load
		return nil
	})
}

// EndedOrders lists orders of one partner in one final state, newest first. It
// stops early where a list of orders does.
func (tx dispatchTx) EndedOrders(
	ctx context.Context, f dispatch.Filter,
) (found []*delivery.Order, stopped bool, err error) {
	found, stopped, err = listOrders(ctx, tx.conn, order.Filter{
		PartnerID: f.PartnerID, Status: f.Statuses[0], CreatedFrom: f.CreatedFrom, CreatedTo: f.CreatedTo,
		Before: f.After.OrderID, Limit: f.Limit,
	})
	if err != nil {
		return nil, false, err
	}
	return found, stopped, addHistoriesTo(ctx, tx.conn, found)
}

// fromNumbered selects orders by the number that their partners gave them, of one partner or, if $2 is
// empty, of all: one look into each partner's index. CROSS JOIN keeps SQLite from reading all orders first.
const fromNumbered = ` FROM partners AS p CROSS JOIN orders AS o
	WHERE o.partner_id = p.partner_id AND o.partner_order_id = $1 AND ($2 = '' OR p.partner_id = $2) LIMIT $3`

// OrdersNamed finds orders by their partners' own name for them.
func (tx dispatchTx) OrdersNamed(
	ctx context.Context, partnerID, partnerOrderID string, limit int,
) (found []*delivery.Order, err error) {
	text := "SELECT " + orders.List("o") + fromNumbered
	err = tx.conn.Query(ctx, text, []any{partnerOrderID, partnerID, limit}, func(r db.Row) error {
		row := new(orderRow)
		if err := r.Scan(db.Into(orders.Columns, row)...); err != nil {
			return err
		}
		found = append(found, row.order())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, addHistoriesTo(ctx, tx.conn, found)
}

// Order returns one order with its history; nil if there is none.
func (tx dispatchTx) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	return orderTx{conn: tx.conn}.Order(ctx, partnerID, orderID)
}

// OrdersOf reads the orders of rows of the board by id, with their histories;
// those that have been removed meanwhile are left out.
func (tx dispatchTx) OrdersOf(ctx context.Context, rows []*board.Row) (map[string]*delivery.Order, error) {
	keys := make([]order.OrderKey, len(rows))
	for i, row := range rows {
		keys[i] = order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}
	}
	return ordersByID(ctx, tx.conn, findOrders, keys)
}

// LockOrders reads orders with their histories, locked until the transaction
// ends.
func (tx dispatchTx) LockOrders(
	ctx context.Context, partnerID string, orderIDs []string,
) (map[string]*delivery.Order, error) {
	return ordersByID(ctx, tx.conn, lockOrders, orderKeysOf(partnerID, orderIDs))
}

// findFacts finds what the events of orders say, and no more of them.
var findFacts = db.LookUpSome(byOrder, events, slices.Concat(events.Key, events.Pick("type", "facts")))

// failedAttempts returns the latest events of failed attempts of orders. Others may have come
// after them that no move has caused.
func failedAttempts(
	ctx context.Context, c db.Conn, keys []order.OrderKey,
) (map[order.OrderKey]*webhook.Event, error) {
	rows, err := db.FindNow(ctx, c, findFacts, keys...)
	latest := make(map[order.OrderKey]*webhook.Event, len(keys))
	for _, row := range rows {
		key := order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}
		if row.Type == delivery.EventOrderFailed && (latest[key] == nil || latest[key].Sequence < row.Sequence) {
			latest[key] = row
		}
	}
	return latest, err
}

// FailedAttempts returns the latest attempts at failed orders by order id. Those whose events are not kept
// any more, or cannot be read, are left out.
func (tx dispatchTx) FailedAttempts(
	ctx context.Context, orders []*delivery.Order,
) (map[string]delivery.FailedAttempt, error) {
	keys := make([]order.OrderKey, len(orders))
	for i, o := range orders {
		keys[i] = order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}
	}
	latest, err := failedAttempts(ctx, tx.conn, keys)
	attempts := make(map[string]delivery.FailedAttempt, len(latest))
	for key, event := range latest {
		if !event.Damaged {
			attempts[key.OrderID] = event.Facts.Failed()
		}
	}
	return attempts, err
}

// Deliveries counts what a courier has delivered since a time, and lists the
// latest of it.
func (tx dispatchTx) Deliveries(
	ctx context.Context, courierID string, since time.Time, limit int,
) (dispatch.Done, error) {
	return deliveriesOf(ctx, tx.conn, courierID, since, limit)
}

// Proofs lists the proofs of an order, oldest first.
func (tx dispatchTx) Proofs(ctx context.Context, partnerID, orderID string) ([]*delivery.Proof, error) {
	return proofsOf(ctx, tx.conn, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
}

var findPartnerNames = db.LookUpSome(db.ByID("partner_id"), partners, partners.Pick("partner_id", "name"))

// PartnerNames returns partners' names by id.
func (tx dispatchTx) PartnerNames(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := db.FindNow(ctx, tx.conn, findPartnerNames, ids...)
	names := make(map[string]string, len(found))
	for _, account := range found {
		names[account.PartnerID] = account.Name
	}
	return names, err
}

// Couriers returns couriers by id, active or not.
func (tx dispatchTx) Couriers(ctx context.Context, ids []string) (map[string]dispatch.Courier, error) {
	byID, err := couriersByID(ctx, tx.conn, ids)
	found := make(map[string]dispatch.Courier, len(byID))
	for id, courier := range byID {
		found[id] = dispatch.Courier{Name: courier.Name, Active: courier.Active}
	}
	return found, err
}

// LockCouriers locks couriers until the transaction ends, and returns the ids of those
// that exist.
func (tx dispatchTx) LockCouriers(ctx context.Context, ids []string) ([]string, error) {
	return lockedCouriers(ctx, tx.conn, ids...)
}

func lockedCouriers(ctx context.Context, c db.Conn, ids ...string) ([]string, error) {
	rows, err := db.FindNow(ctx, c, lockCouriers, ids...)
	known := make([]string, len(rows))
	for i, row := range rows {
		known[i] = row.CourierID
	}
	return known, err
}

// Sequences returns the sequences of couriers by their ids; those that never had one
// are left out.
func (tx dispatchTx) Sequences(ctx context.Context, courierIDs []string) (map[string]*dispatch.Sequence, error) {
	return sequencesOf(ctx, tx.conn, courierIDs)
}

// SaveSequence writes the sequence of a courier.
func (tx dispatchTx) SaveSequence(ctx context.Context, sequence *dispatch.Sequence) error {
	_, err := db.WriteNow(ctx, tx.conn, saveCourierSequences, sequence)
	return err
}

// Notes lists the newest notes of an order, newest first.
func (tx dispatchTx) Notes(ctx context.Context, partnerID, orderID string, limit int) ([]*dispatch.Note, error) {
	return notesOf(ctx, tx.conn, order.OrderKey{PartnerID: partnerID, OrderID: orderID}, limit)
}

// Moves lists the latest moves of an order by operators, newest first.
func (tx dispatchTx) Moves(ctx context.Context, partnerID, orderID string) (moves []dispatch.Move, err error) {
	found, err := orderTx{conn: tx.conn}.Moves(ctx, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
	for _, one := range found {
		var left struct {
			Version   int64  `json:"version"`
			CourierID string `json:"courier_id"`
		}
		if strictjson.Unmarshal(one.After, &left) == nil { // a damaged entry is left out
			moves = append(moves,
				dispatch.Move{Version: left.Version, At: one.At, OperatorID: one.OperatorID, CourierID: left.CourierID})
		}
	}
	// Entries of one millisecond are in no order.
	slices.SortFunc(moves, func(a, b dispatch.Move) int { return cmp.Compare(b.Version, a.Version) })
	return moves, err
}

var findOperatorEmails = db.LookUpSome(db.ByID("operator_id"), operators, operators.Pick("operator_id", "email"))

// OperatorEmails returns the e-mail addresses of operators by id.
func (tx dispatchTx) OperatorEmails(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := db.FindNow(ctx, tx.conn, findOperatorEmails, ids...)
	emails := make(map[string]string, len(found))
	for _, one := range found {
		emails[one.OperatorID] = one.Email
	}
	return emails, err
}

// AddNote adds a note to an order.
func (tx dispatchTx) AddNote(ctx context.Context, note *dispatch.Note) error {
	return db.WriteAllNow(ctx, tx.conn, addNotes, note)
}

// Settings returns how a partner's orders are dispatched; nil if there is no
// such partner.
func (tx dispatchTx) Settings(ctx context.Context, partnerID string) (*dispatch.Settings, error) {
	p := db.NewPipeline(tx.conn)
	partner := db.Find(p, findPartners, []string{partnerID})
	settings := db.Find(p, findDispatchSettings, []string{partnerID})
	done, err := p.Flush(ctx)
	if err != nil || len(partner.After(done)) == 0 {
		return nil, err
	}
	if set := settings.After(done); len(set) > 0 {
		return set[0], nil
	}
	return &dispatch.Settings{PartnerID: partnerID}, nil
}

// LockSettings returns what Settings does, locked until the transaction ends. A partner
// that has none gets a row with the defaults.
func (tx dispatchTx) LockSettings(ctx context.Context, partnerID string) (*dispatch.Settings, error) {
	found, err := tx.Settings(ctx, partnerID)
	if err != nil || found == nil {
		return nil, err
	}
	if _, err := db.WriteNow(ctx, tx.conn, addDispatchSettings, &dispatch.Settings{PartnerID: partnerID}); err != nil {
		return nil, err
	}
	return db.FindOne(ctx, tx.conn, lockDispatchSettings, partnerID)
}

// SaveSettings writes how a partner's orders are dispatched.
func (tx dispatchTx) SaveSettings(ctx context.Context, settings *dispatch.Settings) error {
	_, err := db.WriteNow(ctx, tx.conn, saveDispatchSettings, settings)
	return err
}
