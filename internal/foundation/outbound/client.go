package outbound

import (
	"bytes"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// maxHeader is how many bytes an answer may have before its body, including
	// interim (1xx) answers.
	maxHeader = 16 << 10
	// maxBody is how many bytes of an answer's body are read and discarded.
	maxBody = 16 << 10
	// maxRetryAfter is the longest wait that Post returns.
	maxRetryAfter = 48 * time.Hour

	userAgent = "Dropyard-Webhooks/1"
)

// outside is what a client uses of its machine, and its time limits. Tests set
// their own.
type outside struct {
	resolver   *net.Resolver              // nil means the default one
	roots      *x509.CertPool             // nil means those of the machine
	interfaces func() ([]net.Addr, error) // the machine's own addresses

	connect   time.Duration // to resolve the name and to connect
	handshake time.Duration // of TLS
	whole     time.Duration // from the call of Post to the end of the answer's header
	rest      time.Duration // for the body after that

	kept int // connections that wait for another request, at most
}

// Client posts to partners' endpoints. Its methods may be called by many
// goroutines at once.
type Client struct {
	outside
	policy    Policy
	transport *http.Transport
	keeper    keeper
}

// NewClient returns a client that follows the policy. Close it when it is no longer
// used.
func NewClient(p Policy) *Client {
	return newClient(p, outside{
		interfaces: net.InterfaceAddrs,
		connect:    5 * time.Second, handshake: 5 * time.Second, whole: 15 * time.Second, rest: time.Second,
		kept: MaxRequests() / 2,
	})
}

func newClient(p Policy, world outside) *Client {
	p.Networks = slices.Clone(p.Networks) // the caller may change its own
	c := &Client{outside: world, policy: p}
	c.keeper.most = int64(world.kept)
	var http1 http.Protocols
	http1.SetHTTP1(true)
	// Proxy stays nil: a proxy from the environment would reach addresses that
	// dial refuses.
	c.transport = &http.Transport{
		DialContext:            c.dial,
		DialTLSContext:         c.dialTLS,
		Protocols:              &http1,
		DisableCompression:     true,
		ReadBufferSize:         2 << 10,
		WriteBufferSize:        2 << 10,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           0,  // no limit: the keeper sets one
		MaxIdleConnsPerHost:    10, // as many requests as one endpoint gets at once
		IdleConnTimeout:        20 * time.Second,
	}
	return c
}

// CheckURL returns a *URLError if a URL cannot be an endpoint, and nil otherwise.
func (c *Client) CheckURL(text string) error { return c.policy.CheckURL(text) }

// Close closes the connections that are not in use.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Header is one line of a request's header.
type Header struct{ Name, Value string }

// CloseConnection is a header by which the caller asks Post not to keep the connection.
var CloseConnection = Header{"Connection", "close"}

// Answer is the outcome of one request.
type Answer struct {
	Status     int           // the HTTP status; 0 if there was no answer
	RetryAfter time.Duration // the wait that the receiver asks for, at most 48 h; 0 if it does not
	Took       time.Duration // until the answer's header has come, or the request has failed
	Problem    string        // why there was no answer, in words for partners; empty if there was one
}

// Post posts a body once and returns the first final answer. It does not follow
// redirects. With a header "Connection: close" it closes the connection afterwards.
func (c *Client) Post(ctx context.Context, url string, headers []Header, body []byte) Answer {
	began := time.Now()
	bounded, cancel := context.WithTimeout(ctx, c.whole)
	defer cancel()
	keep := !slices.Contains(headers, CloseConnection) && c.keeper.keep()
	if keep {
		defer c.keeper.release()
	}
	var heard atomic.Bool
	response, err := c.send(bounded, &heard, keep, url, headers, body)
	took := time.Since(began)
	switch {
	case ctx.Err() != nil && err != nil:
		return Answer{Took: took, Problem: "broken off before an answer"}
	case err != nil:
		return Answer{Took: took, Problem: c.problem(err, bounded.Err() != nil, heard.Load())}
	}
	defer func() { _ = response.Body.Close() }()
	c.finish(response, cancel)
	if response.StatusCode < 100 { // net/http accepts 000 to 099, which are not status codes
		return Answer{Took: took, Problem: problemInvalid}
	}
	return Answer{
		Status:     response.StatusCode,
		RetryAfter: retryAfter(response.Header.Get("Retry-After"), began.Add(took)),
		Took:       took,
	}
}

// send sends a request and returns when the answer's header has come. It sets heard
// at the first byte of an answer, and closes the connection after the answer unless it
// is to be kept. It uses the transport without an http.Client,
// which would add redirects and cookies.
func (c *Client) send(
	ctx context.Context, heard *atomic.Bool, keep bool, url string, headers []Header, body []byte,
) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { heard.Store(true) }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil || c.policy.check(url, request.URL) != nil { // the policy may have changed since the URL was set
		return nil, errRefused
	}
	for _, h := range headers {
		request.Header.Add(h.Name, h.Value)
	}
	request.Header.Set("User-Agent", userAgent)
	request.Close = !keep
	return c.transport.RoundTrip(request)
}

// RoundTrip sends a request of a client that has a protocol of its own, such as OpenID
// Connect, to what Post may reach. The caller bounds the time and what it reads of the answer.
func (c *Client) RoundTrip(request *http.Request) (*http.Response, error) {
	if c.policy.check(request.URL.String(), request.URL) != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, errRefused
	}
	once := request.Clone(request.Context()) // the caller's must not be changed
	once.Close = true                        // the keeper bounds only the connections of Post
	return c.transport.RoundTrip(once)
}

// finish reads the rest of an answer, so that the connection can be used again. If
// that takes too long or is too much it gives up; the connection is then closed
// with the body.
func (c *Client) finish(response *http.Response, cancel context.CancelFunc) {
	// After 101 the connection uses another protocol, and cancel does not end it.
	if response.Body == http.NoBody || response.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	timer := time.AfterFunc(c.rest, cancel)
	defer timer.Stop()
	// With one byte more, the end of a body of maxBody bytes is read too.
	_, _ = io.CopyN(io.Discard, response.Body, maxBody+1)
}

// retryAfter parses a Retry-After header, which has seconds or a time. It returns 0
// if there is none or it cannot be parsed.
func retryAfter(text string, now time.Time) time.Duration {
	if text == "" { // the usual case
		return 0
	}
	var asked time.Duration
	if at, err := http.ParseTime(text); err == nil {
		asked = at.Sub(now)
	} else {
		// For a number that is too large ParseUint returns the largest one.
		seconds, _ := strconv.ParseUint(text, 10, 32)
		asked = time.Duration(seconds) * time.Second
	}
	return min(max(asked, 0), maxRetryAfter)
}
