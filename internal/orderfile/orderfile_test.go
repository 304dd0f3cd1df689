package orderfile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/orderfile"
	"github.com/dropyard/dropyard/internal/testkit"
)

// defaults are what files of shops lack.
var defaults = map[string]string{
	"service_level": "standard", "pickup.name": "Shop", "pickup.phone": "514-555-0100", "pickup.email": "shop@example.com",
	"pickup.address.line1": "1 Rue", "pickup.address.city": "Montréal", "pickup.address.province": "QC",
	"pickup.address.postal_code": "H2X 1Y4", "pickup.time_window.start": "2026-01-15T09:00",
	"pickup.time_window.end": "2026-01-15T12:00", "dropoff.time_window.start": "2026-01-16T09:00",
	"dropoff.time_window.end": "2026-01-16T18:00", "dropoff.email": "shop@example.com", "weight_kg": "1",
	"length_cm": "30",
	"width_cm":  "20", "height_cm": "10", "value": "20.00", "description": "Goods",
}

func read(t *testing.T, name string) *orderfile.File {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := orderfile.Read(content)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func orders(file *orderfile.File, corrections map[orderfile.Cell]string) *orderfile.Result {
	return file.Orders(orderfile.Options{
		Mapping: file.Propose(nil), Defaults: defaults, Corrections: corrections,
		Clock: func(a delivery.Address) *time.Location { return testkit.Calendar().ClockAt(a) },
	})
}

// part returns a member of a request, decoded.
func part(t *testing.T, body orderfile.Object, path ...string) any {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	for _, step := range path {
		switch inside := value.(type) {
		case map[string]any:
			value = inside[step]
		case []any:
			value = inside[int(step[0]-'0')]
		}
	}
	return value
}

// TestShopFiles reads what shops export: the same order, and what its members become.
func TestShopFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format orderfile.Format
		count  int
		want   map[string]any
	}{
		"shopify.csv": {orderfile.FormatShopify, 2, map[string]any{
			"partner_order_id": "#1001", "dropoff name": "Zoé Tremblay", "dropoff phone": "+15145550101",
			"dropoff email": "zoe@example.org", "dropoff address line1": "12 Rue Rachel", "dropoff address line2": "App 3",
			"dropoff address postal_code": "H2W 1A1", "dropoff address province": "QC", "dropoff address country": "CA",
			"instructions": "Ring twice", "parcels 0 description": "2 × Mug - Blue, Plate", "parcels 0 weight_kg": 1.0,
			"parcels 0 parcel_id": "#1001-1", "parcels 0 value_cents": 2000.0, "pickup phone": "+15145550100",
			"dropoff time_window start": "2026-01-16T09:00:00-05:00",
		}},
		"woocommerce.csv": {orderfile.FormatWooCommerce, 1, map[string]any{
			"partner_order_id": "501", "dropoff name": "Ann Lee", "dropoff phone": "+14165550199",
			"dropoff address province": "ON", "parcels 0 description": "3 × Tea, Teapot",
		}},
	} {
		file := read(t, name)
		result := orders(file, nil)
		if file.Format != c.format || len(result.Orders) != c.count || len(result.Faults) > 0 {
			t.Fatalf("%s: got %s, %d orders, %v, want %s and %d", name, file.Format, len(result.Orders), result.Faults, c.format,
				c.count)
		}
		for path, want := range c.want {
			if got := part(t, result.Orders[0].Body, strings.Fields(path)...); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: got %v, want %v", name, path, got, want)
			}
		}
	}
	second := orders(read(t, "shopify.csv"), nil).Orders[1]
	if got := part(t, second.Body, "dropoff", "phone"); got != "+14165550142" {
		t.Errorf("got the phone %v, want that of the bill", got)
	}
	if got := part(t, second.Body, "dropoff", "address", "province"); got != "ON" {
		t.Errorf("got the province %v, want ON", got)
	}
}

// TestExcelFiles reads a file with titles of people as Excel in French saves it: as CSV in Windows-1252 with
// semicolons, and as Unicode text with tabs. A faulty cell is named by its line and field, and can be corrected.
func TestExcelFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"french-excel.csv", "unicode-text.txt"} {
		file := read(t, name)
		if mapping := file.Propose(nil); mapping[0] != "partner_order_id" || mapping[9] != "weight_kg" || mapping[12] != "" {
			t.Errorf("%s: got the mapping %q, want the columns recognized, and the last one not", name, mapping)
		}
		result := orders(file, nil)
		cell := orderfile.Cell{Line: 3, Field: "weight_kg"}
		if len(result.Orders) != 2 || len(result.Faults) != 1 || result.Faults[0].Cell != cell ||
			result.Faults[0].Message() != `weight_kg: "mille" is not a number (example: 12.5)` {
			t.Fatalf("%s: got %+v, want a fault of the weight in line 3", name, result.Faults)
		}
		result = orders(file, map[orderfile.Cell]string{cell: "1,5", {Line: 2, Field: "dropoff.name"}: " Zoé "})
		if len(result.Faults) > 0 {
			t.Errorf("%s: got %v after the correction, want no faults", name, result.Faults)
		}
		for path, want := range map[string]any{
			"dropoff name": "Zoé", "parcels 0 weight_kg": 2.5, "parcels 0 value_cents": 4550.0,
			"dropoff address province": "QC", "dropoff phone": "+15145550101",
		} {
			if got := part(t, result.Orders[0].Body, strings.Fields(path)...); got != want {
				t.Errorf("%s: %s: got %v, want %v", name, path, got, want)
			}
		}
		if got := part(t, result.Orders[1].Body, "dropoff", "email"); got != "shop@example.com" {
			t.Errorf("%s: got the e-mail %v, want the default", name, got)
		}
	}
}

// TestMapping: what a person has chosen for a title goes before what it is recognized as.
func TestMapping(t *testing.T) {
	t.Parallel()
	file := read(t, "french-excel.csv")
	got := file.Propose(map[string]string{"Début": "dropoff.time_window.start", "Description": "", "Ville": "nonsense"})
	if got[12] != "dropoff.time_window.start" || got[10] != "" || got[6] != "dropoff.address.city" {
		t.Errorf("got %q, want the chosen fields, and the recognized one for a field that does not exist", got)
	}
	if at := orders(file, nil).Orders[1].Cell("dropoff.phone"); at != (orderfile.Cell{Line: 3, Field: "dropoff.phone"}) {
		t.Errorf("got %v, want the cell of the phone", at)
	}
	height := orderfile.Cell{Line: 3, Field: "height_cm"}
	if at := orders(file, nil).Orders[1].Cell("parcels[0].height_cm"); at != height {
		t.Errorf("got %v, want the line of the order and the field", at)
	}
}

// readText reads a file of a header and lines.
func readText(t *testing.T, lines ...string) *orderfile.File {
	t.Helper()
	file, err := orderfile.Read([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTitles: a title means the same in any writing and place: a quantity is that of the article, and the first name
// goes in front of the last one.
func TestTitles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, line, path, want string }{
		"quantity":       {"order,item,quantity", "Q-1,Tea,3", "parcels 0 description", "3 × Tea"},
		"Quantity":       {"order,item,Quantity", "Q-1,Tea,3", "parcels 0 description", "3 × Tea"},
		"of the stock":   {"order,product_id,quantity", "Q-1,7,3", "items 0 quantity", "3"},
		"by sku":         {"order,product_sku,quantity", "Q-1,LP-1,3", "items 0 sku", "LP-1"},
		"by barcode":     {"order,product_barcode,quantity", "Q-1,0627,3", "items 0 barcode", "0627"},
		"last name":      {"order,Last name,First name", "Q-1,Lee,Ann", "dropoff name", "Ann Lee"},
		"nom, prénom":    {"commande,Nom,Prénom", "Q-1,Lee,Ann", "dropoff name", "Ann Lee"},
		"first name":     {"order,First name,Last name", "Q-1,Ann,Lee", "dropoff name", "Ann Lee"},
		"à percevoir":    {"commande,Montant à percevoir ($)", "Q-1,49.99", "cod amount_cents", "4999"},
		"abbreviation":   {"commande,Prov.", "Q-1,Québec", "dropoff address province", "QC"},
		"id of the shop": {"Order Number,Shipping Postcode,product_id,Quantity,Item Name", "1,H2X 1Y4,9,2,Mug", "items", "<nil>"},
	} {
		result := orders(readText(t, c.header, c.line), nil)
		if got := fmt.Sprint(part(t, result.Orders[0].Body, strings.Fields(c.path)...)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestUnreadColumns: a column of a spreadsheet that has texts and no meaning is named, an empty one is not, and neither
// are those that the exports of shops always have.
func TestUnreadColumns(t *testing.T) {
	t.Parallel()
	file := readText(t, "order,Colour,Shelf", "Q-1,red,")
	if got := file.Unread(file.Propose(nil)); !slices.Equal(got, []string{"Colour"}) {
		t.Errorf("got %q, want the column with a text", got)
	}
	shop := readText(t, "Name,Lineitem name,Shipping name,Vendor", "#1,Tea,Ann Lee,Us")
	if got := shop.Unread(shop.Propose(nil)); got != nil {
		t.Errorf("got %q of an export of Shopify, want none", got)
	}
}

// TestClosedOrders: an order that a shop has cancelled, refunded or sent is marked, with the cell that shows it.
func TestClosedOrders(t *testing.T) {
	t.Parallel()
	const (
		shopify = "Name,Lineitem name,Shipping Name,Financial Status,Fulfillment Status,Cancelled at"
		woo     = "Order Number,Order Status,Shipping First Name"
	)
	for _, c := range []struct{ header, line, column, text string }{
		{shopify, "#1,Mug,Zoé,paid,fulfilled,", "Fulfillment Status", "fulfilled"},
		{shopify, "#1,Mug,Zoé,refunded,,", "Financial Status", "refunded"},
		{shopify, "#1,Mug,Zoé,paid,,2026-01-15 08:00:00 -0500", "Cancelled at", "2026-01-15 08:00:00 -0500"},
		{shopify, "#1,Mug,Zoé,partially_refunded,partial,", "", ""},
		{woo, "1,Completed,Ann", "Order Status", "Completed"}, {woo, "1,wc-cancelled,Ann", "Order Status", "wc-cancelled"},
		{woo, "1,Remboursée,Ann", "Order Status", "Remboursée"}, {woo, "1,trash,Ann", "Order Status", "trash"},
		{woo, "1,Processing,Ann", "", ""}, {"Order number,Name,Status", "1,Ann,completed", "", ""},
	} {
		got := orderfile.Closed{}
		if closed := orders(readText(t, c.header, c.line), nil).Orders[0].Closed; closed != nil {
			got = *closed
		}
		if want := (orderfile.Closed{Column: c.column, Text: c.text}); got != want {
			t.Errorf("%s: got %+v, want %+v", c.line, got, want)
		}
	}
}

// TestDefaultsThatAreNeeded: a default is read only where a line lacks the field, and its fault names that cell. A cell
// with a fault of its own has no other.
func TestDefaultsThatAreNeeded(t *testing.T) {
	t.Parallel()
	wrong := maps.Clone(defaults)
	wrong["weight_kg"], wrong["value"] = "one", "free"
	for name, c := range map[string]struct {
		lines []string
		want  map[orderfile.Cell]bool // whether the fault is that of the default
	}{
		"none":   {[]string{"D-1,1.5,20", "D-2,2,30"}, map[orderfile.Cell]bool{}},
		"second": {[]string{"D-1,1.5,20", "D-1,,30"}, map[orderfile.Cell]bool{{Line: 3, Field: "weight_kg"}: true}},
		"both": {[]string{"D-1,1.5,20", "D-2,,"}, map[orderfile.Cell]bool{
			{Line: 3, Field: "weight_kg"}: true, {Line: 3, Field: "value"}: true}},
		"own": {[]string{"D-1,two,20"}, map[orderfile.Cell]bool{{Line: 2, Field: "weight_kg"}: false}},
	} {
		file := readText(t, append([]string{"order,weight,value"}, c.lines...)...)
		result := file.Orders(orderfile.Options{Mapping: file.Propose(nil), Defaults: wrong})
		got := map[orderfile.Cell]bool{}
		for _, fault := range result.Faults {
			got[fault.Cell] = fault.OfDefault
		}
		if len(got) != len(result.Faults) || !maps.Equal(got, c.want) {
			t.Errorf("%s: got %+v, want %v", name, result.Faults, c.want)
		}
	}
}

// TestDiffersFromItsPlace: a cell that differs from an earlier one names the line of that, which is not always the
// order's first.
func TestDiffersFromItsPlace(t *testing.T) {
	t.Parallel()
	result := orders(readText(t, "order,instructions", "T-1,", "T-1,A", "T-1,B"), nil)
	const want = `instructions is "B", but "A" in line 3 of the same order`
	if len(result.Faults) != 1 || result.Faults[0].Line != 4 || result.Faults[0].Message() != want {
		t.Errorf("got %+v, want %q for line 4", result.Faults, want)
	}
}

// TestNumberGivenTwice: a line with the number of another recipient's order is a fault of its number, and no part of
// that order. After its number is corrected it is an order of its own. A name that is misspelt is a fault of the name.
func TestNumberGivenTwice(t *testing.T) {
	t.Parallel()
	const header = "Numéro,name,address,postal_code"
	file := readText(t, header, "T-1,Ann Lee,1 Rue A,H2X 1Y4", "T-1,Bob Roy,2 Rue B,H2W 1C5")
	result := orders(file, nil)
	const want = `partner_order_id "T-1" is also that of line 2, which has another recipient: ` +
		"give this order a number of its own"
	if len(result.Faults) != 1 || result.Faults[0].Line != 3 || result.Faults[0].Message() != want {
		t.Errorf("got %+v, want %q for line 3", result.Faults, want)
	}
	if len(result.Orders) != 1 || len(result.Orders[0].Lines) != 1 {
		t.Errorf("got %+v, want one order of one line", result.Orders)
	}
	result = orders(file, map[orderfile.Cell]string{{Line: 3, Field: "partner_order_id"}: "T-2"})
	if len(result.Orders) != 2 || len(result.Faults) != 0 {
		t.Errorf("got %+v with %+v, want two orders", result.Orders, result.Faults)
	}
	result = orders(readText(t, header, "T-1,Ann Lee,1 Rue A,H2X 1Y4", "T-1,Anne Lee,1 Rue A,H2X 1Y4"), nil)
	if len(result.Faults) != 1 || result.Faults[0].Field != "dropoff.name" {
		t.Errorf("got %+v, want a fault of the name", result.Faults)
	}
}

// TestRepeatedLine: a line that is the same as an earlier one adds its parcel, and a warning.
func TestRepeatedLine(t *testing.T) {
	t.Parallel()
	file := readText(t, "order,name,weight", "R-1,Ann Lee,1", "R-1,Ann Lee,2", "R-1,Ann Lee,1", "R-1,,1", "R-1,,1")
	result := orders(file, nil)
	const want = `line 4 is the same as line 2: their parcels are in one order, "R-1"; ` +
		"if the line was pasted twice, remove it"
	if one := result.Orders[0]; len(one.Warnings) != 1 || one.Warnings[0].Message() != want {
		t.Errorf("got %+v, want %q", one.Warnings, want)
	}
}

// TestCodesHaveMessages: each code has one.
func TestCodesHaveMessages(t *testing.T) {
	t.Parallel()
	for _, code := range orderfile.Codes {
		f := orderfile.Fault{Cell: orderfile.Cell{Line: 2, Field: "f"}, Code: code, Text: "t", Arguments: []any{1, 2}}
		if message := f.Message(); message == "" || strings.Contains(message, "%!(") && code != orderfile.Differs {
			t.Errorf("%s: got %q, want a message", code, message)
		}
	}
}
