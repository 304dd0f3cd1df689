package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// lacks checks that a page does not have texts.
func lacks(t *testing.T, page *apptest.Answer, unwanted ...string) {
	t.Helper()
	for _, text := range unwanted {
		if strings.Contains(string(page.Body), text) {
			t.Errorf("got a page with %q, want none:\n%s", text, page.Body)
		}
	}
}

// addCourier adds a courier and returns its id.
func addCourier(t *testing.T, o *apptest.Operator, name string) string {
	t.Helper()
	body := fmt.Appendf(nil, `{"name":%q,"phone":"+15145550144","vehicle":"white van"}`, name)
	return o.Call(t, "POST", "/ops/v1/couriers", body).Must(t, http.StatusCreated).Text("courier_id")
}

// TestCourierRecord adds a courier by forms, changes and deactivates the record, and
// finds it in the list.
func TestCourierRecord(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t).As(t, "dispatcher").Visit(t)
	desk.Fill(t, "/console/couriers/new", "name", "", "phone", "12", "vehicle", "bike").
		Shows(t, http.StatusUnprocessableEntity, `id="fault-name"`, "Enter a phone number with its country code",
			`value="bike"`)
	made := desk.Fill(t, "/console/couriers/new", "name", "Amélie <b>T.</b>", "phone", "+15145550143", "vehicle",
		"cargo bike").Must(t, http.StatusSeeOther)
	path := made.Header.Get("Location")
	page := desk.Open(t, path)
	page.Shows(t, http.StatusOK, "Amélie &lt;b&gt;T.&lt;/b&gt; was added", "Nothing to do", `value="cargo bike"`)
	lacks(t, page, path+"/login", "<b>T.")

	desk.Send(t, page, path, "vehicle", "white van").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, `value="white van"`)
	stale := desk.Send(t, page, path+"/active")
	stale.Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "Someone else changed this", "Deactivate now")
	desk.Send(t, desk.Open(t, path), path, "name", " ").Shows(t, http.StatusUnprocessableEntity, `id="fault-name"`)

	desk.Send(t, desk.Open(t, path), path+"/active").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "is no longer active", "Activate")
	lacks(t, desk.Open(t, "/console/couriers"), "Amélie")
	desk.Open(t, "/console/couriers?status=inactive&q=AM%C3%89LIE").Shows(t, http.StatusOK, "Amélie", "Not active 1",
		"1 courier")
	desk.Open(t, "/console/couriers?q=nobody").Shows(t, http.StatusOK, "No courier matches “nobody”")
	desk.Send(t, desk.Open(t, path), path+"/active").Leads(t, path)
	desk.Open(t, "/console/couriers").Shows(t, http.StatusOK, "Amélie", "Active 2")
}

// TestCourierRecordStale refuses a form that was made before another desk's change.
func TestCourierRecordStale(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	desk, path := boss.Visit(t), "/console/couriers/"+boss.CourierID
	page := desk.Open(t, path).Must(t, http.StatusOK)
	boss.Call(t, "PATCH", "/ops/v1/couriers/"+boss.CourierID, []byte(`{"phone":"+15145550100"}`)).Must(t, http.StatusOK)
	desk.Send(t, page, path, "vehicle", "on foot").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "Someone else changed this", "&#43;15145550100", "cargo bike")
}

// TestCourierLogin links an operator to a courier. Only admins see logins.
func TestCourierLogin(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	admin, dispatcher, path := boss.Visit(t), boss.As(t, "dispatcher").Visit(t), "/console/couriers/"+boss.CourierID
	page := admin.Open(t, path).Must(t, http.StatusOK)
	admin.Send(t, page, path+"/login", "email", "camille@example.com", "password", "short").
		Shows(t, http.StatusUnprocessableEntity, "Choose a password of at least 12 characters", `value="camille@example.com"`)
	admin.Send(t, admin.Open(t, path), path+"/login", "email", apptest.OperatorEmail, "password",
		"brume-et-goélands-1907").
		Shows(t, http.StatusUnprocessableEntity, "This address has an operator already.")
	admin.Send(t, admin.Open(t, path), path+"/login", "email", "camille@example.com", "password",
		"brume-et-goélands-1907").Leads(t, path)
	admin.Open(t, path).Shows(t, http.StatusOK, "app as camille@example.com")
	admin.Open(t, "/console/couriers").Shows(t, http.StatusOK, "camille@example.com")
	lacks(t, dispatcher.Open(t, path).Must(t, http.StatusOK), "camille@example.com", path+"/login")
	lacks(t, dispatcher.Open(t, "/console/couriers").Must(t, http.StatusOK), "camille@example.com")
	form := "_key=" + strings.Repeat("ab", 16)
	dispatcher.Request(t, "POST", path+"/login", []byte(form), "Content-Type", "application/x-www-form-urlencoded").Must(t,
		http.StatusForbidden)
}

// TestCourierStops shows the stops of a courier in sequence, and the load.
func TestCourierStops(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss, metro := s.Operate(t), s.Register(t, "metro")
	boss.As(t, "warehouse").Visit(t).Open(t, "/console/couriers").Must(t, http.StatusForbidden)
	for _, name := range []string{"A-1", "A-2"} {
		id := metro.Create(t, testkit.OrderJSON(name, "")).Must(t, http.StatusCreated).Text("order_id")
		boss.Move(t, id, "accepted").Must(t, http.StatusOK)
		boss.Move(t, id, "courier_assigned").Must(t, http.StatusOK)
	}
	desk := boss.Visit(t)
	desk.Open(t, "/console/couriers").Shows(t, http.StatusOK, "/console/board?courier="+boss.CourierID)
	desk.Open(t, "/console/couriers/"+boss.CourierID).Shows(t, http.StatusOK, "2 stops to do", "A-1", "A-2", "Pickup",
		"2 orders stay with this courier")
	back := metro.Create(t, testkit.OrderJSON("A-3", "")).Must(t, http.StatusCreated).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "failed", "cancelled"} {
		boss.Move(t, back, status).Must(t, http.StatusOK)
	}
	desk.Open(t, "/console/couriers/"+boss.CourierID).Shows(t, http.StatusOK, "1 order comes back with this courier",
		`href="/console/orders/`+back+`"><bdi>A-3</bdi>`)
	addCourier(t, boss, "Zoé")
	desk.Open(t, "/console/couriers/cou_unknown").Must(t, http.StatusNotFound)
}

// TestRunSheet prints the round of a courier: one order that failed once and is collected for,
// one whose parcels are not picked up yet, and one of which the parcels are due back.
func TestRunSheet(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	desk, courier := admin.As(t, "dispatcher"), addCourier(t, admin, "Amélie <b>T.</b>")
	metro := s.Register(t, "metro")
	withCash := strings.Replace(string(testkit.OrderJSON("A-1042", "")), `"reference"`,
		`"cod":{"amount_cents":6493,"currency":"CAD"},"reference"`, 1)
	collected := metro.Create(t, []byte(withCash)).Must(t, 201).Text("order_id")
	waiting := metro.Create(t, testkit.OrderJSON("A-1043", "")).Must(t, 201).Text("order_id")
	back := metro.Create(t, testkit.OrderJSON("A-1044", "")).Must(t, 201).Text("order_id")
	path := "/console/couriers/" + courier + "/sheet"
	v := desk.Visit(t)
	v.Open(t, path).Shows(t, 200, "Nothing to do: no order is with this courier.")
	move := func(id string, moves ...string) {
		t.Helper()
		for _, body := range moves {
			desk.Call(t, "POST", "/ops/v1/orders/"+id+"/status", []byte(body)).Must(t, 200)
		}
	}
	assign := fmt.Sprintf(`{"status":"courier_assigned","courier_id":%q}`, courier)
	for _, id := range []string{collected, waiting, back} {
		move(id, `{"status":"accepted"}`, assign)
	}
	out := []string{`{"status":"picked_up"}`, `{"status":"in_transit"}`, `{"status":"out_for_delivery"}`}
	failed := append(slices.Clone(out), `{"status":"failed","notes":"recipient_absent"}`)
	move(collected, append(failed, `{"status":"out_for_delivery"}`)...)
	move(back, append(failed, `{"status":"cancelled","reason":"given up"}`)...)

	sheet := v.Open(t, path)
	sheet.Shows(t, 200, "Run sheet: Amélie &lt;b&gt;T.&lt;/b&gt;", "2 stops", "4 parcels", "$64.93 to collect",
		"Collect $64.93", "Attempt 2", "Fragile", "Ring twice", "Leave at the desk", "EST", "P-2 (LAMP-2)",
		"Handed over by", "A-1044")
	body := string(sheet.Body)
	if strings.Count(body, "4000 Rue Saint-Denis") != 2 || strings.Count(body, "100 Queen St W") != 2 {
		t.Errorf("got\n%s\nwant the pickup of A-1043 only and the way back of A-1044, and both dropoffs", body)
	}
	v.Open(t, "/console/couriers/"+courier).Shows(t, 200, path)
	v.Open(t, "/console/couriers/cou_none/sheet").Must(t, 404)
	v.Open(t, path+"?lang=fr").Shows(t, 200, "Feuille de route", "64,93", "Bordereau")
}
