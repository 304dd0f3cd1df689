package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/store"
)

// boardCommand measures every query of the dispatch board on the embedded
// store, one at a time.
type boardCommand struct {
	Orders int    `default:"1000000" help:"Number of orders; one in fifty is under way."`
	Rounds int    `default:"200" help:"How often each query is run."`
	Data   string `help:"Data directory, which is kept and can be used again." placeholder:"DIR"`
	JSON   bool   `name:"json" help:"Print the report as JSON."`
}

// Validate is called by kong.
func (c *boardCommand) Validate() error {
	const maxRounds = 100_000
	if c.Orders < 1 || c.Orders > maxOrders || c.Rounds < 1 || c.Rounds > maxRounds {
		return fmt.Errorf("at most %d orders and %d rounds", maxOrders, maxRounds)
	}
	return nil
}

// boardPartners is the number of partners that the orders belong to.
const boardPartners = 8

// Run adds the orders, measures, and prints the report.
func (c *boardCommand) Run(ctx context.Context) (err error) {
	directory := c.Data
	if directory == "" {
		if directory, err = os.MkdirTemp("", "dropyard-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	}
	child := &serveCommand{Data: directory, Store: "sqlite", Orders: c.Orders, Partners: boardPartners}
	seeded, err := seed(ctx, child.settings(), child.database(), boardPartners, c.Orders)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	db, err := store.OpenSQLite(ctx, child.database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	report, err := c.measure(ctx, db, seeded)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

func (c *boardCommand) measure(ctx context.Context, db *store.Store, seeded *ready) (*boardReport, error) {
	service := dispatch.NewService(dispatch.Config{Store: db.Dispatch(), Now: time.Now, Random: rand.Reader})
	counts, err := service.Count(ctx)
	if err != nil {
		return nil, err
	}
	report := &boardReport{environment: thisEnvironment(), Orders: c.Orders, UnderWay: counts.Open, Attention: counts.Attention}
	for _, q := range boardQueries(seeded) {
		row := boardRow{Query: q.name}
		before, err := ownCPU()
		if err != nil {
			return nil, err
		}
		for range boardRuns {
			took, rows, err := c.run(ctx, service, q)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", q.name, err)
			}
			row.Rows = max(row.Rows, rows)
			row.p50, row.p99 = append(row.p50, percentile(took, median)), append(row.p99, percentile(took, high))
		}
		after, err := ownCPU()
		if err != nil {
			return nil, err
		}
		row.CPU = milliseconds(after-before) / float64(boardRuns*c.Rounds)
		slices.Sort(row.p50)
		slices.Sort(row.p99)
		row.P50, row.P99 = milliseconds(percentile(row.p50, median)), milliseconds(percentile(row.p99, median))
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}

const (
	median, high = 0.5, 0.99 // parts, for percentile
	// boardRuns is how often each query's rounds are repeated. The report has the
	// medians, because other work on the machine disturbs some of the runs.
	boardRuns = 5
)

// run runs a query in all rounds. It returns how long each round took, in ascending
// order, and the rows of the largest answer.
func (c *boardCommand) run(ctx context.Context, service *dispatch.Service, q boardQuery) (took []time.Duration, rows int, err error) {
	for i := range c.Rounds {
		begun := time.Now()
		found, err := q.ask(ctx, service, i)
		if err != nil {
			return nil, 0, err
		}
		took, rows = append(took, time.Since(begun)), max(rows, found)
	}
	slices.Sort(took)
	return took, rows, nil
}

// boardQuery is a query of a dispatcher. Its ask returns the number of rows in the
// answer.
type boardQuery struct {
	name string
	ask  func(ctx context.Context, s *dispatch.Service, round int) (rows int, err error)
}

// pageRows is the number of rows in a page.
const pageRows = 50

// page returns a query for a page. Each round has a filter of its own, so that the
// rows differ.
func page(name string, filter func(round int) dispatch.Filter) boardQuery {
	return boardQuery{name, func(ctx context.Context, s *dispatch.Service, round int) (int, error) {
		f := filter(round)
		f.Limit = pageRows
		if f.Sort == "" {
			f.Sort = dispatch.SortOldest
		}
		found, err := s.Board(ctx, f)
		return len(found.Entries), err
	}}
}

func boardQueries(seeded *ready) []boardQuery {
	partner := func(i int) string { return seeded.Accounts[i%len(seeded.Accounts)].PartnerID }
	sample := func(i int) string { return seeded.Samples[i%len(seeded.Samples)] }
	status := func(i int) []delivery.Status {
		return []delivery.Status{board.OpenStatuses[i%len(board.OpenStatuses)]}
	}
	zone := func(i int) string { place := places[i%len(places)]; return place.zones[i%len(place.zones)] }
	courier := func(i int) string { return fmt.Sprintf("cou_%016d", i%benchCouriers) }
	queries := []boardQuery{
		page("all, oldest first", func(int) dispatch.Filter { return dispatch.Filter{} }),
		page("all, due first", func(int) dispatch.Filter { return dispatch.Filter{Sort: dispatch.SortWindow} }),
		page("a later page", func(i int) dispatch.Filter {
			at := prefillEnd.Add(-time.Duration(1+i%60) * time.Hour)
			return dispatch.Filter{After: dispatch.Cursor{At: at, OrderID: sample(i)}}
		}),
		page("by status", func(i int) dispatch.Filter { return dispatch.Filter{Statuses: status(i)} }),
		page("by partner", func(i int) dispatch.Filter { return dispatch.Filter{PartnerID: partner(i)} }),
		page("by courier", func(i int) dispatch.Filter { return dispatch.Filter{CourierID: courier(i)} }),
		page("without courier", func(int) dispatch.Filter { return dispatch.Filter{CourierID: dispatch.NoCourier} }),
		page("by zone", func(i int) dispatch.Filter { return dispatch.Filter{Zone: zone(i)} }),
		page("by service level", func(int) dispatch.Filter { return dispatch.Filter{ServiceLevel: delivery.Express} }),
		page("older than a day", func(int) dispatch.Filter { return dispatch.Filter{CreatedTo: time.Now().Add(-24 * time.Hour)} }),
		page("window at risk (1 h)", func(int) dispatch.Filter {
			return dispatch.Filter{DueBefore: time.Now().Add(time.Hour), Sort: dispatch.SortWindow}
		}),
		page("needs attention", func(int) dispatch.Filter { return dispatch.Filter{Attention: board.Reasons} }),
	}
	for i, reason := range board.Reasons {
		queries = append(queries, page("attention: "+string(reason), func(int) dispatch.Filter {
			return dispatch.Filter{Attention: board.Reasons[i : i+1]}
		}))
	}
	return append(queries,
		page("status, zone and attention", func(i int) dispatch.Filter {
			return dispatch.Filter{Statuses: status(i), Zone: zone(i), Attention: board.Reasons}
		}),
		page("search: part of a reference", func(i int) dispatch.Filter { return dispatch.Filter{Search: fmt.Sprintf("po %05d", i*7)} }),
		page("search: a city", func(i int) dispatch.Filter { return dispatch.Filter{Search: places[i%len(places)].city} }),
		page("search: nothing to find", func(i int) dispatch.Filter { return dispatch.Filter{Search: fmt.Sprintf("no such %d", i)} }),
		page("search: id of an order that ended", func(i int) dispatch.Filter { return dispatch.Filter{Search: sample(i)} }),
		page("delivered, of a partner", func(i int) dispatch.Filter {
			return dispatch.Filter{Statuses: []delivery.Status{delivery.StatusDelivered}, PartnerID: partner(i)}
		}),
		boardQuery{"counts", func(ctx context.Context, s *dispatch.Service, _ int) (int, error) {
			counts, err := s.Count(ctx)
			return len(counts.Statuses), err
		}},
		boardQuery{"one order's record", func(ctx context.Context, s *dispatch.Service, round int) (int, error) {
			_, err := s.Order(ctx, "", sample(round))
			return 1, err
		}},
	)
}

// boardReport is the result of the board command.
type boardReport struct {
	environment
	Orders    int        `json:"orders"`
	UnderWay  int64      `json:"under_way"`
	Attention int64      `json:"attention"`
	Rows      []boardRow `json:"rows"`
}

type boardRow struct {
	Query string  `json:"query"`
	Rows  int     `json:"rows"` // of the largest answer
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
	// CPU is the mean CPU time of a query in this process, in milliseconds. Other
	// work on the machine affects it less than the latencies.
	CPU float64 `json:"cpu_ms"`

	p50, p99 []time.Duration // of each run
}

func (r *boardReport) text(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := fmt.Fprintf(table, "%s\n%d orders, %d under way, %d need attention\n\nquery\trows\tp50 ms\tp99 ms\tCPU ms\t\n", r.environment, r.Orders, r.UnderWay, r.Attention)
	for _, row := range r.Rows {
		if err == nil {
			_, err = fmt.Fprintf(table, "%s\t%d\t%.2f\t%.2f\t%.2f\t\n", row.Query, row.Rows, row.P50, row.P99, row.CPU)
		}
	}
	if err != nil {
		return err
	}
	return table.Flush()
}
