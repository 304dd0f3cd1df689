package portal

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/webhook"
)

// The addresses of the documentation of webhooks and their signatures, and of errors.
const (
	guide        = "https://github.com/dropyard/dropyard/blob/main/docs/contract.md"
	signingGuide = guide + "#webhooks"
	errorGuide   = guide + "#errors"
)

// eventView is one event, as it is sent, and its attempts.
type eventView struct {
	*sheet
	Event    eventRow
	Body     string // exactly as it is sent
	Pretty   string // the same with line breaks
	Headers  []webhook.Header
	Attempts []attempt // newest first
	Soon     bool      // an attempt is due within a minute
	// Redelivery sends the event again; nil if the account has no endpoint, or the person
	// may not.
	Redelivery *page.Form
	Guide      string
}

// attempt is one request of an event.
type attempt struct {
	webhook.Attempt
	Delivered bool
}

// event shows an event.
func (pages *Pages) event(s *sheet) (int, []byte, error) {
	found, err := pages.config.Webhooks.Event(s.Context(), s.Account, s.ID("event_id"))
	if err != nil {
		return 0, nil, err
	}
	key := s.endpoint()
	found = found.At(key.EndpointID)
	view := &eventView{sheet: s, Event: eventRowOf(found), Guide: signingGuide}
	view.Soon = found.State == outbox.Pending && !found.DueAt.IsZero() &&
		found.DueAt.Before(pages.config.Site.Now().Add(time.Minute))
	for _, a := range slices.Backward(found.Log) {
		view.Attempts = append(view.Attempts, attempt{a, webhook.Answer{Status: a.Status}.Delivered()})
	}
	if !found.Damaged {
		view.Body = string(webhook.Body(&found.Event))
		view.Pretty, view.Headers = pretty(view.Body), view.headers()
	}
	if view.Redelivery, err = pages.redelivery(s, found); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		template: "portal-event", title: s.Text("event." + string(found.Type)), data: view,
		back: &page.Link{Text: s.Text("portal.hooks"), Path: s.Link(webhooksPath, "endpoint", key.EndpointID)},
	})
}

// pretty returns a JSON text with line breaks. Its names and values stay as they are,
// byte for byte.
func pretty(text string) string {
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(text), "", "  ") != nil {
		return text
	}
	return indented.String()
}

// headers returns the headers of the latest attempt, or of the next one if there was
// none. In the place of signatures, which need the secret, is what they are made of.
func (v *eventView) headers() []webhook.Header {
	at := v.pages.config.Site.Now()
	if len(v.Attempts) > 0 {
		at = v.Attempts[0].At
	}
	headers := webhook.Headers(v.Event.EventID, at, webhook.Secrets{Current: webhook.SecretPrefix}, nil)
	for i, h := range headers {
		switch h.Name {
		case "Drop-Signature":
			headers[i].Value = v.Text("portal.hook.signature.drop")
		case "Webhook-Signature":
			headers[i].Value = v.Text("portal.hook.signature.standard")
		}
	}
	return headers
}

// redelivery returns the form that sends an event again; nil if it cannot be sent.
func (pages *Pages) redelivery(s *sheet, e *webhook.Event) (*page.Form, error) {
	if !s.May(partner.PermissionWebhooks) || e.Damaged {
		return nil, nil
	}
	switch _, err := pages.config.Webhooks.Get(s.Context(), s.endpoint()); {
	case refusal.HasCode(err, refusal.CodeNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return s.hookForm(webhooksPath+"/"+e.EventID+"/redelivery", s.endpoint())
}

// redeliver sends an event again.
func (pages *Pages) redeliver(s *sheet) (int, []byte, error) {
	again, err := pages.config.Webhooks.Redeliver(s.Context(), s.endpoint(), s.ID("event_id"))
	switch {
	case refusal.HasCode(err, refusal.CodeNotFound):
		return 0, nil, err
	case err != nil:
		return s.unlessGone(err)
	}
	return s.LeadTo(s.Link(webhooksPath+"/"+again.EventID, "endpoint", s.endpoint().EndpointID),
		page.Flash{Key: "portal.hook.again"})
}

// Milliseconds returns how long the attempt took.
func (a attempt) Milliseconds() int { return int(a.TookMS) }
