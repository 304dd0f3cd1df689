package cluster_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	movers         = 8
	ordersOfMover  = 5
	changesOfOrder = 12 // six moves, an edit, two handovers, a correction and a count of its cash, and a new courier
)

// TestKilledBetweenChangeAndAnswer kills the program again and again while operators move and edit
// orders, hand parcels over, collect and count cash, and add couriers. They repeat what was not answered, under the same
// Idempotency-Key, and everything happens once, in order, at its own time.
func TestKilledBetweenChangeAndAnswer(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return migrated.URL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newCrashOfMoves(t, database(t))
			kills, random := 0, repeatable.Rand(t)
			for range testkit.Scaled(20, 3) {
				if c.round(t, 1+random.IntN(movers*ordersOfMover)) {
					kills++
				}
			}
			c.round(t, 0)
			c.check(t)
			t.Logf("%d kills, %d changes not answered; of these %d had been made", kills, c.lost.Load(), c.made.Load())
		})
	}
}

// crashOfMoves is one installation that is killed and started again.
type crashOfMoves struct {
	settings settings
	operator *apptest.Operator
	movers   [movers]*mover
	lost     atomic.Int64 // changes that were not answered
	made     atomic.Int64 // those of them that had been made
	couriers [movers]string
}

// mover makes changes one after the other.
type mover struct {
	changes []*change
	sent    int  // changes that were answered
	repeats bool // the next change has been sent before
}

// change is a request, and what it adds to an order: an entry of its history, who has its parcels, or the
// fields of an edit.
type change struct {
	method, path, body, key string
	orderID, entry          string
}

func newCrashOfMoves(t *testing.T, database string) *crashOfMoves {
	t.Helper()
	c := &crashOfMoves{settings: settings{data: filepath.Join(t.TempDir(), "data"), database: database}}
	p, err := startProcess(t, c.settings)
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	partner := p.service.Register(t, "metro")
	c.operator = p.service.Operate(t)
	c.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
	for i := range c.movers {
		c.movers[i] = &mover{}
		c.couriers[i] = c.operator.Call(t, "POST", "/ops/v1/couriers",
			fmt.Appendf(nil, `{"name":"carrier %d","phone":"+15145550190","vehicle":"bike"}`, i)).Must(t, 201).Text("courier_id")
		for j := range ordersOfMover {
			name := fmt.Sprintf("%d-%d", i, j)
			body := bytes.Replace(testkit.OrderJSON(name, ""), []byte(`"reference":`),
				[]byte(`"cod":{"amount_cents":4999,"currency":"CAD"},"reference":`), 1)
			id := partner.Create(t, body).Must(t, 201).Text("order_id")
			c.movers[i].changes = append(c.movers[i].changes, c.changesOf(id, name, c.couriers[i], 1000*(j+1))...)
		}
	}
	return c
}

// changesOf returns moves of an order and what else is done with it, a millisecond apart, and a new courier. Of the cash
// that is collected the courier hands in all but what is kept, in cents; a cent is missing.
func (c *crashOfMoves) changesOf(orderID, name, courierID string, kept int) (changes []*change) {
	at := time.Now().Add(time.Second)
	courier := fmt.Sprintf(`"courier_id":%q`, courierID)
	add := func(method, path, body, entry string) {
		changes = append(changes, &change{
			method: method, path: "/ops/v1/orders/" + orderID + path, body: body, key: newKey(), orderID: orderID, entry: entry,
		})
	}
	timed := func(path, body, entry string) {
		at = at.Add(time.Millisecond)
		add("POST", path, fmt.Sprintf(`{%s,"occurred_at":%q}`, body, timestamp.Format(at)), entry+" "+timestamp.Format(at))
	}
	move := func(status, more string) { timed("/status", fmt.Sprintf(`"status":%q`, status)+more, status) }
	move("accepted", "")
	move("courier_assigned", ","+courier)
	add("PATCH", "", `{"instructions":"Ring twice","reason":"by phone"}`, "edited instructions")
	move("picked_up", "")
	timed("/transfer", `"location":"HUB-1"`, "location HUB-1")
	timed("/transfer", courier, "courier "+courierID)
	move("in_transit", "")
	move("out_for_delivery", "")
	move("delivered", `,"collected":{"amount_cents":4999,"currency":"CAD","method":"cash"}`)
	add("PUT", "/collected", `{"amount_cents":5000,"currency":"CAD","method":"cash","notes":"a cent more"}`, "")
	changes = append(changes, &change{
		method: "POST", path: "/ops/v1/couriers/" + courierID + "/cash/hand-ins", key: newKey(),
		body: fmt.Sprintf(`{"counted_cents":3999,"kept_cents":%d,"currency":"CAD"}`, kept),
	})
	body := fmt.Sprintf(`{"name":"rider %s","phone":"+15145550190","vehicle":"bike"}`, name)
	return append(changes, &change{method: "POST", path: "/ops/v1/couriers", body: body, key: newKey()})
}

// round lets the movers go on until the program is killed at the answer after the last,
// and reports whether it was. If last is 0, they make all their changes.
func (c *crashOfMoves) round(t *testing.T, last int) (killed bool) {
	t.Helper()
	p, err := startProcess(t, c.settings)
	if err != nil {
		t.Fatal(err)
	}
	operator := *c.operator
	operator.Service = p.service
	var answers atomic.Int64
	enough, printed := make(chan bool, 1), make(chan string)
	go func() {
		killed = <-enough
		printed <- p.kill()
	}()
	apptest.Together(movers, func(i int) (none struct{}) {
		c.move(t, &operator, c.movers[i], func() {
			if answers.Add(1) == int64(last) {
				enough <- true
			}
		})
		return none
	})
	select {
	case enough <- false:
	default: // it is killed already
	}
	if text := <-printed; strings.Contains(text, "ERROR") || strings.Contains(text, "panic") {
		t.Errorf("the program printed %s", text)
	}
	return killed
}

// move sends a mover's changes until one is not answered.
func (c *crashOfMoves) move(t *testing.T, operator *apptest.Operator, m *mover, answered func()) {
	for ; m.sent < len(m.changes); m.sent++ {
		change := m.changes[m.sent]
		got, err := operator.Try(change.method, change.path, []byte(change.body), "Authorization", "Bearer "+operator.Token,
			"Idempotency-Key", change.key)
		if err != nil {
			c.lost.Add(1)
			m.repeats = true
			return
		}
		made := got.Header.Get("Idempotent-Replayed") == "true" ||
			m.repeats && change.orderID == "" && got.Status == 409 // made, and its answer is not known
		if made {
			c.made.Add(1)
		}
		if !made && got.Status/100 != 2 || made && !m.repeats {
			t.Errorf("%s: got %d %s, repeated %t, want it carried out", change.body, got.Status, got.Body, m.repeats)
		}
		m.repeats = false
		answered()
	}
}

// check compares the orders and the couriers with the changes.
func (c *crashOfMoves) check(t *testing.T) {
	t.Helper()
	p, err := startProcess(t, c.settings)
	if err != nil {
		t.Fatal(err)
	}
	operator := *c.operator
	operator.Service = p.service
	for _, m := range c.movers {
		for ; len(m.changes) > 0; m.changes = m.changes[changesOfOrder:] {
			var want []string
			for _, change := range m.changes[:changesOfOrder] {
				if change.entry != "" {
					want = append(want, change.entry)
				}
			}
			slices.Sort(want)
			read := operator.Call(t, "GET", "/ops/v1/orders/"+m.changes[0].orderID, nil).Must(t, 200)
			got := madeOf(read)
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", m.changes[0].orderID, got, want)
			}
		}
	}
	p.kill()
	wanted := fmt.Sprint(movers*ordersOfMover, " ", movers*ordersOfMover)
	service := &apptest.Service{Data: c.settings.data, Database: c.settings.database}
	if got := service.Query(t,
		"SELECT count(*), count(DISTINCT name) FROM couriers WHERE name LIKE 'rider %'")[0]; got != wanted {
		t.Errorf("couriers and their names: got %s, want %s", got, wanted)
	}
	if got := service.Query(t, "SELECT count(*), count(DISTINCT order_id) FROM journal WHERE act = 'delivery'")[0]; got != wanted {
		t.Errorf("charges for deliveries, and their orders: got %s, want %s", got, wanted)
	}
	for _, act := range []string{"collection", "correction", "hand_in"} {
		if got := service.Query(t, "SELECT count(*) FROM journal WHERE act = '"+act+"'")[0]; got != wanted[:2] {
			t.Errorf("entries of the act %s: got %s, want %s", act, got, wanted[:2])
		}
	}
	for account, cents := range map[string]int{"collected": -5000, "cash": 1000, "desk": 3999, "differences": 1} {
		if got := service.Query(t, "SELECT sum(cents) FROM journal_lines WHERE account = '"+account+"'")[0]; got !=
			fmt.Sprint(cents*movers*ordersOfMover) {
			t.Errorf("cents on the account %s: got %s, want %d for each order", account, got, cents)
		}
	}
	service.Audit(t)
}

// madeOf returns what changes have added to an order, sorted: entries of its history, handovers and edits.
func madeOf(read *apptest.Answer) (made []string) {
	for i := 1; i < read.Len("order", "status_history"); i++ { // after pending
		made = append(made, read.Text("order", "status_history", i, "status")+" "+
			read.Text("order", "status_history", i, "timestamp"))
	}
	for i := 2; i < read.Len("custody")-1; i++ { // after the sender and the pickup, before the recipient
		made = append(made, read.Text("custody", i, "holder", "kind")+" "+read.Text("custody", i, "holder", "id")+" "+
			read.Text("custody", i, "from"))
	}
	for i := range read.Len("order", "changes") {
		made = append(made, "edited "+read.Text("order", "changes", i, "fields", 0))
	}
	slices.Sort(made)
	return made
}
