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

// postgresSettings are those of a small server that loses nothing it has
// acknowledged. The log may grow so far that no run is about when a checkpoint
// happens to fall.
var postgresSettings = []string{
	"fsync=on", "synchronous_commit=on", "full_page_writes=on", "wal_sync_method=fdatasync",
	"shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min",
}

// withPostgres lends an empty database on a server of its own, made for the
// occasion, so that every measurement begins alike.
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

// isPostgres tells a database's URL from the path of a file.
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

// process is what /proc tells of a process.
type process struct {
	parent int
	used   time.Duration // CPU time
	reaped time.Duration // CPU time of children that have ended
}

// clockTick is the unit of /proc on every Linux there is.
const clockTick = 10 * time.Millisecond

func readProcess(pid int) (p process, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, err
	}
	// The name may hold anything; what follows it is numbers: state, parent, …
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

// processCPU is the CPU time that a process has used so far.
func processCPU(pid int) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		p, err := readProcess(pid)
		return p.used, err
	}
}

// serverCPU is the CPU time that a PostgreSQL server has used so far: one
// process for each connection, and some that work for all.
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
			// A process that is gone by now counts as reaped, next time.
			if p, gone := readProcess(id); gone == nil && p.parent == pid {
				sum += p.used
			}
		}
		return sum, err
	}
}

// loadAverage is how many processes of the machine wanted a core during the
// last minute, this program's included.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	average, _ := strconv.ParseFloat(first, 64)
	return average
}
