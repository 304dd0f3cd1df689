package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOperators adds an operator, changes the role, makes a link for a new password, and
// refuses to leave the house without an admin.
func TestOperators(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	v := admin.Visit(t)
	faulty := v.Fill(t, "/console/operators/new", "email", "nobody", "password", "short", "role", "courier")
	faulty.Shows(t, 422, "Enter an e-mail address.", "At least 12 characters", `href="#field-courier_id"`)
	v.Fill(t, "/console/operators/new", "email", "noor@example.com", "password", "a long first password", "role",
		"warehouse").Leads(t, "/console/operators")
	list := v.Open(t, "/console/operators")
	list.Shows(t, 200, "Added: noor@example.com", "2 operators on this page", "Warehouse")
	v.Fill(t, "/console/operators/new", "email", "noor@example.com", "password", "a long first password", "role",
		"warehouse").
		Shows(t, 422, "This address has an operator already.")

	path := between(t, string(list.Body), `href="/console/operators/`, `">noor@example.com`)
	path = "/console/operators/" + path[strings.LastIndex(path, "/")+1:]
	stale := v.Open(t, path)
	v.Send(t, v.Open(t, path), path, "role", "dispatcher").Leads(t, "/console/operators")
	v.Send(t, stale, path, "role", "admin").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "Someone else changed this while you were editing",
		`value="dispatcher" required checked`)
	v.Send(t, v.Open(t, path), path+"/reset-link").Shows(t, 200, s.URL+"/console/reset/", "it is shown only now")

	own := "/console/operators/" + admin.OperatorID
	v.Send(t, v.Open(t, own), own, "role", "warehouse").Shows(t, 409, "This is the last admin who may sign in")
	v.Open(t, "/console/operators/opr_none").Shows(t, 404, "There is no such page")

	v.Open(t, "/console/audit?object_id="+path[len("/console/operators/"):]).
		Shows(t, 200, "Added operator", "Changed operator", admin.Email, `Before </span>warehouse</del>`,
			`After </span>dispatcher</ins>`)
}

// between returns what stands between two texts.
func between(t *testing.T, text, before, after string) string {
	t.Helper()
	end := strings.Index(text, after)
	if end < 0 {
		t.Fatalf("got a page without %q:\n%s", after, text)
	}
	start := strings.LastIndex(text[:end], before)
	if start < 0 {
		t.Fatalf("got a page without %q:\n%s", before, text)
	}
	return text[start+len(before) : end]
}

// TestPagesTakeNoIdempotencyKey makes a link twice with the same Idempotency-Key: what a
// page shows once is not stored, and not shown again.
func TestPagesTakeNoIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	v := admin.Visit(t)
	path := "/console/operators/" + admin.OperatorID
	form := v.Open(t, path).Form(t, path+"/reset-link")
	headers := []string{
		"Content-Type", "application/x-www-form-urlencoded", "Idempotency-Key", "2f1c1a5e-6a0e-4d7b-8f59-6f0f0c1d2e3f",
	}
	v.Request(t, "POST", path+"/reset-link", form, headers...).Shows(t, 200, s.URL+"/console/reset/")
	again := v.Request(t, "POST", path+"/reset-link", form, headers...)
	if again.Status != 409 || strings.Contains(string(again.Body), "/console/reset/") ||
		again.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("got status %d, want 409 without the link:\n%s", again.Status, again.Body)
	}
}

// TestPagesRefuseWhatIsNoText asks for pages with parameters and ids that no database
// accepts.
func TestPagesRefuseWhatIsNoText(t *testing.T) {
	t.Parallel()
	v := apptest.Start(t).Operate(t).Visit(t)
	for path, want := range map[string]int{
		"/console/orders?q=%00": 400, "/console/audit?object_id=%ff": 400, "/console/orders/%00": 404,
		"/portal/login?next=%ff": 400,
	} {
		if got := v.Open(t, path); got.Status != want {
			t.Errorf("%s: got status %d, want %d:\n%s", path, got.Status, want, got.Body)
		}
	}
	if got := v.Request(t, "POST", "/console/sign-in/sessions/%00", []byte("_key=00000000000000000000000000000000"),
		"Content-Type", "application/x-www-form-urlencoded"); got.Status != 404 {
		t.Errorf("got status %d, want 404:\n%s", got.Status, got.Body)
	}
}

// TestDeepRateCard uploads cards whose depth, and whose paths, would take much memory.
func TestDeepRateCard(t *testing.T) {
	t.Parallel()
	v := apptest.Start(t).Operate(t).Visit(t)
	long := strings.Repeat("n", 4000)
	for name, document := range map[string]string{
		"deep": strings.Repeat("[", 8000) + strings.Repeat("1,", 12000) + "1" + strings.Repeat("]", 8000),
		"long": `{"` + long + `":[` + strings.Repeat("1,", 12000) + "1]}",
	} {
		got := v.Fill(t, "/console/rate-cards/new", "name", "default", "document", document)
		if got.Status != 422 {
			t.Errorf("%s: got status %d, want 422", name, got.Status)
		}
	}
}

// TestRules sets who must have a second factor.
func TestRules(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := s.Operate(t).Visit(t)
	stale := v.Open(t, "/console/settings").Must(t, 200)
	v.Send(t, v.Open(t, "/console/settings"), "/console/settings", "operators", "courier").Leads(t, "/console/settings")
	v.Open(t, "/console/settings").Shows(t, 200, "The rules apply everywhere", `name="operators" value="courier" checked`)
	v.Send(t, stale, "/console/settings", "users", "owner").Leads(t, "/console/settings")
	v.Open(t, "/console/settings").Shows(t, 200, "Someone else changed this", `name="users" value="owner">`)
}

// TestAuditLog narrows the log, and takes it as a file.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	v := admin.Visit(t)
	v.Open(t, "/console/audit").Shows(t, 200, "Added courier Camille Tremblay", "Signed in")
	v.Open(t, "/console/audit?operator_id="+strings.ToUpper(admin.Email)).Shows(t, 200, "Added courier",
		`value="`+strings.ToUpper(admin.Email)+`"`)
	v.Open(t, "/console/audit.csv?operator_id="+admin.Email).Shows(t, 200, "courier.created")
	v.Open(t, "/console/audit?operator_id=none@example.com").Shows(t, 200, "No matching changes.")
	narrowed := v.Open(t, "/console/audit?action=courier.created")
	narrowed.Shows(t, 200, "One change on this page", "Camille Tremblay", "/console/audit.csv?action=courier.created")
	if strings.Contains(string(narrowed.Body), "<bdi>Signed in") {
		t.Errorf("got a log that is not narrowed:\n%s", narrowed.Body)
	}
	v.Open(t, "/console/audit?from=2019-01-01&to=2019-01-02").Shows(t, 200, "No matching changes.")
	v.Open(t, "/console/audit?from=yesterday").Shows(t, 422, "A date, such as 2026-06-18")
	file := v.Open(t, "/console/audit.csv?action=courier.created")
	file.Shows(t, 200, "at,operator_id,action,partner_id,object_id,request_id,before,after\n", "courier.created",
		`""name"":""Camille Tremblay""`)
	if strings.Contains(string(file.Body), "session.begun") {
		t.Errorf("got a file that is not narrowed:\n%s", file.Body)
	}
	v.Open(t, "/console/audit.csv?from=yesterday").Must(t, 422)
}

// TestAuditSentences asks the log who cancelled an order, by its number: of one partner, of
// both that have given it, and in the file and the API, too.
func TestAuditSentences(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	metro, nord := s.Register(t, "metro"), s.Register(t, "nord")
	desk := admin.As(t, "dispatcher")
	for _, p := range []*apptest.Partner{metro, nord} {
		id := p.Create(t, testkit.OrderJSON("PP-1298", "")).Must(t, 201).Text("order_id")
		for _, status := range []string{"accepted", "courier_assigned", "accepted", "cancelled"} {
			desk.Move(t, id, status).Must(t, 200)
		}
	}
	metro.Create(t, testkit.OrderJSON("PP-1299", "")).Must(t, 201)
	v := admin.Visit(t)
	found := v.Open(t, "/console/audit?object_id=PP-1298")
	found.Shows(t, 200, "8 changes", "Accepted PP-1298", "Assigned PP-1298 to Camille Tremblay",
		"Took PP-1298 from Camille Tremblay", "Cancelled PP-1298", ">dispatcher@example.com<", ">metro<", ">nord<")
	v.Open(t, "/console/audit?action=order.moved&object_id=PP-1298&partner_id="+nord.PartnerID).Shows(t, 200, "4 changes")
	v.Open(t, "/console/audit?object_id=PP-1299").Shows(t, 200, "No matching changes.")
	v.Open(t, "/console/audit?lang=fr&object_id=PP-1298").Shows(t, 200, "PP-1298 annulée", "PP-1298 assignée à Camille")
	lines := strings.Count(string(v.Open(t, "/console/audit.csv?object_id=PP-1298").Must(t, 200).Body), "order.moved")
	answered := admin.Call(t, "GET", "/ops/v1/audit?object_id=PP-1298", nil).Must(t, 200)
	if entries := strings.Count(string(answered.Body), `"action":"order.moved"`); lines != 8 || entries != 8 {
		t.Errorf("got %d moves in the file and %d in the API, want 8 of each", lines, entries)
	}
}

func TestSystem(t *testing.T) {
	t.Parallel()
	v := apptest.Start(t).Operate(t).Visit(t)
	v.Open(t, "/console/system").Shows(t, 200, "This node is ready.", "Last backup", "One node", "are free")
}

// TestAcceptClock accepts a clock that has jumped by 60 days.
func TestAcceptClock(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	s := apptest.Start(t, apptest.OnClock(clock))
	if s.Database != "" {
		t.Skip("the clock of a test differs from a server's, so that it is not accepted")
	}
	const path = "/console/system/accept-clock"
	clock.Set(24 * time.Hour)
	waiting := s.Operate(t).Visit(t).Open(t, "/console/system")
	waiting.Shows(t, 200, "The clock has jumped ahead.")
	showsNone(t, waiting, path)
	clock.Set(59 * 24 * time.Hour)
	v := s.Operate(t).Visit(t)
	refused := v.Open(t, "/console/system")
	refused.Shows(t, 200, "The clock is ahead of all records.", "Accept the clock", "60 days")
	v.Send(t, refused, path).Leads(t, "/console/system")
	accepted := v.Open(t, "/console/system")
	accepted.Shows(t, 200, "Clock accepted")
	showsNone(t, accepted, path)
	v.Open(t, "/console/audit?action=clock.accepted").Shows(t, 200, "Accepted the clock", "2026-")
}

// TestResume shows why webhooks and mails are held, and resumes them.
func TestResume(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.Hold = true })
	v := s.Operate(t).Visit(t)
	held := v.Open(t, "/console/system")
	held.Shows(t, 200, "Webhooks and mails are held.", "The service was started with --hold.", "Resume webhooks and mails")
	const path = "/console/system/resume"
	v.Send(t, held, path).Leads(t, "/console/system")
	resumed := v.Open(t, "/console/system")
	resumed.Shows(t, 200, "Webhooks and mails resumed")
	showsNone(t, resumed, path)
	v.Open(t, "/console/audit?action=messages.resumed").Shows(t, 200, "Resumed webhooks and mails")
}

// TestMenusOfRoles opens the pages of each role: what it may not use is not in the menu,
// and refused.
func TestMenusOfRoles(t *testing.T) {
	t.Parallel()
	admin := apptest.Start(t).Operate(t)
	for role, c := range map[string]struct{ first, has, not string }{
		"dispatcher": {"/console/board", "/console/couriers", "/console/operators"},
		"warehouse":  {"/console/warehouse", "/console/stock", "/console/partners"},
	} {
		v := admin.As(t, role).Visit(t)
		v.Open(t, "/console").Leads(t, c.first)
		page := v.Open(t, c.first)
		page.Shows(t, 200, `href="`+c.has+`"`)
		if strings.Contains(string(page.Body), `href="`+c.not+`"`) {
			t.Errorf("%s: got a menu with %s", role, c.not)
		}
		v.Open(t, c.not).Shows(t, 403, "You don’t have access to this page")
	}
	admin.As(t, "courier").Visit(t).Open(t, "/console").Shows(t, 403, "You don’t have access to this page")
}

// TestFigures shows the figures of the house, and those of one partner.
func TestFigures(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, nord := s.Register(t, "metro"), s.Register(t, "nord")
	for i, p := range []*apptest.Partner{metro, metro, nord} {
		p.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201)
	}
	v := s.Operate(t).Visit(t)
	v.Open(t, "/console/figures").Shows(t, 200, "<b>3</b>", `href="/console/figures.csv?days=30"`)
	if days := strings.Count(string(v.Open(t, "/console/figures").Body), `<th scope="row">`); days != 1 {
		t.Errorf("got %d days, want only the one with figures", days)
	}
	one := v.Open(t, "/console/figures?partner_id="+metro.PartnerID)
	one.Shows(t, 200, "<b>2</b>", "metro", "All partners", "days=7&amp;partner_id="+metro.PartnerID)
	v.Open(t, "/console/figures?partner_id=none").Shows(t, 404, "There is no such page")
	v.Open(t, "/console/figures.csv").Shows(t, 200, "date,")
	v.Open(t, "/console/figures.csv?from=2026-02-01&to=2026-01-01").Leads(t,
		"/console/figures?from=2026-02-01&to=2026-01-01")
}
