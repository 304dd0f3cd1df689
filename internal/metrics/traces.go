package metrics

import (
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/prometheus/client_golang/prometheus"
)

// WatchTraces reads at each scrape how many spans were sent and dropped.
func (m *Metrics) WatchTraces(stats func() tracing.Stats) {
	m.registry.MustRegister(traceCollector{stats})
}

var spansDesc = prometheus.NewDesc("dropyard_trace_spans_total",
	"Spans for the collector of traces, by outcome.", []string{"outcome"}, nil)

// traceCollector reads the numbers of the tracer when it is asked.
type traceCollector struct{ stats func() tracing.Stats }

// Describe implements prometheus.Collector.
func (c traceCollector) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect implements prometheus.Collector.
func (c traceCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	out <- counter(spansDesc, float64(stats.Sent), "sent")
	out <- counter(spansDesc, float64(stats.Dropped), "dropped")
}
