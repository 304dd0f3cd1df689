package cluster_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestKilledAtAnyMoment kills the program again and again while orders are
// created. Each order that was acknowledged is stored once; each that was not can
// be requested again, and then is stored once; and the stock agrees to the unit.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return migrated.URL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newCrash(t, database(t))
			random, rounds := repeatable.Rand(t), testkit.Scaled(20, 4)
			var wishes []*wish
			for round := range rounds {
				wishes = append(wishes, c.round(t, round, 1+random.Int64N(600))...)
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
					c.isStored(t, wishes[i])
				}
				return none
			})
			c.addsUp(t, wishes)
			t.Logf("%d rounds: %d orders requested, %d not answered; of these %d had been created", rounds, len(wishes),
				repeated.Load(), made.Load())
		})
	}
}

// crash is one installation that is killed and started again.
type crash struct {
	settings settings
	partner  *apptest.Partner
	lamp     int
}

func newCrash(t *testing.T, database string) *crash {
	t.Helper()
	c := &crash{settings: settings{data: filepath.Join(t.TempDir(), "data"), database: database}}
	p := c.start(t)
	defer p.kill()
	c.partner = p.service.Register(t, "metro")
	c.lamp = p.service.Operate(t).Stock(t, c.partner.PartnerID, "Lamp",
		map[string]int{"MTL-1": opening / 2, "TOR-1": opening / 2})
	return c
}

func (c *crash) start(t *testing.T) *process {
	t.Helper()
	p, err := startProcess(t, c.settings)
	if err != nil {
		t.Fatal(err)
	}
	if c.partner != nil {
		c.partner.Service = p.service
	}
	return p
}

// round lets clients create orders until the program is killed at the answer after the
// last.
func (c *crash) round(t *testing.T, round int, last int64) []*wish {
	t.Helper()
	p := c.start(t)
	var answers atomic.Int64
	enough, killed := make(chan struct{}), make(chan string)
	go func() {
		<-enough
		killed <- p.kill()
	}()
	made := apptest.Together(creators, func(creator int) []*wish {
		return c.create(t, p.service, fmt.Sprintf("%d-%d", round, creator), func() {
			if answers.Add(1) == last {
				close(enough)
			}
		})
	})
	if printed := <-killed; strings.Contains(printed, "ERROR") || strings.Contains(printed, "panic") {
		t.Errorf("the program printed %s", printed)
	}
	return flat(made)
}

// create creates one order after the other until the program does not answer.
func (c *crash) create(t *testing.T, service *apptest.Service, name string, answered func()) (wishes []*wish) {
	partner := at(c.partner, service)
	for i := 0; ; i++ {
		w := &wish{reference: fmt.Sprintf("%s-%d", name, i), key: newKey(), units: i % 2 * (1 + i%5)}
		wishes = append(wishes, w)
		body := w.body(c.lamp)
		got, err := partner.Try("POST", "/v1/orders", body,
			append(partner.Signed("POST", "/v1/orders", body), "Idempotency-Key", w.key)...)
		if err != nil {
			return wishes
		}
		if got.Status != 201 {
			t.Errorf("%s: got status %d, want 201: %s", w.reference, got.Status, got.Body)
		}
		w.orderID = got.Text("order_id")
		answered()
	}
}

// audit checks the database as the kill has left it.
func (c *crash) audit(t *testing.T) {
	t.Helper()
	service := &apptest.Service{Data: c.settings.data, Database: c.settings.database}
	service.Audit(t)
}

// isStored fails the test unless the order is found by its id and, once, by its
// reference.
func (c *crash) isStored(t *testing.T, w *wish) {
	t.Helper()
	got := c.partner.Call(t, "GET", "/v1/orders/"+w.orderID, nil)
	list := c.partner.Call(t, "GET", "/v1/orders?partner_order_id="+w.reference, nil)
	if got.Status != 200 || got.Text("partner_order_id") != w.reference || list.JSON("count") != 1.0 ||
		list.Text("orders", 0, "order_id") != w.orderID {
		t.Errorf("%s, acknowledged as %s: got status %d: %s\nlist: %s", w.reference, w.orderID, got.Status, got.Body,
			list.Body)
	}
}

// repeat sends the request of an order again and reports whether the order had
// been created before.
func (c *crash) repeat(t *testing.T, w *wish) (created bool) {
	t.Helper()
	got := c.partner.Call(t, "POST", "/v1/orders", w.body(c.lamp), "Idempotency-Key", w.key)
	if w.orderID = got.Text("order_id"); got.Status != 201 || got.Text("partner_order_id") != w.reference {
		t.Errorf("%s again: got status %d, want 201: %s", w.reference, got.Status, got.Body)
	}
	return got.Header.Get("Idempotent-Replayed") == "true"
}

// addsUp compares the sums in the database with what was requested.
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
		t.Errorf("orders, references, stock, units sold, sales: got %s, want %s", got, want)
	}
	c.audit(t)
}
