package httpd

import (
	"bytes"
	"context"
	"mime"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/web"
)

var errSentAlready = refusal.New(refusal.CodeConflict, "this form was sent already")

// formOnce handles a form of a person who is signed in, once for its key: a double
// click, or a form that is sent again, leads to where the first one led. The key is
// claimed before the change, because a change that may have been made is better looked
// up by the person than made twice.
func (c *Call) formOnce(r web.Route) (Reply, error) {
	key, err := c.pageRequest().Key()
	if err != nil {
		return Reply{}, err
	}
	change := idempotency.NewChange(c.PersonID, key, c.scope()+" "+c.Account, c.unbounded())
	return c.server.inTurn(c, change, func(c *Call, change *idempotency.Change) (Reply, error) {
		earlier, err := c.server.config.Receipts.Claim(c.Context(), change)
		if err != nil {
			return Reply{}, err
		}
		if earlier != nil {
			return c.server.formAgain(c, earlier, change)
		}
		return c.handleForm(r, change)
	})
}

// handleForm handles a form whose key has been claimed.
func (c *Call) handleForm(r web.Route, change *idempotency.Change) (Reply, error) {
	// A browser hangs up when its user clicks again: the change that has begun goes on.
	timeout := requestTimeout
	if r.Long {
		timeout = longTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), timeout)
	defer cancel()
	c.Request = c.WithContext(ctx)
	answer, err := c.Page(r.Serve)
	c.server.settleForm(c, change, answer, err)
	return answer, err
}

// unbounded returns the body without the boundary between its parts, if it has any:
// browsers make another one each time that they send a form with files.
func (c *Call) unbounded() []byte {
	_, parameters, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if boundary := parameters["boundary"]; err == nil && boundary != "" {
		return bytes.ReplaceAll(c.Content, []byte(boundary), nil)
	}
	return c.Content
}

// settleForm keeps where a form has led, or forgets the form if it has changed nothing.
// The form has been handled: a caller who has hung up ends nothing.
func (s *Server) settleForm(c *Call, change *idempotency.Change, answer Reply, refused error) {
	ctx := context.WithoutCancel(c.Context())
	var err error
	switch {
	case s.changedNothing(answer, refused):
		err = s.config.Receipts.Release(ctx, change.ChangeKey)
	case refused == nil:
		change.Status, change.Answer = int64(answer.Status), []byte(c.ReplyHeader.Get("Location"))
		err = s.config.Receipts.Answer(ctx, change)
	}
	if err != nil {
		s.config.Log.WarnContext(ctx, "the receipt of a form was not kept", "request_id", c.RequestID, "error", err)
	}
}

// changedNothing reports whether a form has certainly changed nothing: it was refused.
// After any other error the change may have been made.
func (s *Server) changedNothing(answer Reply, err error) bool {
	if refused := Known(err); refused != nil {
		return s.config.Statuses[refused.Code] < http.StatusInternalServerError
	}
	return err == nil && answer.Status >= http.StatusBadRequest
}

// formAgain leads to where the form led that was sent first. A page that the form was
// answered with is not kept: it may hold a secret.
func (s *Server) formAgain(c *Call, earlier, change *idempotency.Change) (Reply, error) {
	switch {
	case earlier.Status == 0 && mayRun(earlier, change):
		return Reply{}, idempotency.ErrInProgress
	case earlier.BodyHash == change.BodyHash && earlier.Status == http.StatusOK:
		return Reply{}, web.ErrShownOnce
	case earlier.BodyHash != change.BodyHash || earlier.Status != http.StatusSeeOther:
		return Reply{}, errSentAlready
	}
	c.ReplyHeader.Set("Location", string(earlier.Answer))
	return Reply{Status: http.StatusSeeOther}, nil
}
