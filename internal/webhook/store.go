package webhook

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Store is what this room needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads. What does not exist is nil, not an error.
type Reader interface {
	// Endpoint is a partner's endpoint.
	Endpoint(ctx context.Context, partnerID string) (*Endpoint, error)
	// Event is one event of a partner.
	Event(ctx context.Context, partnerID, eventID string) (*Event, error)
	// Events lists a partner's events.
	Events(ctx context.Context, filter Filter) ([]*Event, error)
	// DueEvents lists what may be sent to a partner now, oldest due first, from
	// behind the given event on; from the first on if it is nil. Where many are
	// due, they may have with them what waits behind them.
	DueEvents(ctx context.Context, partnerID string, after *Event, now time.Time, limit int) ([]*Event, error)
	// Wakes lists the partners whose enabled endpoints have something to do and
	// are leased by nobody, longest due first, and tells when the next one will
	// have; zero if none will.
	Wakes(ctx context.Context, now time.Time, limit int) (due []string, next time.Time, err error)
	// Backlog sums up all endpoints.
	Backlog(ctx context.Context) (Backlog, error)
}

// Writer changes endpoints and the state of events. A partner's endpoint is the
// lock of its queue: whoever adds events, sends them or changes the endpoint
// locks it first, so that nobody sees a queue that another is changing.
type Writer interface {
	Reader
	// LockEndpoints reads endpoints, locked until the transaction ends. The ids
	// must be sorted.
	LockEndpoints(ctx context.Context, partnerIDs []string) (map[string]*Endpoint, error)
	// AddEndpoint adds a partner's endpoint. It is false if there is one, which
	// another transaction may have added in this moment.
	AddEndpoint(ctx context.Context, endpoint *Endpoint) (added bool, err error)
	// SaveEndpoints overwrites endpoints.
	SaveEndpoints(ctx context.Context, endpoints []*Endpoint) error
	// RemoveEndpoint removes a partner's endpoint.
	RemoveEndpoint(ctx context.Context, partnerID string) error
	// SaveProgress writes the state of events, each if nobody has changed it
	// since it was read, and tells whether that was so for all of them.
	SaveProgress(ctx context.Context, progress []Progress) (all bool, err error)
	// Promote makes events due at the given time that waited behind one of
	// their order. Keys that name no such event are left alone.
	Promote(ctx context.Context, keys []EventKey, at time.Time) error
	// NextDue is when the partner's next event is due; zero if none is.
	NextDue(ctx context.Context, partnerID string) (time.Time, error)
	// SkipPending ends waiting for so many pending events, and for the others of
	// their orders: none is to wait behind one that is skipped. It tells how many
	// they were; fewer than asked for were the last.
	SkipPending(ctx context.Context, partnerID string, limit int) (skipped int64, err error)
	// DropLeases frees all endpoints.
	DropLeases(ctx context.Context) error
}

// Endpoint is where a partner's events are sent, and the head of the lane that
// brings them there.
type Endpoint struct {
	PartnerID      string
	URL            string
	Enabled        bool
	DisabledReason string // why the service disabled it; empty if it did not
	CreatedAt      time.Time

	Secret       []byte    // sealed
	NextSecret   []byte    // sealed; none if no rotation is under way
	NextSecretAt time.Time // when the next secret takes over

	Failures     int64     // in a row, up to breakerFailures, then failed probes too
	FailingSince time.Time // the first failure after the last success
	OpenUntil    time.Time // the breaker is open until then; zero if closed

	WakeAt     time.Time // when there is something to do; zero if nothing waits
	Holder     string    // which lane sends; empty if none does
	LeaseUntil time.Time // until when it may
}

// State and EventKey are those of the outbox, where the rules of waiting are.
type (
	State    = outbox.State
	EventKey = outbox.EventKey
)

// The states of an event.
const (
	Pending   = outbox.Pending
	Delivered = outbox.Delivered
	Failed    = outbox.Failed
	Skipped   = outbox.Skipped
)

// States lists all states.
var States = outbox.States

// Event is an event and how far it has come.
type Event struct {
	delivery.Event
	State State
	// DueAt is when it may be sent. A pending event that is never due waits
	// behind the one before it in its order, which is pending and blocks
	// (Blocks); whoever ends that makes it due. All of this happens under the
	// lock of the endpoint.
	DueAt time.Time
	// Damaged is set if its facts cannot be read. It cannot be sent.
	Damaged bool
	Tries   int64 // used up in this series; a redelivery begins a new one
	Log     []Attempt
	// Behind are the next events of its order, in their sequence, which wait for
	// it; only where DueEvents has brought them.
	Behind []*Event
}

// Key names the event.
func (e *Event) Key() EventKey { return outbox.KeyOf(&e.Event) }

// Attempt is one request that carried an event.
type Attempt struct {
	At     time.Time `json:"at"`
	Status int       `json:"status,omitzero"` // of the answer; 0 if there was none
	TookMS int64     `json:"took_ms"`
	Error  string    `json:"error,omitzero"`
}

// Progress is an event's new state, and the one it must still have.
type Progress struct {
	*Event
	FromState State
	FromTries int64
}

// Filter says which of a partner's events to list: newest first from Before on,
// or oldest first from After on.
type Filter struct {
	PartnerID string
	Type      delivery.EventType
	OrderID   string
	State     State
	Before    string // an event id; empty for the newest
	After     string // an event id; empty lists newest first
	Limit     int
}

// Backlog sums up all endpoints.
type Backlog struct {
	Enabled, Disabled, Broken int64 // endpoints; broken: the breaker is open
	// OldestDue is since when the event waits that has been due the longest, at
	// endpoints that are neither disabled nor broken; zero if none waits.
	OldestDue time.Time
}
