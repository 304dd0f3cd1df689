// Package requestlogger keeps the request log. A request adds its entry to a queue in
// memory, which costs it no more than that: the entries are written a moment later,
// those of a partner together as one segment. When more come than can be written, new
// ones are dropped and counted. What is in the queue is lost if the process dies.
package requestlogger

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/requestlog"
)

const (
	// flushEvery is how often entries are written. They must be there 3 s after their
	// request.
	flushEvery = 2 * time.Second
	// flushTimeout and closeTimeout bound how long one transaction may take, and Close.
	flushTimeout = 10 * time.Second
	closeTimeout = 3 * time.Second
	// patience is how long segments that the database has not taken are tried again.
	patience = time.Minute
	// mostWaiting and mostBodies bound the memory of the queue: entries, and bytes of
	// bodies. An entry beyond mostBodies loses its body.
	mostWaiting = 1 << 14
	mostBodies  = 4 << 20
	// flushAt is how many entries wait when they are written before the next tick.
	flushAt = mostWaiting / 4
	// mostSegments is the most that one transaction writes, so that others who wait to
	// write do not wait long.
	mostSegments = 200
)

// Outcome is what became of an entry.
type Outcome string

// The outcomes.
const (
	Written Outcome = "written"
	Dropped Outcome = "dropped" // the queue was full, or the database did not take it in time
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{Written, Dropped}

// Observer is called with what became of entries, for metrics. It must be fast.
type Observer interface {
	Logged(outcome Outcome, entries int)
}

// Config holds what the service needs.
type Config struct {
	Store Store
	Now   func() time.Time
	// Aged returns the time by which requests age; nil stands for Now.
	Aged   func() clock.Age
	Random io.Reader // safe for use by many goroutines
	Log    *slog.Logger
	// MaxBytes is how much the log may take up in the database, that of all partners
	// together. 0 means that nothing is logged.
	MaxBytes int64
	Observer Observer
	// Unreadable is called for a segment that cannot be read.
	Unreadable func()
}

// Service keeps the request log. It may be used by many goroutines.
type Service struct {
	config Config
	stop   chan struct{}
	wake   chan struct{} // asks for a flush before the next tick
	ended  sync.WaitGroup

	mu      sync.Mutex         // guards waiting and bodies
	waiting []requestlog.Entry // the queue
	bodies  int                // bytes of the bodies in it

	// flushing guards what follows, and lets one flush run at a time.
	flushing sync.Mutex
	spare    []requestlog.Entry // an empty queue, whose memory is used again
	packers  []*requestlog.Packer
	unsaved  []*requestlog.Segment
	packedAt time.Time // when unsaved was packed, which its ids hold
	flushed  time.Time // the begin of the last flush, by the real clock
	written  int64     // bytes since the log was last measured
	measured time.Time // when that was
}

// NewService returns a service that writes nothing by itself before Run.
func NewService(config Config) *Service {
	if config.Aged == nil {
		config.Aged = func() clock.Age { return clock.At(config.Now()) }
	}
	return &Service{config: config, stop: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// Add adds an entry to the queue, or drops it if that is full. It is called on the path
// of every signed request, and neither waits nor allocates.
func (s *Service) Add(e *requestlog.Entry) {
	if s.config.MaxBytes == 0 {
		return
	}
	s.mu.Lock()
	full, early := len(s.waiting) >= mostWaiting, len(s.waiting) == flushAt
	if !full {
		s.waiting = append(s.waiting, *e)
		if s.bodies+len(e.Body) > mostBodies {
			s.waiting[len(s.waiting)-1].Body = nil
		} else {
			s.bodies += len(e.Body)
		}
	}
	s.mu.Unlock()
	if full {
		s.config.Observer.Logged(Dropped, 1)
	}
	if early {
		select {
		case s.wake <- struct{}{}:
		default: // it has been woken already
		}
	}
}

// Run writes the queue, and removes what is old, in the background until Close.
func (s *Service) Run() {
	s.ended.Go(func() {
		ticker := time.NewTicker(flushEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.turn()
			case <-s.wake:
				s.turn()
			case <-s.stop:
				return
			}
		}
	})
}

func (s *Service) turn() {
	ctx := context.Background()
	if err := s.Flush(ctx); err != nil {
		s.config.Log.Error("the request log was not written, trying again", "error", err)
	}
	if !s.pruneDue() {
		return
	}
	if err := s.Prune(ctx); err != nil {
		s.config.Log.Error("old entries of the request log were not removed, trying again later", "error", err)
	}
}

// Close stops the background work and writes what is in the queue, unless the database
// fails to take it. No request may be under way, and the store must still be open.
func (s *Service) Close() {
	close(s.stop)
	s.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := s.Flush(ctx); err != nil {
		s.config.Log.Warn("the last entries of the request log were not written", "error", err)
	}
}

// Flush writes what is in the queue. It returns the error of the database; the entries
// are then written by one of the next calls.
func (s *Service) Flush(ctx context.Context) error {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	s.flushed = time.Now() // the real clock: it limits work
	if len(s.unsaved) == 0 {
		if err := s.pack(); err != nil {
			return err
		}
	}
	for len(s.unsaved) > 0 {
		if err := s.save(ctx); err != nil {
			return err
		}
	}
	return nil
}

// take returns the queue and leaves an empty one.
func (s *Service) take() []requestlog.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.waiting
	s.waiting, s.bodies = s.spare[:0], 0
	return taken
}

// pack turns the queue into segments.
func (s *Service) pack() error {
	entries := s.take()
	byPartner := map[string]*requestlog.Packer{}
	for i := range entries {
		e := &entries[i]
		e.Clean()
		packer := byPartner[e.PartnerID]
		if packer == nil {
			packer = s.packer(len(byPartner))
			byPartner[e.PartnerID] = packer
		}
		packer.Add(e)
	}
	clear(entries) // releases what they refer to
	s.spare = entries
	s.packedAt = later(s.config.Now(), s.packedAt.Add(time.Millisecond)) // ids ascend
	for partnerID, packer := range byPartner {
		id, err := identifier.NewUUID(s.config.Random, s.packedAt)
		if err != nil {
			return err
		}
		segment, err := packer.Pack(partnerID, id)
		if err != nil {
			return fmt.Errorf("pack the entries of %s: %w", partnerID, err)
		}
		s.unsaved = append(s.unsaved, segment)
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// packer returns an empty packer, whose memory is used again in each flush.
func (s *Service) packer(i int) *requestlog.Packer {
	if i == len(s.packers) {
		s.packers = append(s.packers, &requestlog.Packer{})
	}
	return s.packers[i]
}

// save writes some of the segments. If the database fails for long, it drops them all.
func (s *Service) save(ctx context.Context) error {
	batch := s.unsaved[:min(len(s.unsaved), mostSegments)]
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	err := s.config.Store.Write(ctx, func(tx Writer) error { return tx.AddSegments(ctx, batch) })
	if err == nil {
		s.unsaved = s.unsaved[len(batch):]
		s.config.Observer.Logged(Written, requestsIn(batch))
		for _, segment := range batch {
			s.written += segment.Size + overhead
		}
	} else if s.config.Now().Sub(s.packedAt) > patience {
		s.config.Observer.Logged(Dropped, requestsIn(s.unsaved))
		s.unsaved = nil
	}
	return err
}

func requestsIn(segments []*requestlog.Segment) (requests int) {
	for _, segment := range segments {
		requests += int(segment.Requests)
	}
	return requests
}
