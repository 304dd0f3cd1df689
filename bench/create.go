package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// createCommand measures creating orders, and what its halves cost alone.
type createCommand struct {
	Clients  int           `default:"64" help:"Clients at once, each with one kept connection."`
	Seconds  float64       `default:"10" help:"Length of each measurement."`
	WarmUp   time.Duration `default:"2s" help:"Time before each measurement that does not count."`
	Orders   int           `default:"0" help:"Orders that the service has before."`
	Partners int           `default:"8" help:"Partners that the clients belong to."`
	Rounds   int           `default:"1" help:"Repeats of all three measurements, one after the other; the report has their medians."`
	Only     []string      `enum:"service,http,store" default:"service,http,store" help:"What to measure: service, http, store."`
	JSON     bool          `name:"json" help:"Report in JSON."`
	Data     string        `help:"Data directory of the service, kept, so that the next run need not fill it again. Default: a new one each time, removed." placeholder:"DIR"`
	Profile  string        `help:"File for a CPU profile of the service, of the last round." placeholder:"FILE"`
}

// The most that can be asked for, so that no run goes on without end.
const (
	maxClients = 1024
	maxSeconds = 600
	maxOrders  = 5_000_000
	maxRounds  = 100
)

// Validate is called by kong.
func (c *createCommand) Validate() error {
	if c.Clients < 1 || c.Clients > maxClients || c.Seconds <= 0 || c.Seconds > maxSeconds || c.WarmUp < 0 ||
		c.WarmUp > time.Minute || c.Orders < 0 || c.Orders > maxOrders || c.Partners < 1 || c.Partners > 1000 ||
		c.Rounds < 1 || c.Rounds > maxRounds {
		return fmt.Errorf("at most %d clients, %d s, %d orders, 1000 partners, %d rounds, 1 min of warm-up",
			maxClients, maxSeconds, maxOrders, maxRounds)
	}
	return nil
}

// Run measures and prints the report.
func (c *createCommand) Run(ctx context.Context) error {
	report, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

// measure takes turns, so that what disturbs the machine disturbs all alike.
func (c *createCommand) measure(ctx context.Context) (*createReport, error) {
	measurements := []struct {
		name    string
		measure func(context.Context, string) (figures, error)
		into    func(*createReport) *figures
	}{
		{"service", c.service, func(r *createReport) *figures { return &r.Service }},
		{"http", c.httpFloor, func(r *createReport) *figures { return &r.HTTPFloor }},
		{"store", c.storeFloor, func(r *createReport) *figures { return &r.StoreFloor }},
	}
	runs := map[string][]figures{}
	for range c.Rounds {
		for _, m := range measurements {
			if !slices.Contains(c.Only, m.name) {
				continue
			}
			run, err := inTempDir(func(directory string) (figures, error) { return m.measure(ctx, directory) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			runs[m.name] = append(runs[m.name], run)
		}
	}
	report := &createReport{
		where: here(), Clients: c.Clients, Seconds: c.Seconds, Rounds: c.Rounds, Prefilled: c.Orders, Partners: c.Partners,
	}
	for _, m := range measurements {
		if len(runs[m.name]) > 0 {
			*m.into(report) = medians(runs[m.name])
		}
	}
	report.compare()
	return report, nil
}

// inTempDir lends a fresh directory.
func inTempDir(fn func(directory string) (figures, error)) (f figures, err error) {
	directory, err := os.MkdirTemp("", "dropyard-bench-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	return fn(directory)
}

func (c *createCommand) load() load {
	return load{
		clients: c.Clients, warmUp: c.WarmUp, length: time.Duration(c.Seconds * float64(time.Second)), want: 201,
	}
}

func (c *createCommand) service(ctx context.Context, directory string) (figures, error) {
	if c.Data != "" {
		directory = c.Data
	}
	f, err := c.serve(ctx, &serveCommand{
		Data: directory, Store: "sqlite", Orders: c.Orders, Partners: c.Partners, Profile: c.Profile,
	})
	if err == nil && f.Kept != f.Orders {
		err = fmt.Errorf("%d orders were acknowledged, %d are in the database", f.Orders, f.Kept)
	}
	return f, err
}

func (c *createCommand) httpFloor(ctx context.Context, directory string) (figures, error) {
	flags := &serveCommand{Data: directory, Store: "none", Partners: c.Partners}
	if c.Profile != "" {
		flags.Profile = strings.TrimSuffix(c.Profile, ".prof") + "-http.prof"
	}
	f, err := c.serve(ctx, flags)
	f.BytesPerOrder = 0
	return f, err
}

// serve measures a child, and looks at its database when it has finished.
func (c *createCommand) serve(ctx context.Context, flags *serveCommand) (f figures, err error) {
	server, err := startChild(ctx, flags)
	if err != nil {
		return f, err
	}
	database := flags.settings().Database()
	before, err := measureDatabase(database)
	if err == nil {
		f, err = c.drive(ctx, server)
	}
	if err = errors.Join(err, server.stop()); err != nil {
		return f, err
	}
	after, err := measureDatabase(database)
	f.BytesPerOrder = float64(after.bytes-before.bytes) / float64(max(1, f.Orders))
	f.Kept = after.orders - before.orders
	return f, err
}

// drive sends creations to the child.
func (c *createCommand) drive(ctx context.Context, server *child) (figures, error) {
	cpu := stopwatch{read: server.cpu}
	l := c.load()
	l.address, l.window = server.Address, cpu.hook
	l.sender = func(client int) sender {
		return newCreations(server.Accounts[client%len(server.Accounts)], client/len(server.Accounts))
	}
	measured, err := l.run(ctx)
	return finish(l, measured, &cpu, err)
}

// finish summarises a run that had no errors.
func finish(l load, r *result, cpu *stopwatch, err error) (figures, error) {
	if err == nil && r.Failed > 0 {
		err = fmt.Errorf("invalid: %d clients failed, the first with: %w", r.Failed, r.FirstFail)
	}
	if err != nil {
		return figures{}, err
	}
	f := summarise(l, r)
	f.CPUMicros = float64(cpu.elapsed().Microseconds()) / float64(max(1, r.Done))
	return f, nil
}

// storeFloor runs in this process, which does nothing else meanwhile.
func (c *createCommand) storeFloor(ctx context.Context, directory string) (figures, error) {
	cpu := stopwatch{read: ownCPU}
	run := floorRun{load: c.load(), directory: directory}
	run.window = cpu.hook
	for i := range c.Partners {
		// Partner ids as the service draws them: eight letters or digits.
		run.accounts = append(run.accounts, account{PartnerID: fmt.Sprintf("par_%08d", i*7919)})
	}
	measured, before, err := run.run(ctx)
	f, err := finish(run.load, measured, &cpu, err)
	if err != nil {
		return f, err
	}
	after, err := measureDatabase(filepath.Join(directory, floorDatabase))
	f.BytesPerOrder = float64(after.bytes-before) / float64(max(1, f.Orders))
	f.Kept = after.orders
	return f, err
}
