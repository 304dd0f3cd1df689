package metrics

import (
	"time"

	"github.com/dropyard/dropyard/internal/retention"
	"github.com/prometheus/client_golang/prometheus"
)

// retentionMetrics is the retention.Observer.
type retentionMetrics struct {
	sweeps   map[string]prometheus.Counter // by outcome; read only
	removed  map[string]prometheus.Counter // by kind; read only
	duration prometheus.Observer
}

func newRetentionMetrics(register registrar) *retentionMetrics {
	return &retentionMetrics{
		sweeps: children(register.counter("dropyard_retention_sweeps_total",
			"Sweeps for what is older than the settings allow, by outcome.", "outcome"), []string{"completed", "failed"}),
		removed: children(register.counter("dropyard_retention_removed_total",
			"What sweeps removed, by kind.", "kind"), []string{"orders", "events", "idempotency_keys", "pictures"}),
		duration: register.histogram("dropyard_retention_sweep_duration_seconds",
			"Duration of sweeps, including the pauses between their transactions.",
			[]float64{.01, .1, 1, 10, 60, 300, 1800, 3600, 14400}).WithLabelValues(),
	}
}

// Retention returns the observer of retention.
func (m *Metrics) Retention() retention.Observer { return m.retention }

// Swept counts a sweep.
func (m *retentionMetrics) Swept(removed retention.Removed, took time.Duration, err error) {
	outcome := "completed"
	if err != nil {
		outcome = "failed"
	}
	m.sweeps[outcome].Inc()
	m.duration.Observe(took.Seconds())
	m.removed["orders"].Add(float64(removed.Orders))
	m.removed["events"].Add(float64(removed.Events))
	m.removed["idempotency_keys"].Add(float64(removed.Keys))
	m.removed["pictures"].Add(float64(removed.Pictures))
}
