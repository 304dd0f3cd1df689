package api

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
)

// call holds one request while it is served.
type call struct {
	*http.Request
	id     string      // the X-Request-Id of the response
	header http.Header // of the response
	body   []byte      // the whole body, exactly as sent
	// partnerID is the account of the partner who signed the request or is logged in:
	// the test account if the key or the session's request is in test mode. It is set
	// by authentication.
	partnerID string
	// payee is whose rate a request on a page counts against: a person's own, so that
	// programs cannot use it up. It is empty elsewhere, where it is the partner's.
	payee string
	// secret is the secret key that the request was signed with; nil in a session.
	secret []byte
	// keyID is the API key that the request was signed with; empty in a session.
	keyID string
	// namedKeyID is the API key that the request names, which may be forged.
	namedKeyID string
	// unverified is why the signature was refused; nil if it was not.
	unverified error
	// personID is the user or operator whose session, token or password the request
	// has; empty for signed requests.
	personID string
	// needed is what the route needs of a partner's user.
	needed partner.Permission
	// session is the session of a partner's user; set by authentication, nil for
	// signed requests.
	session *partner.Session
	// operator is the operator who makes the request; set by authentication.
	operator *operator.Operator
	// vouched is set in an operator's session for which an OpenID provider vouched.
	vouched bool
	// secure is set when the public base URL is https.
	secure bool
	// status is the status of the response, once it is sent.
	status int
	// sent is how many bytes of the body of the response were written.
	sent int64
	// What the request log holds of the request besides: the code of the error, the
	// order that was created, and the beginning of the body if it was refused.
	code    refusal.Code
	orderID string
	refused []byte

	room *Room
	// payer is the partner or operator whose share of the room the call uses; empty
	// for strangers. It is set as soon as the sender is known (see Server.vouch).
	payer string
	// held is how many bytes of the room the call holds, as the share of holder.
	held   int64
	holder string
	// working is how much of the room's work the call holds.
	working int64
	// watched is set while the call is watched (see watches).
	watched *watched
	// entered is set while the call counts among the requests of its partner.
	entered bool
}

// reply is the response of a handler: a status and a body. The body is JSON
// unless the handler has set another Content-Type.
type reply struct {
	status int
	body   []byte
	// stream, if not nil, writes the body in pieces, instead of body.
	stream func(io.Writer) error
}

// size returns how many bytes the reply takes up.
func (r reply) size() int64 {
	if r.stream != nil {
		return streamBytes
	}
	return int64(cap(r.body))
}

// ok returns a 200 with a value in JSON.
func ok(value any) (reply, error) { return answer(http.StatusOK, value) }

// created returns a 201 with a value in JSON.
func created(value any) (reply, error) { return answer(http.StatusCreated, value) }

func answer(status int, value any) (reply, error) {
	body, err := strictjson.Marshal(value)
	return reply{status: status, body: body}, err
}

// serve returns an http.Handler that admits a request, calls the route's handler,
// and sends its reply or error.
func (s *Server) serve(route Route, observer RouteObserver) http.Handler {
	deprecation := s.config.Deprecated[route.Method+" "+route.Pattern]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deprecation.announce(s.config.BaseURL, w.Header())
		if route.long() {
			lengthened, cancel := lengthen(w, r)
			defer cancel()
			r = lengthened
		}
		r, span := s.config.Tracer.Serve(r, route.Pattern)
		c := &call{Request: r, header: w.Header(), room: s.room, needed: route.Permission, secure: s.config.SecureCookies}
		if len(r.TransferEncoding) > 0 && r.ProtoMajor == 1 {
			// net/http ignores a Content-Length beside it, which a proxy may have gone by: then
			// the two would disagree about where the next request of the connection begins.
			c.header.Set("Connection", "close")
		}
		observer.Started()
		start := time.Now() // the real clock, because it measures work
		defer func() {
			took := time.Since(start)
			observer.Finished(r.Method, c.status, took)
			s.logRequest(route, c, took)
			s.logAccess(route, c, start, took)
			c.endSpan(span)
		}()
		defer func() {
			if panicked := recover(); panicked == http.ErrAbortHandler { //nolint:errorlint // net/http compares it, too
				panic(panicked)
			} else if panicked != nil {
				s.send(w, c, reply{}, fmt.Errorf("panic: %v\n%s", panicked, debug.Stack()))
			}
		}()
		defer s.leave(c)
		answer, err := s.answer(w, route, c)
		s.noteSecurity(c, answer.status, err)
		s.send(w, c, answer, err)
	})
}

// answer returns what the route's handler answers, or why the request is refused.
func (s *Server) answer(w http.ResponseWriter, route Route, c *call) (reply, error) {
	if err := s.admit(route, c); err != nil {
		return reply{}, s.turnAway(w, c, err)
	}
	defer c.endWork()
	if route.TakesKey() {
		return s.handleOnce(route, c)
	}
	if route.changesNothing() {
		s.watch(c)
	}
	answer, err := route.handle(s, c)
	if lost := c.lost(); lost != nil {
		return reply{}, lost
	}
	return answer, err
}

// admit gives the request its id, reads its body, and checks that the caller may
// use the route. Only a signature needs the body; everything else is checked before
// the body is read.
func (s *Server) admit(route Route, c *call) error {
	var id [10]byte
	if _, err := io.ReadFull(s.config.Random, id[:]); err != nil {
		return err
	}
	c.id = "req_" + hex.EncodeToString(id[:])
	c.header.Set("X-Request-Id", c.id)
	if route.Access == AccessTracking {
		public(c.header)
	}
	identify := s.authorizeAndRead
	if route.signs(c) {
		identify = s.readAndVerify
	}
	if err := identify(route, c); err != nil {
		return err
	}
	if err := c.refuseRepeated(); err != nil {
		return err
	}
	return c.refuseEncoded()
}

// readAndVerify reads the body, which is part of what is signed, and then checks the
// signature.
func (s *Server) readAndVerify(route Route, c *call) error {
	if err := s.readBody(route, c); err != nil {
		return err
	}
	if len(c.body) > maxStrangerBody {
		return s.inSlot(c, SlotBody, func() error { return s.authenticateSigned(c, route) })
	}
	return s.authenticateSigned(c, route)
}

// authorizeAndRead checks the caller of a request that is not signed, and then reads
// the body. It checks a person once more afterwards, because the client decides how
// long the body takes, and the person may have been removed meanwhile.
func (s *Server) authorizeAndRead(route Route, c *call) error {
	if err := s.authorize(route, c); err != nil {
		return err
	}
	if err := s.readBody(route, c); err != nil || len(c.body) == 0 {
		return err
	}
	return s.authorizeAgain(route, c)
}

// authorizeAgain checks a person whom authorize has admitted.
func (s *Server) authorizeAgain(route Route, c *call) (err error) {
	switch route.Access {
	case AccessPartner, AccessSession, accessPage:
		c.session, err = s.session(c)
	case AccessOperator:
		err = s.authenticateOperator(c, route.Roles)
	case AccessPublic, AccessTracking, AccessSigned, accessNone: // there is no session
	}
	return err
}

// refuseEncoded refuses a body that is compressed: the service reads it as it is.
func (c *call) refuseEncoded() error {
	if encoding := c.Header.Get("Content-Encoding"); len(c.body) > 0 && encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refusal.New(refusal.CodeUnsupportedMediaType, "send the body as it is, without Content-Encoding")
	}
	return nil
}

// signs reports whether a call of the route must be signed. On a route of
// AccessPartner a key wins over the session: a client sends it on purpose, a browser
// sends its cookie always.
func (r Route) signs(c *call) bool {
	return r.Access == AccessSigned ||
		r.Access == AccessPartner && (c.Header.Get("X-Api-Key") != "" || c.sessionToken() == "")
}

// authorize checks that the caller of a request that is not signed may use the
// route.
func (s *Server) authorize(route Route, c *call) error {
	switch route.Access {
	case AccessPartner, AccessSession, accessPage:
		return s.authenticateSession(c, route)
	case AccessTracking:
		return s.limitTracking(c)
	case AccessOperator:
		return s.authenticateOperator(c, route.Roles)
	case accessNone:
		return nil
	default:
		return s.refuseCrossSite(c)
	}
}

var errOtherSite = refusal.New(refusal.CodeForbidden, "this request comes from another site")

func (s *Server) refuseCrossSite(c *call) error {
	if s.sameSite.Check(c.Request) != nil {
		return errOtherSite
	}
	return nil
}

// json parses the body. It refuses a body without the Content-Type of JSON.
func (c *call) json() (form.Source, error) {
	if !isJSON(c.Header.Get("Content-Type")) {
		return nil, refusal.New(refusal.CodeUnsupportedMediaType, "send the body as application/json")
	}
	if err := c.beginWork(); err != nil {
		return nil, err
	}
	return strictjson.Parse(c.body)
}

// decode reads the body as a command. Its error lists all faults of the body.
func decode[C any](c *call, read func(*form.Form) C) (command C, err error) {
	root, err := c.json()
	if err != nil {
		return command, err
	}
	return form.Decode(root, read)
}

// decodeKeyed reads the body of a request that may be repeated under a key. The faults of
// the body go with the request, because an equal one that was carried out goes before them.
func decodeKeyed[C any](c *call, request *idempotency.Request, read func(*form.Form) C) (command C, err error) {
	root, err := c.json()
	if err != nil {
		return command, err
	}
	command, request.Refused = form.Decode(root, read)
	return command, nil
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

// optionalJSON parses a body that may be left out; it returns nil if it is.
func (c *call) optionalJSON() (form.Source, error) {
	if len(c.body) == 0 {
		return nil, nil
	}
	return c.json()
}

// chosenMode returns the mode that the query chooses, for requests in a session; live
// if it does not, or the route has no modes.
func (c *call) chosenMode(route Route) (delivery.Mode, error) {
	if route.Access != AccessPartner && route.Access != accessPage || c.URL.RawQuery == "" {
		return delivery.ModeLive, nil
	}
	q, err := c.query()
	if err != nil {
		return "", err
	}
	mode := delivery.Mode(q.oneOf("mode", form.OneOf(delivery.Modes...)))
	return cmp.Or(mode, delivery.ModeLive), q.problems.Err()
}

// pathID returns an id in the path; empty if no database accepts its text. No
// object has the empty id, so that it is not found.
func (c *call) pathID(name string) string {
	id := c.PathValue(name)
	if !form.IsText(id) {
		return ""
	}
	return id
}
