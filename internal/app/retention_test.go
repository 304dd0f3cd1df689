package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

const day = 24 * time.Hour

// TestSweepRemovesOldOrders sweeps orders in every status and of three ages. Only
// old orders that have ended are removed, with all that belongs to them; the stock
// and the stock stay.
func TestSweepRemovesOldOrders(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 9})
	ids := map[string]string{}
	for _, state := range delivery.Statuses {
		ids["old "+string(state)] = f.orderIn(t, "old-"+string(state), state)
	}
	for _, reference := range []string{"sold", "returned"} {
		ids[reference] = f.partner.Create(t, testkit.OrderJSON(reference, buying(lamp, 2))).Must(t, 201).Text("order_id")
	}
	f.operator.Call(t, "POST", "/ops/v1/orders/"+ids["old delivered"]+"/notes",
		[]byte(`{"text":"left with the porter"}`)).Must(t, 201)
	late := f.orderIn(t, "late", delivery.StatusOutForDelivery) // created as early, delivered later
	for _, step := range waysTo[delivery.StatusDelivered] {
		f.operator.Move(t, ids["sold"], step).Must(t, 200)
	}
	f.partner.Cancel(t, ids["returned"], "").Must(t, 200)
	f.Clock.Advance(10 * day)
	f.operator.Move(t, late, "delivered").Must(t, 200)
	recent := f.orderIn(t, "recent", delivery.StatusDelivered)
	ledger := f.Query(t, "SELECT movement_id, type, quantity, order_id FROM stock_movements ORDER BY movement_id")

	f.Clock.Advance(20*day + time.Minute) // 30 days after the old orders, 20 after the others
	if removed := f.Sweep(t, retention.Policy{}); removed.Orders != 0 || removed.Events != 0 || removed.Keys == 0 {
		t.Errorf("by default: got %+v, want keys removed only", removed)
	}
	removed := f.Sweep(t, retention.Policy{Orders: 30 * day})
	if removed != (retention.Removed{Orders: 4}) { // delivered, cancelled, sold, returned
		t.Errorf("after 30 days: got %+v, want 4 orders", removed)
	}
	f.Audit(t)
	for what, id := range ids {
		want := 200
		if what == "old delivered" || what == "old cancelled" || what == "sold" || what == "returned" {
			want = 404
		}
		f.partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, want)
		f.Do(t, "GET", "/track/"+id, nil).Must(t, want)
	}
	for _, id := range []string{late, recent} {
		f.read(t, id)
	}
	if after := f.Query(
		t, "SELECT movement_id, type, quantity, order_id FROM stock_movements ORDER BY movement_id",
	); strings.Join(after, "\n") != strings.Join(ledger, "\n") {
		t.Errorf("got ledger\n%s\nwant\n%s", after, ledger)
	}
	if again := f.Sweep(t, retention.Policy{Orders: 30 * day}); again != (retention.Removed{}) {
		t.Errorf("again: got %+v, want nothing removed", again)
	}
	// The reference of a removed order can be used again.
	f.partner.Create(t, testkit.OrderJSON("old-delivered", "")).Must(t, 201)
	f.partner.Create(t, testkit.OrderJSON("old-pending", "")).Refused(t, 409, "conflict")
	f.Audit(t)
}

// TestSweepRemovesOldEvents removes old events of orders in every status, and
// nothing else.
func TestSweepRemovesOldEvents(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	f.Clock.Advance(10 * day)
	f.operator.Move(t, id, "delivered").Must(t, 200)
	before := f.read(t, id)
	f.Clock.Advance(10 * day)
	if removed := f.Sweep(t, retention.Policy{Events: 15 * day}); removed.Events != 4 || removed.Orders != 0 {
		t.Errorf("got %+v, want 4 events", removed)
	}
	if left := f.Query(t, "SELECT type FROM events"); fmt.Sprint(left) != "[order.delivered]" {
		t.Errorf("got events %v, want order.delivered", left)
	}
	if after := f.read(t, id); string(after.Body) != string(before.Body) {
		t.Errorf("got %s\nwant %s", after.Body, before.Body)
	}
	f.Audit(t)
}

// TestKeysAreKeptForAWeek repeats requests. They are replayed for a week, however
// short the retention is, and are new requests afterwards.
func TestKeysAreKeptForAWeek(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	policy := retention.Policy{Orders: time.Second, Events: time.Second} // config refuses these
	body, key := testkit.OrderJSON("A-1", ""), uuid.NewString()
	first := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	cancelKey := uuid.NewString()
	cancel := func() *apptest.Answer {
		return f.partner.Call(t, "POST", "/v1/orders/"+first.Text("order_id")+"/cancel", []byte(`{"reason":"no"}`),
			"Idempotency-Key", cancelKey)
	}
	cancelled := cancel().Must(t, 200)
	for range 2 {
		f.Sweep(t, policy)
		again := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
		if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%v: got %s\nwant a replay of %s", f.Clock.Now(), again.Body, first.Body)
		}
		if again := cancel().Must(t, 200); string(again.Body) != string(cancelled.Body) {
			t.Errorf("%v: cancel: got %s\nwant %s", f.Clock.Now(), again.Body, cancelled.Body)
		}
		f.Audit(t)
		f.Clock.Advance(retention.KeysKept)
	}
	f.Clock.Advance(time.Second)
	if removed := f.Sweep(t, policy); removed != (retention.Removed{Orders: 1, Keys: 2}) {
		t.Errorf("got %+v, want 1 order and 2 keys", removed)
	}
	if left := f.Query(t,
		"SELECT count(*) FROM events UNION SELECT count(*) FROM order_history"); fmt.Sprint(left) != "[0]" {
		t.Errorf("got counts %v of events and history, want 0", left)
	}
	again := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	if again.Text("order_id") == first.Text("order_id") {
		t.Errorf("got %s\nwant another order than %s", again.Body, first.Body)
	}
	f.Audit(t)
}

// TestServiceSweeps starts a service whose settings limit retention. It sweeps
// without being asked, and can be stopped during a sweep.
func TestServiceSweeps(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	service := apptest.Start(t, dir)
	f := floor{service, service.Register(t, "metro"), service.Operate(t)}
	for i := range 5 {
		f.orderIn(t, fmt.Sprint("A-", i), delivery.StatusDelivered)
	}
	f.orderIn(t, "B-1", delivery.StatusPickedUp)
	service.Stop()

	aYearLater := func(c *config.Config, world *app.Surroundings) {
		c.RetainOrders, c.RetainEvents = "360d", "360d"
		now := world.Now
		world.Now = func() time.Time { return now().Add(365 * day) }
	}
	apptest.Start(t, dir, aYearLater).Stop() // perhaps during its sweep
	service = apptest.Start(t, dir, aYearLater)
	const count = "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM events), (SELECT count(*) FROM idempotency_keys)"
	service.Until(t, count, "1 0 0")
}

// TestSweepDuringCreation sweeps while orders are created in the same database.
// Nothing else is removed, and every law holds.
func TestSweepDuringCreation(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 1000})
	for i := range 20 {
		id := f.partner.Create(t, testkit.OrderJSON(fmt.Sprint("old-", i), buying(lamp, 1))).Must(t, 201).Text("order_id")
		f.partner.Cancel(t, id, "").Must(t, 200)
	}
	f.Clock.Advance(30 * day)
	var creators sync.WaitGroup
	for creator := range 4 {
		creators.Go(func() {
			for i := range 20 {
				got, err := f.partner.Try("POST", "/v1/orders", testkit.OrderJSON(fmt.Sprint(creator, "-", i), buying(lamp, 1)),
					append(f.partner.Signed("POST", "/v1/orders", testkit.OrderJSON(fmt.Sprint(creator, "-", i), buying(lamp, 1))),
						"Idempotency-Key", uuid.NewString())...)
				if err != nil || got.Status != 201 {
					t.Errorf("got %+v, error %v, want status 201", got, err)
				}
			}
		})
	}
	if removed := f.Sweep(t, retention.Policy{Orders: 8 * day}); removed != (retention.Removed{Orders: 20, Keys: 40}) {
		t.Errorf("got %+v, want 20 orders and 40 keys", removed)
	}
	creators.Wait()
	if left := f.Query(t, "SELECT count(*) FROM orders"); left[0] != "80" {
		t.Errorf("got %s orders, want 80", left[0])
	}
	f.Audit(t)
}

// lines returns the records of an export by type.
func lines(t *testing.T, export []byte) map[string][]map[string]any {
	t.Helper()
	all := map[string][]map[string]any{}
	scanner := bufio.NewScanner(bytes.NewReader(export))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var line struct {
			Type   string
			Record map[string]any
		}
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil || line.Record == nil {
			t.Fatalf("%s: %v", scanner.Bytes(), err)
		}
		all[line.Type] = append(all[line.Type], line.Record)
	}
	return all
}

// export returns the export of the floor's partner.
func (f floor) export(t *testing.T) []byte {
	t.Helper()
	var written bytes.Buffer
	if err := app.ExportPartner(t.Context(),
		&config.Config{Data: f.Data, DatabaseURL: f.Database, DatabaseMayLoseData: true}, app.System(), f.partner.PartnerID,
		&written); err != nil {
		t.Fatal(err)
	}
	return written.Bytes()
}

// TestExportIsComplete exports a partner. The export has all of its records and no
// secrets.
func TestExportIsComplete(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3, "TOR-1": 500})
	stranger := f.Register(t, "stranger")
	stranger.Create(t, testkit.OrderJSON("not-mine", "")).Must(t, 201)
	const orders = 230 // more than two pages
	for i := range orders {
		body := bytes.Replace(testkit.OrderJSON(fmt.Sprintf("A-%03d", i), buying(lamp, 1)), []byte(`"n":1.0`),
			[]byte("\"n\":\n\r1.0"), 1)
		f.partner.Create(t, body).Must(t, 201)
		f.Clock.Advance(time.Second)
	}
	delivered := f.orderIn(t, "B-1", delivery.StatusDelivered)
	f.partner.Owner(t).Call(t, "PATCH", "/v1/account", []byte(`{"public_name":"Metro","language":"fr"}`)).Must(t, 200)

	export := f.export(t)
	got := lines(t, export)
	if profile, _ := got["partner"][0]["profile"].(map[string]any); profile["public_name"] != "Metro" ||
		profile["language"] != "fr" {
		t.Errorf("got the profile %v, want the name and the language that were set", profile)
	}
	for kind, want := range map[string]int{
		"partner": 1, "user": 1, "api_key": 1, "product": 1, "stock_level": 2, "movement": 2 + orders, "order": orders + 1,
		"event": 5,
	} {
		if len(got[kind]) != want {
			t.Errorf("got %d lines of %s, want %d", len(got[kind]), kind, want)
		}
	}
	for i, o := range got["order"][:orders] {
		if o["partner_order_id"] != fmt.Sprintf("A-%03d", i) {
			t.Fatalf("order %d: got %v", i, o)
		}
	}
	var whole map[string]any
	if err := json.Unmarshal(f.read(t, delivered).Body, &whole); err != nil {
		t.Fatal(err)
	}
	if last := got["order"][orders]; fmt.Sprint(last) != fmt.Sprint(whole) {
		t.Errorf("got %v\nwant %v", last, whole)
	}
	for _, secret := range append([]string{f.partner.SecretKey, "argon2", "not-mine", "secret"},
		f.Query(t, "SELECT password_hash FROM users")...) {
		if bytes.Contains(export, []byte(secret)) {
			t.Errorf("got %q in the export, want it left out", secret)
		}
	}
	err := app.ExportPartner(t.Context(), &config.Config{Data: f.Data, DatabaseURL: f.Database, DatabaseMayLoseData: true},
		app.System(), "par_zzzzzzzz", &bytes.Buffer{})
	if !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("unknown partner: got error %v, want %s", err, refusal.CodeNotFound)
	}
}

// personal is what testkit.OrderJSON and these tests write about a recipient.
var personal = []string{"Alex Martin", "+14165550123", "alex@example.com", "100 Queen", "Unit 4", "Ring twice", "2N2",
	"PO 77", "Leave at the desk", "métro", "Books", "hush"}

// erase erases orders of the partner and returns how many.
func (f floor) erase(t *testing.T, orderIDs []string, recipient string, force bool) (int, error) {
	t.Helper()
	return app.ErasePartnerOrders(t.Context(),
		&config.Config{Data: f.Data, DatabaseURL: f.Database, DatabaseMayLoseData: true}, app.System(), f.partner.PartnerID,
		orderIDs, recipient, force)
}

// checkErased fails the test if a text contains anything personal.
func checkErased(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range personal {
		if strings.Contains(text, secret) {
			t.Errorf("%s: got %q in it, want it erased: %s", what, secret, text)
		}
	}
}

// TestErase erases an order, by its id or by its recipient. Nothing personal
// remains: not in reads, lists, tracking, exports, the operators' view, replays,
// nor in the database.
func TestErase(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"order", "recipient"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := newFloor(t)
			lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 9})
			body, key := testkit.OrderJSON("A-1", buying(lamp, 2)), uuid.NewString()
			id := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201).Text("order_id")
			cancelKey := uuid.NewString()
			cancel := func() *apptest.Answer {
				return f.partner.Call(t, "POST", "/v1/orders/"+id+"/cancel", []byte(`{"reason":"hush"}`), "Idempotency-Key",
					cancelKey)
			}
			cancel().Must(t, 200)
			other := f.partner.Create(t, bytes.Replace(testkit.OrderJSON("A-2", ""), []byte("alex@"), []byte("sam@"), 1)).Must(t,
				201)
			ledger := strings.Join(f.Query(t, "SELECT * FROM stock_movements ORDER BY movement_id"), "\n")

			for range 2 { // the second time changes nothing more
				ids, recipient := []string{id}, ""
				if way == "recipient" {
					ids, recipient = nil, "Alex@Example.com"
				}
				erased, err := f.erase(t, ids, recipient, false)
				if err != nil || erased > 1 {
					t.Fatalf("got %d orders erased, error %v, want at most 1", erased, err)
				}
				read := f.read(t, id)
				checkErased(t, "the order", string(read.Body))
				checkErased(t, "tracking", string(f.Do(t, "GET", "/track/"+id, nil).Must(t, 200).Body))
				checkErased(t, "the list",
					string(f.partner.Call(t, "GET", "/v1/orders?partner_order_id=A-1", nil).Must(t, 200).Body))
				checkErased(t, "the operators' view", string(f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Body))
				again := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
				checkErased(t, "the replay", string(again.Body))
				if again.Text("status") != "pending" || again.Text("order_id") != id {
					t.Errorf("replay: got %s, want order %s, pending", again.Body, id)
				}
				want := withoutVersion(read.Body) // which only single reads show
				if answer := cancel().Must(t, 200); string(answer.Body) != want ||
					answer.Header.Get("Idempotent-Replayed") != "true" {
					t.Errorf("cancel again: got %s\nwant %s", answer.Body, want)
				}
				if read.Text("dropoff", "address", "postal_code") != "M5H 0A0" ||
					read.Text("dropoff", "address", "city") != "Toronto" ||
					read.Text("dropoff", "email") != retention.ErasedEmail || read.Text("pickup", "name") != "Épicerie Métro" {
					t.Errorf("got %s, want the city and the area kept", read.Body)
				}
				for _, table := range []string{"orders", "order_history", "events", "idempotency_keys"} {
					checkErased(t, table, strings.Join(f.Query(t, "SELECT * FROM "+table+" WHERE order_id = '"+id+"'"), "\n"))
				}
			}
			if kept := f.read(t, other.Text("order_id")); withoutVersion(kept.Body) != string(other.Body) {
				t.Errorf("another order: got %s\nwant it unchanged", kept.Body)
			}
			if after := strings.Join(f.Query(t, "SELECT * FROM stock_movements ORDER BY movement_id"), "\n"); after != ledger {
				t.Errorf("got ledger %s\nwant it unchanged", after)
			}
			f.Audit(t)
		})
	}
}

// TestAuditLogHasNothingPersonal writes about a recipient in every field that
// operators can fill in. The audit log, which is kept for ever, has none of it.
func TestAuditLogHasNothingPersonal(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	move := func(body string) {
		t.Helper()
		f.Clock.Advance(time.Second) // the log is sorted by time
		f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status", []byte(body)).Must(t, 200)
	}
	move(`{"status":"failed","failure_reason":"Alex Martin had moved","notes":"hush","next_attempt":"2026-01-16T09:00:00-05:00"}`)
	move(`{"status":"in_transit","notes":"hush"}`)
	move(`{"status":"failed","failure_reason":"hush"}`)
	move(`{"status":"cancelled","reason":"Alex Martin does not want it"}`)
	if _, err := f.erase(t, []string{id}, "", false); err != nil {
		t.Fatal(err)
	}
	log := f.operator.Call(t, "GET", "/ops/v1/audit?object_id="+id, nil).Must(t, 200)
	checkErased(t, "the audit log", string(log.Body))
	if log.Text("entries", 3, "after", "status") != "failed" ||
		log.Text("entries", 3, "after", "next_attempt") != "2026-01-16T14:00:00.000Z" {
		t.Errorf("got %s, want the first failure with its next attempt", log.Body)
	}
}

// TestEraseOrdersUnderWay erases orders of which one is under way. It erases none,
// unless it is forced to.
func TestEraseOrdersUnderWay(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	done, underWay := f.orderIn(t, "A-1", delivery.StatusDelivered), f.orderIn(t, "A-2", delivery.StatusPickedUp)
	before := f.read(t, done)
	for _, recipient := range []string{"", "alex@example.com"} {
		ids := []string{done, underWay}
		if recipient != "" {
			ids = nil
		}
		erased, err := f.erase(t, ids, recipient, false)
		if err == nil || erased != 0 || !strings.Contains(err.Error(), underWay+" (picked_up)") ||
			strings.Contains(err.Error(), done) {
			t.Errorf("got %d orders erased, error %v, want none and an error that names %s", erased, err, underWay)
		}
	}
	if after := f.read(t, done); string(after.Body) != string(before.Body) {
		t.Errorf("got %s, want the other order unchanged", after.Body)
	}
	if _, err := f.erase(t, []string{done, "ord_unknown"}, "", true); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("unknown order: got error %v, want %s", err, refusal.CodeNotFound)
	}
	f.operator.Call(t, "POST", "/ops/v1/orders/"+underWay+"/notes",
		[]byte(`{"text":"Alex Martin moved to 100 Queen"}`)).Must(t, 201)
	if erased, err := f.erase(t, nil, "alex@example.com", true); erased != 2 || err != nil {
		t.Errorf("forced: got %d orders erased, error %v, want 2", erased, err)
	}
	for _, table := range []string{"open_orders", "order_notes"} {
		rows := strings.Join(f.Query(t, "SELECT * FROM "+table+" WHERE order_id = '"+underWay+"'"), "\n")
		if checkErased(t, table, strings.ToLower(rows)); rows == "" || strings.Contains(strings.ToLower(rows), "alex") {
			t.Errorf("%s: got %q, want the row without the name", table, rows)
		}
	}
	checkErased(t, "forced", string(f.read(t, underWay).Body))
	f.operator.Move(t, underWay, "out_for_delivery").Must(t, 200)
	f.operator.Move(t, underWay, "delivered").Must(t, 200)
	f.Audit(t)
}

// withoutVersion returns the record of an order that was never edited without its version,
// which only single reads show.
func withoutVersion(record []byte) string {
	return versionMember.ReplaceAllString(string(record), "}")
}

var versionMember = regexp.MustCompile(`,"version":\d+}$`)

// TestEraseWhatOnlyAnswersHave erases an address that one edit has brought and the next one removed: only
// answers to edits have it.
func TestEraseWhatOnlyAnswersHave(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusPending)
	key := []string{"Idempotency-Key", uuid.NewString()}
	sam := []byte(`{"dropoff":{"email":"sam@example.com","name":"Sam Roy"}}`)
	between := func() *apptest.Answer { return f.partner.Call(t, "PATCH", "/v1/orders/"+id, sam, key...).Must(t, 200) }
	between()
	edit(t, f.partner, id, `{"dropoff":{"email":"kim@example.com","name":"Kim"}}`).Must(t, 200)
	f.partner.Cancel(t, id, "done").Must(t, 200)
	if erased, err := f.erase(t, nil, "Sam@example.com", false); err != nil || erased != 1 {
		t.Fatalf("got %d orders erased, error %v, want 1", erased, err)
	}
	if got := between().Body; bytes.Contains(got, []byte("Sam Roy")) || bytes.Contains(got, []byte("sam@")) {
		t.Errorf("got %s, want nothing of Sam", got)
	}
	if read := f.read(t, id); read.Text("dropoff", "name") != "Kim" {
		t.Errorf("got %s, want the other recipient kept", read.Body)
	}
	if erased, err := f.erase(t, nil, "sam@example.com", false); err != nil || erased != 0 {
		t.Errorf("got %d orders erased, error %v, want none", erased, err)
	}
}
