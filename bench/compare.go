package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// compareCommand lets two binaries take turns. Their databases are made by
// themselves, so that they may have different schemas.
type compareCommand struct {
	Old      string        `arg:"" help:"A dropyard binary." type:"existingfile"`
	New      string        `arg:"" help:"Another one." type:"existingfile"`
	Work     string        `default:"create, items in every second" help:"What is measured, by its name in the report."`
	Pairs    int           `default:"10" help:"Number of pairs."`
	Clients  int           `default:"64" help:"Number of concurrent clients."`
	Seconds  float64       `default:"4" help:"Length of each measurement."`
	Rate     float64       `help:"Requests per second of an open loop. Default: a closed loop." placeholder:"N"`
	WarmUp   time.Duration `default:"1s" help:"Time before each measurement that does not count."`
	Partners int           `default:"8" help:"Partners that the clients belong to."`
	Database string        `enum:"sqlite,postgres" default:"sqlite" help:"Database of the services."`
	JSON     bool          `name:"json" help:"Print the report as JSON."`
	Requests int           `hidden:""` // see reportCommand
}

// Validate is called by kong.
func (c *compareCommand) Validate() error {
	if c.Pairs < 1 || c.Pairs > maxRounds || c.Clients < 1 || c.Clients > maxClients || c.Seconds <= 0 ||
		c.Seconds > maxSeconds ||
		c.Rate < 0 || c.WarmUp < 0 || c.WarmUp > time.Minute || c.Partners < 1 || c.Partners > 1000 {
		return fmt.Errorf("at most %d pairs, %d clients, %d s, 1 min of warm-up, 1000 partners", maxRounds, maxClients,
			maxSeconds)
	}
	if _, known := works()[c.Work]; !known {
		var names []string
		for name := range works() {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("--work must be one of: %s", strings.Join(names, "; "))
	}
	return nil
}

// Run measures, and prints the report.
func (c *compareCommand) Run(ctx context.Context) error {
	r, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, r)
}

// measure measures all pairs. The binary that is first is another one in every pair.
func (c *compareCommand) measure(ctx context.Context) (*comparison, error) {
	r := &comparison{environment: thisEnvironment(), Work: c.Work, Clients: c.Clients, Seconds: c.Seconds}
	for n := range c.Pairs {
		var p pair
		turns := []struct {
			binary string
			into   *figures
		}{{c.Old, &p.Old}, {c.New, &p.New}}
		if n%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			f, err := c.measureOne(ctx, turn.binary)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", turn.binary, err)
			}
			*turn.into = f
		}
		r.Pairs = append(r.Pairs, p)
	}
	r.compare()
	return r, nil
}

// measureOne measures one binary.
func (c *compareCommand) measureOne(ctx context.Context, binary string) (figures, error) {
	return inTempDir(func(directory string) (figures, error) {
		i := &installation{directory: directory, binary: binary}
		if c.Database == "sqlite" {
			return c.measureOn(ctx, i)
		}
		return withPostgres(ctx, func(server *testkit.Postgres, url string) (figures, error) {
			i.url, i.server = url, server.PID()
			return c.measureOn(ctx, i)
		})
	})
}

func (c *compareCommand) measureOn(ctx context.Context, i *installation) (f figures, err error) {
	if err := i.fill(ctx, c.Partners, 0); err != nil {
		return f, err
	}
	t, err := i.start(ctx)
	if err != nil {
		return f, err
	}
	defer func() {
		if failed := t.stop(); err == nil {
			err = failed
		}
	}()
	s := &server{address: t.address, accounts: i.Accounts, pid: t.command.Process.Pid, database: i.server}
	chosen := works()[c.Work]
	if chosen.reads {
		if err := c.store(ctx, i, t, s); err != nil {
			return f, err
		}
	}
	l := load{
		clients: c.Clients, warmUp: c.WarmUp, length: time.Duration(c.Seconds * float64(time.Second)), perSecond: c.Rate,
		requests: c.Requests,
	}
	return measureServer(ctx, s, l, chosen)
}

// store creates orders through the service, on which reads are measured: for a second, or as
// many as there are requests.
func (c *compareCommand) store(ctx context.Context, i *installation, t *target, s *server) (err error) {
	creation := works()[creatingItems]
	l := load{clients: c.Clients, length: time.Second, requests: c.Requests}
	f, err := measureServer(ctx, s, l, creation)
	if err != nil {
		return err
	}
	i.Orders = f.Orders
	s.stored = i.Orders / len(i.Accounts)
	if s.samples, err = i.samples(ctx, t); err != nil {
		return err
	}
	return settle(ctx, s.pid)
}

const (
	settleEvery = 2 * time.Second
	// settled is the most time of a core that a service which does nothing uses in settleEvery.
	settled      = 100 * time.Millisecond
	settlingTime = time.Minute
)

// settle waits until a service has finished what it does behind its commits, such as the index of searches.
func settle(ctx context.Context, pid int) error {
	before, err := spentBy(pid, false)
	for end := time.Now().Add(settlingTime); err == nil; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settleEvery):
		}
		var now spent
		if now, err = spentBy(pid, false); err != nil {
			break
		}
		if now.cpu-before.cpu < settled || time.Now().After(end) {
			return nil
		}
		before = now
	}
	return err
}

// comparison is the result of the compare command.
type comparison struct {
	environment
	Work    string  `json:"work"`
	Clients int     `json:"clients"`
	Seconds float64 `json:"seconds"`
	Pairs   []pair  `json:"pairs"`
	// The medians of new : old over the pairs.
	CPU       float64 `json:"cpu_ratio"`
	PerSecond float64 `json:"per_second_ratio"`
	P99       float64 `json:"p99_ratio"`
}

// pair is one measurement of each binary.
type pair struct {
	Old figures `json:"old"`
	New figures `json:"new"`
}

// compare sets the ratios.
func (r *comparison) compare() {
	of := func(pick func(figures) float64) float64 {
		var ratios []float64
		for _, p := range r.Pairs {
			if old := pick(p.Old); old > 0 {
				ratios = append(ratios, pick(p.New)/old)
			}
		}
		return median(ratios)
	}
	r.CPU = of(func(f figures) float64 { return f.CPU + f.DatabaseCPU })
	r.PerSecond = of(func(f figures) float64 { return f.PerSecond })
	r.P99 = of(func(f figures) float64 { return f.P99 })
}

func (r *comparison) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(t,
		"%s: %d clients, %.3g s, %d pairs\n%v\n\n\tCPU us\tdatabase us\tper second\tp99 ms\twritten B\tload\t\n", r.Work,
		r.Clients, r.Seconds, len(r.Pairs), r.environment)
	for _, p := range r.Pairs {
		for _, side := range []struct {
			name string
			figures
		}{{"old", p.Old}, {"new", p.New}} {
			_, _ = fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t%.1f\t\n",
				side.name, side.CPU, side.DatabaseCPU, side.PerSecond, side.P99, side.Written, side.Load)
		}
	}
	_, _ = fmt.Fprintf(t, "\nnew : old, medians of the pairs: CPU %.3f, per second %.3f, p99 %.2f\n", r.CPU, r.PerSecond,
		r.P99)
	return t.Flush()
}
