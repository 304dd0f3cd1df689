package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
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

// TestSweepRemovesWhatIsOldAndOver: of orders in every state, at three times,
// only the old ones that are over go, with all that belongs to them; the
// ledger and the stock stay.
func TestSweepRemovesWhatIsOldAndOver(t *testing.T) {
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
	f.operator.Call(t, "POST", "/ops/v1/orders/"+ids["old delivered"]+"/notes", []byte(`{"text":"left with the porter"}`)).Must(t, 201)
	late := f.orderIn(t, "late", delivery.StatusOutForDelivery) // begun as early, over later
	for _, step := range waysTo[delivery.StatusDelivered] {
		f.operator.Move(t, ids["sold"], step).Must(t, 200)
	}
	f.partner.Cancel(t, ids["returned"], "").Must(t, 200)
	f.Clock.Advance(10 * day)
	f.operator.Move(t, late, "delivered").Must(t, 200)
	recent := f.orderIn(t, "recent", delivery.StatusDelivered)
	ledger := f.Query(t, "SELECT movement_id, type, quantity, order_id FROM stock_movements ORDER BY movement_id")

	f.Clock.Advance(20*day + time.Minute) // 30 days after the old ones, 20 after the others
	if removed := f.Sweep(t, retention.Policy{}); removed.Orders != 0 || removed.Events != 0 || removed.Keys == 0 {
		t.Errorf("by default: %+v", removed)
	}
	removed := f.Sweep(t, retention.Policy{Orders: 30 * day})
	if removed != (retention.Removed{Orders: 4}) { // delivered, cancelled, sold, returned
		t.Errorf("after 30 days: %+v", removed)
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
	if after := f.Query(t, "SELECT movement_id, type, quantity, order_id FROM stock_movements ORDER BY movement_id"); strings.Join(after, "\n") != strings.Join(ledger, "\n") {
		t.Errorf("ledger before\n%s\nafter\n%s", ledger, after)
	}
	if again := f.Sweep(t, retention.Policy{Orders: 30 * day}); again != (retention.Removed{}) {
		t.Errorf("and again: %+v", again)
	}
	// The name of what is gone is free.
	f.partner.Create(t, testkit.OrderJSON("old-delivered", "")).Must(t, 201)
	f.partner.Create(t, testkit.OrderJSON("old-pending", "")).Refused(t, 409, "conflict")
	f.Audit(t)
}

// TestSweepRemovesOldEvents, of orders in every state, and nothing else.
func TestSweepRemovesOldEvents(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	f.Clock.Advance(10 * day)
	f.operator.Move(t, id, "delivered").Must(t, 200)
	before := f.read(t, id)
	f.Clock.Advance(10 * day)
	if removed := f.Sweep(t, retention.Policy{Events: 15 * day}); removed.Events != 4 || removed.Orders != 0 {
		t.Errorf("removed %+v, want 4 events", removed)
	}
	if left := f.Query(t, "SELECT type FROM events"); fmt.Sprint(left) != "[order.delivered]" {
		t.Errorf("left: %v", left)
	}
	if after := f.read(t, id); string(after.Body) != string(before.Body) {
		t.Errorf("before %s\nafter %s", before.Body, after.Body)
	}
	f.Audit(t)
}

// TestKeysAreKeptForAWeek: a retry is replayed until then, however short the
// retention, and is a new request afterwards.
func TestKeysAreKeptForAWeek(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	policy := retention.Policy{Orders: time.Second, Events: time.Second} // config refuses these
	body, key := testkit.OrderJSON("A-1", ""), uuid.NewString()
	first := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	cancelKey := uuid.NewString()
	cancel := func() *apptest.Answer {
		return f.partner.Call(t, "POST", "/v1/orders/"+first.Text("order_id")+"/cancel", []byte(`{"reason":"no"}`), "Idempotency-Key", cancelKey)
	}
	cancelled := cancel().Must(t, 200)
	for range 2 {
		f.Sweep(t, policy)
		again := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
		if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%v: first %s\nagain %s", f.Clock.Now(), first.Body, again.Body)
		}
		if again := cancel().Must(t, 200); string(again.Body) != string(cancelled.Body) {
			t.Errorf("%v: cancelled %s\nagain %s", f.Clock.Now(), cancelled.Body, again.Body)
		}
		f.Audit(t)
		f.Clock.Advance(retention.KeysKept)
	}
	f.Clock.Advance(time.Second)
	if removed := f.Sweep(t, policy); removed != (retention.Removed{Orders: 1, Keys: 2}) {
		t.Errorf("removed %+v", removed)
	}
	if left := f.Query(t, "SELECT count(*) FROM events UNION SELECT count(*) FROM order_history"); fmt.Sprint(left) != "[0]" {
		t.Errorf("left behind: %v", left)
	}
	again := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	if again.Text("order_id") == first.Text("order_id") {
		t.Errorf("first %s\nagain %s", first.Body, again.Body)
	}
	f.Audit(t)
}

// TestServiceSweepsByItself, by its settings, and ends while it does.
func TestServiceSweepsByItself(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	service := apptest.Start(t, dir)
	f := floor{service, service.Register(t, "metro"), service.Operate(t)}
	for i := range 5 {
		f.orderIn(t, fmt.Sprint("A-", i), delivery.StatusDelivered)
	}
	f.orderIn(t, "B-1", delivery.StatusPickedUp)
	service.Stop()

	ayearLater := func(c *config.Config, world *app.Surroundings) {
		c.RetainOrders, c.RetainEvents = "360d", "360d"
		now := world.Now
		world.Now = func() time.Time { return now().Add(365 * day) }
	}
	apptest.Start(t, dir, ayearLater).Stop() // whatever it has managed to do
	service = apptest.Start(t, dir, ayearLater)
	const count = "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM events), (SELECT count(*) FROM idempotency_keys)"
	for deadline := time.Now().Add(20 * time.Second); service.Query(t, count)[0] != "1 0 0"; {
		if time.Now().After(deadline) {
			t.Fatalf("left: %s", service.Query(t, count))
		}
	}
}

// TestSweepBesideCreators: nothing is lost, and every law holds, while a sweep
// and creators use the same database.
func TestSweepBesideCreators(t *testing.T) {
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
					append(f.partner.Signed("POST", "/v1/orders", testkit.OrderJSON(fmt.Sprint(creator, "-", i), buying(lamp, 1))), "Idempotency-Key", uuid.NewString())...)
				if err != nil || got.Status != 201 {
					t.Errorf("%v %+v", err, got)
				}
			}
		})
	}
	if removed := f.Sweep(t, retention.Policy{Orders: 8 * day}); removed != (retention.Removed{Orders: 20, Keys: 40}) {
		t.Errorf("removed %+v", removed)
	}
	creators.Wait()
	if left := f.Query(t, "SELECT count(*) FROM orders"); left[0] != "80" {
		t.Errorf("%s orders are left, want 80", left[0])
	}
	f.Audit(t)
}

// lines reads an export: records by type.
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

// export exports the floor's partner.
func (f floor) export(t *testing.T) []byte {
	t.Helper()
	var written bytes.Buffer
	if err := app.ExportPartner(t.Context(), &config.Config{Data: f.Data, DatabaseURL: f.Database}, app.System(), f.partner.PartnerID, &written); err != nil {
		t.Fatal(err)
	}
	return written.Bytes()
}

// TestExportTellsEverything of one partner, and no secret.
func TestExportTellsEverything(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3, "TOR-1": 500})
	stranger := f.Register(t, "stranger")
	stranger.Create(t, testkit.OrderJSON("not-mine", "")).Must(t, 201)
	const orders = 230 // more than two pages
	for i := range orders {
		body := bytes.Replace(testkit.OrderJSON(fmt.Sprintf("A-%03d", i), buying(lamp, 1)), []byte(`"n":1.0`), []byte("\"n\":\n\r1.0"), 1)
		f.partner.Create(t, body).Must(t, 201)
		f.Clock.Advance(time.Second)
	}
	delivered := f.orderIn(t, "B-1", delivery.StatusDelivered)

	export := f.export(t)
	got := lines(t, export)
	for kind, want := range map[string]int{
		"partner": 1, "api_key": 1, "product": 1, "stock_level": 2, "movement": 2 + orders, "order": orders + 1, "event": 5,
	} {
		if len(got[kind]) != want {
			t.Errorf("%d lines of %s, want %d", len(got[kind]), kind, want)
		}
	}
	for i, o := range got["order"][:orders] {
		if o["partner_order_id"] != fmt.Sprintf("A-%03d", i) {
			t.Fatalf("order %d is %v", i, o)
		}
	}
	var whole map[string]any
	if err := json.Unmarshal(f.read(t, delivered).Body, &whole); err != nil {
		t.Fatal(err)
	}
	if last := got["order"][orders]; fmt.Sprint(last) != fmt.Sprint(whole) {
		t.Errorf("exported %v\nread %v", last, whole)
	}
	for _, secret := range append([]string{f.partner.SecretKey, "argon2", "not-mine", "secret"}, f.Query(t, "SELECT password_hash FROM partners")...) {
		if bytes.Contains(export, []byte(secret)) {
			t.Errorf("the export has %q", secret)
		}
	}
	err := app.ExportPartner(t.Context(), &config.Config{Data: f.Data, DatabaseURL: f.Database}, app.System(), "par_zzzzzzzz", &bytes.Buffer{})
	if !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("an unknown partner: %v", err)
	}
}

// personal is what testkit.OrderJSON says of its recipient, and what these tests
// write about them.
var personal = []string{"Alex Martin", "+14165550123", "alex@example.com", "100 Queen", "Unit 4", "Ring twice", "2N2",
	"PO 77", "Leave at the desk", "métro", "Books", "hush"}

func (f floor) erase(t *testing.T, orderIDs []string, recipient string, force bool) (int, error) {
	t.Helper()
	return app.ErasePartnerOrders(t.Context(), &config.Config{Data: f.Data, DatabaseURL: f.Database}, app.System(), f.partner.PartnerID, orderIDs, recipient, force)
}

func checkErased(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range personal {
		if strings.Contains(text, secret) {
			t.Errorf("%s still has %q: %s", what, secret, text)
		}
	}
}

// TestEraseLeavesNothingPersonal: not in reads, lists, tracking, exports, the
// operators' view, replays of creation and cancellation, nor in the database.
func TestEraseLeavesNothingPersonal(t *testing.T) {
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
				return f.partner.Call(t, "POST", "/v1/orders/"+id+"/cancel", []byte(`{"reason":"hush"}`), "Idempotency-Key", cancelKey)
			}
			cancel().Must(t, 200)
			other := f.partner.Create(t, bytes.Replace(testkit.OrderJSON("A-2", ""), []byte("alex@"), []byte("sam@"), 1)).Must(t, 201)
			ledger := strings.Join(f.Query(t, "SELECT * FROM stock_movements ORDER BY movement_id"), "\n")

			for range 2 { // the second time changes nothing more
				ids, recipient := []string{id}, ""
				if way == "recipient" {
					ids, recipient = nil, "Alex@Example.com"
				}
				erased, err := f.erase(t, ids, recipient, false)
				if err != nil || erased > 1 {
					t.Fatalf("%d erased, %v", erased, err)
				}
				read := f.read(t, id)
				checkErased(t, "the order", string(read.Body))
				checkErased(t, "tracking", string(f.Do(t, "GET", "/track/"+id, nil).Must(t, 200).Body))
				checkErased(t, "the list", string(f.partner.Call(t, "GET", "/v1/orders?partner_order_id=A-1", nil).Must(t, 200).Body))
				checkErased(t, "the operators' view", string(f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Body))
				again := f.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
				checkErased(t, "the replay", string(again.Body))
				if again.Text("status") != "pending" || again.Text("order_id") != id {
					t.Errorf("replayed %s", again.Body)
				}
				if answer := cancel().Must(t, 200); string(answer.Body) != string(read.Body) || answer.Header.Get("Idempotent-Replayed") != "true" {
					t.Errorf("cancelled again: %s\nread %s", answer.Body, read.Body)
				}
				if read.Text("dropoff", "address", "postal_code") != "M5H 0A0" || read.Text("dropoff", "address", "city") != "Toronto" ||
					read.Text("dropoff", "email") != retention.ErasedEmail || read.Text("pickup", "name") != "Épicerie Métro" {
					t.Errorf("erased to %s", read.Body)
				}
				for _, table := range []string{"orders", "order_history", "events", "idempotency_keys"} {
					checkErased(t, table, strings.Join(f.Query(t, "SELECT * FROM "+table+" WHERE order_id = '"+id+"'"), "\n"))
				}
			}
			if kept := f.read(t, other.Text("order_id")); string(kept.Body) != string(other.Body) {
				t.Errorf("another's order became %s", kept.Body)
			}
			if after := strings.Join(f.Query(t, "SELECT * FROM stock_movements ORDER BY movement_id"), "\n"); after != ledger {
				t.Errorf("the ledger became %s", after)
			}
			f.Audit(t)
		})
	}
}

// TestEraseAndTheAuditLog: entries stay for ever, so they never have what
// operators write of a recipient.
func TestEraseAndTheAuditLog(t *testing.T) {
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
	if log.Text("entries", 3, "after", "status") != "failed" || log.Text("entries", 3, "after", "next_attempt") != "2026-01-16T14:00:00.000Z" {
		t.Errorf("%s", log.Body)
	}
}

// TestEraseRefusesWhatIsUnderWay, as a whole, unless it is forced to.
func TestEraseRefusesWhatIsUnderWay(t *testing.T) {
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
		if err == nil || erased != 0 || !strings.Contains(err.Error(), underWay+" (picked_up)") || strings.Contains(err.Error(), done) {
			t.Errorf("%d erased, %v", erased, err)
		}
	}
	if after := f.read(t, done); string(after.Body) != string(before.Body) {
		t.Errorf("refused, but the order became %s", after.Body)
	}
	if _, err := f.erase(t, []string{done, "ord_unknown"}, "", true); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("an unknown order: %v", err)
	}
	f.operator.Call(t, "POST", "/ops/v1/orders/"+underWay+"/notes", []byte(`{"text":"Alex Martin moved to 100 Queen"}`)).Must(t, 201)
	if erased, err := f.erase(t, nil, "alex@example.com", true); erased != 2 || err != nil {
		t.Errorf("forced: %d erased, %v", erased, err)
	}
	for _, table := range []string{"open_orders", "order_notes"} {
		rows := strings.Join(f.Query(t, "SELECT * FROM "+table+" WHERE order_id = '"+underWay+"'"), "\n")
		if checkErased(t, table, strings.ToLower(rows)); rows == "" || strings.Contains(strings.ToLower(rows), "alex") {
			t.Errorf("%s: %q", table, rows)
		}
	}
	checkErased(t, "forced", string(f.read(t, underWay).Body))
	f.operator.Move(t, underWay, "out_for_delivery").Must(t, 200)
	f.operator.Move(t, underWay, "delivered").Must(t, 200)
	f.Audit(t)
}
