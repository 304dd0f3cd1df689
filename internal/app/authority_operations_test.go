package app_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
)

// operation is a route by which a person changes something.
type operation struct {
	route      string // method and pattern
	as         string // a role that may use it
	byPassword bool   // with a user's password instead of a session
	// prepare makes what the request needs, and returns it. It must succeed.
	prepare func(r *rig, w *someone) request
}

func (o operation) method() string {
	method, _, _ := strings.Cut(o.route, " ")
	return method
}

func (o operation) way() string {
	if o.byPassword {
		return " by password"
	}
	return ""
}

func (o operation) isOperators() bool { return o.as != "owner" }

// wildcard is a part of a pattern that stands for an id.
var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// at returns the target of a route with these ids.
func (o operation) at(ids ...string) string {
	_, target, _ := strings.Cut(o.route, " ")
	return wildcard.ReplaceAllStringFunc(target, func(string) string {
		id := ids[0]
		ids = ids[1:]
		return id
	})
}

// exemptAccess are the kinds of access with which no person acts, each with the reason.
var exemptAccess = map[httpd.Access]string{
	httpd.AccessSigned:   "signed: API keys are cached for seconds, as documented",
	httpd.AccessTracking: "no person is signed in",
}

const (
	usesCredential = "no person is signed in: the transaction itself checks the password, link or session that is sent"
	onlyReads      = "it changes nothing: what runs for long is watched (TestReadsOfPeopleWhoLoseTheirAuthority)"
)

// exempt are further routes, each with the reason.
var exempt = map[string]string{
	"POST /v1/auth/register":            "no person is signed in: it makes one",
	"POST /v1/auth/login":               usesCredential,
	"POST /v1/auth/logout":              usesCredential,
	"POST /v1/auth/reset":               usesCredential,
	"POST /v1/auth/reset/{token}":       usesCredential,
	"POST /v1/auth/email/{token}":       usesCredential,
	"POST /v1/auth/invitations/{token}": usesCredential,
	"POST /ops/v1/tokens":               usesCredential,
	"POST /ops/v1/login":                usesCredential,
	"POST /ops/v1/logout":               usesCredential,
	"POST /ops/v1/auth/reset":           usesCredential,
	"POST /ops/v1/auth/reset/{token}":   usesCredential,

	"POST /ops/v1/exports":                                 "it changes no data: files are a copy of them",
	"POST /ops/v1/system/backup":                           "it changes no data: a backup is a copy of them",
	"POST /ops/v1/rate-cards/validate":                     onlyReads,
	"POST /ops/v1/rate-cards/preview":                      onlyReads,
	"POST /ops/v1/couriers/{courier_id}/sequence/proposal": onlyReads,
}

// plain returns a prepare for a request that needs nothing.
func plain(route, body string) operation { return withRole("owner", route, body) }

func withRole(role, route, body string) operation {
	o := operation{route: route, as: role}
	o.prepare = func(_ *rig, w *someone) request { return request{target: o.at(), body: body, partner: w.partnerID()} }
	return o
}

// prepared returns an operation whose request is prepared. The ids that prepare returns
// are those of the route.
func prepared(role, route string, prepare func(r *rig, w *someone) (body string, ids []string)) operation {
	o := operation{route: route, as: role}
	o.prepare = func(r *rig, w *someone) request {
		body, ids := prepare(r, w)
		return request{target: o.at(ids...), body: body, partner: w.partnerID()}
	}
	return o
}

// onPickedUp is an operation on an order that was picked up, and then moved on by steps.
func onPickedUp(role, route, body string, steps ...string) operation {
	return prepared(role, route, func(r *rig, _ *someone) (string, []string) {
		orderID := r.pickedUp(r.Register(r.t, r.name("shop")))
		for _, step := range steps {
			r.boss.Move(r.t, orderID, step).Must(r.t, 200)
		}
		return body, []string{orderID}
	})
}

// of gives the body of an operation a Content-Type.
func (o operation) of(kind string) operation {
	prepare := o.prepare
	o.prepare = func(r *rig, w *someone) request {
		q := prepare(r, w)
		q.kind = kind
		return q
	}
	return o
}

// keyed gives the request of an operation an Idempotency-Key.
func (o operation) keyed() operation {
	prepare := o.prepare
	o.prepare = func(r *rig, w *someone) request {
		q := prepare(r, w)
		q.key = uuid.NewString()
		return q
	}
	return o
}

func (o operation) withPassword() operation {
	o.byPassword = true
	return o
}

func (w *someone) partnerID() string {
	if w.partner == nil {
		return ""
	}
	return w.partner.PartnerID
}

func (w *someone) isOperator() bool { return w.partner == nil }

// in sends a request in the person's session, which succeeds.
func (r *rig) in(w *someone, method, target, body string) *apptest.Answer {
	r.t.Helper()
	answer := r.Do(r.t, method, target, []byte(body), "Cookie", w.cookie)
	if answer.Status/100 != 2 {
		r.t.Fatalf("%s %s: got status %d: %s", method, target, answer.Status, answer.Body)
	}
	return answer
}

// own returns the path of a person's own sign-in.
func (w *someone) own() string {
	if w.isOperator() {
		return "/ops/v1/auth"
	}
	return "/v1/auth"
}

func (w *someone) login() string {
	if w.isOperator() {
		return "/ops/v1/login"
	}
	return "/v1/auth/login"
}

// begun begins to enrol an authenticator app, and returns the code that it shows.
func (r *rig) begun(w *someone) (code string) {
	r.t.Helper()
	secret := r.in(w, "POST", w.own()+"/totp", fmt.Sprintf(`{"password":%q}`, w.password)).Text("secret")
	code, err := totp.GenerateCode(secret, r.Clock.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	return code
}

// enrolled enrols an authenticator app, and returns a recovery code.
func (r *rig) enrolled(w *someone) (code string) {
	r.t.Helper()
	return r.in(w, "POST", w.own()+"/totp/confirm", fmt.Sprintf(`{"code":%q}`, r.begun(w))).Text("recovery_codes", 0)
}

// otherSession begins another session of a person and returns its id.
func (r *rig) otherSession(w *someone) (id string) {
	r.t.Helper()
	r.signIn(w.login(), w)
	listed := r.in(w, "GET", w.own()+"/sessions", "")
	for i := range listed.Len("sessions") {
		if listed.JSON("sessions", i, "current") == false {
			id = listed.Text("sessions", i, "session_id")
		}
	}
	return id
}

// invited invites a person into the team of a user, and returns the invitation's id.
func (r *rig) invited(w *someone) string {
	r.t.Helper()
	body := fmt.Appendf(nil, `{"email":"%s@example.com","role":"clerk"}`, r.name("guest"))
	return w.owner.Call(r.t, "POST", "/v1/team/invitations", body).Must(r.t, 201).Text("invitation_id")
}

// order registers a partner and creates an order.
func (r *rig) order() (partnerID, orderID string) {
	r.t.Helper()
	p := r.Register(r.t, r.name("shop"))
	return p.PartnerID, p.Create(r.t, testkit.OrderJSON("A-1", "")).Must(r.t, 201).Text("order_id")
}

// pickedUp creates an order of a partner that is picked up.
func (r *rig) pickedUp(p *apptest.Partner) (orderID string) {
	r.t.Helper()
	orderID = p.Create(r.t, testkit.OrderJSON(r.name("A"), "")).Must(r.t, 201).Text("order_id")
	for _, step := range waysTo["picked_up"] {
		r.boss.Move(r.t, orderID, step).Must(r.t, 200)
	}
	return orderID
}

// product registers a partner and adds a product.
func (r *rig) product() (partnerID, productID string) {
	r.t.Helper()
	p := r.Register(r.t, r.name("shop"))
	return p.PartnerID, fmt.Sprint(r.boss.Stock(r.t, p.PartnerID, "Coffee", map[string]int{"MTL-01": 10}))
}

// endpoint configures the endpoint of a user's partner. It is not enabled, so that the
// sender leaves its events alone.
func (r *rig) endpoint(w *someone) {
	r.t.Helper()
	r.in(w, "PUT", "/v1/webhooks/endpoint", `{"url":"https://hooks.example.com/dropyard","enabled":false}`)
}

// event makes an event of a user's partner, and returns its id.
func (r *rig) event(w *someone) string {
	r.t.Helper()
	r.endpoint(w)
	id := w.partner.Create(r.t, testkit.OrderJSON(r.name("A"), "")).Must(r.t, 201).Text("order_id")
	r.boss.Move(r.t, id, "accepted").Must(r.t, 200)
	return r.in(w, "GET", "/v1/webhooks/events", "").Text("events", 0, "event_id")
}

const newPassword = `{"current_password":%q,"new_password":"lune-sur-les-quais-88"}`

// ownOperations are those by which people change their own sign-in.
func ownOperations(role, path string) []operation {
	return []operation{
		prepared(role, "POST "+path+"/password", func(_ *rig, w *someone) (string, []string) {
			return fmt.Sprintf(newPassword, w.password), nil
		}),
		prepared(role, "DELETE "+path+"/sessions", func(r *rig, w *someone) (string, []string) {
			return "", []string{r.otherSession(w)}
		}),
		prepared(role, "DELETE "+path+"/sessions/{session_id}", func(r *rig, w *someone) (string, []string) {
			return "", []string{r.otherSession(w)}
		}),
		prepared(role, "POST "+path+"/totp", func(_ *rig, w *someone) (string, []string) {
			return fmt.Sprintf(`{"password":%q}`, w.password), nil
		}),
		prepared(role, "POST "+path+"/totp/confirm", func(r *rig, w *someone) (string, []string) {
			return fmt.Sprintf(`{"code":%q}`, r.begun(w)), nil
		}),
		prepared(role, "DELETE "+path+"/totp", func(r *rig, w *someone) (string, []string) {
			return fmt.Sprintf(`{"code":%q,"password":%q}`, r.enrolled(w), w.password), nil
		}),
	}
}

// userOperations are those of partners' people.
var userOperations = []operation{
	prepared("owner", "POST /v1/auth/email", func(r *rig, w *someone) (string, []string) {
		return fmt.Sprintf(`{"new_email":"%s@example.com","password":%q}`, r.name("new"), w.password), nil
	}),
	plain("POST /v1/auth/api-keys", `{"name":"shop"}`),
	plain("POST /v1/auth/api-keys", `{"name":"shop"}`).withPassword(),
	plain("POST /v1/auth/api-keys", `{"name":"shop","mode":"test"}`),
	prepared("owner", "DELETE /v1/auth/api-keys/{key_id}", func(_ *rig, w *someone) (string, []string) {
		return "", []string{w.partner.KeyID}
	}),
	prepared("owner", "DELETE /v1/auth/api-keys/{key_id}", func(_ *rig, w *someone) (string, []string) {
		return "", []string{w.partner.KeyID}
	}).withPassword(),
	prepared("owner", "PUT /v1/account/openid", func(_ *rig, w *someone) (string, []string) { return openIDBody(w), nil }),
	prepared("owner", "DELETE /v1/account/openid", func(r *rig, w *someone) (string, []string) {
		r.setOpenID(w)
		return "", nil
	}),
	prepared("owner", "POST /v1/account/domains", func(r *rig, _ *someone) (string, []string) {
		return fmt.Sprintf(`{"domain":"%s.example"}`, r.name("domain")), nil
	}),
	prepared("owner", "DELETE /v1/account/domains/{domain}", func(r *rig, w *someone) (string, []string) {
		return "", []string{r.domain(w)}
	}),
	prepared("owner", "POST /v1/account/domains/{domain}/check", func(r *rig, w *someone) (string, []string) {
		return "", []string{r.domain(w)}
	}),
	plain("PATCH /v1/account", `{"public_name":"Métro"}`),
	plain("PUT /v1/account/logo", string(picture(1))).of("image/png"),
	prepared("owner", "DELETE /v1/account/logo", func(r *rig, w *someone) (string, []string) {
		r.Do(r.t, "PUT", "/v1/account/logo", picture(2), "Cookie", w.cookie, "Content-Type", "image/png").Must(r.t, 200)
		return "", nil
	}),
	plain("POST /v1/team/invitations", `{"email":"friend@example.com","role":"owner"}`),
	prepared("owner", "DELETE /v1/team/invitations/{invitation_id}", func(r *rig, w *someone) (string, []string) {
		return "", []string{r.invited(w)}
	}),
	prepared("owner", "PATCH /v1/team/{user_id}", func(r *rig, w *someone) (string, []string) {
		return `{"role":"reader"}`, []string{r.colleague(w, r.name("clerk")+"@example.com", "clerk")}
	}),
	prepared("owner", "DELETE /v1/team/{user_id}", func(r *rig, w *someone) (string, []string) {
		return "", []string{r.colleague(w, r.name("clerk")+"@example.com", "clerk")}
	}),
	prepared("owner", "PATCH /v1/orders/{order_id}", func(r *rig, w *someone) (string, []string) {
		created := w.partner.Create(r.t, testkit.OrderJSON(r.name("A"), "")).Must(r.t, 201)
		return `{"reference":"edited"}`, []string{created.Text("order_id")}
	}).keyed(),
	prepared("owner", "POST /v1/orders/{order_id}/returns", func(r *rig, w *someone) (string, []string) {
		orderID := r.pickedUp(w.partner)
		for _, step := range []string{"out_for_delivery", "delivered"} {
			r.boss.Move(r.t, orderID, step).Must(r.t, 200)
		}
		return `{"reason":"too large","to":"sender",` + returnWindow + `}`, []string{orderID}
	}).keyed(),
	prepared("owner", "POST /v1/orders/{order_id}/cancellation-request", func(r *rig, w *someone) (string, []string) {
		return `{"reason":"sold"}`, []string{r.pickedUp(w.partner)}
	}).keyed(),
	plain("PUT /v1/webhooks/endpoint", `{"url":"https://hooks.example.com/dropyard","enabled":false}`),
	withEndpoint("DELETE /v1/webhooks/endpoint"),
	plain("POST /v1/webhooks/endpoints", `{"url":"https://hooks.example.com/more","enabled":false}`),
	onEndpoint("PATCH /v1/webhooks/endpoints/{endpoint_id}", `{"enabled":false}`),
	onEndpoint("DELETE /v1/webhooks/endpoints/{endpoint_id}", ""),
	onEndpoint("POST /v1/webhooks/endpoints/{endpoint_id}/rotate-secret", ""),
	onEndpoint("POST /v1/webhooks/endpoints/{endpoint_id}/activate-secret", ""),
	withEndpoint("POST /v1/webhooks/endpoint/rotate-secret"),
	withEndpoint("POST /v1/webhooks/endpoint/activate-secret"),
	prepared("owner", "POST /v1/webhooks/events/{event_id}/redeliver", func(r *rig, w *someone) (string, []string) {
		return "", []string{r.event(w)}
	}),
	prepared("owner", "POST /v1/webhooks/redeliver", func(r *rig, w *someone) (string, []string) {
		r.event(w)
		return `{"since":"2026-01-01T00:00:00Z"}`, nil
	}),
	prepared("owner", "POST /v1/webhooks/test", func(r *rig, w *someone) (string, []string) {
		r.in(w, "PUT", "/v1/webhooks/endpoint", fmt.Sprintf(`{"url":%q}`, apptest.NewReceiver(r.t).URL))
		return "", nil
	}),
}

func withEndpoint(route string) operation {
	return prepared("owner", route, func(r *rig, w *someone) (string, []string) {
		r.endpoint(w)
		return "", nil
	})
}

// onEndpoint returns an operation on the first endpoint by its id.
func onEndpoint(route, body string) operation {
	return prepared("owner", route, func(r *rig, w *someone) (string, []string) {
		r.endpoint(w)
		return body, []string{"first"}
	})
}

// onOrder returns an operation on an order, whose body may need its id.
func onOrder(role, route, body string) operation {
	return prepared(role, route, func(r *rig, _ *someone) (string, []string) {
		partnerID, orderID := r.order()
		if strings.Contains(body, "%q") {
			return fmt.Sprintf(body, orderID), []string{partnerID}
		}
		return body, []string{orderID}
	})
}

// posting is an operation that posts to the books of a partner.
func posting(route, body string) operation {
	return prepared("accountant", route, func(r *rig, _ *someone) (string, []string) {
		r.keepBooks()
		return body, []string{r.Register(r.t, r.name("shop")).PartnerID}
	})
}

// onCash is an operation on cash that was collected of an order, at the end of which the desk has five dollars. Its ids
// are chosen from those of the order, its partner and the courier.
func onCash(role, route, body string, ids func(orderID, partnerID, courierID string) []string) operation {
	return prepared(role, route, func(r *rig, _ *someone) (string, []string) {
		r.keepBooks()
		f := floor{r.Service, r.Register(r.t, r.name("shop")), r.boss}
		orderID := f.toCollect(r.t, r.boss, r.name("A"), 900)
		move(r.t, r.boss, orderID, paid(900, "cash", "")).Must(r.t, 200)
		handIn(r.t, r.boss, r.boss.CourierID, `{"counted_cents":500,"kept_cents":400,"currency":"CAD"}`).Must(r.t, 201)
		return body, ids(orderID, f.partner.PartnerID, r.boss.CourierID)
	})
}

// keepBooks turns the books on.
func (r *rig) keepBooks() {
	r.t.Helper()
	r.boss.Call(r.t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(r.t, 200)
}

// onProduct returns an operation on a product, whose body may need its id.
func onProduct(route, body string) operation {
	return prepared("warehouse", route, func(r *rig, _ *someone) (string, []string) {
		partnerID, productID := r.product()
		return strings.ReplaceAll(body, "PRODUCT", productID), []string{partnerID, productID}
	})
}

// openIDBody sets the OpenID provider of a user's partner.
func openIDBody(w *someone) string {
	return fmt.Sprintf(`{"issuer":"https://login.metro.example","client_id":"dropyard",
		"client_secret":"a secret of tests","password":%q}`, w.password)
}

// setOpenID sets the OpenID provider of a user's partner.
func (r *rig) setOpenID(w *someone) {
	r.Do(r.t, "PUT", "/v1/account/openid", []byte(openIDBody(w)), "Cookie", w.cookie).Must(r.t, 200)
}

// domain names a domain of a user's partner, and returns it.
func (r *rig) domain(w *someone) string {
	domain := r.name("domain") + ".example"
	r.Do(r.t, "POST", "/v1/account/domains", fmt.Appendf(nil, `{"domain":%q}`, domain), "Cookie", w.cookie).Must(r.t, 201)
	return domain
}

// onPerson returns an operation on another operator, or on a partner and its owner.
func onPerson(route, body string, operators, enrolled bool) operation {
	return prepared("admin", route, func(r *rig, _ *someone) (string, []string) {
		var of *someone
		if operators {
			of = r.operator("dispatcher", false)
		} else {
			of = r.user("owner", false)
		}
		if enrolled {
			r.enrolled(of)
		}
		if operators {
			return body, []string{of.id}
		}
		return body, []string{of.partnerID(), of.id}
	})
}

func onCourier(route, body string) operation {
	return prepared("dispatcher", route, func(r *rig, _ *someone) (string, []string) {
		return body, []string{r.courier()}
	})
}

// withQuery adds a query to the target of an operation.
func withQuery(o operation, query string) operation {
	prepare := o.prepare
	o.prepare = func(r *rig, w *someone) request {
		q := prepare(r, w)
		q.target += query
		return q
	}
	return o
}

const operatorBody = `{"email":"%s@example.com","password":"lune-sur-les-quais-88","role":"admin"}`

// operatorOperations are those of operators.
var operatorOperations = []operation{
	prepared("courier", "DELETE /ops/v1/tokens/{token_id}", func(r *rig, w *someone) (string, []string) {
		body := fmt.Appendf(nil, `{"email":%q,"password":%q}`, w.email, w.password)
		return "", []string{r.Do(r.t, "POST", "/ops/v1/tokens", body).Must(r.t, 201).Text("token_id")}
	}),
	prepared("admin", "PUT /ops/v1/sign-in-rules", func(r *rig, _ *someone) (string, []string) {
		return fmt.Sprintf(`{"totp_required":{"operators":[],"users":[%q]}}`, []string{"clerk", "developer"}[r.number%2]), nil
	}),
	onPerson("DELETE /ops/v1/operators/{operator_id}/totp", "", true, true),
	onPerson("POST /ops/v1/operators/{operator_id}/reset-link", "", true, false),
	onPerson("PATCH /ops/v1/operators/{operator_id}", `{"role":"admin"}`, true, false),
	prepared("admin", "POST /ops/v1/operators", func(r *rig, _ *someone) (string, []string) {
		return fmt.Sprintf(operatorBody, r.name("new")), nil
	}),
	withRole("dispatcher", "POST /ops/v1/couriers",
		`{"name":"Amélie","phone":"+15145550188","vehicle":"van","active":true}`),
	onCourier("PATCH /ops/v1/couriers/{courier_id}", `{"name":"Amélie"}`),
	onCourier("POST /ops/v1/couriers/{courier_id}/messages", `{"text":"Call Camille."}`),
	prepared("courier", "POST /ops/v1/couriers/{courier_id}/messages/{message_id}/read",
		func(r *rig, w *someone) (string, []string) {
			return `{}`, []string{w.courierID, sendMessage(r.t, r.boss, w.courierID, "Call Camille.")}
		}),
	prepared("dispatcher", "POST /ops/v1/partners/{partner_id}/orders", func(r *rig, _ *someone) (string, []string) {
		return string(testkit.OrderJSON(r.name("A"), "")), []string{r.Register(r.t, r.name("shop")).PartnerID}
	}).keyed(),
	prepared("admin", "PATCH /ops/v1/settings", func(r *rig, _ *someone) (string, []string) {
		return fmt.Sprintf(`{"dispatch_phone":"+1514555%04d"}`, r.number%10000), nil
	}),
	prepared("admin", "PUT /ops/v1/firm", func(r *rig, _ *someone) (string, []string) {
		return fmt.Sprintf(`{"name":%q}`, r.name("firm")), nil
	}),
	prepared("admin", "PATCH /ops/v1/books", func(r *rig, _ *someone) (string, []string) {
		return fmt.Sprintf(`{"books_from":"2%03d-01-01"}`, r.number%1000), nil
	}),
	posting("POST /ops/v1/partners/{partner_id}/adjustments", `{"amount_cents":-500,"reason":"Broken"}`),
	posting("POST /ops/v1/partners/{partner_id}/payments", `{"amount_cents":500}`),
	prepared("accountant", "POST /ops/v1/statements", func(*rig, *someone) (string, []string) {
		return `{"period":"2025-12"}`, nil
	}),
	onCash("accountant", "POST /ops/v1/partners/{partner_id}/remittances", `{"amount_cents":500,"currency":"CAD"}`,
		func(_, partnerID, _ string) []string { return []string{partnerID} }),
	onCash("accountant", "POST /ops/v1/cash/deposits", `{"amount_cents":500,"currency":"CAD"}`,
		func(_, _, _ string) []string { return nil }),
	onCash("dispatcher", "POST /ops/v1/couriers/{courier_id}/cash/hand-ins", `{"counted_cents":400,"currency":"CAD"}`,
		func(_, _, courierID string) []string { return []string{courierID} }),
	onCash("dispatcher", "PUT /ops/v1/orders/{order_id}/collected",
		`{"amount_cents":800,"currency":"CAD","method":"cash","notes":"a dollar less"}`,
		func(orderID, _, _ string) []string { return []string{orderID} }),
	prepared("dispatcher", "PUT /ops/v1/couriers/{courier_id}/sequence", func(r *rig, _ *someone) (string, []string) {
		_, orderID := r.order()
		courierID := r.courier()
		assigned := fmt.Sprintf(`{"status":"courier_assigned","courier_id":%q}`, courierID)
		for _, step := range []string{`{"status":"accepted"}`, assigned} {
			r.boss.Call(r.t, "POST", "/ops/v1/orders/"+orderID+"/status", []byte(step)).Must(r.t, 200)
		}
		return fmt.Sprintf(`{"order_ids":[%q],"version":0}`, orderID), []string{courierID}
	}),
	onOrder("dispatcher", "POST /ops/v1/orders/{order_id}/status", `{"status":"accepted"}`),
	onOrder("dispatcher", "PATCH /ops/v1/orders/{order_id}", `{"reason":"by phone","reference":"edited"}`),
	prepared("dispatcher", "POST /ops/v1/orders/{order_id}/confirm", func(r *rig, _ *someone) (string, []string) {
		p := r.Register(r.t, r.name("shop"))
		orderID := r.pickedUp(p)
		p.Call(r.t, "PATCH", "/v1/orders/"+orderID, []byte(`{"instructions":"Ring twice"}`),
			"Idempotency-Key", uuid.NewString()).Must(r.t, 200)
		return `{"version":5}`, []string{orderID}
	}),
	prepared("dispatcher", "POST /ops/v1/orders/status", func(r *rig, _ *someone) (string, []string) {
		_, first := r.order()
		_, second := r.order()
		return fmt.Sprintf(`{"order_ids":[%q,%q],"status":"accepted"}`, first, second), nil
	}),
	withQuery(prepared("dispatcher", "POST /ops/v1/orders/{order_id}/proofs", func(r *rig, _ *someone) (string, []string) {
		_, orderID := r.order()
		for _, step := range waysTo["picked_up"] {
			r.boss.Move(r.t, orderID, step).Must(r.t, 200)
		}
		return string(picture(r.number % 60000)), []string{orderID}
	}), "?kind=photo").of("image/png"),
	prepared("dispatcher", "POST /ops/v1/orders/{order_id}/cancellation-request/answer",
		func(r *rig, _ *someone) (string, []string) {
			p := r.Register(r.t, r.name("shop"))
			orderID := r.pickedUp(p)
			p.Call(r.t, "POST", "/v1/orders/"+orderID+"/cancellation-request", []byte(`{"reason":"sold"}`),
				"Idempotency-Key", uuid.NewString()).Must(r.t, 202)
			return `{"grant":true}`, []string{orderID}
		}),
	prepared("warehouse", "PUT /ops/v1/locations/{code}", func(r *rig, _ *someone) (string, []string) {
		return depot, []string{r.name("hub")}
	}),
	onPickedUp("dispatcher", "POST /ops/v1/orders/{order_id}/transfer", `{"location":"HUB-1"}`),
	onPickedUp("dispatcher", "POST /ops/v1/orders/{order_id}/scans", `{"code":"ABC"}`),
	onPickedUp("warehouse", "POST /ops/v1/orders/{order_id}/return/receive", `{"location":"HUB-1"}`,
		"failed", "cancelled"),
	prepared("warehouse", "POST /ops/v1/orders/{order_id}/picks", func(r *rig, _ *someone) (string, []string) {
		p := r.Register(r.t, r.name("shop"))
		lamp := r.boss.Stock(r.t, p.PartnerID, "Lamp", map[string]int{"MTL-1": 3})
		orderID := p.Create(r.t, testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":1}]`, lamp))).
			Must(r.t, 201).Text("order_id")
		return fmt.Sprintf(`{"location":"MTL-1","lines":[{"product_id":%d,"quantity":1}]}`, lamp), []string{orderID}
	}),
	onOrder("dispatcher", "POST /ops/v1/orders/{order_id}/notes", `{"text":"the back door is open"}`),
	onProduct("PUT /ops/v1/partners/{partner_id}/dispatch", `{"auto_accept":true}`).by("dispatcher"),
	onProduct("PATCH /ops/v1/partners/{partner_id}", `{"rate_limit":600}`).by("admin"),
	onProduct("POST /ops/v1/partners/{partner_id}/approve", "").by("admin"),
	onPerson("DELETE /ops/v1/partners/{partner_id}/users/{user_id}/totp", "", false, true),
	onPerson("POST /ops/v1/partners/{partner_id}/reset-link", "", false, false),
	prepared("admin", "PATCH /ops/v1/partners/{partner_id}/openid", func(r *rig, _ *someone) (string, []string) {
		of := r.user("owner", false)
		r.setOpenID(of)
		return `{"stopped":true}`, []string{of.partnerID()}
	}),
	prepared("admin", "DELETE /ops/v1/partners/{partner_id}/domains/{domain}",
		func(r *rig, _ *someone) (string, []string) {
			of := r.user("owner", false)
			return "", []string{of.partnerID(), r.domain(of)}
		}),
	prepared("admin", "POST /ops/v1/partners/{partner_id}/domains/{domain}/check",
		func(r *rig, _ *someone) (string, []string) {
			of := r.user("owner", false)
			return "", []string{of.partnerID(), r.domain(of)}
		}),
	onProduct("POST /ops/v1/partners/{partner_id}/export", "").by("admin"),
	onOrder("admin", "POST /ops/v1/partners/{partner_id}/erasures", `{"order_ids":[%q],"force":true}`),
	prepared("admin", "POST /ops/v1/system/accept-clock", func(*rig, *someone) (string, []string) { return "", nil }),
	prepared("admin", "POST /ops/v1/system/resume", func(r *rig, _ *someone) (string, []string) {
		r.Execute(r.t,
			"INSERT INTO settings (name, value) VALUES ('hold', '{\"reason\":\"asked\"}') ON CONFLICT (name) DO NOTHING")
		return "", nil
	}),
	prepared("admin", "POST /ops/v1/rate-cards", func(r *rig, _ *someone) (string, []string) {
		name := r.name("card")
		return string(upload(name, name, "", 1150)), nil
	}),
	onProduct("POST /ops/v1/partners/{partner_id}/products",
		`{"name":"Lamp","price":12.5,"stock_min":5,"stock_max":100,"barcode":"L"}`),
	onProduct("POST /ops/v1/partners/{partner_id}/products/import", "name,price\nLamp,12.50\n").of("text/csv"),
	onProduct("PATCH /ops/v1/partners/{partner_id}/products/{product_id}", `{"name":"Tea"}`),
	onProduct("POST /ops/v1/partners/{partner_id}/movements",
		`{"type":"IN","product_id":PRODUCT,"quantity":5,"location":"MTL-01"}`),
	onProduct("POST /ops/v1/partners/{partner_id}/counts",
		`{"location":"MTL-01","lines":[{"product_id":PRODUCT,"counted":7}]}`),
}

// by returns the operation in another role.
func (o operation) by(role string) operation {
	o.as = role
	return o
}

// operations are all by which people change something.
var operations = slices.Concat(
	ownOperations("owner", "/v1/auth"), userOperations, ownOperations("courier", "/ops/v1/auth"), operatorOperations,
)
