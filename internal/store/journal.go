package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/money"
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
	)
	addJournal = journal.Insert()

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
	return money.Books{From: settings.From, Numbers: firm.Numbers}, err
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
