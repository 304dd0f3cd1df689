package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/testkit"
)

// feedCommand measures desks that follow the dispatch board while orders move.
type feedCommand struct {
	Engine  string  `default:"postgres" enum:"postgres,sqlite" help:"Two nodes on a PostgreSQL server, or one node on the embedded database."`
	Binary  string  `help:"Measure this dropyard binary. Default: one that is built from this tree." placeholder:"FILE"`
	Orders  int     `default:"20000" help:"Number of orders under way at the start."`
	Desks   int     `default:"50" help:"Number of desks that follow the board while orders move."`
	Idle    int     `default:"200" help:"Number of desks that wait while nothing moves."`
	Rate    int     `default:"200" help:"Moves per second."`
	Seconds float64 `default:"10" help:"Length of each measurement."`
	JSON    bool    `name:"json" help:"Print the report as JSON."`
	// WarmUp is how long orders move before anything is measured, and Settle how long desks
	// are given until all wait.
	WarmUp time.Duration `hidden:"" default:"1s"`
	Settle time.Duration `hidden:"" default:"2s"`
}

// Validate is called by kong.
func (c *feedCommand) Validate() error {
	const most = 1000
	if c.Orders < 1 || c.Orders > maxOrders || c.Desks < 1 || c.Desks > most || c.Idle < 0 || c.Idle > most ||
		c.Rate < 1 || c.Rate > most || c.Seconds <= 0 || c.Seconds > maxSeconds {
		return fmt.Errorf("at most %d desks, %d moves per second and %d seconds", most, most, maxSeconds)
	}
	return nil
}

// Run measures and prints the report.
func (c *feedCommand) Run(ctx context.Context) error {
	report, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

func (c *feedCommand) measure(ctx context.Context) (*feedReport, error) {
	return inTempDir(func(directory string) (*feedReport, error) {
		r := &feedRun{feedCommand: c, directory: directory, client: newDeskClient(), versions: map[string]int64{}}
		if c.Engine == "sqlite" {
			return r.measure(ctx, 1)
		}
		server, err := testkit.RunPostgres(postgresSettings...)
		if err != nil {
			return nil, err
		}
		defer server.Stop()
		r.server = server.PID()
		if r.url, err = server.NewDatabase(ctx); err != nil {
			return nil, err
		}
		return r.measure(ctx, 2)
	})
}

// measure seeds and measures nodes, and then compares the desks' pictures with the
// table.
func (r *feedRun) measure(ctx context.Context, nodes int) (report *feedReport, err error) {
	if err := r.seed(ctx); err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	report = &feedReport{
		environment: thisEnvironment(), Engine: r.Engine, Nodes: nodes, Orders: r.Orders, Desks: r.Desks, Idle: r.Idle,
		Rate: r.Rate, Seconds: r.Seconds,
	}
	for range nodes {
		if err = r.start(ctx); err != nil {
			break
		}
	}
	if err == nil {
		err = r.situations(ctx, report)
	}
	for _, node := range r.nodes {
		err = errors.Join(err, node.stop())
	}
	if err != nil {
		return nil, err
	}
	return report, r.compare(ctx)
}

// start starts the next node.
func (r *feedRun) start(ctx context.Context) error {
	directory := filepath.Join(r.directory, fmt.Sprint("node", len(r.nodes)))
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	flags := []string{"--master-key-file=" + filepath.Join(r.directory, "master.key")}
	if r.url != "" {
		flags = append(flags, "--database="+r.url)
	}
	node, err := startTarget(ctx, directory, r.Binary, flags...)
	if err != nil {
		return err
	}
	if r.Binary == "" {
		r.Binary = filepath.Join(directory, "dropyard")
	}
	r.nodes = append(r.nodes, node)
	return nil
}

// database returns the URL of the database, or its file.
func (r *feedRun) database() string {
	if r.url != "" {
		return r.url
	}
	return (&config.Config{Data: filepath.Join(r.directory, "node0", "data")}).Database()
}

// seed registers partners and adds orders that have been picked up. No node runs
// afterwards.
func (r *feedRun) seed(ctx context.Context) (err error) {
	if err := r.start(ctx); err != nil {
		return err
	}
	accounts, err := r.nodes[0].partners(ctx, boardPartners)
	for i := 0; i <= max(r.Desks, r.Idle)/desksOfOperator && err == nil; i++ {
		err = r.addOperator(ctx, i)
	}
	err = errors.Join(err, r.nodes[0].stop())
	r.nodes = nil
	if err != nil {
		return err
	}
	db, err := openStore(ctx, r.database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	maker := newOrderMaker()
	for len(r.orders) < r.Orders {
		group := &order.Changes{}
		for len(r.orders) < r.Orders && len(group.Created) < prefillGroup {
			n := 2 * underWayEvery * len(r.orders) // an order under way, without items
			made, document, err := maker.make(accounts[len(r.orders)%len(accounts)].PartnerID, n, createdAt(n))
			if err != nil {
				return err
			}
			underWay(made, n)
			made.Status = delivery.StatusPickedUp
			group.Created = append(group.Created, order.Creation{Order: made, Document: document})
			r.orders = append(r.orders, made.OrderID)
			r.versions[made.OrderID] = made.Version
		}
		if err := db.Orders().Write(ctx, func(tx order.Writer) error { return order.Apply(ctx, tx, group) }); err != nil {
			return err
		}
	}
	return nil
}

// compare compares every desk's picture with the table.
func (r *feedRun) compare(ctx context.Context) (err error) {
	db, err := openStore(ctx, r.database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var want map[string]int64
	err = db.Feed().Read(ctx, func(tx feed.Reader) error {
		want = map[string]int64{}
		return tx.EachVersion(ctx, func(orderID string, version int64) { want[orderID] = version })
	})
	if err != nil {
		return err
	}
	for i, d := range r.desks {
		if err := d.differs(want); err != nil {
			return fmt.Errorf("invalid: desk %d: %w", i, err)
		}
	}
	return nil
}

// feedReport is the result of the feed command.
type feedReport struct {
	environment
	Engine  string  `json:"engine"`
	Nodes   int     `json:"nodes"`
	Orders  int     `json:"orders"` // under way at the start
	Desks   int     `json:"desks"`
	Idle    int     `json:"idle_desks"`
	Rate    int     `json:"moves_per_second"`
	Seconds float64 `json:"seconds"`
	// First is the time of the first snapshot, for which the node reads the board,
	// and Next that of another one.
	First float64 `json:"first_snapshot_ms"`
	Next  float64 `json:"next_snapshot_ms"`
	Bytes int     `json:"snapshot_gzip_bytes"`
	// P50, P99 and Max are the times from the answer to a move until a desk has the
	// row, over all moves and desks.
	P50      float64         `json:"p50_ms"`
	P99      float64         `json:"p99_ms"`
	Max      float64         `json:"max_ms"`
	Arrivals int             `json:"arrivals"` // each move at each desk
	Rows     []feedSituation `json:"situations"`
}

// feedSituation is what the servers use. CPU times are parts of one core.
type feedSituation struct {
	Name     string  `json:"name"`
	Moves    int     `json:"moves"`
	Nodes    float64 `json:"nodes_cpu"` // of all nodes together
	Database float64 `json:"database_cpu,omitzero"`
	Load     float64 `json:"load_average"`
}

func (r *feedReport) text(out io.Writer) error {
	const percent, megabyte = 100, 1e6
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := fmt.Fprintf(table, "%s\n%s, %d nodes, %d orders under way, %d moves/s, %.3g s each\n"+
		"snapshot: first %.0f ms, next %.0f ms, %.2f MB with gzip\n"+
		"a move reaches a desk: p50 %.0f ms, p99 %.0f ms, max %.0f ms (%d arrivals); every desk's picture equals the table\n\n"+
		"\tmoves\tnodes %%\tdatabase %%\tload\t\n",
		r.environment, r.Engine, r.Nodes, r.Orders, r.Rate, r.Seconds,
		r.First, r.Next, float64(r.Bytes)/megabyte, r.P50, r.P99, r.Max, r.Arrivals)
	for _, row := range r.Rows {
		if err == nil {
			_, err = fmt.Fprintf(table, "%s\t%d\t%.1f\t%.1f\t%.1f\t\n", row.Name, row.Moves, percent*row.Nodes,
				percent*row.Database, row.Load)
		}
	}
	if err != nil {
		return err
	}
	return table.Flush()
}
