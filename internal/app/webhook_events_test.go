package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/testkit"
)

// walk returns the ids of all events that match a query, page by page.
func walk(t *testing.T, p *apptest.Partner, query string) (ids []string) {
	t.Helper()
	cursor := ""
	for turn := 0; turn == 0 || cursor != ""; turn++ {
		page := p.Call(t, "GET", "/v1/webhooks/events?"+query+cursor, nil).Must(t, 200)
		for i := range page.Len("events") {
			ids = append(ids, page.Text("events", i, "event_id"))
		}
		if cursor = page.Text("next_cursor"); cursor != "" {
			cursor = "&cursor=" + cursor
		}
	}
	return ids
}

// TestEventPages lists events by every filter while more are added. The newest
// comes first, and each is listed once.
func TestEventPages(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	var orders []string
	for range 10 {
		id := h.order(t)
		for _, status := range []string{"accepted", "courier_assigned", "cancelled"} {
			h.Clock.Advance(time.Millisecond)
			h.operator.Move(t, id, status).Must(t, 200)
		}
		h.settled(t, id, "1 delivered 1", "2 delivered 1", "3 delivered 1")
		orders = append(orders, id)
	}
	all := walk(t, h.partner, "limit=500")
	if len(all) != 30 || !slices.IsSortedFunc(all, func(a, b string) int { return strings.Compare(b, a) }) ||
		len(slices.Compact(slices.Clone(all))) != 30 {
		t.Errorf("got %v, want 30 different ids in descending order", all)
	}
	for query, want := range map[string]int{
		"": 30, "limit=1": 30, "limit=7": 30, "limit=30": 30, "type=order.accepted&limit=3": 10,
		"state=delivered&limit=4": 30, "state=pending": 0, "state=failed": 0, "order_id=" + orders[3] + "&limit=2": 3,
		"order_id=" + orders[3] + "&type=order.cancelled": 1, "order_id=" + strings.ToUpper(orders[3]): 0, "order_id=%25": 0,
		"type=order.delivered": 0,
	} {
		if got := walk(t, h.partner, query); len(got) != want || query == "limit=7" && !slices.Equal(got, all) {
			t.Errorf("%s: got %d events, want %d", query, len(got), want)
		}
	}
	first := h.partner.Call(t, "GET", "/v1/webhooks/events?limit=10", nil).Must(t, 200)
	h.Clock.Advance(time.Millisecond)
	h.accepted(t)
	if rest := walk(t, h.partner, "cursor="+first.Text("next_cursor")); !slices.Equal(rest, all[10:]) {
		t.Errorf("after the first page: got %v, want %v", rest, all[10:])
	}
	for _, query := range []string{
		"limit=0", "limit=501", "limit=x", "type=webhook.test", "type=x", "state=done", "cursor=x", "cursor=" + orders[0],
		"cursor=" + strings.ToUpper(all[0]), "type=order.failed&type=order.failed", "order_id=a&order_id=b",
	} {
		h.partner.Call(t, "GET", "/v1/webhooks/events?"+query, nil).Refused(t, 422, "validation_error")
	}
	h.partner.Call(t, "GET", "/v1/webhooks/events?order_id=%00", nil).Refused(t, 400, "bad_request")
}

// checkIsolation reads and redelivers events of another partner.
func checkIsolation(t *testing.T, h *hooked) {
	id := h.accepted(t)
	h.receiver.Next(t)
	event := h.eventOf(t, id, 1)
	h.settled(t, id, "1 delivered 1")
	other, receiver := h.Register(t, "other-"+h.name), apptest.NewReceiver(t)
	other.SetEndpoint(t, receiver.URL)
	path := "/v1/webhooks/events/" + event
	other.Call(t, "GET", path, nil).Refused(t, 404, "not_found")
	other.Call(t, "POST", path+"/redeliver", nil).Refused(t, 404, "not_found")
	if h.endpointID != "" {
		other.Call(t, "GET", h.path(), nil).Refused(t, 404, "not_found")
		other.Call(t, "POST", h.to("/v1/webhooks/test"), nil).Refused(t, 404, "not_found")
		other.Call(t, "GET", h.to("/v1/webhooks/events"), nil).Refused(t, 404, "not_found")
	}
	for _, query := range []string{"", "order_id=" + id, "cursor=ffffffff-ffff-7fff-bfff-ffffffffffff"} {
		if got := walk(t, other, query); len(got) != 0 {
			t.Errorf("%s: got events %v, want none", query, got)
		}
	}
	got := other.Call(t, "POST", "/v1/webhooks/redeliver", []byte(`{"since":"1970-01-01T00:00:00Z"}`)).Must(t, 200)
	fed := other.Call(t, "GET", "/v1/webhooks/feed?after="+identifier.FirstUUID(time.Unix(0, 0)), nil).Must(t, 200)
	if got.JSON("redelivered") != 0.0 || fed.Len("events") != 0 {
		t.Errorf("got %s redelivered and %s in the feed, want none", got.Body, fed.Body)
	}
	for _, none := range []string{
		"none", "%00", "%ff", strings.ToUpper(event), event + "0", identifier.FirstUUID(h.Clock.Now()),
	} {
		target := "/v1/webhooks/events/" + none
		h.partner.Call(t, "GET", target, nil).Refused(t, 404, "not_found")
		h.partner.Call(t, "POST", h.to(target+"/redeliver"), nil).Refused(t, 404, "not_found")
	}
	h.settled(t, id, "1 delivered 1")
	h.receiver.NoneLeft(t)
	receiver.NoneLeft(t)
}

// checkRecord reads an event. It has the body byte for byte as it was sent, and
// all attempts, including those without an answer.
func checkRecord(t *testing.T, h *hooked) {
	statuses := []int{500, 0, 302}
	h.receiver.Answers(func(*apptest.Hook) int {
		status := statuses[0]
		statuses = append(statuses[1:], 200)
		return status
	})
	id := h.accepted(t)
	sent := h.receiver.Next(t)
	for try := 1; try < 4; try++ {
		h.settled(t, id, fmt.Sprint("1 pending ", try))
		h.advance(t, untilNext[try-1])
		h.receiver.Next(t)
	}
	h.settled(t, id, "1 delivered 4")
	got := h.delivery(t, h.eventOf(t, id, 1))
	if got.Answer.Text("body") != string(sent.Body) || got.Text("state") != "delivered" ||
		got.JSON("next_attempt_at") != nil || got.JSON("attempts") != 4.0 {
		t.Errorf("got %s, want it delivered after 4 attempts with body %s", got.Body, sent.Body)
	}
	for i, want := range []struct{ status, delivered any }{{500.0, false}, {nil, false}, {302.0, false}, {200.0, true}} {
		at := func(name string) any { return got.JSON("attempt_log", i, name) }
		if at("status_code") != want.status || at("delivered") != want.delivered ||
			(at("error") == nil) != (want.status != nil) || at("duration_ms") == nil {
			t.Errorf("attempt %d: got %v, want status_code %v, delivered %v", i+1, got.JSON("attempt_log", i), want.status,
				want.delivered)
		}
	}
	if strings.Contains(string(got.Body), "own words") {
		t.Errorf("got %s, want it without the receiver's body", got.Body)
	}
	list := h.partner.Call(t, "GET", "/v1/webhooks/events", nil).Must(t, 200)
	if keys := list.Keys("events", 0); slices.Contains(keys, "body") || len(keys) != 10 {
		t.Errorf("list: got members %v, want 10 without the body", keys)
	}
}

// checkRedelivery sends one event, or many, again: the same bytes under the same ids.
func checkRedelivery(t *testing.T, h *hooked) {
	begin := h.Clock.Now()
	since := func(after time.Duration) string {
		return fmt.Sprintf(`"since":%q`, begin.Add(after).Format(time.RFC3339Nano))
	}
	var orders []string
	bodies := map[string]string{}
	for range 3 {
		id := h.accepted(t)
		h.advance(t, time.Millisecond) // ids of one millisecond are not in order
		h.operator.Move(t, id, "cancelled").Must(t, 200)
		for range 2 {
			hook := h.receiver.Next(t)
			bodies[hook.Text("id")] = string(hook.Body)
		}
		h.settled(t, id, "1 delivered 1", "2 delivered 1")
		orders = append(orders, id)
		h.advance(t, time.Hour)
	}
	same := func(want int) {
		t.Helper()
		for range want {
			if hook := h.receiver.Next(t); bodies[hook.Text("id")] != string(hook.Body) || !hook.Verifies(h.secret) {
				t.Errorf("got %s, want the body as before and a valid signature", hook.Body)
			}
		}
	}
	got := h.redeliver(t, h.eventOf(t, orders[0], 1)).Must(t, 200)
	if got.Text("event_id") != h.eventOf(t, orders[0], 1) || got.Text("order_id") != orders[0] {
		t.Errorf("got %s, want the first event of order %s", got.Body, orders[0])
	}
	same(1)
	h.settled(t, orders[0], "1 delivered 1", "2 delivered 1")
	if got := h.delivery(t, h.eventOf(t, orders[0], 1)); got.Len("attempt_log") != 2 {
		t.Errorf("got %s, want 2 attempts", got.Body)
	}
	for body, want := range map[string]int{
		since(0): 6,
		fmt.Sprintf(`"since":%q`, begin.Add(time.Hour).In(newYork).Format(time.RFC3339Nano)): 4,
		since(time.Hour + 2*time.Millisecond):                                                3,
		since(0) + `,"type":"order.cancelled"`:                                               3,
		since(0) + `,"state":"failed"`:                                                       0,
		since(365 * 24 * time.Hour):                                                          0,
		fmt.Sprintf(`"cursor":%q`, h.eventOf(t, orders[1], 2)):                               2,
		fmt.Sprintf(`"since":null,"cursor":%q`, lastEventID):                                 0,
		since(0) + `,"state":"delivered","x":{}`:                                             6,
	} {
		got := h.redeliverAll(t, body).Must(t, 200)
		if got.JSON("redelivered") != float64(want) || got.JSON("next_cursor") != nil {
			t.Errorf("%s: got %s, want %d redelivered", body, got.Body, want)
		}
		same(want)
		h.states(t, "delivered 6")
	}
	h.receiver.NoneLeft(t)
}

// newYork is a zone in which times may be given.
var newYork = time.FixedZone("", -5*60*60)

// lastEventID sorts after every event.
const lastEventID = "ffffffff-ffff-7fff-bfff-ffffffffffff"

// checkRedeliveryOfPending redelivers events that wait. They become due
// immediately, unless an earlier one of the same order waits, and get no additional
// tries.
func checkRedeliveryOfPending(t *testing.T, h *hooked) {
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	h.receiver.Next(t)
	h.settled(t, id, "1 pending 1", "2 pending 0")
	h.redeliver(t, h.eventOf(t, id, 2)).Must(t, 200)
	h.parked(t)
	h.receiver.NoneLeft(t)
	h.Audit(t)
	h.receiver.Answers(nil)
	h.redeliver(t, h.eventOf(t, id, 1)).Must(t, 200)
	for i := range 2 {
		if hook := h.receiver.Next(t); hook.JSON("sequence") != float64(i+1) {
			t.Errorf("got %s, want sequence %d", hook.Body, i+1)
		}
	}
	h.settled(t, id, "1 delivered 2", "2 delivered 1")
}

// checkRedeliveryOrder redelivers the events of an order, together and one by one.
// They arrive in sequence.
func checkRedeliveryOrder(t *testing.T, h *hooked) {
	id := h.order(t)
	var ids []string
	for i, status := range []string{"accepted", "courier_assigned", "cancelled"} {
		h.advance(t, time.Millisecond)
		h.operator.Move(t, id, status).Must(t, 200)
		h.receiver.Next(t)
		ids = append(ids, h.eventOf(t, id, i+1))
	}
	since := func(selected string) func() {
		return func() { h.redeliverAll(t, selected).Must(t, 200) }
	}
	_, queue := h.tables()
	h.settled(t, id, "1 delivered 1", "2 delivered 1", "3 delivered 1")
	for name, redeliver := range map[string]func(){
		"since": since(`"since":"2026-01-14T00:00:00Z"`),
		"since, by cursor": func() {
			since(`"since":"2026-01-14T00:00:00Z","type":"order.accepted"`)()
			since(fmt.Sprintf(`"cursor":%q`, ids[0]))()
		},
		"one by one": func() {
			for _, event := range ids {
				h.redeliver(t, event).Must(t, 200)
			}
		},
	} {
		h.enable(t, false)
		redeliver()
		waiting := h.Query(t,
			"SELECT sequence, CASE WHEN due_at > 0 THEN 'due' ELSE 'waits' END "+queue+" ORDER BY sequence")
		if !slices.Equal(waiting, []string{"1 due", "2 waits", "3 waits"}) {
			t.Errorf("%s: got %v, want the first due and the others waiting", name, waiting)
		}
		h.Audit(t)
		h.enable(t, true)
		for i := range ids {
			if hook := h.receiver.Next(t); hook.JSON("sequence") != float64(i+1) {
				t.Errorf("%s: got %s, want sequence %d", name, hook.Body, i+1)
			}
		}
		h.settled(t, id, "1 delivered 1", "2 delivered 1", "3 delivered 1")
	}
	h.receiver.NoneLeft(t)
}

// TestFeed reads events from the feed. They come in order, some of them twice, each
// signed with the API key's secret.
func TestFeed(t *testing.T) {
	t.Parallel()
	h := &hooked{Service: apptest.Start(t)}
	h.partner, h.operator = h.Register(t, "metro"), h.Operate(t)
	feed := func(query string) *apptest.Answer {
		t.Helper()
		return h.partner.Call(t, "GET", "/v1/webhooks/feed"+query, nil).Must(t, 200)
	}
	begin := feed("")
	if begin.Len("events") != 0 || begin.Text("cursor") == "" {
		t.Errorf("at first: got %s, want no events and a cursor", begin.Body)
	}
	seen, cursor := []string{}, begin.Text("cursor")
	read := func(query string) {
		t.Helper()
		page := feed("?after=" + cursor + query)
		for i := range page.Len("events") {
			id, body := page.Text("events", i, "event_id"), page.Text("events", i, "body")
			digest := hmac.New(sha256.New, []byte(h.partner.SecretKey))
			digest.Write([]byte(body))
			if page.Text("events", i, "signature") != "v1="+hex.EncodeToString(digest.Sum(nil)) ||
				h.event(t, id).Text("body") != body {
				t.Errorf("got %v, want a valid signature and the stored body", page.JSON("events", i))
			}
			if !slices.Contains(seen, id) {
				seen = append(seen, id)
			}
		}
		cursor = page.Text("cursor")
	}
	var want []string
	for range 5 {
		h.Clock.Advance(20 * time.Second)
		want = append(want, h.eventOf(t, h.accepted(t), 1))
		h.Clock.Advance(time.Millisecond)
		want = append(want, h.eventOf(t, h.accepted(t), 1))
		read("&limit=1")
		read("")
	}
	read("")
	if !slices.Equal(seen, want) {
		t.Errorf("got %v, want %v", seen, want)
	}
	for _, query := range []string{"?after=x", "?limit=0", "?limit=501", "?wait=21", "?wait=-1"} {
		h.partner.Call(t, "GET", "/v1/webhooks/feed"+query, nil).Refused(t, 422, "validation_error")
	}
}

// watching starts a service. follow requests its feed and returns when the request
// waits; waits receives the times until which anything waits.
func watching(t *testing.T) (h *hooked, waits chan time.Time, follow func(seconds int) <-chan *apptest.Answer) {
	t.Helper()
	waits = make(chan time.Time, 1000)
	h = &hooked{Service: apptest.Start(t, func(_ *config.Config, world *app.Surroundings) {
		at := world.At
		world.At = func(until time.Time) <-chan time.Time {
			fires := at(until)
			waits <- until
			return fires
		}
	})}
	h.partner, h.operator = h.Register(t, "metro"), h.Operate(t)
	return h, waits, func(seconds int) <-chan *apptest.Answer {
		answered := make(chan *apptest.Answer, 1)
		until := h.Clock.Now().Add(time.Duration(seconds) * time.Second)
		go func() {
			answered <- h.partner.Call(t, "GET", fmt.Sprintf("/v1/webhooks/feed?wait=%d", seconds), nil)
		}()
		for at := range waits {
			if at.Equal(until) {
				break
			}
		}
		return answered
	}
}

// TestFeedWaits waits for the next event, for as long as the request asks at most.
func TestFeedWaits(t *testing.T) {
	t.Parallel()
	h, waits, follow := watching(t)
	answered := follow(7)
	h.Clock.Advance(7 * time.Second)
	if got := (<-answered).Must(t, 200); got.Len("events") != 0 || got.Text("cursor") == "" {
		t.Errorf("after 7 s: got %s, want no events and a cursor", got.Body)
	}
	answered = follow(20)
	id := h.accepted(t)
	for {
		h.Clock.Advance(time.Second) // after which the service looks again
		select {
		case <-waits: // it had looked before the event was stored, and waits again
			continue
		case answer := <-answered:
			if got := answer.Must(t, 200); got.Len("events") != 1 || !strings.Contains(got.Text("events", 0, "body"), id) {
				t.Errorf("got %s, want the event of order %s", got.Body, id)
			}
			return
		}
	}
}

// TestStopEndsFeeds stops a service while a request waits for events. The request
// is answered immediately.
func TestStopEndsFeeds(t *testing.T) {
	t.Parallel()
	h, _, follow := watching(t)
	answered := follow(20)
	h.Stop()
	if got := (<-answered).Must(t, 200); got.Len("events") != 0 || got.Text("cursor") == "" {
		t.Errorf("got %s, want no events and a cursor", got.Body)
	}
}

// checkTest sends test events. The response has the receiver's status and
// nothing of its body.
func checkTest(t *testing.T, h *hooked) {
	elsewhere := apptest.NewReceiver(t)
	redirect := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(redirect.Close)
	for _, status := range []int{200, 204, 299, 300, 404, 410, 500, 503, 0} {
		h.receiver.Answers(apptest.Always(status))
		got := h.test(t)
		hook := h.receiver.Next(t)
		var code any = float64(status)
		if status == 0 {
			code = nil
		}
		if got.JSON("delivered") != (status/100 == 2) || got.JSON("status_code") != code ||
			(got.JSON("error") == nil) != (status != 0) {
			t.Errorf("%d: got %s, want status_code %v", status, got.Body, code)
		}
		if !hook.Verifies(h.secret) || !hook.VerifiesStandard(h.secret) || hook.Text("id") != got.Text("event_id") ||
			hook.Text("type") != "webhook.test" {
			t.Errorf("%d: got %v %s, want a signed test event", status, hook.Header, hook.Body)
		}
		if keys := got.Keys(); !slices.Equal(keys, []string{"delivered", "duration_ms", "error", "event_id", "status_code"}) {
			t.Errorf("%d: got members %v", status, keys)
		}
	}
	if got := h.endpoint(t); got.JSON("enabled") != true {
		t.Errorf("got %s, want the endpoint enabled", got.Body)
	}
	if got := h.listed(t, ""); len(got) != 0 {
		t.Errorf("got events %v, want none", got)
	}
	h.edit(t, fmt.Sprintf(`{"url":%q}`, redirect.URL))
	if got := h.test(t); got.JSON("delivered") != false || got.JSON("status_code") != 307.0 {
		t.Errorf("redirect: got %s, want status_code 307, not delivered", got.Body)
	}
	elsewhere.NoneLeft(t)
}

// TestForbiddenAddressIsNotProbed sends test events to addresses that are not
// allowed. The response does not depend on whether something listens there.
func TestForbiddenAddressIsNotProbed(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	h := newHooked(t, dir)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	absent := h.Register(t, "absent")
	absent.SetEndpoint(t, closed.URL)
	h.Stop()

	strict := apptest.Start(t, dir) // which would not have accepted these URLs
	failures := map[string]string{}
	for _, p := range []*apptest.Partner{h.partner, absent} {
		p.Service = strict
		got := p.Call(t, "POST", "/v1/webhooks/test", nil).Must(t, 200)
		if got.JSON("delivered") != false || got.JSON("status_code") != nil {
			t.Errorf("got %s, want it not delivered, without a status", got.Body)
		}
		failures[p.Email] = got.Text("error")
	}
	if failures[h.partner.Email] != failures[absent.Email] || failures[absent.Email] == "" ||
		strings.Contains(failures[absent.Email], "127.") {
		t.Errorf("got errors %q, want equal ones without the address", failures)
	}
	h.receiver.NoneLeft(t)
}

// TestTestEventTimeout sends a test event to a receiver that does not answer. It is
// given up after 15 s.
func TestTestEventTimeout(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	h := newHooked(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	h.receiver.Answers(func(*apptest.Hook) int { <-release; return 200 })
	got := h.test(t)
	took, _ := got.JSON("duration_ms").(float64)
	if got.JSON("delivered") != false || got.JSON("status_code") != nil || got.Text("error") == "" || took < 14_000 ||
		took > 29_000 {
		t.Errorf("got %s, want it not delivered, after 14 to 29 s", got.Body)
	}
}
