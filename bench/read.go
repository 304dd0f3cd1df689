package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"
)

// readCommand measures reads at several numbers of stored orders, all of one
// partner, in one database that grows.
type readCommand struct {
	Clients int      `default:"8" help:"Number of concurrent clients, each with one kept connection."`
	Seconds float64  `default:"3" help:"Length of each measurement."`
	Max     int      `default:"1000000" help:"The greatest number of orders; 1,000, 10,000, 100,000 and 1,000,000 are measured up to it."`
	Only    []string `help:"The kinds of reads to measure, by their names in the report. Default: all."`
	JSON    bool     `name:"json" help:"Print the report as JSON."`
	Profile string   `help:"File for a CPU profile of the service with the most orders." placeholder:"FILE"`
	logFlags
}

// Validate is called by kong.
func (c *readCommand) Validate() error {
	if c.Clients < 1 || c.Clients > maxClients || c.Seconds <= 0 || c.Seconds > maxSeconds || c.Max < 1 || c.Max > maxOrders {
		return fmt.Errorf("at most %d clients, %d s, %d orders", maxClients, maxSeconds, maxOrders)
	}
	return nil
}

// Run measures, and prints the report.
func (c *readCommand) Run(ctx context.Context) error {
	report, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

// sizes returns the numbers of orders that are measured.
func (c *readCommand) sizes() (sizes []int) {
	for size := 1000; size <= c.Max; size *= 10 {
		sizes = append(sizes, size)
	}
	if len(sizes) == 0 {
		sizes = append(sizes, c.Max)
	}
	return sizes
}

func (c *readCommand) measure(ctx context.Context) (report *readReport, err error) {
	report = &readReport{environment: thisEnvironment(), Clients: c.Clients, Seconds: c.Seconds}
	for _, kind := range c.kinds() {
		report.Rows = append(report.Rows, readRow{Kind: kind.name})
	}
	directory, err := os.MkdirTemp("", "dropyard-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	for _, size := range c.sizes() {
		if err := c.at(ctx, directory, size, report); err != nil {
			return nil, err
		}
	}
	report.compare()
	return report, nil
}

// at adds orders up to a size, and measures every kind of read.
func (c *readCommand) at(ctx context.Context, directory string, size int, report *readReport) (err error) {
	server, err := startChild(ctx, (&serveCommand{Data: directory, Store: "sqlite", Orders: size, Partners: 1, Profile: c.Profile, logFlags: c.logFlags}).arguments())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	for i, kind := range c.kinds() {
		f, err := c.drive(ctx, server, kind)
		if err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		report.Rows[i].Sizes = append(report.Rows[i].Sizes, sizedRead{size, f})
	}
	return nil
}

// kinds returns the kinds of reads that are measured.
func (c *readCommand) kinds() []kind {
	if len(c.Only) == 0 {
		return kinds
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !slices.Contains(c.Only, k.name) })
}

// readWarmUp is the warm-up before each kind of read.
const readWarmUp = 300 * time.Millisecond

func (c *readCommand) drive(ctx context.Context, server *child, kind kind) (f figures, err error) {
	before, err := server.logged(ctx)
	if err != nil {
		return f, err
	}
	cpu := stopwatch{read: server.cpu}
	l := load{
		address: server.Address, clients: c.Clients, warmUp: readWarmUp, want: 200, window: cpu.hook,
		length: time.Duration(c.Seconds * float64(time.Second)),
		sender: func(int) sender {
			random := newRandom()
			g := newGet(server.Accounts[0], func() (path, query string) {
				return kind.target(server.Samples[random.IntN(len(server.Samples))], random)
			})
			g.public = kind.public
			return g
		},
	}
	measured, err := l.run(ctx)
	if f, err = finish(l, measured, &cpu, err); err == nil && !kind.public && c.RequestLogBytes > 0 {
		f.logged, err = server.loggedSince(ctx, before, f.Orders)
	}
	return f, err
}

// kind is a kind of read.
type kind struct {
	name   string
	public bool // needs no signature
	// target returns the target of a request, given the id of an order.
	target func(orderID string, random *rand.Rand) (path, query string)
}

// The kinds that are compared with each other.
const (
	recipientsPage = "recipient's page"
	health         = "health"
)

var kinds = []kind{
	{"first page of 50", false, func(string, *rand.Rand) (string, string) { return "/v1/orders", "?limit=50" }},
	{"50 by cursor anywhere", false, func(orderID string, _ *rand.Rand) (string, string) {
		return "/v1/orders", "?limit=50&cursor=" + orderID
	}},
	{"first 50 in a status", false, func(_ string, random *rand.Rand) (string, string) {
		return "/v1/orders", "?limit=50&status=" + string(ended(2*random.IntN(cancelledEvery)))
	}},
	{"one order", false, func(orderID string, _ *rand.Rand) (string, string) { return "/v1/orders/" + orderID, "" }},
	{"tracking", true, func(orderID string, _ *rand.Rand) (string, string) { return "/track/" + orderID, "" }},
	{recipientsPage, true, func(orderID string, _ *rand.Rand) (string, string) { return "/track/" + orderID + "/html", "" }},
	{health, true, func(string, *rand.Rand) (string, string) { return "/v1/health", "" }},
}
