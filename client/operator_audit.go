package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// AuditEntry is a change that an operator has made.
type AuditEntry struct {
	AuditID    string      `json:"audit_id"`
	At         time.Time   `json:"at"`
	OperatorID string      `json:"operator_id"` // or "settings", "command line" or "openid"
	RequestID  string      `json:"request_id"`  // empty if it was not a request
	Action     AuditAction `json:"action"`
	PartnerID  string      `json:"partner_id,omitempty"` // to which the object belongs; empty if to none
	ObjectID   string      `json:"object_id"`
	// Before and After are the members that changed, as JSON objects; null if the object
	// is new, or removed. They never hold a secret.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// AuditAction is a kind of change.
type AuditAction string

// The kinds of changes.
const (
	ActionOrderCreated    AuditAction = "order.created" // by the desk, for a partner
	ActionOrderMoved      AuditAction = "order.moved"
	ActionOrderEdited     AuditAction = "order.edited"
	ActionOrderConfirmed  AuditAction = "order.confirmed"        // of which the courier has seen the edits
	ActionRequestAnswered AuditAction = "order.request_answered" // by which a partner wanted an order cancelled
	ActionOrderNoted      AuditAction = "order.noted"
	ActionProofAdded      AuditAction = "order.proof_added"
	ActionOrderHandedOver AuditAction = "order.handed_over"
	ActionOrderReturned   AuditAction = "order.returned"
	ActionOrderScanned    AuditAction = "order.scanned"
	ActionOrderPicked     AuditAction = "order.picked"
	ActionCourierCreated  AuditAction = "courier.created"
	ActionCourierChanged  AuditAction = "courier.changed"
	ActionCourierMessaged AuditAction = "courier.messaged"
	ActionMessageRead     AuditAction = "courier.message_read"
	ActionLocationChanged AuditAction = "location.changed"
	ActionSequenceChanged AuditAction = "courier.sequence_changed"
	ActionProductCreated  AuditAction = "product.created"
	ActionProductChanged  AuditAction = "product.changed"
	ActionStockMoved      AuditAction = "stock.moved"
	ActionOperatorCreated AuditAction = "operator.created"
	ActionOperatorChanged AuditAction = "operator.changed"
	ActionOperatorLinked  AuditAction = "operator.linked" // to a person of the OpenID provider
	ActionTokenCreated    AuditAction = "token.created"
	ActionTokenRevoked    AuditAction = "token.revoked"
	ActionSessionBegun    AuditAction = "session.begun"
	ActionSessionEnded    AuditAction = "session.ended"
	ActionPartnerChanged  AuditAction = "partner.changed"
	ActionPartnerApproved AuditAction = "partner.approved"
	ActionPartnerExported AuditAction = "partner.exported" // all data of the partner
	ActionPartnerErased   AuditAction = "partner.erased"   // the personal data of a recipient
	ActionHeld            AuditAction = "messages.held"    // webhooks and mails, after a restore or a copy
	ActionResumed         AuditAction = "messages.resumed"
	ActionClockAccepted   AuditAction = "clock.accepted" // although it was doubted
	ActionRateCardAdded   AuditAction = "rate_card.added"
	ActionKeyCreated      AuditAction = "api_key.created"
	ActionKeyRevoked      AuditAction = "api_key.revoked"

	ActionPasswordChanged  AuditAction = "password.changed"
	ActionResetLinkCreated AuditAction = "reset_link.created"
	ActionEmailLinkCreated AuditAction = "email_link.created"
	ActionEmailChanged     AuditAction = "email.changed"
	ActionTOTPEnrolled     AuditAction = "totp.enrolled"
	ActionTOTPRemoved      AuditAction = "totp.removed"
	ActionRulesChanged     AuditAction = "sign_in_rules.changed"
	ActionSettingsChanged  AuditAction = "settings.changed"
	ActionFirmChanged      AuditAction = "firm.changed"  // who sends statements
	ActionBooksChanged     AuditAction = "books.changed" // from when on acts are charged
	ActionAdjustmentPosted AuditAction = "adjustment.posted"
	ActionPaymentRecorded  AuditAction = "payment.recorded"
	ActionExportBegun      AuditAction = "export.begun"     // of the days that have ended
	ActionStatementsBegun  AuditAction = "statements.begun" // the closing of a month for all partners
	ActionStatementClosed  AuditAction = "statement.closed"
	ActionOrderCollected   AuditAction = "order.collected"
	ActionCashCounted      AuditAction = "cash.counted"
	ActionCashDeposited    AuditAction = "cash.deposited"
	ActionRemittanceSent   AuditAction = "remittance.sent"

	ActionUserInvited         AuditAction = "user.invited"
	ActionInvitationWithdrawn AuditAction = "user.invitation_withdrawn"
	ActionUserJoined          AuditAction = "user.joined"
	ActionUserChanged         AuditAction = "user.changed"
	ActionUserRemoved         AuditAction = "user.removed"
	ActionUserLinked          AuditAction = "user.linked" // to a person of the partner's OpenID provider
	ActionAccountChanged      AuditAction = "account.changed"
	ActionOpenIDChanged       AuditAction = "openid.changed" // how the people of a partner sign in
	ActionDomainChanged       AuditAction = "domain.changed" // at which they have their addresses
	ActionEndpointAdded       AuditAction = "endpoint.added" // of webhooks
	ActionEndpointChanged     AuditAction = "endpoint.changed"
	ActionEndpointRemoved     AuditAction = "endpoint.removed"
	ActionEndpointSecret      AuditAction = "endpoint.secret_changed" // a rotation began, or was ended
)

// AuditPage is a page of the audit log.
type AuditPage struct {
	Entries    []AuditEntry `json:"entries"`
	NextCursor string       `json:"next_cursor,omitempty"` // empty on the last page
}

// AuditQuery chooses entries of the audit log. Zero fields do not restrict.
type AuditQuery struct {
	OperatorID string      `query:"operator_id"`
	PartnerID  string      `query:"partner_id"`
	ObjectID   string      `query:"object_id"` // or the number that a partner has given to an order
	Action     AuditAction `query:"action"`
	From       time.Time   `query:"from"`   // only changes at this time or later
	To         time.Time   `query:"to"`     // only changes before this time
	Limit      int         `query:"limit"`  // the most entries of a page, 1 to 500; 50 if it is 0
	Cursor     string      `query:"cursor"` // the NextCursor of the previous page
}

// ListAudit returns a page of the changes that operators have made, newest first.
func (o *Operator) ListAudit(ctx context.Context, q AuditQuery, options ...CallOption) (*AuditPage, error) {
	return fetch[AuditPage](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/audit", query: queryOf(q)}, options)
}

// Audit iterates over the changes that operators have made, newest first. An error is the
// last value.
func (o *Operator) Audit(ctx context.Context, q AuditQuery, options ...CallOption) iter.Seq2[AuditEntry, error] {
	return pages(q, func(q *AuditQuery) ([]AuditEntry, bool, error) {
		page, err := o.ListAudit(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Entries, q.Cursor != "", nil
	})
}
