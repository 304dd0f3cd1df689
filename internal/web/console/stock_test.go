package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// warehouse is a service with a partner that has a lamp, of which there is enough, and a
// rug, which is low; and a browser in which an operator of the warehouse is signed in.
type warehouse struct {
	*apptest.Visitor
	desk, keeper *apptest.Operator
	metro        *apptest.Partner
	path         string // of the partner's stock
	lamp, rug    int
}

func openWarehouse(t *testing.T) *warehouse {
	t.Helper()
	s := apptest.Start(t)
	w := &warehouse{desk: s.Operate(t), metro: s.Register(t, "metro")}
	w.lamp = w.desk.Stock(t, w.metro.PartnerID, "Lamp <b>", map[string]int{"MTL-1": 40, "TOR-1": 12})
	w.rug = w.desk.Stock(t, w.metro.PartnerID, "Rug", map[string]int{"MTL-1": 1})
	w.keeper = w.desk.As(t, "warehouse")
	w.Visitor = w.keeper.Visit(t)
	w.path = "/console/stock/" + w.metro.PartnerID
	return w
}

// product returns the path of the page of a product.
func (w *warehouse) product(id int) string { return fmt.Sprintf("%s/products/%d", w.path, id) }

// shows fails the test unless a page has some texts and lacks others.
func (w *warehouse) shows(t *testing.T, path string, want, absent []string) {
	t.Helper()
	got := w.Open(t, path)
	got.Shows(t, http.StatusOK, want...)
	for _, text := range absent {
		if strings.Contains(string(got.Body), text) {
			t.Errorf("%s: got %q in the page:\n%s", path, text, got.Body)
		}
	}
}

// TestWarehousePages lists what is low, a partner's products, and their movements.
func TestWarehousePages(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	w.Register(t, "nord")
	low := []string{"Rug", "1 product is at", ">99<", `href="` + w.path + `"`}
	w.shows(t, "/console/stock", append(low, "2 partners"), []string{"Lamp", "Last:", "metro@example.com"})
	w.shows(t, "/console/stock?partner=METRO", append(low, "1 partner<"), []string{">nord<"})
	w.shows(t, "/console/stock?partner=chair", []string{"No partner has “chair”"}, nil)
	w.shows(t, w.path, []string{"Lamp &lt;b&gt;", "Rug", "All 2", "Low 1", "2 products", w.product(w.lamp)},
		[]string{"Lamp <b>"})
	w.shows(t, w.path+"?low=yes", []string{"Rug", "1 product<"}, []string{"Lamp"})
	w.shows(t, w.path+"?search=B-LAMP", []string{"Lamp"}, []string{"Rug"})
	w.shows(t, w.path+"?status=inactive", []string{"All products are on sale."}, []string{"Lamp"})
	w.shows(t, w.path+"?lang=fr", []string{"Stock bas\u00a0: 1", "2 produits"}, nil)
	w.shows(t, "/console/stock?lang=en", []string{"Last: metro"}, nil)
	w.shows(t, w.path+"/movements", []string{"3 movements", "Lamp &lt;b&gt;", "&#43;12"}, nil)
	w.shows(t, w.path+"/movements?type=OUT", []string{"There are no movements here."}, []string{"&#43;12"})
	w.shows(t, fmt.Sprintf("%s/movements?product_id=%d", w.path, w.lamp),
		[]string{fmt.Sprintf(`href="%s/movements.csv?product_id=%d"`, w.path, w.lamp)}, nil)
	w.shows(t, fmt.Sprintf("%s/movements.csv?product_id=%d&type=IN", w.path, w.lamp),
		[]string{"at,movement_id,type,change,", fmt.Sprintf(",IN,12,%d,Lamp <b>,TOR-1,,", w.lamp)}, []string{"Rug"})
	w.shows(t, w.product(w.lamp), []string{"52", "TOR-1", "&#43;40", `value="9.99"`}, []string{"Rug"})
	for _, path := range []string{
		w.path + "/products/99", w.path + "/products/lamp", "/console/stock/par_none", "/console/stock/par_none/movements",
		w.path + "/movements?product_id=99",
	} {
		w.Open(t, path).Must(t, http.StatusNotFound)
	}
	dispatcher := w.desk.As(t, "dispatcher").Visit(t)
	dispatcher.Open(t, "/console/stock").Must(t, http.StatusForbidden)
	dispatcher.Open(t, w.path).Must(t, http.StatusForbidden)
}

// TestProductForm adds a product, changes it, and is refused with faults at its fields, or
// because another person was faster. The audit log names the operator.
func TestProductForm(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	faulty := w.Fill(t, w.path+"/new", "name", "", "price", "1.234", "stock_min", "9", "stock_max", "8")
	faulty.Shows(t, 422, "3 fields need a change", "This is required.", "at most two decimals", "not below the minimum",
		`value="1.234"`)
	w.Send(t, faulty, w.path+"/new", "name", "Desk", "price", "1 234,50", "stock_max", "").Leads(t, w.product(3))
	w.shows(t, w.product(3), []string{"The product has been added", `value="1234.50"`, `value="9"`}, nil)

	page, stale := w.Open(t, w.product(3)), w.Open(t, w.product(3))
	w.Send(t, page, w.product(3), "name", "Standing desk", "barcode", "  0627  ").Leads(t, w.product(3))
	w.Send(t, stale, w.product(3), "name", "Other").Leads(t, w.product(3))
	w.shows(t, w.product(3), []string{`value="Standing desk"`, `value="0627"`}, []string{"Other"})
	w.Fill(t, w.product(3), "price", "much", "stock_min", "-1").Shows(t, 422, "2 fields need a change", `value="much"`,
		"from 0 to")
	w.Fill(t, w.product(3), "barcode", "", "status", "inactive").Leads(t, w.product(3))
	w.shows(t, w.path+"?status=inactive", []string{"Standing desk"}, nil)

	log := string(w.desk.Call(t, "GET", "/ops/v1/audit?object_id=3", nil).Must(t, 200).Body)
	for _, text := range []string{"product.created", "product.changed", w.keeper.OperatorID} {
		if !strings.Contains(log, text) {
			t.Errorf("got an audit log without %q:\n%s", text, log)
		}
	}
}
