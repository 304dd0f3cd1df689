package client

import (
	"context"
	"net/http"
	"time"
)

// CollectionMethod is how an amount was paid at the door.
type CollectionMethod string

// The methods.
const (
	PaidCash     CollectionMethod = "cash"
	PaidTerminal CollectionMethod = "terminal" // by card
	PaidNothing  CollectionMethod = "none"
	// PaidUnconfirmed is that of an amount of which the courier has not said whether it was paid. No request has it.
	PaidUnconfirmed CollectionMethod = "unconfirmed"
)

// Collected is what was collected when an order was delivered.
type Collected struct {
	AmountCents int64            `json:"amount_cents"`
	Currency    Currency         `json:"currency"`
	Method      CollectionMethod `json:"method"`          // [PaidNothing] for an amount of 0, and only then
	Notes       string           `json:"notes,omitempty"` // required if it is another amount than was to be collected
}

// CollectedOfOrder is what was collected of one of several orders.
type CollectedOfOrder struct {
	OrderID string `json:"order_id"`
	Collected
}

// PutOrderCollected confirms or corrects what was collected of a delivered order; of another one the error is
// [CodeConflict].
func (o *Operator) PutOrderCollected(
	ctx context.Context, orderID string, collected Collected, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, o, operation{
		method: http.MethodPut, path: "/ops/v1/orders/{id}/collected", id: orderID, body: collected, keyed: true,
	}, options)
}

// CashHeld is what a courier carries in one currency.
type CashHeld struct {
	CourierID   string    `json:"courier_id"`
	Currency    Currency  `json:"currency"`
	AmountCents int64     `json:"amount_cents"`
	Since       time.Time `json:"since,omitzero"` // the oldest of it was collected
}

// Cash is what couriers carry, and what has to be cleared up.
type Cash struct {
	Couriers []CashHeld `json:"couriers"`
	// Unconfirmed has deliveries of which the courier has not said what was collected.
	Unconfirmed []BookEntry `json:"unconfirmed"`
	Differences []BookEntry `json:"differences"` // that counts of the last 30 days have found
}

// GetCash returns what couriers carry, and what has to be cleared up.
func (o *Operator) GetCash(ctx context.Context, options ...CallOption) (*Cash, error) {
	return fetch[Cash](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/cash"}, options)
}

// CourierCash is the cash that a courier carries.
type CourierCash struct {
	CourierID string        `json:"courier_id"`
	Balances  []CashHeld    `json:"balances"`
	Orders    []CarriedCash `json:"orders"` // that it is of, oldest first
}

// CarriedCash is the cash of one order.
type CarriedCash struct {
	OrderID        string    `json:"order_id,omitempty"` // empty for what corrections have left
	PartnerOrderID string    `json:"partner_order_id,omitempty"`
	PartnerID      string    `json:"partner_id"`
	AmountCents    int64     `json:"amount_cents"`
	Currency       Currency  `json:"currency"`
	CollectedAt    time.Time `json:"collected_at,omitzero"`
	Unconfirmed    bool      `json:"unconfirmed"` // the courier has not said that it was collected
}

// GetCourierCash returns the cash that a courier carries. Couriers read only their own.
func (o *Operator) GetCourierCash(
	ctx context.Context, courierID string, options ...CallOption,
) (*CourierCash, error) {
	return fetch[CourierCash](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/couriers/{id}/cash", id: courierID}, options)
}

// HandInRequest is a count of the cash that a courier hands in.
type HandInRequest struct {
	CountedCents int64    `json:"counted_cents"`
	KeptCents    int64    `json:"kept_cents,omitempty"` // that the courier keeps
	Currency     Currency `json:"currency"`
	// ExpectedCents is what the courier carried when the money was counted; nil if that does not matter.
	ExpectedCents *int64 `json:"expected_cents,omitempty"`
	Notes         string `json:"notes,omitempty"`
}

// CashCount is what a count has found.
type CashCount struct {
	CourierID       string      `json:"courier_id"`
	Currency        Currency    `json:"currency"`
	ExpectedCents   int64       `json:"expected_cents"` // that the courier carried
	CountedCents    int64       `json:"counted_cents"`
	KeptCents       int64       `json:"kept_cents"`
	DifferenceCents int64       `json:"difference_cents"` // that was missing; below zero if there was too much
	Entries         []BookEntry `json:"entries"`          // one for each partner
}

// CreateHandIn records a count of the cash that a courier hands in. The error is [CodeConflict] if the courier carries
// nothing, or another amount than was expected.
func (o *Operator) CreateHandIn(
	ctx context.Context, courierID string, count HandInRequest, options ...CallOption,
) (*CashCount, error) {
	return fetch[CashCount](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/couriers/{id}/cash/hand-ins", id: courierID, body: count, keyed: true,
	}, options)
}

// DepositRequest is a deposit of cash from the desk at the bank.
type DepositRequest struct {
	AmountCents int64       `json:"amount_cents"` // at most what is there
	Currency    Currency    `json:"currency"`
	From        BookAccount `json:"from,omitempty"` // [BookAccountDesk], also if it is empty, or [BookAccountTerminal]
	Notes       string      `json:"notes,omitempty"`
}

// Deposit is a deposit that was recorded.
type Deposit struct {
	AmountCents int64       `json:"amount_cents"`
	Currency    Currency    `json:"currency"`
	Entries     []BookEntry `json:"entries"` // one for each partner
}

// CreateDeposit records that cash was taken from the desk to the bank, or what was paid out there of card payments.
func (o *Operator) CreateDeposit(
	ctx context.Context, deposit DepositRequest, options ...CallOption,
) (*Deposit, error) {
	return fetch[Deposit](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/cash/deposits", body: deposit, keyed: true}, options)
}

// RemittanceRequest is a payment to a partner of what was collected for it.
type RemittanceRequest struct {
	AmountCents int64       `json:"amount_cents"` // at most what is owed to the partner
	Currency    Currency    `json:"currency"`
	From        BookAccount `json:"from,omitempty"` // [BookAccountBank], also if it is empty, or [BookAccountDesk]
	Notes       string      `json:"notes,omitempty"`
}

// CreateRemittance records that a partner was sent what was collected for it.
func (o *Operator) CreateRemittance(
	ctx context.Context, partnerID string, remittance RemittanceRequest, options ...CallOption,
) (*BookEntry, error) {
	return fetch[BookEntry](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/partners/{id}/remittances", id: partnerID, body: remittance, keyed: true,
	}, options)
}
