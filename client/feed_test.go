package client_test

import (
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

// stream is a service that has nothing but a feed. It needs no network, so that
// a bubble's clock runs.
type stream struct {
	mu     sync.Mutex
	events []client.FeedEvent // by their ids; guarded by mu
	more   chan struct{}      // closed by the next event; guarded by mu
	asked  []time.Time
	// fault, if any, is asked before each answer.
	fault func(n int) *http.Response
	// everything is told again each time, not only the last 30 s.
	everything bool
}

// add adds an event of an order that happened at a time.
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
	seconds, err := strconv.Atoi(query.Get("wait"))
	if err != nil {
		return nil, err
	}
	over := time.After(time.Duration(seconds) * time.Second)
	for {
		told, more := s.after(from)
		if n := len(told); n > 0 && told[n-1].EventID > last {
			return fed(told, told[n-1].EventID), nil
		}
		select {
		case <-more:
		case <-over:
			return fed(told, last), nil
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
}

// after lists events, and gives what tells when there are more.
func (s *stream) after(from string) (told []client.FeedEvent, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if s.everything || e.EventID > from {
			told = append(told, e)
		}
	}
	s.more = make(chan struct{})
	return told, s.more
}

func fed(events []client.FeedEvent, cursor string) *http.Response {
	text, err := json.Marshal(map[string]any{"events": events, "cursor": cursor})
	if err != nil {
		panic(err)
	}
	return respond(http.StatusOK, string(text))
}

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// follow begins to follow the feed.
func (s *stream) follow(ctx context.Context, since time.Time) (*client.Feed, error) {
	c := client.New("http://service.test", "pk_feed", feedSecret)
	c.HTTP = &http.Client{Transport: s}
	return c.Feed(ctx, since)
}

// followed is follow that must succeed.
func (s *stream) followed(t *testing.T, since time.Time) *client.Feed {
	t.Helper()
	feed, err := s.follow(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	return feed
}

// collect follows for a while, and tells the ids of what came.
func collect(t *testing.T, feed *client.Feed, during time.Duration) (ids []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	for event, err := range feed.Events(ctx) {
		if errors.Is(err, context.DeadlineExceeded) {
			synctest.Wait() // for what happened meanwhile
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
		t.Errorf("got  %q\nwant %q", got, ids)
	}
}

// later does something while a feed is followed.
func later(wait time.Duration, do func()) { time.AfterFunc(wait, do) }

func TestFeedTellsEachEventOnceFromNowOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		s.add(now.Add(-time.Second), "ord_1", 1, 1)
		feed := s.followed(t, time.Time{})
		var second, third, late client.FeedEvent
		later(5*time.Second, func() { second = s.add(time.Now(), "ord_1", 2, 2) })
		later(50*time.Second, func() { third = s.add(time.Now(), "ord_1", 3, 3) })
		// One that is stored later than the one behind it.
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
		checkIDs(t, collect(t, s.followed(t, now.Add(-10*time.Minute)), time.Minute), first, second)
	})
}

// TestFeedKeepsTheSequenceOfAnOrder where ids alone do not: within a
// millisecond.
func TestFeedKeepsTheSequenceOfAnOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		third := s.add(now, "ord_1", 3, 1)
		other := s.add(now, "ord_2", 1, 2)
		first := s.add(now, "ord_1", 1, 3)
		second := s.add(now, "ord_1", 2, 4)
		checkIDs(t, collect(t, s.followed(t, now.Add(-time.Second)), time.Minute), first, other, second, third)
	})
}

// TestFeedForgetsAndYetTellsNothingTwice, even by a service that tells
// everything again.
func TestFeedForgetsAndYetTellsNothingTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := stream{everything: true}
		feed := s.followed(t, time.Time{})
		for i := range 40 {
			later(time.Duration(i+1)*time.Minute, func() { s.add(time.Now(), "ord_1", i+1, byte(i)) })
		}
		got := collect(t, feed, time.Hour)
		checkIDs(t, got, s.events...)
	})
}

// TestFeedSurvivesInterruptions: nothing is lost or told twice, and each is
// reported once.
func TestFeedSurvivesInterruptions(t *testing.T) {
	t.Parallel()
	patient := respond(http.StatusTooManyRequests, "")
	patient.Header.Set("Retry-After", "60")
	for name, c := range map[string]struct {
		fault   *http.Response
		atLeast time.Duration // until it is asked again
	}{
		"unreachable":    {&http.Response{}, 200 * time.Millisecond},
		"503":            {respond(http.StatusServiceUnavailable, "{}"), 200 * time.Millisecond},
		"429":            {patient, time.Minute},
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
				feed := s.followed(t, time.Time{})
				lost, back := 0, 0
				feed.Lost = func(error) { lost++ }
				feed.Back = func() { back++ }
				for i := range 100 {
					later(time.Duration(i+1)*700*time.Millisecond, func() { s.add(time.Now(), "ord_1", i+1, 1) })
				}
				got := collect(t, feed, 20*time.Minute)
				checkIDs(t, got, s.events...)
				if lost != 1 || back != 1 {
					t.Errorf("lost %d times, back %d times", lost, back)
				}
				if waited := s.asked[3].Sub(s.asked[2]); waited < c.atLeast {
					t.Errorf("asked again after %v", waited)
				}
				if waited := s.asked[10].Sub(s.asked[9]); waited < 10*time.Second {
					t.Errorf("after many failures asked again after %v", waited)
				}
			})
		})
	}
}

// TestFeedIsGentle: however much happens, most of the rate limit is left.
func TestFeedIsGentle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		feed := s.followed(t, time.Time{})
		for i := range 300 {
			later(time.Duration(i)*100*time.Millisecond, func() { s.add(time.Now(), "ord_1", i+1, 1) })
		}
		if got := collect(t, feed, 30*time.Second); len(got) < 290 {
			t.Errorf("%d events came", len(got))
		}
		if len(s.asked) > 32 {
			t.Errorf("asked %d times in half a minute", len(s.asked))
		}
	})
}

// TestFeedTellsForgedEvents, once each, and still the real one.
func TestFeedTellsForgedEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		var other stream
		real, another := other.add(now, "ord_1", 1, 1), other.add(now, "ord_1", 2, 2)
		s.put(client.FeedEvent{EventID: real.EventID, Body: real.Body, Signature: strings.Replace(real.Signature, "v1=", "v2=", 1)})
		s.put(client.FeedEvent{EventID: another.EventID, Body: real.Body, Signature: real.Signature}) // signed, but as another event
		later(30*time.Second, func() { s.put(real); s.add(time.Now(), "ord_1", 3, 3) })

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var got []string
		for event, err := range s.followed(t, now.Add(-time.Second)).Events(ctx) {
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

// TestFeedEndsWithARefusal, with the service's words.
func TestFeedEndsWithARefusal(t *testing.T) {
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
			var refused *client.RefusalError
			if !errors.As(err, &refused) || refused.Status != 401 || refused.Code != "unauthorized" || !strings.Contains(err.Error(), "this key has been revoked") {
				t.Errorf("got %v", err)
			}
			if len(s.asked) != from {
				t.Errorf("asked %d times", len(s.asked))
			}
		})
	}
}

// TestFeedThatCannotBegin says so at once.
func TestFeedThatCannotBegin(t *testing.T) {
	t.Parallel()
	for told, answer := range map[string]*http.Response{
		"no route":           {},
		"502 Bad Gateway":    respond(http.StatusBadGateway, "<html>"),
		"is not the service": respond(http.StatusOK, "<html>"),
	} {
		s := stream{fault: func(int) *http.Response { return answer }}
		if _, err := s.follow(t.Context(), time.Time{}); err == nil || !strings.Contains(err.Error(), told) || len(s.asked) != 1 {
			t.Errorf("%s: got %v after %d requests", told, err, len(s.asked))
		}
	}
}

// TestFeedGoesOnAfterALoop that was left: nothing is lost between two.
func TestFeedGoesOnAfterALoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		now := time.Now()
		first, second := s.add(now, "ord_1", 1, 1), s.add(now, "ord_1", 2, 2)
		feed := s.followed(t, now.Add(-time.Second))
		for event, err := range feed.Events(t.Context()) {
			if err != nil || event != first {
				t.Errorf("got %v, %v", event, err)
			}
			break
		}
		checkIDs(t, collect(t, feed, time.Minute), second)
	})
}
