package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// endMonth waits until the month of the clock has ended, and requests another token.
func (f floor) endMonth(t *testing.T) {
	t.Helper()
	now := f.Clock.Now()
	f.Clock.Advance(time.Date(now.Year(), now.Month()+1, 1, 12, 0, 0, 0, time.UTC).Sub(now))
	f.operator.Token = f.Do(t, "POST", "/ops/v1/tokens",
		fmt.Appendf(nil, `{"email":%q,"password":%q}`, apptest.OperatorEmail, apptest.OperatorPassword)).Must(t, 201).Text("token")
}

// TestStatementOfOrders closes two months: what is recorded for a closed one is on the next, its own statement stays as
// it is, also when its orders are erased and removed. Test orders are on none.
func TestStatementOfOrders(t *testing.T) {
	t.Parallel()
	f := newFloor(t, apptest.Webhooks())
	f.keepBooks(t)
	receiver := apptest.NewReceiver(t)
	first := f.orderIn(t, "first", delivery.StatusDelivered)
	open := f.orderIn(t, "open", delivery.StatusOutForDelivery)
	f.endMonth(t)
	f.partner.SetEndpoint(t, receiver.URL)
	books := f.operator.As(t, "accountant")
	body := fmt.Appendf(nil, `{"period":"2026-01","partner_id":%q}`, f.partner.PartnerID)
	closed := books.Call(t, "POST", "/ops/v1/statements", body).Must(t, 201)
	if closed.Len("lines") != 1 || closed.Text("lines", 0, "order_id") != first ||
		closed.JSON("sums", 0, "closing_balance_cents") != 7383.0 {
		t.Errorf("got %s, want the delivery of %s", closed.Body, first)
	}
	event := receiver.Next(t)
	if event.Text("type") != "statement.closed" || event.Text("data", "statement_id") != closed.Text("statement_id") ||
		event.Text("data", "period") != "2026-01" || event.JSON("data", "number") != 1.0 ||
		event.JSON("data", "balances", 0, "closing_balance_cents") != 7383.0 {
		t.Errorf("got %s, want the statement", event.Body)
	}
	events := f.partner.Call(t, "GET", "/v1/webhooks/events?type=statement.closed", nil).Must(t, 200)
	if events.Len("events") != 1 || events.JSON("events", 0, "order_id") != nil {
		t.Errorf("got %s, want the event without an order", events.Body)
	}
	// The courier was offline: the delivery was in January, and the service learns of it in February.
	late := time.Date(2026, 1, 31, 20, 0, 0, 0, time.UTC).Format(time.RFC3339)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+open+"/status",
		fmt.Appendf(nil, `{"status":"delivered","occurred_at":%q}`, late)).Must(t, 200)
	path := "/v1/statements/" + closed.Text("statement_id")
	files := func() (all [][]byte) {
		for _, format := range []string{"application/json", "text/csv", "application/pdf"} {
			all = append(all, f.partner.Call(t, "GET", path, nil, "Accept", format).Must(t, 200).Body)
		}
		return all
	}
	kept := files()
	if !bytes.Equal(kept[0], closed.Body) {
		t.Errorf("got %s, want what was answered: %s", kept[0], closed.Body)
	}
	f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures",
		fmt.Appendf(nil, `{"order_ids":[%q]}`, first)).Must(t, 200)
	f.endMonth(t)
	second := f.operator.Call(t, "POST", "/ops/v1/statements",
		bytes.Replace(body, []byte("2026-01"), []byte("2026-02"), 1)).Must(t, 201)
	if second.Len("lines") != 1 || second.Text("lines", 0, "order_id") != open ||
		second.Text("lines", 0, "date") != "2026-01-31" || second.JSON("sums", 0, "opening_balance_cents") != 7383.0 {
		t.Errorf("got %s, want the late delivery of %s", second.Body, open)
	}
	for i, file := range files() {
		if !bytes.Equal(file, kept[i]) {
			t.Errorf("got other bytes of the statement %d after the erasure, want them as they were", i)
		}
	}
	for _, name := range []string{"Alex", "alex@example.com", "Camille"} {
		if strings.Contains(string(kept[0])+string(kept[1]), name) {
			t.Errorf("got %s on a statement, want no person", name)
		}
	}
	list := f.partner.InTest(t).Call(t, "GET", "/v1/statements", nil).Must(t, 200)
	if list.Len("statements") != 0 {
		t.Errorf("in test mode: got %s, want none", list.Body)
	}
	f.partner.NewKey(t, "read").Call(t, "GET", "/v1/statements", nil).Refused(t, 403, "forbidden")
	exported := f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/export", nil).Must(t, 200)
	if strings.Count(string(exported.Body), `{"type":"statement","record":{"statement_id":"stm_`) != 2 {
		t.Errorf("got an export with other than two statements: %s", exported.Body)
	}
}

// TestStatementMails sends a mail to the owners of a partner, once for each statement.
func TestStatementMails(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	p, o := s.Register(t, "metro"), s.Operate(t)
	p.As(t, "developer")
	o.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
	o.Call(t, "POST", "/ops/v1/partners/"+p.PartnerID+"/payments", []byte(`{"amount_cents":500}`)).Must(t, 201)
	s.Clock.Advance(20 * 24 * time.Hour)
	books := o.As(t, "accountant")
	for _, status := range []int{201, 409} {
		books.Call(t, "POST", "/ops/v1/statements",
			fmt.Appendf(nil, `{"period":"2026-01","partner_id":%q}`, p.PartnerID)).Must(t, status)
	}
	got := <-server.Mails
	if got.To != p.Email || !strings.Contains(got.Text, "number 1, for January 2026") ||
		!strings.Contains(got.Text, "/portal/statements") {
		t.Errorf("got %+v, want the statement for the owner", got)
	}
}
