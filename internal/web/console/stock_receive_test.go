package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// receives sends the form of a receipt, with lines given as pairs of product and quantity.
func (w *warehouse) receives(t *testing.T, on *apptest.Answer, lines []string, others ...string) *apptest.Answer {
	t.Helper()
	path := w.path + "/book?type=IN"
	fields, err := url.ParseQuery(string(on.Form(t, path, others...)))
	if err != nil {
		t.Fatal(err)
	}
	fields.Del("product")
	fields.Del("quantity")
	for i := 0; i+1 < len(lines); i += 2 {
		fields.Add("product", lines[i])
		fields.Add("quantity", lines[i+1])
	}
	return w.Request(t, "POST", path, []byte(fields.Encode()), "Content-Type", "application/x-www-form-urlencoded")
}

// TestReceiveSeveralLines books all lines of a receipt once, or none of them if one has a
// fault, which is shown at its line.
func TestReceiveSeveralLines(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	page := w.Open(t, w.path+"/book").Must(t, 200)
	page.Shows(t, 200, `id="field-product-4"`, "Line 5: Quantity")
	w.shows(t, w.path+"/count/lines?names=1&code=B-", []string{"Enter the number of one"}, nil)
	lines := []string{"B-Rug", "20", "", "", "B-Lamp <b>", "3", "rug", "1"}

	faulty := w.receives(t, page, append(lines, "0627", "1", "1", "", "2", "1000000001", "B-", "1"), "location", "MTL-1")
	faulty.Shows(t, 422, "2 fields need a change", `id="fault-product-3"`, "No product has this", `id="fault-product-6"`,
		"Enter the number of one", `value="B-Rug"`)
	faulty = w.receives(t, faulty, append(lines, "1", "", "2", "1000000001"), "location", "MTL-1")
	faulty.Shows(t, 422, "2 fields need a change", `id="fault-quantity-3"`, `id="fault-quantity-4"`, `value="1000000001"`)
	w.receives(t, page, nil, "location", "MTL-1").Shows(t, 422, "This is required.")
	w.receives(t, page, strings.Split(strings.Repeat("2 1 ", 100)+"2 1", " "), "location", "MTL-1").Shows(t, 422,
		"at most 100 lines")
	more := w.receives(t, page, lines, "location", "MTL-1", "act", "more")
	more.Shows(t, 200, `id="field-product-7"`, `value="B-Rug"`, `value="MTL-1"`)
	pasted := "sku\tname\tquantity\n2\tRug\t7\r\n\"B-Lamp <b>\";1\n\n1,12\n"
	pasting := w.receives(t, w.Open(t, w.path+"/book"), lines, "location", "MTL-1", "pasted", pasted)
	pasting.Shows(t, 200, `id="field-product-10"`, `id="field-product-3" name="product" value="2"`, `value="7"`,
		`value="12"`, ">Rug<", `value="MTL-1"`)
	if strings.Contains(string(pasting.Body), `value="sku"`) {
		t.Errorf("got a line of the titles:\n%s", pasting.Body)
	}
	w.audited(t, w.rug, 0)

	for range 2 { // a double click books once
		w.receives(t, more, lines, "location", "MTL-1", "notes", "lorry").Leads(t, w.path+"/book?location=MTL-1&type=IN")
	}
	w.shows(t, w.path+"/book", []string{"Received at MTL-1: 3 lines."}, nil)
	w.shows(t, w.product(w.rug), []string{"22", "lorry"}, nil)
	w.shows(t, w.product(w.lamp), []string{"55", "lorry"}, nil)
	w.audited(t, w.rug, 2)
	w.audited(t, w.lamp, 1)
}

// TestNewLocationIsConfirmed receives, moves and corrects goods at a location with a mistyped name: the form asks, and
// books once the reader has confirmed the new location.
func TestNewLocationIsConfirmed(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	receiving := w.path + "/book?type=IN"
	typed := w.receives(t, w.Open(t, receiving), []string{"B-Rug", "20"}, "location", "mtl1")
	typed.Shows(t, 422, "Did you mean MTL-1?", `name="new_location" value="mtl1"`)
	w.audited(t, w.rug, 0)
	w.receives(t, typed, []string{"B-Rug", "20"}, "location", "MTL-2").Shows(t, 422,
		"Nothing has been stored at “MTL-2” yet")
	again := w.receives(t, typed, []string{"B-Rug", "20"}, "location", "MTL-3", "new_location", "mtl1")
	again.Shows(t, 422, `name="new_location" value="MTL-3"`)
	w.receives(t, again, []string{"B-Rug", "20"}, "location", "MTL-3", "new_location", "MTL-3").Leads(t,
		w.path+"/book?location=MTL-3&type=IN")
	w.audited(t, w.rug, 1)

	for kind, sent := range map[string][]string{
		"TRANSFER":   {"product", "B-Rug", "quantity", "1", "location", "MTL-3", "to_location", "MTL-4"},
		"ADJUSTMENT": {"product", "B-Rug", "quantity", "1", "location", "MTL-4", "notes", "found"},
	} {
		path := w.path + "/book?type=" + kind
		w.Send(t, w.Open(t, path), path, sent...).Shows(t, 422, `name="new_location" value="MTL-4"`)
	}
	w.audited(t, w.rug, 1)

	w.desk.Call(t, "PUT", "/ops/v1/locations/DEPOT-2", []byte(`{"name":"Dépôt","phone":"+15145550199",
		"email":"depot@example.com","address":{"line1":"9000 Boulevard Saint-Laurent","city":"Montréal","province":"QC",
		"postal_code":"H2N 1M5","country":"CA"}}`)).Must(t, 200)
	w.receives(t, w.Open(t, receiving), []string{"B-Rug", "1"}, "location", "DEPOT-2").Leads(t,
		w.path+"/book?location=DEPOT-2&type=IN") // it has an address: its name is not a mistake

	count := w.path + "/count?location=MTL-4"
	w.shows(t, count, []string{"Nothing has been stored at “MTL-4” yet", `href="` + w.path + `/count?location=MTL-4&amp;new=yes"`},
		[]string{`id="scan"`})
	w.shows(t, count+"&new=yes", []string{`id="scan"`}, nil)
	w.shows(t, w.path+"/count?location=MTL-3", []string{`id="scan"`}, nil)
}
