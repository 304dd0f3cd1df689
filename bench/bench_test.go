package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestMain runs the commands if the test binary was started as their child.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
		return
	}
	os.Exit(testWith(m))
}

// testDirectory holds the binary that dropyard returns.
var testDirectory string

// testBinary builds a binary of dropyard, which all tests of the process share.
var testBinary = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(testDirectory, "dropyard")
	return binary, buildDropyard(context.Background(), binary)
})

// dropyard returns the path of a binary of dropyard.
func dropyard(t *testing.T) string {
	t.Helper()
	binary, err := testBinary()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func testWith(m *testing.M) int {
	code, err := inTempDir(func(directory string) (int, error) {
		testDirectory = directory
		return m.Run(), nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// smallReport returns a report of short measurements: at full length of a time, else of some
// requests.
func smallReport(only ...string) reportCommand {
	command := reportCommand{
		Only: only, Clients: 4, Partners: 2, Sweep: []int{2}, Seconds: 0.4, WarmUp: 50 * time.Millisecond, Rounds: 1,
		Stored: 400, Large: []int{600}, Events: 60, Idle: time.Second, Requests: 3,
	}
	if testkit.Long() {
		command.Requests = 0
	} else {
		command.Idle = time.Millisecond
	}
	return command
}

// checkReport runs a report, in which every load must have figures, and checks that
// it has rows for the works of the servers.
func checkReport(t *testing.T, command reportCommand, want ...string) *report {
	t.Helper()
	command.Binary = dropyard(t)
	r, err := command.measure(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range r.Rows {
		got = append(got, row.Server+": "+row.Work)
		f := row.figures
		if row.Work == atRest {
			if row.Start <= 0 || f.Resident <= 0 {
				t.Errorf("%s at rest: got %+v, want a time to start and memory", row.Server, row)
			}
			continue
		}
		if f.PerSecond <= 0 || f.Orders < 1 {
			t.Errorf("%s, %s: got %+v, want answers", row.Server, row.Work, f)
		}
		if row.Work != delivering && (f.P50 <= 0 || f.P50 > f.P99 || f.P99 > f.P999 || f.P999 > f.Max) {
			t.Errorf("%s, %s: got percentiles %+v, want them positive and ascending", row.Server, row.Work, f)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("got rows %q, want %q among them", got, line)
		}
	}
	return r
}

// TestNight exports a small day on both engines. The measurement checks the rows.
func TestNight(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if engine == "postgres" {
				testkit.PostgresURL(t) // skips where there is no server
			}
			command := nightCommand{Orders: 40, Database: engine, Binary: dropyard(t)}
			n, err := command.measure(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if n.Files < 40_000 || n.Memory <= 0 || n.Seconds <= 0 {
				t.Errorf("got %+v, want files of 40 orders", n)
			}
		})
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := checkReport(t, smallReport("SQLite", bareFloor, "webhooks"),
		"bare floor: create", "bare floor: one order", "dropyard, SQLite: create",
		"dropyard, SQLite: create, items in every second", "dropyard, SQLite: quote", "dropyard, SQLite: one order",
		"dropyard, SQLite: tracking", "dropyard, SQLite: tracking page", "dropyard, SQLite: list of 50",
		"dropyard, SQLite: list of 50, halfway down by offset", "dropyard, SQLite: at rest",
		"dropyard, SQLite: deliver webhooks", "bare client: deliver webhooks")
	open := slices.IndexFunc(r.Rows, func(r row) bool { return r.Open })
	if open < 0 {
		t.Fatal("got no open loop")
	}
	if closed := r.Rows[open-1]; testkit.Long() && r.Rows[open].PerSecond > 0.9*closed.PerSecond {
		t.Errorf("got %.0f per second in an open loop at 0.7 of %.0f", r.Rows[open].PerSecond, closed.PerSecond)
	}
	for _, ratio := range r.Ratios {
		// A few requests take less CPU time than the system counts.
		if ratio.Value <= 0 && (testkit.Long() || !strings.Contains(ratio.Name, "CPU")) {
			t.Errorf("%s: got %v", ratio.Name, ratio.Value)
		}
	}
	checkText(t, r, "| create, SQLite : bare floor |", "disk, bytes per order", "| dropyard, SQLite | 600 |", "open loop")
}

// TestReportOnPostgres loads both cores for half a minute.
func TestReportOnPostgres(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	testkit.NeedPostgres.OrSkip(t)
	r := checkReport(t, smallReport("PostgreSQL", pgbench),
		"dropyard, PostgreSQL: create", "dropyard, PostgreSQL: one order", "pgbench: create",
		"pgbench: create, items in every second")
	for _, row := range r.Rows {
		if row.Server == overPostgres && row.Work == creating && row.DatabaseCPU <= 0 {
			t.Errorf("got %+v, want CPU time of the database's server", row)
		}
	}
	checkText(t, r, "| create, PostgreSQL : pgbench |")
}

// TestReportBesidePocketBase builds PocketBase, from a module of its own.
func TestReportBesidePocketBase(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	r := checkReport(t, smallReport("SQLite, empty", pocketBase), "PocketBase: create")
	checkText(t, r, "| create, SQLite : PocketBase |")
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, name := range []string{creating, oneOrder} {
		command := compareCommand{
			Old: dropyard(t), New: dropyard(t), Work: name, Pairs: 2, Clients: 4, Partners: 2, Seconds: 0.3, Database: "sqlite",
		}
		if !testkit.Long() {
			command.Requests = 3
		}
		if err := command.Validate(); err != nil {
			t.Fatal(err)
		}
		r, err := command.measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Pairs) != 2 || r.PerSecond <= 0 || r.P99 <= 0 {
			t.Errorf("%s: got %+v, want two pairs and their ratios", name, r)
		}
		checkText(t, r, "new : old", name)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	valid := smallReport()
	if err := valid.Validate(); err != nil {
		t.Errorf("%+v: %v", valid, err)
	}
	for name, change := range map[string]func(*reportCommand){
		"too many clients": func(c *reportCommand) { c.Clients = maxClients + 1 },
		"no client":        func(c *reportCommand) { c.Sweep = []int{0} },
		"no time":          func(c *reportCommand) { c.Seconds = 0 },
		"too many orders":  func(c *reportCommand) { c.Large = []int{maxOrders + 1} },
	} {
		invalid := smallReport()
		change(&invalid)
		if invalid.Validate() == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if err := (&compareCommand{Work: "dance", Pairs: 1, Clients: 1, Partners: 1, Seconds: 1}).Validate(); err == nil ||
		!strings.Contains(err.Error(), oneOrder) {
		t.Errorf("unknown work: got %v, want the names of works", err)
	}
}

// TestOpenLoop: the latency of a request that had to wait counts from when it was due.
func TestOpenLoop(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]load{
		"a time":            {clients: 1, length: 200 * time.Millisecond, perSecond: 100},
		"a number":          {clients: 1, requests: 20, perSecond: 100},
		"a time, in vain":   {clients: 2, length: 200 * time.Millisecond, perSecond: 100},
		"a number, in vain": {clients: 2, requests: 20, perSecond: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { checkOpenLoop(t, l) })
		})
	}
}

// checkOpenLoop applies a load of 20 requests, of which the first stalls. A second client
// fails.
func checkOpenLoop(t *testing.T, l load) {
	t.Helper()
	edges := 0
	l.window = func() error { edges++; return nil }
	r, err := l.each(t.Context(), func(client int) (task, error) {
		if client > 0 {
			return nil, errors.New("in vain")
		}
		stalled := false
		return func() error {
			if !stalled {
				stalled = true
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	late := 0
	for _, latency := range r.Latencies {
		if latency > 40*time.Millisecond {
			late++
		}
	}
	// Due at 0, 10, …, 190 ms. What was due up to 50 ms is answered 50 ms later, or more.
	if r.Total != 20 || r.Done != 20 || late != 6 || edges != 2 {
		t.Errorf("got %+v, %d late, %d ends of the window, want all of 20 requests, 6 of them late, and both ends", r, late,
			edges)
	}
	if want := r.Window >= 190*time.Millisecond && r.Window <= 200*time.Millisecond; !want || r.Failed != l.clients-1 {
		t.Errorf("got %+v, want a window of 0.2 s, and %d failures", r, l.clients-1)
	}
}

func TestReadPgbenchLog(t *testing.T) {
	t.Parallel()
	from := time.Unix(100, 0)
	var r result
	// The first transaction ended before the window, the third after it.
	err := r.readPgbenchLog([]byte("0 1 500 0 99 999999\n0 2 1500 1 100 1000\n1 1 2500 0 101 0\n1 2 1000 1 101 1\n"), from,
		from.Add(time.Second))
	if want := []time.Duration{1500 * time.Microsecond, 2500 * time.Microsecond, time.Millisecond}; err != nil ||
		r.Total != 4 || r.Done != 2 || !slices.Equal(r.Latencies, want) {
		t.Errorf("got %+v, %v, want 2 of 4 in the window, with latencies %v", r, err, want)
	}
	if err := r.readPgbenchLog([]byte("0 1 failed 0 99 1\n"), from, from); err == nil {
		t.Error("a failed transaction: got no error")
	}
}

func TestMeterCountsChildren(t *testing.T) {
	t.Parallel()
	m := &meter{pids: []int{os.Getpid()}, children: true}
	if err := m.hook(); err != nil {
		t.Fatal(err)
	}
	// A child that has ended counts too.
	if err := exec.Command("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Fatal(err)
	}
	if err := m.hook(); err != nil || m.used().cpu <= 0 {
		t.Errorf("got %v, %v after work, want more than nothing", m.used(), err)
	}
}

// checkText checks that the report, as text, holds the words.
func checkText(t *testing.T, report interface{ text(w io.Writer) error }, words ...string) {
	t.Helper()
	var out bytes.Buffer
	if err := report.text(&out); err != nil {
		t.Fatal(err)
	}
	for _, word := range words {
		if !strings.Contains(out.String(), word) {
			t.Errorf("got the report\n%s\nwant %q in it", &out, word)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var hundred []int
	for i := range 100 {
		hundred = append(hundred, i+1)
	}
	for part, want := range map[float64]int{0: 1, 0.5: 50, 0.9: 90, 0.99: 99, 0.999: 100, 1: 100} {
		if got := percentile(hundred, part); got != want {
			t.Errorf("percentile %v of 1..100: got %d, want %d", part, got, want)
		}
	}
	if got := percentile([]int(nil), 0.5); got != 0 {
		t.Errorf("percentile of no values: got %d, want 0", got)
	}
}

// TestFeed measures one node; the command fails if a desk's picture is not the table.
func TestFeed(t *testing.T) {
	t.Parallel()
	command := feedCommand{
		Engine: "sqlite", Binary: dropyard(t), Orders: 200, Desks: 3, Idle: 2, Rate: 100, Seconds: 0.3,
		WarmUp: 50 * time.Millisecond,
	}
	if testkit.Long() {
		command.WarmUp, command.Settle = time.Second, 2*time.Second
	}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := 30 * command.Desks; report.Arrivals != want || report.P99 < report.P50 || report.First <= 0 ||
		report.Bytes <= 0 || len(report.Rows) != 3 {
		t.Errorf("got %+v, want %d arrivals and figures of snapshots and three situations", report, want)
	}
	checkText(t, report, "every desk's picture equals the table", "moves alone", "2 idle desks")
}
