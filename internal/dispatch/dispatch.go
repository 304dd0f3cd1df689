// Package dispatch serves the dispatch desk and couriers: the board of orders
// under way, couriers' rounds, scans of labels, notes, and the settings by which
// a partner's orders are dispatched. It does not move orders: package order does.
package dispatch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Config holds what the service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // safe for concurrent use
	Log    *slog.Logger
	// SettingsChanged is called after a partner's settings have changed; it may be nil.
	SettingsChanged func()
	// Unreadable is called for each stored order that was needed and cannot be read;
	// nil does nothing.
	Unreadable func(*delivery.DamagedError)
}

// Service carries out the use cases of dispatch. It is safe for concurrent use.
type Service struct {
	config  Config
	cancel  context.CancelFunc // nil until Run
	stopped sync.WaitGroup
}

// NewService returns a service, which does nothing by itself until Run.
func NewService(config Config) *Service {
	if config.Unreadable == nil {
		config.Unreadable = func(*delivery.DamagedError) {}
	}
	return &Service{config: config}
}

// report reports an error that means that an order cannot be read, and returns it.
func (s *Service) report(err error) error {
	var damaged *delivery.DamagedError
	if errors.As(err, &damaged) {
		s.config.Unreadable(damaged)
	}
	return err
}

// readable returns those of the orders that can be read, and reports the others.
func (s *Service) readable(orders []*delivery.Order) []*delivery.Order {
	return slices.DeleteFunc(orders, func(o *delivery.Order) bool { return s.report(o.Damage) != nil })
}

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }
