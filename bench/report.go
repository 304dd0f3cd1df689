package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The greatest values of flags, so that a run ends in reasonable time.
const (
	maxClients = 1024
	maxSeconds = 600
	maxOrders  = 20_000_000
	maxRounds  = 100
)

// reportCommand measures everything, and prints one report.
type reportCommand struct {
	Only     []string      `help:"Measure only trials whose name contains one of these." placeholder:"TEXT"`
	Binary   string        `help:"Measure this dropyard binary. Default: one that is built from this tree." placeholder:"FILE"`
	Clients  int           `default:"64" help:"Number of concurrent clients, each with one kept connection."`
	Sweep    []int         `default:"1,4,16,256" help:"Other numbers of clients with which creating is measured."`
	Seconds  float64       `default:"5" help:"Length of each measurement."`
	WarmUp   time.Duration `default:"1s" help:"Time before each measurement that does not count."`
	Rounds   int           `default:"3" help:"How often all trials are repeated, one after the other; the report has their medians."`
	Stored   int           `default:"100000" help:"Orders that an installation for reads has."`
	Large    []int         `default:"1000000" help:"Orders of large installations on the embedded database. A million take 2 GB and a minute and a half to lay down."`
	Partners int           `default:"8" help:"Partners that the clients belong to."`
	Events   int           `default:"100000" help:"Events to deliver to one endpoint."`
	Data     string        `help:"Directory of the large installations, which is kept, so that the next run need not fill them again. Default: a new one, removed at the end." placeholder:"DIR"`
	JSON     bool          `name:"json" help:"Print the report as JSON."`
	// Idle is how long a service is watched that has nothing to do.
	Idle time.Duration `hidden:"" default:"3s"`
	// Requests, if it is not 0, is how many requests each client sends, instead of those of
	// WarmUp and Seconds.
	Requests int `hidden:""`
}

// Validate is called by kong.
func (c *reportCommand) Validate() error {
	sizes := append(slices.Clone(c.Large), c.Stored, 1)
	clients := append(slices.Clone(c.Sweep), c.Clients)
	if slices.Min(clients) < 1 || slices.Max(clients) > maxClients || c.Seconds <= 0 || c.Seconds > maxSeconds ||
		c.WarmUp < 0 || c.WarmUp > time.Minute || c.Rounds < 1 || c.Rounds > maxRounds ||
		slices.Min(sizes) < 1 || slices.Max(sizes) > maxOrders || c.Partners < 1 || c.Partners > 1000 || c.Events < 1 ||
		c.Events > 1_000_000 {
		return fmt.Errorf("at most %d clients, %d s, 1 min of warm-up, %d rounds, %d orders, 1000 partners, a million events",
			maxClients, maxSeconds, maxRounds, maxOrders)
	}
	return nil
}

// Run measures, and prints the report.
func (c *reportCommand) Run(ctx context.Context) error {
	report, err := inTempDir(func(directory string) (*report, error) { return c.measure(ctx, directory) })
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

// trial is a server in one state, and what is measured of it.
type trial struct {
	name    string
	measure func(ctx context.Context, directory string) ([]row, error)
}

// measure runs all trials in every round, so that other work on the machine disturbs
// all of them alike.
func (c *reportCommand) measure(ctx context.Context, directory string) (*report, error) {
	if err := c.build(ctx, directory); err != nil {
		return nil, err
	}
	r := &report{environment: thisEnvironment(), Clients: c.Clients, Seconds: c.Seconds, Rounds: c.Rounds}
	runs := map[string][]row{}
	var order []string
	for round := range c.Rounds {
		for _, t := range c.trials(directory) {
			if !c.wants(t.name) {
				continue
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, c.Rounds, t.name)
			rows, err := inTempDir(func(own string) ([]row, error) { return t.measure(ctx, own) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			for _, row := range rows {
				if len(runs[row.key()]) == 0 {
					order = append(order, row.key())
				}
				runs[row.key()] = append(runs[row.key()], row)
			}
		}
	}
	for _, key := range order {
		r.Rows = append(r.Rows, medianRow(runs[key]))
	}
	r.compare()
	return r, nil
}

func (c *reportCommand) wants(name string) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(part string) bool { return strings.Contains(name, part) })
}

// build builds dropyard, and PocketBase if it is wanted.
func (c *reportCommand) build(ctx context.Context, directory string) (err error) {
	if c.Binary == "" {
		c.Binary = filepath.Join(directory, "dropyard")
		err = buildDropyard(ctx, c.Binary)
	}
	if c.wants(pocketBase) && err == nil {
		err = buildPeer(ctx, filepath.Join(directory, "peer"))
	}
	return err
}

// medianRow returns a row with the medians of all figures.
func medianRow(runs []row) row {
	middle := runs[0]
	n := len(runs)
	all, starts, idles, disks := make([]figures, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, run := range runs {
		all[i], starts[i], idles[i], disks[i] = run.figures, run.Start, run.Idle, run.Disk
	}
	middle.figures = medians(all)
	middle.Start, middle.Idle, middle.Disk = median(starts), median(idles), median(disks)
	return middle
}
