package portal_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
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
	contains(t, clerk.Open(t, again), "2 orders need a correction", "You have used this number for another order.")
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
	contains(t, check(t, clerk, faulty, "leave_out", "3"), "1 order left out", "Create 1 order")
}

// TestImportRefusesFiles says what is wrong with a file as a whole.
func TestImportRefusesFiles(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := metro.As(t, "clerk")
	var many strings.Builder
	many.WriteString("Order number\n")
	for i := range 501 {
		fmt.Fprintf(&many, "A-%d\n", i)
	}
	for name, c := range map[string]struct{ content, want string }{
		"empty":    {"", "The file has no orders"},
		"header":   {"Order number,Name\n", "The file has no orders"},
		"workbook": {"PK\x03\x04rest", "This is a workbook."},
		"binary":   {"a,b\n\x00\x01,\x02\n", "is not text"},
		"quotes":   {"a,b\n\"x,y\n", "A quotation mark in line 2 has no counterpart."},
		"columns":  {strings.Repeat("a,", 200) + "a\nA-1\n", "The file has 201 columns, at most 200 are possible"},
		"large":    {"Order number,Notes\nA-1," + strings.Repeat("x", 1<<20) + "\n", "The file has more than 1 MB"},
		"many":     {many.String(), "The file has 501 orders, at most 500 are possible"},
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
