package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/idempotency"
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

// unkeyed are the operators' routes that take no Idempotency-Key although their method is
// that of a change, each with the reason.
var unkeyed = map[string]string{
	"POST /ops/v1/auth/totp":                          hasSecret,
	"POST /ops/v1/auth/totp/confirm":                  hasSecret,
	"POST /ops/v1/operators/{operator_id}/reset-link": hasSecret,
	"POST /ops/v1/partners/{partner_id}/reset-link":   hasSecret,

	"POST " + exportPath:                                   changesNothing,
	"POST /ops/v1/rate-cards/validate":                     changesNothing,
	"POST /ops/v1/rate-cards/preview":                      changesNothing,
	"POST /ops/v1/couriers/{courier_id}/sequence/proposal": changesNothing,
}

const (
	hasSecret      = "its answer has a secret, which is not stored"
	changesNothing = "it changes nothing"
)

// TakesKey reports whether operators may send an Idempotency-Key to the route. Pages do
// not: the keys of their forms are in the forms, and what a page shows is not stored.
func (r Route) TakesKey() bool {
	_, excepted := unkeyed[r.Method+" "+r.Pattern]
	return r.Access == AccessOperator && r.Method != http.MethodGet && strings.HasPrefix(r.Pattern, opsPrefix) && !excepted
}

// repetition says what happens to a request that is repeated although it is not known how
// the first one ended, because the process died before it kept the answer.
type repetition byte

const (
	// refusedAgain requests are refused: the change has been made.
	refusedAgain repetition = iota
	// harmless requests are carried out again, with the same outcome.
	harmless
	// inParts are requests whose parts are each carried out once. They are carried out
	// again; their key is claimed before the first time.
	inParts
	// settledElsewhere are requests whose answer the room keeps in the transaction of the
	// change.
	settledElsewhere
)

// repetitions lists the routes whose requests are not refusedAgain.
var repetitions = map[string]repetition{
	"POST " + proofsPath:                           harmless, // a picture is one proof, however often it is sent
	"POST " + erasuresPath:                         harmless,
	"POST /ops/v1/orders/status":                   inParts,
	"POST " + importPath:                           settledElsewhere,
	"POST /ops/v1/orders/{order_id}/status":        settledElsewhere,
	"POST /ops/v1/partners/{partner_id}/movements": settledElsewhere,
	"POST /ops/v1/partners/{partner_id}/counts":    settledElsewhere,
}

// operatorsRequest returns an operator's request as one that may be repeated; nil if it
// came without an Idempotency-Key, which operators may leave out.
func (c *call) operatorsRequest() (*idempotency.Request, error) {
	if _, keyed := c.Header["Idempotency-Key"]; !keyed {
		return nil, nil
	}
	key, err := c.idempotencyKey()
	if err != nil {
		return nil, err
	}
	r := c.repeatable("", key)
	r.Scope += " " + c.operator.OperatorID
	return &r, nil
}

// handleOnce calls the route's handler, unless the request repeats one that was carried
// out: then it returns the answer to that one.
func (s *Server) handleOnce(route Route, c *call) (reply, error) {
	r, err := c.operatorsRequest()
	if err != nil {
		return reply{}, err
	}
	how := repetitions[route.Method+" "+route.Pattern]
	if r == nil || how == settledElsewhere {
		return route.handle(s, c)
	}
	change := idempotency.NewChange(c.operator.OperatorID, r.UUID, c.Method+" "+c.URL.Path, c.body)
	change.RequestID, change.CreatedAt = c.id, timestamp.Truncate(s.config.Now())
	leave, err := s.repeats.enter(c.Context(), change.ChangeKey)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	return s.once(route, c, how, change)
}

func (s *Server) once(route Route, c *call, how repetition, change *idempotency.Change) (reply, error) {
	earlier, err := s.config.Receipts.Find(c.Context(), change.ChangeKey)
	if err != nil {
		return reply{}, err
	}
	if earlier != nil && (earlier.Status != 0 || earlier.BodyHash != change.BodyHash || how == refusedAgain || how == inParts && mayRun(earlier, change)) {
		if err := s.stillActs(c); err != nil {
			return reply{}, err
		}
		return s.answerAgain(c, earlier, change)
	}
	if how == refusedAgain {
		c.Request = c.WithContext(idempotency.WithChange(c.Context(), change))
	}
	answer, err := s.handleClaimed(route, c, how, change)
	if err != nil || answer.stream != nil {
		return answer, err
	}
	change.Status, change.Answer = int64(answer.status), answer.body
	if err := s.config.Receipts.Answer(context.WithoutCancel(c.Context()), change); err != nil {
		s.config.Log.WarnContext(c.Context(), "the answer to a change was not kept for its repetition", "request_id", c.id, "error", err)
	}
	return answer, nil
}

// handleClaimed calls the route's handler, for a request in parts after its key has been
// claimed for its body.
func (s *Server) handleClaimed(route Route, c *call, how repetition, change *idempotency.Change) (reply, error) {
	if how != inParts {
		return route.handle(s, c)
	}
	earlier, err := s.config.Receipts.Claim(c.Context(), change)
	if err == nil && earlier != nil && earlier.BodyHash != change.BodyHash {
		err = idempotency.ErrReused
	}
	if err != nil {
		return reply{}, err
	}
	answer, err := route.handle(s, c)
	if err != nil && earlier == nil { // a request that is refused as a whole has changed nothing
		err = errors.Join(err, s.config.Receipts.Release(context.WithoutCancel(c.Context()), change.ChangeKey))
	}
	return answer, err
}

// answerAgain returns the answer to a request that was carried out before.
func (s *Server) answerAgain(c *call, earlier, change *idempotency.Change) (reply, error) {
	switch {
	case earlier.BodyHash != change.BodyHash:
		return reply{}, idempotency.ErrReused
	case earlier.Status != 0:
		c.header.Set("Idempotent-Replayed", "true")
		return reply{status: int(earlier.Status), body: earlier.Answer}, nil
	case mayRun(earlier, change):
		return reply{}, idempotency.ErrInProgress
	}
	at := timestamp.Format(earlier.CreatedAt)
	return reply{}, &refusal.Error{
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
