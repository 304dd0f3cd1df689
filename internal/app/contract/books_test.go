package contract_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// beginBooks begins the books, if an operation posts to them.
func (f *fixture) beginBooks(t testing.TB, operation string) {
	t.Helper()
	if operation == "createAdjustment" || operation == "createPayment" {
		f.send(t, call{operation: "changeBooks", body: []byte(`{"books_from":"2020-01-01"}`)}).Must(t, 200)
	}
}

// paidAtDoor are the operations about what couriers collect.
var paidAtDoor = []string{"createHandIn", "createDeposit", "createRemittance"}

// collectCash begins the books, and has a courier collect $49.99 and hand it in, as far as an operation needs that.
func (f *fixture) collectCash(t testing.TB, operation string) {
	t.Helper()
	if !slices.Contains(paidAtDoor, operation) {
		return
	}
	f.send(t, call{operation: "changeBooks", body: []byte(`{"books_from":"2020-01-01"}`)}).Must(t, 200)
	f.paidOrder(t)
	if operation != "createHandIn" {
		f.send(t, call{operation: "createHandIn", body: []byte(`{"counted_cents":4999,"currency":"CAD"}`)}).Must(t, 201)
	}
}

// paidOrder returns an order that was delivered and paid for in cash.
func (f *fixture) paidOrder(t testing.TB) map[string]string {
	t.Helper()
	body := bytes.Replace(testkit.OrderJSON(uuid.NewString(), ""), []byte(`"reference":`),
		[]byte(`"cod":{"amount_cents":4999,"currency":"CAD"},"reference":`), 1)
	created := f.send(t, call{operation: "createOrder", body: body}).Must(t, 201)
	order := map[string]string{"order_id": created.Text("order_id")}
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
		f.move(t, order, status).Must(t, 200)
	}
	f.move(t, order, "delivered").Refused(t, 422, "validation_error")
	f.send(t, call{operation: "changeOrderStatus", path: order, body: []byte(
		`{"status":"delivered","collected":{"amount_cents":4999,"currency":"CAD","method":"cash"}}`)}).Must(t, 200)
	return order
}

// driveCollected corrects what was collected.
func driveCollected(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.paidOrder(t)
	body := []byte(`{"amount_cents":4000,"currency":"CAD","method":"terminal","notes":"by card"}`)
	f.send(t, call{operation: o.id, path: order, body: body}).Must(t, 200)
	read := f.send(t, call{operation: "getOrder", path: order}).Must(t, 200)
	if got := read.JSON("status_history", read.Len("status_history")-1, "collected", "amount_cents"); got != 4000.0 {
		t.Errorf("got %v cents in the history, want what the desk knows", got)
	}
	return f.send(t, call{operation: o.id, path: order, body: body})
}

// TestCashCounted compares the answers about cash with the document.
func TestCashCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	count := func(counted, expected int) *apptest.Answer {
		return f.send(t, call{operation: "createHandIn", body: fmt.Appendf(nil,
			`{"counted_cents":%d,"currency":"CAD","expected_cents":%d}`, counted, expected)})
	}
	count(1, 1).Refused(t, 409, "conflict")
	f.collectCash(t, "createHandIn")
	if cash := f.send(t, call{operation: "getCourierCash"}).Must(t, 200); cash.Len("orders") != 1 {
		t.Errorf("got %s, want the order that was paid for", cash.Body)
	}
	count(4999, 6000).Refused(t, 409, "conflict")
	count(4900, 4999).Must(t, 201)
	count(4900, 4999).Refused(t, 409, "conflict")
	if cash := f.send(t, call{operation: "getCash"}).Must(t, 200); cash.Len("differences") != 1 {
		t.Errorf("got %s, want the difference", cash.Body)
	}
}

// TestBooksBegin: once an order was charged, the first day of the books stays. The journal and the balances are as
// the document has them.
func TestBooksBegin(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	payment := call{
		operation: "createPayment", path: map[string]string{"partner_id": f.partner.PartnerID},
		body: []byte(`{"amount_cents":1}`),
	}
	f.send(t, payment).Refused(t, 409, "conflict")
	f.send(t, call{
		operation: "putFirm",
		body:      []byte(`{"name":"Plateau","numbers":{"gst_hst":"123456789 RT0001","qst":"1234567890 TQ0001"}}`),
	}).Must(t, 200)
	begin := call{operation: "changeBooks", body: []byte(`{"books_from":"2020-01-01"}`)}
	f.send(t, begin).Must(t, 200)
	f.deliveredOrder(t)
	begin.body = []byte(`{"books_from":"2020-01-02"}`)
	f.send(t, begin).Refused(t, 409, "conflict")
	if entries := f.send(t, call{operation: "listBookEntries"}).Must(t, 200); entries.Len("entries") != 1 {
		t.Errorf("got %s, want the charge", entries.Body)
	}
	f.send(t, payment).Must(t, 201)
	if balances := f.send(t, call{operation: "listBalances"}).Must(t, 200); balances.Len("balances") < 3 {
		t.Errorf("got %s, want what is owed, earned and taxed", balances.Body)
	}
}

// payInJanuary begins the books, has the partner pay, and waits for the month to end.
func (f *fixture) payInJanuary(t testing.TB) {
	t.Helper()
	f.beginBooks(t, "createPayment")
	f.send(t, call{operation: "createPayment", body: []byte(`{"amount_cents":500,"notes":"Transfer"}`)}).Must(t, 201)
	f.Clock.Advance(20 * 24 * time.Hour)
	f.login(t, f.partner)
	courierID := f.operator.CourierID
	f.operator = f.operate(t, exampleOperator, exampleNight)
	f.operator.CourierID = courierID
}

const january = `"period":"2026-01"`

// closeJanuary closes the month of the partner.
func (f *fixture) closeJanuary(t testing.TB) *apptest.Answer {
	t.Helper()
	return f.send(t, call{
		operation: "closeMonth", body: fmt.Appendf(nil, `{%s,"partner_id":%q}`, january, f.partner.PartnerID),
	})
}

// newStatement closes a month with a payment, and returns the path parameter of the statement.
func (f *fixture) newStatement(t testing.TB) map[string]string {
	t.Helper()
	f.payInJanuary(t)
	return map[string]string{"statement_id": f.closeJanuary(t).Must(t, 201).Text("statement_id")}
}

func driveClosedMonth(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.payInJanuary(t)
	return f.closeJanuary(t)
}

func driveClosedPreview(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.newStatement(t)
	return f.send(t, call{operation: o.id, query: "?period=2026-01"})
}

// TestStatements reads a statement in all formats as its partner and as an operator, and closes months that cannot
// be closed.
func TestStatements(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	f.payInJanuary(t)
	preview := f.send(t, call{operation: "previewStatement"}).Must(t, 200)
	if preview.Len("lines") != 1 || preview.JSON("number") != nil {
		t.Errorf("got %s, want the payment, and no number", preview.Body)
	}
	path := map[string]string{"statement_id": f.closeJanuary(t).Must(t, 201).Text("statement_id")}
	f.closeJanuary(t).Refused(t, 409, "conflict")
	for body, partner := range map[string]string{
		`{"period":"2026-02"`: f.partner.PartnerID, `{"period":"2025-12"`: f.Register(t, "nord").PartnerID,
	} {
		f.send(t, call{operation: "closeMonth", body: fmt.Appendf(nil, `%s,"partner_id":%q}`, body, partner)}).Refused(t, 409,
			"conflict")
	}
	for _, operation := range []string{"getStatement", "getPartnerStatement"} {
		whole := f.send(t, call{operation: operation, path: path}).Must(t, 200)
		if whole.Text("lines", 0, "notes") != "Transfer" || whole.Text("period") != "2026-01" {
			t.Errorf("%s: got %s, want the payment", operation, whole.Body)
		}
		for format, begin := range map[string]string{"text/csv": "date,act,order_id,", "application/pdf": "%PDF-"} {
			file := f.send(t, call{operation: operation, path: path, headers: []string{"Accept", format}}).Must(t, 200)
			if !bytes.HasPrefix(file.Body, []byte(begin)) {
				t.Errorf("%s %s: got %.40q, want it to begin with %q", operation, format, file.Body, begin)
			}
		}
	}
	for _, operation := range []string{"listStatements", "listPartnerStatements"} {
		list := f.send(t, call{operation: operation, query: "?period=2026-01"}).Must(t, 200)
		if list.Len("statements") != 1 || list.Text("statements", 0, "statement_id") != path["statement_id"] {
			t.Errorf("%s: got %s, want the statement", operation, list.Body)
		}
	}
	all := f.send(t, call{operation: "closeMonth", body: []byte("{" + january + "}")}).Must(t, 202)
	if all.JSON("total") != 1.0 {
		t.Errorf("got %s, want the statement that is there", all.Body)
	}
	f.send(t, call{operation: "getClosing", query: "?period=2026-01"}).Must(t, 200)
}

func driveUnknownPartner(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: o.id, body: []byte(`{"period":"2025-12","partner_id":"par_00000000"}`)})
}
