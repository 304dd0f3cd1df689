package client_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/signature"
)

const feedSecret = "sk_feed"

// stream is a service with a feed only. It needs no network, so that it works in a
// bubble.
type stream struct {
	mu     sync.Mutex
	events []client.FeedEvent // by their ids; guarded by mu
	more   chan struct{}      // closed by the next event; guarded by mu
	asked  []time.Time
	// fault, if set, is called before each answer with the number of the request,
	// from 1. If it returns a response, that is the answer; one without a status
	// means that the service cannot be reached.
	fault func(n int) *http.Response
	// everything makes each answer repeat all events, not only those of the last 30 s.
	everything bool
}

// add adds an event of an order at a time.
func (s *stream) add(at time.Time, order string, sequence int, tail byte) client.FeedEvent {
	first := identifier.FirstUUID(at)
	id := fmt.Sprintf("%s%02x", first[:len(first)-2], tail)
	body := fmt.Sprintf(`{"id":%q,"type":"order.accepted","sequence":%d,"data":{"order_id":%q}}`, id, sequence, order)
	event := client.FeedEvent{EventID: id, Body: body, Signature: signature.SignEvent([]byte(feedSecret), []byte(body))}
	s.put(event)
	return event
}

func (s *stream) put(event client.FeedEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event)
	slices.SortStableFunc(s.events, func(a, b client.FeedEvent) int { return strings.Compare(a.EventID, b.EventID) })
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
}

func (s *stream) RoundTrip(request *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, time.Now())
	if s.fault != nil {
		if answer := s.fault(len(s.asked)); answer != nil {
			if answer.StatusCode == 0 {
				return nil, errors.New("no route to host")
			}
			return answer, nil
		}
	}
	query := request.URL.Query()
	now := identifier.FirstUUID(time.Now())
	from, last := now, now
	if at, ok := identifier.UUIDTime(query.Get("after")); ok {
		from, last = identifier.FirstUUID(at.Add(-30*time.Second)), query.Get("after")
	}
	seconds, err := strconv.Atoi(cmp.Or(query.Get("wait"), "0"))
	if err != nil {
		return nil, err
	}
	over := time.After(time.Duration(seconds) * time.Second)
	for {
		events, more := s.after(from)
		if n := len(events); n > 0 && events[n-1].EventID > last {
			return feedPage(events, events[n-1].EventID), nil
		}
		select {
		case <-more:
		case <-over:
			return feedPage(events, last), nil
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
}

// after returns the events after an id, and a channel that is closed when there are
// more.
func (s *stream) after(from string) (events []client.FeedEvent, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if s.everything || e.EventID > from {
			events = append(events, e)
		}
	}
	s.more = make(chan struct{})
	return events, s.more
}

func feedPage(events []client.FeedEvent, cursor string) *http.Response {
	text, err := json.Marshal(map[string]any{"events": events, "cursor": cursor})
	if err != nil {
		panic(err)
	}
	return respond(http.StatusOK, string(text))
}

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// follow starts to follow the feed.
func (s *stream) follow(ctx context.Context, since time.Time) (*client.Feed, error) {
	c := client.New("http://service.test", "pk_feed", feedSecret)
	c.HTTP = &http.Client{Transport: s}
	return c.Feed(ctx, since)
}

// mustFollow is like follow, and fails the test on an error.
func (s *stream) mustFollow(t *testing.T, since time.Time) *client.Feed {
	t.Helper()
	feed, err := s.follow(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	return feed
}

// collect follows the feed for a while, and returns the ids of the events.
func collect(t *testing.T, feed *client.Feed, during time.Duration) (ids []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	for event, err := range feed.Events(ctx) {
		if errors.Is(err, context.DeadlineExceeded) {
			synctest.Wait() // so that functions of later have returned
			return ids
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, event.EventID)
	}
	t.Fatal("the feed ended without an error")
	return nil
}

func checkIDs(t *testing.T, got []string, want ...client.FeedEvent) {
	t.Helper()
	ids := make([]string, len(want))
	for i, e := range want {
		ids[i] = e.EventID
	}
	if !slices.Equal(got, ids) {
		t.Errorf("got events  %q\nwant events %q", got, ids)
	}
}

// later calls a function while a feed is followed.
func later(wait time.Duration, do func()) { time.AfterFunc(wait, do) }

func TestFeedFromNowOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		s.add(now.Add(-time.Second), "ord_1", 1, 1)
		feed := s.mustFollow(t, time.Time{})
		var second, third, late client.FeedEvent
		later(5*time.Second, func() { second = s.add(time.Now(), "ord_1", 2, 2) })
		later(50*time.Second, func() { third = s.add(time.Now(), "ord_1", 3, 3) })
		// An event that is stored later than one with a greater id.
		later(60*time.Second, func() { late = s.add(now.Add(45*time.Second), "ord_2", 1, 4) })
		got := collect(t, feed, 2*time.Minute)
		checkIDs(t, got, second, third, late)
	})
}

func TestFeedSinceATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		s.add(now.Add(-10*time.Minute-time.Millisecond), "ord_1", 1, 1)
		first := s.add(now.Add(-10*time.Minute), "ord_1", 2, 2)
		second := s.add(now.Add(-time.Minute), "ord_1", 3, 3)
		checkIDs(t, collect(t, s.mustFollow(t, now.Add(-10*time.Minute)), time.Minute), first, second)
	})
}

// TestFeedSequence: the events of an order arrive in their sequence, even if their
// ids, from the same millisecond, are in another order.
func TestFeedSequence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		third := s.add(now, "ord_1", 3, 1)
		other := s.add(now, "ord_2", 1, 2)
		first := s.add(now, "ord_1", 1, 3)
		second := s.add(now, "ord_1", 2, 4)
		checkIDs(t, collect(t, s.mustFollow(t, now.Add(-time.Second)), time.Minute), first, other, second, third)
	})
}

// TestFeedWithoutDuplicates: a service that repeats everything does not make the
// feed return events again that it has forgotten.
func TestFeedWithoutDuplicates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := stream{everything: true}
		feed := s.mustFollow(t, time.Time{})
		for i := range 40 {
			later(time.Duration(i+1)*time.Minute, func() { s.add(time.Now(), "ord_1", i+1, byte(i)) })
		}
		got := collect(t, feed, time.Hour)
		checkIDs(t, got, s.events...)
	})
}

// TestFeedSurvivesInterruptions: no event is lost or repeated, and OnDisconnect and
// OnReconnect are called once.
func TestFeedSurvivesInterruptions(t *testing.T) {
	t.Parallel()
	limited := respond(http.StatusTooManyRequests, "")
	limited.Header.Set("Retry-After", "60")
	for name, c := range map[string]struct {
		fault   *http.Response
		atLeast time.Duration // before the second request
	}{
		"unreachable":    {&http.Response{}, 200 * time.Millisecond},
		"503":            {respond(http.StatusServiceUnavailable, "{}"), 200 * time.Millisecond},
		"429":            {limited, time.Minute},
		"a proxy's page": {respond(http.StatusOK, "<html>"), 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s stream
				s.fault = func(n int) *http.Response {
					if n >= 3 && n < 11 {
						return c.fault
					}
					return nil
				}
				feed := s.mustFollow(t, time.Time{})
				disconnects, reconnects := 0, 0
				feed.OnDisconnect = func(error) { disconnects++ }
				feed.OnReconnect = func() { reconnects++ }
				for i := range 100 {
					later(time.Duration(i+1)*700*time.Millisecond, func() { s.add(time.Now(), "ord_1", i+1, 1) })
				}
				got := collect(t, feed, 20*time.Minute)
				checkIDs(t, got, s.events...)
				if disconnects != 1 || reconnects != 1 {
					t.Errorf("got %d disconnects, %d reconnects, want one of each", disconnects, reconnects)
				}
				if waited := s.asked[3].Sub(s.asked[2]); waited < c.atLeast {
					t.Errorf("after the first failure: asked again after %v, want at least %v", waited, c.atLeast)
				}
				if waited := s.asked[10].Sub(s.asked[9]); waited < 10*time.Second {
					t.Errorf("after many failures: asked again after %v, want at least 10s", waited)
				}
			})
		})
	}
}

// TestFeedRequestRate: however many events there are, most of the rate limit is
// left.
func TestFeedRequestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		feed := s.mustFollow(t, time.Time{})
		for i := range 300 {
			later(time.Duration(i)*100*time.Millisecond, func() { s.add(time.Now(), "ord_1", i+1, 1) })
		}
		if got := collect(t, feed, 30*time.Second); len(got) < 290 {
			t.Errorf("got %d events, want at least 290", len(got))
		}
		if len(s.asked) > 32 {
			t.Errorf("got %d requests in half a minute, want at most 32", len(s.asked))
		}
	})
}

// TestFeedForgedEvents: forged events are returned once each, and the genuine event
// with the same id still is.
func TestFeedForgedEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		var other stream
		genuine, another := other.add(now, "ord_1", 1, 1), other.add(now, "ord_1", 2, 2)
		s.put(client.FeedEvent{EventID: genuine.EventID, Body: genuine.Body, Signature: strings.Replace(genuine.Signature,
			"v1=", "v2=", 1)})
		// signed, but as another event
		s.put(client.FeedEvent{EventID: another.EventID, Body: genuine.Body, Signature: genuine.Signature})
		later(30*time.Second, func() { s.put(genuine); s.add(time.Now(), "ord_1", 3, 3) })

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var got []string
		for event, err := range s.mustFollow(t, now.Add(-time.Second)).Events(ctx) {
			if ctx.Err() != nil {
				break
			}
			got = append(got, fmt.Sprintf("%s %v", event.EventID[len(event.EventID)-2:], err))
		}
		want := []string{"01 " + client.ErrForged.Error(), "02 " + client.ErrForged.Error(), "01 <nil>", "03 <nil>"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestFeedEndsWithRefusal: the last error holds the code and message of the service.
func TestFeedEndsWithRefusal(t *testing.T) {
	t.Parallel()
	for _, from := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			var s stream
			s.fault = func(n int) *http.Response {
				if n < from {
					return nil
				}
				return respond(http.StatusUnauthorized, `{"error":{"code":"unauthorized","message":"this key has been revoked"}}`)
			}
			feed, err := s.follow(t.Context(), time.Time{})
			if err == nil {
				for _, err = range feed.Events(t.Context()) {
				}
			}
			var refused *client.Error
			if !errors.As(err, &refused) || refused.Status != 401 || refused.Code != "unauthorized" ||
				!strings.Contains(err.Error(), "this key has been revoked") {
				t.Errorf("got %v, want the refusal of the service", err)
			}
			if len(s.asked) != from {
				t.Errorf("got %d requests, want %d", len(s.asked), from)
			}
		})
	}
}

// TestFeedThatCannotStart fails after one request.
func TestFeedThatCannotStart(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]*http.Response{
		"no route":                {},
		"502 Bad Gateway":         respond(http.StatusBadGateway, "<html>"),
		"not that of the service": respond(http.StatusOK, "<html>"),
	} {
		s := stream{fault: func(int) *http.Response { return answer }}
		if _, err := s.follow(t.Context(), time.Time{}); err == nil || !strings.Contains(err.Error(), want) ||
			len(s.asked) != 1 {
			t.Errorf("got %v after %d requests, want %q in it after one", err, len(s.asked), want)
		}
	}
}

// TestFeedContinuesInASecondLoop: no event is lost when a loop is left and another
// one begun.
func TestFeedContinuesInASecondLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		first, second := s.add(now, "ord_1", 1, 1), s.add(now, "ord_1", 2, 2)
		feed := s.mustFollow(t, now.Add(-time.Second))
		for event, err := range feed.Events(t.Context()) {
			if err != nil || event != first {
				t.Errorf("got %v, %v, want %v", event, err, first)
			}
			break
		}
		checkIDs(t, collect(t, feed, time.Minute), second)
	})
}
