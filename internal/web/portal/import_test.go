package portal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

const importPage = "/portal/orders/import"

// upload sends a file with the form of a page, and returns the answer.
func upload(t *testing.T, clerk *apptest.User, path string, content []byte) *apptest.Answer {
	t.Helper()
	shown := clerk.Open(t, path).Must(t, http.StatusOK)
	var body bytes.Buffer
	sent := multipart.NewWriter(&body)
	_ = sent.WriteField("_key", apptest.FieldOf(t, shown, path, "_key")) // writes to memory
	file, err := sent.CreateFormFile("file", "orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write(content)
	_ = sent.Close()
	return clerk.Do(t, "POST", path, body.Bytes(), "Cookie", clerk.Cookie, "Accept", "text/html", "Content-Type",
		sent.FormDataContentType())
}

// draftOf returns the page of a draft that an answer leads to.
func draftOf(t *testing.T, answer *apptest.Answer) string {
	t.Helper()
	return answer.Must(t, http.StatusSeeOther).Header.Get("Location")
}

// whatShopsLack is what a person types for all orders of a file of a shop, as pairs.
var whatShopsLack = []string{
	"default:pickup.name", "Épicerie Métro", "default:pickup.phone", "514 555-0100", "default:pickup.email",
	"shop@example.com", "default:pickup.address.line1", "4000 Rue Saint-Denis", "default:pickup.address.city", "Montréal",
	"default:pickup.address.province", "QC", "default:pickup.address.postal_code", "H2W 2M5",
	"default:pickup.time_window.start", "2026-01-15T13:00", "default:pickup.time_window.end", "2026-01-15T16:00",
	"default:dropoff.time_window.start", "2026-01-20T09:00", "default:dropoff.time_window.end", "2026-01-20T18:00",
	"default:weight_kg", "1,5", "default:length_cm", "30", "default:width_cm", "20", "default:height_cm", "10",
	"default:value", "25.00",
}

func shopFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("../../orderfile/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// check sends what was typed on the page of a draft, and returns the page that follows.
func check(t *testing.T, clerk *apptest.User, draft string, values ...string) *apptest.Answer {
	t.Helper()
	path, query, _ := strings.Cut(draft, "?")
	target := path + "/check"
	if query != "" {
		target += "?" + query
	}
	clerk.Send(t, clerk.Open(t, draft).Must(t, http.StatusOK), target, values...).Must(t, http.StatusSeeOther)
	return clerk.Open(t, draft).Must(t, http.StatusOK)
}

// TestImportOfShopify imports what Shopify exports: what all orders lack is asked for once, the price is shown first,
// and the form that was sent twice creates nothing twice.
func TestImportOfShopify(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	draft := draftOf(t, upload(t, clerk, importPage, shopFile(t, "shopify.csv")))
	first := clerk.Open(t, draft).Must(t, http.StatusOK)
	contains(t, first, "Pickup · Name", "This is required.")
	if bytes.Contains(first.Body, []byte(`name="_count"`)) {
		t.Error("got a button that creates orders without a pickup")
	}
	ready := check(t, clerk, draft, whatShopsLack...)
	contains(t, ready, "2 orders are ready", "Create 2 orders", "Zoé Tremblay, Montréal")
	if n := metro.Call(t, "GET", "/v1/orders", nil).JSON("count"); n != 0.0 {
		t.Errorf("got %v orders before the button was pressed, want none", n)
	}
	for range 2 { // the second time is a double click
		clerk.Send(t, ready, draft).Must(t, http.StatusSeeOther)
	}
	list := metro.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK)
	if list.JSON("count") != 2.0 {
		t.Fatalf("got %s, want two orders", list.Body)
	}
	done := clerk.Open(t, draft).Must(t, http.StatusOK)
	contains(t, done, "2 orders created", "#1001", "#1002", "/portal/orders/labels?")
	listed := metro.Call(t, "GET", "/v1/orders?partner_order_id=%231001", nil).Must(t, http.StatusOK)
	one := metro.Call(t, "GET", "/v1/orders/"+listed.Text("orders", 0, "order_id"), nil).Must(t, http.StatusOK)
	for want, path := range map[string][]any{
		"2 × Mug - Blue, Plate": {"parcels", 0, "description"}, "App 3": {"dropoff", "address", "line2"},
		"+15145550101": {"dropoff", "phone"}, "Ring twice": {"instructions"},
	} {
		if got := one.Text(path...); got != want {
			t.Errorf("%v: got %q, want %q", path, got, want)
		}
	}
	again := draftOf(t, upload(t, clerk, importPage, shopFile(t, "shopify.csv")))
	check(t, clerk, again, whatShopsLack...)
	contains(t, clerk.Open(t, again), "Left out: 2", "An order has this number already.")
}

// TestImportCorrects creates what is right, keeps what is not, and creates that after its cells are corrected.
func TestImportCorrects(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	draft := draftOf(t, upload(t, clerk, importPage, shopFile(t, "french-excel.csv")))
	shown := check(t, clerk, draft, whatShopsLack...)
	contains(t, shown, "Create 1 order", "1 order needs a correction", "Line 3", "“mille” is not a number",
		`value="mille"`)
	clerk.Send(t, shown, draft).Must(t, http.StatusSeeOther)
	left := clerk.Open(t, draft).Must(t, http.StatusOK)
	contains(t, left, "1 order created", "C-1", "1 order needs a correction")
	fixed := check(t, clerk, draft, "cell:3:weight_kg", "1,25")
	contains(t, fixed, "Create 1 order")
	clerk.Send(t, fixed, draft).Must(t, http.StatusSeeOther)
	one := metro.Call(t, "GET", "/v1/orders?partner_order_id=C-2", nil).Must(t, http.StatusOK)
	if got := fmt.Sprint(one.JSON("orders", 0, "parcels", 0, "weight_kg")); got != "1.25" {
		t.Errorf("got %s, want the weight that was typed", one.Body)
	}
	if got := one.Text("orders", 0, "dropoff", "email"); got != "metro@example.com" {
		t.Errorf("got the e-mail %q, want that of the account", got)
	}
	contains(t, clerk.Open(t, draft), "2 orders created")
}

// TestImportKeepsColumns: a column that was chosen once is known in the next file with the same header. An order can be
// left out.
func TestImportKeepsColumns(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	file := []byte("Bestellung;Empfänger;Telefon;Straße;Ort;Provinz;PLZ\n" +
		"B-1;Ann Lee;4165550199;1 Queen St;Toronto;ON;M5H 2N2\n" +
		"B-2;Bo Lee;4165550198;2 Queen St;Toronto;ON;M5H 2N2\n")
	draft := draftOf(t, upload(t, clerk, importPage, file))
	contains(t, clerk.Open(t, draft), "Choose the column of: Order number", "7 columns are not read.")
	columns := []string{
		"column:0", "partner_order_id", "column:1", "dropoff.name", "column:2", "dropoff.phone", "column:3",
		"dropoff.address.line1", "column:4", "dropoff.address.city", "column:5", "dropoff.address.province", "column:6",
		"dropoff.address.postal_code", "default:description", "Books",
	}
	contains(t, check(t, clerk, draft, append(columns, whatShopsLack...)...), "Create 2 orders", "All columns are read.")
	next := draftOf(t, upload(t, clerk, importPage, bytes.Replace(file, []byte("B-1"), []byte("B-3"), 1)))
	contains(t, clerk.Open(t, next), "All columns are read.")
	faulty := draftOf(t, upload(t, clerk, importPage, bytes.Replace(file, []byte(";4165550198"), []byte(";none"), 1)))
	contains(t, check(t, clerk, faulty, append(slices.Clip(whatShopsLack), "default:description", "Books")...),
		"1 order needs a correction", "Create 1 order")
	contains(t, check(t, clerk, faulty, "leave_out", "3"), "Left out: 1", "Create 1 order")
}

// TestImportRefusesFiles says what is wrong with a file as a whole.
func TestImportRefusesFiles(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	var many strings.Builder
	many.WriteString("Order number\n")
	rows := "Order number\n" + strings.Repeat("A-1\n", 5001)
	for i := range 501 {
		fmt.Fprintf(&many, "A-%d\n", i)
	}
	for name, c := range map[string]struct{ content, want string }{
		"empty":    {"", "The file has no orders"},
		"header":   {"Order number,Name\n", "The file has no orders"},
		"workbook": {"PK\x03\x04rest", "This is a workbook."},
		"binary":   {"a,b\n\x00\x01,\x02\n", "is not text"},
		"quotes":   {"a,b\n\"x,y\n", "A quotation mark in line 2 is not closed."},
		"columns":  {strings.Repeat("a,", 200) + "a\nA-1\n", "The file has 201 columns. At most 200 are possible"},
		"large":    {"Order number,Notes\nA-1," + strings.Repeat("x", 1<<20) + "\n", "The file is larger than 1 MB"},
		"rows":     {rows, "The file has 5,001 lines. At most 5,000 are possible"},
		"many":     {many.String(), "The file has 501 orders. At most 500 are possible"},
	} {
		shown := upload(t, clerk, importPage, []byte(c.content)).Must(t, http.StatusUnprocessableEntity)
		if !bytes.Contains(shown.Body, []byte(c.want)) {
			t.Errorf("%s: got no %q in %s", name, c.want, shown.Body)
		}
	}
	if kept := s.Query(t, "SELECT count(*) FROM import_drafts"); kept[0] != "0" {
		t.Errorf("got %s files, want none kept", kept[0])
	}
	metro.As(t, "reader").Open(t, importPage).Must(t, http.StatusForbidden)
}

// TestImportKeepsFewDrafts: a partner has the five latest drafts, live and test ones together.
func TestImportKeepsFewDrafts(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	var drafts []string
	for i := range 7 {
		path := importPage
		if i%2 == 1 {
			path += "?mode=test"
		}
		drafts = append(drafts, draftOf(t, upload(t, clerk, path, fmt.Appendf(nil, "Order number\nA-%d\n", i))))
		s.Clock.Advance(time.Minute)
	}
	for i, draft := range drafts {
		want := http.StatusOK
		if i < 2 {
			want = http.StatusNotFound
		}
		clerk.Open(t, draft).Must(t, want)
	}
}

// TestImportTakesWhatFits: only lines of the file are corrected and left out, by texts of a thousand characters, and
// all of them together have a limit.
func TestImportTakesWhatFits(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	file := "Order number\n" + strings.Repeat("A-1\n", 500)
	draft := draftOf(t, upload(t, clerk, importPage, []byte(file)))
	decided := func() string { return s.Query(t, "SELECT document FROM import_drafts")[0] }
	text, long := strings.Repeat("é", 1000), strings.Repeat("x", 1001)
	check(t, clerk, draft, "cell:502:instructions", "beyond", "cell:2:instructions", text, "cell:3:instructions", long,
		"cell:1:instructions", "header", "default:description", long, "leave_out", "502")
	got := decided()
	for _, absent := range []string{"beyond", "header", long, `"leave_out":[502]`} {
		if strings.Contains(got, absent) {
			t.Errorf("got %.100s… in what was decided, want it ignored", absent)
		}
	}
	if !strings.Contains(got, text) {
		t.Errorf("got %s, want a text of 1,000 characters", got)
	}
	want := []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusRequestEntityTooLarge}
	for i, field := range []string{"instructions", "reference", "dropoff.name"} {
		var values []string
		for line := 2; line < 502; line++ {
			values = append(values, fmt.Sprintf("cell:%d:%s", line, field), long[1:])
		}
		clerk.Send(t, clerk.Open(t, draft), draft+"/check", values...).Must(t, want[i])
	}
	if got := decided(); len(got) > 1<<20 || strings.Contains(got, "dropoff.name") {
		t.Errorf("got %d bytes, want at most 1 MiB, without what was refused", len(got))
	}
}

// TestImportKeepsNoHeader: of a file without a header, nothing is kept that is about a person, and nothing at all if no
// column was chosen.
func TestImportKeepsNoHeader(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	draft := draftOf(t, upload(t, clerk, importPage, []byte("Jane Doe;4165550199\nBo Lee;4165550198\n")))
	for _, c := range []struct {
		field string
		want  int
	}{{"", 0}, {"dropoff.name", 1}, {"", 0}} {
		check(t, clerk, draft, "column:0", c.field)
		kept := s.Query(t, "SELECT entry_id || name || document FROM saved_entries")
		if len(kept) != c.want || strings.Contains(strings.Join(kept, ""), "Jane") {
			t.Errorf("got %q for the field %q, want %d entries without a name", kept, c.field, c.want)
		}
	}
}

// TestImportForgetsOldestHeader: beyond 500 headers, that one is forgotten which was not used for the longest.
func TestImportForgetsOldestHeader(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	s.Execute(t, `INSERT INTO saved_entries (partner_id, kind, entry_id, name, email, document, updated_at)
		WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500)
		SELECT '`+metro.PartnerID+`', 'layout', 'e' || n, '', '', '{}', 1000 - n FROM numbers`)
	file := []byte("Bestellung\nB-1\n")
	check(t, clerk, draftOf(t, upload(t, clerk, importPage, file)), "column:0", "partner_order_id")
	contains(t, clerk.Open(t, draftOf(t, upload(t, clerk, importPage, file))), "All columns are read.")
	left := s.Query(t, "SELECT count(*) FROM saved_entries UNION ALL SELECT count(*) FROM saved_entries WHERE entry_id = 'e500'")
	if !slices.Equal(left, []string{"500", "0"}) && !slices.Equal(left, []string{"0", "500"}) {
		t.Errorf("got %q, want 500 headers without the oldest", left)
	}
}

// TestImportIsTheAccounts: a draft belongs to one account and mode, and ends after a day.
func TestImportIsTheAccounts(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	draft := draftOf(t, upload(t, clerk, importPage+"?mode=test", shopFile(t, "woocommerce.csv")))
	ready := check(t, clerk, draft, whatShopsLack...)
	clerk.Send(t, ready, draft).Must(t, http.StatusSeeOther)
	if live, test := metro.Call(t, "GET", "/v1/orders", nil).JSON("count"),
		metro.InTest(t).Call(t, "GET", "/v1/orders", nil).JSON("count"); live != 0.0 || test != 1.0 {
		t.Errorf("got %v live and %v test orders, want 0 and 1", live, test)
	}
	path, _, _ := strings.Cut(draft, "?")
	clerk.Open(t, path).Must(t, http.StatusNotFound)
	s.Register(t, "nord").As(t, "clerk").Open(t, draft).Must(t, http.StatusNotFound)
	s.Clock.Advance(25 * time.Hour)
	metro.As(t, "clerk").Open(t, draft).Must(t, http.StatusNotFound)
}

var templateCell = regexp.MustCompile(`Code postal`)

// TestImportTemplate: the template can be imported as it is, in both languages.
func TestImportTemplate(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("SHOP-1", "")).Must(t, 201)
	clerk := metro.As(t, "clerk")
	for _, language := range []string{"en", "fr"} {
		file := clerk.Do(t, "GET", "/portal/imports/template.csv?separator=semicolon", nil, "Cookie", clerk.Cookie,
			"Accept-Language", language).Must(t, http.StatusOK)
		if templateCell.Match(file.Body) != (language == "fr") {
			t.Errorf("%s: got %s, want titles in that language", language, file.Body)
		}
		draft := draftOf(t, upload(t, clerk, importPage, file.Body))
		contains(t, check(t, clerk, draft, whatShopsLack...), "All columns are read.", "Create 1 order")
	}
}

// ownFile is a file in the service's own columns, with lines of a number, a weight and other texts that differ.
func ownFile(lines ...string) []byte {
	const header = "partner_order_id,weight_kg,dropoff.name,dropoff.phone,dropoff.address.line1,dropoff.address.city," +
		"dropoff.address.province,dropoff.address.postal_code,description\n"
	const to = ",Ann Lee,416 555-0199,1 Queen St,Toronto,ON,M5H 2N2,Tea\n"
	return []byte(header + strings.Join(lines, to) + to)
}

// post sends values that the page of a draft has no fields for, or without a tick that it has.
func post(
	t *testing.T, clerk *apptest.User, shown *apptest.Answer, draft, to string, values url.Values,
) *apptest.Answer {
	t.Helper()
	values.Set("_key", apptest.FieldOf(t, shown, draft+"/check", "_key"))
	return clerk.Do(t, "POST", to, []byte(values.Encode()), "Cookie", clerk.Cookie, "Accept", "text/html", "Content-Type",
		"application/x-www-form-urlencoded")
}

// parcelsOf returns the weights of the parcels of an order; nil if there is no order with the number.
func parcelsOf(t *testing.T, p *apptest.Partner, number string) (weights []string) {
	t.Helper()
	list := p.Call(t, "GET", "/v1/orders?partner_order_id="+number, nil).Must(t, http.StatusOK)
	for i := range list.Len("orders", 0, "parcels") {
		weights = append(weights, fmt.Sprint(list.JSON("orders", 0, "parcels", i, "weight_kg")))
	}
	return weights
}

// TestImportOfStrayLines: while a line belongs to no order, nothing is created, because it may be a parcel of one of
// the others. It gets a number, or is left out; after its order was created it is too late for the number.
func TestImportOfStrayLines(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	file := append(ownFile("C-1,1", ",5", "C-3,1"), "C-3,2,too short\n"...)
	draft := draftOf(t, upload(t, clerk, importPage, file))
	shown := check(t, clerk, draft, whatShopsLack...)
	contains(t, shown, "2 lines belong to no order", "Line 3", "Enter the number of the order.", "Line 5",
		"The line has 3 cells, but there are 9 columns.", "Leave this line out")
	if bytes.Contains(shown.Body, []byte(`name="_count"`)) {
		t.Error("got a button that creates orders without some of their parcels")
	}
	post(t, clerk, shown, draft, draft, url.Values{"_count": {"2"}, "_price": {"0"}}).Must(t, http.StatusConflict)
	if n := metro.Call(t, "GET", "/v1/orders", nil).JSON("count"); n != 0.0 {
		t.Fatalf("got %v orders, want none", n)
	}
	ready := check(t, clerk, draft, "cell:3:partner_order_id", "C-1", "leave_out", "5")
	contains(t, ready, "Create 2 orders", "Left out: 1", "Line 5")
	clerk.Send(t, ready, draft).Must(t, http.StatusSeeOther)
	if got := parcelsOf(t, metro, "C-1"); !slices.Equal(got, []string{"1", "5"}) {
		t.Errorf("got parcels of %v kg, want both", got)
	}

	late := draftOf(t, upload(t, clerk, importPage, ownFile("D-1,1", ",5")))
	contains(t, check(t, clerk, late, whatShopsLack...), "1 line belongs to no order")
	ready = check(t, clerk, late, "leave_out", "3", "cell:3:partner_order_id", "D-1")
	contains(t, ready, "Left out: 1")
	clerk.Send(t, ready, late).Must(t, http.StatusSeeOther)
	if got := parcelsOf(t, metro, "D-1"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("got parcels of %v kg, want that of the line that was not left out", got)
	}
	post(t, clerk, clerk.Open(t, late), late, late+"/check",
		url.Values{"_shown": {"3"}, "cell:3:partner_order_id": {"D-1"}}).Must(t, http.StatusSeeOther)
	contains(t, clerk.Open(t, late), "1 order created", "Order D-1 was created without this line")
	contains(t, check(t, clerk, late, "cell:3:partner_order_id", "D-2"), "Create 1 order")
}

// TestImportOfANumberTwice: a number that two recipients have is asked for again, and a line that was pasted twice is
// mentioned beside its order.
func TestImportOfANumberTwice(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	file := ownFile("C-1,1", "C-1,2", "C-3,1", "C-3,1")
	lines := bytes.SplitAfter(file, []byte("\n"))
	lines[2] = bytes.Replace(lines[2], []byte("Ann Lee"), []byte("Bob Roy"), 1)
	lines[2] = bytes.Replace(lines[2], []byte("1 Queen"), []byte("9 King"), 1)
	draft := draftOf(t, upload(t, clerk, importPage, bytes.Join(lines, nil)))
	shown := check(t, clerk, draft, whatShopsLack...)
	contains(t, shown, "Order number “C-1” is in line 2, too, for another recipient. Enter another number.")
	ready := check(t, clerk, draft, "cell:3:partner_order_id", "C-2")
	contains(t, ready, "Create 3 orders",
		"Line 5 is the same as line 4: this order has the parcels of both.")
}

// TestImportNamesWhatIsMissing: the first page names what every order lacks, and not that nothing is left.
func TestImportNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	clerk := metro.As(t, "clerk")
	shown := clerk.Open(t, draftOf(t, upload(t, clerk, importPage, ownFile("B-1,1"))))
	contains(t, shown, "Fill in what every order needs: Length (cm), Width (cm), Height (cm), Value ($).",
		"Dropoff · Country", "Pickup · Country", ">Quote<", `href="/portal/addresses/parcel">Sizes that you use often`)
	if bytes.Contains(shown.Body, []byte("No order is left to create.")) {
		t.Errorf("got %s, want no word of an end", shown.Body)
	}
}

// TestImportWarns: what is probably not meant stands beside its order: letters that the file's encoding does not have,
// and what the interface warns about.
func TestImportWarns(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	file := bytes.Replace(ownFile("W-1,1", "W-2,mille"), []byte("Ann Lee"), []byte("Fran?ois C?t\xe9"), 2)
	file = bytes.Replace(file, []byte("M5H 2N2"), []byte("V5K 0A1"), 1)
	shown := check(t, clerk, draftOf(t, upload(t, clerk, importPage, file)), whatShopsLack...)
	contains(t, shown, "Create 1 order", "The postal code belongs to another province")
	const letters = "“Fran?ois C?té” seems to lack letters: save the file as CSV UTF-8."
	if n := bytes.Count(shown.Body, []byte(letters)); n != 2 {
		t.Errorf("got %q %d times, want it beside the order that is ready and the one that is not", letters, n)
	}
}

// TestImportWindows: an order without a window of its delivery has the day on which it is estimated to arrive, however
// far its recipient is.
func TestImportWindows(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	clerk := metro.As(t, "clerk")
	file := bytes.Replace(ownFile("V-1,1", "V-2,1"), []byte("Toronto,ON,M5H 2N2"), []byte("Whitehorse,YT,Y1A 1A1"), 1)
	draft := draftOf(t, upload(t, clerk, importPage, file))
	ready := check(t, clerk, draft, "default:length_cm", "30", "default:width_cm", "20", "default:height_cm", "10",
		"default:value", "25.00")
	contains(t, ready, "Create 2 orders")
	clerk.Send(t, ready, draft).Must(t, http.StatusSeeOther)
	for number, lacks := range map[string]string{"V-1": "-05:00", "V-2": "-07:00"} {
		list := metro.Call(t, "GET", "/v1/orders?partner_order_id="+number, nil).Must(t, http.StatusOK)
		end, estimate := list.Text("orders", 0, "dropoff", "time_window", "end"), list.Text("orders", 0, "estimated_delivery")
		until, err := time.Parse(time.RFC3339, end)
		if err != nil {
			t.Fatal(err)
		}
		arrives, err := time.Parse(time.RFC3339, estimate)
		if err != nil || arrives.After(until) || strings.HasSuffix(end, lacks) {
			t.Errorf("%s: got a window until %s, want one until the estimate %s by the clock of the recipient", number, end, estimate)
		}
		if got := list.JSON("orders", 0, "warnings"); got != nil {
			t.Errorf("%s: got the warnings %v, want none", number, got)
		}
	}
}

// TestImportLeavesOutClosedOrders: an order that its shop has cancelled or sent is left out, until a person includes
// it.
func TestImportLeavesOutClosedOrders(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	file := bytes.Replace(shopFile(t, "shopify.csv"), []byte(",unfulfilled,"), []byte(",fulfilled,"), 1)
	draft := draftOf(t, upload(t, clerk, importPage, file))
	shown := check(t, clerk, draft, whatShopsLack...)
	contains(t, shown, "Create 1 order", "Left out: 1", "“Fulfillment Status” is “fulfilled”.")
	post(t, clerk, shown, draft, draft+"/check", url.Values{"_shown": {"2"}}).Must(t, http.StatusSeeOther)
	contains(t, clerk.Open(t, draft), "Create 2 orders")
}

// TestImportAgain: the orders of a file that was imported before are left out, so that a corrected file can be imported
// as a whole. The page names the columns that it does not read, such as one with amounts.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	file := func(lines ...string) []byte {
		text := "order,name,phone,address,city,province,postal code,weight,description,Owed\n"
		for _, line := range lines {
			number, code, _ := strings.Cut(line, " ")
			text += number + ",Ann,4165550199,1 Queen St,Toronto,ON," + code + ",1.5,Books,5\n"
		}
		return []byte(text)
	}
	first := draftOf(t, upload(t, clerk, importPage, file("R-1 M5H 2N2", "R-2 M5H", "R-3 M5H 2N2")))
	ready := check(t, clerk, first, whatShopsLack...)
	contains(t, ready, "Create 2 orders", "1 order needs a correction", "are not read: Owed.")
	clerk.Send(t, ready, first).Must(t, http.StatusSeeOther)
	again := draftOf(t, upload(t, clerk, importPage, file("R-1 M5H 2N2", "R-2 M5H 2N2", "R-3 M5H")))
	check(t, clerk, again, whatShopsLack...)
	shown := check(t, clerk, again, "cell:4:dropoff.address.postal_code", "M5H 2N2")
	shows(t, "the corrected file", shown,
		[]string{"Create 1 order", "Left out: 2", "An order has this number already."}, []string{"needs a correction"})
	post(t, clerk, shown, again, again+"/check", url.Values{"_shown": {"2"}}).Must(t, http.StatusSeeOther)
	contains(t, clerk.Open(t, again), "You have used this number for another order.", "Left out: 1")
}

// TestImportAfterACrash: the orders of a batch whose creation was not noted are found again: the page shows them as
// created, and not as numbers that are taken.
func TestImportAfterACrash(t *testing.T) {
	t.Parallel()
	var crashed atomic.Bool
	var s *apptest.Service
	s = apptest.Start(t, func(_ *config.Config, world *app.Surroundings) {
		world.BeforeWrites = func(context.Context) error {
			if crashed.Load() && slices.Equal(s.Query(t, "SELECT COUNT(*) FROM orders"), []string{"2"}) {
				return errors.New("the process ends")
			}
			return nil
		}
	})
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	draft := draftOf(t, upload(t, clerk, importPage, ownFile("B-1,1", "B-2,1", "B-2,2")))
	ready := check(t, clerk, draft, whatShopsLack...)
	crashed.Store(true)
	clerk.Send(t, ready, draft).Must(t, http.StatusInternalServerError)
	crashed.Store(false)
	contains(t, clerk.Open(t, draft), "2 orders created", "B-1", "B-2")
	if n := metro.Call(t, "GET", "/v1/orders", nil).JSON("count"); n != 2.0 {
		t.Errorf("got %v orders, want two", n)
	}
}

// TestImportNeedsDefaults: a default is read where a file lacks something. One that is wrong is a fault of its own, and
// orders that have what it is for are ready.
func TestImportNeedsDefaults(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	file := func(weights ...string) []byte {
		lines := "order,name,phone,address,city,province,postal code,weight,description\n"
		for i, weight := range weights {
			lines += fmt.Sprintf("D-%d,Ann,4165550199,1 Queen St,Toronto,ON,M5H 2N2,%s,Books\n", i, weight)
		}
		return []byte(lines)
	}
	const fault = "“one” is not a number"
	wrong := append(slices.Clip(whatShopsLack), "default:weight_kg", "one")
	full := draftOf(t, upload(t, clerk, importPage, file("1.5", "2")))
	shows(t, "all weights", check(t, clerk, full, wrong...), []string{"Create 2 orders"}, []string{fault})
	some := draftOf(t, upload(t, clerk, importPage, file("1.5", "", "2")))
	shown := check(t, clerk, some, wrong...)
	shows(t, "one weight less", shown,
		[]string{"Create 2 orders", "1 order needs a correction", "Line 3", "This is required.", fault}, nil)
	if n := bytes.Count(shown.Body, []byte(fault)); n != 1 {
		t.Errorf("got %q %d times, want it at the default", fault, n)
	}
	contains(t, check(t, clerk, some, "default:weight_kg", "3"), "Create 3 orders")
	none := bytes.ReplaceAll(file("", ""), []byte(",weight,"), []byte(",comments,"))
	shows(t, "no weights", check(t, clerk, draftOf(t, upload(t, clerk, importPage, none)), wrong...),
		[]string{"Fill in what every order needs: Weight", fault}, []string{"needs a correction"})
}

// TestImportOfADamagedDraft: a file of which it cannot be read any more what was decided about it is not found.
func TestImportOfADamagedDraft(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := s.Register(t, "metro").As(t, "clerk")
	for _, document := range []string{"{", "{}", "null"} {
		draft := draftOf(t, upload(t, clerk, importPage, shopFile(t, "shopify.csv")))
		shown := clerk.Open(t, draft).Must(t, http.StatusOK)
		s.Execute(t, "UPDATE import_drafts SET document = '"+document+"'")
		clerk.Send(t, shown, draft+"/check", whatShopsLack...).Must(t, http.StatusNotFound)
		clerk.Open(t, draft).Must(t, http.StatusNotFound)
		check(t, clerk, draftOf(t, upload(t, clerk, importPage, shopFile(t, "shopify.csv"))), whatShopsLack...)
	}
}
