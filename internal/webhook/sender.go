package webhook

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/outbox"
)

// SenderConfig is what a sender needs. All fields but Post, Source, Shared, Observer, Tracer and
// Requests are required.
type SenderConfig struct {
	Store  Store
	Client Client
	Sealer *credential.Sealer // of the endpoints' secrets
	Now    func() time.Time
	// MachineNow returns the time that requests carry, by the machine's clock, which Now may
	// be ahead of; nil stands for Now.
	MachineNow func() time.Time
	// Aged returns the time by which the failures of endpoints age until they are disabled;
	// nil stands for Now.
	Aged   func() time.Time
	At     func(time.Time) <-chan time.Time // sends when the given time has come
	Random io.Reader                        // may be read by many goroutines at once
	Log    *slog.Logger
	// Source returns the address of this service, which events in the format of CloudEvents name as
	// their source; nil for none.
	Source func() string
	// Clock says to which day of a partner's figures a delivery counts.
	Clock figures.Clock
	// Post sends mail to the people of a partner whose endpoint the sender disables.
	// With nil there is no mail.
	Post mail.Post
	// Shared is set if other nodes write to the same database. The sender then
	// looks regularly for what they have added.
	Shared bool
	// Observer is called with what happens, for metrics; nil observes nothing.
	Observer Observer
	// Tracer records requests as spans; nil records nothing.
	Tracer *tracing.Tracer
	// Requests is how many may be under way at once; 0 stands for MaxRequests.
	Requests int
	// Held reports whether no request may be started; nil means that all may. Events then
	// wait. It is called often, by many goroutines. Resumed must be called afterwards.
	Held func() bool
}

// MaxRequests is how many requests one node has under way at most.
const MaxRequests = 8192

const (
	// lookEvery is the time between two looks for what other nodes have added. It
	// is shorter than the second within which the service promises to send.
	lookEvery = 800 * time.Millisecond
	// leaseFor is how long a node may send to an endpoint without renewing its
	// lease. Other nodes take over the endpoints of one that has died after that.
	leaseFor = 6 * time.Second
	// renewBelow is how much of a lease is left when it is renewed.
	renewBelow = leaseFor * 2 / 3
	// requestTime is longer than any request takes.
	requestTime = 20 * time.Second
	// maxIdle is the longest time between two looks for due events.
	maxIdle = time.Hour
)

// Sender posts events to their endpoints. An endpoint with due events gets a
// lane of its own: leased by one node, with at most maxInFlight requests at once.
// Lanes share the node's permits so that dead or slow endpoints, however many they
// are, delay no quick one.
//
// Starting a request writes nothing; only its outcome is written. After a node
// has died, the lane that leases the endpoint next sends again what was under
// way.
type Sender struct {
	config  SenderConfig
	node    string // the beginning of its leases' names
	settler *settler
	permits *permits
	wakes   chan struct{} // has an element if something may have become due
	closing chan struct{} // closed by Close
	endRead context.CancelFunc
	running sync.WaitGroup // the dispatcher and all lanes

	mu    sync.Mutex
	lanes map[outbox.EndpointKey]*runner // guarded by mu

	// looking is when the present look for due events began; nil between two looks.
	looking atomic.Pointer[time.Time]
}

// NewSender starts a sender, which outlives ctx: Close stops it.
func NewSender(ctx context.Context, config SenderConfig) (*Sender, error) {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.Requests == 0 {
		config.Requests = MaxRequests
	}
	if config.Held == nil {
		config.Held = func() bool { return false }
	}
	if config.MachineNow == nil {
		config.MachineNow = config.Now
	}
	node, err := identifier.New(config.Random, "snd_")
	if err != nil {
		return nil, err
	}
	s := &Sender{
		config: config, node: node, permits: newPermits(config.Requests),
		wakes: make(chan struct{}, 1), closing: make(chan struct{}), lanes: map[outbox.EndpointKey]*runner{},
	}
	ctx, s.endRead = context.WithCancel(context.WithoutCancel(ctx))
	s.settler = newSettler(s)
	s.running.Go(func() { (&dispatcher{Sender: s}).run(ctx) })
	return s, nil
}

// Close waits until the requests under way have ended and their outcomes are
// written, and frees the endpoints. It must be called once.
func (s *Sender) Close() {
	close(s.closing)
	s.endRead()
	limit := time.AfterFunc(requestTime+lastTries, s.settler.giveUp)
	defer limit.Stop()
	s.running.Wait()
	s.settler.close()
}

func (s *Sender) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// now returns the time as records hold it.
func (s *Sender) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// beat returns a channel that sends when it is time to look for what other nodes
// have added.
func (s *Sender) beat() <-chan time.Time { return s.config.At(s.now().Add(lookEvery)) }

// Changed must be called after an endpoint has been changed. Its
// lane on this node then reads the endpoint before it starts another request. A
// lane on another node notices the change when it reads next.
func (s *Sender) Changed(key outbox.EndpointKey) {
	s.notify(key, onChanged)
	s.wakeDispatcher()
}

// Wake must be called after events have become due at endpoints.
func (s *Sender) Wake(keys ...outbox.EndpointKey) {
	known := len(keys) > 0
	for _, key := range keys {
		known = s.notify(key, onWoken) && known
	}
	if !known {
		s.wakeDispatcher()
	}
}

// Looking returns how long the present look for due events has taken; 0 between two
// looks. A look ends within tryTimeout unless something hangs.
func (s *Sender) Looking() time.Duration {
	began := s.looking.Load()
	if began == nil {
		return 0
	}
	return time.Since(*began)
}

// Resumed must be called when requests are no longer held.
func (s *Sender) Resumed() { s.wakeDispatcher() }

// wakeDispatcher makes it look for endpoints without a lane that have due events.
func (s *Sender) wakeDispatcher() {
	select {
	case s.wakes <- struct{}{}:
	default: // the dispatcher has not taken the element of an earlier call
	}
}

// notify sends a trigger to the lane of an endpoint, and reports whether there is one. If
// the same one waits in the lane's inbox, this one adds nothing.
func (s *Sender) notify(key outbox.EndpointKey, t trigger) bool {
	s.mu.Lock()
	lane := s.lanes[key]
	s.mu.Unlock()
	if lane != nil {
		lane.inbox.putOnce(t)
	}
	return lane != nil
}

// forget removes a lane that has ended.
func (s *Sender) forget(lane *runner) {
	s.mu.Lock()
	if s.lanes[lane.key] == lane {
		delete(s.lanes, lane.key)
	}
	s.mu.Unlock()
	s.wakeDispatcher() // the lane has ignored what became due after it had parked
}

// HandBack frees the endpoints that an earlier process has leased. It may only be
// called if no other node uses the database.
func HandBack(ctx context.Context, store Store) error {
	return store.Write(ctx, func(tx Writer) error { return tx.DropLeases(ctx) })
}

// chance draws a number from 0 to 1.
func (s *Sender) chance() float64 {
	var random [8]byte
	if _, err := io.ReadFull(s.config.Random, random[:]); err != nil {
		return 0.5 // without jitter, which is better than no retry
	}
	return float64(binary.BigEndian.Uint64(random[:])>>11) / (1 << 53)
}
