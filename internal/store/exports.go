package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/exports"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/webhook"
)

// exportRow says in the files of which day a row is.
type exportRow struct {
	source exports.Source
	exports.RowKey
	day date.Day
}

// exportFloor is the key up to which all rows of a source were exported.
type exportFloor struct {
	source exports.Source
	exports.RowKey
}

var (
	exportDays = db.NewTable("export_days",
		db.Key(db.Integer("day", func(d *exports.Day) *int64 { return (*int64)(&d.Day) })),
		db.Moment("sealed_at", func(d *exports.Day) *time.Time { return &d.SealedAt }),
		db.Moment("done_at", func(d *exports.Day) *time.Time { return &d.DoneAt }),
		db.Text("digest", func(d *exports.Day) *string { return &d.Digest }),
		db.Integer("files", func(d *exports.Day) *int64 { return &d.Files }),
		db.Integer("size", func(d *exports.Day) *int64 { return &d.Bytes }),
		db.JSON("contents", func(d *exports.Day) *[]exports.File { return &d.Contents },
			func(files []exports.File) bool { return len(files) == 0 }, func(*exports.Day, error) {}), // the place has them
	)
	saveExportDays = exportDays.Upsert()

	exportRows = db.NewTable("export_rows",
		db.Key(
			db.Text("partner_id", func(r *exportRow) *string { return &r.PartnerID }),
			db.Text("kind", func(r *exportRow) *string { return (*string)(&r.source) }),
			db.Text("row_key", func(r *exportRow) *string { return &r.Key })),
		db.Integer("day", func(r *exportRow) *int64 { return (*int64)(&r.day) }),
	)
	addExportRows = exportRows.Insert()

	exportFloors = db.NewTable("export_floors",
		db.Key(
			db.Text("partner_id", func(f *exportFloor) *string { return &f.PartnerID }),
			db.Text("kind", func(f *exportFloor) *string { return (*string)(&f.source) })),
		db.Text("row_key", func(f *exportFloor) *string { return &f.Key }),
	)
	saveExportFloors = exportFloors.Upsert()

	findExportedEvents = db.LookUpBy(db.Key(
		db.Text("partner_id", func(k *exports.RowKey) *string { return &k.PartnerID }),
		db.Text("event_id", func(k *exports.RowKey) *string { return &k.Key })), events)
	findMovements  = db.LookUpBy(stockMovements.Key, stockMovements)
	findJournalBy  = db.LookUpBy(byJournalKey, journal)
	findFloors     = db.LookUpBy(exportFloors.Key, exportFloors)
	findExportDays = db.LookUpBy(exportDays.Key, exportDays)
)

// Exports is the store as package exports sees it.
func (s *Store) Exports() exports.Store {
	return view[exports.Reader, exports.Writer]{s.Database,
		func(c db.Conn) exports.Reader { return exportsTx{auditing{c}, mailing{c}} },
		func(c db.Conn) exports.Writer { return exportsTx{auditing{c}, mailing{c}} },
	}
}

// exportsTx is a transaction of package exports.
type exportsTx struct {
	auditing
	mailing
}

// ExportsSetting holds what all nodes know of the work, as JSON: an exports.State.
const ExportsSetting = "exports"

// WrongExports finds days behind one that was not exported, and rows in the files of a day that does not exist.
const WrongExports = `SELECT 'the day ' || later.day || ' of the exports is behind one that was not exported'
	FROM export_days AS later JOIN (SELECT min(day) AS first FROM export_days) AS f ON later.day > f.first
	LEFT JOIN export_days AS d ON d.day = later.day - 1 WHERE d.day IS NULL OR d.done_at = 0
	UNION ALL SELECT 'rows are in the files of the day ' || r.day || ', which is missing' FROM
	(SELECT DISTINCT day FROM export_rows) AS r LEFT JOIN export_days AS d ON d.day = r.day WHERE d.day IS NULL`

// State returns what all nodes know of the work.
func (tx exportsTx) State(ctx context.Context) (exports.State, error) {
	return exportStateOf(db.SettingsIn(tx.conn).Get(ctx, ExportsSetting))
}

// LockState returns what State does, locked until the transaction ends.
func (tx exportsTx) LockState(ctx context.Context) (exports.State, error) {
	return exportStateOf(db.SettingsIn(tx.conn).Lock(ctx, ExportsSetting))
}

func exportStateOf(text string, err error) (state exports.State, _ error) {
	if err != nil || text == "" {
		return state, err
	}
	err = strictjson.Unmarshal([]byte(text), &state)
	return state, err
}

// SaveState writes what all nodes know of the work.
func (tx exportsTx) SaveState(ctx context.Context, state exports.State) error {
	text, err := strictjson.Marshal(state)
	if err != nil {
		return err
	}
	return db.SettingsIn(tx.conn).Set(ctx, ExportsSetting, string(text))
}

// Day returns a day; nil if its export has not begun.
func (tx exportsTx) Day(ctx context.Context, day date.Day) (*exports.Day, error) {
	return db.FindOne(ctx, tx.conn, findExportDays, exports.Day{Day: day})
}

// Days lists days, the latest first.
func (tx exportsTx) Days(ctx context.Context, before date.Day, limit int) ([]*exports.Day, error) {
	selected := &db.Conditions{}
	if before != 0 {
		selected.Add("day < ?", int64(before))
	}
	tail, args := selected.Clause("ORDER BY day DESC LIMIT ?", limit)
	return exportDays.All(ctx, tx.conn, tail, args...)
}

// SaveDay adds a day or overwrites it.
func (tx exportsTx) SaveDay(ctx context.Context, day *exports.Day) error {
	return db.WriteAllNow(ctx, tx.conn, saveExportDays, day)
}

// Admins returns the addresses of the operators who are admins.
func (tx exportsTx) Admins(ctx context.Context) ([]string, error) {
	return db.IDs(ctx, tx.conn, "SELECT email FROM operators WHERE role = $1 AND active = 1 ORDER BY created_at, operator_id",
		string(operator.RoleAdmin))
}

// Partners lists the partners.
func (tx exportsTx) Partners(ctx context.Context) ([]string, error) { return partnerIDs(ctx, tx.conn) }

// Floor returns the key up to which all rows of a partner were exported.
func (tx exportsTx) Floor(ctx context.Context, source exports.Source, partnerID string) (string, error) {
	found, err := db.FindOne(ctx, tx.conn, findFloors, exportFloor{source, exports.RowKey{PartnerID: partnerID}})
	if err != nil || found == nil {
		return "", err
	}
	return found.Key, nil
}

// Greatest returns the greatest key of the rows that are in the files of a day or an earlier one.
func (tx exportsTx) Greatest(
	ctx context.Context, source exports.Source, partnerID string, until date.Day,
) (greatest string, err error) {
	err = tx.conn.Query(ctx,
		"SELECT COALESCE(max(row_key), '') FROM export_rows WHERE partner_id = $1 AND kind = $2 AND day <= $3",
		[]any{partnerID, string(source), int64(until)}, func(r db.Row) error { return r.Scan(&greatest) })
	return greatest, err
}

// Raise sets the floor, and forgets rows up to it.
func (tx exportsTx) Raise(
	ctx context.Context, source exports.Source, partnerID, floor string, until date.Day,
) error {
	raised := &exportFloor{source, exports.RowKey{PartnerID: partnerID, Key: floor}}
	err := db.WriteAllNow(ctx, tx.conn, saveExportFloors, raised)
	if err != nil {
		return err
	}
	_, err = tx.conn.Exec(ctx,
		"DELETE FROM export_rows WHERE partner_id = $1 AND kind = $2 AND row_key <= $3 AND day <= $4",
		partnerID, string(source), floor, int64(until))
	return err
}

// Seal notes that rows are in the files of a day.
func (tx exportsTx) Seal(ctx context.Context, day date.Day, source exports.Source, rows []exports.RowKey) error {
	sealed := make([]*exportRow, len(rows))
	for i, key := range rows {
		sealed[i] = &exportRow{source, key, day}
	}
	_, err := db.WriteNow(ctx, tx.conn, addExportRows, sealed...)
	return err
}

// Sealed lists the rows that are in the files of a day.
func (tx exportsTx) Sealed(
	ctx context.Context, day date.Day, source exports.Source, after exports.RowKey, limit int,
) (keys []exports.RowKey, err error) {
	err = exportRows.Each(ctx, tx.conn, `WHERE day = $1 AND kind = $2 AND (partner_id, row_key) > ($3, $4)
		ORDER BY partner_id, row_key LIMIT $5`, []any{int64(day), string(source), after.PartnerID, after.Key, limit},
		func(row *exportRow) error {
			keys = append(keys, row.RowKey)
			return nil
		})
	return keys, err
}

// movementBase is added to the number of a movement, so that its text sorts like it.
const movementBase = 1_000_000_000_000_000_000

// exported says of each source how its rows are found: the table, the key as text, and the columns in whose order
// the table is read. SQLite finds a key by an index only if the key is known to be text, as a CAST says. Names that
// export_rows has, too, need their table.
var exported = map[exports.Source]struct{ table, key, by string }{
	exports.SourceOrders: {"orders", "order_id", "order_id"},
	exports.SourceEvents: {"events", "event_id", "event_id"},
	exports.SourceMovements: {
		"stock_movements", "CAST(" + strconv.Itoa(movementBase) + " + movement_id AS TEXT)", "movement_id",
	},
	exports.SourceJournal: {"journal", "CAST(journal.entry_id || '.' || journal.day AS TEXT)", "entry_id, day"},
}

// idMargin bounds how long before an entry of the journal was recorded its id can have been made.
const idMargin = 24 * time.Hour

// Unsealed lists the keys of rows of a partner that are in the files of no day. Orders, events and entries of the
// journal are found by the time in their ids, by an index; movements by their numbers, behind those of Complete.
func (tx exportsTx) Unsealed(ctx context.Context, p exports.Period, limit int) ([]string, error) {
	of, selected := exported[p.Source], db.OfPartner(p.PartnerID)
	switch p.Source {
	case exports.SourceOrders:
		first, err := delivery.FirstOrderID(p.PartnerID, p.From)
		if err != nil {
			return nil, err
		}
		end, err := delivery.FirstOrderID(p.PartnerID, p.To)
		if err != nil {
			return nil, err
		}
		selected.Add("order_id >= ? AND order_id < ?", first, end)
		selected.AddText("order_id > ?", max(p.Floor, p.After))
	case exports.SourceEvents:
		selected.Add("event_id >= ? AND event_id < ?", identifier.FirstUUID(p.From), identifier.FirstUUID(p.To))
		selected.AddText("event_id > ?", max(p.Floor, p.After))
	case exports.SourceMovements:
		selected.Add("created_at >= ? AND created_at < ?", p.From, p.To)
		if behind := max(p.Floor, p.After); behind != "" {
			selected.Add("movement_id > ?", movementOf(exports.RowKey{Key: behind}).MovementID)
		}
	case exports.SourceJournal:
		selected.Add("recorded_at >= ? AND recorded_at < ?", p.From, p.To)
		selected.Add("entry_id >= ?", identifier.FirstUUID(p.From.Add(-idMargin)))
		if behind := max(p.Floor, p.After); behind != "" {
			after := journalKeyIn(exports.RowKey{Key: behind})
			selected.Add("(entry_id, day) > (?, ?)", after.entryID, after.day)
		}
	}
	unsealed(selected, p.Source)
	tail, args := selected.Clause("ORDER BY "+of.by+" LIMIT ?", limit)
	return db.IDs(ctx, tx.conn, "SELECT "+of.key+" FROM "+of.table+" "+tail, args...)
}

// unsealed selects the rows of a source that are in the files of no day.
func unsealed(selected *db.Conditions, source exports.Source) {
	of := exported[source]
	selected.Add("NOT EXISTS (SELECT 1 FROM export_rows e WHERE e.partner_id = "+of.table+
		".partner_id AND e.kind = ? AND e.row_key = "+of.key+")", string(source))
}

// Complete returns the key of the last movement of a partner before the first one that is in the files of no day. The
// numbers of movements are given out under a lock that a transaction holds until it ends, so that every number
// below one that is seen was committed. It returns nothing for other sources, whose ids do not grow with commits.
func (tx exportsTx) Complete(ctx context.Context, p exports.Period) (string, error) {
	if p.Source != exports.SourceMovements {
		return "", nil
	}
	var last int64
	scan := func(r db.Row) error { return r.Scan(&last) }
	if err := tx.conn.Query(ctx, "SELECT COALESCE(max(movement_id), 0) FROM stock_movements WHERE partner_id = $1",
		[]any{p.PartnerID}, scan); err != nil {
		return "", err
	}
	selected := db.OfPartner(p.PartnerID)
	selected.Add("created_at >= ?", p.From)
	selected.Add("movement_id > ?", movementOf(exports.RowKey{Key: p.Floor}).MovementID)
	unsealed(selected, p.Source)
	tail, args := selected.Clause("ORDER BY movement_id LIMIT 1")
	err := tx.conn.Query(ctx, "SELECT movement_id - 1 FROM stock_movements "+tail, args, scan)
	if err != nil || last == 0 {
		return "", err
	}
	return strconv.FormatInt(movementBase+last, 10), nil
}

// movementOf returns the key of a movement.
func movementOf(key exports.RowKey) movementRow {
	number, _ := strconv.ParseInt(key.Key, 10, 64)
	row := movementRow{partnerID: key.PartnerID}
	row.MovementID = number - movementBase
	return row
}

// journalKeyIn returns the key of an entry of the journal.
func journalKeyIn(key exports.RowKey) journalKey {
	entryID, text, _ := strings.Cut(key.Key, ".")
	day, _ := strconv.ParseInt(text, 10, 64)
	return journalKey{key.PartnerID, day, entryID}
}

// inOrder returns what was found by keys, in the order of the keys.
func inOrder[K comparable, R any](keys []K, found []R, keyOf func(R) K) []R {
	byKey := make(map[K]R, len(found))
	for _, one := range found {
		byKey[keyOf(one)] = one
	}
	sorted := make([]R, 0, len(found))
	for _, key := range keys {
		if one, ok := byKey[key]; ok {
			sorted = append(sorted, one)
		}
	}
	return sorted
}

// Orders returns orders with their histories.
func (tx exportsTx) Orders(ctx context.Context, keys []exports.RowKey) ([]*delivery.Order, error) {
	wanted := make([]order.OrderKey, len(keys))
	for i, key := range keys {
		wanted[i] = order.OrderKey{PartnerID: key.PartnerID, OrderID: key.Key}
	}
	byKey, err := ordersByKey(ctx, tx.conn, findOrders, wanted)
	found := make([]*delivery.Order, 0, len(byKey))
	for _, key := range wanted {
		if o := byKey[key]; o != nil {
			found = append(found, o)
		}
	}
	return found, err
}

// Events returns events.
func (tx exportsTx) Events(ctx context.Context, keys []exports.RowKey) ([]exports.Event, error) {
	rows, err := db.FindNow(ctx, tx.conn, findExportedEvents, keys...)
	rows = inOrder(keys, rows, func(e *webhook.Event) exports.RowKey {
		return exports.RowKey{PartnerID: e.PartnerID, Key: e.EventID}
	})
	found := make([]exports.Event, len(rows))
	for i, row := range rows {
		found[i] = exports.Event{Event: &row.Event, Damaged: row.Damaged}
	}
	return found, err
}

// Movements returns movements of stock, without the names of products.
func (tx exportsTx) Movements(ctx context.Context, keys []exports.RowKey) ([]exports.Movement, error) {
	wanted, numbers := make([]movementRow, len(keys)), make([]exports.RowKey, len(keys))
	for i, key := range keys {
		wanted[i] = movementOf(key)
		numbers[i] = key
	}
	rows, err := db.FindNow(ctx, tx.conn, findMovements, wanted...)
	rows = inOrder(numbers, rows, func(m *movementRow) exports.RowKey {
		return exports.RowKey{PartnerID: m.partnerID, Key: strconv.FormatInt(movementBase+m.MovementID, 10)}
	})
	found := make([]exports.Movement, len(rows))
	for i, row := range rows {
		found[i] = exports.Movement{PartnerID: row.partnerID, Movement: row.Movement}
	}
	return found, err
}

// Entries returns entries of the journal with their lines.
func (tx exportsTx) Entries(ctx context.Context, keys []exports.RowKey) ([]*money.Entry, error) {
	wanted := make([]journalKey, len(keys))
	for i, key := range keys {
		wanted[i] = journalKeyIn(key)
	}
	found, err := db.FindNow(ctx, tx.conn, findJournalBy, wanted...)
	if err != nil {
		return nil, err
	}
	found = inOrder(wanted, found, journalKeyOf)
	return found, addLinesTo(ctx, tx.conn, found)
}
