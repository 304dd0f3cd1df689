package webhook

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

const (
	modelOrders    = 4
	modelEvents    = 3 // of each order
	modelEndpoints = 3 // of the partner
)

// histories has the endpoints of a partner, whose lanes run on one node.
type histories struct {
	surroundings
	endpoints []*model
}

// model is the world around a lane: a database, an endpoint, and what the lane
// has asked for and what has not happened yet. A test draws what happens next.
type model struct {
	*rapid.T
	*lane
	*histories
	dead bool // every request fails

	stored   map[outbox.EventKey]*Event
	endpoint Endpoint // as stored; its URL is the number of its version
	version  int      // that the lane knows of

	fetching []fetch
	read     []fetched // has been read, and has not reached the lane
	underWay []*request
	toWrite  []*request
	parking  bool
	yields   bool                     // the lane parks although something may be due
	arrived  map[outbox.EventKey]bool // has been delivered once
}

// newHistories returns three endpoints, one of which is dead in half of the histories.
func newHistories(t *rapid.T) *histories {
	h := &histories{surroundings: surroundings{now: testkit.Epoch, permits: newPermits(rigPermits)}}
	dead := rapid.IntRange(-modelEndpoints, modelEndpoints-1).Draw(t, "dead")
	for i := range modelEndpoints {
		h.add(t, []string{"", "whe_1", "whe_2"}[i]).dead = i == dead
	}
	return h
}

// add adds an endpoint with the events of all orders.
func (h *histories) add(t *rapid.T, endpointID string) *model {
	m := &model{
		T: t, histories: h, stored: map[outbox.EventKey]*Event{}, arrived: map[outbox.EventKey]bool{},
	}
	m.endpoint = Endpoint{
		PartnerID: "par_1", EndpointID: endpointID, Holder: "node/1", LeaseUntil: m.now.AddDate(1, 0, 0), Enabled: true,
		URL: "0",
	}
	for o := range modelOrders {
		for sequence := range int64(modelEvents) {
			e := &Event{State: outbox.Pending, EndpointID: endpointID, Event: delivery.Event{
				EventID: fmt.Sprintf("%d/%d", o, sequence+1), PartnerID: "par_1", OrderID: strconv.Itoa(o), Sequence: sequence + 1,
			}}
			if sequence == 0 {
				e.DueAt = m.now
			}
			m.stored[e.Key()] = e
		}
	}
	h.endpoints = append(h.endpoints, m)
	m.lease()
	return m
}

// lease leases the endpoint for a new lane.
func (m *model) lease() {
	endpoint := m.endpoint
	m.permits.begin(endpoint.Speed())
	m.lane = newLane(&endpoint, false)
	m.limit = 2 // so that fetches are full
	m.send(onWoken)
}

// send steps the lane, notes what it asks for, and checks what it starts.
func (m *model) send(message message) {
	before := m.state
	for _, c := range m.step(message, m.surroundings) {
		switch c := c.(type) {
		case start:
			m.checkStart(c.request)
			m.underWay = append(m.underWay, c.request)
		case report:
			m.toWrite = append(m.toWrite, c.request)
		case fetch:
			m.fetching = append(m.fetching, c)
		case park:
			m.parking, m.yields = true, c.yields
		default: // the model's leases do not run out
		}
	}
	if n := len(m.fetching) + len(m.read); n > 1 {
		m.Fatalf("%d fetches under way", n)
	}
	if m.state == ended && before != ended {
		m.permits.end(m.speed) // as the runner does
	}
	m.checkPermits()
}

// checkPermits: each request under way has a permit, and so has a lane without requests.
func (m *model) checkPermits() {
	var want [len(Speeds)]int
	for _, at := range m.endpoints {
		if at.state != ended {
			want[at.speed] += max(1, len(at.underWay))
		}
	}
	if got := m.permits.counts(); got != want {
		m.Fatalf("%d requests are under way in state %s: got slots %v in use, want %v", len(m.underWay), m.state, got, want)
	}
}

func (m *model) checkStart(r *request) {
	key := r.event.Key()
	switch before := key.Previous(); {
	case len(m.underWay) > 0 && len(m.underWay) >= m.atMost(m.surroundings):
		m.Fatalf("%d requests under way at pace %d", len(m.underWay)+1, m.pace)
	case m.state != sending:
		m.Fatalf("%s is sent in state %s", r.event.EventID, m.state)
	case slices.ContainsFunc(slices.Concat(m.underWay, m.toWrite), func(o *request) bool { return o.event.Key() == key }):
		m.Fatalf("%s is sent while it is under way or not settled", r.event.EventID)
	case m.stored[key].State == outbox.Delivered:
		m.Fatalf("%s is sent although it is stored as delivered", r.event.EventID)
	case key.Sequence > 1 && !m.arrived[before] && outbox.Blocks(m.stored[before].State, m.stored[before].Tries):
		m.Fatalf("%s is sent before the event in front of it has arrived", r.event.EventID)
	}
	if version, _ := strconv.Atoi(r.endpoint.URL); version < m.version {
		m.Fatalf("%s is sent to version %d of the endpoint, which has been changed to %d", r.event.EventID, version,
			m.version)
	}
}

// due returns copies of the events that the database would return.
func (m *model) due(f fetch) (due []*Event) {
	for o := range modelOrders {
		for sequence := range int64(modelEvents) {
			e := m.stored[outbox.EventKey{
				PartnerID: "par_1", OrderID: strconv.Itoa(o), Sequence: sequence + 1, EndpointID: m.endpoint.EndpointID,
			}]
			if e.State == outbox.Pending && !e.DueAt.IsZero() && !e.DueAt.After(m.now) {
				due = append(due, m.withBehind(e))
			}
		}
	}
	slices.SortStableFunc(due, compareDue)
	if f.after != nil {
		due = slices.DeleteFunc(due, func(e *Event) bool { return compareDue(e, f.after) <= 0 })
	}
	return due[:min(len(due), f.limit)]
}

func compareDue(a, b *Event) int {
	return cmp.Or(a.DueAt.Compare(b.DueAt), strings.Compare(a.EventID, b.EventID))
}

// withBehind copies an event and what waits behind it.
func (m *model) withBehind(e *Event) *Event {
	found := *e
	for next := m.stored[e.Key().Next()]; next != nil &&
		next.State == outbox.Pending && next.DueAt.IsZero(); next = m.stored[next.Key().Next()] {
		behind := *next
		found.Behind = append(found.Behind, &behind)
	}
	return &found
}

// act lets one thing happen that can.
func (m *model) act(what string) {
	switch what {
	case "read":
		if len(m.fetching) > 0 {
			endpoint := m.endpoint
			m.read = append(m.read, fetched{m.fetching[0], &endpoint, m.due(m.fetching[0])})
			m.fetching = nil
		}
	case "fetched":
		if len(m.read) > 0 {
			found := m.read[0]
			m.read = nil
			m.send(found)
		}
	case "fetch failed":
		if len(m.fetching) > 0 {
			m.fetching = nil
			m.send(onFetchFailed)
		}
	case "answer":
		m.answer(rapid.SampledFrom([]int{200, 200, 200, 500}).Draw(m.T, "status"))
	case "settle":
		m.settle()
	case "refuse":
		if requests := m.toWrite; len(requests) > 0 {
			m.toWrite = nil
			m.send(refused{requests})
		}
	case "beat":
		m.now = m.now.Add(lookEvery)
		m.send(onBeat)
	case "change":
		m.version++
		m.endpoint.URL = strconv.Itoa(m.version)
		m.endpoint.succeed()
		m.send(onChanged)
	case "wake":
		m.send(onWoken)
	case "others wait":
		m.permits.await(m.speed, true)
	case "none waits":
		m.noneWaits()
	case "linger":
		if m.state == lingering {
			m.send(onLingered)
		}
	}
}

func (m *model) answer(status int) {
	if len(m.underWay) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.underWay)-1).Draw(m.T, "request")
	r := m.underWay[i]
	m.underWay = slices.Delete(m.underWay, i, i+1)
	if m.dead {
		status = 500
	}
	r.answer = Answer{Status: status}
	r.lasted = rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 3 * time.Second}).Draw(m.T, "lasted")
	if r.answer.Delivered() {
		m.arrived[r.event.Key()] = true
	}
	m.send(answered{r})
}

// settle does what the settler does, in one transaction.
func (m *model) settle() {
	requests, parks := m.toWrite, m.parking
	m.toWrite, m.parking = nil, false
	for _, r := range requests {
		p := judge(&m.endpoint, *r, m.now, 0.5)
		stored := m.stored[p.Key()]
		if stored.State != p.FromState || stored.Tries != p.FromTries {
			continue
		}
		*stored = *p.Event
		if !stored.DueAt.IsZero() {
			stored.DueAt = m.now.Add(lookEvery) // rather than hours later
		}
		stored.Behind, stored.Tries = nil, 0
		if next := m.stored[p.Key().Next()]; stored.State == outbox.Delivered && next != nil &&
			next.State == outbox.Pending && next.DueAt.IsZero() {
			next.DueAt = m.now
		}
	}
	endpoint := m.endpoint
	if len(requests) > 0 || parks {
		m.send(settled{&endpoint, requests})
	}
	switch {
	case parks && m.hasWork() && !m.closing && !m.yields:
		m.send(onKept)
	case parks:
		m.send(onParked)
	}
}

func (m *model) noneWaits() {
	for _, speed := range Speeds {
		m.permits.await(speed, false)
	}
}

// hasWork reports whether something is due, and the breaker lets it be sent.
func (m *model) hasWork() bool {
	return len(m.due(fetch{limit: 1})) > 0 && !m.endpoint.OpenUntil.After(m.now)
}

// TestLaneHistories draws what happens around the lanes of three endpoints of a partner. The
// model checks each request that starts. In the end either the sender closes, or all goes well
// from then on, and every event must arrive at every endpoint but the dead one.
func TestLaneHistories(t *testing.T) {
	t.Parallel()
	things := []string{
		"read", "read", "fetched", "fetched", "fetch failed", "answer", "answer", "answer", "settle", "refuse", "beat",
		"change", "wake", "linger", "others wait", "none waits",
	}
	repeatable.Check(t, func(t *rapid.T) {
		h := newHistories(t)
		for range rapid.IntRange(0, 60*modelEndpoints).Draw(t, "things") {
			rapid.SampledFrom(h.endpoints).Draw(t, "endpoint").act(rapid.SampledFrom(things).Draw(t, "thing"))
		}
		if rapid.Bool().Draw(t, "close") {
			for _, m := range h.endpoints {
				m.close()
			}
			return
		}
		if rapid.Bool().Draw(t, "no others") {
			h.endpoints[0].noneWaits() // otherwise the lanes yield after each turn
		}
		for range 400 {
			for _, m := range h.endpoints {
				m.goWell()
				if m.state == ended && m.hasWork() {
					m.lease()
				}
			}
		}
		for _, m := range h.endpoints {
			for _, e := range m.stored {
				if (e.State != outbox.Delivered) != m.dead {
					t.Errorf("%s at %q is %s, due %v, at %v; the lane is %s", e.EventID, m.endpoint.EndpointID, e.State, e.DueAt, m.now,
						m.state)
				}
			}
		}
	})
}

// goWell lets everything happen that is under way.
func (m *model) goWell() {
	for len(m.underWay) > 0 {
		m.answer(200)
	}
	for _, what := range []string{"settle", "read", "fetched", "linger", "beat"} {
		m.act(what)
	}
}

// close closes the sender. The lane must end, with nothing under way.
func (m *model) close() {
	m.send(onStopped)
	for range 4 {
		m.act("fetch failed")
		m.goWell()
	}
	if m.state != ended || len(m.underWay)+len(m.toWrite)+len(m.fetching)+len(m.read) > 0 {
		m.Fatalf("a closed lane is %s, and has %d requests under way", m.state, len(m.underWay))
	}
}
