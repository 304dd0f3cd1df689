package webhook

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Store is what this package needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads. What does not exist is nil, not an error.
type Reader interface {
	// Endpoint returns an endpoint.
	Endpoint(ctx context.Context, key outbox.EndpointKey) (*Endpoint, error)
	// Endpoints lists a partner's endpoints: the first, and then the others as they were
	// added.
	Endpoints(ctx context.Context, partnerID string) ([]*Endpoint, error)
	// Event returns one event of a partner, as it is at the first endpoint.
	Event(ctx context.Context, partnerID, eventID string) (*Event, error)
	// Events lists a partner's events.
	Events(ctx context.Context, filter Filter) ([]*Event, error)
	// At returns how far events have come at an endpoint: skipped if they are not in its
	// queue.
	At(ctx context.Context, endpointID string, events []*Event) ([]*Event, error)
	// AddFurther adds to events how far they have come at further endpoints.
	AddFurther(ctx context.Context, events []*Event) error
	// DueEvents lists what may be sent to an endpoint now, longest due first, from
	// behind the given event on; from the first on if it is nil. Where many are
	// due, those that wait behind them may come along.
	DueEvents(ctx context.Context, key outbox.EndpointKey, after *Event, now time.Time, limit int) ([]*Event, error)
	// Wakes lists the enabled endpoints of a speed that are not leased and have
	// something to do, or will have, in the order in which they wake.
	Wakes(ctx context.Context, speed Speed, limit int) ([]outbox.Wake, error)
	// Expired lists endpoints that are leased by a lease that has expired.
	Expired(ctx context.Context, now time.Time, limit int) (keys []outbox.EndpointKey, err error)
	// Backlog sums up all endpoints.
	Backlog(ctx context.Context) (Backlog, error)
}

// Writer changes endpoints and the state of events. An endpoint is the
// lock of its queue: every transaction that adds events, sends them or changes the
// endpoint locks it first, so that none sees a queue that another is changing.
type Writer interface {
	Reader
	mail.Writer
	// Maintainers returns the people of a partner who get mail about its endpoints.
	Maintainers(ctx context.Context, partnerID string) (Maintainers, error)
	// LockEndpoints returns endpoints, locked until the transaction ends. The keys
	// must be sorted, so that two transactions lock in the same order.
	LockEndpoints(ctx context.Context, keys []outbox.EndpointKey) (map[outbox.EndpointKey]*Endpoint, error)
	// LockAdding keeps other transactions from adding endpoints of a partner behind the first until
	// this one ends.
	LockAdding(ctx context.Context, partnerID string) error
	// AddEndpoint adds an endpoint. It is false if there is one with its key, which
	// another transaction may have added at the same moment.
	AddEndpoint(ctx context.Context, endpoint *Endpoint) (added bool, err error)
	// SaveEndpoints overwrites endpoints.
	SaveEndpoints(ctx context.Context, endpoints []*Endpoint) error
	// RemoveEndpoint removes an endpoint.
	RemoveEndpoint(ctx context.Context, key outbox.EndpointKey) error
	// LastChange returns the latest time at which a change of a partner's endpoints was
	// signed, also of one that was removed since; zero if none is kept.
	LastChange(ctx context.Context, partnerID string) (signedAt time.Time, err error)
	// AddAudit writes entries of the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
	// AddChange keeps a change of a partner's endpoints. It is false if it is kept already.
	AddChange(ctx context.Context, change *Change) (added bool, err error)
	// AddToQueue adds events to the queues of further endpoints in which they are not.
	AddToQueue(ctx context.Context, events []*Event) error
	// SaveProgress writes the state of events, each unless it has changed since it
	// was read, and returns the keys of those that were written.
	SaveProgress(ctx context.Context, progress []Progress) (saved []outbox.EventKey, err error)
	// Promote makes events due at a time that wait behind one of their order. Keys
	// of other events are left alone.
	Promote(ctx context.Context, keys []outbox.EventKey, at time.Time) error
	// NextDue returns when the next event of an endpoint is due; zero if none is.
	NextDue(ctx context.Context, key outbox.EndpointKey) (time.Time, error)
	// SkipPending skips pending events of an endpoint, up to limit of them, and all others of
	// their orders, as none may wait behind a skipped one. It returns how many it
	// has skipped. If that is less than limit, none is left.
	SkipPending(ctx context.Context, key outbox.EndpointKey, limit int) (skipped int64, err error)
	// AddFigures adds to the figures, whose rows it locks. No other call may follow.
	AddFigures(ctx context.Context, added *figures.Tally) error
	// DropLeases frees all endpoints.
	DropLeases(ctx context.Context) error
}

// Maintainers are the people who look after the endpoints of a partner.
type Maintainers struct {
	Partner string   // its name
	Emails  []string // of its owners and developers
}

// Endpoint is where events of a partner are sent. It also holds the state of the
// queue and of the lane that sends it.
type Endpoint struct {
	PartnerID      string
	EndpointID     string // empty for the first endpoint
	URL            string
	Format         Format
	Enabled        bool
	DisabledReason string // why the service disabled it; empty if it did not
	CreatedAt      time.Time

	Secret       []byte    // sealed
	NextSecret   []byte    // sealed; empty unless a rotation is under way
	NextSecretAt time.Time // when the next secret replaces the other

	Failures     int64     // in a row; from breakerFailures on only failed probes count
	FailingSince time.Time // the first failure after the last success; zero if there is none

	// Pace is how many seconds its latest requests have taken, rounded up (paceAfter);
	// 0 if none has ended yet.
	Pace int64

	outbox.Head // until when the breaker is open, when there is something to send, and what is

	Holder     string    // the name of the lease; empty if no lane has the endpoint
	LeaseUntil time.Time // when the lease expires
}

// Key returns the name of the endpoint.
func (e *Endpoint) Key() outbox.EndpointKey {
	return outbox.EndpointKey{PartnerID: e.PartnerID, EndpointID: e.EndpointID}
}

// ID returns the id by which partners know the endpoint.
func (e *Endpoint) ID() string { return cmp.Or(e.EndpointID, FirstID) }

// FirstID is the id by which partners know their first endpoint.
const FirstID = "first"

// IDRule accepts ids of endpoints, whether they exist or not.
var IDRule = form.TextRule{
	Rule:   form.Define("endpoint_id", FirstID+", or the id of an endpoint such as whe_3ebmvgjr06eajje2n715hrra"),
	Allows: regexp.MustCompile(`^(first|whe_[0-9a-z]{24})$`).MatchString,
}

// KeyOf returns the name of the endpoint that a partner knows by an id; of the first one if the
// id is empty.
func KeyOf(partnerID, id string) outbox.EndpointKey {
	if id == FirstID {
		id = ""
	}
	return outbox.EndpointKey{PartnerID: partnerID, EndpointID: id}
}

// Format says how requests to an endpoint look.
type Format string

// The formats.
const (
	FormatDropyard    Format = ""            // headers of the contract and of Standard Webhooks
	FormatCloudEvents Format = "cloudevents" // in addition the headers of CloudEvents, in binary mode
)

// Formats has the names by which partners know the formats.
var Formats = []string{"dropyard", string(FormatCloudEvents)}

// Name returns the name by which partners know the format.
func (f Format) Name() string { return cmp.Or(string(f), Formats[0]) }

// formatOf returns the format of a name; of none, FormatDropyard.
func formatOf(name string) Format {
	if name == Formats[0] {
		return FormatDropyard
	}
	return Format(name)
}

// Event is an event and how far it has come at an endpoint.
type Event struct {
	delivery.Event
	EndpointID string // empty for the first endpoint
	State      outbox.State
	// DueAt is when it may be sent; zero while it waits behind the event in front
	// of it in its order, which blocks it (outbox.Blocks). The transaction that
	// ends the wait makes it due, under the lock of the endpoint.
	DueAt time.Time
	// Damaged means that its facts cannot be read. It cannot be sent.
	Damaged bool
	Tries   int64 // since it was added or redelivered, without failed probes
	Log     []Attempt
	// Behind holds the next events of its order, in their sequence, which wait for
	// it; DueEvents fills it where many are due.
	Behind []*Event
	// Further has the event as it is at further endpoints; AddFurther fills it.
	Further []*Event
}

// Key returns the name of the event in the queue of its endpoint.
func (e *Event) Key() outbox.EventKey { return outbox.KeyAt(&e.Event, e.EndpointID) }

// At returns the event as it is at an endpoint, by what AddFurther has added.
func (e *Event) At(endpointID string) *Event {
	if endpointID == "" {
		return e
	}
	for _, at := range e.Further {
		if at.EndpointID == endpointID {
			return at
		}
	}
	return &Event{Event: e.Event, EndpointID: endpointID, Damaged: e.Damaged, State: outbox.Skipped}
}

// delivered reports whether an attempt has delivered the event, which may be sent
// again nevertheless.
func (e *Event) delivered() bool {
	return slices.ContainsFunc(e.Log, func(a Attempt) bool { return Answer{Status: a.Status}.Delivered() })
}

// Attempt is an event's record of one request.
type Attempt struct {
	At     time.Time `json:"at"`
	Status int       `json:"status,omitzero"` // of the answer; 0 if there was none
	TookMS int64     `json:"took_ms"`
	Error  string    `json:"error,omitzero"` // why there was no answer
}

// Progress is an event with its new state, and the state that it must have in the
// database when that is written.
type Progress struct {
	*Event
	FromState outbox.State
	FromTries int64
}

// Filter selects events of a partner in the queue of an endpoint: newest first from Before on,
// or oldest first from After on. In the queue of the first endpoint are all of them.
type Filter struct {
	PartnerID  string
	EndpointID string // empty for the first endpoint
	Type       delivery.EventType
	OrderID    string
	State      outbox.State // at the endpoint
	Before     string       // an event id; empty for the newest
	After      string       // an event id; empty lists newest first
	Limit      int
}

// Endpoint returns the endpoint of the queue.
func (f Filter) Endpoint() outbox.EndpointKey {
	return outbox.EndpointKey{PartnerID: f.PartnerID, EndpointID: f.EndpointID}
}

// Backlog sums up all endpoints.
type Backlog struct {
	Enabled, Disabled, Broken int64 // endpoints; broken: the breaker is open
	// OldestDue is since when the event waits that has been due the longest, at
	// endpoints that are neither disabled nor broken; zero if none waits.
	OldestDue time.Time
}
