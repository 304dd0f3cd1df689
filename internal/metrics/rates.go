package metrics

import (
	"time"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/prometheus/client_golang/prometheus"
)

// rateMetrics is the throttle.SharedObserver.
type rateMetrics struct {
	exchanges map[string]prometheus.Counter // by outcome; read only
	duration  prometheus.Observer
}

func newRateMetrics(register registrar) *rateMetrics {
	return &rateMetrics{
		exchanges: children(register.counter("dropyard_rate_limit_lease_exchanges_total",
			"Calls of the database for a lease on a rate that nodes share, by outcome.",
			"outcome"), []string{"granted", "empty", "failed"}),
		duration: register.histogram("dropyard_rate_limit_lease_exchange_duration_seconds",
			"Duration of calls of the database for a lease.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1}).WithLabelValues(),
	}
}

// SharedRates returns the observer of the rates that nodes share.
func (m *Metrics) SharedRates() throttle.SharedObserver { return m.rates }

// Renewed counts a call of the database.
func (m *rateMetrics) Renewed(leased int64, took time.Duration, err error) {
	outcome := "granted"
	switch {
	case err != nil:
		outcome = "failed"
	case leased == 0:
		outcome = "empty"
	}
	m.exchanges[outcome].Inc()
	m.duration.Observe(took.Seconds())
}
