package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// shop is a partner that sells lamps.
type shop struct {
	*apptest.Partner
	lamp int
}

// shops registers partners with lamps. The first is the one that will be blocked.
func shops(t *testing.T, s *apptest.Service, count int) (all []*shop) {
	t.Helper()
	operator := s.Operate(t)
	for i := range count {
		p := s.Register(t, fmt.Sprint("shop-", i))
		all = append(all, &shop{p, operator.Stock(t, p.PartnerID, "Lamp", map[string]int{"MTL-1": opening})})
	}
	return all
}

// sale is an order of one lamp that was asked for once, and when it was answered.
type sale struct {
	shop           *shop
	reference, key string
	answer         *apptest.Answer
	took           time.Duration
}

// sell creates an order on a node.
func (p *shop) sell(t *testing.T, node *apptest.Service, reference string) *sale {
	s := &sale{shop: p, reference: reference, key: newKey()}
	begin := time.Now()
	s.answer = s.ask(t, node)
	s.took = time.Since(begin)
	return s
}

// ask sends the request of a sale, again with the same key.
func (s *sale) ask(t *testing.T, node *apptest.Service) *apptest.Answer {
	return at(s.shop.Partner, node).Call(t, "POST", "/v1/orders", testkit.OrderJSON(s.reference, buying(s.shop.lamp, 1)),
		"Idempotency-Key", s.key)
}

// sellAll lets each of the shops create orders on a node, one after the other, as long as
// more returns true. prefix begins their references.
func sellAll(
	t *testing.T, node *apptest.Service, prefix string, shops []*shop, more func(made int) bool,
) (sales []*sale) {
	for _, own := range apptest.Together(len(shops), func(i int) (own []*sale) {
		for n := 0; more(n) && !t.Failed(); n++ {
			own = append(own, shops[i].sell(t, node, fmt.Sprint(prefix, "-", n)))
		}
		return own
	}) {
		sales = append(sales, own...)
	}
	return sales
}

// quick expects that all were created at the first request, and at full length that 99 in a
// hundred were answered within a second.
func quick(t *testing.T, sales []*sale) {
	t.Helper()
	times := make([]time.Duration, len(sales))
	for i, s := range sales {
		if times[i] = s.took; s.answer.Status != 201 {
			t.Errorf("%s: got status %d after %v, want 201: %s", s.reference, s.answer.Status, s.took, s.answer.Body)
		}
	}
	slices.Sort(times)
	p99 := times[(len(times)-1)*99/100]
	t.Logf("%d orders of others: p99 %v, slowest %v", len(sales), p99, times[len(times)-1])
	if testkit.Long() && p99 > time.Second {
		t.Errorf("99th percentile: got %v, want 1 s at most", p99)
	}
}

// once expects that each sale has one order when it was asked for again, the one that was
// answered if any, and that the stock agrees.
func once(t *testing.T, node *apptest.Service, sales []*sale) {
	t.Helper()
	for _, s := range sales {
		again := s.ask(t, node).Must(t, 201)
		if s.answer.Status == 201 && again.Text("order_id") != s.answer.Text("order_id") {
			t.Errorf("%s: got order %s again, want %s", s.reference, again.Text("order_id"), s.answer.Text("order_id"))
		}
	}
	if got := node.Query(t, "SELECT count(*) FROM orders")[0]; got != fmt.Sprint(len(sales)) {
		t.Errorf("got %s orders, want %d", got, len(sales))
	}
	node.Audit(t)
}

// stranger is a connection of another program to a database.
func stranger(t *testing.T, database string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func execute(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// counted returns the number that a query counts.
func counted(t *testing.T, c *pgx.Conn, sql string) (n int) {
	t.Helper()
	if err := c.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLockOnOnePartner locks one partner's products by hand until the other partners' orders
// are created, on two nodes. They do not wait; the nodes stay ready and say that one partner
// is blocked; its order is created when the lock is gone.
func TestLockOnOnePartner(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, 2)
	all, operator := shops(t, nodes[0], 4), nodes[0].Operate(t)
	other := stranger(t, nodes[0].Database)
	execute(t, other, "BEGIN")
	execute(t, other, "SELECT * FROM products WHERE partner_id = '"+all[0].PartnerID+"' FOR UPDATE")
	blocked := make(chan *sale, 1)
	go func() { blocked <- all[0].sell(t, nodes[0], "B-1") }()
	apptest.Await(t, "one partner is blocked", func() bool {
		return operator.Call(t, "GET", "/ops/v1/system", nil).JSON("queues", "partners_blocked") == 1.0
	})
	var sales []*sale
	for i, node := range nodes {
		sales = append(sales, sellAll(t, node, fmt.Sprint("S-", i), all[1:], whileLong(7*time.Second, 10))...)
	}
	if len(blocked) > 0 {
		t.Error("the order of the blocked partner was answered while its products were locked")
	}
	nodes[0].Do(t, "GET", "/v1/ready", nil).Must(t, 200)
	execute(t, other, "ROLLBACK")
	late := <-blocked
	late.answer.Must(t, 201)
	quick(t, sales)
	once(t, nodes[1], append(sales, late))
}

// whileLong returns a condition that holds for some time at full length, or else so often.
func whileLong(d time.Duration, times int) func(made int) bool {
	if !testkit.Long() {
		return func(made int) bool { return made < times }
	}
	end := time.Now().Add(d)
	return func(int) bool { return time.Now().Before(end) }
}

// frozen is a node that was stopped in the middle of a transaction.
type frozen struct {
	answer chan *sale // of the order whose transaction it is
	missed []*sale    // orders of tries before
}

// freeze stops a node, as a machine that runs out of memory or is being moved does, while
// it has the rows of a shop locked: it tries until it has met such a moment.
func freeze(t *testing.T, node *process, p *shop) frozen {
	t.Helper()
	database := node.service.Database
	holder, watcher := stranger(t, database), stranger(t, database)
	f := frozen{answer: make(chan *sale, 1)}
	execute(t, holder, "BEGIN")
	execute(t, holder, "LOCK TABLE figures IN EXCLUSIVE MODE") // the last that a transaction writes to
	go func() { f.answer <- p.sell(t, node.service, "frozen") }()
	for end := hangs(); time.Now().Before(end); {
		if counted(t, watcher, here+" AND wait_event_type = 'Lock' AND query LIKE '%figures%'") == 0 {
			continue
		}
		signal(t, node, syscall.SIGSTOP)
		execute(t, holder, "ROLLBACK")
		for counted(t, watcher, here+" AND state = 'active' AND wait_event_type = 'Lock'") > 0 {
			backOff()
		}
		if counted(t, watcher, here+" AND state = 'idle in transaction'") > 0 {
			return f
		}
		// Its transaction had waited for too long: the node may have committed another.
		signal(t, node, syscall.SIGCONT)
		f.missed = append(f.missed, <-f.answer)
		execute(t, holder, "BEGIN")
		execute(t, holder, "LOCK TABLE figures IN EXCLUSIVE MODE")
		go func() { f.answer <- p.sell(t, node.service, fmt.Sprint("frozen-", len(f.missed))) }()
	}
	t.Fatal("the node was never stopped in a transaction")
	return f
}

// here counts the connections of nodes to the same database.
const here = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dropyard'`

func signal(t *testing.T, node *process, s syscall.Signal) {
	t.Helper()
	if err := node.command.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// TestFrozenNode stops a node in the middle of a transaction. On the other node the orders
// of all other partners are created as always, those of the partner whose rows it had
// locked after a short wait, and none is refused. When the node goes on, what it was doing
// is done once.
func TestFrozenNode(t *testing.T) {
	t.Parallel()
	for _, lasts := range []time.Duration{12 * time.Second, 70 * time.Second} {
		if lasts > 12*time.Second && !testkit.Long() {
			continue
		}
		t.Run(lasts.String(), func(t *testing.T) {
			t.Parallel()
			testFrozenNode(t, lasts)
		})
	}
}

func testFrozenNode(t *testing.T, lasts time.Duration) {
	database, key := migrated.URL(t), filepath.Join(t.TempDir(), "master.key")
	nodes := startAll(t, 2, func(int) settings {
		return settings{data: t.TempDir(), masterKey: key, database: database}
	})
	all, live := shops(t, nodes[0].service, 4), nodes[1].service
	f := freeze(t, nodes[0], all[0])
	// Whatever happens to the test, a stopped process must not stay behind.
	t.Cleanup(func() { _ = nodes[0].command.Process.Signal(syscall.SIGCONT) })
	blocked := make(chan *sale, 1)
	go func() { blocked <- all[0].sell(t, live, "B-1") }()
	sales := sellAll(t, live, "S", all[1:], whileLong(lasts, 20))
	late := <-blocked
	late.answer.Must(t, 201)
	live.Do(t, "GET", "/v1/ready", nil).Must(t, 200)
	t.Logf("the blocked partner's order took %v", late.took)
	if testkit.Long() && late.took > 5*time.Second {
		t.Errorf("the blocked partner's order took %v, want 5 s at most", late.took)
	}
	signal(t, nodes[0], syscall.SIGCONT)
	quick(t, sales)
	sales = append(append(sales, late, <-f.answer), f.missed...)
	for _, node := range nodes {
		node.end(syscall.SIGTERM)
	}
	checked := apptest.Start(t, apptest.DatabaseAt(database), apptest.DataIn(filepath.Dir(key)))
	once(t, checked, sales)
}

// TestForgottenConnections lets a firewall forget the connections of a node, in the middle
// of a COMMIT, so that neither side learns of it. No order is refused, lost or doubled.
func TestForgottenConnections(t *testing.T) {
	t.Parallel()
	f := startFar(t)
	all := shops(t, f.Service, 4)
	sales := sellAll(t, f.Service, "before", all, func(made int) bool { return made < 3 })
	f.proxy.CutCommits(testkit.CutSilently, 1)
	during := sellAll(t, f.Service, "during", all, whileLong(45*time.Second, 5))
	if f.proxy.Made() != 1 {
		t.Errorf("got %d COMMITs lost, want 1", f.proxy.Made())
	}
	quick(t, during)
	f.proxy.Reset() // closing a connection waits for the other side
	once(t, f.Service, append(sales, during...))
}
