package requestlog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"order": {
			`{"partner_order_id":"A-1","service_level":"express","dropoff":{"name":"Alex Martin","phone":"+15145550123","address":{"line1":"100 Queen St W","province":"ON","postal_code":"M5H 2N2","country":"CA"},"time_window":{"start":"2026-03-02T14:00:00-05:00","end":"soon"}},"parcels":[{"weight_kg":2.5,"value_cents":4500,"fragile":true,"description":"Books"}],"metadata":{"alex@example.com":[1]},"items":[{"product_id":1,"quantity":null}]}`,
			`{"partner_order_id":"[text of 3]","service_level":"express","dropoff":{"name":"[text of 11]","phone":"[text of 12]","address":{"line1":"[text of 14]","province":"ON","postal_code":"[text of 7]","country":"CA"},"time_window":{"start":"2026-03-02T14:00:00-05:00","end":"[text of 4]"}},"parcels":[{"weight_kg":2.5,"value_cents":4500,"fragile":true,"description":"[text of 5]"}],"metadata":{…},"items":[{"product_id":1,"quantity":null}]}`,
		},
		"unknown members": {
			`{"service_levl":"express","Alex Martin":1,"+15145550123":{}}`,
			`{"service_levl":"[text of 7]","…":"[number]","…":{…}}`,
		},
		"other forms": {
			`{"service_level":"Alex","province":"Alex","value_cents":15145550123,"start":"1514-55-0123"}`,
			`{"service_level":"[text of 4]","province":"[text of 4]","value_cents":"[number]","start":"[text of 12]"}`,
		},
		"wrong types": {
			`{"dropoff":"Alex","province":1,"weight_kg":"2.5","parcels":{"name":"x"}}`,
			`{"dropoff":"[text of 4]","province":"[number]","weight_kg":"[text of 3]","parcels":{"name":"[text of 1]"}}`,
		},
		"in a hidden member": {
			`{"phone":{"value_cents":1,"service_level":"express"},"name":[["Alex"]]}`, `{"phone":{…},"name":[…]}`,
		},
		"list":                {`[1,"a",{"quantity":2}]`, `["[number]","[text of 1]",{…}]`},
		"not closed":          {`{"quantity":2,"name":"Al`, `{"quantity":2,"name":…`},
		"more than one value": {`{} {"name":"Alex"}`, `{}…`},
		"twice":               {`{"quantity":2,"quantity":3}`, `{"quantity":2,"quantity":3}`},
		"not JSON":            {`name=Alex`, `…`},
		"a text":              {`"Alex"`, `"[text of 4]"`},
		"nothing":             {` `, `…`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(requestlog.Redact([]byte(test.body))); got != test.want {
				t.Errorf("%s: got\n%s, want\n%s", test.body, got, test.want)
			}
		})
	}
}

func TestRedactLongBody(t *testing.T) {
	t.Parallel()
	body := `{"items":[` + strings.Repeat(`{"product_id":1},`, 1000) + `{}]}`
	got := string(requestlog.Redact([]byte(body[:requestlog.MaxBody+1])))
	if len(got) > requestlog.MaxBody || !strings.HasPrefix(got, `{"items":[{"product_id":1},`) ||
		!strings.HasSuffix(got, "…") {
		t.Errorf("got %d bytes that end in %q, want at most %d, the last of them …", len(got), got[len(got)-20:],
			requestlog.MaxBody)
	}
	grown := string(requestlog.Redact([]byte(`[` + strings.Repeat(`"",`, 1300) + `""]`)))
	if len(grown) > requestlog.MaxBody {
		t.Errorf("a body that grows: got %d bytes, want at most %d", len(grown), requestlog.MaxBody)
	}
}

// personal are the members whose values may identify a person or are secret.
var personal = []string{
	"name", "phone", "email", "line1", "line2", "city", "postal_code", "notes", "reference", "instructions", "description",
	"metadata", "partner_order_id", "parcel_id", "barcode", "reason", "url", "secret", "password", "quote_id",
}

// structural are the members that Redact opens, and shown those whose values it may show.
var (
	structural = []string{"pickup", "dropoff", "address", "time_window", "parcels", "cod", "insurance", "items", "orders"}
	shown      = []string{
		"service_level", "province", "country", "currency", "start", "end", "weight_kg", "value_cents", "quantity",
		"product_id",
	}
)

// secrets are what personal members hold here. No other value contains one of them.
var secrets = []string{
	"Alex Martin", "alex@example.com", "+15145550123", "15145550123", "100 Queen St W", "M5H 2N2", "2e étage",
	"sk_9XkQ2mVt7L", "express-secret", "2026-03-02 Alex",
}

// drawValue returns a value. Within a personal member all texts and numbers are secrets.
func drawValue(t *rapid.T, depth int, hidden bool) any {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	switch {
	case kind == 0 && depth > 0:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = drawValue(t, depth-1, hidden)
		}
		return list
	case kind <= 2 && depth > 0:
		return drawObject(t, depth-1, hidden)
	case hidden && kind == 3:
		return json.Number("15145550123")
	case hidden:
		return rapid.SampledFrom(secrets).Draw(t, "secret")
	default:
		return rapid.SampledFrom([]any{nil, true, 2.5, 7, "express", "QC", "2026-03-02T14:00:00Z"}).Draw(t, "value")
	}
}

func drawObject(t *rapid.T, depth int, hidden bool) any {
	object := map[string]any{}
	for range rapid.IntRange(0, 6).Draw(t, "members") {
		switch rapid.IntRange(0, 3).Draw(t, "group") {
		case 0:
			object[rapid.SampledFrom(personal).Draw(t, "personal")] = drawValue(t, depth, true)
		case 1:
			object[rapid.SampledFrom(structural).Draw(t, "structural")] = drawValue(t, depth, hidden)
		case 2:
			object[rapid.SampledFrom(shown).Draw(t, "shown")] = drawValue(t, depth, hidden)
		default:
			object[rapid.SampledFrom(secrets).Draw(t, "name")] = drawValue(t, depth, hidden)
		}
	}
	return object
}

// TestRedactKeepsNothingPersonal holds documents of every shape, whole and cut anywhere,
// against the values that their personal members hold.
func TestRedactKeepsNothingPersonal(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		body, err := json.Marshal(drawObject(t, 5, false))
		if err != nil {
			t.Fatal(err)
		}
		body = body[:rapid.IntRange(0, len(body)).Draw(t, "cut")]
		mustHide(t, body)
	})
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func mustHide(t failer, body []byte) {
	t.Helper()
	redacted := string(requestlog.Redact(body))
	for _, secret := range secrets {
		if strings.Contains(redacted, secret) {
			t.Fatalf("%s: got %s, want it without %q", body, redacted, secret)
		}
	}
}

// FuzzRedact puts a secret of letters, which no harmless value can be, into documents
// that are otherwise arbitrary.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{
		`{"name":%q}`, `{"service_level":%q}`, `{"a":[1,{"start":%q`, `[%q,1e9]`, `{"\u006eame":%q}`, `{%q:1}`, `x%q`,
		`{"metadata":{%q:{}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, form string) {
		const secret = "Alexandra Martin"
		body := strings.Replace(form, "%q", fmt.Sprintf("%q", secret), 1)
		if got := string(requestlog.Redact([]byte(body))); strings.Contains(got, secret) || len(got) > requestlog.MaxBody {
			t.Errorf("%q: got %q, want it without %q and at most %d bytes", body, got, secret, requestlog.MaxBody)
		}
	})
}

func TestClean(t *testing.T) {
	t.Parallel()
	const orderID, eventID = "ord_3ebmvgjr06eajje2n715hrrae6zkdn0v", "019caef5-ac70-7d02-9a6b-21f4c8e05b93"
	for name, test := range map[string]struct{ pattern, path, wantPath, wantOrder string }{
		"fixed": {"/v1/orders", "/v1/orders", "/v1/orders", ""},
		"order": {"/v1/orders/{order_id}", "/v1/orders/" + orderID, "/v1/orders/" + orderID, orderID},
		"cancel": {"/v1/orders/{order_id}/cancel", "/v1/orders/" + orderID + "/cancel", "/v1/orders/" + orderID +
			"/cancel", orderID},
		"event": {
			"/v1/webhooks/events/{event_id}", "/v1/webhooks/events/" + eventID, "/v1/webhooks/events/" + eventID, "",
		},
		"person":      {"/v1/orders/{order_id}", "/v1/orders/alex@example.com", "/v1/orders/{order_id}", ""},
		"phone":       {"/v1/orders/{order_id}/label", "/v1/orders/15145550123/label", "/v1/orders/{order_id}/label", ""},
		"too long":    {"/v1/orders/{order_id}", "/v1/orders/{order_id}", "/v1/orders/{order_id}", ""},
		"other shape": {"/v1/orders/{order_id}", "/v1/orders/a/b", "/v1/orders/{order_id}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := requestlog.Entry{Pattern: test.pattern, Path: test.path}
			e.Clean()
			if e.Path != test.wantPath || e.OrderID != test.wantOrder {
				t.Errorf("%s: got %s and order %q, want %s and %q", test.path, e.Path, e.OrderID, test.wantPath, test.wantOrder)
			}
		})
	}
}
