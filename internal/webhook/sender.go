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
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// SenderConfig is what the sender is made of.
type SenderConfig struct {
	Store  Store
	Client Client
	Sealer *credential.Sealer
	Now    func() time.Time
	At     func(time.Time) <-chan time.Time // fires at a time
	Random io.Reader
	Log    *slog.Logger
	// Shared tells that other nodes write to the same store: then the sender
	// also looks for what they have left to it.
	Shared bool
	// Attempted is told of every attempt, for the metrics.
	Attempted func(Answer)
}

const (
	// lookEvery is how soon a node sees what another has written: sooner than the
	// second within which it promises to send it.
	lookEvery = 800 * time.Millisecond
	// leaseFor is how long a node may send to an endpoint without saying again
	// that it is alive. A node that dies is replaced after that.
	leaseFor = 6 * time.Second
	// requestTime is more than one request can take.
	requestTime = 20 * time.Second
	// maxLanes is how many endpoints one node sends to at once.
	maxLanes = 1024
)

// Sender brings events to their endpoints. Each endpoint that has something due
// is one lane: leased by one node, at most maxInFlight requests at once, so that
// a dead or slow endpoint delays no other.
//
// Nothing is written when an event is taken up, only what came of it: an event
// that was under way when a node died is sent again, by whoever leases the
// endpoint next.
type Sender struct {
	SenderConfig
	node    string
	settler *settler
	wakes   chan struct{}
	closing chan struct{}
	reading context.Context // ends when the sender closes
	endRead context.CancelFunc
	running sync.WaitGroup // the dispatcher and all lanes

	mu     sync.Mutex       // guards what follows
	lanes  map[string]*lane // by partner
	leases int              // counts them, so that each has a name of its own

	unsure time.Time // until then leases may be held by no lane; the dispatcher's own
}

// NewSender starts the sender. Close stops it.
func NewSender(ctx context.Context, config SenderConfig) (*Sender, error) {
	node, err := identifier.New(config.Random, "snd_")
	if err != nil {
		return nil, err
	}
	s := &Sender{
		SenderConfig: config, node: node,
		wakes: make(chan struct{}, 1), closing: make(chan struct{}), lanes: map[string]*lane{},
	}
	s.reading, s.endRead = context.WithCancel(context.WithoutCancel(ctx))
	s.settler = newSettler(s)
	s.running.Go(s.dispatch)
	return s, nil
}

// Close lets requests under way finish, writes what came of them, and hands the
// endpoints back.
func (s *Sender) Close() {
	close(s.closing)
	s.endRead()
	s.mu.Lock()
	for _, lane := range s.lanes {
		lane.signal(func() {})
	}
	s.mu.Unlock()
	// Requests under way may take as long as they may; what came of them is then
	// written, if the database can be reached.
	limit := time.AfterFunc(lastWords+requestTime, s.settler.end)
	defer limit.Stop()
	s.running.Wait()
	s.settler.close()
	s.settler.end()
}

func (s *Sender) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// now is the time as records hold it.
func (s *Sender) now() time.Time { return timestamp.Truncate(s.Now()) }

// Changed tells that a partner's endpoint is another: from now on nothing is
// sent to what it was. Nodes elsewhere learn it when they look next.
func (s *Sender) Changed(partnerID string) {
	s.mu.Lock()
	if lane := s.lanes[partnerID]; lane != nil {
		lane.signal(func() { lane.changes++ })
	}
	s.mu.Unlock()
	s.Wake()
}

// Wake tells that something has become due for partners.
func (s *Sender) Wake(partnerIDs ...string) {
	s.mu.Lock()
	for _, partnerID := range partnerIDs {
		if lane := s.lanes[partnerID]; lane != nil {
			lane.signal(func() { lane.look = true })
		}
	}
	s.mu.Unlock()
	select {
	case s.wakes <- struct{}{}:
	default: // it will look anyway
	}
}

// dispatch opens lanes for whatever becomes due.
func (s *Sender) dispatch() {
	for {
		next, err := s.look(s.reading)
		if err != nil && !s.isClosing() {
			s.Log.Error("webhooks not looked for, trying again soon", "error", err)
		}
		select {
		case <-s.wakes:
		case <-s.At(next):
		case <-s.closing:
			return
		}
	}
}

// idle is how long to wait when nothing is known to become due.
const idle = time.Hour

// soon fires when it is time to look what other nodes have written.
func (s *Sender) soon() <-chan time.Time { return s.At(s.now().Add(lookEvery)) }

// look opens lanes for what is due, and tells when to look again.
func (s *Sender) look(ctx context.Context) (next time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	now := s.now()
	next = now.Add(lookEvery)
	room := maxLanes - s.Lanes()
	if room <= 0 {
		return next, nil
	}
	var due []string
	var soonest time.Time
	err = s.Store.Read(ctx, func(tx Reader) error {
		due, soonest, err = tx.Wakes(ctx, now, room)
		return err
	})
	if err != nil {
		return next, err
	}
	if err := s.open(ctx, due); err != nil {
		// It may have been committed all the same: leases run out unused.
		s.unsure = now.Add(2 * leaseFor)
		return next, err
	}
	if s.Shared || len(due) == room || now.Before(s.unsure) {
		return next, nil
	}
	if next = now.Add(idle); !soonest.IsZero() && soonest.Before(next) {
		next = soonest
	}
	return next, nil
}

// Lanes is how many endpoints are being sent to.
func (s *Sender) Lanes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lanes)
}

// ahead is how many events a lane may read at once.
func (s *Sender) ahead() int { return min(maxAhead, max(minAhead, maxRead/max(1, s.Lanes()))) }

// open leases endpoints and opens their lanes. Of several nodes that try, one
// gets each.
func (s *Sender) open(ctx context.Context, partnerIDs []string) error {
	if len(partnerIDs) == 0 {
		return nil
	}
	slices.Sort(partnerIDs)
	var leased []*Endpoint
	err := s.Store.Write(ctx, func(tx Writer) error {
		leased = nil
		now := s.now()
		endpoints, err := tx.LockEndpoints(ctx, partnerIDs)
		if err != nil {
			return err
		}
		for _, endpoint := range endpoints {
			if endpoint.Enabled && !endpoint.WakeAt.IsZero() && !endpoint.WakeAt.After(now) && !endpoint.LeaseUntil.After(now) {
				endpoint.Holder, endpoint.LeaseUntil = s.lease(), now.Add(leaseFor)
				leased = append(leased, endpoint)
			}
		}
		return tx.SaveEndpoints(ctx, leased)
	})
	if err != nil {
		return fmt.Errorf("lease endpoints: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, endpoint := range leased {
		// A lane that is still there has parked or lost its lease, and will end.
		lane := newLane(s, endpoint)
		s.lanes[endpoint.PartnerID] = lane
		s.running.Go(func() { lane.run(context.WithoutCancel(ctx)) })
	}
	return nil
}

// lease names a lease.
func (s *Sender) lease() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases++
	return s.node + "/" + strconv.Itoa(s.leases)
}

func (s *Sender) forget(l *lane) {
	s.mu.Lock()
	if s.lanes[l.partnerID] == l {
		delete(s.lanes, l.partnerID)
	}
	s.mu.Unlock()
	// Something may have become due while the lane was on its way out.
	s.Wake()
}

// HandBack frees what an earlier run of this store's only node had leased.
func HandBack(ctx context.Context, store Store) error {
	return store.Write(ctx, func(tx Writer) error { return tx.DropLeases(ctx) })
}

// chance draws a number from 0 to 1.
func (s *Sender) chance() float64 {
	var random [8]byte
	if _, err := io.ReadFull(s.Random, random[:]); err != nil {
		return 0.5 // no jitter; better than no retry
	}
	return float64(binary.BigEndian.Uint64(random[:])>>11) / (1 << 53)
}
