package metrics

import (
	"time"

	"github.com/dropyard/dropyard/internal/order"
	"github.com/prometheus/client_golang/prometheus"
)

// orderMetrics is the order.Observer.
type orderMetrics struct {
	commands map[order.CommandKind]map[order.CommandOutcome]prometheus.Counter // read only
	waits    prometheus.Observer
	sizes    prometheus.Observer
	duration prometheus.Observer
	races    prometheus.Counter
	retries  prometheus.Counter
	blocks   prometheus.Counter
	quotas   map[order.QuotaName]prometheus.Counter // read only
}

func newOrderMetrics(register registrar) *orderMetrics {
	commands := register.counter("dropyard_order_commands_total",
		"Commands that the committer settled, by command and outcome.", "command", "outcome")
	m := &orderMetrics{
		commands: map[order.CommandKind]map[order.CommandOutcome]prometheus.Counter{},
		waits: register.histogram("dropyard_order_queue_wait_seconds",
			"Time from the submission of a command or batch until its group was formed.",
			[]float64{.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .5, 1, 5, 10, 30}).WithLabelValues(),
		sizes: register.histogram("dropyard_order_group_commands",
			"Commands in one group, which shares one transaction.",
			[]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}).WithLabelValues(),
		duration: register.histogram("dropyard_order_group_duration_seconds",
			"Time to commit one group, all tries together.",
			[]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 10, 30}).WithLabelValues(),
		races: register.counter("dropyard_order_group_races_total",
			"Tries to commit a group that were lost because another node changed the same rows.").WithLabelValues(),
		retries: register.counter("dropyard_order_group_retries_total",
			"Tries to commit a group that were repeated because the database could not be reached.").WithLabelValues(),
		blocks: register.counter("dropyard_order_group_blocks_total",
			"Tries to commit a group that ended because another transaction kept rows locked.").WithLabelValues(),
	}
	quotas := register.counter("dropyard_order_quota_refusals_total", "Orders that a quota has refused, by quota.",
		"quota")
	m.quotas = map[order.QuotaName]prometheus.Counter{}
	for _, quota := range order.QuotaNames {
		m.quotas[quota] = quotas.WithLabelValues(string(quota))
	}
	for _, kind := range order.CommandKinds {
		m.commands[kind] = children(commands, order.CommandOutcomes, string(kind))
	}
	return m
}

// Orders returns the observer of the committer.
func (m *Metrics) Orders() order.Observer { return m.orders }

// Committed counts a group.
func (m *orderMetrics) Committed(g order.Group) {
	m.sizes.Observe(float64(g.Commands))
	m.duration.Observe(g.Took.Seconds())
	m.races.Add(float64(g.Races))
	m.retries.Add(float64(g.Retries))
	m.blocks.Add(float64(g.Blocked))
}

// Settled counts a command.
func (m *orderMetrics) Settled(kind order.CommandKind, outcome order.CommandOutcome) {
	m.commands[kind][outcome].Inc()
}

// Waited measures a wait in the queue.
func (m *orderMetrics) Waited(wait time.Duration) { m.waits.Observe(wait.Seconds()) }

// OverQuota counts an order that a quota has refused.
func (m *orderMetrics) OverQuota(quota order.QuotaName) { m.quotas[quota].Inc() }
