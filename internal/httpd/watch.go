package httpd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Actors looks up whether people may still act.
type Actors interface {
	// Standing returns what is found of actors now.
	Standing(ctx context.Context, actors []*actor.Actor) (*actor.Standing, error)
}

const (
	// lookAgainEvery is how often it is looked up whether the callers may still read whose
	// requests read and still run.
	lookAgainEvery = time.Second
	// lookAgainTime bounds such a look-up.
	lookAgainTime = 5 * time.Second
)

// watches are the requests under way that change nothing, such as long polls and downloads.
// A change is refused in its transaction; these end when their caller may no longer read.
// One look-up every second, for all of them together, finds that out.
type watches struct {
	mu      sync.Mutex
	running map[*watched]bool // guarded by mu
	looking bool              // whether the goroutine runs that looks them up; guarded by mu
	closed  bool              // whether it may no longer start; guarded by mu
	closing chan struct{}     // closed by Server.Close
	work    sync.WaitGroup
}

// watched is a request that is watched.
type watched struct {
	by *actor.Actor // nil for a signed request
	// refused returns why a signed request ends; nil if it does not.
	refused func(context.Context) error
	end     context.CancelCauseFunc
}

// changesNothing reports whether requests of the route only read.
func (r Route) changesNothing() bool {
	return r.Method == http.MethodGet || r.Reads
}

// watch ends the call's context as soon as the person may no longer act who makes it. It
// does nothing for strangers and for signed requests.
func (s *Server) watch(c *Call) {
	if by := actor.Of(c.Context()); by != nil {
		s.begin(c, &watched{by: by})
	}
}

// WatchKey ends the call's context as soon as the API key does not hold any longer with
// which the call was signed, or the partner is suspended. Keys are cached for seconds.
func (c *Call) WatchKey() {
	callers := c.server.config.Callers
	publicKey, account := c.Header.Get("X-Api-Key"), c.Account
	c.server.begin(c, &watched{refused: func(ctx context.Context) error {
		key, err := callers.Key(ctx, publicKey)
		if err == nil && key == nil {
			return errUnknownKey
		}
		if err != nil {
			return err
		}
		terms, err := callers.Terms(ctx, account)
		if err != nil {
			return err
		}
		return terms.Refused
	}})
}

// begin watches a call until it ends.
func (s *Server) begin(c *Call, w *watched) {
	var ctx context.Context
	ctx, w.end = context.WithCancelCause(c.Context())
	c.Request, c.watched = c.WithContext(ctx), w
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	s.watches.running[w] = true
	if !s.watches.looking && !s.watches.closed {
		s.watches.looking = true
		tick := s.config.At(s.config.Now().Add(lookAgainEvery))
		s.watches.work.Go(func() { s.lookAgain(tick) })
	}
}

// Close ends the server's work in the background. It must be called once, when no request is
// under way any longer.
func (s *Server) Close() {
	s.watches.mu.Lock()
	s.watches.closed = true
	s.watches.mu.Unlock()
	close(s.watches.closing)
	s.watches.work.Wait()
}

// unwatch ends the watch over a call, if there is one.
func (s *Server) unwatch(c *Call) {
	w := c.watched
	if w == nil {
		return
	}
	c.watched = nil
	s.watches.mu.Lock()
	delete(s.watches.running, w)
	s.watches.mu.Unlock()
	w.end(nil)
}

// lookAgain looks up the callers of the requests that are watched, at each tick, until
// there are none.
func (s *Server) lookAgain(tick <-chan time.Time) {
	for {
		select {
		case <-tick:
		case <-s.watches.closing:
			return
		}
		running := s.stillRunning()
		if len(running) == 0 {
			return
		}
		s.endRefused(running)
		tick = s.config.At(s.config.Now().Add(lookAgainEvery))
	}
}

// stillRunning returns the requests that are watched. Without any, the caller ends.
func (s *Server) stillRunning() (running []*watched) {
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	for w := range s.watches.running {
		running = append(running, w)
	}
	s.watches.looking = len(running) > 0
	return running
}

// endRefused ends those of the requests whose callers may no longer read. While that cannot
// be looked up, they go on.
func (s *Server) endRefused(running []*watched) {
	ctx, cancel := context.WithTimeout(context.Background(), lookAgainTime)
	defer cancel()
	var actors []*actor.Actor
	for _, w := range running {
		if w.by != nil {
			actors = append(actors, w.by)
		}
	}
	standing, err := s.config.Actors.Standing(ctx, actors)
	if err != nil {
		s.config.Log.Warn("it could not be looked up who may still read", "error", err)
		return
	}
	for _, w := range running {
		if refused := w.refusal(ctx, standing); isRefusal(refused) {
			w.end(refused)
		}
	}
}

// refusal returns why a request ends; nil if it does not.
func (w *watched) refusal(ctx context.Context, standing *actor.Standing) error {
	if w.by != nil {
		return standing.Refusal(w.by)
	}
	return w.refused(ctx)
}

func isRefusal(err error) bool {
	var refused *refusal.Error
	return errors.As(err, &refused)
}

// lost returns the refusal of a call that is watched and whose caller may no longer read;
// nil for any other.
func (c *Call) lost() error {
	if c.watched == nil {
		return nil
	}
	if cause := context.Cause(c.Context()); isRefusal(cause) {
		return cause
	}
	return nil
}

// stillActs refuses a person who may no longer act. It is called where something of before
// is answered without a transaction.
func (s *Server) stillActs(c *Call) error {
	by := actor.Of(c.Context())
	if by == nil {
		return nil
	}
	standing, err := s.config.Actors.Standing(c.Context(), []*actor.Actor{by})
	if err != nil {
		return err
	}
	return standing.Refusal(by)
}

// pieceBytes is how much of a response is written without looking whether its caller may
// still read.
const pieceBytes = 64 << 10

// watchedWriter writes in pieces, until the caller may no longer read.
type watchedWriter struct {
	io.Writer
	call *Call
}

func (w watchedWriter) Write(p []byte) (written int, err error) {
	for {
		if err := w.call.lost(); err != nil {
			return written, err
		}
		n, err := w.Writer.Write(p[:min(len(p), pieceBytes)])
		written += n
		if p = p[n:]; err != nil || len(p) == 0 {
			return written, err
		}
	}
}
