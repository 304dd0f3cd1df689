package api

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/webhook"
)

// The bounds of the parameter limit of event lists.
const (
	defaultEvents = 50
	maxEvents     = 500
	// maxFeedWait is how long a feed may wait for a new event, in seconds.
	maxFeedWait = 20
)

type endpointAnswer struct {
	URL            string     `json:"url"`
	Enabled        bool       `json:"enabled"`
	CreatedAt      time.Time  `json:"created_at"`
	DisabledReason *string    `json:"disabled_reason"` // null unless the service disabled it
	SecretRotates  *time.Time `json:"secret_rotates_at"`
	LiveMode       bool       `json:"livemode"`
	Secret         string     `json:"secret,omitzero"` // only when it is made
}

func (s *Server) endpoint(c *call, e webhook.Settings) endpointAnswer {
	return endpointAnswer{
		URL: e.URL, Enabled: e.Enabled, CreatedAt: e.CreatedAt, DisabledReason: orNull(e.DisabledReason),
		SecretRotates: orNull(e.Rotates(s.config.Now())), LiveMode: !delivery.IsTest(c.partnerID), Secret: e.Secret,
	}
}

// orNull returns nil for the zero value, which is null in JSON.
func orNull[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

func (s *Server) handleEndpointGet(c *call) (reply, error) {
	found, err := s.config.Webhooks.Get(c.Context(), c.partnerID)
	if err != nil {
		return reply{}, err
	}
	return ok(s.endpoint(c, found))
}

func (s *Server) handleEndpointPut(c *call) (reply, error) {
	target, err := decode(c, s.config.Webhooks.ReadTarget)
	if err != nil {
		return reply{}, err
	}
	put, isNew, err := s.config.Webhooks.Put(c.Context(), c.partnerID, c.signed(), target)
	if err != nil {
		return reply{}, err
	}
	if isNew {
		return created(s.endpoint(c, put))
	}
	return ok(s.endpoint(c, put))
}

func (s *Server) handleEndpointDelete(c *call) (reply, error) {
	if err := s.config.Webhooks.Remove(c.Context(), c.partnerID, c.signed()); err != nil {
		return reply{}, err
	}
	return ok(struct {
		Deleted bool `json:"deleted"`
	}{true})
}

func (s *Server) handleSecretRotate(c *call) (reply, error) {
	return s.changedSecret(c, s.config.Webhooks.Rotate)
}

func (s *Server) handleSecretActivate(c *call) (reply, error) {
	return s.changedSecret(c, s.config.Webhooks.Activate)
}

func (s *Server) changedSecret(c *call, change func(context.Context, string, webhook.Signed) (webhook.Settings, error)) (reply, error) {
	changed, err := change(c.Context(), c.partnerID, c.signed())
	if err != nil {
		return reply{}, err
	}
	return ok(s.endpoint(c, changed))
}

type eventAnswer struct {
	EventID       string             `json:"event_id"`
	Type          delivery.EventType `json:"type"`
	OrderID       string             `json:"order_id"`
	Sequence      int64              `json:"sequence"`
	State         outbox.State       `json:"state"`
	Attempts      int                `json:"attempts"`
	NextAttemptAt *time.Time         `json:"next_attempt_at"` // null if none is scheduled
	CreatedAt     time.Time          `json:"created_at"`
	LiveMode      bool               `json:"livemode"`
}

func eventOf(e *webhook.Event) eventAnswer {
	return eventAnswer{
		e.EventID, e.Type, e.OrderID, e.Sequence, e.State, len(e.Log), orNull(e.DueAt), e.CreatedAt, !delivery.IsTest(e.PartnerID),
	}
}

func (s *Server) handleEventList(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	filter := webhook.Filter{
		PartnerID: c.partnerID,
		Type:      delivery.EventType(q.oneOf("type", form.OneOf(delivery.EventTypes...))),
		OrderID:   q.text("order_id"),
		State:     outbox.State(q.oneOf("state", form.OneOf(outbox.States...))),
		Before:    q.oneOf("cursor", eventCursor),
		Limit:     int(q.integer("limit", defaultEvents, 1, maxEvents)),
	}
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	page, err := s.config.Webhooks.List(c.Context(), filter)
	if err != nil {
		return reply{}, err
	}
	events := make([]eventAnswer, len(page.Events))
	for i, e := range page.Events {
		events[i] = eventOf(e)
	}
	return ok(struct {
		Events []eventAnswer `json:"events"`
		Next   string        `json:"next_cursor,omitzero"`
	}{events, page.Next})
}

// eventCursor accepts the id of the last event before a page.
var eventCursor = form.TextRule{Rule: cursorRule, Allows: func(text string) bool {
	_, ok := identifier.UUIDTime(text)
	return ok
}}

type attemptAnswer struct {
	AttemptedAt time.Time `json:"attempted_at"`
	Delivered   bool      `json:"delivered"`
	StatusCode  *int      `json:"status_code"` // null if there was no response
	DurationMS  int64     `json:"duration_ms"`
	Error       *string   `json:"error"` // null if there was a response
}

func (s *Server) handleEventGet(c *call) (reply, error) {
	e, err := s.config.Webhooks.Event(c.Context(), c.partnerID, c.pathID("event_id"))
	if err != nil {
		return reply{}, err
	}
	attempts := make([]attemptAnswer, len(e.Log))
	for i, a := range e.Log {
		attempts[i] = attemptAnswer{a.At, webhook.Answer{Status: a.Status}.Delivered(), orNull(a.Status), a.TookMS, orNull(a.Error)}
	}
	return ok(struct {
		eventAnswer
		Body       string          `json:"body"` // exactly as sent
		AttemptLog []attemptAnswer `json:"attempt_log"`
	}{eventOf(e), string(webhook.Body(&e.Event)), attempts})
}

func (s *Server) handleRedeliver(c *call) (reply, error) {
	e, err := s.config.Webhooks.Redeliver(c.Context(), c.partnerID, c.pathID("event_id"))
	if err != nil {
		return reply{}, err
	}
	return ok(eventOf(e))
}

// readRedelivery reads which events are sent again, from a cursor or a time on.
func readRedelivery(f *form.Form) webhook.Filter {
	cursor := f.Text("cursor", form.Optional, eventCursor)
	since := f.Time("since", form.Presence(cursor == ""))
	return webhook.Filter{
		Type:  delivery.EventType(f.Text("type", form.Optional, form.OneOf(delivery.EventTypes...))),
		State: outbox.State(f.Text("state", form.Optional, form.OneOf(outbox.States...))),
		After: cmp.Or(cursor, identifier.FirstUUID(since)),
	}
}

func (s *Server) handleRedeliverSince(c *call) (reply, error) {
	filter, err := decode(c, readRedelivery)
	if err != nil {
		return reply{}, err
	}
	filter.PartnerID = c.partnerID
	count, next, err := s.config.Webhooks.RedeliverSince(c.Context(), filter)
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		Redelivered int    `json:"redelivered"`
		Next        string `json:"next_cursor,omitzero"`
	}{count, next})
}

type fedEvent struct {
	EventID   string `json:"event_id"`
	Body      string `json:"body"`
	Signature string `json:"signature"` // Drop-Signature under the API key's secret
}

// handleFeed lists events as they happen, for a developer's machine that webhooks
// cannot reach.
func (s *Server) handleFeed(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	filter := webhook.Filter{
		PartnerID: c.partnerID,
		After:     q.oneOf("after", eventCursor),
		Limit:     int(q.integer("limit", maxEvents, 1, maxEvents)),
	}
	seconds := q.integer("wait", 0, 0, maxFeedWait)
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	if seconds > 0 {
		s.watchKey(c)
	}
	found, cursor, err := s.config.Webhooks.Feed(c.Context(), filter, time.Duration(seconds)*time.Second)
	if err != nil {
		return reply{}, err
	}
	events := make([]fedEvent, len(found))
	for i, e := range found {
		body := webhook.Body(&e.Event)
		events[i] = fedEvent{e.EventID, string(body), signature.SignEvent(c.secret, body)}
	}
	return ok(struct {
		Events []fedEvent `json:"events"`
		Cursor string     `json:"cursor"` // for the parameter after of the next request
	}{events, cursor})
}

func (s *Server) handleWebhookTest(c *call) (reply, error) {
	tested, err := s.config.Webhooks.Test(c.Context(), c.partnerID)
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		EventID    string  `json:"event_id"`
		Delivered  bool    `json:"delivered"`
		StatusCode *int    `json:"status_code"` // null if there was no response
		DurationMS int64   `json:"duration_ms"`
		Error      *string `json:"error"` // null if there was a response
	}{tested.EventID, tested.Delivered(), orNull(tested.Status), tested.Took.Milliseconds(), orNull(tested.Problem)})
}
