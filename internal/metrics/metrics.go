// Package metrics shows Prometheus how the service is doing.
package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/webhook"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts and shows. It may be used by many goroutines.
type Metrics struct {
	registry *prometheus.Registry
	attempts *prometheus.CounterVec
	took     prometheus.Histogram
}

// New makes the metrics of a process.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dropyard_webhook_attempts_total",
			Help: "Requests to webhook endpoints, by outcome: delivered, refused (another status), unreachable (no answer).",
		}, []string{"outcome"}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "dropyard_webhook_attempt_duration_seconds",
			Help:    "How long requests to webhook endpoints took.",
			Buckets: []float64{.005, .02, .1, .5, 1, 2.5, 5, 10, 15},
		}),
	}
	m.registry.MustRegister(m.attempts, m.took,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, outcome := range []string{"delivered", "refused", "unreachable"} {
		m.attempts.WithLabelValues(outcome) // so that each is there from the start
	}
	return m
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
	m.attempts.WithLabelValues(outcome).Inc()
	m.took.Observe(a.Took.Seconds())
}

// Watch shows the sender's lanes, and what is in the store each time somebody
// looks.
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

// backlogCollector reads the store when it is asked.
type backlogCollector struct {
	read func(context.Context) (webhook.Backlog, error)
	now  func() time.Time
}

func (c *backlogCollector) Describe(out chan<- *prometheus.Desc) {
	out <- endpointsDesc
	out <- ageDesc
}

// readTimeout bounds how long a scrape waits for the store.
const readTimeout = 5 * time.Second

func (c *backlogCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	b, err := c.read(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(endpointsDesc, err)
		return
	}
	for state, n := range map[string]int64{"healthy": b.Enabled - b.Broken, "broken": b.Broken, "disabled": b.Disabled} {
		out <- prometheus.MustNewConstMetric(endpointsDesc, prometheus.GaugeValue, float64(n), state)
	}
	age := 0.0
	if !b.OldestDue.IsZero() {
		age = max(0, c.now().Sub(b.OldestDue).Seconds())
	}
	out <- prometheus.MustNewConstMetric(ageDesc, prometheus.GaugeValue, age)
}

// Handler answers a scrape. What cannot be read is left out, the rest is shown.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}
