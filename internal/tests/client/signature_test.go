package client_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/signature"
)

// asSent returns what version 2 signs of a request.
func asSent(r *http.Request, body string) signature.RequestV2 {
	return signature.RequestV2{
		Request: signature.Request{
			Timestamp: r.Header.Get("X-Timestamp"), Method: r.Method, Path: r.URL.EscapedPath(), Body: []byte(body),
		},
		Query: r.URL.RawQuery, IdempotencyKey: r.Header.Get("Idempotency-Key"), ContentType: r.Header.Get("Content-Type"),
		Nonce: r.Header.Get("X-Nonce"),
	}
}

// TestRequestSignaturesV2 sends the requests of the vectors twice. Both have the signature
// of what is sent, and a nonce of their own.
func TestRequestSignaturesV2(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../signature/testdata/signature_vectors_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Secret   string `json:"secret_key"`
		Requests []struct {
			Name, Method, Path, Query, Body string

			Key string `json:"idempotency_key"`
		}
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file.Requests) == 0 {
		t.Fatalf("got %d vectors, error %v, want some", len(file.Requests), err)
	}
	c := client.New("http://service.test", "pk_1", file.Secret)
	c.Signatures = client.SignatureV2
	nonces := map[string]bool{}
	for _, known := range append(file.Requests, file.Requests...) {
		request, err := c.Request(t.Context(), known.Method, withQuery(known.Path, known.Query), []byte(known.Body),
			known.Key)
		if err != nil {
			t.Fatal(err)
		}
		sent := asSent(request, known.Body)
		if !sent.Verify([]byte(file.Secret), request.Header.Get("X-Signature")) || !signature.IsNonce(sent.Nonce) ||
			nonces[sent.Nonce] {
			t.Errorf("%s: got the headers %v, want the signature of the request and a new nonce", known.Name, request.Header)
		}
		if sent.IdempotencyKey != known.Key || sent.Query != known.Query {
			t.Errorf("%s: got %+v, want the key and query of the vector", known.Name, sent)
		}
		nonces[sent.Nonce] = true
	}
}

// TestRetriesHaveNewNonces: each attempt of a call has a nonce of its own, and the same key.
func TestRetriesHaveNewNonces(t *testing.T) {
	t.Parallel()
	nonces, keys := map[string]bool{}, map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonces[r.Header.Get("X-Nonce")], keys[r.Header.Get("Idempotency-Key")] = true, true
		if !asSent(r, "{}").Verify([]byte("sk_1"), r.Header.Get("X-Signature")) {
			t.Errorf("got the headers %v, want a signature that covers them", r.Header)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	c := client.New(server.URL, "pk_1", "sk_1")
	c.Signatures, c.RetryDelays = client.SignatureV2, []time.Duration{time.Nanosecond, time.Nanosecond}
	if _, err := c.Call(t.Context(), "POST", "/v1/orders", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if len(nonces) != 3 || len(keys) != 1 {
		t.Errorf("got %d nonces and %d keys in 3 attempts, want 3 and 1", len(nonces), len(keys))
	}
}
