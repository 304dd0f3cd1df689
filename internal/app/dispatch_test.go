package app_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/testkit"
)

// dispatcher adds an operator with the role dispatcher and the password that all have.
func (f floor) dispatcher(t *testing.T, email string) {
	t.Helper()
	world := app.System()
	world.Now, world.Random = f.Clock.Now, apptest.Random(t)
	world.Hasher = apptest.CheapHasher(world.Random)
	settings := &config.Config{Data: f.Data, DatabaseURL: f.Database, DatabaseMayLoseData: true}
	if err := app.AddOperator(t.Context(), settings, world,
		app.NewOperator{Email: email, Password: apptest.OperatorPassword, Role: "dispatcher"}); err != nil {
		t.Fatal(err)
	}
}

// login logs an operator in and adds a courier for it.
func (f floor) login(t *testing.T, email string) *apptest.Operator {
	t.Helper()
	o := &apptest.Operator{Service: f.Service}
	o.Token = f.Do(t, "POST", "/ops/v1/tokens",
		fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, apptest.OperatorPassword)).Must(t, 201).Text("token")
	o.CourierID = o.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Noor Singh","phone":"+15145550178","vehicle":"van"}`)).Must(t, 201).Text("courier_id")
	return o
}

// board returns the references of the orders on the board.
func (f floor) board(t *testing.T, query string) (references []string) {
	t.Helper()
	got := f.operator.Call(t, "GET", "/ops/v1/orders?"+query, nil).Must(t, 200)
	for i := range got.Len("orders") {
		references = append(references, got.Text("orders", i, "partner_order_id"))
	}
	return references
}

// expect fails the test unless the board lists these references.
func (f floor) expect(t *testing.T, query string, want ...string) {
	t.Helper()
	if got := f.board(t, query); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", query, got, want)
	}
}

// TestConcurrentAssignment lets two dispatchers assign an order without a courier at
// the same time. One succeeds; the error of the other names the first.
func TestConcurrentAssignment(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	const second = "second@example.com"
	f.dispatcher(t, second)
	desks := []*apptest.Operator{f.operator, f.login(t, second)}
	emails := []string{apptest.OperatorEmail, second}
	for round := range 50 {
		id := f.orderIn(t, fmt.Sprint("A-", round), delivery.StatusAccepted)
		seen := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
		if seen.JSON("courier") != nil || seen.Text("status") != "accepted" {
			t.Fatalf("got %s, want status accepted and no courier", seen.Body)
		}
		both := apptest.Together(len(desks), func(i int) *apptest.Answer {
			return desks[i].Call(t, "POST", "/ops/v1/orders/"+id+"/status",
				fmt.Appendf(nil, `{"status":"courier_assigned","courier_id":%q,"version":%v}`, desks[i].CourierID,
					seen.JSON("version")))
		})
		winner := slices.IndexFunc(both, func(a *apptest.Answer) bool { return a.Status == 200 })
		if winner < 0 {
			t.Fatalf("round %d: got no assignment, want one: %s", round, both[0].Body)
		}
		lost := both[1-winner].Refused(t, 409, "invalid_transition")
		detail := func(path ...any) string { return lost.Text(append([]any{"error", "details"}, path...)...) }
		if detail("status") != "courier_assigned" || detail("courier", "courier_id") != desks[winner].CourierID ||
			detail("changed_by", "email") != emails[winner] || detail("changed_by", "operator_id") == "" ||
			detail("changed_by", "at") == "" {
			t.Errorf("round %d: got the error %s, want it to name %s", round, lost.Body, emails[winner])
		}
		now := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
		if now.Text("courier", "courier_id") != desks[winner].CourierID || now.Len("order", "status_history") != 3 {
			t.Errorf("round %d: got %s, want the courier of %s", round, now.Body, emails[winner])
		}
	}
	f.Audit(t)
}

// TestChangedByPartner moves an order that its partner has cancelled. The error names
// no operator.
func TestChangedByPartner(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusPending)
	f.partner.Cancel(t, id, "").Must(t, 200)
	got := f.operator.Move(t, id, "accepted").Refused(t, 409, "invalid_transition")
	if got.JSON("error", "details", "changed_by") != nil || got.JSON("error", "details", "version") != 2.0 {
		t.Errorf("got %s, want no changed_by, and version 2", got.Body)
	}
}

// TestBoardFilters lists orders by every filter.
func TestBoardFilters(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	other := floor{f.Service, f.Register(t, "port"), f.operator}
	f.orderIn(t, "A-1", delivery.StatusPending)
	f.Clock.Advance(time.Hour)
	f.orderIn(t, "A-2", delivery.StatusCourierAssigned)
	f.Clock.Advance(time.Hour)
	far := strings.NewReplacer("M5H 2N2", "v6b 1a1", "Toronto", "Vancouver", `"express"`, `"standard"`, "T09:00", "T07:00",
		"T17:00", "T08:00").
		Replace(string(testkit.OrderJSON("B-1", "")))
	other.partner.Create(t, []byte(far)).Must(t, 201)
	f.Clock.Advance(time.Hour)
	failed := other.orderIn(t, "B-2", delivery.StatusFailed)
	done := f.orderIn(t, "A-3", delivery.StatusDelivered)
	f.orderIn(t, "A-4", delivery.StatusCancelled)
	courier := f.operator.CourierID
	for query, want := range map[string]string{
		"":                                  "A-1 A-2 B-1 B-2",
		"sort=window&limit=1":               "B-1",
		"status=pending":                    "A-1 B-1",
		"status=pending&status=failed":      "A-1 B-1 B-2",
		"partner_id=" + other.PartnerOf():   "B-1 B-2",
		"courier_id=" + courier:             "A-2 B-2",
		"courier_id=none":                   "A-1 B-1",
		"zone=M5H":                          "A-1 A-2 B-2",
		"zone=v":                            "B-1",
		"service_level=standard":            "B-1",
		"older_than=121":                    "A-1",
		"older_than=60":                     "A-1 A-2",
		"created_from=2026-01-14T16:00:00Z": "A-2 B-1 B-2",
		"created_to=2026-01-14T16:00:00Z":   "A-1",
		"at_risk=1141":                      "B-1", // its dropoff ends in 19 h; it is 13:00 in Montréal
		"at_risk=1140":                      "",
		"q=vancouver":                       "B-1",
		"q=LAMP-2&zone=M5H&partner_id=" + f.PartnerOf(): "A-1 A-2", // with a zone, only what is open is searched
		"q=alex+MARTIN&status=failed":                   "B-2",
		"q=b-":                                          "B-1 B-2",
		"q=%25":                                         "",
		"q=A-3":                                         "A-3", // it has ended, but the whole reference is given
		"q=a-4&zone=M5H":                                "",
		"q=" + done:                                     "A-3",
		"q=" + url.QueryEscape(strings.ToUpper(failed)): "B-2",
		"q=" + label.Number(failed):                     "B-2",
		"status=delivered&partner_id=" + f.PartnerOf():  "A-3",
		"status=cancelled&partner_id=" + f.PartnerOf():  "A-4",
	} {
		f.expect(t, query, strings.Fields(want)...)
	}
	f.Audit(t)
}

// PartnerOf returns the partner's id.
func (f floor) PartnerOf() string { return f.partner.PartnerID }

// TestBoardRecord checks the fields of a row on the board.
func TestBoardRecord(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusCourierAssigned)
	f.Clock.Advance(90*time.Minute + time.Second)
	got := f.operator.Call(t, "GET", "/ops/v1/orders", nil).Must(t, 200)
	for name, want := range map[string]any{
		"order_id": id, "partner_id": f.partner.PartnerID, "partner_name": "metro", "status": "courier_assigned",
		"version": 3.0, "service_level": "express", "zone": "M5H", "city": "Toronto", "failures": 0.0, "age_minutes": 90.0,
		"created_at": "2026-01-14T15:00:00.000Z", "updated_at": "2026-01-14T15:00:00.000Z",
	} {
		if value := got.JSON("orders", 0, name); value != want {
			t.Errorf("%s: got %v, want %v", name, value, want)
		}
	}
	if got.Text("orders", 0, "courier", "name") != "Camille Tremblay" ||
		got.Text("orders", 0, "dropoff_window", "end") != "2026-01-15T22:00:00.000Z" {
		t.Errorf("got %s, want the courier and the dropoff window", got.Body)
	}
	if !strings.HasPrefix(string(got.Body), `{"orders":[{"order_id":`) {
		t.Errorf("got %s, want order_id as the first member", got.Body)
	}
}

// TestBoardPages follows the cursors of both sort orders, and of searches that find
// orders that have ended. Every order is listed once.
func TestBoardPages(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for i := range 25 {
		f.orderIn(t, fmt.Sprint("A-", i), delivery.StatusPending)
		if i%3 == 0 {
			f.Clock.Advance(time.Second)
		}
	}
	for i := range 7 {
		f.orderIn(t, fmt.Sprint("C-", i), delivery.StatusCancelled)
	}
	f.orderIn(t, "A-", delivery.StatusCancelled)
	for query, want := range map[string]int{
		"limit=4&sort=oldest": 25, "limit=4&sort=window": 25, "limit=4&status=cancelled&partner_id=" + f.PartnerOf(): 8,
		"limit=4&q=A-": 26, "limit=1&q=A-": 26, "limit=1&q=A-&sort=window": 26,
	} {
		seen := map[string]bool{}
		cursor := ""
		for pages := 0; pages == 0 || cursor != ""; pages++ {
			got := f.operator.Call(t, "GET", "/ops/v1/orders?"+query+cursor, nil).Must(t, 200)
			for i := range got.Len("orders") {
				id := got.Text("orders", i, "order_id")
				if seen[id] {
					t.Errorf("%s: got %s twice, want once", query, id)
				}
				seen[id] = true
			}
			if cursor = ""; got.Text("next_cursor") != "" {
				cursor = "&cursor=" + got.Text("next_cursor")
			}
			if pages > 26 {
				t.Fatalf("%s: got more than 26 pages", query)
			}
		}
		if len(seen) != want {
			t.Errorf("%s: got %d orders, want %d", query, len(seen), want)
		}
	}
}

// TestBoardRefusals lists orders with faulty parameters.
func TestBoardRefusals(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for query, field := range map[string]string{
		"status=lost": "status", "zone=1": "zone", "service_level=slow": "service_level", "sort=newest": "sort",
		"older_than=0": "older_than", "at_risk=x": "at_risk", "attention=maybe": "attention", "cursor=1": "cursor",
		"limit=201": "limit", "q=" + strings.Repeat("x", 256): "q", "status=delivered": "partner_id",
		"status=delivered&status=cancelled&partner_id=par_1": "status", "status=cancelled&partner_id=par_1&q=x": "q",
		"created_from=today": "created_from",
	} {
		got := f.operator.Call(t, "GET", "/ops/v1/orders?"+query, nil).Refused(t, 422, "validation_error")
		if got.Text("error", "details", "field") != field {
			t.Errorf("%s: got %s, want an error of %s", query, got.Body, field)
		}
	}
	f.operator.Call(t, "GET", "/ops/v1/orders/ord_none", nil).Refused(t, 404, "not_found")
}
