package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// orderFor creates an order for a partner by the desk.
func orderFor(t *testing.T, by *apptest.Operator, partnerID, key string, body []byte) *apptest.Answer {
	t.Helper()
	headers := []string{"Authorization", "Bearer " + by.Token, "Content-Type", "application/json"}
	if key != "" {
		headers = append(headers, "Idempotency-Key", key)
	}
	return by.Do(t, "POST", "/ops/v1/partners/"+partnerID+"/orders", body, headers...)
}

// TestOrdersByDesk creates orders for a partner: they are the partner's own, at its price and from its stock, and
// say to operators who created them.
func TestOrdersByDesk(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	desk, partnerID := f.operator.As(t, "dispatcher"), f.partner.PartnerID
	lamp := f.operator.Stock(t, partnerID, "Lamp", map[string]int{"MTL-1": 3})
	wanted := func(number string, lamps int) []byte {
		return testkit.OrderJSON(number, fmt.Sprintf(`[{"product_id":%d,"quantity":%d}]`, lamp, lamps))
	}
	const key = "0190a1b2-0000-7000-8000-00000000000a"
	own := f.partner.Call(t, "POST", "/v1/orders", wanted("A-1", 1), "Idempotency-Key", key).Must(t, 201)
	made := orderFor(t, desk, partnerID, key, wanted("A-2", 1)).Must(t, 201)
	if made.Text("partner_order_id") != "A-2" || made.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("got %s, want an order of its own under the partner's key", made.Body)
	}
	if made.JSON("rate_cents") != own.JSON("rate_cents") {
		t.Errorf("got the rate %v, want the partner's, %v", made.JSON("rate_cents"), own.JSON("rate_cents"))
	}
	again := orderFor(t, desk, partnerID, key, wanted("A-2", 1)).Must(t, 201)
	if !bytes.Equal(again.Body, made.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %s, want the first answer again", again.Body)
	}
	orderFor(t, desk, partnerID, key, wanted("A-3", 1)).Refused(t, 422, "idempotency_key_reused")
	orderFor(t, f.operator, partnerID, key, wanted("A-2", 1)).Refused(t, 409, "conflict")
	replayed := f.partner.Call(t, "POST", "/v1/orders", wanted("A-1", 1), "Idempotency-Key", key).Must(t, 201)
	if !bytes.Equal(replayed.Body, own.Body) {
		t.Errorf("got %s, want the partner's own order again", replayed.Body)
	}

	id := made.Text("order_id")
	read := f.partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
	if read.Text("partner_order_id") != "A-2" || strings.Contains(string(read.Body), "created_by") ||
		strings.Contains(string(made.Body), "created_by") {
		t.Errorf("got %s, want the partner's order without the operator", read.Body)
	}
	shown := desk.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
	if shown.Text("created_by", "operator_id") != desk.OperatorID || shown.Text("created_by", "email") != desk.Email {
		t.Errorf("got %s, want the dispatcher as its creator", shown.Body)
	}
	theirs := desk.Call(t, "GET", "/ops/v1/orders/"+own.Text("order_id"), nil).Must(t, 200)
	if theirs.JSON("created_by") != nil {
		t.Errorf("got %s, want no operator for the partner's own order", theirs.Body)
	}
	entries := f.operator.Call(t, "GET", "/ops/v1/audit?object_id=A-2", nil).Must(t, 200)
	if entries.Len("entries") != 1 || entries.Text("entries", 0, "action") != "order.created" ||
		entries.Text("entries", 0, "operator_id") != desk.OperatorID {
		t.Errorf("got %s, want one entry of the creation", entries.Body)
	}

	// What the partner would be refused is refused.
	const other = "0190a1b2-0000-7000-8000-00000000000b"
	orderFor(t, desk, partnerID, other, wanted("A-4", 2)).Refused(t, 422, "insufficient_stock")
	orderFor(t, desk, partnerID, other, []byte(`{"partner_order_id":"A-4"}`)).Refused(t, 422, "validation_error")
	orderFor(t, desk, partnerID, "", wanted("A-4", 1)).Refused(t, 400, "bad_request")
	orderFor(t, desk, "par_00000000", other, wanted("A-4", 1)).Refused(t, 404, "not_found")
	for _, role := range []string{"courier", "warehouse"} {
		orderFor(t, f.operator.As(t, role), partnerID, other, wanted("A-4", 1)).Refused(t, 403, "forbidden")
	}
	suspend := func(suspended bool) {
		body := fmt.Appendf(nil, `{"suspended":%t}`, suspended)
		f.operator.Call(t, "PATCH", "/ops/v1/partners/"+partnerID, body).Must(t, 200)
	}
	suspend(true)
	orderFor(t, desk, partnerID, other, wanted("A-4", 1)).Refused(t, 403, "forbidden")
	suspend(false)
	orderFor(t, desk, partnerID, other, wanted("A-4", 1)).Must(t, 201)
}
