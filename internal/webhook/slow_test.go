package webhook_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

const (
	slowRequests = 64 // that the sender may have under way
	slowEvents   = 3  // of one order of each slow endpoint
	slowTakes    = 14 * time.Second
	quickURL     = "https://quick.example/hook"
)

// slowYard is a yard in a bubble of synctest, whose clock runs as fast as the sender
// lets it. The endpoint of partnerID is quick, those of others take as long as takes
// returns for their nth request.
type slowYard struct {
	*yard
	takes func(n int) time.Duration
	want  map[string]place // the events of the slow endpoints

	mu       sync.Mutex
	posted   map[string]int       // requests by URL; guarded by mu
	underWay int                  // to slow endpoints; guarded by mu
	peak     int                  // the most of these; guarded by mu
	arrivals map[string]time.Time // at the quick endpoint; guarded by mu
}

func newSlowYard(t *testing.T, endpoints int, takes func(n int) time.Duration) *slowYard {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), filepath.Join(testkit.FastDir(t), "test.db"))
	y := &slowYard{
		yard: yardOn(t, db, err), takes: takes, want: map[string]place{},
		posted: map[string]int{}, arrivals: map[string]time.Time{},
	}
	y.clock = testkit.NewClock(time.Now())
	y.hold = y.receive
	y.put(t, partnerID, quickURL)
	y.setPace(t, 1)
	var events []*delivery.Event
	for i := range endpoints {
		partnerID := fmt.Sprintf("par_slow%04d", i)
		y.put(t, partnerID, fmt.Sprintf("https://slow.example/%d", i))
		for sequence := range int64(slowEvents) {
			e := y.newEvent(t, partnerID, fmt.Sprintf("ord_%d", i), sequence+1)
			y.want[e.EventID] = place{e.PartnerID, e.OrderID, e.Sequence}
			events = append(events, e)
		}
	}
	y.add(t, events...)
	return y
}

func (y *yard) newEvent(t *testing.T, partnerID, orderID string, sequence int64) *delivery.Event {
	t.Helper()
	return &delivery.Event{
		EventID: y.nextID(t, time.Now()), PartnerID: partnerID, OrderID: orderID, Sequence: sequence,
		Type: delivery.EventOrderPickedUp, CreatedAt: time.Now(), Facts: delivery.EventFacts{At: time.Now()},
	}
}

func (y *slowYard) start(t *testing.T) {
	t.Helper()
	at := func(at time.Time) <-chan time.Time { return time.After(time.Until(at)) }
	y.sender, y.stop = y.newSender(t, webhook.SenderConfig{Now: time.Now, At: at, Requests: slowRequests})
}

// receive takes as long as the endpoint does.
func (y *slowYard) receive(r received) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if r.url == quickURL {
		y.arrivals[r.headers["Drop-Event-Id"]] = time.Now()
		return
	}
	y.posted[r.url]++
	y.underWay++
	y.peak = max(y.peak, y.underWay)
	takes := y.takes(y.posted[r.url])
	y.mu.Unlock()
	time.Sleep(takes)
	y.mu.Lock()
	y.underWay--
}

// slowly returns the requests that the slow endpoints have answered.
func (y *slowYard) slowly() (got []received) {
	for _, r := range y.all() {
		if r.url != quickURL {
			got = append(got, r)
		}
	}
	return got
}

// checkQuick adds an event for the quick endpoint every 100 ms, and fails if one does
// not arrive within 50 ms.
func (y *slowYard) checkQuick(t *testing.T, events int) {
	t.Helper()
	added := map[string]time.Time{}
	for range events {
		e := y.newEvent(t, partnerID, fmt.Sprintf("ord_quick_%d", time.Now().UnixMicro()), 1)
		added[e.EventID] = time.Now()
		y.add(t, e)
		time.Sleep(100 * time.Millisecond)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	for id, at := range added {
		if arrived, ok := y.arrivals[id]; !ok || arrived.Sub(at) > 50*time.Millisecond {
			t.Errorf("event added at %v: got it at %v, want it within 50 ms", at, arrived)
		}
	}
}

// TestQuickEndpointBesideSlowOnes: more endpoints are slow than there are permits. The
// quick one gets its events immediately, and the slow ones get all of theirs, once,
// in their order.
func TestQuickEndpointBesideSlowOnes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		endpoints int
		takes     func(n int) time.Duration
		peak      int // requests to slow endpoints
	}{
		"slow from the beginning": {150, func(int) time.Duration { return slowTakes }, slowRequests * 7 / 8},
		"slow after a quick answer": {40, func(n int) time.Duration {
			if n == 1 {
				return time.Millisecond
			}
			return slowTakes
		}, 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				y := newSlowYard(t, c.endpoints, c.takes)
				y.start(t)
				y.checkQuick(t, 300)
				for began := time.Now(); len(y.slowly()) < len(y.want) && time.Since(began) < time.Hour; {
					time.Sleep(time.Second)
					if slow := y.sender.Stats().Permits["slow"]; time.Since(began) > time.Minute && slow > slowRequests/8 {
						t.Fatalf("got %d slots used by slow endpoints, want at most %d", slow, slowRequests/8)
					}
				}
				y.checkQuick(t, 10)
				y.stop()
				got := y.slowly()
				checkSequence(t, got, y.want)
				if len(got) != len(y.want) {
					t.Errorf("got %d requests to slow endpoints, want %d: one for each event", len(got), len(y.want))
				}
				if y.peak > c.peak {
					t.Errorf("got %d requests to slow endpoints at once, want at most %d", y.peak, c.peak)
				}
			})
		})
	}
}

// TestSenderClosesDuringSlowRequests: it waits for the requests under way and no
// others, writes what came of them, and frees all endpoints.
func TestSenderClosesDuringSlowRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const endpoints = 100
		y := newSlowYard(t, endpoints, func(int) time.Duration { return slowTakes })
		y.start(t)
		time.Sleep(5 * time.Second)
		closed := time.Now()
		y.stop()
		if took := time.Since(closed); took > slowTakes {
			t.Errorf("got %v until the sender had closed, want at most %v", took, slowTakes)
		}
		got := y.slowly()
		if len(got) == 0 || len(got) > slowRequests {
			t.Errorf("got %d requests before the close, want 1 to %d", len(got), slowRequests)
		}
		for _, r := range got {
			id := r.headers["Drop-Event-Id"]
			e, err := y.Event(t.Context(), y.want[id].partnerID, id)
			if err != nil || e.State != outbox.Delivered {
				t.Errorf("event %s was acknowledged: got it stored as %+v, %v, want delivered", id, e, err)
			}
		}
		err := y.db.Webhooks().Read(t.Context(), func(tx webhook.Reader) error {
			leased, err := tx.Expired(t.Context(), time.Now().Add(time.Hour), endpoints)
			if len(leased) > 0 {
				t.Errorf("got %d endpoints leased after the close, want none", len(leased))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
