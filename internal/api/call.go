package api

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/operator"
)

// call is one request on its way through the interface.
type call struct {
	*http.Request
	id     string      // the X-Request-Id of the answer
	header http.Header // of the answer
	body   []byte      // the whole body, exactly as sent
	// partnerID is who signed the request, once that is known.
	partnerID string
	// secret is the key that it was signed with.
	secret []byte
	// operator is who asks, where that is an operator.
	operator *operator.Operator
	// status is that of the answer, once it is sent.
	status int
}

// reply is the answer of a handler: a status and JSON, unless the handler has
// set another Content-Type.
type reply struct {
	status int
	body   []byte
	// stream, if there is one, writes the body piece by piece.
	stream func(io.Writer) error
}

// ok answers 200 with a value in JSON.
func ok(value any) (reply, error) { return answer(http.StatusOK, value) }

// created answers 201 with a value in JSON.
func created(value any) (reply, error) { return answer(http.StatusCreated, value) }

func answer(status int, value any) (reply, error) {
	body, err := strictjson.Marshal(value)
	return reply{status: status, body: body}, err
}

// serve wraps a route's handler in all that comes before and after it.
func (s *Server) serve(route Route, observer RouteObserver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, header: w.Header()}
		observer.Started()
		begun := time.Now() // the real clock: it measures work
		defer func() { observer.Finished(r.Method, c.status, time.Since(begun)) }()
		defer func() {
			if fault := recover(); fault == http.ErrAbortHandler { //nolint:errorlint // this very value
				panic(fault)
			} else if fault != nil {
				s.send(w, c, reply{}, fmt.Errorf("panic: %v\n%s", fault, debug.Stack()))
			}
		}()
		var answer reply
		err := s.admit(route, c)
		if err == nil {
			answer, err = route.handle(s, c)
		}
		s.send(w, c, answer, err)
	})
}

// admit gives the request its id, reads its body and checks who sent it.
func (s *Server) admit(route Route, c *call) error {
	var id [10]byte
	if _, err := io.ReadFull(s.Random, id[:]); err != nil {
		return err
	}
	c.id = "req_" + hex.EncodeToString(id[:])
	c.header.Set("X-Request-Id", c.id)
	if route.Access == AccessTracking {
		public(c.header)
	}
	if err := c.readBody(route.MaxBody()); err != nil {
		return err
	}
	switch route.Access {
	case AccessSigned:
		return s.authenticate(c)
	case AccessPartner:
		return s.authenticatePartner(c)
	case AccessTracking:
		return s.limitTracking(c)
	case AccessOperator:
		return s.authenticateOperator(c, route.Roles)
	case accessNobody:
		return nil
	default:
		return s.refuseCrossSite(c)
	}
}

func (s *Server) refuseCrossSite(c *call) error {
	if s.sameSite.Check(c.Request) != nil {
		return refusal.New(refusal.CodeForbidden, "this request comes from another site")
	}
	return nil
}

// send writes the answer, or the error that came instead.
func (s *Server) send(w http.ResponseWriter, c *call, answer reply, err error) {
	if err != nil {
		answer = s.refusal(c, err)
	}
	c.status = answer.status
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if answer.stream != nil {
		s.sendStream(w, c, answer)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(answer.body)))
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body) // a caller who has gone is nobody's fault
}

// sendStream writes an answer piece by piece. One that cannot be finished is
// broken off, so that nobody takes it for whole.
func (s *Server) sendStream(w http.ResponseWriter, c *call, answer reply) {
	w.WriteHeader(answer.status)
	if c.Method == http.MethodHead {
		return
	}
	if err := answer.stream(w); err != nil {
		s.Log.ErrorContext(c.Context(), "answer broken off", "request_id", c.id, "path", c.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
}

const (
	// maxBody is the most that a request's body may hold, in bytes.
	maxBody = 1 << 20
	// maxDrained is how much of a body that is too large is still read, so that
	// its sender gets to see the answer rather than a broken connection.
	maxDrained = 16 << 20
	// maxPublicBody is the most that a body may hold of someone who is not
	// known yet: reading it must not be worth an attacker's while.
	maxPublicBody = 64 << 10
	// firstRead is how much room a body gets before any of it has come.
	firstRead = 16 << 10
)

func (c *call) readBody(most int64) error {
	if c.ContentLength == 0 {
		return nil
	}
	data, err := readAll(c.Body, c.ContentLength, most)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refusal.New(refusal.CodeUnavailable, "the body did not come in time")
	case err != nil:
		return refusal.New(refusal.CodeBadRequest, "the body could not be read to its end")
	case int64(len(data)) > most:
		_, _ = io.CopyN(io.Discard, c.Body, maxDrained)
		return refusal.New(refusal.CodePayloadTooLarge, fmt.Sprintf("a body may have at most %d bytes here", most))
	}
	c.body = data
	return nil
}

// readAll reads a body, at most one byte more than is allowed.
func readAll(body io.Reader, length, most int64) ([]byte, error) {
	if length < 0 || length > most {
		return io.ReadAll(io.LimitReader(body, most+1))
	}
	// A length is only a claim: memory follows what has come.
	data := bytes.NewBuffer(make([]byte, 0, min(length, firstRead)+bytes.MinRead))
	came, err := data.ReadFrom(io.LimitReader(body, length))
	if err == nil && came < length {
		err = io.ErrUnexpectedEOF
	}
	return data.Bytes(), err
}

// json parses the body, which must be there and say that it is JSON.
func (c *call) json() (form.Source, error) {
	kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, refusal.New(refusal.CodeUnsupportedMediaType, "send the body as application/json")
	}
	return strictjson.Parse(c.body)
}

// optionalJSON parses a body that may be left out; nil if it is.
func (c *call) optionalJSON() (form.Source, error) {
	if len(c.body) == 0 {
		return nil, nil
	}
	return c.json()
}

// cursorExpected is what a fault of a cursor says was expected.
const cursorExpected = "the next_cursor of an earlier answer"

// query reads query parameters and notes every fault in them.
type query struct {
	values   url.Values
	problems form.Problems
}

// query parses the query string, which must be well-formed.
func (c *call) query() (*query, error) {
	values, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return nil, refusal.New(refusal.CodeBadRequest, "the query string is malformed")
	}
	for name, all := range values {
		for _, text := range append(all, name) {
			if !isText(text) {
				return nil, refusal.New(refusal.CodeBadRequest, "the query string is not UTF-8 text")
			}
		}
	}
	return &query{values: values}, nil
}

// isText tells whether every database takes the text: UTF-8 without NUL.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// text is a parameter as sent, empty if it was not. Sending it twice is a
// fault: nobody can tell which of them was meant.
func (q *query) text(name string) string {
	if len(q.values[name]) > 1 {
		q.problems.Add(name, nil, "a single value")
		return ""
	}
	return q.values.Get(name)
}

// oneOf reads a parameter that takes only the words of a rule.
func (q *query) oneOf(name string, rule form.TextRule) string {
	text := q.text(name)
	if text != "" && !rule.Allows(text) {
		q.problems.Add(name, text, rule.Expected)
		return ""
	}
	return text
}

// integer reads a whole number between two bounds, or the default.
func (q *query) integer(name string, otherwise, least, most int64) int64 {
	text := q.text(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < least || number > most {
		q.problems.Add(name, text, fmt.Sprintf("an integer from %d to %d", least, most))
		return otherwise
	}
	return number
}

// time reads an RFC 3339 date-time; the zero time if it was not sent.
func (q *query) time(name string) time.Time {
	text := q.text(name)
	if text == "" {
		return time.Time{}
	}
	at, ok := timestamp.Parse(text)
	if !ok {
		q.problems.Add(name, text, "an RFC 3339 date-time with offset")
	}
	return at
}

// maxOffset keeps offsets in what every database takes.
const maxOffset = 1 << 40

// pathID is an id in the path; empty, which is nobody's, if it is no text that
// a database can be asked for.
func (c *call) pathID(name string) string {
	id := c.PathValue(name)
	if !isText(id) {
		return ""
	}
	return id
}
