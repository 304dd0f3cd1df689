package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// example returns the file that docs/importing.md refers to.
func example(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../../docs/examples/orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestImport imports the documented example several times, which creates its orders
// once.
func TestImport(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	from := r.as(partner, s.URL)
	from.stdin = example(t)
	check := func(name, want string, code int, args ...string) result {
		t.Helper()
		got := from.do(t, append([]string{"orders", "import", "-"}, args...)...)
		if got.code != code || !strings.Contains(got.stdout, want) {
			t.Errorf("%s: got %+v, want exit code %d and %q", name, got, code, want)
		}
		return got
	}
	check("dry run", "orders: 2, would be created: 2 for $", 0, "--dry-run")
	check("first run", "orders: 2, created: 2, created by an earlier run: 0, already existed: 0, refused: 0", 0)
	check("second run", "orders: 2, created: 0, created by an earlier run: 2, already existed: 0, refused: 0", 0)
	check("one at a time", "orders: 2, created: 0, created by an earlier run: 0, already existed: 2, refused: 0", 0,
		"--batch", "1")
	check("second dry run", "already exist: 2, would be refused: 0", 0, "--dry-run")
	from.stdin = strings.NewReplacer("EM-1002", "EM-1003", "standard", "overnight").Replace(from.stdin)
	if got := check("refused", "created: 0, created by an earlier run: 0, already existed: 1, refused: 1",
		1); !strings.Contains(got.stderr, "line 4: EM-1003: validation_error: service_level: expected") {
		t.Errorf("refused: got %q, want the line and the fault", got.stderr)
	}
	var printed importResult
	text := check("refused, as JSON", "{", 1, "--json").stdout
	if err := json.Unmarshal([]byte(text), &printed); err != nil || strings.Count(text, "\n") != 1 {
		t.Fatalf("got %q (%v), want one line of JSON", text, err)
	}
	if fault := printed.Refused; printed.Orders != 2 || printed.Existing != 1 || len(fault) != 1 ||
		fault[0].Line != 4 || fault[0].Reference != "EM-1003" ||
		fault[0].Code != "validation_error" || !strings.Contains(fault[0].Message, "service_level") {
		t.Errorf("got %s, want one order that exists, and the fault of line 4", text)
	}
	from.stdin = example(t)
	check("as JSON", `{"orders":2,"dry_run":true,"created":0,"replayed":0,"existing":2,"rate_cents":0,"refused":[]}`, 0,
		"--json", "--dry-run")
	list := partner.Call(t, "GET", "/v1/orders?partner_order_id=EM-1001", nil).Must(t, 200)
	if list.Len("orders") != 1 || list.Len("orders", 0, "parcels") != 2 {
		t.Errorf("got orders %s, want one with two parcels", list.Body)
	}
}

// TestImportOfShops imports what Shopify exports, with defaults for what shops do not know.
func TestImportOfShops(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	from := r.as(partner, s.URL)
	content, err := os.ReadFile("../../internal/orderfile/testdata/shopify.csv")
	if err != nil {
		t.Fatal(err)
	}
	from.stdin = string(content)
	arguments := []string{"orders", "import", "-"}
	for _, value := range []string{
		"service_level=standard", "pickup.name=Shop, Inc.", "pickup.phone=514 555-0100", "pickup.email=shop@example.com",
		"pickup.address.line1=1 Rue", "pickup.address.city=Montréal", "pickup.address.province=QC",
		"pickup.address.postal_code=H2X 1Y4", "pickup.time_window.start=2090-03-01T09:00:00-05:00",
		"pickup.time_window.end=2090-03-01T12:00:00-05:00", "dropoff.time_window.start=2090-03-03T09:00:00-05:00",
		"dropoff.time_window.end=2090-03-03T18:00:00-05:00", "length_cm=30", "width_cm=20", "height_cm=10", "value=20.00",
	} {
		arguments = append(arguments, "--default", value)
	}
	const single = `the column "weight_kg" is missing: give what is the same for all orders with --default`
	if got := from.do(t, arguments...); got.code != 1 || !strings.Contains(got.stderr, single) {
		t.Errorf("got %+v, want the missing column and the flag", got)
	}
	const several = `the columns "length_cm", "width_cm", "height_cm", "value" are missing: `
	if got := from.do(t, append(arguments[:len(arguments)-8:len(arguments)-8], "--default", "weight_kg=1.5")...,
	); got.code != 1 || !strings.Contains(got.stderr, several) {
		t.Errorf("got %+v, want all missing columns", got)
	}
	const wrong = `--default: weight_kg: "one" is not a number (example: 12.5)`
	if got := from.do(t, append(slices.Clip(arguments), "--default", "weight_kg=one")...); got.code != 1 ||
		strings.Count(got.stderr, wrong) != 1 || !strings.Contains(got.stderr, "nothing was sent; faults: 1") {
		t.Errorf("got %+v, want one fault of the default", got)
	}
	arguments = append(arguments, "--default", "weight_kg=1.5")
	if got := from.do(t, arguments...); got.code != 0 || !strings.Contains(got.stdout, "orders: 2, created: 2,") {
		t.Errorf("got %+v, want two orders", got)
	}
	list := partner.Call(t, "GET", "/v1/orders?partner_order_id=%231001", nil).Must(t, 200)
	if list.Text("orders", 0, "parcels", 0, "description") != "2 × Mug - Blue, Plate" ||
		list.Text("orders", 0, "pickup", "name") != "Shop, Inc." ||
		list.Text("orders", 0, "dropoff", "phone") != "+15145550101" {
		t.Errorf("got %s, want the articles as the description, and the default pickup", list.Body)
	}
	for _, value := range []string{
		"colour=red", "product_id=1", "quantity=2", "contents.name=Mug", "partner_order_id=A-1",
	} {
		if got := from.do(t, "orders", "import", "-", "--default", value); got.code != 2 ||
			!strings.Contains(got.stderr, "--default: ") {
			t.Errorf("%s: got %+v, want exit code 2", value, got)
		}
	}
	from.stdin = strings.NewReplacer("#1001", "#2001", "#1002", "#2002").Replace(
		strings.Replace(string(content), ",unfulfilled,", ",fulfilled,", 1))
	if got := from.do(t, append(arguments, "--json")...); got.code != 0 ||
		!strings.Contains(got.stderr, `line 2: #2001: left out: Fulfillment Status is "fulfilled"`) ||
		!strings.Contains(got.stdout, `"left_out":[{"line":2,"partner_order_id":"#2001","column":"Fulfillment Status",`) ||
		!strings.Contains(got.stdout, `"orders":1,"dry_run":false,"created":1,`) {
		t.Errorf("got %+v, want one order, and the cancelled one left out", got)
	}
}

// TestImportNamesLines: a fault and a warning name the line of the parcel that they are about, and a time without an
// offset is one by the clock of its address.
func TestImportNamesLines(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	from := r.as(partner, s.URL)
	from.stdin = strings.Replace(example(t), ",0.7,", ",99,", 1)
	if got := from.do(t, "orders", "import", "-"); !strings.Contains(got.stderr,
		"line 2: EM-1001: validation_error: parcels[1].weight_kg in line 3: expected ") {
		t.Errorf("got %q, want the line of the second parcel", got.stderr)
	}
	from.stdin = strings.ReplaceAll(example(t), "2026-03-04T13:00:00-05:00", "2026-03-04 13:00")
	if got := from.do(t, "orders", "import", "-"); got.code != 0 {
		t.Fatalf("got %+v, want a time without an offset to be read", got)
	}
	listed := partner.Call(t, "GET", "/v1/orders?partner_order_id=EM-1001", nil).Must(t, 200)
	if got := listed.Text("orders", 0, "dropoff", "time_window", "start"); got != "2026-03-04T13:00:00.000-05:00" {
		t.Errorf("got the start %q, want 13:00 in Toronto", got)
	}
}

// TestImportPrintsWarnings: what is probably not meant is printed with its line, for people and for
// programs.
func TestImportPrintsWarnings(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	from := r.as(s.Register(t, "metro"), s.URL)
	from.stdin = strings.NewReplacer("290 Bremner Boulevard", "PO Box 290", "EM-1001-2", strings.Repeat("W", 100),
		"2026-03-", "2090-03-").Replace(example(t))
	for _, args := range [][]string{{"--dry-run", "--json"}, {"--json"}} {
		got := from.do(t, append([]string{"orders", "import", "-"}, args...)...)
		var printed importResult
		if err := json.Unmarshal([]byte(got.stdout), &printed); err != nil || got.code != 0 {
			t.Fatalf("%v: got %+v (%v), want JSON and exit code 0", args, got, err)
		}
		var warnings []string
		for _, w := range printed.Warnings {
			warnings = append(warnings, fmt.Sprintf("%d %s %s %s", w.Line, w.Reference, w.Code, w.Field))
			if line := fmt.Sprintf("line %d: %s: warning: %s: %s", w.Line, w.Reference, w.Field, w.Message); !strings.Contains(
				got.stderr, line) {
				t.Errorf("%v: got %q, want %q", args, got.stderr, line)
			}
		}
		for _, want := range []string{
			"2 EM-1001 post_office_box dropoff.address.line1", "3 EM-1001 label_cut parcels[1].parcel_id",
		} {
			if !slices.Contains(warnings, want) {
				t.Errorf("%v: got the warnings %q, want %q", args, warnings, want)
			}
		}
	}
}

// TestImportInvalidFile expects the number of the faulty line, and no request.
func TestImportInvalidFile(t *testing.T) {
	t.Parallel()
	good := example(t)
	for name, c := range map[string]struct{ old, replacement, want string }{
		"unknown column": {"fragile\n", "colour\n", `line 1: unknown column "colour"`},
		"column twice":   {"fragile\n", "weight_kg\n", `line 1: the column "weight_kg" appears twice`},
		"column missing": {",weight_kg,", ",barcode,", `line 1: the column "weight_kg" is missing: `},
		"not a number":   {",6.2,", ",six,", `line 2: weight_kg: "six" is not a number (example: 12.5)`},
		"leading zero":   {",6.2,", ",06.2,", `line 2: weight_kg: "06.2" is not a number (example: 12.5)`},
		"not a flag":     {"true\n", "maybe\n", `line 2: fragile: "maybe" is not true or false`},
		"thousands":      {",8900,", `,"8,900",`, `line 2: value_cents: "8,900" is not a number (example: 12.5)`},
		"an exponent": {
			"+14165550142", "1.41656E+10",
			`line 2: dropoff.phone: "1.41656E+10" is what a spreadsheet shows instead of the value`,
		},
		"a narrow column": {
			"2026-03-03T09:00:00-05:00", "########",
			`line 2: pickup.time_window.start: "########" is what a spreadsheet shows instead of the value`,
		},
		"two levels": {
			"EM-1001,,", "EM-1001,standard,", `line 3: service_level is "standard", but "express" in line 2 of the same order`,
		},
		"no reference": {"EM-1002,", ",", `line 4: partner_order_id is empty`},
		"a cell too many": {
			"4200,false\n", "4200,false,x\n", `line 3: the line has 33 cells, but the header names 32 columns`,
		},
		"empty":         {good, "", `line 1 must name the columns, but the file is empty`},
		"two encodings": {"Anne-Marie Côté", "Anne-Marie C\xf4t\xe9", `line 2 is not text in UTF-8, UTF-16 or Windows-1252`},
		"quotes":        {"Maple syrup", `"Maple`, `line 2: a quotation mark has no counterpart`},
		"sep= in front": {"partner_order_id,", "sep=,\npartner_order,", `line 2: unknown column "partner_order"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "orders.csv")
			if err := os.WriteFile(file, []byte(strings.Replace(good, c.old, c.replacement, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			h := receive(t, 500, "")
			got := (run{env: keyEnv}).do(t, "orders", "import", file, "--server", h.URL)
			if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, c.want) {
				t.Errorf("got %+v, want exit code 1 and %s", got, c.want)
			}
			if len(h.requests) > 0 {
				t.Errorf("got %d requests, want none", len(h.requests))
			}
		})
	}
	for _, args := range []string{
		"orders import x.csv", "orders import - --batch 0", "orders import - --batch 501",
		"orders import - --server nonsense",
	} {
		if got := (run{env: keyEnv}).do(t, strings.Fields(args)...); got.code != 2 {
			t.Errorf("%s: got %+v, want exit code 2", args, got)
		}
	}
}

// fragileIn returns which of two listed orders has a fragile parcel. An import creates orders
// at the same time, so that either can be the newer one.
func fragileIn(list *apptest.Answer) int {
	if list.JSON("orders", 0, "parcels", 0, "fragile") == true {
		return 0
	}
	return 1
}

// TestImportOfSpreadsheets imports the example as spreadsheets save it.
func TestImportOfSpreadsheets(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: operatorEnv}
	s := r.serve(t)
	for _, file := range []string{"flags.csv", "empty-rows.csv", "apostrophe.csv"} {
		content, err := os.ReadFile("testdata/spreadsheets/" + file)
		if err != nil {
			t.Fatal(err)
		}
		partner := s.Register(t, strings.TrimSuffix(file, ".csv"))
		from := r.as(partner, s.URL)
		from.stdin = string(content)
		got := from.do(t, "orders", "import", "-")
		if got.code != 0 || !strings.Contains(got.stdout, "orders: 2, created: 2,") {
			t.Errorf("%s: got %+v, want two orders", file, got)
			continue
		}
		list := partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
		if i := fragileIn(list); list.Text("orders", i, "dropoff", "phone") != "+14165550142" ||
			list.JSON("orders", i, "parcels", 0, "fragile") != true {
			t.Errorf("%s: got %s, want the phone with its plus and a fragile parcel", file, list.Body)
		}
	}
	french := strings.NewReplacer(",", ";", "30.5", "30,5", "true", "VRAI", "false", "FAUX", "+14165550142",
		`="+14165550142"`).Replace(example(t))
	partner := s.Register(t, "french")
	from := r.as(partner, s.URL)
	from.stdin = french
	if got := from.do(t, "orders", "import", "-"); got.code != 0 || !strings.Contains(got.stdout, "created: 2,") {
		t.Errorf("with semicolons: got %+v, want two orders", got)
	}
	if list := partner.Call(t, "GET", "/v1/orders", nil).Must(t,
		200); fmt.Sprint(list.JSON("orders", fragileIn(list), "parcels", 0, "dimensions", "width_cm")) != "30.5" {
		t.Errorf("with semicolons: got %s, want a width of 30.5", list.Body)
	}
}

// TestImportNamesUnreadColumns: a column that is not read, such as one with amounts to collect, is named even where the
// file is refused.
func TestImportNamesUnreadColumns(t *testing.T) {
	t.Parallel()
	from := run{dir: t.TempDir(), env: keyEnv, stdin: "Order number,Recipient,Owed\nU-1,Ann Lee,5\n"}
	got := from.do(t, "orders", "import", "-", "--server", "http://127.0.0.1:1")
	if got.code == 0 || !strings.Contains(got.stderr, `line 1: columns that are not read: "Owed"`) {
		t.Errorf("got %+v, want the column that is not read", got)
	}
}

// TestImportJudgesMetadata: metadata that the service would refuse is refused with its line, and
// nothing is sent.
func TestImportJudgesMetadata(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/spreadsheets/metadata-twice.csv")
	if err != nil {
		t.Fatal(err)
	}
	const sent = `"{""a"":1,""a"":2}"`
	for metadata, want := range map[string]string{
		sent:        "line 2: metadata: not valid JSON: a member of an object is named twice, at byte 7",
		`[1]`:       "line 2: metadata: expected an object of at most 16384 bytes",
		`"{""a"":"`: "line 2: metadata: not valid JSON: it ends too early",
		`{} {}`:     "line 2: metadata: ",
		`"{""a"":""` + strings.Repeat("x", 16<<10) + `""}"`: "line 2: metadata: expected an object of at most 16384 bytes",
	} {
		h := receive(t, 500, "")
		from := run{env: keyEnv, stdin: strings.Replace(string(content), sent, metadata, 1)}
		got := from.do(t, "orders", "import", "-", "--server", h.URL)
		if got.code != 1 || !strings.Contains(got.stderr, want) || len(h.requests) > 0 {
			t.Errorf("%.40s: got %+v and %d requests, want %s", metadata, got, len(h.requests), want)
		}
	}
}
