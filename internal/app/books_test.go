package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/google/uuid"
)

// keepBooks uploads the built-in card with what it charges beside prices, and sets the firm and the books.
func (f floor) keepBooks(t *testing.T) {
	t.Helper()
	f.operator.Charge(t, `"attempt_cents": 301, "return_cents": 450, "late_cancellation_cents": 400`)
	f.operator.Call(t, "PUT", "/ops/v1/firm", []byte(`{"name":"Livraisons Plateau inc.",
		"address":"4200 Rue Saint-Denis\nMontréal QC  H2J 2K8",
		"numbers":{"gst_hst":"123456789 RT0001","qst":"1234567890 TQ0001"}}`)).Must(t, 200)
	f.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
}

// charges returns the acts for which an order was charged, sorted, each with the lines of its entry.
func (f floor) charges(t *testing.T, id string) (charges []string) {
	t.Helper()
	found := f.operator.Call(t, "GET", "/ops/v1/journal?order_id="+id, nil).Must(t, 200)
	for i := range found.Len("entries") {
		text := found.Text("entries", i, "act")
		for j := range found.Len("entries", i, "lines") {
			text += fmt.Sprintf(" %s %v", found.Text("entries", i, "lines", j, "account"),
				found.JSON("entries", i, "lines", j, "amount_cents"))
		}
		charges = append(charges, text)
	}
	slices.Sort(charges)
	return charges
}

// TestCharges brings orders to all ends, and reads what each was charged.
func TestCharges(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	before := f.orderIn(t, "before", delivery.StatusOutForDelivery)
	early := f.orderIn(t, "delivered-before", delivery.StatusDelivered)
	f.keepBooks(t)
	f.operator.Move(t, before, "delivered").Must(t, 200)

	want := func(id string, charges ...string) {
		t.Helper()
		if got := f.charges(t, id); strings.Join(got, "; ") != strings.Join(charges, "; ") {
			t.Errorf("%s: got the charges\n%s, want\n%s", f.read(t, id).Text("partner_order_id"), strings.Join(got, "\n"),
				strings.Join(charges, "\n"))
		}
	}
	const (
		// HST of Ontario, 13 %.
		delivered = "delivery charges 7383 revenue -6534 tax_hst -849"
		attempt   = "attempt charges 340 revenue -301 tax_hst -39"
		// The goods go back to Quebec: GST, and no QST, because they were not in Quebec.
		returned  = "return charges 473 revenue -450 tax_gst -23"
		cancelled = "late_cancellation charges 452 revenue -400 tax_hst -52"
	)
	want(early)
	want(before, delivered)

	again := f.orderIn(t, "attempts", delivery.StatusOutForDelivery)
	for _, status := range []string{
		"failed", "out_for_delivery", "failed", "in_transit", "out_for_delivery", "delivered",
	} {
		f.operator.Move(t, again, status).Must(t, 200)
	}
	want(again, attempt, attempt, delivered)

	back := f.orderIn(t, "given-up", delivery.StatusPickedUp)
	f.operator.Move(t, back, "failed").Must(t, 200)
	f.operator.Move(t, back, "cancelled").Must(t, 200)
	want(back, delivered)
	receive(t, f.operator, back, `{"location":"MTL-1","lines":[]}`).Must(t, 200)
	want(back, delivered, returned)
	receive(t, f.operator, back, `{"location":"MTL-1","lines":[]}`).Refused(t, 409, "conflict")

	late := f.orderIn(t, "late", delivery.StatusCourierAssigned)
	f.operator.Move(t, late, "cancelled").Must(t, 200)
	want(late, cancelled)

	asked := f.orderIn(t, "asked", delivery.StatusCourierAssigned)
	f.partner.Call(t, "POST", "/v1/orders/"+asked+"/cancellation-request", []byte(`{"reason":"Sold out"}`),
		"Idempotency-Key", uuid.NewString()).Must(t, 202)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+asked+"/cancellation-request/answer",
		[]byte(`{"grant":true}`)).Must(t, 200)
	want(asked, cancelled)

	free := f.orderIn(t, "free", delivery.StatusAccepted)
	f.partner.Cancel(t, free, "").Must(t, 200)
	want(free)

	unassigned := f.orderIn(t, "unassigned", delivery.StatusCourierAssigned)
	f.operator.Move(t, unassigned, "accepted").Must(t, 200)
	f.operator.Move(t, unassigned, "cancelled").Must(t, 200)
	want(unassigned)

	f.balanced(t, "")
	f.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-02-01"}`)).Refused(t, 409, "conflict")
}

// balanced compares the balances with the sums of the journal as a file.
func (f floor) balanced(t *testing.T, query string) {
	t.Helper()
	found := f.operator.Call(t, "GET", "/ops/v1/balances?"+query, nil).Must(t, 200)
	file := f.operator.Do(t, "GET", "/ops/v1/journal?"+query, nil, "Authorization", "Bearer "+f.operator.Token,
		"Accept", "text/csv")
	sums, total := map[string]int{}, 0.0
	for i, line := range strings.Split(strings.TrimSpace(string(file.Must(t, 200).Body)), "\n") {
		cells := strings.Split(line, ",")
		if i == 0 {
			continue
		}
		var dollars, cents int
		amount := strings.TrimPrefix(cells[8], "-")
		if _, err := fmt.Sscanf(amount, "%d.%d", &dollars, &cents); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		cents += 100 * dollars
		if amount != cells[8] {
			cents = -cents
		}
		sums[cells[6]+" "+cells[9]] += cents
	}
	if found.Len("balances") != len(sums) || len(sums) == 0 {
		t.Errorf("got %s, want a balance for each of %v", found.Body, sums)
	}
	for i := range found.Len("balances") {
		key := found.Text("balances", i, "account") + " " + found.Text("balances", i, "currency")
		cents, _ := found.JSON("balances", i, "amount_cents").(float64)
		if int(cents) != sums[key] {
			t.Errorf("%s: got a balance of %v, want %d, the sum of the lines", key, cents, sums[key])
		}
		total += cents
	}
	if total != 0 {
		t.Errorf("got balances that add up to %v, want 0", total)
	}
}

// TestJournalForOtherPrograms takes the journal as a file with the columns of other programs.
func TestJournalForOtherPrograms(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	f.orderIn(t, "A-1", delivery.StatusDelivered)
	for query, want := range map[string]struct{ line, name string }{
		"columns=quickbooks":                     {",charges,73.83,,delivery A-1,", "journal-quickbooks.csv"},
		"columns=xero&bom=1&separator=semicolon": {",revenue,Tax Exempt,-65.34,", "journal-xero.csv"},
	} {
		got := f.operator.Do(t, "GET", "/ops/v1/journal?"+query, nil, "Authorization", "Bearer "+f.operator.Token,
			"Accept", "text/csv").Must(t, 200)
		if file := got.Body; !strings.Contains(string(file), want.line) || file[0] > 'Z' {
			t.Errorf("%s: got\n%s\nwant %s", query, file, want.line)
		}
		if got := got.Header.Get("Content-Disposition"); !strings.Contains(got, want.name) {
			t.Errorf("%s: got %s, want %s", query, got, want.name)
		}
	}
	f.operator.Call(t, "GET", "/ops/v1/journal?columns=sage", nil).Refused(t, 422, "validation_error")
}

// TestFiguresHaveMoney: what was charged is in the figures of those who read the books.
func TestFiguresHaveMoney(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	f.orderIn(t, "A-1", delivery.StatusDelivered)
	const day = "/ops/v1/figures?from=2026-01-14&to=2026-01-14"
	accountant, dispatcher := f.operator.As(t, "accountant"), f.operator.As(t, "dispatcher")
	for query, days := range map[string]int{
		"": 1, "&partner_id=" + f.partner.PartnerID: 1, "&partner_id=par_none": 0, "&by=courier": 1,
	} {
		got := accountant.Call(t, "GET", day+query, nil).Must(t, 200)
		if got.Len("money", "days") != days {
			t.Errorf("%q: got %s, want %d days with money", query, got.Body, days)
		}
		if days > 0 && (got.JSON("money", "days", 0, "revenue_cents") != 6534.0 ||
			got.JSON("money", "days", 0, "collected_cents") != 0.0 || got.Text("money", "days", 0, "day") != "2026-01-14") {
			t.Errorf("%q: got %s, want the revenue of the delivery", query, got.Body)
		}
	}
	for who, query := range map[*apptest.Operator]string{
		accountant: "&courier_id=" + f.operator.CourierID, dispatcher: "",
	} {
		if got := who.Call(t, "GET", day+query, nil).Must(t, 200); got.JSON("money") != nil {
			t.Errorf("%s%s: got %s, want no money", who.Email, query, got.Body)
		}
	}
	file := func(who *apptest.Operator) string {
		got := who.Do(t, "GET", day, nil, "Authorization", "Bearer "+who.Token, "Accept", "text/csv")
		return string(got.Must(t, 200).Body)
	}
	if got := file(accountant); !strings.Contains(got, ",revenue_cad,collected_cad,collected_usd\n") ||
		!strings.HasSuffix(got, ",65.34,0.00,0.00\n") {
		t.Errorf("got\n%s\nwant columns with money", got)
	}
	if got := file(dispatcher); strings.Contains(got, "revenue") {
		t.Errorf("dispatcher: got\n%s\nwant no money", got)
	}
	partners := f.partner.Call(t, "GET", "/v1/figures", nil).Must(t, 200)
	if _, has := partners.JSON().(map[string]any)["money"]; has {
		t.Errorf("partner: got %s, want no money", partners.Body)
	}

	page, path := accountant.Visit(t), "/console/figures?from=2026-01-14&to=2026-01-14"
	page.Open(t, path).Shows(t, 200, "Revenue before taxes", "<b>$65.34</b>", `data-label="Revenue before taxes">$65.34<`,
		"January 14: revenue before taxes: $65.34, collected: $0.00")
	page.Open(t, path+"&lang=fr").Shows(t, 200, "Revenus avant taxes", "<b>65,34\u00a0$</b>")
	if got := dispatcher.Visit(t).Open(t, path).Must(t, 200); strings.Contains(string(got.Body), "Revenue") {
		t.Errorf("got money on the page of a dispatcher:\n%s", got.Body)
	}
}

// TestBooksAreOff: nothing is charged while the books are off.
func TestBooksAreOff(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.orderIn(t, "off", delivery.StatusDelivered)
	f.keepBooks(t)
	f.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":null}`)).Must(t, 200)
	f.orderIn(t, "off-again", delivery.StatusDelivered)
	found := f.operator.Call(t, "GET", "/ops/v1/journal", nil).Must(t, 200)
	if found.Len("entries") != 0 {
		t.Errorf("got %s, want no entries", found.Body)
	}
}

// TestPosting corrects charges and records payments. What takes a charge back leaves nothing of it, and repeated
// requests post nothing more.
func TestPosting(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	target := "/ops/v1/partners/" + f.partner.PartnerID
	f.operator.Call(t, "POST", target+"/payments", []byte(`{"amount_cents":100}`)).Refused(t, 409, "conflict")
	f.keepBooks(t)
	id := f.orderIn(t, "one", delivery.StatusDelivered)
	books := f.operator.As(t, "accountant")
	back := books.Call(t, "POST", target+"/adjustments",
		[]byte(`{"amount_cents":-6534,"order_id":"`+id+`","reason":"Delivered to the wrong door"}`)).Must(t, 201)
	if got := f.charges(t, id); strings.Join(got, "; ") != "adjustment charges -7383 revenue 6534 tax_hst 849; "+
		"delivery charges 7383 revenue -6534 tax_hst -849" {
		t.Errorf("got %s, want the charge and all of it back", got)
	}
	if back.Text("notes") != "Delivered to the wrong door" || back.Text("actor_id") != books.OperatorID {
		t.Errorf("got %s, want the reason and the accountant", back.Body)
	}
	books.Call(t, "POST", target+"/adjustments",
		[]byte(`{"amount_cents":-5,"order_id":"ord_x","reason":"None"}`)).Refused(t, 422, "validation_error")
	for what, body := range map[string]string{
		"/payments": `{"amount_cents":900,"currency":"USD"}`, "/adjustments": `{"amount_cents":900,"currency":"USD","reason":"a"}`,
	} {
		books.Call(t, "POST", target+what, []byte(body)).Refused(t, 422, "validation_error")
	}
	books.Call(t, "POST", target+"/adjustments",
		[]byte(`{"amount_cents":1000,"currency":"CAD","reason":"Storage in November"}`)).Must(t, 201)
	key := uuid.NewString()
	for range 2 {
		f.Do(t, "POST", target+"/payments", []byte(`{"amount_cents":900}`), "Authorization", "Bearer "+books.Token,
			"Content-Type", "application/json", "Idempotency-Key", key).Must(t, 201)
	}
	f.balanced(t, "partner_id="+f.partner.PartnerID)
	found := books.Call(t, "GET", "/ops/v1/balances", nil).Must(t, 200)
	if got := fmt.Sprint(found.JSON("balances")); got != "[map[account:charges amount_cents:100 currency:CAD] "+
		"map[account:revenue amount_cents:-1000 currency:CAD] map[account:tax_hst amount_cents:0 currency:CAD] "+
		"map[account:bank amount_cents:900 currency:CAD]]" {
		t.Errorf("got the balances %s, want $10 charged, of which $9 is paid", got)
	}
	books.Call(t, "POST", "/ops/v1/partners/par_none/payments", []byte(`{"amount_cents":1}`)).Refused(t, 404, "not_found")
	f.operator.As(t, "dispatcher").Call(t, "POST", target+"/payments", []byte(`{"amount_cents":1}`)).Refused(t, 403,
		"forbidden")
}

// TestAllOfAnOrder takes back all that an order was charged, for its delivery and for its return, whose taxes are
// others: nothing is left of either tax.
func TestAllOfAnOrder(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	id := f.orderIn(t, "given-up", delivery.StatusPickedUp)
	f.operator.Move(t, id, "failed").Must(t, 200)
	f.operator.Move(t, id, "cancelled").Must(t, 200)
	receive(t, f.operator, id, `{"location":"MTL-1","lines":[]}`).Must(t, 200)
	f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/adjustments",
		[]byte(`{"amount_cents":-6984,"order_id":"`+id+`","reason":"All of it"}`)).Must(t, 201)
	found := f.operator.Call(t, "GET", "/ops/v1/balances", nil).Must(t, 200)
	for i := range found.Len("balances") {
		if found.JSON("balances", i, "amount_cents") != 0.0 {
			t.Errorf("got %s, want nothing left", found.Body)
		}
	}
}

// TestBlankTaxNumber: a number without a digit or letter charges no tax.
func TestBlankTaxNumber(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	got := f.operator.Call(t, "PUT", "/ops/v1/firm", []byte(`{"name":"Plateau","numbers":{"gst_hst":" "}}`)).Must(t, 200)
	if got.JSON("numbers", "gst_hst") != nil {
		t.Errorf("got %s, want no number", got.Body)
	}
	f.operator.Call(t, "PUT", "/ops/v1/firm", []byte(`{"name":"Plateau\u0000\u0007"}`)).Refused(t, 422, "validation_error")
}
