package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestPreviewOfAnEdit compares what a preview answers, of a partner's edit and of one by the
// service, with what the edit answers then: they are the same, byte for byte, and the preview
// writes nothing.
func TestPreviewOfAnEdit(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, o := s.Register(t, "metro"), s.Operate(t)
	lamp := o.Stock(t, p.PartnerID, "Lamp", map[string]int{"A": 3})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":1}]`, lamp)
	waiting := p.Create(t, testkit.OrderJSON("E-1", items)).Must(t, 201).Text("order_id")
	assigned := p.Create(t, testkit.OrderJSON("E-2", "")).Must(t, 201).Text("order_id")
	o.Move(t, assigned, "accepted").Must(t, 200)
	o.Move(t, assigned, "courier_assigned").Must(t, 200)

	byPartner := func(orderID, patch string, headers ...string) (preview, edit func() *apptest.Answer) {
		key := append([]string{"Idempotency-Key", uuid.NewString()}, headers...)
		send := func(query string) func() *apptest.Answer {
			return func() *apptest.Answer {
				return p.Call(t, "PATCH", "/v1/orders/"+orderID+query, []byte(patch), key...)
			}
		}
		return send("?preview=true"), send("?preview=false")
	}
	byService := func(orderID, patch string) (preview, edit func() *apptest.Answer) {
		body := []byte(`{"reason":"by phone",` + patch[1:])
		send := func(query string) func() *apptest.Answer {
			return func() *apptest.Answer { return o.Call(t, "PATCH", "/ops/v1/orders/"+orderID+query, body) }
		}
		return send("?preview=true"), send("")
	}
	for _, c := range []struct {
		what   string
		status int
		try    func() (preview, edit func() *apptest.Answer)
	}{
		{"a phone number", 200, func() (preview, edit func() *apptest.Answer) {
			return byPartner(waiting, `{"dropoff":{"phone":"+14165550199"}}`)
		}},
		{"nothing", 200, func() (preview, edit func() *apptest.Answer) {
			return byPartner(waiting, `{"dropoff":{"phone":"+14165550199"}}`)
		}},
		{"weights", 200, func() (preview, edit func() *apptest.Answer) {
			return byPartner(waiting, `{"parcels":[{"parcel_id":"P-1","description":"Anvil","length_cm":30,"width_cm":30,`+
				`"height_cm":30,"weight_kg":40,"value_cents":100}]}`)
		}},
		{"items", 200, func() (preview, edit func() *apptest.Answer) {
			return byPartner(waiting, strings.Replace(`{"items":`+items+`}`, `"quantity":1`, `"quantity":3`, 1))
		}},
		{"too many items", 422, func() (preview, edit func() *apptest.Answer) {
			return byPartner(waiting, strings.Replace(`{"items":`+items+`}`, `"quantity":1`, `"quantity":9`, 1))
		}},
		{"faults", 422, func() (preview, edit func() *apptest.Answer) {
			return byPartner(waiting, `{"dropoff":{"phone":"no"},"service_level":null}`)
		}},
		{"a stale version", 409, func() (preview, edit func() *apptest.Answer) {
			return byPartner(waiting, `{"reference":"R"}`, "If-Match", `"1"`)
		}},
		{"too late for the partner", 409, func() (preview, edit func() *apptest.Answer) {
			return byPartner(assigned, `{"dropoff":{"address":{"city":"Ottawa"}}}`)
		}},
		{"the city, by the service", 200, func() (preview, edit func() *apptest.Answer) {
			return byService(assigned, `{"dropoff":{"address":{"city":"Ottawa"}}}`)
		}},
		{"too late for the service", 409, func() (preview, edit func() *apptest.Answer) {
			return byService(assigned, `{"service_level":"standard"}`)
		}},
		{"another partner's order", 404, func() (preview, edit func() *apptest.Answer) {
			return byPartner("ord_none", `{"reference":"R"}`)
		}},
	} {
		preview, edit := c.try()
		before := s.Content(t) + fmt.Sprint(s.Query(t, `SELECT count(*) FROM audit`))
		shown := preview().Must(t, c.status)
		if after := s.Content(t) + fmt.Sprint(s.Query(t, `SELECT count(*) FROM audit`)); after != before {
			t.Errorf("%s: got content\n%s\nafter a preview, want it unchanged\n%s", c.what, after, before)
		}
		done := edit().Must(t, c.status)
		if got, want := withoutID(shown), withoutID(done); got != want {
			t.Errorf("%s: the preview is\n%s\nand the edit\n%s", c.what, got, want)
		}
	}
	for query, want := range map[string]int{"?preview=": 422, "?preview=yes": 422, "?previw=true": 422} {
		p.Call(t, "PATCH", "/v1/orders/"+waiting+query, []byte(`{"reference":"R"}`), "Idempotency-Key", uuid.NewString()).
			Must(t, want)
	}
	o.As(t, "courier").Call(t, "PATCH", "/ops/v1/orders/"+assigned+"?preview=true", []byte(`{"reason":"x"}`)).
		Must(t, http.StatusForbidden)
	if read := p.Call(t, "GET", "/v1/orders/"+waiting, nil).Must(t, 200); read.JSON("reference") == "R" {
		t.Errorf("got %s, want the order without the edits that were refused", read.Body)
	}
}

// withoutID returns the body of an answer without the id of its request.
func withoutID(a *apptest.Answer) string {
	return strings.ReplaceAll(string(a.Body), a.Header.Get("X-Request-Id"), "")
}
