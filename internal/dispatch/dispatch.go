// Package dispatch is what dispatchers look at: the board of orders under way,
// what needs attention, notes, and how a partner's orders are dispatched. It
// moves no order: that is for package order.
package dispatch

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Config is what the service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // safe for use by many goroutines
	Log    *slog.Logger
	// Settled is told that a partner's settings have changed.
	Settled func()
}

// Service carries out the use cases of dispatch. It may be used by many
// goroutines.
type Service struct {
	config  Config
	cancel  context.CancelFunc // nil until Run
	stopped sync.WaitGroup
}

// NewService makes a service that does nothing by itself until Run.
func NewService(config Config) *Service { return &Service{config: config} }

// now is the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }
