package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// stockroom is a floor with the paths of its partner's stock.
type stockroom struct {
	floor
	path string
}

func newStockroom(t *testing.T) stockroom {
	t.Helper()
	f := newFloor(t)
	return stockroom{f, "/ops/v1/partners/" + f.partner.PartnerID}
}

// ask sends a request as an operator of the warehouse. Headers alternate names and
// values.
func (s stockroom) ask(t *testing.T, method, target, body string, headers ...string) *apptest.Answer {
	t.Helper()
	if !strings.HasPrefix(target, "/ops") {
		target = s.path + target
	}
	return s.Do(t, method, target, []byte(body),
		append([]string{"Authorization", "Bearer " + s.operator.Token}, headers...)...)
}

// ids returns the ids of a list in one line.
func ids(answer *apptest.Answer, list, name string) string {
	var all []string
	for i := range answer.Len(list) {
		all = append(all, fmt.Sprint(answer.JSON(list, i, name)))
	}
	return strings.Join(all, " ")
}

// TestOperatorsCatalogue lists products by text, status and shortage, page by page,
// with their quantities at each location.
func TestOperatorsCatalogue(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for i, quantity := range []int{50, 3, 5, 6, 50} { // stock_min is 5
		s.operator.Stock(t, s.partner.PartnerID, fmt.Sprint("Lamp ", i+1), map[string]int{"MTL-1": quantity - 1, "TOR-1": 1})
	}
	s.ask(t, "PATCH", "/products/5", `{"status":"inactive"}`).Must(t, 200)
	for query, want := range map[string]string{
		"": "1 2 3 4 5", "?low_stock=true": "2 3", "?low_stock=false": "1 2 3 4 5", "?status=inactive": "5",
		"?status=active&search=LAMP": "1 2 3 4", "?search=b-lamp%203": "3", "?cursor=2&limit=2": "3 4", "?search=none": "",
	} {
		if got := ids(s.ask(t, "GET", "/products"+query, "").Must(t, 200), "products", "product_id"); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	first := s.ask(t, "GET", "/products?limit=2", "").Must(t, 200)
	if next := s.ask(t, "GET", "/products?limit=3&cursor="+first.Text("next_cursor"), "").Must(t,
		200); ids(next, "products", "product_id") != "3 4 5" || next.JSON("next_cursor") != nil {
		t.Errorf("next page: got %s, want products 3, 4 and 5", next.Body)
	}
	one := s.ask(t, "GET", "/products/2", "").Must(t, 200)
	if one.JSON("quantity") != 3.0 || one.Text("levels", 1, "location") != "TOR-1" ||
		one.JSON("levels", 0, "quantity") != 2.0 {
		t.Errorf("got %s, want 3 units at two locations", one.Body)
	}
	for _, target := range []string{"/products/99", "/products/0", "/products/x", "/products/99999999999999999999"} {
		s.ask(t, "GET", target, "").Refused(t, 404, "not_found")
	}
	s.ask(t, "GET", "/products?low_stock=1&status=x&cursor=x&limit=501", "").Refused(t, 422, "validation_error")
	s.ask(t, "GET", "/ops/v1/partners/par_00000000/products", "").Refused(t, 404, "not_found")
	other := s.Register(t, "other")
	s.operator.Stock(t, other.PartnerID, "Rug", nil)
	if low := s.ask(t, "GET", "/ops/v1/low-stock", "").Must(t, 200); low.Len("products") != 3 {
		t.Errorf("low stock: got %s, want 3 products", low.Body)
	}
	seen := ""
	for cursor := ""; ; {
		page := s.ask(t, "GET", "/ops/v1/low-stock?limit=1"+cursor, "").Must(t, 200)
		seen += ids(page, "products", "name") + ";"
		next := page.Text("next_cursor")
		if next == "" {
			break
		}
		cursor = "&cursor=" + next
	}
	if strings.Count(seen, ";") != 3 || !strings.Contains(seen, "Rug") {
		t.Errorf("low stock, page by page: got %s, want 3 products", seen)
	}
}

// TestProductChanges changes products in part. The audit log has the values before
// and after.
func TestProductChanges(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	lamp := s.operator.Stock(t, s.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 7})
	path := fmt.Sprint("/products/", lamp)
	changed := s.ask(t, "PATCH", path, `{"name":"Big lamp","stock_min":200,"quantity":1,"barcode":null}`).Must(t, 200)
	if changed.Text("name") != "Big lamp" || changed.JSON("stock_max") != 200.0 || changed.JSON("quantity") != 7.0 ||
		changed.Text("barcode") != "B-Lamp" || changed.JSON("price") != 9.99 {
		t.Errorf("got %s, want another name and stock_min, and the rest as before", changed.Body)
	}
	entries := s.Query(t, "SELECT before, after FROM audit WHERE action = 'product.changed'")
	if len(entries) != 1 || !strings.Contains(entries[0], `"name":"Lamp"`) ||
		!strings.Contains(entries[0], `"name":"Big lamp"`) {
		t.Errorf("audit log: got %s, want the names before and after", entries)
	}
	s.ask(t, "PATCH", path, `{"name":"Big lamp"}`).Must(t, 200) // changes nothing, and is not logged
	if again := s.Query(t, "SELECT before, after FROM audit WHERE action = 'product.changed'"); len(again) != 1 {
		t.Errorf("audit log: got %s, want one entry", again)
	}
	for body, field := range map[string]string{
		`{"stock_max":199}`: "stock_max", `{"price":1.005}`: "price", `{"status":"gone"}`: "status", `{"name":""}`: "name",
		`[]`: "", `{"stock_min":-1}`: "stock_min",
	} {
		if got := s.ask(t, "PATCH", path, body).Refused(t, 422,
			"validation_error"); got.Text("error", "details", "field") != field {
			t.Errorf("%s: got %s, want an error of %s", body, got.Body, field)
		}
	}
	s.ask(t, "PATCH", "/products/9", `{}`).Refused(t, 404, "not_found")
	if found := s.partner.Call(t, "GET", "/v1/inventory/products?search=big", nil).Must(t,
		200); found.Len("products") != 1 {
		t.Errorf("search for the new name: got %s, want 1 product", found.Body)
	}
	s.ask(t, "PATCH", path, `{"status":"inactive"}`).Must(t, 200)
	s.partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 1))).Refused(t, 422, "validation_error")
	s.Audit(t)
}

// TestOperatorsMovements books and lists movements. Under one key each is booked once.
func TestOperatorsMovements(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	lamp := s.operator.Stock(t, s.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 7})
	s.Clock.Advance(time.Hour)
	key, body := uuid.NewString(), fmt.Sprintf(
		`{"type":"TRANSFER","product_id":%d,"quantity":2,"location":"MTL-1","to_location":"TOR-1","notes":"n"}`, lamp,
	)
	first := s.ask(t, "POST", "/movements", body, "Idempotency-Key", key).Must(t, 201)
	again := s.ask(t, "POST", "/movements", body, "Idempotency-Key", strings.ToUpper(key)).Must(t, 201)
	replayed(t, first, again)
	s.ask(t, "POST", "/movements", body+" ", "Idempotency-Key", key).Refused(t, 422, "idempotency_key_reused")
	s.ask(t, "POST", "/movements", `{}`, "Idempotency-Key", key).Refused(t, 422, "idempotency_key_reused")
	s.ask(t, "POST", "/movements", body, "Idempotency-Key", "x").Refused(t, 400, "bad_request")
	s.ask(t, "POST", "/movements", body, "Idempotency-Key", "").Refused(t, 400, "bad_request")
	refused := uuid.NewString() // errors are not replayed
	s.ask(t, "POST", "/movements", strings.Replace(body, `"quantity":2`, `"quantity":20`, 1), "Idempotency-Key",
		refused).Refused(t, 422, "insufficient_stock")
	all := map[string]bool{}
	for _, got := range apptest.Together(20,
		func(int) *apptest.Answer { return s.ask(t, "POST", "/movements", body, "Idempotency-Key", refused) }) {
		all[string(got.Must(t, 201).Body)] = true
	}
	if len(all) != 1 {
		t.Errorf("20 equal requests: got %v, want equal responses", all)
	}
	order := s.partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 1))).Must(t, 201).Text("order_id")
	for query, want := range map[string]string{
		"": "6 5 4 3 2 1", "?type=TRANSFER": "5 4 3 2", "?type=TRANSFER&location=TOR-1": "5 3",
		"?from=2026-01-14T15:30:00Z": "6 5 4 3 2", "?to=2026-01-14T15:30:00Z": "1", "?product_id=9": "",
		"?limit=2&cursor=5": "4 3", "?product_id=1&limit=1": "6",
	} {
		if got := ids(s.ask(t, "GET", "/movements"+query, "").Must(t, 200), "movements", "movement_id"); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	newest := s.ask(t, "GET", "/movements?limit=1", "").Must(t, 200)
	if newest.Text("movements", 0, "order_id") != order || newest.Text("next_cursor") != "6" {
		t.Errorf("newest: got %s, want that of order %s, and next_cursor 6", newest.Body, order)
	}
	s.Audit(t)
}

// TestCounts counts stock. The differences are booked once, with a result for each
// line.
func TestCounts(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for _, name := range []string{"Lamp", "Rug", "Chair"} {
		s.operator.Stock(t, s.partner.PartnerID, name, map[string]int{"MTL-1": 10, "TOR-1": 5})
	}
	key, body := uuid.NewString(), `{"location":"MTL-1","lines":[{"product_id":3,"counted":12},{"product_id":1,"counted":0},{"product_id":9,"counted":1},{"product_id":2,"counted":10}],"notes":"yearly"}`
	before := len(s.Query(t, "SELECT audit_id FROM audit WHERE action = 'stock.moved'"))
	got := s.ask(t, "POST", "/counts", body, "Idempotency-Key", key).Must(t, 200)
	var lines []string
	for i := range got.Len("lines") {
		lines = append(lines, fmt.Sprint(got.JSON("lines", i, "product_id"), got.JSON("lines", i, "before"),
			got.JSON("lines", i, "after"), got.JSON("lines", i, "movement_id"), got.Text("lines", i, "error", "code")))
	}
	if want := "3 10 12 7|1 10 0 8|9 0 0 <nil>validation_error|2 10 10 <nil>"; strings.Join(lines, "|") != want ||
		got.JSON("booked") != 2.0 || got.JSON("refused") != 1.0 {
		t.Errorf("got  %s\nwant %s: %s", strings.Join(lines, "|"), want, got.Body)
	}
	replayed(t, got, s.ask(t, "POST", "/counts", body, "Idempotency-Key", key))
	if again := s.ask(t, "POST", "/counts", body).Must(t, 200); again.JSON("booked") != 0.0 {
		t.Errorf("again: got %s, want nothing booked", again.Body)
	}
	if after := len(s.Query(t, "SELECT audit_id FROM audit WHERE action = 'stock.moved'")); after != before+2 {
		t.Errorf("got %d entries in the audit log, want 2", after-before)
	}
	for _, faulty := range []string{
		`{"location":"MTL-1","lines":[]}`, `{"location":"","lines":[{"product_id":1,"counted":1}]}`,
		`{"location":"A","lines":[{"product_id":1,"counted":1},{"product_id":1,"counted":1}]}`,
		`{"location":"A","lines":[{"product_id":1,"counted":-1}]}`, `[]`,
	} {
		s.ask(t, "POST", "/counts", faulty).Refused(t, 422, "validation_error")
	}
	s.ask(t, "POST", "/ops/v1/partners/par_00000000/counts", body).Refused(t, 404, "not_found")
	s.Audit(t)
}

// TestConcurrentStockChanges counts, imports, changes and orders products
// concurrently. The books add up.
func TestConcurrentStockChanges(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for _, name := range []string{"Lamp", "Rug", "Chair"} {
		s.operator.Stock(t, s.partner.PartnerID, name, map[string]int{"MTL-1": 20, "TOR-1": 20})
	}
	apptest.Together(8, func(i int) (none struct{}) {
		for round := range 6 {
			product := 1 + (i+round)%3
			switch (i + round) % 4 {
			case 0:
				s.ask(t, "POST", "/counts", fmt.Sprintf(
					`{"location":"MTL-1","lines":[{"product_id":3,"counted":%d},{"product_id":%d,"counted":9}]}`, 5+round, 1+i%2,
				)).Must(t, 200)
			case 1:
				s.ask(t, "POST", "/products/import", fmt.Sprintf(
					"product_id,name,price,opening_quantity,opening_location\n%d,Name %d,,,\n,New %d-%d,3,4,MTL-1\n", product, round,
					i, round,
				), "Content-Type", "text/csv").Must(t, 200)
			case 2:
				s.ask(t, "PATCH", fmt.Sprint("/products/", product), fmt.Sprintf(`{"price":%d}`, round)).Must(t, 200)
			default:
				items := fmt.Sprintf(`[{"product_id":%d,"quantity":2},{"product_id":%d,"quantity":1}]`, product, 1+product%3)
				if got := s.partner.Create(t, testkit.OrderJSON(fmt.Sprintf("A-%d-%d", i, round), items)); got.Status != 201 {
					got.Refused(t, 422, "insufficient_stock")
				}
			}
		}
		return none
	})
	s.Audit(t)
}
