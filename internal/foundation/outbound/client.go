package outbound

import (
	"bytes"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// maxHeader is how many bytes an answer may have before its body,
	// everything that was sent ahead of it (1xx) included.
	maxHeader = 16 << 10
	// maxBody is how much of an answer's body is read, and discarded.
	maxBody = 16 << 10
	// maxRetryAfter is twice the longest step between two tries.
	maxRetryAfter = 48 * time.Hour

	userAgent = "Dropyard-Webhooks/1"
)

// outside is what a client has from the world around it, and how long it puts
// up with it. Tests bring their own.
type outside struct {
	resolver   *net.Resolver  // nil is the system's
	roots      *x509.CertPool // nil is the system's
	interfaces func() ([]net.Addr, error)

	connect   time.Duration // to resolve the name and to connect
	handshake time.Duration // TLS
	whole     time.Duration // until the answer's header has come
	rest      time.Duration // spent on its body after that
}

// Client posts to partners' endpoints. It may be used by many goroutines.
type Client struct {
	Policy
	outside
	transport *http.Transport
}

// NewClient makes a client. Close it when it is no longer used.
func NewClient(p Policy) *Client {
	return newClient(p, outside{
		interfaces: net.InterfaceAddrs,
		connect:    5 * time.Second, handshake: 5 * time.Second, whole: 15 * time.Second, rest: time.Second,
	})
}

func newClient(p Policy, world outside) *Client {
	c := &Client{Policy: p, outside: world}
	var http1 http.Protocols
	http1.SetHTTP1(true)
	// Proxy stays nil: one from the environment would be asked to reach what
	// the dialler refuses.
	c.transport = &http.Transport{
		DialContext:            c.dial,
		DialTLSContext:         c.dialTLS,
		Protocols:              &http1,
		DisableCompression:     true,
		ReadBufferSize:         2 << 10,
		WriteBufferSize:        2 << 10,
		MaxResponseHeaderBytes: maxHeader,
		// MaxIdleConns stays 0, no limit: where it is reached, net/http closes
		// the idle connection that has waited longest, and that may be one whose
		// answer has come and has not been handed over yet. A delivery would
		// count as failed.
		MaxIdleConnsPerHost: 10, // as many as a lane has in flight
		IdleConnTimeout:     20 * time.Second,
	}
	return c
}

// Close closes the connections that are not in use.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Header is one line of a request's header.
type Header struct{ Name, Value string }

// Answer is what came of one request.
type Answer struct {
	Status     int           // the HTTP status; 0 if there was no answer
	RetryAfter time.Duration // what the receiver asked for, at most 48 h; 0 if it did not
	Took       time.Duration // until the answer's header, or the failure
	Problem    string        // why there was no answer, for partners to read; empty if there was one
}

// Post sends a body once. The answer is whatever comes first, a redirect too.
func (c *Client) Post(ctx context.Context, url string, headers []Header, body []byte) Answer {
	began := time.Now()
	bounded, cancel := context.WithTimeout(ctx, c.whole)
	defer cancel()
	var heard atomic.Bool
	response, err := c.send(bounded, &heard, url, headers, body)
	took := time.Since(began)
	switch {
	case ctx.Err() != nil && err != nil:
		return Answer{Took: took, Problem: "broken off before an answer"}
	case err != nil:
		return Answer{Took: took, Problem: c.problem(err, bounded.Err() != nil, heard.Load())}
	}
	defer func() { _ = response.Body.Close() }()
	c.finish(response, cancel)
	if response.StatusCode < 100 { // which Go lets pass, and which no status is
		return Answer{Took: took, Problem: problemInvalid}
	}
	return Answer{
		Status:     response.StatusCode,
		RetryAfter: retryAfter(response.Header.Get("Retry-After"), began.Add(took)),
		Took:       took,
	}
}

// send makes one exchange up to the answer's header. It notes whether any byte
// of an answer has come. There is no http.Client around the transport: it would
// only add what is not wanted, redirects and cookies.
func (c *Client) send(ctx context.Context, heard *atomic.Bool, url string, headers []Header, body []byte) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { heard.Store(true) }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil || c.check(url, request.URL) != nil { // the policy may have changed since it was set
		return nil, errRefused
	}
	for _, h := range headers {
		request.Header.Add(h.Name, h.Value)
	}
	request.Header.Set("User-Agent", userAgent)
	return c.transport.RoundTrip(request)
}

// finish reads what is left of an answer, so that the connection can be used
// again. Where that takes long it is not worth it: what is not read to its end
// costs the connection when the body is closed.
func (c *Client) finish(response *http.Response, cancel context.CancelFunc) {
	// After 101 the connection speaks something else and is not ended by cancel.
	if response.Body == http.NoBody || response.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	timer := time.AfterFunc(c.rest, cancel)
	defer timer.Stop()
	// One byte more, to see the end of a body that has just the most.
	_, _ = io.CopyN(io.Discard, response.Body, maxBody+1)
}

// retryAfter reads a Retry-After header: seconds, or a time. What cannot be read
// is as good as absent.
func retryAfter(text string, now time.Time) time.Duration {
	if text == "" { // as nearly always
		return 0
	}
	var asked time.Duration
	if at, err := http.ParseTime(text); err == nil {
		asked = at.Sub(now)
	} else {
		// Seconds out of range come back as the most that there are.
		seconds, _ := strconv.ParseUint(text, 10, 32)
		asked = time.Duration(seconds) * time.Second
	}
	return min(max(asked, 0), maxRetryAfter)
}
