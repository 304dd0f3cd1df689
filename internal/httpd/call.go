package httpd

import (
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/web"
)

// Call holds one request while it is served.
type Call struct {
	*http.Request
	server *Server

	Route       *Route
	RequestID   string      // the X-Request-Id of the response
	ReplyHeader http.Header // of the response
	Content     []byte      // the whole body, exactly as sent

	// Principal is who makes the request: set by Callers, nil for signed requests.
	Principal any
	// PersonID is the user or operator whose session, token or password the request
	// has; empty for signed requests.
	PersonID string
	// Account is the account of the partner who signed the request or is logged in:
	// the test account if the key or the session's request is in test mode. It is set
	// by authentication.
	Account string
	// payee is whose rate a request on a page counts against: a person's own, so that
	// programs cannot use it up. It is empty elsewhere, where it is the partner's.
	payee string
	// Payer is the partner or operator whose share of the memory the call uses; empty
	// for strangers. It is set as soon as the sender is known (see Server.vouch).
	Payer string
	// Key is the API key that the request was signed with; nil in a session.
	Key *Key
	// namedKey is the API key that the request names, which may be forged.
	namedKey *Key
	// unverified is why the signature was refused; nil if it was not.
	unverified error

	// Status is the status of the response, once it is sent, and Code the code of its error.
	Status int
	Code   refusal.Code
	// sent is how many bytes of the body of the response were written.
	sent int64
	// What the log of signed requests holds besides: the id of what was created, and the
	// beginning of the body if it was refused.
	Created string
	Refused []byte

	// held is how many bytes of the memory the call holds, as the share of holder.
	held   int64
	holder string
	// working is how much of the memory's work the call holds.
	working int64
	// watched is set while the call is watched (see watches).
	watched *watched
	// entered is set while the call counts among the requests of its account.
	entered bool
}

// Reply is the response of a handler: a status and a body. The body is JSON
// unless the handler has set another Content-Type.
type Reply struct {
	Status int
	Body   []byte
	// Stream, if not nil, writes the body in pieces, instead of Body.
	Stream func(io.Writer) error
}

// size returns how many bytes the reply takes up.
func (r Reply) size() int64 {
	if r.Stream != nil {
		return streamBytes
	}
	return int64(cap(r.Body))
}

// OK returns a 200 with a value in JSON.
func OK(value any) (Reply, error) { return Answer(http.StatusOK, value) }

// Created returns a 201 with a value in JSON.
func Created(value any) (Reply, error) { return Answer(http.StatusCreated, value) }

// Answer returns a value in JSON with a status.
func Answer(status int, value any) (Reply, error) {
	body, err := strictjson.Marshal(value)
	return Reply{Status: status, Body: body}, err
}

// serve returns an http.Handler that admits a request, calls the route's handler,
// and sends its reply or error.
func (s *Server) serve(route Route, observer RouteObserver) http.Handler {
	deprecation := s.config.Deprecated[route.Method+" "+route.Pattern]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deprecation.announce(s.config.BaseURL, w.Header())
		if route.Long {
			lengthened, cancel := lengthen(w, r)
			defer cancel()
			r = lengthened
		}
		r, span := s.config.Tracer.Serve(r, route.Pattern)
		c := &Call{Request: r, server: s, Route: &route, ReplyHeader: w.Header()}
		if len(r.TransferEncoding) > 0 && r.ProtoMajor == 1 {
			// net/http ignores a Content-Length beside it, which a proxy may have gone by: then
			// the two would disagree about where the next request of the connection begins.
			c.ReplyHeader.Set("Connection", "close")
		}
		observer.Started()
		start := time.Now() // the real clock, because it measures work
		defer func() {
			took := time.Since(start)
			observer.Finished(r.Method, c.Status, took)
			if c.Key != nil && s.config.LogSigned != nil {
				s.config.LogSigned(c, took)
			}
			s.logAccess(c, start, took)
			c.endSpan(span)
		}()
		defer func() {
			if panicked := recover(); panicked == http.ErrAbortHandler { //nolint:errorlint // net/http compares it, too
				panic(panicked)
			} else if panicked != nil {
				s.send(w, c, Reply{}, fmt.Errorf("panic: %v\n%s", panicked, debug.Stack()))
			}
		}()
		defer s.leave(c)
		answer, err := s.answer(w, c)
		s.noteSecurity(c, answer.Status, err)
		s.send(w, c, answer, err)
	})
}

// answer returns what the route's handler answers, or why the request is refused.
func (s *Server) answer(w http.ResponseWriter, c *Call) (Reply, error) {
	if err := s.admit(c); err != nil {
		return Reply{}, s.turnAway(w, c, err)
	}
	defer c.endWork()
	if c.Route.TakesKey() {
		return s.handleOnce(c)
	}
	if c.Route.changesNothing() {
		s.watch(c)
	}
	answer, err := c.Route.Handle(c)
	if lost := c.lost(); lost != nil {
		return Reply{}, lost
	}
	return answer, err
}

// admit gives the request its id, reads its body, and checks that the caller may
// use the route. Only a signature needs the body; everything else is checked before
// the body is read.
func (s *Server) admit(c *Call) error {
	var id [10]byte
	if _, err := io.ReadFull(s.config.Random, id[:]); err != nil {
		return err
	}
	c.RequestID = "req_" + hex.EncodeToString(id[:])
	c.ReplyHeader.Set("X-Request-Id", c.RequestID)
	if c.Route.Access == AccessTracking {
		public(c.ReplyHeader)
		if _, isPage := s.pages[c.Pattern]; isPage {
			c.ReplyHeader.Add("Vary", "Accept") // refusals, too, are pages or JSON
		}
	}
	identify := s.authorizeAndRead
	if c.Route.signs(c) {
		identify = s.readAndVerify
	}
	if err := identify(c); err != nil {
		return err
	}
	if err := c.refuseRepeated(); err != nil {
		return err
	}
	return c.refuseEncoded()
}

// readAndVerify reads the body, which is part of what is signed, and then checks the
// signature.
func (s *Server) readAndVerify(c *Call) error {
	if err := s.readBody(c); err != nil {
		return err
	}
	if len(c.Content) > maxStrangerBody {
		return c.WithPermit(PermitBody, func() error { return s.authenticateSigned(c) })
	}
	return s.authenticateSigned(c)
}

// authorizeAndRead checks the caller of a request that is not signed, and then reads
// the body. It checks a person once more afterwards, because the client decides how
// long the body takes, and the person may have been removed meanwhile.
func (s *Server) authorizeAndRead(c *Call) error {
	if err := s.authorize(c); err != nil {
		return err
	}
	if err := s.readBody(c); err != nil || len(c.Content) == 0 {
		return err
	}
	return s.authorizeAgain(c)
}

// authorizeAgain checks a person that authorize has admitted.
func (s *Server) authorizeAgain(c *Call) (err error) {
	switch c.Route.Access {
	case AccessPartner, AccessSession, AccessPage:
		err = s.config.Callers.UserAgain(c)
	case AccessOperator:
		err = s.config.Callers.Operator(c)
	case AccessPublic, AccessTracking, AccessSigned, accessNone: // there is no session
	}
	return err
}

// refuseEncoded refuses a body that is compressed: the service reads it as it is.
func (c *Call) refuseEncoded() error {
	if encoding := c.Header.Get("Content-Encoding"); len(c.Content) > 0 && encoding != "" &&
		!strings.EqualFold(encoding, "identity") {
		return refusal.New(refusal.CodeUnsupportedMediaType, "send the body as it is, without Content-Encoding")
	}
	return nil
}

// signs reports whether a call of the route must be signed. On a route of
// AccessPartner a key wins over the session: a client sends it on purpose, a browser
// sends its cookie always.
func (r Route) signs(c *Call) bool {
	return r.Access == AccessSigned ||
		r.Access == AccessPartner && (c.Header.Get("X-Api-Key") != "" || c.Token(web.Partners) == "")
}

// authorize checks that the caller of a request that is not signed may use the
// route.
func (s *Server) authorize(c *Call) error {
	switch c.Route.Access {
	case AccessPartner, AccessSession, AccessPage:
		return s.authenticateSession(c)
	case AccessTracking:
		return s.limitTracking(c)
	case AccessOperator:
		return s.config.Callers.Operator(c)
	case accessNone:
		return nil
	default:
		return c.RefuseCrossSite()
	}
}

var errOtherSite = refusal.New(refusal.CodeForbidden, "this request comes from another site")

// RefuseCrossSite refuses a change that a browser makes for a page of another site.
func (c *Call) RefuseCrossSite() error {
	if c.server.sameSite.Check(c.Request) != nil {
		return errOtherSite
	}
	return nil
}

// JSON parses the body. It refuses a body without the Content-Type of JSON.
func (c *Call) JSON() (form.Source, error) {
	if !isJSON(c.Header.Get("Content-Type")) {
		return nil, refusal.New(refusal.CodeUnsupportedMediaType, "send the body as application/json")
	}
	return c.parse()
}

// parse parses the body, whatever its Content-Type.
func (c *Call) parse() (form.Source, error) {
	if err := c.BeginWork(); err != nil {
		return nil, err
	}
	return strictjson.Parse(c.Content)
}

// Decode reads the body as a command. Its error lists all faults of the body.
func Decode[C any](c *Call, read func(*form.Form) C) (command C, err error) {
	root, err := c.JSON()
	if err != nil {
		return command, err
	}
	return form.Decode(root, read)
}

// isJSON reports whether a Content-Type is that of JSON, with any parameters.
func isJSON(contentType string) bool {
	const want = "application/json"
	if contentType == want { // as most clients write it
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == want
}

// OptionalJSON parses a body that may be left out; it returns nil if it is.
func (c *Call) OptionalJSON() (form.Source, error) {
	if len(c.Content) == 0 {
		return nil, nil
	}
	return c.JSON()
}

// PathID returns an id in the path; empty if no database accepts its text. No
// object has the empty id, so that it is not found.
func (c *Call) PathID(name string) string {
	id := c.PathValue(name)
	if !form.IsText(id) {
		return ""
	}
	return id
}

// pictures lists the media types that a picture may be sent as. Its format is read from its
// content, whatever the media type.
var pictures = []string{"image/png", "image/jpeg", "image/webp"}

// RequirePicture refuses a body without the Content-Type of a picture.
func (c *Call) RequirePicture() error {
	kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(pictures, kind) {
		message := "send the picture as image/png, image/jpeg or image/webp"
		if kind == "image/heic" || kind == "image/heif" {
			message += ": expected " + picture.HEICRule.Expected()
		}
		return refusal.New(refusal.CodeUnsupportedMediaType, message)
	}
	return nil
}
