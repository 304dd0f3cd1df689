package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

const statements = "/console/money/statements"

// booksInJanuary are books on the evening of the last day of January.
func booksInJanuary(t *testing.T) *books {
	t.Helper()
	s := apptest.Start(t)
	s.Clock.Advance(17*24*time.Hour + 9*time.Hour)
	return newBooksOf(t, s)
}

// endJanuary charges orders, and waits for the month to end.
func (b *books) endJanuary(t *testing.T) {
	t.Helper()
	b.charge(t)
	b.admin.Clock.Advance(6 * time.Hour)
}

// TestStatementPages closes a month for all partners, and reads the statement as its partner.
func TestStatementPages(t *testing.T) {
	t.Parallel()
	b := booksInJanuary(t)
	page, portal := b.page, b.metro.Owner(t)
	page.Open(t, statements).Shows(t, 200, "No month is closed yet.", statements+"/closing")
	portal.Open(t, "/portal/statements").Shows(t, 200, "Nothing was charged yet.")
	b.endJanuary(t)
	preview := "/console/money/partners/" + b.metro.PartnerID + "/statement?period=2026-01"
	closing := page.Open(t, statements+"/closing")
	closing.Shows(t, 200, "Close January 2026", "1 partner gets a statement", ">metro<", preview)
	page.Open(t, preview).Shows(t, 200, "What the statement would hold", "Opening balance", "<b>$78.35</b>", ">A-1<",
		"$8.49 HST", "Late cancellation")
	portal.Open(t, "/portal/statements").Shows(t, 200, "Contact Livraisons Plateau, with the number of the order.",
		"Since the last statement", "<b>$78.35</b>", ">A-1<",
		"February 2026 has not ended: its statement follows after that.",
		`href="/portal/orders/`+b.delivered+`"`, "No month is closed yet.")

	page.Send(t, closing, statements, "period", "2026-01").Leads(t, statements+"/closing?period=2026-01")
	apptest.Await(t, "the statement", func() bool {
		return strings.Contains(string(page.Open(t, statements+"/closing?period=2026-01").Body), "1 of 1 statements")
	})
	apptest.Await(t, "the end", func() bool {
		return !strings.Contains(string(page.Open(t, statements+"/closing?period=2026-01").Body), "Refresh")
	})
	page.Open(t, statements+"/closing?period=2026-01").Shows(t, 200, "No partner gets a statement of this month")
	list := page.Open(t, statements+"?period=2026-01")
	list.Shows(t, 200, ">metro<", "January 2026", "<b>$78.35</b>", "/console/money/partners/"+b.metro.PartnerID)
	page.Open(t, statements+"?period=2025-12").Shows(t, 200, "No statement of this month.")
	id := "stm_" + strings.TrimPrefix(b.metro.PartnerID, "par_") + "_1"
	for path, v := range map[string]interface {
		Open(t testing.TB, path string) *apptest.Answer
	}{statements: page, "/portal/statements": portal} {
		v.Open(t, path+"/"+id+".csv").Shows(t, 200, "date,act,order_id", ",closing_balance,", "78.35")
		if file := v.Open(t, path+"/"+id+".pdf").Must(t, 200); file.Header.Get("Content-Type") != "application/pdf" {
			t.Errorf("%s: got %s, want a PDF", path, file.Header.Get("Content-Type"))
		}
		v.Open(t, path+"/"+id+".txt").Must(t, 404)
		v.Open(t, path+"/stm_00000000_1.pdf").Must(t, 404)
	}
	portal.Open(t, "/portal/statements?lang=fr").Shows(t, 200, "janvier 2026", "Depuis le dernier relevé")
	other := b.admin.Register(t, "nord").Owner(t)
	other.Open(t, "/portal/statements/"+id+".pdf").Must(t, 404)
	b.metro.As(t, "reader").Open(t, "/portal/statements").Must(t, 403)
	page.Open(t, preview).Leads(t, statements+"?period=2026-01")
}

// TestStatementOfOne closes a month for one partner, once.
func TestStatementOfOne(t *testing.T) {
	t.Parallel()
	b := booksInJanuary(t)
	b.endJanuary(t)
	page := b.page
	of := "/console/money/partners/" + b.metro.PartnerID + "/statement"
	early := page.Open(t, of+"?period=2026-02")
	early.Shows(t, 200, "The month has not ended.", "← February 2026 so far")
	showsNone(t, early, "Close the month for this partner")
	running := statements + "/closing?period=2026-02"
	page.Open(t, statements).Shows(t, 200, `href="`+running+`">February 2026 so far</a>`)
	page.Open(t, statements+"/closing").Shows(t, 200, `<option value="2026-02">February 2026 so far</option>`)
	soFar := page.Open(t, running)
	soFar.Shows(t, 200, "<h1>February 2026 so far</h1>", "The month has not ended.", of+"?period=2026-02")
	showsNone(t, soFar, "Close February 2026")
	preview, second, third := page.Open(t, of+"?period=2026-01"), page.Open(t, of+"?period=2026-01"),
		page.Open(t, of+"?period=2026-01")
	page.Send(t, preview, of, "period", "2026-01").Leads(t, statements+"?period=2026-01")
	page.Open(t, statements).Shows(t, 200, "Statement 1 closed.", ">metro<")
	page.Send(t, second, of, "period", "2026-01").Leads(t, statements+"?period=2026-01")
	page.Open(t, statements).Shows(t, 200, "There is no statement to close")
	page.Open(t, of).Shows(t, 200, "metro, February 2026", "The month has not ended.")
	page.Open(t, statements).Shows(t, 200, `href="/console/money/statements/stm_`, `.json" download`)
	page.Send(t, third, of, "period", "soon").Must(t, 404)
	b.admin.Visit(t).Open(t, "/console/audit").Shows(t, 200, "Closed the statement stm_")
	late := b.metro.Create(t, testkit.OrderJSON("A-9", "")).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "cancelled"} {
		b.admin.Move(t, late, status).Must(t, 200)
	}
	page.Open(t, of+"?period=2026-02").Shows(t, 200, ">A-9<", "<b>$82.87</b>")
}

// TestClosingDay sets the day on which months are closed by themselves.
func TestClosingDay(t *testing.T) {
	t.Parallel()
	b := booksInJanuary(t)
	v := b.admin.Visit(t)
	const form = moneySettings + "/closing"
	v.Send(t, v.Open(t, moneySettings), form, "close_on_day", "29").Shows(t, 422, `id="fault-close_on_day"`)
	v.Send(t, v.Open(t, moneySettings), form, "close_on_day", "1").Leads(t, moneySettings)
	b.page.Open(t, moneySettings).Shows(t, 200, "On day 1 of each month")
	b.endJanuary(t)
	apptest.Await(t, "the statement", func() bool {
		return strings.Contains(string(b.page.Open(t, statements+"?period=2026-01").Body), ">metro<")
	})
	v.Send(t, v.Open(t, moneySettings), form, "close_on_day", "").Leads(t, moneySettings)
	b.page.Open(t, moneySettings).Shows(t, 200, "<bdi>By hand</bdi>")
}
