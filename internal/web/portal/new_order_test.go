package portal_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

const newOrder = "/portal/orders/new"

// filled is what a person types for a valid order, as pairs of name and value.
var filled = []string{
	"partner_order_id", "SHOP-1", "service_level", "express",
	"pickup.name", "Épicerie Métro", "pickup.phone", "514 555-0100", "pickup.email", "shop@example.com",
	"pickup.address.line1", "4000 Rue Saint-Denis", "pickup.address.city", "Montréal", "pickup.address.province", "QC",
	"pickup.address.postal_code", "H2W 2M5", "pickup.time_window.start", "2026-01-14T13:00", "pickup.time_window.end",
	"2026-01-14T16:00", "dropoff.name", "Alex Martin", "dropoff.phone", "+14165550100", "dropoff.email",
	"alex@example.com", "dropoff.address.line1", "1 Queen Street", "dropoff.address.city", "Toronto",
	"dropoff.address.province", "ON", "dropoff.address.postal_code", "M5H 2N2", "dropoff.time_window.start",
	"2026-01-16T09:00", "dropoff.time_window.end", "2026-01-16T18:00", "parcels[0].description", "Books",
	"parcels[0].weight_kg", "2,5", "parcels[0].length_cm", "30", "parcels[0].width_cm", "20", "parcels[0].height_cm",
	"10", "parcels[0].value_cents", "45.00",
}

// desk is a person of a shop who fills in forms.
type desk struct{ *apptest.User }

// press sends the form on a page as one of the buttons that change nothing does.
func (d desk) press(t *testing.T, shown *apptest.Answer, act string, values ...string) *apptest.Answer {
	t.Helper()
	body := shown.Form(t, newOrder, append(values, "_act", act)...)
	return d.Do(t, "POST", newOrder+"/quote", body, "Cookie", d.Cookie, "Accept", "text/html", "Content-Type",
		"application/x-www-form-urlencoded").Must(t, http.StatusOK)
}

var price = regexp.MustCompile(`<p class="price"><b>\$([0-9.]+)</b>`)

// TestNewOrder fills in the form, looks at the price, and creates the order by a double
// click. The price is the one of the interface, and the order is there once.
func TestNewOrder(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.As(t, "clerk")}
	empty := clerk.Open(t, newOrder).Must(t, http.StatusOK)
	if price.Match(empty.Body) || apptest.FieldOf(t, empty, newOrder, "partner_order_id") == "" {
		t.Errorf("got\n%s\nwant no price, and a number proposed", empty.Body)
	}
	priced := clerk.press(t, empty, "price", filled...)
	quoted := price.FindSubmatch(priced.Body)
	asked := []byte(`{"service_level":"express","pickup":{"address":{"city":"Montréal","province":"QC","postal_code":"H2W 2M5","country":"CA"}},
"dropoff":{"address":{"city":"Toronto","province":"ON","postal_code":"M5H 2N2","country":"CA"}},"parcels":[{"weight_kg":2.5,"length_cm":30,"width_cm":20,"height_cm":10}]}`)
	quote := metro.Call(t, "POST", "/v1/rates/quote", asked).Must(t, 200)
	cents, _ := quote.JSON("rate_cents").(float64)
	if quoted == nil || string(quoted[1]) != fmt.Sprintf("%.2f", cents/100) {
		t.Fatalf("got the price %s, want %.0f cents:\n%s", quoted, cents, priced.Body)
	}
	body := priced.Form(t, newOrder)
	var first string
	for range 2 {
		created := clerk.Do(t, "POST", newOrder, body, "Cookie", clerk.Cookie, "Content-Type",
			"application/x-www-form-urlencoded").Must(t, http.StatusSeeOther)
		to := created.Header.Get("Location")
		if first == "" {
			first = to
		}
		if to != first || !strings.HasPrefix(to, "/portal/orders/ord_") {
			t.Errorf("got to %q, want to the order that was created first", to)
		}
	}
	order := metro.Call(t, "GET", "/v1/orders/"+strings.TrimPrefix(first, "/portal/orders/"), nil).Must(t, 200)
	if order.Text("partner_order_id") != "SHOP-1" || order.JSON("rate_cents") != cents ||
		order.Text("pickup", "phone") != "+15145550100" ||
		order.Text("pickup", "time_window", "start") != "2026-01-14T13:00:00.000-05:00" ||
		order.JSON("parcels", 0, "value_cents") != 4500.0 {
		t.Errorf("got %s, want what was typed, at the price of the quote", order.Body)
	}
	if count := metro.Call(t, "GET", "/v1/orders", nil).JSON("count"); count != 1.0 {
		t.Errorf("got %v orders, want 1", count)
	}
}

// TestNewOrderFaults sends a form with faults: each is at its field, in the reader's
// language, and all that was typed is still there.
func TestNewOrderFaults(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.Owner(t)}
	values := append(append([]string{}, filled...), "dropoff.phone", "call me", "parcels[0].weight_kg", "700",
		"parcels[0].value_cents", "<b>", "dropoff.time_window.end", "2026-01-16T08:00", "pickup.email", "")
	refused := clerk.Send(t, clerk.Open(t, newOrder+"?lang=en"), newOrder, values...).Must(t,
		http.StatusUnprocessableEntity)
	contains(t, refused, "5 fields need a change:", `id="fault-dropoff.phone"`, `id="fault-pickup.email"`,
		`id="fault-dropoff.time_window.end"`, `id="fault-parcels[0].weight_kg">Enter a number from 0.01 to 70.`,
		`id="fault-parcels[0].value_cents">Enter an amount in dollars`)
	sent, err := url.ParseQuery(string(refused.Form(t, newOrder)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(values); i += 2 {
		if got, want := sent.Get(values[i]), lastOf(values, values[i]); got != want {
			t.Errorf("%s: got %q on the page, want %q", values[i], got, want)
		}
	}
	contains(t, clerk.Open(t, newOrder+"?check=yes&lang=fr&parcels[0].weight_kg=700"), "Entrez un nombre de 0,01 à 70.",
		"Ce champ est obligatoire.")
	if count := metro.Call(t, "GET", "/v1/orders", nil).JSON("count"); count != 0.0 {
		t.Errorf("got %v orders, want none", count)
	}
}

func lastOf(pairs []string, name string) (value string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			value = pairs[i+1]
		}
	}
	return value
}

// TestNewOrderWarns: what is probably not meant is said at the label of its field, in the reader's
// language, while the order is filled in and when it is there.
func TestNewOrderWarns(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.As(t, "clerk")}
	unmeant := slices.Concat(filled, []string{
		"dropoff.address.postal_code", "H2X 1Y4", "dropoff.address.line2", "PO Box 3", "pickup.email", "shop@shop.con",
		"dropoff.time_window.start", "2026-01-24T09:00", "dropoff.time_window.end", "2026-01-24T18:00",
		"parcels[0].barcode", strings.Repeat("M", 40), "parcels[0].parcel_id", strings.Repeat("W", 100),
		"instructions", "Demander 山田", "reference", strings.Repeat("W", 100),
	})
	for language, want := range map[string][]string{
		"en": {
			"The postal code belongs to another province (Dropoff · Postal code).",
			"Couriers cannot deliver to a post office box (Dropoff · Apartment, unit).",
			"The domain of the e-mail address cannot exist (Pickup · E-mail).",
			"No part of the time window is on a business day (Dropoff · Time window).",
			"The label cannot print this barcode, and has a number of its own instead (Parcel 1 · Barcode).",
			"The label shows only the beginning of the text (Parcel 1 · Parcel number).",
			"The label cannot print some of the characters (Instructions for the courier).",
			"The label shows only the beginning of the text (Reference).",
		},
		"fr": {
			"Le code postal appartient à une autre province (Livraison · Code postal).",
			"Les livreurs ne peuvent pas livrer à une case postale (Livraison · Appartement, bureau).",
			"Le domaine de l’adresse de courriel ne peut pas exister (Ramassage · Courriel).",
			"Aucune partie de la plage horaire ne tombe un jour ouvrable (Livraison · Plage horaire).",
			"L’étiquette ne peut pas imprimer ce code-barres et porte son propre numéro (Colis 1 · Code-barres).",
			"L’étiquette ne montre que le début du texte (Colis 1 · Numéro du colis).",
			"L’étiquette ne peut pas imprimer certains caractères (Consignes pour le livreur).",
			"L’étiquette ne montre que le début du texte (Référence).",
		},
	} {
		typed := url.Values{"lang": {language}, "check": {"yes"}}
		for i := 0; i+1 < len(unmeant); i += 2 {
			typed.Set(unmeant[i], unmeant[i+1])
		}
		typed.Set("partner_order_id", "WARNED-"+language)
		shown := clerk.Open(t, newOrder+"?"+typed.Encode()).Must(t, http.StatusOK)
		checkWarnings(t, language+", new order", shown, want)
		created := clerk.Send(t, shown, newOrder).Must(t, http.StatusSeeOther)
		order := clerk.Open(t, created.Header.Get("Location")+"?lang="+language).Must(t, http.StatusOK)
		checkWarnings(t, language+", order", order, want)
	}
}

// checkWarnings expects sentences on a page, and no path of a request.
func checkWarnings(t *testing.T, name string, page *apptest.Answer, want []string) {
	t.Helper()
	text := html.UnescapeString(string(page.Body))
	for _, sentence := range want {
		if !strings.Contains(text, sentence) {
			t.Errorf("%s: got no %q", name, sentence)
		}
	}
	if path := regexp.MustCompile(`\([a-z]+(\[0\])?\.[a-z_.0-9]+\)`).FindString(text); path != "" {
		t.Errorf("%s: got the path %q, want the label of its field", name, path)
	}
}

// TestNewOrderIsRefused: a number that is used, and products that are not there, are
// shown where they were typed.
func TestNewOrderIsRefused(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	product := s.Operate(t).Stock(t, metro.PartnerID, "Sirop", map[string]int{"MTL-1": 3})
	metro.Create(t, testkit.OrderJSON("SHOP-1", "")).Must(t, 201)
	clerk := desk{metro.Owner(t)}
	page := clerk.press(t, clerk.Open(t, newOrder), "price", filled...)
	contains(t, page, "You have used this number for another order.")
	contains(t, clerk.Send(t, page, newOrder).Must(t, http.StatusUnprocessableEntity), `id="fault-partner_order_id"`)
	short := clerk.Send(t, page, newOrder, "partner_order_id", "SHOP-2", "items[0].product_id", fmt.Sprint(product),
		"items[0].quantity", "4")
	contains(t, short.Must(t, http.StatusUnprocessableEntity), `id="fault-items[0].quantity">Only 3 left.`, ">Sirop</a>")
	clerk.Send(t, short, newOrder, "items[0].quantity", "3").Must(t, http.StatusSeeOther)
}

// TestProductsByCode adds products to the forms of a new order and of an edit by what is typed: a SKU, and a barcode in
// another of its lengths.
func TestProductsByCode(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, operator := s.Register(t, "metro"), s.Operate(t)
	for name, codes := range map[string]string{
		"Sirop": `{"sku":"S-1","barcode":"036000291452"}`, "Lampe": `{"barcode":"DUP"}`, "Tapis": `{"barcode":"DUP"}`,
		"Vieux": `{"sku":"V-1","status":"inactive"}`,
	} {
		id := operator.Stock(t, metro.PartnerID, name, map[string]int{"MTL-1": 9})
		operator.Call(t, "PATCH", fmt.Sprintf("/ops/v1/partners/%s/products/%d", metro.PartnerID, id), []byte(codes)).
			Must(t, 200)
	}
	clerk := desk{metro.Owner(t)}
	quantity := func(shown *apptest.Answer, of string) string {
		_, row, _ := strings.Cut(string(shown.Body), "<p>"+of)
		row, _, _ = strings.Cut(row, "</li>")
		if found := regexp.MustCompile(` value="(\d*)"[^>]*\.quantity"`).FindStringSubmatch(row); found != nil {
			return found[1]
		}
		return "none"
	}
	page := clerk.Open(t, newOrder)
	for _, step := range []struct{ code, quantity, contains string }{
		{"S-1", "1", `name="_find" value=""`},
		{" 0036000291452 ", "2", `name="_find" value=""`},
		{"s-1", "2", "No product that can be ordered has this SKU or barcode."},
		{"V-1", "2", "No product that can be ordered has this SKU or barcode."},
		{"DUP", "2", "Several products have this barcode."},
		{"", "2", `name="_find" value=""`},
	} {
		page = clerk.press(t, page, "code", "_find", step.code)
		contains(t, page, step.contains)
		if got := quantity(page, "Sirop"); got != step.quantity {
			t.Errorf("%q: got the quantity %s, want %s", step.code, got, step.quantity)
		}
	}
	created := clerk.Send(t, clerk.press(t, page, "price", filled...), newOrder).Must(t, http.StatusSeeOther)
	id, _, _ := strings.Cut(filepath.Base(created.Header.Get("Location")), "?")
	order := metro.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
	if order.Len("items") != 1 || order.Text("items", 0, "sku") != "S-1" || order.JSON("items", 0, "quantity") != 2.0 {
		t.Errorf("got %s, want two of the product", order.Body)
	}
	path := "/portal/orders/" + id + "/edit"
	edited := clerk.previewEdit(t, clerk.Open(t, path), path, "code", "_find", "S-1")
	if got := quantity(edited, "Sirop"); got != "3" {
		t.Errorf("an edit: got the quantity %s, want 3", got)
	}
}

// TestNewOrderSaysItsPriceFirst: an order whose price was not shown, or is another one by
// now, is created only after its price was.
func TestNewOrderSaysItsPriceFirst(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.Owner(t)}
	later := append(append([]string{}, filled...), "pickup.time_window.start", "2026-01-19T13:00",
		"pickup.time_window.end", "2026-01-19T16:00", "dropoff.time_window.start", "2026-01-21T09:00",
		"dropoff.time_window.end", "2026-01-21T18:00")
	first := clerk.Send(t, clerk.Open(t, newOrder), newOrder, later...).Must(t, http.StatusConflict)
	contains(t, first, "The price is $")
	heavier := clerk.Send(t, first, newOrder, "parcels[0].weight_kg", "40").Must(t, http.StatusConflict)
	contains(t, heavier, "Nothing was ordered yet: the price has changed to $")
	s.Clock.Advance(25 * time.Hour) // the quote has expired, and the price is the same
	clerk = desk{metro.Owner(t)}    // the session has expired, too
	clerk.Send(t, heavier, newOrder).Must(t, http.StatusSeeOther)
}

// TestNewOrderParcels adds and removes parcels without scripts.
func TestNewOrderParcels(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := desk{s.Register(t, "metro").Owner(t)}
	two := clerk.press(t, clerk.Open(t, newOrder), "add", filled...)
	three := clerk.press(t, two, "add", "parcels[1].description", "Lamp")
	contains(t, three, "Parcel 3", `value="P-3"`)
	left := clerk.press(t, three, "remove:0")
	if got := apptest.FieldOf(t, left, newOrder, "parcels[0].description"); got != "Lamp" ||
		bytes.Contains(left.Body, []byte("Parcel 3")) {
		t.Errorf("got %q in the first of the parcels, want the second one and no third:\n%s", got, left.Body)
	}
	if got := apptest.FieldOf(t, left, newOrder, "dropoff.name"); got != "Alex Martin" {
		t.Errorf("got the recipient %q, want what was typed", got)
	}
	if full := clerk.Open(t, newOrder+"?parcels=99"); bytes.Count(full.Body, []byte(`class="parcel"`)) != 50 ||
		strings.Contains(string(full.Body), "add-parcel") {
		t.Errorf("got another number of parcels than 50, or a button for one more")
	}
}

// TestNewOrderIsFilledIn proposes the pickup of the latest order, and copies an order:
// each from the account and mode that the page is about.
func TestNewOrderIsFilledIn(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	id := metro.Create(t, testkit.OrderJSON("SHOP-1", "")).Must(t, 201).Text("order_id")
	s.Clock.Advance(72 * time.Hour)
	clerk := desk{metro.Owner(t)}
	if got := apptest.FieldOf(t, clerk.Open(t, newOrder), newOrder,
		"pickup.address.line1"); got != "4000 Rue Saint-Denis" {
		t.Errorf("got the pickup %q, want that of the latest order", got)
	}
	if strings.Contains(string(clerk.Open(t, newOrder+"?mode=test").Body), "4000 Rue Saint-Denis") {
		t.Error("got the pickup of a live order in test mode")
	}
	copied := clerk.Open(t, newOrder+"?from="+id).Must(t, http.StatusOK)
	created := clerk.Send(t, copied, newOrder).Must(t, http.StatusSeeOther)
	was := metro.Call(t, "GET", "/v1/orders/"+id, nil)
	is := metro.Call(t, "GET", "/v1/orders/"+strings.TrimPrefix(created.Header.Get("Location"), "/portal/orders/"),
		nil).Must(t, 200)
	for _, path := range [][]any{{"dropoff", "name"}, {
		"dropoff", "address", "postal_code",
	}, {"parcels", 0, "weight_kg"}, {"service_level"}, {"pickup", "phone"}} {
		if was.JSON(path...) != is.JSON(path...) {
			t.Errorf("%v: got %v, want %v as in the order that was copied", path, is.JSON(path...), was.JSON(path...))
		}
	}
	if start, err := time.Parse(time.RFC3339, is.Text("pickup", "time_window", "start")); err != nil ||
		!start.After(s.Clock.Now()) || is.Text("partner_order_id") == "SHOP-1" {
		t.Errorf("got %s, want a window in the future and a number of its own", is.Body)
	}
	desk{s.Register(t, "nord").Owner(t)}.Open(t, newOrder+"?from="+id).Must(t, http.StatusNotFound)
}

// TestNewOrderInTestMode creates a test order. Readers may not open the form.
func TestNewOrderInTestMode(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.Owner(t)}
	const path = newOrder + "?mode=test"
	first := clerk.Send(t, clerk.Open(t, path), path, filled...).Must(t, http.StatusConflict)
	created := clerk.Send(t, first, path).Must(t, http.StatusSeeOther)
	if to := html.UnescapeString(created.Header.Get("Location")); !strings.HasSuffix(to, "?mode=test") {
		t.Errorf("got to %q, want to a page in test mode", to)
	}
	if live, test := metro.Call(t, "GET", "/v1/orders", nil).JSON("count"),
		metro.InTest(t).Call(t, "GET", "/v1/orders", nil).JSON("count"); live != 0.0 || test != 1.0 {
		t.Errorf("got %v live and %v test orders, want 0 and 1", live, test)
	}
	metro.As(t, "reader").Open(t, newOrder).Must(t, http.StatusForbidden)
}

// TestCopyOfManyLines copies an order with more lines than the page offers products, and
// creates another one from it.
func TestCopyOfManyLines(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	lamp := s.Operate(t).Stock(t, metro.PartnerID, "lamp", map[string]int{"MTL-1": 5000})
	const lines = 260
	item := fmt.Sprintf(`{"product_id":%d,"quantity":2}`, lamp)
	copied := metro.Create(t, testkit.OrderJSON("LONG-1", "["+strings.Repeat(item+",", lines-1)+item+"]")).Must(t,
		http.StatusCreated).Text("order_id")
	clerk := desk{metro.As(t, "clerk")}
	shown := clerk.Open(t, newOrder+"?from="+copied).Must(t, http.StatusOK)
	if last := fmt.Sprintf(`name="items[%d].quantity"`, lines-1); !bytes.Contains(shown.Body, []byte(last)) {
		t.Fatalf("got no %s, want a row for each line of the order", last)
	}
	priced := clerk.press(t, shown, "price")
	to := clerk.Do(t, "POST", newOrder, priced.Form(t, newOrder), "Cookie", clerk.Cookie, "Content-Type",
		"application/x-www-form-urlencoded").Must(t, http.StatusSeeOther).Header.Get("Location")
	made := metro.Call(t, "GET", "/v1/orders/"+strings.TrimPrefix(to, "/portal/orders/"), nil).Must(t, http.StatusOK)
	if made.Len("items") != lines {
		t.Errorf("got %d lines, want %d", made.Len("items"), lines)
	}
}

// TestNewOrderWithoutEmail: a recipient may have no e-mail address. The order then has that of the account, and the
// forms that show the order leave the field empty again.
func TestNewOrderWithoutEmail(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.As(t, "clerk")}
	shown := clerk.Open(t, newOrder).Must(t, http.StatusOK)
	contains(t, shown, "Without one, the order has your address (metro@example.com), and its recipient gets no mail.")
	if bytes.Contains(shown.Body, []byte(`name="dropoff.email" required`)) {
		t.Error("got a required e-mail address of the recipient, want an optional one")
	}
	first := clerk.Send(t, shown, newOrder, append(filled, "dropoff.email", "")...).Must(t, http.StatusConflict)
	created := clerk.Send(t, first, newOrder).Must(t, http.StatusSeeOther)
	id := strings.TrimPrefix(created.Header.Get("Location"), "/portal/orders/")
	made := metro.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, http.StatusOK)
	if got := made.Text("dropoff", "email"); got != "metro@example.com" {
		t.Errorf("got %q, want the address of the account", got)
	}
	for _, path := range []string{newOrder + "?from=" + id, "/portal/orders/" + id + "/edit"} {
		to, _, _ := strings.Cut(path, "?")
		if got := apptest.FieldOf(t, clerk.Open(t, path), to, "dropoff.email"); got != "" {
			t.Errorf("%s: got %q, want an empty field", path, got)
		}
	}
	edit := "/portal/orders/" + id + "/edit"
	clerk.Send(t, clerk.Open(t, edit), edit, "instructions", "Ring").Must(t, http.StatusSeeOther)
	if got := metro.Call(t, "GET", "/v1/orders/"+id, nil).Text("dropoff", "email"); got != "metro@example.com" {
		t.Errorf("got %q after an edit, want the address as it was", got)
	}
}

// TestNewOrderWindows: the next possible windows are proposed as soon as the pickup is known, and one that has passed,
// or ends before it begins, is refused at the window before there is a price.
func TestNewOrderWindows(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t) // it is Wednesday, 10:00 in Montréal
	metro := s.Register(t, "metro")
	clerk := desk{metro.As(t, "clerk")}
	empty := clerk.Open(t, newOrder)
	if got := apptest.FieldOf(t, empty, newOrder, "pickup.time_window.start"); got != "" {
		t.Errorf("got the window %q without a pickup, want none", got)
	}
	contains(t, clerk.press(t, empty, "windows"),
		`<div id="window-pickup"><p class="fault">Enter the province and the postal code of the pickup first.`)
	proposed := clerk.press(t, empty, "windows", append(append([]string{}, filled...), "service_level", "standard")...)
	for _, field := range []string{"pickup.time_window.start", "dropoff.time_window.end"} {
		if got, want := apptest.FieldOf(t, proposed, newOrder, field), lastOf(filled, field); got == want || got == "" {
			t.Errorf("%s: got %q, want the next possible time", field, got)
		}
	}
	contains(t, proposed, `name="_price"`)
	later := apptest.FieldOf(t, proposed, newOrder, "dropoff.time_window.end")
	sooner := clerk.press(t, proposed, "price", "service_level", "same_day")
	if got := apptest.FieldOf(t, sooner, newOrder, "dropoff.time_window.end"); got >= later || got == "" {
		t.Errorf("got %q for the same day, want the proposed window to follow the level, before %q", got, later)
	}
	typed := clerk.press(t, proposed, "price", "service_level", "same_day", "pickup.time_window.end", "2026-01-20T12:00")
	if got := apptest.FieldOf(t, typed, newOrder, "dropoff.time_window.end"); got != later {
		t.Errorf("got %q after a window was typed, want it to stay %q", got, later)
	}
	metro.Create(t, testkit.OrderJSON("SHOP-9", "")).Must(t, http.StatusCreated)
	if got := apptest.FieldOf(t, clerk.Open(t, newOrder), newOrder, "pickup.time_window.start"); got == "" {
		t.Error("got no window for the pickup of the latest order, want the next one")
	}
	for want, window := range map[string][2]string{
		"This time has passed.":             {"2026-01-12T09:00", "2026-01-12T12:00"},
		"Enter a time after the beginning.": {"2026-01-20T12:00", "2026-01-20T09:00"},
	} {
		wrong := clerk.press(t, proposed, "price", "pickup.time_window.start", window[0], "pickup.time_window.end", window[1])
		contains(t, wrong, `<div id="window-pickup"><p class="fault">`+want)
		if bytes.Contains(wrong.Body, []byte(`name="_price"`)) {
			t.Errorf("%s: got a price", want)
		}
		refused := clerk.Send(t, wrong, newOrder).Must(t, http.StatusUnprocessableEntity)
		contains(t, refused, `id="fault-pickup.time_window.end"`)
	}
}
