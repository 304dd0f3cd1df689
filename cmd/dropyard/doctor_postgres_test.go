package main

import (
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// TestDoctorOnPostgres examines an installation beside the service, and with one fault
// after the other.
func TestDoctorOnPostgres(t *testing.T) {
	t.Parallel()
	database := testkit.StartPostgres(t).Database(t)
	r := run{dir: testkit.FastDir(t), env: []string{"DROPYARD_DATABASE=" + database}}
	if got := r.do(t, "doctor"); got.code != 0 || !strings.Contains(got.stdout, "no service has used the database yet") {
		t.Errorf("before the first start: got %+v, want exit code 0 and that note", got)
	}
	s := r.serve(t)
	s.Register(t, "metro")
	if got := r.do(t, "doctor"); got.code != 0 ||
		!strings.HasSuffix(got.stdout, "note: secrets sealed under the master key: 1\nno fault found\n") ||
		!strings.Contains(got.stdout, "with several nodes all of them must mount that folder") {
		t.Errorf("beside the service: got %+v, want no fault, and a note on proofs", got)
	}
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 {
		t.Fatalf("SIGTERM: got exit code %d and log %s, want 0", code, log)
	}
	where, err := url.Parse(database)
	must(t, err)
	name := strings.TrimPrefix(where.Path, "/")
	executeOn(t, database, fmt.Sprintf("ALTER DATABASE %s SET synchronous_commit = off", name))
	if got := r.do(t, "doctor"); got.code != 0 ||
		!strings.Contains(got.stdout, "note: synchronous_commit of PostgreSQL is off") {
		t.Errorf("with synchronous_commit = off, which the service raises: got %+v, want a note", got)
	}
	executeOn(t, database, fmt.Sprintf("ALTER DATABASE %s RESET synchronous_commit", name))
	limited := *where
	limited.User = url.User("limited")
	for _, c := range []struct {
		sql, undo string
		args      []string
		want      string // part of the fault
	}{
		{
			"ALTER DATABASE %s SET default_transaction_read_only = on",
			"BEGIN READ WRITE; ALTER DATABASE %s RESET default_transaction_read_only; COMMIT", nil, "the database is read-only",
		},
		{
			"UPDATE api_keys SET secret = '\\x01ff' -- %s", "SELECT 1 -- %s", nil,
			"1 secrets cannot be opened with the master key, such as api_keys.secret of key_",
		},
		{
			"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true) -- %s",
			"DELETE FROM goose_db_version WHERE version_id = 99999 -- %s", nil,
			"the schema has version 99999, this release knows",
		},
		{
			"CREATE ROLE limited LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO limited -- %s", "SELECT 1 -- %s",
			[]string{"--database", limited.String()}, "INSERT on orders",
		},
		{
			entryOf("a", "delivery") + ";" + entryOf("b", "delivery") + " -- %s", "DELETE FROM journal -- %s", nil,
			"the journal has 2 entries for the delivery of the order ord_x: read docs/money.md, Doctor",
		},
		{
			entryOf("a", "unconfirmed") + ";" + entryOf("b", "collection") + " -- %s", "DELETE FROM journal -- %s", nil,
			"the journal has 2 entries for the collection of the order ord_x",
		},
		{"SELECT 1 -- %s", "SELECT 1 -- %s", []string{
			"--database", "postgres://127.0.0.1:1/x?user=x&password=hushhush",
		}, "PostgreSQL cannot be used"},
		{"SELECT 1 -- %s", "SELECT 1 -- %s", []string{
			"--database", database + "&pool_max_conns=1000",
		}, "set pool_max_conns in the URL"},
		{
			"UPDATE settings SET value = 'other' WHERE name = 'master_key_fingerprint' -- %s", "SELECT 1 -- %s", nil,
			"the master key is not the right one",
		},
	} {
		executeOn(t, database, fmt.Sprintf(c.sql, name))
		got := r.do(t, append([]string{"doctor"}, c.args...)...)
		if got.code != 1 || !strings.Contains(got.stdout, c.want) || strings.Count(got.stderr, "\n") != 1 ||
			strings.Contains(got.stdout+got.stderr, "hush") {
			t.Errorf("%s %v: got %+v, want exit code 1 and %q", c.sql, c.args, got, c.want)
		}
		executeOn(t, database, fmt.Sprintf(c.undo, name))
	}
}

func executeOn(t *testing.T, database, sql string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), database)
	must(t, err)
	_, err = c.Exec(t.Context(), sql)
	must(t, err)
	must(t, c.Close(t.Context()))
}

// TestDoctorOnSettings starts nothing: there is no database yet.
func TestDoctorOnSettings(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"": {0, "only this machine is meant to reach the service"},
		"--oidc-issuer http://127.0.0.1:1 --oidc-client-id a --oidc-client-secret b": {
			1, "fault: --oidc-issuer: http://127.0.0.1:1 does not describe itself",
		},
		"--listen 0.0.0.0:80 --base-url https://a.example":          {0, "note: --trusted-proxies is not set"},
		"--base-url https://a.example --trusted-proxies 10.0.0.0/8": {0, "note: --smtp is not set"},
		"--base-url http://a.example": {
			1, "fault: the public address http://a.example is not https",
		},
		"--listen :80 --base-url https://a.example --demo":              {1, "fault: --demo is set"},
		"--base-url https://a.example --webhook-allow-insecure":         {1, "fault: --webhook-allow-insecure is set"},
		"--base-url https://a.example --registration closed --simulate": {0, "note: --simulate is set"},
	} {
		r := run{dir: testkit.FastDir(t)}
		if got := r.do(t, "migrate"); got.code != 0 {
			t.Fatalf("migrate: got %+v", got)
		}
		got := r.do(t, append([]string{"doctor"}, strings.Fields(args)...)...)
		if got.code != want.code || !strings.Contains(got.stdout, want.text) {
			t.Errorf("doctor %s: got %+v, want exit code %d and %q", args, got, want.code, want.text)
		}
	}
}
