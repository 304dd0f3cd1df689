// Package api serves HTTP in JSON: the partner interface below /v1, public
// tracking below /track, and the operator interface below /ops/v1. Handlers are
// thin: they read a request, call one use case and return its error. Errors become
// responses in one place.
package api

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/foundation/accesslog"
	"github.com/dropyard/dropyard/internal/foundation/budget"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/foundation/turns"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/visit"
	"github.com/dropyard/dropyard/internal/webhook"
	"golang.org/x/sync/semaphore"
)

// Config holds what a Server needs.
type Config struct {
	Orders    *order.Service
	Partners  *partner.Service
	Operators *operator.Service
	// OperatorSignIns and UserSignIns are what people do about their own sign-in, and
	// SignInRules what they must do.
	OperatorSignIns *signin.Service
	UserSignIns     *signin.Service
	SignInRules     *signin.Rules
	Dispatch        *dispatch.Service
	Feed            *feed.Service
	Stock           *stock.Service
	Webhooks        *webhook.Service
	Proofs          *proof.Service
	RateCards       *ratecard.Service
	Retention       *retention.Service
	Reports         *report.Service
	RequestLog      *requestlogger.Service
	Receipts        Receipts

	// BaseURL returns the public address of the service.
	BaseURL func() string
	// TrackingPages are the pages of recipients (package web/track).
	TrackingPages TrackingPages
	// Pages are pages besides those of the interface, and what they load.
	Pages []visit.Route
	// RefusedPage writes the page for a refusal; nil if all refusals are JSON.
	RefusedPage visit.Refused

	// Actors looks up whether the people may still read whose requests run for long.
	Actors Actors
	// Clock returns the time zone of a province.
	Clock func(province string) *time.Location

	Now func() time.Time
	At  func(time.Time) <-chan time.Time // fires at a time by the clock of Now
	// MachineNow returns the time by the machine's clock, which Now may be ahead of. It is
	// compared with the times of signatures; nil stands for Now.
	MachineNow func() time.Time
	Random     io.Reader
	Log        *slog.Logger

	// RateLimit is how many requests a minute are allowed for a partner without a
	// limit of its own. 0 means no limit.
	RateLimit int
	// StrangerLimit is how many requests a minute are allowed for an unauthenticated
	// network, and for tracking from one network. 0 means no limit.
	StrangerLimit int
	// RegistrationLimit is how many accounts a network may register a day; 0 means no limit.
	RegistrationLimit int
	// NewAccountChanges is how many changes other than orders a new account may make a day;
	// 0 means no limit.
	NewAccountChanges int
	// SharedRates counts the requests of each partner across nodes. If it is nil,
	// they are counted in this process.
	SharedRates *throttle.Shared
	// TrustedProxies are the networks of the reverse proxies whose
	// X-Forwarded-For is used.
	TrustedProxies []netip.Prefix
	// SecureCookies is set when the public base URL is https.
	SecureCookies bool
	// OpenID signs operators in through an OpenID provider; nil if there is none.
	OpenID *openid.Client
	// Ready returns why the service is not ready; nil means that it always is.
	Ready Readiness
	// System describes the installation, for admins.
	System func(context.Context) (installation.State, error)
	// AcceptClock has data age by the clock of this machine, although it was doubted.
	AcceptClock func(context.Context) error
	// Resume has webhooks and mails sent again that are held, which Held reports.
	Resume func(context.Context) error
	Held   func() bool
	// Room bounds the memory for requests and responses in flight.
	Room *Room
	// Security writes events that can be part of an attack; nil writes nothing.
	Security *securitylog.Log
	// AccessLog writes a line for each request; nil writes none.
	AccessLog *accesslog.Log
	// Observer receives what happens, for metrics; it may be nil.
	Observer Observer
	// Tracer records requests as spans; nil records nothing.
	Tracer *tracing.Tracer
	// Deprecated are the operations that will be removed, by method and pattern.
	Deprecated map[string]Deprecation
}

// Server is the http.Handler of the whole interface.
type Server struct {
	config Config
	// partners counts the requests of each partner, unless Config.SharedRates does.
	partners *throttle.Limiter
	// unauthenticated counts registrations and requests whose signature is refused,
	// by network.
	unauthenticated *throttle.Networks
	// registrations counts accounts that were registered, by network.
	registrations *throttle.Networks
	// newcomers counts changes of new accounts.
	newcomers *throttle.Limiter
	// tracking counts requests for tracking and proofs, by network.
	tracking *throttle.Networks
	// concurrent counts the requests of each partner that are in flight.
	concurrent *budget.Budget
	// desks counts the requests that wait for changes of the board, by operator.
	desks *budget.Budget
	room  *Room
	// draining limits how many refused bodies are discarded at the same time.
	draining *semaphore.Weighted
	mux      *http.ServeMux
	pages    map[string]visit.Audience // of pages, by pattern; read only
	// notFound refuses a path that no route has.
	notFound http.Handler
	slots    map[Slot]*turns.Slots // read only
	// unmatched observes the requests that match no route.
	unmatched RouteObserver
	informed  informed // who may know why the service is not ready
	// repeats are the operators' changes under way that came with an Idempotency-Key.
	repeats repeats
	watches watches
	// sameSite refuses changes that another site makes with a session's cookie.
	sameSite *http.CrossOriginProtection
	docURLs  map[refusal.Code]string // of the pages that explain errors; read only
}

// requestTimeout is how long a request may run (docs/contract.md, Errors).
const requestTimeout = 30 * time.Second

// New returns a Server.
func New(config Config) *Server {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.MachineNow == nil {
		config.MachineNow = config.Now
	}
	if config.Ready == nil {
		config.Ready = func(context.Context) []installation.Reason { return nil }
	}
	networks := func() *throttle.Networks { return throttle.NewNetworks(perMinute(config.StrangerLimit), config.Now) }
	s := &Server{
		config:          config,
		partners:        throttle.New(PartnerRate(config.RateLimit), config.Now),
		unauthenticated: networks(),
		registrations:   throttle.NewNetworks(perDay(config.RegistrationLimit), config.Now),
		newcomers:       throttle.New(perDay(config.NewAccountChanges), config.Now),
		tracking:        networks(),
		concurrent:      budget.New(math.MaxInt64, maxConcurrent, budget.Watch{}),
		desks:           budget.New(maxDesks, maxDesksOfOne, budget.Watch{}),
		room:            config.Room,
		draining:        semaphore.NewWeighted(maxDraining),
		mux:             http.NewServeMux(),
		slots:           newSlots(),
		watches:         watches{running: map[*watched]bool{}, closing: make(chan struct{})},
		sameSite:        http.NewCrossOriginProtection(),
		unmatched:       config.Observer.Route(""),
		docURLs:         docURLs(config.BaseURL()),
		pages:           map[string]visit.Audience{trackPagePath: visit.Anyone, mailPagePath: visit.Anyone},
	}
	routes := Routes()
	for _, page := range config.Pages {
		routes = append(routes, pageRoute(page))
		s.pages[page.Pattern] = page.For
	}
	paths := map[string]methods{}
	for _, route := range routes {
		if paths[route.Pattern] == nil {
			paths[route.Pattern] = methods{}
		}
		paths[route.Pattern][route.Method] = s.serve(route, config.Observer.Route(route.Pattern))
	}
	for pattern, handlers := range paths {
		s.mux.Handle(pattern, s.dispatch(handlers))
	}
	s.notFound = s.serve(unrouted(errNoSuchPath), s.unmatched)
	s.mux.Handle("/", s.notFound)
	return s
}

// ServeHTTP serves one request. A request that matches no route is refused in
// JSON; http.ServeMux would respond in plain text or with a redirect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	if !clean(r.URL.Path) {
		s.notFound.ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}
