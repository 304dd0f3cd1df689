package exports

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/money"
)

// Store is what this package needs of storage: a consistent view to read, and a transaction to
// write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Source is a kind of rows that are exported.
type Source string

// The sources. Their names are stored.
const (
	SourceOrders    Source = "orders"
	SourceEvents    Source = "events"
	SourceMovements Source = "movements"
	SourceJournal   Source = "journal"
)

// Sources lists all sources.
var Sources = []Source{SourceOrders, SourceEvents, SourceMovements, SourceJournal}

// RowKey names a row of a source.
type RowKey struct {
	PartnerID string
	Key       string // sorts by the time of recording
}

// Period selects rows of a partner that are in the files of no day yet.
type Period struct {
	Source    Source
	PartnerID string
	// From and To bound when they were recorded; To is not included.
	From, To time.Time
	Floor    string // only rows with a greater key
	After    string // only rows that a list has behind the one with this key
}

// Day is a day whose rows are in files, or will be.
type Day struct {
	Day      date.Day
	SealedAt time.Time // when it was settled which rows are in its files; zero until then
	DoneAt   time.Time // when its manifest was written; zero until then
	Digest   string    // the SHA-256 of the manifest in hexadecimal; empty until then
	Files    int64
	Bytes    int64  // of the files
	Contents []File // those that the manifest lists; none until then
}

// Stage is how far a day is.
type Stage string

// The stages of a day, in their order.
const (
	Sealing Stage = "sealing" // it is being settled which rows are in its files
	Writing Stage = "writing" // its files are being written
	Done    Stage = "done"    // its manifest was written
)

// Stage returns how far the day is.
func (d *Day) Stage() Stage {
	switch {
	case !d.DoneAt.IsZero():
		return Done
	case !d.SealedAt.IsZero():
		return Writing
	}
	return Sealing
}

// State is what all nodes know of the work.
type State struct {
	// First is the first day that is exported; zero until the service has exported for the first time.
	First date.Day `json:"first,omitzero"`
	// Holder is the node that works on it until HeldUntil; empty if none does.
	Holder    string    `json:"holder,omitzero"`
	HeldUntil time.Time `json:"held_until,omitzero"`
	// FailedAt and Error are those of the latest attempt, if it has failed.
	FailedAt time.Time `json:"failed_at,omitzero"`
	Error    string    `json:"error,omitzero"`
	// FailingSince is when the first attempt failed since one has succeeded; zero unless the latest has failed.
	FailingSince time.Time `json:"failing_since,omitzero"`
	// Reported is set once admins were sent a mail about it.
	Reported bool `json:"reported,omitzero"`
	// AskedAt is when an operator has asked for an attempt that has not begun; zero if none has.
	AskedAt time.Time `json:"asked_at,omitzero"`
}

// Movement is a movement of a partner's stock.
type Movement struct {
	PartnerID string
	delivery.Movement
}

// Event is an event with whether its facts cannot be read.
type Event struct {
	*delivery.Event
	Damaged bool
}

// Reader reads what is exported. Rows that do not exist any more are left out of lists.
type Reader interface {
	State(ctx context.Context) (State, error)
	// Day returns a day; nil if its export has not begun.
	Day(ctx context.Context, day date.Day) (*Day, error)
	// Days lists days, the latest first: those before one, or all if it is 0.
	Days(ctx context.Context, before date.Day, limit int) ([]*Day, error)
	// Partners lists the partners, without test accounts.
	Partners(ctx context.Context) ([]string, error)
	// Floor returns the key up to which all rows of a partner were exported; empty if there is none.
	Floor(ctx context.Context, source Source, partnerID string) (string, error)
	// Unsealed lists the keys of rows that are in the files of no day.
	Unsealed(ctx context.Context, period Period, limit int) ([]string, error)
	// Complete returns the key up to which all rows of a partner that were recorded since the beginning of a period are
	// in the files of a day, if no row with such a key can be committed any more; empty if that is not known.
	Complete(ctx context.Context, period Period) (string, error)
	// Greatest returns the greatest key of the rows of a partner that are in the files of a day or an earlier one;
	// empty if there is none.
	Greatest(ctx context.Context, source Source, partnerID string, until date.Day) (string, error)
	// Sealed lists the rows that are in the files of a day, by their keys: those behind one.
	Sealed(ctx context.Context, day date.Day, source Source, after RowKey, limit int) ([]RowKey, error)

	Orders(ctx context.Context, keys []RowKey) ([]*delivery.Order, error)
	Events(ctx context.Context, keys []RowKey) ([]Event, error)
	Movements(ctx context.Context, keys []RowKey) ([]Movement, error)
	Entries(ctx context.Context, keys []RowKey) ([]*money.Entry, error)
}

// Writer reads and writes.
type Writer interface {
	Reader
	// LockState returns what State does, locked until the transaction ends.
	LockState(ctx context.Context) (State, error)
	SaveState(ctx context.Context, state State) error
	// SaveDay adds a day or overwrites it.
	SaveDay(ctx context.Context, day *Day) error
	// Seal notes that rows are in the files of a day. Rows that are in those of another one are left alone.
	Seal(ctx context.Context, day date.Day, source Source, rows []RowKey) error
	// Raise sets the floor of a partner's rows, and forgets rows up to it that are in the files of a day or an earlier
	// one.
	Raise(ctx context.Context, source Source, partnerID, floor string, until date.Day) error
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
	// Admins returns the addresses of the operators who are admins.
	Admins(ctx context.Context) ([]string, error)
	mail.Writer
}
