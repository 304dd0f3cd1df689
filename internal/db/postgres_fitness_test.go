package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// withParameter returns the URL of a database with another parameter.
func withParameter(t *testing.T, database, name, value string) string {
	t.Helper()
	where, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := where.Query()
	query.Set(name, value)
	where.RawQuery = query.Encode()
	return where.String()
}

// TestServerThatMayLoseData expects that a service relies on neither setting of a server
// that a session cannot change, unless it is allowed to.
func TestServerThatMayLoseData(t *testing.T) {
	t.Parallel()
	torn, err := testkit.RunPostgres("full_page_writes=off")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(torn.Stop)
	for want, database := range map[string]string{
		"fsync of PostgreSQL is off":            testkit.PostgresURL(t),
		"full_page_writes of PostgreSQL is off": torn.Database(t),
	} {
		err := CheckServer(t.Context(), database, false)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--database-may-lose-data") {
			t.Errorf("got %v, want %q and the flag", err, want)
		}
		if err := CheckServer(t.Context(), database, true); err != nil {
			t.Errorf("got %v, want it allowed", err)
		}
	}
}

// TestSynchronousCommitIsRaised reads the setting in transactions of the store, however it
// comes to be what it is.
func TestSynchronousCommitIsRaised(t *testing.T) {
	t.Parallel()
	database := opener.URL(t)
	admin, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	name := admin.Config().Database
	for _, test := range []struct{ value, parameter, parameterValue, want string }{
		{"on", "", "", "on"},
		{"off", "", "", "on"},
		{"local", "", "", "local"},
		{"remote_write", "", "", "remote_write"},
		{"remote_apply", "", "", "remote_apply"},
		{"off", "synchronous_commit", "local", "local"},
		{"on", "synchronous_commit", "off", "on"},
		{"on", "synchronous_commit", "FALSE", "on"},
		{"on", "options", "-csynchronous_commit=off", "on"},
	} {
		doOn(t, admin, fmt.Sprintf("ALTER DATABASE %s SET synchronous_commit = %s", name, test.value))
		where := database
		if test.parameter != "" {
			where = withParameter(t, database, test.parameter, test.parameterValue)
		}
		s, err := openPostgres(t.Context(), where)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		err = s.engine.write(t.Context(), func(c Conn) error {
			return c.Query(t.Context(), "SHOW synchronous_commit", nil, func(r Row) error { return r.Scan(&got) })
		})
		if err != nil || got != test.want {
			t.Errorf("%+v: got %s, %v, want %s", test, got, err, test.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCommitsSurviveCrash kills a server that is set not to wait for its log, right after
// it has acknowledged changes. It writes its log by itself every 10 s.
func TestCommitsSurviveCrash(t *testing.T) {
	t.Parallel()
	testkit.NeedPostgres.OrSkip(t)
	server, err := testkit.RunPostgres("synchronous_commit=off", "wal_writer_delay=10s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	database := server.Database(t)
	s, err := openPostgres(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	const changes = 50
	for i := range changes {
		if err := s.SetSetting(t.Context(), "crash", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	server.StopImmediate()
	server.Restart(t)
	again, err := openPostgres(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	if got, err := again.Setting(t.Context(), "crash"); err != nil || got != fmt.Sprint(changes-1) {
		t.Errorf("got the change %q after the crash, %v, want the last one, %d", got, err, changes-1)
	}
}

// TestSortingOfDatabase asks of languages whether they sort ids by their bytes.
func TestSortingOfDatabase(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"cs-CZ": "sorts ord_ch after ord_hz", // ch is a letter after h
		"da-DK": "sorts ord_aa after ord_zz", // aa is a letter after z
		"et-EE": "sorts ord_0t after ord_0z", // z is a letter after s
		"en-CA": "",
		"C":     "",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			var database string
			if language == "C" {
				database = testkit.PostgresURL(t)
			} else {
				database = testkit.PostgresURLIn(t, language)
			}
			err := CheckServer(t.Context(), database, true)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			found, examined := serviceSchema.ExaminePostgres(t.Context(), database)
			if examined != nil || fmt.Sprint(found.Sorting) != fmt.Sprint(err) {
				t.Errorf("ExaminePostgres: got %v, %v, want %v", found.Sorting, examined, err)
			}
		})
	}
}

// TestPoolers expects that sessions which a pooler shares are refused, and that a store
// works behind one that does not share them, with all of its parameters.
func TestPoolers(t *testing.T) {
	t.Parallel()
	database := opener.URL(t)
	shared := testkit.NewPooler(t, database, testkit.TransactionPooling)
	for what, check := range map[string]func() error{
		"CheckServer":     func() error { return CheckServer(t.Context(), shared, true) },
		"CheckSource":     func() error { return CheckSource(t.Context(), shared) },
		"ExaminePostgres": func() error { _, err := serviceSchema.ExaminePostgres(t.Context(), shared); return err },
	} {
		if err := check(); !errors.Is(err, ErrPooled) {
			t.Errorf("%s with connections shared by transaction: got %v, want ErrPooled", what, err)
		}
	}
	own := withParameter(t, testkit.NewPooler(t, database, testkit.SessionPooling), "lock_timeout", "1234")
	if err := CheckServer(t.Context(), own, true); err != nil {
		t.Fatalf("with a connection for each session: got %v, want no error", err)
	}
	s, err := openPostgres(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for name, want := range map[string]string{
		"enable_seqscan": "off", idleSetting: "2s", "statement_timeout": "25s", "lock_timeout": "1234ms",
	} {
		var got string
		err := s.engine.write(t.Context(), func(c Conn) error {
			return c.Query(t.Context(), "SELECT current_setting($1)", []any{name}, func(r Row) error { return r.Scan(&got) })
		})
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
}
