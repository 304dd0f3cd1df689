// Package ratecard decides which rate card applies to a partner at a time. It
// holds the cards that operators upload and their history, and previews what an
// order would cost by another card. Package pricing defines the content of a card
// and computes prices from it.
package ratecard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/pricing"
)

// DefaultSeries is the name of the series of cards that applies to partners
// without a series of their own.
const DefaultSeries = "default"

// BuiltInID is the id of the built-in card, the first of the default series.
const BuiltInID = "crd_builtin"

// Entry is one card of a series. It is not modified once it was read or uploaded.
type Entry struct {
	CardID        string
	Name          string // of the series
	Version       string // unique among all cards
	EffectiveFrom time.Time
	CreatedAt     time.Time // zero for the built-in card
	OperatorID    string    // the operator who uploaded it; empty for the built-in card
	Document      []byte    // the card in JSON, byte for byte as uploaded

	card  *pricing.Card // what Document says; nil if it cannot be read
	fault error         // why it cannot be read
}

// Store runs functions on a consistent view of the data, or in a transaction,
// which is durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads cards.
type Reader interface {
	// CardIDs lists the ids of all cards.
	CardIDs(ctx context.Context) ([]string, error)
	// Cards reads cards, in any order.
	Cards(ctx context.Context, ids []string) ([]*Entry, error)
}

// Writer adds cards.
type Writer interface {
	// AddCard adds a card. It is false if the version is in use.
	AddCard(ctx context.Context, entry *Entry) (added bool, err error)
	// AddAudit adds entries to the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Config holds what a Service depends on.
type Config struct {
	Store Store
	// Calendar is the one by which previews estimate.
	Calendar *pricing.Calendar
	Now      func() time.Time
	Random   io.Reader // safe for use by many goroutines
	Log      *slog.Logger
	// Unreadable is called each time a price is needed of a stored card that cannot
	// be read.
	Unreadable func()
}

// Service carries out the use cases of rate cards. Many goroutines may use it.
type Service struct {
	config  Config
	current atomic.Pointer[book] // the cards as last read; nil before, and after a change

	// reading is held while the cards are read and current is replaced. So one
	// goroutine reads for all that wait, and a book that was read before a change
	// does not replace one that was read after it. It guards parsed.
	reading sync.Mutex
	parsed  map[string]*Entry // the cards that were read, by card id
}

// NewService returns a service.
func NewService(config Config) *Service {
	return &Service{config: config, parsed: map[string]*Entry{}}
}

// freshness is how long the cards are used before they are read again. It bounds
// how long other nodes do not know of an upload, which is documented as 5 s.
const freshness = 4 * time.Second

// At returns the card that applies to the partners of a series: the last card of
// the series that has taken effect, otherwise that of the default series. If that
// card cannot be read, At fails; it uses no other, whose prices might be wrong.
func (s *Service) At(ctx context.Context, name string, at time.Time) (*pricing.Card, error) {
	b, err := s.book(ctx)
	if err != nil {
		return nil, err
	}
	return s.cardOf(b.at(name, at))
}

// cardOf returns the card of an entry, or the reason why it cannot be read.
func (s *Service) cardOf(e *Entry) (*pricing.Card, error) {
	if e.fault != nil {
		s.config.Unreadable()
		return nil, fmt.Errorf("rate card %s: %w", e.CardID, e.fault)
	}
	return e.card, nil
}

// book returns all cards, read at most freshness ago.
func (s *Service) book(ctx context.Context) (*book, error) {
	if b := s.current.Load(); b.fresh(s.config.Now()) {
		return b, nil
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	now := s.config.Now()
	if b := s.current.Load(); b.fresh(now) { // another goroutine has read it meanwhile
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

// read returns all cards. It reads only those that were not read before, because
// cards are not changed. The caller must hold reading.
func (s *Service) read(ctx context.Context) ([]*Entry, error) {
	var all []*Entry
	err := s.config.Store.Read(ctx, func(tx Reader) error {
		ids, err := tx.CardIDs(ctx)
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
		found, err := tx.Cards(ctx, unknown)
		all = append(all, found...)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, entry := range all {
		if s.parsed[entry.CardID] == nil {
			s.parse(entry)
			s.parsed[entry.CardID] = entry
		}
	}
	return all, nil
}

// parse reads the card of an entry. An entry that cannot be read stays in its
// series, and only what needs its prices fails.
func (s *Service) parse(e *Entry) {
	if e.card, e.fault = pricing.ReadStoredCard(e.Document, e.EffectiveFrom); e.fault != nil {
		s.config.Log.Error("stored rate card cannot be read; nothing can be priced by it", "card_id", e.CardID, "error",
			e.fault)
	}
}

// forget discards the book, so that the next use reads the cards again.
func (s *Service) forget() {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.current.Store(nil)
}
