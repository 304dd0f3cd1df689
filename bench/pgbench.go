package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// The scripts of pgbench: the statements of an order, one after the other.
var (
	//go:embed pgbench-plain.sql
	plainScript []byte
	//go:embed pgbench-items.sql
	itemsScript []byte
)

const (
	// pgbenchThreads is the number of threads, which share the cores with the server
	// as the service does.
	pgbenchThreads = 2
	// maxPostgresClients leaves some connections of the server for other purposes:
	// pgbench has one for each client.
	maxPostgresClients = 200
	// pgbenchConnects is the time for connecting, before the warm-up.
	pgbenchConnects = time.Second
	// pgbenchPartner is the first partner's id: a number, which pgbench can compute
	// with, of twelve digits, like the ids of the service.
	pgbenchPartner = 100_000_000_000
)

// pgbenchRun is a load whose clients are those of pgbench.
type pgbenchRun struct {
	load
	server    *testkit.Postgres
	url       string
	directory string
	partners  int
	scripts   []string // plain, items
}

// prepare creates the service's schema, adds the rows that sales update, and writes
// the scripts.
func (r *pgbenchRun) prepare(ctx context.Context) error {
	schema, err := store.OpenPostgres(ctx, r.url)
	if err != nil {
		return err
	}
	if err := schema.Close(); err != nil {
		return err
	}
	var accounts []account
	for i := range r.partners {
		accounts = append(accounts, account{PartnerID: fmt.Sprint(pgbenchPartner + i)})
	}
	err = onPostgres(ctx, r.url, func(conn *pgx.Conn) error { return fillPostgres(ctx, conn, accounts) })
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.path("plain.sql"), plainScript, 0o600); err != nil {
		return err
	}
	return os.WriteFile(r.path("items.sql"), itemsScript, 0o600)
}

func (r *pgbenchRun) path(name string) string { return filepath.Join(r.directory, name) }

// arguments returns the arguments of pgbench, for prepared statements and a log of
// every transaction.
func (r *pgbenchRun) arguments() ([]string, error) {
	seconds := math.Ceil((pgbenchConnects + r.warmUp + r.length).Seconds())
	all := []string{
		"--no-vacuum", "--protocol=prepared", "--log", "--log-prefix=" + r.path("log"),
		fmt.Sprintf("--client=%d",
			r.clients), fmt.Sprintf("--jobs=%d", min(pgbenchThreads, r.clients)), fmt.Sprintf("--time=%.0f", seconds),
		fmt.Sprintf("--define=partners=%d", r.partners), fmt.Sprintf("--define=first_partner=%d", pgbenchPartner),
		"--define=n=0", "--define=scope=" + creationScope, `--define=hash=\x` + strings.Repeat("5a", 32),
	}
	for _, script := range r.scripts {
		all = append(all, "--file="+r.path(script+".sql"))
	}
	maker := newOrderMaker()
	for n, name := range []string{"plain", "items"} {
		made, document, err := maker.make("par_00000000", n, time.Now())
		if err != nil {
			return nil, err
		}
		all = append(all, "--define="+name+"_document="+fmt.Sprintf(`\x%x`, store.PackDocument(document)))
		if allocation := allocationOf(made); allocation != "" { // pgbench does not accept an empty value
			all = append(all, "--define="+name+"_allocation="+allocation)
		}
	}
	return append(all, r.url), nil
}

// run runs pgbench and reads its log.
func (r *pgbenchRun) run(ctx context.Context) (f figures, err error) {
	arguments, err := r.arguments()
	if err != nil {
		return f, err
	}
	var output bytes.Buffer
	command := exec.CommandContext(ctx, r.server.Program("pgbench"), arguments...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		return f, err
	}
	own, database := &meter{pids: []int{command.Process.Pid}}, databaseMeter(r.server.PID())
	r.window = func() error { return errors.Join(own.hook(), database.hook()) }
	from := time.Now().Add(pgbenchConnects + r.warmUp)
	to := from.Add(r.length)
	err = inTurn(
		func() error { return r.at(ctx, from) },
		func() error { return r.at(ctx, to) })
	if err = errors.Join(err, command.Wait()); err != nil {
		return f, fmt.Errorf("pgbench: %w: %s", err, &output)
	}
	measured, err := readPgbenchLogs(r.path("log.*"), from, to)
	if err != nil {
		return f, err
	}
	measured.Window = r.length
	f = summarise(measured)
	f.spend(own.used(), database.used(), measured.Done)
	return f, nil
}

// readPgbenchLogs reads the logs of all threads.
func readPgbenchLogs(pattern string, from, to time.Time) (*result, error) {
	logs, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	var all result
	for _, name := range logs {
		text, err := os.ReadFile(filepath.Clean(name))
		if err != nil {
			return nil, err
		}
		if err := all.readPgbenchLog(text, from, to); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	slices.Sort(all.Latencies)
	return &all, nil
}

// readPgbenchLog reads a log. A line holds the client, the transaction, its latency
// in us, the script, and the end in seconds and us.
func (r *result) readPgbenchLog(text []byte, from, to time.Time) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var client, number, latency, script, seconds, micros int64
		if _, err := fmt.Sscan(lines.Text(), &client, &number, &latency, &script, &seconds, &micros); err != nil {
			return fmt.Errorf("%q: %w", lines.Text(), err)
		}
		end := time.Unix(seconds, 1000*micros)
		r.record(end.Add(-time.Duration(latency)*time.Microsecond), end, from, to)
	}
	return lines.Err()
}

// fillPostgres adds the rows that sales update.
func fillPostgres(ctx context.Context, conn *pgx.Conn, accounts []account) error {
	var batch pgx.Batch
	for _, a := range accounts {
		batch.Queue("INSERT INTO partner_counters (partner_id, last_product, last_movement) VALUES ($1, $2, 0)", a.PartnerID,
			products)
		for id := range products {
			batch.Queue(`INSERT INTO products (partner_id, product_id, name, search_key, quantity, stock_min, stock_max, price_cents, barcode, status, created_at)
				VALUES ($1, $2, $3, '', $4, 0, 0, 0, '', 'active', 0)`, a.PartnerID, id+1, productName, openingStock)
			for _, location := range locations {
				batch.Queue("INSERT INTO stock_levels (quantity, partner_id, product_id, location) VALUES ($1, $2, $3, $4)",
					openingStock, a.PartnerID, id+1, location)
			}
		}
	}
	return conn.SendBatch(ctx, &batch).Close()
}
