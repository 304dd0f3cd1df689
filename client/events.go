package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// EventRecord is an event in the log of the service, where all events of your orders
// are, whether there was an endpoint or not.
type EventRecord struct {
	EventID  string     `json:"event_id"`
	Type     EventType  `json:"type"`
	OrderID  string     `json:"order_id,omitempty"` // empty for an event that is about no order
	Sequence int64      `json:"sequence"`           // numbers the events of an order, from 1
	State    EventState `json:"state"`              // at the first endpoint
	Attempts int        `json:"attempts"`           // how many are in the log
	// NextAttemptAt is when the event is due. It is zero if the event is not pending, or
	// waits for an earlier event of its order.
	NextAttemptAt time.Time `json:"next_attempt_at,omitzero"`
	CreatedAt     time.Time `json:"created_at"`
	LiveMode      bool      `json:"livemode"` // false for an order in test mode
	// Deliveries has how far the event has come at the endpoints behind the first that take it.
	Deliveries []EndpointDelivery `json:"deliveries"`
}

// EndpointDelivery is how far an event has come at an endpoint.
type EndpointDelivery struct {
	EndpointID    string     `json:"endpoint_id"`
	State         EventState `json:"state"`
	Attempts      int        `json:"attempts"` // how many are in the log
	NextAttemptAt time.Time  `json:"next_attempt_at,omitzero"`
	// AttemptLog has the last 100 attempts, oldest first. GetEvent fills it.
	AttemptLog []Attempt `json:"attempt_log,omitempty"`
}

// EventDetail is an event with its body and its attempts.
type EventDetail struct {
	EventRecord
	Body       string    `json:"body"`        // as it is sent, byte for byte; see [ParseEvent]
	AttemptLog []Attempt `json:"attempt_log"` // the last 100 attempts, oldest first
}

// Attempt is an attempt to deliver an event.
type Attempt struct {
	AttemptedAt time.Time `json:"attempted_at"`
	Delivered   bool      `json:"delivered"`
	StatusCode  int       `json:"status_code,omitempty"` // of the endpoint's answer; 0 if there was none
	DurationMS  int64     `json:"duration_ms"`           // milliseconds
	Error       string    `json:"error,omitempty"`       // why there was no answer; empty if there was one
}

// EventList is a page of events.
type EventList struct {
	Events     []EventRecord `json:"events"`
	NextCursor string        `json:"next_cursor,omitempty"` // empty on the last page
}

// EventQuery chooses events. Zero fields do not restrict.
type EventQuery struct {
	Type    EventType  `query:"type"`
	OrderID string     `query:"order_id"`
	State   EventState `query:"state"`
	// EndpointID chooses what has been, or is to be, sent to an endpoint, by its state there.
	EndpointID string `query:"endpoint_id"`
	Limit      int    `query:"limit"`  // the most events of a page, 1 to 500; 50 if it is 0
	Cursor     string `query:"cursor"` // the NextCursor of the previous page
}

// ListEvents returns a page of events, newest first.
func (c *Client) ListEvents(ctx context.Context, q EventQuery, options ...CallOption) (*EventList, error) {
	return fetch[EventList](ctx, c, operation{method: http.MethodGet, path: "/v1/webhooks/events", query: queryOf(q)},
		options)
}

// Events iterates over events, newest first, from the page that the query begins with.
// To follow new events, see [Client.Feed]. An error is the last value.
func (c *Client) Events(ctx context.Context, q EventQuery, options ...CallOption) iter.Seq2[EventRecord, error] {
	return pages(q, func(q *EventQuery) ([]EventRecord, bool, error) {
		page, err := c.ListEvents(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Events, q.Cursor != "", nil
	})
}

// GetEvent returns an event, its body and the attempts to deliver it.
func (c *Client) GetEvent(ctx context.Context, eventID string, options ...CallOption) (*EventDetail, error) {
	return fetch[EventDetail](ctx, c, operation{method: http.MethodGet, path: "/v1/webhooks/events/{id}", id: eventID},
		options)
}

// RedeliverEvent sends an event in any state to the first endpoint again, with the same id and bytes, and with
// ten new attempts.
func (c *Client) RedeliverEvent(ctx context.Context, eventID string, options ...CallOption) (*EventRecord, error) {
	return c.RedeliverEventTo(ctx, eventID, EndpointQuery{}, options...)
}

// RedeliverEventTo sends an event to an endpoint, also one that it was never sent to.
func (c *Client) RedeliverEventTo(
	ctx context.Context, eventID string, q EndpointQuery, options ...CallOption,
) (*EventRecord, error) {
	return fetch[EventRecord](ctx, c, operation{
		method: http.MethodPost, path: "/v1/webhooks/events/{id}/redeliver", id: eventID, query: queryOf(q), safe: true,
	}, options)
}

// RedeliverRequest chooses events to send again. Since or Cursor is required; if both are
// set, the cursor is used. Events that have been delivered are among them unless State
// excludes them.
type RedeliverRequest struct {
	Since      time.Time  `json:"since,omitzero"`   // events from this time on
	Cursor     string     `json:"cursor,omitempty"` // the NextCursor of an earlier answer
	Type       EventType  `json:"type,omitempty"`
	State      EventState `json:"state,omitempty"`
	EndpointID string     `json:"endpoint_id,omitempty"` // the first endpoint if it is empty
}

// Redelivered is how many events are sent again.
type Redelivered struct {
	Redelivered int64  `json:"redelivered"`
	NextCursor  string `json:"next_cursor,omitempty"` // empty if there are no more events
}

// RedeliverEvents sends up to 10,000 events again, oldest first.
func (c *Client) RedeliverEvents(
	ctx context.Context, events RedeliverRequest, options ...CallOption,
) (*Redelivered, error) {
	return fetch[Redelivered](ctx, c,
		operation{method: http.MethodPost, path: "/v1/webhooks/redeliver", body: events, safe: true}, options)
}

// FeedQuery says which events of the feed to read.
type FeedQuery struct {
	After string `query:"after"` // the Cursor of the previous answer; if it is empty, the feed begins now
	Limit int    `query:"limit"` // the most events, 1 to 500; 500 if it is 0
	Wait  int    `query:"wait"`  // how many seconds to wait for a new event if there is none, 0 to 20
}

// EventFeed is new events, oldest first.
type EventFeed struct {
	Events []FeedEvent `json:"events"`
	Cursor string      `json:"cursor"` // for FeedQuery.After
}

// ReadFeed reads the feed once. An event may be returned again by the next call, and its
// signature is not verified; [Client.Feed] takes care of both.
func (c *Client) ReadFeed(ctx context.Context, q FeedQuery, options ...CallOption) (*EventFeed, error) {
	return fetch[EventFeed](ctx, c, operation{method: http.MethodGet, path: "/v1/webhooks/feed", query: queryOf(q)},
		options)
}
