package s3_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/proof/s3"
)

// newSilentStore returns a store whose bucket accepts connections, answers each request with a text, and then neither
// sends anything nor closes the connection. It is for a synctest bubble, and counts the requests.
func newSilentStore(t *testing.T, answer string) (store *s3.Store, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		conn, bucket := net.Pipe()
		go func() {
			defer func() { _ = bucket.Close() }()
			received := bufio.NewReader(bucket)
			if _, err := http.ReadRequest(received); err != nil {
				t.Error(err)
				return
			}
			requests.Add(1)
			_, _ = io.WriteString(bucket, answer)
			_, _ = io.Copy(io.Discard, received)
		}()
		return conn, nil
	}}
	store = s3.New(s3.Config{
		Endpoint: &url.URL{Scheme: "http", Host: "s3.example"}, Bucket: "exports", Region: region, Key: key,
		Secret: secret, Now: time.Now, Transport: transport,
	})
	t.Cleanup(store.Close)
	return store, requests
}

// TestOpenOfSilentBucket opens an object of a bucket that does not answer, or not completely: that fails after three
// tries, with an error that does not look as if the caller had cancelled it.
func TestOpenOfSilentBucket(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"no answer":           "",
		"a part of the head":  "HTTP/1.1 200 OK\r\nContent-Le",
		"a part of a failure": "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\n<Error>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store, requests := newSilentStore(t, answer)
				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				_, err := store.Open(ctx, "manifest.json")
				if !errors.Is(err, proof.ErrUnavailable) || errors.Is(err, context.Canceled) || requests.Load() != 3 {
					t.Errorf("got %v after %d requests, want proof.ErrUnavailable after 3", err, requests.Load())
				}
				if took := time.Since(begun); took > 30*time.Second {
					t.Errorf("got an error after %v, want one within 30s", took)
				}
			})
		})
	}
}

// TestOpenOfStoppingBucket reads an object, of which the bucket sends only the beginning. A caller that is slow itself
// still gets what was sent.
func TestOpenOfStoppingBucket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, _ := newSilentStore(t, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		file, err := store.Open(ctx, "orders.csv")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		begun := time.Now()
		got, err := io.ReadAll(file)
		if took := time.Since(begun); string(got) != "half" || err == nil || errors.Is(err, context.Canceled) ||
			took > time.Minute {
			t.Errorf("got %q, %v after %v, want half and an error within a minute", got, err, took)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
}
