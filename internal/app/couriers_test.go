package app_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// rider adds a courier, and an operator account for it, and returns that.
func (f floor) rider(t *testing.T, name string) *apptest.Operator {
	t.Helper()
	r := &apptest.Operator{Service: f.Service}
	r.CourierID = f.operator.Call(t, "POST", "/ops/v1/couriers",
		fmt.Appendf(nil, `{"name":%q,"phone":"+15145550190","vehicle":"bike"}`, name)).Must(t, 201).Text("courier_id")
	email, password := name+"@riders.example", "a long password of "+name
	r.OperatorID = f.operator.Call(t, "POST", "/ops/v1/operators",
		fmt.Appendf(nil, `{"email":%q,"password":%q,"role":"courier","courier_id":%q}`, email, password, r.CourierID)).Must(t,
		201).Text("operator_id")
	r.Token = tokenOf(t, f.Service, email, password).Must(t, 201).Text("token")
	return r
}

// carried creates an order and moves it to a status, carried by a courier.
func (f floor) carried(t *testing.T, by *apptest.Operator, reference string, state delivery.Status) (id string) {
	t.Helper()
	desk := *f.operator
	desk.CourierID = by.CourierID
	return floor{f.Service, f.partner, &desk}.orderIn(t, reference, state)
}

// move changes an order's status with the token of a courier.
func move(t testing.TB, by *apptest.Operator, orderID, body string) *apptest.Answer {
	t.Helper()
	return by.Call(t, "POST", "/ops/v1/orders/"+orderID+"/status", []byte(body))
}

// jobs returns the references of a courier's jobs.
func jobs(t *testing.T, by *apptest.Operator) (references []string) {
	t.Helper()
	got := by.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	for i := range got.Len("jobs") {
		references = append(references, got.Text("jobs", i, "partner_order_id"))
	}
	return references
}

// TestCourierRecords reads and changes couriers. An inactive courier cannot be
// assigned, and its orders need attention.
func TestCourierRecords(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "noor")
	target := "/ops/v1/couriers/" + r.CourierID
	carried := f.carried(t, r, "carried", delivery.StatusPickedUp)
	waiting := f.orderIn(t, "waiting", delivery.StatusAccepted)

	changed := f.operator.Call(t, "PATCH", target,
		[]byte(`{"name":"Noor Singh","phone":"+15145550191","vehicle":null}`)).Must(t, 200)
	if changed.Text("name") != "Noor Singh" || changed.Text("phone") != "+15145550191" ||
		changed.Text("vehicle") != "bike" || changed.JSON("active") != true {
		t.Errorf("change: got %s, want a new name and phone only", changed.Body)
	}
	if read := f.operator.Call(t, "GET", target, nil).Must(t, 200); string(read.Body) != string(changed.Body) {
		t.Errorf("read: got %s, want %s", read.Body, changed.Body)
	}
	for _, body := range []string{`{"name":""}`, `{"phone":"555"}`, `{"active":"yes"}`, `{"vehicle":7}`, `[]`} {
		f.operator.Call(t, "PATCH", target, []byte(body)).Refused(t, 422, "validation_error")
	}
	for _, body := range []string{``, `{"name":"a","name":"b"}`, `{"name":"a"}x`} {
		if got := f.operator.Call(t, "PATCH", target, []byte(body)); got.Status != 400 && got.Status != 415 {
			t.Errorf("%s: got status %d, want 400 or 415: %s", body, got.Status, got.Body)
		}
	}
	for _, none := range []string{"cou_none", "%00", "cou_0000000000000000"} {
		f.operator.Call(t, "GET", "/ops/v1/couriers/"+none, nil).Refused(t, 404, "not_found")
		f.operator.Call(t, "PATCH", "/ops/v1/couriers/"+none, []byte(`{"name":"x"}`)).Refused(t, 404, "not_found")
	}
	r.Call(t, "GET", target, nil).Refused(t, 403, "forbidden")

	f.expect(t, "attention=courier_gone")
	f.Clock.Advance(time.Second) // the log is sorted by time
	for range 2 {
		f.operator.Call(t, "PATCH", target, []byte(`{"active":false}`)).Must(t, 200)
	}
	f.Clock.Advance(time.Second)
	desk := *f.operator
	desk.CourierID = r.CourierID
	desk.Move(t, waiting, "courier_assigned").Refused(t, 422, "validation_error")
	f.expect(t, "attention=courier_gone", "carried")
	f.expect(t, "attention=any", "carried")
	f.expect(t, "attention=courier_gone&attention=late&courier_id="+r.CourierID, "carried")
	counts := f.operator.Call(t, "GET", "/ops/v1/attention", nil).Must(t, 200)
	if counts.JSON("reasons", "courier_gone") != 1.0 || counts.JSON("attention") != 1.0 || counts.JSON("open") != 2.0 {
		t.Errorf("attention: got %s, want 1 order of courier_gone, 2 open", counts.Body)
	}
	if row := f.operator.Call(t, "GET", "/ops/v1/orders/"+carried, nil).Must(t,
		200); fmt.Sprint(row.JSON("attention")) != "[courier_gone]" ||
		row.Text("courier", "name") != "Noor Singh" || row.Text("order", "courier", "name") != "noor" {
		t.Errorf("order: got %s, want the reason courier_gone and the changed courier", row.Body)
	}
	// The courier may finish, or the order is assigned to another one.
	move(t, r, carried, `{"status":"out_for_delivery"}`).Must(t, 200)
	f.operator.Call(t, "PATCH", target, []byte(`{"active":true}`)).Must(t, 200)
	f.expect(t, "attention=courier_gone")

	log := f.operator.Call(t, "GET", "/ops/v1/audit?action=courier.changed&object_id="+r.CourierID, nil).Must(t, 200)
	if log.Len("entries") != 3 || log.JSON("entries", 1, "before", "active") != true ||
		log.JSON("entries", 1, "after", "active") != false ||
		log.Text("entries", 2, "before", "phone") != "+15145550190" ||
		log.Text("entries", 2, "after", "phone") != "+15145550191" {
		t.Errorf("audit log: got %s, want three changes of the courier", log.Body)
	}
	f.Audit(t)
}

// TestCourierAccounts links operators to couriers. The role courier needs a courier,
// and no other role may have one.
func TestCourierAccounts(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	create := func(role, courier string) *apptest.Answer {
		return f.operator.Call(t, "POST", "/ops/v1/operators",
			fmt.Appendf(nil, `{"email":"x-%s@example.com","password":"a long password","role":%q%s}`, role, role, courier))
	}
	linked := fmt.Sprintf(`,"courier_id":%q`, f.operator.CourierID)
	for _, refused := range [][2]string{
		{"courier", ""}, {"courier", `,"courier_id":null`}, {"courier", `,"courier_id":"cou_none"`}, {"dispatcher", linked},
	} {
		got := create(refused[0], refused[1]).Refused(t, 422, "validation_error")
		if got.Text("error", "details", "field") != "courier_id" || got.Len("error", "details", "errors") != 1 {
			t.Errorf("%v: got %s, want an error of courier_id", refused, got.Body)
		}
	}
	target := "/ops/v1/operators/" + create("courier", linked).Must(t, 201).Text("operator_id")
	for _, cookie := range []string{opsLogin(t, f.Service, "x-courier@example.com", "a long password")} {
		me := f.Do(t, "GET", "/ops/v1/me", nil, "Cookie", cookie).Must(t, 200)
		if me.Text("courier_id") != f.operator.CourierID {
			t.Errorf("me: got %s, want courier %s", me.Body, f.operator.CourierID)
		}
	}
	f.operator.Call(t, "PATCH", target, []byte(`{"courier_id":null}`)).Refused(t, 422, "validation_error")
	f.operator.Call(t, "PATCH", target, []byte(`{"role":"dispatcher"}`)).Must(t, 200)
	f.operator.Call(t, "PATCH", target, []byte(`{"role":"courier"}`)).Refused(t, 422, "validation_error")
	f.operator.Call(t, "PATCH", target, []byte("{\"role\":\"courier\""+linked+"}")).Must(t, 200)
	f.operator.Call(t, "PATCH", target, []byte(`{"active":false}`)).Must(t, 200)
}

// TestCouriersSeeOwnOrders asks for other couriers' orders in every way. For a courier
// they do not exist.
func TestCouriersSeeOwnOrders(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	mine, other := f.rider(t, "mine"), f.rider(t, "other")
	own, theirs := f.carried(t, mine, "own",
		delivery.StatusPickedUp), f.carried(t, other, "theirs", delivery.StatusPickedUp)
	unassigned := f.orderIn(t, "unassigned", delivery.StatusAccepted)
	cookie := opsLogin(t, f.Service, "mine@riders.example", "a long password of mine")
	ways := map[string]func(method, target, kind string, body []byte) *apptest.Answer{
		"token": func(method, target, kind string, body []byte) *apptest.Answer {
			return f.Do(t, method, target, body, "Content-Type", kind, "Authorization", "Bearer "+mine.Token)
		},
		"session": func(method, target, kind string, body []byte) *apptest.Answer {
			return f.Do(t, method, target, body, "Content-Type", kind, "Cookie", cookie, "Sec-Fetch-Site", "same-origin")
		},
	}
	for way, ask := range ways {
		if got := ask("GET", "/ops/v1/jobs", "", nil).Must(t, 200); got.Len("jobs") != 1 ||
			got.Text("jobs", 0, "order_id") != own || got.Text("courier_id") != mine.CourierID {
			t.Errorf("%s: got jobs %s, want order %s of courier %s", way, got.Body, own, mine.CourierID)
		}
		ask("GET", "/ops/v1/jobs?courier_id="+mine.CourierID, "", nil).Must(t, 200)
		ask("GET", "/ops/v1/jobs?courier_id="+other.CourierID, "", nil).Refused(t, 404, "not_found")
		ask("GET", "/ops/v1/orders/"+own, "", nil).Must(t, 200)
		ask("GET", "/ops/v1/scan?code="+own, "", nil).Must(t, 200)
		ask("GET", "/ops/v1/orders", "", nil).Refused(t, 403, "forbidden")
		for _, id := range []string{theirs, unassigned} {
			ask("GET", "/ops/v1/orders/"+id, "", nil).Refused(t, 404, "not_found")
			ask("GET", "/ops/v1/scan?code="+id, "", nil).Refused(t, 404, "not_found")
			ask("POST", "/ops/v1/orders/"+id+"/status", "application/json",
				[]byte(`{"status":"failed","failure_reason":"x"}`)).Refused(t, 404, "not_found")
			ask("POST", "/ops/v1/orders/"+id+"/proofs?kind=photo", "image/png", picture(1)).Refused(t, 404, "not_found")
		}
	}
	ways["session"]("POST", "/ops/v1/orders/"+own+"/status", "application/json", []byte(`{"status":"in_transit"}`)).Must(t,
		200)
	f.Do(t, "POST", "/ops/v1/orders/"+own+"/status", []byte(`{"status":"out_for_delivery"}`), "Cookie", cookie,
		"Sec-Fetch-Site", "cross-site").Refused(t, 403, "forbidden")
	if pictures(t, f.Service) != 0 {
		t.Error("got a picture stored, want none")
	}
	f.operator.Call(t, "GET", "/ops/v1/jobs", nil).Refused(t, 422, "validation_error")
	if got := f.operator.Call(t, "GET", "/ops/v1/jobs?courier_id="+other.CourierID, nil).Must(t,
		200); got.Len("jobs") != 1 {
		t.Errorf("dispatcher: got jobs %s, want 1", got.Body)
	}
}

// TestCourierMoves moves orders as a courier: to the statuses that couriers may set,
// to others, and while a dispatcher moves or reassigns the same order.
func TestCourierMoves(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r, other := f.rider(t, "mine"), f.rider(t, "other")
	id := f.carried(t, r, "A-1", delivery.StatusCourierAssigned)
	for _, status := range []string{"pending", "accepted", "courier_assigned", "cancelled"} {
		move(t, r, id, fmt.Sprintf(`{"status":%q}`, status)).Refused(t, 403, "forbidden")
	}
	move(t, r, id, `{"status":"gone"}`).Refused(t, 422, "validation_error")
	for _, body := range []string{
		`{"status":"failed"}`, `{"status":"failed","failure_reason":""}`, `{"status":"failed","failure_reason":null}`,
	} {
		if got := move(t, r, id, body).Refused(t, 422,
			"validation_error"); got.Text("error", "details", "field") != "failure_reason" {
			t.Errorf("%s: got %s, want an error of failure_reason", body, got.Body)
		}
	}
	r.Call(t, "POST", "/ops/v1/orders/status", fmt.Appendf(nil, `{"order_ids":[%q],"status":"picked_up"}`, id)).Refused(t,
		403, "forbidden")
	move(t, r, id, `{"status":"delivered"}`).Refused(t, 409, "invalid_transition")
	for _, status := range []string{"picked_up", "in_transit", "out_for_delivery"} {
		move(t, r, id, fmt.Sprintf(`{"status":%q}`, status)).Must(t, 200)
	}
	failed := move(t, r, id,
		`{"status":"failed","failure_reason":"Nobody at home","next_attempt":"2026-01-15T09:00:00-05:00"}`).Must(t, 200)
	if failed.Text("status_history", 6, "notes") != "Nobody at home" {
		t.Errorf("failed: got %s, want the failure reason in the history", failed.Body)
	}
	// The dispatcher moves the order first.
	f.operator.Move(t, id, "out_for_delivery").Must(t, 200)
	lost := move(t, r, id, `{"status":"in_transit","version":7}`).Refused(t, 409, "invalid_transition")
	if lost.Text("error", "details", "changed_by", "email") != apptest.OperatorEmail ||
		lost.JSON("error", "details", "version") != 8.0 {
		t.Errorf("too late: got %s, want who changed the order, and version 8", lost.Body)
	}
	move(t, r, id, `{"status":"delivered","version":8}`).Must(t, 200)
	// An order that was reassigned is not found, whichever version is named.
	second := f.carried(t, r, "A-2", delivery.StatusCourierAssigned)
	desk := *f.operator
	desk.CourierID = other.CourierID
	desk.Move(t, second, "courier_assigned").Must(t, 200)
	for _, body := range []string{
		`{"status":"picked_up"}`, `{"status":"picked_up","version":3}`, `{"status":"picked_up","version":4}`,
	} {
		move(t, r, second, body).Refused(t, 404, "not_found")
	}
	if got := jobs(t, r); len(got) != 0 {
		t.Errorf("got jobs %v, want none", got)
	}
	f.Audit(t)
}

// TestJobs lists a courier's pickups and dropoffs in the order of the round, with all
// that the courier needs, and the delivered orders.
func TestJobs(t *testing.T) {
	t.Parallel()
	f := newFloor(t) // 10:00 in Montréal; pickups from 13:00 to 16:00, dropoffs the next day from 9:00 to 17:00
	r := f.rider(t, "mine")
	f.carried(t, r, "dropoff", delivery.StatusPickedUp)
	later := f.carried(t, r, "again", delivery.StatusOutForDelivery)
	move(t, r, later, `{"status":"failed","failure_reason":"closed","next_attempt":"2026-01-14T11:00:00-05:00"}`).Must(t,
		200)
	cash := strings.Replace(string(testkit.OrderJSON("pickup", "")), `"reference"`,
		`"cod":{"amount_cents":4999,"currency":"CAD"},"reference"`, 1)
	id := f.partner.Create(t, []byte(cash)).Must(t, 201).Text("order_id")
	desk := *f.operator
	desk.CourierID = r.CourierID
	desk.Move(t, id, "accepted").Must(t, 200)
	desk.Move(t, id, "courier_assigned").Must(t, 200)
	f.orderIn(t, "of another courier", delivery.StatusPickedUp)
	done := f.carried(t, r, "done", delivery.StatusDelivered)

	got := r.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	if order := jobs(t, r); !slices.Equal(order, []string{"pickup", "dropoff", "again"}) {
		t.Errorf("at 10:00: got %v, want pickup, dropoff, again", order)
	}
	for path, want := range map[string]any{
		"stop kind": "pickup", "stop area": "H2W", "stop deadline": "2026-01-14T21:00:00.000Z",
		"stop address line1": "4000 Rue Saint-Denis", "stop phone": "+15145550100", "cod amount_cents": 4999.0,
		"status": "courier_assigned", "version": 3.0, "partner_name": "metro", "instructions": "Leave at the desk",
	} {
		steps := []any{"jobs", 0}
		for _, name := range strings.Fields(path) {
			steps = append(steps, name)
		}
		if got.JSON(steps...) != want {
			t.Errorf("%s: got %v, want %v", path, got.JSON(steps...), want)
		}
	}
	if fmt.Sprint(got.JSON("jobs", 0, "actions")) != "[picked_up failed]" ||
		got.Text("jobs", 0, "parcels", 1, "label") != "LAMP-2" ||
		got.Text("jobs", 1, "stop", "name") != "Alex Martin" ||
		got.Text("jobs", 2, "next_attempt") != "2026-01-14T16:00:00.000Z" || got.JSON("jobs", 2, "failures") != 1.0 {
		t.Errorf("got jobs %s, want actions, labels, names and the next attempt", got.Body)
	}
	if strings.Contains(string(got.Body), "alex@example.com") {
		t.Error("got an e-mail address in the jobs, want none")
	}
	if got.JSON("delivered", "count") != 1.0 || got.Text("delivered", "latest", 0, "order_id") != done ||
		got.JSON("more") != false {
		t.Errorf("delivered: got %s, want 1, order %s", got.Body, done)
	}
	f.Clock.Advance(time.Hour) // the next attempt is due, in the same place as the other
	if order := jobs(t, r); order[0] != "pickup" || len(order) != 3 {
		t.Errorf("at 11:00: got %v, want pickup and two others", order)
	}
	since := func(at string) *apptest.Answer {
		return r.Call(t, "GET", "/ops/v1/jobs?since="+url.QueryEscape(at), nil)
	}
	if got := since("2026-01-14T10:30:00-05:00").Must(t, 200); got.JSON("delivered", "count") != 0.0 ||
		got.Len("delivered", "latest") != 0 {
		t.Errorf("since 10:30: got %s, want none delivered", got.Body)
	}
	since("2026-01-01T00:00:00Z").Refused(t, 422, "validation_error")
	since("yesterday").Refused(t, 422, "validation_error")
	f.Audit(t)
}

// TestScan finds a parcel by each code of its label.
func TestScan(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "mine")
	own := f.carried(t, r, "A-1", delivery.StatusPickedUp)
	theirs := f.orderIn(t, "A-2", delivery.StatusPickedUp)
	done := f.carried(t, r, "A-3", delivery.StatusDelivered)
	scan := func(by *apptest.Operator, code string) *apptest.Answer {
		return by.Call(t, "GET", "/ops/v1/scan?code="+url.QueryEscape(code), nil)
	}
	tracking := f.read(t, own).Text("tracking_url")
	for code, want := range map[string]string{
		tracking: "<nil> <nil>", own: "<nil> <nil>", "LAMP-2": "2 P-2", "P-1": "1 P-1",
	} {
		got := scan(r, code).Must(t, 200)
		if match := fmt.Sprint(got.JSON("matches", 0, "place"), " ",
			got.JSON("matches", 0, "parcel_id")); got.Len("matches") != 1 ||
			got.Text("matches", 0, "order", "order_id") != own || match != want {
			t.Errorf("%s: got %s, want %s of order %s", code, got.Body, want, own)
		}
	}
	if got := scan(f.operator, "LAMP-2").Must(t, 200); got.Len("matches") != 2 {
		t.Errorf("dispatcher: got %s, want 2 matches", got.Body)
	}
	scan(f.operator, theirs).Must(t, 200)
	if got := scan(r, done).Must(t, 200); got.Text("matches", 0, "order", "status") != "delivered" ||
		got.Len("matches", 0, "order", "actions") != 0 {
		t.Errorf("delivered: got %s, want no actions", got.Body)
	}
	// A parcel with neither a barcode nor a parcel_id that can be encoded has a number.
	unnamed := strings.NewReplacer(`"P-1"`, `"é"`).Replace(string(testkit.OrderJSON("A-4", "")))
	id := f.partner.Create(t, []byte(unnamed)).Must(t, 201).Text("order_id")
	number := scan(f.operator, id).Must(t, 200).Text("matches", 0, "order", "parcels", 0, "label")
	if got := scan(f.operator, number).Must(t, 200); len(number) != 52 ||
		got.Text("matches", 0, "order", "order_id") != id || got.JSON("matches", 0, "place") != 1.0 {
		t.Errorf("%s: got %s, want 52 digits that find order %s", number, got.Body, id)
	}
	// So has one whose barcode cannot be encoded: its parcel_id is that of many others.
	long := strings.NewReplacer(`"parcel_id":"P-1"`, `"parcel_id":"1","barcode":"PKG-KELOWNA-WAREHOUSE-LOT-A-B-00"`)
	for _, reference := range []string{"A-51", "A-52"} {
		f.partner.Create(t, []byte(long.Replace(string(testkit.OrderJSON(reference, ""))))).Must(t, 201)
	}
	scan(f.operator, "1").Refused(t, 404, "not_found")
	scan(f.operator, "PKG-KELOWNA-WAREHOUSE-LOT-A-B-00").Must(t, 200)
	for _, code := range []string{
		theirs, number, "lamp-2", "LAMP", "LAMP-%", "A-1", "ref", "https://elsewhere.example/track/" + theirs, "\n",
	} {
		scan(r, code).Refused(t, 404, "not_found")
	}
	// More other orders have the same text in another field than one query reads.
	for i := range 45 {
		f.partner.Create(t, testkit.OrderJSON(fmt.Sprint("B-", i), "")).Must(t, 201)
	}
	f.Clock.Advance(time.Second)
	referred := strings.Replace(string(testkit.OrderJSON("A-5", "")), `"P-1"`, `"PO 77"`, 1)
	id = f.partner.Create(t, []byte(referred)).Must(t, 201).Text("order_id")
	if got := scan(f.operator, "PO 77").Must(t, 200); got.Len("matches") != 1 ||
		got.Text("matches", 0, "order", "order_id") != id {
		t.Errorf("PO 77: got %s, want order %s", got.Body, id)
	}
	if got := scan(f.operator, "P-1").Must(t, 200); got.Len("matches") != 20 {
		t.Errorf("dispatcher: got %d matches, want 20", got.Len("matches"))
	}
	boxed := strings.NewReplacer(`"LAMP-2"`, `"036000291452"`).Replace(string(testkit.OrderJSON("A-6", "")))
	box := f.partner.Create(t, []byte(boxed)).Must(t, 201).Text("order_id")
	for _, code := range []string{
		"036000291452", "]E00036000291452\r", "]C10100036000291452\x1d10LOT", "(01)00036000291452", "0 36000 29145 2",
	} {
		if got := scan(f.operator, code).Must(t, 200); got.Len("matches") != 1 ||
			got.Text("matches", 0, "order", "order_id") != box || got.JSON("matches", 0, "place") != 2.0 {
			t.Errorf("%q: got %s, want the second parcel of order %s", code, got.Body, box)
		}
	}
	for _, code := range []string{ // as scanners and computers are set up
		strings.ToUpper(id), "]Q1" + tracking + "\r\n", strings.NewReplacer("/", "é", "?",
			"É").Replace(tracking), "]C1LAMP-2\r",
	} {
		if got := scan(f.operator, code).Must(t, 200); got.Text("matches", 0, "order", "order_id") == "" {
			t.Errorf("%q: got %s, want the order", code, got.Body)
		}
	}
	scan(r, "").Refused(t, 422, "validation_error")
	scan(r, strings.Repeat("x", 3001)).Refused(t, 422, "validation_error")
}

// TestRequestOfAnotherOperator refuses a request that names another operator than its
// credentials are of, before it changes anything: a phone sends what it has kept.
func TestRequestOfAnotherOperator(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t)
	other := desk.As(t, "dispatcher")
	body := []byte(`{"name":"Camille Tremblay","phone":"+15145550177","vehicle":"bike","active":true}`)
	as := func(operatorID string) *apptest.Answer {
		t.Helper()
		return s.Do(t, "POST", "/ops/v1/couriers", body, "Authorization", "Bearer "+desk.Token, "Dropyard-Operator",
			operatorID)
	}
	count := func() int { return desk.Call(t, "GET", "/ops/v1/couriers", nil).Must(t, 200).Len("couriers") }
	before := count()
	as(other.OperatorID).Must(t, 401)
	if got := count(); got != before {
		t.Errorf("got %d couriers, want %d as before", got, before)
	}
	own := desk.Call(t, "GET", "/ops/v1/me", nil).Must(t, 200).Text("operator_id")
	as(own).Must(t, 201)
}
