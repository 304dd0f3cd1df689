package metrics

import "github.com/prometheus/client_golang/prometheus"

// documentKinds are the stored documents that are counted when they cannot be
// read. Any other kind is counted as "other", so that the label stays bounded.
var documentKinds = []string{"rate_card", "order", "event", "audit", "request_log", "other"}

func newUnreadable(register registrar) map[string]prometheus.Counter {
	return children(register.counter("dropyard_unreadable_documents_total",
		"Stored documents that were needed and could not be read, by kind.", "kind"), documentKinds)
}

// Unreadable counts a stored document that was needed and could not be read.
func (m *Metrics) Unreadable(kind string) {
	counter, known := m.unreadable[kind]
	if !known {
		counter = m.unreadable["other"]
	}
	counter.Inc()
}
