package metrics

import (
	"context"

	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/prometheus/client_golang/prometheus"
)

// mailMetrics is the mailer.Observer: the attempts to send mails, by outcome.
type mailMetrics map[mailer.Outcome]prometheus.Counter

func newMailMetrics(register registrar) mailMetrics {
	return children(register.counter("dropyard_mail_attempts_total",
		"Attempts to send mails, by outcome.", "outcome"), mailer.Outcomes)
}

// Mails returns the observer of the sender of mails.
func (m *Metrics) Mails() mailer.Observer { return m.mails }

// Mailed counts an attempt.
func (m mailMetrics) Mailed(outcome mailer.Outcome) { m[outcome].Inc() }

// WatchMails reads the number of waiting mails from the store at each scrape.
func (m *Metrics) WatchMails(waiting func(context.Context) (int64, error)) {
	m.registry.MustRegister(mailCollector{waiting})
}

var mailsDesc = prometheus.NewDesc("dropyard_mails_waiting", "Mails of all nodes that wait to be sent.", nil, nil)

// mailCollector reads the store when it is asked.
type mailCollector struct {
	waiting func(context.Context) (int64, error)
}

// Describe implements prometheus.Collector.
func (c mailCollector) Describe(out chan<- *prometheus.Desc) { out <- mailsDesc }

// Collect implements prometheus.Collector.
func (c mailCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	waiting, err := c.waiting(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(mailsDesc, err)
		return
	}
	out <- gauge(mailsDesc, float64(waiting))
}
