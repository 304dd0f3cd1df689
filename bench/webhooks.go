package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// webhooksCommand measures the delivery of events to partners.
type webhooksCommand struct {
	Only     []string      `enum:"deliver,write,neighbour,wake,waiting" help:"What to measure: deliver, write, neighbour, wake, waiting. Default: all."`
	Events   int           `default:"20000" help:"Number of events to deliver."`
	Many     int           `default:"1000" help:"Number of endpoints in measurements with many of them."`
	Seconds  float64       `default:"20" help:"Length of measurements that have a fixed one."`
	Rate     float64       `default:"200" help:"Events per second of the partner whose neighbours are dead."`
	Waiting  int           `default:"1000000" help:"Number of waiting events while memory is measured."`
	Idle     time.Duration `default:"1m" help:"How long they wait before the endpoints accept connections."`
	Rounds   int           `default:"1" help:"How often all measurements but waiting are repeated, one after the other; the report has their medians."`
	Database string        `enum:"sqlite,postgres" default:"sqlite" help:"Database of the events: sqlite, or postgres, on a server that is started for each measurement."`
	JSON     bool          `name:"json" help:"Print the report as JSON."`
	Profile  string        `help:"File for a CPU profile of the sender with one endpoint, in the last round." placeholder:"FILE"`
}

// maxHookEvents is the greatest number of events.
const maxHookEvents = 1_000_000

// Validate is called by kong.
func (c *webhooksCommand) Validate() error {
	if c.Events < 1 || c.Events > maxHookEvents || c.Waiting < 1 || c.Waiting > maxHookEvents || c.Many < 1 || c.Many > 1000 ||
		c.Seconds <= 0 || c.Seconds > maxSeconds || c.Rate < 1 || c.Rate > 10_000 || c.Idle < 0 || c.Idle > time.Hour ||
		c.Rounds < 1 || c.Rounds > maxRounds {
		return fmt.Errorf("at most %d events, 1000 endpoints, %d s, 10000 events per second, 1 h idle, %d rounds",
			maxHookEvents, maxSeconds, maxRounds)
	}
	return nil
}

// Run measures, and prints the report.
func (c *webhooksCommand) Run(ctx context.Context) error {
	report, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

// hookMeasurement is one of the measurements of a round.
type hookMeasurement struct {
	part, name string
	measure    func(ctx context.Context, w workspace) (figures, error)
}

// measurements lists the measurements. A floor follows immediately after the
// measurement that it belongs to, because it has as many concurrent requests as that
// had at most.
func (c *webhooksCommand) measurements() []hookMeasurement {
	var peak int
	var all []hookMeasurement
	for _, endpoints := range []int{1, c.Many} {
		all = append(all,
			hookMeasurement{"deliver", fmt.Sprintf("%d endpoints", endpoints), func(ctx context.Context, w workspace) (f figures, err error) {
				f, peak, err = c.deliver(ctx, w, endpoints)
				return f, err
			}},
			hookMeasurement{"deliver", fmt.Sprintf("%d endpoints, floor", endpoints), func(ctx context.Context, w workspace) (figures, error) {
				return c.bare(ctx, w, endpoints, peak)
			}})
	}
	all = append(all,
		hookMeasurement{"write", "no endpoint", func(ctx context.Context, w workspace) (figures, error) { return c.write(ctx, w, false, false) }},
		hookMeasurement{"write", "queued", func(ctx context.Context, w workspace) (figures, error) { return c.write(ctx, w, true, false) }},
		hookMeasurement{"write", "queued and sent", func(ctx context.Context, w workspace) (figures, error) { return c.write(ctx, w, true, true) }},
		hookMeasurement{"neighbour", "alone", func(ctx context.Context, w workspace) (figures, error) { return c.neighbour(ctx, w, nil) }},
		hookMeasurement{"neighbour", "ten healthy", func(ctx context.Context, w workspace) (figures, error) { return c.neighbour(ctx, w, healthyOthers) }},
		hookMeasurement{"neighbour", "ten dead", func(ctx context.Context, w workspace) (figures, error) { return c.neighbour(ctx, w, deadOthers) }},
		hookMeasurement{"wake", "same node", func(ctx context.Context, w workspace) (figures, error) { return c.wake(ctx, w, false) }})
	if c.Database == "postgres" {
		all = append(all, hookMeasurement{"wake", "another node", func(ctx context.Context, w workspace) (figures, error) { return c.wake(ctx, w, true) }})
	}
	return slices.DeleteFunc(all, func(m hookMeasurement) bool { return !c.wants(m.part) })
}

func (c *webhooksCommand) wants(part string) bool {
	return len(c.Only) == 0 || slices.Contains(c.Only, part)
}

// measure runs all measurements in every round, so that other work on the machine
// disturbs all of them alike.
func (c *webhooksCommand) measure(ctx context.Context) (*webhooksReport, error) {
	measurements := c.measurements()
	report := &webhooksReport{environment: thisEnvironment(), Database: c.Database, Rounds: c.Rounds, Events: c.Events, Seconds: c.Seconds}
	runs := make([][]figures, len(measurements))
	for range c.Rounds {
		for i, m := range measurements {
			var run figures
			err := c.inWorkspace(ctx, func(w workspace) (err error) {
				run, err = m.measure(ctx, w)
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", m.part, m.name, err)
			}
			run.Load = loadAverage()
			runs[i] = append(runs[i], run)
		}
	}
	for i, m := range measurements {
		report.Rows = append(report.Rows, hookRow{m.part, m.name, medians(runs[i])})
	}
	report.compare()
	if !c.wants("waiting") {
		return report, nil
	}
	for _, endpoints := range []int{1, c.Many} {
		row, err := c.waitingRow(ctx, endpoints)
		if err != nil {
			return nil, fmt.Errorf("waiting at %d endpoints: %w", endpoints, err)
		}
		report.Waiting = append(report.Waiting, row)
	}
	return report, nil
}

// workspace holds what a measurement uses: an empty directory, an empty database, and
// the CPU time of the database's server.
type workspace struct {
	directory   string
	database    string
	databaseCPU func() (time.Duration, error)
}

// inWorkspace calls fn with a new workspace, which it removes afterwards.
func (c *webhooksCommand) inWorkspace(ctx context.Context, fn func(workspace) error) error {
	_, err := inTempDir(func(directory string) (none figures, err error) {
		if c.Database != "postgres" {
			return none, fn(workspace{directory, directory + "/hooks.db", nothingUsed})
		}
		return withPostgres(ctx, func(server *testkit.Postgres, url string) (none figures, err error) {
			return none, fn(workspace{directory, url, serverCPU(server.PID())})
		})
	})
	return err
}

// start writes the plan of a child and starts it. The child waits for begin.
func (w workspace) start(ctx context.Context, name string, p *plan) (*child, error) {
	p.Store, p.Outcome = w.database, w.outcome(name)
	path := w.directory + "/" + name + ".json"
	if err := writeJSON(path, p); err != nil {
		return nil, err
	}
	return startChild(ctx, []string{"hooks", path})
}

func (w workspace) outcome(name string) string { return w.directory + "/" + name + "-outcome.json" }

// meter measures the CPU time of a child and of the database's server.
type meter struct{ own, database stopwatch }

func (w workspace) meter(c *child) *meter {
	return &meter{stopwatch{read: processCPU(c.command.Process.Pid)}, stopwatch{read: w.databaseCPU}}
}

func (m *meter) hook() error { return errors.Join(m.own.hook(), m.database.hook()) }

// per sets the CPU time between the two calls of hook, divided by count.
func (m *meter) per(f *figures, count int) {
	f.CPUMicros = float64(m.own.elapsed().Microseconds()) / float64(max(1, count))
	f.DatabaseCPU = float64(m.database.elapsed().Microseconds()) / float64(max(1, count))
}
