// Package v1 has the interface of partners, below /v1: who calls it, and its handlers.
// They are thin: they read a request, call one use case and return its error.
package v1

import (
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Config holds what the interface needs.
type Config struct {
	Orders     *order.Service
	Partners   *partner.Service
	Stock      *stock.Service
	Webhooks   *webhook.Service
	Reports    *report.Service
	RequestLog *requestlogger.Service
	Accounting *accounting.Service
	// UserSignIns is what partners' people do about their own sign-in.
	UserSignIns *signin.Service

	// Clock returns the time zone of an address.
	Clock func(delivery.Address) *time.Location
	// LinkKeys authenticate links to labels. The first seals new ones; none is empty.
	LinkKeys [][]byte
	// BaseURL returns the public address of the service.
	BaseURL func() string
	Now     func() time.Time
	// RateLimit is how many requests a minute are allowed for a partner without a
	// limit of its own. 0 means no limit.
	RateLimit int
}

// Server has the handlers.
type Server struct{ config Config }

// New returns a Server.
func New(config Config) *Server { return &Server{config} }
