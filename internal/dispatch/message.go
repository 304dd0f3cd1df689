package dispatch

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Message is a message from the desk to a courier, who confirms that it was read.
type Message struct {
	CourierID  string
	MessageID  string // sorts by time
	OperatorID string // who sent it
	At         time.Time
	Text       string
	ReadAt     time.Time // when the courier confirmed it; zero until then
}

const (
	maxMessage = 500 // characters of a message, at most
	// maxUnread is how many messages a round has at most: the oldest that are not read. Others follow when
	// these are.
	maxUnread = 20
)

// ReadMessageText reads the text of a message.
func ReadMessageText(f *form.Form) string {
	return f.Text("text", form.Required, form.Length(1, maxMessage))
}

// messageFacts is what the audit log holds of a message: not its text, which is not kept for long.
type messageFacts struct {
	MessageID string `json:"message_id"`
}

// SendMessage sends a courier a message. The error may be not_found.
func (s *Service) SendMessage(ctx context.Context, courierID, text string) (*Sent, error) {
	now := s.now()
	id, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return nil, err
	}
	entry, err := audit.NewEntry(ctx, s.config.Random, now, audit.ActionCourierMessaged)
	if err != nil {
		return nil, err
	}
	entry.ObjectID, entry.After = courierID, messageFacts{id}
	sent := &Sent{Message: &Message{
		CourierID: courierID, MessageID: id, OperatorID: entry.OperatorID, At: now, Text: text,
	}}
	return sent, s.config.Store.Write(ctx, func(tx Writer) error {
		if err := exists(ctx, tx, courierID); err != nil {
			return err
		}
		if err := tx.AddMessage(ctx, sent.Message); err != nil {
			return err
		}
		if err := tx.AddAudit(ctx, entry); err != nil {
			return err
		}
		return addSenders(ctx, tx, []*Sent{sent})
	})
}

// Sent is a message with the e-mail address of the operator who sent it, which is empty for what acts by
// itself, such as the command line.
type Sent struct {
	*Message
	OperatorEmail string
}

// addSenders adds the addresses of the operators who sent messages.
func addSenders(ctx context.Context, tx Reader, messages []*Sent) error {
	ids := make([]string, len(messages))
	for i, sent := range messages {
		ids[i] = sent.OperatorID
	}
	emails, err := tx.OperatorEmails(ctx, distinct(ids))
	for _, sent := range messages {
		sent.OperatorEmail = emails[sent.OperatorID]
	}
	return err
}

// Messages lists messages to a courier, newest first, those before the cursor, and returns the cursor of the
// next page; it is empty at the end. The error may be not_found.
func (s *Service) Messages(
	ctx context.Context, courierID, cursor string, limit int,
) (listed []*Sent, next string, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if err := exists(ctx, tx, courierID); err != nil {
			return err
		}
		found, err := tx.Messages(ctx, courierID, cursor, limit+1) // one more shows whether a next page exists
		if err != nil {
			return err
		}
		if len(found) > limit {
			found = found[:limit]
			next = found[limit-1].MessageID
		}
		listed = make([]*Sent, len(found))
		for i, message := range found {
			listed[i] = &Sent{Message: message}
		}
		return addSenders(ctx, tx, listed)
	})
	return listed, next, err
}

// ReadMessageRead reads when a message was read: zero, which stands for now, if the request does not say.
func (s *Service) ReadMessageRead(f *form.Form) time.Time {
	at := f.Time("occurred_at", form.Optional)
	if !at.IsZero() && !delivery.MayHaveOccurred(at, s.now()) {
		f.Fault("occurred_at", delivery.OccurredRule)
	}
	return at
}

// ConfirmMessage notes when the courier of a message has read it; zero stands for now. The first time stays. A phone
// with a clock that is behind has read it when it was sent.
// The error may be not_found.
func (s *Service) ConfirmMessage(
	ctx context.Context, courierID, messageID string, at time.Time,
) (confirmed *Sent, err error) {
	now := s.now()
	if at.IsZero() {
		at = now
	}
	entry, err := audit.NewEntry(ctx, s.config.Random, now, audit.ActionMessageRead)
	if err != nil {
		return nil, err
	}
	entry.ObjectID, entry.After = courierID, messageFacts{messageID}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		message, err := tx.LockMessage(ctx, courierID, messageID)
		if err == nil && message == nil {
			err = refusal.NotFound("message")
		}
		if err != nil {
			return err
		}
		confirmed = &Sent{Message: message}
		if message.ReadAt.IsZero() {
			message.ReadAt = at
			if at.Before(message.At) {
				message.ReadAt = message.At
			}
			if err := tx.SaveMessage(ctx, message); err != nil {
				return err
			}
			if err := tx.AddAudit(ctx, entry); err != nil {
				return err
			}
		}
		return addSenders(ctx, tx, []*Sent{confirmed})
	})
	return confirmed, err
}
