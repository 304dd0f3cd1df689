package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// blankTexts are texts in which nothing can be seen.
var blankTexts = []string{"   ", "\u00a0", "\t\n", "\u200b\u2060\ufeff", "\u3000\u2800"}

// textField is a text in the body of a request.
type textField struct {
	send   func(t testing.TB, method, target string, body []byte) *apptest.Answer
	method string
	target string
	// body has TEXT in the place of the text.
	body, field string
	oneLine     bool // control characters are refused for a reason of their own
}

// with returns the response to a request with a text in the field.
func (f textField) with(t *testing.T, text string) *apptest.Answer {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return f.send(t, f.method, f.target, []byte(strings.Replace(f.body, "TEXT", string(quoted), 1)))
}

// refuses fails the test unless a text is refused at the field, for the reason that is expected.
func (f textField) refuses(t *testing.T, text, expected string) {
	t.Helper()
	got := f.with(t, text)
	status := 422
	if f.target == "/v1/auth/register" {
		status = 400
	}
	if got.Status != status || got.Code() != "validation_error" || got.Len("error", "details", "errors") != 1 ||
		got.Text("error", "details", "field") != f.field || got.Text("error", "details", "expected") != expected {
		t.Errorf("%s %s with %q as %s: got %d %s, want %d with %q at the field",
			f.method, f.target, text, f.field, got.Status, got.Body, status, expected)
	}
}

// company is a partner with one of everything that has a name.
type company struct {
	stockroom
	owner, clerk *apptest.User
	accept       string // the path that accepts an invitation
}

func newCompany(t *testing.T) company {
	t.Helper()
	c := company{stockroom: newStockroom(t)}
	c.owner, c.clerk = c.partner.Owner(t), c.partner.As(t, "clerk")
	c.accept, _ = invite(t, c.owner, "new@example.com", "clerk")
	c.operator.Stock(t, c.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 9})
	return c
}

// holds returns all that the company has stored.
func (c company) holds(t *testing.T) string {
	t.Helper()
	all := []string{c.Content(t)}
	for _, list := range []string{"/ops/v1/couriers", "/ops/v1/partners", c.path + "/products", c.path + "/movements"} {
		all = append(all, string(c.ask(t, "GET", list, "").Must(t, 200).Body))
	}
	for _, list := range []string{"/v1/account", "/v1/team"} {
		all = append(all, string(c.owner.Call(t, "GET", list, nil).Must(t, 200).Body))
	}
	return strings.Join(all, "\n")
}

// required returns the texts that must be there, of all kinds of records.
func (c company) required(t *testing.T) []textField {
	t.Helper()
	public := func(t testing.TB, method, target string, body []byte) *apptest.Answer {
		t.Helper()
		return c.Do(t, method, target, body)
	}
	desk, owner := c.operator.Call, c.owner.Call
	courier := "/ops/v1/couriers/" + c.operator.CourierID
	order := c.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	return slices.Concat([]textField{
		{desk, "POST", c.path + "/products", `{"name":TEXT,"price":1}`, "name", false},
		{desk, "PATCH", c.path + "/products/1", `{"name":TEXT}`, "name", false},
		{desk, "POST", c.path + "/movements", `{"type":"IN","product_id":1,"quantity":1,"location":TEXT}`, "location", false},
		{
			desk, "POST", c.path + "/movements",
			`{"type":"TRANSFER","product_id":1,"quantity":1,"location":"MTL-1","to_location":TEXT}`, "to_location", false,
		},
		{desk, "POST", c.path + "/counts", `{"location":TEXT,"lines":[{"product_id":1,"counted":1}]}`, "location", false},
		{
			desk, "POST", "/ops/v1/couriers", `{"name":TEXT,"phone":"+15145550100","vehicle":"van","active":true}`,
			"name", true,
		},
		{
			desk, "POST", "/ops/v1/couriers", `{"name":"Ada","phone":"+15145550100","vehicle":TEXT,"active":true}`,
			"vehicle", false,
		},
		{desk, "PATCH", courier, `{"name":TEXT}`, "name", true},
		{desk, "PATCH", courier, `{"vehicle":TEXT}`, "vehicle", false},
		{desk, "POST", "/ops/v1/operators", `{"email":"a@example.com","password":"quai-de-nuit-1907",` +
			`"role":"courier","courier_id":TEXT}`, "courier_id", false},
		{desk, "PATCH", "/ops/v1/partners/" + c.partner.PartnerID, `{"rate_card":TEXT}`, "rate_card", false},
		{desk, "POST", "/ops/v1/orders/" + order + "/notes", `{"text":TEXT}`, "text", false},
		{public, "POST", "/ops/v1/tokens", fmt.Sprintf(`{"email":%q,"password":%q,"name":TEXT}`,
			apptest.OperatorEmail, apptest.OperatorPassword), "name", false},
		{public, "POST", "/v1/auth/register",
			`{"name":TEXT,"email":"b@example.com","password":"quai-de-nuit-1907"}`, "name", true},
		{public, "POST", "/v1/auth/register",
			`{"name":"b","person_name":TEXT,"email":"b@example.com","password":"quai-de-nuit-1907"}`, "person_name", true},
		{public, "POST", c.accept, `{"name":TEXT,"password":"quai-de-nuit-1907"}`, "name", true},
		{owner, "PATCH", "/v1/account", `{"public_name":TEXT}`, "public_name", true},
		{owner, "PATCH", "/v1/team/" + c.clerk.UserID, `{"name":TEXT}`, "name", true},
	}, c.ofOrders(t, "partner_order_id", "pickup.name", "pickup.address.line1", "pickup.address.city", "dropoff.name",
		"dropoff.address.line1", "dropoff.address.city", "parcels[0].parcel_id", "parcels[0].description"))
}

// ofOrders returns the texts of a request that creates an order.
func (c company) ofOrders(t *testing.T, paths ...string) (fields []textField) {
	t.Helper()
	create := func(t testing.TB, _, _ string, body []byte) *apptest.Answer {
		t.Helper()
		return c.partner.Create(t, body)
	}
	for _, path := range paths {
		var body map[string]any
		if err := json.Unmarshal(testkit.OrderJSON("A-2", ""), &body); err != nil {
			t.Fatal(err)
		}
		var at any = body
		steps := strings.Split(strings.ReplaceAll(path, "[0]", ""), ".")
		for _, step := range steps[:len(steps)-1] {
			if at = at.(map[string]any)[step]; step == "parcels" {
				at = at.([]any)[0]
			}
		}
		at.(map[string]any)[steps[len(steps)-1]] = "<TEXT>"
		sent, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, textField{create, "POST", "/v1/orders",
			strings.Replace(string(sent), `"\u003cTEXT\u003e"`, "TEXT", 1), path, false})
	}
	return fields
}

// TestBlankTextsAreRefused sends texts in which nothing can be seen in the place of each that is
// required. They are refused at their fields, and nothing is stored.
func TestBlankTextsAreRefused(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	fields := c.required(t)
	before := c.holds(t)
	for _, field := range fields {
		for _, blank := range blankTexts {
			expected := "a text that is not blank"
			if field.oneLine && blank == "\t\n" {
				expected = "a string of 1 to 255 characters on one line, without control characters and changes of direction"
			}
			field.refuses(t, blank, expected)
		}
	}
	for _, blank := range blankTexts {
		for column, file := range map[string]string{
			"name":             "name,price\n\"" + blank + "\",1\n",
			"opening_location": "name,price,opening_quantity,opening_location\nRug,1,2,\"" + blank + "\"\n",
		} {
			if got, want := c.imports(t, file), "422 [lines[2]."+column+"]"; got != want {
				t.Errorf("import of %q as %s: got %s, want %s", blank, column, got, want)
			}
		}
	}
	if after := c.holds(t); after != before {
		t.Errorf("got\n%s\nwant nothing stored besides\n%s", after, before)
	}
}

// TestOuterSpaceIsRefused sends what identifies something with white space at an end. It is
// refused at its field, echoed as it was sent, and nothing is stored.
func TestOuterSpaceIsRefused(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	desk := c.operator.Call
	fields := append([]textField{
		{desk, "POST", c.path + "/products", `{"name":"Rug","price":1,"barcode":TEXT}`, "barcode", false},
		{desk, "PATCH", c.path + "/products/1", `{"barcode":TEXT}`, "barcode", false},
		{desk, "POST", c.path + "/movements", `{"type":"IN","product_id":1,"quantity":1,"location":TEXT}`, "location", false},
		{
			desk, "POST", c.path + "/movements",
			`{"type":"TRANSFER","product_id":1,"quantity":1,"location":"MTL-1","to_location":TEXT}`, "to_location", false,
		},
	}, c.ofOrders(t, "partner_order_id", "parcels[0].parcel_id")...)
	before := c.holds(t)
	for _, field := range fields {
		for _, text := range []string{"A ", " A", "A\u00a0", "\tA", "A\u200b", "\u3000A"} {
			field.refuses(t, text, "a text that does not begin or end with white space")
			if got := field.with(t, text).Text("error", "details", "value"); got != text {
				t.Errorf("%s: got the value %q, want %q as it was sent", field.field, got, text)
			}
		}
	}
	if after := c.holds(t); after != before {
		t.Errorf("got\n%s\nwant nothing stored besides\n%s", after, before)
	}
}

// TestProductsAreOnOneLine sends names and skus of products with line breaks, control characters and changes of
// direction. They are refused at their fields, and nothing is stored.
func TestProductsAreOnOneLine(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	desk := c.operator.Call
	fields := []textField{
		{desk, "POST", c.path + "/products", `{"name":TEXT,"price":1}`, "name", false},
		{desk, "PATCH", c.path + "/products/1", `{"name":TEXT}`, "name", false},
		{desk, "POST", c.path + "/products", `{"name":"Rug","price":1,"sku":TEXT}`, "sku", false},
		{desk, "PATCH", c.path + "/products/1", `{"sku":TEXT}`, "sku", false},
	}
	before := c.holds(t)
	for _, text := range []string{
		"A\nB", "A\r\nB", "A\tB", "A\u0007B", "A\u0085B", "A\u2028B", "A\u202eB", "A\u2066B\u2069C",
	} {
		for _, field := range fields {
			field.refuses(t, text, "a text on one line, without control characters and changes of direction")
		}
		for column, file := range map[string]string{
			"name": "name,price\n\"" + text + "\",1\n", "sku": "name,price,sku\nRug,1,\"" + text + "\"\n",
		} {
			if got, want := c.imports(t, file), "422 [lines[2]."+column+"]"; got != want {
				t.Errorf("import of %q as %s: got %s, want %s", text, column, got, want)
			}
		}
	}
	if after := c.holds(t); after != before {
		t.Errorf("got\n%s\nwant nothing stored besides\n%s", after, before)
	}
}

// TestTextsOfEarlierReleases: a barcode with white space at its end, and a name and a sku with changes of direction and
// line breaks, stay when their product is imported or changed. The sku still names the product in an order, and goods
// can be taken from a location with white space at its end.
func TestTextsOfEarlierReleases(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	ctx := context.Background()
	err := s.InStore(ctx, func(db *store.Store) error {
		return db.Stock().Write(ctx, func(tx stock.Writer) error {
			_, err := tx.AddProducts(ctx, s.partner.PartnerID, s.Clock.Now(),
				delivery.Product{Name: "Lamp\n\u202eRed", Barcode: "L-1 ", SKU: "L\n\u202e1", Status: delivery.ProductActive})
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?bom=1", "?bom=1&separator=semicolon"} {
		export := s.ask(t, "GET", "/products/export"+query, "").Must(t, 200)
		if got := s.imports(t, string(export.Body)); got != "0 0 1 0" {
			t.Errorf("export%s: got %s, want an unchanged product: %s", query, got, export.Body)
		}
	}
	got := s.ask(t, "PATCH", "/products/1", `{"price":2}`).Must(t, 200)
	if got.Text("barcode") != "L-1 " || got.Text("name") != "Lamp\n\u202eRed" || got.Text("sku") != "L\n\u202e1" {
		t.Errorf("got %s, want the texts as they were", got.Body)
	}
	order := testkit.OrderJSON("A-1", `[{"sku":"L\n\u202e1","quantity":1}]`)
	s.partner.Create(t, order).Refused(t, 422, "insufficient_stock")
	for _, movement := range []string{
		`{"type":"OUT","product_id":1,"quantity":1,"location":"A "}`,
		`{"type":"TRANSFER","product_id":1,"quantity":1,"location":"A ","to_location":"A"}`,
	} {
		s.ask(t, "POST", "/movements", movement).Refused(t, 422, "insufficient_stock")
	}
}
