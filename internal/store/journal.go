package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/order"
)

// journalKey is the key of an entry of the journal.
type journalKey struct {
	partnerID string
	day       int64
	entryID   string
}

func journalKeyOf(e *money.Entry) journalKey { return journalKey{e.PartnerID, int64(e.Day), e.EntryID} }

// lineRow is a line with the entry that it belongs to.
type lineRow struct {
	journalKey
	money.Line
}

var (
	journal = db.NewTable("journal",
		db.Key(
			db.Text("partner_id", func(e *money.Entry) *string { return &e.PartnerID }),
			db.Integer("day", func(e *money.Entry) *int64 { return (*int64)(&e.Day) }),
			db.Text("entry_id", func(e *money.Entry) *string { return &e.EntryID })),
		db.Moment("at", func(e *money.Entry) *time.Time { return &e.At }),
		db.Moment("recorded_at", func(e *money.Entry) *time.Time { return &e.RecordedAt }),
		db.Text("act", func(e *money.Entry) *string { return (*string)(&e.Act) }),
		db.Text("order_id", func(e *money.Entry) *string { return &e.OrderID }),
		db.Text("partner_order_id", func(e *money.Entry) *string { return &e.PartnerOrderID }),
		db.Text("actor_id", func(e *money.Entry) *string { return &e.ActorID }),
		db.Text("notes", func(e *money.Entry) *string { return &e.Notes }),
	)
	addJournal  = journal.Insert()
	findEntries = db.LookUpBy(byOrder, journal)

	byJournalKey = db.Key(
		db.Text("partner_id", func(k *journalKey) *string { return &k.partnerID }),
		db.Integer("day", func(k *journalKey) *int64 { return &k.day }),
		db.Text("entry_id", func(k *journalKey) *string { return &k.entryID }),
	)
	journalLines = db.NewTable("journal_lines",
		append(db.Within(func(l *lineRow) *journalKey { return &l.journalKey }, byJournalKey...),
			db.Text("account", func(l *lineRow) *string { return (*string)(&l.Account) }),
			db.Text("courier_id", func(l *lineRow) *string { return &l.CourierID }),
			db.Text("currency", func(l *lineRow) *string { return (*string)(&l.Currency) })),
		db.Integer("cents", func(l *lineRow) *int64 { return &l.Cents }),
	)
	addLines  = journalLines.Insert()
	findLines = db.LookUpBy(byJournalKey, journalLines)
)

// WrongEntries finds entries of the journal whose lines do not add up to zero, lines without their entry, and orders
// that were charged for their delivery, or paid for at the door, more than once. Only damage makes them so.
const WrongEntries = `SELECT 'the entry ' || entry_id || ' of the journal is off by ' || sum(cents)
		|| ' cents ' || currency
	FROM journal_lines GROUP BY partner_id, day, entry_id, currency HAVING sum(cents) <> 0
	UNION ALL SELECT 'the entry ' || l.entry_id || ' of the journal is missing' FROM journal_lines AS l
	LEFT JOIN journal AS j ON j.partner_id = l.partner_id AND j.day = l.day AND j.entry_id = l.entry_id
	WHERE j.entry_id IS NULL
	UNION ALL SELECT 'the journal has ' || count(*) || ' entries for the ' || kind || ' of the order ' || order_id
	FROM (SELECT partner_id, order_id, CASE act WHEN 'delivery' THEN act ELSE 'collection' END AS kind FROM journal
		WHERE act IN ('delivery', 'collection', 'unconfirmed')) AS acts
	GROUP BY partner_id, order_id, kind HAVING count(*) > 1`

// The settings of the books, as JSON.
const (
	firmSetting  = "firm"
	booksSetting = "books"
)

// findBooks queues the reading of the settings that charges depend on, if they are asked for.
func findBooks(p *db.Pipeline, asked bool) db.FoundSettings {
	if !asked {
		return db.FindSettings(p)
	}
	return db.FindSettings(p, firmSetting, booksSetting)
}

// booksOf returns what charges depend on, by the values of the settings.
func booksOf(values map[string]string) (books money.Books, err error) {
	firm, settings, err := readBooks(values)
	return money.Books{Settings: settings, Numbers: firm.Numbers}, err
}

// readBooks returns the settings of the books by their values; zero for what was never set.
func readBooks(values map[string]string) (firm money.Firm, settings money.Settings, err error) {
	if text := values[firmSetting]; text != "" {
		err = strictjson.Unmarshal([]byte(text), &firm)
	}
	if text := values[booksSetting]; text != "" && err == nil {
		err = strictjson.Unmarshal([]byte(text), &settings)
	}
	return firm, settings, err
}

// chargedOf returns the orders whose delivery is among entries.
func chargedOf(entries []*money.Entry) map[order.OrderKey]bool {
	charged := map[order.OrderKey]bool{}
	for _, entry := range entries {
		if entry.Act == money.ActDelivery {
			charged[order.OrderKey{PartnerID: entry.PartnerID, OrderID: entry.OrderID}] = true
		}
	}
	return charged
}

// writeEntries queues new entries of the journal with their lines.
func writeEntries(p *db.Pipeline, entries []*money.Entry) {
	var lines []*lineRow
	for _, entry := range entries {
		for _, line := range entry.Lines {
			lines = append(lines, &lineRow{journalKeyOf(entry), line})
		}
	}
	db.WriteAll(p, addJournal, entries)
	db.WriteAll(p, addLines, lines)
}

// Accounting is the store as package accounting sees it.
func (s *Store) Accounting() accounting.Store {
	return view[accounting.Reader, accounting.Writer]{s.Database,
		func(c db.Conn) accounting.Reader { return accountingTx{auditing{c}, mailing{c}} },
		func(c db.Conn) accounting.Writer { return accountingTx{auditing{c}, mailing{c}} },
	}
}

// accountingTx is a transaction of package accounting.
type accountingTx struct {
	auditing
	mailing
}

// Settings returns the settings of the books; zero for what was never set.
func (tx accountingTx) Settings(ctx context.Context) (firm money.Firm, settings money.Settings, err error) {
	return tx.settings(ctx, db.Settings.Get)
}

// LockSettings returns what Settings does, locked until the transaction ends.
func (tx accountingTx) LockSettings(ctx context.Context) (money.Firm, money.Settings, error) {
	return tx.settings(ctx, db.Settings.Lock)
}

// settings reads the settings in one way, and in one order.
func (tx accountingTx) settings(
	ctx context.Context, read func(db.Settings, context.Context, string) (string, error),
) (firm money.Firm, settings money.Settings, err error) {
	values := map[string]string{}
	for _, name := range []string{booksSetting, firmSetting} {
		if values[name], err = read(db.SettingsIn(tx.conn), ctx, name); err != nil {
			return firm, settings, err
		}
	}
	return readBooks(values)
}

// SaveFirm writes who sends statements.
func (tx accountingTx) SaveFirm(ctx context.Context, firm money.Firm) error {
	return tx.save(ctx, firmSetting, firm)
}

// SaveSettings writes the settings of the books.
func (tx accountingTx) SaveSettings(ctx context.Context, settings money.Settings) error {
	return tx.save(ctx, booksSetting, settings)
}

func (tx accountingTx) save(ctx context.Context, name string, value any) error {
	document, err := strictjson.Marshal(value)
	if err != nil {
		return err
	}
	return db.SettingsIn(tx.conn).Set(ctx, name, string(document))
}

// Entries lists entries of the journal with their lines, newest first, or oldest first if the filter asks
// for that.
func (tx accountingTx) Entries(ctx context.Context, f accounting.Filter) ([]*money.Entry, error) {
	return listJournal(ctx, tx.conn, f)
}

// JournalEntries lists the entries of the books with their lines, oldest first: those after one, or all if it is
// nil.
func (tx retentionTx) JournalEntries(
	ctx context.Context, partnerID string, after *money.Entry, limit int,
) ([]*money.Entry, error) {
	filter := accounting.Filter{PartnerID: partnerID, Oldest: true, Limit: limit}
	if after != nil {
		filter.After = accounting.CursorOf(after)
	}
	return listJournal(ctx, tx.conn, filter)
}

func listJournal(ctx context.Context, c db.Conn, f accounting.Filter) ([]*money.Entry, error) {
	selected := &db.Conditions{}
	selectActs(selected, f)
	selected.AddText("(partner_id, day, entry_id) IN "+
		"(SELECT partner_id, day, entry_id FROM journal_lines WHERE courier_id = ?)", f.CourierID)
	selectDays(selected, f)
	after, by := "(day, entry_id) < (?, ?)", "ORDER BY day DESC, entry_id DESC LIMIT ?"
	if f.Oldest {
		after, by = "(day, entry_id) > (?, ?)", "ORDER BY day, entry_id LIMIT ?"
	}
	if f.After != (accounting.Cursor{}) {
		selected.Add(after, int64(f.After.Day), f.After.EntryID)
	}
	tail, args := selected.Clause(by, f.Limit)
	entries, err := journal.All(ctx, c, tail, args...)
	if err != nil {
		return nil, err
	}
	return entries, addLinesTo(ctx, c, entries)
}

// selectActs selects the acts of a filter. The id of an order has that of its partner, by which
// the entries of an order are found.
func selectActs(selected *db.Conditions, f accounting.Filter) {
	if partnerID, known := delivery.PartnerOfOrder(f.OrderID); known && f.PartnerID == "" {
		f.PartnerID = partnerID
	}
	selected.AddText("partner_id = ?", f.PartnerID)
	selected.AddText("order_id = ?", f.OrderID)
	selected.AddText("partner_order_id = ?", f.PartnerOrderID)
	selected.AddText("act = ?", string(f.Act))
}

// selectDays selects the days of a filter.
func selectDays(selected *db.Conditions, f accounting.Filter) {
	if f.First != 0 {
		selected.Add("day >= ?", int64(f.First))
	}
	if f.Last != 0 {
		selected.Add("day <= ?", int64(f.Last))
	}
}

// addLinesTo reads the lines of entries, and sorts those of each as accounts are shown.
func addLinesTo(ctx context.Context, c db.Conn, entries []*money.Entry) error {
	keys, byKey := make([]journalKey, len(entries)), make(map[journalKey]*money.Entry, len(entries))
	for i, entry := range entries {
		keys[i] = journalKeyOf(entry)
		byKey[keys[i]] = entry
	}
	lines, err := db.FindNow(ctx, c, findLines, keys...)
	for _, line := range lines {
		entry := byKey[line.journalKey]
		entry.Lines = append(entry.Lines, line.Line)
	}
	for _, entry := range entries {
		money.SortLines(entry.Lines)
	}
	return err
}

// KnowsPartner reports whether there is a partner.
func (tx accountingTx) KnowsPartner(ctx context.Context, partnerID string) (bool, error) {
	found, err := db.FindNow(ctx, tx.conn, findPartners, partnerID)
	return len(found) > 0, err
}

// PartnerNames returns the names of partners by their ids. Unknown ones are left out.
func (tx accountingTx) PartnerNames(ctx context.Context, ids ...string) (map[string]string, error) {
	found, err := db.FindNow(ctx, tx.conn, findPartners, ids...)
	names := make(map[string]string, len(found))
	for _, partner := range found {
		names[partner.PartnerID] = partner.Name
	}
	return names, err
}

// KnowsCourier reports whether there is a courier.
func (tx accountingTx) KnowsCourier(ctx context.Context, courierID string) (bool, error) {
	found, err := couriersByID(ctx, tx.conn, []string{courierID})
	return len(found) > 0, err
}

// LockCourier locks a courier until the transaction ends, and reports whether there is one.
func (tx accountingTx) LockCourier(ctx context.Context, courierID string) (bool, error) {
	known, err := lockedCouriers(ctx, tx.conn, courierID)
	return len(known) > 0, err
}

// Held returns what an account has of each partner and courier.
func (tx accountingTx) Held(
	ctx context.Context, account money.Account, courierID string,
) (held []money.Held, err error) {
	selected := &db.Conditions{}
	switch account {
	case money.Cash: // the only one with couriers, for which there is an index
		selected.Add("courier_id <> ''")
	case money.Desk:
		selected.Add("account = 'desk'")
	default:
		selected.Add("account = ?", string(account))
	}
	selected.AddText("courier_id = ?", courierID)
	tail, args := selected.Clause(
		"GROUP BY courier_id, partner_id, currency HAVING sum(cents) <> 0 ORDER BY courier_id, partner_id, currency")
	err = tx.conn.Query(ctx,
		"SELECT courier_id, partner_id, currency, CAST(sum(cents) AS BIGINT) FROM journal_lines "+tail, args,
		func(r db.Row) error {
			var h money.Held
			if err := r.Scan(&h.CourierID, &h.PartnerID, (*string)(&h.Currency), &h.Cents); err != nil {
				return err
			}
			held = append(held, h)
			return nil
		})
	return held, err
}

// CashEntries lists the entries that have moved the cash of a partner that a courier carries in a currency, newest
// first: those behind a cursor, or the newest if it is zero. The index of the lines leads to them.
func (tx accountingTx) CashEntries(
	ctx context.Context, of money.Held, after accounting.Cursor, limit int,
) ([]*money.Entry, error) {
	selected := &db.Conditions{}
	selected.Add("courier_id = ?", of.CourierID)
	selected.Add("currency = ?", string(of.Currency))
	selected.Add("partner_id = ?", of.PartnerID)
	if after != (accounting.Cursor{}) {
		selected.Add("(day, entry_id) < (?, ?)", int64(after.Day), after.EntryID)
	}
	const newest = "ORDER BY day DESC, entry_id DESC"
	behind, args := selected.Clause("GROUP BY partner_id, day, entry_id "+newest+" LIMIT ?", limit)
	return tx.newest(ctx, "WHERE (partner_id, day, entry_id) IN (SELECT partner_id, day, entry_id FROM journal_lines "+
		behind+") "+newest, args...)
}

// Unconfirmed lists the entries of what couriers have not confirmed and the desk has not answered, newest first,
// without those of orders that were removed.
func (tx accountingTx) Unconfirmed(ctx context.Context, limit int) ([]*money.Entry, error) {
	return tx.newest(ctx, `WHERE act = 'unconfirmed' AND NOT EXISTS (SELECT 1 FROM journal AS later
		WHERE later.partner_id = journal.partner_id AND later.order_id = journal.order_id AND later.act = 'correction')
		AND EXISTS (SELECT 1 FROM orders
		WHERE orders.partner_id = journal.partner_id AND orders.order_id = journal.order_id)
		ORDER BY day DESC, entry_id DESC LIMIT $1`, limit)
}

// Differences lists the entries since a day that have a difference, newest first.
func (tx accountingTx) Differences(ctx context.Context, since date.Day, limit int) ([]*money.Entry, error) {
	return tx.newest(ctx, `WHERE (partner_id, day, entry_id) IN (SELECT partner_id, day, entry_id FROM journal_lines
		WHERE account = 'differences' AND day >= $1) ORDER BY day DESC, entry_id DESC LIMIT $2`, int64(since), limit)
}

func (tx accountingTx) newest(ctx context.Context, tail string, args ...any) ([]*money.Entry, error) {
	entries, err := journal.All(ctx, tx.conn, tail, args...)
	if err != nil {
		return nil, err
	}
	return entries, addLinesTo(ctx, tx.conn, entries)
}

// AddEntries adds entries to the journal.
func (tx accountingTx) AddEntries(ctx context.Context, entries []*money.Entry) error {
	p := db.NewPipeline(tx.conn)
	writeEntries(p, entries)
	_, err := p.Flush(ctx)
	return err
}

// Balances returns the sums of the lines that a filter selects.
func (tx accountingTx) Balances(ctx context.Context, f accounting.Filter) (balances []money.Balance, err error) {
	selected, from := &db.Conditions{}, "journal_lines"
	if f.Act != "" || f.OrderID != "" || f.PartnerOrderID != "" {
		from = "journal JOIN journal_lines USING (partner_id, day, entry_id)"
	}
	selectActs(selected, f)
	selected.AddText("courier_id = ?", f.CourierID)
	selectDays(selected, f)
	tail, args := selected.Clause("GROUP BY account, currency")
	err = tx.conn.Query(ctx, "SELECT account, currency, CAST(sum(cents) AS BIGINT) FROM "+from+" "+tail, args,
		func(r db.Row) error {
			var b money.Balance
			if err := r.Scan((*string)(&b.Account), (*string)(&b.Currency), &b.Cents); err != nil {
				return err
			}
			balances = append(balances, b)
			return nil
		})
	return balances, err
}

// Owing returns what each partner owes, and what it was charged in a period.
func (tx accountingTx) Owing(ctx context.Context, first, last date.Day) (owing []accounting.Owing, err error) {
	const query = `SELECT partner_id, currency,
			CAST(sum(CASE WHEN account = $1 THEN cents ELSE 0 END) AS BIGINT),
			CAST(sum(CASE WHEN account <> $1 AND day >= $2 AND day <= $3 THEN -cents ELSE 0 END) AS BIGINT),
			max(CASE WHEN account = $4 THEN day ELSE 0 END)
		FROM journal_lines WHERE account IN ($1, $4, $5, $6, $7) GROUP BY partner_id, currency
		HAVING sum(CASE WHEN account = $1 THEN cents ELSE 0 END) <> 0`
	args := []any{
		string(money.Charges), int64(first), int64(last),
		string(money.Revenue), string(money.TaxGST), string(money.TaxHST), string(money.TaxQST),
	}
	err = tx.conn.Query(ctx, query, args, func(r db.Row) error {
		var o accounting.Owing
		if err := r.Scan(&o.PartnerID, (*string)(&o.Currency), &o.Cents, &o.Charged, (*int64)(&o.Last)); err != nil {
			return err
		}
		owing = append(owing, o)
		return nil
	})
	return owing, err
}
