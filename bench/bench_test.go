package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the child that the commands start.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestCreateAddsUp(t *testing.T) {
	t.Parallel()
	command := createCommand{
		Clients: 4, Seconds: 0.3, WarmUp: 50 * time.Millisecond, Orders: 30, Partners: 2, Rounds: 1,
		Only: []string{"service", "http", "store"},
	}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]figures{"service": report.Service, "http": report.HTTPFloor, "store": report.StoreFloor} {
		if counted := f.PerSecond * command.Seconds; counted < 1 || counted > float64(f.Orders) {
			t.Errorf("%s: %.1f orders counted, %d made", name, counted, f.Orders)
		}
		if f.P50 <= 0 || f.P50 > f.P90 || f.P90 > f.P99 || f.P99 > f.P999 || f.P999 > f.Max {
			t.Errorf("%s: percentiles do not ascend: %+v", name, f)
		}
	}
	if s := report.Service; s.Kept != s.Orders || s.BytesPerOrder <= 0 {
		t.Errorf("service: %d acknowledged, %d kept, %.0f bytes each", s.Orders, s.Kept, s.BytesPerOrder)
	}
	if report.HTTPFloor.Kept != 0 {
		t.Errorf("the floor without storage kept %d orders", report.HTTPFloor.Kept)
	}
	if f := report.StoreFloor; f.Kept != f.Orders {
		t.Errorf("store floor: %d written, %d kept", f.Orders, f.Kept)
	}
	want := report.Service.PerSecond * (1/report.HTTPFloor.PerSecond + 1/report.StoreFloor.PerSecond)
	if math.Abs(report.Ratio-want) > 1e-9 {
		t.Errorf("ratio %v, want %v", report.Ratio, want)
	}
	printed(t, report, "orders/s", "http floor", "the service reaches")
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
			t.Fatalf("%s was measured at %+v", row.Kind, row.Sizes)
		}
		if row.Sizes[1].Orders == 0 || row.P50Ratio <= 0 {
			t.Errorf("%s: nothing was read: %+v", row.Kind, row)
		}
	}
	printed(t, report, "requests/s", "tracking")
}

func printed(t *testing.T, report interface{ text(w io.Writer) error }, words ...string) {
	t.Helper()
	var out bytes.Buffer
	if err := report.text(&out); err != nil {
		t.Fatal(err)
	}
	for _, word := range words {
		if !strings.Contains(out.String(), word) {
			t.Errorf("the report lacks %q:\n%s", word, &out)
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
			t.Errorf("percentile %v of 1..100 is %d, want %d", part, got, want)
		}
	}
	if got := percentile([]int(nil), 0.5); got != 0 {
		t.Errorf("percentile of nothing is %d", got)
	}
}
