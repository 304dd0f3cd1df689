package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// hourly creates the orders A-0 to A-(n-1), one per hour.
func hourly(t *testing.T, p *apptest.Partner, n int) (ids []string) {
	t.Helper()
	for i := range n {
		if i > 0 {
			p.Clock.Advance(time.Hour)
		}
		ids = append(ids, p.Create(t, testkit.OrderJSON(fmt.Sprintf("A-%d", i), "")).Must(t, 201).Text("order_id"))
	}
	return ids
}

// references returns the partner_order_ids of a page, without "A-".
func references(page *apptest.Answer) string {
	var all []string
	for i := range page.Len("orders") {
		all = append(all, strings.TrimPrefix(page.Text("orders", i, "partner_order_id"), "A-"))
	}
	return strings.Join(all, " ")
}

// TestListFilters lists orders with every parameter, alone and combined. The newest
// comes first.
func TestListFilters(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	ids := hourly(t, partner, 7) // at 15:00, 16:00, … 21:00
	for _, i := range []int{1, 3, 5} {
		operator.Move(t, ids[i], "accepted").Must(t, 200)
	}
	partner.Cancel(t, ids[5], "").Must(t, 200)
	for query, want := range map[string]struct {
		references    string
		limit, offset float64
		next          string // the order whose id is next_cursor
	}{
		"":                                  {"6 5 4 3 2 1 0", 50, 0, ""},
		"limit=500":                         {"6 5 4 3 2 1 0", 500, 0, ""},
		"limit=7":                           {"6 5 4 3 2 1 0", 7, 0, ""},
		"limit=6":                           {"6 5 4 3 2 1", 6, 0, ids[1]},
		"limit=1":                           {"6", 1, 0, ids[6]},
		"limit=2&offset=2":                  {"4 3", 2, 2, ids[3]},
		"offset=5":                          {"1 0", 50, 5, ""},
		"offset=7":                          {"", 50, 7, ""},
		"offset=1000000":                    {"", 50, 1000000, ""},
		"cursor=" + ids[3]:                  {"2 1 0", 50, 0, ""},
		"limit=2&cursor=" + ids[3]:          {"2 1", 2, 0, ids[1]},
		"cursor=" + ids[0]:                  {"", 50, 0, ""},
		"limit=1&offset=1&cursor=" + ids[4]: {"2", 1, 1, ids[2]},
		"status=pending":                    {"6 4 2 0", 50, 0, ""},
		"status=accepted":                   {"3 1", 50, 0, ""},
		"status=cancelled":                  {"5", 50, 0, ""},
		"status=delivered":                  {"", 50, 0, ""},
		"status=pending&limit=2":            {"6 4", 2, 0, ids[4]},
		"status=pending&limit=2&cursor=" + ids[4]:  {"2 0", 2, 0, ""},
		"created_from=2026-01-14T18:00:00Z":        {"6 5 4 3", 50, 0, ""},
		"created_from=2026-01-14T18:00:00.001Z":    {"6 5 4", 50, 0, ""},
		"created_to=2026-01-14T18:00:00Z":          {"2 1 0", 50, 0, ""},
		"created_to=2026-01-14T18:00:00.001Z":      {"3 2 1 0", 50, 0, ""},
		"created_from=2026-01-14T13:00:00-05:00":   {"6 5 4 3", 50, 0, ""},
		"created_from=2026-01-14T21:00:00%2B05:00": {"6 5 4 3 2 1", 50, 0, ""},
		"created_from=9999-12-31T23:59:59Z":        {"", 50, 0, ""},
		"created_to=1970-01-01T00:00:00Z":          {"", 50, 0, ""},
		"created_to=9999-12-31T23:59:59Z":          {"6 5 4 3 2 1 0", 50, 0, ""},
		"partner_order_id=A-4":                     {"4", 50, 0, ""},
		"partner_order_id=a-4":                     {"", 50, 0, ""},
		"partner_order_id=A-":                      {"", 50, 0, ""},
		"partner_order_id=A-4&status=accepted":     {"", 50, 0, ""},
		"partner_order_id=A-3&status=accepted":     {"3", 50, 0, ""},
		"created_from=2026-01-14T16:00:00Z&created_to=2026-01-14T19:00:00Z&status=accepted&limit=1": {"3", 1, 0, ids[3]},
	} {
		page := partner.Call(t, "GET", "/v1/orders?"+query, nil).Must(t, 200)
		if got := references(page); got != want.references || page.JSON("count") != float64(page.Len("orders")) {
			t.Errorf("%s: got %s, want %s", query, got, want.references)
		}
		if page.JSON("limit") != want.limit || page.JSON("offset") != want.offset || page.Text("next_cursor") != want.next {
			t.Errorf("%s: got limit %v, offset %v, next_cursor %q, want %v, %v, %q", query, page.JSON("limit"),
				page.JSON("offset"), page.Text("next_cursor"), want.limit, want.offset, want.next)
		}
	}
}

// TestCursorDuringCreation follows cursors while orders are created. Every order is
// listed once; by an offset some would be listed twice.
func TestCursorDuringCreation(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	hourly(t, partner, 10)
	var seen []string
	cursor := ""
	for turn := 0; turn == 0 || cursor != ""; turn++ {
		page := partner.Call(t, "GET", "/v1/orders?limit=3"+cursor, nil).Must(t, 200)
		seen = append(seen, references(page))
		if cursor = page.Text("next_cursor"); cursor != "" {
			cursor = "&cursor=" + cursor
		}
		partner.Create(t, testkit.OrderJSON(fmt.Sprintf("new-%d", turn), "")).Must(t, 201)
	}
	if got := strings.Join(seen, " "); got != "9 8 7 6 5 4 3 2 1 0" {
		t.Errorf("got %s, want 9 to 0", got)
	}
}

// TestListedOrderMembers checks that listed orders have the members of docs/contract.md, Orders in
// responses and no others.
func TestListedOrderMembers(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3})
	id := f.partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 1))).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "failed", "cancelled"} {
		f.operator.Move(t, id, status).Must(t, 200)
		page := f.partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
		want := []string{"created_at", "currency", "dropoff", "estimated_delivery", "order_id", "parcels", "partner_order_id",
			"pickup", "rate_cents", "service_level", "status", "tracking_url", "updated_at"}
		if got := page.Keys("orders", 0); !slices.Equal(got, want) {
			t.Errorf("got members %v, want %v", got, want)
		}
		whole := f.read(t, id)
		for _, name := range want {
			if fmt.Sprint(page.JSON("orders", 0, name)) != fmt.Sprint(whole.JSON(name)) {
				t.Errorf("%s: got %v in the list, want %v", name, page.JSON("orders", 0, name), whole.JSON(name))
			}
		}
		if keys := page.Keys(); !slices.Equal(keys, []string{"count", "limit", "offset", "orders"}) {
			t.Errorf("page: got members %v, want count, limit, offset, orders", keys)
		}
	}
}

// TestInventoryPages lists products and movements by limit, offset, search and product.
func TestInventoryPages(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for _, name := range []string{"Lamp", "Lampe École", "Rug 50%", "Chair"} {
		f.operator.Stock(t, f.partner.PartnerID, name, map[string]int{"MTL-1": 3})
	}
	for query, want := range map[string]string{
		"": "4 of 4", "search=lamp": "2 of 2", "search=LAMP&limit=1": "1 of 2", "search=%C3%A9cole": "1 of 1",
		"search=b-rug": "1 of 1", "search=%25": "1 of 1", "search=_": "0 of 0", "search=nothing": "0 of 0",
		"limit=3&offset=3": "1 of 4", "offset=4": "0 of 4",
	} {
		got := f.partner.Call(t, "GET", "/v1/inventory/products?"+query, nil).Must(t, 200)
		if found := fmt.Sprintf("%v of %v", got.JSON("count"), got.JSON("total")); found != want ||
			got.Len("products") != int(got.JSON("count").(float64)) {
			t.Errorf("%s: got %s, want %s: %s", query, found, want, got.Body)
		}
	}
	for query, want := range map[string]string{
		"": "4 3 2 1", "limit=2": "4 3", "limit=2&offset=1": "3 2", "product_id=2": "2", "product_id=9": "",
	} {
		got := f.partner.Call(t, "GET", "/v1/inventory/movements?"+query, nil).Must(t, 200)
		var ids []string
		for i := range got.Len("movements") {
			ids = append(ids, fmt.Sprint(got.JSON("movements", i, "movement_id")))
		}
		if strings.Join(ids, " ") != want {
			t.Errorf("%s: got %s, want %s", query, got.Body, want)
		}
	}
}

// TestPartnersAreIsolated lets ten partners use the same references and product
// ids. None sees or changes what belongs to another. Only tracking is public.
func TestPartnersAreIsolated(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	operator := service.Operate(t)
	const many = 10
	var partners []*apptest.Partner
	var orders []string
	for i := range many {
		p := service.Register(t, fmt.Sprintf("partner-%d", i))
		product := operator.Stock(t, p.PartnerID, fmt.Sprintf("Lamp of %d", i), map[string]int{"MTL-1": 10 + i})
		orders = append(orders, p.Create(t, testkit.OrderJSON("A-1", buying(product, 1))).Must(t, 201).Text("order_id"))
		partners = append(partners, p)
	}
	before := service.Content(t)
	for i, p := range partners {
		seesOwnRecords(t, p, i, orders[i])
		for j, id := range orders {
			if i == j {
				continue
			}
			p.Call(t, "GET", "/v1/orders/"+id, nil).Refused(t, 404, "not_found")
			p.Cancel(t, id, "").Refused(t, 404, "not_found")
			if page := p.Call(t, "GET", "/v1/orders?cursor="+id, nil).Must(t, 200); strings.Contains(string(page.Body), id) {
				t.Errorf("partner %d: got order of partner %d: %s", i, j, page.Body)
			}
			service.Do(t, "DELETE", "/v1/auth/api-keys/"+partners[j].KeyID, nil, p.Login()...).Refused(t, 404, "not_found")
			service.Do(t, "GET", "/track/"+id, nil).Must(t, 200)
		}
	}
	service.Unchanged(t, before)
	service.Audit(t)
}

// seesOwnRecords checks every list of a partner that has one order, one product, one
// movement in and one out, and one key.
func seesOwnRecords(t *testing.T, p *apptest.Partner, i int, order string) {
	t.Helper()
	page := p.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	if page.JSON("count") != 1.0 || page.Text("orders", 0, "order_id") != order {
		t.Errorf("orders of partner %d: got %s, want its own", i, page.Body)
	}
	products := p.Call(t, "GET", "/v1/inventory/products?search=lamp", nil).Must(t, 200)
	if products.JSON("total") != 1.0 || products.Text("products", 0, "name") != fmt.Sprintf("Lamp of %d", i) ||
		products.JSON("products", 0, "quantity") != float64(9+i) {
		t.Errorf("products of partner %d: got %s, want its own", i, products.Body)
	}
	movements := p.Call(t, "GET", "/v1/inventory/movements", nil).Must(t, 200)
	if movements.JSON("count") != 2.0 || movements.JSON("movements", 1, "quantity") != float64(10+i) {
		t.Errorf("movements of partner %d: got %s, want its own", i, movements.Body)
	}
	keys := p.Do(t, "GET", "/v1/auth/api-keys", nil, p.Login()...).Must(t, 200)
	if keys.JSON("count") != 1.0 || keys.Text("api_keys", 0, "key_id") != p.KeyID {
		t.Errorf("keys of partner %d: got %s, want its own", i, keys.Body)
	}
}
