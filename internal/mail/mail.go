// Package mail has what the mails of the service say, in English and French, as text
// and as HTML, and what rooms need to have one sent. It sends nothing.
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
)

// Kinds lists all kinds.
var Kinds = []Kind{Invitation, Reset, Email}

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
	PartnerID string    `json:"partner_id,omitempty"` // whose language it is in; empty for operators
	URL       string    `json:"url,omitempty"`
	Until     time.Time `json:"until,omitzero"` // when the URL expires
	Team      string    `json:"team,omitempty"` // the name of the partner that invites
	Role      string    `json:"role,omitempty"` // of an invitation
}

// Mail is a message as it is stored until it is sent. Message is sealed, because links
// are secrets.
type Mail struct {
	MailID    string
	Kind      Kind
	Sealed    []byte // the Message as JSON, sealed for MailID
	Attempts  int64  // to send it, begun ones included
	NextAt    time.Time
	CreatedAt time.Time
}

// Writer is what rooms that send mail need to change in storage.
type Writer interface {
	AddMail(ctx context.Context, mail *Mail) error
}

// Post has mails sent.
type Post interface {
	// Send writes a message into a transaction. It is sent after the commit, and not
	// at all if there is none.
	Send(ctx context.Context, tx Writer, message *Message) error
}
