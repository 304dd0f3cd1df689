// Package ratecard is which rate card holds for whom and when: cards that
// operators upload, their history, and what an order would cost on one of them.
// What is in a card, and what it makes of a shipment, is decided in pricing.
package ratecard

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/pricing"
)

// Everybody is the name of the cards of all partners who have none of their own.
const Everybody = "default"

// BuiltIn is the id of the card that is there before any was uploaded.
const BuiltIn = "crd_builtin"

// Entry is one card of a series. It does not change.
type Entry struct {
	CardID        string
	Name          string // of the series
	Version       string // names the card among all
	EffectiveFrom time.Time
	CreatedAt     time.Time // zero for the built-in card
	OperatorID    string    // who uploaded it; empty for the built-in card
	Document      []byte    // the card's file as it was uploaded
	Card          *pricing.Card
}

// Store is what this room needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads cards.
type Reader interface {
	// RateCardIDs lists the ids of all cards.
	RateCardIDs(ctx context.Context) ([]string, error)
	// RateCards reads cards, without Card; the order is any.
	RateCards(ctx context.Context, ids []string) ([]*Entry, error)
}

// Writer adds cards.
type Writer interface {
	// AddRateCard is false if its version is in use.
	AddRateCard(ctx context.Context, entry *Entry) (added bool, err error)
	// AddAudit writes what was changed by whom.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Config is what the service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // safe for use by many goroutines
}

// Service carries out the use cases of rate cards. It may be used by many
// goroutines.
type Service struct {
	Config
	current atomic.Pointer[book]

	// reading guards the reading of cards, so that one does it for all, and
	// what was read before a change is not kept after it.
	reading sync.Mutex
	parsed  map[string]*Entry // by card id
}

// NewService makes the service.
func NewService(config Config) *Service {
	return &Service{Config: config, parsed: map[string]*Entry{}}
}

// freshness is how long cards are gone by without looking. One that was uploaded
// at one node holds within it on every other; 5 s are promised.
const freshness = 4 * time.Second

// At is the card that holds for the partners of a series: the last of it that
// has taken effect, otherwise the last of everybody's.
func (s *Service) At(ctx context.Context, name string, at time.Time) (*pricing.Card, error) {
	b, err := s.book(ctx)
	if err != nil {
		return nil, err
	}
	return b.at(name, at), nil
}

// book is what is known of all cards, no older than freshness.
func (s *Service) book(ctx context.Context) (*book, error) {
	if b := s.current.Load(); b.fresh(s.Now()) {
		return b, nil
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	now := s.Now()
	if b := s.current.Load(); b.fresh(now) { // another has just read it
		return b, nil
	}
	entries, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	b := newBook(entries, now)
	s.current.Store(b)
	return b, nil
}

// read reads all cards, of which those that were read before need not be. The
// caller holds reading.
func (s *Service) read(ctx context.Context) ([]*Entry, error) {
	var all []*Entry
	err := s.Store.Read(ctx, func(tx Reader) error {
		ids, err := tx.RateCardIDs(ctx)
		if err != nil {
			return err
		}
		var unknown []string
		all = all[:0]
		for _, id := range ids {
			if entry := s.parsed[id]; entry != nil {
				all = append(all, entry)
			} else {
				unknown = append(unknown, id)
			}
		}
		found, err := tx.RateCards(ctx, unknown)
		all = append(all, found...)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, entry := range all {
		if err := entry.parse(); err != nil {
			return nil, err
		}
		s.parsed[entry.CardID] = entry
	}
	return all, nil
}

// forget has the next one look at the store.
func (s *Service) forget() {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.current.Store(nil)
}
