package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// opens requests a page, and compares it with texts that it must have and must not have.
func opens(t *testing.T, who *apptest.User, path string, want, absent []string) {
	t.Helper()
	shows(t, path, who.Open(t, path).Must(t, http.StatusOK), want, absent)
}

// addLamps gives a partner a lamp of which there is enough, and a rug that is low.
func addLamps(t *testing.T, s *apptest.Service, partnerID string) (lamp, rug int) {
	t.Helper()
	desk := s.Operate(t)
	lamp = desk.Stock(t, partnerID, "Lamp <b>", map[string]int{"MTL-1": 40, "TOR-1": 12})
	rug = desk.Stock(t, partnerID, "Rug", map[string]int{"MTL-1": 1})
	return lamp, rug
}

// TestStock lists a partner's own products, those of the mode that is looked at.
func TestStock(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	addLamps(t, s, metro.PartnerID)
	metro.InTest(t)
	owner, reader, other := metro.Owner(t), metro.As(t, "reader"), s.Register(t, "nord").Owner(t)
	const order = `href="/portal/orders/new?items%5B0%5D.product_id=1&amp;items%5B0%5D.quantity=1"`
	for _, c := range []struct {
		who          *apptest.User
		path         string
		want, absent []string
	}{
		{owner, "/portal/stock", []string{
			"Lamp &lt;b&gt;", "Rug", "All 2", "Low 1", "2 products", order,
		}, []string{"Maple syrup", "Lamp <b>"}},
		{reader, "/portal/stock", []string{"Rug"}, []string{order}},
		{owner, "/portal/stock?low=yes", []string{"Rug", "1 product<"}, []string{"Lamp"}},
		{owner, "/portal/stock?search=LAMP", []string{"Lamp", "All 1", "Low 0"}, []string{"Rug"}},
		{owner, "/portal/stock?search=chair", []string{"No product here has “chair”"}, []string{"Lamp"}},
		{owner, "/portal/stock?status=inactive", []string{"All products are on sale."}, []string{"Lamp"}},
		{owner, "/portal/stock?page=99999999999999999999", []string{"Lamp", "Rug"}, nil},
		{owner, "/portal/stock?mode=test", []string{"Maple syrup 540 ml", "1,000,000"}, []string{"Rug"}},
		{owner, "/portal/stock?lang=fr", []string{"Stock bas : 1", "2 produits"}, nil},
		{other, "/portal/stock", []string{"You have no products in stock."}, []string{"Lamp"}},
	} {
		opens(t, c.who, c.path, c.want, c.absent)
	}
}

// TestStockPages shows the pages of a long list.
func TestStockPages(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	file := "name,price\n" + strings.Repeat("Bolt,1\n", 50) + "Nut,1\n"
	s.Do(t, "POST", "/ops/v1/partners/"+metro.PartnerID+"/products/import", []byte(file),
		"Authorization", "Bearer "+s.Operate(t).Token, "Content-Type", "text/csv").Must(t, http.StatusOK)
	owner := metro.Owner(t)
	const second = `href="/portal/stock?page=2"`
	opens(t, owner, "/portal/stock", []string{"1 to 50 of 51 products", second}, []string{"Nut"})
	opens(t, owner, "/portal/stock?page=2", []string{"51 to 51 of 51 products", "Nut", `href="/portal/stock?page=1"`},
		[]string{"Bolt"})
}

// TestMovements shows what an order and the warehouse have moved, and leads to the order.
func TestMovements(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	lamp, rug := addLamps(t, s, metro.PartnerID)
	body := testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp))
	orderID := metro.Create(t, body).Must(t, http.StatusCreated).Text("order_id")
	owner := metro.Owner(t)
	ofLamp := fmt.Sprintf("/portal/stock/movements?product_id=%d", lamp)
	link := `href="/portal/orders/` + orderID + `"`
	opens(t, owner, "/portal/stock/movements", []string{"4 movements", "Lamp &lt;b&gt;", "Rug", "&#43;12", "−3", link},
		nil)
	opens(t, owner, ofLamp, []string{"3 movements", "49", "37", link}, []string{"Rug"})
	opens(t, owner, ofLamp+"&type=IN", []string{"2 movements"}, []string{"−3", link})
	opens(t, owner, fmt.Sprintf("/portal/stock/movements?product_id=%d&cursor=1", rug),
		[]string{"There are no movements here."},
		nil)
	for _, id := range []string{"99", "0", "lamp"} {
		owner.Open(t, "/portal/stock/movements?product_id="+id).Must(t, http.StatusNotFound)
	}
}
