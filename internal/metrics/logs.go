package metrics

import (
	"github.com/dropyard/dropyard/internal/foundation/accesslog"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/prometheus/client_golang/prometheus"
)

func newSecurityMetrics(register registrar) map[securitylog.Event]prometheus.Counter {
	return children(register.counter("dropyard_security_events_total",
		"Security events, written to the log or not, by event.", "event"), securitylog.Events)
}

// Security returns the observer of security events.
func (m *Metrics) Security() func(securitylog.Event) {
	return func(event securitylog.Event) { m.security[event].Inc() }
}

// WatchAccessLog reads at each scrape what became of the lines of the access log.
func (m *Metrics) WatchAccessLog(stats func() accesslog.Stats) {
	m.registry.MustRegister(accessLogCollector{stats})
}

var accessLogDesc = prometheus.NewDesc("dropyard_access_log_lines_total",
	"Lines of the access log, by outcome.", []string{"outcome"}, nil)

// accessLogCollector reads the numbers of the access log when it is asked.
type accessLogCollector struct{ stats func() accesslog.Stats }

// Describe implements prometheus.Collector.
func (c accessLogCollector) Describe(out chan<- *prometheus.Desc) { out <- accessLogDesc }

// Collect implements prometheus.Collector.
func (c accessLogCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	out <- counter(accessLogDesc, float64(stats.Written), "written")
	out <- counter(accessLogDesc, float64(stats.Dropped), "dropped")
	out <- counter(accessLogDesc, float64(stats.Failed), "failed")
}
