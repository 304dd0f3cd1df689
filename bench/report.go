package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// figures holds the results of a run, or the medians of several runs.
type figures struct {
	PerSecond     float64 `json:"per_second"`
	P50           float64 `json:"p50_ms"`
	P90           float64 `json:"p90_ms"`
	P99           float64 `json:"p99_ms"`
	P999          float64 `json:"p99_9_ms"`
	Max           float64 `json:"max_ms"`
	CPUMicros     float64 `json:"cpu_us_each,omitempty"`         // of the server alone; for the store floor, of the process that uses the database
	DatabaseCPU   float64 `json:"database_cpu_us_each,omitzero"` // of the database's server
	BytesPerOrder float64 `json:"bytes_per_order,omitzero"`      // on disk, after closing
	Orders        int     `json:"orders"`                        // answered, including the warm-up
	Kept          int     `json:"kept"`                          // found in the database afterwards
	Load          float64 `json:"load_average,omitzero"`         // of the machine at the end, over a minute
	logged
}

// summarise returns the rate and the latencies of a result.
func summarise(l load, r *result) figures {
	f := figures{PerSecond: l.rate(r), Orders: r.Total}
	for _, p := range []struct {
		to   *float64
		part float64
	}{{&f.P50, 0.5}, {&f.P90, 0.9}, {&f.P99, 0.99}, {&f.P999, 0.999}, {&f.Max, 1}} {
		*p.to = milliseconds(percentile(r.Latencies, p.part))
	}
	return f
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// percentile returns the smallest value that a part of all values, from 0 to 1, does
// not exceed. It is zero if there are none.
func percentile[T cmp.Ordered](ascending []T, part float64) (value T) {
	if len(ascending) == 0 {
		return value
	}
	return ascending[max(0, min(len(ascending)-1, int(part*float64(len(ascending))+0.999999)-1))]
}

// medians returns the median of every figure over several runs.
func medians(runs []figures) figures {
	of := func(pick func(figures) float64) float64 {
		values := make([]float64, len(runs))
		for i, run := range runs {
			values[i] = pick(run)
		}
		slices.Sort(values)
		return percentile(values, 0.5)
	}
	count := func(pick func(figures) int) int { return int(of(func(f figures) float64 { return float64(pick(f)) })) }
	return figures{
		PerSecond:     of(func(f figures) float64 { return f.PerSecond }),
		P50:           of(func(f figures) float64 { return f.P50 }),
		P90:           of(func(f figures) float64 { return f.P90 }),
		P99:           of(func(f figures) float64 { return f.P99 }),
		P999:          of(func(f figures) float64 { return f.P999 }),
		Max:           of(func(f figures) float64 { return f.Max }),
		CPUMicros:     of(func(f figures) float64 { return f.CPUMicros }),
		DatabaseCPU:   of(func(f figures) float64 { return f.DatabaseCPU }),
		Load:          of(func(f figures) float64 { return f.Load }),
		BytesPerOrder: of(func(f figures) float64 { return f.BytesPerOrder }),
		Orders:        count(func(f figures) int { return f.Orders }),
		Kept:          count(func(f figures) int { return f.Kept }),
		logged:        logged{count(func(f figures) int { return f.Written }), count(func(f figures) int { return f.Dropped })},
	}
}

// environment says when and on what a report was measured.
type environment struct {
	Date  time.Time `json:"date"`
	Cores int       `json:"cores"`
	Go    string    `json:"go"`
}

func thisEnvironment() environment {
	return environment{Date: time.Now().UTC().Truncate(time.Second), Cores: runtime.NumCPU(), Go: runtime.Version()}
}

func (e environment) String() string {
	return fmt.Sprintf("%s, %d cores, %s, clients on the same cores", e.Date.Format(time.RFC3339), e.Cores, e.Go)
}

// createReport is the result of the create command.
type createReport struct {
	environment
	Clients    int     `json:"clients"`
	Seconds    float64 `json:"seconds"`
	Rounds     int     `json:"rounds"` // all figures are medians over these
	Prefilled  int     `json:"prefilled"`
	Partners   int     `json:"partners"`
	Service    figures `json:"service,omitzero"`
	HTTPFloor  figures `json:"http_floor,omitzero"`
	StoreFloor figures `json:"store_floor,omitzero"` // one writer
	// The following are measured on PostgreSQL only.
	Postgres    []string `json:"postgres,omitempty"`
	StoreFloor2 figures  `json:"store_floor_2,omitzero"` // two writers
	Pgbench     figures  `json:"pgbench,omitzero"`
	// Allowance is the rate if HTTP and storage each took the time of their floors,
	// without overlap: 1 / (1/http + 1/store).
	Allowance float64 `json:"allowance_per_second"`
	// Ratio is the service's rate over the allowance.
	Ratio float64 `json:"ratio"`
	// PgbenchRatio is the service's rate over pgbench's.
	PgbenchRatio float64 `json:"pgbench_ratio,omitzero"`
}

// compare sets the ratios.
func (r *createReport) compare() {
	if stored := max(r.StoreFloor.PerSecond, r.StoreFloor2.PerSecond); r.HTTPFloor.PerSecond > 0 && stored > 0 {
		r.Allowance = 1 / (1/r.HTTPFloor.PerSecond + 1/stored)
		r.Ratio = r.Service.PerSecond / r.Allowance
	}
	if r.Pgbench.PerSecond > 0 {
		r.PgbenchRatio = r.Service.PerSecond / r.Pgbench.PerSecond
	}
}

func (r *createReport) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, f figures) {
		if f.PerSecond > 0 {
			_, _ = fmt.Fprintf(t, "%s\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%.0f\t%.1f\t\n",
				name, f.PerSecond, f.P50, f.P90, f.P99, f.P999, f.Max, f.CPUMicros, f.DatabaseCPU, f.BytesPerOrder, f.Load)
		}
	}
	_, _ = fmt.Fprintf(t, "Creating signed orders, half of them with two items: %d clients, %.3g s, medians of %d, %d orders before, %d partners\n%v\n",
		r.Clients, r.Seconds, r.Rounds, r.Prefilled, r.Partners, r.environment)
	if len(r.Postgres) > 0 {
		_, _ = fmt.Fprintf(t, "PostgreSQL: %s\n", strings.Join(r.Postgres, " "))
	}
	_, _ = fmt.Fprintln(t, "\n\torders/s\tp50 ms\tp90 ms\tp99 ms\tp99.9 ms\tmax ms\tCPU us/order\tdatabase us\tbytes/order\tload\t")
	row("service", r.Service)
	row("http floor", r.HTTPFloor)
	row("store floor", r.StoreFloor)
	row("store floor, 2 writers", r.StoreFloor2)
	row("pgbench", r.Pgbench)
	if err := t.Flush(); err != nil { // returns the errors of the writes above
		return err
	}
	if s := r.Service.logged; s != (logged{}) {
		if _, err := fmt.Fprintf(out, "\nrequest log of the service: %d entries written, %d dropped\n", s.Written, s.Dropped); err != nil {
			return err
		}
	}
	return r.textRatios(out)
}

// textRatios writes the ratios that were computed.
func (r *createReport) textRatios(out io.Writer) (err error) {
	if r.Ratio > 0 {
		_, err = fmt.Fprintf(out, "\nallowance 1/(1/http + 1/store): %.0f orders/s; the service reaches %.2f of it\n", r.Allowance, r.Ratio)
	}
	if err == nil && r.PgbenchRatio > 0 {
		_, err = fmt.Fprintf(out, "the service makes %.2f times the orders of pgbench\n", r.PgbenchRatio)
	}
	return err
}

// readReport is the result of the read command.
type readReport struct {
	environment
	Clients int       `json:"clients"`
	Seconds float64   `json:"seconds"`
	Rows    []readRow `json:"rows"`
	// PageRatio is the median latency of the recipient's page, divided by that of
	// /v1/health, with the most orders; 0 unless both were measured.
	PageRatio float64 `json:"page_to_health_p50,omitzero"`
}

// readRow is one kind of read, at each number of orders.
type readRow struct {
	Kind  string      `json:"kind"`
	Sizes []sizedRead `json:"sizes"`
	// P50Ratio and P99Ratio are the latencies with the most orders, divided by those
	// with the fewest.
	P50Ratio float64 `json:"p50_ratio"`
	P99Ratio float64 `json:"p99_ratio"`
}

type sizedRead struct {
	Stored int `json:"stored"`
	figures
}

func (r *readReport) compare() {
	last := map[string]float64{}
	for i := range r.Rows {
		row := &r.Rows[i]
		few, most := row.Sizes[0], row.Sizes[len(row.Sizes)-1]
		row.P50Ratio, row.P99Ratio = most.P50/few.P50, most.P99/few.P99
		last[row.Kind] = most.P50
	}
	if last[health] > 0 {
		r.PageRatio = last[recipientsPage] / last[health]
	}
}

func (r *readReport) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(t, "Reading: %d clients, %.3g s each\n%v\n\n", r.Clients, r.Seconds, r.environment)
	_, _ = fmt.Fprintln(t, "\torders\trequests/s\tp50 ms\tp99 ms\tCPU us/request\tlogged\tdropped\t")
	for _, row := range r.Rows {
		for _, size := range row.Sizes {
			_, _ = fmt.Fprintf(t, "%s\t%d\t%.0f\t%.2f\t%.2f\t%.0f\t%d\t%d\t\n",
				row.Kind, size.Stored, size.PerSecond, size.P50, size.P99, size.CPUMicros, size.Written, size.Dropped)
		}
		_, _ = fmt.Fprintf(t, "most : fewest\t\t\t%.2f\t%.2f\t\t\t\t\n", row.P50Ratio, row.P99Ratio)
	}
	if err := t.Flush(); err != nil || r.PageRatio == 0 { // returns the errors of the writes above
		return err
	}
	_, err := fmt.Fprintf(out, "\nthe recipient's page takes %.2f times as long as /v1/health (p50, up to the last byte)\n", r.PageRatio)
	return err
}

// printReport writes a report as JSON or as text.
func printReport(out io.Writer, asJSON bool, report interface{ text(io.Writer) error }) error {
	if !asJSON {
		return report.text(out)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
