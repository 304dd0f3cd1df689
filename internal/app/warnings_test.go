package app_test

import (
	"encoding/json"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestWarnings: a window that cannot be met is accepted with a warning, which is kept
// with the order and left out of lists.
func TestWarnings(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	plain := withWindow(t, testkit.OrderJSON("W-1", ""), "2026-01-15T14:00:00Z", "2026-01-30T22:00:00Z")
	if created := p.Create(t, plain).Must(t, 201); created.JSON("warnings") != nil {
		t.Errorf("an ordinary order: got %s, want no warnings", created.Body)
	}
	hurried := withWindow(t, testkit.OrderJSON("W-2", ""), "2026-01-05T09:00:00Z", "2026-01-05T10:00:00Z")
	check := func(name string, answer *apptest.Answer) {
		t.Helper()
		for i, code := range []string{"dropoff_before_pickup", "late"} {
			if got := answer.Text("warnings", i, "code"); got != code {
				t.Errorf("%s: got warning %d %q, want %q: %s", name, i, got, code, answer.Body)
			}
		}
	}
	check("quote", p.Call(t, "POST", "/v1/rates/quote", hurried).Must(t, 200))
	check("validate", p.Call(t, "POST", "/v1/orders/validate", hurried).Must(t, 200))
	created := p.Create(t, hurried).Must(t, 201)
	check("create", created)
	id := created.Text("order_id")
	check("get", p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200))
	if listed := p.Call(t, "GET", "/v1/orders?partner_order_id=W-2", nil).Must(t, 200); listed.Len("orders") != 1 ||
		listed.JSON("orders", 0, "warnings") != nil {
		t.Errorf("list: got %s, want one order without its warnings", listed.Body)
	}
	check("cancel", p.Cancel(t, id, "").Must(t, 200))
}

// withWindow returns an order with another time window of the dropoff.
func withWindow(t *testing.T, body []byte, start, end string) []byte {
	t.Helper()
	var order map[string]any
	if err := json.Unmarshal(body, &order); err != nil {
		t.Fatal(err)
	}
	order["dropoff"].(map[string]any)["time_window"] = map[string]string{"start": start, "end": end}
	changed, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}
