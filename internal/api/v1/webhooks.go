package v1

import (
	"cmp"
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/webhook"
)

// maxFeedWait is how long a feed may wait for a new event, in seconds.
const maxFeedWait = 20

type endpointAnswer struct {
	EndpointID     string                `json:"endpoint_id"`
	URL            string                `json:"url"`
	Enabled        bool                  `json:"enabled"`
	Events         *[]delivery.EventType `json:"events"` // null for all that are sent unnamed
	Format         string                `json:"format"`
	CreatedAt      time.Time             `json:"created_at"`
	DisabledReason *string               `json:"disabled_reason"` // null unless the service disabled it
	SecretRotates  *time.Time            `json:"secret_rotates_at"`
	LiveMode       bool                  `json:"livemode"`
	Secret         string                `json:"secret,omitzero"` // only when it is made
}

func (s *Server) endpoint(c *httpd.Call, e webhook.Settings) endpointAnswer {
	return endpointAnswer{
		EndpointID: e.ID(), URL: e.URL, Enabled: e.Enabled, Events: typesOrNull(e.Events), Format: e.Format.Name(),
		CreatedAt: e.CreatedAt, DisabledReason: strictjson.OrNull(e.DisabledReason),
		SecretRotates: strictjson.OrNull(e.Rotates(s.config.Now())), LiveMode: !delivery.IsTest(c.Account), Secret: e.Secret,
	}
}

// typesOrNull returns the types that an endpoint takes; nil if it names none.
func typesOrNull(takes outbox.Filter) *[]delivery.EventType {
	if takes == "" {
		return nil
	}
	types := takes.Types()
	return &types
}

// endpointOf returns the endpoint that the path names: the first one where it names none.
func endpointOf(c *httpd.Call) outbox.EndpointKey {
	id := webhook.FirstID
	if strings.Contains(c.Route.Pattern, "{endpoint_id}") {
		id = cmp.Or(c.PathID("endpoint_id"), unknownID)
	}
	return webhook.KeyOf(c.Account, id)
}

// unknownID stands for an id that no endpoint can have.
const unknownID = "unknown"

func (s *Server) handleEndpoints(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Webhooks.Endpoints(c.Context(), c.Account)
	if err != nil {
		return httpd.Reply{}, err
	}
	endpoints := make([]endpointAnswer, len(found))
	for i, e := range found {
		endpoints[i] = s.endpoint(c, webhook.Settings{Endpoint: e})
	}
	return httpd.OK(struct {
		Endpoints []endpointAnswer `json:"endpoints"`
	}{endpoints})
}

func (s *Server) handleEndpointAdd(c *httpd.Call) (httpd.Reply, error) {
	target, err := httpd.Decode(c, s.config.Webhooks.ReadTarget)
	if err != nil {
		return httpd.Reply{}, err
	}
	added, err := s.config.Webhooks.Add(acting(c), c.Account, signed(c), target)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(s.endpoint(c, added))
}

func (s *Server) handleEndpointEdit(c *httpd.Call) (httpd.Reply, error) {
	edit, err := httpd.DecodePatch(c, s.config.Webhooks.ReadEdit)
	if err != nil {
		return httpd.Reply{}, err
	}
	edited, err := s.config.Webhooks.Edit(acting(c), endpointOf(c), signed(c), edit)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.endpoint(c, edited))
}

func (s *Server) handleEndpointGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Webhooks.Get(c.Context(), endpointOf(c))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.endpoint(c, found))
}

func (s *Server) handleEndpointPut(c *httpd.Call) (httpd.Reply, error) {
	target, err := httpd.Decode(c, s.config.Webhooks.ReadTarget)
	if err != nil {
		return httpd.Reply{}, err
	}
	put, isNew, err := s.config.Webhooks.Put(acting(c), c.Account, signed(c), target)
	if err != nil {
		return httpd.Reply{}, err
	}
	if isNew {
		return httpd.Created(s.endpoint(c, put))
	}
	return httpd.OK(s.endpoint(c, put))
}

func (s *Server) handleEndpointDelete(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.Webhooks.Remove(acting(c), endpointOf(c), signed(c)); err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Deleted bool `json:"deleted"`
	}{true})
}

func (s *Server) handleSecretRotate(c *httpd.Call) (httpd.Reply, error) {
	return s.changedSecret(c, s.config.Webhooks.Rotate)
}

func (s *Server) handleSecretActivate(c *httpd.Call) (httpd.Reply, error) {
	return s.changedSecret(c, s.config.Webhooks.Activate)
}

// signed returns how the request was signed; the zero value in a session. Its digest is
// that of the signature without the version, because a request of one version can be
// written as one of the other (see signature.RequestV2).
func signed(c *httpd.Call) webhook.Signed {
	if c.Key == nil {
		return webhook.Signed{}
	}
	_, mac, _ := strings.Cut(c.Header.Get("X-Signature"), "=")
	digest := sha256.Sum256([]byte(mac))
	return webhook.Signed{At: signature.Time(c.Header.Get("X-Timestamp")), Signature: digest[:]}
}

// acting returns the context of a change, which names the API key unless a person has signed in.
func acting(c *httpd.Call) context.Context {
	if c.Key == nil {
		return c.Context()
	}
	return audit.WithOperation(c.Context(), audit.Operation{OperatorID: c.Key.ID, RequestID: c.RequestID})
}

func (s *Server) changedSecret(
	c *httpd.Call, change func(context.Context, outbox.EndpointKey, webhook.Signed) (webhook.Settings, error),
) (httpd.Reply, error) {
	changed, err := change(acting(c), endpointOf(c), signed(c))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.endpoint(c, changed))
}

type eventAnswer struct {
	EventID       string             `json:"event_id"`
	Type          delivery.EventType `json:"type"`
	OrderID       *string            `json:"order_id"` // null for an event that is about no order
	Sequence      int64              `json:"sequence"`
	State         outbox.State       `json:"state"`
	Attempts      int                `json:"attempts"`
	NextAttemptAt *time.Time         `json:"next_attempt_at"` // null if none is scheduled
	CreatedAt     time.Time          `json:"created_at"`
	LiveMode      bool               `json:"livemode"`
	Deliveries    []deliveryAnswer   `json:"deliveries"`
}

// deliveryAnswer is how far an event has come at an endpoint behind the first.
type deliveryAnswer struct {
	EndpointID    string          `json:"endpoint_id"`
	State         outbox.State    `json:"state"`
	Attempts      int             `json:"attempts"`
	NextAttemptAt *time.Time      `json:"next_attempt_at"`      // null if none is scheduled
	AttemptLog    []attemptAnswer `json:"attempt_log,omitzero"` // where a single event is read
}

func eventOf(e *webhook.Event) eventAnswer {
	deliveries := make([]deliveryAnswer, len(e.Further))
	for i, at := range e.Further {
		deliveries[i] = deliveryAnswer{
			EndpointID: at.EndpointID, State: at.State, Attempts: len(at.Log), NextAttemptAt: strictjson.OrNull(at.DueAt),
		}
	}
	return eventAnswer{
		Deliveries: deliveries,
		EventID:    e.EventID, Type: e.Type, OrderID: strictjson.OrNull(e.About()), Sequence: e.Sequence, State: e.State,
		Attempts:      len(e.Log),
		NextAttemptAt: strictjson.OrNull(e.DueAt), CreatedAt: e.CreatedAt, LiveMode: !delivery.IsTest(e.PartnerID),
	}
}

func (s *Server) handleEventList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := webhook.Filter{
		PartnerID:  c.Account,
		EndpointID: webhook.KeyOf(c.Account, q.OneOf("endpoint_id", webhook.IDRule)).EndpointID,
		Type:       delivery.EventType(q.OneOf("type", form.OneOf(delivery.EventTypes...))),
		OrderID:    q.Text("order_id"),
		State:      outbox.State(q.OneOf("state", form.OneOf(outbox.States...))),
		Before:     q.OneOf("cursor", httpd.UUIDCursor),
		Limit:      q.Limit(maxPage),
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.config.Webhooks.List(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	events := make([]eventAnswer, len(page.Events))
	for i, e := range page.Events {
		events[i] = eventOf(e)
	}
	return httpd.OK(struct {
		Events []eventAnswer `json:"events"`
		Next   string        `json:"next_cursor,omitzero"`
	}{events, page.Next})
}

type attemptAnswer struct {
	AttemptedAt time.Time `json:"attempted_at"`
	Delivered   bool      `json:"delivered"`
	StatusCode  *int      `json:"status_code"` // null if there was no response
	DurationMS  int64     `json:"duration_ms"`
	Error       *string   `json:"error"` // null if there was a response
}

func (s *Server) handleEventGet(c *httpd.Call) (httpd.Reply, error) {
	e, err := s.config.Webhooks.Event(c.Context(), c.Account, c.PathID("event_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	answer := eventOf(e)
	for i, at := range e.Further {
		answer.Deliveries[i].AttemptLog = attemptsOf(at)
	}
	return httpd.OK(struct {
		eventAnswer
		Body       string          `json:"body"` // exactly as sent
		AttemptLog []attemptAnswer `json:"attempt_log"`
	}{answer, string(webhook.Body(&e.Event)), attemptsOf(e)})
}

func attemptsOf(e *webhook.Event) []attemptAnswer {
	attempts := make([]attemptAnswer, len(e.Log))
	for i, a := range e.Log {
		delivered := webhook.Answer{Status: a.Status}.Delivered()
		attempts[i] = attemptAnswer{a.At, delivered, strictjson.OrNull(a.Status), a.TookMS, strictjson.OrNull(a.Error)}
	}
	return attempts
}

// chosenEndpoint returns the endpoint that the query of a request names; the first one if it names
// none.
func chosenEndpoint(c *httpd.Call) (outbox.EndpointKey, error) {
	q, err := c.Query()
	if err != nil {
		return outbox.EndpointKey{}, err
	}
	return webhook.KeyOf(c.Account, q.OneOf("endpoint_id", webhook.IDRule)), q.Err()
}

func (s *Server) handleRedeliver(c *httpd.Call) (httpd.Reply, error) {
	endpoint, err := chosenEndpoint(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	e, err := s.config.Webhooks.Redeliver(c.Context(), endpoint, c.PathID("event_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, at := eventOf(e), e.At(endpoint.EndpointID)
	answer.State, answer.Attempts, answer.NextAttemptAt = at.State, len(at.Log), strictjson.OrNull(at.DueAt)
	return httpd.OK(answer)
}

// readRedelivery reads which events are sent again, from a cursor or a time on.
func readRedelivery(f *form.Form) webhook.Filter {
	cursor := f.Text("cursor", form.Optional, httpd.UUIDCursor)
	since := f.Time("since", form.Presence(cursor == ""))
	return webhook.Filter{
		Type:  delivery.EventType(f.Text("type", form.Optional, form.OneOf(delivery.EventTypes...))),
		State: outbox.State(f.Text("state", form.Optional, form.OneOf(outbox.States...))),
		After: cmp.Or(cursor, identifier.FirstUUID(since)),

		EndpointID: webhook.KeyOf("", f.Text("endpoint_id", form.Optional, webhook.IDRule)).EndpointID,
	}
}

func (s *Server) handleRedeliverSince(c *httpd.Call) (httpd.Reply, error) {
	filter, err := httpd.Decode(c, readRedelivery)
	if err != nil {
		return httpd.Reply{}, err
	}
	filter.PartnerID = c.Account
	count, next, err := s.config.Webhooks.RedeliverSince(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
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
func (s *Server) handleFeed(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := webhook.Filter{
		PartnerID: c.Account,
		After:     q.OneOf("after", httpd.UUIDCursor),
		Limit:     int(q.Integer("limit", maxPage, 1, maxPage)),
	}
	seconds := q.Integer("wait", 0, 0, maxFeedWait)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if seconds > 0 {
		c.WatchKey()
	}
	found, cursor, err := s.config.Webhooks.Feed(c.Context(), filter, time.Duration(seconds)*time.Second)
	if err != nil {
		return httpd.Reply{}, err
	}
	events := make([]fedEvent, len(found))
	for i, e := range found {
		body := webhook.Body(&e.Event)
		events[i] = fedEvent{e.EventID, string(body), signature.SignEvent(c.Key.Secret, body)}
	}
	return httpd.OK(struct {
		Events []fedEvent `json:"events"`
		Cursor string     `json:"cursor"` // for the parameter after of the next request
	}{events, cursor})
}

func (s *Server) handleWebhookTest(c *httpd.Call) (httpd.Reply, error) {
	endpoint, err := chosenEndpoint(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	tested, err := s.config.Webhooks.Test(c.Context(), endpoint)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		EventID    string  `json:"event_id"`
		Delivered  bool    `json:"delivered"`
		StatusCode *int    `json:"status_code"` // null if there was no response
		DurationMS int64   `json:"duration_ms"`
		Error      *string `json:"error"` // null if there was a response
	}{
		tested.EventID, tested.Delivered(), strictjson.OrNull(tested.Status), tested.Took.Milliseconds(),
		strictjson.OrNull(tested.Problem),
	})
}
