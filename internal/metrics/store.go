package metrics

import (
	"github.com/dropyard/dropyard/internal/db"
	"github.com/prometheus/client_golang/prometheus"
)

// WatchStore reads the numbers of the store at each scrape.
func (m *Metrics) WatchStore(stats func() db.Stats) {
	m.registry.MustRegister(storeCollector{stats})
}

var (
	connectionsDesc = prometheus.NewDesc("dropyard_database_connections",
		"Open connections to the database, by pool and state.", []string{"pool", "state"}, nil)
	maxConnectionsDesc = prometheus.NewDesc("dropyard_database_connections_max",
		"Largest number of connections that a pool may open.", []string{"pool"}, nil)
	connectionWaitsDesc = prometheus.NewDesc("dropyard_database_connection_waits_total",
		"Transactions that found no free connection, by pool.", []string{"pool"}, nil)
	connectionWaitTimeDesc = prometheus.NewDesc("dropyard_database_connection_wait_seconds_total",
		"Time that transactions waited for a connection, by pool.", []string{"pool"}, nil)
	transactionRetriesDesc = prometheus.NewDesc("dropyard_database_transaction_retries_total",
		"Transactions that were run again because the database rolled them back in favour of another one.", nil, nil)

	walSizeDesc = prometheus.NewDesc("dropyard_wal_size_bytes",
		"Length of the file of the write-ahead log.", nil, nil)
	walPendingDesc = prometheus.NewDesc("dropyard_wal_pending_bytes",
		"Pages of the write-ahead log that are not yet in the database file.", nil, nil)
	checkpointDesc = prometheus.NewDesc("dropyard_wal_checkpoint_duration_seconds",
		"Duration of checkpoints, which copy the write-ahead log into the database file.", nil, nil)
	checkpointPagesDesc = prometheus.NewDesc("dropyard_wal_checkpoint_pages_total",
		"Pages that checkpoints copied into the database file.", nil, nil)
)

// storeCollector reads the store's numbers when it is asked.
type storeCollector struct{ stats func() db.Stats }

// Describe implements prometheus.Collector.
func (c storeCollector) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect implements prometheus.Collector.
func (c storeCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	for _, pool := range stats.Pools {
		out <- gauge(connectionsDesc, float64(pool.InUse), pool.Name, "in_use")
		out <- gauge(connectionsDesc, float64(pool.Idle), pool.Name, "idle")
		out <- gauge(maxConnectionsDesc, float64(pool.Max), pool.Name)
		out <- counter(connectionWaitsDesc, float64(pool.Waits), pool.Name)
		out <- counter(connectionWaitTimeDesc, pool.WaitTime.Seconds(), pool.Name)
	}
	out <- counter(transactionRetriesDesc, float64(stats.Retries))
	if wal := stats.WAL; wal != nil {
		out <- gauge(walSizeDesc, float64(wal.Size))
		out <- gauge(walPendingDesc, float64(wal.Pending))
		out <- counter(checkpointPagesDesc, float64(wal.Pages))
		out <- prometheus.MustNewConstSummary(checkpointDesc, uint64(max(0, wal.Checkpoints)), wal.Time.Seconds(), nil)
	}
}

func gauge(desc *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
}

func counter(desc *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, labels...)
}
