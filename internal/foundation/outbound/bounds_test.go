package outbound

import (
	"math"
	"net/http"
	"sync"
	"testing"
)

func TestRequestsFollowDescriptorsAndMemory(t *testing.T) {
	t.Parallel()
	const plenty = math.MaxInt64
	for _, c := range []struct {
		descriptors uint64
		memory      int64
		want        int
	}{
		{0, plenty, mostRequests},
		{1, plenty, 1},
		{1024, plenty, 341},
		{20_000, plenty, 6666},
		{1 << 20, plenty, mostRequests},
		{1<<64 - 1, plenty, mostRequests},
		{1 << 20, 512 << 20, 2048},
		{1 << 20, 1, 1},
		{1024, 512 << 20, 341},
	} {
		got := requestsFor(c.descriptors, c.memory)
		if got != c.want {
			t.Errorf("%d descriptors, %d bytes: got %d requests, want %d", c.descriptors, c.memory, got, c.want)
		}
		if used := uint64(got*perRequest + got/2); c.descriptors > 2 && used > c.descriptors {
			t.Errorf("%d descriptors: %d requests may use %d", c.descriptors, got, used)
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
