package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// far is a service that reaches its database over a bad network.
type far struct {
	*apptest.Service
	proxy    *testkit.Proxy
	partner  *apptest.Partner
	operator *apptest.Operator
	lamp     int
}

func startFar(t *testing.T) *far {
	t.Helper()
	database := migrated.URL(t)
	proxy, through := testkit.NewProxy(t, database)
	f := &far{proxy: proxy, Service: apptest.Start(t, apptest.DatabaseAt(through))}
	f.Database = database // audits do not use the proxy
	f.partner, f.operator = f.Register(t, "metro"), f.Operate(t)
	f.lamp = f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": opening})
	return f
}

// create sends one request for an order of one lamp.
func (f *far) create(t *testing.T, reference, key string) *apptest.Answer {
	t.Helper()
	body := testkit.OrderJSON(reference, buying(f.lamp, 1))
	return f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key)
}

// insist sends the same request until it succeeds.
func (f *far) insist(t *testing.T, reference, key string) (orderID string) {
	t.Helper()
	for end := hangs(); ; {
		got := f.create(t, reference, key)
		if got.Status == 201 || time.Now().After(end) {
			return got.Must(t, 201).Text("order_id")
		}
		got.Refused(t, 503, "unavailable")
	}
}

// sold compares what is stored with the number of orders, each of one lamp.
func (f *far) sold(t *testing.T, orders int) {
	t.Helper()
	query := "SELECT (SELECT count(*) FROM orders), (SELECT sum(quantity) FROM products)"
	if got, want := f.Query(t, query)[0], fmt.Sprint(orders, " ", opening-orders); got != want {
		t.Errorf("orders and lamps: got %s, want %s", got, want)
	}
	f.Audit(t)
}

// TestLostCommitResponses loses the database's response to COMMIT, before or after
// the database has committed. The node finds out which, and answers accordingly.
func TestLostCommitResponses(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]testkit.Cut{
		"before the server": testkit.CutBefore, "after the server": testkit.CutAfter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFar(t)
			f.proxy.CutCommits(cut, 1)
			key := newKey()
			id := f.create(t, "A-1", key).Must(t, 201).Text("order_id")
			if again := f.create(t, "A-1", key).Must(t, 201); again.Text("order_id") != id ||
				again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("again: got %s, want a replay of %s", again.Body, id)
			}
			for _, status := range []string{"accepted", "courier_assigned", "accepted"} {
				f.proxy.CutCommits(cut, 1)
				if got := f.operator.Move(t, id, status).Must(t, 200); got.Text("status") != status {
					t.Errorf("move to %s: got %s", status, got.Body)
				}
			}
			f.proxy.CutCommits(cut, 1)
			if got := f.partner.Cancel(t, id, "lost").Must(t, 200); got.Text("status") != "cancelled" ||
				got.Text("cancellation_reason") != "lost" {
				t.Errorf("cancel: got %s, want status cancelled and reason lost", got.Body)
			}
			f.proxy.CutCommits(cut, 1)
			f.partner.Cancel(t, id, "once more").Refused(t, 409, "order_not_cancellable")
			made := f.proxy.Made()
			t.Logf("%d responses to COMMIT lost", made)
			if made != 6 {
				t.Errorf("got %d lost COMMITs, want 6", made)
			}
			want := "pending accepted courier_assigned accepted cancelled"
			if got := strings.Join(statuses(f.partner.Call(t, "GET", "/v1/orders/"+id, nil)), " "); got != want {
				t.Errorf("history: got %s, want %s", got, want)
			}
			f.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
			second := f.partner.Create(t, testkit.OrderJSON("A-2", buying(f.lamp, 1))).Must(t, 201).Text("order_id")
			for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
				f.operator.Move(t, second, status).Must(t, 200)
			}
			f.proxy.CutCommits(cut, 1)
			f.operator.Move(t, second, "delivered").Must(t, 200)
			if got := f.Query(t, "SELECT order_id, act FROM journal"); len(got) != 1 || got[0] != second+" delivery" {
				t.Errorf("got the charges %s, want one for the delivery of %s", got, second)
			}
			f.lostMoney(t, cut)
			f.closeMonth(t, cut)
			if got := f.Query(t, "SELECT sum(quantity) FROM products")[0]; got != fmt.Sprint(opening-1) {
				t.Errorf("got %s lamps in stock, want %d", got, opening-1)
			}
			f.Audit(t)
		})
	}
}

// closeMonth closes the month of the partner while the response to COMMIT is lost: once, with one event.
func (f *far) closeMonth(t *testing.T, cut testkit.Cut) {
	t.Helper()
	f.Clock.Advance(20 * 24 * time.Hour)
	body := fmt.Appendf(nil, `{"period":"2026-01","partner_id":%q}`, f.partner.PartnerID)
	stated := f.Query(t, "SELECT count(DISTINCT entry_id) FROM journal_lines WHERE account IN ('charges', 'collected')")[0]
	f.proxy.CutCommits(cut, 1)
	closed := f.operator.Call(t, "POST", "/ops/v1/statements", body).Must(t, 201)
	if got := fmt.Sprint(closed.Len("lines")); got != stated || got == "0" {
		t.Errorf("got %s, want all %s entries on it", closed.Body, stated)
	}
	f.operator.Call(t, "POST", "/ops/v1/statements", body).Refused(t, 409, "conflict")
	if got := f.Query(t, `SELECT (SELECT count(*) FROM statements), (SELECT count(*) FROM statement_entries),
		(SELECT count(*) FROM events WHERE type = 'statement.closed')`)[0]; got != "1 "+stated+" 1" {
		t.Errorf("statements, their entries and events: got %s, want one with %s entries", got, stated)
	}
}

// lostMoney loses the database's responses to COMMIT while cash is collected, corrected, counted, deposited and
// remitted. What is answered with 503 is repeated under its key. Each is booked once.
func (f *far) lostMoney(t *testing.T, cut testkit.Cut) {
	t.Helper()
	body := bytes.Replace(testkit.OrderJSON("A-3", ""), []byte(`"reference":`),
		[]byte(`"cod":{"amount_cents":4999,"currency":"CAD"},"reference":`), 1)
	id := f.partner.Create(t, body).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
		f.operator.Move(t, id, status).Must(t, 200)
	}
	made := f.proxy.Made()
	for _, one := range []struct {
		method, path, body string
		status             int
	}{
		{
			"POST", "orders/" + id + "/status",
			`{"status":"delivered","collected":{"amount_cents":4999,"currency":"CAD","method":"cash"}}`, 200,
		},
		{
			"PUT", "orders/" + id + "/collected",
			`{"amount_cents":5000,"currency":"CAD","method":"cash","notes":"a cent more"}`, 200,
		},
		{
			"POST", "couriers/" + f.operator.CourierID + "/cash/hand-ins",
			`{"counted_cents":3990,"kept_cents":1000,"currency":"CAD"}`, 201,
		},
		{"POST", "cash/deposits", `{"amount_cents":3000,"currency":"CAD"}`, 201},
		{
			"POST", "partners/" + f.partner.PartnerID + "/remittances",
			`{"amount_cents":900,"currency":"CAD","from":"desk"}`, 201,
		},
		{"POST", "partners/" + f.partner.PartnerID + "/payments", `{"amount_cents":700}`, 201},
	} {
		f.proxy.CutCommits(cut, 1)
		key := newKey()
		send := func() *apptest.Answer {
			return f.Do(t, one.method, "/ops/v1/"+one.path, []byte(one.body), "Authorization", "Bearer "+f.operator.Token,
				"Content-Type", "application/json", "Idempotency-Key", key)
		}
		got := send()
		if got.Status == 503 {
			got = send()
		}
		if got.Status != one.status && (got.Status != 409 || cut != testkit.CutAfter) {
			t.Errorf("%s: got %d %s, want %d, or that it was carried out before", one.path, got.Status, got.Body, one.status)
		}
	}
	if got := f.proxy.Made() - made; got != 6 {
		t.Errorf("got %d lost COMMITs of the acts of money, want 6", got)
	}
	got := f.Query(t, `SELECT account, sum(cents) FROM journal_lines WHERE account IN ('collected', 'cash', 'desk', 'bank',
		'differences') GROUP BY account ORDER BY account`)
	if want := "bank 3700 cash 1000 collected -4100 desk 90 differences 10"; strings.Join(got, " ") != want {
		t.Errorf("got the balances %s, want %s", got, want)
	}
}

func statuses(order *apptest.Answer) (all []string) {
	for i := range order.Len("status_history") {
		all = append(all, order.Text("status_history", i, "status"))
	}
	return all
}

// TestRetryAfterTimeout gives up a request while no COMMIT is answered. A retry
// under the same key gets the one order.
func TestRetryAfterTimeout(t *testing.T) {
	t.Parallel()
	f := startFar(t)
	f.proxy.CutCommits(testkit.CutAfter, 1000)
	key, body := newKey(), testkit.OrderJSON("A-1", buying(f.lamp, 1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for end := hangs(); f.proxy.Made() == 0 && time.Now().Before(end); {
			backOff()
		}
		cancel()
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.URL+"/v1/orders", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	headers := append(f.partner.Signed("POST", "/v1/orders", body), "Idempotency-Key", key, "Content-Type",
		"application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	if got, err := http.DefaultClient.Do(request); err == nil {
		t.Errorf("got status %d, want no response while no COMMIT is answered", got.StatusCode)
		_ = got.Body.Close()
	}
	f.proxy.CutCommits(0, 0)
	id := f.insist(t, "A-1", key)
	if stored := f.Query(t, "SELECT order_id FROM orders"); len(stored) != 1 || stored[0] != id {
		t.Errorf("got orders %v in the database, want %s", stored, id)
	}
	f.sold(t, 1)
}

// TestBadNetwork creates orders with sixteen clients while connections are slow,
// all are reset again and again, and every fourth COMMIT is cut off.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	f := startFar(t)
	each := testkit.Scaled(20, 5)
	f.proxy.SetDelay(time.Millisecond)
	f.proxy.CutEvery(4)
	var made atomic.Int64
	ids := apptest.Together(16, func(i int) map[string]bool {
		mine := map[string]bool{}
		for n := range each {
			reference, key := fmt.Sprintf("A-%d-%d", i, n), newKey()
			id := f.insist(t, reference, key)
			if again := f.insist(t, reference, key); again != id {
				t.Errorf("%s: got order %s, then %s", reference, id, again)
			}
			mine[id] = true
			if made.Add(1)%24 == 0 {
				f.proxy.Reset()
			}
		}
		return mine
	})
	f.proxy.CutEvery(0)
	for _, mine := range ids {
		if len(mine) != each {
			t.Errorf("got %d orders, want %d", len(mine), each)
		}
	}
	f.sold(t, 16*each)
	t.Logf("%d orders, %d COMMITs cut off", 16*each, f.proxy.Made())
	if f.proxy.Made() == 0 {
		t.Error("got no COMMIT cut off, want some")
	}
}

// TestDatabaseUnreachable makes the database refuse connections, or not answer.
// Every request gets 503 after some time, later ones at once, and when the database
// is back the service works again without a restart.
func TestDatabaseUnreachable(t *testing.T) {
	t.Parallel()
	// Both at once, because most of the time is spent waiting.
	aways := []func(*testkit.Proxy, bool){(*testkit.Proxy).SetDown, (*testkit.Proxy).Stall}
	services, key := []*far{startFar(t), startFar(t)}, newKey()
	var requests []func() *apptest.Answer
	for i, f := range services {
		id := f.insist(t, "A-1", newKey())
		aways[i](f.proxy, true)
		requests = append(requests,
			func() *apptest.Answer { return f.create(t, "A-2", key) },
			func() *apptest.Answer { return f.partner.Cancel(t, id, "") },
			func() *apptest.Answer { return f.partner.Call(t, "GET", "/v1/orders", nil) },
			func() *apptest.Answer { return f.Do(t, "GET", "/track/"+id, nil) },
			func() *apptest.Answer { return f.operator.Move(t, id, "accepted") },
		)
	}
	for _, limit := range []time.Duration{12 * time.Second, time.Second} {
		times := apptest.Together(len(requests), func(i int) time.Duration {
			begun := time.Now()
			requests[i]().Refused(t, 503, "unavailable")
			return time.Since(begun)
		})
		for i, took := range times {
			if took > limit && testkit.Long() {
				t.Errorf("request %d: got an answer after %v, want %v at most", i, took, limit)
			}
		}
		t.Logf("%d requests, each answered within %v", len(times), slices.Max(times))
	}
	for i, f := range services {
		aways[i](f.proxy, false)
		back := time.Now()
		f.insist(t, "A-2", key)
		for end := hangs(); f.partner.Call(t, "GET", "/v1/orders", nil).Status != 200; backOff() { // until reads work as well
			if time.Now().After(end) {
				t.Fatalf("orders cannot be read %v after the database was back", repeatable.Hang)
			}
		}
		if took := time.Since(back); took > 5*time.Second && testkit.Long() {
			t.Errorf("got an answer %v after the database was back, want 5 s at most", took)
		}
		f.sold(t, 2)
	}
}

// TestNotReadyWithoutDatabase takes the database away and brings it back. Operators who
// have asked before learn the reason, although their tokens are in the database.
func TestNotReadyWithoutDatabase(t *testing.T) {
	t.Parallel()
	f := startFar(t)
	token := []string{"Authorization", "Bearer " + f.operator.Token}
	ready := func() *apptest.Answer { return f.Do(t, "GET", "/v1/ready", nil, token...) }
	until := func(status int) *apptest.Answer {
		begun := time.Now()
		for end := hangs(); ready().Status != status && time.Now().Before(end); {
			backOff()
		}
		if took := time.Since(begun); took > 4*time.Second && testkit.Long() {
			t.Errorf("got status %d after %v, want it within 4 s", status, took)
		}
		return ready().Must(t, status)
	}
	until(200)
	f.proxy.SetDown(true)
	if got := until(503); got.Text("error", "details", "reasons", 0, "reason") != "not_writable" {
		t.Errorf("got %s, want not_writable", got.Body)
	}
	if got := f.Do(t, "GET", "/v1/ready", nil).Must(t, 503); got.JSON("error", "details") != nil {
		t.Errorf("got %s without a token, want no details", got.Body)
	}
	f.Do(t, "GET", "/v1/health", nil).Must(t, 200)
	f.proxy.SetDown(false)
	until(200)
	f.Stop()
	if lines := strings.Count(f.Log.String(), `msg="the database cannot be reached"`); lines != 1 {
		t.Errorf("got %d lines for one outage, want 1:\n%s", lines, f.Log)
	}
}
