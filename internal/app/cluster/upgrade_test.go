package cluster_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// upgrading is a cluster that is upgraded while partners create and cancel and
// an operator accepts, on all nodes.
type upgrading struct {
	*chaos
	operator *apptest.Operator
	made     [chaosNodes]atomic.Int64 // orders that each node has created
	more     chan struct{}            // something was created
	wishes   chan []*wish
}

const upgradeCreators = 12

func startUpgrading(t *testing.T, binary string) *upgrading {
	t.Helper()
	u := &upgrading{chaos: startChaos(t, binary), more: make(chan struct{}, 1), wishes: make(chan []*wish, 1)}
	u.operator = u.service(0).Operate(t)
	go func() {
		u.wishes <- flat(apptest.Together(upgradeCreators, func(i int) []*wish { return u.work(t, i) }))
	}()
	return u
}

// work makes one order after the other: a third stays, a third is cancelled, a
// third is accepted.
func (u *upgrading) work(t *testing.T, creator int) (wishes []*wish) {
	for i := 0; !u.ending.Load() && !t.Failed(); i++ {
		w := &wish{reference: fmt.Sprintf("U-%d-%d", creator, i), units: 1 + i%3}
		wishes = append(wishes, w)
		w.orderID = u.ask(t, creator+i, "/v1/orders", testkit.OrderJSON(w.reference, buying(u.lamp, w.units)), 201, "order_id")
		switch i % 3 {
		case 0:
			w.cancelled = u.ask(t, creator+i, "/v1/orders/"+w.orderID+"/cancel", []byte(`{"reason":"upgrade"}`), 200, "status") == "cancelled"
		case 1:
			w.accepted = u.accept(t, creator+i+1, w.orderID)
		}
	}
	return wishes
}

// ask lets the client package ask one node after the other, always under the
// same key, until one answers.
func (u *upgrading) ask(t *testing.T, node int, path string, body []byte, want int, field string) string {
	key := uuid.NewString()
	for end := time.Now().Add(patience); time.Now().Before(end); node++ {
		c := client.New(u.service(node).URL, u.partner.PublicKey, u.partner.SecretKey)
		c.RetryDelays = nil // there are other nodes
		got, err := c.CallWithKey(t.Context(), "POST", path, body, key)
		switch {
		case err == nil && got.Status == want:
			u.made[node%chaosNodes].Add(1)
			select {
			case u.more <- struct{}{}:
			default: // there is word of it already
			}
			return (&apptest.Answer{Status: got.Status, Header: got.Header, Body: got.Body}).Text(field)
		case err == nil && got.Status != 503 && !strings.Contains(string(got.Body), "idempotency_in_progress"):
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
			return ""
		}
		u.again.Add(1)
	}
	t.Errorf("%s: not answered in %v", path, patience)
	return ""
}

// accept moves an order as an operator. That has no key: what was not answered
// may have been done.
func (u *upgrading) accept(t *testing.T, node int, orderID string) bool {
	body := []byte(`{"status":"accepted"}`)
	unsure := false
	for end := time.Now().Add(patience); time.Now().Before(end); node++ {
		s := u.service(node)
		got, err := s.Try("POST", "/ops/v1/orders/"+orderID+"/status", body, "Authorization", "Bearer "+u.operator.Token)
		switch {
		case err == nil && (got.Status == 200 || got.Status == 409 && unsure):
			return true
		case err == nil && got.Status != 503:
			t.Errorf("accept: %d %s", got.Status, got.Body)
			return false
		}
		unsure = true
		u.again.Add(1)
	}
	t.Errorf("%s: not accepted in %v", orderID, patience)
	return false
}

// await waits until each of the nodes has done so much more.
func (u *upgrading) await(t *testing.T, more int64, nodes ...int) {
	t.Helper()
	var goals [chaosNodes]int64
	for _, i := range nodes {
		goals[i] = u.made[i].Load() + more
	}
	timeout := time.After(patience)
	for slices.ContainsFunc(nodes, func(i int) bool { return u.made[i].Load() < goals[i] }) {
		select {
		case <-u.more:
		case <-timeout:
			t.Fatalf("nodes %v did not go on", nodes)
		}
	}
}

// stop ends a node as a supervisor would. It must finish what it has begun.
func (u *upgrading) stop(t *testing.T, i int) {
	t.Helper()
	said := u.nodes[i].end(syscall.SIGTERM)
	if code := u.nodes[i].command.ProcessState.ExitCode(); code != 0 || strings.Contains(said, "ERROR") || strings.Contains(said, "panic") {
		t.Errorf("node %d: exit code %d: %s", i, code, said)
	}
}

// refused starts a node, which must end with one line about a newer release.
func (u *upgrading) refused(t *testing.T, s settings) {
	t.Helper()
	p, err := startProcess(t, s)
	if err == nil {
		p.kill()
		t.Fatal("it came up on the schema of a newer release")
	}
	said, _, _ := strings.Cut(err.Error(), "exit status 1")
	if !strings.HasPrefix(said, "dropyard: ") || strings.Count(strings.TrimSpace(said), "\n") != 0 || !strings.Contains(said, "newer release") {
		t.Errorf("said %q", said)
	}
	t.Logf("going back: %s", strings.TrimSpace(said))
}

// finish ends all nodes but those that have ended, and adds up.
func (u *upgrading) finish(t *testing.T, running ...int) {
	t.Helper()
	u.ending.Store(true)
	wishes := <-u.wishes
	for _, i := range running {
		u.stop(t, i)
	}
	u.addsUp(t, wishes)
	t.Logf("%d orders; requests answered by each node: %d, %d, %d; %d asked again",
		len(wishes), u.made[0].Load(), u.made[1].Load(), u.made[2].Load(), u.again.Load())
}

func (u *upgrading) schemaVersion(t *testing.T) string {
	t.Helper()
	return u.service(0).Query(t, "SELECT max(version_id) FROM goose_db_version")[0]
}

// TestRollingUpgrade replaces nodes of an earlier release, one after the other,
// under load. Old nodes keep working beside new ones, on the new schema. Before
// the first release there is no such binary, and TestSchemaOfTheNextRelease takes
// its place; one of an earlier commit will do if the schema is the same.
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	old := os.Getenv(oldBinary)
	if old == "" {
		t.Skip("SKIPPED: " + oldBinary + " names no binary of an earlier release")
	}
	u := startUpgrading(t, old)
	before := u.schemaVersion(t)
	each := int64(scaled(200, 20))
	u.await(t, each, 0, 1, 2)
	for i := range u.nodes {
		u.stop(t, i)
		u.settings[i].binary = ""
		u.start(t, i)
		u.await(t, each, 0, 1, 2)
	}
	after := u.schemaVersion(t)
	t.Logf("schema %s, then %s", before, after)
	if after != before {
		back := u.settings[0]
		back.binary = old
		u.refused(t, back)
	}
	t.Logf("mended %d rows of the board", u.service(0).MendBoard(t))
	u.finish(t, 0, 1, 2)
}

// TestSchemaOfTheNextRelease: a later release migrates under running nodes of
// this one, as CONTRIBUTING.md says that migrations may: every table gets new
// columns, and there are a new table and a new index. The nodes keep working;
// one that is started again refuses the schema.
func TestSchemaOfTheNextRelease(t *testing.T) {
	t.Parallel()
	u := startUpgrading(t, "")
	each := int64(scaled(50, 10))
	u.await(t, each, 0, 1, 2)
	db := u.service(0)
	for _, table := range db.Query(t, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%'") {
		db.Execute(t, "ALTER TABLE "+table+" ADD COLUMN a_text TEXT NOT NULL DEFAULT '', ADD COLUMN a_number BIGINT NOT NULL DEFAULT 7")
	}
	db.Execute(t, "CREATE TABLE next (partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners)")
	db.Execute(t, "CREATE INDEX CONCURRENTLY next_orders ON orders (partner_id, updated_at)")
	db.Execute(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	u.await(t, each, 0, 1, 2)
	u.stop(t, 2)
	u.refused(t, u.settings[2])
	u.await(t, each, 0, 1)
	u.finish(t, 0, 1)
}
