package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// webhooksReport is the result of the webhooks command.
type webhooksReport struct {
	environment
	Database string       `json:"database"`
	Rounds   int          `json:"rounds"` // figures except those of waiting are medians over these
	Events   int          `json:"events"` // delivered
	Seconds  float64      `json:"seconds"`
	Rows     []hookRow    `json:"rows"`
	Ratios   []hookRatio  `json:"ratios"`
	Waiting  []waitingRow `json:"waiting,omitempty"`
}

// hookRow is one measurement. Its latencies are those of transitions (write) or from
// commit to arrival (neighbour, wake). Its number of orders is that of events.
type hookRow struct {
	Part string `json:"part"`
	Name string `json:"name"`
	figures
}

// hookRatio is the ratio of two measurements.
type hookRatio struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Wanted string  `json:"wanted"`
}

// compare sets the ratios.
func (r *webhooksReport) compare() {
	for i := 1; i < len(r.Rows); i++ {
		before, row := r.Rows[i-1], r.Rows[i]
		switch {
		case row.Part == "deliver" && before.Part == "deliver" && i%2 == 1:
			r.Ratios = append(r.Ratios, hookRatio{before.Name + ": deliveries to those of the floor", before.PerSecond / row.PerSecond, "at least 0.5"})
		case row.Part == "write" && row.Name == "queued":
			r.Ratios = append(r.Ratios, hookRatio{"transitions with queueing to those without", row.PerSecond / before.PerSecond, "none"})
		case row.Part == "neighbour" && row.Name == "ten dead":
			r.Ratios = append(r.Ratios,
				hookRatio{"p99 beside ten dead neighbours to p99 alone", row.P99 / r.Rows[i-2].P99, "below 2"},
				hookRatio{"p99 beside ten dead neighbours to that beside ten healthy ones", row.P99 / before.P99, "below 2"})
		}
	}
}

func (r *webhooksReport) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(t, "Webhooks on %s: %d events to deliver, %.3g s each of what has a length, medians of %d\n%v\n\n",
		r.Database, r.Events, r.Seconds, r.Rounds, r.environment)
	_, _ = fmt.Fprintln(t, "\t\tevents\tper second\tp50 ms\tp99 ms\tmax ms\tCPU us each\tdatabase us\tload\t")
	for _, row := range r.Rows {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%.0f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%.1f\t\n",
			row.Part, row.Name, row.Orders, row.PerSecond, row.P50, row.P99, row.Max, row.CPUMicros, row.DatabaseCPU, row.Load)
	}
	if err := t.Flush(); err != nil { // returns the errors of the writes above
		return err
	}
	for _, ratio := range r.Ratios {
		if _, err := fmt.Fprintf(out, "%s: %.2f (wanted: %s)\n", ratio.Name, ratio.Value, ratio.Wanted); err != nil {
			return err
		}
	}
	return r.textWaiting(out)
}

func (r *webhooksReport) textWaiting(out io.Writer) error {
	if len(r.Waiting) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(t, "\nendpoints\twaiting\tMB at start\tMB idle\tMB busy\tidle CPU ms/s\tdeliveries/s\tCPU us each\tload\t")
	for _, row := range r.Waiting {
		_, _ = fmt.Fprintf(t, "%d\t%d\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t%.0f\t%.1f\t\n", row.Endpoints, row.Events, row.StartMB, row.IdleMB,
			row.BusyMB, row.IdleCPU, row.PerSecond, row.CPUMicros, row.Load)
	}
	return t.Flush()
}
