package model_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/pquerna/otp/totp"
	"pgregory.net/rapid"
)

// request is one that an operator may send at any time, if the role allows it.
type request struct {
	roles  string // the letters of those that may: m is the accountant
	method string
	path   string
	body   string
	status int
	audit  string // the action of the entry that it leaves, empty for none
}

// requests are those of operators that change nothing of what the model knows. Who may is
// written here a second time.
var requests = []request{
	{"admwc", "GET", "/ops/v1/me", "", 200, ""},
	{"admwc", "GET", "/ops/v1/tokens", "", 200, ""},
	{"admwc", "GET", "/ops/v1/auth/sessions", "", 200, ""},
	{"admwc", "GET", "/ops/v1/auth/totp", "", 200, ""},
	{"admw", "GET", "/ops/v1/partners", "", 200, ""},
	{"adm", "GET", "/ops/v1/partners/PARTNER", "", 200, ""},
	{"adm", "GET", "/ops/v1/couriers", "", 200, ""},
	{"adm", "GET", "/ops/v1/couriers/COURIER", "", 200, ""},
	{"adm", "GET", "/ops/v1/orders", "", 200, ""},
	{"ad", "GET", "/ops/v1/orders/snapshot", "", 200, ""},
	{"ad", "GET", "/ops/v1/attention", "", 200, ""},
	{"adm", "GET", "/ops/v1/figures?partner_id=PARTNER", "", 200, ""},
	{"ad", "GET", "/ops/v1/partners/PARTNER/dispatch", "", 200, ""},
	{"ad", "PUT", "/ops/v1/partners/PARTNER/dispatch", `{"auto_accept":false}`, 200, ""},
	{"aw", "GET", "/ops/v1/partners/PARTNER/products", "", 200, ""},
	{"aw", "GET", "/ops/v1/partners/PARTNER/products/1", "", 200, ""},
	{"aw", "GET", "/ops/v1/partners/PARTNER/products/export", "", 200, ""},
	{"aw", "GET", "/ops/v1/partners/PARTNER/movements", "", 200, ""},
	{"aw", "PATCH", "/ops/v1/partners/PARTNER/products/1", `{"price":NUMBER.5}`, 200, "product.changed"},
	{"aw", "GET", "/ops/v1/low-stock", "", 200, ""},
	{"a", "GET", "/ops/v1/sign-in-rules", "", 200, ""},
	{"a", "PUT", "/ops/v1/sign-in-rules", `{"totp_required":{"operators":[],"users":[]}}`, 200, ""},
	{"a", "GET", "/ops/v1/operators", "", 200, ""},
	{"a", "GET", "/ops/v1/partners/PARTNER/users", "", 200, ""},
	{"a", "GET", "/ops/v1/partners/PARTNER/openid", "", 200, ""},
	{"a", "POST", "/ops/v1/partners/PARTNER/reset-link", `{}`, 201, "reset_link.created"},
	{"a", "POST", "/ops/v1/operators/OPERATOR/reset-link", "", 201, "reset_link.created"},
	{
		"a", "POST", "/ops/v1/operators",
		`{"email":"operator-NUMBER@example.com","password":"lune-sur-les-quais-88","role":"warehouse"}`, 201,
		"operator.created",
	},
	{"a", "PATCH", "/ops/v1/operators/OPERATOR", `{"active":true}`, 200, ""},
	{"a", "PATCH", "/ops/v1/partners/PARTNER", `{"rate_limit":9NUMBER}`, 200, "partner.changed"},
	{"a", "POST", "/ops/v1/partners/PARTNER/export", "", 200, "partner.exported"},
	{"a", "GET", "/ops/v1/system", "", 200, ""},
	{"a", "POST", "/ops/v1/system/accept-clock", "", 200, "clock.accepted"},
	{"a", "POST", "/ops/v1/system/resume", "", 200, ""},
	{"a", "POST", "/ops/v1/system/backup", "", 409, ""}, // the settings name no place for it
	{"am", "GET", "/ops/v1/exports", "", 200, ""},
	{"am", "POST", "/ops/v1/exports", "", 409, ""}, // the settings name no place for them
	{"am", "GET", "/ops/v1/rate-cards", "", 200, ""},
	{"am", "GET", "/ops/v1/rate-cards/crd_builtin", "", 200, ""},
	{"a", "POST", "/ops/v1/rate-cards/validate", `{"name":"default","card":{}}`, 422, ""},
	{"a", "POST", "/ops/v1/rate-cards", `{"name":"default","card":{}}`, 422, ""},
	{"a", "GET", "/ops/v1/audit", "", 200, ""},
	{"ad", "GET", "/ops/v1/settings", "", 200, ""},
	{"a", "PATCH", "/ops/v1/settings", `{"dispatch_phone":"+1514555NUMBER"}`, 200, "settings.changed"},
	{"am", "GET", "/ops/v1/firm", "", 200, ""},
	{
		"a", "PUT", "/ops/v1/firm", `{"name":"Plateau NUMBER","numbers":{"gst_hst":"123456789 RT0001"}}`, 200,
		"firm.changed",
	},
	{"am", "GET", "/ops/v1/books", "", 200, ""},
	{"a", "PATCH", "/ops/v1/books", `{"books_from":"2020-01-01"}`, 200, ""},
	{"am", "GET", "/ops/v1/journal", "", 200, ""},
	{"am", "GET", "/ops/v1/balances?partner_id=PARTNER", "", 200, ""},
	{
		"am", "POST", "/ops/v1/partners/PARTNER/adjustments", `{"amount_cents":-NUMBER,"reason":"Broken"}`, 201,
		"adjustment.posted",
	},
	{"am", "POST", "/ops/v1/partners/PARTNER/payments", `{"amount_cents":NUMBER}`, 201, "payment.recorded"},
	{"am", "GET", "/ops/v1/partners/PARTNER/statement-preview?period=2026-01", "", 200, ""},
	{"am", "GET", "/ops/v1/statements?partner_id=PARTNER", "", 200, ""},
	{"am", "GET", "/ops/v1/statements/closing", "", 200, ""},
	{"am", "GET", "/ops/v1/statements/stm_00000000_1", "", 404, ""},
	{"am", "POST", "/ops/v1/statements", `{"period":"2025-12"}`, 202, "statements.begun"},
	{"am", "POST", "/ops/v1/statements", `{"period":"2036-12","partner_id":"PARTNER"}`, 409, ""},
	{"adm", "GET", "/ops/v1/cash", "", 200, ""},
	{"adm", "POST", "/ops/v1/couriers/COURIER/cash/hand-ins", `{"counted_cents":NUMBER,"currency":"USD"}`, 409, ""},
	{"am", "POST", "/ops/v1/cash/deposits", `{"amount_cents":NUMBER,"currency":"USD"}`, 422, ""},
	{"am", "POST", "/ops/v1/partners/PARTNER/remittances", `{"amount_cents":NUMBER,"currency":"USD"}`, 422, ""},
	{"adm", "PUT", "/ops/v1/orders/ord_none/collected", `{"amount_cents":5,"currency":"CAD","method":"cash"}`, 404, ""},
}

// ask sends some of the requests in any role, or without credentials. What the role does not
// allow is refused, and leaves nothing in the audit log.
func (w *world) ask(t *rapid.T) {
	for range 8 {
		r := rapid.SampledFrom(requests).Draw(t, "request")
		by := rapid.SampledFrom(w.operators).Draw(t, "operator")
		if rapid.Bool().Draw(t, "by an admin") {
			by = w.admin
		}
		w.askOnce(t, r, by)
	}
}

func (w *world) askOnce(t *rapid.T, r request, by *apptest.Operator) {
	fill := strings.NewReplacer("PARTNER", w.account(t).partner.PartnerID, "COURIER", w.courier(t).id, "OPERATOR",
		w.warehouse.OperatorID, "NUMBER", strings.TrimPrefix(w.name(""), "-"))
	answer := w.operate(t, by, r.method, fill.Replace(r.path), fill.Replace(r.body))
	switch {
	case by == w.nobody:
		expect(t, answer, 401, "unauthorized")
	case !strings.Contains(r.roles, w.letter[by]):
		expect(t, answer, 403, "forbidden")
	default:
		if answer.Status != r.status {
			t.Fatalf("%s %s: got %d, want %d: %s", r.method, r.path, answer.Status, r.status, answer.Body)
		}
		if r.audit != "" {
			w.audited(r.audit)
		}
	}
}

// unknown sends one of the requests about something that there is not.
func (w *world) unknown(t *rapid.T) {
	r := rapid.SampledFrom(requests).Draw(t, "request")
	if !strings.Contains(r.path, "/PARTNER") && !strings.Contains(r.path, "/COURIER") &&
		!strings.Contains(r.path, "/OPERATOR") {
		t.Skip("it names nothing")
	}
	fill := strings.NewReplacer("PARTNER", "par_00000000", "COURIER", "cou_none", "OPERATOR", "opr_none", "NUMBER", "1")
	expect(t, w.operate(t, w.admin, r.method, fill.Replace(r.path), fill.Replace(r.body)), 404, "not_found")
}

// token makes a token for an operator, which is good until it is revoked.
func (w *world) token(t *rapid.T) {
	w.pause()
	who := w.warehouse
	signIn := fmt.Sprintf(`{"email":%q,"password":%q,"name":"second"}`, who.Email, who.Password)
	made := w.operate(t, w.nobody, "POST", "/ops/v1/tokens", signIn)
	expect(t, made, 201, "")
	w.audited("token.created")
	second := *who
	second.Token, second.TokenID = made.Text("token"), made.Text("token_id")
	expect(t, w.operate(t, &second, "GET", "/ops/v1/me", ""), 200, "")
	expect(t, w.operate(t, w.desk, "DELETE", "/ops/v1/tokens/"+second.TokenID, ""), 404, "not_found")
	expect(t, w.operate(t, who, "DELETE", "/ops/v1/tokens/"+second.TokenID, ""), 200, "")
	w.audited("token.revoked")
	expect(t, w.operate(t, &second, "GET", "/ops/v1/me", ""), 401, "unauthorized")
	expect(t, w.operate(t, w.nobody, "POST", "/ops/v1/tokens", strings.Replace(signIn, who.Password, "wrong", 1)), 401,
		"unauthorized")
	w.pause()
}

// session signs an operator in and out in a browser.
func (w *world) session(t *rapid.T) {
	w.pause()
	who := w.warehouse
	signedIn := w.operate(t, w.nobody, "POST", "/ops/v1/login",
		fmt.Sprintf(`{"email":%q,"password":%q}`, who.Email, who.Password))
	expect(t, signedIn, 200, "")
	w.skipAudit()
	cookie := cookieOf(signedIn)
	in := func(method, target, body string) *apptest.Answer {
		w.pause()
		return w.send(t, who.Service, method, target, []byte(body), "Cookie", cookie)
	}
	expect(t, in("GET", "/ops/v1/auth/sessions", ""), 200, "")
	expect(t, in("POST", "/ops/v1/auth/password", `{"current_password":"wrong","new_password":"brume-et-vent-1908"}`), 422,
		"validation_error")
	w.factor(t, in, "/ops/v1/auth/totp", who.Password, "/ops/v1/operators/"+who.OperatorID+"/totp")
	next := "a password named " + w.name("secret")
	expect(t, in("POST", "/ops/v1/auth/password",
		fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, who.Password, next)), 200, "")
	who.Password = next
	expect(t, in("DELETE", "/ops/v1/auth/sessions/ses_none", ""), 404, "not_found")
	expect(t, w.operate(t, w.nobody, "POST", "/ops/v1/login", fmt.Sprintf(`{"email":%q,"password":%q}`, who.Email, next)),
		200, "")
	list := in("GET", "/ops/v1/auth/sessions", "")
	for i := range list.Len("sessions") {
		if list.JSON("sessions", i, "current") != true {
			expect(t, in("DELETE", "/ops/v1/auth/sessions/"+list.Text("sessions", i, "session_id"), ""), 200, "")
			break
		}
	}
	expect(t, in("DELETE", "/ops/v1/auth/sessions", ""), 200, "")
	expect(t, in("GET", "/ops/v1/me", ""), 200, "")
	expect(t, in("POST", "/ops/v1/logout", ""), 200, "")
	expect(t, in("GET", "/ops/v1/me", ""), 401, "unauthorized")
	expect(t, w.operate(t, w.nobody, "POST", "/ops/v1/login", `{"email":"none@example.com","password":"wrong"}`), 401,
		"unauthorized")
	w.resetOperator(t)
	w.skipAudit()
}

// factor sets up a second factor in a session and removes it: the person with a recovery
// code, or an admin at the target clear.
func (w *world) factor(t *rapid.T, in func(method, target, body string) *apptest.Answer, path, password, clear string) {
	expect(t, in("POST", path, `{"password":"wrong"}`), 422, "validation_error")
	expect(t, in("POST", path+"/confirm", `{"code":"492039"}`), 409, "conflict")
	expect(t, in("DELETE", path, fmt.Sprintf(`{"password":%q,"code":"492039"}`, password)), 404, "not_found")
	expect(t, w.operate(t, w.admin, "DELETE", clear, ""), 404, "not_found")
	begun := in("POST", path, fmt.Sprintf(`{"password":%q}`, password))
	expect(t, begun, 200, "")
	w.pause()
	code, err := totp.GenerateCode(begun.Text("secret"), w.service.Clock.Now().Add(15*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	confirmed := in("POST", path+"/confirm", fmt.Sprintf(`{"code":%q}`, code))
	expect(t, confirmed, 200, "")
	if in("GET", path, "").JSON("enabled") == false {
		t.Fatal("the second factor is not set up")
	}
	expect(t, in("POST", path, fmt.Sprintf(`{"password":%q}`, password)), 409, "conflict")
	if rapid.Bool().Draw(t, "cleared by an admin") {
		expect(t, w.operate(t, w.admin, "DELETE", clear, ""), 200, "")
	} else {
		expect(t, in("DELETE", path, fmt.Sprintf(`{"password":%q,"code":%q}`, password, confirmed.Text("recovery_codes", 0))),
			200, "")
	}
}

// resetOperator sets an operator's password by a link, which ends the token.
func (w *world) resetOperator(t *rapid.T) {
	who := w.warehouse
	made := w.operate(t, w.admin, "POST", "/ops/v1/operators/"+who.OperatorID+"/reset-link", "")
	expect(t, made, 201, "")
	url := made.Text("url")
	link := "/ops/v1/auth/reset/" + url[strings.LastIndex(url, "/")+1:]
	who.Password = "a password named " + w.name("secret")
	expect(t, w.operate(t, w.nobody, "POST", link, fmt.Sprintf(`{"new_password":%q}`, who.Password)), 200, "")
	expect(t, w.operate(t, w.nobody, "POST", link, `{"new_password":"brume-et-vent-1908"}`), 404, "not_found")
	expect(t, w.operate(t, who, "GET", "/ops/v1/me", ""), 401, "unauthorized")
	w.pause()
	token := w.operate(t, w.nobody, "POST", "/ops/v1/tokens",
		fmt.Sprintf(`{"email":%q,"password":%q}`, who.Email, who.Password))
	expect(t, token, 201, "")
	who.Token, who.TokenID = token.Text("token"), token.Text("token_id")
	expect(t, w.operate(t, w.nobody, "POST", "/ops/v1/auth/reset", fmt.Sprintf(`{"email":%q}`, who.Email)), 202, "")
	expect(t, w.operate(t, w.nobody, "POST", "/ops/v1/auth/reset", `{}`), 422, "validation_error")
}
