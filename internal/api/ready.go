package api

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/installation"
)

// Readiness returns why the service is not ready; nothing if it is. It must be cheap,
// because anybody may ask as often as they like.
type Readiness func(context.Context) []installation.Reason

// handleReady reports whether the service should get requests. Unlike handleHealth it
// is about more than this process: the reasons are for operators only.
func (s *server) handleReady(c *httpd.Call) (httpd.Reply, error) {
	reasons := s.config.Ready(c.Context())
	informed := s.informed.admits(c, s.isOperator)
	if len(reasons) == 0 {
		return httpd.OK(readyAnswer{healthAnswer{"ready", timestamp.Truncate(s.config.MachineNow())}, s.config.Held()})
	}
	refused := &refusal.Error{Code: refusal.CodeUnavailable, Message: "the service is not ready", RetryAfter: readyRetry}
	if informed {
		refused.Details = struct {
			Reasons []installation.Reason `json:"reasons"`
		}{reasons}
	}
	return httpd.Reply{}, refused
}

// readyAnswer is the answer of a service that is ready.
type readyAnswer struct {
	healthAnswer
	Held bool `json:"held"` // webhooks and mails wait until an admin resumes them
}

// readyRetry is when the next look may have another result.
const readyRetry = time.Second

// isOperator reports whether the request has a valid token of an operator.
func (s *server) isOperator(c *httpd.Call) (bool, error) {
	ctx, cancel := context.WithTimeout(c.Context(), readyRetry)
	defer cancel()
	c.Request = c.WithContext(ctx)
	_, _, err := s.config.Ops.CurrentOperator(c)
	if refusal.HasCode(err, refusal.CodeUnauthorized) {
		return false, nil
	}
	return err == nil, err
}

// informed remembers the tokens of operators who ask whether the service is ready. A
// probe does not read the database each time, and operators learn the reasons even
// while the database, which holds the tokens, is the reason.
type informed struct {
	mu     sync.Mutex
	tokens map[[sha256.Size]byte]time.Time // when each was last found valid; guarded by mu
}

const (
	// A token is checked again after believedFor. While it cannot be checked, it counts
	// for rememberedFor.
	believedFor   = time.Minute
	rememberedFor = 24 * time.Hour
	// maxInformed bounds the tokens that are remembered.
	maxInformed = 64
)

// admits reports whether the request has the token of an operator.
func (i *informed) admits(c *httpd.Call, check func(*httpd.Call) (bool, error)) bool {
	token := c.Header.Get("Authorization")
	if !strings.HasPrefix(strings.ToLower(token), "bearer ") {
		return false
	}
	hash := sha256.Sum256([]byte(token))
	known := i.age(hash)
	if known < believedFor {
		return true
	}
	valid, err := check(c)
	if err != nil {
		return known < rememberedFor
	}
	i.remember(hash, valid)
	return valid
}

// age returns how long ago a token was found valid.
func (i *informed) age(hash [sha256.Size]byte) time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	return time.Since(i.tokens[hash])
}

func (i *informed) remember(hash [sha256.Size]byte, valid bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !valid {
		delete(i.tokens, hash)
		return
	}
	if i.tokens == nil || len(i.tokens) >= maxInformed {
		i.tokens = map[[sha256.Size]byte]time.Time{}
	}
	i.tokens[hash] = time.Now()
}
