package webhook

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// SenderConfig is what a sender needs. All fields but Shared and Observer are required.
type SenderConfig struct {
	Store  Store
	Client Client
	Sealer *credential.Sealer // of the endpoints' secrets
	Now    func() time.Time
	At     func(time.Time) <-chan time.Time // sends when the given time has come
	Random io.Reader                        // may be read by many goroutines at once
	Log    *slog.Logger
	// Shared is set if other nodes write to the same database. The sender then
	// looks regularly for what they have added.
	Shared bool
	// Observer is called with what happens, for metrics; nil observes nothing.
	Observer Observer
}

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
	// maxLanes is how many endpoints one node sends to at once.
	maxLanes = 1024
	// maxIdle is the longest time between two looks for due events.
	maxIdle = time.Hour
)

// Sender posts events to their endpoints. Each endpoint with due events has a
// lane of its own: leased by one node, with at most maxInFlight requests at once,
// so that a dead or slow endpoint delays no other.
//
// Starting a request writes nothing; only its outcome is written. After a node
// has died, the lane that leases the endpoint next sends again what was under
// way.
type Sender struct {
	config  SenderConfig
	node    string // the beginning of its leases' names
	settler *settler
	wakes   chan struct{} // has an element if something may have become due
	closing chan struct{} // closed by Close
	endRead context.CancelFunc
	running sync.WaitGroup // the dispatcher and all lanes

	mu    sync.Mutex
	lanes map[string]*runner // by partner; guarded by mu
	count atomic.Int64       // of lanes; written under mu

	// looking is when the present look for due events began; nil between two looks.
	looking atomic.Pointer[time.Time]

	// These belong to the dispatcher's goroutine.
	leases int       // how many have been named
	unsure time.Time // until then there may be leases without a lane
}

// NewSender starts a sender, which outlives ctx: Close stops it.
func NewSender(ctx context.Context, config SenderConfig) (*Sender, error) {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	node, err := identifier.New(config.Random, "snd_")
	if err != nil {
		return nil, err
	}
	s := &Sender{
		config: config, node: node,
		wakes: make(chan struct{}, 1), closing: make(chan struct{}), lanes: map[string]*runner{},
	}
	ctx, s.endRead = context.WithCancel(context.WithoutCancel(ctx))
	s.settler = newSettler(s)
	s.running.Go(func() { s.dispatch(ctx) })
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

// Changed must be called after a partner's endpoint has been changed. The partner's
// lane on this node then reads the endpoint before it starts another request. A
// lane on another node notices the change when it reads next.
func (s *Sender) Changed(partnerID string) {
	s.notify(partnerID, onChanged)
	s.Wake()
}

// Wake must be called after events of partners have become due.
func (s *Sender) Wake(partnerIDs ...string) {
	for _, partnerID := range partnerIDs {
		s.notify(partnerID, onWoken)
	}
	select {
	case s.wakes <- struct{}{}:
	default: // the dispatcher has not taken the element of an earlier call
	}
}

// notify sends a trigger to the partner's lane, if there is one. If the same one
// waits in the lane's inbox, this one adds nothing.
func (s *Sender) notify(partnerID string, t trigger) {
	s.mu.Lock()
	lane := s.lanes[partnerID]
	s.mu.Unlock()
	if lane != nil {
		lane.inbox.putOnce(t)
	}
}

// Lanes returns how many endpoints are being sent to.
func (s *Sender) Lanes() int { return int(s.count.Load()) }

// Looking returns how long the present look for due events has taken; 0 between two
// looks. A look ends within tryTimeout unless something hangs.
func (s *Sender) Looking() time.Duration {
	began := s.looking.Load()
	if began == nil {
		return 0
	}
	return time.Since(*began)
}

// dispatch starts lanes for endpoints with due events until the sender closes.
func (s *Sender) dispatch(ctx context.Context) {
	for {
		began := time.Now() // the real clock, because it measures work
		s.looking.Store(&began)
		next, err := s.startDue(ctx)
		s.looking.Store(nil)
		if err != nil && !s.isClosing() {
			s.config.Log.Error("due webhooks not read or not leased, trying again soon", "error", err)
		}
		select {
		case <-s.wakes:
		case <-s.config.At(next):
		case <-s.closing:
			return
		}
	}
}

// startDue starts lanes for endpoints with due events, and returns when to do it
// again.
func (s *Sender) startDue(ctx context.Context) (next time.Time, err error) {
	try, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	now := s.now()
	next = now.Add(lookEvery)
	room := maxLanes - s.Lanes()
	if room <= 0 {
		return next, nil
	}
	var due []string
	var soonest time.Time
	err = s.config.Store.Read(try, func(tx Reader) error {
		due, soonest, err = tx.Wakes(try, now, room)
		return err
	})
	if err != nil {
		return next, err
	}
	leased, err := s.lease(try, due)
	if err != nil {
		// It may have been committed all the same. Then the leases expire unused.
		s.unsure = now.Add(2 * leaseFor)
		return next, err
	}
	s.startLanes(ctx, leased)
	if s.config.Shared || len(due) == room || now.Before(s.unsure) {
		return next, nil
	}
	if next = now.Add(maxIdle); !soonest.IsZero() && soonest.Before(next) {
		next = soonest
	}
	return next, nil
}

// lease leases endpoints. Of several nodes that try, one gets each.
func (s *Sender) lease(ctx context.Context, partnerIDs []string) (leased []*Endpoint, err error) {
	if len(partnerIDs) == 0 {
		return nil, nil
	}
	slices.Sort(partnerIDs)
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		leased = nil
		now := s.now()
		endpoints, err := tx.LockEndpoints(ctx, partnerIDs)
		if err != nil {
			return err
		}
		for _, e := range endpoints {
			if e.Enabled && !e.WakeAt.IsZero() && !e.WakeAt.After(now) && !e.LeaseUntil.After(now) {
				e.Holder, e.LeaseUntil = s.newLease(), now.Add(leaseFor)
				leased = append(leased, e)
			}
		}
		return tx.SaveEndpoints(ctx, leased)
	})
	if err != nil {
		return nil, fmt.Errorf("lease endpoints: %w", err)
	}
	return leased, nil
}

// newLease returns a name for a lease that no other has.
func (s *Sender) newLease() string {
	s.leases++
	return s.node + "/" + strconv.Itoa(s.leases)
}

// startLanes starts a lane for each of the endpoints, which have been leased.
func (s *Sender) startLanes(ctx context.Context, leased []*Endpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, endpoint := range leased {
		lane := newRunner(s, endpoint)
		// The lane that this may replace has parked or lost its lease, and will end.
		s.lanes[endpoint.PartnerID] = lane
		s.running.Go(func() {
			lane.run(ctx)
			s.forget(lane)
		})
	}
	s.count.Store(int64(len(s.lanes)))
}

// forget removes a lane that has ended.
func (s *Sender) forget(lane *runner) {
	s.mu.Lock()
	if s.lanes[lane.partnerID] == lane {
		delete(s.lanes, lane.partnerID)
		s.count.Store(int64(len(s.lanes)))
	}
	s.mu.Unlock()
	s.Wake() // the lane has ignored what became due after it had parked
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
