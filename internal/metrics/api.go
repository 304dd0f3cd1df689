package metrics

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/prometheus/client_golang/prometheus"
)

// apiMetrics is the httpd.Observer.
type apiMetrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	limits   map[httpd.Limit]limitCounters // read only
	permits  *prometheus.HistogramVec
}

type limitCounters struct{ allowed, refused prometheus.Counter }

func newAPIMetrics(register registrar) *apiMetrics {
	m := &apiMetrics{
		requests: register.counter("dropyard_http_requests_total",
			"HTTP requests that were answered, by method, route and status.", "method", "route", "status"),
		duration: register.histogram("dropyard_http_request_duration_seconds",
			"Time from the header of an HTTP request to the end of its response.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}, "method", "route", "status"),
		inFlight: register.gauge("dropyard_http_requests_in_flight",
			"HTTP requests that are being answered.").WithLabelValues(),
		limits: map[httpd.Limit]limitCounters{},
		permits: register.histogram("dropyard_slot_wait_seconds",
			"Time that requests waited for a slot, by slot and outcome.",
			[]float64{.001, .01, .05, .1, .25, .5, 1, 2.5, 5}, "slot", "outcome"),
	}
	for _, permit := range httpd.PermitKinds {
		m.permits.WithLabelValues(string(permit), "taken")
		m.permits.WithLabelValues(string(permit), "refused")
	}
	limited := register.counter("dropyard_rate_limit_requests_total",
		"Requests that a rate limit was asked for, by limit and outcome.", "limit", "outcome")
	for _, limit := range httpd.Limits {
		m.limits[limit] = limitCounters{
			allowed: limited.WithLabelValues(string(limit), "allowed"),
			refused: limited.WithLabelValues(string(limit), "refused"),
		}
	}
	return m
}

// API returns the observer of the HTTP interface.
func (m *Metrics) API() httpd.Observer { return m.api }

// Limited counts a request that a rate limit was asked for.
func (m *apiMetrics) Limited(limit httpd.Limit, allowed bool) {
	if allowed {
		m.limits[limit].allowed.Inc()
	} else {
		m.limits[limit].refused.Inc()
	}
}

// Permit counts a request that has waited for a permit.
func (m *apiMetrics) Permit(permit httpd.Permit, waited time.Duration, taken bool) {
	outcome := "taken"
	if !taken {
		outcome = "refused"
	}
	m.permits.WithLabelValues(string(permit), outcome).Observe(waited.Seconds())
}

// unmatched is the route label of requests that no route takes.
const unmatched = "unmatched"

// Route returns the observer of a route's requests.
func (m *apiMetrics) Route(pattern string) httpd.RouteObserver {
	if pattern == "" {
		pattern = unmatched
	}
	return &routeMetrics{api: m, pattern: pattern, known: map[routeKey]routeSeries{}}
}

// routeMetrics is the httpd.RouteObserver.
type routeMetrics struct {
	api     *apiMetrics
	pattern string

	mu    sync.RWMutex // guards known
	known map[routeKey]routeSeries
}

type routeKey struct {
	method string
	status int
}

// routeSeries are the children of one method and status, resolved when they are
// first needed: few routes ever have all statuses.
type routeSeries struct {
	requests prometheus.Counter
	duration prometheus.Observer
}

// Started counts a request in.
func (r *routeMetrics) Started() { r.api.inFlight.Inc() }

// Finished counts a request out.
func (r *routeMetrics) Finished(method string, status int, took time.Duration) {
	series := r.series(routeKey{knownMethod(method), status})
	series.requests.Inc()
	series.duration.Observe(took.Seconds())
	r.api.inFlight.Dec() // last, so that none in flight means that all are counted
}

func (r *routeMetrics) series(key routeKey) routeSeries {
	r.mu.RLock()
	series, found := r.known[key]
	r.mu.RUnlock()
	if found {
		return series
	}
	labels := []string{key.method, r.pattern, strconv.Itoa(key.status)}
	series = routeSeries{r.api.requests.WithLabelValues(labels...), r.api.duration.WithLabelValues(labels...)}
	r.mu.Lock()
	r.known[key] = series
	r.mu.Unlock()
	return series
}

// knownMethod keeps the label bounded: a client may send any word as method.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	default:
		return "other"
	}
}
