package outbound

import (
	"net/http"
	"sync"
	"testing"
)

func TestRequestsFollowDescriptors(t *testing.T) {
	t.Parallel()
	for descriptors, want := range map[uint64]int{
		0: mostRequests, 1: 1, 1024: 341, 20_000: 6666, 1 << 20: mostRequests, 1<<64 - 1: mostRequests,
	} {
		got := requestsFor(descriptors)
		if got != want {
			t.Errorf("%d descriptors: got %d requests, want %d", descriptors, got, want)
		}
		if used := uint64(got*perRequest + got/2); descriptors > 2 && used > descriptors {
			t.Errorf("%d descriptors: %d requests may use %d", descriptors, got, used)
		}
	}
}

// TestKeptConnectionsAreBounded: however many requests were under way together, no
// more connections wait afterwards than may be kept, and those are used again.
func TestKeptConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	const hosts, most = 40, 16
	var together sync.WaitGroup
	var receivers []*receiver
	for range hosts {
		receivers = append(receivers, receive(t, func(http.ResponseWriter, *http.Request) {
			together.Done()
			together.Wait()
		}))
	}
	c := newTestClient(t, development, func(o *outside) { o.kept = most })
	for range 3 {
		together.Add(hosts)
		var done sync.WaitGroup
		for _, r := range receivers {
			done.Go(func() { post(t, c, r.URL) })
		}
		done.Wait()
		if keeping := c.keeper.keeping.Load(); keeping != 0 {
			t.Errorf("got %d requests counted, want none when all have ended", keeping)
		}
	}
	eventually(t, func() bool { return c.keeper.open.Load() <= most })
	if open := c.keeper.open.Load(); open == 0 {
		t.Error("got no connection kept, want some")
	}
}

func TestConnectionIsClosedIfAsked(t *testing.T) {
	t.Parallel()
	r := receive(t, func(http.ResponseWriter, *http.Request) {})
	c := newTestClient(t, development, nil)
	for range 3 {
		if answer := c.Post(t.Context(), r.URL, []Header{CloseConnection}, nil); answer.Status != 200 {
			t.Fatalf("got %+v, want status 200", answer)
		}
	}
	if n := r.accepted.Load(); n != 3 {
		t.Errorf("got %d connections, want 3", n)
	}
	eventually(t, func() bool { return c.keeper.open.Load() == 0 })
}
