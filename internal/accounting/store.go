package accounting

import (
	"context"
	"strings"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/statement"
)

// Store is what this package needs of storage: a consistent view to read, and a transaction to
// write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads the books.
type Reader interface {
	// Settings returns the settings; zero for what was never set.
	Settings(ctx context.Context) (money.Firm, money.Settings, error)
	// KnowsPartner reports whether there is a partner.
	KnowsPartner(ctx context.Context, partnerID string) (bool, error)
	// PartnerNames returns the names of partners by their ids. Unknown ones are left out.
	PartnerNames(ctx context.Context, ids ...string) (map[string]string, error)
	// Entries lists entries of the journal with their lines, newest first, or oldest first if
	// the filter asks for that.
	Entries(ctx context.Context, filter Filter) ([]*money.Entry, error)
	// Balances returns the sums of the lines that a filter selects, of which what bounds a list is
	// not read. What has no line is left out.
	Balances(ctx context.Context, filter Filter) ([]money.Balance, error)
	// Owing returns what each partner owes, and what it was charged in a period of which both days
	// are included. Partners that owe nothing are left out.
	Owing(ctx context.Context, first, last date.Day) ([]Owing, error)

	// LastStatement returns the last statement of a partner; nil if it has none.
	LastStatement(ctx context.Context, partnerID string) (*Closed, error)
	// Unstated lists the entries of a partner until a day that are on no statement, oldest first.
	Unstated(ctx context.Context, partnerID string, last date.Day) ([]*money.Entry, error)
	// Unclosed lists the partners that get a statement for a month and have none for it or a later one: those with an
	// entry until its last day that is on no statement, or with a balance.
	Unclosed(ctx context.Context, period money.Period) ([]string, error)
	// Statements lists statements, the latest month first.
	Statements(ctx context.Context, filter StatementFilter) ([]*Closed, error)
	// CountStatements counts the statements of a month.
	CountStatements(ctx context.Context, period money.Period) (int, error)
	// StatementFile returns a statement in a format; nil if there is none.
	StatementFile(ctx context.Context, partnerID string, number int64, format statement.Format) ([]byte, error)
	// Addressee returns the addressee of the statements of a partner.
	Addressee(ctx context.Context, partnerID string) (Addressee, error)
	// Closing returns the last closing of a month for all partners; zero if there was none.
	Closing(ctx context.Context) (Closing, error)
	// KnowsCourier reports whether there is a courier.
	KnowsCourier(ctx context.Context, courierID string) (bool, error)
	// Held returns what an account has of each partner, and of each courier on the account Cash; of one courier
	// only, unless the id is empty. What is zero is left out.
	Held(ctx context.Context, account money.Account, courierID string) ([]money.Held, error)
	// CashEntries lists the entries that have moved the cash of a partner that a courier carries in a currency, newest
	// first: those behind a cursor, or the newest if it is zero.
	CashEntries(ctx context.Context, of money.Held, after Cursor, limit int) ([]*money.Entry, error)
	// Unconfirmed lists the entries of what couriers have not confirmed and the desk has not answered, newest first.
	// Those of orders that were removed, about which the desk can no longer answer, are left out.
	Unconfirmed(ctx context.Context, limit int) ([]*money.Entry, error)
	// Differences lists the entries since a day that have a difference, newest first.
	Differences(ctx context.Context, since date.Day, limit int) ([]*money.Entry, error)
}

// Writer reads and writes.
type Writer interface {
	Reader
	mail.Writer
	// LockSettings returns what Settings does, locked until the transaction ends.
	LockSettings(ctx context.Context) (money.Firm, money.Settings, error)
	SaveFirm(ctx context.Context, firm money.Firm) error
	SaveSettings(ctx context.Context, settings money.Settings) error
	// AddStatement adds a statement with its files and the entries that are on it. It is false, and nothing is added,
	// if its number or its month is taken.
	AddStatement(ctx context.Context, closed *Closed, files []statement.File, entryIDs []string) (added bool, err error)
	// AddEvent adds the first event of what it is about, and returns the endpoints for which it waits.
	AddEvent(ctx context.Context, event *delivery.Event) (waits []outbox.EndpointKey, err error)
	// LockClosing returns what Closing does, locked until the transaction ends.
	LockClosing(ctx context.Context) (Closing, error)
	SaveClosing(ctx context.Context, closing Closing) error
	// AddEntries adds entries to the journal.
	AddEntries(ctx context.Context, entries []*money.Entry) error
	// LockCourier locks a courier until the transaction ends, and reports whether there is one.
	LockCourier(ctx context.Context, courierID string) (bool, error)
	// AddAudit writes entries of the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Filter selects entries. Zero fields select all.
type Filter struct {
	PartnerID string
	OrderID   string
	// PartnerOrderID is the number that a partner has given to an order. No index has it: it is looked for
	// in the whole period.
	PartnerOrderID string
	CourierID      string // whose cash moved
	Act            money.Act
	First, Last    date.Day // both included
	Oldest         bool     // list the oldest first
	After          Cursor   // only those that a list has after it
	Limit          int
}

// Owing is what a partner owes in one currency.
type Owing struct {
	PartnerID string
	Currency  delivery.Currency
	Cents     int64
	Charged   int64    // in a period, with taxes, in cents
	Last      date.Day // of its last charge
}

// Cursor names the place of an entry in lists.
type Cursor struct {
	Day     date.Day
	EntryID string
}

// String returns the cursor as text, which ParseCursor reads; empty for none.
func (c Cursor) String() string {
	if c == (Cursor{}) {
		return ""
	}
	return c.Day.String() + "." + c.EntryID
}

// ParseCursor reads a cursor that String has written.
func ParseCursor(text string) (c Cursor, ok bool) {
	day, entryID, _ := strings.Cut(text, ".")
	if c.Day, ok = date.Parse(day); !ok {
		return Cursor{}, false
	}
	if _, ok = identifier.UUIDTime(entryID); !ok {
		return Cursor{}, false
	}
	c.EntryID = entryID
	return c, true
}

// CursorOf returns the place of an entry.
func CursorOf(e *money.Entry) Cursor { return Cursor{e.Day, e.EntryID} }
