package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// logged reads the request log until it holds so many requests, except those that read
// it.
func logged(t *testing.T, read func(target string) *apptest.Answer, query string, want int) (found []any) {
	t.Helper()
	apptest.Await(t, fmt.Sprintf("%d requests in the log, %s", want, query), func() bool {
		found = nil
		answer := read("/v1/logs"+query).Must(t, 200)
		for i := range answer.Len("logs") {
			if answer.Text("logs", i, "path") != "/v1/logs" {
				found = append(found, answer.JSON("logs", i))
			}
		}
		if len(found) > want {
			t.Fatalf("%s: got %d requests, want %d: %s", query, len(found), want, answer.Body)
		}
		return len(found) == want
	})
	return found
}

// TestRequestLog makes requests that succeed and that are refused, and reads the log with
// a key and in a session.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	signed := func(target string) *apptest.Answer { return f.partner.Call(t, "GET", target, nil) }
	owner := f.partner.Owner(t)
	inSession := func(target string) *apptest.Answer { return owner.Call(t, "GET", target, nil) }

	created := f.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	orderID := created.Text("order_id")
	refused := f.partner.Create(t, bytes.Replace(testkit.OrderJSON("A-2", ""), []byte(`"express"`), []byte(`"overnight"`),
		1)).Refused(t, 422, "validation_error")
	f.partner.Call(t, "GET", "/v1/orders/"+orderID, nil).Must(t, 200)
	f.partner.Call(t, "GET", "/v1/orders/alex@example.com", nil).Must(t, 404)
	f.partner.Cancel(t, orderID, "no longer needed").Must(t, 200)
	f.Do(t, "GET", "/v1/orders", nil, "X-Api-Key", f.partner.PublicKey, "X-Timestamp", "1", "X-Signature", "v1=00").Must(t,
		401)
	owner.Call(t, "GET", "/v1/account", nil).Must(t, 200)
	other := f.Register(t, "another")
	other.Call(t, "GET", "/v1/orders", nil).Must(t, 200)

	all := logged(t, signed, "", 5)
	var lines []string
	for _, entry := range all {
		members := entry.(map[string]any) //nolint:forcetypeassert // as documented
		code, _ := members["code"].(string)
		order, _ := members["order_id"].(string)
		lines = append(lines, strings.Join([]string{members["method"].(string), members["path"].(string), code, order},
			" ")) //nolint:forcetypeassert // likewise
		if members["key_id"] != f.partner.KeyID {
			t.Errorf("got key_id %v, want %s", members["key_id"], f.partner.KeyID)
		}
	}
	want := []string{
		"POST /v1/orders/" + orderID + "/cancel  " + orderID,
		"GET /v1/orders/{order_id} not_found ",
		"GET /v1/orders/" + orderID + "  " + orderID,
		"POST /v1/orders validation_error ",
		"POST /v1/orders  " + orderID,
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s, want\n%s", got, strings.Join(want, "\n"))
	}

	entry := logged(t, inSession, "?status=422", 1)[0].(map[string]any) //nolint:forcetypeassert // as documented
	body, _ := entry["request_body"].(string)
	if entry["request_id"] != refused.Text("request_id") || !strings.Contains(body, `"service_level":"[text of 9]"`) ||
		strings.Contains(body, "example.com") {
		t.Errorf("got %v, want the refused request %s with a redacted body", entry, refused.Text("request_id"))
	}
	logged(t, signed, "?order_id="+orderID, 3)
	logged(t, signed, "?order_id="+orderID+"&method=POST", 2)
	logged(t, signed, "?to=2026-01-01T00:00:00Z", 0)
	if got := signed("/v1/logs?limit=1").Must(t, 200); got.Len("logs") != 1 || got.Text("next_cursor") == "" {
		t.Errorf("limit=1: got %s, want one request and a next_cursor", got.Body)
	} else if next := signed("/v1/logs?limit=1&cursor="+got.Text("next_cursor")).Must(t, 200); next.Len("logs") != 1 ||
		next.Text("logs", 0, "request_id") == got.Text("logs", 0, "request_id") {
		t.Errorf("the second page: got %s, want another request", next.Body)
	}
	signed("/v1/logs?cursor=x&status=99&method=BREW&limit=501").Refused(t, 422, "validation_error")

	var exported bytes.Buffer
	if err := app.ExportPartner(t.Context(),
		&config.Config{Data: f.Data, DatabaseURL: f.Database, DatabaseMayLoseData: true}, app.System(), f.partner.PartnerID,
		&exported); err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"request","record":{"request_id":"` + refused.Text("request_id") + `"`; !strings.Contains(
		exported.String(), want,
	) {
		t.Errorf("got no line of the export with %s", want)
	}
}

// TestRequestLogHoldsNothingPersonal searches what the log stores for what the bodies of
// refused requests held.
func TestRequestLogHoldsNothingPersonal(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	body := bytes.Replace(testkit.OrderJSON("Alexandra-1", ""), []byte(`"express"`), []byte(`"Alexandra"`), 1)
	f.partner.Create(t, body).Must(t, 422)
	f.partner.Create(t, bytes.ReplaceAll(body, []byte("}"), []byte("]"))).Must(t, 400)
	f.partner.Call(t, "GET", "/v1/inventory/products?search=Alexandra", nil).Must(t, 200)
	f.partner.Call(t, "POST", "/v1/orders/Alexandra/cancel", []byte(`{"reason":"Alexandra has moved"}`), "Idempotency-Key",
		uuid.NewString()).Must(t, 404)
	found := logged(t, func(target string) *apptest.Answer { return f.partner.Call(t, "GET", target, nil) }, "", 4)
	for _, entry := range found {
		for name, value := range entry.(map[string]any) { //nolint:forcetypeassert // as documented
			text, _ := value.(string)
			for _, personal := range []string{"Alexandra", "example.com", "+1"} {
				if strings.Contains(text, personal) {
					t.Errorf("%s: got %q, want it without %q", name, text, personal)
				}
			}
		}
	}
}
