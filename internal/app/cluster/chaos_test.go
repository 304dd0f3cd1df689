package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

const (
	chaosNodes = 3
	creators   = 32
	opening    = 1_000_000
	// think keeps the machine from being all that is tested.
	think = 15 * time.Millisecond
	// patience bounds how often one request is asked again.
	patience = time.Minute
)

// TestNodesAndDatabaseDie kills a node every second, and the database twice,
// while partners create and cancel on all nodes and ask again until they are
// answered. What was acknowledged is there, once, and the stock agrees.
func TestNodesAndDatabaseDie(t *testing.T) {
	t.Parallel()
	c := startChaos(t, "")
	made := make(chan []*wish)
	go func() { made <- flat(apptest.Together(creators, func(i int) []*wish { return c.create(t, i) })) }()
	c.havoc(t)
	wishes := <-made
	c.ending.Store(true)
	for i := range c.nodes {
		if said := c.nodes[i].kill(); strings.Contains(said, "panic") {
			t.Errorf("node %d: %s", i, said)
		}
	}
	c.addsUp(t, wishes)
	t.Logf("%d orders, %d cancelled; %d kills, %d stops of the database; %d requests not answered and asked again, %d sent to two nodes at once, %d answers from memory",
		len(wishes), c.cancelled.Load(), c.kills, c.stops, c.again.Load(), c.twice.Load(), c.replayed.Load())
	if c.kills < 2 || c.again.Load() == 0 {
		t.Errorf("%d kills and %d repeats: that was no havoc", c.kills, c.again.Load())
	}
}

type chaos struct {
	database *testkit.Postgres
	settings [chaosNodes]settings
	nodes    [chaosNodes]*process // only the test's own goroutine touches them
	services [chaosNodes]atomic.Pointer[apptest.Service]
	partner  *apptest.Partner
	lamp     int
	ending   atomic.Bool // no more wishes

	kills, stops                      int
	again, replayed, cancelled, twice atomic.Int64
}

// wish is an order that somebody wants.
type wish struct {
	reference, orderID string
	units              int
	cancelled          bool
	accepted           bool // by an operator
}

// startChaos starts nodes of a binary (empty: today's) on a server of their own.
func startChaos(t *testing.T, binary string) *chaos {
	t.Helper()
	c := &chaos{database: testkit.StartPostgres(t)}
	url, key := c.database.Database(t), filepath.Join(t.TempDir(), "master.key")
	for i := range c.nodes {
		c.settings[i] = settings{data: t.TempDir(), masterKey: key, database: url, binary: binary}
		c.start(t, i)
	}
	c.partner = c.service(0).Register(t, "metro")
	c.lamp = c.service(1).Operate(t).Stock(t, c.partner.PartnerID, "Lamp", map[string]int{"MTL-1": opening / 2, "TOR-1": opening / 2})
	return c
}

func (c *chaos) service(i int) *apptest.Service { return c.services[i%chaosNodes].Load() }

// start starts a node, again and again while there is no database.
func (c *chaos) start(t *testing.T, i int) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		p, err := startProcess(t, c.settings[i])
		if err == nil {
			c.nodes[i] = p
			c.services[i].Store(p.service)
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// havoc kills the nodes in turn, and twice the database under them.
func (c *chaos) havoc(t *testing.T) {
	t.Helper()
	defer c.ending.Store(true)
	rounds := scaled(16, 4)
	for round := range rounds {
		time.Sleep(700*time.Millisecond + rand.N(500*time.Millisecond))
		if round == rounds/3 || round == 2*rounds/3 {
			c.stops++
			c.database.StopImmediate()
			time.Sleep(500 * time.Millisecond)
			c.database.Restart(t)
			continue
		}
		c.kills++
		c.nodes[round%chaosNodes].kill()
		c.start(t, round%chaosNodes)
	}
	time.Sleep(time.Second)
}

// create makes one order after the other, every other one with items, and
// cancels some of these.
func (c *chaos) create(t *testing.T, creator int) (wishes []*wish) {
	for i := 0; !c.ending.Load() && !t.Failed(); i++ {
		w := &wish{reference: fmt.Sprintf("C-%d-%d", creator, i)}
		items := ""
		if i%2 == 1 {
			w.units = 1 + i%5
			items = buying(c.lamp, w.units)
		}
		wishes = append(wishes, w)
		c.order(t, creator+i, w, testkit.OrderJSON(w.reference, items))
		if i%6 == 1 {
			w.cancelled = c.settle(t, creator+i, "/v1/orders/"+w.orderID+"/cancel", []byte(`{"reason":"chaos"}`), uuid.NewString(), 200) != nil
			c.cancelled.Add(1)
		}
		time.Sleep(think)
	}
	return wishes
}

// order asks for an order: often once, sometimes again after it was answered,
// sometimes on two nodes at once.
func (c *chaos) order(t *testing.T, node int, w *wish, body []byte) {
	key := uuid.NewString()
	var answers []*apptest.Answer
	switch rand.IntN(8) {
	case 0:
		c.twice.Add(1)
		answers = apptest.Together(2, func(i int) *apptest.Answer { return c.settle(t, node+i, "/v1/orders", body, key, 201) })
	case 1:
		answers = append(answers, c.settle(t, node, "/v1/orders", body, key, 201), c.settle(t, node+1, "/v1/orders", body, key, 201))
	default:
		answers = append(answers, c.settle(t, node, "/v1/orders", body, key, 201))
	}
	for _, got := range answers {
		if got == nil || got.Text("partner_order_id") != w.reference || string(got.Body) != string(answers[0].Body) {
			t.Errorf("%s: answered %v and %v", w.reference, answers[0], got)
			return
		}
	}
	w.orderID = answers[0].Text("order_id")
}

// settle asks one node after the other until one of them answers.
func (c *chaos) settle(t *testing.T, node int, path string, body []byte, key string, want int) *apptest.Answer {
	for end := time.Now().Add(patience); time.Now().Before(end); node++ {
		partner := at(c.partner, c.service(node))
		got, err := partner.Try("POST", path, body, append(partner.Signed("POST", path, body), "Idempotency-Key", key)...)
		switch {
		case err == nil && got.Status == want:
			if got.Header.Get("Idempotent-Replayed") == "true" {
				c.replayed.Add(1)
			}
			return got
		case err == nil && got.Status != 503 && got.Code() != "idempotency_in_progress":
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
			return nil
		}
		c.again.Add(1)
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s: not answered in %v", path, patience)
	return nil
}

func flat(lists [][]*wish) (all []*wish) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// addsUp compares all that was acknowledged with all that is stored.
func (c *chaos) addsUp(t *testing.T, wishes []*wish) {
	t.Helper()
	stored := map[string]string{}
	var service apptest.Service
	service.Database = c.settings[0].database
	for _, row := range service.Query(t, "SELECT partner_order_id, order_id || ' ' || status FROM orders") {
		reference, rest, _ := strings.Cut(row, " ")
		stored[reference] = rest
	}
	left := opening
	for _, w := range wishes {
		want := w.orderID + " pending"
		if w.cancelled {
			want = w.orderID + " cancelled"
		} else {
			left -= w.units
		}
		if w.accepted {
			want = w.orderID + " accepted"
		}
		if stored[w.reference] != want {
			t.Errorf("%s was acknowledged as %s, stored is %q", w.reference, want, stored[w.reference])
		}
	}
	if len(stored) != len(wishes) {
		t.Errorf("%d orders are stored, %d were asked for", len(stored), len(wishes))
	}
	if got := service.Query(t, "SELECT quantity FROM products")[0]; got != fmt.Sprint(left) {
		t.Errorf("%s lamps are left, want %d", got, left)
	}
	service.Audit(t)
}
