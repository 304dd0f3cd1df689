package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// showsNone fails the test if a page has one of the texts.
func showsNone(t *testing.T, page *apptest.Answer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(string(page.Body), text) {
			t.Errorf("got a page with %q:\n%s", text, page.Body)
		}
	}
}

// audited returns the operators of the entries that the audit log has for a partner with
// an action.
func audited(t *testing.T, o *apptest.Operator, partnerID, action string) (operators []string) {
	t.Helper()
	log := o.Call(t, "GET", "/ops/v1/audit?partner_id="+partnerID+"&action="+action, nil).Must(t, http.StatusOK)
	for i := range log.Len("entries") {
		operators = append(operators, log.Text("entries", i, "operator_id"))
	}
	return operators
}

// TestPartnerList narrows the list by search, state and rate card.
func TestPartnerList(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	desk := o.Visit(t)
	desk.Open(t, "/console/partners").Shows(t, http.StatusOK, "There are no partners yet.")
	metro, nord := s.Register(t, "metro"), s.Register(t, "nord")
	setPartner(t, o, metro, `{"suspended":true,"suspended_reason":"unpaid"}`)
	o.Call(t, "POST", "/ops/v1/rate-cards", uploaded("deal", "deal-1", 1000)).Must(t, http.StatusCreated)
	setPartner(t, o, nord, `{"rate_card":"deal"}`)
	for _, c := range []struct {
		query        string
		want, absent []string
	}{
		{"", []string{
			"2 partners", "/console/partners/" + metro.PartnerID, "nord@example.com", `aria-current="true"><bdi>All`,
		}, nil},
		{"?q=METRO", []string{
			"One partner", metro.PartnerID, `href="/console/partners?q=METRO&amp;show=suspended"`,
		}, []string{nord.PartnerID}},
		{"?show=suspended", []string{metro.PartnerID, "status-failed"}, []string{nord.PartnerID}},
		{"?show=pending", []string{"No account awaits approval.", "Show all partners"}, []string{metro.PartnerID}},
		{"?card=deal", []string{nord.PartnerID, "Rate card deal"}, []string{metro.PartnerID}},
		{"?card=default", []string{metro.PartnerID}, []string{nord.PartnerID}},
		{"?q=%3Cb%3E", []string{"No partner matches “&lt;b&gt;”."}, []string{metro.PartnerID}},
		{"?show=all&after=" + nord.PartnerID, []string{"First page"}, []string{"/console/partners/" + nord.PartnerID}},
	} {
		page := desk.Open(t, "/console/partners"+c.query)
		page.Shows(t, http.StatusOK, c.want...)
		showsNone(t, page, c.absent...)
	}
}

// setPartner changes a partner's settings over the interface.
func setPartner(t *testing.T, o *apptest.Operator, p *apptest.Partner, body string) {
	t.Helper()
	o.Call(t, "PATCH", "/ops/v1/partners/"+p.PartnerID, []byte(body)).Must(t, http.StatusOK)
}

// TestPartnersByRole opens pages and sends forms as operators who may not.
func TestPartnersByRole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	path := "/console/partners/" + metro.PartnerID
	admin := o.Visit(t)
	shown := admin.Open(t, path).Must(t, http.StatusOK)
	forms := []string{path + "/suspend", path + "/limits", path + "/dispatch", "/ops/v1" + strings.TrimPrefix(path,
		"/console") + "/export"}
	for role, status := range map[string]int{"dispatcher": http.StatusOK, "warehouse": http.StatusForbidden} {
		visitor := o.As(t, role).Visit(t)
		page := visitor.Open(t, path)
		page.Shows(t, status, "")
		showsNone(t, page, path+"/limits", "metro@example.com</a> ·", path+"/suspend")
		visitor.Open(t, "/console/partners").Shows(t, status, "")
		visitor.Open(t, path+"/erasure").Shows(t, http.StatusForbidden, "")
		for _, to := range forms {
			visitor.Send(t, shown, to).Shows(t, http.StatusForbidden, "")
		}
	}
	admin.Open(t, "/console/partners/par_00000000").Shows(t, http.StatusNotFound, "There is no such page")
}

// TestSuspensionInConsole suspends a partner with a reason, refuses a stale form, and
// lifts the suspension. The audit log names the operator.
func TestSuspensionInConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	desk, path := o.Visit(t), "/console/partners/"+metro.PartnerID
	first := desk.Open(t, path).Must(t, http.StatusOK)
	long := strings.Repeat("x", 501)
	desk.Send(t, first, path+"/suspend", "suspended_reason", long).Shows(t, http.StatusUnprocessableEntity,
		"Enter at most 500 characters.", long, "<details class=\"confirm\" open>")
	desk.Send(t, desk.Open(t, path), path+"/suspend", "suspended_reason", "unpaid <b>").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "metro is suspended.", "unpaid &lt;b&gt;", "Lift the suspension")
	metro.Call(t, "GET", "/v1/orders", nil).Refused(t, http.StatusForbidden, "forbidden")
	if got := audited(t, o, metro.PartnerID, "partner.changed"); len(got) != 1 || got[0] != o.OperatorID {
		t.Errorf("got entries by %q, want one by %s", got, o.OperatorID)
	}
	stale := o.Visit(t)
	old := strings.Replace(string(first.Form(t, path+"/suspend")), "_key=", "_key=00", 1)
	stale.Request(t, "POST", path+"/suspend", []byte(old), "Content-Type", "application/x-www-form-urlencoded").Shows(t,
		http.StatusBadRequest, "")
	again := desk.Open(t, path)
	setPartner(t, o, metro, `{"suspended":false}`)
	desk.Send(t, again, path+"/resume").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "Someone else changed this")
	desk.Send(t, desk.Open(t, path), path+"/suspend").Leads(t, path)
	desk.Send(t, desk.Open(t, path), path+"/resume").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "metro is no longer suspended.")
	metro.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK)
}

// TestEstablishingInConsole lifts what limits a new account.
func TestEstablishingInConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.NewAccountBytes = 20_000_000 })
	path := "/console/partners/" + s.Register(t, "metro").PartnerID
	desk := s.Operate(t).Visit(t)
	page := desk.Open(t, path)
	page.Shows(t, http.StatusOK, "Counts as a new account since", "of 20 MB", "(limit of new accounts today)")
	desk.Send(t, page, path+"/establish").Leads(t, path)
	page = desk.Open(t, path)
	page.Shows(t, http.StatusOK, "metro counts as established.", "without limit")
	showsNone(t, page, path+"/establish", "Counts as a new account")
}

// TestApprovalInConsole approves an account that awaits it.
func TestApprovalInConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.Registration = "approval" })
	o := s.Operate(t)
	login := []byte(`{"email":"metro@example.com","password":"a long password of metro"}`)
	account := s.Do(t, "POST", "/v1/auth/register", []byte(
		`{"name":"metro","email":"metro@example.com","password":"a long password of metro"}`,
	)).Must(t, http.StatusCreated)
	path := "/console/partners/" + account.Text("partner_id")
	desk := o.Visit(t)
	desk.Open(t, "/console/partners?show=pending").Shows(t, http.StatusOK, path, "Awaiting approval")
	s.Do(t, "POST", "/v1/auth/login", login).Refused(t, http.StatusForbidden, "forbidden")
	desk.Send(t, desk.Open(t, path), path+"/approve").Leads(t, path)
	page := desk.Open(t, path)
	page.Shows(t, http.StatusOK, "metro is approved")
	showsNone(t, page, path+"/approve")
	s.Do(t, "POST", "/v1/auth/login", login).Must(t, http.StatusOK)
}

// TestLimitsInConsole sets limits and a rate card, with faults beside fields, and takes
// them away again.
func TestLimitsInConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated)
	o.Call(t, "POST", "/ops/v1/rate-cards", uploaded("deal", "deal-1", 1000)).Must(t, http.StatusCreated)
	desk, path := o.Visit(t), "/console/partners/"+metro.PartnerID
	page := desk.Open(t, path)
	page.Shows(t, http.StatusOK, "without limit", `<option value="deal">deal</option>`, "A-1",
		`href="/console/orders?partner=`+metro.PartnerID)
	refused := desk.Send(t, page, path+"/limits", "rate_limit", "0", "orders_per_day", "many", "stored_bytes", "-1",
		"rate_card", "none")
	refused.Shows(t, http.StatusUnprocessableEntity, "Enter a whole number from 1 to 1,000,000.",
		`id="fault-orders_per_day"`, "Enter a number of megabytes", `value="many"`)
	desk.Send(t, refused, path+"/limits", "rate_limit", "1 200", "orders_per_day", "1", "stored_bytes", "1,5", "rate_card",
		"deal").Leads(t, path)
	page = desk.Open(t, path)
	page.Shows(t, http.StatusOK, "Saved: limits and rate card of metro.", `value="1200"`, `value="1.5"`,
		`<option value="deal" selected>`, `<strong class="danger">1</strong>`, "of 1.50 MB")
	got := o.Call(t, "GET", "/ops/v1/partners/"+metro.PartnerID, nil).Must(t, http.StatusOK)
	if got.JSON("rate_limit") != 1200.0 || got.JSON("orders_per_day") != 1.0 || got.JSON("stored_bytes") != 1.5e6 ||
		got.Text("rate_card") != "deal" {
		t.Errorf("got %s, want 1200 requests, 1 order, 1.5 MB and deal", got.Body)
	}
	setPartner(t, o, metro, `{"rate_limit":5}`)
	desk.Send(t, page, path+"/limits", "rate_limit", "").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "Someone else changed this", `value="5"`)
	desk.Send(t, desk.Open(t, path), path+"/limits", "rate_limit", "", "orders_per_day", "0", "stored_bytes", "",
		"rate_card", "").Leads(t, path)
	got = o.Call(t, "GET", "/ops/v1/partners/"+metro.PartnerID, nil).Must(t, http.StatusOK)
	if got.JSON("rate_limit") != nil || got.JSON("orders_per_day") != 0.0 || got.JSON("stored_bytes") != nil ||
		got.JSON("rate_card") != nil {
		t.Errorf("got %s, want no own limits but none on orders", got.Body)
	}
}

// TestDispatchInConsole lets the orders of a partner be accepted by themselves.
func TestDispatchInConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	desk, path := o.Visit(t), "/console/partners/"+metro.PartnerID
	page := desk.Open(t, path)
	desk.Send(t, page, path+"/dispatch", "auto_accept", "yes").Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "orders are accepted without a dispatcher",
		`value="yes" aria-describedby="hint-auto_accept" checked`)
	if got := o.Call(t, "GET", "/ops/v1/partners/"+metro.PartnerID+"/dispatch", nil).Must(t,
		http.StatusOK); got.JSON("auto_accept") != true {
		t.Errorf("got %s, want that orders are accepted", got.Body)
	}
	desk.Send(t, page, path+"/dispatch", "auto_accept", "").Shows(t, http.StatusConflict, "") // the form was sent already
}

// TestPeopleInConsole makes a link for a new password, which works, and removes a second
// factor.
func TestPeopleInConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	desk, path := o.Visit(t), "/console/partners/"+metro.PartnerID
	to := path + "/people/" + owner.UserID + "/reset-link"
	page := desk.Open(t, path)
	made := desk.Send(t, page, to)
	made.Shows(t, http.StatusOK, "A link for metro@example.com", "/portal/reset/")
	desk.Send(t, page, to).Shows(t, http.StatusConflict, "This was shown already")
	_, rest, _ := strings.Cut(string(made.Body), "/portal/reset/")
	token, _, _ := strings.Cut(rest, "<")
	s.Do(t, "POST", "/v1/auth/reset/"+token, []byte(`{"new_password":"brume-et-goélands-1907"}`)).Must(t, http.StatusOK)
	showsNone(t, desk.Open(t, path), "/portal/reset/", "/second-factor/remove")
	strangers := "/console/partners/" + s.Register(t, "nord").PartnerID + "/people/" + owner.UserID + "/reset-link"
	desk.Request(t, "POST", strangers, desk.Open(t, path).Form(t, to), "Content-Type",
		"application/x-www-form-urlencoded").Shows(t, http.StatusNotFound, "")
}

// TestExportFromConsole downloads all data of a partner in the operator's session.
func TestExportFromConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated)
	desk := o.Visit(t)
	to := "/ops/v1/partners/" + metro.PartnerID + "/export"
	got := desk.Send(t, desk.Open(t, "/console/partners/"+metro.PartnerID), to)
	got.Shows(t, http.StatusOK, `{"type":"partner"`, `"A-1"`)
	if name := got.Header.Get("Content-Disposition"); name != fmt.Sprintf(`attachment; filename="%s.jsonl"`,
		metro.PartnerID) {
		t.Errorf("got %q, want a download", name)
	}
	if got := audited(t, o, metro.PartnerID, "partner.exported"); len(got) != 1 || got[0] != o.OperatorID {
		t.Errorf("got exports by %q, want one by %s", got, o.OperatorID)
	}
}

// TestErasureInConsole shows what would be erased, refuses orders under way unless they
// are asked for, and erases what was shown.
func TestErasureInConsole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro, nord := s.Register(t, "metro"), s.Register(t, "nord")
	created := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated)
	id, email := created.Text("order_id"), created.Text("dropoff", "email")
	other := nord.Create(t, testkit.OrderJSON("B-1", "")).Must(t, http.StatusCreated).Text("order_id")
	desk, path := o.Visit(t), "/console/partners/"+metro.PartnerID
	check, erase := path+"/erasure/check", path+"/erasure"
	page := desk.Open(t, erase)
	page.Shows(t, http.StatusOK, "Erase a recipient")
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{nil, "Name a recipient or at least one order."},
		{[]string{"recipient", "nonsense"}, "Enter an e-mail address."},
		{[]string{"recipient", metro.Email}, "Enter another address, or the orders"},
		{[]string{"recipient", email, "order_ids", id}, "Name either a recipient or orders."},
		{[]string{"order_ids", other}, "This partner has no such order"},
	} {
		desk.Send(t, page, check, c.fields...).Shows(t, http.StatusUnprocessableEntity, c.want)
	}
	desk.Send(t, page, check, "recipient", "unknown@example.com").Shows(t, http.StatusOK, "Nothing to erase")
	underWay := desk.Send(t, page, check, "recipient", email)
	underWay.Shows(t, http.StatusOK, "One order is under way", "Wait until they have ended")
	showsNone(t, underWay, "Yes, erase")
	forced := desk.Send(t, page, check, "recipient", strings.ToUpper(email), "force", "yes")
	forced.Shows(t, http.StatusOK, "One order will be erased", "They will be erased as you asked", "Yes, erase one order",
		"A-1")

	second := metro.Create(t, testkit.OrderJSON("A-2", "")).Must(t, http.StatusCreated).Text("order_id")
	desk.Send(t, forced, erase).Leads(t, erase)
	desk.Open(t, erase).Shows(t, http.StatusOK, "Someone else changed this")
	for _, order := range []string{id, second} {
		metro.Cancel(t, order, "").Must(t, http.StatusOK)
	}
	sure := desk.Send(t, page, check, "order_ids", id+"\r\n"+second)
	desk.Send(t, sure, erase).Leads(t, path)
	desk.Open(t, path).Shows(t, http.StatusOK, "Orders erased: 2.")
	if got := o.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, http.StatusOK).Text("order", "dropoff",
		"name"); got != "erased" {
		t.Errorf("got the recipient %q, want it erased", got)
	}
	if got := audited(t, o, metro.PartnerID, "partner.erased"); len(got) != 1 || got[0] != o.OperatorID {
		t.Errorf("got erasures by %q, want one by %s", got, o.OperatorID)
	}
}

// uploaded returns a request for a rate card with a base price for all zones and levels.
func uploaded(series, version string, baseCents int) []byte {
	return fmt.Appendf(nil, `{"name":%q,"card":%s}`, series, cardJSON(version, baseCents))
}

// cardJSON returns a rate card.
func cardJSON(version string, baseCents int) string {
	level := func(days int) string {
		var zones []string
		for _, zone := range []string{"local", "regional", "adjacent", "national", "remote"} {
			zones = append(zones,
				fmt.Sprintf("\n   %q: {\"base_cents\": %d, \"per_kg_cents\": 25, \"transit_days\": %d}", zone, baseCents, days))
		}
		return `{"cut_off": "13:00", "deliver_by": "18:00", "zones": {` + strings.Join(zones, ",") + `}}`
	}
	return fmt.Sprintf(`{
 "version": %q,
 "levels": {
  "standard": %s,
  "express": %s,
  "same_day": %s
 },
 "parcel_cents": 150,
 "included_grams": 1000,
 "fragile_cents": 250,
 "insurance": {"basis_points": 100, "minimum_cents": 200},
 "cod": {"basis_points": 150, "minimum_cents": 450},
 "fuel_basis_points": 1250,
 "cad_per_10000_usd": 13750
}`, version, level(3), level(1), level(0))
}
