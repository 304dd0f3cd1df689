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

// CitusVariable names a PostgreSQL server that has Citus in its
// shared_preload_libraries, by the URL of any of its databases and a user who
// may make databases and extensions. Debian has no package of Citus, so tests
// start none by themselves.
const CitusVariable = "DROPYARD_TEST_CITUS"

// HasCitus tells whether tests are given a Citus. If not it says so.
func HasCitus() bool {
	if os.Getenv(CitusVariable) == "" {
		fmt.Println("SKIPPED: no Citus is given by", CitusVariable)
		return false
	}
	return true
}

var citusDatabases atomic.Int64

// CitusURL gives a test an empty database of its own with Citus in it, whose one
// node is the server itself. It is gone after the test.
func CitusURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv(CitusVariable)
	if server == "" {
		t.Skip("SKIPPED: no Citus is given by " + CitusVariable)
	}
	where, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", CitusVariable, err)
	}
	name := fmt.Sprintf("dropyard_test_%d_%d", os.Getpid(), citusDatabases.Add(1))
	if err := runOn(server, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runOn(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	port := where.Port()
	where.Path = name
	if err := runOn(where.String(), "CREATE EXTENSION citus",
		fmt.Sprintf("SELECT citus_set_coordinator_host('%s', %s)", where.Hostname(), port),
		fmt.Sprintf("SELECT citus_set_node_property('%s', %s, 'shouldhaveshards', true)", where.Hostname(), port)); err != nil {
		t.Fatal(err)
	}
	return where.String()
}

func runOn(url string, statements ...string) (err error) {
	ctx := context.Background() // at the test's end, too
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
