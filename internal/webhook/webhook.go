// Package webhook tells partners what happens to their orders: where a partner
// wants its events, what an event says, and the sender that brings each to its
// endpoint at least once, those of one order in their sequence (interface
// section 6).
package webhook

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Client reaches partners' endpoints, and nothing else.
type Client interface {
	// CheckURL tells why a URL can be nobody's endpoint; nil if it can.
	CheckURL(url string) error
	// Post sends a body once and tells what came back.
	Post(ctx context.Context, url string, headers []Header, body []byte) Answer
}

// Header is one line of a request's header.
type Header struct{ Name, Value string }

// Answer is what came of one request.
type Answer struct {
	Status     int           // the HTTP status; 0 if there was no answer
	RetryAfter time.Duration // what the receiver asked for; 0 if it did not
	Took       time.Duration
	Problem    string // why there was no answer; empty if there was one
}

// Delivered tells whether the receiver has acknowledged: any 2xx.
func (a Answer) Delivered() bool { return a.Status/100 == 2 }

// gone is the status by which a receiver asks to be left alone.
const gone = 410

// Config is what the service is made of.
type Config struct {
	Store  Store
	Client Client
	Sealer *credential.Sealer // of secrets
	Now    func() time.Time
	At     func(time.Time) <-chan time.Time // fires at a time
	Random io.Reader                        // safe for use by many goroutines
	// Wake tells the sender that something has become due for partners, Changed
	// that a partner's endpoint is another.
	Wake    func(partnerIDs ...string)
	Changed func(partnerID string)
}

// Service carries out the use cases of partners with their events. It may be
// used by many goroutines.
type Service struct {
	config Config
	ending chan struct{}
}

// NewService makes the service.
func NewService(config Config) *Service {
	return &Service{config: config, ending: make(chan struct{})}
}

// EndFeeds answers all who wait for a feed, once, so that a stop need not wait
// for them.
func (s *Service) EndFeeds() { close(s.ending) }

// now is the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// ErrNotConfigured refuses what needs an endpoint.
var ErrNotConfigured = refusal.New(delivery.CodeWebhookNotConfigured, "no webhook endpoint is configured")
