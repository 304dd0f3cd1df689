package metrics

import (
	"github.com/dropyard/dropyard/internal/foundation/inbound"
	"github.com/prometheus/client_golang/prometheus"
)

// WatchConnections reads at each scrape what has become of the connections of clients.
func (m *Metrics) WatchConnections(stats func() inbound.Stats) {
	m.registry.MustRegister(connectionCollector{stats})
}

var (
	clientsDesc        = prometheus.NewDesc("dropyard_http_connections", "Open connections of clients.", nil, nil)
	clientsRefusedDesc = prometheus.NewDesc("dropyard_http_connections_refused_total",
		"Connections of clients that were closed because their network, or all together, had too many.", []string{"bound"},
		nil)
	acceptErrorsDesc = prometheus.NewDesc("dropyard_http_accept_errors_total",
		"Errors of accepting connections of clients, such as too many open files.", nil, nil)
)

// connectionCollector reads the numbers of connections when it is asked.
type connectionCollector struct{ stats func() inbound.Stats }

// Describe implements prometheus.Collector.
func (c connectionCollector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{clientsDesc, clientsRefusedDesc, acceptErrorsDesc} {
		out <- desc
	}
}

// Collect implements prometheus.Collector.
func (c connectionCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	out <- gauge(clientsDesc, float64(stats.Open))
	out <- counter(clientsRefusedDesc, float64(stats.RefusedNetwork), "network")
	out <- counter(clientsRefusedDesc, float64(stats.RefusedAll), "all")
	out <- counter(acceptErrorsDesc, float64(stats.Failed))
}
