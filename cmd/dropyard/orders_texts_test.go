package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/testkit/spreadsheet"
)

// textColumns are the columns of a file of orders that hold any text, and where the record of an
// order has each.
var textColumns = map[string][]any{
	"partner_order_id": {"partner_order_id"}, "reference": {"reference"}, "instructions": {"instructions"},
	"pickup.name": {"pickup", "name"}, "pickup.address.notes": {"pickup", "address", "notes"},
	"dropoff.name": {"dropoff", "name"}, "dropoff.address.line1": {"dropoff", "address", "line1"},
	"dropoff.address.line2": {"dropoff", "address", "line2"}, "dropoff.address.city": {"dropoff", "address", "city"},
	"parcel_id": {"parcels", 0, "parcel_id"}, "description": {"parcels", 0, "description"},
}

// codeColumns are those of them whose texts are codes.
var codeColumns = []string{"partner_order_id", "parcel_id"}

// writtenOrders is a file of orders with random texts.
type writtenOrders struct {
	columns []string
	rows    []map[string]string
}

// writeOrders returns orders with random texts in the place of those of the documented example.
func writeOrders(t *testing.T, texts *testkit.TextSource, count int) writtenOrders {
	t.Helper()
	file, err := csvfile.Read([]byte(example(t)))
	if err != nil {
		t.Fatal(err)
	}
	orders := writtenOrders{columns: append(slices.Clone(file.Header), "reference", "pickup.address.notes")}
	var first []csvfile.Cell
	for line, err := range file.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		first = line.Cells
		break
	}
	for i := range count {
		row := map[string]string{}
		for at, column := range file.Header {
			row[column] = first[at].Text
		}
		for column := range textColumns {
			row[column] = strings.TrimSpace(texts.Visible())
		}
		for _, column := range codeColumns {
			row[column] = texts.Identifier()
		}
		row["partner_order_id"] += strconv.Itoa(i)
		orders.rows = append(orders.rows, row)
	}
	return orders
}

// in returns the file in a layout.
func (o writtenOrders) in(t *testing.T, layout csvfile.Layout) []byte {
	t.Helper()
	var out strings.Builder
	w := csvfile.NewWriter(&out, layout, o.columns...)
	for _, row := range o.rows {
		var values []csvfile.Value
		for _, column := range o.columns {
			switch {
			case slices.Contains(codeColumns, column), strings.HasSuffix(column, "phone"):
				values = append(values, csvfile.Code(row[column]))
			case strings.HasSuffix(column, "_cm"), strings.HasSuffix(column, "_kg"):
				values = append(values, csvfile.Decimal(row[column]))
			default:
				values = append(values, csvfile.Words(row[column]))
			}
		}
		w.Row(values...)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return []byte(out.String())
}

// arrived fails the test unless each order of the file exists with its texts, or with a warning about
// those that differ.
func (o writtenOrders) arrived(t *testing.T, name, warnings string, partner *apptest.Partner) {
	t.Helper()
	list := partner.Call(t, "GET", "/v1/orders?limit=500", nil).Must(t, 200)
	number := func(partnerOrderID string) string { return partnerOrderID[strings.LastIndex(partnerOrderID, "x"):] }
	ids := map[string]string{} // by the numbers at the ends of partner_order_ids
	for i := range list.Len("orders") {
		ids[number(list.Text("orders", i, "partner_order_id"))] = list.Text("orders", i, "order_id")
	}
	for i, row := range o.rows {
		id := ids[number(row["partner_order_id"])]
		if id == "" {
			t.Errorf("%s: got no order %q", name, row["partner_order_id"])
			continue
		}
		order := partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
		for column, path := range textColumns {
			warning := fmt.Sprintf("line %d: %s: warning: %s:", i+2, order.Text("partner_order_id"), column)
			if got := order.Text(path...); got != row[column] && !strings.Contains(warnings, warning) {
				t.Errorf("%s: %s: got %q, want %q", name, column, got, row[column])
			}
		}
	}
}

// faultyLine fits a fault of a line of a file.
var faultyLine = regexp.MustCompile(`(?m)^(?:dropyard: )?(?:-: )?line [0-9]+`)

// ruined fits a fault of a text that looks like what a spreadsheet shows in the place of another.
var ruined = regexp.MustCompile(`: ("(?:[^"\\]|\\.)*") is what a spreadsheet shows instead`)

// lookRuined reports whether each text that an import has refused as ruined by a spreadsheet is one
// of those that were written: it was no spreadsheet that made it so.
func (w writtenOrders) lookRuined(faults string) bool {
	found := ruined.FindAllStringSubmatch(faults, -1)
	for _, fault := range found {
		text, err := strconv.Unquote(fault[1])
		if err != nil || !slices.ContainsFunc(w.rows, func(row map[string]string) bool {
			return slices.Contains(slices.Collect(maps.Values(row)), text)
		}) {
			return false
		}
	}
	return len(found) > 0
}

// TestImportKeepsTexts imports orders with random texts from files for programs and for
// spreadsheets, and from those that a spreadsheet has saved. The orders have the same texts, or
// lines are refused and nothing is sent.
func TestImportKeepsTexts(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	texts := testkit.NewTextSource(repeatable.Rand(t))
	imports := func(name string, file []byte) (result, *apptest.Partner) {
		partner := s.Register(t, name)
		from := r.as(partner, s.URL)
		from.stdin = string(file)
		return from.do(t, "orders", "import", "-"), partner
	}
	orders := writeOrders(t, texts, testkit.Scaled(60, 12))
	created := fmt.Sprintf("created: %d,", len(orders.rows))
	number := 0
	for _, layout := range []csvfile.Layout{
		{Spreadsheet: true}, {Spreadsheet: true, Semicolons: true}, {}, {Semicolons: true},
	} {
		name := fmt.Sprintf("%+v", layout)
		number++
		got, partner := imports(fmt.Sprint("p", number), orders.in(t, layout))
		switch {
		case got.code == 0 && strings.Contains(got.stdout, created):
			orders.arrived(t, name, got.stderr, partner)
		case layout.Spreadsheet || got.stdout != "" || !strings.Contains(got.stderr, "what a spreadsheet shows instead"):
			t.Errorf("%s: got %+v, want %s or lines that look ruined", name, got, created)
		}
		for how, program := range spreadsheet.Programs() {
			if program.French != layout.Semicolons || !layout.Spreadsheet {
				continue
			}
			saved, err := program.Save(orders.in(t, layout))
			if err != nil {
				t.Fatal(err)
			}
			number++
			name := name + ", saved as " + how
			got, partner := imports(fmt.Sprint("p", number), saved)
			switch {
			case got.code == 0 && strings.Contains(got.stdout, created):
				orders.arrived(t, name, got.stderr, partner)
			case program.Encoding == spreadsheet.Windows1252 && faultyLine.MatchString(got.stderr):
			case !orders.lookRuined(got.stderr):
				t.Errorf("%s: got %+v, want %s or faults of lines", name, got, created)
			}
		}
	}
}
