package app_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

const (
	crashRounds = 20
	creators    = 32 // at once
	opening     = 100_000
)

// TestKilledAtAnyMoment kills the real program again and again while orders
// come in. What it has acknowledged is there, once; what it has not can be
// asked for again, and then is there once; and the stock agrees to the unit.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	rounds := crashRounds
	if testing.Short() {
		rounds = 3
	}
	var wishes []*wish
	for round := range rounds {
		wishes = append(wishes, c.round(t, round)...)
		c.audit(t)
	}
	p := c.start(t)
	defer p.kill()
	var repeated, made atomic.Int64
	apptest.Together(creators, func(creator int) (none struct{}) {
		for i := creator; i < len(wishes); i += creators {
			if wishes[i].orderID == "" {
				repeated.Add(1)
				if c.repeat(t, wishes[i]) {
					made.Add(1)
				}
			}
			c.isThere(t, wishes[i])
		}
		return none
	})
	c.addsUp(t, wishes)
	t.Logf("%d rounds: %d orders asked for, %d unanswered; of these %d were made all the same", rounds, len(wishes), repeated.Load(), made.Load())
}

// crash is one installation that is killed and started again.
type crash struct {
	binary, data string
	database     string // its URL if it is not in data
	partner      *apptest.Partner
	lamp         int
	random       *rand.Rand
}

// wish is an order that somebody wants. orderID is set once it was
// acknowledged.
type wish struct {
	reference, key string
	units          int // of lamps; 0: no items
	body           []byte
	orderID        string
}

func newCrash(t *testing.T) *crash {
	t.Helper()
	c := &crash{binary: build(t), data: filepath.Join(t.TempDir(), "data"), random: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))}
	c.database = apptest.DatabaseOf(t, c.data)
	p := c.start(t)
	defer p.kill()
	c.partner = p.service.Register(t, "metro")
	c.lamp = p.service.Operate(t).Stock(t, c.partner.PartnerID, "Lamp", map[string]int{"MTL-1": opening / 2, "TOR-1": opening / 2})
	return c
}

// build builds the program as it is delivered.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "dropyard")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/dropyard/dropyard/cmd/dropyard")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// process is a running dropyard.
type process struct {
	service *apptest.Service
	command *exec.Cmd
	drained chan struct{} // closed when its standard error ends
}

var readyLine = regexp.MustCompile(`msg=ready url=(http://\S+)`)

// start starts the program and waits until it says where it listens.
func (c *crash) start(t *testing.T) *process {
	t.Helper()
	p := &process{drained: make(chan struct{}), command: exec.CommandContext(context.Background(), c.binary,
		"serve", "--data", c.data, "--listen", "127.0.0.1:0", "--rate-limit", "0", "--database="+c.database)}
	p.command.Env = append(os.Environ(), "DROPYARD_OPERATOR_EMAIL="+apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD="+apptest.OperatorPassword)
	stderr, err := p.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	lines := bufio.NewScanner(stderr)
	for p.service == nil && lines.Scan() {
		if found := readyLine.FindStringSubmatch(lines.Text()); found != nil {
			p.service = apptest.Attach(found[1])
			p.service.Data, p.service.Database = c.data, c.database
		} else {
			t.Logf("the program says: %s", lines.Text())
		}
	}
	go func() {
		defer close(p.drained)
		for lines.Scan() {
			t.Logf("the program says: %s", lines.Text())
		}
	}()
	if p.service == nil {
		t.Fatal("the program ended before it was ready")
	}
	if c.partner != nil {
		c.partner.Service = p.service
	}
	return p
}

// kill ends the program without a warning, and waits until it is gone.
func (p *process) kill() {
	if p.command.ProcessState != nil {
		return
	}
	_ = p.command.Process.Kill()
	<-p.drained
	_ = p.command.Wait()
	p.service.Stop()
}

// round lets many create until the program is killed under them: at a random
// moment, but not before some answers have come.
func (c *crash) round(t *testing.T, round int) []*wish {
	t.Helper()
	p := c.start(t)
	var answers atomic.Int64
	last := 1 + c.random.Int64N(600) // the answer after which the program is killed
	enough, killed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(killed)
		<-enough
		p.kill()
	}()
	made := apptest.Together(creators, func(creator int) []*wish {
		return c.create(t, p.service, fmt.Sprintf("%d-%d", round, creator), func() {
			if answers.Add(1) == last {
				close(enough)
			}
		})
	})
	<-killed
	var all []*wish
	for _, wishes := range made {
		all = append(all, wishes...)
	}
	return all
}

// create makes one order after the other until no answer comes any more.
func (c *crash) create(t *testing.T, service *apptest.Service, name string, answered func()) (wishes []*wish) {
	partner := *c.partner
	partner.Service = service
	for i := 0; ; i++ {
		w := c.wish(fmt.Sprintf("%s-%d", name, i), i%2*(1+i%5))
		wishes = append(wishes, w)
		got, err := partner.Try("POST", "/v1/orders", w.body, append(partner.Signed("POST", "/v1/orders", w.body), "Idempotency-Key", w.key)...)
		if err != nil {
			return wishes
		}
		if got.Status != 201 {
			t.Errorf("%s: %d %s", w.reference, got.Status, got.Body)
		}
		w.orderID = got.Text("order_id")
		answered()
	}
}

func (c *crash) wish(reference string, units int) *wish {
	items := ""
	if units > 0 {
		items = buying(c.lamp, units)
	}
	return &wish{reference: reference, units: units, key: uuid.NewString(), body: testkit.OrderJSON(reference, items)}
}

// audit looks into the database as the kill has left it.
func (c *crash) audit(t *testing.T) {
	t.Helper()
	service := &apptest.Service{Data: c.data, Database: c.database}
	service.Audit(t)
}

// isThere: the order is there, by its id and by its reference, once.
func (c *crash) isThere(t *testing.T, w *wish) {
	t.Helper()
	got := c.partner.Call(t, "GET", "/v1/orders/"+w.orderID, nil)
	list := c.partner.Call(t, "GET", "/v1/orders?partner_order_id="+w.reference, nil)
	if got.Status != 200 || got.Text("partner_order_id") != w.reference || list.JSON("count") != 1.0 || list.Text("orders", 0, "order_id") != w.orderID {
		t.Errorf("%s was acknowledged as %s: %d %s\nlist %s", w.reference, w.orderID, got.Status, got.Body, list.Body)
	}
}

// repeat: the same request again makes the order, or tells that it was made.
func (c *crash) repeat(t *testing.T, w *wish) (made bool) {
	t.Helper()
	got := c.partner.Call(t, "POST", "/v1/orders", w.body, "Idempotency-Key", w.key)
	if w.orderID = got.Text("order_id"); got.Status != 201 || got.Text("partner_order_id") != w.reference {
		t.Errorf("%s again: %d %s", w.reference, got.Status, got.Body)
	}
	return got.Header.Get("Idempotent-Replayed") == "true"
}

// addsUp compares the whole with what was asked for.
func (c *crash) addsUp(t *testing.T, wishes []*wish) {
	t.Helper()
	units, sales := 0, 0
	for _, w := range wishes {
		units += w.units
		if w.units > 0 {
			sales++
		}
	}
	query := "SELECT (SELECT count(*) FROM orders), (SELECT count(DISTINCT partner_order_id) FROM orders), (SELECT sum(quantity) FROM products)," +
		" (SELECT sum(quantity) FROM stock_movements WHERE type = 'OUT'), (SELECT count(DISTINCT order_id) FROM stock_movements WHERE type = 'OUT')"
	want := fmt.Sprintf("%d %d %d %d %d", len(wishes), len(wishes), opening-units, units, sales)
	if got := c.partner.Query(t, query)[0]; got != want {
		t.Errorf("orders, references, stock, units sold, sales: %s, want %s", got, want)
	}
	c.audit(t)
}
