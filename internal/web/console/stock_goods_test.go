package console_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// audited fails the test unless the audit log has so many entries of the keeper about a
// product.
func (w *warehouse) audited(t *testing.T, product, want int) {
	t.Helper()
	log := w.desk.Call(t, "GET", fmt.Sprintf("/ops/v1/audit?action=stock.moved&object_id=%d&limit=100", product),
		nil).Must(t, 200)
	if got := strings.Count(string(log.Body), w.keeper.OperatorID); got != want {
		t.Errorf("product %d: got %d entries of the keeper, want %d:\n%s", product, got, want, log.Body)
	}
}

// TestBookGoods receives, transfers, withdraws and corrects goods, and is refused with
// faults at the fields.
func TestBookGoods(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	book := w.path + "/book"
	w.shows(t, book, []string{"Receive", `<option value="MTL-1">`, `<option value="TOR-1">`}, []string{"To</label>"})
	for _, c := range []struct {
		kind   string
		fields []string
		next   string // parameters of the address that the form leads to
		want   string
	}{
		{"IN", []string{
			"product", "B-Rug", "quantity", "20", "location", "MTL-1",
		}, "location=MTL-1&type=IN", "Received: 20 × Rug. Now MTL-1: 21; 21 in all."},
		{"TRANSFER", []string{
			"product", "rug", "quantity", "5", "location", "MTL-1", "to_location", "TOR-1",
		}, "location=MTL-1&to_location=TOR-1&type=TRANSFER", "Now MTL-1: 16, TOR-1: 5; 21 in all."},
		{"OUT", []string{
			"product", "2", "quantity", "1", "location", "TOR-1", "notes", "torn",
		}, "location=TOR-1&type=OUT", "Now TOR-1: 4; 20 in all."},
		{"ADJUSTMENT", []string{
			"product", "2", "quantity", "−4", "location", "TOR-1", "notes", "miscounted",
		}, "location=TOR-1&type=ADJUSTMENT", "Now TOR-1: 0; 16 in all."},
	} {
		form := book + "?type=" + c.kind
		page := w.Open(t, form).Must(t, 200)
		for range 2 { // a double click books once
			w.Send(t, page, form, c.fields...).Leads(t, book+"?"+c.next)
		}
		w.shows(t, book+"?"+c.next, []string{c.want}, nil)
	}
	w.audited(t, w.rug, 4)
	for _, c := range []struct {
		kind   string
		fields []string
		want   string
	}{
		{"IN", []string{"product", "", "quantity", "1", "location", "A"}, "This is required."},
		{"IN", []string{"product", "chair", "quantity", "1", "location", "A"}, "No product has this"},
		{"IN", []string{"product", "B-", "quantity", "1", "location", "A"}, "Enter the number of one: 1 (Lamp"},
		{"IN", []string{"product", "2", "quantity", "0", "location", ""}, "2 fields need a change"},
		{"OUT", []string{"product", "2", "quantity", "99", "location", "MTL-1"}, "Only 16 are at this location."},
		{"TRANSFER", []string{
			"product", "2", "quantity", "1", "location", "MTL-1", "to_location", "MTL-1",
		}, "Choose another location"},
		{"ADJUSTMENT", []string{"product", "2", "quantity", "0", "location", "MTL-1"}, "a whole number that is not 0"},
	} {
		form := book + "?type=" + c.kind
		w.Send(t, w.Open(t, form).Must(t, 200), form, c.fields...).Shows(t, 422, c.want)
	}
	w.audited(t, w.rug, 4)
}

// counts sends the form of a count, with lines given as pairs of code and quantity.
func (w *warehouse) counts(
	t *testing.T, on *apptest.Answer, path string, lines []string, others ...string,
) *apptest.Answer {
	t.Helper()
	fields, err := url.ParseQuery(string(on.Form(t, path, others...)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(lines); i += 2 {
		fields.Add("code", lines[i])
		fields.Add("counted", lines[i+1])
	}
	return w.Request(t, "POST", path, []byte(fields.Encode()), "Content-Type", "application/x-www-form-urlencoded")
}

// TestCountWithoutScripts scans products one form at a time, removes an unknown code, sees
// the differences, and books them once.
func TestCountWithoutScripts(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	count := w.path + "/count"
	w.shows(t, count, []string{"Where do you count?", "MTL-1", "TOR-1"}, nil)
	page := w.Open(t, count+"?location=MTL-1").Must(t, 200)
	for _, step := range []struct{ scan, want string }{
		{"B-Rug", "1 × Rug"}, {"B-Rug", "2 × Rug"}, {"2", "3 × Rug"}, {"38*B-Lamp <b>", "38 × Lamp &lt;b&gt;"},
		{"0627", "No product has this code."}, {"B-Rug", "4 × Rug"}, {" ", "Nothing is booked yet."},
	} {
		page = w.Send(t, page, count, "scan", step.scan, "act", "add")
		page.Shows(t, 200, step.want)
	}
	w.counts(t, page, count, nil, "act", "review").Shows(t, 422, "The lines in red")
	w.counts(t, w.Open(t, count+"?location=MTL-1"), count, []string{"2", "many"}, "act", "review").Shows(t, 422,
		"Enter a whole number")
	page = w.Send(t, page, count, "remove", "0627")
	if strings.Contains(string(page.Body), "0627") {
		t.Errorf("got a page with the code that was removed:\n%s", page.Body)
	}
	review := w.Send(t, page, count, "act", "review")
	review.Shows(t, 200, "2 products counted.", "&#43;3", "−2", "stay as they are")
	w.audited(t, w.rug, 0)

	w.desk.Call(t, "POST", "/ops/v1/partners/"+w.metro.PartnerID+"/movements",
		[]byte(`{"type":"IN","product_id":2,"quantity":3,"location":"MTL-1"}`)).Must(t, 201)
	stale := w.Send(t, review, count+"/book")
	stale.Shows(t, http.StatusConflict, "Goods have moved", "1 agrees")
	for range 2 {
		w.Send(t, stale, count+"/book", "notes", "spring").Leads(t, count+"?booked=MTL-1")
	}
	w.shows(t, count+"?booked=MTL-1", []string{"1 corrected, 1 agreed", `data-booked="MTL-1"`}, nil)
	w.shows(t, w.product(w.lamp), []string{"50", "spring"}, nil)
	w.audited(t, w.lamp, 1)
	w.shows(t, count+"/lines?code=B-Rug&code=7", []string{`data-product="2"`, "No product has this code."}, nil)
}

// TestCountOfPromisedGoods: what orders have taken and no one has picked is expected on the shelf, and a count
// that finds it there books nothing.
func TestCountOfPromisedGoods(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, w.lamp)
	id := w.metro.Create(t, testkit.OrderJSON("A-1", items)).Must(t, 201).Text("order_id")
	w.desk.Move(t, id, "accepted").Must(t, 200)
	lamp := w.desk.Call(t, "GET", fmt.Sprintf("/ops/v1/partners/%s/products/%d", w.metro.PartnerID, w.lamp), nil)
	if got := fmt.Sprint(lamp.Must(t, 200).JSON("quantity")); got != "49" {
		t.Fatalf("got %s lamps in stock, want 49", got)
	}
	w.shows(t, w.product(w.lamp), []string{
		"Promised to orders", `<td class="number"><b>49</b></td><td class="number">3</td><td class="number">52</td>`,
	}, nil)
	w.shows(t, w.path, []string{"Promised to orders", `">3</td>`}, nil)

	count := w.path + "/count"
	for _, c := range []struct {
		counted string
		want    []string
		left    string // in all, after the count is booked
	}{
		{"40", []string{"1 agrees", "3 of them are promised to orders.", ">40<"}, "49"},
		{"39", []string{"0 agree", "−1"}, "48"},
		{"2", []string{"−37", "1 is missing for orders"}, "12"},
	} {
		form := w.Open(t, count+"?location=MTL-1")
		review := w.counts(t, form, count, []string{"B-Lamp <b>", c.counted}, "act", "review")
		review.Shows(t, 200, c.want...)
		w.Send(t, review, count+"/book").Leads(t, count+"?booked=MTL-1")
		w.shows(t, w.product(w.lamp), []string{"<b>" + c.left + "</b>"}, nil)
	}
	w.desk.Call(t, "GET", "/ops/v1/picks", nil).Shows(t, 200, `"A-1"`)
}

// TestFindProductOfAnyPartner finds products by name, SKU and barcode without a choice of the partner.
func TestFindProductOfAnyPartner(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	nord := w.Register(t, "nord")
	w.desk.Stock(t, nord.PartnerID, "Red rug", map[string]int{"TOR-1": 2})
	product := fmt.Sprintf("/ops/v1/partners/%s/products/1", nord.PartnerID)
	w.desk.Call(t, "PATCH", product, []byte(`{"barcode":"0036000291452","sku":"RED_1"}`)).Must(t, 200)
	w.shows(t, "/console/stock?product=rug", []string{"2 products found", "Red rug", "nord", "metro", "RED_1"}, nil)
	for _, one := range []string{
		"red rug", "red_1", "036000291452", "0036000291452", "00036000291452", "]E00036000291452",
	} {
		w.Open(t, "/console/stock?product="+url.QueryEscape(one)).Leads(t, "/console/stock/"+nord.PartnerID+"/products/1")
	}
	w.shows(t, "/console/stock?product=red-1", []string{"No product of any partner has “red-1”", "To restock"}, nil)
	w.shows(t, "/console/stock?product="+strings.Repeat("x", 5000), []string{"No product of any partner"}, nil)
}

// TestScannedCodes: products are found by what scanners type of their barcodes.
func TestScannedCodes(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	product := fmt.Sprintf("/ops/v1/partners/%s/products/%d", w.metro.PartnerID, w.lamp)
	w.desk.Call(t, "PATCH", product, []byte(`{"barcode":"036000291452"}`)).Must(t, 200)
	for _, code := range []string{
		"036000291452", "0036000291452", "]E00036000291452", "]C10100036000291452", "Ç10100036000291452",
		"(01)00036000291452(10)7",
	} {
		w.shows(t, w.path+"/count/lines?code="+url.QueryEscape(code), []string{fmt.Sprintf(`data-product="%d"`, w.lamp)}, nil)
	}
	w.shows(t, w.path+"/count/lines?code=36000291452", []string{"No product has this code."}, nil)
	w.shows(t, w.path+"/count/lines?names=1&code=rug", []string{fmt.Sprintf(`data-product="%d"`, w.rug)}, nil)
	w.shows(t, w.path+"/count/lines?names=1&code=Sofa",
		[]string{"No product has this barcode, SKU, number or name."}, nil)
}

// TestImportProducts shows what is wrong with a file by line, what it would do, imports it
// once, and exports it again. A file may be larger than other forms.
func TestImportProducts(t *testing.T) {
	t.Parallel()
	w := openWarehouse(t)
	importing := w.path + "/import"
	send := func(on *apptest.Answer, content string) *apptest.Answer {
		t.Helper()
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		_ = form.WriteField("_key", apptest.FieldOf(t, on, importing, "_key")) // writes to memory
		file, _ := form.CreateFormFile("file", "products.csv")
		_, _ = file.Write([]byte(content))
		_ = form.Close()
		return w.Request(t, "POST", importing, body.Bytes(), "Content-Type", form.FormDataContentType())
	}
	doIt := func(checked *apptest.Answer) *apptest.Answer { // as browsers do, with lines that end in CR LF
		t.Helper()
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for _, name := range []string{"_key", "_version", "content"} {
			_ = form.WriteField(name, strings.ReplaceAll(apptest.FieldOf(t, checked, importing+"/book", name), "\n", "\r\n"))
		}
		_ = form.Close()
		return w.Request(t, "POST", importing+"/book", body.Bytes(), "Content-Type", form.FormDataContentType())
	}
	page := w.Open(t, importing).Must(t, 200)
	for content, want := range map[string][]string{
		"":                                     {"Choose a file"},
		"name,price\nTh\xc3\xa9\xff,1":         {"Line 2 is not text", "CSV UTF-8"},
		"barcode,name,price\n6.27E+11,Tea,1\n": {"A spreadsheet has changed this value", ">2<"},
		"name,price\n\"open,1":                 {"This is not a CSV file"},
		"name,colour\nTea,green\n":             {"The first line names the columns"},
		"name,price\nTea\n":                    {"needs as many", ">2<"},
		"name,price,stock_min\n,1,1\n<b>Tea,much,-1\n": {
			"3 cells need a change.", ">3<", "much", "Nothing has been imported",
		},
		"product_id,name,price\n99,Tea,1\n":      {"There is no such product."},
		"barcode,name,price\n7,Tea,1\n7,Tea,1\n": {"Line 2 is about the same product."},
		"product_id,opening_quantity\n1,5\n":     {"Only a new product has opening stock"},
	} {
		send(page, content).Shows(t, 422, want...)
	}
	mixed := string(send(page, "barcode,name,price\n7,Tea,1\n7,Tea,x\n8,,1\n").Must(t, 422).Body)
	for last := 0; strings.Contains(mixed, `data-label="Line">`); {
		var line int
		_, mixed, _ = strings.Cut(mixed, `data-label="Line">`)
		if _, err := fmt.Sscanf(mixed, "%d<", &line); err != nil || line < last {
			t.Errorf("got line %d after line %d, %v, want the lines in order", line, last, err)
		}
		last = line
	}
	large := "product_id,name,price\n2,Carpet,1.50\n" + strings.Repeat(","+strings.Repeat("é", 250)+",1\n", 3000)
	checked := send(page, large)
	checked.Shows(t, 200, "3,000 products are added. One product is changed.", "<del>Rug</del> → <b>Carpet</b>",
		"2,801 more lines", "Nothing is changed yet")
	w.shows(t, w.path, []string{"2 products", "Rug"}, []string{"Carpet"})
	for range 2 {
		doIt(checked).Leads(t, w.path)
	}
	w.shows(t, w.path, []string{"Imported: 3,000 new, 1 changed, 0 unchanged.", "Carpet", "1 to 50 of 3,002"}, nil)
	export := w.Open(t, w.path+"/products.csv").Must(t, 200)
	if got := string(w.Open(t, w.path+"/products.csv?separator=semicolon").Must(t,
		200).Body); !strings.HasPrefix(got, "\ufeffproduct_id;name;") || !strings.Contains(got, ";1,50;") {
		t.Errorf("got an export that begins with %.80q, want semicolons and decimal commas", got)
	}
	if got := string(export.Body); !strings.HasPrefix(got, "\ufeffproduct_id,name,") || strings.Count(got, "\n") != 3003 {
		t.Errorf("got an export that begins with %.80q and has %d lines, want 3003", got, strings.Count(got, "\n"))
	}
	w.Open(t, "/console/stock/par_none/products.csv").Must(t, http.StatusNotFound)

	utf16 := []byte{0xff, 0xfe}
	for _, letter := range "product_id;name;price\r\n2;Carpet;1,50\r\n" {
		utf16 = append(utf16, byte(letter), 0)
	}
	send(page, string(utf16)).Shows(t, 200, "There is nothing to import", "One product stays as it is.")
	send(page, "product_id,name\n2,Carpet\n").Shows(t, 200, "There is nothing to import", "One product stays as it is.")
	again := "product_id,name,price,barcode,opening_quantity,opening_location\r\n2,\"Rug, red\",2,,,\r\n,Mug,4,7,3,MTL-1\r\n"
	stale := send(page, again)
	send(page, strings.Replace(again, "MTL-1", "MTL1", 1)).Shows(t, 200, "3 at MTL1, a new location")
	send(page, "product_id,in_stock\n2,99\n").Shows(t, 200, "Levels (in_stock) are not compared")
	stale.Shows(t, 200, "One new product has opening stock.", "3 at MTL-1<", "<del>$1.50</del> → <b>$2.00</b>")
	w.Send(t, w.Open(t, w.product(2)), w.product(2), "price", "9").Leads(t, w.product(2))
	now := doIt(stale)
	now.Shows(t, http.StatusConflict, "Products have changed since you checked the file",
		"<del>$9.00</del> → <b>$2.00</b>")
	doIt(now).Leads(t, w.path)
	w.shows(t, w.path+"?search=Mug", []string{"Imported: 1 new, 1 changed"}, nil)
}
