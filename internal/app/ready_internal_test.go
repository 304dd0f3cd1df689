package app

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
)

// TestManyProbesCostOne asks ten thousand times within ten seconds.
func TestManyProbesCostOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		a := &App{Surroundings: Surroundings{Log: slog.New(slog.DiscardHandler)}}
		a.ready.incidents = map[string]*incident{}
		a.ready.look = func(context.Context) []installation.Reason {
			looks++
			return nil
		}
		for range 10_000 {
			a.reasons(t.Context())
			time.Sleep(time.Millisecond)
		}
		if looks != 10 {
			t.Errorf("got %d looks in 10 s, want one a second", looks)
		}
		a.ready.draining.Store(true)
		if got := a.reasons(t.Context()); len(got) != 1 || got[0] != draining {
			t.Errorf("got %v, want draining at once", got)
		}
	})
}

// TestIncidentLines fails a thousand times in ten minutes, twice.
func TestIncidentLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		i := &incident{log: slog.New(slog.NewTextHandler(&log, nil)), what: "the database cannot be reached"}
		i.over()
		for range 2 {
			for range 1000 {
				i.failed("connection refused")
				time.Sleep(600 * time.Millisecond)
			}
			i.over()
			i.over()
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if want := 2 * (1 + 9 + 1); len(lines) != want {
			t.Errorf("got %d lines, want %d:\n%s", len(lines), want, log.String())
		}
		for at, want := range map[int]string{0: "connection refused", 1: "failures=101", 10: "failures=1000 lasted=10m0s"} {
			if !strings.Contains(lines[at], want) {
				t.Errorf("line %d: got %q, want %q in it", at, lines[at], want)
			}
		}
	})
}

func TestClockWatch(t *testing.T) {
	t.Parallel()
	wall, mono := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), time.Duration(0)
	c := newClockWatch(func() time.Time { return wall }, func() time.Duration { return mono })
	for _, step := range []struct {
		name     string
		wall     time.Duration // how far the clock moves
		mono     time.Duration // how much time passes
		database time.Duration // the database's clock, compared with the clock
		want     string        // in the error; empty for none
	}{
		{"nothing", 0, 0, 0, ""},
		{"an hour later", time.Hour, time.Hour, 0, ""},
		{"a small correction", time.Minute, time.Second, 0, ""},
		{"a jump forward", time.Hour, time.Second, 0, "jumped by 59m59s"},
		{"soon after it", time.Second, time.Second, 0, "jumped by 59m59s"},
		{"long after it", time.Hour, time.Hour, 0, ""},
		{"a jump backward", -time.Hour, time.Second, 0, "jumped by -1h0m1s"},
		{"long after that", time.Hour, time.Hour, 0, ""},
		{"the database a little ahead", time.Second, time.Second, 4 * time.Minute, ""},
		{"the database far ahead", time.Second, time.Second, 6 * time.Minute, "differs from the database's by -6m0s"},
		{"the database far behind", time.Second, time.Second, -6 * time.Minute, "differs from the database's by 6m0s"},
	} {
		wall, mono = wall.Add(step.wall), mono+step.mono
		err := c.check(wall.Add(step.database))
		if got := textOf(err); (got == "") != (step.want == "") || !strings.Contains(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
	if err := c.check(time.Time{}); err != nil {
		t.Errorf("got %v without a database's clock, want nil", err)
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestChecksOfReadiness(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	known, err := store.Schema.Version()
	if err != nil {
		t.Fatal(err)
	}
	wal := func(pending int64) db.Stats { return db.Stats{WAL: &db.WALStats{Pending: pending}} }
	for name, test := range map[string]struct {
		err  error
		want string // in the error; empty for none
	}{
		"room on the disk":    {diskLow([]string{dir, dir}, 1), ""},
		"no room on the disk": {diskLow([]string{dir}, 1<<62), "MB are needed"},
		"no directory":        {diskLow([]string{dir + "/gone"}, 1), "no such file"},
		"a short log":         {logLarge(wal(maxLog - 1)), ""},
		"a long log":          {logLarge(wal(2 * maxLog)), "2048 MB"},
		"a log elsewhere":     {logLarge(db.Stats{}), ""},
		"this schema":         {schemaOld(known), ""},
		"a newer schema":      {schemaOld(known + 1), ""},
		"an older schema":     {schemaOld(known - 1), "this release needs"},
		"no orders":           {stuckOrders(order.Delays{}), ""},
		"a blocked partner":   {stuckOrders(order.Delays{Blocked: 1, Longest: time.Hour}), ""},
		"a slow group":        {stuckOrders(order.Delays{Group: 4 * time.Second}), ""},
		"a stuck group":       {stuckOrders(order.Delays{Group: 6 * time.Second}), "for 6s"},
		"a resting sender":    {senderStuck(0), ""},
		"a busy sender":       {senderStuck(10 * time.Second), ""},
		"a stuck sender":      {senderStuck(31 * time.Second), "for 31s"},
	} {
		if got := textOf(test.err); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
