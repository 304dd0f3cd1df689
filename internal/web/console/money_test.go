package console_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// books is a service that charges two partners from the forms of its settings on.
type books struct {
	admin                  *apptest.Operator
	page                   *apptest.Visitor // of an accountant
	metro                  *apptest.Partner
	delivered, late, never string // orders of metro
}

const (
	moneySettings = "/console/money/settings"
	firmForm      = moneySettings + "/firm"
	booksForm     = moneySettings + "/books"
)

func newBooks(t *testing.T) *books {
	t.Helper()
	return newBooksOf(t, apptest.Start(t))
}

func newBooksOf(t *testing.T, s *apptest.Service) *books {
	t.Helper()
	b := &books{admin: s.Operate(t), metro: s.Register(t, "metro")}
	b.admin.Charge(t, `"late_cancellation_cents": 400`)
	v := b.admin.Visit(t)
	v.Send(t, v.Open(t, moneySettings), firmForm, "name", " Livraisons Plateau ",
		"address", "4200 Rue Saint-Denis\r\nMontréal",
		"numbers.gst_hst", "123456789 RT0001", "numbers.qst", "").Leads(t, moneySettings)
	v.Send(t, v.Open(t, moneySettings), booksForm, "books_from", "2020-01-01").Leads(t, moneySettings)
	b.page = b.admin.As(t, "accountant").Visit(t)
	return b
}

// charge brings an order of metro to its door, cancels another late, and leaves a third.
func (b *books) charge(t *testing.T) {
	t.Helper()
	order := func(number string, statuses ...string) string {
		id := b.metro.Create(t, testkit.OrderJSON(number, "")).Must(t, 201).Text("order_id")
		for _, status := range statuses {
			b.admin.Move(t, id, status).Must(t, 200)
		}
		return id
	}
	b.delivered = order("A-1", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered")
	b.late = order("A-2", "accepted", "courier_assigned", "cancelled")
	b.never = order("A-3", "accepted")
}

// TestMoney leads from what partners owe to their charges, and from there to the orders and back.
func TestMoney(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.page.Open(t, "/console").Leads(t, "/console/money")
	b.page.Open(t, "/console/money").Shows(t, 200, "No partner owes anything.", "<b>$0.00</b>")
	b.page.Open(t, "/console/money/journal").Shows(t, 200, "No matching entries.")
	b.charge(t)
	ofMetro := "/console/money/partners/" + b.metro.PartnerID
	b.page.Open(t, "/console/money").Shows(t, 200, `href="`+ofMetro+`"`, ">metro<", "<b>$78.35</b>", "<b>$9.01</b>",
		"1 partner<")
	b.page.Open(t, "/console/money?lang=fr").Shows(t, 200, "Dû par les partenaires", "78,35\u00a0$")
	b.page.Open(t, "/console/partners/"+b.metro.PartnerID+"?lang=en").Shows(t, 200, `href="`+ofMetro+`">$78.35<`)
	ofOrder := "/console/money/journal?order=" + b.delivered
	b.page.Open(t, "/console/orders/"+b.delivered).Shows(t, 200, "Charged: $73.83 (delivery)", `href="`+ofOrder+`"`)
	showsNone(t, b.page.Open(t, "/console/orders/"+b.never), "Charged:")
	desk := b.admin.As(t, "dispatcher").Visit(t)
	for _, path := range []string{"/console/orders/" + b.delivered, "/console/partners/" + b.metro.PartnerID} {
		showsNone(t, desk.Open(t, path), "Charged:", "/console/money", "78.35")
	}
}

// TestMoneyJournal narrows the journal, and takes it as a file.
func TestMoneyJournal(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.charge(t)
	const journal = "/console/money/journal"
	b.page.Open(t, journal).Shows(t, 200, ">Delivery <a", ">Late cancellation <a", "$8.49 HST", "<b>$78.35</b>",
		"2 entries on this page", b.admin.Email, `href="/console/orders/`+b.late+`"`)
	for query, c := range map[string]struct {
		want, absent string
	}{
		"?order=A-1":                     {"<b>$73.83</b>", ">A-2<"},
		"?order=" + b.late:               {"<b>$4.52</b>", ">A-1<"},
		"?act=late_cancellation":         {"<b>$4.52</b>", ">A-1<"},
		"?act=none":                      {"<b>$78.35</b>", "No matching"},
		"?partner=METRO":                 {">A-1<", "Several"},
		"?partner=" + b.metro.PartnerID:  {">A-1<", "Several"},
		"?from=2020-01-01&to=2020-01-02": {"No matching entries.", ">A-1<"},
		"?cursor=2020-01-01.none":        {">A-1<", "No matching"},
		"?cursor=2020-01-01.00000000-0000-7000-8000-000000000000": {"No matching entries.", ">A-1<"},
	} {
		got := b.page.Open(t, journal+query)
		got.Shows(t, 200, c.want)
		showsNone(t, got, c.absent)
	}
	b.page.Open(t, journal+"?partner=nord").Shows(t, 422, "No partner has this name or id.")
	b.page.Open(t, journal+"?from=yesterday").Shows(t, 422, "A date, such as 2026-06-18")
	file := b.page.Open(t, journal+".csv?order=A-1")
	file.Shows(t, 200, "day,entry_id,partner_id,act,", ",charges,,73.83,CAD,")
	showsNone(t, file, "late_cancellation")
	b.page.Open(t, journal+".csv?order=A-1&separator=semicolon").Shows(t, 200, ";charges;;73,83;CAD;")
	b.page.Open(t, journal+"?order=A-1").Shows(t, 200, journal+".csv?columns=quickbooks&amp;order=A-1", "For Xero")
	b.page.Open(t, journal+".csv?columns=quickbooks").Shows(t, 200, "JournalNo,JournalDate,",
		",charges,73.83,,delivery A-1,metro,CAD")
	xero := b.page.Open(t, journal+".csv?columns=xero&order=A-1")
	xero.Shows(t, 200, "*Narration,*Date,", " delivery A-1,", ",metro,tax_hst,Tax Exempt,-8.49,")
	if name := xero.Header.Get("Content-Disposition"); name != `attachment; filename="journal-xero.csv"` {
		t.Errorf("got %s, want the name of a file for Xero", name)
	}
	b.page.Open(t, journal+".csv?from=yesterday").Must(t, 422)
	b.page.Open(t, journal+".csv?partner=nord").Must(t, 404)
}

// TestMoneySettings sets the firm and the first day of the books, which stays once there are entries. An
// accountant reads both.
func TestMoneySettings(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	v := b.admin.Visit(t)
	stale := v.Open(t, moneySettings)
	stale.Shows(t, 200, `value="Livraisons Plateau"`, "4200 Rue Saint-Denis\nMontréal</textarea>", `value="2020-01-01"`)
	v.Send(t, stale, firmForm, "name", " ", "numbers.qst", strings.Repeat("1", 31)).Shows(t, 422, `id="fault-name"`,
		`id="fault-numbers.qst"`)
	v.Send(t, stale, booksForm, "books_from", "soon").Shows(t, 422, `id="fault-books_from"`)
	v.Send(t, v.Open(t, moneySettings), booksForm, "books_from", "").Leads(t, moneySettings)
	v.Open(t, "/console/money").Shows(t, 200, "The books are off.")
	v.Send(t, stale, booksForm, "books_from", "2020-02-01").Leads(t, moneySettings)
	v.Open(t, moneySettings).Shows(t, 200, "Someone else changed this", `name="books_from"`)
	v.Send(t, v.Open(t, moneySettings), booksForm, "books_from", "2020-01-01").Leads(t, moneySettings)
	b.charge(t)
	showsNone(t, v.Open(t, moneySettings), booksForm)
	v.Send(t, stale, firmForm, "name", "Plateau", "numbers.gst_hst", "123456789 RT0001").Leads(t, moneySettings)
	read := b.page.Open(t, moneySettings)
	read.Shows(t, 200, "<bdi>Plateau</bdi>", "<bdi>2020-01-01</bdi>", "can no longer be changed")
	showsNone(t, read, firmForm, booksForm)
	v.Open(t, "/console/audit").Shows(t, 200, "Changed the firm and its tax numbers", "Changed the first day of the books")
}
