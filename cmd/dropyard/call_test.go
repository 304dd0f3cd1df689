package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const secretKey = "sk_test_4fN8qZk2vJ7yXw1LrT0bGmPc" // the key of the published vectors

// sign signs as docs/contract.md, Signatures, says, independently of package signature.
func sign(timestamp, method, path, body string) string {
	mac := hmac.New(sha256.New, []byte(secretKey))
	mac.Write([]byte(timestamp + "\n" + method + "\n" + path + "\n" + body))
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

type vector struct{ Name, Timestamp, Method, Path, Query, Body, Signature string }

func vectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("../../internal/signature/testdata/signature_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Requests []vector }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Requests) == 0 {
		t.Fatalf("got %d vectors, error %v, want at least one", len(file.Requests), err)
	}
	return file.Requests
}

// received is a request as it arrived.
type received struct {
	*http.Request
	body  string
	since time.Time // it was sent after it
}

// receiver is a server that gives every request the same response and keeps the
// requests.
type receiver struct {
	*httptest.Server
	requests chan received
}

func receive(t *testing.T, status int, answer string) *receiver {
	t.Helper()
	r, since := &receiver{requests: make(chan received, 10)}, time.Now()
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.requests <- received{request, string(body), since}
		w.Header().Set("X-Request-Id", "req_test")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(r.Close)
	return r
}

// call runs "dropyard call" against the receiver.
func (r *receiver) call(t *testing.T, from run, args ...string) result {
	t.Helper()
	from.env = append(from.env, "DROPYARD_URL="+r.URL, "DROPYARD_KEY=pk_test", "DROPYARD_SECRET="+secretKey)
	return from.do(t, append([]string{"call"}, args...)...)
}

// checkSigned compares a received request with what was to be sent, and checks its
// signature.
func checkSigned(t *testing.T, got received, method, path, query, body string) {
	t.Helper()
	timestamp := got.Header.Get("X-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || seconds < got.since.Unix() || seconds > time.Now().Unix() {
		t.Errorf("X-Timestamp: got %q, want a time between %d and now", timestamp, got.since.Unix())
	}
	if got.Method != method || got.URL.EscapedPath() != path || got.URL.RawQuery != query || got.body != body {
		t.Errorf("got %s %s %q, want %s %s?%s %q", got.Method, got.RequestURI, got.body, method, path, query, body)
	}
	if got.Header.Get("X-Api-Key") != "pk_test" || got.Header.Get("X-Signature") != sign(timestamp, method, path, body) {
		t.Errorf("%s %s: got headers %v, want a valid signature", method, path, got.Header)
	}
	if kind := got.Header.Get("Content-Type"); (kind == "application/json") != (body != "") {
		t.Errorf("body %q: got Content-Type %q, want application/json unless the body is empty", body, kind)
	}
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// TestCallSignsPublishedVectors sends the requests of the published vectors. Their
// time differs, so the signatures are compared with those of sign, which is first
// checked against the vectors.
func TestCallSignsPublishedVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		if sign(v.Timestamp, v.Method, v.Path, v.Body) != v.Signature {
			t.Fatalf("%s: the test's own signature differs from the published one", v.Name)
		}
		r := receive(t, 200, `{"ok":true}`)
		args := []string{v.Method, strings.TrimSuffix(v.Path+"?"+v.Query, "?")}
		if v.Body != "" {
			args = append(args, "-d", v.Body)
		}
		if got := r.call(t, run{}, args...); got.code != 0 || got.stdout != "{\"ok\":true}\n" || got.stderr != "" {
			t.Errorf("%s: got %+v, want exit code 0 and the response", v.Name, got)
		}
		request := <-r.requests
		checkSigned(t, request, v.Method, v.Path, v.Query, v.Body)
		if key := request.Header.Get("Idempotency-Key"); uuidForm.MatchString(key) != (v.Method == http.MethodPost) {
			t.Errorf("%s: got Idempotency-Key %q, want a UUID for POST and none otherwise", v.Name, key)
		}
	}
}

// TestCallBodies expects bodies from an argument, a file and standard input to be
// sent and signed unchanged.
func TestCallBodies(t *testing.T) {
	t.Parallel()
	const body = "{\n  \"name\" : \"Épicerie 🍁\"\n}\n\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "order.json"), []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	r := receive(t, 201, "{}")
	for data, stdin := range map[string]string{body: "", "@order.json": "", "@-": body} {
		const key = "01890a5d-ac96-774b-bcce-b302099a8057"
		if got := r.call(t, run{dir: dir, stdin: stdin}, "post", "/v1/orders", "-d", data, "--idempotency-key",
			key); got.code != 0 {
			t.Errorf("-d %q: got %+v, want exit code 0", data, got)
		}
		request := <-r.requests
		checkSigned(t, request, "POST", "/v1/orders", "", body)
		if request.Header.Get("Idempotency-Key") != key {
			t.Errorf("got Idempotency-Key %q, want %q", request.Header.Get("Idempotency-Key"), key)
		}
	}
}

// TestCallRefused expects the body of a refusal to be printed all the same.
func TestCallRefused(t *testing.T) {
	t.Parallel()
	r := receive(t, 422, `{"error":{"code":"validation_error"}}`)
	got := r.call(t, run{}, "POST", "/v1/orders", "-i")
	if got.code != exitRefused || !strings.HasSuffix(got.stdout, "{\"error\":{\"code\":\"validation_error\"}}\n") ||
		got.stderr != "dropyard: refused with 422 validation_error: (request req_test)\n" {
		t.Errorf("got %+v, want exit code 3, the body and the status", got)
	}
	if !strings.HasPrefix(got.stdout, "HTTP 422\n") || !strings.Contains(got.stdout, "X-Request-Id: req_test") {
		t.Errorf("-i: got %s, want status and headers first", got.stdout)
	}
	if len(r.requests) != 1 {
		t.Errorf("got %d requests, want 1", len(r.requests))
	}
}

// TestCallKeyFromEnvironment: in the environment the secret is not visible in the
// list of processes.
func TestCallKeyFromEnvironment(t *testing.T) {
	t.Parallel()
	r := receive(t, 200, "{}")
	from := run{env: []string{"DROPYARD_URL=" + r.URL + "/", "DROPYARD_KEY=pk_test", "DROPYARD_SECRET=" + secretKey}}
	if got := from.do(t, "call", "GET", "/v1/orders?limit=1"); got.code != 0 {
		t.Errorf("got %+v, want exit code 0", got)
	}
	checkSigned(t, <-r.requests, "GET", "/v1/orders", "limit=1", "")
}
