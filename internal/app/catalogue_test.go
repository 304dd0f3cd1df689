package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/google/uuid"
)

// imports imports products from CSV. It returns the counts of the answer, or its
// status and the fields with errors.
func (s stockroom) imports(t *testing.T, content string) (result string) {
	t.Helper()
	got := s.ask(t, "POST", "/products/import", content, "Content-Type", "text/csv; charset=utf-8")
	if got.Status == 200 {
		return fmt.Sprint(got.JSON("created"), got.JSON("changed"), got.JSON("unchanged"), got.JSON("movements"))
	}
	var all []string
	for i := range got.Len("error", "details", "errors") {
		all = append(all, got.Text("error", "details", "errors", i, "field"))
	}
	return fmt.Sprint(got.Status, all)
}

// export returns all products as CSV.
func (s stockroom) export(t *testing.T) string {
	t.Helper()
	return string(s.ask(t, "GET", "/products/export", "").Must(t, 200).Body)
}

// TestCatalogueRoundTrip imports what was exported: nothing changes, and another
// partner gets the same products. Cells that a spreadsheet would evaluate are
// escaped.
func TestCatalogueRoundTrip(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	names := []string{"=1+1", "+1", "-1", "@SUM(A1)", "'", "'=x", `a "b", c`, "é, f", "0012", " =1", "Lamp"}
	for i, name := range names {
		body := fmt.Sprintf(`{"name":%q,"price":%d.05,"stock_min":%d,"barcode":"=%d"}`, name, i, i, i)
		s.ask(t, "POST", "/products", body).Must(t, 201)
	}
	before := s.export(t)
	for line := range strings.SplitSeq(before, "\n") {
		for cell := range strings.SplitSeq(line, ",") {
			if cell = strings.Trim(cell, `"`); cell != "" && strings.ContainsAny(cell[:1], "=+-@\t") {
				t.Errorf("got %q, want no cell that a spreadsheet evaluates", line)
			}
		}
	}
	if got, want := s.imports(t, before), fmt.Sprint("0 0 ", len(names), " 0"); got != want {
		t.Errorf("imported again: got %s, want %s: %s", got, want, before)
	}
	if after := s.export(t); after != before {
		t.Errorf("got %s\nwant %s", after, before)
	}
	other := s
	other.path = "/ops/v1/partners/" + s.Register(t, "other").PartnerID
	fresh := strings.NewReplacer("\n", "\n", "product_id,", "").Replace(before)
	var lines []string
	for i, line := range strings.Split(fresh, "\n") {
		if _, rest, ok := strings.Cut(line, ","); i > 0 && ok && line[0] >= '0' && line[0] <= '9' {
			line = rest
		}
		lines = append(lines, line)
	}
	if got, want := other.imports(t, strings.Join(lines, "\n")), fmt.Sprint(len(names), " 0 0 0"); got != want {
		t.Errorf("another partner: got %s, want %s", got, want)
	}
	if got := other.export(t); got != before {
		t.Errorf("another partner: got %s\nwant %s", got, before)
	}
	s.Audit(t)
}

// TestImportErrors imports faulty files. Every faulty line gets an error, and nothing
// is stored.
func TestImportErrors(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	lamp := s.operator.Stock(t, s.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 7})
	for range 2 {
		s.ask(t, "POST", "/products", `{"name":"Twin","price":1,"barcode":"TWIN"}`).Must(t, 201)
	}
	before := s.Content(t)
	header := "product_id,barcode,name,price,stock_min,stock_max,status,opening_quantity,opening_location\n"
	for name, c := range map[string]struct{ content, want string }{
		"every line": {header + "9,,x,1,,,,,\n,,Sugar,much,,,,,\n,TWIN,,,,,,,\n1,,,,,,,5,MTL-1\n,B-Lamp,,2,,,,,\n,N,,1,,,,,\n,N,y,1,,,,,\n,,z,1,9,3,gone,0,\n,,ok,1,,,,,\n",
			"422 [lines[4].barcode lines[6].barcode lines[8].barcode lines[2].product_id lines[3].price lines[5].opening_quantity lines[7].name lines[9].stock_max lines[9].status lines[9].opening_quantity lines[9].opening_location]"},
		"cells":         {"name,price\nSugar,1,2\nSalt\nTea,1\n", "422 [lines[2] lines[3]]"},
		"columns":       {"name,price,colour,name\n", "422 [lines[1] lines[1]]"},
		"empty":         {"", "400 []"},
		"quotes":        {"name,price\n\"x,1\n", "400 []"},
		"two encodings": {"name,price\nThé,1\nTh\xe9,1\n", "400 []"},
		"NUL":           {"name,price\n\x00,1\n", "400 []"},
		"too many":      {"name,price\n" + strings.Repeat("x,1\n", 10_001), "422 [lines[10002]]"},
		"required":      {"product_id,name\n\n,Tea\n", "422 [lines[3].price]"},
		"an exponent": {
			header + "1,6.27E+11,,,,,,,\n,5.50E+12,Tea,1,,,,,\n9.00E+01,,x,,,,,,\n",
			"422 [lines[3].barcode lines[4].product_id lines[2].barcode]",
		},
		"a thousand":      {"name,price\nTea,\"1,000\"\n", "422 [lines[2].price]"},
		"after sep=":      {"sep=;\nname;colour\n", "422 [lines[2]]"},
		"too many errors": {"name,price\n" + strings.Repeat("x,no\n", 1100), "422 [lines[2].price" + more(3, 1001) + "]"},
	} {
		if got := s.imports(t, c.content); got != c.want {
			t.Errorf("%s: got  %.600s\nwant %.600s", name, got, c.want)
		}
	}
	for content, want := range map[string]string{
		"": "line 1 must name the columns, but the body is empty", "name;colour\nx;1\n": "columns, each at most once, out of",
	} {
		if got := s.ask(t, "POST", "/products/import", content, "Content-Type",
			"text/csv"); !strings.Contains(got.Text("error", "message"), want) {
			t.Errorf("%q: got %s, want %s", content, got.Body, want)
		}
	}
	s.ask(t, "POST", "/products/import", "name\n", "Content-Type", "application/json").Refused(t, 415,
		"unsupported_media_type")
	s.ask(t, "POST", "/ops/v1/partners/par_00000000/products/import", "name,price\nx,1\n", "Content-Type",
		"text/csv").Refused(t, 404, "not_found")
	s.Unchanged(t, before)
	good := header + fmt.Sprintf("%d,NEW,,,,,,,\n,,Sugar,4.5,1,9,inactive,12,MTL-1\n,S2,Salt,2,,,,,\n", lamp)
	if got := s.imports(t, "\xef\xbb\xbf"+good); got != "2 1 0 1" {
		t.Errorf("good: got %s, want 2 1 0 1", got)
	}
	if got := s.ask(t, "GET", "/products/4", "").Must(t, 200); got.JSON("quantity") != 12.0 ||
		got.JSON("price") != 4.5 || got.Text("status") != "inactive" {
		t.Errorf("Sugar: got %s, want what was imported", got.Body)
	}
	if got := s.ask(t, "GET", "/products/1", "").Must(t, 200); got.Text("barcode") != "NEW" ||
		got.Text("name") != "Lamp" || got.JSON("quantity") != 7.0 {
		t.Errorf("Lamp: got %s, want another barcode only", got.Body)
	}
	s.Audit(t)
}

// TestImportTenThousand imports as many products as are allowed, with names and
// barcodes of usual length.
func TestImportTenThousand(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	var file strings.Builder
	file.WriteString("name,price,stock_min,stock_max,barcode\n")
	for i := range 10_000 {
		fmt.Fprintf(&file, "%0100d,12.99,5,100,%013d\n", i, i+1)
	}
	if got := s.imports(t, file.String()); got != "10000 0 0 0" {
		t.Errorf("%d bytes: got %s, want 10000 0 0 0", file.Len(), got)
	}
	if got := s.imports(t, s.export(t)); got != "0 0 10000 0" {
		t.Errorf("again: got %s, want 0 0 10000 0", got)
	}
}

// TestImportIdempotency sends one import again and again, and concurrently, under one
// key. It takes effect once, although a line without a barcode would otherwise add its
// product and its stock each time.
func TestImportIdempotency(t *testing.T) {
	t.Parallel()
	s, key := newStockroom(t), uuid.NewString()
	const body = "name,price,opening_quantity,opening_location\nLamp,2,10,MTL-1\n"
	send := func(body string) *apptest.Answer {
		return s.ask(t, "POST", "/products/import", body, "Content-Type", "text/csv", "Idempotency-Key", key)
	}
	send(body+"Rug,much,,\n").Refused(t, 422, "validation_error")
	fresh := 0
	for _, got := range apptest.Together(10, func(int) *apptest.Answer { return send(body) }) {
		if got.Must(t, 200); got.Header.Get("Idempotent-Replayed") == "" {
			fresh++
		}
		if string(got.Body) != `{"created":1,"changed":0,"unchanged":0,"movements":1}` {
			t.Errorf("got %s, want 1 product and 1 movement created", got.Body)
		}
	}
	send(body+"Rug,1,,\n").Refused(t, 422, "idempotency_key_reused")
	s.ask(t, "POST", "/products/import", body, "Content-Type", "text/csv", "Idempotency-Key", "x").Refused(t, 400,
		"bad_request")
	all := s.ask(t, "GET", "/products", "").Must(t, 200)
	if fresh != 1 || all.Len("products") != 1 || all.JSON("products", 0, "quantity") != 10.0 {
		t.Errorf("got %d imports carried out, want 1: %s", fresh, all.Body)
	}
	s.Audit(t)
}

// TestConcurrentImports imports the same barcodes concurrently, without a key. Each
// adds its product once.
func TestConcurrentImports(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for round := range 5 {
		body := fmt.Sprintf("name,price,barcode\nLamp,2,40012345%d\nRug,3,50012345%d\n", round, round)
		created := 0.0
		for _, got := range apptest.Together(8, func(int) *apptest.Answer {
			return s.ask(t, "POST", "/products/import", body, "Content-Type", "text/csv")
		}) {
			created += got.Must(t, 200).JSON("created").(float64)
		}
		if all := s.ask(t, "GET", "/products", "").Must(t, 200); created != 2 || all.Len("products") != 2*(round+1) {
			t.Fatalf("round %d: got %v products created, want 2: %s", round, created, all.Body)
		}
	}
	s.Audit(t)
}

// more returns the fields of faulty prices in the given lines.
func more(from, to int) string {
	var text strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&text, " lines[%d].price", i)
	}
	return text.String()
}
