package testkit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

var citusDatabases atomic.Int64

// CitusURL returns the URL of an empty database of the test's own, with Citus
// installed and the server itself as its one node. The database is dropped when
// the test ends.
func CitusURL(t testing.TB) string {
	t.Helper()
	NeedCitus.OrSkip(t)
	server := os.Getenv(CitusVariable)
	where, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", CitusVariable, err)
	}
	ctx := context.Background() // valid in Cleanup
	name := fmt.Sprintf("dropyard_test_%d_%d", os.Getpid(), citusDatabases.Add(1))
	if err := runOn(ctx, server, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runOn(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	port := where.Port()
	where.Path = name
	if err := runOn(ctx, where.String(), "CREATE EXTENSION citus",
		fmt.Sprintf("SELECT citus_set_coordinator_host('%s', %s)", where.Hostname(), port),
		fmt.Sprintf("SELECT citus_set_node_property('%s', %s, 'shouldhaveshards', true)", where.Hostname(),
			port)); err != nil {
		t.Fatal(err)
	}
	return where.String()
}

// runOn executes statements, each in a transaction of its own.
func runOn(ctx context.Context, url string, statements ...string) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
