package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// buying returns the items of an order.
func buying(product, quantity int) string {
	return fmt.Sprintf(`[{"product_id":%d,"quantity":%d}]`, product, quantity)
}

// TestTenBuyersForEachUnit lets 120 clients buy 12 units from two locations at the
// same time, which is as many requests as a partner may make. Each unit is sold once.
func TestTenBuyersForEachUnit(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	lamp := service.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 8, "TOR-1": 4})
	sold := 0
	for _, got := range apptest.Together(120, func(i int) *apptest.Answer {
		return partner.Create(t, testkit.OrderJSON(fmt.Sprintf("A-%d", i), buying(lamp, 1)))
	}) {
		if got.Status == 201 {
			sold++
			continue
		}
		got.Refused(t, 422, "insufficient_stock")
		if got.JSON("error", "details", "items", 0, "requested") != 1.0 ||
			got.JSON("error", "details", "items", 0, "available") != 0.0 {
			t.Errorf("got %s, want 1 requested and 0 available", got.Body)
		}
	}
	if sold != 12 {
		t.Errorf("got %d units sold, want 12", sold)
	}
	left := partner.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	if left.JSON("products", 0, "quantity") != 0.0 || left.JSON("products", 0, "is_available") != false ||
		left.JSON("products", 0, "low_stock") != true {
		t.Errorf("got %s, want 0 units, not available, low stock", left.Body)
	}
	if outs := service.Query(t,
		"SELECT count(*), sum(quantity) FROM stock_movements WHERE type = 'OUT'"); outs[0] != "12 12" {
		t.Errorf("got movements %s, want 12 of 12 units", outs[0])
	}
	service.Audit(t)
}

// TestConcurrentBuyersAndCancellations lets clients order and cancel at random. In
// the end the stock is what it was, less what is still sold.
func TestConcurrentBuyersAndCancellations(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	operator := service.Operate(t)
	const initial = 60
	var products []int
	for _, name := range []string{"Lamp", "Chair", "Table", "Rug"} {
		products = append(products,
			operator.Stock(t, partner.PartnerID, name, map[string]int{"MTL-1": 30, "TOR-1": 20, "VAN-1": 10}))
	}
	buyers := apptest.Together(16, func(i int) *buyer {
		b := &buyer{partner: partner, random: repeatable.Rand(t,
			fmt.Sprint("buyer ", i)), name: i, products: products, held: map[int]int{}}
		for range 30 {
			b.act(t)
		}
		return b
	})
	for _, product := range products {
		held := 0
		for _, b := range buyers {
			held += b.held[product]
		}
		left := service.Query(t, fmt.Sprintf("SELECT quantity FROM products WHERE product_id = %d", product))
		if left[0] != fmt.Sprint(initial-held) {
			t.Errorf("product %d: got %s units left, want %d: %d of %d are sold", product, left[0], initial-held, held, initial)
		}
	}
	service.Audit(t)
}

// buyer orders and cancels at random, and keeps account of what it holds.
type buyer struct {
	partner  *apptest.Partner
	random   *rand.Rand
	name     int
	products []int
	orders   []purchase
	held     map[int]int // units by product
	made     int
}

type purchase struct {
	id    string
	units map[int]int
}

// act orders or cancels.
func (b *buyer) act(t *testing.T) {
	if len(b.orders) > 0 && b.random.IntN(5) < 2 {
		b.cancel(t)
	} else {
		b.buy(t)
	}
}

// buy orders one to three lines, some of them of the same product.
func (b *buyer) buy(t *testing.T) {
	units, items := map[int]int{}, ""
	for range 1 + b.random.IntN(3) {
		product, quantity := b.products[b.random.IntN(len(b.products))], 1+b.random.IntN(8)
		units[product] += quantity
		items += fmt.Sprintf(`,{"product_id":%d,"quantity":%d}`, product, quantity)
	}
	b.made++
	got := b.partner.Create(t, testkit.OrderJSON(fmt.Sprintf("B-%d-%d", b.name, b.made), "["+items[1:]+"]"))
	if got.Status != 201 {
		got.Refused(t, 422, "insufficient_stock")
		return
	}
	b.orders = append(b.orders, purchase{got.Text("order_id"), units})
	b.count(units, 1)
}

func (b *buyer) cancel(t *testing.T) {
	at := b.random.IntN(len(b.orders))
	if got := b.partner.Cancel(t, b.orders[at].id, ""); got.Status != 200 {
		t.Errorf("cancel: got status %d, want 200: %s", got.Status, got.Body)
	}
	b.count(b.orders[at].units, -1)
	b.orders = slices.Delete(b.orders, at, at+1)
}

func (b *buyer) count(units map[int]int, sign int) {
	for product, quantity := range units {
		b.held[product] += sign * quantity
	}
}

// TestShortages orders more of several products than there is. All shortages are in
// one error, lines of one product are added up, and no stock is taken.
func TestShortages(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3, "TOR-1": 4})
	rug := operator.Stock(t, partner.PartnerID, "Rug", nil)
	chair := operator.Stock(t, partner.PartnerID, "Chair", map[string]int{"MTL-1": 9})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":5},{"product_id":%d,"quantity":1},{"product_id":%d,"quantity":9},{"product_id":%d,"quantity":3}]`, lamp, rug, chair, lamp)
	before := service.Content(t)
	got := partner.Create(t, testkit.OrderJSON("A-1", items)).Refused(t, 422, "insufficient_stock")
	short := got.JSON("error", "details", "items")
	if want := fmt.Sprintf("[map[available:7 product_id:%d requested:8] map[available:0 product_id:%d requested:1]]", lamp,
		rug); fmt.Sprint(short) != want {
		t.Errorf("got %v, want %s", short, want)
	}
	unknown := partner.Create(t,
		testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":99},{"product_id":77,"quantity":1}]`, lamp)))
	if unknown.Refused(t, 422, "validation_error").Text("error", "details", "field") != "items[1].product_id" {
		t.Errorf("unknown product: got %s, want an error of items[1].product_id", unknown.Body)
	}
	service.Unchanged(t, before)
}

// TestProductIDsArePerPartner orders a product of another partner by its id.
func TestProductIDsArePerPartner(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	metro, other, operator := service.Register(t, "metro"), service.Register(t, "other"), service.Operate(t)
	lamp := operator.Stock(t, metro.PartnerID, "Lamp", map[string]int{"MTL-1": 3})
	other.Create(t, testkit.OrderJSON("A-1", buying(lamp, 1))).Refused(t, 422, "validation_error")
	rug := operator.Stock(t, other.PartnerID, "Rug", map[string]int{"MTL-1": 1})
	got := other.Create(t, testkit.OrderJSON("A-1", buying(rug, 1))).Must(t, 201)
	if rug != lamp || got.Text("items", 0, "name") != "Rug" {
		t.Errorf("got products %d and %d, want the same id, and an order of the rug: %s", lamp, rug, got.Body)
	}
	if left := metro.Call(t, "GET", "/v1/inventory/products", nil); left.JSON("products", 0, "quantity") != 3.0 {
		t.Errorf("got %s, want 3 units left", left.Body)
	}
	service.Audit(t)
}
