package console_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// toCollect creates an order of metro that is paid for at the door with $49.99, and brings it there.
func (b *books) toCollect(t *testing.T, number string) (id string) {
	t.Helper()
	body := bytes.Replace(testkit.OrderJSON(number, ""), []byte(`"reference":`),
		[]byte(`"cod":{"amount_cents":4999,"currency":"CAD"},"reference":`), 1)
	id = b.metro.Create(t, body).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
		b.admin.Move(t, id, status).Must(t, 200)
	}
	return id
}

// TestCashPages delivers orders that are paid for at the door, corrects one, counts the courier's cash, deposits it,
// and records that the partner was sent its money.
func TestCashPages(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	desk := b.admin.As(t, "dispatcher").Visit(t)
	desk.Open(t, "/console/cash").Shows(t, 200, "No courier carries cash.", "At the desk: $0.00", "Nothing.")
	one, two := b.toCollect(t, "A-1"), b.toCollect(t, "A-2")
	path := "/console/orders/" + one
	ask := path + "/moves/delivered"
	desk.Open(t, path).Shows(t, 200, `href="`+ask+`"`)
	asked := desk.Open(t, ask)
	asked.Shows(t, 200, "To collect: $49.99", `value="49.99"`)
	for _, c := range [][4]string{
		{"", "cash", "", "This is required."}, {"4x", "cash", "", "Enter an amount in dollars"},
		{"40", "cash", "", "Enter why it is not 49.99 CAD."},
		{"0", "cash", "", "Choose “Nothing was collected” for an amount of 0, and only then."},
	} {
		desk.Send(t, asked, ask, "collected.amount_cents", c[0], "collected.method", c[1], "collected.notes", c[2]).Shows(t,
			422, c[3])
	}
	desk.Send(t, asked, ask, "collected.amount_cents", "49,99", "collected.method", "cash").Leads(t, path)
	desk.Open(t, path).Shows(t, 200, "$49.99 collected in cash", `href="`+path+`/collected"`)
	b.metro.Owner(t).Open(t, "/portal/orders/"+one).Shows(t, 200, "$49.99 collected in cash")
	second := "/console/orders/" + two + "/moves/delivered"
	desk.Send(t, desk.Open(t, second), second, "collected.amount_cents", "0", "collected.method", "none",
		"collected.notes", "paid <online>").Leads(t, "/console/orders/"+two)
	desk.Open(t, "/console/orders/"+two).Shows(t, 200, "Nothing was collected.", "paid &lt;online&gt;")

	correct := "/console/orders/" + two + "/collected"
	form := b.page.Open(t, correct)
	form.Shows(t, 200, "Amount collected for A-2", `value="paid &lt;online&gt;"`)
	b.page.Send(t, form, correct, "amount_cents", "10", "method", "cash", "notes", "").Shows(t, 422,
		"Enter why it is not 49.99 CAD.", `id="fault-notes"`)
	b.page.Send(t, form, correct, "amount_cents", "10", "method", "cash", "notes", "a part").Leads(t,
		"/console/orders/"+two)
	desk.Open(t, "/console/orders/"+b.toCollect(t, "A-3")+"/collected").Must(t, 404)

	courier := "/console/cash/couriers/" + b.admin.CourierID
	desk.Open(t, "/console/cash").Shows(t, 200, "<b>$59.99</b>", `href="`+courier+`?currency=CAD"`)
	counting, beside := desk.Open(t, courier), desk.Open(t, courier)
	counting.Shows(t, 200, "$59.99 with the courier", ">A-1<", ">A-2<")
	desk.Send(t, counting, courier, "counted_cents", "50", "kept_cents", "60").Shows(t, 422,
		"At most 59.99 dollars: the courier carries no more.", `value="50"`)
	desk.Send(t, counting, courier, "counted_cents", "", "kept_cents", "").Shows(t, 422, "This is required.")
	for counted, want := range map[string]string{
		"58": "$1.99 is missing. Count again, or enter why.", "60": "It is $0.01 more than expected. Count again",
	} {
		desk.Send(t, counting, courier, "counted_cents", counted, "kept_cents", "", "notes", "").Shows(t, 422, want)
	}
	desk.Open(t, "/console/couriers/"+b.admin.CourierID).Shows(t, 200, courier+"?currency=CAD", "Carries $59.99")
	desk.Send(t, counting, courier, "counted_cents", "58", "kept_cents", "", "notes", "short").Leads(t, "/console/cash")
	desk.Open(t, "/console/cash").Shows(t, 200, "Count recorded: $1.99 is missing.", "No courier carries cash.",
		"At the desk: $58.00", "handed in $1.99 less than expected", "<bdi>metro</bdi>", "<bdi>short</bdi>")
	desk.Send(t, beside, courier, "counted_cents", "59.99").Leads(t, courier+"?currency=CAD") // of an old page
	desk.Open(t, courier).Shows(t, 200, "has changed. Count again.", "carries no cash.")
	showsNone(t, desk.Open(t, "/console/cash"), "/console/cash/deposits", "/console/money")

	cash := b.page.Open(t, "/console/cash")
	cash.Shows(t, 200, ">metro · $59.99<", " after charges</span>", `href="/console/cash/transfers.csv"`)
	b.page.Open(t, "/console/cash/transfers.csv").Shows(t, 200, "partner_id,partner,collected,after_charges,currency",
		"metro,59.99,", ",CAD")
	b.page.Open(t, "/console/money").Shows(t, 200, "Cash at the desk</th>", "<code>desk</code>", ">$58.00</td>",
		"Differences of counts</th>", ">$1.99</td>")
	b.page.Send(t, cash, "/console/cash/deposits", "deposit.amount_cents", "58.01", "deposit.currency",
		"CAD").Shows(t, 422, "At most 58 dollars: the account holds no more.")
	b.page.Send(t, cash, "/console/cash/deposits", "deposit.amount_cents", "58", "deposit.currency", "CAD").Leads(t,
		"/console/cash")
	b.page.Send(t, cash, "/console/cash/remittances", "partner_id", b.metro.PartnerID+" CAD",
		"remittance.amount_cents", "60", "remittance.from", "bank").Shows(t, 422,
		"At most 59.99 dollars: no more is owed to the partner.")
	for range 2 {
		b.page.Send(t, cash, "/console/cash/remittances", "partner_id", b.metro.PartnerID+" CAD",
			"remittance.amount_cents", "59.99", "remittance.from", "bank").Leads(t, "/console/cash")
	}
	b.page.Open(t, "/console/cash").Shows(t, 200, "$59.99 recorded as sent.", "Nothing is owed to partners.")
	b.page.Open(t, "/console/money/journal").Shows(t, 200, "Cash handed in", "Sent to the partner", "Bank deposit",
		"Collection corrected", "$1.99 missing", "Differences of counts")
	handedIn := b.page.Open(t, "/console/money/journal?act=hand_in")
	handedIn.Shows(t, 200, "<b>$58.00</b>", "<b>$1.99</b>", "<bdi>short</bdi>")
	showsNone(t, handedIn, "Before taxes</h2>", "$59.99")
	b.admin.Visit(t).Open(t, "/console/audit").Shows(t, 200, "Counted the cash of", "Recorded a bank deposit",
		"Recorded what was sent to metro", "Confirmed or corrected what was collected for")
	b.page.Open(t, "/console/cash?lang=fr").Shows(t, 200, "Chez les livreurs", "Rien n’est dû aux partenaires.")
}

// TestUnconfirmedPage turns the requirement off, delivers without a word about money, and clears it up.
func TestUnconfirmedPage(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	v := b.admin.Visit(t)
	const door = moneySettings + "/door"
	v.Send(t, v.Open(t, moneySettings), door, "require_collected", "false").Leads(t, moneySettings)
	v.Open(t, moneySettings).Shows(t, 200, "It applies to deliveries from now on.", `<option value="false" selected>`)
	showsNone(t, b.page.Open(t, moneySettings), door)
	id := b.toCollect(t, "A-1")
	b.admin.Move(t, id, "delivered").Must(t, 200)
	v.Open(t, "/console/orders/"+id).Shows(t, 200, "$49.99 was to be collected (not confirmed)")
	correct := "/console/orders/" + id + "/collected"
	v.Open(t, "/console/cash").Shows(t, 200, "did not record whether $49.99 was collected", `href="`+correct+`"`)
	v.Send(t, v.Open(t, correct), correct, "amount_cents", "49.99", "method", "terminal", "notes", "").Leads(t,
		"/console/orders/"+id)
	v.Open(t, "/console/orders/"+id).Shows(t, 200, "Saved.", "$49.99 paid by card")
	got := v.Open(t, "/console/cash")
	got.Shows(t, 200, "No courier carries cash.")
	if strings.Contains(string(got.Body), "did not record") {
		t.Errorf("got %s, want nothing to clear up", got.Body)
	}
}

// TestTransfersInTwoCurrencies expects a choice for each currency that a partner is owed, which a transfer is recorded
// in, and what the accounts hold beside those that money is taken from.
func TestTransfersInTwoCurrencies(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	cents := map[string]int64{"CAD": 4999, "USD": 3333}
	for currency, amount := range cents {
		body := bytes.Replace(testkit.OrderJSON(currency, ""), []byte(`"reference":`),
			fmt.Appendf(nil, `"cod":{"amount_cents":%d,"currency":%q},"reference":`, amount, currency), 1)
		id := b.metro.Create(t, body).Must(t, 201).Text("order_id")
		for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
			b.admin.Move(t, id, status).Must(t, 200)
		}
		b.admin.Call(t, "POST", "/ops/v1/orders/"+id+"/status", fmt.Appendf(nil,
			`{"status":"delivered","collected":{"amount_cents":%d,"currency":%q,"method":"terminal"}}`, amount,
			currency)).Must(t, 200)
	}
	const path = "/console/cash"
	inUSD := b.metro.PartnerID + " USD"
	cash := b.page.Open(t, path)
	cash.Shows(t, 200, `value="`+b.metro.PartnerID+` CAD">metro · $49.99<`, `value="`+inUSD+`">metro · $33.33 USD<`,
		"Card payments · $49.99 · $33.33 USD<", "Cash at the desk · $0.00<")
	showsNone(t, cash, `name="remittance.currency"`)
	b.page.Open(t, path+"?partner="+b.metro.PartnerID+"&currency=USD&amount_cents=33.33").Shows(t, 200,
		`value="`+inUSD+`" selected`, `value="33.33"`)
	b.page.Send(t, cash, path+"/remittances", "partner_id", inUSD, "remittance.amount_cents", "33.34").Shows(t, 422,
		"At most 33.33 dollars: no more is owed to the partner.", `value="`+inUSD+`" selected`)
	b.page.Send(t, b.page.Open(t, path), path+"/remittances", "partner_id", inUSD, "remittance.amount_cents",
		"33.33").Leads(t, path)
	b.page.Open(t, path).Shows(t, 200, "$33.33 USD recorded as sent.", "metro · $49.99<")
	b.page.Open(t, "/console/money/partners/"+b.metro.PartnerID).Shows(t, 200, "To set it off, record $49.99 as sent",
		`href="`+path+`?amount_cents=49.99&amp;currency=CAD&amp;partner=`+b.metro.PartnerID+`#remit"`)
}
