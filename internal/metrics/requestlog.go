package metrics

import (
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/prometheus/client_golang/prometheus"
)

// requestLogMetrics is the requestlogger.Observer: entries by outcome.
type requestLogMetrics map[requestlogger.Outcome]prometheus.Counter

func newRequestLogMetrics(register registrar) requestLogMetrics {
	return children(register.counter("dropyard_request_log_entries_total",
		"Entries of the request log, by outcome.", "outcome"), requestlogger.Outcomes)
}

// RequestLog returns the observer of the request log.
func (m *Metrics) RequestLog() requestlogger.Observer { return m.requestLog }

// Logged counts entries.
func (m requestLogMetrics) Logged(outcome requestlogger.Outcome, entries int) {
	m[outcome].Add(float64(entries))
}
