// Package webhook sends partners the events of their orders (docs/contract.md, Webhooks). It has
// the settings of endpoints, the bodies of events, and the sender, which delivers each event at
// least once, and those of one order in their sequence.
//
// Service has what partners do with endpoints and events. Sender runs a lane for
// each endpoint that has events to be sent, and a settler that writes what came
// of the requests of all lanes.
package webhook

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Client posts to partners' endpoints.
type Client interface {
	// CheckURL returns an *outbound.URLError if a URL cannot be an endpoint, or nil.
	CheckURL(url string) error
	// Post posts a body once and returns the outcome.
	Post(ctx context.Context, url string, headers []Header, body []byte) Answer
}

// Header is one line of a request's header.
type Header struct{ Name, Value string }

// Answer is the outcome of one request.
type Answer struct {
	Status     int           // the HTTP status; 0 if there was no answer
	RetryAfter time.Duration // the wait that the receiver asks for; 0 if it does not
	Took       time.Duration // until the answer, or until the request failed
	Problem    string        // why there was no answer; empty if there was one
}

// Delivered reports whether the receiver has acknowledged the event, by any 2xx.
func (a Answer) Delivered() bool { return a.Status/100 == 2 }

// gone is the status by which a receiver asks for no more events.
const gone = 410

// Config is what a Service needs. All fields but At are required; At is needed by
// Feed.
type Config struct {
	Store  Store
	Client Client
	Sealer *credential.Sealer // of the endpoints' secrets
	Now    func() time.Time
	// MachineNow returns the time by the machine's clock, which Now may be ahead of. It is
	// compared with the times in signatures, and sent with requests; nil stands for Now.
	MachineNow func() time.Time
	At         func(time.Time) <-chan time.Time // sends when the given time has come
	Random     io.Reader                        // may be read by many goroutines at once
	// Wake is called after events have become due at endpoints, and Changed after an
	// endpoint has changed. Both are for the Sender.
	Wake    func(keys ...outbox.EndpointKey)
	Changed func(key outbox.EndpointKey)
	// Source returns the address of this service, which events in the format of CloudEvents name as
	// their source; nil for none.
	Source func() string
	// Upgraded returns an error while a node shares the database that knows only the first
	// endpoint and neither filters nor formats; nil stands for no such node.
	Upgraded func(ctx context.Context) error
}

// Service has what partners do with their endpoints and events. Its methods may
// be called by many goroutines at once.
type Service struct {
	config Config
	ending chan struct{} // closed by EndFeeds
	tests  *fair.Quota   // counts the tests that wait for an answer, by partner
}

// NewService returns a service.
func NewService(config Config) *Service {
	if config.MachineNow == nil {
		config.MachineNow = config.Now
	}
	if config.Upgraded == nil {
		config.Upgraded = func(context.Context) error { return nil }
	}
	return &Service{config: config, ending: make(chan struct{}), tests: fair.NewQuota(maxTests, maxTestsOfOne,
		fair.Watch{})}
}

// EndFeeds ends the wait of every call of Feed, now and from now on. It must be
// called once, when the process stops.
func (s *Service) EndFeeds() { close(s.ending) }

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// ErrNotConfigured means that a partner has no first endpoint, and that the call needs
// one.
var ErrNotConfigured = refusal.New(delivery.CodeWebhookNotConfigured, "no webhook endpoint is configured")

// absent returns the refusal of a call that needs an endpoint which does not exist.
func absent(key outbox.EndpointKey) error {
	if key.EndpointID == "" {
		return ErrNotConfigured
	}
	return errNoEndpoint
}
