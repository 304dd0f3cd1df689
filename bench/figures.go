package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// figures holds the results of a run, or the medians of several runs.
type figures struct {
	PerSecond   float64 `json:"per_second"`
	P50         float64 `json:"p50_ms"`
	P99         float64 `json:"p99_ms"`
	P999        float64 `json:"p99_9_ms"`
	Max         float64 `json:"max_ms"`
	CPU         float64 `json:"cpu_us_each,omitzero"`          // of the server alone
	DatabaseCPU float64 `json:"database_cpu_us_each,omitzero"` // of the server of the database
	Written     float64 `json:"written_bytes_each,omitzero"`   // to the disk, by both
	Resident    float64 `json:"resident_mb,omitzero"`          // of the server, at the end
	Orders      int     `json:"answers"`                       // including the warm-up
	Load        float64 `json:"load_average,omitzero"`         // of the machine at the end, over a minute
}

// summarise returns the rate and the latencies of a result.
func summarise(r *result) figures {
	f := figures{PerSecond: r.rate(), Orders: r.Total}
	for _, p := range []struct {
		to   *float64
		part float64
	}{{&f.P50, 0.5}, {&f.P99, 0.99}, {&f.P999, 0.999}, {&f.Max, 1}} {
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
func medians(runs []figures) (middle figures) {
	for _, pick := range []func(*figures) *float64{
		func(f *figures) *float64 { return &f.PerSecond }, func(f *figures) *float64 { return &f.P50 },
		func(f *figures) *float64 { return &f.P99 }, func(f *figures) *float64 { return &f.P999 },
		func(f *figures) *float64 { return &f.Max }, func(f *figures) *float64 { return &f.CPU },
		func(f *figures) *float64 { return &f.DatabaseCPU }, func(f *figures) *float64 { return &f.Written },
		func(f *figures) *float64 { return &f.Resident }, func(f *figures) *float64 { return &f.Load },
	} {
		values := make([]float64, len(runs))
		for i := range runs {
			values[i] = *pick(&runs[i])
		}
		*pick(&middle) = median(values)
	}
	for _, run := range runs {
		middle.Orders += run.Orders / len(runs)
	}
	return middle
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

// printReport writes a report as JSON or as text.
func printReport(out io.Writer, asJSON bool, report interface{ text(io.Writer) error }) error {
	if !asJSON {
		return report.text(out)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
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

// spend sets what the server and its database's server have used, divided by count, and
// the load of the machine now.
func (f *figures) spend(server, database spent, count int) {
	each := float64(max(1, count))
	f.CPU = float64(server.cpu.Microseconds()) / each
	f.DatabaseCPU = float64(database.cpu.Microseconds()) / each
	f.Written = float64(server.written+database.written) / each
	f.Load = loadAverage()
}
