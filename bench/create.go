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

	"github.com/dropyard/dropyard/internal/testkit"
)

// createCommand measures creating orders, and its two halves alone.
type createCommand struct {
	Clients  int           `default:"64" help:"Number of concurrent clients, each with one kept connection."`
	Seconds  float64       `default:"10" help:"Length of each measurement."`
	WarmUp   time.Duration `default:"2s" help:"Time before each measurement that does not count."`
	Orders   int           `default:"0" help:"Number of orders that the service has at the start."`
	Partners int           `default:"8" help:"Number of partners that the clients belong to."`
	Rounds   int           `default:"1" help:"How often all measurements are repeated, one after the other; the report has their medians."`
	Database string        `enum:"sqlite,postgres" default:"sqlite" help:"Database of the service: sqlite, or postgres, on servers that are started for each measurement from the programs of this machine."`
	Only     []string      `enum:"service,http,store,pgbench" help:"What to measure: service, http, store, and with PostgreSQL pgbench. Default: all."`
	JSON     bool          `name:"json" help:"Print the report as JSON."`
	Data     string        `help:"Data directory of the service, which is kept, so that the next run need not fill it again. Default: a new directory, removed at the end." placeholder:"DIR"`
	Profile  string        `help:"File for a CPU profile of the service in the last round." placeholder:"FILE"`
	logFlags
}

// The greatest values of flags, so that a run ends in reasonable time.
const (
	maxClients = 1024
	maxSeconds = 600
	maxOrders  = 5_000_000
	maxRounds  = 100
	// maxPostgresClients leaves some connections of the server for other purposes.
	maxPostgresClients = 200
)

// Validate is called by kong.
func (c *createCommand) Validate() error {
	if c.Clients < 1 || c.Clients > maxClients || c.Seconds <= 0 || c.Seconds > maxSeconds || c.WarmUp < 0 ||
		c.WarmUp > time.Minute || c.Orders < 0 || c.Orders > maxOrders || c.Partners < 1 || c.Partners > 1000 ||
		c.Rounds < 1 || c.Rounds > maxRounds {
		return fmt.Errorf("at most %d clients, %d s, %d orders, 1000 partners, %d rounds, 1 min of warm-up",
			maxClients, maxSeconds, maxOrders, maxRounds)
	}
	switch {
	case c.postgres() && c.Data != "":
		return errors.New("--data is for SQLite: a server of PostgreSQL is removed after one measurement")
	case c.postgres() && c.Clients > maxPostgresClients:
		return fmt.Errorf("--clients: at most %d clients with PostgreSQL, because pgbench has a connection for each", maxPostgresClients)
	case !c.postgres() && slices.Contains(c.Only, "pgbench"):
		return errors.New("--only pgbench needs --database postgres")
	}
	return nil
}

// Run measures, and prints the report.
func (c *createCommand) Run(ctx context.Context) error {
	report, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

func (c *createCommand) postgres() bool { return c.Database == "postgres" }

// measurement is one of the measurements of a round.
type measurement struct {
	name    string // its name in --only
	measure func(ctx context.Context, directory string) (figures, error)
	into    func(*createReport) *figures
}

func (c *createCommand) measurements() []measurement {
	floor := func(writers int) func(context.Context, string) (figures, error) {
		return func(ctx context.Context, directory string) (figures, error) {
			return c.storeFloor(ctx, directory, writers)
		}
	}
	all := []measurement{
		{"service", c.service, func(r *createReport) *figures { return &r.Service }},
		{"http", c.httpFloor, func(r *createReport) *figures { return &r.HTTPFloor }},
		{"store", floor(1), func(r *createReport) *figures { return &r.StoreFloor }},
	}
	if c.postgres() {
		all = append(all,
			measurement{"store", floor(2), func(r *createReport) *figures { return &r.StoreFloor2 }},
			measurement{"pgbench", c.pgbench, func(r *createReport) *figures { return &r.Pgbench }})
	}
	return slices.DeleteFunc(all, func(m measurement) bool { return len(c.Only) > 0 && !slices.Contains(c.Only, m.name) })
}

// measure runs all measurements in every round, so that other work on the machine
// disturbs all of them alike.
func (c *createCommand) measure(ctx context.Context) (*createReport, error) {
	measurements := c.measurements()
	runs := make([][]figures, len(measurements))
	for range c.Rounds {
		for i, m := range measurements {
			run, err := inTempDir(func(directory string) (figures, error) { return m.measure(ctx, directory) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			run.Load = loadAverage()
			runs[i] = append(runs[i], run)
		}
	}
	report := &createReport{
		environment: thisEnvironment(), Clients: c.Clients, Seconds: c.Seconds, Rounds: c.Rounds, Prefilled: c.Orders, Partners: c.Partners,
	}
	if c.postgres() {
		report.Postgres = postgresSettings
	}
	for i, m := range measurements {
		*m.into(report) = medians(runs[i])
	}
	report.compare()
	return report, nil
}

// inTempDir calls fn with an empty directory, which it removes afterwards.
func inTempDir[T any](fn func(directory string) (T, error)) (result T, err error) {
	directory, err := os.MkdirTemp("", "dropyard-bench-")
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	return fn(directory)
}

func (c *createCommand) load() load {
	return load{
		clients: c.Clients, warmUp: c.WarmUp, length: time.Duration(c.Seconds * float64(time.Second)), want: 201,
	}
}

// service measures the service itself.
func (c *createCommand) service(ctx context.Context, directory string) (f figures, err error) {
	if c.Data != "" {
		directory = c.Data
	}
	flags := &serveCommand{Data: directory, Store: "sqlite", Orders: c.Orders, Partners: c.Partners, Profile: c.Profile, logFlags: c.logFlags}
	if c.postgres() {
		f, err = withPostgres(ctx, func(server *testkit.Postgres, url string) (figures, error) {
			flags.Store = url
			return c.serve(ctx, flags, serverCPU(server.PID()))
		})
	} else {
		f, err = c.serve(ctx, flags, nothingUsed)
	}
	return f, allKept(f, err)
}

// allKept returns an error if the database does not hold all acknowledged orders.
func allKept(f figures, err error) error {
	if err == nil && f.Kept != f.Orders {
		err = fmt.Errorf("%d orders were acknowledged, %d are in the database", f.Orders, f.Kept)
	}
	return err
}

func (c *createCommand) httpFloor(ctx context.Context, directory string) (figures, error) {
	flags := &serveCommand{Data: directory, Store: "none", Partners: c.Partners, logFlags: c.logFlags}
	if c.Profile != "" {
		flags.Profile = strings.TrimSuffix(c.Profile, ".prof") + "-http.prof"
	}
	f, err := c.serve(ctx, flags, nothingUsed)
	f.BytesPerOrder = 0
	return f, err
}

// serve measures a child, and its database once the child has finished.
func (c *createCommand) serve(ctx context.Context, flags *serveCommand, databaseCPU func() (time.Duration, error)) (f figures, err error) {
	server, err := startChild(ctx, flags.arguments())
	if err != nil {
		return f, err
	}
	database := flags.database()
	before, err := measureDatabase(ctx, database)
	if err == nil {
		f, err = c.drive(ctx, server, databaseCPU)
	}
	if err == nil && c.RequestLogBytes > 0 {
		f.logged, err = server.loggedSince(ctx, logged{}, f.Orders)
	}
	if err = errors.Join(err, server.stop()); err != nil {
		return f, err
	}
	after, err := measureDatabase(ctx, database)
	f.grown(before, after)
	return f, err
}

// grown sets what a measurement has added to its database.
func (f *figures) grown(before, after extent) {
	f.BytesPerOrder = float64(after.bytes-before.bytes) / float64(max(1, f.Orders))
	f.Kept = after.orders - before.orders
}

// nothingUsed returns the CPU time of a database without a server.
func nothingUsed() (time.Duration, error) { return 0, nil }

// drive sends requests that create orders to the child.
func (c *createCommand) drive(ctx context.Context, server *child, databaseCPU func() (time.Duration, error)) (figures, error) {
	cpu, database := stopwatch{read: server.cpu}, stopwatch{read: databaseCPU}
	l := c.load()
	l.address, l.window = server.Address, bothHooks(&cpu, &database)
	l.sender = func(client int) sender {
		return newCreations(server.Accounts[client%len(server.Accounts)], client/len(server.Accounts))
	}
	measured, err := l.run(ctx)
	return finishBoth(l, measured, &cpu, &database, err)
}

func bothHooks(a, b *stopwatch) func() error {
	return func() error { return errors.Join(a.hook(), b.hook()) }
}

// finishBoth is like finish, with the CPU time of the database's server.
func finishBoth(l load, r *result, cpu, database *stopwatch, err error) (figures, error) {
	f, err := finish(l, r, cpu, err)
	if err == nil {
		f.DatabaseCPU = float64(database.elapsed().Microseconds()) / float64(max(1, r.Done))
	}
	return f, err
}

// finish returns the figures of a run without errors.
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

// storeFloor measures the store floor in this process, which has no other work.
func (c *createCommand) storeFloor(ctx context.Context, directory string, writers int) (f figures, err error) {
	run := floorRun{load: c.load(), writers: writers}
	for i := range c.Partners {
		// Ids in the form that the service draws: eight letters or digits.
		run.accounts = append(run.accounts, account{PartnerID: fmt.Sprintf("par_%08d", i*7919)})
	}
	if c.postgres() {
		return withPostgres(ctx, func(server *testkit.Postgres, url string) (figures, error) {
			engine, err := openPostgresFloor(ctx, url, writers)
			if err != nil {
				return f, err
			}
			return run.figures(ctx, engine, url, serverCPU(server.PID()))
		})
	}
	path := filepath.Join(directory, floorDatabase)
	engine, err := openSQLiteFloor(ctx, path)
	if err != nil {
		return f, err
	}
	return run.figures(ctx, engine, path, nothingUsed)
}
