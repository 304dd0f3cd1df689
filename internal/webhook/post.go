package webhook

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// post posts a request, and sets when that was and the answer.
func (s *Sender) post(ctx context.Context, r *request) {
	r.at = s.now()
	if r.unwanted = !r.endpoint.Events.Takes(r.event.Type) && !r.event.Damaged; r.unwanted {
		return
	}
	if r.event.Damaged {
		r.answer = Answer{Problem: "the event is damaged and cannot be sent"}
		s.config.Observer.Damaged()
		s.config.Log.Error("a damaged event is given up", "partner_id", r.event.PartnerID, "event_id", r.event.EventID,
			"order_id", r.event.OrderID)
		return
	}
	if due := r.event.DueAt; !due.IsZero() {
		s.config.Observer.Sent(max(0, r.at.Sub(due)))
	}
	began := s.config.Now()
	r.answer = s.traced(ctx, r, func(ctx context.Context) Answer {
		return posting{s.config.Client, s.config.Sealer, s.config.Source}.post(ctx, r.endpoint, &r.event.Event, r.at,
			s.config.MachineNow())
	})
	r.lasted = s.config.Now().Sub(began)
	s.config.Observer.Attempted(r.answer)
}

// posting is what requests need.
type posting struct {
	client Client
	sealer *credential.Sealer
	source func() string
}

// post posts an event to an endpoint once, signed. sent is now by the machine's clock, which
// receivers compare with theirs.
func (p posting) post(ctx context.Context, e *Endpoint, event *delivery.Event, now, sent time.Time) Answer {
	secrets, err := unseal(p.sealer, e, now)
	if err != nil {
		return Answer{Problem: "the webhook secret cannot be opened; rotate it"}
	}
	body := Body(event)
	headers := Headers(event.EventID, sent, secrets, body)
	if e.Format == FormatCloudEvents {
		headers = append(headers, cloudEvent(event, p.source)...)
	}
	if e.Speed() == Slow { // it would keep the connection from quick ones
		headers = append(headers, Header{"Connection", "close"})
	}
	return p.client.Post(ctx, e.URL, headers, body)
}

// unseal returns the secrets that sign for an endpoint at the given time.
func unseal(sealer *credential.Sealer, e *Endpoint, now time.Time) (secrets Secrets, err error) {
	read := func(sealed []byte) string {
		secret, failed := sealer.Open(sealed, e.owner())
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

// owner returns the owner that the secrets of an endpoint are sealed for.
func (e *Endpoint) owner() string { return SealedFor(cmp.Or(e.EndpointID, e.PartnerID)) }

// SealedFor returns the owner that the secrets of an endpoint are sealed for: by the id of the partner for its
// first endpoint, by that of the endpoint for others.
func SealedFor(id string) string { return "webhook of " + id }
