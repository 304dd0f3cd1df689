package contract_test

import (
	"strings"
	"testing"
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
