package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/signature"
)

// Client calls a service with an API key. Many goroutines may use it. It can do
// everything that a [Service] can.
type Client struct {
	Service
	PublicKey string // pk_…
	SecretKey string // sk_…; never sent
	// Signatures is the version with which requests are signed, [SignatureV1] if it is empty.
	Signatures SignatureVersion
}

// SignatureVersion is a version of signatures of requests.
type SignatureVersion string

// The versions of signatures. Version 2 also covers the query, the Idempotency-Key and the
// Content-Type, and each change is accepted once. Every key accepts it, and some require it.
const (
	SignatureV1 SignatureVersion = "v1"
	SignatureV2 SignatureVersion = "v2"
)

// New returns a client with an API key; see [NewService] for timeouts and retries.
func New(baseURL, publicKey, secretKey string) *Client {
	return &Client{Service: *NewService(baseURL), PublicKey: publicKey, SecretKey: secretKey}
}

// variables are the environment variables that [FromEnvironment] reads, in the order of the arguments of New.
var variables = [...]string{"DROPYARD_URL", "DROPYARD_KEY", "DROPYARD_SECRET"}

// FromEnvironment returns a client for the service at DROPYARD_URL, with the API key DROPYARD_KEY and its secret
// DROPYARD_SECRET. The error names what is not set.
func FromEnvironment() (*Client, error) {
	var values [len(variables)]string
	var missing []string
	for i, name := range variables {
		if values[i] = os.Getenv(name); values[i] == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, errors.New("not set in the environment: " + strings.Join(missing, ", "))
	}
	return New(values[0], values[1], values[2]), nil
}

// authorize signs a request (docs/contract.md, Signatures). It fails if a key is missing.
func (c *Client) authorize(request *http.Request, body []byte) error {
	switch {
	case c.PublicKey == "":
		return errors.New("the client has no PublicKey")
	case c.SecretKey == "":
		return errors.New("the client has no SecretKey")
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	signed := signature.Request{Timestamp: timestamp, Method: request.Method, Path: request.URL.EscapedPath(), Body: body}
	request.Header.Set("X-Api-Key", c.PublicKey)
	request.Header.Set("X-Timestamp", timestamp)
	if c.Signatures != SignatureV2 {
		request.Header.Set("X-Signature", signed.Sign([]byte(c.SecretKey)))
		return nil
	}
	second := signature.RequestV2{
		Request: signed, Query: request.URL.RawQuery, IdempotencyKey: request.Header.Get("Idempotency-Key"),
		ContentType: request.Header.Get("Content-Type"), Nonce: NewIdempotencyKey(), // any text will do that is new
	}
	request.Header.Set("X-Nonce", second.Nonce)
	request.Header.Set("X-Signature", second.Sign([]byte(c.SecretKey)))
	return nil
}

// Call sends a signed request to any path, also one that this package has no method for,
// and returns the answer. target is a path with /v1, and may have a query. A POST or
// PATCH gets a new Idempotency-Key, the same for all its attempts, so that it can be repeated
// safely.
// An answer of any status is not an error; see [Answer.Err]. The error means that there
// was no answer, or that the target is not valid.
func (c *Client) Call(ctx context.Context, method, target string, body []byte) (*Answer, error) {
	key := ""
	if wantsKey(method) {
		key = NewIdempotencyKey()
	}
	return c.CallWithKey(ctx, method, target, body, key)
}

// wantsKey reports whether a request must not simply be repeated.
func wantsKey(method string) bool { return method == http.MethodPost || method == http.MethodPatch }

// CallWithKey is like Call, with the caller's Idempotency-Key. If the key is empty none
// is sent, and then a POST or PATCH is retried only after 429.
func (c *Client) CallWithKey(ctx context.Context, method, target string, body []byte, key string) (*Answer, error) {
	return exchange(ctx, c, key != "" || !wantsKey(method), func() (*http.Request, error) {
		return c.Request(ctx, method, target, body, key)
	})
}

// Request returns a signed request, which it does not send.
func (c *Client) Request(ctx context.Context, method, target string, body []byte, key string) (*http.Request, error) {
	return newRequest(ctx, c, method, target, body, headers{"Idempotency-Key": key})
}

// NewIdempotencyKey returns a random UUID (RFC 9562, version 4).
func NewIdempotencyKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
