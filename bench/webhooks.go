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

// webhooksCommand measures the way of events to partners.
type webhooksCommand struct {
	Only     []string      `enum:"deliver,write,neighbour,wake,waiting" help:"What to measure: deliver, write, neighbour, wake, waiting. Default: all."`
	Events   int           `default:"20000" help:"Events to deliver."`
	Many     int           `default:"1000" help:"Endpoints, where there are many of them."`
	Seconds  float64       `default:"20" help:"Length of measurements that have one."`
	Rate     float64       `default:"200" help:"Events per second of the partner whose neighbours are dead."`
	Waiting  int           `default:"1000000" help:"Events that wait while memory is measured."`
	Idle     time.Duration `default:"1m" help:"How long they wait before the endpoints come alive."`
	Rounds   int           `default:"1" help:"Repeats of all but waiting, one after the other; the report has their medians."`
	Database string        `enum:"sqlite,postgres" default:"sqlite" help:"Where events are kept: sqlite, or postgres, a server that is started for the occasion."`
	JSON     bool          `name:"json" help:"Report in JSON."`
	Profile  string        `help:"File for a CPU profile of the sender at one endpoint, of the last round." placeholder:"FILE"`
}

// maxHookEvents is the most that can be asked for.
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

// Run measures and prints the report.
func (c *webhooksCommand) Run(ctx context.Context) error {
	report, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

// hookMeasurement is one of those that take turns.
type hookMeasurement struct {
	part, name string
	measure    func(ctx context.Context, b bed) (figures, error)
}

// measurements lists all: a floor comes right after what it belongs to, because
// it keeps to as many requests at once.
func (c *webhooksCommand) measurements() []hookMeasurement {
	var peak int
	var all []hookMeasurement
	for _, endpoints := range []int{1, c.Many} {
		all = append(all,
			hookMeasurement{"deliver", fmt.Sprintf("%d endpoints", endpoints), func(ctx context.Context, b bed) (f figures, err error) {
				f, peak, err = c.deliver(ctx, b, endpoints)
				return f, err
			}},
			hookMeasurement{"deliver", fmt.Sprintf("%d endpoints, floor", endpoints), func(ctx context.Context, b bed) (figures, error) {
				return c.bare(ctx, b, endpoints, peak)
			}})
	}
	all = append(all,
		hookMeasurement{"write", "no endpoint", func(ctx context.Context, b bed) (figures, error) { return c.write(ctx, b, false, false) }},
		hookMeasurement{"write", "queued", func(ctx context.Context, b bed) (figures, error) { return c.write(ctx, b, true, false) }},
		hookMeasurement{"write", "queued and sent", func(ctx context.Context, b bed) (figures, error) { return c.write(ctx, b, true, true) }},
		hookMeasurement{"neighbour", "alone", func(ctx context.Context, b bed) (figures, error) { return c.neighbour(ctx, b, nil) }},
		hookMeasurement{"neighbour", "ten healthy", func(ctx context.Context, b bed) (figures, error) { return c.neighbour(ctx, b, healthyManners) }},
		hookMeasurement{"neighbour", "ten dead", func(ctx context.Context, b bed) (figures, error) { return c.neighbour(ctx, b, deadManners) }},
		hookMeasurement{"wake", "same node", func(ctx context.Context, b bed) (figures, error) { return c.wake(ctx, b, false) }})
	if c.Database == "postgres" {
		all = append(all, hookMeasurement{"wake", "another node", func(ctx context.Context, b bed) (figures, error) { return c.wake(ctx, b, true) }})
	}
	return slices.DeleteFunc(all, func(m hookMeasurement) bool { return !c.wants(m.part) })
}

func (c *webhooksCommand) wants(part string) bool {
	return len(c.Only) == 0 || slices.Contains(c.Only, part)
}

// measure takes turns, so that what disturbs the machine disturbs all alike.
func (c *webhooksCommand) measure(ctx context.Context) (*webhooksReport, error) {
	measurements := c.measurements()
	report := &webhooksReport{where: here(), Database: c.Database, Rounds: c.Rounds, Events: c.Events, Seconds: c.Seconds}
	runs := make([][]figures, len(measurements))
	for range c.Rounds {
		for i, m := range measurements {
			var run figures
			err := c.inBed(ctx, func(b bed) (err error) {
				run, err = m.measure(ctx, b)
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

// bed is where one measurement lies: an empty directory, an empty database, and
// the CPU time of the database's server.
type bed struct {
	directory   string
	database    string
	databaseCPU func() (time.Duration, error)
}

// inBed lends a fresh one.
func (c *webhooksCommand) inBed(ctx context.Context, fn func(bed) error) error {
	_, err := inTempDir(func(directory string) (none figures, err error) {
		if c.Database != "postgres" {
			return none, fn(bed{directory, directory + "/hooks.db", nothingUsed})
		}
		return withPostgres(ctx, func(server *testkit.Postgres, url string) (none figures, err error) {
			return none, fn(bed{directory, url, serverCPU(server.PID())})
		})
	})
	return err
}

// start writes a child's plan and starts it; it waits for the word.
func (b bed) start(ctx context.Context, name string, p *plan) (*child, error) {
	p.Store, p.Outcome = b.database, b.outcome(name)
	path := b.directory + "/" + name + ".json"
	if err := writeJSON(path, p); err != nil {
		return nil, err
	}
	return startChild(ctx, []string{"hooks", path})
}

func (b bed) outcome(name string) string { return b.directory + "/" + name + "-outcome.json" }

// meter measures what a child and the database's server use.
type meter struct{ own, database stopwatch }

func (b bed) meter(c *child) *meter {
	return &meter{stopwatch{read: processCPU(c.command.Process.Pid)}, stopwatch{read: b.databaseCPU}}
}

func (m *meter) hook() error { return errors.Join(m.own.hook(), m.database.hook()) }

// per tells what was used between the two hooks, for each of so many.
func (m *meter) per(f *figures, count int) {
	f.CPUMicros = float64(m.own.elapsed().Microseconds()) / float64(max(1, count))
	f.DatabaseCPU = float64(m.database.elapsed().Microseconds()) / float64(max(1, count))
}
