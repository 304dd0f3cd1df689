package cluster_test

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// together starts many processes at once and kills them when all have come up,
// or have not.
func together(t *testing.T, count int, of func(i int) settings) []*process {
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

// TestManyNodesStartAtOnce on a fresh database: one migrates, one makes the
// master key, one adds the first operator; all come up and know each other's
// partners.
func TestManyNodesStartAtOnce(t *testing.T) {
	t.Parallel()
	count := scaled(8, 3)
	database, key := testkit.PostgresURL(t), filepath.Join(t.TempDir(), "master.key")
	data := t.TempDir()
	nodes := together(t, count, func(i int) settings {
		return settings{data: filepath.Join(data, fmt.Sprint(i)), masterKey: key, database: database}
	})
	partner := nodes[0].service.Register(t, "metro")
	for i, node := range nodes {
		at(partner, node.service).Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201)
	}
	for _, row := range nodes[0].service.Query(t, "SELECT version_id, count(*) FROM goose_db_version GROUP BY version_id") {
		if !strings.HasSuffix(row, " 1") {
			t.Errorf("a version and how often it was migrated to: %s", row)
		}
	}
	if operators := nodes[0].service.Query(t, "SELECT count(*) FROM operators"); operators[0] != "1" {
		t.Errorf("%s first operators", operators[0])
	}
	for _, node := range nodes {
		node.kill()
	}
	nodes[0].service.Audit(t)
}

// TestNodesWithKeysOfTheirOwn: nodes that start at once on a fresh database,
// but do not share the master key, must not all come up. What one of them seals
// the others could not open.
func TestNodesWithKeysOfTheirOwn(t *testing.T) {
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
		t.Errorf("%d nodes with different keys came up", up)
	}
}

// TestTwoProcessesStartAtOnce on one fresh directory, with SQLite.
func TestTwoProcessesStartAtOnce(t *testing.T) {
	t.Parallel()
	for range scaled(5, 1) {
		data := filepath.Join(t.TempDir(), "data")
		nodes := together(t, 2, func(int) settings { return settings{data: data} })
		partner := nodes[0].service.Register(t, "metro")
		for i, got := range apptest.Together(20, func(i int) *apptest.Answer {
			return at(partner, nodes[i%2].service).Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), ""))
		}) {
			if got.Status != 201 {
				t.Errorf("order %d: %d %s", i, got.Status, got.Body)
			}
		}
		nodes[0].kill()
		nodes[1].kill()
		nodes[0].service.Audit(t)
	}
}

// TestRevokedKeyOnOtherNodes stops working within five seconds.
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

// TestStartsThatCannotBe end with one clear line and exit code 1.
func TestStartsThatCannotBe(t *testing.T) {
	t.Parallel()
	empty := testkit.PostgresURL(t)
	ready := startNodes(t, 1)[0]
	newer := startNodes(t, 1)[0]
	newer.Execute(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	role := fmt.Sprintf("locked_%d", time.Now().UnixNano())
	ready.Execute(t, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 0")
	cases := []struct {
		name, database string
		says           []string
	}{
		{"no server", "postgres://test@127.0.0.1:1/nothing", []string{"127.0.0.1:1", "refused"}},
		{"no such host", "postgres://test@nowhere.invalid/nothing", []string{"nowhere.invalid"}},
		{"unknown database", with(t, empty, func(u *url.URL) { u.Path = "/unknown" }), []string{`database "unknown" does not exist`}},
		{"unknown role", with(t, empty, func(u *url.URL) { u.User = url.UserPassword("nobody", "hush") }), []string{`role "nobody" does not exist`}},
		{"a role that may not", with(t, empty, func(u *url.URL) { u.User = url.UserPassword(role, "hush") }), []string{"too many connections"}},
		{"newer schema", newer.Database, []string{"newer release", "99999"}},
		{"read only, empty", readOnly(t, empty), []string{"read-only"}},
		{"read only, migrated", readOnly(t, ready.Database), []string{"read-only"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			begun, command := time.Now(), settings{data: ready.Data, database: c.database, quiet: true}.command(t)
			timer := time.AfterFunc(30*time.Second, func() { _ = command.Process.Kill() })
			defer timer.Stop()
			out, _ := command.CombinedOutput()
			said := string(out)
			if code := command.ProcessState.ExitCode(); code != 1 || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "dropyard: ") {
				t.Errorf("exit code %d after %v: %s", code, time.Since(begun), said)
			}
			if strings.Contains(said, "hush") || slices.ContainsFunc(c.says, func(word string) bool { return !strings.Contains(said, word) }) {
				t.Errorf("want %q: %s", c.says, said)
			}
			if took := time.Since(begun); took > 15*time.Second {
				t.Errorf("it took %v to say so", took)
			}
		})
	}
}

func with(t *testing.T, database string, change func(*url.URL)) string {
	t.Helper()
	where, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	change(where)
	return where.String()
}

// readOnly is a database as a standby answers: every transaction reads only.
func readOnly(t *testing.T, database string) string {
	return with(t, database, func(u *url.URL) {
		q := u.Query()
		q.Set("default_transaction_read_only", "on")
		u.RawQuery = q.Encode()
	})
}
