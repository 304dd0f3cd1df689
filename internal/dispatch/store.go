package dispatch

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/search"
)

// Store is what this package needs of storage. Read runs fn on a consistent view of
// the data; Write runs it in a transaction, which is durable once Write has
// returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads. A row that does not exist is nil, not an error.
type Reader interface {
	// Board lists orders under way in the filter's order. now decides what needs
	// attention and what is at risk.
	Board(ctx context.Context, filter Filter, now time.Time) ([]*board.Row, error)
	// Count counts orders under way. now decides what needs attention.
	Count(ctx context.Context, now time.Time) (Counts, error)
	// Loads counts the orders under way of each courier, by courier id. Couriers
	// without any are left out.
	Loads(ctx context.Context) (map[string]int64, error)
	// EndedOrders lists orders of one partner in one final state, newest first, with
	// their histories. It may stop early, and reports so, when they are large.
	EndedOrders(ctx context.Context, filter Filter) (found []*delivery.Order, stopped bool, err error)
	// OrdersNamed returns orders that have exactly this partner_order_id, with their
	// histories: of one partner, or of any if partnerID is empty.
	OrdersNamed(ctx context.Context, partnerID, partnerOrderID string, limit int) ([]*delivery.Order, error)
	// OrdersWith returns the newest orders that have all words, with their histories: of one partner, or of any if
	// partnerID is empty, but not those of test accounts. It knows what was committed some seconds ago.
	OrdersWith(ctx context.Context, partnerID string, words search.Words, limit int) ([]*delivery.Order, error)
	// Order returns one order with its history.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// OrdersOf returns the orders of rows of the board by id, with their histories.
	// Those that have been removed meanwhile are left out.
	OrdersOf(ctx context.Context, rows []*board.Row) (map[string]*delivery.Order, error)
	// FailedAttempts returns the latest attempts at failed orders by order id. Those whose events are not
	// kept any more, or cannot be read, are left out.
	FailedAttempts(ctx context.Context, orders []*delivery.Order) (map[string]delivery.FailedAttempt, error)
	// Deliveries counts what a courier has delivered since a time, and lists the
	// latest of it.
	Deliveries(ctx context.Context, courierID string, since time.Time, limit int) (Done, error)
	// Proofs lists the proofs of an order, oldest first.
	Proofs(ctx context.Context, partnerID, orderID string) ([]*delivery.Proof, error)
	// PartnerNames returns partners' names, and Couriers couriers, by their ids.
	PartnerNames(ctx context.Context, ids []string) (map[string]string, error)
	Couriers(ctx context.Context, ids []string) (map[string]Courier, error)
	// Notes lists the newest notes of an order, newest first.
	Notes(ctx context.Context, partnerID, orderID string, limit int) ([]*Note, error)
	// Scans lists the newest scans of an order, newest first.
	Scans(ctx context.Context, partnerID, orderID string, limit int) ([]*Scanned, error)
	// Returns lists goods that come back, and OrdersBack the orders that they are of, by id.
	Returns(ctx context.Context, filter ReturnFilter) ([]*delivery.Returned, error)
	OrdersBack(ctx context.Context, returns []*delivery.Returned) (map[string]*delivery.Order, error)
	// ReturnsBy lists those that a courier brings, by how long they are due.
	ReturnsBy(ctx context.Context, courierID string, limit int) ([]*delivery.Returned, error)
	// ToPick lists rows of orders that take something from stock, by the begin of their pickup windows: those
	// that may be in the filter's state. It ignores the filter's location.
	ToPick(ctx context.Context, filter PickFilter) ([]*board.Row, error)
	// CountToPick counts those that have something left to pick and a pickup window that begins before a time.
	CountToPick(ctx context.Context, until time.Time) (int64, error)
	// Shelves returns what the warehouse has of products; those that do not exist are left out.
	Shelves(ctx context.Context, keys []ProductKey) (map[ProductKey]Shelf, error)
	// Locations lists the locations that have an address.
	Locations(ctx context.Context) ([]*delivery.Location, error)
	// Moves lists the latest moves of an order by operators, newest first.
	Moves(ctx context.Context, partnerID, orderID string) ([]Move, error)
	// OperatorEmails returns the e-mail addresses of operators by their ids. What acts
	// by itself, such as the command line, has none and is left out.
	OperatorEmails(ctx context.Context, ids []string) (map[string]string, error)
	// Sequences returns the sequences of couriers by their ids. Those that never had
	// one are left out.
	Sequences(ctx context.Context, courierIDs []string) (map[string]*Sequence, error)
	// Messages lists messages to a courier, newest first: those before a message, or all if before is empty.
	Messages(ctx context.Context, courierID, before string, limit int) ([]*Message, error)
	// Unread lists the messages to a courier that are not read, oldest first.
	Unread(ctx context.Context, courierID string, limit int) ([]*Message, error)
	// Phone returns the number at which couriers reach the desk; empty if none is set.
	Phone(ctx context.Context) (string, error)
	// Settings returns the settings of a partner; nil if there is no such partner.
	Settings(ctx context.Context, partnerID string) (*Settings, error)
}

// Writer reads and writes.
type Writer interface {
	Reader
	// LockOrders returns orders by id, with their histories, and locks them until
	// the transaction ends.
	LockOrders(ctx context.Context, partnerID string, orderIDs []string) (map[string]*delivery.Order, error)
	// LockCouriers locks couriers until the transaction ends, so that no other changes
	// their sequences, and returns the ids of those that exist.
	LockCouriers(ctx context.Context, ids []string) ([]string, error)
	SaveSequence(ctx context.Context, sequence *Sequence) error
	AddNote(ctx context.Context, note *Note) error
	AddScan(ctx context.Context, scan *Scanned) error
	AddMessage(ctx context.Context, message *Message) error
	// LockMessage returns a message to a courier, locked until the transaction ends, and SaveMessage writes it.
	LockMessage(ctx context.Context, courierID, messageID string) (*Message, error)
	SaveMessage(ctx context.Context, message *Message) error
	// LockPhone returns what Phone does, locked until the transaction ends, and SetPhone writes it.
	LockPhone(ctx context.Context) (string, error)
	SetPhone(ctx context.Context, phone string) error
	SaveSettings(ctx context.Context, settings *Settings) error
	// LockSettings returns what Settings does, locked until the transaction ends.
	LockSettings(ctx context.Context, partnerID string) (*Settings, error)
	// AddAudit writes entries of the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Courier is what the board shows of a courier.
type Courier struct {
	Name   string
	Active bool
}
