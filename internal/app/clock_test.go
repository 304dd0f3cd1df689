package app_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// clocked is a service whose clock can be set back.
type clocked struct {
	*hooked
	owner *apptest.User
	lamp  int
	next  int // of the next order's reference
}

// newClocked starts a service, by whose clock it is noon.
func newClocked(t *testing.T, options ...apptest.Option) *clocked {
	t.Helper()
	clock := testkit.NewClock(testkit.Epoch)
	service := apptest.Start(t, append(options, apptest.Webhooks(), apptest.OnClock(clock))...)
	service.Clock = clock
	h := &hooked{Service: service, receiver: apptest.NewReceiver(t)}
	h.partner, h.operator = h.Register(t, "metro"), h.Operate(t)
	h.secret = h.partner.SetEndpoint(t, h.receiver.URL)
	return &clocked{hooked: h, owner: h.partner.Owner(t), lamp: h.operator.Stock(t, h.partner.PartnerID, "Lamp",
		map[string]int{"MTL-1": 90})}
}

// create creates an order of a lamp and returns its record.
func (c *clocked) create(t *testing.T) *apptest.Answer {
	t.Helper()
	c.Clock.Advance(time.Second)
	body := testkit.OrderJSON(fmt.Sprintf("A-%d", c.next), fmt.Sprintf(`[{"product_id":%d,"quantity":1}]`, c.lamp))
	c.next++
	return c.partner.Create(t, body).Must(t, 201)
}

// get sends a signed GET.
func (c *clocked) get(t *testing.T, target string) *apptest.Answer {
	t.Helper()
	return c.partner.Call(t, "GET", target, nil).Must(t, 200)
}

// ask sends a GET of the operator.
func (c *clocked) ask(t *testing.T, target string) *apptest.Answer {
	t.Helper()
	return c.operator.Call(t, "GET", target, nil).Must(t, 200)
}

// texts returns a field of the objects in a list.
func texts(page *apptest.Answer, list string, path ...any) (all []string) {
	for i := range page.Len(list) {
		all = append(all, page.Text(append([]any{list, i}, path...)...))
	}
	return all
}

// setBacks are how far the clock is set back.
var setBacks = map[string]time.Duration{"ten minutes": 10 * time.Minute, "a day": 24 * time.Hour}

// TestOrdersWhenTheClockIsSetBack lists, pages, polls and filters orders of before and after.
func TestOrdersWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for name, by := range setBacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocked(t)
			for range 3 {
				c.create(t)
			}
			first := c.get(t, "/v1/orders?limit=2")
			lastBefore := first.Text("orders", 0, "created_at")
			c.Clock.Set(-by)

			var created []string
			for i := range 3 {
				record := c.create(t)
				created = append(created, record.Text("created_at"))
				if got, want := c.get(t, "/v1/orders?limit=1").Text("orders", 0, "order_id"), record.Text("order_id"); got != want {
					t.Errorf("new order %d: who polls the newest order gets %s, want %s", i, got, want)
				}
			}
			if got := references(c.get(t, "/v1/orders")); got != "5 4 3 2 1 0" {
				t.Errorf("newest first: got %s, want 5 4 3 2 1 0", got)
			}
			if got := references(c.get(t, "/v1/orders?cursor="+first.Text("next_cursor"))); got != "0" {
				t.Errorf("the page after the first, which showed 2 and 1: got %s, want 0", got)
			}
			if !slices.IsSorted(created) || created[0] <= lastBefore {
				t.Errorf("got created_at %v after %s, want ascending", created, lastBefore)
			}
			if got := references(c.get(t, "/v1/orders?created_from="+created[0])); got != "5 4 3" {
				t.Errorf("created_from: got %s, want 5 4 3", got)
			}
			if got := references(c.get(t, "/v1/orders?created_to="+created[0])); got != "2 1 0" {
				t.Errorf("created_to: got %s, want 2 1 0", got)
			}
			movements := texts(c.get(t, "/v1/inventory/movements"), "movements", "date")
			slices.Reverse(movements)
			if !slices.IsSorted(movements) {
				t.Errorf("got movements of %v, want ascending", movements)
			}
			listed := texts(c.get(t, "/v1/orders"), "orders", "order_id")
			var logged []string // what is written within half a second is listed after that
			apptest.Await(t, fmt.Sprint("the request log, newest first: ", listed), func() bool {
				logged = texts(c.get(t, "/v1/logs?method=POST&status=201"), "logs", "order_id")
				return len(logged) >= len(listed)
			})
			if !slices.Equal(logged, listed) {
				t.Errorf("the request log, newest first: got %v, want %v", logged, listed)
			}

			c.Clock.Advance(2*by + time.Hour)
			if got, want := c.create(t).Text("created_at"), c.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"); got != want {
				t.Errorf("when the clock has caught up: got created_at %s, want %s", got, want)
			}
			c.Audit(t)
		})
	}
}

// TestEventsWhenTheClockIsSetBack sends events of before and after, one of which is tried
// again across the step.
func TestEventsWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for name, by := range setBacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocked(t)
			seen := c.accepted(t)
			c.receiver.Next(t)
			c.settled(t, seen, "1 delivered 1")
			feed := c.get(t, "/v1/webhooks/feed").Text("cursor")
			c.Clock.Advance(time.Minute) // longer than what a feed repeats
			c.receiver.Answers(apptest.Always(500))
			failed := c.accepted(t)
			c.receiver.Next(t)
			c.settled(t, failed, "1 pending 1")
			c.parked(t)
			feed = c.get(t, "/v1/webhooks/feed?after="+feed).Text("cursor")
			c.Clock.Set(-by)
			c.receiver.Answers(apptest.Always(200))

			c.Clock.Advance(2 * untilNext[0])
			if got := c.receiver.Next(t).Header.Get("Drop-Event-Timestamp"); got != strconv.FormatInt(c.Clock.Now().Unix(), 10) {
				t.Errorf("got Drop-Event-Timestamp %s of a retry, want %d, the time of receivers' clocks", got,
					c.Clock.Now().Unix())
			}
			c.settled(t, failed, "1 delivered 2")
			later := c.accepted(t)
			if got := c.receiver.Next(t).Text("data", "order_id"); got != later {
				t.Errorf("got an event of %s, want %s", got, later)
			}
			c.settled(t, later, "1 delivered 1")
			c.partner.Cancel(t, later, "").Must(t, 200)
			c.receiver.Next(t)
			c.settled(t, later, "1 delivered 1", "2 delivered 1")

			if got, want := texts(c.get(t, "/v1/webhooks/events"), "events", "order_id"),
				[]string{later, later, failed, seen}; !slices.Equal(got, want) {
				t.Errorf("events, newest first: got %v, want %v", got, want)
			}
			fed := c.get(t, "/v1/webhooks/feed?after="+feed)
			if count := strings.Count(string(fed.Body), later); count != 2 {
				t.Errorf("the feed from before on has %d events of the order of after, want 2: %s", count, fed.Body)
			}
			c.Audit(t)
		})
	}
}

// TestBoardWhenTheClockIsSetBack follows the board and the audit log, and moves orders as a
// courier does who goes by the Date of responses.
func TestBoardWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for name, by := range setBacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocked(t)
			known := c.create(t).Text("order_id")
			after := c.ask(t, "/ops/v1/orders/snapshot").Text("after")
			c.Clock.Set(-by)

			created := c.create(t).Text("order_id")
			c.operator.Move(t, known, "accepted").Must(t, 200)
			missing := map[string]bool{known: true, created: true}
			apptest.Await(t, "both orders are among the changes of the board", func() bool {
				c.Clock.Advance(5 * time.Second)
				answer := c.ask(t, "/ops/v1/orders/changes?after="+after)
				for _, id := range texts(answer, "changed", "order_id") {
					delete(missing, id)
				}
				after = answer.Text("after")
				return len(missing) == 0
			})
			assigned := c.operator.Move(t, known, "courier_assigned").Must(t, 200)
			c.Clock.Advance(10 * time.Second)
			date, err := time.Parse(time.RFC1123, c.ask(t, "/ops/v1/me").Header.Get("Date"))
			if err != nil {
				t.Fatal(err)
			}
			c.operator.Call(t, "POST", "/ops/v1/orders/"+known+"/status",
				fmt.Appendf(nil, `{"status":"picked_up","occurred_at":%q}`, date.UTC().Format(time.RFC3339))).Must(t, 200)
			if at := assigned.Text("updated_at"); at == "" {
				t.Errorf("got %s, want updated_at", assigned.Body)
			}
			history := texts(c.ask(t, "/ops/v1/orders/"+known), "status_history", "recorded_at")
			if !slices.IsSorted(history) {
				t.Errorf("got a history of %v, want ascending", history)
			}
			audit := c.ask(t, "/ops/v1/audit?limit=3")
			if got, want := strings.Join(texts(audit, "entries", "action"), " "),
				"order.moved order.moved order.moved"; got != want {
				t.Errorf("audit log, newest first: got %s, want %s: %s", got, want, audit.Body)
			}
		})
	}
}

// TestSignInWhenTheClockIsSetBack uses signatures, keys of repetition and a session across
// the step. Signatures go by the clock as it is set, because partners' clocks do.
func TestSignInWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for name, by := range setBacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClocked(t)
			key, body := uuid.NewString(), testkit.OrderJSON("once", "")
			first := c.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
			ending := *c.owner
			ending.Cookie = session(t, c.partner)[1]
			c.Clock.Advance(11 * time.Hour) // it has an hour left
			c.owner.Cookie = session(t, c.partner)[1]
			before := c.Clock.Now()
			c.Clock.Set(-by)

			again := c.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
			if again.Text("order_id") != first.Text("order_id") || again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("got %s again, want %s", again.Body, first.Body)
			}
			c.Do(t, "GET", "/v1/orders", nil, c.partner.SignedAt(before, "GET", "/v1/orders", nil)...).Refused(t, 401,
				"unauthorized")
			if got, want := c.Do(t, "GET", "/v1/health", nil).Text("time"),
				c.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"); got != want {
				t.Errorf("health: got the time %s, want %s", got, want)
			}
			c.owner.Call(t, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, c.receiver.URL)).Must(t, 200)
			c.Clock.Advance(time.Second)
			signed := c.partner.Call(t, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, c.receiver.URL))
			if by < 11*time.Hour {
				signed.Must(t, 200)
			} else { // it could be a recorded one of before the endpoint was set
				signed.Refused(t, 409, "conflict")
			}
			c.owner.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200)
			c.Clock.Advance(2*time.Hour + time.Minute)
			ending.Call(t, "GET", "/v1/auth/me", nil).Refused(t, 401, "unauthorized")
			c.owner.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200)
		})
	}
}

// TestClockSetBackBetweenStarts starts a service again on a clock that was set back, once as
// by a computer whose clock was wrong for hours, and once for a year.
func TestClockSetBackBetweenStarts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	c := newClocked(t, apptest.DataIn(data))
	c.create(t)
	for _, step := range []struct {
		by   time.Duration
		want string // the orders, newest first
	}{{6 * time.Hour, "1 0"}, {365 * 24 * time.Hour, "1 0 2"}} {
		c.Stop()
		c.Clock.Set(-step.by)
		partner, clock := c.partner, c.Clock
		c.Service = apptest.Start(t, apptest.DataIn(data), apptest.DatabaseAt(c.Database), apptest.OnClock(clock))
		c.Clock, partner.Service = clock, c.Service
		c.create(t)
		if got := references(c.get(t, "/v1/orders")); got != step.want {
			t.Errorf("set back by %v: got %s, want %s", step.by, got, step.want)
		}
	}
	if log := c.Log.String(); !strings.Contains(log, "behind") {
		t.Errorf("got the log %s, want a line that says how far the clock is behind", log)
	}
}
