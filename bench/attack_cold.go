package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// coldAttack drops the database from the memory of the system while orders are
// created. It needs Linux.
type coldAttack struct {
	Binary   string `help:"Attack this dropyard binary, such as one of an earlier version. Default: one that is built from this tree." placeholder:"FILE"`
	Orders   int    `default:"1000000" help:"Number of orders that the database has at the start; missing ones are added."`
	Partners int    `default:"8" help:"Number of partners that the orders belong to."`
	Clients  int    `default:"64" help:"Number of concurrent clients."`
	Warm     int    `default:"8" help:"Length of the measurement before the drop, in seconds. The second half of it counts."`
	Seconds  int    `default:"20" help:"Length of the measurement after the drop, in seconds."`
	Data     string `help:"Directory of the database, which is kept and grows with each run. Default: a new directory, removed at the end." placeholder:"DIR"`
	JSON     bool   `name:"json" help:"Print the report as JSON."`
}

// coldReport is the result.
type coldReport struct {
	environment
	Orders  int     `json:"orders"`
	Clients int     `json:"clients"`
	Warm    float64 `json:"warm_per_second"`
	// Cold has the orders created in each second after the drop.
	Cold []int64 `json:"cold_per_second"`
	// Half is the second in which half of the warm rate was reached again; 0 if never.
	Half    int     `json:"half_after_seconds"`
	WarmP99 float64 `json:"warm_p99_ms"`
	ColdP99 float64 `json:"cold_p99_ms"` // over the whole measurement after the drop
}

// Validate is called by kong.
func (c *coldAttack) Validate() error {
	if c.Orders < 1 || c.Orders > maxOrders || c.Partners < 1 || c.Clients < 1 || c.Clients > maxClients ||
		c.Warm < 2 || c.Warm > maxSeconds || c.Seconds < 1 || c.Seconds > maxSeconds {
		return fmt.Errorf("at most %d orders, %d clients, %d s; --warm at least 2", maxOrders, maxClients, maxSeconds)
	}
	return nil
}

// Run attacks, and prints the report.
func (c *coldAttack) Run(ctx context.Context) error {
	measure := func(directory string) (*coldReport, error) { return c.measure(ctx, directory) }
	var report *coldReport
	var err error
	if c.Data != "" {
		report, err = measure(c.Data)
	} else {
		_, err = inTempDir(func(directory string) (f figures, err error) {
			report, err = measure(directory)
			return f, err
		})
	}
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

func (c *coldAttack) measure(ctx context.Context, directory string) (report *coldReport, err error) {
	i := installation{directory: directory, binary: c.Binary}
	if err := i.fill(ctx, c.Partners, c.Orders); err != nil {
		return nil, err
	}
	t, err := i.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.stop()) }()
	if err := readWhole(i.database()); err != nil {
		return nil, err
	}
	report = &coldReport{environment: thisEnvironment(), Orders: c.Orders, Clients: c.Clients}
	before, measured, err := c.load(ctx, t, i.Accounts, c.Warm)
	if err != nil {
		return nil, err
	}
	for _, rate := range before[c.Warm/2:] {
		report.Warm += float64(rate) / float64(len(before[c.Warm/2:]))
	}
	report.WarmP99 = measured.P99
	if err := dropCache(i.database()); err != nil {
		return nil, err
	}
	if report.Cold, measured, err = c.load(ctx, t, i.Accounts, c.Seconds); err != nil {
		return nil, err
	}
	report.ColdP99 = measured.P99
	report.findHalf()
	return report, nil
}

// load creates orders for a time, and returns how many in each second.
func (c *coldAttack) load(ctx context.Context, t *target, accounts []account, seconds int) ([]int64, figures, error) {
	l := load{address: t.address, clients: c.Clients, length: time.Duration(seconds) * time.Second, want: 201}
	l.sender = func(client int) sender { return newCreations(accounts[client%len(accounts)], client/len(accounts)) }
	open, hangUp := context.WithCancel(ctx)
	defer hangUp()
	counts := make([]atomic.Int64, seconds)
	begin := time.Now()
	measured, err := l.each(ctx, func(client int) (task, error) {
		create, err := l.client(open, client)
		return func() error {
			err := create()
			if second := int(time.Since(begin) / time.Second); err == nil && second < seconds {
				counts[second].Add(1)
			}
			return err
		}, err
	})
	rates := make([]int64, seconds)
	for i := range counts {
		rates[i] = counts[i].Load()
	}
	if err == nil && measured.Failed > 0 {
		err = fmt.Errorf("%d clients failed, the first with: %w", measured.Failed, measured.FirstFail)
	}
	if err != nil {
		return nil, figures{}, err
	}
	return rates, summarise(measured), nil
}

// readWhole reads a database into the memory of the system.
func readWhole(database string) error {
	file, err := os.Open(filepath.Clean(database))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, file)
	return errors.Join(err, file.Close())
}

func (r *coldReport) findHalf() {
	for i, rate := range r.Cold {
		if float64(rate) >= r.Warm/2 {
			r.Half = i + 1
			return
		}
	}
}

func (r *coldReport) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(t, "Attack \"cold\": %d clients create orders, %d in the database\n%v\n\n", r.Clients, r.Orders,
		r.environment)
	_, _ = fmt.Fprintf(t, "second\torders/s\t\nwarm\t%.0f\t\n", r.Warm)
	for i, rate := range r.Cold {
		_, _ = fmt.Fprintf(t, "%d\t%d\t\n", i+1, rate)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	half := "half of the warm rate was not reached again"
	if r.Half > 0 {
		half = fmt.Sprintf("half of the warm rate was reached again in second %d", r.Half)
	}
	_, err := fmt.Fprintf(out, "\n%s\np99 %.1f ms warm, %.1f ms after the drop\n", half, r.WarmP99, r.ColdP99)
	return err
}
