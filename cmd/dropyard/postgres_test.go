package main

import (
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPostgresURLFaults expects exit code 2 and one line for each command that takes the URL
// of a database, before anything is created. Which faults there are is tested in store.
func TestPostgresURLFaults(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://u:hush#hush@127.0.0.1:1/x":                    "must be escaped",
		"postgres://127.0.0.1:1/x?sslrootcert=/nowhere/ca.pem":    "sslrootcert in the URL of the database: open /nowhere/ca.pem",
		"postgres://u:hushhush@127.0.0.1:1/x?sslmode=verify-ful":  `"verify-ful" is not one of`,
		"postgres://u:hushhush@db.example/x":                      "--database-allow-insecure",
		"postgres://u:hushhush@db.example/x?sslmode=require&tls=": "unknown parameter",
	} {
		for _, command := range []string{
			"serve --listen 127.0.0.1:0 --database", "doctor --database", "migrate --database",
			"migrate --distribute citus --database", "copy --to sqlite:none.db --from", "copy --from sqlite:none.db --to",
			"operator add a@example.com --password a-good-password --database", "partner export par_1 --database",
			"audit export --database", "key rotate --database", "clock accept --database",
		} {
			r := run{dir: testkit.FastDir(t)}
			got := r.do(t, append(strings.Fields(command), url)...)
			if got.code != 2 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
				!strings.Contains(got.stderr, want) || strings.Contains(got.stderr, "hush") {
				t.Errorf("%s %s: got %+v, want exit code 2 and one line with %q", command, url, got, want)
			}
			if made, err := os.ReadDir(r.dir); err != nil || len(made) > 0 {
				t.Errorf("%s %s: got the files %v, %v, want nothing created", command, url, made, err)
			}
		}
	}
}

// TestServerThatMayLoseData starts on a server whose fsync and full_page_writes are off.
func TestServerThatMayLoseData(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: []string{"DROPYARD_DATABASE=" + testkit.PostgresURL(t)}}
	got := r.do(t, "serve", "--listen", "127.0.0.1:0")
	if got.code != 1 || strings.Count(got.stderr, "\n") != 1 ||
		!strings.Contains(got.stderr, "fsync of PostgreSQL is off") {
		t.Errorf("serve: got %+v, want exit code 1 and one line about fsync", got)
	}
	if got := r.do(t, "doctor"); got.code != 1 || !strings.Contains(got.stdout, "fault: fsync of PostgreSQL is off") ||
		!strings.Contains(got.stdout, "fault: full_page_writes of PostgreSQL is off") {
		t.Errorf("doctor: got %+v, want two faults", got)
	}
	r = r.with(mayLoseData)
	s := r.serve(t)
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 || !strings.Contains(log, "--database-may-lose-data is set") {
		t.Errorf("serve with the flag: got exit code %d and log %s, want 0 and a warning", code, log)
	}
	if got := r.do(t, "doctor"); got.code != 0 || !strings.Contains(got.stdout, "note: fsync of PostgreSQL is off") {
		t.Errorf("doctor with the flag: got %+v, want a note", got)
	}
}

// TestBehindPgBouncer starts behind a real PgBouncer, which hands out connections to
// PostgreSQL for sessions, transactions or statements.
func TestBehindPgBouncer(t *testing.T) {
	t.Parallel()
	testkit.NeedPgBouncer.OrSkip(t)
	database := testkit.PostgresURL(t)
	behind := func(mode testkit.Pooling) run {
		return run{dir: testkit.FastDir(t), env: []string{mayLoseData, "DROPYARD_DATABASE=" + testkit.StartPgBouncer(t,
			database, mode)}}
	}
	for _, mode := range []testkit.Pooling{testkit.TransactionPooling, testkit.StatementPooling} {
		r := behind(mode)
		if got := r.do(t, "serve", "--listen", "127.0.0.1:0"); got.code != 1 || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, "PgBouncer") || !strings.Contains(got.stderr, "pool_mode = session") {
			t.Errorf("serve with pool_mode = %s: got %+v, want exit code 1 and one line that names PgBouncer and the mode", mode,
				got)
		}
		if got := r.do(t, "doctor"); got.code != 1 || !strings.Contains(got.stdout, "pool_mode = session") {
			t.Errorf("doctor with pool_mode = %s: got %+v, want a fault that names the mode", mode, got)
		}
	}
	r := behind(testkit.SessionPooling)
	s := r.serve(t)
	partner := s.Register(t, "metro")
	partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	if got := r.do(t, "doctor"); got.code != 0 {
		t.Errorf("doctor with pool_mode = session: got %+v, want no fault", got)
	}
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 {
		t.Errorf("got exit code %d and log %s, want 0", code, log)
	}
}

// TestRoleWithoutCreate runs as a user who may change rows only. What needs more is a
// migration.
func TestRoleWithoutCreate(t *testing.T) {
	t.Parallel()
	database := testkit.PostgresURL(t)
	owner := run{dir: testkit.FastDir(t), env: []string{mayLoseData, "DROPYARD_DATABASE=" + database}}
	if got := owner.do(t, "migrate"); got.code != 0 {
		t.Fatalf("migrate: got %+v", got)
	}
	executeOn(t, database,
		`CREATE ROLE changes LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO changes;
		REVOKE ALL ON goose_db_version FROM changes; GRANT SELECT ON goose_db_version TO changes;
		DO $$ BEGIN IF to_regclass('goose_lock') IS NOT NULL THEN REVOKE ALL ON goose_lock FROM changes; END IF; END $$`)
	where, err := url.Parse(database)
	must(t, err)
	where.User = url.User("changes")
	r := run{dir: testkit.FastDir(t), env: []string{mayLoseData, "DROPYARD_DATABASE=" + where.String()}}
	if got := r.do(t, "doctor"); got.code != 0 {
		t.Errorf("doctor: got %+v, want no fault", got)
	}
	s := r.serve(t)
	s.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 {
		t.Errorf("got exit code %d and log %s, want 0", code, log)
	}
	executeOn(t, database, "DELETE FROM goose_db_version WHERE version_id > 1")
	if got := r.do(t, "doctor"); got.code != 1 || !strings.Contains(got.stdout, "CREATE on the schema public") {
		t.Errorf("doctor before a migration: got %+v, want CREATE to be missing", got)
	}
}
