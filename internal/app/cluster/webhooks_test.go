package cluster_test

import (
	"fmt"
	"io"
	"math/rand/v2"
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
)

// moody is a partner's receiver with every bad habit. Each event meets at most
// one of them, so that five seconds later it is taken.
type moody struct {
	*httptest.Server
	secret string

	mu       sync.Mutex          // guards what follows
	first    map[string][]string // ids by order, in the order of their first arrival
	bodies   map[string]string   // by id
	requests int
	faults   []string
}

func newMoody(t *testing.T) *moody {
	t.Helper()
	m := &moody{first: map[string][]string{}, bodies: map[string]string{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed
	}
	if m.arrived(r, string(body)) {
		return
	}
	switch rand.IntN(40) {
	case 0:
		w.WriteHeader(http.StatusInternalServerError)
	case 1:
		panic(http.ErrAbortHandler) // a reset
	case 2:
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	case 3:
		time.Sleep(300 * time.Millisecond) // slow, and fine
	default:
	}
}

// arrived notes an event, and tells whether it has come before.
func (m *moody) arrived(r *http.Request, body string) (again bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	id := r.Header.Get("Drop-Event-Id")
	if !signature.VerifyEvent([]byte(m.secret), []byte(body), r.Header.Get("Drop-Signature")) {
		m.faults = append(m.faults, "badly signed: "+body)
	}
	if r.URL.Path != "/hook" {
		m.faults = append(m.faults, "sent to "+r.URL.Path)
	}
	if before, again := m.bodies[id]; again {
		if before != body {
			m.faults = append(m.faults, "other bytes for "+id)
		}
		return true
	}
	m.bodies[id] = body
	_, order, _ := strings.Cut(body, `"order_id":"`)
	order, _, _ = strings.Cut(order, `"`)
	m.first[order] = append(m.first[order], id)
	return false
}

// TestSenderKilled a hundred times while orders move and the receiver
// misbehaves: each event arrives at least once, always the same bytes, and those
// of one order arrive first in their sequence.
func TestSenderKilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		database func(*testing.T) string
		kills    int
		pause    time.Duration // between two kills, at most
	}{
		"sqlite": {func(*testing.T) string { return "" }, scaled(100, 10), 60 * time.Millisecond},
		// Here each kill leaves a lease that has to run out.
		"postgres": {func(t *testing.T) string { return testkit.StartPostgres(t).Database(t) }, scaled(6, 2), 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMoody(t)
			n := &node{settings: settings{data: t.TempDir(), database: c.database(t), webhooks: true}}
			n.start(t)
			partner := n.service().Register(t, "metro")
			operator := n.service().Operate(t)
			m.secret = partner.Call(t, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, m.URL+"/hook")).Must(t, 201).Text("secret")
			var moving sync.WaitGroup
			for i := range 8 {
				moving.Go(func() { n.move(t, i, partner, operator) })
			}
			for range c.kills {
				time.Sleep(rand.N(c.pause))
				if said := n.process.kill(); strings.Contains(said, "panic") {
					t.Errorf("it said %s", said)
				}
				n.start(t)
			}
			n.ending.Store(true)
			moving.Wait()
			n.settled(t)
			n.process.kill()
			n.check(t, m)
		})
	}
}

// node is one process that is killed and started again.
type node struct {
	settings settings
	process  *process // only the test's own goroutine touches it
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

func (n *node) service() *apptest.Service { return n.current.Load() }

var way = []string{"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"}

// move makes orders and brings them all the way, asking again whatever was not
// answered.
func (n *node) move(t *testing.T, mover int, partner *apptest.Partner, operator *apptest.Operator) {
	for i := 0; !n.ending.Load() && !t.Failed(); i++ {
		body := testkit.OrderJSON(fmt.Sprintf("M-%d-%d", mover, i), "")
		key := fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", mover, i)
		var orderID string
		n.ask(t, func(s *apptest.Service) (*apptest.Answer, error) {
			p := at(partner, s)
			answer, err := p.Try("POST", "/v1/orders", body, append(p.Signed("POST", "/v1/orders", body), "Idempotency-Key", key)...)
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

// ask asks until it is answered. A repeated move is refused when the first one
// took effect.
func (n *node) ask(t *testing.T, try func(*apptest.Service) (*apptest.Answer, error)) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		answer, err := try(n.service())
		switch {
		case err != nil, answer.Status == 503:
			continue
		case answer.Status/100 == 2, answer.Code() == "invalid_transition", answer.Code() == "idempotency_in_progress":
			return
		}
		t.Errorf("answered %d %s", answer.Status, answer.Body)
		return
	}
	t.Error("not answered")
}

// settled waits until nothing is on its way any more.
func (n *node) settled(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		waiting := n.query(t, "SELECT count(*) FROM events WHERE state <> 'delivered'")[0]
		if waiting == "0" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s events are still on their way: %v", waiting, n.query(t, "SELECT state, due_at, tries, attempts FROM events WHERE state <> 'delivered' LIMIT 5"))
		}
	}
}

func (n *node) query(t *testing.T, text string) []string {
	t.Helper()
	service := apptest.Service{Data: n.settings.data, Database: n.settings.database}
	return service.Query(t, text)
}

// check holds what arrived against what happened.
func (n *node) check(t *testing.T, m *moody) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, fault := range m.faults {
		t.Error(fault)
	}
	want := map[string][]string{}
	events := 0
	for _, row := range n.query(t, "SELECT order_id, event_id FROM events ORDER BY order_id, sequence") {
		order, event, _ := strings.Cut(row, " ")
		want[order] = append(want[order], event)
		events++
	}
	for order, ids := range want {
		if !slices.Equal(m.first[order], ids) {
			t.Errorf("%s: first came %v, happened %v", order, m.first[order], ids)
		}
	}
	if len(m.bodies) != events || events == 0 {
		t.Errorf("%d events came, %d happened", len(m.bodies), events)
	}
	t.Logf("%d orders, %d events, %d requests", n.moved.Load(), events, m.requests)
}
