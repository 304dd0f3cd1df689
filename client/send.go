package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Answer is a response of the service, with its whole body.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// RequestID returns the id that identifies the request for support.
func (a *Answer) RequestID() string { return a.Header.Get("X-Request-Id") }

// Replayed reports whether the answer repeats that of an earlier request with the same
// Idempotency-Key.
func (a *Answer) Replayed() bool { return a.Header.Get("Idempotent-Replayed") == "true" }

// retryAfter returns how long the service asks to wait, or 0.
func (a *Answer) retryAfter() time.Duration {
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// cookie returns the value of a cookie that the answer sets, or "".
func (a *Answer) cookie(name string) string {
	for _, cookie := range (&http.Response{Header: a.Header}).Cookies() {
		if cookie.Name == name || cookie.Name == hostPrefix+name {
			return cookie.Value
		}
	}
	return ""
}

// hostPrefix is what the names of cookies begin with if the service is served over HTTPS.
const hostPrefix = "__Host-"

// addCookie adds a session's cookie under both of its names, because the base URL does not
// say which one the service uses: a proxy may be in between.
func addCookie(request *http.Request, name, value string) {
	request.AddCookie(&http.Cookie{Name: name, Value: value})
	request.AddCookie(&http.Cookie{Name: hostPrefix + name, Value: value})
}

// CallOption changes one call of a method.
type CallOption func(*callSettings)

type callSettings struct {
	key     string
	answers []*Answer
	query   url.Values // added to that of the operation
}

// WithIdempotencyKey sets the Idempotency-Key, a UUID, of a call that creates or cancels
// an order, or of an operator's change. Without it every call has a new one. Store the key before the
// call, and the call can be repeated after a crash: it returns the same result again. A
// key is valid for one call with one body, and for at least 72 hours.
func WithIdempotencyKey(key string) CallOption {
	return func(s *callSettings) { s.key = key }
}

// WithAnswer stores the last answer of a call, with its headers, in answer, whether it
// is a refusal or not. It stays unchanged if there was no answer.
func WithAnswer(answer *Answer) CallOption {
	return func(s *callSettings) { s.answers = append(s.answers, answer) }
}

// ForSpreadsheet makes the CSV file that a call returns one for spreadsheets: with a byte order
// mark, and with codes that spreadsheets do not change. With semicolons it is for one whose
// decimals have a comma, such as Excel in French.
func ForSpreadsheet(semicolons bool) CallOption {
	return func(s *callSettings) {
		s.query = url.Values{"bom": {"1"}}
		if semicolons {
			s.query.Set("separator", "semicolon")
		}
	}
}

// withLastAnswer returns the options, and one that stores the answer for the method itself.
func withLastAnswer(options []CallOption, answer *Answer) []CallOption {
	return append(options[:len(options):len(options)], WithAnswer(answer))
}

// operation is a request to one operation of the interface.
type operation struct {
	method  string
	path    string // has {id} where the id is inserted
	id      string
	query   url.Values
	body    any    // encoded as JSON; nil for none
	file    []byte // the body if it is not JSON
	kind    string // the media type of the file
	accept  string // the media type wanted; empty for JSON
	version int64  // of the object that was seen; 0 is not sent
	keyed   bool   // takes an Idempotency-Key
	safe    bool   // a POST without a key whose repetition does no harm
	once    bool   // not sent again, although that would do no harm
}

// repeatable reports whether the request may be sent again when its outcome is not known.
func (o *operation) repeatable() bool {
	return !o.once && (o.method != http.MethodPost || o.keyed || o.safe)
}

// caller adds its credentials to requests to its service.
type caller interface {
	service() *Service
	authorize(request *http.Request, body []byte) error
}

// fetch calls an operation and decodes the answer. A []byte is the body as it is.
func fetch[T any](ctx context.Context, c caller, o operation, options []CallOption) (*T, error) {
	settings := callSettings{}
	for _, option := range options {
		option(&settings)
	}
	if len(settings.query) > 0 {
		o.query = maps.Clone(o.query)
		if o.query == nil {
			o.query = url.Values{}
		}
		maps.Copy(o.query, settings.query)
	}
	answer, err := o.call(ctx, c, settings.key)
	if err != nil {
		return nil, err
	}
	for _, stored := range settings.answers {
		*stored = *answer
	}
	if err := answer.Err(); err != nil {
		return nil, err
	}
	result := new(T)
	if raw, ok := any(result).(*[]byte); ok {
		*raw = answer.Body
		return result, nil
	}
	if err := json.Unmarshal(answer.Body, result); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %w", o.method, o.path, ErrAnswer, err)
	}
	return result, nil
}

// call sends the request, again if that is safe, and returns the last answer.
func (o *operation) call(ctx context.Context, c caller, key string) (*Answer, error) {
	target, err := o.target()
	if err != nil {
		return nil, err
	}
	body, err := encode(o.body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.method, o.path, err)
	}
	if o.kind != "" {
		body = o.file
	}
	if o.keyed && key == "" {
		key = NewIdempotencyKey()
	}
	return exchange(ctx, c, o.repeatable(), func() (*http.Request, error) {
		sent := headers{"Accept": o.accept, "Content-Type": o.kind}
		if o.keyed {
			sent["Idempotency-Key"] = key
		}
		if o.version != 0 {
			sent["If-Match"] = strconv.Quote(strconv.FormatInt(o.version, 10))
		}
		return newRequest(ctx, c, o.method, target, body, sent)
	})
}

// target returns the path and query of the request. An id that would lead to another
// path is an error.
func (o *operation) target() (string, error) {
	target := o.path
	if strings.Contains(target, "{id}") {
		if o.id == "" || o.id == "." || o.id == ".." {
			return "", fmt.Errorf("%s %s: the id %q cannot exist", o.method, o.path, o.id)
		}
		target = strings.Replace(target, "{id}", url.PathEscape(o.id), 1)
	}
	if len(o.query) > 0 {
		target += "?" + o.query.Encode()
	}
	return target, nil
}

// encode returns a body as JSON, in which <, > and & stay as they are. It returns nil
// for nil.
func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// headers are headers of a request by name; those that are empty are not sent.
type headers map[string]string

// newRequest returns a request with headers and then credentials, because a signature may
// cover headers. A body is JSON unless they say otherwise.
func newRequest(
	ctx context.Context, c caller, method, target string, body []byte, sent headers,
) (*http.Request, error) {
	base := c.service().BaseURL
	if parsed, err := url.Parse(base); err != nil || parsed.Host == "" || !strings.HasPrefix(parsed.Scheme, "http") {
		return nil, fmt.Errorf("call %s: BaseURL: %q is not an address such as https://dropyard.example", target, base)
	}
	where, err := url.Parse(base + target)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", target, err)
	}
	request, err := http.NewRequestWithContext(ctx, method, where.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", target, err)
	}
	request.Header.Set("User-Agent", cmp.Or(c.service().UserAgent, defaultUserAgent()))
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range sent {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	if err := c.authorize(request, body); err != nil {
		return nil, fmt.Errorf("call %s: %w", target, err)
	}
	return request, nil
}

// exchange sends a request until the answer is final, or no further attempt is allowed,
// and returns the outcome of the last attempt. next returns the request for one attempt,
// because the signature covers the time.
func exchange(ctx context.Context, c caller, repeatable bool, next func() (*http.Request, error)) (*Answer, error) {
	s := c.service()
	for attempt := 0; ; attempt++ {
		request, err := next()
		if err != nil {
			return nil, err
		}
		answer, err := s.send(request)
		if !mayRepeat(answer, err, repeatable) || attempt == len(s.RetryDelays) {
			return answer, err
		}
		if !wait(ctx, s.retryDelay(attempt, answer)) {
			return answer, err
		}
	}
}

// mayRepeat reports whether a request may be sent again after its outcome. 429 means
// that the service has done nothing; any other failure allows it only if the request is
// repeatable.
func mayRepeat(answer *Answer, err error, repeatable bool) bool {
	switch {
	case err != nil:
		return repeatable
	case answer.Status == http.StatusTooManyRequests:
		return true
	case answer.Status == http.StatusConflict:
		return repeatable && CodeOf(answer.Err()) == CodeIdempotencyInProgress
	default:
		return repeatable && answer.Status >= 500
	}
}

// retryDelay returns how long to wait before the next attempt: as long as the service
// asks for, or else as RetryDelays says.
func (s *Service) retryDelay(attempt int, answer *Answer) time.Duration {
	if answer != nil {
		if asked := answer.retryAfter(); asked > 0 {
			return asked
		}
	}
	return s.RetryDelays[attempt]
}

// maxRetryAfter is the longest that a call waits because the service asks for it. The
// caller of a call that should wait longer decides itself, by Error.RetryAfter.
const maxRetryAfter = 2 * time.Minute

// wait waits, and reports whether a further attempt may follow. It returns false
// immediately if the context would end before.
func wait(ctx context.Context, delay time.Duration) bool {
	deadline, limited := ctx.Deadline()
	if delay > maxRetryAfter || limited && time.Until(deadline) <= delay {
		return false
	}
	select {
	case <-time.After(delay):
		return true
	case <-ctx.Done():
		return false
	}
}

// ErrAnswer means that an answer cannot be one of the service: it is not the JSON that was
// expected, has no end, or was cut off. A proxy may have answered in its place. Whether
// the request has taken effect is not known.
var ErrAnswer = errors.New("the answer is not that of the service")

// send sends one request and reads the whole answer.
func (s *Service) send(request *http.Request) (*Answer, error) {
	response, err := s.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: it cannot be read to its end: %w", ErrAnswer, err)
	case len(content) > maxAnswer:
		return nil, fmt.Errorf("%w: it is longer than 256 MiB", ErrAnswer)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: content}, nil
}

// maxAnswer is the greatest body that is read, in bytes. A page of 500 orders with all
// texts at their limits is smaller.
const maxAnswer = 256 << 20
