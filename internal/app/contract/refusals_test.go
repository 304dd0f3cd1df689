package contract_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit"
)

// cardUpload returns a request to upload the built-in card with a higher price per
// parcel, under another name and version.
func cardUpload(name, version string) []byte {
	file := regexp.MustCompile(`"effective_from": "[^"]*",`).ReplaceAllString(string(pricing.DefaultCardFile()), "")
	file = strings.NewReplacer("default-1", version, `"parcel_cents": 150`, `"parcel_cents": 175`).Replace(file)
	return fmt.Appendf(nil, `{"name":%q,"card":%s}`, name, file)
}

// driveSuspended sends the request of a suspended partner.
func driveSuspended(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.operator.Call(t, "PATCH", "/ops/v1/partners/"+f.partner.PartnerID, []byte(`{"suspended":true}`)).Must(t, 200)
	request := call{operation: o.id, body: validBody(o)}
	if o.asksFor("partnerPassword") {
		request.headers = f.partner.Login()
	}
	return f.send(t, request)
}

// driveOthersTokens requests what only an admin may see.
func driveOthersTokens(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	query := "?operator_id=" + f.operator.OperatorID
	f.operator = f.operator.As(t, "warehouse")
	return f.send(t, call{operation: o.id, query: query})
}

// driveCrossSiteSession sends a request with an operator's session from another site.
func driveCrossSiteSession(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	in := f.send(t, call{operation: "operatorLogin", body: validBody(f.contract.operation("operatorLogin"))}).Must(t, 200)
	cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	headers := []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site"}
	return f.send(t, call{operation: o.id, body: validBody(o), anonymous: true, headers: headers})
}

// cardBody is a rate card with every member.
const cardBody = `{"version":"v","effective_from":"2036-06-01T00:00:00-04:00","levels":{
"standard":{"cut_off":"13:00","deliver_by":"18:00","zones":{"local":{"base_cents":795,"per_kg_cents":45,"transit_days":3},"regional":null}},
"express":{"cut_off":"13:00","deliver_by":"18:00","zones":{"remote":{"base_cents":795,"per_kg_cents":45,"transit_days":2}}},
"same_day":{"cut_off":"13:00","deliver_by":"18:00","zones":{}}},
"parcel_cents":150,"included_grams":1000,"fragile_cents":250,"insurance":{"basis_points":100,"minimum_cents":200},
"cod":{"basis_points":150,"minimum_cents":450},"fuel_basis_points":1250,"cad_per_10000_usd":13750,
"attempt_cents":300,"return_cents":450,"late_cancellation_cents":400}`

// TestRareRefusals sends requests whose refusals are documented as examples, and which
// no other test sends.
func TestRareRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	f.send(t, call{operation: "createOrder", body: []byte(`{"partner_order_id":`)}).Must(t, 400)
	f.send(t, call{operation: "getOperator", anonymous: true, headers: []string{"Authorization", "Bearer none"}}).Must(t,
		401)
	night := f.send(t, call{operation: "createOperator", body: validBody(f.contract.operation("createOperator"))}).Must(t,
		201)
	f.send(t, call{operation: "changeOperator", path: map[string]string{
		"operator_id": night.Text("operator_id"),
	}, body: []byte(`{"active":false}`)}).Must(t, 200)
	f.send(t, call{
		operation: "operatorLogin", body: []byte(`{"email":"night@example.com","password":"lune-sur-les-quais-88"}`),
	}).Must(t, 403)
	order := f.newOrder(t)
	f.move(t, order, "accepted").Must(t, 200)
	f.send(t, call{operation: "changeOrderStatus", path: order, body: []byte(`{"status":"cancelled","version":9}`)}).
		Refused(t, 409, "invalid_transition")
	f.send(t, call{
		operation: "changeOrderStatus", path: order,
		body: []byte(`{"status":"courier_assigned","courier_id":"cou_6va1q5tdr9ce62kh"}`),
	}).Must(t, 422)
	f.send(t, call{
		operation: "erasePartnerOrders", path: map[string]string{"partner_id": f.partner.PartnerID},
		body: []byte(`{"recipient":"` + examplePartner + `"}`),
	}).Must(t, 422)

	secure := &fixture{Service: apptest.Start(t, roomy), contract: f.contract, operator: &apptest.Operator{}}
	secure.partner = secure.register(t)
	secure.send(t, call{
		operation: "putWebhookEndpoint", body: []byte(`{"url":"http://hooks.epicerie-metro.example/dropyard"}`),
	}).Must(t, 422)

	closed := &fixture{Service: apptest.Start(t, roomy,
		func(c *config.Config, _ *app.Surroundings) { c.Registration = "closed" }), contract: f.contract,
		partner: &apptest.Partner{}, operator: &apptest.Operator{}}
	closed.send(t, call{operation: "registerPartner", body: validBody(f.contract.operation("registerPartner"))}).Must(t,
		403)
}

// TestSKUTaken gives products a sku that another one has.
func TestSKUTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	lamp := []byte(`{"name":"Lamp","price":12.5,"sku":"LP-1"}`)
	f.send(t, call{operation: "createProduct", body: lamp}).Must(t, 201)
	f.send(t, call{operation: "createProduct", body: lamp}).Refused(t, 409, "sku_taken")
	f.send(t, call{operation: "changeProduct", body: []byte(`{"sku":"LP-1"}`)}).Refused(t, 409, "sku_taken")
	for _, item := range []string{`"sku":"LP-1"`, `"barcode":"B-Lamp"`} {
		f.send(t, call{operation: "validateOrder", body: testkit.OrderJSON("A-1", `[{`+item+`,"quantity":1}]`)}).Must(t, 200)
	}
}
