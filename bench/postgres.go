package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// postgresSettings are the settings of a small server that loses nothing that it has
// acknowledged. The log may grow so large that checkpoints do not affect a run.
var postgresSettings = []string{
	"fsync=on", "synchronous_commit=on", "full_page_writes=on", "wal_sync_method=fdatasync",
	"shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min",
}

// withPostgres calls fn with an empty database on a new server, so that every
// measurement starts in the same state.
func withPostgres(ctx context.Context, fn func(server *testkit.Postgres, url string) (figures, error)) (figures, error) {
	server, err := testkit.RunPostgres(postgresSettings...)
	if err != nil {
		return figures{}, err
	}
	defer server.Stop()
	url, err := server.NewDatabase(ctx)
	if err != nil {
		return figures{}, err
	}
	return fn(server, url)
}

const databaseBytes = "SELECT pg_database_size(current_database())"

// isPostgres reports whether a database is the URL of one on PostgreSQL, and not the
// path of a file.
func isPostgres(database string) bool { return strings.HasPrefix(database, "postgres://") }

func measurePostgres(ctx context.Context, url string) (e extent, err error) {
	err = onPostgres(ctx, url, func(conn *pgx.Conn) error {
		return errors.Join(
			conn.QueryRow(ctx, databaseBytes).Scan(&e.bytes),
			conn.QueryRow(ctx, "SELECT count(*) FROM orders").Scan(&e.orders))
	})
	return e, err
}

func onPostgres(ctx context.Context, url string, fn func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return errors.Join(fn(conn), conn.Close(context.WithoutCancel(ctx)))
}

// process is what /proc holds of a process.
type process struct {
	parent int
	used   time.Duration // CPU time
	reaped time.Duration // CPU time of children that have ended
}

// clockTick is the unit of times in /proc on Linux.
const clockTick = 10 * time.Millisecond

func readProcess(pid int) (p process, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, err
	}
	// The name may hold any characters; fields follow it: state, parent, …
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	number := func(at int) int64 {
		n, e := strconv.ParseInt(fields[at], 10, 64)
		err = errors.Join(err, e)
		return n
	}
	p.parent = int(number(1))
	p.used = time.Duration(number(11)+number(12)) * clockTick
	p.reaped = time.Duration(number(13)+number(14)) * clockTick
	return p, err
}

// processCPU returns a function that returns the CPU time of a process so far.
func processCPU(pid int) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		p, err := readProcess(pid)
		return p.used, err
	}
}

// serverCPU returns a function that returns the CPU time of a PostgreSQL server so
// far. The server has a process for each connection, and some for all.
func serverCPU(pid int) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		main, err := readProcess(pid)
		if err != nil {
			return 0, err
		}
		sum := main.used + main.reaped
		all, err := filepath.Glob("/proc/[0-9]*")
		for _, path := range all {
			id, _ := strconv.Atoi(filepath.Base(path))
			// A process that has ended meanwhile counts as reaped the next time.
			if p, gone := readProcess(id); gone == nil && p.parent == pid {
				sum += p.used
			}
		}
		return sum, err
	}
}

// loadAverage returns the load average of the machine over the last minute, which
// includes this program.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	average, _ := strconv.ParseFloat(first, 64)
	return average
}
