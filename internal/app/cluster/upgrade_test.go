package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// upgrading is a cluster that is upgraded while partners create and cancel orders
// and an operator accepts some, on all nodes.
type upgrading struct {
	*chaos
	operator *apptest.Operator
	receiver *badReceiver       // of the partner's events
	made     [chaosNodes]*tally // requests that each node has answered
	wishes   chan []*wish
}

const upgradeCreators = 12

var released = regexp.MustCompile(`^dropyard \d+\.\d+\.\d+\n`)

// oldBinary returns the path of a binary of an earlier release, which other nodes recognize by its version.
func oldBinary(t *testing.T) string {
	t.Helper()
	testkit.NeedOldBinary.OrSkip(t)
	path := os.Getenv(testkit.OldBinaryVariable)
	out, err := exec.CommandContext(t.Context(), path, "version").CombinedOutput()
	if err != nil || !released.Match(out) {
		t.Fatalf("%s version: got %q, %v, want a released version: build it with .ci/old-binary", path, out, err)
	}
	return path
}

func startUpgrading(t *testing.T, binary string) *upgrading {
	t.Helper()
	u := &upgrading{
		chaos: startChaos(t, binary, testkit.PostgresURL(t)), receiver: newBadReceiver(t), wishes: make(chan []*wish, 1),
	}
	u.receiver.calmDown()
	u.receiver.secret = u.partner.SetEndpoint(t, u.receiver.URL+"/hook")
	for i := range u.made {
		u.made[i] = newTally()
	}
	u.operator = u.service(0).Operate(t)
	go func() {
		u.wishes <- flat(apptest.Together(upgradeCreators, func(i int) []*wish { return u.work(t, i) }))
	}()
	return u
}

// work creates one order after the other. It accepts a third of them and cancels
// a third.
func (u *upgrading) work(t *testing.T, creator int) (wishes []*wish) {
	for i := 0; !u.ending.Load() && !t.Failed(); i++ {
		w := &wish{reference: fmt.Sprintf("U-%d-%d", creator, i), units: 1 + i%3}
		wishes = append(wishes, w)
		w.orderID = u.ask(t, creator+i, "/v1/orders", testkit.OrderJSON(w.reference, buying(u.lamp, w.units)), 201,
			"order_id")
		switch i % 3 {
		case 0:
			w.cancelled = u.ask(t, creator+i, "/v1/orders/"+w.orderID+"/cancel", []byte(`{"reason":"upgrade"}`), 200,
				"status") == "cancelled"
		case 1:
			w.accepted = u.accept(t, creator+i+1, w.orderID)
		}
	}
	return wishes
}

// ask sends a request with the client package to one node after the other, always
// under the same key, until one answers.
func (u *upgrading) ask(t *testing.T, node int, path string, body []byte, want int, field string) string {
	key := newKey()
	for end := hangs(); time.Now().Before(end); node++ {
		c := client.New(u.service(node).URL, u.partner.PublicKey, u.partner.SecretKey)
		c.RetryDelays = nil // there are other nodes
		got, err := c.CallWithKey(t.Context(), "POST", path, body, key)
		switch {
		case err == nil && got.Status == want:
			u.made[node%chaosNodes].add()
			return (&apptest.Answer{Status: got.Status, Header: got.Header, Body: got.Body}).Text(field)
		case err == nil && got.Status != 503 && !strings.Contains(string(got.Body), "idempotency_in_progress"):
			t.Errorf("%s: got status %d, want %d: %s", path, got.Status, want, got.Body)
			return ""
		}
		u.failed.add()
	}
	t.Errorf("%s: got no answer within %v", path, repeatable.Hang)
	return ""
}

// edit edits an order at a node, and returns the status of the answer.
func (u *upgrading) edit(t *testing.T, node int, orderID string) int {
	c := client.New(u.service(node).URL, u.partner.PublicKey, u.partner.SecretKey)
	c.RetryDelays = nil
	got, err := c.CallWithKey(t.Context(), "PATCH", "/v1/orders/"+orderID, []byte(`{"reference":"upgraded"}`),
		newKey())
	if err != nil {
		t.Fatal(err)
	}
	return got.Status
}

// accept accepts an order as an operator. The request has no key: one that was not
// answered may have taken effect.
func (u *upgrading) accept(t *testing.T, node int, orderID string) bool {
	body := []byte(`{"status":"accepted"}`)
	unsure := false
	for end := hangs(); time.Now().Before(end); node++ {
		s := u.service(node)
		got, err := s.Try("POST", "/ops/v1/orders/"+orderID+"/status", body, "Authorization", "Bearer "+u.operator.Token)
		switch {
		case err == nil && (got.Status == 200 || got.Status == 409 && unsure):
			return true
		case err == nil && got.Status != 503:
			t.Errorf("accept: got status %d: %s", got.Status, got.Body)
			return false
		}
		unsure = true
		u.failed.add()
	}
	t.Errorf("accept %s: got no answer within %v", orderID, repeatable.Hang)
	return false
}

// await waits until each of the nodes has answered so many more requests.
func (u *upgrading) await(t *testing.T, more int64, nodes ...int) {
	t.Helper()
	var goals [chaosNodes]int64
	for _, i := range nodes {
		goals[i] = u.made[i].count.Load() + more
	}
	for _, i := range nodes {
		u.made[i].reach(t, goals[i])
	}
}

// stop ends a node as a supervisor would. The node must finish what it has begun.
func (u *upgrading) stop(t *testing.T, i int) {
	t.Helper()
	printed := u.nodes[i].end(syscall.SIGTERM)
	if code := u.nodes[i].command.ProcessState.ExitCode(); code != 0 || strings.Contains(printed, "ERROR") ||
		strings.Contains(printed, "panic") {
		t.Errorf("node %d: got exit code %d, want 0 and no errors: %s", i, code, printed)
	}
}

// refused starts a program on the schema of a newer release. It must end with exit code 1 and print one line.
func refused(t *testing.T, s settings) {
	t.Helper()
	p, err := startProcess(t, s)
	if err == nil {
		p.kill()
		t.Fatal("got a node running on the schema of a newer release, want an error")
	}
	printed, _, ended := strings.Cut(err.Error(), "exit status 1")
	printed = strings.TrimSpace(printed)
	if !ended || !strings.HasPrefix(printed, "dropyard: ") || strings.Contains(printed, "\n") ||
		!strings.Contains(printed, "newer release") {
		t.Errorf("got %q, want one line about a newer release and exit code 1", err)
	}
	t.Logf("downgrade: %s", printed)
}

// finish stops the clients and the running nodes, and compares what was
// acknowledged with what is stored.
func (u *upgrading) finish(t *testing.T, running ...int) {
	t.Helper()
	u.ending.Store(true)
	wishes := <-u.wishes
	stored := &apptest.Service{Database: u.settings[0].database}
	delivered(t, stored)
	for _, i := range running {
		u.stop(t, i)
	}
	u.addsUp(t, wishes)
	u.receiver.check(t, stored, u.partner)
	u.receiver.once(t)
	t.Logf("%d orders; requests answered by each node: %d, %d, %d; %d sent again",
		len(wishes), u.made[0].count.Load(), u.made[1].count.Load(), u.made[2].count.Load(), u.failed.count.Load())
}

func (u *upgrading) schemaVersion(t *testing.T) string {
	t.Helper()
	return u.service(0).Query(t, "SELECT max(version_id) FROM goose_db_version")[0]
}

// TestRollingUpgrade replaces nodes of 0.1.0, one after the other, under load. Old nodes keep working beside new ones,
// on the new schema; orders are edited and books kept once no node of 0.1 is left. A courier's phone is offline
// meanwhile, and a dump from before is the way back. It needs a binary of the earlier release: without one
// TestSchemaOfTheNextRelease takes its place.
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	old := oldBinary(t)
	u := startUpgrading(t, old)
	before := u.schemaVersion(t)
	each := int64(testkit.Scaled(200, 20))
	u.await(t, each, 0, 1, 2)
	c := carry(t, u.service(0))
	dump := filepath.Join(t.TempDir(), "before.dump")
	err := testkit.RunPostgresProgram("pg_dump", "--format=custom", "--file", dump, u.settings[0].database)
	if err != nil {
		t.Fatal(err)
	}
	id := u.service(0).Query(t, "SELECT min(order_id) FROM orders WHERE partner_id = '"+u.partner.PartnerID+"'")[0]
	for i := range u.nodes {
		u.stop(t, i)
		u.settings[i].binary = ""
		u.start(t, i)
		u.await(t, each, 0, 1, 2)
		if i == chaosNodes-1 {
			break
		}
		if got := u.edit(t, i, id); got != 503 {
			t.Errorf("node %d: got status %d for an edit, want 503 beside a node of 0.1", i, got)
		}
		c.keepBooks(t, u.service(i)).Refused(t, 503, "unavailable")
		if i == 0 {
			c.cross(t, u.service(1), u.service(0))
		}
	}
	for end := hangs(); u.edit(t, 0, id) != 200; {
		if !time.Now().Before(end) {
			t.Error("got no order edited, want that once no node of 0.1 is left")
			break
		}
	}
	c.arrive(t, u.service(1), u.service(2))
	after := u.schemaVersion(t)
	t.Logf("schema %s, then %s", before, after)
	if after != before {
		back := u.settings[0]
		back.binary = old
		refused(t, back)
	}
	u.finish(t, 0, 1, 2)
	c.addsUp(t, &apptest.Service{Database: u.settings[0].database})
	c.receiver.once(t)
	for _, binary := range []string{old, ""} {
		s := settings{
			data: t.TempDir(), masterKey: u.settings[0].masterKey, proofs: u.settings[0].proofs,
			database: testkit.PostgresURL(t), binary: binary,
		}
		if err := testkit.RunPostgresProgram("pg_restore", "--exit-on-error", "--single-transaction", "--dbname", s.database,
			dump); err != nil {
			t.Fatal(err)
		}
		c.resume(t, s)
	}
}

// TestSchemaOfTheNextRelease: a later release migrates under running nodes of
// this one, as CONTRIBUTING.md says that migrations may: every table gets new
// columns, and there are a new table and a new index. The nodes keep working;
// one that is started again refuses the schema.
func TestSchemaOfTheNextRelease(t *testing.T) {
	t.Parallel()
	u := startUpgrading(t, "")
	each := int64(testkit.Scaled(50, 10))
	u.await(t, each, 0, 1, 2)
	db := u.service(0)
	for _, table := range db.Query(t,
		"SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%'") {
		db.Execute(t,
			"ALTER TABLE "+table+" ADD COLUMN a_text TEXT NOT NULL DEFAULT '', ADD COLUMN a_number BIGINT NOT NULL DEFAULT 7")
	}
	db.Execute(t, "CREATE TABLE next (partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners)")
	db.Execute(t, "CREATE INDEX CONCURRENTLY next_orders ON orders (partner_id, updated_at)")
	db.Execute(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	u.await(t, each, 0, 1, 2)
	u.stop(t, 2)
	refused(t, u.settings[2])
	u.await(t, each, 0, 1)
	u.finish(t, 0, 1)
}
