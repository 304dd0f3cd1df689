package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/testkit"
)

// The servers that are measured.
const (
	bareFloor    = "bare floor"
	pocketBase   = "PocketBase"
	onSQLite     = "dropyard, SQLite"
	overPostgres = "dropyard, PostgreSQL"
	pgbench      = "pgbench"
	bareClient   = "bare client"
)

const (
	// openShare is the part of a closed loop's rate at which an open loop is run.
	openShare = 0.7
)

// job is one load of a server: a work with a number of clients; afterwards, if
// wanted, in an open loop at a part of the rate that was reached.
type job struct {
	work    work
	clients int
	open    bool
}

// trials lists the trials of a round.
func (c *reportCommand) trials(directory string) []trial {
	all := works()
	plain, items := job{work: all[creating], clients: c.Clients}, job{work: all[creatingItems], clients: c.Clients}
	open := items
	open.open = true
	names := []string{quoting, oneOrder, tracking, trackingPage, listing, listingDeep}
	reads := make([]job, len(names))
	for i, name := range names {
		reads[i] = job{work: all[name], clients: c.Clients}
	}
	trials := []trial{
		{bareFloor, c.serving(bareFloor, c.startFloor, plain, job{work: all[oneOrder], clients: c.Clients})},
		{pocketBase, c.serving(pocketBase, func(ctx context.Context, own string) (*server, error) {
			return startPocketBase(ctx, filepath.Join(directory, "peer"), own)
		}, job{work: peerCreating, clients: c.Clients})},
		{onSQLite + ", empty", c.dropyard(onSQLite, 0, plain)},
		{onSQLite + ", empty, items", c.dropyard(onSQLite, 0, open)},
	}
	for _, clients := range c.Sweep {
		trials = append(trials, trial{fmt.Sprintf("%s, empty, %d clients", onSQLite, clients),
			c.dropyard(onSQLite, 0, job{work: all[creatingItems], clients: clients})})
	}
	trials = append(trials, trial{onSQLite + ", reads", c.dropyard(onSQLite, c.Stored, reads...)})
	for _, orders := range c.Large {
		trials = append(trials, trial{fmt.Sprintf("%s, large, %d", onSQLite, orders), c.large(directory, orders,
			items, job{work: all[oneOrder], clients: c.Clients}, job{work: all[listing], clients: c.Clients})})
	}
	if _, err := testkit.FindPostgres(pgbench); err == nil {
		trials = append(trials,
			trial{overPostgres + ", empty", c.dropyard(overPostgres, 0, plain)},
			trial{overPostgres + ", empty, items", c.dropyard(overPostgres, 0, open)},
			trial{overPostgres + ", reads", c.dropyard(overPostgres, c.Stored, reads...)},
			trial{pgbench, c.pgbench})
	}
	return append(trials, trial{"webhooks", c.webhooks})
}

// serving returns a measurement of a server that is started in an empty directory.
func (c *reportCommand) serving(
	name string, start func(ctx context.Context, directory string) (*server, error), jobs ...job,
) func(context.Context, string) ([]row, error) {
	return func(ctx context.Context, directory string) ([]row, error) {
		s, err := start(ctx, directory)
		if err != nil {
			return nil, err
		}
		rows, err := c.jobs(ctx, s, row{Server: name}, jobs)
		return rows, errors.Join(err, s.stop())
	}
}

// jobs runs jobs one after the other.
func (c *reportCommand) jobs(ctx context.Context, s *server, like row, jobs []job) (rows []row, err error) {
	for _, j := range jobs {
		one := like
		one.Work, one.Clients = j.work.name, j.clients
		l := c.load(j)
		if one.figures, err = measureServer(ctx, s, l, j.work); err != nil {
			return nil, fmt.Errorf("%s: %w", j.work.name, err)
		}
		rows = append(rows, one)
		if !j.open {
			continue
		}
		l.perSecond, one.Open = openShare*one.PerSecond, true
		if one.figures, err = measureServer(ctx, s, l, j.work); err != nil {
			return nil, fmt.Errorf("%s, open loop: %w", j.work.name, err)
		}
		rows = append(rows, one)
	}
	return rows, nil
}

func (c *reportCommand) load(j job) load {
	return load{
		clients: j.clients, warmUp: c.WarmUp, length: time.Duration(c.Seconds * float64(time.Second)), requests: c.Requests,
	}
}

// measureServer sends requests of a kind to a server.
func measureServer(ctx context.Context, s *server, l load, w work) (f figures, err error) {
	own, database := &meter{pids: []int{s.pid}}, databaseMeter(s.database)
	l.address, l.want = s.address, w.want
	l.sender = func(client int) sender { return w.sender(s, client) }
	l.window = func() error { return errors.Join(own.hook(), database.hook()) }
	measured, err := l.run(ctx)
	if err == nil && measured.Failed > 0 {
		err = fmt.Errorf("invalid: %d clients failed, the first with: %w", measured.Failed, measured.FirstFail)
	}
	if err != nil {
		return f, err
	}
	f = summarise(measured)
	f.spend(own.used(), database.used(), measured.Done)
	f.Resident = resident(s.pid, "VmRSS")
	return f, nil
}

func (c *reportCommand) startFloor(ctx context.Context, _ string) (*server, error) {
	child, err := startSelf(ctx, "floor")
	if err != nil {
		return nil, err
	}
	return &server{
		address: child.Address, accounts: []account{floorAccount}, samples: []string{"ord_floor"},
		pid: child.command.Process.Pid, stop: child.stop,
	}, nil
}

func startPocketBase(ctx context.Context, program, directory string) (*server, error) {
	child, err := startChild(ctx, program, directory)
	if err != nil {
		return nil, err
	}
	return &server{address: child.Address, token: child.Token, pid: child.command.Process.Pid, stop: child.stop}, nil
}

// dropyard returns a measurement of the service on a new installation.
func (c *reportCommand) dropyard(name string, orders int, jobs ...job) func(context.Context, string) ([]row, error) {
	return func(ctx context.Context, directory string) ([]row, error) {
		i := &installation{directory: directory, binary: c.Binary}
		if name == onSQLite {
			return c.installed(ctx, i, name, orders, jobs)
		}
		return withPostgres(ctx, func(server *testkit.Postgres, url string) ([]row, error) {
			i.url, i.server = url, server.PID()
			return c.installed(ctx, i, name, orders, jobs)
		})
	}
}

// large returns a measurement of an installation that is kept for all rounds, and
// grows by what they create.
func (c *reportCommand) large(directory string, orders int, jobs ...job) func(context.Context, string) ([]row, error) {
	if c.Data != "" {
		directory = c.Data
	}
	i := &installation{directory: filepath.Join(directory, fmt.Sprint(orders)), binary: c.Binary}
	return func(ctx context.Context, _ string) ([]row, error) {
		return c.installed(ctx, i, onSQLite, orders, jobs)
	}
}

// installed fills an installation, and measures the start of its service, how it
// idles, and the jobs. All orders that were acknowledged must be stored.
func (c *reportCommand) installed(
	ctx context.Context, i *installation, name string, orders int, jobs []job,
) (rows []row, err error) {
	if err := i.fill(ctx, c.Partners, orders); err != nil {
		return nil, err
	}
	before, err := i.count(ctx)
	if err != nil {
		return nil, err
	}
	like := row{Server: name, Orders: orders}
	still := like
	still.Work = atRest
	if still.Disk, err = i.diskPerOrder(before); err != nil {
		return nil, err
	}
	began := time.Now()
	t, err := i.start(ctx)
	if err != nil {
		return nil, err
	}
	still.Start = milliseconds(time.Since(began))
	rows, err = c.running(ctx, i, t, still, like, jobs)
	if err = errors.Join(err, t.stop()); err != nil {
		return nil, err
	}
	after, err := i.count(ctx)
	if err != nil {
		return nil, err
	}
	return rows, allKept(rows, after-before)
}

// running measures a service that runs.
func (c *reportCommand) running(
	ctx context.Context, i *installation, t *target, still, like row, jobs []job,
) (rows []row, err error) {
	pid := t.command.Process.Pid
	idle := &meter{pids: []int{pid}}
	if err := inTurn(idle.hook, func() error { return pace.Pause(ctx, c.Idle) }, idle.hook); err != nil {
		return nil, err
	}
	still.Idle = milliseconds(idle.used().cpu) / c.Idle.Seconds()
	still.Resident, still.Load = resident(pid, "VmRSS"), loadAverage()
	s := &server{
		address: t.address, accounts: i.Accounts, stored: i.Orders / len(i.Accounts), pid: pid, database: i.server,
	}
	if i.Orders > 0 {
		if s.samples, err = i.samples(ctx, t); err != nil {
			return nil, err
		}
	}
	rows, err = c.jobs(ctx, s, like, jobs)
	return append([]row{still}, rows...), err
}

// allKept returns an error if a database did not grow by all acknowledged orders.
func allKept(rows []row, grown int) error {
	acknowledged := 0
	for _, r := range rows {
		if r.Work == creating || r.Work == creatingItems {
			acknowledged += r.figures.Orders
		}
	}
	if acknowledged != grown {
		return fmt.Errorf("invalid: %d orders were acknowledged, %d are in the database", acknowledged, grown)
	}
	return nil
}

// pgbench measures the statements of an order with pgbench.
func (c *reportCommand) pgbench(ctx context.Context, _ string) (rows []row, err error) {
	for _, kind := range []struct {
		work    string
		scripts []string
	}{{creating, []string{"plain"}}, {creatingItems, []string{"plain", "items"}}} {
		f, err := inTempDir(func(directory string) (figures, error) {
			return withPostgres(ctx, func(server *testkit.Postgres, url string) (f figures, err error) {
				run := pgbenchRun{load: c.load(job{clients: min(c.Clients, maxPostgresClients)}), server: server, url: url,
					directory: directory, partners: c.Partners, scripts: kind.scripts}
				if err := run.prepare(ctx); err != nil {
					return f, err
				}
				return run.run(ctx)
			})
		})
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{Server: pgbench, Work: kind.work, Clients: c.Clients, figures: f})
	}
	return rows, nil
}
