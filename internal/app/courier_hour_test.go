package app_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/google/uuid"
)

const (
	hoursPerService = 8 // of couriers; tokens expire after twelve
	phones          = 3
	stopsOfPhone    = 3
)

// TestHourOfCouriers simulates hours of couriers whose connections drop: requests and
// answers are lost, phones restart and forget what was answered, and so does the service.
// Every act is carried out once, in order, at its own time and on its own stop.
func TestHourOfCouriers(t *testing.T) {
	t.Parallel()
	hours := testkit.Scaled(500, hoursPerService)
	if !onSQLite() {
		hours = testkit.Scaled(100, hoursPerService) // the engines differ in little that matters here
	}
	for service := range (hours + hoursPerService - 1) / hoursPerService {
		t.Run(fmt.Sprint("service ", service), func(t *testing.T) {
			t.Parallel()
			f := newFloor(t)
			riders := make([]*apptest.Operator, phones)
			for i := range riders {
				riders[i] = f.rider(t, fmt.Sprint("rider", i))
			}
			for run := range hoursPerService {
				seed := uint64(service*hoursPerService + run)
				h := &courierHour{floor: f, random: repeatable.Rand(t, fmt.Sprint("hour ", seed))}
				h.plan(t, riders, seed)
				h.run(t)
				h.check(t)
				f = h.floor
				if t.Failed() {
					t.Fatalf("the hour of seed %d failed", seed)
				}
			}
		})
	}
}

// courierHour is an hour of several couriers.
type courierHour struct {
	floor
	random *rand.Rand
	begun  time.Time
	phones []*phone
}

// phone is what a courier's app keeps.
type phone struct {
	*apptest.Operator
	random *rand.Rand
	stops  []*stop
	resent int // acts that were sent again although they had been carried out
}

// stop is an order with its acts. Those before sent have been answered.
type stop struct {
	orderID string
	acts    []act
	sent    int
}

// act is something that a courier does once. The key and the time are kept with it.
type act struct {
	status  string // empty for a proof
	at      time.Time
	key     string
	picture []byte
}

// plan gives every courier orders, and decides what happens when.
func (h *courierHour) plan(t *testing.T, riders []*apptest.Operator, seed uint64) {
	t.Helper()
	h.begun = h.Clock.Now()
	for i, rider := range riders {
		p := &phone{Operator: rider, random: repeatable.Rand(t, fmt.Sprint("hour ", seed), fmt.Sprint("phone ", i))}
		p.Service = h.Service
		for j := range stopsOfPhone {
			id := h.carried(t, rider, fmt.Sprintf("%d-%d-%d", seed, i, j), delivery.StatusCourierAssigned)
			p.stops = append(p.stops, h.newStop(id, int(seed)*phones*stopsOfPhone+i*stopsOfPhone+j))
		}
		h.phones = append(h.phones, p)
	}
}

// newStop draws the acts of a delivery, some of which fail at first.
func (h *courierHour) newStop(orderID string, number int) *stop {
	statuses := []string{"picked_up", "out_for_delivery"}
	if h.random.IntN(2) == 0 {
		statuses = slices.Insert(statuses, 1, "in_transit")
	}
	if h.random.IntN(3) == 0 {
		statuses = append(statuses, "failed", "out_for_delivery")
	}
	statuses = append(statuses, "", "delivered")
	s := &stop{orderID: orderID}
	at := h.begun.Add(time.Second)
	for _, status := range statuses {
		at = at.Add(time.Duration(h.random.Int64N(int64(9 * time.Minute)))).Truncate(time.Millisecond)
		s.acts = append(s.acts, act{status: status, at: at, key: uuid.NewString(), picture: picture(1 + number%(1<<16-1))})
	}
	return s
}

// run lets the hour pass, and then gives every phone a good connection.
func (h *courierHour) run(t *testing.T) {
	t.Helper()
	for h.Clock.Now().Sub(h.begun) < time.Hour {
		h.Clock.Advance(time.Duration(1+h.random.IntN(8)) * time.Minute)
		if h.random.IntN(60) == 0 {
			h.restart(t)
		}
		apptest.Together(phones, func(i int) (none struct{}) {
			if p := h.phones[i]; p.random.IntN(2) == 0 {
				p.flush(t, h.Clock.Now(), true)
			}
			return none
		})
	}
	h.Clock.Advance(15 * time.Minute)
	apptest.Together(phones, func(i int) (none struct{}) {
		h.phones[i].flush(t, h.Clock.Now(), false)
		return none
	})
}

// restart stops the service, and starts it again on the same data.
func (h *courierHour) restart(t *testing.T) {
	t.Helper()
	h.Stop()
	h.Service = h.Beside(t)
	h.partner.Service, h.operator.Service = h.Service, h.Service
	for _, p := range h.phones {
		p.Service = h.Service
	}
}

// flush sends what has happened, in order for each stop, until the connection drops.
func (p *phone) flush(t *testing.T, now time.Time, drops bool) {
	t.Helper()
	for _, s := range p.stops {
		if drops && s.sent > 0 && p.random.IntN(6) == 0 {
			s.sent-- // the phone restarted before it had stored the answer
			p.resent++
		}
		for s.sent < len(s.acts) && !s.acts[s.sent].at.After(now) {
			if drops && p.random.IntN(4) == 0 {
				return // the request is lost, and the connection with it
			}
			answer := p.send(t, s, s.acts[s.sent])
			if drops && p.random.IntN(4) == 0 {
				p.resent++
				return // the answer is lost
			}
			if answer.Status/100 != 2 {
				t.Errorf("%s of %s: got %d %s, want it carried out", s.acts[s.sent].status, s.orderID, answer.Status, answer.Body)
				return
			}
			s.sent++
		}
	}
}

func (p *phone) send(t *testing.T, s *stop, a act) *apptest.Answer {
	t.Helper()
	headers := []string{"Authorization", "Bearer " + p.Token, "Idempotency-Key", a.key}
	path := "/ops/v1/orders/" + s.orderID
	if a.status == "" {
		path += "/proofs?kind=photo&occurred_at=" + timestamp.Format(a.at)
		return p.Do(t, "POST", path, a.picture, append(headers, "Content-Type", "image/png")...)
	}
	body := fmt.Appendf(nil, `{"status":%q,"occurred_at":%q,"failure_reason":"not_home"}`, a.status,
		timestamp.Format(a.at))
	return p.Do(t, "POST", path+"/status", body, headers...)
}

// check compares the orders with the acts.
func (h *courierHour) check(t *testing.T) {
	t.Helper()
	for _, p := range h.phones {
		for _, s := range p.stops {
			var want, got bytes.Buffer
			for _, a := range s.acts {
				if a.status != "" {
					fmt.Fprintln(&want, a.status, timestamp.Format(a.at))
				}
			}
			read := h.operator.Call(t, "GET", "/ops/v1/orders/"+s.orderID, nil).Must(t, 200)
			for i := 3; i < read.Len("order", "status_history"); i++ { // after pending, accepted and courier_assigned
				fmt.Fprintln(&got, read.Text("order", "status_history", i, "status"),
					read.Text("order", "status_history", i, "timestamp"))
			}
			if got.String() != want.String() {
				t.Errorf("%s: got\n%swant\n%s", s.orderID, &got, &want)
			}
			proved := s.acts[len(s.acts)-2]
			if read.Len("proofs") != 1 || read.Text("proofs", 0, "at") != timestamp.Format(proved.at) {
				t.Errorf("%s: got the proofs %v, want one at %s", s.orderID, read.JSON("proofs"), timestamp.Format(proved.at))
			}
		}
	}
}
