package api

import (
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/strictjson"
)

// call is one request on its way through the interface.
type call struct {
	*http.Request
	id     string      // the X-Request-Id of the answer
	header http.Header // of the answer
	body   []byte      // the whole body, exactly as sent
	// partnerID is who signed the request, once that is known.
	partnerID string
	// operator is who sent the bearer token, once that is known.
	operator *operator.Operator
}

// reply is the answer of a handler: a status and JSON, unless the handler has
// set another Content-Type.
type reply struct {
	status int
	body   []byte
}

// ok answers 200 with a value in JSON.
func ok(value any) (reply, error) { return answer(http.StatusOK, value) }

// created answers 201 with a value in JSON.
func created(value any) (reply, error) { return answer(http.StatusCreated, value) }

func answer(status int, value any) (reply, error) {
	body, err := strictjson.Marshal(value)
	return reply{status, body}, err
}

// serve wraps a route's handler in all that comes before and after it.
func (s *Server) serve(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, header: w.Header()}
		defer func() {
			if fault := recover(); fault != nil {
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
	if err := c.readBody(); err != nil {
		return err
	}
	switch route.Access {
	case AccessSigned:
		return s.authenticate(c)
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
		return delivery.Refuse(delivery.CodeForbidden, "this request comes from another site")
	}
	return nil
}

// send writes the answer, or the error that came instead.
func (s *Server) send(w http.ResponseWriter, c *call, answer reply, err error) {
	if err != nil {
		answer = s.refusal(c, err)
	}
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(answer.body)))
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body) // a caller who has gone is nobody's fault
}

const (
	// maxBody is the most that a request's body may hold, in bytes.
	maxBody = 1 << 20
	// maxDrained is how much of a body that is too large is still read, so that
	// its sender gets to see the answer rather than a broken connection.
	maxDrained = 16 << 20
)

func (c *call) readBody() error {
	if c.ContentLength == 0 {
		return nil
	}
	data, err := readAll(c.Body, c.ContentLength)
	switch {
	case err != nil:
		return delivery.Refuse(delivery.CodeBadRequest, "the body could not be read to its end")
	case len(data) > maxBody:
		_, _ = io.CopyN(io.Discard, c.Body, maxDrained)
		return delivery.Refuse(delivery.CodePayloadTooLarge, fmt.Sprintf("a body may have at most %d bytes", maxBody))
	}
	c.body = data
	return nil
}

// readAll reads a body of known length in one piece, and of unknown length as
// it comes; at most one byte more than is allowed.
func readAll(body io.Reader, length int64) ([]byte, error) {
	if length < 0 || length > maxBody {
		return io.ReadAll(io.LimitReader(body, maxBody+1))
	}
	data := make([]byte, length)
	_, err := io.ReadFull(body, data)
	return data, err
}

// json parses the body, which must be there and say that it is JSON.
func (c *call) json() (delivery.Source, error) {
	kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, delivery.Refuse(delivery.CodeUnsupportedMediaType, "send the body as application/json")
	}
	return strictjson.Parse(c.body)
}

// query reads query parameters and notes every fault in them.
type query struct {
	values   url.Values
	problems delivery.Problems
}

// query parses the query string, which must be well-formed.
func (c *call) query() (*query, error) {
	values, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return nil, delivery.Refuse(delivery.CodeBadRequest, "the query string is malformed")
	}
	for name, all := range values {
		for _, text := range append(all, name) {
			if !isText(text) {
				return nil, delivery.Refuse(delivery.CodeBadRequest, "the query string is not UTF-8 text")
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
func (q *query) oneOf(name string, rule delivery.TextRule) string {
	text := q.text(name)
	if text != "" && !rule.Allows(text) {
		q.problems.Add(name, text, rule.Expected)
		return ""
	}
	return text
}

// integer reads a whole number between two bounds, or the default.
func (q *query) integer(name string, otherwise, least, most int) int {
	text := q.text(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.Atoi(text)
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
	at, ok := delivery.ParseTime(text)
	if !ok {
		q.problems.Add(name, text, "an RFC 3339 date-time with offset")
	}
	return at
}

// maxOffset keeps offsets in what every database takes.
const maxOffset = 1 << 40

// address is where the request came from, without the port.
func (c *call) address() string {
	host, _, err := net.SplitHostPort(c.RemoteAddr)
	if err != nil {
		return c.RemoteAddr
	}
	return host
}
