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
)

// walk lists all events that fit a query, page by page.
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

// TestEventsArePaged: newest first, each once, by every filter, although more
// come in meanwhile.
func TestEventsArePaged(t *testing.T) {
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
	if len(all) != 30 || !slices.IsSortedFunc(all, func(a, b string) int { return strings.Compare(b, a) }) || len(slices.Compact(slices.Clone(all))) != 30 {
		t.Errorf("all: %v", all)
	}
	for query, want := range map[string]int{
		"": 30, "limit=1": 30, "limit=7": 30, "limit=30": 30, "type=order.accepted&limit=3": 10, "state=delivered&limit=4": 30, "state=pending": 0, "state=failed": 0,
		"order_id=" + orders[3] + "&limit=2": 3, "order_id=" + orders[3] + "&type=order.cancelled": 1, "order_id=" + strings.ToUpper(orders[3]): 0, "order_id=%25": 0, "type=order.delivered": 0,
	} {
		if got := walk(t, h.partner, query); len(got) != want || query == "limit=7" && !slices.Equal(got, all) {
			t.Errorf("%s: %d events, want %d", query, len(got), want)
		}
	}
	first := h.partner.Call(t, "GET", "/v1/webhooks/events?limit=10", nil).Must(t, 200)
	h.Clock.Advance(time.Millisecond)
	h.accepted(t)
	if rest := walk(t, h.partner, "cursor="+first.Text("next_cursor")); !slices.Equal(rest, all[10:]) {
		t.Errorf("behind the first page: %v", rest)
	}
	for _, query := range []string{"limit=0", "limit=501", "limit=x", "type=webhook.test", "type=x", "state=done", "cursor=x", "cursor=" + orders[0], "cursor=" + strings.ToUpper(all[0]),
		"type=order.failed&type=order.failed", "order_id=a&order_id=b"} {
		h.partner.Call(t, "GET", "/v1/webhooks/events?"+query, nil).Refused(t, 422, "validation_error")
	}
	h.partner.Call(t, "GET", "/v1/webhooks/events?order_id=%00", nil).Refused(t, 400, "bad_request")
}

// TestPartnersDoNotSeeEachOthersEvents, nor send them.
func TestPartnersDoNotSeeEachOthersEvents(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	id := h.accepted(t)
	h.receiver.Next(t)
	event := h.eventOf(t, id, 1)
	h.settled(t, id, "1 delivered 1")
	other, receiver := h.Register(t, "other"), apptest.NewReceiver(t)
	other.SetEndpoint(t, receiver.URL)
	path := "/v1/webhooks/events/" + event
	other.Call(t, "GET", path, nil).Refused(t, 404, "not_found")
	other.Call(t, "POST", path+"/redeliver", nil).Refused(t, 404, "not_found")
	for _, query := range []string{"", "order_id=" + id, "cursor=ffffffff-ffff-7fff-bfff-ffffffffffff"} {
		if got := walk(t, other, query); len(got) != 0 {
			t.Errorf("%s: sees %v", query, got)
		}
	}
	got := other.Call(t, "POST", "/v1/webhooks/redeliver", []byte(`{"since":"1970-01-01T00:00:00Z"}`)).Must(t, 200)
	fed := other.Call(t, "GET", "/v1/webhooks/feed?after="+identifier.FirstUUID(time.Unix(0, 0)), nil).Must(t, 200)
	if got.JSON("redelivered") != 0.0 || fed.Len("events") != 0 {
		t.Errorf("redelivered %s, fed %s", got.Body, fed.Body)
	}
	for _, none := range []string{"none", "%00", "%ff", strings.ToUpper(event), event + "0", identifier.FirstUUID(h.Clock.Now())} {
		target := "/v1/webhooks/events/" + none
		h.partner.Call(t, "GET", target, nil).Refused(t, 404, "not_found")
		h.partner.Call(t, "POST", target+"/redeliver", nil).Refused(t, 404, "not_found")
	}
	h.settled(t, id, "1 delivered 1")
	h.receiver.NoneLeft(t)
	receiver.NoneLeft(t)
}

// TestAnEventIsShownAsItWasSent: its body byte for byte, and every attempt, those
// without an answer too.
func TestAnEventIsShownAsItWasSent(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
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
		h.Clock.Advance(untilNext[try-1])
		h.receiver.Next(t)
	}
	h.settled(t, id, "1 delivered 4")
	got := h.event(t, h.eventOf(t, id, 1))
	if got.Text("body") != string(sent.Body) || got.Text("state") != "delivered" || got.JSON("next_attempt_at") != nil || got.JSON("attempts") != 4.0 {
		t.Errorf("event: %s", got.Body)
	}
	for i, want := range []struct{ status, delivered any }{{500.0, false}, {nil, false}, {302.0, false}, {200.0, true}} {
		at := func(name string) any { return got.JSON("attempt_log", i, name) }
		if at("status_code") != want.status || at("delivered") != want.delivered || (at("error") == nil) != (want.status != nil) || at("duration_ms") == nil {
			t.Errorf("attempt %d: %v", i+1, got.JSON("attempt_log", i))
		}
	}
	if strings.Contains(string(got.Body), "own words") {
		t.Errorf("the receiver's body is told: %s", got.Body)
	}
	list := h.partner.Call(t, "GET", "/v1/webhooks/events", nil).Must(t, 200)
	if keys := list.Keys("events", 0); slices.Contains(keys, "body") || len(keys) != 8 {
		t.Errorf("listed with %v", keys)
	}
}

// TestRedelivery sends the same bytes under the same id, one event or many.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	var orders []string
	bodies := map[string]string{}
	for range 3 {
		id := h.accepted(t)
		h.Clock.Advance(time.Millisecond) // ids of one millisecond sort anyhow
		h.operator.Move(t, id, "cancelled").Must(t, 200)
		for range 2 {
			hook := h.receiver.Next(t)
			bodies[hook.Text("id")] = string(hook.Body)
		}
		h.settled(t, id, "1 delivered 1", "2 delivered 1")
		orders = append(orders, id)
		h.Clock.Advance(time.Hour)
	}
	same := func(want int) {
		t.Helper()
		for range want {
			if hook := h.receiver.Next(t); bodies[hook.Text("id")] != string(hook.Body) || !hook.Verifies(h.secret) {
				t.Errorf("not as before: %s", hook.Body)
			}
		}
	}
	got := h.post(t, "events/"+h.eventOf(t, orders[0], 1)+"/redeliver").Must(t, 200)
	if got.Text("event_id") != h.eventOf(t, orders[0], 1) || got.Text("order_id") != orders[0] {
		t.Errorf("redelivered: %s", got.Body)
	}
	same(1)
	h.settled(t, orders[0], "1 delivered 1", "2 delivered 1")
	if got := h.event(t, h.eventOf(t, orders[0], 1)); got.Len("attempt_log") != 2 {
		t.Errorf("after it: %s", got.Body)
	}
	for body, want := range map[string]int{
		`{"since":"2026-01-14T15:00:00Z"}`:                            6,
		`{"since":"2026-01-14T11:00:00-05:00"}`:                       4,
		`{"since":"2026-01-14T16:00:00.002Z"}`:                        3,
		`{"since":"2026-01-14T15:00:00Z","type":"order.cancelled"}`:   3,
		`{"since":"2026-01-14T15:00:00Z","state":"failed"}`:           0,
		`{"since":"2027-01-14T15:00:00Z"}`:                            0,
		fmt.Sprintf(`{"cursor":%q}`, h.eventOf(t, orders[1], 2)):      2,
		fmt.Sprintf(`{"since":null,"cursor":%q}`, lastEventID):        0,
		`{"since":"2026-01-14T15:00:00Z","state":"delivered","x":{}}`: 6,
	} {
		got := h.partner.Call(t, "POST", "/v1/webhooks/redeliver", []byte(body)).Must(t, 200)
		if got.JSON("redelivered") != float64(want) || got.JSON("next_cursor") != nil {
			t.Errorf("%s: %s", body, got.Body)
		}
		same(want)
		h.Until(t, "SELECT state, count(*) FROM events GROUP BY state", "delivered 6")
	}
	h.receiver.NoneLeft(t)
	h.Audit(t)
}

// lastEventID sorts behind every event.
const lastEventID = "ffffffff-ffff-7fff-bfff-ffffffffffff"

// TestRedeliveryOfWhatWaits makes it due at once and gives it no further tries,
// and what is behind it in its order stays behind.
func TestRedeliveryOfWhatWaits(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	h.receiver.Next(t)
	h.settled(t, id, "1 pending 1", "2 pending 0")
	h.post(t, "events/"+h.eventOf(t, id, 2)+"/redeliver").Must(t, 200)
	h.parked(t)
	h.receiver.NoneLeft(t)
	h.Audit(t)
	h.receiver.Answers(nil)
	h.post(t, "events/"+h.eventOf(t, id, 1)+"/redeliver").Must(t, 200)
	for i := range 2 {
		if hook := h.receiver.Next(t); hook.JSON("sequence") != float64(i+1) {
			t.Errorf("out of sequence: %s", hook.Body)
		}
	}
	h.settled(t, id, "1 delivered 2", "2 delivered 1")
}

// TestRedeliveryKeepsTheOrder: what is sent again together, or one by one, comes
// in its sequence too.
func TestRedeliveryKeepsTheOrder(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	id := h.order(t)
	var ids []string
	for i, status := range []string{"accepted", "courier_assigned", "cancelled"} {
		h.Clock.Advance(time.Millisecond)
		h.operator.Move(t, id, status).Must(t, 200)
		h.receiver.Next(t)
		ids = append(ids, h.eventOf(t, id, i+1))
	}
	since := func(body string) func() {
		return func() { h.partner.Call(t, "POST", "/v1/webhooks/redeliver", []byte(body)).Must(t, 200) }
	}
	h.settled(t, id, "1 delivered 1", "2 delivered 1", "3 delivered 1")
	for name, redeliver := range map[string]func(){
		"since": since(`{"since":"2026-01-14T00:00:00Z"}`),
		"since, by cursor": func() {
			since(`{"since":"2026-01-14T00:00:00Z","type":"order.accepted"}`)()
			since(fmt.Sprintf(`{"cursor":%q}`, ids[0]))()
		},
		"one by one": func() {
			for _, event := range ids {
				h.post(t, "events/"+event+"/redeliver").Must(t, 200)
			}
		},
	} {
		h.enable(t, false)
		redeliver()
		waiting := h.Query(t, "SELECT sequence, CASE WHEN due_at > 0 THEN 'due' ELSE 'waits' END FROM events ORDER BY sequence")
		if !slices.Equal(waiting, []string{"1 due", "2 waits", "3 waits"}) {
			t.Errorf("%s: %v", name, waiting)
		}
		h.Audit(t)
		h.enable(t, true)
		for i := range ids {
			if hook := h.receiver.Next(t); hook.JSON("sequence") != float64(i+1) {
				t.Errorf("%s: out of sequence: %s", name, hook.Body)
			}
		}
		h.settled(t, id, "1 delivered 1", "2 delivered 1", "3 delivered 1")
	}
	h.receiver.NoneLeft(t)
}

// TestFeed expects events in order, each signed under the API key's secret, and
// may have some twice.
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
		t.Errorf("at the beginning: %s", begin.Body)
	}
	seen, cursor := []string{}, begin.Text("cursor")
	read := func(query string) {
		t.Helper()
		page := feed("?after=" + cursor + query)
		for i := range page.Len("events") {
			id, body := page.Text("events", i, "event_id"), page.Text("events", i, "body")
			digest := hmac.New(sha256.New, []byte(h.partner.SecretKey))
			digest.Write([]byte(body))
			if page.Text("events", i, "signature") != "v1="+hex.EncodeToString(digest.Sum(nil)) || h.event(t, id).Text("body") != body {
				t.Errorf("fed: %v", page.JSON("events", i))
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
		t.Errorf("seen %v, want %v", seen, want)
	}
	for _, query := range []string{"?after=x", "?limit=0", "?limit=501", "?wait=21", "?wait=-1"} {
		h.partner.Call(t, "GET", "/v1/webhooks/feed"+query, nil).Refused(t, 422, "validation_error")
	}
}

// watching is a service of which a test can see that a client waits, and until
// when.
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

// TestFeedWaits for the next event, and no longer than it was asked to.
func TestFeedWaits(t *testing.T) {
	t.Parallel()
	h, waits, follow := watching(t)
	answered := follow(7)
	h.Clock.Advance(7 * time.Second)
	if got := (<-answered).Must(t, 200); got.Len("events") != 0 || got.Text("cursor") == "" {
		t.Errorf("in vain: %s", got.Body)
	}
	answered = follow(20)
	id := h.accepted(t)
	for {
		h.Clock.Advance(time.Second) // after which it looks again
		select {
		case <-waits: // perhaps it had looked too soon, and waits only now
			continue
		case answer := <-answered:
			if got := answer.Must(t, 200); got.Len("events") != 1 || !strings.Contains(got.Text("events", 0, "body"), id) {
				t.Errorf("not in vain: %s", got.Body)
			}
			return
		}
	}
}

// TestAStopDoesNotWaitForFeeds: they are answered at once.
func TestAStopDoesNotWaitForFeeds(t *testing.T) {
	t.Parallel()
	h, _, follow := watching(t)
	answered := follow(20)
	h.Stop()
	if got := (<-answered).Must(t, 200); got.Len("events") != 0 || got.Text("cursor") == "" {
		t.Errorf("got %s", got.Body)
	}
}

// TestTestEvents expects the status of the receiver, and nothing of its body.
func TestTestEvents(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	elsewhere := apptest.NewReceiver(t)
	redirect := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(redirect.Close)
	for _, status := range []int{200, 204, 299, 300, 404, 410, 500, 503, 0} {
		h.receiver.Answers(apptest.Always(status))
		got := h.post(t, "test").Must(t, 200)
		hook := h.receiver.Next(t)
		var told any = float64(status)
		if status == 0 {
			told = nil
		}
		if got.JSON("delivered") != (status/100 == 2) || got.JSON("status_code") != told || (got.JSON("error") == nil) != (status != 0) {
			t.Errorf("%d: %s", status, got.Body)
		}
		if !hook.Verifies(h.secret) || !hook.VerifiesStandard(h.secret) || hook.Text("id") != got.Text("event_id") || hook.Text("type") != "webhook.test" {
			t.Errorf("%d: sent %v %s", status, hook.Header, hook.Body)
		}
		if keys := got.Keys(); !slices.Equal(keys, []string{"delivered", "duration_ms", "error", "event_id", "status_code"}) {
			t.Errorf("%d: %v", status, keys)
		}
	}
	if got := h.endpoint(t); got.JSON("enabled") != true {
		t.Errorf("a test has disabled the endpoint: %s", got.Body)
	}
	if got := walk(t, h.partner, ""); len(got) != 0 {
		t.Errorf("listed: %v", got)
	}
	h.partner.Call(t, "PUT", endpointPath, fmt.Appendf(nil, `{"url":%q}`, redirect.URL)).Must(t, 200)
	if got := h.post(t, "test").Must(t, 200); got.JSON("delivered") != false || got.JSON("status_code") != 307.0 {
		t.Errorf("redirected: %s", got.Body)
	}
	elsewhere.NoneLeft(t)
}

// TestTestsAreNoOracle: what is behind an address that is not allowed cannot be
// announced, whether a client waits or not.
func TestTestsAreNoOracle(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	h := newHooked(t, dir)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	nobody := h.Register(t, "nobody")
	nobody.SetEndpoint(t, closed.URL)
	h.Stop()

	strict := apptest.Start(t, dir) // the URLs were set under another policy
	told := map[string]string{}
	for _, p := range []*apptest.Partner{h.partner, nobody} {
		p.Service = strict
		got := p.Call(t, "POST", "/v1/webhooks/test", nil).Must(t, 200)
		if got.JSON("delivered") != false || got.JSON("status_code") != nil {
			t.Errorf("refused: %s", got.Body)
		}
		told[p.Email] = got.Text("error")
	}
	if told[h.partner.Email] != told[nobody.Email] || told[nobody.Email] == "" || strings.Contains(told[nobody.Email], "127.") {
		t.Errorf("told: %q", told)
	}
	h.receiver.NoneLeft(t)
}

// TestATestIsBounded: a receiver that never answers is given up after 15 s.
func TestATestIsBounded(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	h.receiver.Answers(func(*apptest.Hook) int { <-release; return 200 })
	got := h.post(t, "test").Must(t, 200)
	took, _ := got.JSON("duration_ms").(float64)
	if got.JSON("delivered") != false || got.JSON("status_code") != nil || got.Text("error") == "" || took < 14_000 || took > 29_000 {
		t.Errorf("got %s", got.Body)
	}
}
