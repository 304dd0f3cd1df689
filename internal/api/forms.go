package api

import (
	"bytes"
	"context"
	"mime"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/web/visit"
)

var errSentAlready = refusal.New(refusal.CodeConflict, "this form was sent already")

// formOnce handles a form of a person who is signed in, once for its key: a double
// click, or a form that is sent again, leads to where the first one led. The key is
// claimed before the change, because a change that may have been made is better looked
// up by the person than made twice.
func (s *Server) formOnce(c *call, r visit.Route) (reply, error) {
	v := s.visit(c)
	key, err := v.Key()
	if err != nil {
		return reply{}, err
	}
	change := idempotency.NewChange(v.Caller.PersonID, key, c.Method+" "+c.URL.Path+" "+c.partnerID, c.unbounded())
	change.RequestID, change.CreatedAt = c.id, timestamp.Truncate(s.config.Now())
	leave, err := s.repeats.enter(c.Context(), change.ChangeKey)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	earlier, err := s.config.Receipts.Claim(c.Context(), change)
	if err != nil {
		return reply{}, err
	}
	if earlier != nil {
		return s.formAgain(c, earlier, change)
	}
	// A browser hangs up when its user clicks again: the change that has begun goes on.
	timeout := requestTimeout
	if r.Long {
		timeout = longTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), timeout)
	defer cancel()
	c.Request = c.WithContext(ctx)
	answer, err := s.page(c, r.Serve)
	s.settleForm(c, change, answer, err)
	return answer, err
}

// unbounded returns the body without the boundary between its parts, if it has any:
// browsers make another one each time that they send a form with files.
func (c *call) unbounded() []byte {
	_, parameters, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if boundary := parameters["boundary"]; err == nil && boundary != "" {
		return bytes.ReplaceAll(c.body, []byte(boundary), nil)
	}
	return c.body
}

// settleForm keeps where a form has led, or forgets the form if it has changed nothing.
// The form has been handled: a caller who has hung up ends nothing.
func (s *Server) settleForm(c *call, change *idempotency.Change, answer reply, refused error) {
	ctx := context.WithoutCancel(c.Context())
	var err error
	switch {
	case changedNothing(answer, refused):
		err = s.config.Receipts.Release(ctx, change.ChangeKey)
	case refused == nil:
		change.Status, change.Answer = int64(answer.status), []byte(c.header.Get("Location"))
		err = s.config.Receipts.Answer(ctx, change)
	}
	if err != nil {
		s.config.Log.WarnContext(ctx, "the receipt of a form was not kept", "request_id", c.id, "error", err)
	}
}

// changedNothing reports whether a form has certainly changed nothing: it was refused.
// After any other error the change may have been made.
func changedNothing(answer reply, err error) bool {
	if refused := known(err); refused != nil {
		return statusOf[refused.Code] < http.StatusInternalServerError
	}
	return err == nil && answer.status >= http.StatusBadRequest
}

// formAgain leads to where the form led that was sent first. A page that the form was
// answered with is not kept: it may hold a secret.
func (s *Server) formAgain(c *call, earlier, change *idempotency.Change) (reply, error) {
	switch {
	case earlier.Status == 0 && mayRun(earlier, change):
		return reply{}, idempotency.ErrInProgress
	case earlier.BodyHash == change.BodyHash && earlier.Status == http.StatusOK:
		return reply{}, visit.ErrShownOnce
	case earlier.BodyHash != change.BodyHash || earlier.Status != http.StatusSeeOther:
		return reply{}, errSentAlready
	}
	c.header.Set("Location", string(earlier.Answer))
	return reply{status: http.StatusSeeOther}, nil
}
