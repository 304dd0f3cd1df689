package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// named books a product with a sku and a barcode into a location.
func (s stockroom) named(t *testing.T, name, sku, barcode string, quantity int) (productID int) {
	t.Helper()
	productID = s.operator.Stock(t, s.partner.PartnerID, name, map[string]int{"MTL-1": quantity})
	body := fmt.Sprintf(`{"sku":%q,"barcode":%q}`, sku, barcode)
	s.ask(t, "PATCH", fmt.Sprint("/products/", productID), body).Must(t, 200)
	return productID
}

// TestSKUs sets, changes and clears skus. No two products of a partner have the same one.
func TestSKUs(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	lamp := s.ask(t, "POST", "/products", `{"name":"Lamp","price":1,"sku":"LP-1"}`).Must(t, 201)
	rug := s.ask(t, "POST", "/products", `{"name":"Rug","price":1}`).Must(t, 201)
	if lamp.Text("sku") != "LP-1" || rug.JSON("sku") != nil || !strings.Contains(string(rug.Body), `"sku":null`) {
		t.Errorf("got %s and %s, want a sku and null", lamp.Body, rug.Body)
	}
	before := s.Content(t)
	for _, got := range []*apptest.Answer{
		s.ask(t, "POST", "/products", `{"name":"Chair","price":1,"sku":"LP-1"}`),
		s.ask(t, "PATCH", "/products/2", `{"sku":"LP-1"}`),
	} {
		got.Refused(t, 409, "sku_taken")
		if got.JSON("error", "details", "product_id") != 1.0 || got.Text("error", "details", "sku") != "LP-1" {
			t.Errorf("got %s, want the product that has the sku", got.Body)
		}
	}
	for _, sku := range []string{" LP-2", "LP-2 ", strings.Repeat("é", 256)} {
		got := s.ask(t, "PATCH", "/products/2", fmt.Sprintf(`{"sku":%q}`, sku)).Refused(t, 422, "validation_error")
		if got.Text("error", "details", "field") != "sku" {
			t.Errorf("%q: got %s, want an error of sku", sku, got.Body)
		}
	}
	s.Unchanged(t, before)
	s.ask(t, "PATCH", "/products/2", `{"sku":"lp-1"}`).Must(t, 200) // other letters
	s.ask(t, "PATCH", "/products/1", `{"sku":null}`).Must(t, 200)
	s.ask(t, "PATCH", "/products/2", `{"sku":"LP-1"}`).Must(t, 200)
	s.ask(t, "PATCH", "/products/2", `{"name":"Big rug"}`).Must(t, 200)
	for query, want := range map[string]string{
		"?sku=LP-1": "2", "?sku=lp-1": "", "?search=p-1": "2",
	} {
		got := ids(s.partner.Call(t, "GET", "/v1/inventory/products"+query, nil).Must(t, 200), "products", "product_id")
		if got != want {
			t.Errorf("%s: got products %q, want %q", query, got, want)
		}
		if got := ids(s.ask(t, "GET", "/products"+query, "").Must(t, 200), "products", "product_id"); got != want {
			t.Errorf("%s: got an operator's products %q, want %q", query, got, want)
		}
	}
	other := s.Register(t, "other")
	s.ask(t, "POST", "/ops/v1/partners/"+other.PartnerID+"/products", `{"name":"Lamp","price":1,"sku":"LP-1"}`).Must(t, 201)
	entries := s.Query(t, "SELECT after FROM audit WHERE action = 'product.changed' AND after LIKE '%\"sku\":\"LP-1\"%'")
	if len(entries) < 2 {
		t.Errorf("audit log: got %s, want the sku in two entries or more", entries)
	}
	s.Audit(t)
}

// TestImportOfSKUs imports and exports skus. A line with the sku of a product changes that product.
func TestImportOfSKUs(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for _, step := range []struct{ file, want string }{
		{"name,price,sku,barcode\nLamp,1,0012,B-1\nRug,2,R-1,\nChair,3,,B-3\n", "3 0 0 0"},
		{"sku,name\nR-1,Big rug\n0012,Lamp\n", "0 1 1 0"},
		{"barcode,sku\nB-3,C-1\n", "0 1 0 0"},
		{"sku,name\n12,Lamp\n", "422 [lines[2].sku]"},
		{"product_id,sku\n1,R-1\n", "422 [lines[2].sku]"},
		{"name,price,sku\nA,1,N-1\nB,1,N-1\n", "422 [lines[3].sku]"},
		{"sku,name\nR-1,A\nR-1,B\n", "422 [lines[3].sku]"},
		{"product_id,sku\n2,R-2\n1,R-1\n", "422 [lines[3].sku]"},
	} {
		if got := s.imports(t, step.file); got != step.want {
			t.Errorf("%q: got %s, want %s", step.file, got, step.want)
		}
	}
	content := s.export(t)
	if got := s.imports(t, content); got != "0 0 3 0" {
		t.Errorf("imported again: got %s, want 3 unchanged: %s", got, content)
	}
	var rows []string
	for i := range 250 {
		rows = append(rows, fmt.Sprintf("Many %d,1,M-%d", i, i))
	}
	many := "name,price,sku\n" + strings.Join(rows, "\n")
	if got := s.imports(t, many); got != "250 0 0 0" {
		t.Errorf("an import of several parts: got %s, want 250 created", got)
	}
	if got := s.imports(t, many); got != "0 0 250 0" {
		t.Errorf("the same again: got %s, want 250 unchanged", got)
	}
	s.Audit(t)
}

// TestImportRemovesSKUs imports the cell that removes a sku. An empty one leaves it, and a product whose sku is that
// text keeps it.
func TestImportRemovesSKUs(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for _, step := range []struct{ file, want, skus string }{
		{"name,price,sku\nLamp,1,L-1\nRug,2,-\nChair,3,C-1\n", "3 0 0 0", "L-1 <nil> C-1"},
		{"product_id,sku\n1,\n2,-\n3,-\n", "0 1 2 0", "L-1 <nil> <nil>"},
		{"product_id,sku\n1,\"=\"\"-\"\"\"\n2,-\n3,C-2\n", "0 2 1 0", "- <nil> C-2"},
		{"product_id,sku\n1,-\n2,-\n3,-\n", "0 1 2 0", "- <nil> <nil>"},
	} {
		if got := s.imports(t, step.file); got != step.want {
			t.Errorf("%q: got %s, want %s", step.file, got, step.want)
		}
		if got := ids(s.ask(t, "GET", "/products", ""), "products", "sku"); got != step.skus {
			t.Errorf("%q: got the skus %s, want %s", step.file, got, step.skus)
		}
	}
	if got := s.imports(t, s.export(t)); got != "0 0 3 0" {
		t.Errorf("the export imported again: got %s, want 3 unchanged", got)
	}
	named, bare := "name,price,sku\n", "product_id,sku\n"
	for i := range 120 {
		named += fmt.Sprintf("Many %d,1,M-%d\n", i, i)
		bare += fmt.Sprintf("%d,-\n", i+4)
	}
	for _, step := range []struct{ file, want string }{{named, "120 0 0 0"}, {bare, "0 120 0 0"}, {bare, "0 0 120 0"}} {
		if got := s.imports(t, step.file); got != step.want {
			t.Errorf("an import of several parts: got %s, want %s", got, step.want)
		}
	}
	s.Audit(t)
}

// TestItemsByCode orders products by their skus and barcodes.
func TestItemsByCode(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	lamp := s.named(t, "Lamp", "LP-1", "036000291452", 20)
	rug := s.named(t, "Rug", "", "DUP", 20)
	chair := s.named(t, "Chair", "CH-1", "DUP", 20)
	items := `[{"sku":"LP-1","quantity":1},{"barcode":"0036000291452","quantity":2},{"product_id":2,"quantity":1}]`
	s.partner.Call(t, "POST", "/v1/orders/validate", testkit.OrderJSON("A-1", items)).Must(t, 200)
	created := s.partner.Create(t, testkit.OrderJSON("A-1", items)).Must(t, 201)
	want := `"items":[{"product_id":1,"sku":"LP-1","name":"Lamp","quantity":1},` +
		`{"product_id":1,"sku":"LP-1","name":"Lamp","quantity":2},{"product_id":2,"name":"Rug","quantity":1}]`
	if !strings.Contains(string(created.Body), want) {
		t.Errorf("got %s, want %s", created.Body, want)
	}
	for items, want := range map[string]string{
		`[{"quantity":1}]`:                             "items[0].product_id exactly one of product_id, sku and barcode",
		`[{"product_id":null,"quantity":1}]`:           "items[0].product_id exactly one of product_id, sku and barcode",
		`[{"product_id":1,"sku":"X","quantity":1}]`:    "items[0].sku exactly one of product_id, sku and barcode",
		`[{"sku":"LP-1","barcode":"X","quantity":1}]`:  "items[0].barcode exactly one of product_id, sku and barcode",
		`[{"sku":"lp-1","quantity":1}]`:                "items[0].sku the sku of an active product",
		`[{"barcode":"X","quantity":1}]`:               "items[0].barcode the barcode of an active product",
		`[{"barcode":"DUP","quantity":1}]`:             "items[0].barcode a product_id or sku, because several products have this barcode",
		`[{"sku":"","quantity":1}]`:                    "items[0].sku a string of 1 to 255 characters, without NUL",
		`[{"sku":"X","quantity":1},{"sku":"CH-1"}]`:    "items[1].quantity an integer from 1 to 1000000000",
		`[{"sku":"CH-1","quantity":1},{"sku":"NULL"}]`: "items[1].quantity an integer from 1 to 1000000000",
	} {
		refused := s.partner.Create(t, testkit.OrderJSON("A-2", items)).Refused(t, 422, "validation_error")
		invalid := s.partner.Call(t, "POST", "/v1/orders/validate", testkit.OrderJSON("A-2", items)).Must(t, 200)
		for _, got := range []*apptest.Answer{refused, invalid} {
			if fault := got.Text("error", "details", "field") + " " + got.Text("error", "details", "expected"); fault != want {
				t.Errorf("%s: got the fault %q, want %q", items, fault, want)
			}
		}
	}
	short := s.partner.Create(t, testkit.OrderJSON("A-2", `[{"sku":"LP-1","quantity":15},{"product_id":1,"quantity":15}]`)).
		Refused(t, 422, "insufficient_stock")
	if details := fmt.Sprint(short.JSON("error", "details", "items")); details !=
		"[map[available:17 product_id:1 requested:30 sku:LP-1]]" {
		t.Errorf("got %s, want the shortage of one product", details)
	}
	s.ask(t, "PATCH", fmt.Sprint("/products/", rug), `{"status":"inactive"}`).Must(t, 200)
	successor := s.partner.Create(t, testkit.OrderJSON("A-3", `[{"barcode":"DUP","quantity":1}]`)).Must(t, 201)
	if got := successor.JSON("items", 0, "product_id"); got != float64(chair) {
		t.Errorf("a barcode of an inactive product, too: got product %v, want %d", got, chair)
	}
	batch := s.partner.Call(t, "POST", "/v1/orders/batch", []byte(fmt.Sprintf(`{"orders":[%s,%s]}`,
		testkit.OrderJSON("B-1", `[{"sku":"CH-1","quantity":1}]`), testkit.OrderJSON("B-2", `[{"sku":"X","quantity":1}]`))),
		"Idempotency-Key", uuid.NewString()).Must(t, 200)
	if batch.Text("results", 0, "order", "items", 0, "name") != "Chair" ||
		batch.Text("results", 1, "error", "details", "field") != "items[0].sku" {
		t.Errorf("a batch: got %s, want one order and one fault", batch.Body)
	}
	s.edits(t, created.Text("order_id"))
	if left := s.Query(t, "SELECT product_id, quantity FROM products ORDER BY product_id"); !slices.Equal(left,
		[]string{fmt.Sprint(lamp, " 20"), fmt.Sprint(rug, " 20"), fmt.Sprint(chair, " 13")}) {
		t.Errorf("got the quantities %v, want those that no order has taken", left)
	}
	s.Audit(t)
}

// edits changes the items of an order to five chairs, and back and forth what they are named by.
func (s stockroom) edits(t *testing.T, orderID string) {
	t.Helper()
	path := "/v1/orders/" + orderID
	edit := func(items string) *apptest.Answer {
		return s.partner.Call(t, "PATCH", path, []byte(`{"items":`+items+`}`), "Idempotency-Key", uuid.NewString())
	}
	preview := s.partner.Call(t, "PATCH", path+"?preview=true", []byte(`{"items":[{"sku":"CH-1","quantity":5}]}`),
		"Idempotency-Key", uuid.NewString()).Must(t, 200)
	if preview.Text("items", 0, "name") != "Chair" {
		t.Errorf("got the preview %s, want chairs", preview.Body)
	}
	edited := edit(`[{"sku":"CH-1","quantity":5}]`).Must(t, 200)
	if edited.JSON("items", 0, "product_id") != 3.0 || edited.JSON("version") != 2.0 {
		t.Errorf("got %s, want five chairs", edited.Body)
	}
	if same := edit(`[{"product_id":3,"quantity":5}]`).Must(t, 200); same.JSON("version") != 2.0 {
		t.Errorf("the same product by its id: got %s, want no change", same.Body)
	}
	edit(`[{"sku":"X","quantity":5}]`).Refused(t, 422, "validation_error")
	if noted := s.partner.Call(t, "PATCH", path, []byte(`{"instructions":"Ring"}`), "Idempotency-Key",
		uuid.NewString()).Must(t, 200); noted.JSON("items", 0, "product_id") != 3.0 {
		t.Errorf("got %s, want the items as they were", noted.Body)
	}
}

// TestReplayAfterSKUMoved repeats a request when the sku belongs to another product.
func TestReplayAfterSKUMoved(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	s.named(t, "Lamp", "LP-1", "", 5)
	s.named(t, "Rug", "", "", 5)
	body, key := testkit.OrderJSON("A-1", `[{"sku":"LP-1","quantity":1}]`), uuid.NewString()
	first := s.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	for _, move := range []string{"1 null", `2 "LP-1"`, "2 null"} {
		product, sku, _ := strings.Cut(move, " ")
		s.ask(t, "PATCH", "/products/"+product, `{"sku":`+sku+`}`).Must(t, 200)
		again := s.partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
		if string(again.Body) != string(first.Body) {
			t.Errorf("after %s: got %s, want %s", move, again.Body, first.Body)
		}
	}
	byID := testkit.OrderJSON("A-1", buying(1, 1))
	s.partner.Call(t, "POST", "/v1/orders", byID, "Idempotency-Key", key).Refused(t, 422, "idempotency_key_reused")
	s.Audit(t)
}

// TestSKUMovesDuringOrders moves a sku between two products while orders arrive that name it. They
// take stock of those two only, and of one that had the sku.
func TestSKUMovesDuringOrders(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	s.named(t, "Lamp", "LP-1", "", 500)
	s.named(t, "Rug", "", "", 500)
	s.named(t, "Chair", "CH-1", "", 500)
	apptest.Together(5, func(i int) (none struct{}) {
		for round := range 10 {
			if i == 0 {
				from, to := 1+round%2, 2-round%2
				s.ask(t, "PATCH", fmt.Sprint("/products/", from), `{"sku":null}`).Must(t, 200)
				s.ask(t, "PATCH", fmt.Sprint("/products/", to), `{"sku":"LP-1"}`).Must(t, 200)
				continue
			}
			got := s.partner.Create(t, testkit.OrderJSON(fmt.Sprintf("A-%d-%d", i, round), `[{"sku":"LP-1","quantity":1}]`))
			if got.Status != 201 { // between the two changes
				got.Refused(t, 422, "validation_error")
				continue
			}
			if got.Text("items", 0, "sku") != "LP-1" || got.Text("items", 0, "name") == "Chair" {
				t.Errorf("got %s, want a product that had the sku", got.Body)
			}
		}
		return none
	})
	if left := s.Query(t, "SELECT quantity FROM products WHERE name LIKE '%Chair%'"); left[0] != "500" {
		t.Errorf("got %s chairs, want 500", left)
	}
	s.Audit(t)
}

// TestReturnByCode returns lamps by the sku that the order has recorded, after the sku has moved, and by
// a barcode of now.
func TestReturnByCode(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	s.named(t, "Lamp", "LP-1", "036000291452", 5)
	s.named(t, "Rug", "RG-1", "", 5)
	id := s.partner.Create(t, testkit.OrderJSON("A-1", `[{"sku":"LP-1","quantity":3}]`)).Must(t, 201).Text("order_id")
	s.deliver(t, id)
	s.ask(t, "PATCH", "/products/1", `{"sku":null}`).Must(t, 200)
	s.ask(t, "PATCH", "/products/2", `{"sku":"LP-1"}`).Must(t, 200)
	for _, code := range []string{`"sku":"LP-1"`, `"barcode":"0036000291452"`} {
		back := giveBack(t, s.partner, id,
			`{"reason":"too dark","to":"sender","items":[{`+code+`,"quantity":1}],`+returnWindow+`}`).Must(t, 201)
		if back.JSON("items", 0, "product_id") != 1.0 || back.Text("items", 0, "sku") != "LP-1" {
			t.Errorf("%s: got %s, want the lamp as it was ordered", code, back.Body)
		}
	}
	for code, field := range map[string]string{
		`"sku":"RG-1"`: "items[0].sku", `"sku":"X"`: "items[0].sku", `"barcode":"X"`: "items[0].barcode",
	} {
		got := giveBack(t, s.partner, id,
			`{"reason":"too dark","to":"sender","items":[{`+code+`,"quantity":1}],`+returnWindow+`}`)
		if got.Refused(t, 422, "validation_error").Text("error", "details", "field") != field {
			t.Errorf("%s: got %s, want a fault of %s", code, got.Body, field)
		}
	}
	s.Audit(t)
}
