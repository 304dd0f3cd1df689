package contract_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// fault makes parts of a service fail once it is armed: reading orders, and drawing
// random bytes except for the id of the request.
type fault struct {
	order.Store
	random io.Reader

	mu  sync.Mutex
	err error // guarded by mu; nil until armed
}

// option returns an option that builds the fault into a service.
func (f *fault) option() apptest.Option {
	return func(_ *config.Config, world *app.Surroundings) {
		f.random, world.Random = world.Random, drawn{f}
		world.OrderStore = func(orders order.Store) order.Store {
			f.Store = orders
			return f
		}
	}
}

// arm makes the next request fail.
func (f *fault) arm(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fault) Read(ctx context.Context, fn func(order.Reader) error) error {
	if err := f.armed(); err != nil {
		return err
	}
	return f.Store.Read(ctx, fn)
}

func (f *fault) ReadOnce(ctx context.Context, fn func(order.Reader) error) error {
	if err := f.armed(); err != nil {
		return err
	}
	return f.Store.ReadOnce(ctx, fn)
}

func (f *fault) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	if err := f.armed(); err != nil {
		return nil, err
	}
	return f.Store.Order(ctx, partnerID, orderID)
}

func (f *fault) Stored(ctx context.Context, partnerID, orderID string) (*delivery.Stored, error) {
	if err := f.armed(); err != nil {
		return nil, err
	}
	return f.Store.Stored(ctx, partnerID, orderID)
}

func (f *fault) armed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// drawn is a fault as a source of random bytes.
type drawn struct{ *fault }

func (f drawn) Read(p []byte) (int, error) {
	if err := f.armed(); err != nil && !forRequestID() {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.Read(p)
}

// forRequestID reports whether random bytes are drawn for the id of a request. Counting draws
// would not do: what runs in the background draws some at any moment.
func forRequestID() bool {
	callers := make([]uintptr, 6)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		if strings.HasSuffix(frame.Function, "httpd.(*Server).admit") {
			return true
		}
	}
	return false
}

// driveFault makes a part of the service fail with an unknown error.
func driveFault(t *testing.T, o *operation) *apptest.Answer {
	return driveBroken(t, o, errors.New("the disk is on fire"))
}

// driveTimeout makes a part of the service time out.
func driveTimeout(t *testing.T, o *operation) *apptest.Answer {
	return driveBroken(t, o, context.DeadlineExceeded)
}

func driveBroken(t *testing.T, o *operation, err error) *apptest.Answer {
	broken := &fault{}
	f := newFixture(t, roomy, broken.option())
	request := call{operation: o.id, body: validBody(o), path: f.prepare(t, o)}
	broken.arm(err)
	return f.send(t, request)
}

// slow is a store whose write transactions wait once it is held.
type slow struct {
	order.Store
	held chan struct{} // closed to release them
	on   atomic.Bool
}

func (s *slow) Write(ctx context.Context, fn func(order.Writer) error) error {
	if s.on.Load() {
		<-s.held
	}
	return s.Store.Write(ctx, fn)
}

// driveInProgress sends a request while an equal one is being handled, for ten seconds.
func driveInProgress(t *testing.T, o *operation) *apptest.Answer {
	testkit.NeedFullLength.OrSkip(t)
	kept := &slow{held: make(chan struct{})}
	f := newFixture(t, roomy, func(_ *config.Config, world *app.Surroundings) {
		world.OrderStore = func(orders order.Store) order.Store {
			kept.Store = orders
			return kept
		}
	})
	kept.on.Store(true)
	request := call{operation: o.id, body: validBody(o), headers: []string{"Idempotency-Key", uuid.NewString()}}
	answers := apptest.Together(2, func(int) *apptest.Answer {
		answer := f.send(t, request)
		if answer.Status == 409 {
			close(kept.held) // the other request completes
		}
		return answer
	})
	if answers[0].Status == 409 {
		return answers[0]
	}
	return answers[1]
}
