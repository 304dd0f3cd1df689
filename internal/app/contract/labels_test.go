package contract_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestLabelsInBothForms requests the labels of an order in each form, and those of
// another partner's order.
func TestLabelsInBothForms(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	order := f.newOrder(t)
	for accept, want := range map[string]string{
		"": "pdf", "application/zpl": "zpl", "x-application/zpl": "zpl", "application/json": "pdf",
	} {
		request := call{operation: "getLabel", path: order, headers: []string{"Accept", accept}}
		answer := f.send(t, request).Must(t, 200)
		if kind := answer.Header.Get("Content-Type"); kind != "application/"+want {
			t.Errorf("accepting %q: got Content-Type %s", accept, kind)
		}
		name := `inline; filename="label-` + order["order_id"] + "." + want + `"`
		if answer.Header.Get("Content-Disposition") != name || answer.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("accepting %q: got headers %v", accept, answer.Header)
		}
		if again := f.send(t, request); string(again.Body) != string(answer.Body) {
			t.Errorf("accepting %q: got another file for the same request", accept)
		}
		if want == "zpl" &&
			(strings.Count(string(answer.Body), "^XA\n") != 2 || !strings.Contains(string(answer.Body), "^FDLAMP-2^FS")) {
			t.Errorf("got %s, want labels of two parcels", answer.Body)
		}
	}
	f.partner = f.Register(t, "Another")
	if got := f.send(t, call{operation: "getLabel", path: order}).Must(t, 404); got.Code() != "not_found" {
		t.Errorf("another partner's order: got %s, want not_found", got.Body)
	}
}

// TestLabelsOfSeveralOrders: the labels of several orders are those of each, in the order in which the orders are
// named; of all of them, or of none.
func TestLabelsOfSeveralOrders(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	first, second := f.newOrder(t)["order_id"], f.newOrder(t)["order_id"]
	print := func(accept string, orderIDs ...string) *apptest.Answer {
		query := "?" + url.Values{"order_id": orderIDs}.Encode()
		return f.send(t, call{operation: "getLabels", query: query, headers: []string{"Accept", accept}})
	}
	alone := func(orderID string) string {
		one := call{
			operation: "getLabel", path: map[string]string{"order_id": orderID},
			headers: []string{"Accept", "application/zpl"},
		}
		return string(f.send(t, one).Must(t, 200).Body)
	}
	both := print("application/zpl", second, first).Must(t, 200)
	if want := alone(second) + alone(first); string(both.Body) != want {
		t.Errorf("got %s, want %s", both.Body, want)
	}
	if name := both.Header.Get("Content-Disposition"); name != `inline; filename="labels.zpl"` {
		t.Errorf("got %s, want labels.zpl", name)
	}
	if pdf := print("", first, second).Must(t, 200); strings.Count(string(pdf.Body), "/Type /Page\n") != 4 {
		t.Errorf("got %d bytes, want a PDF of 4 pages", len(pdf.Body))
	}
	var many []string
	for n := range 101 {
		many = append(many, fmt.Sprintf("ord_%032d", n))
	}
	for name, orderIDs := range map[string][]string{
		"no order": nil, "twice the same": {first, second, first}, "too many": many,
	} {
		got := print("", orderIDs...).Must(t, 422)
		if expected := got.Text("error", "details", "expected"); expected != "1 to 100 orders, each once" {
			t.Errorf("%s: got %s, want the rule for orders", name, got.Body)
		}
		if value := got.JSON("error", "details", "value"); (value == first) != (name == "twice the same") {
			t.Errorf("%s: got the value %v, want the order that is repeated", name, value)
		}
	}
	unknown := "ord_" + strings.Repeat("0", 32)
	for _, missing := range []string{unknown, "EM-1042"} {
		got := print("", first, missing).Must(t, 404)
		if got.Code() != "not_found" || got.Text("error", "details", "order_id") != missing ||
			got.Text("error", "message") != "order "+missing+" does not exist" {
			t.Errorf("%s among them: got %s, want not_found with that order", missing, got.Body)
		}
	}
	f.move(t, map[string]string{"order_id": first}, "cancelled").Must(t, 200)
	f.send(t, call{
		operation: "erasePartnerOrders", path: map[string]string{"partner_id": f.partner.PartnerID},
		body: fmt.Appendf(nil, `{"order_ids":[%q]}`, first),
	}).Must(t, 200)
	got := print("", second, first).Must(t, 422)
	if got.Text("error", "details", "value") != first ||
		got.Text("error", "details", "expected") != "an order that has not been erased" {
		t.Errorf("an erased order among them: got %s, want a fault that names it", got.Body)
	}
}

// newLabelLink creates an order and a link to its labels, and returns the parameters of the link's address.
func (f *fixture) newLabelLink(t testing.TB, body string) map[string]string {
	t.Helper()
	path := f.newOrder(t)
	link := f.send(t, call{operation: "createLabelLink", path: path, body: []byte(body)}).Must(t, 200)
	parts := strings.Split(link.Text("url"), "/")
	return map[string]string{"order_id": parts[len(parts)-3], "token": parts[len(parts)-1]}
}

func driveSuspendedLabel(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	path := f.newLabelLink(t, `{}`)
	f.operator.Call(t, "PATCH", "/ops/v1/partners/"+f.partner.PartnerID, []byte(`{"suspended":true}`)).Must(t, 200)
	return f.send(t, call{operation: o.id, path: path})
}

// TestLinkedLabels: a link returns what the signed request returns, and no other order's labels.
func TestLinkedLabels(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	for body, format := range map[string]string{
		`{}`: "application/pdf", `{"format":null,"dpi":600}`: "application/pdf",
		`{"format":"application/zpl","dpi":300}`: "application/zpl", `{"format":"application/zpl"}`: "application/zpl",
	} {
		path := f.newLabelLink(t, body)
		linked := f.send(t, call{operation: "getLinkedLabel", path: path}).Must(t, 200)
		dpi := "203"
		if _, after, ok := strings.Cut(body, `"dpi":`); ok {
			dpi = after[:3]
		}
		signed := f.send(t, call{
			operation: "getLabel", path: path, query: "?dpi=" + dpi, headers: []string{"Accept", format},
		}).Must(t, 200)
		if string(linked.Body) != string(signed.Body) || linked.Header.Get("Content-Type") != format {
			t.Errorf("%s: got another file than GET …/label", body)
		}
		if linked.Header.Get("Access-Control-Allow-Origin") != "" || linked.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got headers %v", body, linked.Header)
		}
		other := map[string]string{"order_id": f.newOrder(t)["order_id"], "token": path["token"]}
		f.send(t, call{operation: "getLinkedLabel", path: other}).Must(t, 404)
	}
}
