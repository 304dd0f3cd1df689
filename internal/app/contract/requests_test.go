package contract_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// subject is an operation whose handler is compared with the schema of its
// requests: it must refuse what the schema refuses, and nothing else.
type subject struct {
	operation string
	body      string // a valid request with every member
	// broken returns the places where a request breaks rules that the schema cannot
	// express. It is nil if there are none.
	broken func(body any) []string
	// other are the codes of errors that do not concern the form of the request,
	// each with the condition under which it must come. It may come at any time if
	// the function is nil.
	other map[string]func(body any) bool
	// order is set if each success uses up an order.
	order bool
	// edits is set if the request is a merge patch of the order: what it makes of the order is what is judged.
	edits bool
	// either has members of which a request must have exactly one: the service reports the second, the schema any of them.
	either map[string]string
	// pause is how much time passes between requests, so that wrong passwords are forgotten.
	pause time.Duration
}

const contactBody = `{"name":"Épicerie Métro","phone":"+15145550100","email":"shop@example.com",
"address":{"line1":"4000 Rue Saint-Denis","line2":"2","city":"Montréal","province":"QC","postal_code":"H2W 2M5","country":"CA","notes":"Sonner"},
"time_window":{"start":"2026-01-14T13:00:00-05:00","end":"2026-01-14T16:00:00.5-05:00"}}`

const shipmentBody = `"service_level":"express","pickup":` + contactBody + `,"dropoff":` + contactBody + `,
"parcels":[{"parcel_id":"P-1","description":"Books","length_cm":30,"width_cm":20,"height_cm":10.5,"weight_kg":2.25,"value_cents":4500,"fragile":true,"barcode":"0123"},
 {"parcel_id":"P-2","description":"Lamp","length_cm":1,"width_cm":1,"height_cm":1,"weight_kg":1,"value_cents":0}],
"cod":{"amount_cents":0,"currency":"CAD"},"insurance":{"amount_cents":5000,"currency":"USD"}`

const editedBody = shipmentBody + `,"reference":"PO 78","instructions":"Knock","metadata":{"a":[2.0]},
"items":[{"product_id":1,"quantity":3}],"quote_id":null`

// plenty is the quantity of product 1. No test requests a similar quantity.
const plenty = 900_000_000

var subjects = []subject{
	{
		operation: "operatorLogin", body: `{"email":"operator@example.com","password":"quai-de-nuit-1907","code":"492039"}`,
		pause: 12 * time.Hour, other: map[string]func(any) bool{"unauthorized": nil},
	},
	{
		operation: "putSignInRules",
		body:      `{"totp_required":{"operators":["courier","warehouse"],"users":["owner","reader"]}}`,
	},
	{operation: "createPartnerResetLink", body: `{"user_id":null}`, other: map[string]func(any) bool{"not_found": nil}},
	{operation: "requestReset", body: `{"email":"a@b.ca"}`},
	{operation: "requestOperatorReset", body: `{"email":"a@b.ca"}`},
	{operation: "createOperator",
		body: `{"email":"night@example.com","password":"lune-sur-les-quais-88","role":"dispatcher","courier_id":null}`, broken: brokenOperator},
	{operation: "changePartner",
		body: `{"suspended":true,"suspended_reason":"unpaid","established":true,"rate_limit":600,"rate_card":"docks",
"orders_per_day":10000,"stored_bytes":null}`, broken: brokenSettings},
	{operation: "validateRateCard", body: `{"name":"default","effective_from":"2036-06-01T00:00:00-04:00","card":` +
		cardBody + `}`, broken: brokenUpload,
		other: map[string]func(any) bool{
			"conflict": func(body any) bool { return member(body, "card", "version") == "docks-1" },
		}},
	{
		operation: "createOrder",
		body: `{"partner_order_id":"A-1",` + shipmentBody +
			`,"reference":"PO 77","instructions":"Ring","metadata":{"a":[1.0]},
"items":[{"product_id":1,"quantity":2}],"quote_id":null}`,
		broken: brokenOrder,
		other:  map[string]func(any) bool{"insufficient_stock": func(body any) bool { return ordered(body) > plenty }},
	},
	{
		operation: "createOrderForPartner",
		body: `{"partner_order_id":"A-1",` + shipmentBody + `,"reference":"PO 77","instructions":"Ring","metadata":{"a":[1.0]},
"items":[{"product_id":1,"quantity":2}],"quote_id":null}`,
		broken: brokenOrder,
		other:  map[string]func(any) bool{"insufficient_stock": func(body any) bool { return ordered(body) > plenty }},
	},
	{operation: "createOrderBatch", body: `{"orders":[{"partner_order_id":"A-1"},7]}`},
	{operation: "createQuote", body: "{" + shipmentBody + "}", broken: brokenShipment},
	{operation: "createLabelLink", body: `{"format":"application/zpl","dpi":300}`, order: true},
	{operation: "createQuotes", body: "{" + shipmentBody + "}", broken: brokenShipment},
	{
		operation: "registerPartner", body: `{"name":"Port","person_name":"Zoé","email":"port@example.com","password":"brume-et-vent-1907"}`,
		broken: brokenRegistration,
	},
	{
		operation: "login", body: `{"email":"partner@example.com","password":"maple-harbour-42","code":"492039"}`,
		pause: 12 * time.Hour, other: map[string]func(any) bool{"unauthorized": nil},
	},
	{
		operation: "createAPIKey",
		body:      `{"name":"production","scopes":["orders","read"],"mode":"live","require_v2":false,"email":"a@b.ca","password":"maple-harbour-42"}`,
	},
	{
		operation: "changeAccount",
		body:      `{"public_name":"Métro","support_url":"https://metro.example/aide","language":"fr","recipient_mail":true}`,
	},
	{
		operation: "putOpenID",
		body: `{"issuer":"https://login.metro.example/main","client_id":"dropyard","client_secret":"s","role_claim":"groups",
"role_values":{"owner":"bosses","developer":"it","clerk":"desk","reader":"all"},"default_role":null,"password":"maple-harbour-42"}`,
		broken: brokenOpenID, pause: 2 * time.Minute,
	},
	{
		operation: "putOpenID", broken: brokenOpenID, pause: 2 * time.Minute,
		body: `{"issuer":"https://login.metro.example/","client_id":"dropyard","client_secret":"s","default_role":"reader","password":"maple-harbour-42"}`,
	},
	{operation: "addDomain", body: `{"domain":"metro.example"}`, other: map[string]func(any) bool{"conflict": nil}},
	{operation: "changePartnerSignIn", body: `{"stopped":true}`, other: map[string]func(any) bool{"not_found": nil}},
	{operation: "inviteUser", body: `{"email":"sam@example.com","role":"clerk"}`,
		other: map[string]func(any) bool{"email_taken": nil, "conflict": nil}},
	{operation: "changeUser", body: `{"name":"Sam Tremblay","role":"owner"}`,
		other: map[string]func(any) bool{"conflict": nil}},
	{operation: "cancelOrder", body: `{"reason":"changed my mind"}`, order: true},
	{operation: "requestCancellation", body: `{"reason":"changed my mind"}`, order: true,
		other: map[string]func(any) bool{"conflict": func(any) bool { return true }}},
	{operation: "createReturn", body: returnBody, order: true, broken: brokenShipment,
		other: map[string]func(any) bool{"conflict": func(any) bool { return true }}},
	{operation: "confirmOrderEdits", body: `{"version":1,"occurred_at":null}`, order: true,
		other: map[string]func(any) bool{"conflict": nil}}, // a version that the order has not reached
	{operation: "answerCancellationRequest", body: `{"grant":true,"answer":"a"}`, order: true,
		other: map[string]func(any) bool{"conflict": func(any) bool { return true }}},
	{operation: "createToken",
		body: `{"email":"operator@example.com","password":"quai-de-nuit-1907","code":"492039","name":"desk"}`, pause: 12 * time.Hour,
		other: map[string]func(any) bool{"unauthorized": nil}},
	{operation: "createCourier", body: `{"name":"Amélie","phone":"+15145550188","vehicle":"van","active":true}`},
	{operation: "changeCourier", body: `{"name":"Amélie","phone":"+15145550188","vehicle":"van","active":true}`},
	{
		operation: "changeOrderStatus",
		body: `{"status":"accepted","notes":"n","courier_id":"cou_x","eta":"2026-01-15T10:00:00Z","failure_reason":"r",
"next_attempt":"2026-01-16T10:00:00Z","reason":"r","version":1,"occurred_at":null,
"collected":{"amount_cents":5,"currency":"CAD","method":"cash","notes":"n"}}`,
		broken: brokenChange, order: true,
		other: map[string]func(any) bool{"invalid_transition": func(body any) bool {
			status, _ := text(body, "status")
			version, given := integer(body, "version")
			return status != "accepted" && status != "cancelled" || given && version != 1
		}},
	},
	{
		operation: "changeOrderStatuses", broken: brokenChanges,
		body: `{"order_ids":["ord_00000000000000000000000000000000","x"],"versions":[1,2],"status":"accepted","notes":"n","courier_id":"cou_x",
"eta":"2026-01-15T10:00:00Z","failure_reason":"r","next_attempt":"2026-01-16T10:00:00Z","reason":"r","occurred_at":null,
"collected":[{"order_id":"x","amount_cents":5,"currency":"CAD","method":"cash","notes":"n"}]}`,
	},
	{operation: "addOrderNote", body: `{"text":"the back door is open"}`, order: true},
	{
		operation: "putCourierSequence", body: `{"order_ids":["ord_00000000000000000000000000000000","x"],"version":0}`,
		broken: brokenSequence,
		other: map[string]func(any) bool{"conflict": func(body any) bool {
			version, given := integer(body, "version")
			return given && version != 0
		}},
	},
	{operation: "createCourierMessage", body: `{"text":"Call Camille."}`},
	{
		operation: "putFirm",
		body:      `{"name":"Plateau","address":"Montréal","numbers":{"gst_hst":"123456789 RT0001","qst":"1234567890 TQ0001"}}`,
	},
	{operation: "createAdjustment", body: `{"amount_cents":-500,"currency":"CAD","order_id":null,"reason":"A vase was broken"}`,
		broken: brokenAdjustment},
	{operation: "createPayment", body: `{"amount_cents":500,"currency":"CAD","notes":"Transfer"}`},
	{operation: "changeBooks", body: `{"books_from":"2036-12-01","require_collected":true,"close_on_day":5}`},
	{operation: "createHandIn", body: `{"counted_cents":5,"kept_cents":1,"currency":"CAD","expected_cents":6,"notes":"n"}`,
		other: booksAreOff},
	{operation: "createDeposit", body: `{"amount_cents":5,"currency":"CAD","from":"terminal","notes":"n"}`, other: booksAreOff},
	{operation: "createRemittance", body: `{"amount_cents":5,"currency":"CAD","from":"desk","notes":"n"}`, other: booksAreOff},
	{operation: "putOrderCollected", body: `{"amount_cents":5,"currency":"CAD","method":"cash","notes":"n"}`, order: true,
		other: map[string]func(any) bool{"conflict": func(any) bool { return true }}},
	{operation: "changeServiceSettings", body: `{"dispatch_phone":"+15145550100"}`},
	{operation: "putDispatchSettings", body: `{"auto_accept":true}`},
	{
		operation: "createProduct",
		body:      `{"name":"Lamp","price":12.5,"stock_min":5,"stock_max":100,"sku":"S","barcode":"B","status":"active"}`,
		broken:    brokenProduct, other: map[string]func(any) bool{"sku_taken": nil},
	},
	{operation: "changeProduct",
		body:   `{"name":"Lamp","price":12.5,"stock_min":5,"stock_max":100,"sku":"S","barcode":"B","status":"active"}`,
		broken: brokenProduct, other: map[string]func(any) bool{"sku_taken": nil}},
	{operation: "putLocation", body: locationBody},
	{operation: "addOrderScan", body: `{"code":"P-1","at":null}`, order: true},
	{operation: "createCount", body: `{"location":"MTL-01","lines":[{"product_id":1,"counted":800000000},{"product_id":7,"counted":0}],"notes":"n"}`, broken: brokenCount},
	{
		operation: "createMovement",
		body:      `{"type":"IN","product_id":1,"quantity":5,"location":"MTL-01","notes":"n","to_location":null}`,
		broken:    brokenMovement,
	},
	{operation: "createMovement", body: `{"type":"ADJUSTMENT","product_id":1,"quantity":-5,"location":"MTL-01"}`,
		broken: brokenMovement, other: map[string]func(any) bool{"insufficient_stock": nil}},
	{
		operation: "createMovement",
		body:      `{"type":"TRANSFER","product_id":1,"quantity":5,"location":"MTL-01","notes":"n","to_location":"TOR-02"}`,
		broken:    brokenMovement, other: map[string]func(any) bool{"insufficient_stock": nil},
	},
	{
		operation: "putWebhookEndpoint", body: `{"url":"https://hooks.example.com/dropyard","enabled":false,"events":["order.failed"],"format":null}`,
		broken: brokenEndpoint,
	},
	{
		operation: "addWebhookEndpoint",
		body:      `{"url":"https://hooks.example.com/more","enabled":true,"events":["order.failed"],"format":"cloudevents"}`,
		broken:    brokenEndpoint, other: map[string]func(any) bool{"conflict": nil},
	},
	{
		operation: "editEndpoint",
		body:      `{"url":"https://hooks.example.com/other","enabled":true,"events":["order.failed"],"format":"cloudevents"}`,
		broken:    brokenEndpoint, other: map[string]func(any) bool{"not_found": nil},
	},
	{
		operation: "redeliverEvents", body: `{"since":"2026-01-14T10:00:00-05:00","type":"order.failed","state":"failed"}`,
		broken: brokenRedelivery,
	},
	{operation: "pickOrder", broken: brokenPick, order: true, other: alwaysConflict, // the order has no items
		body: `{"location":"MTL-01","lines":[{"product_id":1,"quantity":1}],"packed":false}`},
	{operation: "transferOrder", order: true, other: alwaysConflict, either: map[string]string{"/location": "/courier_id"},
		body: `{"courier_id":null,"location":"HUB-1","occurred_at":null,"version":1}`},
	{operation: "editOrder", body: "{" + editedBody + "}", broken: brokenOrder, order: true, edits: true,
		other: map[string]func(any) bool{"insufficient_stock": func(body any) bool { return ordered(body) > plenty }}},
	{operation: "editOrderByService", body: `{"reason":"by phone",` + editedBody + "}", broken: brokenOrder, order: true, edits: true,
		other: map[string]func(any) bool{"insufficient_stock": func(body any) bool { return ordered(body) > plenty }}},
	{operation: "receiveReturn", order: true, other: alwaysConflict, // nothing is due back
		body: `{"location":"HUB-1","lines":[{"product_id":1,"quantity":1,"disposition":"damaged"}],"occurred_at":null}`},
	{operation: "erasePartnerOrders", broken: brokenErasure, other: map[string]func(any) bool{"not_found": nil},
		body: `{"order_ids":["ord_00000000000000000000000000000000"],"recipient":null,"force":true}`},
	{operation: "erasePartnerOrders", broken: brokenErasure, other: map[string]func(any) bool{"not_found": nil},
		body: `{"recipient":"alex@example.com","force":false}`},
	{operation: "closeMonth", body: `{"period":"2025-12","partner_id":"par_00000000"}`, broken: brokenClosing,
		other: map[string]func(any) bool{"not_found": nil}},
	{operation: "changeEmail", body: `{"new_email":"quay@example.com","password":"maple-harbour-42"}`,
		other: map[string]func(any) bool{"conflict": nil}}, // without mail
	{operation: "confirmTOTP", body: `{"code":"492039"}`, other: alwaysConflict},
	{operation: "confirmOperatorTOTP", body: `{"code":"492039"}`, other: alwaysConflict},
	{operation: "redeliverEvents", broken: brokenRedelivery,
		body: `{"cursor":"019bbd14-8a00-7000-8000-000000000000","since":"2026-01-14T10:00:00Z","state":"delivered"}`},
}

// alwaysConflict is set where the state of what is named allows no request.
var alwaysConflict = map[string]func(any) bool{"conflict": func(any) bool { return true }}

// booksAreOff is why nothing is posted.
var booksAreOff = map[string]func(any) bool{"conflict": func(any) bool { return true }}

// trial is a subject and the service that it is tried on.
type trial struct {
	subject
	*fixture
	t testing.TB // the test of the whole trial

	mu   sync.Mutex
	path map[string]string // guarded by mu; an order that has not been used up
	used map[string]bool   // guarded by mu; unique texts that were accepted
}

func (s subject) start(t testing.TB) *trial {
	t.Helper()
	f := newFixture(t, generous)
	f.beginBooks(t, s.operation)
	f.send(t, call{operation: "createMovement",
		body: fmt.Appendf(nil, `{"type":"IN","product_id":1,"quantity":%d,"location":"MTL-01"}`, plenty-100_040)}).Must(t,
		201)
	f.prepareEndpoint(t, f.contract.operation(s.operation))
	return &trial{subject: s, fixture: f, t: t, used: map[string]bool{}}
}

// unique returns the text in a request that must be unique, and the code of the
// error if it is not.
func (s *subject) unique(body any) (value, code string) {
	switch s.operation {
	case "createOrder", "createOrderForPartner":
		value, _ = text(body, "partner_order_id")
		return value, "conflict"
	case "registerPartner", "createOperator":
		value, _ = text(body, "email")
		return strings.ToLower(value), "email_taken"
	}
	return "", ""
}

// largest is the size limit of a body in bytes. The schema does not have it: many
// long elements may exceed it.
const largest = 1 << 20

// judge sends a request and compares the result of the handler with that of the schema.
func (r *trial) judge(t reporter, body any) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.contract.operation(r.operation)
	sent := encode(t, body)
	answer := r.exchange(r.t, o, call{operation: r.operation, body: sent, path: r.prepare()})
	o.check(t, answer, true)
	if len(sent) > largest && answer.Code() == "payload_too_large" {
		return // refused before it was parsed
	}
	parsed := decode(t, sent)
	places := o.refusedPlaces(t, parsed)
	if r.edits {
		parsed = merged(decode(t, testkit.OrderJSON("A-1", "")), parsed)
		places = append(places, r.contract.operation("createOrder").refusedPlaces(t, parsed)...)
	}
	r.compare(t, verdict{parsed, r.reportable(parsed, places)}, answer)
	if answer.Status < 300 {
		value, _ := r.unique(parsed)
		r.path, r.used[value] = nil, true
	}
	if t, ok := t.(interface{ Failed() bool }); ok && t.Failed() {
		r.t.Logf("request: %.2000s\nanswer: %d %.1000s", sent, answer.Status, answer.Body)
	}
}

// reportable returns places where a request violates its schema as the service names them: a rule between the members
// of either stands at the root or at a member that is missing.
func (r *trial) reportable(body any, places []string) []string {
	object, _ := body.(map[string]any)
	for first, second := range r.either {
		for i, place := range places {
			if place == first && object[first[1:]] == nil || place == "" && object != nil {
				places[i] = second
			}
		}
	}
	return places
}

// merged applies a merge patch to an order (RFC 7396). Metadata are replaced whole.
func merged(order, patch any) any {
	members, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	result, _ := order.(map[string]any)
	if result = maps.Clone(result); result == nil {
		result = map[string]any{}
	}
	for name, value := range members {
		switch {
		case value == nil:
			delete(result, name)
		case name == "metadata":
			result[name] = value
		default:
			result[name] = merged(result[name], value)
		}
	}
	return result
}

// prepare returns the path of an order that the operation can be tried on, and lets
// time pass. The caller must hold mu.
func (r *trial) prepare() map[string]string {
	r.Clock.Advance(r.pause)
	if r.order && r.path == nil {
		r.path = r.newOrder(r.t)
	}
	return r.path
}

// verdict is the result of checking a request against the documents.
type verdict struct {
	body   any
	places []string // where it violates the schema
}

// compare compares an answer with a verdict.
func (r *trial) compare(t reporter, v verdict, answer *apptest.Answer) {
	t.Helper()
	var broken []string
	if r.broken != nil {
		broken = r.broken(v.body)
	}
	code := answer.Code()
	switch {
	case code == "validation_error":
		r.compareFields(t, v.places, broken, fieldsOf(answer))
	case len(v.places) > 0:
		t.Errorf("%s: got status %d %s for %q, which the schema refuses", r.operation, answer.Status, code, v.places)
	default:
		r.compareRest(t, v.body, broken, answer)
	}
}

// compareRest checks answers other than validation_error to requests that the
// schema accepts.
func (r *trial) compareRest(t reporter, body any, broken []string, answer *apptest.Answer) {
	t.Helper()
	expected := r.expected(body)
	code := answer.Code()
	_, possible := expected[code]
	switch {
	case answer.Status < 300 && len(broken) > 0:
		t.Errorf("%s: got %q accepted, want an error", r.operation, broken)
	case answer.Status >= 300 && !possible:
		t.Errorf("%s: got status %d %s for what the schema accepts", r.operation, answer.Status, code)
	case answer.Status < 300 && slices.Contains(slices.Collect(maps.Values(expected)), true):
		t.Errorf("%s: got it accepted, want one of %v", r.operation, expected)
	}
}

// expected returns the codes, other than validation_error, that a request may get.
// The value is true for a code that it must get. The caller must hold mu.
func (r *trial) expected(body any) map[string]bool {
	expected := map[string]bool{}
	for code, when := range r.other {
		if when == nil || when(body) {
			expected[code] = when != nil
		}
	}
	if value, code := r.unique(body); r.used[value] && value != "" {
		expected[code] = true
	}
	return expected
}

// fieldsOf returns the places of all reported errors.
func fieldsOf(answer *apptest.Answer) (places []string) {
	list, _ := answer.JSON("error", "details", "errors").([]any)
	for _, problem := range list {
		field, _ := text(problem, "field")
		places = append(places, placeOf(field))
	}
	return places
}

// compareFields compares the places that the schema and the handler refuse. A list
// that is too long, or a value that is not an object, stands for everything inside.
func (r *trial) compareFields(t reporter, places, broken, reported []string) {
	t.Helper()
	if len(reported) == 0 || len(places)+len(broken) == 0 {
		t.Errorf("%s: got %q refused, which the schema accepts", r.operation, reported)
	}
	for _, place := range reported {
		if !covers(places, place) && !slices.Contains(broken, place) {
			t.Errorf("%s: got %q refused, want %q", r.operation, place, places)
		}
	}
	for _, place := range places {
		if !covers(reported, place) {
			t.Errorf("%s: got %q refused, want %q as well", r.operation, reported, place)
		}
	}
}

// fresh returns a valid request of the subject, which the caller may change. number
// makes it unique.
func (s *subject) fresh(t reporter, number int) any {
	body := decode(t, []byte(s.body)).(map[string]any)
	switch s.operation {
	case "createOrder", "createOrderForPartner":
		body["partner_order_id"] = fmt.Sprint("A-", number)
	case "registerPartner":
		body["email"] = fmt.Sprintf("port-%d@example.com", number)
	case "createOperator":
		body["email"] = fmt.Sprintf("night-%d@example.com", number)
	case "putOpenID": // whose secret does not stay
		body["client_id"] = fmt.Sprint("dropyard-", number)
	}
	return body
}

// skip returns the place inside which mutations are skipped: one end of a shipment,
// because both have the same schema and the same code.
func (s *subject) skip() string {
	if s.operation == "createQuote" || s.operation == "createQuotes" {
		return "/pickup/"
	}
	return "/dropoff/"
}

// TestEverySingleMutation changes a valid request of every operation at every place
// in every way.
func TestEverySingleMutation(t *testing.T) {
	t.Parallel()
	for i, s := range subjects {
		t.Run(fmt.Sprint(i, " ", s.operation), func(t *testing.T) {
			t.Parallel()
			r, number := s.start(t), 0
			r.judge(t, s.fresh(t, number))
			for at, place := range spots(s.fresh(t, 0), "") {
				if strings.HasPrefix(place.path, s.skip()) {
					continue
				}
				for _, m := range mutationsOf(place) {
					number++
					body := s.fresh(t, number)
					m.apply(spots(body, "")[at])
					r.judge(t, body)
					if t.Failed() {
						t.Fatalf("failed after %s at %s", m.name, place.path)
					}
				}
			}
			t.Logf("%d requests", number)
		})
	}
}

// TestBodiesThatAreNotObjects sends JSON values other than objects.
func TestBodiesThatAreNotObjects(t *testing.T) {
	t.Parallel()
	for i, s := range subjects {
		if s.operation == "createAPIKey" || s.pause > 0 && s.operation != "putOpenID" {
			continue // the body has the credentials
		}
		t.Run(fmt.Sprint(i, " ", s.operation), func(t *testing.T) {
			t.Parallel()
			r := s.start(t)
			for _, root := range []any{nil, true, json.Number("7"), "text", []any{}, []any{map[string]any{}}, map[string]any{}} {
				r.judge(t, root)
			}
		})
	}
}

// unmutated are operations of which no request is mutated, although they take JSON.
var unmutated = []string{
	"acceptInvitation", "beginOperatorTOTP", "beginTOTP", "changeOperator", "changeOperatorPassword", "changePassword",
	"confirmCourierMessage", "confirmEmail", "createRateCard", "previewRateCard",
	"removeOperatorTOTP", "removeTOTP", "resetOperatorPassword", "resetPassword", "validateOrder",
}

// TestRequestsAreMutated fails for an operation that takes JSON and is in neither of subjects and unmutated.
func TestRequestsAreMutated(t *testing.T) {
	t.Parallel()
	for _, o := range read(t).operations {
		mutated := slices.ContainsFunc(subjects, func(s subject) bool { return s.operation == o.id })
		if o.hasBody() && o.takesType() == "application/json" && mutated == slices.Contains(unmutated, o.id) {
			t.Errorf("%s: got it in subjects %v, in unmutated %v, want one of them", o.id, mutated, !mutated)
		}
	}
}

// mutatedElsewhere are members that no subject needs to have, because others with the same schema and code are mutated.
var mutatedElsewhere = regexp.MustCompile(strings.Join([]string{
	`^createOrderBatch orders\[0\]\.`, `^createReturn (items|parcels)`, // see createOrder
	`^putLocation address\.(line2|notes)$`,
	`^redeliverEvents endpoint_id$`,    // there is no other endpoint to name
	`^validateRateCard card\.levels\.`, // zones and levels are alike
	` items\[0\]\.(sku|barcode)$`,      // an item has one of them and product_id, see TestItemRules
}, "|"))

// TestSubjectsHaveEveryMember fails for a documented member of a request that no body of the subjects has, so that
// no mutation reaches it.
func TestSubjectsHaveEveryMember(t *testing.T) {
	t.Parallel()
	c := read(t)
	bodies := map[string][]string{}
	for _, s := range subjects {
		bodies[s.operation] = append(bodies[s.operation], testkit.Members(t, []byte(s.body))...)
	}
	for operation, has := range bodies {
		for _, path := range propertiesOf(c.operation(operation).requestSchema(), "") {
			if mutatedElsewhere.MatchString(operation + " " + path) {
				continue
			}
			if !slices.ContainsFunc(has, func(member string) bool {
				return member == path || strings.HasPrefix(member, path+".") || strings.HasPrefix(member, path+"[0]")
			}) {
				t.Errorf("%s: got no body with %s in subjects", operation, path)
			}
		}
	}
}

// TestOrdersHaveNoOtherMembers fails for a field of an order that the service reads or answers and the documents lack.
// Other tests find that only when their orders have the field.
func TestOrdersHaveNoOtherMembers(t *testing.T) {
	t.Parallel()
	var order delivery.Order
	testkit.Fill(&order)
	c := read(t)
	for _, one := range []struct {
		operation string
		body      []byte
		schema    func(*operation) node
	}{
		{"createOrder", record.EncodeRequest(&order.OrderRequest), (*operation).requestSchema},
		{"getOrder", record.EncodeCurrent(&order), answerSchema},
		{"getOrderRecord", record.EncodeForOperators(&order), func(o *operation) node {
			return answerSchema(o).at("properties", "order")
		}},
	} {
		documented := propertiesOf(one.schema(c.operation(one.operation)), "")
		for _, path := range testkit.Members(t, one.body) {
			if path != "metadata.in" && // which is the partner's own
				!slices.Contains(documented, strings.TrimSuffix(path, "[0]")) {
				t.Errorf("%s: got the member %s of an order, which the document lacks", one.operation, path)
			}
		}
	}
}

func answerSchema(o *operation) node {
	return o.response("200").at("content", "application/json", "schema")
}

// propertiesOf returns the paths of all properties of a schema, those of a list by its first element.
func propertiesOf(schema node, path string) (paths []string) {
	for _, name := range schema.at("properties").members() {
		inner := strings.TrimPrefix(path+"."+name, ".")
		paths = append(append(paths, inner), propertiesOf(schema.at("properties", name), inner)...)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range schema.at(keyword).elements() {
			paths = append(paths, propertiesOf(part, path)...)
		}
	}
	if items := schema.at("items"); items.value != nil {
		paths = append(paths, propertiesOf(items, path+"[0]")...)
	}
	return paths
}
