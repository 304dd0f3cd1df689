package cluster_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestTenThousandBuyersForAThousandUnits sells each unit once, on three nodes
// and from two locations.
func TestTenThousandBuyersForAThousandUnits(t *testing.T) {
	t.Parallel()
	const clients = 64
	buyers, units := scaled(10_000, 1_000), scaled(1_000, 100)
	nodes := startNodes(t, chaosNodes)
	partner := nodes[0].Register(t, "metro")
	lamp := nodes[1].Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": units - units/3, "TOR-1": units / 3})
	var next, sold atomic.Int64
	begun := time.Now()
	apptest.Together(clients, func(int) (none struct{}) {
		for {
			buyer := int(next.Add(1)) - 1
			if buyer >= buyers {
				return none
			}
			got := at(partner, nodes[buyer%len(nodes)]).Create(t, testkit.OrderJSON(fmt.Sprintf("B-%d", buyer), buying(lamp, 1)))
			if got.Status == 201 {
				sold.Add(1)
				continue
			}
			got.Refused(t, 422, "insufficient_stock")
		}
	})
	t.Logf("%d buyers in %v", buyers, time.Since(begun))
	if sold.Load() != int64(units) {
		t.Errorf("sold %d of %d", sold.Load(), units)
	}
	query := "SELECT (SELECT count(*) FROM orders), (SELECT sum(quantity) FROM products), (SELECT string_agg(location || '=' || quantity, ' ' ORDER BY location) FROM stock_levels)," +
		" (SELECT count(*) FROM stock_movements WHERE type = 'OUT' AND quantity = 1)"
	if got, want := nodes[2].Query(t, query)[0], fmt.Sprintf("%d 0 MTL-1=0 TOR-1=0 %d", units, units); got != want {
		t.Errorf("orders, stock, levels, movements: %s, want %s", got, want)
	}
	nodes[2].Audit(t)
}

// The operations on one product.
const (
	reserve = "reserve"
	cancel  = "cancel"
	receive = "receive"
	read    = "read"
	count   = "count"
)

// deed is what a client asked of a product.
type deed struct {
	kind  string
	units int // reserved, given back or received
}

// said is what the client was told. level is what a read found, what a refused
// reservation was told that there is, or by how much a count has changed it.
type said struct {
	done  bool
	level int
}

// shelf is the model: a number of units that is never below zero.
var shelf = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (legal bool, next any) {
		there, asked, told := state.(int), input.(deed), output.(said)
		switch {
		case asked.kind == read:
			return told.level == there, there
		case asked.kind == count:
			return there+told.level >= 0, there + told.level
		case asked.kind == reserve && !told.done:
			return asked.units > there && told.level == there, there
		case asked.kind == reserve:
			return asked.units <= there, there - asked.units
		default: // cancel, receive
			return true, there + asked.units
		}
	},
}

// TestStockIsLinearizable: whatever clients do at once, there is an order of
// their deeds, true to the times, in which one after the other gives the same
// answers; on one node with SQLite and on three with PostgreSQL.
func TestStockIsLinearizable(t *testing.T) {
	t.Parallel()
	engines := map[string]func(t *testing.T) []*apptest.Service{
		"sqlite":   func(t *testing.T) []*apptest.Service { return []*apptest.Service{apptest.Start(t)} },
		"postgres": func(t *testing.T) []*apptest.Service { return startNodes(t, chaosNodes) },
	}
	for engine, start := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			nodes := start(t)
			operator := nodes[0].Operate(t)
			histories, deeds := scaled(20, 4), 0
			for i := range histories {
				h := &handling{
					nodes: nodes, operator: operator, begun: time.Now(),
					partner: nodes[0].Register(t, fmt.Sprintf("metro%d", i)),
				}
				h.product = operator.Stock(t, h.partner.PartnerID, "Lamp", nil)
				history := h.run(t)
				deeds += len(history)
				if result := porcupine.CheckOperationsTimeout(shelf, history, 20*time.Second); result != porcupine.Ok {
					t.Errorf("history %d is %s:\n%s", i, result, tell(history))
				}
			}
			nodes[0].Audit(t)
			t.Logf("%d histories of %d deeds in all", histories, deeds)
		})
	}
}

// handling is clients who handle one product at once.
type handling struct {
	nodes    []*apptest.Service
	operator *apptest.Operator
	partner  *apptest.Partner
	product  int
	begun    time.Time
}

func (h *handling) run(t *testing.T) (history []porcupine.Operation) {
	t.Helper()
	const clients, deeds = 6, 10
	for _, mine := range apptest.Together(clients, func(client int) []porcupine.Operation {
		c := &handler{handling: h, name: client, partner: at(h.partner, h.nodes[client%len(h.nodes)])}
		c.operator = *h.operator
		c.operator.Service = c.partner.Service
		for i := range deeds {
			c.act(t, i)
		}
		return c.history
	}) {
		history = append(history, mine...)
	}
	return history
}

// handler is one of the clients.
type handler struct {
	*handling
	name     int
	partner  *apptest.Partner
	operator apptest.Operator
	orders   []reservation
	history  []porcupine.Operation
}

type reservation struct {
	id    string
	units int
}

func (c *handler) act(t *testing.T, i int) {
	begun := time.Since(c.begun)
	asked, told := c.one(t, i)
	c.history = append(c.history, porcupine.Operation{
		ClientId: c.name, Input: asked, Call: int64(begun), Output: told, Return: int64(time.Since(c.begun)),
	})
}

// one does one deed: the first is to bring something, or nothing would be
// there to quarrel over.
func (c *handler) one(t *testing.T, i int) (deed, said) {
	switch choice := (i*7 + c.name*3) % 10; {
	case i == 0 || choice == 0:
		return c.receive(t, 1+c.name%3)
	case choice <= 2 && len(c.orders) > 0:
		return c.cancel(t)
	case choice <= 4:
		return c.read(t)
	case choice == 9:
		return c.count(t, 1+i%4)
	default:
		return c.reserve(t, i, 1+(i+c.name)%4)
	}
}

func (c *handler) receive(t *testing.T, units int) (deed, said) {
	c.operator.Call(t, "POST", "/ops/v1/partners/"+c.partner.PartnerID+"/movements",
		fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":%d,"location":"MTL-%d"}`, c.product, units, c.name%2)).Must(t, 201)
	return deed{receive, units}, said{done: true}
}

// count counts so many at one location, whatever lies there.
func (c *handler) count(t *testing.T, units int) (deed, said) {
	got := c.operator.Call(t, "POST", "/ops/v1/partners/"+c.partner.PartnerID+"/counts",
		fmt.Appendf(nil, `{"location":"MTL-%d","lines":[{"product_id":%d,"counted":%d}]}`, c.name%2, c.product, units)).Must(t, 200)
	return deed{count, units}, said{true, number(got.JSON("lines", 0, "after")) - number(got.JSON("lines", 0, "before"))}
}

func (c *handler) cancel(t *testing.T) (deed, said) {
	last := c.orders[len(c.orders)-1]
	c.orders = c.orders[:len(c.orders)-1]
	c.partner.Cancel(t, last.id, "").Must(t, 200)
	return deed{cancel, last.units}, said{done: true}
}

func (c *handler) read(t *testing.T) (deed, said) {
	got := c.partner.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	return deed{kind: read}, said{true, number(got.JSON("products", 0, "quantity"))}
}

func (c *handler) reserve(t *testing.T, i, units int) (deed, said) {
	got := c.partner.Call(t, "POST", "/v1/orders", testkit.OrderJSON(fmt.Sprintf("H-%d-%d", c.name, i), buying(c.product, units)), "Idempotency-Key", uuid.NewString())
	if got.Status == 201 {
		c.orders = append(c.orders, reservation{got.Text("order_id"), units})
		return deed{reserve, units}, said{done: true}
	}
	got.Refused(t, 422, "insufficient_stock")
	return deed{reserve, units}, said{false, number(got.JSON("error", "details", "items", 0, "available"))}
}

func number(value any) int {
	n, _ := value.(float64)
	return int(n)
}

func tell(history []porcupine.Operation) string {
	var text strings.Builder
	for _, o := range history {
		fmt.Fprintf(&text, "client %d: %+v %+v from %d to %d\n", o.ClientId, o.Input, o.Output, o.Call, o.Return)
	}
	return text.String()
}

// TestTheModelKnowsAnOversale, or the test before would show nothing.
func TestTheModelKnowsAnOversale(t *testing.T) {
	t.Parallel()
	deeds := []porcupine.Operation{
		{ClientId: 0, Input: deed{receive, 1}, Call: 0, Output: said{done: true}, Return: 1},
		{ClientId: 1, Input: deed{reserve, 1}, Call: 2, Output: said{done: true}, Return: 5},
		{ClientId: 2, Input: deed{reserve, 1}, Call: 3, Output: said{done: true}, Return: 4},
	}
	if porcupine.CheckOperations(shelf, deeds) {
		t.Error("an oversale is no linear history")
	}
	deeds[2].Output = said{false, 0}
	if !porcupine.CheckOperations(shelf, deeds) {
		t.Error("a refusal in time is one")
	}
}
