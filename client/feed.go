package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// FeedEvent is an event as the feed tells it.
type FeedEvent struct {
	EventID   string `json:"event_id"`
	Body      string `json:"body"`      // exactly as webhooks carry it
	Signature string `json:"signature"` // Drop-Signature of Body under the API key's secret
}

// Feed follows a partner's events without an address of its own that webhooks
// could reach, such as on a developer's machine. It needs no endpoint, and
// acknowledges nothing. A Feed is for one goroutine.
//
//	feed, err := c.Feed(ctx, time.Time{})
//	…
//	for event, err := range feed.Events(ctx) {
//		…
//	}
type Feed struct {
	// Lost is called when the service cannot be reached any more, once for each
	// time; Back when it can be again. Both may be nil.
	Lost func(error)
	Back func()

	client  Client
	cursor  string
	floor   string              // events up to it are not ours, or forgotten
	seen    map[string]struct{} // those beyond it
	pending []fedEvent
	polled  time.Time
}

// ErrForged comes with an event whose signature does not fit its body, or whose
// body is another event's. It is not to be believed.
var ErrForged = errors.New("the event is not signed by the service")

const (
	// feedWait is how long the service may wait with its answer for news.
	feedWait = 20 * time.Second
	// feedEvery is how often it is asked at most: each time counts for the
	// partner's rate limit, and a lively feed must leave most of that.
	feedEvery = time.Second
	// The pause after the first failure, and the longest.
	firstPause = 250 * time.Millisecond
	maxPause   = 15 * time.Second
	// feedMemory is for how long events are remembered, by their ids. The
	// service tells again what is 30 s older than the last at most.
	feedMemory = 10 * time.Minute
)

// Feed begins to follow events: those since a time, or, if that is zero, those
// that happen from now on. It asks the service once, and fails if there is no
// answer or a refusal.
func (c *Client) Feed(ctx context.Context, since time.Time) (*Feed, error) {
	f := &Feed{client: *c, seen: map[string]struct{}{}}
	f.client.Pauses = nil // it knows better
	if !since.IsZero() {
		f.floor = firstID(since)
		f.cursor = f.floor
	}
	if err := f.ask(ctx, 0); err != nil {
		return nil, err
	}
	if since.IsZero() {
		f.floor = f.cursor // what was before it will be told for a while
		for _, e := range f.pending {
			f.floor = min(f.floor, e.EventID)
		}
	}
	return f, nil
}

// Events gives every event once, those of one order in their sequence, for as
// long as ctx and the loop last. When the service cannot be reached it tries
// again, at longer and longer intervals, and goes on where it was.
//
// The error is ErrForged for an event that is not to be believed, and the loop
// may go on. Any other is the last: a *RefusalError, or that of ctx.
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

// fedEvent is an event with what its body says of its place.
type fedEvent struct {
	FeedEvent
	orderID  string
	sequence int64
	err      error // ErrForged for one not to be believed
}

// check holds an event against its signature.
func (f *Feed) check(e FeedEvent) fedEvent {
	var body Event
	if !VerifyEvent(f.client.SecretKey, []byte(e.Body), e.Signature) ||
		json.Unmarshal([]byte(e.Body), &body) != nil || body.ID != e.EventID {
		return fedEvent{FeedEvent: e, err: ErrForged}
	}
	return fedEvent{FeedEvent: e, orderID: body.OrderID(), sequence: body.Sequence}
}

// poll asks until there is an answer.
func (f *Feed) poll(ctx context.Context) error {
	pause := time.Until(f.polled.Add(feedEvery))
	for failures := 0; ; failures++ {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		err := f.ask(ctx, feedWait)
		switch {
		case err == nil:
			if failures > 0 && f.Back != nil {
				f.Back()
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isFinal(err):
			return err
		}
		if failures == 0 && f.Lost != nil {
			f.Lost(err)
		}
		pause = backOff(failures, err)
	}
}

// isFinal tells whether asking again is of no use.
func isFinal(err error) bool {
	var refused *RefusalError
	return errors.As(err, &refused) && refused.Status < 500 && refused.Status != http.StatusTooManyRequests
}

// backOff is how long to wait after so many failures: twice as long each time,
// a little more or less so that many clients do not return at once, and no less
// than the service asks for.
func backOff(failures int, err error) time.Duration {
	pause := maxPause
	if failures < 6 {
		pause = min(firstPause<<failures, maxPause)
	}
	pause = time.Duration(float64(pause) * (0.8 + 0.4*rand.Float64()))
	var refused *RefusalError
	if errors.As(err, &refused) {
		pause = max(pause, refused.answer.retryAfter())
	}
	return pause
}

// ask asks once, and takes what is new.
func (f *Feed) ask(ctx context.Context, wait time.Duration) error {
	f.polled = time.Now()
	query := url.Values{"wait": {strconv.Itoa(int(wait / time.Second))}}
	if f.cursor != "" {
		query.Set("after", f.cursor)
	}
	answer, err := f.client.CallWithKey(ctx, http.MethodGet, "/v1/webhooks/feed?"+query.Encode(), nil, "")
	if err != nil {
		return err
	}
	if err := answer.Refused(); err != nil {
		return err
	}
	var page struct {
		Events []FeedEvent `json:"events"`
		Cursor string      `json:"cursor"`
	}
	if err := json.Unmarshal(answer.Body, &page); err != nil || page.Cursor == "" {
		return fmt.Errorf("what answers at %s is not the service", f.client.BaseURL) // but perhaps a proxy before it
	}
	fresh := f.take(page.Events)
	inSequence(fresh)
	f.pending = append(f.pending, fresh...)
	f.cursor = page.Cursor
	f.forget()
	return nil
}

// take gives the events that are not known yet: the service tells the last ones
// again each time, since one may be stored a little later than others with
// higher ids.
func (f *Feed) take(told []FeedEvent) (fresh []fedEvent) {
	for _, event := range told {
		if event.EventID <= f.floor {
			continue
		}
		checked := f.check(event)
		id := event.EventID
		if checked.err != nil {
			id += " forged" // so that it does not hide the real one
		}
		if _, known := f.seen[id]; !known {
			f.seen[id] = struct{}{}
			fresh = append(fresh, checked)
		}
	}
	return fresh
}

// inSequence puts the events of each order in their sequence, on the places that
// they have together. Ids alone do not tell it: they are drawn by the
// millisecond, and by the clocks of several nodes.
func inSequence(events []fedEvent) {
	places := map[string][]int{}
	for i, e := range events {
		if e.err == nil {
			places[e.orderID] = append(places[e.orderID], i)
		}
	}
	for _, at := range places {
		sorted := make([]fedEvent, len(at))
		for i, place := range at {
			sorted[i] = events[place]
		}
		slices.SortStableFunc(sorted, func(a, b fedEvent) int { return cmp.Compare(a.sequence, b.sequence) })
		for i, place := range at {
			events[place] = sorted[i]
		}
	}
}

// forget forgets what the service will not tell again, and would not believe it
// if it did.
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

// firstID is the smallest id that an event at or after a time can have. Ids are
// UUIDs of version 7 (RFC 9562): they begin with milliseconds.
func firstID(at time.Time) string {
	ms := fmt.Sprintf("%012x", max(at.UnixMilli(), 0))
	return ms[:8] + "-" + ms[8:] + "-7000-8000-000000000000"
}

func idTime(id string) (at time.Time, ok bool) {
	const timeLength = 13
	if len(id) < timeLength || id[8] != '-' {
		return at, false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:timeLength], 16, 64)
	return time.UnixMilli(ms), err == nil
}
