package cluster_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// badReceiver is a partner's receiver that fails in every way. It accepts an
// event at its second arrival at the latest, so that one retry is enough.
type badReceiver struct {
	*httptest.Server
	secret   string
	requests *tally

	mu     sync.Mutex // guards the following fields
	draw   func(below int) int
	calm   bool                // it no longer fails
	held   chan struct{}       // closed to answer the request that is answered slowly; nil if none is
	others int                 // requests until held is closed
	first  map[string][]string // event ids by order, in the order of their first arrival
	bodies map[string]string   // by event id
	again  []string            // ids of events that have arrived before
	faults []string
}

func newBadReceiver(t *testing.T) *badReceiver {
	t.Helper()
	m := &badReceiver{requests: newTally(), draw: repeatable.Rand(t,
		"receiver").IntN, first: map[string][]string{}, bodies: map[string]string{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *badReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed
	}
	if m.arrived(r, string(body)) {
		return
	}
	switch m.fault() {
	case 0:
		w.WriteHeader(http.StatusInternalServerError)
	case 1:
		panic(http.ErrAbortHandler) // a reset
	case 2:
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	case 3:
		m.hold(r.Context()) // slow, and successful
	default:
	}
}

// fault draws how to answer the first arrival of an event.
func (m *badReceiver) fault() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calm {
		return -1
	}
	return m.draw(40)
}

// hold waits until some other requests have arrived. It holds one request at a time.
func (m *badReceiver) hold(ctx context.Context) {
	m.mu.Lock()
	if m.calm || m.held != nil {
		m.mu.Unlock()
		return
	}
	held := make(chan struct{})
	m.held, m.others = held, 10
	m.mu.Unlock()
	select {
	case <-held:
	case <-ctx.Done(): // the sender was killed
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.held == held {
			m.held = nil
		}
	}
}

// release counts a request, and answers the one that is held when there were enough. The
// caller holds mu.
func (m *badReceiver) release(enough bool) {
	if m.others--; m.held != nil && (enough || m.others == 0) {
		close(m.held)
		m.held = nil
	}
}

// calmDown makes the receiver accept everything.
func (m *badReceiver) calmDown() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calm = true
	m.release(true)
}

// arrived records an event and reports whether it has arrived before.
func (m *badReceiver) arrived(r *http.Request, body string) (again bool) {
	m.requests.add()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.release(false)
	id := r.Header.Get("Drop-Event-Id")
	if !signature.VerifyEvent([]byte(m.secret), []byte(body), r.Header.Get("Drop-Signature")) {
		m.faults = append(m.faults, "wrong signature of "+body)
	}
	if r.URL.Path != "/hook" {
		m.faults = append(m.faults, "sent to "+r.URL.Path)
	}
	if before, again := m.bodies[id]; again {
		if before != body {
			m.faults = append(m.faults, "different bytes for "+id)
		}
		m.again = append(m.again, id)
		return true
	}
	m.bodies[id] = body
	_, order, _ := strings.Cut(body, `"order_id":"`)
	order, _, _ = strings.Cut(order, `"`)
	m.first[order] = append(m.first[order], id)
	return false
}

// TestSenderKilled kills the program again and again while orders move and the
// receiver fails. Each event arrives at least once and always with the same
// bytes, and the first arrivals of one order's events are in sequence.
func TestSenderKilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		database func(*testing.T) string
		kills    int
		requests int64 // between two kills, at most
	}{
		"sqlite":   {func(*testing.T) string { return "" }, testkit.Scaled(100, 10), 20},
		"postgres": {func(t *testing.T) string { return migrated.URL(t) }, testkit.Scaled(6, 2), 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newBadReceiver(t)
			n := &node{settings: settings{data: t.TempDir(), database: c.database(t), webhooks: true}}
			n.start(t)
			partner := n.service().Register(t, "metro")
			operator := n.service().Operate(t)
			m.secret = partner.SetEndpoint(t, m.URL+"/hook")
			var moving sync.WaitGroup
			for i := range testkit.Scaled(8, 2) {
				moving.Go(func() { n.move(t, i, partner, operator) })
			}
			kills := 0
			for random := repeatable.Rand(t); kills < c.kills; kills++ {
				m.requests.await(t, 1+random.Int64N(c.requests))
				n.kill(t)
				if name == "postgres" {
					n.rest(t) // each kill leaves a lease that has to expire
				}
				n.start(t)
			}
			n.ending.Store(true)
			moving.Wait()
			m.calmDown()
			n.kill(t)
			n.rest(t)
			n.start(t)
			n.settled(t)
			n.process.kill()
			m.check(t, n.stored(), partner)
			t.Logf("%d orders, %d kills", n.moved.Load(), kills+1)
		})
	}
}

// node is one installation that is killed and started again.
type node struct {
	settings settings
	process  *process // used by the test's own goroutine only
	current  atomic.Pointer[apptest.Service]
	ending   atomic.Bool
	moved    atomic.Int64
}

func (n *node) start(t *testing.T) {
	t.Helper()
	p, err := startProcess(t, n.settings)
	if err != nil {
		t.Fatal(err)
	}
	n.process = p
	n.current.Store(p.service)
}

func (n *node) kill(t *testing.T) {
	t.Helper()
	if printed := n.process.kill(); strings.Contains(printed, "panic") {
		t.Errorf("the program printed %s", printed)
	}
}

// rest makes the time that the program does not run look longer by what a lease and the
// wait for the second try of an event take: the times for which it waits are earlier.
func (n *node) rest(t *testing.T) {
	t.Helper()
	const microseconds = 10_000_000
	for table, columns := range map[string][]string{
		"events": {"due_at"}, "webhook_endpoints": {"wake_at", "lease_until", "open_until"},
	} {
		for _, column := range columns {
			n.stored().Execute(t, fmt.Sprintf("UPDATE %s SET %[2]s = %[2]s - %d WHERE %[2]s > 0", table, column, microseconds))
		}
	}
}

func (n *node) service() *apptest.Service { return n.current.Load() }

// way is all statuses of a delivered order after the first.
var way = []string{"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"}

// move creates orders and moves each to its last status. It repeats requests that
// were not answered.
func (n *node) move(t *testing.T, mover int, partner *apptest.Partner, operator *apptest.Operator) {
	for i := 0; !n.ending.Load() && !t.Failed(); i++ {
		body := testkit.OrderJSON(fmt.Sprintf("M-%d-%d", mover, i), "")
		key := fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", mover, i)
		var orderID string
		n.ask(t, func(s *apptest.Service) (*apptest.Answer, error) {
			p := at(partner, s)
			answer, err := p.Try("POST", "/v1/orders", body,
				append(p.Signed("POST", "/v1/orders", body), "Idempotency-Key", key)...)
			if err == nil && answer.Status == 201 {
				orderID = answer.Text("order_id")
			}
			return answer, err
		})
		for _, status := range way {
			move := fmt.Appendf(nil, `{"status":%q,"courier_id":%q}`, status, operator.CourierID)
			n.ask(t, func(s *apptest.Service) (*apptest.Answer, error) {
				return s.Try("POST", "/ops/v1/orders/"+orderID+"/status", move, "Authorization", "Bearer "+operator.Token)
			})
		}
		n.moved.Add(1)
	}
}

// ask calls try until it is answered. A repeated move is refused if the first one
// took effect.
func (n *node) ask(t *testing.T, try func(*apptest.Service) (*apptest.Answer, error)) {
	for end := hangs(); time.Now().Before(end); {
		answer, err := try(n.service())
		switch {
		case err != nil, answer.Status == 503:
			backOff()
			continue
		case answer.Status/100 == 2, answer.Code() == "invalid_transition", answer.Code() == "idempotency_in_progress":
			return
		}
		t.Errorf("got status %d: %s", answer.Status, answer.Body)
		return
	}
	t.Errorf("got no answer within %v", repeatable.Hang)
}

// settled waits until all events are delivered.
func (n *node) settled(t *testing.T) { delivered(t, n.stored()) }

// delivered waits until all events of a service are delivered, except those of partners without an endpoint.
func delivered(t *testing.T, stored *apptest.Service) {
	t.Helper()
	stored.Until(t, "SELECT state, due_at, tries, attempts FROM events WHERE state NOT IN ('delivered', 'skipped') LIMIT 5")
}

// stored returns a service for looking into the database.
func (n *node) stored() *apptest.Service {
	return &apptest.Service{Data: n.settings.data, Database: n.settings.database}
}

// once expects that no event has arrived twice, as after programs that were stopped in order.
func (m *badReceiver) once(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.again) > 0 {
		t.Errorf("got the events %v again, want each once", m.again)
	}
}

// check compares what has arrived with what has happened to the orders of a partner.
func (m *badReceiver) check(t *testing.T, stored *apptest.Service, partner *apptest.Partner) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, fault := range m.faults {
		t.Error(fault)
	}
	want := map[string][]string{}
	events := 0
	for _, row := range stored.Query(t, "SELECT order_id, event_id FROM events WHERE partner_id = '"+partner.PartnerID+
		"' ORDER BY order_id, sequence") {
		order, event, _ := strings.Cut(row, " ")
		want[order] = append(want[order], event)
		events++
	}
	for order, ids := range want {
		if !slices.Equal(m.first[order], ids) {
			t.Errorf("%s: got events in the order %v, want %v", order, m.first[order], ids)
		}
	}
	if len(m.bodies) != events || events == 0 {
		t.Errorf("got %d events, want %d", len(m.bodies), events)
	}
	t.Logf("%d events, %d requests", events, m.requests.count.Load())
}
