package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// wrongClock is a service that is started again and again, on the same data and one clock.
type wrongClock struct {
	floor
	options []apptest.Option
}

// retaining has the service remove what ended 30 days ago.
func retaining(c *config.Config, _ *app.Surroundings) { c.RetainOrders, c.RetainEvents = "30d", "30d" }

func newWrongClock(t *testing.T) *wrongClock {
	t.Helper()
	clock := testkit.NewClock(testkit.Epoch)
	w := &wrongClock{
		options: []apptest.Option{apptest.DataIn(t.TempDir()), apptest.OnClock(clock), apptest.WithMetrics(), retaining},
	}
	service := apptest.Start(t, w.options...)
	service.Clock = clock
	w.floor = floor{service, service.Register(t, "metro"), service.Operate(t)}
	w.options = append(w.options, apptest.DatabaseAt(service.Database))
	return w
}

// restart starts the service again on a clock that was set, and waits for its first sweep.
func (w *wrongClock) restart(t *testing.T, set time.Duration) {
	t.Helper()
	w.Stop()
	clock := w.Clock
	clock.Set(set)
	w.Service = apptest.Start(t, w.options...)
	w.Clock, w.partner.Service, w.operator.Service = clock, w.Service, w.Service
	await(t, w.Service, func(m *scrape) bool { return m.value("dropyard_retention_sweeps_total") > 0 })
}

// agingRows counts the rows of what is removed for its age, as far as it is from the first day.
var agingRows = fmt.Sprintf(
	"SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM events), (SELECT count(*) FROM idempotency_keys),"+
		" (SELECT count(*) FROM operator_receipts), (SELECT count(*) FROM sessions), (SELECT count(*) FROM operator_sessions WHERE created_at < %[1]d),"+
		" (SELECT count(*) FROM operator_tokens WHERE created_at < %[1]d), (SELECT count(*) FROM one_time_links), (SELECT count(*) FROM nonces),"+
		" (SELECT count(*) FROM request_log), (SELECT count(*) FROM loose_pictures), (SELECT count(*) FROM known_devices)",
	testkit.Epoch.Add(day).UnixMicro(),
)

// fill writes a row of what is removed for its age, and returns a repetition of the creation
// of its order with the order's id.
func (w *wrongClock) fill(t *testing.T) (again func() *apptest.Answer, id string) {
	t.Helper()
	body, key := testkit.OrderJSON("A-1", ""), uuid.NewString()
	again = func() *apptest.Answer {
		return w.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key)
	}
	id = again().Must(t, 201).Text("order_id")
	for _, step := range waysTo[delivery.StatusDelivered] {
		w.operator.Move(t, id, step).Must(t, 200)
	}
	owner := w.partner.Owner(t)
	owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"new@example.com","role":"reader"}`)).Must(t, 201)
	w.operator.Visit(t)
	const endpoint = "/v1/webhooks/endpoint" // where a nonce is kept
	w.Do(t, "DELETE", endpoint, nil, w.partner.SignedV2("DELETE", endpoint, nil, "0123456789abcdef")...)
	w.Do(t, "POST", "/ops/v1/orders/"+id+"/notes", []byte(`{"text":"left with the porter"}`),
		"Authorization", "Bearer "+w.operator.Token, "Idempotency-Key", uuid.NewString()).Must(t, 201)
	w.Clock.Advance(2 * time.Minute)
	return again, id
}

// TestWrongClockAtStart starts the service on a clock that is 60 days ahead, twice, and then
// on the right one: nothing is lost, and a repeated creation gets the order that it made.
func TestWrongClockAtStart(t *testing.T) {
	t.Parallel()
	w := newWrongClock(t)
	again, id := w.fill(t)
	w.Stop()
	before := w.Query(t, agingRows)
	if strings.Count(before[0], " 0") > 1 { // loose pictures
		t.Errorf("got the rows %v before, want some of each kind", before)
	}
	for range 2 {
		w.restart(t, 60*day)
		if doubt := w.system(t).JSON("clock_doubt", "refused"); doubt != true {
			t.Errorf("60 days ahead: got refused %v in the doubt, want true", doubt)
		}
		w.Stop() // it also removes what is old
		w.Clock.Set(-60 * day)
	}
	w.restart(t, 0)
	w.Stop()
	if after := w.Query(t, agingRows); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("got the rows %v after wrong starts, want %v as before", after, before)
	}
	w.restart(t, 0)
	if got := w.read(t, id).Text("status"); got != "delivered" {
		t.Errorf("got status %q of the delivered order, want it unchanged", got)
	}
	if got := again().Must(t, 201); got.Text("order_id") != id || got.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("a repeated creation: got %s, want a replay of order %s", got.Body, id)
	}
	if w.Database == "" { // the clock of a test differs from a server's
		if doubt := w.system(t).JSON("clock_doubt"); doubt != nil {
			t.Errorf("on the right clock: got the doubt %v, want none", doubt)
		}
	}
}

// system returns the installation, as an admin who signs in on the clock as it is.
func (w *wrongClock) system(t *testing.T) *apptest.Answer {
	t.Helper()
	admin := w.Operate(t)
	admin.Visit(t)
	return admin.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
}

// TestAcceptedClock has an admin accept a clock that is 60 days ahead. Old data is removed
// then, but idempotency keys and orders not before another 72 hours.
func TestAcceptedClock(t *testing.T) {
	t.Parallel()
	w := newWrongClock(t)
	if w.Database != "" {
		t.Skip("the clock of a test differs from a server's, so that it is not accepted")
	}
	again, id := w.fill(t)
	w.restart(t, 60*day)
	admin := w.Operate(t)
	accepted := admin.Call(t, "POST", "/ops/v1/system/accept-clock", nil).Must(t, 200)
	if doubt := accepted.JSON("clock_doubt"); doubt != nil {
		t.Errorf("accepted: got the doubt %v, want none", doubt)
	}
	log := admin.Call(t, "GET", "/ops/v1/audit?action=clock.accepted", nil).Must(t, 200)
	if log.Len("entries") != 1 || log.Text("entries", 0, "after", "time") == log.Text("entries", 0, "before", "time") {
		t.Errorf("got %s in the audit log, want an entry with both times", log.Body)
	}
	w.restart(t, 0)
	if got := again().Must(t, 201); got.Text("order_id") != id {
		t.Errorf("within 72 hours: got %s, want a replay of order %s", got.Body, id)
	}
	w.Clock.Advance(day)
	w.restart(t, 0) // a day is a jump between two starts, which settles within an hour
	w.read(t, id)
	w.Stop()
	if _, err := app.AcceptClock(t.Context(), &config.Config{Data: w.Data},
		app.Surroundings{Now: w.Clock.Now, Random: apptest.Random(t)}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(73 * time.Hour)
	w.restart(t, 0)
	w.read(t, id) // after 73 hours without a service the clock has to settle
}

// TestClockBehindAtStart writes records on a clock that is a year behind, which is then set
// right: they are as new as they were when they were written.
func TestClockBehindAtStart(t *testing.T) {
	t.Parallel()
	w := newWrongClock(t)
	w.restart(t, -365*day)
	w.operator = w.Operate(t)
	again, id := w.fill(t)
	w.restart(t, 365*day)
	w.read(t, id)
	if got := again().Must(t, 201); got.Text("order_id") != id {
		t.Errorf("a repeated creation: got %s, want a replay of order %s", got.Body, id)
	}
	// Entries that were logged more than a moment apart are in several pieces.
	const pieces = "SELECT count(DISTINCT partner_id) FROM request_log"
	if kept := w.Query(t, "SELECT (SELECT count(*) FROM operator_receipts), ("+pieces+")"); kept[0] != "1 1" {
		t.Errorf("got %v receipts, and partners with pieces of the request log, want 1 of each", kept)
	}
}

// TestFeedAfterWrongClock follows events on a clock that is 60 days ahead, and then on the
// right one. Each event is returned, and those of before are not repeated without end.
func TestFeedAfterWrongClock(t *testing.T) {
	t.Parallel()
	w := newWrongClock(t)
	var want, seen []string
	cursor := w.partner.Call(t, "GET", "/v1/webhooks/feed", nil).Must(t, 200).Text("cursor")
	repeated := 0
	for i, set := range []time.Duration{0, 60 * day, -60 * day} {
		w.restart(t, set)
		w.operator = w.Operate(t) // the token of before has expired
		for n := range 3 {
			id := w.partner.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i, n), "")).Must(t, 201).Text("order_id")
			w.operator.Move(t, id, "accepted").Must(t, 200)
			want = append(want, id)
			page := w.partner.Call(t, "GET", "/v1/webhooks/feed?after="+cursor, nil).Must(t, 200)
			cursor = page.Text("cursor")
			for at := range page.Len("events") {
				var event struct {
					Data struct {
						OrderID string `json:"order_id"`
					} `json:"data"`
				}
				if err := json.Unmarshal([]byte(page.Text("events", at, "body")), &event); err != nil {
					t.Fatal(err)
				}
				if slices.Contains(seen, event.Data.OrderID) {
					repeated++
				} else {
					seen = append(seen, event.Data.OrderID)
				}
			}
		}
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got the events of %d orders %v, want %v", len(seen), seen, want)
	}
	if repeated > 9 { // on the first two clocks, those of the 30 seconds before the last one
		t.Errorf("got %d events again, want 9 at most", repeated)
	}
}
