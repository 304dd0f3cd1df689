// Package client is a Go client for the partner interface of Dropyard. It signs
// requests, retries those that can be repeated safely, verifies webhooks, and
// follows events on machines that webhooks cannot reach.
//
//	c := client.New("http://127.0.0.1:8080", "pk_…", "sk_…")
//	answer, err := c.Call(ctx, "POST", "/v1/orders", order)
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/signature"
)

// Client calls one service with one API key. Many goroutines may use it.
type Client struct {
	// BaseURL is the service's address, without /v1 and without a trailing slash.
	BaseURL   string
	PublicKey string
	SecretKey string
	// HTTP sends the requests.
	HTTP *http.Client
	// RetryDelays are the delays before the second and further attempts at a
	// request that was answered with 429 or 5xx, or not at all. If it is empty, a
	// request is sent once.
	RetryDelays []time.Duration
}

// requestTimeout is a little longer than the service's own timeout.
const requestTimeout = 35 * time.Second

// New returns a client that retries as the interface advises: three times, after
// 1, 2 and 4 seconds.
func New(baseURL, publicKey, secretKey string) *Client {
	return &Client{
		BaseURL:     strings.TrimSuffix(baseURL, "/"),
		PublicKey:   publicKey,
		SecretKey:   secretKey,
		HTTP:        &http.Client{Timeout: requestTimeout},
		RetryDelays: []time.Duration{time.Second, 2 * time.Second, 4 * time.Second},
	}
}

// Answer is a response of the service, with its whole body.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call sends a signed request and returns the answer. target is a path with /v1,
// and may have a query. A POST gets a new Idempotency-Key, the same for all its
// attempts, so that it can be repeated safely. An answer of any status is not an
// error; see [Answer.Err]. The error means that there was no answer, or that the
// target is not valid.
func (c *Client) Call(ctx context.Context, method, target string, body []byte) (*Answer, error) {
	key := ""
	if method == http.MethodPost {
		key = NewIdempotencyKey()
	}
	return c.CallWithKey(ctx, method, target, body, key)
}

// CallWithKey is like Call, with the caller's Idempotency-Key. If the key is empty
// none is sent, and then a POST is not retried.
func (c *Client) CallWithKey(ctx context.Context, method, target string, body []byte, key string) (*Answer, error) {
	for attempt := 0; ; attempt++ {
		request, err := c.Request(ctx, method, target, body, key) // for each attempt, because it holds the time
		if err != nil {
			return nil, err
		}
		answer, err := c.send(request)
		mayPass := err != nil || answer.Status == http.StatusTooManyRequests || answer.Status >= 500
		safe := key != "" || method != http.MethodPost
		if !mayPass || !safe || attempt == len(c.RetryDelays) || ctx.Err() != nil {
			return answer, err
		}
		select {
		case <-time.After(c.retryDelay(attempt, answer)):
		case <-ctx.Done():
			return answer, err
		}
	}
}

// retryDelay returns how long to wait before the next attempt: at least as long as
// the service asks for.
func (c *Client) retryDelay(attempt int, answer *Answer) time.Duration {
	delay := c.RetryDelays[attempt]
	if answer == nil {
		return delay
	}
	return max(delay, answer.retryAfter())
}

// retryAfter returns how long the service asks to wait, or 0.
func (a *Answer) retryAfter() time.Duration {
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func (c *Client) send(request *http.Request) (*Answer, error) {
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: content}, nil
}

// Request returns a signed request, which it does not send.
func (c *Client) Request(ctx context.Context, method, target string, body []byte, key string) (*http.Request, error) {
	where, err := url.Parse(c.BaseURL + target)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", target, err)
	}
	request, err := http.NewRequestWithContext(ctx, method, where.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", target, err)
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	signed := signature.Request{Timestamp: timestamp, Method: method, Path: where.EscapedPath(), Body: body}
	request.Header.Set("X-Api-Key", c.PublicKey)
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Signature", signed.Sign([]byte(c.SecretKey)))
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return request, nil
}

// NewIdempotencyKey returns a random UUID (RFC 9562, version 4).
func NewIdempotencyKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
