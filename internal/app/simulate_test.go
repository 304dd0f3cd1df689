package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// pace is that of simulations under test, by the clock that stands still.
const pace = time.Minute

// simulating lets orders be moved by a simulation.
func simulating() apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Simulate, c.SimulatePace = true, pace }
}

// pass lets time pass, a quarter of the pace at a time, until a question has the
// answer that is waited for.
func pass(t *testing.T, s *apptest.Service, query, want string) {
	t.Helper()
	const patience = 4 * time.Minute // only bounds a test that has gone wrong
	for began := time.Now(); time.Since(began) < patience; {
		if got := s.Query(t, query); len(got) == 1 && got[0] == want {
			return
		}
		s.Clock.Advance(pace / 4)
		time.Sleep(5 * time.Millisecond) // nothing tells that a look has ended
	}
	t.Fatalf("%s: %q, want %s", query, s.Query(t, query), want)
}

const underWay = "SELECT count(*) FROM orders WHERE status NOT IN ('delivered', 'cancelled')"

// withReference is the body of an order with a reference.
func withReference(name, reference, items string) []byte {
	return []byte(strings.Replace(string(testkit.OrderJSON(name, items)), "PO 77", reference, 1))
}

// TestMagicReferences give each outcome for certain, after a restart in the
// middle and with a second node where there can be one.
func TestMagicReferences(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	s := apptest.Start(t, dir, simulating())
	partner := s.Register(t, "metro")
	clock := s.Clock
	const begin = "pending accepted courier_assigned picked_up in_transit out_for_delivery "
	ids, ways := map[string]string{}, map[string]string{
		"sim:fail":       begin + "failed out_for_delivery failed out_for_delivery failed cancelled",
		"sim:fail-twice": begin + "failed out_for_delivery failed out_for_delivery delivered",
		"sim:slow":       begin + "delivered",
		"sim:cancel":     "pending accepted cancelled",
	}
	for reference := range ways {
		ids[reference] = partner.Create(t, withReference(reference, reference, "")).Must(t, 201).Text("order_id")
	}
	pass(t, s, "SELECT count(*) FROM orders WHERE status = 'cancelled'", "1") // sim:cancel is the first to end
	s.Stop()
	sameClock := func(_ *config.Config, world *app.Surroundings) { world.Now, world.At = clock.Now, clock.At }
	s = apptest.Start(t, dir, simulating(), sameClock)
	s.Clock, partner.Service = clock, s
	if s.Database != "" {
		s.Beside(t, simulating())
	}
	pass(t, s, underWay, "0")
	for reference, want := range ways {
		order := partner.Call(t, "GET", "/v1/orders/"+ids[reference], nil).Must(t, 200)
		var way []string
		for i := range order.Len("status_history") {
			way = append(way, order.Text("status_history", i, "status"))
		}
		if got := strings.Join(way, " "); got != want {
			t.Errorf("%s: %s", reference, got)
		}
	}
	if got := s.Query(t, "SELECT count(*), count(DISTINCT name) FROM couriers WHERE name LIKE 'Simulated %'"); got[0] != "20 20" {
		t.Errorf("couriers: %s", got)
	}
	slow := s.Query(t, "SELECT (max(created_at) - min(created_at)) / 60000000 FROM order_history WHERE order_id = '"+ids["sim:slow"]+"'")
	if minutes, _ := strconv.Atoi(slow[0]); minutes < 50 {
		t.Errorf("the slow one took %d steps of the pace", minutes)
	}
	s.Audit(t)
}

// fullDay makes TestADaySimulated run with ten thousand orders on PostgreSQL too,
// where that takes more than a minute.
const fullDay = "FULL_DAY"

// TestADaySimulated: three partners, twenty couriers, orders of every kind;
// in the end each is delivered or cancelled, each history is a way through the
// table, stock adds up, the audit log explains each change, and a receiver has
// got every event in the order of its order.
func TestADaySimulated(t *testing.T) {
	t.Parallel()
	const perBatch = 50
	s := apptest.Start(t, simulating(), apptest.Webhooks())
	batches := 67 // for each partner: 10,050 orders
	switch {
	case testing.Short():
		batches = 2
	case s.Database != "" && os.Getenv(fullDay) == "":
		batches = 4
	}
	operator, receiver := s.Operate(t), apptest.NewReceiver(t)
	began, listened := time.Now(), ""
	var partners []*apptest.Partner
	for i, name := range []string{"metro", "port", "quay"} {
		p := s.Register(t, name)
		operator.Stock(t, p.PartnerID, "Lamp", map[string]int{"MTL-1": 500 * batches, "TOR-1": 20})
		if i == 0 {
			p.SetEndpoint(t, receiver.URL)
			listened = p.PartnerID
		}
		partners = append(partners, p)
	}
	for batch := range batches {
		for _, p := range partners {
			created := batchAs(t, p, uuid.NewString(), batchOf(dayOrders(batch, perBatch)...)).Must(t, 200)
			if created.JSON("created") != float64(perBatch) {
				t.Fatalf("created: %.500s", created.Body)
			}
			p.Cancel(t, created.Text("results", 9, "order", "order_id"), "changed my mind").Must(t, 200)
		}
		s.Clock.Advance(pace / 4)
	}
	pass(t, s, underWay, "0")
	pass(t, s, "SELECT count(*) FROM events WHERE state = 'pending'", "0")
	t.Logf("%d orders in %v: %v", 3*batches*perBatch, time.Since(began), s.Query(t, "SELECT status, count(*) FROM orders GROUP BY status ORDER BY status"))
	s.Audit(t)
	checkDay(t, s, len(partners)*batches)
	checkHooks(t, s, receiver, listened)
}

// dayOrders are orders of every kind.
func dayOrders(batch, count int) (all [][]byte) {
	for i := range count {
		reference, items := "web", ""
		if magic := []string{"sim:fail", "sim:fail-twice", "sim:cancel", "sim:slow"}; i < len(magic) {
			reference = magic[i]
		}
		if i%2 == 0 {
			items = buying(1, 1+i%3)
		}
		all = append(all, withReference(fmt.Sprintf("D-%d-%d", batch, i), reference, items))
	}
	return all
}

// checkDay holds histories against the table, and the audit log against both.
func checkDay(t *testing.T, s *apptest.Service, byPartners int) {
	t.Helper()
	at, told := map[string]string{}, map[string]string{}
	for _, row := range s.Query(t, "SELECT object_id, after FROM audit WHERE action = 'order.moved' AND operator_id = 'simulator'") {
		id, text, _ := strings.Cut(row, " ")
		var after struct {
			Status  string
			Version int
		}
		if err := json.Unmarshal([]byte(text), &after); err != nil {
			t.Fatal(err)
		}
		told[fmt.Sprint(id, " ", after.Version)] = after.Status
	}
	unexplained := 0
	for _, row := range s.Query(t, "SELECT order_id, version, status FROM order_history ORDER BY order_id, version") {
		step := strings.Fields(row)
		from, seen := at[step[0]]
		if !seen {
			from = string(delivery.StatusPending)
		}
		if !delivery.MayMove(delivery.Status(from), delivery.Status(step[2]), delivery.ActorService) {
			t.Errorf("%s went from %s to %s", step[0], from, step[2])
		}
		at[step[0]] = step[2]
		if told[step[0]+" "+step[1]] != step[2] {
			unexplained++
		}
		delete(told, step[0]+" "+step[1])
	}
	if unexplained != byPartners || len(told) > 0 { // partners' own changes are no operator's
		t.Errorf("%d changes are not in the audit log (%d are partners'), %d entries are of nothing", unexplained, byPartners, len(told))
	}
}

// checkHooks wants every event of a partner at its receiver, those of one order
// in their sequence.
func checkHooks(t *testing.T, s *apptest.Service, receiver *apptest.Receiver, partnerID string) {
	t.Helper()
	want, _ := strconv.Atoi(s.Query(t, "SELECT count(*) FROM events WHERE partner_id = '"+partnerID+"'")[0])
	seen, last := map[string]bool{}, map[string]float64{}
	for len(seen) < want {
		hook := receiver.Next(t)
		id, order := hook.Text("id"), hook.Text("data", "order_id")
		if seen[id] {
			continue // at least once
		}
		seen[id] = true
		sequence, _ := hook.JSON("sequence").(float64)
		if sequence != last[order]+1 {
			t.Fatalf("%s: event %v after %v", order, sequence, last[order])
		}
		last[order] = sequence
	}
	t.Logf("%d events", want)
}
