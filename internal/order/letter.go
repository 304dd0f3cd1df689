package order

import (
	"cmp"
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/mail"
)

// letter is a mail to the recipient of an order.
type letter struct {
	mail *mail.Mail // nil if there is none
	to   string
}

// letter returns the mail to the order's recipient about a step. It is written before
// the transaction of the step, from the same version of the order.
func (s *Service) letter(ctx context.Context, order *delivery.Order, st *step) (letter, error) {
	if s.config.Mail == nil {
		return letter{}, nil
	}
	facts := &delivery.EventFacts{
		Status: st.to, At: cmp.Or(st.occurredAt, st.at), ETA: st.eta, FailureReason: st.failureReason,
		NextAttempt: st.nextAttempt,
	}
	if facts.ETA.IsZero() {
		facts.ETA = order.EstimatedDelivery
	}
	written, err := s.config.Mail(ctx, order, facts)
	return letter{written, order.Recipient().Email}, err
}

// post adds the letter to the changes, unless the recipient's address was erased since
// it was written: erasing leaves the order's version as it is.
func (l letter) post(c *Changes, o *delivery.Order) {
	if l.mail != nil && l.to == o.Recipient().Email {
		c.Mails = append(c.Mails, l.mail)
	}
}
