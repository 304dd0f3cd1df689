package signature_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

type vectorV2 struct {
	Name, Timestamp, Method, Path, Query, Nonce, Body, Signature string

	IdempotencyKey string `json:"idempotency_key"`
	ContentType    string `json:"content_type"`
}

func TestVectorsV2(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/signature_vectors_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		SecretKey string `json:"secret_key"`
		Requests  []vectorV2
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Requests) == 0 {
		t.Fatalf("got %d vectors, error %v, want some", len(file.Requests), err)
	}
	for _, known := range file.Requests {
		request := signature.RequestV2{
			Request: signature.Request{
				Timestamp: known.Timestamp, Method: known.Method, Path: known.Path, Body: []byte(known.Body),
			},
			Query: known.Query, IdempotencyKey: known.IdempotencyKey, ContentType: known.ContentType, Nonce: known.Nonce,
		}
		if got := request.Sign([]byte(file.SecretKey)); got != known.Signature {
			t.Errorf("%s: got %s, want %s", known.Name, got, known.Signature)
		}
		if !request.Verify([]byte(file.SecretKey), known.Signature) ||
			request.Request.Verify([]byte(file.SecretKey), known.Signature) {
			t.Errorf("%s: got the signature refused, or accepted as version 1", known.Name)
		}
		if known.Nonce != "" && !signature.IsNonce(known.Nonce) {
			t.Errorf("%s: got %q refused as a nonce", known.Name, known.Nonce)
		}
	}
}

func TestIsNonce(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		strings.Repeat("a", 16): true, strings.Repeat("~", 64): true, "!0123456789abcde": true,
		"": false, strings.Repeat("a", 15): false, strings.Repeat("a", 65): false,
		"0123456789 abcdef": false, "0123456789\nabcdef": false, "0123456789\x7fabcdef": false, "0123456789éabcdef": false,
	} {
		if got := signature.IsNonce(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

// drawV2 draws a request whose parts are short texts of a few characters, so that two
// of them often hold the same characters in other places. Lines may have line feeds.
func drawV2(t *rapid.T, name string) signature.RequestV2 {
	part := func(of string) string { return rapid.StringMatching(`[a\n]{0,3}`).Draw(t, name+" "+of) }
	return signature.RequestV2{
		Request: signature.Request{
			Timestamp: part("timestamp"), Method: part("method"), Path: part("path"), Body: []byte(part("body")),
		},
		Query: part("query"), IdempotencyKey: part("key"), ContentType: part("type"), Nonce: part("nonce"),
	}
}

// lines returns what must be on a line of its own.
func lines(r signature.RequestV2) string {
	return strings.Join([]string{r.Timestamp, r.Method, r.Path, r.Query, r.IdempotencyKey, r.ContentType, r.Nonce}, "|")
}

// TestMessagesV2Differ: no signature holds for two requests that differ.
func TestMessagesV2Differ(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		one, other := drawV2(t, "one"), drawV2(t, "other")
		signed := one.Sign([]byte("secret"))
		same := lines(one) == lines(other) && string(one.Body) == string(other.Body)
		verified := other.Verify([]byte("secret"), signed)
		switch {
		case strings.Contains(lines(other), "\n") && verified:
			t.Fatalf("%+v: got the signature accepted, want no line feed in a line", other)
		case !strings.Contains(lines(one)+lines(other), "\n") && verified != same:
			t.Fatalf("%+v and %+v: got the same signature %t, want %t", one, other, verified, same)
		}
	})
}

func FuzzVerifyV2(f *testing.F) {
	f.Add("1767225600", "POST", "/v1/orders", "a=b", "key", "application/json", "nonce", []byte(`{}`), "a\nb", []byte("c"))
	f.Fuzz(func(t *testing.T, timestamp, method, path, query, key, kind, nonce string, body []byte, otherQuery string,
		otherBody []byte) {
		one := signature.RequestV2{
			Request: signature.Request{Timestamp: timestamp, Method: method, Path: path, Body: body},
			Query:   query, IdempotencyKey: key, ContentType: kind, Nonce: nonce,
		}
		signed := one.Sign([]byte("secret"))
		if got, want := one.Verify([]byte("secret"), signed), !strings.Contains(lines(one), "\n"); got != want {
			t.Fatalf("%+v: got accepted %t, want %t", one, got, want)
		}
		other := one
		other.Query, other.Body = otherQuery, otherBody
		if (otherQuery != query || string(otherBody) != string(body)) && other.Verify([]byte("secret"), signed) &&
			!strings.Contains(lines(one), "\n") {
			t.Fatalf("%+v and %+v: got the same signature", one, other)
		}
	})
}

// TestV2IsNotV1: the signature of a change of version 2 holds for a request of version 1
// with the lines in its body, and such a request is recognised. No object in JSON is.
func TestV2IsNotV1(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		v2 := signature.RequestV2{
			Request: signature.Request{
				Timestamp: "1767225600", Method: "POST", Path: "/v1/webhooks/endpoint/rotate-secret",
				Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
			},
			Query: rapid.SampledFrom([]string{"", "limit=1"}).Draw(t, "query"),
			IdempotencyKey: rapid.SampledFrom([]string{
				"", "0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a11", "retry-20261122-00001",
			}).Draw(t, "key"),
			ContentType: rapid.SampledFrom([]string{"", "application/json"}).Draw(t, "type"),
			Nonce: rapid.OneOf(rapid.StringMatching(`[!-~]{16,64}`), rapid.Just(""),
				rapid.Just("{0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a11}"), rapid.Just("1234567890123456")).Draw(t, "nonce"),
		}
		v1 := v2.Request
		v1.Body = append([]byte(v2.Query+"\n"+v2.IdempotencyKey+"\n"+v2.ContentType+"\n"+v2.Nonce+"\n"), v2.Body...)
		signed := strings.Replace(v2.Sign([]byte("secret")), "v2=", "v1=", 1)
		if !v1.Verify([]byte("secret"), signed) || !v1.ReadsAsV2() {
			t.Fatalf("%+v: got another message than of version 1, or one that is not recognised", v2)
		}
	})
	for _, body := range []string{
		"", "{}", " {\n\n\n\"a\":\"0123456789\",\n}", "\n\n\n\n\n{}", "{\n\n \"a\": 1,\n \"b\": 2,\n", "1\n2\n3",
	} {
		if (signature.Request{Body: []byte(body)}).ReadsAsV2() {
			t.Errorf("%q: got a body of version 2, want version 1", body)
		}
	}
}
