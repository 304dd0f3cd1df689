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
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/statement"
)

// statementKey is the key of a statement.
type statementKey struct {
	partnerID string
	number    int64
}

// statementFile is a statement in a format.
type statementFile struct {
	statementKey
	statement.File
}

// statementEntry says on which statement an entry is.
type statementEntry struct {
	partnerID, entryID string
	number             int64
}

var (
	statements = db.NewTable("statements",
		db.Key(
			db.Text("partner_id", func(s *accounting.Closed) *string { return &s.PartnerID }),
			db.Integer("number", func(s *accounting.Closed) *int64 { return &s.Number })),
		db.Integer("period", func(s *accounting.Closed) *int64 { return (*int64)(&s.Period) }),
		db.Moment("closed_at", func(s *accounting.Closed) *time.Time { return &s.ClosedAt }),
		db.JSON("closings", func(s *accounting.Closed) *[]money.Closing { return &s.Closings },
			func(closings []money.Closing) bool { return len(closings) == 0 },
			func(s *accounting.Closed, err error) { s.Damage = err }),
		db.Flag("owing", func(s *accounting.Closed) *bool { return &s.Owing }),
	)
	addStatements = statements.Insert()

	statementFiles = db.NewTable("statement_files",
		db.Key(
			db.Text("partner_id", func(f *statementFile) *string { return &f.partnerID }),
			db.Integer("number", func(f *statementFile) *int64 { return &f.number }),
			db.Text("format", func(f *statementFile) *string { return (*string)(&f.Format) })),
		db.Blob("content", func(f *statementFile) *[]byte { return &f.Data }),
	)
	addStatementFiles = statementFiles.Insert()

	statementEntries = db.NewTable("statement_entries",
		db.Key(
			db.Text("partner_id", func(e *statementEntry) *string { return &e.partnerID }),
			db.Text("entry_id", func(e *statementEntry) *string { return &e.entryID })),
		db.Integer("number", func(e *statementEntry) *int64 { return &e.number }),
	)
	addStatementEntries = statementEntries.Insert()
)

// Misnumbered finds partners whose statements have a gap in their numbers or are not in the order of their months,
// and entries on statements that do not exist.
const Misnumbered = `SELECT 'the statements of the partner ' || partner_id || ' are not numbered from 1 without gaps'
	FROM statements GROUP BY partner_id HAVING min(number) <> 1 OR max(number) <> count(*)
	UNION ALL SELECT 'the statement ' || b.number || ' of the partner ' || b.partner_id || ' is of a month before the last one'
	FROM statements AS a JOIN statements AS b ON b.partner_id = a.partner_id AND b.number = a.number + 1
	WHERE b.period <= a.period
	UNION ALL SELECT 'the entry ' || e.entry_id || ' is on a statement that is missing' FROM statement_entries AS e
	LEFT JOIN statements AS s ON s.partner_id = e.partner_id AND s.number = e.number WHERE s.number IS NULL`

// onStatements are the accounts whose lines are on statements, for use in SQL.
const (
	onStatements = `EXISTS (SELECT 1 FROM journal_lines l WHERE l.partner_id = journal.partner_id AND
		l.day = journal.day AND l.entry_id = journal.entry_id AND l.account IN ('charges', 'collected'))`
	onNone = `NOT EXISTS (SELECT 1 FROM statement_entries e WHERE e.partner_id = journal.partner_id AND
		e.entry_id = journal.entry_id)`
)

// LastStatement returns the last statement of a partner; nil if it has none.
func (tx accountingTx) LastStatement(ctx context.Context, partnerID string) (*accounting.Closed, error) {
	return statements.One(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY number DESC LIMIT 1", partnerID)
}

// Unstated lists the entries of a partner until a day that are on no statement, oldest first.
func (tx accountingTx) Unstated(ctx context.Context, partnerID string, last date.Day) ([]*money.Entry, error) {
	entries, err := journal.All(ctx, tx.conn, "WHERE partner_id = $1 AND day <= $2 AND "+onStatements+" AND "+onNone+
		" ORDER BY day, entry_id", partnerID, int64(last))
	if err != nil {
		return nil, err
	}
	return entries, addLinesTo(ctx, tx.conn, entries)
}

// Unclosed lists the partners that get a statement for a month and have none: those with an entry until its last day
// that is on no statement, or with a balance.
func (tx accountingTx) Unclosed(ctx context.Context, period money.Period) ([]string, error) {
	return db.IDs(ctx, tx.conn, `SELECT partner_id FROM partners
		WHERE NOT EXISTS (SELECT 1 FROM statements s WHERE s.partner_id = partners.partner_id AND s.period >= $1) AND (
			EXISTS (SELECT 1 FROM statements s WHERE s.partner_id = partners.partner_id AND s.owing = 1 AND s.number = (
				SELECT max(number) FROM statements m WHERE m.partner_id = partners.partner_id)) OR
			EXISTS (SELECT 1 FROM journal WHERE journal.partner_id = partners.partner_id AND day <= $2 AND `+
		onStatements+` AND `+onNone+`))
		ORDER BY partner_id`, int64(period), int64(period.Last()))
}

// Statements lists statements, the latest month first.
func (tx accountingTx) Statements(ctx context.Context, f accounting.StatementFilter) ([]*accounting.Closed, error) {
	selected := &db.Conditions{}
	selected.AddText("partner_id = ?", f.PartnerID)
	if f.Period != 0 {
		selected.Add("period = ?", int64(f.Period))
	}
	if f.After != (accounting.StatementCursor{}) {
		selected.Add("(period, partner_id) < (?, ?)", int64(f.After.Period), f.After.PartnerID)
	}
	tail, args := selected.Clause("ORDER BY period DESC, partner_id DESC LIMIT ?", f.Limit)
	return statements.All(ctx, tx.conn, tail, args...)
}

// CountStatements counts the statements of a month.
func (tx accountingTx) CountStatements(ctx context.Context, period money.Period) (count int, err error) {
	err = tx.conn.Query(ctx, "SELECT count(*) FROM statements WHERE period = $1", []any{int64(period)},
		func(r db.Row) error { return r.Scan(&count) })
	return count, err
}

// StatementFile returns a statement in a format; nil if there is none.
func (tx accountingTx) StatementFile(
	ctx context.Context, partnerID string, number int64, format statement.Format,
) ([]byte, error) {
	file, err := statementFiles.One(ctx, tx.conn, "WHERE partner_id = $1 AND number = $2 AND format = $3", partnerID,
		number, string(format))
	if err != nil || file == nil {
		return nil, err
	}
	return file.Data, nil
}

// Addressee returns the addressee of the statements of a partner.
func (tx accountingTx) Addressee(ctx context.Context, partnerID string) (a accounting.Addressee, err error) {
	if a.Name, a.Owners, err = peopleWith(ctx, tx.conn, partnerID, partner.RoleOwner); err != nil {
		return a, err
	}
	profile, err := profileOf(db.FindOne(ctx, tx.conn, findProfiles, partnerID))
	if a.Language = statement.English; profile.Language == partner.LanguageFrench {
		a.Language = statement.French
	}
	return a, err
}

// AddStatement adds a statement with its files and the entries that are on it. It is false, and nothing is added, if
// its number or its month is taken.
func (tx accountingTx) AddStatement(
	ctx context.Context, closed *accounting.Closed, files []statement.File, entryIDs []string,
) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addStatements, closed)
	if err != nil || rows == 0 {
		return false, err
	}
	p := db.NewPipeline(tx.conn)
	on := make([]*statementEntry, len(entryIDs))
	for i, entryID := range entryIDs {
		on[i] = &statementEntry{closed.PartnerID, entryID, closed.Number}
	}
	kept := make([]*statementFile, len(files))
	for i, file := range files {
		kept[i] = &statementFile{statementKey{closed.PartnerID, closed.Number}, file}
	}
	db.WriteAll(p, addStatementEntries, on)
	db.WriteAll(p, addStatementFiles, kept)
	_, err = p.Flush(ctx)
	return err == nil, err
}

// AddEvent adds the first event of what it is about, and returns the endpoints for which it waits.
func (tx accountingTx) AddEvent(ctx context.Context, event *delivery.Event) (waits []outbox.EndpointKey, err error) {
	return addEvents(ctx, tx.conn, []*delivery.Event{event})
}

// closingSetting holds how far the closing of a month is, as JSON.
const closingSetting = "statements_closing"

// Closing returns the last closing of a month; zero if there was none.
func (tx accountingTx) Closing(ctx context.Context) (accounting.Closing, error) {
	return closingOf(db.SettingsIn(tx.conn).Get(ctx, closingSetting))
}

// LockClosing returns what Closing does, locked until the transaction ends.
func (tx accountingTx) LockClosing(ctx context.Context) (accounting.Closing, error) {
	return closingOf(db.SettingsIn(tx.conn).Lock(ctx, closingSetting))
}

func closingOf(text string, err error) (closing accounting.Closing, _ error) {
	if err != nil || text == "" {
		return closing, err
	}
	err = strictjson.Unmarshal([]byte(text), &closing)
	return closing, err
}

// SaveClosing writes how far the closing of a month is.
func (tx accountingTx) SaveClosing(ctx context.Context, closing accounting.Closing) error {
	return tx.save(ctx, closingSetting, closing)
}

// Statements lists the statements of a partner as JSON, by their numbers: those after one.
func (tx retentionTx) Statements(
	ctx context.Context, partnerID string, after int64, limit int,
) ([]retention.Statement, error) {
	files, err := statementFiles.All(ctx, tx.conn, `WHERE partner_id = $1 AND number > $2 AND format = $3
		ORDER BY number LIMIT $4`, partnerID, after, string(statement.FormatJSON), limit)
	found := make([]retention.Statement, len(files))
	for i, file := range files {
		found[i] = retention.Statement{Number: file.number, Document: file.Data}
	}
	return found, err
}
