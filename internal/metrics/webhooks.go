package metrics

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/webhook"
	"github.com/prometheus/client_golang/prometheus"
)

// webhookMetrics is the webhook.Observer.
type webhookMetrics struct {
	attempts map[string]prometheus.Counter // by outcome; read only
	duration prometheus.Observer
	lag      prometheus.Observer
	damaged  prometheus.Counter
	givenUp  prometheus.Counter
}

func newWebhookMetrics(register registrar, damaged prometheus.Counter) *webhookMetrics {
	return &webhookMetrics{
		damaged: damaged,
		givenUp: register.counter("dropyard_webhook_events_given_up_total",
			"Events that were not delivered within all their tries, or cannot be read.").WithLabelValues(),
		attempts: children(register.counter("dropyard_webhook_attempts_total",
			"Requests to webhook endpoints, by outcome.", "outcome"), []string{"delivered", "refused", "unreachable"}),
		duration: register.histogram("dropyard_webhook_attempt_duration_seconds",
			"Duration of requests to webhook endpoints.",
			[]float64{.005, .02, .1, .5, 1, 2.5, 5, 10, 15}).WithLabelValues(),
		lag: register.histogram("dropyard_webhook_lag_seconds",
			"Time from when an event was due until its request was started.",
			[]float64{.005, .02, .1, .5, 1, 2.5, 5, 15, 60, 300, 1800}).WithLabelValues(),
	}
}

// Webhooks returns the observer of the sender.
func (m *Metrics) Webhooks() webhook.Observer { return m.webhooks }

// Attempted counts a request to an endpoint.
func (m *webhookMetrics) Attempted(a webhook.Answer) {
	outcome := "refused"
	switch {
	case a.Delivered():
		outcome = "delivered"
	case a.Status == 0:
		outcome = "unreachable"
	}
	m.attempts[outcome].Inc()
	m.duration.Observe(a.Took.Seconds())
}

// Sent measures how late a request was started.
func (m *webhookMetrics) Sent(lag time.Duration) { m.lag.Observe(lag.Seconds()) }

// Damaged counts an event that cannot be read.
func (m *webhookMetrics) Damaged() { m.damaged.Inc() }

// GaveUp counts events that have failed.
func (m *webhookMetrics) GaveUp(events int) { m.givenUp.Add(float64(events)) }

// WatchSender reads the numbers of the sender at each scrape.
func (m *Metrics) WatchSender(stats func() webhook.Stats) {
	m.registry.MustRegister(senderCollector{stats})
}

var (
	lanesDesc = prometheus.NewDesc("dropyard_webhook_lanes",
		"Endpoints that this node is sending to, by the state of their lane.", []string{"state"}, nil)
	laneEventsDesc = prometheus.NewDesc("dropyard_webhook_lane_events",
		"Events that lanes have read and not settled, by state.", []string{"state"}, nil)
	permitsDesc = prometheus.NewDesc("dropyard_webhook_slots",
		"Slots for requests to webhook endpoints that are in use, by the speed of the endpoint.", []string{"speed"}, nil)
	notesDesc = prometheus.NewDesc("dropyard_webhook_settler_queue",
		"Outcomes of requests, and parkings and renewals of lanes, that wait to be written.", nil, nil)
)

// senderCollector reads the sender's numbers when it is asked.
type senderCollector struct{ stats func() webhook.Stats }

// Describe implements prometheus.Collector.
func (c senderCollector) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect implements prometheus.Collector.
func (c senderCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	for state, lanes := range stats.Lanes {
		out <- gauge(lanesDesc, float64(lanes), state)
	}
	for speed, used := range stats.Permits {
		out <- gauge(permitsDesc, float64(used), speed)
	}
	out <- gauge(laneEventsDesc, float64(stats.Ready), "ready")
	out <- gauge(laneEventsDesc, float64(stats.UnderWay), "under_way")
	out <- gauge(laneEventsDesc, float64(stats.Waiting), "waiting")
	out <- gauge(notesDesc, float64(stats.Notes))
}

// WatchBacklog reads the state of all partners' endpoints from the store at each
// scrape.
func (m *Metrics) WatchBacklog(read func(context.Context) (webhook.Backlog, error), now func() time.Time) {
	m.registry.MustRegister(&backlogCollector{read, now})
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
