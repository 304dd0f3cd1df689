package outbound

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int64{0: 1, 10: 1, maxBody - 1: 1, maxBody: 1, maxBody + 1: 5, 10 * maxBody: 5} {
		for _, chunked := range []bool{false, true} {
			r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
				if !chunked {
					w.Header().Set("Content-Length", strconv.Itoa(size))
				}
				_, _ = io.WriteString(w, strings.Repeat("x", size/2))
				w.(http.Flusher).Flush()
				_, _ = io.WriteString(w, strings.Repeat("x", size-size/2))
			})
			c := newTestClient(t, development, nil)
			for range 5 {
				if answer := post(t, c, r.URL); answer.Status != 200 {
					t.Fatalf("got %+v, want status 200", answer)
				}
			}
			// A body with a known length that is one byte too long is read to its end.
			if n := r.accepted.Load(); n != want && (size != maxBody+1 || n != 1) {
				t.Errorf("%d bytes, chunked %t: got %d connections for 5 requests, want %d", size, chunked, n, want)
			}
		}
	}
}

func TestTenConnectionsToAHostStayOpen(t *testing.T) {
	t.Parallel()
	var together sync.WaitGroup
	r := receive(t, func(http.ResponseWriter, *http.Request) {
		together.Done()
		together.Wait()
	})
	c := newTestClient(t, development, nil)
	for range 3 {
		var done sync.WaitGroup
		together.Add(10)
		for range 10 {
			done.Go(func() { post(t, c, r.URL) })
		}
		done.Wait()
	}
	if n := r.accepted.Load(); n != 10 {
		t.Errorf("got %d connections, want 10", n)
	}
}
