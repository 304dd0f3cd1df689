package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// receiver is a client that stands for all endpoints: it records requests and
// answers them.
type receiver struct {
	mu     sync.Mutex
	got    []received                    // guarded by mu
	answer func(received) webhook.Answer // guarded by mu; nil answers 200
	more   chan struct{}                 // has an element after a request

	hold func(received) // if set, is called before each answer, and may block
	held chan struct{}  // for the use of hold
}

type received struct {
	url     string
	headers map[string]string
	body    string
}

func (r *receiver) CheckURL(string) error { return nil }

func (r *receiver) Post(_ context.Context, url string, headers []webhook.Header, body []byte) webhook.Answer {
	got := received{url: url, headers: map[string]string{}, body: string(body)}
	for _, h := range headers {
		got.headers[h.Name] = h.Value
	}
	if r.hold != nil {
		r.hold(got)
	}
	r.mu.Lock()
	answer := webhook.Answer{Status: 200}
	if r.answer != nil {
		answer = r.answer(got)
	}
	r.got = append(r.got, got)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
	return answer
}

// respond sets the function that answers the requests from now on.
func (r *receiver) respond(answer func(received) webhook.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

// wait waits until n requests have come, and returns them.
func (r *receiver) wait(t *testing.T, n int) []received {
	t.Helper()
	hangs, cancel := context.WithTimeout(t.Context(), repeatable.Hang)
	defer cancel()
	for {
		if got := r.all(); len(got) >= n {
			return got
		}
		select {
		case <-r.more:
		case <-hangs.Done():
			t.Fatalf("got %d requests, want %d", len(r.all()), n)
		}
	}
}

// watched is a store that signals each write.
type watched struct {
	webhook.Store
	mu   sync.Mutex
	more chan struct{} // closed and replaced by the next write; guarded by mu
}

// next returns a channel that the next write closes.
func (w *watched) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.more
}

func (w *watched) Write(ctx context.Context, fn func(webhook.Writer) error) error {
	err := w.Store.Write(ctx, fn)
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.more)
	w.more = make(chan struct{})
	return err
}

// yard is a service with a sender, a receiver and a database of its own.
type yard struct {
	*webhook.Service
	db     *store.Store
	path   string // of the database
	sender *webhook.Sender
	stop   func()
	clock  *testkit.Clock
	*receiver
	sealer  *credential.Sealer
	random  io.Reader
	newest  string // see nextID
	written *watched
}

const partnerID = "par_01234567"

// first is the first endpoint of the partner.
var first = webhook.KeyOf(partnerID, "")

func newYard(t *testing.T) *yard {
	t.Helper()
	path := filepath.Join(testkit.FastDir(t), "test.db")
	db, err := store.OpenSQLite(t.Context(), path)
	y := yardOn(t, db, err)
	y.path = path
	y.start(t)
	return y
}

// yardOn returns a yard on a database, without a sender.
func yardOn(t *testing.T, db *store.Store, err error) *yard {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{db: db, clock: testkit.NewClock(testkit.Epoch), receiver: &receiver{more: make(chan struct{},
		1), held: make(chan struct{}, 10)}, sealer: sealer, random: repeatable.Reader(t)}
	y.written = &watched{Store: db.Webhooks(), more: make(chan struct{})}
	y.Service = webhook.NewService(webhook.Config{
		Store: y.written, Client: y.receiver, Sealer: y.sealer, Now: y.clock.Now, At: y.clock.At,
		Random: y.random, Changed: func(key outbox.EndpointKey) {
			if y.sender != nil {
				y.sender.Changed(key)
			}
		}, Wake: func(keys ...outbox.EndpointKey) {
			if y.sender != nil {
				y.sender.Wake(keys...)
			}
		},
	})
	return y
}

// start starts the sender.
func (y *yard) start(t *testing.T) {
	t.Helper()
	y.sender, y.stop = y.newSender(t, webhook.SenderConfig{Now: y.clock.Now, At: y.clock.At})
}

func (y *yard) newSender(t *testing.T, config webhook.SenderConfig) (sender *webhook.Sender, stop func()) {
	t.Helper()
	config.Store, config.Client, config.Sealer, config.Random = y.written, y.receiver, y.sealer, y.random
	config.Log = slog.New(slog.DiscardHandler)
	sender, err := webhook.NewSender(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(sender.Close)
	t.Cleanup(stop)
	return sender, stop
}

// damage changes rows in the database directly.
func (y *yard) damage(t *testing.T, statement string) {
	t.Helper()
	c, err := sqlite.OpenConn(y.path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteTransient(c, statement, nil), c.Close()); err != nil {
		t.Fatal(err)
	}
}

// put sets the partner's endpoint. It returns the secret of a new one.
func (y *yard) put(t *testing.T, partnerID, url string) string {
	t.Helper()
	put, _, err := y.Put(t.Context(), partnerID, webhook.Signed{}, webhook.Target{URL: url, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	return put.Secret
}

// setPace sets how many seconds the requests to the partner's endpoint have taken.
func (y *yard) setPace(t *testing.T, pace int64) {
	t.Helper()
	ctx := t.Context()
	err := y.db.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		endpoints, err := tx.LockEndpoints(ctx, []outbox.EndpointKey{first})
		if err != nil {
			return err
		}
		endpoints[first].Pace = pace
		return tx.SaveEndpoints(ctx, slices.Collect(maps.Values(endpoints)))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// add adds events and wakes the sender, as the committer does. It may change their ids,
// see outbox.Follow.
func (y *yard) add(t *testing.T, events ...*delivery.Event) {
	t.Helper()
	ctx := t.Context()
	changes := &order.Changes{Events: events}
	err := y.db.Orders().Write(ctx, func(tx order.Writer) error { return order.Apply(ctx, tx, changes) })
	if err != nil {
		t.Fatal(err)
	}
	if y.sender != nil {
		y.sender.Wake(changes.Announced()...)
	}
}

// nextID returns an id after all that it has returned, so that events that are added in this
// order keep theirs.
func (y *yard) nextID(t *testing.T, at time.Time) string {
	t.Helper()
	id, err := identifier.NewUUID(y.random, at)
	if err != nil {
		t.Fatal(err)
	}
	if id <= y.newest {
		id = identifier.NextUUID(y.newest)
	}
	y.newest = id
	return id
}

func (y *yard) event(t *testing.T, orderID string, sequence int64) *delivery.Event {
	t.Helper()
	return &delivery.Event{
		EventID: y.nextID(t,
			y.clock.Now()), PartnerID: partnerID, OrderID: orderID, Type: delivery.EventOrderPickedUp, Sequence: sequence,
		CreatedAt: y.clock.Now(), Facts: delivery.EventFacts{At: y.clock.Now()},
	}
}

// awaitState waits until an event has a state and a number of attempts.
func (y *yard) awaitState(t *testing.T, eventID string, state outbox.State, attempts int) *webhook.Event {
	t.Helper()
	return y.until(t, eventID, fmt.Sprintf("%s after %d attempts", state, attempts), func(e *webhook.Event) bool {
		return e.State == state && len(e.Log) == attempts
	})
}

// awaitDelivered waits until an event is stored as delivered.
func (y *yard) awaitDelivered(t *testing.T, eventID string) {
	t.Helper()
	y.until(t, eventID, "delivered", func(e *webhook.Event) bool { return e.State == outbox.Delivered })
}

// until waits until the stored event fits, and returns it.
func (y *yard) until(t *testing.T, eventID, want string, fits func(*webhook.Event) bool) (found *webhook.Event) {
	t.Helper()
	y.eventually(t, func() (bool, string) {
		e, err := y.Event(t.Context(), partnerID, eventID)
		if err != nil {
			t.Fatal(err)
		}
		found = e
		return fits(e), fmt.Sprintf("event %s: got %s after %d attempts, want %s", eventID, e.State, len(e.Log), want)
	})
	return found
}

// awaitParked waits until no lane has the endpoint, and nothing is due that could be
// sent.
func (y *yard) awaitParked(t *testing.T) {
	t.Helper()
	y.eventually(t, func() (bool, string) {
		now := y.clock.Now()
		var e *webhook.Endpoint
		err := y.db.Webhooks().Read(t.Context(), func(tx webhook.Reader) (err error) {
			e, err = tx.Endpoint(t.Context(), first)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return e.Holder == "" && (!e.Enabled || e.WakeAt.IsZero() || e.WakeAt.After(now)),
			fmt.Sprintf("got endpoint %+v, want it parked", e)
	})
}

// eventually waits until look returns true. It looks after each write.
func (y *yard) eventually(t *testing.T, look func() (bool, string)) {
	t.Helper()
	hangs, cancel := context.WithTimeout(t.Context(), repeatable.Hang)
	defer cancel()
	for {
		written := y.written.next()
		ok, why := look()
		if ok {
			return
		}
		select {
		case <-written:
		case <-hangs.Done():
			t.Fatal(why)
		}
	}
}
