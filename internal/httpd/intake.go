package httpd

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signature"
)

const (
	// MaxBody is the largest body of most requests, in bytes.
	MaxBody = 1 << 20
	// MaxLargeBody is that of a file with a line for each product or order. It has room for
	// as many as an import may hold, with long names.
	MaxLargeBody = 4 << 20
	// maxStrangerBody is the largest body that is read before it is known who sends
	// it, in bytes. It is small, so that unauthenticated clients cannot fill the
	// memory.
	maxStrangerBody = 64 << 10
	// firstRead is the most memory that is allocated for a body before any of it has
	// arrived, in bytes.
	firstRead = 4 << 10
	// growth is the factor by which the buffer of a body grows. A smaller one would
	// leave more garbage.
	growth = 4
)

// The bounds of what is read and discarded of a body that is refused, so that a
// client that only reads after it has written everything receives the response
// instead of a connection reset. Beyond them the connection is closed.
const (
	maxDrained   = 8 << 20 // bytes
	drainTimeout = 2 * time.Second
	// drainPause is how long a refusal waits before the rest of the body is read. A
	// client that repeats refused requests without a pause would otherwise keep a
	// processor busy with that alone.
	drainPause = 100 * time.Millisecond
	// drainPiece is read at a time, in bytes, with a rest after it: 32 MB/s at most,
	// so that a body of 5 MiB from the same machine does not keep a processor busy.
	drainPiece  = 64 << 10
	drainRest   = 2 * time.Millisecond
	maxDraining = 8 // requests at the same time
	// leftToServer is the size up to which net/http itself discards the rest of a
	// body, in bytes.
	leftToServer = 256 << 10
)

// readBody reads the whole body. It refuses one that is longer than the route
// allows, one for which there is no room and, without reading the rest, one longer
// than maxStrangerBody whose sender is unknown.
func (s *Server) readBody(c *Call) error {
	most := c.Route.MaxBody()
	if c.ContentLength > most {
		return tooLarge(most)
	}
	if c.ContentLength > maxStrangerBody {
		if err := s.vouch(c); err != nil {
			return err
		}
	}
	body, err := s.fill(c, most)
	if err != nil {
		return err
	}
	if int64(len(body)) > most {
		return tooLarge(most)
	}
	c.Content = body
	return nil
}

// fill returns the body; without a Content-Length, up to one byte more than most,
// which shows that it is too large.
func (s *Server) fill(c *Call, most int64) (body []byte, err error) {
	end := most + 1
	if c.ContentLength >= 0 {
		end = c.ContentLength
	}
	for int64(len(body)) < end {
		if len(body) == cap(body) {
			if body, err = s.grow(c, body, end); err != nil {
				return nil, err
			}
		}
		n, err := c.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, refusal.New(refusal.CodeUnavailable, "the body did not arrive in time")
		case err != nil:
			return nil, refusal.New(refusal.CodeBadRequest, "the body could not be read completely")
		}
	}
	return body, nil
}

// grow returns the body in a larger buffer, of at most end bytes. The length that a
// client announces is only a claim, so the buffer grows with the bytes that arrive.
func (s *Server) grow(c *Call, body []byte, end int64) ([]byte, error) {
	size := int64(firstRead)
	if len(body) > 0 {
		size = growth * int64(len(body))
	}
	if size == maxStrangerBody {
		size++ // shows whether the body is longer
	}
	size = min(size, end)
	if size > uncounted {
		if err := s.vouch(c); err != nil && size > maxStrangerBody+1 {
			return nil, err
		}
	}
	if err := c.Hold(size); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, size), body...), nil
}

func tooLarge(most int64) error {
	return refusal.New(refusal.CodePayloadTooLarge, fmt.Sprintf("the body is too large: at most %d bytes", most))
}

// vouch returns nil if it is known who sends the request: an operator or a user of a
// session, who is authenticated before the body is read, or the owner of the API key
// that the request names, if its timestamp is good. In the latter case the signature
// is still to be verified, so a network that has sent too many wrong ones is refused.
// A timestamp that is not good is refused like a signature, because only a holder of
// the secret may learn of the clock. A large body of a partner whose rate is used up
// is refused, too: reading it and verifying its signature would cost more than the
// rate allows.
func (s *Server) vouch(c *Call) error {
	if c.Payer != "" {
		return nil
	}
	if !c.Route.signs(c) {
		return errStranger
	}
	key, err := s.namedKey(c)
	if err != nil {
		return err
	}
	if !signature.Fresh(c.Header.Get("X-Timestamp"), s.config.MachineNow()) {
		return errMismatch
	}
	if verdict := s.unauthenticated.Peek(c.Address()); !verdict.Allowed {
		return tooManyFrom(verdict)
	}
	c.Payer = key.Account
	return s.peekAccount(c, key.Account)
}

var errStranger = refusal.New(refusal.CodeUnauthorized, "only requests with credentials may have a body of this size")

// turnAway prepares the refusal of a request whose body was not read to its end. A
// large body of a stranger counts against the stranger's network. It returns the
// refusal.
func (s *Server) turnAway(w http.ResponseWriter, c *Call, refused error) error {
	small := 0 <= c.ContentLength && c.ContentLength <= maxStrangerBody
	if c.Content != nil || small || c.Payer == "" && refusal.HasCode(refused, refusal.CodeRateLimited) {
		return refused
	}
	if c.Payer == "" {
		if err := c.LimitStranger(); err != nil {
			return err
		}
	}
	if c.ContentLength < 0 || c.ContentLength > leftToServer {
		s.drain(w, c)
	}
	return refused
}

// drain discards what arrives of the body within the bounds, after a pause.
func (s *Server) drain(w http.ResponseWriter, c *Call) {
	if !s.draining.TryAcquire(1) {
		return
	}
	defer s.draining.Release(1)
	_ = pace.Pause(c.Context(), drainPause)
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTimeout)) != nil {
		return
	}
	for range maxDrained / drainPiece {
		if _, err := io.CopyN(io.Discard, c.Body, drainPiece); err != nil {
			return
		}
		time.Sleep(drainRest)
	}
}
