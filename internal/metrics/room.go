package metrics

import (
	"github.com/dropyard/dropyard/internal/foundation/budget"
	"github.com/prometheus/client_golang/prometheus"
)

// WatchRoom reads at each scrape how many bytes of requests and responses are in
// flight.
func (m *Metrics) WatchRoom(stats func() budget.Stats) {
	m.registry.MustRegister(roomCollector{stats})
}

var (
	roomHeldDesc = prometheus.NewDesc("dropyard_in_flight_bytes",
		"Bytes of large requests and responses in flight.", nil, nil)
	roomLimitDesc = prometheus.NewDesc("dropyard_in_flight_bytes_max",
		"Room for bytes of large requests and responses in flight.", nil, nil)
	roomRefusedDesc = prometheus.NewDesc("dropyard_in_flight_refused_total",
		"Requests for room that were refused.", nil, nil)
)

// roomCollector reads the numbers of the room when it is asked.
type roomCollector struct{ stats func() budget.Stats }

// Describe implements prometheus.Collector.
func (c roomCollector) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect implements prometheus.Collector.
func (c roomCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	out <- gauge(roomHeldDesc, float64(stats.Held))
	out <- gauge(roomLimitDesc, float64(stats.Limit))
	out <- counter(roomRefusedDesc, float64(stats.Refused))
}
