package webhook

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// post carries an attempt out.
func (s *Sender) post(ctx context.Context, a *sent) {
	a.at = s.now()
	if a.event.Damaged {
		a.answer = Answer{Problem: "the event is damaged and cannot be sent"}
		s.Log.Error("a damaged event is given up", "partner_id", a.event.PartnerID, "event_id", a.event.EventID, "order_id", a.event.OrderID)
		return
	}
	a.answer = post(ctx, s.Client, s.Sealer, a.endpoint, &a.event.Event, a.at)
	s.Attempted(a.answer)
}

// post sends an event to an endpoint once, signed.
func post(ctx context.Context, client Client, sealer *credential.Sealer, e *Endpoint, event *delivery.Event, now time.Time) Answer {
	signing, err := open(sealer, e, now)
	if err != nil {
		return Answer{Problem: "the webhook secret cannot be opened; rotate it"}
	}
	body := Body(event)
	return client.Post(ctx, e.URL, Headers(event.EventID, now, signing, body), body)
}

// open opens the secrets that an endpoint signs with at a moment.
func open(sealer *credential.Sealer, e *Endpoint, now time.Time) (secrets Secrets, err error) {
	read := func(sealed []byte) string {
		secret, failed := sealer.Open(sealed, sealedFor(e.PartnerID))
		if failed != nil {
			err = failed
		}
		return string(secret)
	}
	switch {
	case len(e.NextSecret) == 0:
		return Secrets{Current: read(e.Secret)}, err
	case !now.Before(e.NextSecretAt):
		return Secrets{Current: read(e.NextSecret)}, err
	default:
		return Secrets{Current: read(e.Secret), Next: read(e.NextSecret)}, err
	}
}

// sealedFor is the owner that a partner's webhook secrets are sealed for.
func sealedFor(partnerID string) string { return "webhook of " + partnerID }
