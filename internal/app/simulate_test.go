package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/google/uuid"
)

// pace is the time between two moves of an order.
const pace = time.Minute

// look is how often a simulation looks for orders to move.
const look = pace / 4

// simulation watches the simulations of services that share a clock.
type simulation struct {
	looked   chan time.Time // receives the time of the next look when one has ended
	services int
}

// option makes a service move orders by a simulation. Of all that waits for the
// clock only a simulation waits for exactly one look.
func (s *simulation) option() apptest.Option {
	s.services++
	return func(c *config.Config, world *app.Surroundings) {
		c.Simulate, c.SimulatePace = true, pace
		at := world.At
		world.At = func(until time.Time) <-chan time.Time {
			fires := at(until)
			if until.Equal(world.Now().Add(look)) {
				s.looked <- until
			}
			return fires
		}
	}
}

func newSimulation() *simulation {
	return &simulation{looked: make(chan time.Time, 10_000)}
}

// rest waits until every simulation has looked at the present time, and waits for
// the clock.
func (s *simulation) rest(t *testing.T, clock *testkit.Clock) {
	t.Helper()
	// At full length one look moves thousands of orders, which is more than moments.
	hangs, cancel := context.WithTimeout(t.Context(), time.Duration(testkit.Scaled(5, 1))*repeatable.Hang)
	defer cancel()
	for resting := 0; resting < s.services; {
		select {
		case next := <-s.looked:
			if next.Equal(clock.Now().Add(look)) {
				resting++
			}
		case <-hangs.Done():
			t.Fatal("a simulation did not look again")
		}
	}
}

// pass lets time pass, one look at a time, until a query returns the one row.
func (s *simulation) pass(t *testing.T, service *apptest.Service, query, want string) {
	t.Helper()
	const looks = 1000 // reached only by a test that fails
	for range looks {
		s.rest(t, service.Clock)
		if got := service.Query(t, query); len(got) == 1 && got[0] == want {
			return
		}
		service.Clock.Advance(look)
	}
	t.Fatalf("%s: got %q after %d looks, want %s", query, service.Query(t, query), looks, want)
}

// underWay counts the orders that a simulation still has to move.
const underWay = "SELECT count(*) FROM orders WHERE status NOT IN ('delivered', 'cancelled')"

// withReference returns the body of an order with a reference.
func withReference(name, reference, items string) []byte {
	return []byte(strings.Replace(string(testkit.OrderJSON(name, items)), "PO 77", reference, 1))
}

// TestMagicReferences creates orders whose reference determines their outcome. The
// service is restarted meanwhile, and where the engine allows it a second node runs.
func TestMagicReferences(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	simulation := newSimulation()
	s := apptest.Start(t, dir, simulation.option())
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
	simulation.pass(t, s, "SELECT count(*) FROM orders WHERE status = 'cancelled'", "1") // sim:cancel ends first
	s.Stop()
	sameClock := func(_ *config.Config, world *app.Surroundings) { world.Now, world.At = clock.Now, clock.At }
	simulation = newSimulation()
	s = apptest.Start(t, dir, sameClock, simulation.option())
	s.Clock, partner.Service = clock, s
	if s.Database != "" {
		s.Beside(t, simulation.option())
	}
	simulation.pass(t, s, underWay, "0")
	for reference, want := range ways {
		order := partner.Call(t, "GET", "/v1/orders/"+ids[reference], nil).Must(t, 200)
		var way []string
		for i := range order.Len("status_history") {
			way = append(way, order.Text("status_history", i, "status"))
		}
		if got := strings.Join(way, " "); got != want {
			t.Errorf("%s: got statuses %s, want %s", reference, got, want)
		}
	}
	if got := s.Query(t,
		"SELECT count(*), count(DISTINCT name) FROM couriers WHERE name LIKE 'Simulated %'"); got[0] != "20 20" {
		t.Errorf("couriers and different names: got %s, want 20 20", got)
	}
	slow := s.Query(t,
		"SELECT (max(created_at) - min(created_at)) / 60000000 FROM order_history WHERE order_id = '"+ids["sim:slow"]+"'")
	if minutes, _ := strconv.Atoi(slow[0]); minutes < 50 {
		t.Errorf("sim:slow: got %d minutes until delivery, want at least 50", minutes)
	}
	s.Audit(t)
}

// TestADaySimulated runs three partners, twenty couriers and orders of every kind
// until each order is delivered or cancelled. Every history is a path through the
// table of transitions, the stock adds up, the audit log explains every change, and
// TestSimulatedCouriersConfirmEdits edits an order, live or test, that a simulated courier has: the courier
// confirms the edit before the next move.
func TestSimulatedCouriersConfirmEdits(t *testing.T) {
	t.Parallel()
	simulation := newSimulation()
	s := apptest.Start(t, simulation.option())
	live := s.Register(t, "metro")
	for _, p := range []*apptest.Partner{live, live.InTest(t)} {
		id := p.Create(t, withReference("A-1", "sim:slow", "")).Must(t, 201).Text("order_id")
		await := func(status string) {
			simulation.pass(t, s, "SELECT status FROM orders WHERE order_id = '"+id+"'", status)
			s.Clock.Advance(look) // every simulation rests until then
		}
		await("courier_assigned")
		edit(t, p, id, `{"dropoff":{"phone":"+14165550177"}}`).Must(t, 200)
		await("picked_up")
		course := s.Query(t, "SELECT course FROM orders WHERE order_id = '"+id+"'")[0]
		if !strings.Contains(course, `"seen":`) || strings.Contains(course, `"unseen":true`) {
			t.Errorf("got %s, want the edit confirmed", course)
		}
	}
}

// a receiver has got every event, those of one order in sequence.
func TestADaySimulated(t *testing.T) {
	t.Parallel()
	const perBatch = 50
	simulation := newSimulation()
	s := apptest.Start(t, simulation.option(), apptest.Webhooks())
	batches := testkit.Scaled(67, 1) // for each partner; 67 make 10,050 orders
	operator, receiver := s.Operate(t), apptest.NewReceiver(t)
	listened := ""
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
				t.Fatalf("got %v orders created, want %d: %.500s", created.JSON("created"), perBatch, created.Body)
			}
			p.Cancel(t, created.Text("results", 9, "order", "order_id"), "changed my mind").Must(t, 200)
		}
		s.Clock.Advance(pace / 4)
	}
	simulation.pass(t, s, underWay, "0")
	checkHooks(t, s, receiver, listened)
	s.Until(t, "SELECT count(*) FROM events WHERE state = 'pending'", "0")
	t.Logf("%d orders: %v", 3*batches*perBatch,
		s.Query(t, "SELECT status, count(*) FROM orders GROUP BY status ORDER BY status"))
	s.Audit(t)
	checkDay(t, s, len(partners)*batches)
}

// dayOrders returns orders of every kind.
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

// checkDay compares the histories of all orders with the table of transitions and
// with the audit log. byPartners is the number of changes that partners made.
func checkDay(t *testing.T, s *apptest.Service, byPartners int) {
	t.Helper()
	status, logged := map[string]string{}, map[string]string{} // by order; by order and version
	for _, row := range s.Query(t,
		"SELECT object_id, after FROM audit WHERE action = 'order.moved' AND operator_id = 'simulator'") {
		id, text, _ := strings.Cut(row, " ")
		var after struct {
			Status  string
			Version int
		}
		if err := json.Unmarshal([]byte(text), &after); err != nil {
			t.Fatal(err)
		}
		logged[fmt.Sprint(id, " ", after.Version)] = after.Status
	}
	unexplained := 0
	for _, row := range s.Query(t, "SELECT order_id, version, status FROM order_history ORDER BY order_id, version") {
		step := strings.Fields(row)
		from, seen := status[step[0]]
		if !seen {
			from = string(delivery.StatusPending)
		}
		if !delivery.MayMove(delivery.Status(from), delivery.Status(step[2]), delivery.ActorService) {
			t.Errorf("%s: got a move from %s to %s, which is not in the table", step[0], from, step[2])
		}
		status[step[0]] = step[2]
		if logged[step[0]+" "+step[1]] != step[2] {
			unexplained++
		}
		delete(logged, step[0]+" "+step[1])
	}
	if unexplained != byPartners || len(logged) > 0 { // the log has the changes of operators only
		t.Errorf("got %d changes missing in the audit log and %d entries without a change, want %d and 0", unexplained,
			len(logged), byPartners)
	}
}

// checkHooks waits until the receiver has got every event of a partner, and checks
// that those of one order came in sequence.
func checkHooks(t *testing.T, s *apptest.Service, receiver *apptest.Receiver, partnerID string) {
	t.Helper()
	want, _ := strconv.Atoi(s.Query(t, "SELECT count(*) FROM events WHERE partner_id = '"+partnerID+"'")[0])
	seen, last := map[string]bool{}, map[string]float64{}
	for len(seen) < want {
		hook := receiver.Next(t)
		id, order := hook.Text("id"), hook.Text("data", "order_id")
		if seen[id] {
			continue // events may arrive more than once
		}
		seen[id] = true
		sequence, _ := hook.JSON("sequence").(float64)
		if sequence != last[order]+1 {
			t.Fatalf("%s: got event %v after event %v", order, sequence, last[order])
		}
		last[order] = sequence
	}
	t.Logf("%d events", want)
}
