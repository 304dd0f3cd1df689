package audit

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

// Operation is who changes something, and by which request.
type Operation struct {
	OperatorID string // or the name of what acts by itself, such as "command line"
	RequestID  string
}

type operationKey struct{}

// WithOperation tells everything that is done under a context who does it.
func WithOperation(ctx context.Context, o Operation) context.Context {
	return context.WithValue(ctx, operationKey{}, o)
}

// OperationOf tells who acts under a context; nobody is the zero value.
func OperationOf(ctx context.Context) Operation {
	o, _ := ctx.Value(operationKey{}).(Operation)
	return o
}

// Action names what an operator did.
type Action string

// The actions that are told in the audit log.
const (
	ActionOrderMoved      Action = "order.moved"
	ActionOrderNoted      Action = "order.noted"
	ActionProofAdded      Action = "order.proof_added"
	ActionCourierCreated  Action = "courier.created"
	ActionCourierChanged  Action = "courier.changed"
	ActionProductCreated  Action = "product.created"
	ActionProductChanged  Action = "product.changed"
	ActionStockMoved      Action = "stock.moved"
	ActionOperatorCreated Action = "operator.created"
	ActionOperatorChanged Action = "operator.changed"
	ActionTokenCreated    Action = "token.created"
	ActionTokenRevoked    Action = "token.revoked"
	ActionSessionBegun    Action = "session.begun"
	ActionSessionEnded    Action = "session.ended"
	ActionPartnerChanged  Action = "partner.changed"
	ActionRateCardAdded   Action = "rate_card.added"
)

// Actions lists them.
var Actions = []Action{
	ActionOrderMoved, ActionOrderNoted, ActionProofAdded, ActionCourierCreated, ActionCourierChanged,
	ActionProductCreated, ActionProductChanged, ActionStockMoved, ActionOperatorCreated, ActionOperatorChanged,
	ActionTokenCreated, ActionTokenRevoked, ActionSessionBegun, ActionSessionEnded, ActionPartnerChanged, ActionRateCardAdded,
}

// AuditEntry is one change by an operator: who, when, what, and how it was
// before and after. It is written in the transaction of the change.
type Entry struct {
	AuditID string // a UUID that sorts by time
	At      time.Time
	Operation
	Action    Action
	PartnerID string // whose thing was changed; empty if nobody's
	ObjectID  string // which
	// Before and After are what has changed, as JSON tells it; nil for nothing.
	// Neither holds a secret.
	Before, After any
}

// NewAuditEntry begins an entry for what is done under a context.
func NewEntry(ctx context.Context, random io.Reader, at time.Time, action Action) (*Entry, error) {
	id, err := identifier.NewUUID(random, at)
	if err != nil {
		return nil, err
	}
	return &Entry{AuditID: id, At: at, Operation: OperationOf(ctx), Action: action}, nil
}
