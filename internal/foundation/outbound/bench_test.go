package outbound

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkPost and BenchmarkPlainPost compare the client with a plain one, with ten
// requests at a time.

func BenchmarkPost(b *testing.B) {
	c := NewClient(development)
	defer c.Close()
	compete(b, func(url string, body []byte) bool {
		return c.Post(context.Background(), url, []Header{{"Content-Type", "application/json"}}, body).Status == 200
	})
}

func BenchmarkPlainPost(b *testing.B) {
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}
	defer c.CloseIdleConnections()
	compete(b, func(url string, body []byte) bool {
		response, err := c.Post(url, "application/json", bytes.NewReader(body))
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

func compete(b *testing.B, send func(url string, body []byte) bool) {
	r := receive(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "ok")
	})
	body := []byte(strings.Repeat("x", 500))
	b.ReportAllocs()
	b.SetParallelism(max(1, 10/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !send(r.URL, body) {
				b.Error("got no answer, want status 200")
			}
		}
	})
}
