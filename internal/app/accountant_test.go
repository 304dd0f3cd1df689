package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestAccountantReads reads as an accountant what dispatchers see: figures, partners, couriers and orders.
func TestAccountantReads(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	books := f.operator.As(t, "accountant")
	id, _ := f.givenUp(t, f.rider(t, "noor"))
	if me := books.Call(t, "GET", "/ops/v1/me", nil).Must(t, 200); me.Text("role") != "accountant" {
		t.Errorf("got %s, want the role accountant", me.Body)
	}
	dispatcher := f.operator.As(t, "dispatcher")
	for _, path := range []string{
		"/ops/v1/figures", "/ops/v1/figures?partner_id=" + f.partner.PartnerID, "/ops/v1/partners",
		"/ops/v1/partners/" + f.partner.PartnerID, "/ops/v1/couriers", "/ops/v1/couriers/" + f.operator.CourierID,
		"/ops/v1/orders", "/ops/v1/orders?q=A-1", "/ops/v1/orders/" + id,
	} {
		got, want := books.Call(t, "GET", path, nil).Must(t, 200), dispatcher.Call(t, "GET", path, nil).Must(t, 200)
		// The figures of an accountant have money besides: see TestFiguresHaveMoney.
		if strings.Replace(string(got.Body), `"money":{"days":[]}`, `"money":null`, 1) != string(want.Body) {
			t.Errorf("%s: got %s, want what a dispatcher gets: %s", path, got.Body, want.Body)
		}
	}
}

// TestAccountantReadsRates reads the rate cards by which partners are charged as an accountant, who adds none.
func TestAccountantReadsRates(t *testing.T) {
	t.Parallel()
	admin := apptest.Start(t).Operate(t)
	books, desk := admin.As(t, "accountant"), admin.As(t, "dispatcher")
	for _, path := range []string{"/ops/v1/rate-cards", "/ops/v1/rate-cards/crd_builtin"} {
		got, want := books.Call(t, "GET", path, nil).Must(t, 200), admin.Call(t, "GET", path, nil).Must(t, 200)
		if string(got.Body) != string(want.Body) {
			t.Errorf("%s: got %s, want what an admin gets: %s", path, got.Body, want.Body)
		}
		desk.Call(t, "GET", path, nil).Refused(t, 403, "forbidden")
	}
	books.Call(t, "POST", "/ops/v1/rate-cards", upload("deal", "deal-1", "", 1000)).Refused(t, 403, "forbidden")
	page := books.Visit(t)
	page.Open(t, "/console/money").Shows(t, 200, `href="/console/rate-cards"`)
	page.Open(t, "/console/rate-cards").Shows(t, 200, "default-1")
	page.Open(t, "/console/rate-cards/crd_builtin").Shows(t, 200, "/console/rate-cards/crd_builtin/file")
	for _, path := range []string{"/console/rate-cards", "/console/rate-cards/new"} {
		if got := page.Request(t, "POST", path, []byte("_key="+strings.Repeat("0", 32)), "Content-Type",
			"application/x-www-form-urlencoded"); got.Status != 403 {
			t.Errorf("%s: got status %d, want 403", path, got.Status)
		}
	}
}

// TestAccountantChangesNothing sends as an accountant what dispatchers and the warehouse send. Each request is
// refused, and leaves order, stock, courier, partner and audit log as they were.
func TestAccountantChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	noor, books := f.rider(t, "noor"), f.operator.As(t, "accountant")
	back, lamp := f.givenUp(t, noor)
	moving := f.orderIn(t, "A-2", "picked_up")
	courier, partner := "/ops/v1/couriers/"+noor.CourierID, "/ops/v1/partners/"+f.partner.PartnerID
	product := fmt.Sprintf("%s/products/%d", partner, lamp)
	read := func() string {
		var all strings.Builder
		for _, path := range []string{
			"/ops/v1/orders/" + back, "/ops/v1/orders/" + moving, courier, courier + "/sequence", courier + "/messages",
			partner, partner + "/dispatch", product, "/ops/v1/settings", "/ops/v1/locations", "/ops/v1/audit",
		} {
			all.Write(f.operator.Call(t, "GET", path, nil).Must(t, 200).Body)
		}
		return all.String()
	}
	before := read()
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/ops/v1/orders/" + moving + "/status", `{"status":"in_transit"}`},
		{"POST", "/ops/v1/orders/status", `{"order_ids":["` + moving + `"],"status":"in_transit"}`},
		{"PATCH", "/ops/v1/orders/" + moving, `{"reason":"by phone","reference":"edited"}`},
		{"POST", "/ops/v1/orders/" + moving + "/confirm", `{"version":4}`},
		{"POST", "/ops/v1/orders/" + moving + "/cancellation-request/answer", `{"grant":true}`},
		{"POST", "/ops/v1/orders/" + moving + "/transfer", `{"location":"HUB-1"}`},
		{"POST", "/ops/v1/orders/" + moving + "/scans", `{"code":"A-2"}`},
		{"POST", "/ops/v1/orders/" + moving + "/notes", `{"text":"paid"}`},
		{"POST", "/ops/v1/orders/" + moving + "/proofs?kind=photo", string(picture(1))},
		{"POST", "/ops/v1/orders/" + moving + "/picks", `{"packed":true}`},
		{
			"POST", "/ops/v1/orders/" + back + "/return/receive",
			fmt.Sprintf(`{"location":"MTL-1","lines":[{"product_id":%d,"quantity":3,"disposition":"sellable"}]}`, lamp),
		},
		{"POST", "/ops/v1/couriers", `{"name":"Amélie","phone":"+15145550188","vehicle":"van"}`},
		{"PATCH", courier, `{"name":"Amélie"}`},
		{"POST", courier + "/messages", `{"text":"Call Camille."}`},
		{"PUT", courier + "/sequence", `{"order_ids":[],"version":0}`},
		{"PATCH", partner, `{"rate_limit":600}`},
		{"POST", partner + "/approve", ``},
		{"PUT", partner + "/dispatch", `{"auto_accept":true}`},
		{"POST", partner + "/orders", `{}`},
		{"POST", partner + "/export", ``},
		{"POST", partner + "/movements", fmt.Sprintf(`{"type":"IN","product_id":%d,"quantity":5,"location":"MTL-1"}`, lamp)},
		{"PATCH", product, `{"name":"Tea"}`},
		{"PUT", "/ops/v1/locations/HUB-1", depot},
		{"PATCH", "/ops/v1/settings", `{"dispatch_phone":"+15145550100"}`},
	} {
		books.Call(t, c.method, c.path, []byte(c.body)).Refused(t, 403, "forbidden")
	}
	for _, path := range []string{
		"/ops/v1/orders/snapshot", "/ops/v1/orders/changes?cursor=0", "/ops/v1/attention", "/ops/v1/jobs", "/ops/v1/returns",
		"/ops/v1/picks", "/ops/v1/low-stock", "/ops/v1/locations", courier + "/messages", courier + "/sequence", product,
		"/ops/v1/settings", "/ops/v1/audit", "/ops/v1/system", "/ops/v1/operators", partner + "/users",
	} {
		books.Call(t, "GET", path, nil).Refused(t, 403, "forbidden")
	}
	if after := read(); after != before {
		t.Errorf("got\n%s\nwant what there was:\n%s", after, before)
	}
}

// TestAccountantWaitsForTheUpgrade makes accountants while a node of release 0.1, which does not know the role,
// shares the database: they are refused until it has ended.
func TestAccountantWaitsForTheUpgrade(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	if s.Database == "" {
		t.Skip("the embedded database has one node")
	}
	admin := s.Operate(t)
	desk := admin.As(t, "dispatcher")
	now := s.Clock.Now().Add(-time.Minute).UnixMicro()
	s.Execute(t, fmt.Sprintf(
		"INSERT INTO nodes (node_id, version, started_at, seen_at, keys) VALUES ('nod_old', 'v0.1.0', %d, %d, '')", now, now))
	add := []byte(`{"email":"lou@example.com","password":"a long password of lou","role":"accountant"}`)
	admin.Call(t, "POST", "/ops/v1/operators", add).Refused(t, 503, "unavailable")
	change := func() *apptest.Answer {
		return admin.Call(t, "PATCH", "/ops/v1/operators/"+desk.OperatorID, []byte(`{"role":"accountant"}`))
	}
	change().Refused(t, 503, "unavailable")
	provider.SignIn(t, s, anna("groups", "accountant"), nil).Refused(t, 503, "unavailable")
	if rows := s.Query(t, "SELECT role FROM operators ORDER BY role"); strings.Join(rows, " ") != "admin dispatcher" {
		t.Errorf("got the roles %v, want admin and dispatcher", rows)
	}
	admin.As(t, "warehouse")

	s.Execute(t, "DELETE FROM nodes WHERE node_id = 'nod_old'")
	admin.Call(t, "POST", "/ops/v1/operators", add).Must(t, 201)
	change().Must(t, 200)
	provider.SignIn(t, s, anna("groups", "accountant"), nil).Must(t, 200)
}
