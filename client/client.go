// Package client is a Go client for the partner interface of Dropyard: it
// signs requests, repeats those that may be repeated, verifies webhooks, and
// follows events where no webhook can arrive.
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

// Client calls one service with one API key. It is safe for concurrent use.
type Client struct {
	// BaseURL is the service's address without /v1 and without a slash at the end.
	BaseURL   string
	PublicKey string
	SecretKey string
	// HTTP sends the requests.
	HTTP *http.Client
	// Pauses are the waits before each further attempt at a request that was
	// answered with 429 or 5xx, or not at all. Empty: one attempt only.
	Pauses []time.Duration
}

// requestTimeout is a little more than the service takes for itself.
const requestTimeout = 35 * time.Second

// New makes a client that repeats as the interface advises: three times, after
// 1, 2 and 4 seconds.
func New(baseURL, publicKey, secretKey string) *Client {
	return &Client{
		BaseURL:   strings.TrimSuffix(baseURL, "/"),
		PublicKey: publicKey,
		SecretKey: secretKey,
		HTTP:      &http.Client{Timeout: requestTimeout},
		Pauses:    []time.Duration{time.Second, 2 * time.Second, 4 * time.Second},
	}
}

// Answer is what the service said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call sends a signed request. target is a path with /v1, and may have a
// query. A POST gets a fresh Idempotency-Key, the same for all its attempts,
// so that repeating it is safe. The error tells only that no answer came, or
// that target is no address; refusals are answers.
func (c *Client) Call(ctx context.Context, method, target string, body []byte) (*Answer, error) {
	key := ""
	if method == http.MethodPost {
		key = NewIdempotencyKey()
	}
	return c.CallWithKey(ctx, method, target, body, key)
}

// CallWithKey is Call with an Idempotency-Key of the caller's choice; empty
// sends none, and then a POST is not repeated.
func (c *Client) CallWithKey(ctx context.Context, method, target string, body []byte, key string) (*Answer, error) {
	for attempt := 0; ; attempt++ {
		request, err := c.Request(ctx, method, target, body, key) // anew, for its timestamp
		if err != nil {
			return nil, err
		}
		answer, err := c.send(request)
		worthRepeating := err != nil || answer.Status == http.StatusTooManyRequests || answer.Status >= 500
		safe := key != "" || method != http.MethodPost
		if !worthRepeating || !safe || attempt == len(c.Pauses) || ctx.Err() != nil {
			return answer, err
		}
		select {
		case <-time.After(c.pause(attempt, answer)):
		case <-ctx.Done():
			return answer, err
		}
	}
}

// pause is how long to wait before the next attempt: as planned, or longer if
// the service asks for it.
func (c *Client) pause(attempt int, answer *Answer) time.Duration {
	planned := c.Pauses[attempt]
	if answer == nil {
		return planned
	}
	return max(planned, answer.retryAfter())
}

// retryAfter is how long the service asks to wait; 0 if it does not.
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

// Request makes a signed request without sending it.
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

// NewIdempotencyKey draws a random UUID (RFC 9562, version 4).
func NewIdempotencyKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
