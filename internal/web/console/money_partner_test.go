package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// balance returns the paths of the page of metro's balance and of its forms.
func (b *books) balance() (page, adjustments, payments string) {
	page = "/console/money/partners/" + b.metro.PartnerID
	return page, page + "/adjustments", page + "/payments"
}

// TestAdjustment gives back what an order was charged, which the form has from the link in the journal, and charges
// for something else.
func TestAdjustment(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.charge(t)
	page, adjustments, _ := b.balance()
	correct := page + "?order=A-1"
	b.page.Open(t, "/console/money/journal").Shows(t, 200, `href="`+correct+`#adjustment"`)
	b.page.Open(t, "/console/orders/"+b.delivered).Shows(t, 200, `href="`+correct+`#adjustment"`)
	b.admin.Clock.Advance(time.Second)
	opened := b.page.Open(t, correct)
	opened.Shows(t, 200, "Balance of metro", "<b>$78.35</b>", `name="order_id"`, `value="A-1"`,
		"A-1 was charged $65.34 before taxes, $73.83 with them.", `value="65.34"`, `<option value="back" selected>`)
	asked := b.page.Send(t, opened, adjustments, "_way", "back", "amount_cents", "653.40", "reason", "Lost parcel")
	asked.Shows(t, 422, "$65.34 before taxes is left", `<option value="beyond">`, `value="653.40"`,
		"<b>$78.35</b>")
	b.page.Send(t, opened, adjustments, "_way", "back", "amount_cents", " 65,34 $", "reason", "Lost parcel").Leads(t, page)
	got := b.page.Open(t, page)
	got.Shows(t, 200, "Adjustment of −$73.83 posted.", "<b>$4.52</b>", "−$8.49 HST", "Lost parcel")
	if at := strings.Index(string(got.Body), "Lost parcel"); at > strings.Index(string(got.Body), ">A-2<") {
		t.Errorf("got the adjustment behind the charges, want it first:\n%s", got.Body)
	}
	nothingLeft := b.page.Send(t, b.page.Open(t, correct), adjustments, "_way", "back", "amount_cents", "1", "reason",
		"Late")
	nothingLeft.Shows(t, 422, "$0.00 before taxes is left", `<option value="back" selected>`)
	b.page.Send(t, nothingLeft, adjustments, "_way", "beyond", "amount_cents", "1", "reason", "Late").Leads(t, page)
	b.page.Open(t, page).Shows(t, 200, "Adjustment of −$1.13 posted.", "<b>$3.39</b>")
	b.page.Send(t, got, adjustments, "_way", "more", "amount_cents", "12", "order_id", b.late, "reason",
		"Waited").Leads(t, page)
	inFrench := b.page.Open(t, page+"?lang=fr")
	b.page.Send(t, inFrench, adjustments, "_way", "more", "amount_cents", "3.5", "reason", "Boxes").Leads(t, page)
	b.page.Open(t, page).Shows(t, 200, "Rajustement de 3,50\u00a0$ enregistré.", "Solde\u00a0: metro",
		"<b>20,45\u00a0$</b>")
}

// TestAdjustmentRefused shows what is wrong beside the fields, which keep what was typed.
func TestAdjustmentRefused(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.charge(t)
	page, adjustments, _ := b.balance()
	other := b.admin.Register(t, "nord")
	theirs := other.Create(t, testkit.OrderJSON("N-1", "")).Must(t, 201).Text("order_id")
	form := b.page.Open(t, page)
	for name, c := range map[string]struct{ amount, order, reason, fault string }{
		"no amount":          {"", "", "Boxes", "This is required."},
		"zero":               {"0", "", "Boxes", "Enter an amount in dollars"},
		"no number":          {"12.345", "", "Boxes", "Enter an amount in dollars"},
		"with a sign":        {"-5", "", "Boxes", "Enter an amount in dollars"},
		"too much":           {"100000000000", "", "Boxes", "Enter an amount in dollars"},
		"no reason":          {"5", "", " ", "This is required."},
		"unknown order":      {"5", "A-0", "Boxes", "This partner was not charged for such an order."},
		"uncharged order":    {"5", b.never, "Boxes", "This partner was not charged for such an order."},
		"another's order":    {"5", theirs, "Boxes", "This partner was not charged for such an order."},
		"a number of theirs": {"5", "N-1", "Boxes", "This partner was not charged for such an order."},
		"a reason of 501":    {"5", "", strings.Repeat("a", 501), "Enter at most 500 characters."},
		"an order of 256":    {"5", strings.Repeat("9", 256), "Boxes", "Enter at most 255 characters."},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.page.Send(t, form, adjustments, "_way", "back", "amount_cents", c.amount, "order_id", c.order,
				"reason", c.reason)
			got.Shows(t, 422, c.fault, `<option value="back" selected>`, `value="`+c.amount+`"`, "Balance of metro")
		})
	}
	b.page.Open(t, page).Shows(t, 200, "<b>$78.35</b>")
	missing := "/console/money/partners/ptr_none"
	b.page.Open(t, missing).Must(t, 404)
	b.page.Request(t, "POST", missing+"/adjustments", form.Form(t, adjustments, "amount_cents", "5", "reason", "Boxes"),
		"Content-Type", "application/x-www-form-urlencoded").Must(t, 404)
}

// TestPayment records a payment, once for a form that is sent twice.
func TestPayment(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.charge(t)
	page, adjustments, payments := b.balance()
	opened := b.page.Open(t, page)
	for range 2 {
		b.page.Send(t, opened, payments, "payment.amount_cents", "50", "payment.notes", "Cheque 12").Leads(t, page)
		b.page.Send(t, opened, adjustments, "_way", "more", "amount_cents", "1", "reason", "Boxes").Leads(t, page)
	}
	got := b.page.Open(t, page)
	got.Shows(t, 200, "Cheque 12", "<b>$29.35</b>", "<b>−$50.00</b>")
	for _, once := range []string{"Cheque 12", "Boxes"} {
		if n := strings.Count(string(got.Body), once); n != 1 {
			t.Errorf("got %q %d times after it was sent twice, want once", once, n)
		}
	}
	b.page.Open(t, "/console/money/journal").Shows(t, 200, "Charged with taxes", "<b>$79.35</b>", "Payments</h2>",
		"<b>−$50.00</b>", "Owed</h2>", "<b>$29.35</b>", ">Amount</th>")
	paid := b.page.Open(t, "/console/money/journal?act=payment")
	paid.Shows(t, 200, "Total</h2>", "<b>−$50.00</b>")
	showsNone(t, paid, "Before taxes</h2>")
	b.page.Send(t, opened, payments, "payment.amount_cents", "51").Must(t, 409) // the key of another payment
	b.page.Send(t, got, payments, "payment.amount_cents", "9.35").Leads(t, page)
	got = b.page.Open(t, page)
	got.Shows(t, 200, "Payment of $9.35 recorded.", "<b>$20.00</b>")
	b.page.Send(t, got, payments, "payment.notes", "Cheque 13").Shows(t, 422, `id="fault-payment.amount_cents"`,
		"This is required.", `value="Cheque 13"`)
	b.page.Send(t, got, payments, "payment.amount_cents", "0").Shows(t, 422, "Enter an amount in dollars")
	b.admin.Visit(t).Open(t, "/console/audit").Shows(t, 200, "Recorded a payment by metro",
		"Adjusted what metro was charged")
}

// TestPostingNeedsBooks has no forms before the books begin, and refuses one that was opened while they were on.
func TestPostingNeedsBooks(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	page, adjustments, payments := b.balance()
	form, v := b.page.Open(t, page), b.admin.Visit(t)
	form.Shows(t, 200, "<b>$0.00</b>", "No matching entries.")
	v.Send(t, v.Open(t, moneySettings), booksForm, "books_from", "").Leads(t, moneySettings)
	got := b.page.Send(t, form, payments, "payment.amount_cents", "50")
	got.Shows(t, 409, "The books are off.")
	showsNone(t, got, adjustments, payments)
	showsNone(t, b.page.Open(t, page), adjustments, payments)
	b.page.Open(t, "/console/partners/"+b.metro.PartnerID).Shows(t, 200, `href="`+page+`">$0.00<`)
}

// TestPostingRoles refuses the forms to those who do not keep the books.
func TestPostingRoles(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	page, adjustments, payments := b.balance()
	form := b.page.Open(t, page)
	for _, role := range []string{"dispatcher", "warehouse", "courier"} {
		v := b.admin.As(t, role).Visit(t)
		v.Open(t, page).Must(t, 403)
		v.Send(t, form, adjustments, "amount_cents", "5", "reason", "Boxes").Must(t, 403)
		v.Send(t, form, payments, "payment.amount_cents", "5").Must(t, 403)
	}
	v := b.admin.Visit(t)
	v.Send(t, v.Open(t, page), payments, "payment.amount_cents", "5").Leads(t, page)
}
