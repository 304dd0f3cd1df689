// Package httpd is what every request passes, whichever package handles it: its id, its
// limits of size, rate and time, its signature or session, its response and what is
// written about it. It knows no package of the service: what it must know of callers it asks Callers, and
// what is handled are the Handlers of its routes.
package httpd

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/accesslog"
	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/web"
	"golang.org/x/sync/semaphore"
)

// Config holds what a Server needs.
type Config struct {
	// Callers finds out who makes requests.
	Callers Callers
	// Actors looks up whether the people may still read whose requests run for long.
	Actors Actors
	// Receipts keeps the answers to changes that may be sent again.
	Receipts Receipts
	// Statuses are the HTTP statuses of all refusals.
	Statuses map[refusal.Code]int
	// Interfaces are the first parts of the paths for programs, where a refusal is JSON
	// even if no route has the path.
	Interfaces []string

	// BaseURL returns the public address of the service.
	BaseURL func() string
	// Pages are pages besides the routes, and what they load.
	Pages []web.Route
	// RefusedPage writes the page for a refusal; nil if all refusals are JSON.
	RefusedPage web.Refused

	Now func() time.Time
	At  func(time.Time) <-chan time.Time // fires at a time by the clock of Now
	// MachineNow returns the time by the machine's clock, which Now may be ahead of. It is
	// compared with the times of signatures.
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
	// Memory bounds the memory for requests and responses in flight.
	Memory *Memory
	// Security writes events that can be part of an attack; nil writes nothing.
	Security *securitylog.Log
	// AccessLog writes a line for each request; nil writes none.
	AccessLog *accesslog.Log
	// IsID reports whether a text is an id that the service has made, which logs may show.
	IsID func(text string) bool
	// LogSigned logs a signed request when it has been answered, and MaxLogged is how much
	// of its body it takes if the request was refused, in bytes.
	LogSigned func(c *Call, took time.Duration)
	MaxLogged int
	// Observer receives what happens, for metrics; it may be nil.
	Observer Observer
	// Tracer records requests as spans; nil records nothing.
	Tracer *tracing.Tracer
	// Deprecated are the operations that will be removed, by method and pattern.
	Deprecated map[string]Deprecation
}

// Server is the http.Handler of a table of routes.
type Server struct {
	config Config
	// accounts counts the requests of each account, unless Config.SharedRates does.
	accounts *throttle.Limiter
	// unauthenticated counts registrations and requests whose signature is refused,
	// by network.
	unauthenticated *throttle.Networks
	// registrations counts accounts that were registered, by network.
	registrations *throttle.Networks
	// newcomers counts changes of new accounts.
	newcomers *throttle.Limiter
	// tracking counts requests for tracking and proofs, by network.
	tracking *throttle.Networks
	// concurrent counts the requests of each account that are in flight.
	concurrent *fair.Quota
	memory     *Memory
	// draining limits how many refused bodies are discarded at the same time.
	draining *semaphore.Weighted
	mux      *http.ServeMux
	pages    map[string]web.Audience // of pages, by pattern; read only
	// folders are the paths with a slash at their end that have a route; read only.
	folders map[string]bool
	// slashed are the patterns of pages to which a path with a slash added leads; read only.
	slashed map[string]bool
	// notFound refuses a path that no route has.
	notFound http.Handler
	permits  map[Permit]*fair.Semaphore // read only
	// unmatched observes the requests that match no route.
	unmatched RouteObserver
	// repeats are the changes under way that came with a key.
	repeats repeats
	watches watches
	// sameSite refuses changes that another site makes with a session's cookie.
	sameSite *http.CrossOriginProtection
	docURLs  map[refusal.Code]string // of the pages that explain errors; read only
}

// requestTimeout is how long a request may run (docs/contract.md, Errors), and
// longTimeout one that reads or writes all that a partner has.
const (
	requestTimeout = 30 * time.Second
	longTimeout    = 10 * time.Minute
)

// New returns a Server of routes and of the pages of its configuration.
func New(config Config, routes []Route) *Server {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	networks := func() *throttle.Networks { return throttle.NewNetworks(PerMinute(config.StrangerLimit), config.Now) }
	s := &Server{
		config:          config,
		accounts:        throttle.New(PerMinute(config.RateLimit), config.Now),
		unauthenticated: networks(),
		registrations:   throttle.NewNetworks(perDay(config.RegistrationLimit), config.Now),
		newcomers:       throttle.New(perDay(config.NewAccountChanges), config.Now),
		tracking:        networks(),
		concurrent:      fair.NewQuota(math.MaxInt64, maxConcurrent, fair.Watch{}),
		memory:          config.Memory,
		draining:        semaphore.NewWeighted(maxDraining),
		mux:             http.NewServeMux(),
		permits:         newPermits(),
		watches:         watches{running: map[*watched]bool{}, closing: make(chan struct{})},
		sameSite:        http.NewCrossOriginProtection(),
		unmatched:       config.Observer.Route(""),
		docURLs:         docURLs(config.BaseURL(), config.Statuses),
		pages:           map[string]web.Audience{},
		folders:         map[string]bool{},
		slashed:         map[string]bool{},
	}
	paths := map[string]methods{}
	add := func(route Route) {
		if paths[route.Pattern] == nil {
			paths[route.Pattern] = methods{}
		}
		paths[route.Pattern][route.Method] = s.serve(route, config.Observer.Route(route.Pattern))
		if route.Page != "" {
			s.pages[route.Pattern] = route.Page
		}
	}
	for _, route := range routes {
		add(route)
	}
	for _, page := range config.Pages {
		add(pageRoute(page))
		if page.Method == http.MethodGet && !strings.HasSuffix(page.Pattern, "...}") {
			s.slashed[page.Pattern] = true
		}
	}
	for pattern, handlers := range paths {
		s.mux.Handle(pattern, s.dispatch(handlers))
		if folder, is := strings.CutSuffix(pattern, "{$}"); is {
			s.folders[folder] = true
		}
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
	if !clean(r.URL.Path) && !s.folders[r.URL.Path] {
		if page := s.pageWithoutSlash(r); page != "" {
			s.serve(redirect(page), s.unmatched).ServeHTTP(w, r)
			return
		}
		s.notFound.ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// pageWithoutSlash returns the address of the page that a person has asked for with a slash at
// the end of its path, or "" if there is none. Paths that programs call have one form only.
func (s *Server) pageWithoutSlash(r *http.Request) string {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return ""
	}
	name, cut := strings.CutSuffix(r.URL.Path, "/")
	escaped, cutEscaped := strings.CutSuffix(r.URL.EscapedPath(), "/")
	if !cut || !cutEscaped || name == "" || !clean(name) {
		return ""
	}
	page := url.URL{Path: name, RawPath: escaped, RawQuery: r.URL.RawQuery}
	_, pattern := s.mux.Handler(&http.Request{Method: r.Method, Host: r.Host, URL: &page})
	if !s.slashed[pattern] {
		return ""
	}
	return page.String()
}

// lengthen gives a request longTimeout, and its response too. The request goes on if the
// client leaves; an export then ends because it cannot be written.
func lengthen(w http.ResponseWriter, r *http.Request) (*http.Request, context.CancelFunc) {
	// It fails only for writers that have no deadline.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longTimeout)) // by the real clock, as net/http does
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), longTimeout)
	return r.WithContext(ctx), cancel
}
