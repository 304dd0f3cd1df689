package dispatch

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
)

// Store is what this room needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads what dispatchers look at. What does not exist is nil, not an
// error.
type Reader interface {
	// Board lists orders under way in the filter's order, as seen at a time.
	Board(ctx context.Context, filter Filter, now time.Time) ([]*board.Row, error)
	// Count counts orders under way, as seen at a time.
	Count(ctx context.Context, now time.Time) (Counts, error)
	// EndedOrders lists orders of one partner in one final state, newest first. It
	// may stop early, and says so, when they are large.
	EndedOrders(ctx context.Context, filter Filter) (found []*delivery.Order, stopped bool, err error)
	// OrdersNamed finds the orders of one partner, or of any if that is empty,
	// that have exactly this partner_order_id.
	OrdersNamed(ctx context.Context, partnerID, partnerOrderID string, limit int) ([]*delivery.Order, error)
	// Order is one order with its history.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// OrdersOf reads the orders of rows of the board by id, with their histories;
	// those that have gone meanwhile are left out.
	OrdersOf(ctx context.Context, rows []*board.Row) (map[string]*delivery.Order, error)
	// NextAttempts are when failed orders are to be tried again, by id; those that
	// nothing is planned for are left out.
	NextAttempts(ctx context.Context, orders []*delivery.Order) (map[string]time.Time, error)
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
	// Settings are those of a partner; nil if there is no such partner.
	Settings(ctx context.Context, partnerID string) (*Settings, error)

	PartnerIDs(ctx context.Context) ([]string, error)
	// StoredVersions lists a partner's orders in a state by id, those after the given
	// one, with the version that the board has of them (0: it lacks them).
	StoredVersions(ctx context.Context, partnerID string, status delivery.Status, after string, limit int) ([]Versions, error)
	// ShownVersions lists what the board has of a partner by id, those after the given
	// one, with the version of the order (0: there is none, or it has ended).
	ShownVersions(ctx context.Context, partnerID, after string, limit int) ([]Versions, error)
}

// Writer adds what this room changes.
type Writer interface {
	Reader
	// LockOrders reads orders with their histories, locked until the
	// transaction ends.
	LockOrders(ctx context.Context, partnerID string, orderIDs []string) (map[string]*delivery.Order, error)
	AddNote(ctx context.Context, note *Note) error
	SaveSettings(ctx context.Context, settings *Settings) error
	// Show adds or overwrites rows of the board, and Hide removes rows.
	Show(ctx context.Context, rows []*board.Row) error
	Hide(ctx context.Context, partnerID string, orderIDs []string) error
	// AddAudit writes what was changed by whom.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Courier is what dispatch shows of a courier.
type Courier struct {
	Name   string
	Active bool
}

// Versions are the two versions of an order that must be the same: its own and
// the board's.
type Versions struct {
	OrderID        string
	Order, OnBoard int64
}
