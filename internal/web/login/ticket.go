package login

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/web/page"
)

// ticketLife is how long a person may look for the code after the password was right.
const ticketLife = 5 * time.Minute

// ticket is what a person has typed into the first step of a sign-in. It travels through
// the page of the second step, sealed, so that the page does not hold the password. The
// second step verifies the password again: a ticket gives no more access than what it
// was made of.
type ticket struct {
	Email    string    `json:"e"`
	Password string    `json:"p"`
	Until    time.Time `json:"u"`
}

// seal returns the text of a ticket, which only this door opens. One that is sealed again
// ends when it did.
func (s *sheet) seal(t ticket) (string, error) {
	if t.Until.IsZero() {
		t.Until = s.pages.config.Site.Now().Add(ticketLife)
	}
	text, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("write the ticket of a sign-in: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.pages.config.Sealer.Seal(text, s.door.path)), nil
}

// open returns a ticket, and reports whether it can be used.
func (s *sheet) open(text string) (t ticket, valid bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return t, false
	}
	opened, err := s.pages.config.Sealer.Open(sealed, s.door.path)
	if err != nil || json.Unmarshal(opened, &t) != nil {
		return t, false
	}
	return t, s.pages.config.Site.Now().Before(t.Until)
}

// ticketField is the hidden field with the ticket.
func ticketField(text string) page.Field { return page.Field{Name: "ticket", Value: text} }
