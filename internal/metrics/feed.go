package metrics

import (
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/prometheus/client_golang/prometheus"
)

// WatchFeed reads at each scrape what the feed of the dispatch board holds.
func (m *Metrics) WatchFeed(stats func() feed.Stats) {
	m.registry.MustRegister(feedCollector{stats})
}

var (
	feedDesksDesc = prometheus.NewDesc("dropyard_board_feed_desks",
		"Requests for the board's snapshot or its changes that are being answered or wait.", nil, nil)
	feedRowsDesc = prometheus.NewDesc("dropyard_board_feed_rows",
		"Orders in this node's copy of the board, which exists while desks follow it.", nil, nil)
)

// feedCollector reads the numbers of the feed when it is asked.
type feedCollector struct{ stats func() feed.Stats }

// Describe implements prometheus.Collector.
func (c feedCollector) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect implements prometheus.Collector.
func (c feedCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	out <- gauge(feedDesksDesc, float64(stats.Desks))
	out <- gauge(feedRowsDesc, float64(stats.Rows))
}
