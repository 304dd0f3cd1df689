// Package dispatch serves the dispatch desk and couriers: the board of orders
// under way, couriers' rounds, scans of labels, notes, and the settings by which
// a partner's orders are dispatched. It does not move orders: package order does.
package dispatch

import (
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/route"
)

// Config holds what the service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // safe for concurrent use
	// Pace is how fast couriers are, for proposals.
	Pace route.Pace
	// SettingsChanged is called after a partner's settings have changed; it may be nil.
	SettingsChanged func()
	// Damaged is called for each stored order that was needed and cannot be read.
	Damaged delivery.DamageReport
}

// Service carries out the use cases of dispatch. It is safe for concurrent use.
type Service struct{ config Config }

// NewService returns a service.
func NewService(config Config) *Service { return &Service{config: config} }

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// Pace returns how fast couriers are in estimates.
func (s *Service) Pace() route.Pace { return s.config.Pace }
