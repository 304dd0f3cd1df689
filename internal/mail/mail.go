// Package mail has what the mails of the service say, in English and French, as text
// and as HTML, and what packages need to have one sent. It sends nothing.
package mail

import (
	"context"
	"time"
)

// Kind says why a mail is sent.
type Kind string

// The kinds of mails.
const (
	Invitation Kind = "invitation" // into the team of a partner
	Reset      Kind = "reset"      // a link that sets a new password
	Email      Kind = "email"      // a link that proves that its reader has the address
	Proof      Kind = "proof"      // the same for the address of a new account
	Changed    Kind = "changed"    // the address, the password or the keys of an account: a notice
	SignIn     Kind = "sign_in"    // from a device that is new to the account
	Disabled   Kind = "disabled"   // the service has disabled a webhook endpoint

	Statement Kind = "statement" // a month of the partner was closed

	Exports Kind = "exports" // nightly exports fail; to admins

	Trial Kind = "trial" // whether the mail server accepts mails; an operator asks for it

	OnItsWay  Kind = "on_its_way" // this and the following go to recipients of orders
	Delivered Kind = "delivered"
	Failed    Kind = "failed" // an attempt to deliver
	Late      Kind = "late"

	ReturnPlanned Kind = "return_planned" // this and the following go to recipients who return goods
	ReturnFailed  Kind = "return_failed"  // an attempt to pick them up
	ReturnArrived Kind = "return_arrived"
)

// Kinds lists all kinds.
var Kinds = []Kind{
	Invitation, Reset, Email, Proof, Changed, SignIn, Disabled, Statement, Exports, Trial, OnItsWay, Delivered, Failed,
	Late, ReturnPlanned, ReturnFailed, ReturnArrived,
}

// Language is a language of mails.
type Language string

// The languages.
const (
	English Language = "en"
	French  Language = "fr"
)

// Message is a mail before it is put into words. Fields that its kind does not need
// are empty.
type Message struct {
	Kind      Kind      `json:"kind"`
	To        string    `json:"to"`                   // an e-mail address
	Language  Language  `json:"language,omitempty"`   // empty for that of PartnerID
	PartnerID string    `json:"partner_id,omitempty"` // whose language it is in; empty for operators
	URL       string    `json:"url,omitempty"`
	Until     time.Time `json:"until,omitzero"` // when the URL expires
	At        time.Time `json:"at,omitzero"`    // when it happened; that of a recipient in the recipient's time zone
	Team      string    `json:"team,omitempty"` // the name of the partner; of Changed, if it concerns all owners
	Role      string    `json:"role,omitempty"` // of an invitation
	// why an attempt failed, why an endpoint was disabled, or what was changed: a key of words
	Reason string `json:"reason,omitempty"`

	Device   *Device `json:"device,omitempty"`   // of a sign-in
	Endpoint string  `json:"endpoint,omitempty"` // the URL that events are no longer sent to
	Test     bool    `json:"test,omitempty"`     // the endpoint is that of test mode
	// EndpointID is the id of the endpoint; empty for the first one.
	EndpointID string `json:"endpoint_id,omitempty"`
	Order      *Order `json:"order,omitempty"` // of a mail to a recipient

	Detail string `json:"detail,omitempty"` // the error of an export

	Number int64     `json:"number,omitempty"` // of a statement
	Month  time.Time `json:"month,omitzero"`   // the first day of that of a statement
}

// Device is what is known of a device that has signed in.
type Device struct {
	Address string `json:"address"` // an IP address
	Agent   string `json:"agent,omitempty"`
}

// Order is what a mail says to the recipient of an order. Times are in the recipient's
// time zone.
type Order struct {
	OrderID    string    `json:"order_id"`
	Name       string    `json:"name"`               // the partner's own name for it
	From       time.Time `json:"from,omitzero"`      // when the window begins that ends at Expected; zero for none
	Expected   time.Time `json:"expected,omitzero"`  // zero where that would mean nothing any longer
	IsLater    bool      `json:"is_later,omitempty"` // Expected is after the window that was planned
	ToPay      Amount    `json:"to_pay,omitzero"`    // what the courier collects
	Next       time.Time `json:"next,omitzero"`      // the next attempt after one that failed; zero if none is planned
	StopURL    string    `json:"stop_url"`           // where the recipient stops these mails
	SupportURL string    `json:"support_url,omitempty"`
	Zones      Zones     `json:"zones,omitzero"`
}

// Amount is a sum of money.
type Amount struct {
	Cents    int64  `json:"cents"`
	Currency string `json:"currency"`
}

// Zones are the abbreviations in English of the time zones in which the times of a mail to a
// recipient are, such as EST: a stored time has only its offset. Mails of earlier releases have
// none.
type Zones struct {
	At       string `json:"at,omitempty"` // of Message.At
	From     string `json:"from,omitempty"`
	Expected string `json:"expected,omitempty"`
	Next     string `json:"next,omitempty"`
}

// Mail is a message as it is stored until it is sent. Message is sealed, because links
// are secrets.
type Mail struct {
	MailID    string
	Kind      Kind
	OrderID   string // of a mail to a recipient; empty for all others
	Sealed    []byte // the Message as JSON, sealed for MailID
	Attempts  int64  // to send it, begun ones included
	NextAt    time.Time
	CreatedAt time.Time
}

// Writer is what packages that send mail need to change in storage.
type Writer interface {
	AddMail(ctx context.Context, mail *Mail) error
	// LockMailCounts returns the counts of all the keys, locked until the transaction
	// ends.
	LockMailCounts(ctx context.Context, keys []CountKey) ([]Count, error)
	SaveMailCounts(ctx context.Context, counts []Count) error
}

// CountKey is the hash of what mails are counted by, so that the store holds no
// addresses of people who are not its users.
type CountKey [32]byte

// Count says when a key is at rest: the zero time or a past one if no mails count
// against it any longer.
type Count struct {
	Key    CountKey
	RestAt time.Time
}

// Post has mails sent.
type Post interface {
	// Send writes a message into a transaction. It is sent after the commit, and not
	// at all if there is none. It refuses with rate_limited if too many of the kind
	// were sent to the address or by the partner; notices are then left out instead.
	Send(ctx context.Context, tx Writer, message *Message) error
}
