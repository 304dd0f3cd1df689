package contract_test

import "testing"

// beginBooks begins the books, if an operation posts to them.
func (f *fixture) beginBooks(t testing.TB, operation string) {
	t.Helper()
	if operation == "createAdjustment" || operation == "createPayment" {
		f.send(t, call{operation: "changeBooks", body: []byte(`{"books_from":"2020-01-01"}`)}).Must(t, 200)
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
