package cluster_test

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// startAll starts processes concurrently. It ends the test if one does not start.
func startAll(t *testing.T, count int, of func(i int) settings) []*process {
	t.Helper()
	failures := make([]error, count)
	all := apptest.Together(count, func(i int) (p *process) {
		p, failures[i] = startProcess(t, of(i))
		return p
	})
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestManyNodesStartAtOnce starts nodes on an empty database at the same time. One
// migrates it, one creates the master key, one adds the first operator; all start
// and serve the same partners.
func TestManyNodesStartAtOnce(t *testing.T) {
	t.Parallel()
	count := testkit.Scaled(8, 3)
	database, key := testkit.PostgresURL(t), filepath.Join(t.TempDir(), "master.key")
	data := t.TempDir()
	nodes := startAll(t, count, func(i int) settings {
		return settings{data: filepath.Join(data, fmt.Sprint(i)), masterKey: key, database: database}
	})
	partner := nodes[0].service.Register(t, "metro")
	for i, node := range nodes {
		at(partner, node.service).Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201)
	}
	for _, row := range nodes[0].service.Query(t,
		"SELECT version_id, count(*) FROM goose_db_version GROUP BY version_id") {
		if !strings.HasSuffix(row, " 1") {
			t.Errorf("version and number of migrations to it: got %s, want 1 migration", row)
		}
	}
	if operators := nodes[0].service.Query(t, "SELECT count(*) FROM operators"); operators[0] != "1" {
		t.Errorf("got %s first operators, want 1", operators[0])
	}
	for _, node := range nodes {
		node.kill()
	}
	nodes[0].service.Audit(t)
}

// TestNodesWithDifferentMasterKeys starts nodes on an empty database that do not
// share the master key. Only one may start, because the others could not decrypt
// what it encrypts.
func TestNodesWithDifferentMasterKeys(t *testing.T) {
	t.Parallel()
	database, data := testkit.PostgresURL(t), t.TempDir()
	up := 0
	for _, err := range apptest.Together(4, func(i int) error {
		p, err := startProcess(t, settings{data: filepath.Join(data, fmt.Sprint(i)), database: database})
		if err == nil {
			p.kill()
		}
		return err
	}) {
		if err == nil {
			up++
		} else if !strings.Contains(err.Error(), "the master key is") {
			t.Error(err)
		}
	}
	if up != 1 {
		t.Errorf("got %d nodes running with different keys, want 1", up)
	}
}

// TestTwoProcessesStartAtOnce starts two processes on one empty directory, with
// SQLite. One of them serves; the other is refused.
func TestTwoProcessesStartAtOnce(t *testing.T) {
	t.Parallel()
	for range testkit.Scaled(5, 1) {
		data := filepath.Join(t.TempDir(), "data")
		failures := make([]error, 2)
		both := apptest.Together(2, func(i int) (p *process) {
			p, failures[i] = startProcess(t, settings{data: data})
			return p
		})
		at := slices.IndexFunc(failures, func(err error) bool { return err == nil })
		if at < 0 || failures[1-at] == nil ||
			!strings.Contains(failures[1-at].Error(), "another dropyard serve is using it") {
			t.Fatalf("got %v, want one process running and one refused", failures)
		}
		serving := both[at]
		serving.service.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
		serving.kill()
		serving.service.Audit(t)
	}
}

// TestRevokedKeyOnOtherNodes revokes a key on one node. Five seconds later another
// node refuses it.
func TestRevokedKeyOnOtherNodes(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 2)
	partner := nodes[0].Register(t, "metro")
	second := partner.NewKey(t)
	elsewhere := at(second, nodes[1])
	elsewhere.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	partner.Do(t, "DELETE", "/v1/auth/api-keys/"+second.KeyID, nil, partner.Login()...).Must(t, 200)
	second.Call(t, "GET", "/v1/orders", nil).Refused(t, 401, "unauthorized")
	nodes[1].Clock.Advance(5 * time.Second)
	elsewhere.Call(t, "GET", "/v1/orders", nil).Refused(t, 401, "unauthorized")
	at(partner, nodes[1]).Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

var roles atomic.Int64 // made by TestFailedStarts

// TestFailedStarts starts the program on databases that it cannot use. It prints
// one line that says why and ends with exit code 1.
func TestFailedStarts(t *testing.T) {
	t.Parallel()
	empty := testkit.PostgresURL(t)
	ready := startNodes(t, 1)[0]
	newer := startNodes(t, 1)[0]
	newer.Execute(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	role := fmt.Sprint("locked_", roles.Add(1)) // the server is shared
	ready.Execute(t, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 0")
	cases := []struct {
		name, database string
		prints         []string
	}{
		{"no server", "postgres://test@127.0.0.1:1/nothing", []string{"127.0.0.1:1", "refused"}},
		{"no such host", "postgres://test@nowhere.invalid/nothing?sslmode=require", []string{"nowhere.invalid"}},
		{"unknown database", with(t, empty,
			func(u *url.URL) { u.Path = "/unknown" }), []string{`database "unknown" does not exist`}},
		{"unknown role", with(t, empty,
			func(u *url.URL) { u.User = url.UserPassword("nobody", "hush") }), []string{`role "nobody" does not exist`}},
		{"a role without connections", with(t, empty,
			func(u *url.URL) { u.User = url.UserPassword(role, "hush") }), []string{"too many connections"}},
		{"newer schema", newer.Database, []string{"newer release", "99999", "start the newer release, or restore a dump"}},
		{"read only, empty", readOnly(t, empty), []string{"read-only"}},
		{"read only, migrated", readOnly(t, ready.Database), []string{"read-only"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			begun, command := time.Now(), settings{data: ready.Data, database: c.database, quiet: true}.command(t)
			timer := time.AfterFunc(repeatable.Hang, func() { _ = command.Process.Kill() })
			defer timer.Stop()
			out, _ := command.CombinedOutput()
			printed := string(out)
			if code := command.ProcessState.ExitCode(); code != 1 || strings.Count(printed, "\n") != 1 ||
				!strings.HasPrefix(printed, "dropyard: ") {
				t.Errorf("got exit code %d, want 1 and one line: %s", code, printed)
			}
			if strings.Contains(printed, "hush") ||
				slices.ContainsFunc(c.prints, func(word string) bool { return !strings.Contains(printed, word) }) {
				t.Errorf("got %q, want %q and no password", printed, c.prints)
			}
			if took := time.Since(begun); took > 15*time.Second && testkit.Long() {
				t.Errorf("got the error after %v, want 15 s at most", took)
			}
		})
	}
}

// with returns the URL of a database with a part of it changed.
func with(t *testing.T, database string, change func(*url.URL)) string {
	t.Helper()
	where, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	change(where)
	return where.String()
}

// readOnly returns the URL of the database with read-only transactions, such as a
// standby has.
func readOnly(t *testing.T, database string) string {
	return with(t, database, func(u *url.URL) {
		q := u.Query()
		q.Set("default_transaction_read_only", "on")
		u.RawQuery = q.Encode()
	})
}
