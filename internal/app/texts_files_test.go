package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/testkit/spreadsheet"
)

// rowsOf returns the rows of a CSV file by the names of their columns.
func rowsOf(t *testing.T, content []byte) (rows []map[string]string) {
	t.Helper()
	file, err := csvfile.Read(content)
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range file.Lines() {
		if err != nil || line.Ragged {
			t.Fatalf("line %d (%v): got %v, want a cell for each of %v", line.Number, err, line.Cells, file.Header)
		}
		row := map[string]string{}
		for i, column := range file.Header {
			row[column] = line.Cells[i].Text
		}
		rows = append(rows, row)
	}
	return rows
}

// product is what a catalogue has of a product in texts.
type product struct{ name, barcode string }

// catalogue returns the products of a stockroom in the order of their ids, without blanks at the
// ends of names, which files do not keep.
func (s stockroom) catalogue(t *testing.T) (all []product) {
	t.Helper()
	for cursor := ""; ; {
		page := s.ask(t, "GET", "/products?limit=500"+cursor, "").Must(t, 200)
		for i := range page.Len("products") {
			all = append(all, product{
				strings.TrimSpace(page.Text("products", i, "name")), page.Text("products", i, "barcode"),
			})
		}
		if cursor = page.Text("next_cursor"); cursor == "" {
			return all
		}
		cursor = "&cursor=" + cursor
	}
}

// TestTextsInFiles: products with random texts are exported for programs and for spreadsheets, and
// imported: nothing changes, and another partner gets the same products. After a spreadsheet has
// saved the file, nothing has changed, or cells are refused.
func TestTextsInFiles(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	texts := testkit.NewTextSource(repeatable.Rand(t))
	count := testkit.Scaled(400, 60)
	var locations, notes []string
	for i := range count {
		s.ask(t, "POST", "/products", string(marshal(t, map[string]any{
			"name": texts.Name(), "price": 1.5, "barcode": fmt.Sprint(texts.Identifier(), i),
		}))).Must(t, 201)
		location, note := texts.Identifier(), texts.Visible()
		s.ask(t, "POST", "/movements", string(marshal(t, map[string]any{
			"type": "IN", "product_id": i + 1, "quantity": 1, "location": location, "notes": note,
		}))).Must(t, 201)
		locations, notes = append(locations, location), append(notes, strings.TrimSpace(note))
	}
	before, want := s.Content(t), s.catalogue(t)
	desk := s.operator.Visit(t)
	for i, query := range []string{
		"bom=0&separator=comma", "bom=0&separator=semicolon", "bom=1&separator=comma", "bom=1&separator=semicolon",
	} {
		export := s.ask(t, "GET", "/products/export?"+query, "").Must(t, 200).Body
		if got, want := s.imports(t, string(export)), fmt.Sprintf("0 0 %d 0", count); got != want {
			t.Errorf("%s: got %s, want %s: all of them unchanged", query, got, want)
		}
		for name, program := range spreadsheet.Programs() {
			saved, err := program.Save(export)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			// A file that was opened with the wrong separator or encoding may be refused as a whole.
			got := s.ask(t, "POST", "/products/import", string(saved), "Content-Type", "text/csv")
			keeps := strings.Contains(query, "bom=1") && strings.Contains(query, "semicolon") == program.French &&
				program.Encoding != spreadsheet.Windows1252
			if kept := got.Status == 200 && got.JSON("unchanged") == float64(count); !kept &&
				(keeps || !strings.Contains(got.Text("error", "message"), "line")) {
				t.Errorf("%s, saved as %s: got %d %.300s, want all unchanged, or a refusal that names lines", query, name,
					got.Status, got.Body)
			}
		}
		s.Unchanged(t, before)
		other := s
		other.path = "/ops/v1/partners/" + s.Register(t, fmt.Sprint("other-", i)).PartnerID
		if got := other.imports(t, withoutIDs(t, export)); !strings.HasPrefix(got, fmt.Sprint(count)) ||
			!slices.Equal(other.catalogue(t), want) {
			t.Errorf("%s: got %s and the products %q\nwant %d new ones, %q", query, got, other.catalogue(t), count, want)
		}
		before = s.Content(t)
	}
	for _, separator := range []string{"comma", "semicolon"} {
		journal := desk.Open(t, "/console/stock/"+s.partner.PartnerID+"/movements.csv?separator="+separator).Must(t, 200)
		rows := rowsOf(t, journal.Body)
		if len(rows) != count {
			t.Fatalf("got %d movements, want %d", len(rows), count)
		}
		for i, row := range rows {
			at := count - 1 - i // the newest comes first
			if row["location"] != locations[at] || row["notes"] != notes[at] || row["product_name"] != want[at].name {
				t.Errorf("journal: got %q, want %q, %q and %q", row, want[at].name, locations[at], notes[at])
			}
		}
	}
}

// withoutIDs returns a file of products as one of products that are new: with a text formula for
// each code and name that looks as if a spreadsheet had ruined it.
func withoutIDs(t *testing.T, export []byte) string {
	t.Helper()
	var out strings.Builder
	file := csvfile.NewWriter(&out, csvfile.Layout{Spreadsheet: true}, "name", "price", "barcode")
	for _, row := range rowsOf(t, export) {
		file.Row(csvfile.Words(row["name"]), csvfile.Plain(strings.Replace(row["price"], ",", ".", 1)),
			csvfile.Code(row["barcode"]))
	}
	if err := file.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
