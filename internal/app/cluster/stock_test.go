package cluster_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestTenBuyersForEachUnit sells each unit once, on three nodes and from two
// locations.
func TestTenBuyersForEachUnit(t *testing.T) {
	t.Parallel()
	const clients = 64
	buyers, units := testkit.Scaled(10_000, 1_000), testkit.Scaled(1_000, 100)
	nodes := startNodes(t, chaosNodes)
	partner := nodes[0].Register(t, "metro")
	lamp := nodes[1].Operate(t).Stock(t, partner.PartnerID, "Lamp",
		map[string]int{"MTL-1": units - units/3, "TOR-1": units / 3})
	var next, sold atomic.Int64
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
	if sold.Load() != int64(units) {
		t.Errorf("got %d units sold, want %d", sold.Load(), units)
	}
	query := "SELECT (SELECT count(*) FROM orders), (SELECT sum(quantity) FROM products), (SELECT string_agg(location || '=' || quantity, ' ' ORDER BY location) FROM stock_levels)," +
		" (SELECT count(*) FROM stock_movements WHERE type = 'OUT' AND quantity = 1)"
	if got, want := nodes[2].Query(t, query)[0], fmt.Sprintf("%d 0 MTL-1=0 TOR-1=0 %d", units, units); got != want {
		t.Errorf("orders, stock, levels, movements: got %s, want %s", got, want)
	}
	nodes[2].Audit(t)
}

// TestReturnsOnThreeNodes requests more returns of an order than it has delivered, on three nodes at once:
// no unit comes back twice.
func TestReturnsOnThreeNodes(t *testing.T) {
	t.Parallel()
	const units, callers = 4, 12
	nodes := startNodes(t, chaosNodes)
	partner, operator := nodes[0].Register(t, "metro"), nodes[1].Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": units})
	id := partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, units))).Must(t, 201).Text("order_id")
	for _, status := range strings.Fields("accepted courier_assigned picked_up out_for_delivery delivered") {
		operator.Move(t, id, status).Must(t, 200)
	}
	body := []byte(`{"reason":"too dark","to":"sender","items":` + buying(lamp, 1) + `,"pickup":{"time_window":
		{"start":"2026-01-19T09:00:00-05:00","end":"2026-01-19T17:00:00-05:00"}}}`)
	ask := func(caller int) *apptest.Answer {
		return at(partner, nodes[caller%len(nodes)]).Call(t, "POST", "/v1/orders/"+id+"/returns", body, "Idempotency-Key",
			newKey())
	}
	created := 0
	for _, answer := range apptest.Together(callers, ask) {
		if answer.Status == 201 {
			created++
			continue
		}
		answer.Refused(t, 422, "validation_error")
	}
	returns := partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200).Len("returns")
	if created != units || returns != units {
		t.Errorf("got %d returns created and %d listed, want %d: as many lamps were delivered", created, returns, units)
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

// request is an operation that a client requests.
type request struct {
	kind  string
	units int // reserved, returned by cancelling, or received
}

// response is what the client got. level is the quantity that a read or a refused
// reservation returned, or the difference that a count made.
type response struct {
	done  bool
	level int
}

// shelf is the model: a number of units that is never negative.
var shelf = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (legal bool, next any) {
		there, asked, got := state.(int), input.(request), output.(response)
		switch {
		case asked.kind == read:
			return got.level == there, there
		case asked.kind == count:
			return there+got.level >= 0, there + got.level
		case asked.kind == reserve && !got.done:
			return asked.units > there && got.level == there, there
		case asked.kind == reserve:
			return asked.units <= there, there - asked.units
		default: // cancel, receive
			return true, there + asked.units
		}
	},
}

// TestStockIsLinearizable lets clients use one product concurrently. There is an
// order of their requests, consistent with the times, in which the model gives the
// same responses. It runs on one node with SQLite and on three with PostgreSQL.
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
			histories, requests := testkit.Scaled(20, 4), 0
			for i := range histories {
				h := &workload{
					nodes: nodes, operator: operator,
					partner: nodes[0].Register(t, fmt.Sprintf("metro%d", i)),
				}
				h.product = operator.Stock(t, h.partner.PartnerID, "Lamp", nil)
				history := h.run(t)
				requests += len(history)
				if result := porcupine.CheckOperationsTimeout(shelf, history, repeatable.Hang); result != porcupine.Ok {
					t.Errorf("history %d: got %s, want %s:\n%s", i, result, porcupine.Ok, format(history))
				}
			}
			nodes[0].Audit(t)
			t.Logf("%d histories of %d requests in all", histories, requests)
		})
	}
}

// workload is several clients that use one product concurrently.
type workload struct {
	nodes    []*apptest.Service
	operator *apptest.Operator
	partner  *apptest.Partner
	product  int
	now      atomic.Int64 // a moment; the next is one later
}

func (h *workload) run(t *testing.T) (history []porcupine.Operation) {
	t.Helper()
	const clients, each = 6, 10
	for _, mine := range apptest.Together(clients, func(client int) []porcupine.Operation {
		c := &stockClient{workload: h, name: client, partner: at(h.partner, h.nodes[client%len(h.nodes)])}
		c.operator = *h.operator
		c.operator.Service = c.partner.Service
		for i := range each {
			c.act(t, i)
		}
		return c.history
	}) {
		history = append(history, mine...)
	}
	return history
}

// stockClient is one of the clients.
type stockClient struct {
	*workload
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

func (c *stockClient) act(t *testing.T, i int) {
	begun := c.now.Add(1)
	asked, got := c.one(t, i)
	c.history = append(c.history, porcupine.Operation{
		ClientId: c.name, Input: asked, Call: begun, Output: got, Return: c.now.Add(1),
	})
}

// one makes one request. The first receives units, because otherwise there would
// be none to reserve.
func (c *stockClient) one(t *testing.T, i int) (request, response) {
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

func (c *stockClient) receive(t *testing.T, units int) (request, response) {
	c.operator.Call(t, "POST", "/ops/v1/partners/"+c.partner.PartnerID+"/movements",
		fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":%d,"location":"MTL-%d"}`, c.product, units,
			c.name%2)).Must(t, 201)
	return request{receive, units}, response{done: true}
}

// count sets the quantity at one location.
func (c *stockClient) count(t *testing.T, units int) (request, response) {
	got := c.operator.Call(t, "POST", "/ops/v1/partners/"+c.partner.PartnerID+"/counts",
		fmt.Appendf(nil, `{"location":"MTL-%d","lines":[{"product_id":%d,"counted":%d}]}`, c.name%2, c.product,
			units)).Must(t, 200)
	return request{count, units},
		response{true, number(got.JSON("lines", 0, "after")) - number(got.JSON("lines", 0, "before"))}
}

func (c *stockClient) cancel(t *testing.T) (request, response) {
	last := c.orders[len(c.orders)-1]
	c.orders = c.orders[:len(c.orders)-1]
	c.partner.Cancel(t, last.id, "").Must(t, 200)
	return request{cancel, last.units}, response{done: true}
}

func (c *stockClient) read(t *testing.T) (request, response) {
	got := c.partner.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	return request{kind: read}, response{true, number(got.JSON("products", 0, "quantity"))}
}

func (c *stockClient) reserve(t *testing.T, i, units int) (request, response) {
	got := c.partner.Call(t, "POST", "/v1/orders",
		testkit.OrderJSON(fmt.Sprintf("H-%d-%d", c.name, i), buying(c.product, units)), "Idempotency-Key", newKey())
	if got.Status == 201 {
		c.orders = append(c.orders, reservation{got.Text("order_id"), units})
		return request{reserve, units}, response{done: true}
	}
	got.Refused(t, 422, "insufficient_stock")
	return request{reserve, units}, response{false, number(got.JSON("error", "details", "items", 0, "available"))}
}

func number(value any) int {
	n, _ := value.(float64)
	return int(n)
}

func format(history []porcupine.Operation) string {
	var text strings.Builder
	for _, o := range history {
		fmt.Fprintf(&text, "client %d: %+v %+v from %d to %d\n", o.ClientId, o.Input, o.Output, o.Call, o.Return)
	}
	return text.String()
}

// TestModelRejectsOversale shows that the model of TestStockIsLinearizable detects
// a unit that is sold twice.
func TestModelRejectsOversale(t *testing.T) {
	t.Parallel()
	history := []porcupine.Operation{
		{ClientId: 0, Input: request{receive, 1}, Call: 0, Output: response{done: true}, Return: 1},
		{ClientId: 1, Input: request{reserve, 1}, Call: 2, Output: response{done: true}, Return: 5},
		{ClientId: 2, Input: request{reserve, 1}, Call: 3, Output: response{done: true}, Return: 4},
	}
	if porcupine.CheckOperations(shelf, history) {
		t.Error("got an oversale accepted, want it rejected")
	}
	history[2].Output = response{false, 0}
	if !porcupine.CheckOperations(shelf, history) {
		t.Error("got a justified refusal rejected, want it accepted")
	}
}
