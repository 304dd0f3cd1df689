package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/webhook"
)

// toWebhooks leads to the page of the endpoint, which shows a message.
func (s *sheet) toWebhooks(key string) (int, []byte, error) {
	return s.LeadTo(s.Link(webhooksPath, "endpoint", s.endpoint().EndpointID), page.Flash{Key: key})
}

// unlessGone returns err, or leads to the page of webhooks if it means that the endpoint
// was removed meanwhile.
func (s *sheet) unlessGone(err error) (int, []byte, error) {
	if refusal.HasCode(err, refusal.CodeNotFound) || refusal.HasCode(err, delivery.CodeWebhookNotConfigured) {
		return s.LeadTo(s.Link(webhooksPath), page.Flash{Key: "portal.hook.missing", Danger: true})
	}
	return 0, nil, err
}

// withSecret shows the page with the endpoint's secret, this once.
func (pages *Pages) withSecret(s *sheet, key outbox.EndpointKey, secret string) (int, []byte, error) {
	view, err := pages.webhooksOf(s.on(webhooksPath), key, nil)
	if err != nil {
		return 0, nil, err
	}
	view.Secret = secret
	return view.show(0)
}

// setEndpoint changes the endpoint, or sets the first one. A new endpoint gets a secret, which the
// page shows once. One that the service has disabled is enabled, and one that the partner
// has disabled is not.
func (pages *Pages) setEndpoint(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	key := s.endpoint()
	before, err := pages.config.Webhooks.Get(s.Context(), key)
	if err != nil && (!refusal.HasCode(err, refusal.CodeNotFound) || key.EndpointID != "") {
		return s.unlessGone(err)
	}
	if sent.Version != versionOfEndpoint(before) {
		return s.Stale(s.Link(webhooksPath, "endpoint", key.EndpointID))
	}
	target, err := pages.readTarget(sent)
	if err != nil {
		return pages.refuseEndpoint(s, sent, err)
	}
	if before.Endpoint != nil {
		target.Enabled = before.Enabled || before.DisabledReason != ""
	}
	if key.EndpointID == "" {
		put, isNew, err := pages.config.Webhooks.Put(s.Context(), s.Account, webhook.Signed{}, target)
		switch {
		case err != nil:
			return pages.refuseEndpoint(s, sent, err)
		case isNew:
			return pages.withSecret(s, key, put.Secret)
		}
		return s.toWebhooks("portal.hook.changed")
	}
	if _, err := pages.config.Webhooks.Edit(s.Context(), key, webhook.Signed{}, webhook.Edit{
		URL: &target.URL, Enabled: &target.Enabled, Events: &target.Events, Format: &target.Format,
	}); err != nil {
		return pages.refuseEndpoint(s, sent, err)
	}
	return s.toWebhooks("portal.hook.changed")
}

var anyType = form.Define("event_types", "at least one type of events")

// readTarget reads the settings of an endpoint. If all types that are sent unnamed are chosen, the
// endpoint takes those that are added later, too.
func (pages *Pages) readTarget(sent *page.Form) (webhook.Target, error) {
	values := url.Values{"url": {sent.Values.Get("url")}}
	if format := sent.Values.Get("format"); format != "" {
		values.Set("format", format)
	}
	var chosen, unnamed []delivery.EventType
	for _, kind := range delivery.EventTypes {
		if slices.Contains(sent.Values["events"], string(kind)) {
			chosen = append(chosen, kind)
		}
		if !delivery.OnlyWhenNamed(kind) {
			unnamed = append(unnamed, kind)
		}
	}
	return form.Decode(form.FromValues(values, nil), func(f *form.Form) webhook.Target {
		target := pages.config.Webhooks.ReadTarget(f)
		if len(chosen) == 0 {
			f.Fault("events", anyType)
		}
		if !slices.Equal(chosen, unnamed) {
			target.Events = outbox.FilterOf(chosen)
		}
		return target
	})
}

// newEndpoint asks for the settings of another endpoint.
func (pages *Pages) newEndpoint(s *sheet) (int, []byte, error) {
	form, err := s.form(newEndpointPath)
	if err != nil {
		return 0, nil, err
	}
	setTypes(form, "")
	return s.showNewEndpoint(form, http.StatusOK)
}

func (s *sheet) showNewEndpoint(form *page.Form, status int) (int, []byte, error) {
	return s.show(leaf{
		template: "portal-webhook-new", title: s.Text("portal.hook.add"), data: endpointForm{s, form, "portal.hook.add"},
		status: status, back: &page.Link{Text: s.Text("portal.hooks"), Path: s.Link(webhooksPath)},
	})
}

// addEndpoint adds an endpoint and shows its page with the secret.
func (pages *Pages) addEndpoint(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	target, err := pages.readTarget(sent)
	if err == nil {
		var added webhook.Settings
		if added, err = pages.config.Webhooks.Add(s.Context(), s.Account, webhook.Signed{}, target); err == nil {
			return pages.withSecret(s, added.Key(), added.Secret)
		}
	}
	if !sent.Refuse(err, s.Language) {
		return 0, nil, err
	}
	return s.showNewEndpoint(sent, http.StatusUnprocessableEntity)
}

// refuseEndpoint shows the page again with what was wrong.
func (pages *Pages) refuseEndpoint(s *sheet, sent *page.Form, why error) (int, []byte, error) {
	if !sent.Refuse(why, s.Language) {
		return 0, nil, why
	}
	view, err := pages.webhooksOf(s, s.endpoint(), nil)
	if err != nil {
		return 0, nil, err
	}
	view.Set = sent
	return view.show(http.StatusUnprocessableEntity)
}

// switchEndpoint enables or disables the endpoint.
func (pages *Pages) switchEndpoint(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	enabled, message := sent.Values.Get("enabled") != "", "portal.hook.switched.off"
	if enabled {
		message = "portal.hook.switched.on"
	}
	_, err = pages.config.Webhooks.Edit(s.Context(), s.endpoint(), webhook.Signed{}, webhook.Edit{Enabled: &enabled})
	if err != nil {
		return s.unlessGone(err)
	}
	return s.toWebhooks(message)
}

func (pages *Pages) removeEndpoint(s *sheet) (int, []byte, error) {
	if err := pages.config.Webhooks.Remove(s.Context(), s.endpoint(), webhook.Signed{}); err != nil {
		return s.unlessGone(err)
	}
	return s.LeadTo(s.Link(webhooksPath), page.Flash{Key: "portal.hook.removed"})
}

func (pages *Pages) rotateSecret(s *sheet) (int, []byte, error) {
	rotated, err := pages.config.Webhooks.Rotate(s.Context(), s.endpoint(), webhook.Signed{})
	if err != nil {
		return s.unlessGone(err)
	}
	return pages.withSecret(s, s.endpoint(), rotated.Secret)
}

func (pages *Pages) activateSecret(s *sheet) (int, []byte, error) {
	if _, err := pages.config.Webhooks.Activate(s.Context(), s.endpoint(), webhook.Signed{}); err != nil {
		return s.unlessGone(err)
	}
	return s.toWebhooks("portal.hook.activated")
}

// testEndpoint sends a test event, and says what came of it. The event is not stored, so
// that there is no page of it.
func (pages *Pages) testEndpoint(s *sheet) (int, []byte, error) {
	tested, err := pages.config.Webhooks.Test(s.Context(), s.endpoint())
	if err != nil {
		return s.unlessGone(err)
	}
	message := page.Flash{Key: "portal.hook.tested", Danger: !tested.Delivered(), Arguments: []string{
		"event", tested.EventID, "ms", s.Language.Number(
			int(tested.Took.Milliseconds()),
		), "status", strconv.Itoa(tested.Status), "error", tested.Problem,
	}}
	switch {
	case tested.Status == 0:
		message.Key = "portal.hook.tested.error"
	case message.Danger:
		message.Key = "portal.hook.tested.refused"
	}
	return s.LeadTo(s.Link(webhooksPath, "endpoint", s.endpoint().EndpointID), message)
}

// sinceLayout is how a browser writes a time that has no zone.
const sinceLayout = "2006-01-02T15:04"

var sinceRule = form.Define("local_time", "a time such as "+sinceLayout)

// redeliverSince sends the events of a filter again, from a time or a cursor on.
func (pages *Pages) redeliverSince(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	selected := eventFilterOf(s.endpoint(), sent.Values)
	filter, err := pages.selected(s, selected)
	if err != nil {
		return 0, nil, err
	}
	if filter.After, err = redeliveryStart(sent.Values); err != nil {
		return pages.refuseRedelivery(s, sent, err)
	}
	count, next, err := pages.config.Webhooks.RedeliverSince(s.Context(), filter)
	if err != nil {
		return s.unlessGone(err)
	}
	message := page.Flash{Key: "portal.hook.redelivered", Arguments: []string{"count", s.Language.Number(count)}}
	if next != "" {
		message.Key = "portal.hook.redelivered.part"
	}
	return s.LeadTo(s.Link(webhooksPath, selected.parameters("after", next)...), message)
}

// redeliveryStart returns the id of the event behind which a redelivery begins.
func redeliveryStart(values url.Values) (string, error) {
	if cursor := eventCursor(values, "after"); cursor != "" {
		return cursor, nil
	}
	text := values.Get("since")
	zoned := text + "Z"
	if len(text) == len(sinceLayout) {
		zoned = text + ":00Z"
	}
	since, ok := timestamp.Parse(zoned)
	if !ok {
		return "", form.Fault("since", text, sinceRule)
	}
	return identifier.FirstUUID(since), nil
}

// refuseRedelivery shows the page again with what was wrong.
func (pages *Pages) refuseRedelivery(s *sheet, sent *page.Form, why error) (int, []byte, error) {
	if !sent.Refuse(why, s.Language) {
		return 0, nil, why
	}
	view, err := pages.webhooksOf(s.on(webhooksPath), s.endpoint(), sent.Values)
	if err != nil {
		return 0, nil, err
	}
	view.Log.Redelivery = sent
	return view.show(http.StatusUnprocessableEntity)
}
