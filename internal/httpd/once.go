package httpd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/google/uuid"
)

// Receipts keeps the answers to operators' changes that came with an Idempotency-Key.
// The receipt of a change that is in idempotency.WithChange is added in the transaction
// of the change.
type Receipts interface {
	// Find returns the receipt under a key; nil if there is none.
	Find(ctx context.Context, key idempotency.ChangeKey) (*idempotency.Change, error)
	// Claim adds a receipt, and returns nil; or the one that its key has already.
	Claim(ctx context.Context, change *idempotency.Change) (*idempotency.Change, error)
	// Release removes a receipt that Claim has added.
	Release(ctx context.Context, key idempotency.ChangeKey) error
	// Answer keeps the answer to a change.
	Answer(ctx context.Context, change *idempotency.Change) error
}

// Repetition says what happens to a request of an operator that is repeated under its key
// although it is not known how the first one ended, because the process died before it
// kept the answer.
type Repetition byte

const (
	// RefusedAgain requests are refused: the change has been made.
	RefusedAgain Repetition = iota
	// Harmless requests are carried out again, with the same outcome.
	Harmless
	// InParts are requests whose parts are each carried out once. They are carried out
	// again; their key is claimed before the first time.
	InParts
	// SettledElsewhere are requests whose answer its package keeps in the transaction of the
	// change.
	SettledElsewhere
	// Unkeyed requests take no key: their answer has a secret, which is not stored.
	Unkeyed
)

// TakesKey reports whether operators may send an Idempotency-Key to the route. Pages do
// not: the keys of their forms are in the forms, and what a page shows is not stored.
func (r Route) TakesKey() bool {
	return r.Access == AccessOperator && r.Page == "" && !r.changesNothing() && r.Repeated != Unkeyed
}

// IdempotencyKey returns the UUID in the header Idempotency-Key. Any version will
// do, but only the form with hyphens: uuid.Parse also takes braces and "urn:uuid:".
func (c *Call) IdempotencyKey() (uuid.UUID, error) {
	const textLength = 36
	header := c.Header.Get("Idempotency-Key")
	if header == "" {
		return uuid.UUID{}, refusal.New(refusal.CodeBadRequest,
			"the header Idempotency-Key is missing: send a UUID of your choice")
	}
	key, err := uuid.Parse(header)
	if err != nil || len(header) != textLength {
		return uuid.UUID{}, refusal.New(refusal.CodeBadRequest, "the header Idempotency-Key must be a UUID")
	}
	return key, nil
}

// Repeatable returns the request as one that may be repeated under the
// Idempotency-Key it came with.
func (c *Call) Repeatable() (idempotency.Request, error) {
	key, err := c.IdempotencyKey()
	if err != nil {
		return idempotency.Request{}, err
	}
	return idempotency.NewRequest(idempotency.Key{PartnerID: c.Account, Scope: c.scope(), UUID: key}, c.Content), nil
}

// scope returns what a key of the request is for.
func (c *Call) scope() string { return c.Method + " " + c.URL.Path }

// personsKey returns the Idempotency-Key of an operator's request; nil if it came without one,
// which operators may leave out.
func (c *Call) personsKey() (*uuid.UUID, error) {
	if _, keyed := c.Header["Idempotency-Key"]; !keyed {
		return nil, nil
	}
	key, err := c.IdempotencyKey()
	if err != nil {
		return nil, err
	}
	return &key, nil
}

// KeyedRequest is a request that came with an Idempotency-Key. Handlers pass it on.
type KeyedRequest = idempotency.Request

// RepeatableByPerson returns an operator's request as one that may be repeated, of no partner
// yet; nil if it came without an Idempotency-Key.
func (c *Call) RepeatableByPerson() (*idempotency.Request, error) {
	key, err := c.personsKey()
	if key == nil {
		return nil, err
	}
	return new(idempotency.NewRequest(idempotency.Key{Scope: c.scope() + " " + c.PersonID, UUID: *key}, c.Content)), nil
}

// MarkReplayed marks the reply if it is the one that an earlier request has got.
func (c *Call) MarkReplayed(replayed bool) {
	if replayed {
		c.ReplyHeader.Set("Idempotent-Replayed", "true")
	}
}

// Kept replies with an answer that is kept. The header says if it is that of an earlier request.
func (c *Call) Kept(status int, answer idempotency.Answer, err error) (Reply, error) {
	c.MarkReplayed(answer.Replayed && err == nil)
	return Reply{Status: status, Body: answer.Body}, err
}

// handleOnce calls the route's handler, unless the request repeats one that was carried
// out: then it returns the answer to that one.
func (s *Server) handleOnce(c *Call) (Reply, error) {
	key, err := c.personsKey()
	if err != nil {
		return Reply{}, err
	}
	if key == nil || c.Route.Repeated == SettledElsewhere {
		return c.Route.Handle(c)
	}
	return s.inTurn(c, idempotency.NewChange(c.PersonID, *key, c.scope(), c.Content), s.once)
}

// inTurn calls handle for a request with a receipt when no other one under the same key runs on
// this node.
func (s *Server) inTurn(
	c *Call, change *idempotency.Change, handle func(*Call, *idempotency.Change) (Reply, error),
) (Reply, error) {
	change.RequestID, change.CreatedAt = c.RequestID, timestamp.Truncate(s.config.Now())
	leave, err := s.repeats.enter(c.Context(), change.ChangeKey)
	if err != nil {
		return Reply{}, err
	}
	defer leave()
	return handle(c, change)
}

func (s *Server) once(c *Call, change *idempotency.Change) (Reply, error) {
	how := c.Route.Repeated
	earlier, err := s.config.Receipts.Find(c.Context(), change.ChangeKey)
	if err != nil {
		return Reply{}, err
	}
	if earlier != nil && (earlier.Status != 0 || earlier.BodyHash != change.BodyHash || how == RefusedAgain ||
		how == InParts && mayRun(earlier, change)) {
		if err := s.stillActs(c); err != nil {
			return Reply{}, err
		}
		return s.answerAgain(c, earlier, change)
	}
	if how == RefusedAgain {
		c.Request = c.WithContext(idempotency.WithChange(c.Context(), change))
	}
	answer, err := s.handleClaimed(c, change)
	if err != nil || answer.Stream != nil {
		return answer, err
	}
	change.Status, change.Answer = int64(answer.Status), answer.Body
	if err := s.config.Receipts.Answer(context.WithoutCancel(c.Context()), change); err != nil {
		s.config.Log.WarnContext(c.Context(), "the answer to a change was not kept for its repetition", "request_id",
			c.RequestID, "error", err)
	}
	return answer, nil
}

// handleClaimed calls the route's handler, for a request in parts after its key has been
// claimed for its body.
func (s *Server) handleClaimed(c *Call, change *idempotency.Change) (Reply, error) {
	if c.Route.Repeated != InParts {
		return c.Route.Handle(c)
	}
	earlier, err := s.config.Receipts.Claim(c.Context(), change)
	if err == nil && earlier != nil && earlier.BodyHash != change.BodyHash {
		err = idempotency.ErrReused
	}
	if err != nil {
		return Reply{}, err
	}
	answer, err := c.Route.Handle(c)
	if err != nil && earlier == nil { // a request that is refused as a whole has changed nothing
		err = errors.Join(err, s.config.Receipts.Release(context.WithoutCancel(c.Context()), change.ChangeKey))
	}
	return answer, err
}

// answerAgain returns the answer to a request that was carried out before.
func (s *Server) answerAgain(c *Call, earlier, change *idempotency.Change) (Reply, error) {
	switch {
	case earlier.BodyHash != change.BodyHash:
		return Reply{}, idempotency.ErrReused
	case earlier.Status != 0:
		c.MarkReplayed(true)
		return Reply{Status: int(earlier.Status), Body: earlier.Answer}, nil
	case mayRun(earlier, change):
		return Reply{}, idempotency.ErrInProgress
	}
	at := timestamp.Format(earlier.CreatedAt)
	return Reply{}, &refusal.Error{
		Code:    refusal.CodeConflict,
		Message: fmt.Sprintf("this request was carried out at %s, but its answer is not known: read what it has changed", at),
		Details: carriedOut{earlier.Action, earlier.ObjectID, earlier.CreatedAt},
	}
}

// mayRun reports whether the request that came first may still be running, on another
// node.
func mayRun(earlier, change *idempotency.Change) bool {
	return change.CreatedAt.Sub(earlier.CreatedAt) < requestTimeout
}

// carriedOut describes a change whose answer is not known.
type carriedOut struct {
	Action   string    `json:"action"`
	ObjectID string    `json:"object_id"`
	At       time.Time `json:"at"`
}

// repeats has the operators' changes under way that came with an Idempotency-Key.
type repeats struct {
	mu      sync.Mutex
	running map[idempotency.ChangeKey]chan struct{} // closed when the request ends; guarded by mu
}

// maxBehind is how long a request waits for an earlier one with the same key.
const maxBehind = 10 * time.Second

// enter waits until no other request with the key runs on this node. The caller calls
// leave at the end of its own.
func (r *repeats) enter(ctx context.Context, key idempotency.ChangeKey) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, maxBehind)
	defer cancel()
	for {
		ahead := r.begin(key)
		if ahead == nil {
			return func() { r.end(key) }, nil
		}
		select {
		case <-ahead:
		case <-ctx.Done():
			return nil, idempotency.ErrInProgress
		}
	}
}

// begin notes that a request runs, and returns nil; or what is closed at the end of the
// one that runs already.
func (r *repeats) begin(key idempotency.ChangeKey) (ahead chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ahead = r.running[key]; ahead != nil {
		return ahead
	}
	if r.running == nil {
		r.running = map[idempotency.ChangeKey]chan struct{}{}
	}
	r.running[key] = make(chan struct{})
	return nil
}

func (r *repeats) end(key idempotency.ChangeKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.running[key])
	delete(r.running, key)
}
