package app_test

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/testkit"
)

// checkEveryStatus moves an order through every status. Each event
// arrives once, in sequence, with the service's time, and passes both checks that a
// receiver can make.
func checkEveryStatus(t *testing.T, h *hooked) {
	id := h.order(t)
	types := map[string]string{
		"accepted": "order.accepted", "courier_assigned": "courier.assigned", "picked_up": "order.picked_up",
		"in_transit": "order.in_transit", "out_for_delivery": "order.out_for_delivery", "failed": "order.failed",
		"delivered": "order.delivered",
	}
	states := []string{
		"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "failed", "out_for_delivery",
		"delivered",
	}
	var settled []string
	for i, status := range states {
		h.advance(t, 1100*time.Millisecond)
		h.operator.Move(t, id, status).Must(t, 200)
		hook := h.receiver.Next(t)
		if hook.Text("type") != types[status] || hook.JSON("sequence") != float64(i+1) ||
			hook.Text("data", "order_id") != id {
			t.Errorf("%s: got %s, want type %s and sequence %d", status, hook.Body, types[status], i+1)
		}
		if at := timestamp.Format(h.Clock.Now()); hook.Text("created_at") != at {
			t.Errorf("%s: got created_at %s, want %s", status, hook.Text("created_at"), at)
		}
		eventID, now := h.eventOf(t, id, i+1), strconv.FormatInt(h.Clock.Now().Unix(), 10)
		for name, want := range map[string]string{
			"Drop-Event-Id": eventID, "webhook-id": eventID, "Drop-Event-Timestamp": now, "webhook-timestamp": now,
			"Content-Type": "application/json",
		} {
			if got := hook.Header.Get(name); got != want {
				t.Errorf("%s: got %s %q, want %q", status, name, got, want)
			}
		}
		if hook.Text("id") != eventID || !hook.Verifies(h.secret) || !hook.VerifiesStandard(h.secret) ||
			hook.Verifies(h.secret+"x") {
			t.Errorf("%s: got %v %s, want valid signatures", status, hook.Header, hook.Body)
		}
		settled = append(settled, fmt.Sprint(i+1, " delivered 1"))
	}
	h.settled(t, id, settled...)
	h.receiver.NoneLeft(t)
}

// checkCancelledBy cancels orders as a partner and as an operator. The event says which.
func checkCancelledBy(t *testing.T, h *hooked) {
	h.partner.Cancel(t, h.order(t), "changed my mind").Must(t, 200)
	if got := h.receiver.Next(t); got.Text("data", "cancelled_by") != "partner" ||
		got.Text("data", "reason") != "changed my mind" {
		t.Errorf("by the partner: got %s, want cancelled_by partner and the reason", got.Body)
	}
	h.operator.Move(t, h.order(t), "cancelled").Must(t, 200)
	if got := h.receiver.Next(t); got.Text("data", "cancelled_by") != "service" || got.Text("data", "reason") != "" {
		t.Errorf("by the service: got %s, want cancelled_by service", got.Body)
	}
}

// checkRetries fails an event again and again. Each retry has the same id and body and a
// timestamp of its own. The next event of the order waits for four failures.
func checkRetries(t *testing.T, h *hooked) {
	h.receiver.Answers(func(hook *apptest.Hook) int {
		if hook.JSON("sequence") == 1.0 {
			return 503
		}
		return 204
	})
	id := h.accepted(t)
	h.operator.Move(t, id, "courier_assigned").Must(t, 200)
	first := h.receiver.Next(t)
	for try := 1; try < 4; try++ {
		h.settled(t, id, fmt.Sprint("1 pending ", try), "2 pending 0")
		h.receiver.NoneLeft(t)
		h.advance(t, untilNext[try-1])
		again := h.receiver.Next(t)
		if string(again.Body) != string(first.Body) ||
			again.Header.Get("Drop-Event-Id") != first.Header.Get("Drop-Event-Id") {
			t.Errorf("try %d: got %v %s\nwant the id and the body of %v %s", try+1, again.Header, again.Body, first.Header,
				first.Body)
		}
		if again.Header.Get("Drop-Event-Timestamp") != strconv.FormatInt(h.Clock.Now().Unix(), 10) ||
			!again.Verifies(h.secret) || !again.VerifiesStandard(h.secret) {
			t.Errorf("try %d: got %v, want the present timestamp and valid signatures", try+1, again.Header)
		}
	}
	if second := h.receiver.Next(t); second.JSON("sequence") != 2.0 {
		t.Errorf("after four failures: got %s, want sequence 2", second.Body)
	}
	h.settled(t, id, "1 pending 4", "2 delivered 1")
	for state, want := range map[string][]string{"pending": {h.eventOf(t, id,
		1)}, "delivered": {h.eventOf(t, id, 2)}, "failed": nil, "skipped": nil} {
		if got := h.listed(t, "state="+state); !slices.Equal(got, want) {
			t.Errorf("%s: got events %v, want %v", state, got, want)
		}
	}

	got := h.delivery(t, h.eventOf(t, id, 1))
	if got.Answer.Text("body") != string(first.Body) || got.Len("attempt_log") != 4 || got.JSON("attempts") != 4.0 ||
		got.Text("state") != "pending" || got.Text("next_attempt_at") == "" {
		t.Errorf("event: got %s, want pending with four attempts", got.Body)
	}
	if got.JSON("attempt_log", 0, "status_code") != 503.0 || got.JSON("attempt_log", 0, "delivered") != false ||
		got.JSON("attempt_log", 0, "error") != nil {
		t.Errorf("first attempt: got %s, want status_code 503, not delivered", got.Body)
	}
	h.receiver.Answers(nil)
	h.advance(t, untilNext[3])
	h.receiver.Next(t)
	h.settled(t, id, "1 delivered 5", "2 delivered 1")
	h.receiver.NoneLeft(t)
}

// TestEndpointsAreIndependent delivers to one endpoint while another does not answer.
func TestEndpointsAreIndependent(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	release := make(chan struct{})
	h.receiver.Answers(func(*apptest.Hook) int { <-release; return 200 })
	slow := []string{h.accepted(t), h.accepted(t)}

	other, receiver := h.Register(t, "other"), apptest.NewReceiver(t)
	quick := &hooked{
		Service: h.Service, partner: other, operator: h.operator, receiver: receiver,
		secret: other.SetEndpoint(t, receiver.URL),
	}
	for range 3 {
		id := quick.accepted(t)
		if hook := receiver.Next(t); hook.Text("data", "order_id") != id || !hook.Verifies(quick.secret) ||
			hook.Verifies(h.secret) {
			t.Errorf("got %s, want order %s, signed for this endpoint", hook.Body, id)
		}
		quick.settled(t, id, "1 delivered 1")
	}
	close(release)
	for _, id := range slow {
		h.settled(t, id, "1 delivered 1")
	}
}

// checkGone answers 410. The endpoint is disabled, and the partner
// sees why. When it is set again, the waiting events are sent.
func checkGone(t *testing.T, h *hooked) {
	h.receiver.Answers(apptest.Always(410))
	id := h.accepted(t)
	h.receiver.Next(t)
	h.settled(t, id, "1 pending 1")
	if got := h.endpoint(t); got.JSON("enabled") != false || got.Text("disabled_reason") == "" ||
		got.Text("url") != h.receiver.URL {
		t.Errorf("endpoint: got %s, want it disabled with a reason", got.Body)
	}
	h.receiver.Answers(nil)
	later := h.accepted(t)
	h.advance(t, 48*time.Hour)
	h.parked(t)
	h.receiver.NoneLeft(t)
	if got := h.test(t); got.JSON("delivered") != true {
		t.Errorf("test: got %s, want it delivered", got.Body)
	}
	h.receiver.Next(t)

	if got := h.edit(t, `{"enabled":true}`); got.JSON("enabled") != true || got.JSON("disabled_reason") != nil {
		t.Errorf("set again: got %s, want it enabled", got.Body)
	}
	h.settled(t, id, "1 delivered 2")
	h.settled(t, later, "1 delivered 1")
}

// checkDisabled disables an endpoint. Its events wait until it is enabled.
func checkDisabled(t *testing.T, h *hooked) {
	h.enable(t, false)
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	h.settled(t, id, "1 pending 0", "2 pending 0")
	if got := h.endpoint(t); got.JSON("enabled") != false || got.JSON("disabled_reason") != nil {
		t.Errorf("endpoint: got %s, want it disabled without a reason", got.Body)
	}
	h.receiver.NoneLeft(t)
	h.enable(t, true)
	h.settled(t, id, "1 delivered 1", "2 delivered 1")
	for i := range 2 {
		if hook := h.receiver.Next(t); hook.JSON("sequence") != float64(i+1) {
			t.Errorf("got %s, want sequence %d", hook.Body, i+1)
		}
	}
}

// TestEventsAfterRestart stops a service while an event waits. The next service
// sends it.
func TestEventsAfterRestart(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	h := newHooked(t, dir)
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	h.receiver.Next(t)
	h.settled(t, id, "1 pending 1")
	h.Stop()
	h.Audit(t)

	h.receiver.Answers(nil)
	next := apptest.Start(t, dir, apptest.Webhooks())
	next.Clock.Advance(untilNext[0])
	hook := h.receiver.Next(t)
	if !hook.Verifies(h.secret) {
		t.Errorf("got %v, want a signature with the same secret", hook.Header)
	}
	h.settled(t, id, "1 delivered 2")
}

// TestUnreliableReceiver moves many orders while their receiver fails at random,
// and then recovers. Each event is delivered and always has the same bytes. Those
// of an order first arrive in sequence, unless one has failed four times.
func TestUnreliableReceiver(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	h.receiver.Answers(func(hook *apptest.Hook) int {
		// The same event has another result at another time.
		whim := crc32.ChecksumIEEE(append([]byte(hook.Header.Get("Drop-Event-Timestamp")), hook.Body...))
		return []int{200, 200, 200, 503, 0}[whim%5]
	})
	paths := [][]string{{"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"},
		{
			"accepted", "courier_assigned", "failed", "cancelled",
		}, {"cancelled"}, {"accepted", "courier_assigned", "accepted", "cancelled"}}
	const many = 24
	events := 0
	for i := range many {
		events += len(paths[i%len(paths)])
	}
	apptest.Together(many, func(i int) bool {
		id := h.order(t)
		for _, status := range paths[i%len(paths)] {
			h.operator.Move(t, id, status).Must(t, 200)
		}
		return true
	})
	for _, wait := range untilNext[:3] {
		h.parked(t)
		h.Audit(t)
		h.Clock.Advance(wait)
	}
	h.parked(t)
	h.receiver.Answers(nil)
	h.Clock.Advance(30 * time.Hour)
	h.Until(t, "SELECT state, count(*) FROM events GROUP BY state", fmt.Sprint("delivered ", events))
	h.parked(t)
	h.Audit(t)
	h.Stop()
	if late := h.Query(t, "SELECT event_id FROM events WHERE due_at != 0"); len(late) > 0 {
		t.Errorf("got events %v due, want none", late)
	}
	bodies, came, delivered := map[string]string{}, map[string]int{}, map[string]int{}
	for range h.attempts(t) {
		hook := h.receiver.Next(t)
		sequence, _ := hook.JSON("sequence").(float64)
		key := func(sequence float64) string { return fmt.Sprint(hook.Text("data", "order_id"), " ", sequence) }
		if before := key(sequence - 1); sequence > 1 && delivered[before] == 0 && came[before] < 4 {
			t.Errorf("got %s before the event that precedes it", hook.Body)
		}
		if before, known := bodies[key(sequence)]; known && before != string(hook.Body) {
			t.Errorf("got body %s\nwant %s", hook.Body, before)
		}
		bodies[key(sequence)] = string(hook.Body)
		came[key(sequence)]++
		if hook.Status == 200 {
			delivered[key(sequence)]++
		}
	}
	h.receiver.NoneLeft(t)
	if len(delivered) != events {
		t.Errorf("got %d events acknowledged, want %d", len(delivered), events)
	}
	for id, times := range delivered {
		if times != 1 { // no service was restarted, so that no event is sent again
			t.Errorf("%s: got it acknowledged %d times, want once", id, times)
		}
	}
}

// attempts returns the number of requests according to the database.
func (h *hooked) attempts(t *testing.T) int {
	t.Helper()
	sum := 0
	for _, row := range h.Query(t,
		"SELECT length(attempts) - length(replace(attempts, '\"at\":', '\"at\"')) FROM events") {
		n, err := strconv.Atoi(row)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// TestLatency measures the time between the commit of an event and its arrival, on
// the node that committed it, and logs it. The aim is 50 ms.
func TestLatency(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	h := newHooked(t)
	const many = 200
	took := make([]time.Duration, many)
	for i := range took {
		id := h.order(t)
		began := time.Now()
		h.operator.Move(t, id, "accepted").Must(t, 200)
		h.receiver.Next(t)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	t.Logf("from the request to the receiver: median %v, 90th percentile %v, 99th %v, longest %v", took[many/2],
		took[many*9/10], took[many*99/100], took[many-1])

	ids := make([]string, many)
	for i := range ids {
		ids[i] = h.order(t)
	}
	began := time.Now()
	apptest.Together(many, func(i int) int { return h.operator.Move(t, ids[i], "accepted").Status })
	for range ids {
		h.receiver.Next(t)
	}
	t.Logf("%d concurrent events arrived within %v", many, time.Since(began))
}
