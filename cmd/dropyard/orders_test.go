package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// example is the file that the documents show.
func example(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../../docs/examples/orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestImport creates the orders of the documented example once, however often it
// is run.
func TestImport(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	from := r.as(partner, s.URL)
	from.stdin = example(t)
	check := func(name, told string, code int, args ...string) result {
		t.Helper()
		got := from.do(t, append([]string{"orders", "import", "-"}, args...)...)
		if got.code != code || !strings.Contains(got.stdout, told) {
			t.Errorf("%s: %+v, want %q", name, got, told)
		}
		return got
	}
	check("dry", "orders: 2, would be created: 2 for ", 0, "--dry-run")
	check("first", "orders: 2, created: 2, created by an earlier run: 0, existed already: 0, refused: 0", 0)
	check("again", "orders: 2, created: 0, created by an earlier run: 2, existed already: 0, refused: 0", 0)
	check("one at a time", "orders: 2, created: 0, created by an earlier run: 0, existed already: 2, refused: 0", 0, "--batch", "1")
	check("dry again", "exist already: 2, would be refused: 0", 0, "--dry-run")
	from.stdin = strings.NewReplacer("EM-1002", "EM-1003", "standard", "overnight").Replace(from.stdin)
	if got := check("refused", "created: 0, created by an earlier run: 0, existed already: 1, refused: 1", 1); !strings.Contains(got.stderr, "line 4: EM-1003: validation_error: service_level: expected") {
		t.Errorf("refused: %s", got.stderr)
	}
	list := partner.Call(t, "GET", "/v1/orders?partner_order_id=EM-1001", nil).Must(t, 200)
	if list.Len("orders") != 1 || list.Len("orders", 0, "parcels") != 2 {
		t.Errorf("in the end: %s", list.Body)
	}
}

// TestFilesThatCannotBeImported are refused with the line, and nothing is sent.
func TestFilesThatCannotBeImported(t *testing.T) {
	t.Parallel()
	good := example(t)
	for name, c := range map[string]struct{ old, fresh, told string }{
		"unknown column":  {"fragile\n", "colour\n", `line 1: there is no column "colour"`},
		"column twice":    {"fragile\n", "weight_kg\n", `line 1: the column "weight_kg" is there twice`},
		"column missing":  {",weight_kg,", ",barcode,", `line 1: the column "weight_kg" is missing`},
		"no number":       {",6.2,", ",six,", `line 2: weight_kg: "six" is no number such as 12.5`},
		"leading zero":    {",6.2,", ",06.2,", `line 2: weight_kg: "06.2" is no number such as 12.5`},
		"no flag":         {"true\n", "yes\n", `line 2: fragile: "yes" is neither true nor false`},
		"two levels":      {"EM-1001,,", "EM-1001,standard,", `line 3: service_level is "standard", but "express" in line 2 of the same order`},
		"no reference":    {"EM-1002,", ",", `line 4: partner_order_id is empty`},
		"a cell too many": {"4200,false\n", "4200,false,x\n", `line 3: 33 cells, but line 1 names 32 columns`},
		"semicolons":      {good, strings.ReplaceAll(good, ",", ";"), `line 1: columns are separated by commas, not by semicolons`},
		"empty":           {good, "", `line 1 must name the columns, but the file is empty`},
		"no UTF-8":        {"Anne-Marie Côté", "Anne-Marie C\xf4t\xe9", `line 2 is not in UTF-8`},
		"quotes":          {"Maple syrup", `"Maple`, `parse error on line`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "orders.csv")
			if err := os.WriteFile(file, []byte(strings.Replace(good, c.old, c.fresh, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			h := receive(t, 500, "")
			got := run{}.do(t, "orders", "import", file, "--key", "pk", "--secret", "sk", "--url", h.URL)
			if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, c.told) {
				t.Errorf("got %+v, want %s", got, c.told)
			}
			if len(h.requests) > 0 {
				t.Error("something was sent")
			}
		})
	}
	for _, args := range []string{"orders import x.csv", "orders import - --batch 0", "orders import - --batch 501", "orders import - --url nonsense"} {
		if got := (run{env: []string{"DROPYARD_KEY=pk", "DROPYARD_SECRET=sk"}}).do(t, strings.Fields(args)...); got.code != 2 {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
