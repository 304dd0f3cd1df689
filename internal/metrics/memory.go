package metrics

import (
	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/prometheus/client_golang/prometheus"
)

// WatchMemory reads at each scrape how many bytes of requests and responses are in
// flight.
func (m *Metrics) WatchMemory(stats func() fair.Stats) {
	m.registry.MustRegister(memoryCollector{stats})
}

var (
	memoryHeldDesc = prometheus.NewDesc("dropyard_in_flight_bytes",
		"Bytes of large requests and responses in flight.", nil, nil)
	memoryLimitDesc = prometheus.NewDesc("dropyard_in_flight_bytes_max",
		"Room for bytes of large requests and responses in flight.", nil, nil)
	memoryRefusedDesc = prometheus.NewDesc("dropyard_in_flight_refused_total",
		"Requests for room that were refused.", nil, nil)
)

// memoryCollector reads the numbers of that memory when it is asked.
type memoryCollector struct{ stats func() fair.Stats }

// Describe implements prometheus.Collector.
func (c memoryCollector) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect implements prometheus.Collector.
func (c memoryCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	out <- gauge(memoryHeldDesc, float64(stats.Held))
	out <- gauge(memoryLimitDesc, float64(stats.Limit))
	out <- counter(memoryRefusedDesc, float64(stats.Refused))
}
