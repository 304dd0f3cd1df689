package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// FeedEvent is an event of the feed.
type FeedEvent struct {
	EventID   string `json:"event_id"`
	Body      string `json:"body"`      // byte for byte the body of the webhook; see ParseEvent
	Signature string `json:"signature"` // Drop-Signature of Body under the API key's secret
}

// Feed follows a partner's events on a machine that webhooks cannot reach, such as a
// developer's. It needs no endpoint, and acknowledges nothing. Only one goroutine may
// use a Feed.
//
//	feed, err := c.Feed(ctx, time.Time{})
//	…
//	for event, err := range feed.Events(ctx) {
//		…
//	}
type Feed struct {
	// OnDisconnect is called once when the service can no longer be reached, and
	// OnReconnect when it can be reached again. Both may be nil.
	OnDisconnect func(error)
	OnReconnect  func()

	client  Client
	cursor  string
	floor   string              // events up to this id are passed over
	seen    map[string]struct{} // the ids of events after floor that were returned
	pending []checkedEvent      // the events to return next
	polled  time.Time           // when the service was asked last
}

// ErrForged is the error of an event whose signature is not that of its body, or
// whose body is that of another event. The event must not be trusted.
var ErrForged = errors.New("the event is not signed by the service")

const (
	// feedWait is how long the service may wait for an event before it answers.
	feedWait = 20 * time.Second
	// feedInterval is the least time between two requests. They count towards the
	// partner's rate limit, most of which must be left however many events there are.
	feedInterval = time.Second
	// firstPause is the pause after the first failure, and maxPause the longest.
	firstPause = 250 * time.Millisecond
	maxPause   = 15 * time.Second
	// feedMemory is how long the ids of events are remembered. The service repeats
	// events that are up to 30 s older than the last one.
	feedMemory = 10 * time.Minute
)

// Feed starts to follow events: those since a time, or, if that is zero, those
// from now on. It asks the service once, and fails if there is no answer or a
// refusal.
func (c *Client) Feed(ctx context.Context, since time.Time) (*Feed, error) {
	f := &Feed{client: *c, seen: map[string]struct{}{}}
	f.client.RetryDelays = nil // poll retries itself
	if !since.IsZero() {
		f.floor = firstID(since)
		f.cursor = f.floor
	}
	if err := f.ask(ctx, 0); err != nil {
		return nil, err
	}
	if since.IsZero() {
		f.floor = f.cursor // the service will repeat events from before it
		for _, e := range f.pending {
			f.floor = min(f.floor, e.EventID)
		}
	}
	return f, nil
}

// Events iterates over the events, each once, those of one order in their sequence,
// until ctx ends or the loop is left. When the service cannot be reached it tries
// again, at longer and longer intervals, and continues where it was.
//
// The error is ErrForged for an event that must not be trusted; then the loop may
// continue. Any other error is the last value: a *Error, or that of ctx.
func (f *Feed) Events(ctx context.Context) iter.Seq2[FeedEvent, error] {
	return func(yield func(FeedEvent, error) bool) {
		for {
			for len(f.pending) > 0 {
				next := f.pending[0]
				f.pending = f.pending[1:]
				if !yield(next.FeedEvent, next.err) {
					return
				}
			}
			if err := f.poll(ctx); err != nil {
				yield(FeedEvent{}, err)
				return
			}
		}
	}
}

// checkedEvent is an event whose signature was verified.
type checkedEvent struct {
	FeedEvent
	subject  string // what the sequence counts the events of: an order or product, or only itself
	sequence int64
	err      error // ErrForged, or nil
}

// check verifies an event and reads its order and sequence.
func (f *Feed) check(e FeedEvent) checkedEvent {
	if !VerifyDropSignature(f.client.SecretKey, []byte(e.Body), e.Signature) {
		return checkedEvent{FeedEvent: e, err: ErrForged}
	}
	body, err := ParseEvent([]byte(e.Body))
	if err != nil || body.ID != e.EventID {
		return checkedEvent{FeedEvent: e, err: ErrForged}
	}
	return checkedEvent{FeedEvent: e, subject: subjectOf(body), sequence: body.Sequence}
}

// subjectOf returns what the sequence of an event counts the events of: its order or product, or only itself.
func subjectOf(e *Event) string {
	switch data := e.Data.(type) {
	case *StockLow:
		return fmt.Sprint("product ", data.ProductID)
	case *StockChanged:
		return fmt.Sprint("product ", data.ProductID)
	}
	return cmp.Or(e.OrderID(), e.ID)
}

// poll asks the service until there is an answer, or an error that asking again
// would not change.
func (f *Feed) poll(ctx context.Context) error {
	pause := time.Until(f.polled.Add(feedInterval))
	for failures := 0; ; failures++ {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		err := f.ask(ctx, feedWait)
		switch {
		case err == nil:
			if failures > 0 && f.OnReconnect != nil {
				f.OnReconnect()
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isFinal(err):
			return err
		}
		if failures == 0 && f.OnDisconnect != nil {
			f.OnDisconnect(err)
		}
		pause = backOff(failures, err)
	}
}

// isFinal reports whether an error is a refusal that asking again would not change.
func isFinal(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Status < 500 && refused.Status != http.StatusTooManyRequests
}

// backOff returns how long to wait after a number of failures: twice as long each
// time, with some jitter so that many clients do not return simultaneously, and at
// least as long as the service asks for.
func backOff(failures int, err error) time.Duration {
	pause := maxPause
	if failures < 6 {
		pause = min(firstPause<<failures, maxPause)
	}
	pause = time.Duration(float64(pause) * (0.8 + 0.4*rand.Float64()))
	var refused *Error
	if errors.As(err, &refused) {
		pause = max(pause, refused.RetryAfter)
	}
	return pause
}

// ask asks the service once, and adds the new events to pending.
func (f *Feed) ask(ctx context.Context, wait time.Duration) error {
	f.polled = time.Now()
	page, err := f.client.ReadFeed(ctx, FeedQuery{After: f.cursor, Wait: int(wait / time.Second)})
	if err != nil {
		return err
	}
	if page.Cursor == "" { // not final: it may be the answer of a proxy
		return fmt.Errorf("the answer of %s is not that of the service", f.client.BaseURL)
	}
	fresh := f.filter(page.Events)
	sortByOrder(fresh)
	f.pending = append(f.pending, fresh...)
	f.cursor = page.Cursor
	f.forget()
	return nil
}

// filter returns the events that are new. The service repeats the last events in every
// answer, because while it is upgraded an event may be stored later than others with
// greater ids.
func (f *Feed) filter(events []FeedEvent) (fresh []checkedEvent) {
	for _, event := range events {
		if event.EventID <= f.floor {
			continue
		}
		checked := f.check(event)
		id := event.EventID
		if checked.err != nil {
			id += " forged" // so that the genuine event with this id is still new
		}
		if _, known := f.seen[id]; !known {
			f.seen[id] = struct{}{}
			fresh = append(fresh, checked)
		}
	}
	return fresh
}

// sortByOrder sorts the events of each order, and of each product, by their sequence, among the places
// that these events have. The order of the ids of older releases may differ, because
// they hold milliseconds by the clocks of several nodes.
func sortByOrder(events []checkedEvent) {
	places := map[string][]int{}
	for i, e := range events {
		if e.err == nil {
			places[e.subject] = append(places[e.subject], i)
		}
	}
	for _, at := range places {
		sorted := make([]checkedEvent, len(at))
		for i, place := range at {
			sorted[i] = events[place]
		}
		slices.SortStableFunc(sorted, func(a, b checkedEvent) int { return cmp.Compare(a.sequence, b.sequence) })
		for i, place := range at {
			events[place] = sorted[i]
		}
	}
}

// forget raises floor to events that the service no longer repeats, and removes the
// ids before it from seen.
func (f *Feed) forget() {
	at, ok := idTime(f.cursor)
	if !ok {
		return
	}
	old := firstID(at.Add(-feedMemory))
	if old <= f.floor {
		return
	}
	f.floor = old
	for id := range f.seen {
		if id < old {
			delete(f.seen, id)
		}
	}
}

// firstID returns the smallest id that an event at or after a time can have. Ids are
// UUIDs of version 7 (RFC 9562), which begin with milliseconds since 1970.
func firstID(at time.Time) string {
	ms := fmt.Sprintf("%012x", max(at.UnixMilli(), 0))
	return ms[:8] + "-" + ms[8:] + "-7000-8000-000000000000"
}

// idTime returns the time in an event's id. It is false if there is none.
func idTime(id string) (at time.Time, ok bool) {
	const timeLength = 13
	if len(id) < timeLength || id[8] != '-' {
		return at, false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:timeLength], 16, 64)
	return time.UnixMilli(ms), err == nil
}
