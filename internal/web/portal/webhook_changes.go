package portal

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/webhook"
)

// toWebhooks leads to the page of webhooks, which shows a message.
func (s *sheet) toWebhooks(key string) (int, []byte, error) {
	return s.LeadTo(s.Link(webhooksPath), page.Flash{Key: key})
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
func (pages *Pages) withSecret(s *sheet, secret string) (int, []byte, error) {
	view, err := pages.webhooksOf(s.on(webhooksPath), nil)
	if err != nil {
		return 0, nil, err
	}
	view.Secret = secret
	return view.show(0)
}

// setEndpoint sets the address of the endpoint. A new endpoint gets a secret, which the
// page shows once. One that the service has disabled is enabled, and one that the partner
// has disabled is not.
func (pages *Pages) setEndpoint(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	before, err := pages.config.Webhooks.Get(s.Context(), webhook.KeyOf(s.Account, ""))
	if err != nil && !refusal.HasCode(err, refusal.CodeNotFound) {
		return 0, nil, err
	}
	if sent.Version != versionOfEndpoint(before) {
		return s.Stale(s.Link(webhooksPath))
	}
	enabled := before.Endpoint == nil || before.Enabled || before.DisabledReason != ""
	put, isNew, err := pages.putEndpoint(s, sent.Values.Get("url"), enabled)
	switch {
	case err != nil:
		return pages.refuseEndpoint(s, sent, err)
	case isNew:
		return pages.withSecret(s, put.Secret)
	default:
		return s.toWebhooks("portal.hook.changed")
	}
}

func (pages *Pages) putEndpoint(s *sheet, address string, enabled bool) (webhook.Settings, bool, error) {
	values := url.Values{"url": {address}, "enabled": {strconv.FormatBool(enabled)}}
	target, err := form.Decode(form.FromValues(values, nil), pages.config.Webhooks.ReadTarget)
	if err != nil {
		return webhook.Settings{}, false, err
	}
	return pages.config.Webhooks.Put(s.Context(), s.Account, webhook.Signed{}, target)
}

// refuseEndpoint shows the page again with what was wrong.
func (pages *Pages) refuseEndpoint(s *sheet, sent *page.Form, why error) (int, []byte, error) {
	if !sent.Refuse(why, s.Language) {
		return 0, nil, why
	}
	view, err := pages.webhooksOf(s, nil)
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
	found, err := pages.config.Webhooks.Get(s.Context(), webhook.KeyOf(s.Account, ""))
	if err != nil {
		return s.unlessGone(err)
	}
	enabled, message := sent.Values.Get("enabled") != "", "portal.hook.switched.off"
	if enabled {
		message = "portal.hook.switched.on"
	}
	if _, _, err := pages.putEndpoint(s, found.URL, enabled); err != nil {
		return 0, nil, err
	}
	return s.toWebhooks(message)
}

func (pages *Pages) removeEndpoint(s *sheet) (int, []byte, error) {
	if err := pages.config.Webhooks.Remove(s.Context(), webhook.KeyOf(s.Account, ""), webhook.Signed{}); err != nil {
		return s.unlessGone(err)
	}
	return s.toWebhooks("portal.hook.removed")
}

func (pages *Pages) rotateSecret(s *sheet) (int, []byte, error) {
	rotated, err := pages.config.Webhooks.Rotate(s.Context(), webhook.KeyOf(s.Account, ""), webhook.Signed{})
	if err != nil {
		return s.unlessGone(err)
	}
	return pages.withSecret(s, rotated.Secret)
}

func (pages *Pages) activateSecret(s *sheet) (int, []byte, error) {
	if _, err := pages.config.Webhooks.Activate(s.Context(), webhook.KeyOf(s.Account, ""), webhook.Signed{}); err != nil {
		return s.unlessGone(err)
	}
	return s.toWebhooks("portal.hook.activated")
}

// testEndpoint sends a test event, and says what came of it. The event is not stored, so
// that there is no page of it.
func (pages *Pages) testEndpoint(s *sheet) (int, []byte, error) {
	tested, err := pages.config.Webhooks.Test(s.Context(), webhook.KeyOf(s.Account, ""))
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
	return s.LeadTo(s.Link(webhooksPath), message)
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
	selected := eventFilterOf(sent.Values)
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
	view, err := pages.webhooksOf(s.on(webhooksPath), sent.Values)
	if err != nil {
		return 0, nil, err
	}
	view.Log.Redelivery = sent
	return view.show(http.StatusUnprocessableEntity)
}
