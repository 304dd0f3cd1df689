package app_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// webhookChecks is what delivery promises for each endpoint of a partner.
var webhookChecks = []struct {
	name  string
	check func(*testing.T, *hooked)
}{
	{"every status sends its event", checkEveryStatus},
	{"a cancellation says by which side", checkCancelledBy},
	{"both headers have the id of the event", checkIDs},
	{"both headers have the time of the request", checkTimes},
	{"Drop-Signature is that of the raw body", checkSignature},
	{"webhook-signature is that of Standard Webhooks", checkStandardSignature},
	{"only the secret of the endpoint signs", checkOwnSecret},
	{"the envelope has its members", checkEnvelope},
	{"letters of all languages are signed as they are sent", checkLetters},

	{"200 takes an event", taken(200)},
	{"201 takes an event", taken(201)},
	{"202 takes an event", taken(202)},
	{"204 takes an event", taken(204)},
	{"299 takes an event", taken(299)},
	{"a closed connection is tried again", triedAgain(0)},
	{"302 is tried again", triedAgain(302)},
	{"400 is tried again", triedAgain(400)},
	{"401 is tried again", triedAgain(401)},
	{"404 is tried again", triedAgain(404)},
	{"429 is tried again", triedAgain(429)},
	{"500 is tried again", triedAgain(500)},
	{"503 is tried again", triedAgain(503)},
	{"retries wait longer and longer", checkRetries},
	{"an event is given up after ten tries", checkGivenUp},
	{"Retry-After is waited for", retryAfter("8", 8*time.Second)},
	{"Retry-After is waited for up to twice the wait", retryAfter("3600", 10*time.Second)},
	{"a redirect is not followed", checkRedirect},
	{"a large answer takes an event", checkLargeAnswer},
	{"a large answer that refuses is tried again", checkLargeRefusal},

	{"events of an order come in their sequence", checkSequence},
	{"orders do not wait for each other", checkOtherOrders},
	{"an event under way is not sent again", checkUnderWay},
	{"concurrent events come once each", checkConcurrent},

	{"ten failures open the breaker", checkBreakerOpens},
	{"an open breaker lets single probes through", checkProbes},
	{"a probe that arrives closes the breaker", checkProbeCloses},
	{"a test that arrives lets the breaker be probed", breakerProbed((*hooked).sendTest)},
	{"a redelivery lets the breaker be probed", breakerProbed((*hooked).sendLast)},
	{"a new URL closes the breaker", breakerProbed((*hooked).move)},
	{"enabling closes the breaker", breakerProbed((*hooked).turnOn)},

	{"410 disables the endpoint", checkGone},
	{"five days of failures disable the endpoint", checkPatience},
	{"events wait while the endpoint is disabled", checkDisabled},
	{"waiting events go to a new URL", checkNewURL},
	{"removal skips what waits", checkRemoved},
	{"removal leaves the other endpoints", checkOthersStay},
	{"removal during a request", checkRemovedUnderWay},

	{"only named types are sent", checkNamedTypes},
	{"a filter keeps the sequence", checkFilteredSequence},
	{"a filter that ends takes all types again", checkFilterEnds},
	{"a new filter holds for what waits", checkFilterOfWaiting},
	{"a type that is not taken is not sent again", checkNotTaken},
	{"unknown types are refused", checkUnknownType},
	{"CloudEvents adds headers", checkCloudEvents},
	{"the other format has no headers of CloudEvents", checkNoCloudEvents},

	{"a rotation signs with both secrets", checkRotation},
	{"a rotation is taken once", checkRotationOnce},
	{"the secret is not shown again", checkSecretHidden},

	{"the log has every attempt", checkRecord},
	{"the log is listed by state, type and order", checkLog},
	{"pages of the log have each event once", checkLogPages},
	{"events of others are out of reach", checkIsolation},
	{"a test event says what came of it", checkTest},

	{"events are sent again as they were", checkRedelivery},
	{"an event that waits can be sent now", checkRedeliveryOfPending},
	{"an order is sent again in its sequence", checkRedeliveryOrder},
	{"a redelivery answers how far the event is at the endpoint", checkRedeliveryAnswer},
	{"changes are in the audit log", checkAudited},
	{"test mode is apart", checkTestMode},
}

// TestThreeEndpointsOneDead makes every check at each of three endpoints of a partner. Of the other two, one gets
// every event once, in sequence and with no delay; the other is dead: it does not answer, closes each
// connection, or refuses.
func TestThreeEndpointsOneDead(t *testing.T) {
	t.Parallel()
	for place, name := range []string{"first", "second", "third"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := apptest.Start(t, apptest.Webhooks())
			operator := service.Operate(t)
			for i, c := range webhookChecks {
				t.Run(c.name, func(t *testing.T) {
					h := amongThree(t, service, operator, fmt.Sprint("shop-", i), place)
					c.check(t, h)
					h.finish(t)
				})
			}
		})
	}
}

// amongThree registers a partner with three endpoints, and returns the one at a place.
func amongThree(t *testing.T, s *apptest.Service, operator *apptest.Operator, name string, place int) *hooked {
	t.Helper()
	partner := s.Register(t, name)
	var three []*hooked
	for _, settings := range []string{"", "", `,"format":"cloudevents"`} {
		h := &hooked{Service: s, partner: partner, operator: operator, receiver: apptest.NewReceiver(t), name: name}
		h.add(t, settings)
		three = append(three, h)
	}
	h := three[place]
	h.beside, h.dead = three[(place+1)%3], three[(place+2)%3]
	h.dead.receiver.Answers(apptest.Always([]int{0, 0, 503}[place]))
	if place == 0 {
		release := make(chan struct{})
		t.Cleanup(func() { close(release) })
		h.dead.receiver.Answers(func(*apptest.Hook) int { <-release; return 0 })
	}
	return h
}

// finish checks what the other endpoints have got, and removes all.
func (h *hooked) finish(t *testing.T) {
	t.Helper()
	h.advance(t, 0)
	sequence := map[string]float64{}
	for range h.Query(t, fmt.Sprintf("SELECT event_id FROM events WHERE partner_id = '%s'", h.partner.PartnerID)) {
		hook := h.beside.receiver.Next(t)
		id := hook.Text("data", "order_id")
		if sequence[id]++; hook.JSON("sequence") != sequence[id] || !hook.VerifiesStandard(h.beside.secret) {
			t.Errorf("the endpoint beside got %s, want the event with the sequence %v, signed for it", hook.Body, sequence[id])
		}
	}
	h.beside.receiver.NoneLeft(t)
	if _, queue := h.dead.tables(); len(h.Query(t, "SELECT event_id "+queue+" AND state = 'delivered'")) > 0 {
		t.Error("the dead endpoint has taken events")
	}
	for _, other := range []*hooked{h, h.beside, h.dead} {
		other.partner.Call(t, "DELETE", other.path(), nil) // the check may have removed it
	}
	h.Audit(t)
}

func checkIDs(t *testing.T, h *hooked) {
	id := h.accepted(t)
	hook, want := h.receiver.Next(t), h.eventOf(t, id, 1)
	for _, got := range []string{hook.Text("id"), hook.Header.Get("Drop-Event-Id"), hook.Header.Get("webhook-id")} {
		if got != want {
			t.Errorf("got the id %q, want %q", got, want)
		}
	}
}

func checkTimes(t *testing.T, h *hooked) {
	h.advance(t, 1700*time.Millisecond)
	h.accepted(t)
	hook, want := h.receiver.Next(t), strconv.FormatInt(h.Clock.Now().Unix(), 10)
	for _, name := range []string{"Drop-Event-Timestamp", "webhook-timestamp"} {
		if got := hook.Header.Get(name); got != want {
			t.Errorf("got %s %q, want %q", name, got, want)
		}
	}
}

func checkSignature(t *testing.T, h *hooked) {
	h.accepted(t)
	hook := h.receiver.Next(t)
	if got := hook.Header.Get("Drop-Signature"); !hook.Verifies(h.secret) || !strings.HasPrefix(got, "v1=") ||
		len(got) != len("v1=")+64 {
		t.Errorf("got the signature %q, want that of the body", got)
	}
	if hook.Body = append(hook.Body, ' '); hook.Verifies(h.secret) {
		t.Error("got a signature that fits another body")
	}
}

func checkStandardSignature(t *testing.T, h *hooked) {
	h.accepted(t)
	hook := h.receiver.Next(t)
	if !hook.VerifiesStandard(h.secret) {
		t.Errorf("got the signature %q, want that of the id, the time and the body", hook.Header.Get("webhook-signature"))
	}
	if hook.Header.Set("webhook-timestamp", "1"); hook.VerifiesStandard(h.secret) {
		t.Error("got a signature that fits another time")
	}
}

func checkOwnSecret(t *testing.T, h *hooked) {
	h.accepted(t)
	hook := h.receiver.Next(t)
	for _, other := range []*hooked{h.beside, h.dead} {
		if hook.Verifies(other.secret) || hook.VerifiesStandard(other.secret) || other.secret == h.secret {
			t.Error("got a signature with the secret of another endpoint")
		}
	}
}

func checkEnvelope(t *testing.T, h *hooked) {
	h.accepted(t)
	hook := h.receiver.Next(t)
	want := []string{"created_at", "data", "id", "livemode", "sequence", "type"}
	if got := hook.Keys(); !slices.Equal(got, want) || hook.JSON("livemode") != true {
		t.Errorf("got %s, want the members %v", hook.Body, want)
	}
}

func checkLetters(t *testing.T, h *hooked) {
	const reason = "Été — 日本 <&> 😀"
	h.partner.Cancel(t, h.order(t), reason).Must(t, 200)
	if hook := h.receiver.Next(t); hook.Text("data", "reason") != reason || !hook.Verifies(h.secret) ||
		!hook.VerifiesStandard(h.secret) {
		t.Errorf("got %s, want the reason %q, signed", hook.Body, reason)
	}
}

// taken returns the check that a status takes an event: it is not sent again.
func taken(status int) func(*testing.T, *hooked) {
	return func(t *testing.T, h *hooked) {
		h.receiver.Answers(apptest.Always(status))
		id := h.accepted(t)
		h.receiver.Next(t)
		h.settled(t, id, "1 delivered 1")
		h.advance(t, 30*time.Hour)
		h.parked(t)
		h.receiver.NoneLeft(t)
	}
}

// triedAgain returns the check that an event is sent again after a status, as it was.
func triedAgain(status int) func(*testing.T, *hooked) {
	return func(t *testing.T, h *hooked) {
		h.receiver.Answers(apptest.Always(status))
		checkTriedAgain(t, h)
	}
}

func checkTriedAgain(t *testing.T, h *hooked) {
	id := h.accepted(t)
	first := h.receiver.Next(t)
	h.settled(t, id, "1 pending 1")
	h.receiver.Answers(nil)
	h.advance(t, 3*time.Second)
	h.parked(t)
	h.receiver.NoneLeft(t)
	h.advance(t, untilNext[0])
	again := h.receiver.Next(t)
	if string(again.Body) != string(first.Body) || again.Header.Get("webhook-id") != first.Header.Get("webhook-id") ||
		!again.VerifiesStandard(h.secret) {
		t.Errorf("got %v %s, want the id and the body of %v %s", again.Header, again.Body, first.Header, first.Body)
	}
	h.settled(t, id, "1 delivered 2")
	h.receiver.NoneLeft(t)
}

// refused returns an accepted order about which the receiver answers every event with a status, and others with 200.
func (h *hooked) refused(t *testing.T, status int) string {
	t.Helper()
	id := h.order(t)
	h.receiver.Answers(func(hook *apptest.Hook) int {
		if hook.Text("data", "order_id") == id {
			return status
		}
		return 200
	})
	h.operator.Move(t, id, "accepted").Must(t, 200)
	return id
}

func checkGivenUp(t *testing.T, h *hooked) {
	id := h.refused(t, 503)
	event := h.eventOf(t, id, 1)
	for try := 1; try < 10; try++ {
		h.settled(t, id, fmt.Sprint("1 pending ", try))
		h.settled(t, h.accepted(t), "1 delivered 1") // which keeps the breaker closed
		next, err := time.Parse(time.RFC3339, h.delivery(t, event).Text("next_attempt_at"))
		if err != nil {
			t.Fatal(err)
		}
		h.advance(t, next.Sub(h.Clock.Now()))
	}
	h.settled(t, id, "1 failed 10")
	h.advance(t, 30*time.Hour)
	h.parked(t)
	if got := h.delivery(t, event); got.Text("state") != "failed" || got.JSON("next_attempt_at") != nil ||
		got.Len("attempt_log") != 10 {
		t.Errorf("got %s, want it failed after 10 attempts", got.Body)
	}
	h.receiver.Answers(nil)
	h.redeliver(t, event).Must(t, 200)
	h.settled(t, id, "1 delivered 1")
}

// retryAfter returns the check of how long an event waits if the receiver asks for it.
func retryAfter(asked string, want time.Duration) func(*testing.T, *hooked) {
	return func(t *testing.T, h *hooked) {
		h.receiver.Answers(func(hook *apptest.Hook) int {
			hook.Reply.Set("Retry-After", asked)
			return 503
		})
		id := h.accepted(t)
		h.settled(t, id, "1 pending 1")
		got, next := h.delivery(t, h.eventOf(t, id, 1)), timestamp.Format(h.Clock.Now().Add(want))
		if got.Text("next_attempt_at") != next {
			t.Errorf("got %s, want the next attempt at %s", got.Body, next)
		}
	}
}

func checkRedirect(t *testing.T, h *hooked) {
	elsewhere := apptest.NewReceiver(t)
	h.receiver.Answers(func(hook *apptest.Hook) int {
		hook.Reply.Set("Location", elsewhere.URL)
		return 307
	})
	checkTriedAgain(t, h)
	elsewhere.NoneLeft(t)
}

// large is more than is read of an answer.
var large = strings.Repeat("x", 3<<20)

func checkLargeAnswer(t *testing.T, h *hooked) {
	h.receiver.Answers(func(hook *apptest.Hook) int { hook.ReplyText = large; return 200 })
	id := h.accepted(t)
	h.settled(t, id, "1 delivered 1")
}

func checkLargeRefusal(t *testing.T, h *hooked) {
	h.receiver.Answers(func(hook *apptest.Hook) int { hook.ReplyText = large; return 500 })
	checkTriedAgain(t, h)
}

// hold has the receiver wait before it answers. It returns a channel that receives for each request that came, and
// what lets all of them go on.
func (h *hooked) hold(t *testing.T) (came <-chan bool, release func()) {
	t.Helper()
	arrived, released := make(chan bool, 1000), make(chan struct{})
	h.receiver.Answers(func(*apptest.Hook) int {
		arrived <- true
		<-released
		return 200
	})
	return arrived, func() { close(released) }
}

func checkSequence(t *testing.T, h *hooked) {
	came, release := h.hold(t)
	id := h.accepted(t)
	<-came
	for _, status := range []string{"courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"} {
		h.operator.Move(t, id, status).Must(t, 200)
	}
	release()
	for i := range 6 {
		if hook := h.receiver.Next(t); hook.JSON("sequence") != float64(i+1) {
			t.Errorf("got %s, want sequence %d", hook.Body, i+1)
		}
	}
	h.settled(t, id, "1 delivered 1", "2 delivered 1", "3 delivered 1", "4 delivered 1", "5 delivered 1", "6 delivered 1")
	h.receiver.NoneLeft(t)
}

func checkOtherOrders(t *testing.T, h *hooked) {
	failing := h.refused(t, 500)
	h.settled(t, failing, "1 pending 1")
	for range 3 {
		h.settled(t, h.accepted(t), "1 delivered 1")
	}
	h.settled(t, failing, "1 pending 1")
}

func checkUnderWay(t *testing.T, h *hooked) {
	came, release := h.hold(t)
	id := h.accepted(t)
	<-came
	h.advance(t, 2*time.Second) // less than its lease
	h.redeliver(t, h.eventOf(t, id, 1)).Must(t, 200)
	release()
	h.receiver.Next(t)
	h.settled(t, id, "1 delivered 1")
	h.parked(t)
	h.receiver.NoneLeft(t)
}

func checkConcurrent(t *testing.T, h *hooked) {
	want := map[string]bool{}
	for _, id := range apptest.Together(8, func(int) string { return h.accepted(t) }) {
		want[id] = true
	}
	for range len(want) {
		hook := h.receiver.Next(t)
		if id := hook.Text("data", "order_id"); !want[id] {
			t.Errorf("got the event of order %s twice", id)
		} else {
			delete(want, id)
		}
	}
	h.states(t, "delivered 8")
	h.receiver.NoneLeft(t)
}

// breakerOpens has ten of twelve events fail, which opens the breaker.
func (h *hooked) breakerOpens(t *testing.T) {
	t.Helper()
	h.enable(t, false)
	for range 12 {
		h.accepted(t)
	}
	h.receiver.Answers(apptest.Always(503))
	h.enable(t, true)
	for range 10 {
		h.receiver.Next(t)
	}
	h.parked(t)
	h.receiver.NoneLeft(t)
}

func checkBreakerOpens(t *testing.T, h *hooked) {
	h.breakerOpens(t)
	h.advance(t, 29*time.Second)
	h.parked(t)
	h.receiver.NoneLeft(t)
}

func checkProbes(t *testing.T, h *hooked) {
	h.breakerOpens(t)
	for _, wait := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute} {
		h.advance(t, wait-time.Second)
		h.parked(t)
		h.receiver.NoneLeft(t)
		h.advance(t, time.Second)
		h.receiver.Next(t)
		h.parked(t)
	}
	h.receiver.NoneLeft(t)
}

func checkProbeCloses(t *testing.T, h *hooked) {
	h.breakerOpens(t)
	h.receiver.Answers(nil)
	h.advance(t, 30*time.Second)
	h.states(t, "delivered 12")
}

// breakerProbed returns the check that an act closes the breaker, or has it probed, with the clock as it is.
func breakerProbed(act func(h *hooked, t *testing.T)) func(*testing.T, *hooked) {
	return func(t *testing.T, h *hooked) {
		h.breakerOpens(t)
		h.receiver.Answers(nil)
		act(h, t)
		_, queue := h.tables()
		h.Until(t, "SELECT count(*) "+queue+" AND state = 'delivered' AND tries = 1", "2") // which were not tried before
		h.advance(t, untilNext[0])
		h.states(t, "delivered 12")
	}
}

func (h *hooked) sendTest(t *testing.T) { h.test(t) }

// sendLast redelivers the newest event.
func (h *hooked) sendLast(t *testing.T) {
	h.redeliver(t, h.listed(t, "limit=500")[0]).Must(t, 200)
}

// move changes the URL of the endpoint.
func (h *hooked) move(t *testing.T) {
	h.receiver = apptest.NewReceiver(t)
	h.edit(t, fmt.Sprintf(`{"url":%q}`, h.receiver.URL))
}

func (h *hooked) turnOn(t *testing.T) { h.enable(t, true) }

func checkPatience(t *testing.T, h *hooked) {
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	h.settled(t, id, "1 pending 1")
	h.advance(t, 6*24*time.Hour)
	endpoint, _ := h.tables()
	h.Until(t, "SELECT enabled "+endpoint, "0")
	if got := h.endpoint(t); got.Text("disabled_reason") != "no delivery has succeeded for five days" {
		t.Errorf("got %s, want the reason", got.Body)
	}
	h.receiver.Answers(nil)
	h.enable(t, true)
	h.advance(t, untilNext[1])
	h.settled(t, id, "1 delivered 3")
}

func checkNewURL(t *testing.T, h *hooked) {
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	h.settled(t, id, "1 pending 1", "2 pending 0")
	old := h.receiver
	old.Next(t)
	h.move(t)
	h.advance(t, untilNext[0])
	for i := range 2 {
		if hook := h.receiver.Next(t); hook.JSON("sequence") != float64(i+1) || !hook.Verifies(h.secret) {
			t.Errorf("got %s, want sequence %d, signed with the same secret", hook.Body, i+1)
		}
	}
	h.settled(t, id, "1 delivered 2", "2 delivered 1")
	old.NoneLeft(t)
}

func checkOthersStay(t *testing.T, h *hooked) {
	h.accepted(t)
	h.receiver.Next(t)
	h.remove(t)
	left := h.partner.Call(t, "GET", "/v1/webhooks/endpoints", nil).Must(t, 200)
	if left.Len("endpoints") != 2 || slices.Contains([]string{
		left.Text("endpoints", 0, "url"), left.Text("endpoints", 1, "url"),
	}, h.receiver.URL) {
		t.Errorf("got %s, want the other two", left.Body)
	}
	h.accepted(t)
	h.advance(t, 0)
	h.receiver.NoneLeft(t)
}

func checkRemovedUnderWay(t *testing.T, h *hooked) {
	came, release := h.hold(t)
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	<-came
	h.remove(t)
	release()
	h.receiver.Next(t)
	_, queue := h.tables()
	h.Until(t, "SELECT count(*) "+queue+" AND state = 'pending'", "0")
	h.advance(t, 30*time.Hour)
	h.receiver.NoneLeft(t)
}

func checkNamedTypes(t *testing.T, h *hooked) {
	h.edit(t, `{"events":["order.cancelled","order.failed"]}`)
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	if hook := h.receiver.Next(t); hook.Text("type") != "order.cancelled" || hook.JSON("sequence") != 2.0 {
		t.Errorf("got %s, want the type that is named", hook.Body)
	}
	h.parked(t)
	h.receiver.NoneLeft(t)
	if got := h.listed(t, "state=delivered"); !slices.Equal(got, []string{h.eventOf(t, id, 2)}) {
		t.Errorf("got %v delivered, want the second event", got)
	}
}

func checkFilteredSequence(t *testing.T, h *hooked) {
	h.edit(t, `{"events":["order.accepted","order.picked_up","order.out_for_delivery"]}`)
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	for _, status := range []string{"courier_assigned", "picked_up", "in_transit", "out_for_delivery"} {
		h.operator.Move(t, id, status).Must(t, 200)
	}
	h.settled(t, id, "1 pending 1", "2 pending 0", "3 pending 0", "4 pending 0", "5 pending 0")
	h.receiver.Next(t)
	h.receiver.Answers(nil)
	h.advance(t, untilNext[0])
	for _, sequence := range []float64{1, 3, 5} {
		if hook := h.receiver.Next(t); hook.JSON("sequence") != sequence {
			t.Errorf("got %s, want sequence %v", hook.Body, sequence)
		}
	}
	h.settled(t, id, "1 delivered 2", "2 skipped 0", "3 delivered 1", "4 skipped 0", "5 delivered 1")
	h.receiver.NoneLeft(t)
}

func checkFilterEnds(t *testing.T, h *hooked) {
	h.edit(t, `{"events":["order.cancelled"]}`)
	id := h.accepted(t)
	if got := h.edit(t, `{"events":null}`); got.JSON("events") != nil {
		t.Errorf("got %s, want no events named", got.Body)
	}
	h.operator.Move(t, id, "courier_assigned").Must(t, 200)
	if hook := h.receiver.Next(t); hook.Text("type") != "courier.assigned" {
		t.Errorf("got %s, want what came after the change", hook.Body)
	}
	h.parked(t)
	h.receiver.NoneLeft(t)
}

func checkFilterOfWaiting(t *testing.T, h *hooked) {
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	h.operator.Move(t, id, "courier_assigned").Must(t, 200)
	h.settled(t, id, "1 pending 1", "2 pending 0")
	h.receiver.Next(t)
	h.edit(t, `{"events":["order.accepted"]}`)
	h.receiver.Answers(nil)
	h.advance(t, untilNext[0])
	h.receiver.Next(t)
	h.settled(t, id, "1 delivered 2", "2 skipped 0")
	h.receiver.NoneLeft(t)
}

func checkNotTaken(t *testing.T, h *hooked) {
	id := h.accepted(t)
	h.receiver.Next(t)
	h.settled(t, id, "1 delivered 1")
	h.edit(t, `{"events":["order.cancelled"]}`)
	h.redeliver(t, h.eventOf(t, id, 1)).Refused(t, 422, "webhook_not_configured")
	if got := h.redeliverAll(t, `"since":"2026-01-01T00:00:00Z"`).Must(t, 200); got.JSON("redelivered") != 0.0 {
		t.Errorf("got %s, want none", got.Body)
	}
	h.parked(t)
	h.receiver.NoneLeft(t)
}

func checkUnknownType(t *testing.T, h *hooked) {
	for _, events := range []string{`["order.lost"]`, `[]`, `"order.failed"`, `[null]`} {
		h.partner.Call(t, "PATCH", h.path(), []byte(`{"events":`+events+`}`)).Refused(t, 422, "validation_error")
	}
	if got := h.endpoint(t); got.JSON("events") != nil {
		t.Errorf("got %s, want it unchanged", got.Body)
	}
}

func checkCloudEvents(t *testing.T, h *hooked) {
	h.edit(t, `{"format":"cloudevents"}`)
	id := h.accepted(t)
	hook := h.receiver.Next(t)
	for name, want := range map[string]string{
		"Ce-Specversion": "1.0", "Ce-Id": hook.Text("id"), "Ce-Type": "com.dropyard.order.accepted",
		"Ce-Source": h.URL, "Ce-Subject": id, "Ce-Time": hook.Text("created_at"), "Content-Type": "application/json",
	} {
		if got := hook.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if !hook.Verifies(h.secret) || !hook.VerifiesStandard(h.secret) {
		t.Errorf("got %v, want the signatures of the other format", hook.Header)
	}
	h.test(t)
	if hook := h.receiver.Next(t); hook.Header.Get("Ce-Type") != "com.dropyard.webhook.test" ||
		hook.Header["Ce-Subject"] != nil {
		t.Errorf("got %v, want a test event without a subject", hook.Header)
	}
}

func checkNoCloudEvents(t *testing.T, h *hooked) {
	h.edit(t, `{"format":"dropyard"}`)
	h.accepted(t)
	for name := range h.receiver.Next(t).Header {
		if strings.HasPrefix(name, "Ce-") {
			t.Errorf("got the header %s, want none of CloudEvents", name)
		}
	}
}

func checkRotationOnce(t *testing.T, h *hooked) {
	path := h.path() + "/rotate-secret"
	headers := h.partner.Signed("POST", path, nil)
	h.partner.Do(t, "POST", path, nil, headers...).Must(t, 200)
	h.partner.Do(t, "POST", path, nil, headers...).Refused(t, 409, "conflict")
}

func checkSecretHidden(t *testing.T, h *hooked) {
	for _, got := range []*apptest.Answer{
		h.endpoint(t), h.edit(t, `{"enabled":true}`),
		h.partner.Call(t, "GET", "/v1/webhooks/endpoints", nil).Must(t, 200),
	} {
		if strings.Contains(string(got.Body), "whsec_") {
			t.Errorf("got %s, want no secret", got.Body)
		}
	}
}

func checkLog(t *testing.T, h *hooked) {
	h.receiver.Answers(func(hook *apptest.Hook) int {
		if hook.Text("type") == "order.cancelled" {
			return 500
		}
		return 200
	})
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	h.settled(t, id, "1 delivered 1", "2 pending 1")
	h.settled(t, h.accepted(t), "1 delivered 1")
	for query, want := range map[string]int{
		"": 3, "state=delivered": 2, "state=pending": 1, "state=failed": 0, "type=order.accepted": 2,
		"type=order.accepted&state=pending": 0, "order_id=" + id: 2, "order_id=" + id + "&state=pending": 1,
	} {
		if got := h.listed(t, query); len(got) != want {
			t.Errorf("%s: got %d events, want %d", query, len(got), want)
		}
	}
}

func checkLogPages(t *testing.T, h *hooked) {
	var want []string
	for range 5 {
		h.advance(t, time.Millisecond)
		id := h.accepted(t)
		h.settled(t, id, "1 delivered 1")
		want = append(want, h.eventOf(t, id, 1))
	}
	slices.Reverse(want)
	for _, limit := range []string{"limit=1", "limit=2", "limit=5", ""} {
		if got := h.listed(t, limit); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", limit, got, want)
		}
	}
}

func checkRedeliveryAnswer(t *testing.T, h *hooked) {
	id := h.accepted(t)
	h.settled(t, id, "1 delivered 1")
	h.receiver.Next(t)
	h.enable(t, false)
	got := h.redeliver(t, h.eventOf(t, id, 1)).Must(t, 200)
	if got.Text("state") != "pending" || got.JSON("attempts") != 1.0 || got.Text("next_attempt_at") == "" {
		t.Errorf("got %s, want it pending after one attempt", got.Body)
	}
}

func checkAudited(t *testing.T, h *hooked) {
	id := cmp.Or(h.endpointID, "first")
	h.edit(t, `{"url":"`+h.receiver.URL+`/moved?token=hushhush"}`)
	h.edit(t, `{"url":"`+h.receiver.URL+`/moved?token=hushhush2"}`)
	h.edit(t, `{"enabled":true}`) // which changes nothing
	h.partner.Call(t, "POST", h.path()+"/rotate-secret", nil).Must(t, 200)
	owner := h.partner.Owner(t)
	owner.Call(t, "POST", h.path()+"/activate-secret", nil).Must(t, 200)
	owner.Call(t, "PATCH", h.path(), []byte(`{"events":["order.failed"]}`)).Must(t, 200)
	h.partner.Call(t, "PATCH", h.path(), []byte(`{"url":"ftp://example.com"}`)).Must(t, 422)
	h.remove(t)
	key, person := h.partner.KeyID, owner.UserID
	h.Until(t, fmt.Sprintf(
		"SELECT action, operator_id FROM audit WHERE partner_id = '%s' AND action LIKE 'endpoint.%%' AND object_id = '%s' ORDER BY action, operator_id",
		h.partner.PartnerID, id),
		"endpoint.added "+key, "endpoint.changed "+key, "endpoint.changed "+key, "endpoint.changed "+person,
		"endpoint.removed "+key,
		"endpoint.secret_changed "+key, "endpoint.secret_changed "+person)
	log := h.operator.Call(t, "GET", "/ops/v1/audit?limit=500&partner_id="+h.partner.PartnerID, nil).Must(t, 200)
	for _, secret := range []string{"hushhush", "whsec_"} {
		if strings.Contains(string(log.Body), secret) {
			t.Errorf("got %s in the audit log", secret)
		}
	}
	if !strings.Contains(string(log.Body), "/moved") {
		t.Errorf("got %s, want the new URL in it", log.Body)
	}
}

func checkTestMode(t *testing.T, h *hooked) {
	test := h.partner.InTest(t)
	if got := test.Call(t, "GET", "/v1/webhooks/endpoints", nil).Must(t, 200); got.Len("endpoints") != 0 {
		t.Errorf("got %s, want no endpoints in test mode", got.Body)
	}
	if h.endpointID != "" {
		test.Call(t, "GET", h.path(), nil).Refused(t, 404, "not_found")
	}
	receiver := apptest.NewReceiver(t)
	test.SetEndpoint(t, receiver.URL)
	cancelled(t, test)
	if hook := receiver.Next(t); hook.JSON("livemode") != false {
		t.Errorf("got %s, want an event of test mode", hook.Body)
	}
	h.accepted(t)
	if hook := h.receiver.Next(t); hook.JSON("livemode") != true {
		t.Errorf("got %s, want the live event", hook.Body)
	}
	h.receiver.NoneLeft(t)
	receiver.NoneLeft(t)
}
