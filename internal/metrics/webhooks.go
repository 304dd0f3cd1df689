package metrics

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/webhook"
	"github.com/prometheus/client_golang/prometheus"
)

type webhookMetrics struct {
	attempts map[string]prometheus.Counter // by outcome; read only
	duration prometheus.Observer
}

func newWebhookMetrics(register registrar) *webhookMetrics {
	return &webhookMetrics{
		attempts: children(register.counter("dropyard_webhook_attempts_total",
			"Requests to webhook endpoints, by outcome.", "outcome"), []string{"delivered", "refused", "unreachable"}),
		duration: register.histogram("dropyard_webhook_attempt_duration_seconds",
			"Duration of requests to webhook endpoints.",
			[]float64{.005, .02, .1, .5, 1, 2.5, 5, 10, 15}).WithLabelValues(),
	}
}

// Attempted counts a request to a webhook endpoint.
func (m *Metrics) Attempted(a webhook.Answer) {
	outcome := "refused"
	switch {
	case a.Delivered():
		outcome = "delivered"
	case a.Status == 0:
		outcome = "unreachable"
	}
	m.webhooks.attempts[outcome].Inc()
	m.webhooks.duration.Observe(a.Took.Seconds())
}

// Watch shows the sender's lanes, and reads what waits in the store at each
// scrape.
func (m *Metrics) Watch(lanes func() int, backlog func(context.Context) (webhook.Backlog, error), now func() time.Time) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "dropyard_webhook_lanes_open",
			Help: "Endpoints that this node is sending to right now.",
		}, func() float64 { return float64(lanes()) }),
		&backlogCollector{backlog, now})
}

var (
	endpointsDesc = prometheus.NewDesc("dropyard_webhook_endpoints",
		"Webhook endpoints of all partners, by state: healthy, broken (only probed), disabled.", []string{"state"}, nil)
	ageDesc = prometheus.NewDesc("dropyard_webhook_queue_age_seconds",
		"How long the oldest event has been due at endpoints that are neither disabled nor broken.", nil, nil)
)

// backlogCollector reads the store at each scrape.
type backlogCollector struct {
	read func(context.Context) (webhook.Backlog, error)
	now  func() time.Time
}

// Describe implements prometheus.Collector.
func (c *backlogCollector) Describe(out chan<- *prometheus.Desc) {
	out <- endpointsDesc
	out <- ageDesc
}

// readTimeout bounds how long a scrape waits for the store.
const readTimeout = 5 * time.Second

// Collect implements prometheus.Collector.
func (c *backlogCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	b, err := c.read(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(endpointsDesc, err)
		return
	}
	for state, n := range map[string]int64{"healthy": b.Enabled - b.Broken, "broken": b.Broken, "disabled": b.Disabled} {
		out <- gauge(endpointsDesc, float64(n), state)
	}
	age := 0.0
	if !b.OldestDue.IsZero() {
		age = max(0, c.now().Sub(b.OldestDue).Seconds())
	}
	out <- gauge(ageDesc, age)
}
