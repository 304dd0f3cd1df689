package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/google/uuid"
)

type vectors struct {
	SecretKey     string `json:"secret_key"`
	WebhookSecret string `json:"webhook_secret"`
	Requests      []struct{ Name, Timestamp, Method, Path, Query, Body, Signature string }
	Events        []struct {
		Name, Body string
		Signature  string `json:"drop_signature"`
	}
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("../../signature/testdata/signature_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Requests) == 0 || len(v.Events) == 0 {
		t.Fatalf("signature_vectors.json: got %d requests and %d events, want at least one of each", len(v.Requests),
			len(v.Events))
	}
	return v
}

// TestRequestSignatures sets the clock of a bubble to the time of each vector, so
// that the signature is the same.
func TestRequestSignatures(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, known := range v.Requests {
		t.Run(known.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seconds, err := strconv.ParseInt(known.Timestamp, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Until(time.Unix(seconds, 0)))
				c := client.New("http://service.test/", "pk_1", v.SecretKey)
				request, err := c.Request(t.Context(), known.Method, withQuery(known.Path, known.Query), []byte(known.Body), "")
				if err != nil {
					t.Fatal(err)
				}
				if got := request.Header.Get("X-Signature"); got != known.Signature {
					t.Errorf("got %s, want %s", got, known.Signature)
				}
				if got := request.Header.Get("X-Timestamp"); got != known.Timestamp {
					t.Errorf("got timestamp %s, want %s", got, known.Timestamp)
				}
				if _, sent := request.Header["Idempotency-Key"]; sent {
					t.Error("got an Idempotency-Key, want none")
				}
			})
		})
	}
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// TestSentRequestsVerify verifies requests as a service receives them.
func TestSentRequestsVerify(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	s := newService(t)
	c := s.client(v.SecretKey)
	for _, known := range v.Requests {
		if _, err := c.Call(t.Context(), known.Method, withQuery(known.Path, known.Query), []byte(known.Body)); err != nil {
			t.Fatal(err)
		}
		attempts := s.seen()
		got := attempts[len(attempts)-1]
		sent := signature.Request{
			Timestamp: got.header.Get("X-Timestamp"), Method: got.method, Path: got.path, Body: []byte(got.body),
		}
		if !sent.Verify([]byte(v.SecretKey), got.header.Get("X-Signature")) || !signature.Fresh(sent.Timestamp, time.Now()) {
			t.Errorf("%s: got %+v, whose signature or time does not verify", known.Name, got)
		}
		if got.path != known.Path || got.query != known.Query || got.body != known.Body ||
			got.header.Get("X-Api-Key") != "pk_1" {
			t.Errorf("%s: got %+v, want path %q, query %q, body %q and key pk_1", known.Name, got, known.Path, known.Query,
				known.Body)
		}
		if hasType := got.header.Get("Content-Type") == "application/json"; hasType != (known.Body != "") {
			t.Errorf("%s: got Content-Type %q, want application/json only with a body", known.Name,
				got.header.Get("Content-Type"))
		}
	}
}

// What a service may do instead of answering with a status.
const (
	noAnswer  = -1 // closes the connection before the answer
	cutAnswer = -2 // closes the connection within the answer
)

type attempt struct {
	method, path, query, body string
	header                    http.Header
}

// service answers with the statuses of its script, one after the other, then 200.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	script   []int     // guarded by mu
	attempts []attempt // guarded by mu
}

// seen returns all attempts so far.
func (s *service) seen() []attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts)
}

func newService(t *testing.T, script ...int) *service {
	t.Helper()
	s := &service{script: script}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.handle))
	// On a kept connection net/http itself would repeat some requests.
	s.Config.SetKeepAlivesEnabled(false)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *service) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts = append(s.attempts, attempt{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header})
	status := http.StatusOK
	if len(s.script) > 0 {
		status, s.script = s.script[0], s.script[1:]
	}
	switch status {
	case noAnswer:
		panic(http.ErrAbortHandler)
	case cutAnswer:
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "{")
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, strconv.Itoa(status))
}

// client returns a client that retries three times, without delays.
func (s *service) client(secretKey string) *client.Client {
	c := client.New(s.URL, "pk_1", secretKey)
	c.RetryDelays = []time.Duration{time.Nanosecond, time.Nanosecond, time.Nanosecond}
	return c
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method   string
		noKey    bool
		script   []int
		attempts int
		status   int // 0 for no answer
	}{
		"answered":                  {"POST", false, []int{201}, 1, 201},
		"429 and 5xx":               {"POST", false, []int{429, 500, 503, 201}, 4, 201},
		"no answer":                 {"POST", false, []int{noAnswer, cutAnswer, 201}, 3, 201},
		"GET":                       {"GET", true, []int{noAnswer, 502, 200}, 3, 200},
		"DELETE":                    {"DELETE", true, []int{503, 200}, 2, 200},
		"too often":                 {"POST", false, []int{500, 500, 500, 504, 201}, 4, 504},
		"never an answer":           {"POST", false, []int{noAnswer, noAnswer, noAnswer, noAnswer, 201}, 4, 0},
		"400":                       {"POST", false, []int{400}, 1, 400},
		"401":                       {"GET", true, []int{401}, 1, 401},
		"404":                       {"GET", true, []int{404}, 1, 404},
		"409":                       {"POST", false, []int{409}, 1, 409},
		"422 after 500":             {"POST", false, []int{500, 422}, 2, 422},
		"POST without key":          {"POST", true, []int{500}, 1, 500},
		"POST without key, 429":     {"POST", true, []int{429, 201}, 2, 201},
		"POST without key, silence": {"POST", true, []int{noAnswer}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, c.script...)
			call := s.client("sk_1").Call
			if c.noKey {
				call = func(ctx context.Context, method, target string, body []byte) (*client.Answer, error) {
					return s.client("sk_1").CallWithKey(ctx, method, target, body, "")
				}
			}
			answer, err := call(t.Context(), c.method, "/v1/orders", []byte(`{ "a":1 }`))
			switch {
			case c.status == 0 && err == nil:
				t.Errorf("got %d, want an error", answer.Status)
			case c.status != 0 && (err != nil || answer.Status != c.status || string(answer.Body) != strconv.Itoa(c.status)):
				t.Errorf("got %+v, %v, want %d", answer, err, c.status)
			}
			attempts := s.seen()
			if len(attempts) != c.attempts {
				t.Fatalf("got %d attempts, want %d", len(attempts), c.attempts)
			}
			checkAlike(t, attempts, c.method, c.noKey)
		})
	}
}

func checkAlike(t *testing.T, attempts []attempt, method string, noKey bool) {
	t.Helper()
	key := attempts[0].header.Get("Idempotency-Key")
	if wantsKey := method == http.MethodPost && !noKey; wantsKey != (key != "") {
		t.Errorf("%s: got Idempotency-Key %q, want one = %t", method, key, wantsKey)
	}
	for _, got := range attempts {
		if got.method != method || got.body != `{ "a":1 }` || got.header.Get("Idempotency-Key") != key {
			t.Errorf("got %+v, want the same as %+v", got, attempts[0])
		}
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.client("sk_1")
	for range 2 {
		if _, err := c.Call(t.Context(), "POST", "/v1/orders", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CallWithKey(t.Context(), "POST", "/v1/orders", nil, "mine"); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, got := range s.seen() {
		keys = append(keys, got.header.Get("Idempotency-Key"))
	}
	if keys[0] == keys[1] || keys[2] != "mine" {
		t.Errorf("got keys %q, want two different ones and the caller's", keys)
	}
}

// refusing is a transport that answers with a status and Retry-After a number of
// times, then with 200. It needs no network, so that it works in a bubble.
type refusing struct {
	status     int // 0 for no answer
	times      int
	retryAfter string
	sent       []time.Time
}

func (r *refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	r.sent = append(r.sent, time.Now())
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: request}
	if len(r.sent) > r.times {
		return answer, nil
	}
	if r.status == 0 {
		return nil, errors.New("no route to host")
	}
	answer.StatusCode = r.status
	if r.retryAfter != "" {
		answer.Header.Set("Retry-After", r.retryAfter)
	}
	return answer, nil
}

// through returns a client from New with another transport.
func through(transport http.RoundTripper) *client.Client {
	c := client.New("http://service.test", "pk_1", "sk_1")
	c.HTTP = &http.Client{Transport: transport}
	return c
}

func TestRetryDelaysFollowInterfaceAndRetryAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transport refusing
		took      time.Duration
	}{
		"1, 2 and 4 seconds": {refusing{status: 500, times: 9}, 7 * time.Second},
		"no answer":          {refusing{times: 2}, 3 * time.Second},
		"longer":             {refusing{status: 429, times: 1, retryAfter: "60"}, time.Minute},
		"longer than some":   {refusing{status: 503, times: 3, retryAfter: "3"}, 9 * time.Second},
		"too long":           {refusing{status: 429, times: 1, retryAfter: "86400"}, 0},
		"shorter":            {refusing{status: 429, times: 1, retryAfter: "0"}, time.Second},
		"negative":           {refusing{status: 429, times: 1, retryAfter: "-5"}, time.Second},
		"not readable":       {refusing{status: 429, times: 1, retryAfter: "soon"}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				if _, err := through(&c.transport).Call(t.Context(), "GET", "/v1/orders", nil); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took != c.took {
					t.Errorf("got %d attempts in %v, want %v", len(c.transport.sent), took, c.took)
				}
			})
		})
	}
}

// TestContextEndsRetries: a call does not wait for an attempt that the context would
// prevent.
func TestContextEndsRetries(t *testing.T) {
	t.Parallel()
	for name, transport := range map[string]*refusing{
		"after an answer": {status: 503, times: 9, retryAfter: "3600"},
		"without one":     {times: 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const limit = 500 * time.Millisecond
				begin := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				answer, err := through(transport).Call(ctx, "POST", "/v1/orders", nil)
				if took := time.Since(begin); took != 0 || len(transport.sent) != 1 {
					t.Errorf("got %d attempts in %v, want one, immediately", len(transport.sent), took)
				}
				if answered := answer != nil && answer.Status == 503 && err == nil; answered != (transport.status != 0) {
					t.Errorf("got %+v, %v, want the result of the last attempt", answer, err)
				}
			})
		})
	}
}

func TestInvalidTargetIsNotRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var transport refusing
		begin := time.Now()
		answer, err := through(&transport).Call(t.Context(), "GET", "/v1/orders/%zz", nil)
		if err == nil || !strings.Contains(err.Error(), "/v1/orders/%zz") {
			t.Errorf("got %+v, %v, want an error that names the target", answer, err)
		}
		if took := time.Since(begin); took != 0 || len(transport.sent) != 0 {
			t.Errorf("got %d attempts in %v, want none, immediately", len(transport.sent), took)
		}
	})
}

// TestFromEnvironment reads the address and the key, and expects an error that names each variable that is not set.
func TestFromEnvironment(t *testing.T) {
	values := map[string]string{"DROPYARD_URL": "https://a.example/", "DROPYARD_KEY": "pk_1", "DROPYARD_SECRET": "sk_1"}
	for name, value := range values {
		t.Setenv(name, value)
	}
	c, err := client.FromEnvironment()
	if err != nil || c.BaseURL != "https://a.example" || c.PublicKey != "pk_1" || c.SecretKey != "sk_1" {
		t.Errorf("got %+v, %v, want what the environment has", c, err)
	}
	t.Setenv("DROPYARD_URL", "")
	t.Setenv("DROPYARD_SECRET", "")
	c, err = client.FromEnvironment()
	if want := "not set in the environment: DROPYARD_URL, DROPYARD_SECRET"; c != nil || err == nil || err.Error() != want {
		t.Errorf("got %+v, %v, want %s", c, err, want)
	}
}

// TestMissingCredentials calls with clients that lack something. Nothing is sent, and the error names it.
func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]*client.Client{
		`BaseURL: "" is not an address`:              client.New("", "pk_1", "sk_1"),
		`BaseURL: "localhost:80" is not an address`:  client.New("localhost:80", "pk_1", "sk_1"),
		`BaseURL: "ftp://a.example" is not an addre`: client.New("ftp://a.example", "pk_1", "sk_1"),
		`BaseURL: "https://" is not an address`:      client.New("https:///", "pk_1", "sk_1"),
		"the client has no PublicKey":                client.New("https://a.example", "", "sk_1"),
		"the client has no SecretKey":                client.New("https://a.example", "pk_1", ""),
	} {
		var transport refusing
		c.HTTP.Transport = &transport
		_, err := c.GetOrder(t.Context(), "ord_1")
		if err == nil || !strings.Contains(err.Error(), want) || len(transport.sent) != 0 {
			t.Errorf("got %v and %d requests, want %q and none", err, len(transport.sent), want)
		}
	}
}

func TestWithoutRetryDelays(t *testing.T) {
	t.Parallel()
	transport := &refusing{status: 500, times: 9}
	c := through(transport)
	c.RetryDelays = nil
	answer, err := c.Call(t.Context(), "GET", "/v1/orders", nil)
	if err != nil || answer.Status != 500 || len(transport.sent) != 1 {
		t.Errorf("got %+v, %v after %d attempts, want 500 after one", answer, err, len(transport.sent))
	}
}

func TestNewIdempotencyKey(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		key := client.NewIdempotencyKey()
		id, err := uuid.Parse(key)
		if err != nil || id.Version() != 4 || id.Variant() != uuid.RFC4122 || id.String() != key || seen[key] {
			t.Fatalf("got %q, want a new UUID of version 4: %v, seen before = %t", key, err, seen[key])
		}
		seen[key] = true
	}
}
