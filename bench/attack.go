package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// attackCommand measures what an attack does to everybody else: the same partners
// create orders at a steady pace before and during it.
type attackCommand struct {
	Bodies           bodiesAttack           `cmd:"" help:"Send large bodies on many connections."`
	Answers          answersAttack          `cmd:"" help:"Ask for large lists on many connections and do not read the responses."`
	SlowEndpoints    slowEndpointsAttack    `cmd:"" help:"Let many webhook endpoints answer slowly, and measure the events of other partners."`
	Connections      connectionsAttack      `cmd:"" help:"Hold many connections that send their headers byte by byte."`
	Batches          batchesAttack          `cmd:"" help:"Create orders as one partner, in batches of the largest size without a pause."`
	Labels           labelsAttack           `cmd:"" help:"Fetch the labels of orders of 50 parcels as one partner, without a pause."`
	BatchesAndLabels batchesAndLabelsAttack `cmd:"" help:"Both of batches and labels."`
	SignIns          signInsAttack          `cmd:"" name:"sign-ins" help:"Log in all the time, with right passwords or with wrong ones."`
	Cold             coldAttack             `cmd:"" help:"Drop a large database from the memory of the system while orders are created."`
}

// attackFlags are the flags of every attack.
type attackFlags struct {
	Binary  string        `help:"Attack this dropyard binary, such as one of an earlier version. Default: one that is built from this tree." placeholder:"FILE"`
	Seconds float64       `default:"10" help:"Length of each of the two measurements, before and during the attack."`
	Rate    int           `default:"200" help:"Orders per second that other partners create."`
	WarmUp  time.Duration `default:"500ms" help:"How long an attack lasts before it is measured."`
	JSON    bool          `name:"json" help:"Print the report as JSON."`
	// Requests, if it is not 0, is how many orders each of the others creates in a
	// measurement, instead of those of WarmUp and Seconds.
	Requests int `hidden:""`
	// Attacker makes the process one that only attacks (see attacker).
	Attacker bool `hidden:""`
}

// assault attacks a service until its context ends. What it counts with count is
// shown in the report, such as the statuses that it was answered. The measurement begins
// after the first count.
type assault func(ctx context.Context, t *target, count counter) error

// counter counts what happens under a name. It may be called concurrently.
type counter func(name string, n int)

// bystanders is the number of partners that create orders at a steady pace. Each
// has one connection.
const bystanders = 8

// run starts a service, and measures the bystanders before and
// during an attack.
func (f attackFlags) run(ctx context.Context, name string, attack assault) error {
	if f.Attacker {
		return attackUntilEOF(ctx, os.Stdin, os.Stdout, attack)
	}
	report, err := f.measure(ctx, name, os.Args[1:])
	if err != nil {
		return err
	}
	return printReport(os.Stdout, f.JSON, report)
}

// measure measures an attack by a process with the given arguments.
func (f attackFlags) measure(ctx context.Context, name string, arguments []string) (*attackReport, error) {
	if f.Seconds <= 0 || f.Seconds > maxSeconds || f.Rate < 1 || f.Rate > 10_000 {
		return nil, fmt.Errorf("--seconds must be at most %d, --rate at most 10000", maxSeconds)
	}
	return inTempDir(func(directory string) (*attackReport, error) { return f.measureIn(ctx, directory, name, arguments) })
}

// measureIn measures a service whose data are in a directory.
func (f attackFlags) measureIn(
	ctx context.Context, directory, name string, arguments []string,
) (report *attackReport, err error) {
	t, err := startTarget(ctx, directory, f.Binary)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.stop()) }()
	others, err := t.partners(ctx, bystanders)
	if err != nil {
		return nil, err
	}
	report = &attackReport{environment: thisEnvironment(), Name: name, Seconds: f.Seconds, Rate: f.Rate}
	if report.Before, err = f.watch(ctx, t, others); err != nil {
		return nil, err
	}
	return report, f.underAttack(ctx, t, others, arguments, report)
}

// underAttack measures the bystanders during the attack.
func (f attackFlags) underAttack(
	ctx context.Context, t *target, others []account, arguments []string, report *attackReport,
) error {
	attacking, err := startAttacker(ctx, arguments, t)
	if err != nil {
		return err
	}
	report.During, err = f.watch(ctx, t, others)
	counts, failed := attacking.stop()
	if failed != nil {
		err = errors.Join(err, fmt.Errorf("the attack: %w", failed))
	}
	report.Counts = counts
	report.compare()
	return err
}

// watch measures the bystanders, and the most memory and descriptors that the
// service uses meanwhile.
func (f attackFlags) watch(ctx context.Context, t *target, others []account) (s situation, err error) {
	length := time.Duration(f.Seconds * float64(time.Second))
	l := load{
		address: t.address, clients: len(others), warmUp: f.WarmUp, length: length, requests: f.Requests, want: 201,
		perSecond: float64(f.Rate),
		sender:    func(client int) sender { return plainCreations(others[client]) },
	}
	var atEdges usage // while the bystanders are connected
	l.window = func() error {
		atEdges = atEdges.or(usageOf(t.command.Process.Pid))
		return nil
	}
	watching, end := context.WithCancel(ctx)
	used := make(chan usage, 1)
	go func() { used <- t.watch(watching) }()
	measured, err := l.run(ctx)
	end()
	s.usage = atEdges.or(<-used)
	if err != nil {
		return s, err
	}
	s.figures, s.Failed = summarise(measured), measured.Failed
	if measured.FirstFail != nil {
		s.FirstFail = measured.FirstFail.Error()
	}
	return s, nil
}

// situation is what the bystanders see, and what the service uses.
type situation struct {
	figures
	usage
	Failed    int    `json:"failed"` // clients that got another answer than 201, and stopped
	FirstFail string `json:"first_fail,omitempty"`
}

// usage is the most that a process has used.
type usage struct {
	MegaBytes   float64 `json:"most_resident_mb"`
	Descriptors int     `json:"descriptors"`
}

// or returns the greater figures of two.
func (u usage) or(other usage) usage {
	return usage{max(u.MegaBytes, other.MegaBytes), max(u.Descriptors, other.Descriptors)}
}

// attackReport is the result of an attack.
type attackReport struct {
	environment
	Name    string         `json:"name"`
	Seconds float64        `json:"seconds"`
	Rate    int            `json:"rate"`
	Before  situation      `json:"before"`
	During  situation      `json:"during"`
	Ratio   float64        `json:"p99_ratio"` // during over before
	Counts  map[string]int `json:"counts"`    // by the attack itself
}

func (r *attackReport) compare() {
	if r.Before.P99 > 0 {
		r.Ratio = r.During.P99 / r.Before.P99
	}
}

func (r *attackReport) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(t, "Attack %q: others create %d orders/s, %.3g s before and during it\n%v\n\n", r.Name, r.Rate,
		r.Seconds, r.environment)
	_, _ = fmt.Fprintln(t, "\torders/s\tp50 ms\tp99 ms\tmax ms\tfailed\tresident MB\tdescriptors\t")
	for _, row := range []struct {
		name string
		situation
	}{{"before", r.Before}, {"during", r.During}} {
		_, _ = fmt.Fprintf(t, "%s\t%.0f\t%.1f\t%.1f\t%.1f\t%d\t%.0f\t%d\t\n",
			row.name, row.PerSecond, row.P50, row.P99, row.Max, row.Failed, row.MegaBytes, row.Descriptors)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	lines := []string{fmt.Sprintf("\np99 during : before %.2f", r.Ratio)}
	if r.During.FirstFail != "" {
		lines = append(lines, "first failure: "+r.During.FirstFail)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		lines = append(lines, fmt.Sprintf("%s: %d", name, r.Counts[name]))
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}
