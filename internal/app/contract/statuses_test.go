package contract_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// undriven are the operations whose 500 and 503 no test produces, with the
// reason. Every other documented pair of operation and status must be produced.
var undriven = map[string]string{
	"getHealth":     "it touches nothing that could fail or take time",
	"getOpenAPI":    "it answers what is in memory",
	"logout":        "its only part that could fail is the database",
	"logoutByPost":  "its only part that could fail is the database",
	"getMe":         "its only part that could fail is the database",
	"listAPIKeys":   "its only part that could fail is the database",
	"revokeAPIKey":  "its only part that could fail is the database",
	"createQuote":   "it computes, and then answers",
	"listProducts":  "its only part that could fail is the database",
	"listMovements": "its only part that could fail is the database",
	"listCouriers":  "its only part that could fail is the database",
	"createProduct": "its only part that could fail is the database",

	"getProof": "its only part that could fail is where proofs are kept",

	"listCatalogue":  "its only part that could fail is the database",
	"exportProducts": "its only part that could fail is the database",
	"importProducts": "its only part that could fail is the database",
	"getProduct":     "its only part that could fail is the database",
	"changeProduct":  "its only part that could fail is the database",
	"listJournal":    "its only part that could fail is the database",
	"createCount":    "its only part that could fail is the database",
	"listLowStock":   "its only part that could fail is the database",
	"createMovement": "its only part that could fail is the database",

	"getWebhookEndpoint":    "its only part that could fail is the database",
	"deleteWebhookEndpoint": "its only part that could fail is the database",
	"activateWebhookSecret": "its only part that could fail is the database",
	"listEvents":            "its only part that could fail is the database",
	"getEvent":              "its only part that could fail is the database",
	"redeliverEvent":        "its only part that could fail is the database",
	"redeliverEvents":       "its only part that could fail is the database",
	"followEvents":          "its only part that could fail is the database",
}

// drive produces an answer of an operation.
type drive func(t *testing.T, o *operation) *apptest.Answer

// drives are how the answers of a status are produced, for one operation or
// for all the others ("*"). What a documented example answers is not repeated.
var drives = map[string]drive{
	"* 200": driveSuccess,
	"* 400": driveMalformed,
	"* 401": driveAnonymous,
	"* 403": driveCrossSite,
	"* 404": driveUnknown,
	"* 413": driveTooLarge,
	"* 415": driveOtherType,
	"* 422": driveOutOfBounds,
	"* 429": driveTooMany,
	"* 500": driveFault,
	"* 503": driveTimeout,

	"createOrder 409":  driveDuplicate,
	"createAPIKey 409": driveManyKeys,
	"cancelOrder 409":  driveTooLate,

	"createOrderBatch 409": driveInProgress,

	"putWebhookEndpoint 200": driveAgain,
	"redeliverEvent 422":     driveNoEndpoint,
	"testWebhook 422":        driveNoEndpoint,
}

func TestEveryDocumentedStatus(t *testing.T) {
	t.Parallel()
	for _, o := range read(t).operations {
		for _, status := range o.statuses() {
			name := o.id + " " + status
			if status == "500" || status == "503" {
				if _, known := undriven[o.id]; known {
					continue
				}
			}
			shown := slices.ContainsFunc(o.examples(), func(e example) bool { return e.answers == status })
			produce := drives[name]
			if produce == nil {
				produce = drives["* "+status]
			}
			if shown || produce == nil {
				if !shown {
					t.Errorf("nothing produces %s", name)
				}
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if got := produce(t, o); strconv.Itoa(got.Status) != status {
					t.Errorf("got %d: %s", got.Status, got.Body)
				}
			})
		}
	}
}

// TestUndrivenExist keeps the list of exceptions from outliving its reasons.
func TestUndrivenExist(t *testing.T) {
	t.Parallel()
	for id := range undriven {
		read(t).operation(id) // panics if there is none
	}
}

// driveSuccess sends the operation as it is meant, without a body.
func driveSuccess(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: o.id, path: f.prepare(t, o)})
}

func driveMalformed(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	if o.hasBody() {
		return f.send(t, call{operation: o.id, body: []byte(`{"name":"a","name":"b"}`)})
	}
	return f.send(t, call{operation: o.id, query: "?limit=%zz"})
}

func driveAnonymous(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, body: validBody(o), anonymous: true})
}

// validBody is a body that fits the operation; nil if it takes none.
func validBody(o *operation) []byte {
	return map[string][]byte{
		"registerPartner":   []byte(`{"name":"Port","email":"tech@port.example","password":"brume-et-vent-1907"}`),
		"login":             []byte(`{"email":"` + examplePartner + `","password":"` + examplePassword + `"}`),
		"createAPIKey":      []byte(`{"name":"production"}`),
		"createQuote":       testkit.OrderJSON("ignored", ""),
		"createOrder":       testkit.OrderJSON("A-1", ""),
		"createOrderBatch":  fmt.Appendf(nil, `{"orders":[%s]}`, testkit.OrderJSON("A-1", "")),
		"validateOrder":     testkit.OrderJSON("A-1", ""),
		"cancelOrder":       []byte(`{"reason":"changed my mind"}`),
		"createToken":       []byte(`{"email":"` + exampleOperator + `","password":"` + exampleNight + `"}`),
		"createCourier":     []byte(`{"name":"Amélie","phone":"+15145550188","vehicle":"van"}`),
		"changeOrderStatus": []byte(`{"status":"accepted"}`),
		"createProduct":     []byte(`{"name":"Lamp","price":12.5}`),
		"importProducts":    []byte("name,price\nSugar,4.5\n"),
		"changeProduct":     []byte(`{"price":19.5}`),
		"createCount":       []byte(`{"location":"MTL-01","lines":[{"product_id":1,"counted":3}]}`),
		"createMovement":    []byte(`{"type":"IN","product_id":1,"quantity":1,"location":"MTL-01"}`),

		"putWebhookEndpoint": []byte(`{"url":"https://hooks.example.com/dropyard"}`),
		"redeliverEvents":    []byte(`{"since":"2026-01-01T00:00:00Z"}`),
	}[o.id]
}

// driveCrossSite asks as an operator of another role, where roles count, and
// otherwise as a browser does for another site.
func driveCrossSite(t *testing.T, o *operation) *apptest.Answer {
	if o.access() != api.AccessOperator {
		cross := call{operation: o.id, body: validBody(o), headers: []string{"Sec-Fetch-Site", "cross-site"}, session: true}
		return newFixture(t, roomy).send(t, cross)
	}
	const rider = "rider@example.com"
	f := newFixture(t, roomy, withOperator(t, rider, exampleNight, "courier"))
	f.operator = f.operate(t, rider, exampleNight)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

func driveUnknown(t *testing.T, o *operation) *apptest.Answer {
	nothing := map[string]string{"order_id": "ord_00000000000000000000000000000000", "key_id": "key_none", "partner_id": "par_00000000"}
	f := newFixture(t, roomy)
	if o.takes("path", "event_id") {
		f.partner.SetEndpoint(t, apptest.NewReceiver(t).URL)
	}
	return f.send(t, call{operation: o.id, body: validBody(o), path: nothing})
}

func driveTooLarge(t *testing.T, o *operation) *apptest.Answer {
	most := int64(1 << 20)
	for _, route := range api.Routes() {
		if route.Method == o.method && route.Pattern == o.path {
			most = max(most, route.MaxBody)
		}
	}
	return newFixture(t, roomy).send(t, call{operation: o.id, body: bytes.Repeat([]byte(" "), int(most)+1)})
}

func driveOtherType(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, body: []byte(`{}`), headers: []string{"Content-Type", "text/plain"}})
}

func driveOutOfBounds(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, query: "?limit=0"})
}

// driveTooMany exceeds the rate of requests, or of wrong passwords.
func driveTooMany(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, apptest.RateLimit(1))
	request := call{operation: o.id, body: validBody(o)}
	switch {
	case o.isSigned(), o.access() == api.AccessTracking:
	case o.asksFor("partnerPassword"):
		request.headers = []string{"X-Partner-Email", examplePartner, "X-Partner-Password", "wrong"}
	default:
		request.body = bytes.Replace(request.body, []byte(`"password":"`), []byte(`"password":"not `), 1)
	}
	var answer *apptest.Answer
	for range 12 {
		if answer = f.send(t, request); answer.Status == 429 {
			break
		}
	}
	return answer
}

// driveManyKeys creates keys until that is refused.
func driveManyKeys(t *testing.T, o *operation) (answer *apptest.Answer) {
	f := newFixture(t, roomy)
	for range 1100 {
		if answer = f.send(t, call{operation: o.id}); answer.Status != 201 {
			break
		}
	}
	return answer
}

// driveAgain does a thing twice.
func driveAgain(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.send(t, call{operation: o.id, body: validBody(o)}).Must(t, 201)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

func driveNoEndpoint(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: o.id, path: f.newEvent(t)})
}

func driveDuplicate(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.send(t, call{operation: o.id, body: validBody(o)}).Must(t, 201)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

func driveTooLate(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.newOrder(t)
	f.move(t, order, "accepted").Must(t, 200)
	f.move(t, order, "courier_assigned").Must(t, 200)
	return f.send(t, call{operation: o.id, path: order})
}

// covered tells whether a path, which may have parameters itself, is one that
// another path with parameters stands for.
func covered(by, path string) bool {
	pattern, steps := strings.Split(by, "/"), strings.Split(path, "/")
	return len(pattern) == len(steps) && !slices.ContainsFunc(steps, func(step string) bool {
		wanted := pattern[0]
		pattern = pattern[1:]
		return wanted != step && (!strings.HasPrefix(wanted, "{") || strings.HasPrefix(step, "{"))
	})
}

// TestOtherMethodsAreRefused tries every method that a path does not have.
func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	f, c := newFixture(t, roomy), read(t)
	refusal := c.documents["openapi.yaml"].node(c).at("components", "responses", "MethodNotAllowed")
	allowed := map[string][]string{}
	for _, path := range c.operations {
		for _, o := range c.operations {
			if !covered(o.path, path.path) || slices.Contains(allowed[path.path], o.method) {
				continue
			}
			allowed[path.path] = append(allowed[path.path], o.method)
			if o.method == "GET" {
				allowed[path.path] = append(allowed[path.path], "HEAD")
			}
		}
	}
	for path, known := range allowed {
		for _, method := range []string{"GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"} {
			if slices.Contains(known, method) {
				continue
			}
			answer := f.Do(t, method, strings.NewReplacer("{", "", "}", "").Replace(path), nil).Must(t, 405)
			checkAnswer(t, method+" "+path, refusal, answer)
			told := strings.Split(answer.Header.Get("Allow"), ", ")
			if slices.Sort(known); !slices.Equal(slices.Sorted(slices.Values(told)), known) {
				t.Errorf("%s %s: Allow tells %v, documented are %v", method, path, told, known)
			}
		}
	}
}

func TestUnknownPathsAreNotFound(t *testing.T) {
	t.Parallel()
	f, c := newFixture(t, roomy), read(t)
	refusal := c.documents["openapi.yaml"].node(c).at("components", "responses", "NotFound")
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/orders/", "/v1//orders", "/v2/orders", "/ops/v1/none", "/track/", "/track/x/y"} {
		checkAnswer(t, path, refusal, f.Do(t, "GET", path, nil).Must(t, 404))
	}
}
