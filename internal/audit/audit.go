// Package audit describes what is written when an operator, or a person of a partner,
// changes something: entries, their actions, and the operation that a context carries.
package audit

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

// Operation names the person who changes something, and the request.
type Operation struct {
	// OperatorID is the id of an operator or of a partner's user, or a name for what is
	// neither, such as "command line".
	OperatorID string
	RequestID  string
}

type operationKey struct{}

// WithOperation returns a context that carries the operation.
func WithOperation(ctx context.Context, o Operation) context.Context {
	return context.WithValue(ctx, operationKey{}, o)
}

// OperationOf returns the operation that a context carries, or the zero value.
func OperationOf(ctx context.Context) Operation {
	o, _ := ctx.Value(operationKey{}).(Operation)
	return o
}

// ActingAs returns a context for what happens on behalf of a person, or of a part of
// the service, that the operation does not name yet. The request stays the same.
func ActingAs(ctx context.Context, operatorID string) context.Context {
	return WithOperation(ctx, Operation{OperatorID: operatorID, RequestID: OperationOf(ctx).RequestID})
}

// Action is what an operator or user did.
type Action string

// The actions that the audit log records.
const (
	ActionOrderCreated    Action = "order.created" // by the desk, for a partner
	ActionOrderMoved      Action = "order.moved"
	ActionOrderEdited     Action = "order.edited"
	ActionOrderConfirmed  Action = "order.confirmed"
	ActionRequestAnswered Action = "order.request_answered"
	ActionOrderNoted      Action = "order.noted"
	ActionProofAdded      Action = "order.proof_added"
	ActionOrderHandedOver Action = "order.handed_over"
	ActionOrderReturned   Action = "order.returned"
	ActionOrderScanned    Action = "order.scanned"
	ActionOrderPicked     Action = "order.picked"
	ActionCourierCreated  Action = "courier.created"
	ActionCourierChanged  Action = "courier.changed"
	ActionCourierMessaged Action = "courier.messaged"
	ActionMessageRead     Action = "courier.message_read"
	ActionLocationChanged Action = "location.changed"
	ActionSequenceChanged Action = "courier.sequence_changed"
	ActionProductCreated  Action = "product.created"
	ActionProductChanged  Action = "product.changed"
	ActionStockMoved      Action = "stock.moved"
	ActionOperatorCreated Action = "operator.created"
	ActionOperatorChanged Action = "operator.changed"
	ActionOperatorLinked  Action = "operator.linked"
	ActionTokenCreated    Action = "token.created"
	ActionTokenRevoked    Action = "token.revoked"
	ActionSessionBegun    Action = "session.begun"
	ActionSessionEnded    Action = "session.ended"
	ActionPartnerChanged  Action = "partner.changed"
	ActionPartnerApproved Action = "partner.approved"
	ActionPartnerExported Action = "partner.exported"
	ActionClockAccepted   Action = "clock.accepted"
	ActionHeld            Action = "messages.held"
	ActionResumed         Action = "messages.resumed"
	ActionPartnerErased   Action = "partner.erased"
	ActionRateCardAdded   Action = "rate_card.added"
	ActionKeyCreated      Action = "api_key.created"
	ActionKeyRevoked      Action = "api_key.revoked"

	ActionPasswordChanged  Action = "password.changed"
	ActionResetLinkCreated Action = "reset_link.created"
	ActionEmailLinkCreated Action = "email_link.created"
	ActionEmailChanged     Action = "email.changed"
	ActionTOTPEnrolled     Action = "totp.enrolled"
	ActionTOTPRemoved      Action = "totp.removed"
	ActionRulesChanged     Action = "sign_in_rules.changed"
	ActionSettingsChanged  Action = "settings.changed"
	ActionFirmChanged      Action = "firm.changed"
	ActionBooksChanged     Action = "books.changed"
	ActionAdjustmentPosted Action = "adjustment.posted"
	ActionPaymentRecorded  Action = "payment.recorded"
	ActionClosingBegun     Action = "statements.begun" // the closing of a month for all partners
	ActionStatementClosed  Action = "statement.closed"
	ActionExportBegun      Action = "export.begun" // of the days that have ended
	ActionCollectedSet     Action = "order.collected"
	ActionCashCounted      Action = "cash.counted"
	ActionCashDeposited    Action = "cash.deposited"
	ActionRemittanceSent   Action = "remittance.sent"

	ActionUserInvited         Action = "user.invited"
	ActionInvitationWithdrawn Action = "user.invitation_withdrawn"
	ActionUserJoined          Action = "user.joined"
	ActionUserChanged         Action = "user.changed"
	ActionUserRemoved         Action = "user.removed"
	ActionUserLinked          Action = "user.linked" // to a person of the partner's OpenID provider
	ActionAccountChanged      Action = "account.changed"
	ActionOpenIDChanged       Action = "openid.changed"
	ActionDomainChanged       Action = "domain.changed"
	ActionEndpointAdded       Action = "endpoint.added" // of webhooks
	ActionEndpointChanged     Action = "endpoint.changed"
	ActionEndpointRemoved     Action = "endpoint.removed"
	ActionEndpointSecret      Action = "endpoint.secret_changed" // a rotation began, or was ended
)

// Actions lists all actions.
var Actions = []Action{
	ActionOrderCreated, ActionOrderMoved, ActionOrderEdited, ActionOrderConfirmed, ActionRequestAnswered,
	ActionOrderNoted, ActionProofAdded,
	ActionOrderHandedOver, ActionOrderReturned, ActionOrderScanned, ActionOrderPicked, ActionCourierCreated,
	ActionCourierChanged, ActionCourierMessaged, ActionMessageRead, ActionLocationChanged, ActionSequenceChanged,
	ActionProductCreated, ActionProductChanged, ActionStockMoved,
	ActionOperatorCreated, ActionOperatorChanged, ActionOperatorLinked, ActionTokenCreated, ActionTokenRevoked,
	ActionSessionBegun, ActionSessionEnded, ActionPartnerChanged, ActionPartnerApproved, ActionPartnerExported,
	ActionPartnerErased, ActionClockAccepted, ActionHeld, ActionResumed, ActionRateCardAdded, ActionKeyCreated,
	ActionKeyRevoked, ActionPasswordChanged, ActionResetLinkCreated, ActionEmailLinkCreated, ActionEmailChanged,
	ActionTOTPEnrolled, ActionTOTPRemoved, ActionRulesChanged, ActionSettingsChanged, ActionFirmChanged,
	ActionBooksChanged, ActionAdjustmentPosted, ActionPaymentRecorded, ActionClosingBegun, ActionStatementClosed,
	ActionExportBegun, ActionCollectedSet, ActionCashCounted, ActionCashDeposited, ActionRemittanceSent,
	ActionUserInvited, ActionInvitationWithdrawn,
	ActionUserJoined, ActionUserChanged, ActionUserRemoved, ActionUserLinked, ActionAccountChanged,
	ActionOpenIDChanged, ActionDomainChanged, ActionEndpointAdded, ActionEndpointChanged, ActionEndpointRemoved,
	ActionEndpointSecret,
}

// Entry records one change by a person. It is written in the transaction of
// the change.
type Entry struct {
	AuditID string // a UUID that sorts by time
	At      time.Time
	Operation
	Action    Action
	PartnerID string // the partner that the object belongs to; empty if it belongs to none
	ObjectID  string // the object that was changed
	// Before and After are what changed in the object, encoded as JSON; nil if
	// there was or is nothing. Neither holds a secret.
	Before, After any
}

// NewEntry returns an entry for the operation that a context carries. The caller
// fills in the object, and Before and After.
func NewEntry(ctx context.Context, random io.Reader, at time.Time, action Action) (*Entry, error) {
	id, err := identifier.NewUUID(random, at)
	if err != nil {
		return nil, err
	}
	return &Entry{AuditID: id, At: at, Operation: OperationOf(ctx), Action: action}, nil
}
