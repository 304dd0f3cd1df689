package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestMain runs the commands if the test binary was started as their child.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestCreate(t *testing.T) {
	t.Parallel()
	command := createCommand{
		Clients: 4, Seconds: 0.3, WarmUp: 50 * time.Millisecond, Orders: 30, Partners: 2, Rounds: 1,
		Only: []string{"service", "http", "store"}, logFlags: logFlags{RequestLogBytes: 1 << 20},
	}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]figures{"service": report.Service, "http": report.HTTPFloor, "store": report.StoreFloor} {
		if counted := f.PerSecond * command.Seconds; counted < 1 || counted > float64(f.Orders) {
			t.Errorf("%s: got %.1f orders in the window, want 1 to %d, those of the run", name, counted, f.Orders)
		}
		if f.P50 <= 0 || f.P50 > f.P90 || f.P90 > f.P99 || f.P99 > f.P999 || f.P999 > f.Max {
			t.Errorf("%s: got percentiles %+v, want them positive and ascending", name, f)
		}
	}
	if s := report.Service; s.Kept != s.Orders || s.BytesPerOrder <= 0 {
		t.Errorf("service: got %d orders stored, %.0f bytes each, want the %d acknowledged", s.Kept, s.BytesPerOrder, s.Orders)
	}
	if s := report.Service; s.Written+s.Dropped != s.Orders {
		t.Errorf("service: got %d entries of the request log written and %d dropped, want one for each of %d requests", s.Written, s.Dropped, s.Orders)
	}
	if report.HTTPFloor.Kept != 0 {
		t.Errorf("http floor: got %d orders stored, want none", report.HTTPFloor.Kept)
	}
	if f := report.StoreFloor; f.Kept != f.Orders {
		t.Errorf("store floor: got %d orders stored, want the %d written", f.Kept, f.Orders)
	}
	want := report.Service.PerSecond * (1/report.HTTPFloor.PerSecond + 1/report.StoreFloor.PerSecond)
	if math.Abs(report.Ratio-want) > 1e-9 {
		t.Errorf("got ratio %v, want %v", report.Ratio, want)
	}
	checkText(t, report, "orders/s", "http floor", "the service reaches", "request log of the service")
}

func TestCreateOnPostgres(t *testing.T) {
	t.Parallel()
	testkit.NeedPostgres.OrSkip(t)
	command := createCommand{
		Clients: 4, Seconds: 0.5, WarmUp: 100 * time.Millisecond, Orders: 30, Partners: 2, Rounds: 1, Database: "postgres",
	}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]figures{
		"service": report.Service, "store": report.StoreFloor, "store, 2 writers": report.StoreFloor2, "pgbench": report.Pgbench,
	} {
		if counted := f.PerSecond * command.Seconds; counted < 1 || counted > float64(f.Orders) {
			t.Errorf("%s: got %.1f orders in the window, want 1 to %d, those of the run", name, counted, f.Orders)
		}
		if f.Kept != f.Orders || f.BytesPerOrder <= 0 {
			t.Errorf("%s: got %d orders stored, %.0f bytes each, want the %d acknowledged", name, f.Kept, f.BytesPerOrder, f.Orders)
		}
		if f.P50 <= 0 || f.P50 > f.P99 || f.P99 > f.Max {
			t.Errorf("%s: got percentiles %+v, want them positive and ascending", name, f)
		}
	}
	if want := report.Service.PerSecond / report.Pgbench.PerSecond; math.Abs(report.PgbenchRatio-want) > 1e-9 {
		t.Errorf("got a ratio to pgbench of %v, want %v", report.PgbenchRatio, want)
	}
	checkText(t, report, "fsync=on", "2 writers", "the service reaches", "times the orders of pgbench")
}

func TestCreateValidate(t *testing.T) {
	t.Parallel()
	valid := createCommand{Clients: 1, Seconds: 1, Partners: 1, Rounds: 1, Database: "postgres", Only: []string{"pgbench"}}
	if err := valid.Validate(); err != nil {
		t.Errorf("pgbench on PostgreSQL: %v", err)
	}
	for word, change := range map[string]func(*createCommand){
		"--data":  func(c *createCommand) { c.Data = "kept" },
		"pgbench": func(c *createCommand) { c.Database = "sqlite" },
		"clients": func(c *createCommand) { c.Clients = maxClients + 1 },
		"200":     func(c *createCommand) { c.Clients = maxPostgresClients + 1 },
	} {
		invalid := valid
		change(&invalid)
		if err := invalid.Validate(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%+v: got %v, want an error with %q in it", invalid, err, word)
		}
	}
}

func TestReadPgbenchLog(t *testing.T) {
	t.Parallel()
	from := time.Unix(100, 0)
	var r result
	// The first transaction ended before the window, the third after it.
	err := r.readPgbenchLog([]byte("0 1 500 0 99 999999\n0 2 1500 1 100 1000\n1 1 2500 0 101 0\n1 2 1000 1 101 1\n"), from, from.Add(time.Second))
	if want := []time.Duration{1500 * time.Microsecond, 2500 * time.Microsecond, time.Millisecond}; err != nil ||
		r.Total != 4 || r.Done != 2 || !slices.Equal(r.Latencies, want) {
		t.Errorf("got %+v, %v, want 2 of 4 in the window, with latencies %v", r, err, want)
	}
	if err := r.readPgbenchLog([]byte("0 1 failed 0 99 1\n"), from, from); err == nil {
		t.Error("a failed transaction: got no error")
	}
}

func TestServerCPUCountsAllProcesses(t *testing.T) {
	t.Parallel()
	pid := os.Getpid()
	before, err := serverCPU(pid)()
	if err != nil {
		t.Fatal(err)
	}
	// A child that has ended counts too.
	if err := exec.Command("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Fatal(err)
	}
	after, err := serverCPU(pid)()
	if err != nil || after <= before {
		t.Errorf("got %v, %v after work, want more than %v", after, err, before)
	}
}

func TestReadGrowsOneDatabase(t *testing.T) {
	t.Parallel()
	command := readCommand{Clients: 2, Seconds: 0.05, Max: 10_000}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range report.Rows {
		if len(row.Sizes) != 2 || row.Sizes[0].Stored != 1000 || row.Sizes[1].Stored != 10_000 {
			t.Fatalf("%s: got sizes %+v, want 1,000 and 10,000 orders", row.Kind, row.Sizes)
		}
		if row.Sizes[1].Orders == 0 || row.P50Ratio <= 0 {
			t.Errorf("%s: got %+v, want reads and a ratio", row.Kind, row)
		}
	}
	checkText(t, report, "requests/s", "tracking", "the recipient's page takes")
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
	command := feedCommand{Engine: "sqlite", Orders: 200, Desks: 3, Idle: 2, Rate: 100, Seconds: 0.3}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := 30 * command.Desks; report.Arrivals != want || report.P99 < report.P50 || report.First <= 0 || report.Bytes <= 0 || len(report.Rows) != 3 {
		t.Errorf("got %+v, want %d arrivals and figures of snapshots and three situations", report, want)
	}
	checkText(t, report, "every desk's picture equals the table", "moves alone", "2 idle desks")
}
