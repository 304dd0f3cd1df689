package webhook

import (
	"context"
	"net/url"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// traced is post with a span. The span has a trace of its own, because an attempt may be a
// day after the request that has caused the event; both have the event's partner. It has
// the receiver's host, but not the rest of the URL, which may hold a secret. Nothing of it
// is sent to the receiver.
func (s *Sender) traced(ctx context.Context, r *request, post func(context.Context) Answer) Answer {
	ctx, span := s.config.Tracer.StartAlone(ctx, "POST webhook", tracing.Client)
	if span == nil {
		return post(ctx)
	}
	defer span.End()
	span.Set("http.request.method", "POST")
	if target, err := url.Parse(r.endpoint.URL); err == nil {
		span.Set("server.address", target.Hostname())
	}
	span.Set("dropyard.partner_id", r.event.PartnerID)
	span.Set("dropyard.event.id", r.event.EventID)
	span.Set("dropyard.event.type", string(r.event.Type))
	span.SetNumber("http.request.resend_count", int(r.event.Tries))
	answer := post(ctx)
	switch {
	case answer.Status == 0:
		span.Fail("no_response")
	case !answer.Delivered():
		span.Fail(strconv.Itoa(answer.Status))
	}
	if answer.Status != 0 {
		span.SetNumber("http.response.status_code", answer.Status)
	}
	return answer
}
