// Package api speaks HTTP in JSON: the partner interface below /v1, public
// tracking below /track, the operator interface below /ops/v1. Handlers are
// thin: they read a request, call one use case and return its error; one place
// turns errors into answers.
package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Config is what the interface needs.
type Config struct {
	Orders    *order.Service
	Partners  *partner.Service
	Operators *operator.Service
	Dispatch  *dispatch.Service
	Stock     *stock.Service
	Webhooks  *webhook.Service
	Proofs    *proof.Service
	RateCards *ratecard.Service

	// TrackingPage shows an order to its recipient (package web).
	TrackingPage TrackingPage

	Now    func() time.Time
	Random io.Reader
	Log    *slog.Logger

	// RateLimit is how many requests a minute a partner may make who has no limit
	// of their own, and an address that is not signed in; 0 is no limit.
	RateLimit int
	// SharedRates spends one token for each signed request, by partner id, where
	// nodes share the partners' rates. nil counts them in this process.
	SharedRates *throttle.Shared
	// TrustedProxies are the networks of the reverse proxies in front, whose
	// X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// SecureCookies is set when the public base URL is https.
	SecureCookies bool
	// Observer is called with what happens, for metrics; nil observes nothing.
	Observer Observer
}

// Server answers requests.
type Server struct {
	Config
	// partners spends one token for each signed request, by partner id, unless
	// nodes share the rates.
	partners *throttle.Limiter
	// strangers spends one for each registration, and for each request that
	// fails to sign, by the network that it comes from.
	strangers *throttle.Limiter
	// trackers spends one for each request for tracking or a proof, likewise.
	trackers *throttle.Limiter
	mux      *http.ServeMux
	// unmatched observes the requests that no route takes.
	unmatched RouteObserver
	// sameSite refuses changes that another site makes with a session's cookie.
	sameSite *http.CrossOriginProtection
}

// requestTimeout is how long a request may run (interface section 8).
const requestTimeout = 30 * time.Second

// New makes the handler of the whole interface.
func New(config Config) *Server {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	limiter := func() *throttle.Limiter { return throttle.New(PartnerRate(config.RateLimit), config.Now) }
	s := &Server{
		Config:    config,
		partners:  limiter(),
		strangers: limiter(),
		trackers:  limiter(),
		mux:       http.NewServeMux(),
		sameSite:  http.NewCrossOriginProtection(),
		unmatched: config.Observer.Route(""),
	}
	for _, route := range Routes() {
		s.mux.Handle(route.Method+" "+route.Pattern, s.serve(route, config.Observer.Route(route.Pattern)))
	}
	return s
}

// ServeHTTP answers one request. What no route takes is refused in JSON, which
// http.ServeMux would do in plain text, or with a redirect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	if !clean(r.URL.Path) {
		s.serve(unrouted(errNoSuchPath), s.unmatched).ServeHTTP(w, r)
		return
	}
	if handler, pattern := s.mux.Handler(r); pattern == "" {
		s.serve(unrouted(whyUnrouted(handler, w, r)), s.unmatched).ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}
