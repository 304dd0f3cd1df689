package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// WatchClock reads at each scrape how far the times of records are ahead of the machine's
// clock.
func (m *Metrics) WatchClock(ahead func() time.Duration) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dropyard_clock_ahead_seconds",
		Help: "How far the times of records are ahead of the machine's clock, because that was set back.",
	}, func() float64 { return ahead().Seconds() }))
}
