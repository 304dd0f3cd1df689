package cluster_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	chaosNodes = 3
	creators   = 32
	opening    = 1_000_000 // lamps in stock at the beginning
)

// TestNodesAndDatabaseDie kills nodes again and again, and the database,
// while partners create and cancel orders on all nodes and ask again until they
// are answered. What was acknowledged is stored once, and the stock agrees.
func TestNodesAndDatabaseDie(t *testing.T) {
	t.Parallel()
	database := ownPostgres(t)
	c := startChaos(t, "", database.Database(t))
	made := make(chan []*wish)
	clients := testkit.Scaled(creators, creators/4)
	go func() { made <- flat(apptest.Together(clients, func(i int) []*wish { return c.create(t, i) })) }()
	c.havoc(t, database, clients)
	wishes := <-made
	for i := range c.nodes {
		if printed := c.nodes[i].kill(); strings.Contains(printed, "panic") {
			t.Errorf("node %d: %s", i, printed)
		}
	}
	c.addsUp(t, wishes)
	t.Logf("%d orders, %d cancelled; %d kills, %d stops of the database; %d requests not answered and sent again, %d sent to two nodes at once, %d answers replayed",
		len(wishes), c.cancelled.Load(), c.kills, c.stops, c.failed.count.Load(), c.twice.Load(), c.replayed.Load())
	if c.kills < 2 || c.failed.count.Load() == 0 {
		t.Errorf("got %d kills and %d repeated requests, want at least 2 and 1", c.kills, c.failed.count.Load())
	}
}

// ownPostgres starts a server that is stopped when the test ends. It does not wait for the
// disk: what it has written outlives its processes, which are all that the test kills.
func ownPostgres(t *testing.T) *testkit.Postgres {
	t.Helper()
	testkit.NeedPostgres.OrSkip(t)
	server, err := testkit.RunPostgres("fsync=off")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// chaos is a cluster whose nodes and whose database are killed and restarted
// while clients use it.
type chaos struct {
	settings [chaosNodes]settings
	nodes    [chaosNodes]*process // used by the test's own goroutine only
	services [chaosNodes]atomic.Pointer[apptest.Service]
	partner  *apptest.Partner
	lamp     int
	ending   atomic.Bool // clients stop

	kills, stops               int
	answered, failed           *tally // requests
	replayed, cancelled, twice atomic.Int64
}

// startChaos starts nodes of a binary (empty: the current one) that share a database.
func startChaos(t *testing.T, binary, database string) *chaos {
	t.Helper()
	c := &chaos{answered: newTally(), failed: newTally()}
	shared := t.TempDir()
	for i := range c.nodes {
		c.settings[i] = settings{
			data: t.TempDir(), masterKey: filepath.Join(shared, "master.key"), database: database,
			proofs: filepath.Join(shared, "proofs"), webhooks: true, binary: binary,
		}
		c.start(t, i)
	}
	c.partner = c.service(0).Register(t, "metro")
	c.lamp = c.service(1).Operate(t).Stock(t, c.partner.PartnerID, "Lamp",
		map[string]int{"MTL-1": opening / 2, "TOR-1": opening / 2})
	return c
}

func (c *chaos) service(i int) *apptest.Service { return c.services[i%chaosNodes].Load() }

// start starts a node. It tries again while there is no database.
func (c *chaos) start(t *testing.T, i int) {
	t.Helper()
	for end := hangs(); ; {
		p, err := startProcess(t, c.settings[i])
		if err == nil {
			c.nodes[i] = p
			c.services[i].Store(p.service)
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// havoc kills the nodes in turn, and at full length twice, otherwise once, the database,
// each time when clients have got some answers. At the end it stops the clients.
func (c *chaos) havoc(t *testing.T, database *testkit.Postgres, clients int) {
	t.Helper()
	defer c.ending.Store(true)
	random, rounds := repeatable.Rand(t), testkit.Scaled(16, 3)
	for round := range rounds {
		c.answered.await(t, 100+random.Int64N(100))
		if round == rounds/3 || round == 2*rounds/3 && testkit.Long() {
			c.stops++
			database.StopImmediate()
			c.failed.await(t, int64(clients))
			database.Restart(t)
			continue
		}
		c.kills++
		c.nodes[round%chaosNodes].kill()
		c.start(t, round%chaosNodes)
	}
	c.answered.await(t, 200)
}

// create creates one order after the other, every second one with items, and
// cancels some of these.
func (c *chaos) create(t *testing.T, creator int) (wishes []*wish) {
	random := repeatable.Rand(t, fmt.Sprint("creator ", creator))
	for i := 0; !c.ending.Load() && !t.Failed(); i++ {
		w := &wish{reference: fmt.Sprintf("C-%d-%d", creator, i), key: newKey(), units: i % 2 * (1 + i%5)}
		wishes = append(wishes, w)
		c.order(t, creator+i, w, random.IntN(8))
		if i%6 == 1 {
			w.cancelled = c.settle(t, creator+i, "/v1/orders/"+w.orderID+"/cancel", []byte(`{"reason":"chaos"}`), newKey(),
				200) != nil
			c.cancelled.Add(1)
		}
	}
	return wishes
}

// order creates an order. Of eight ways, one is to send two requests at once to different
// nodes, one is to send another after the first was answered, and all others to send one.
func (c *chaos) order(t *testing.T, node int, w *wish, way int) {
	body := w.body(c.lamp)
	var answers []*apptest.Answer
	switch way {
	case 0:
		c.twice.Add(1)
		answers = apptest.Together(2,
			func(i int) *apptest.Answer { return c.settle(t, node+i, "/v1/orders", body, w.key, 201) })
	case 1:
		answers = append(answers, c.settle(t, node, "/v1/orders", body, w.key, 201),
			c.settle(t, node+1, "/v1/orders", body, w.key, 201))
	default:
		answers = append(answers, c.settle(t, node, "/v1/orders", body, w.key, 201))
	}
	for _, got := range answers {
		if got == nil || got.Text("partner_order_id") != w.reference || string(got.Body) != string(answers[0].Body) {
			t.Errorf("%s: got answers %v and %v, want the same order", w.reference, answers[0], got)
			return
		}
	}
	w.orderID = answers[0].Text("order_id")
}

// settle sends a request to one node after the other until one of them answers.
func (c *chaos) settle(t *testing.T, node int, path string, body []byte, key string, want int) *apptest.Answer {
	for end := hangs(); time.Now().Before(end); node++ {
		partner := at(c.partner, c.service(node))
		got, err := partner.Try("POST", path, body, append(partner.Signed("POST", path, body), "Idempotency-Key", key)...)
		switch {
		case err == nil && got.Status == want:
			if got.Header.Get("Idempotent-Replayed") == "true" {
				c.replayed.Add(1)
			}
			c.answered.add()
			return got
		case err == nil && got.Status != 503 && got.Code() != "idempotency_in_progress":
			t.Errorf("%s: got status %d, want %d: %s", path, got.Status, want, got.Body)
			return nil
		}
		c.failed.add()
		backOff()
	}
	t.Errorf("%s: got no answer within %v", path, repeatable.Hang)
	return nil
}

// addsUp compares all that was acknowledged with all that is stored.
func (c *chaos) addsUp(t *testing.T, wishes []*wish) {
	t.Helper()
	stored := map[string]string{}
	service := apptest.Service{Database: c.settings[0].database}
	for _, row := range service.Query(t, "SELECT partner_order_id, order_id || ' ' || status FROM orders WHERE partner_id = '"+
		c.partner.PartnerID+"'") {
		reference, rest, _ := strings.Cut(row, " ")
		stored[reference] = rest
	}
	left := opening
	for _, w := range wishes {
		want := w.orderID + " pending"
		switch {
		case w.cancelled:
			want = w.orderID + " cancelled"
		case w.accepted:
			want = w.orderID + " accepted"
		}
		if !w.cancelled {
			left -= w.units
		}
		if stored[w.reference] != want {
			t.Errorf("%s: got %q in the database, want %q", w.reference, stored[w.reference], want)
		}
	}
	if len(stored) != len(wishes) {
		t.Errorf("got %d orders in the database, want %d", len(stored), len(wishes))
	}
	hasLamps(t, &service, c.partner, left)
	service.Audit(t)
}

// hasLamps compares the stock of a partner's only product.
func hasLamps(t *testing.T, stored *apptest.Service, partner *apptest.Partner, want int) {
	t.Helper()
	query := "SELECT quantity FROM products WHERE partner_id = '" + partner.PartnerID + "'"
	if got := stored.Query(t, query)[0]; got != fmt.Sprint(want) {
		t.Errorf("got %s lamps in stock, want %d", got, want)
	}
}
