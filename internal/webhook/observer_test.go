package webhook_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
)

// observed is an Observer that keeps what it is called with.
type observed struct {
	mu       sync.Mutex // guards what follows
	statuses []int
	lags     []time.Duration
	damaged  int
	givenUp  int
}

func (o *observed) Attempted(a webhook.Answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.statuses = append(o.statuses, a.Status)
}

func (o *observed) Sent(lag time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lags = append(o.lags, lag)
}

func (o *observed) Damaged() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.damaged++
}

func (o *observed) GaveUp(events int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.givenUp += events
}

// eventualStats polls the sender until its numbers fulfil a condition.
func eventualStats(t *testing.T, sender *webhook.Sender, fits func(webhook.Stats) bool) {
	t.Helper()
	for deadline := time.Now().Add(repeatable.Hang); !fits(sender.Stats()); time.Sleep(repeatable.Poll) {
		if time.Now().After(deadline) {
			t.Fatalf("got %+v, which does not become as expected", sender.Stats())
		}
	}
}

// TestSenderStatsAndObserver holds the requests of a backlog at the receiver, and then
// lets them through. The first event of each order was due for three seconds before
// the sender started; the second one waits behind it.
func TestSenderStatsAndObserver(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.stop()
	y.sender = nil
	y.put(t, partnerID, "https://shop.example/hook")
	y.setPace(t, 1)
	const orders = 20 // as many as a lane reads at first
	for i := range orders {
		id := fmt.Sprint("ord_", i)
		y.add(t, y.event(t, id, 1), y.event(t, id, 2))
	}
	y.clock.Advance(3 * time.Second)
	release := make(chan struct{})
	letThrough := sync.OnceFunc(func() { close(release) })
	y.hold = func(received) { <-release }
	seen := new(observed)
	sender, stop := y.newSender(t, webhook.SenderConfig{Now: y.clock.Now, At: y.clock.At, Observer: seen})
	t.Cleanup(letThrough) // before the sender is stopped, in case the test fails
	eventualStats(t, sender, func(s webhook.Stats) bool {
		return s.Lanes["sending"] == 1 && s.Ready == 10 && s.UnderWay == 10 && s.Waiting == orders
	})
	letThrough()
	y.wait(t, 2*orders)
	stop()
	stats := sender.Stats()
	for state, lanes := range stats.Lanes {
		if lanes != 0 {
			t.Errorf("after the stop: got %d lanes %s, want none", lanes, state)
		}
	}
	if want := map[string]int{"quick": 0, "untried": 0, "slow": 0}; !maps.Equal(stats.Permits, want) {
		t.Errorf("after the stop: got slots %v in use, want %v", stats.Permits, want)
	}
	if stats.Lanes, stats.Permits = nil, nil; !reflect.DeepEqual(stats, webhook.Stats{}) {
		t.Errorf("after the stop: got %+v, want zeroes", stats)
	}
	if want := slices.Repeat([]int{200}, 2*orders); !slices.Equal(seen.statuses, want) {
		t.Errorf("got statuses %v, want %v", seen.statuses, want)
	}
	if want := slices.Repeat([]time.Duration{3 * time.Second}, orders); !slices.Equal(seen.lags, want) {
		t.Errorf("got lags %v, want %v: the second events were never due before", seen.lags, want)
	}
}
