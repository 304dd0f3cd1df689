// Package metrics shows Prometheus how the service is doing. No other package
// imports the Prometheus client.
//
// There are two ways in, the same for every package. What happens in a package is
// reported to the Observer that the package declares in its Config; a method of
// Metrics returns one (API, Orders, ...). What a package holds at the moment, such
// as connections or queues, is read from its Stats by a Watch method at each
// scrape.
//
// Every metric is listed in docs/metrics.md; a test compares that list with
// a scrape of a running service.
package metrics

import (
	"net/http"
	"runtime"

	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics holds the metrics of a process. Its methods, and those of the
// observers that it returns, may be called from many goroutines.
type Metrics struct {
	registry   *prometheus.Registry
	api        *apiMetrics
	orders     *orderMetrics
	rates      *rateMetrics
	logins     *prometheus.CounterVec
	mails      mailMetrics
	retention  *retentionMetrics
	requestLog requestLogMetrics
	webhooks   *webhookMetrics
	security   map[securitylog.Event]prometheus.Counter // read only
	unreadable map[string]prometheus.Counter            // by kind of document; read only
}

// New returns the metrics of a process that runs the given version of dropyard.
// All metrics exist from the start, with zero values, except those by HTTP route.
func New(version string) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	register := registrar{registry}
	register.gauge("dropyard_build_info", "Constant 1, labelled with the version of dropyard and of Go.", "version",
		"goversion").
		WithLabelValues(version, runtime.Version()).Set(1)
	unreadable := newUnreadable(register)
	return &Metrics{
		registry: registry,
		api:      newAPIMetrics(register),
		orders:   newOrderMetrics(register),
		rates:    newRateMetrics(register),
		logins: register.counter("dropyard_logins_total",
			"Attempts to log in with a password, by kind of account and outcome.", "account", "outcome"),
		mails:      newMailMetrics(register),
		retention:  newRetentionMetrics(register),
		requestLog: newRequestLogMetrics(register),
		webhooks:   newWebhookMetrics(register, unreadable["event"]),
		security:   newSecurityMetrics(register),
		unreadable: unreadable,
	}
}

// Handler serves the metrics in the text format. A collector that fails is left
// out of the response; the others are shown.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// registrar creates and registers metrics.
type registrar struct{ *prometheus.Registry }

func (r registrar) counter(name, help string, labels ...string) *prometheus.CounterVec {
	vector := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	r.MustRegister(vector)
	return vector
}

func (r registrar) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	vector := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	r.MustRegister(vector)
	return vector
}

func (r registrar) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	vector := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	r.MustRegister(vector)
	return vector
}

// children resolves one child of a counter for each value of its last label, so
// that counting needs no look-up by strings.
func children[T ~string](vector *prometheus.CounterVec, values []T, before ...string) map[T]prometheus.Counter {
	resolved := make(map[T]prometheus.Counter, len(values))
	for _, value := range values {
		resolved[value] = vector.WithLabelValues(append(before[:len(before):len(before)], string(value))...)
	}
	return resolved
}
