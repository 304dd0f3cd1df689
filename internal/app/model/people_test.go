package model_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"pgregory.net/rapid"
)

// signIn begins a session of a person of a partner, and returns its cookie.
func (w *world) signIn(t *rapid.T, a *account, email, password string) string {
	w.pause()
	answer := w.send(t, a.partner.Service, "POST", "/v1/auth/login",
		fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password))
	expect(t, answer, 200, "")
	return cookieOf(answer)
}

// in sends a request in a session.
func (w *world) in(t *rapid.T, a *account, cookie, method, target, body string) *apptest.Answer {
	return w.logged(a.partner, method, target,
		w.send(t, a.partner.Service, method, target, []byte(body), "Cookie", cookie))
}

// owner begins a session of the owner.
func (w *world) owner(t *rapid.T, a *account) (cookie string) {
	return w.signIn(t, a, a.partner.Email, a.partner.Password)
}

// userOf returns the id of the person whose session it is.
func (w *world) userOf(t *rapid.T, a *account, cookie string) string {
	me := w.in(t, a, cookie, "GET", "/v1/auth/me", "")
	expect(t, me, 200, "")
	return me.Text("user", "user_id")
}

// may is what people of partners may ask for in a session, by the first letters of the roles: owner,
// developer, clerk, reader.
var may = []struct {
	roles, method, target, body string
}{
	{"odcr", "GET", "/v1/auth/me", ""}, {"odcr", "GET", "/v1/auth/sessions", ""}, {"odcr", "GET", "/v1/auth/totp", ""},
	{
		"odcr", "GET", "/v1/account", "",
	}, {"odcr", "GET", "/v1/team", ""}, {"odcr", "GET", "/v1/logs", ""}, {"odcr", "GET", "/v1/figures", ""},
	{"odcr", "GET", "/v1/webhooks/events", ""}, {"odcr", "GET", "/v1/webhooks/endpoints", ""},
	{"od", "GET", "/v1/auth/api-keys", ""},
	{"o", "GET", "/v1/account/openid", ""},
	{"o", "PATCH", "/v1/account", `{"language":"en"}`}, {"o", "DELETE", "/v1/account/logo", ""},
}

// team invites a person, who joins, may what the role allows, gets another role, and is removed.
func (w *world) team(t *rapid.T) {
	a := w.account(t)
	cookie := w.owner(t, a)
	email, roles := w.name("person")+"@example.com", []string{"developer", "clerk", "reader", "owner"}
	role := rapid.SampledFrom(roles).Draw(t, "role")
	invited := w.in(t, a, cookie, "POST", "/v1/team/invitations", fmt.Sprintf(`{"email":%q,"role":%q}`, email, role))
	expect(t, invited, 201, "")
	w.audited("user.invited")
	url := invited.Text("url")
	link := "/v1/auth/invitations/" + url[strings.LastIndex(url, "/")+1:]
	if rapid.IntRange(0, 3).Draw(t, "withdrawn") == 0 {
		expect(t, w.in(t, a, cookie, "DELETE", "/v1/team/invitations/"+invited.Text("invitation_id"), ""), 200, "")
		w.audited("user.invitation_withdrawn")
		expect(t, w.in(t, a, "", "POST", link, `{"name":"Sam","password":"brume-et-vent-1907"}`), 404, "not_found")
		expect(t, w.in(t, a, cookie, "DELETE", "/v1/team/invitations/"+invited.Text("invitation_id"), ""), 404, "not_found")
		return
	}
	expect(t, w.in(t, a, "", "POST", link, `{"name":"Sam","password":"brume-et-vent-1907"}`), 201, "")
	w.audited("user.joined")
	theirs := w.signIn(t, a, email, "brume-et-vent-1907")
	user := "/v1/team/" + w.userOf(t, a, theirs)
	w.permitted(t, a, theirs, role)

	other := w.other(a)
	expect(t, w.in(t, other, w.owner(t, other), "PATCH", user, `{"role":"owner"}`), 404, "not_found")
	to := rapid.SampledFrom(roles).Draw(t, "next role")
	expect(t, w.in(t, a, cookie, "PATCH", user, fmt.Sprintf(`{"role":%q}`, to)), 200, "")
	w.skipAudit() // the same role is no change
	w.permitted(t, a, theirs, to)
	if to != "owner" {
		expect(t, w.in(t, a, theirs, "DELETE", user, ""), 403, "forbidden")
	}
	expect(t, w.in(t, a, cookie, "DELETE", user, ""), 200, "")
	w.audited("user.removed")
	expect(t, w.in(t, a, theirs, "GET", "/v1/auth/me", ""), 401, "unauthorized")
}

// permitted asks for everything in a session that some roles may, and without one.
func (w *world) permitted(t *rapid.T, a *account, cookie, role string) {
	for _, r := range may {
		answer := w.in(t, a, cookie, r.method, r.target, r.body)
		if !strings.Contains(r.roles, role[:1]) {
			expect(t, answer, 403, "forbidden")
		} else if answer.Status != 200 {
			t.Fatalf("%s %s as %s: got %d, want 200: %s", r.method, r.target, role, answer.Status, answer.Body)
		}
		expect(t, w.in(t, a, "", r.method, r.target, r.body), 401, "unauthorized")
	}
	w.skipAudit()
}

// sessions begins two sessions of the owner, one of which ends the other.
func (w *world) sessions(t *rapid.T) {
	a := w.account(t)
	first, second := w.owner(t, a), w.owner(t, a)
	list := w.in(t, a, second, "GET", "/v1/auth/sessions", "")
	ended := false
	for i := range list.Len("sessions") {
		if id := list.Text("sessions", i, "session_id"); list.JSON("sessions", i, "current") != true && !ended {
			expect(t, w.in(t, w.other(a), w.owner(t, w.other(a)), "DELETE", "/v1/auth/sessions/"+id, ""), 404, "not_found")
			expect(t, w.in(t, a, second, "DELETE", "/v1/auth/sessions/"+id, ""), 200, "")
			ended = true
		}
	}
	if !ended {
		t.Fatalf("got the sessions %s, want another one", list.Body)
	}
	expect(t, w.in(t, a, second, "DELETE", "/v1/auth/sessions", ""), 200, "")
	expect(t, w.in(t, a, first, "GET", "/v1/auth/me", ""), 401, "unauthorized")
	w.factor(t, func(method, target, body string) *apptest.Answer {
		w.pause()
		return w.in(t, a, second, method, target, body)
	}, "/v1/auth/totp", a.partner.Password, "/ops/v1/partners/"+a.partner.PartnerID+"/users/"+w.userOf(t, a,
		second)+"/totp")
	method := rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method")
	expect(t, w.in(t, a, second, method, "/v1/auth/logout", ""), 200, "")
	expect(t, w.in(t, a, second, "GET", "/v1/auth/me", ""), 401, "unauthorized")
	w.skipAudit()
}

// password changes the owner's password, or sets it by a link. The old one is no longer good.
func (w *world) password(t *rapid.T) {
	a := w.account(t)
	cookie, old, next := w.owner(t, a), a.partner.Password, "a password named "+w.name("secret")
	if rapid.Bool().Draw(t, "by a link") {
		made := w.operate(t, w.admin, "POST", "/ops/v1/partners/"+a.partner.PartnerID+"/reset-link", `{}`)
		expect(t, made, 201, "")
		url := made.Text("url")
		link := "/v1/auth/reset/" + url[strings.LastIndex(url, "/")+1:]
		expect(t, w.in(t, a, "", "POST", link, fmt.Sprintf(`{"new_password":%q}`, next)), 200, "")
		expect(t, w.in(t, a, "", "POST", link, fmt.Sprintf(`{"new_password":%q}`, next)), 404, "not_found")
		expect(t, w.in(t, a, cookie, "GET", "/v1/auth/me", ""), 401, "unauthorized")
	} else {
		expect(t, w.in(t, a, cookie, "POST", "/v1/auth/password",
			fmt.Sprintf(`{"current_password":"wrong","new_password":%q}`, next)), 422, "validation_error")
		w.pause()
		expect(t, w.in(t, a, cookie, "POST", "/v1/auth/password",
			fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, old, next)), 200, "")
	}
	w.skipAudit()
	a.partner.Password = next
	if a.other != nil {
		a.other.Password = next
	}
	w.pause()
	expect(t, w.in(t, a, "", "POST", "/v1/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, a.partner.Email, old)),
		401, "unauthorized")
	w.owner(t, a)
	expect(t, w.in(t, a, "", "POST", "/v1/auth/reset", fmt.Sprintf(`{"email":%q}`, a.partner.Email)), 202, "")
	expect(t, w.in(t, a, "", "POST", "/v1/auth/reset", `{}`), 422, "validation_error")
}

// scopes makes a key that may only read, or that is for the test mode, and revokes it.
func (w *world) scopes(t *rapid.T) {
	a := w.account(t)
	cookie := w.owner(t, a)
	test := rapid.Bool().Draw(t, "for the test mode")
	body := `{"name":"narrow","scopes":["read"]}`
	if test {
		body = `{"name":"narrow","mode":"test"}`
	}
	made := w.in(t, a, cookie, "POST", "/v1/auth/api-keys", body)
	expect(t, made, 201, "")
	w.audited("api_key.created")
	narrow := *a.partner
	narrow.KeyID, narrow.PublicKey, narrow.SecretKey = made.Text("key_id"), made.Text("public_key"),
		made.Text("secret_key")
	o := w.fresh(t, 0)
	created := w.call(t, &narrow, "POST", "/v1/orders", o.body, o.key)
	if test {
		expect(t, created, 201, "")
		id := created.Text("order_id")
		expect(t, w.call(t, a.partner, "GET", "/v1/orders/"+id, nil, ""), 404, "not_found")
		if got := w.call(t, &narrow, "GET", "/v1/orders/"+id, nil, ""); got.Status != 200 || got.JSON("livemode") != false {
			t.Fatalf("got %d %s, want a test order", got.Status, got.Body)
		}
		expect(t, w.operate(t, w.desk, "GET", "/ops/v1/orders/"+id, ""), 404, "not_found")
	} else {
		expect(t, created, 403, "forbidden")
		expect(t, w.call(t, &narrow, "GET", "/v1/orders", nil, ""), 200, "")
	}
	expect(t, w.in(t, a, cookie, "DELETE", "/v1/auth/api-keys/"+narrow.KeyID, ""), 200, "")
	w.audited("api_key.revoked")
	expect(t, w.call(t, &narrow, "GET", "/v1/orders", nil, ""), 401, "unauthorized")
}

// register opens an account, once for an address.
func (w *world) register(t *rapid.T) {
	name := w.name("shop")
	body := fmt.Appendf(nil, `{"name":%q,"email":"%s@example.com","password":"brume-et-vent-1907"}`, name, name)
	expect(t, w.send(t, w.service, "POST", "/v1/auth/register", body), 201, "")
	w.skipAudit()
	expect(t, w.send(t, w.service, "POST", "/v1/auth/register", body), 400, "email_taken")
}

// company sets an OpenID provider and a domain of a partner, which an admin turns off, and removes both.
func (w *world) company(t *rapid.T) {
	a, domain := w.account(t), w.name("company")+".example"
	cookie, ops := w.owner(t, a), "/ops/v1/partners/"+a.partner.PartnerID
	in := func(method, target, body string) *apptest.Answer { return w.in(t, a, cookie, method, target, body) }
	expect(t, in("DELETE", "/v1/account/openid", ""), 404, "not_found")
	const provider = `{"issuer":"https://login.example.com","client_id":"yard","client_secret":"hunter2"`
	expect(t, in("PUT", "/v1/account/openid", provider+"}"), 422, "validation_error")
	expect(t, in("PUT", "/v1/account/openid", fmt.Sprintf(provider+`,"password":%q}`, a.partner.Password)), 200, "")
	expect(t, in("POST", "/v1/account/domains", fmt.Sprintf(`{"domain":%q}`, domain)), 201, "")
	expect(t, in("POST", "/v1/account/domains", fmt.Sprintf(`{"domain":%q}`, domain)), 409, "conflict")
	expect(t, w.operate(t, w.admin, "PATCH", ops+"/openid", `{}`), 422, "validation_error")
	expect(t, w.operate(t, w.admin, "PATCH", ops+"/openid", `{"stopped":true}`), 200, "")
	expect(t, in("DELETE", "/v1/account/openid", ""), 403, "forbidden")
	expect(t, w.operate(t, w.admin, "PATCH", ops+"/openid", `{"stopped":false}`), 200, "")
	w.service.Clock.Advance(time.Minute)
	check := "/domains/" + domain + "/check"
	expect(t, in("POST", "/v1/account"+check, ""), 200, "")
	expect(t, w.operate(t, w.admin, "POST", ops+check, ""), 200, "")
	other := w.other(a)
	theirs := w.owner(t, other)
	for _, method := range []string{"POST /check", "DELETE "} {
		method, rest, _ := strings.Cut(method, " ")
		expect(t, w.in(t, other, theirs, method, "/v1/account/domains/"+domain+rest, ""), 404, "not_found")
		expect(t, w.operate(t, w.admin, method, ops+"/domains/none.example"+rest, ""), 404, "not_found")
	}
	if got := in("GET", "/v1/account/openid", ""); got.Text("domains", 0, "state") != "no_record" {
		t.Fatalf("got %s, want a domain without a record", got.Body)
	}
	if rapid.Bool().Draw(t, "removed by an admin") {
		expect(t, w.operate(t, w.admin, "DELETE", ops+"/domains/"+domain, ""), 200, "")
	} else {
		expect(t, in("DELETE", "/v1/account/domains/"+domain, ""), 200, "")
	}
	expect(t, in("DELETE", "/v1/account/openid", ""), 200, "")
	w.skipAudit()
}

// profile changes how recipients see a partner.
func (w *world) profile(t *rapid.T) {
	a := w.account(t)
	cookie := w.owner(t, a)
	name := w.name("Shop")
	expect(t, w.in(t, a, cookie, "PATCH", "/v1/account", fmt.Sprintf(`{"public_name":%q}`, name)), 200, "")
	logo := w.send(t, w.service, "PUT", "/v1/account/logo", picture(), "Cookie", cookie, "Content-Type", "image/png")
	expect(t, w.logged(a.partner, "PUT", "/v1/account/logo", logo), 200, "")
	w.skipAudit()
	shown := w.in(t, a, cookie, "GET", "/v1/account", "")
	if shown.Text("public_name") != name {
		t.Fatalf("got %s, want the name %s", shown.Body, name)
	}
	url := shown.Text("logo")
	expect(t, w.send(t, w.service, "GET", strings.TrimPrefix(url, w.service.URL), nil), 200, "")
	expect(t, w.in(t, a, cookie, "DELETE", "/v1/account/logo", ""), 200, "")
	if w.in(t, a, cookie, "GET", "/v1/account", "").Text("logo") != "" {
		t.Fatal("the logo is still there")
	}
	other := w.other(a)
	if got := w.in(t, other, w.owner(t, other), "GET", "/v1/account", ""); got.Text("public_name") == name {
		t.Fatalf("got %s, which is the name of another partner", got.Body)
	}
}
