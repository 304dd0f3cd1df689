package contract_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// The accounts of the documents' examples, which can be sent unchanged.
const (
	examplePartner  = "partner@example.com"
	examplePassword = "maple-harbour-42"
	exampleOperator = "operator@example.com"
	exampleNight    = "quai-de-nuit-1907"
)

// fixture is a service with what the documents' examples refer to: a partner with a
// key and product 1 at two locations, operators, and a courier. Every answer is
// compared with the documents.
type fixture struct {
	*apptest.Service
	contract *contract
	partner  *apptest.Partner
	operator *apptest.Operator
	session  string // of the partner's owner, as a Cookie header
	userID   string // of the owner
	product  int

	onRoad  sync.Once
	courier *apptest.Operator // see senderOf
}

// Options of the services under test.
var (
	generous = apptest.RateLimit(1_000_000)
	roomy    = apptest.RateLimit(1000)
)

// newFixture starts a service. The documents describe rate limits, so most tests
// use the option roomy.
func newFixture(t testing.TB, options ...apptest.Option) *fixture {
	t.Helper()
	options = append(options, apptest.Webhooks(), func(c *config.Config, _ *app.Surroundings) {
		c.OperatorEmail, c.OperatorPassword = exampleOperator, exampleNight
	})
	f := &fixture{Service: apptest.Start(t, options...), contract: read(t)}
	f.partner = f.register(t)
	f.operator = f.operate(t, exampleOperator, exampleNight)
	f.operator.CourierID = f.operator.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Camille Tremblay","phone":"+15145550177","vehicle":"cargo bike"}`)).Must(t, 201).Text("courier_id")
	f.product = f.operator.Stock(t, f.partner.PartnerID, "Coffee", map[string]int{"MTL-01": 100_000, "TOR-02": 40})
	f.operator.Call(t, "POST", "/ops/v1/rate-cards", cardUpload("docks", "docks-1")).Must(t, 201)
	return f
}

// register registers the partner of the examples, with an API key and a session.
func (f *fixture) register(t testing.TB) *apptest.Partner {
	t.Helper()
	p := &apptest.Partner{Service: f.Service, Email: examplePartner, Password: examplePassword}
	p.PartnerID = f.Do(t, "POST", "/v1/auth/register",
		fmt.Appendf(nil, `{"name":"Épicerie Métro","email":%q,"password":%q}`, p.Email, p.Password)).Must(t,
		201).Text("partner_id")
	key := f.Do(t, "POST", "/v1/auth/api-keys", nil, "X-Partner-Email", p.Email, "X-Partner-Password", p.Password).Must(t,
		201)
	p.KeyID, p.PublicKey, p.SecretKey = key.Text("key_id"), key.Text("public_key"), key.Text("secret_key")
	f.login(t, p)
	return p
}

// login begins the session of the partner's owner.
func (f *fixture) login(t testing.TB, p *apptest.Partner) {
	t.Helper()
	login := f.Do(t, "POST", "/v1/auth/login", fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)).Must(t,
		200)
	f.session, _, _ = strings.Cut(login.Header.Get("Set-Cookie"), ";")
	f.userID = login.Text("user", "user_id")
}

// operate requests a token for an operator.
func (f *fixture) operate(t testing.TB, email, password string) *apptest.Operator {
	t.Helper()
	token := f.Do(t, "POST", "/ops/v1/tokens", fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)).Must(t,
		201)
	o := &apptest.Operator{Service: f.Service, Token: token.Text("token"), TokenID: token.Text("token_id")}
	o.OperatorID = o.Call(t, "GET", "/ops/v1/me", nil).Must(t, 200).Text("operator_id")
	return o
}

// call is a request to an operation. Zero fields stand for the usual: the fixture's
// own partner, ids that do not exist, no body.
type call struct {
	operation string
	path      map[string]string // values of path parameters
	query     string
	body      []byte
	headers   []string // alternate names and values, and replace the usual ones
	anonymous bool     // without credentials
	session   bool     // with the session instead of a signature
}

// send sends a call with the credentials that its operation needs, and compares the
// answer with the documents.
func (f *fixture) send(t testing.TB, c call) *apptest.Answer {
	t.Helper()
	o := f.contract.operation(c.operation)
	answer := f.exchange(t, o, c)
	o.check(t, answer, !c.anonymous)
	o.checkNewMembers(t, answer)
	return answer
}

// exchange sends a call and returns the answer.
func (f *fixture) exchange(t testing.TB, o *operation, c call) *apptest.Answer {
	t.Helper()
	target := f.target(o, c)
	headers := c.headers
	if kind := o.takesType(); o.hasBody() && kind != "application/json" {
		headers = append([]string{"Content-Type", kind}, headers...)
	}
	if o.takes("header", "Idempotency-Key") {
		headers = append([]string{"Idempotency-Key", uuid.NewString()}, headers...)
	}
	switch {
	case c.anonymous:
	case o.isSigned() && !c.session:
		headers = append(f.partner.Signed(o.method, target, c.body), headers...)
	case o.access() == httpd.AccessOperator:
		headers = append([]string{"Authorization", "Bearer " + f.senderOf(t, o).Token}, headers...)
	case o.asksFor("session"):
		headers = append([]string{"Cookie", f.session}, headers...)
	}
	return f.Do(t, o.method, target, c.body, headers...)
}

// senderOf returns the operator who sends an operation: the fixture's own, unless only couriers may.
func (f *fixture) senderOf(t testing.TB, o *operation) *apptest.Operator {
	t.Helper()
	if f.operator.Email != "" || strings.Join(o.roles(), " ") != "courier" { // a test has chosen the operator
		return f.operator
	}
	f.onRoad.Do(func() { f.courier = f.operator.As(t, "courier") })
	return f.courier
}

// newMessage sends the courier a message, and returns the path parameters of the message.
func (f *fixture) newMessage(t testing.TB, o *operation) map[string]string {
	t.Helper()
	f.senderOf(t, o) // who is added before the test looks at the audit log
	sent := f.send(t, call{operation: "createCourierMessage", body: []byte(`{"text":"Call Camille."}`)}).Must(t, 201)
	return map[string]string{"courier_id": f.operator.CourierID, "message_id": sent.Text("message_id")}
}

// target returns the path with its parameters: those of the call, or else those of
// the fixture.
func (f *fixture) target(o *operation, c call) string {
	target := o.path
	for name, value := range map[string]string{
		"partner_id": f.partner.PartnerID, "key_id": f.partner.KeyID, "order_id": "ord_none", "event_id": "none",
		"operator_id": f.operator.OperatorID, "token_id": f.operator.TokenID, "card_id": "crd_builtin", "name": "none",
		"product_id": "1", "courier_id": cmp.Or(f.operator.CourierID, "cou_none"), "session_id": "ses_none", "token": "none",
		"version": "none", "user_id": f.userID, "invitation_id": "inv_none", "message_id": "none",
		"statement_id": "stm_none", "endpoint_id": "whe_none", "domain": "unknown.example",
	} {
		if given, ok := c.path[name]; ok {
			value = given
		}
		target = strings.ReplaceAll(target, "{"+name+"}", value)
	}
	if c.query == "" {
		c.query = o.usualQuery(c.path)
	}
	return target + c.query
}

// usualQuery returns the required query parameters, with the values that are given or else their documented examples.
func (o *operation) usualQuery(given map[string]string) string {
	query := url.Values{}
	for _, p := range o.parameters() {
		if p.at("in").text() == "query" && p.at("required").flag() {
			name := p.at("name").text()
			query.Set(name, cmp.Or(given[name], p.at("example").text()))
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// newOrder creates an order and returns the path parameter of its id.
func (f *fixture) newOrder(t testing.TB) map[string]string {
	t.Helper()
	order := f.send(t, call{operation: "createOrder", body: testkit.OrderJSON(uuid.NewString(), "")}).Must(t, 201)
	return map[string]string{"order_id": order.Text("order_id")}
}

// move moves an order to another status.
func (f *fixture) move(t testing.TB, order map[string]string, status string) *apptest.Answer {
	t.Helper()
	return f.send(t, call{operation: "changeOrderStatus", path: order,
		body: fmt.Appendf(nil, `{"status":%q,"courier_id":%q,"notes":"by test"}`, status, f.operator.CourierID)})
}

// encode returns a value as JSON.
func encode(t reporter, value any) []byte {
	t.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return body
}
