package app_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// toCollect creates an order of which an amount is to be collected, unless it is 0, and brings it to the door with a
// courier.
func (f floor) toCollect(t testing.TB, by *apptest.Operator, reference string, cents int) (id string) {
	t.Helper()
	body := testkit.OrderJSON(reference, "")
	if cents > 0 {
		body = bytes.Replace(body, []byte(`"reference":`),
			fmt.Appendf(nil, `"cod":{"amount_cents":%d,"currency":"CAD"},"reference":`, cents), 1)
	}
	id = f.partner.Create(t, body).Must(t, 201).Text("order_id")
	desk := *f.operator
	desk.CourierID = by.CourierID
	for _, step := range waysTo[delivery.StatusOutForDelivery] {
		desk.Move(t, id, step).Must(t, 200)
	}
	return id
}

// floorOn starts a service with a clock.
func floorOn(t *testing.T, clock *testkit.Clock) floor {
	t.Helper()
	service := apptest.Start(t, apptest.OnClock(clock))
	service.Clock = clock
	return floor{service, service.Register(t, "metro"), service.Operate(t)}
}

// paid is a move to delivered with what was collected.
func paid(cents int, method, notes string) string {
	return fmt.Sprintf(`{"status":"delivered","collected":{"amount_cents":%d,"currency":"CAD","method":%q,"notes":%q}}`,
		cents, method, notes)
}

// keyed sends a request that may be repeated.
func keyed(t *testing.T, by *apptest.Operator, target, body, key string) *apptest.Answer {
	t.Helper()
	return by.Do(t, "POST", target, []byte(body), "Authorization", "Bearer "+by.Token, "Content-Type", "application/json",
		"Idempotency-Key", key)
}

// handIn counts the cash that a courier hands in.
func handIn(t testing.TB, by *apptest.Operator, courierID, body string) *apptest.Answer {
	t.Helper()
	return by.Call(t, "POST", "/ops/v1/couriers/"+courierID+"/cash/hand-ins", []byte(body))
}

// with returns the cash that a courier carries, by its orders.
func (f floor) with(t *testing.T, by *apptest.Operator) string {
	t.Helper()
	found := f.operator.Call(t, "GET", "/ops/v1/couriers/"+by.CourierID+"/cash", nil).Must(t, 200)
	var text []string
	for i := range found.Len("balances") {
		text = append(text, fmt.Sprint(found.JSON("balances", i, "amount_cents")), found.Text("balances", i, "currency"))
	}
	for i := range found.Len("orders") {
		text = append(text, fmt.Sprintf("%s:%v", found.Text("orders", i, "partner_order_id"),
			found.JSON("orders", i, "amount_cents")))
	}
	return strings.Join(text, " ")
}

// TestCollected delivers orders that are paid for at the door. Each is recorded once, in the history and in the books,
// however often it is sent.
func TestCollected(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	noor := f.rider(t, "noor")
	id := f.toCollect(t, noor, "A-1", 4999)
	for body, field := range map[string]string{
		`{"status":"delivered"}`:                                 "collected",
		paid(0, "cash", ""):                                      "collected.method",
		paid(4999, "none", ""):                                   "collected.method",
		paid(4999, "bitcoin", ""):                                "collected.method",
		paid(4000, "cash", ""):                                   "collected.notes",
		paid(0, "none", ""):                                      "collected.notes",
		paid(4000, "cash", " "):                                  "collected.notes",
		paid(4000, "cash", "\u200b"):                             "collected.notes",
		paid(-1, "cash", "given change"):                         "collected.amount_cents",
		strings.Replace(paid(4999, "cash", ""), "CAD", "USD", 1): "collected.currency",
		`{"status":"delivered","collected":{}}`:                  "collected.amount_cents",
		strings.Replace(paid(4999, "cash", ""), "delivered", "in_transit", 1): "collected",
	} {
		refused := move(t, noor, id, body).Refused(t, 422, "validation_error")
		if got := refused.Text("error", "details", "field"); got != field {
			t.Errorf("%s: got a fault at %s, want one at %s", body, got, field)
		}
	}
	if got := f.read(t, id).Text("status"); got != "out_for_delivery" || f.with(t, noor) != "" {
		t.Errorf("got the status %s, want refused moves to leave nothing", got)
	}
	key := uuid.NewString()
	for range 3 {
		keyed(t, noor, "/ops/v1/orders/"+id+"/status", paid(4999, "cash", ""), key).Must(t, 200)
	}
	last := f.read(t, id).Len("status_history") - 1
	if got := fmt.Sprint(f.read(t, id).JSON("status_history", last, "collected")); got !=
		"map[amount_cents:4999 currency:CAD method:cash]" {
		t.Errorf("got %s in the history, want what was collected", got)
	}
	if got := f.charges(t, id); strings.Join(got, "; ") !=
		"collection collected -4999 cash 4999; delivery charges 7892 revenue -6984 tax_hst -908" {
		t.Errorf("got %s, want a charge and what was collected, each once", got)
	}
	card := f.toCollect(t, noor, "A-2", 1000)
	move(t, noor, card, paid(1200, "terminal", "with a tip")).Must(t, 200)
	if got := f.charges(t, card); got[0] != "collection collected -1200 terminal 1200" {
		t.Errorf("got %s, want it on the terminal", got)
	}
	none := f.toCollect(t, noor, "A-3", 1000)
	move(t, noor, none, paid(0, "none", "was paid online")).Must(t, 200)
	free := f.carried(t, noor, "A-4", delivery.StatusOutForDelivery)
	move(t, noor, free, `{"status":"delivered"}`).Must(t, 200)
	for _, id := range []string{none, free} {
		if got := f.charges(t, id); len(got) != 1 {
			t.Errorf("got %s, want the charge only", got)
		}
	}
	if got := f.with(t, noor); got != "4999 CAD A-1:4999" {
		t.Errorf("got %s with the courier, want the cash", got)
	}
	f.balanced(t, "")
}

// TestCollectedInBulk delivers several orders at once, each with an amount of its own.
func TestCollectedInBulk(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	one, two := f.toCollect(t, f.operator, "B-1", 500), f.toCollect(t, f.operator, "B-2", 700)
	free := f.orderIn(t, "B-3", delivery.StatusOutForDelivery)
	send := func(collected string) *apptest.Answer {
		return f.operator.Call(t, "POST", "/ops/v1/orders/status", fmt.Appendf(nil,
			`{"status":"delivered","order_ids":[%q,%q,%q],"collected":[%s]}`, one, two, free, collected))
	}
	entry := func(id string, cents int) string {
		return fmt.Sprintf(`{"order_id":%q,"amount_cents":%d,"currency":"CAD","method":"cash"}`, id, cents)
	}
	send(entry(one, 500)+","+entry(one, 500)).Refused(t, 422, "validation_error")
	send(entry("ord_x", 500)).Refused(t, 422, "validation_error")
	f.operator.Call(t, "POST", "/ops/v1/orders/status", fmt.Appendf(nil,
		`{"status":"cancelled","order_ids":[%q],"collected":[%s]}`, one, entry(one, 500))).Refused(t, 422, "validation_error")
	got := send(entry(one, 500)).Must(t, 200)
	if got.Text("results", 0, "status") != "delivered" || got.Text("results", 1, "error", "code") != "validation_error" ||
		got.Text("results", 2, "status") != "delivered" {
		t.Errorf("got %s, want the order refused of which nothing is said", got.Body)
	}
	send(entry(two, 700)).Must(t, 200)
	if got := f.with(t, f.operator); got != "1200 CAD B-1:500 B-2:700" && got != "1200 CAD B-2:700 B-1:500" {
		t.Errorf("got %s with the courier, want both amounts", got)
	}
}

// TestUnconfirmed delivers as the app of 0.1.0 does, which says nothing about money: where that is not required
// nothing is lost, and the desk clears it up.
func TestUnconfirmed(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	f := floorOn(t, clock)
	f.keepBooks(t)
	off := f.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"require_collected":false}`)).Must(t, 200)
	if off.JSON("require_collected") != false || off.Text("books_from") != "2020-01-01" {
		t.Errorf("got %s, want the switch off and all else as it was", off.Body)
	}
	noor := f.rider(t, "noor")
	id, early := f.toCollect(t, noor, "C-1", 2500), f.toCollect(t, noor, "C-2", 1500)
	move(t, noor, id, `{"status":"delivered"}`).Must(t, 200)
	clock.Advance(10 * time.Minute)
	before := clock.Now().Format(time.RFC3339)
	clock.Advance(10 * time.Minute)
	f.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"require_collected":true}`)).Must(t, 200)
	// It was delivered before the switch, by a phone that was offline.
	move(t, noor, early, fmt.Sprintf(`{"status":"delivered","occurred_at":%q}`, before)).Must(t, 200)
	if got := f.with(t, noor); got != "4000 CAD C-1:2500 C-2:1500" {
		t.Errorf("got %s with the courier, want what was to be collected", got)
	}
	desk := f.operator.As(t, "dispatcher")
	doubts := func() (ids []string) {
		found := desk.Call(t, "GET", "/ops/v1/cash", nil).Must(t, 200)
		for i := range found.Len("unconfirmed") {
			ids = append(ids, found.Text("unconfirmed", i, "partner_order_id"))
		}
		slices.Sort(ids)
		return ids
	}
	if got := doubts(); !slices.Equal(got, []string{"C-1", "C-2"}) {
		t.Errorf("got %v to clear up, want both orders", got)
	}
	set := func(by *apptest.Operator, id, body string) *apptest.Answer {
		return by.Call(t, "PUT", "/ops/v1/orders/"+id+"/collected", []byte(body))
	}
	const all, less = `{"amount_cents":2500,"currency":"CAD","method":"cash"}`,
		`{"amount_cents":500,"currency":"CAD","method":"cash","notes":"paid $10 less: one was broken"}`
	set(noor, id, all).Refused(t, 403, "forbidden")
	books := f.operator.As(t, "accountant")
	for range 2 {
		set(books, id, all).Must(t, 200)
	}
	cash := desk.Call(t, "GET", "/ops/v1/couriers/"+noor.CourierID+"/cash", nil).Must(t, 200)
	if cash.JSON("orders", 0, "unconfirmed") != false || cash.JSON("orders", 1, "unconfirmed") != true {
		t.Errorf("got %s, want the answered order confirmed", cash.Body)
	}
	set(desk, early, less).Must(t, 200)
	if got := f.with(t, noor); got != "3000 CAD C-1:2500 C-2:500" {
		t.Errorf("got %s with the courier, want what the desk knows", got)
	}
	if got := doubts(); len(got) != 0 {
		t.Errorf("got %v to clear up, want nothing", got)
	}
	if got := f.charges(t, id); strings.Join(got[:1], "; ") != "correction" || len(got) != 3 {
		t.Errorf("got %s, want the answer noted once", got)
	}
	open := f.toCollect(t, noor, "C-3", 100)
	set(f.operator, open, all).Refused(t, 409, "conflict")
	set(f.operator, "ord_none", all).Refused(t, 404, "not_found")
	f.balanced(t, "")
}

// TestHandIn counts a courier's cash in the evening, takes it to the bank, and sends the partner what was collected for
// it.
func TestHandIn(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	f := floorOn(t, clock)
	noor := f.rider(t, "noor")
	count := func(by *apptest.Operator, body string) *apptest.Answer { return handIn(t, by, noor.CourierID, body) }
	count(f.operator, `{"counted_cents":1,"kept_cents":0,"currency":"CAD"}`).Refused(t, 409, "conflict")
	f.keepBooks(t)
	count(f.operator, `{"counted_cents":1,"kept_cents":0,"currency":"CAD"}`).Refused(t, 409, "conflict")
	for i, cents := range []int{4999, 2001, 3000} {
		id := f.toCollect(t, noor, fmt.Sprint("D-", i+1), cents)
		clock.Advance(time.Minute)
		move(t, noor, id, paid(cents, "cash", "")).Must(t, 200)
	}
	count(noor, `{"counted_cents":10000,"currency":"CAD"}`).Refused(t, 403, "forbidden")
	count(f.operator, `{"counted_cents":0,"kept_cents":10001,"currency":"CAD"}`).Refused(t, 422, "validation_error")
	count(f.operator, `{"counted_cents":1,"kept_cents":10000,"currency":"CAD"}`).Refused(t, 422, "validation_error")
	count(f.operator, `{"counted_cents":10000,"currency":"USD"}`).Refused(t, 409, "conflict")
	stale := count(f.operator, `{"counted_cents":9000,"currency":"CAD","expected_cents":9000}`).Refused(t, 409, "conflict")
	if stale.JSON("error", "details", "expected_cents") != 10000.0 {
		t.Errorf("got %s, want what the courier carries by now", stale.Body)
	}
	key := uuid.NewString()
	desk := f.operator.As(t, "dispatcher")
	for range 2 {
		counted := keyed(t, desk, "/ops/v1/couriers/"+noor.CourierID+"/cash/hand-ins",
			`{"counted_cents":6900,"kept_cents":3000,"currency":"CAD","expected_cents":10000,"notes":"a dollar short"}`,
			key).Must(t, 201)
		if counted.JSON("expected_cents") != 10000.0 || counted.JSON("difference_cents") != 100.0 ||
			counted.Len("entries") != 1 || counted.Text("entries", 0, "notes") != "a dollar short" {
			t.Errorf("got %s, want a dollar missing", counted.Body)
		}
	}
	if got := f.with(t, noor); got != "3000 CAD D-3:3000" {
		t.Errorf("got %s with the courier, want what was kept, of the newest order", got)
	}
	if found := f.operator.Call(t, "GET", "/ops/v1/cash", nil).Must(t, 200); found.Len("differences") != 1 ||
		found.JSON("couriers", 0, "amount_cents") != 3000.0 {
		t.Errorf("got %s, want the difference to clear up", found.Body)
	}
	deposit := func(by *apptest.Operator, cents int) *apptest.Answer {
		return by.Call(t, "POST", "/ops/v1/cash/deposits", fmt.Appendf(nil, `{"amount_cents":%d,"currency":"CAD"}`, cents))
	}
	books := f.operator.As(t, "accountant")
	deposit(desk, 100).Refused(t, 403, "forbidden")
	deposit(books, 6901).Refused(t, 422, "validation_error")
	if got := deposit(books, 6000).Must(t, 201); got.Len("entries") != 1 || got.JSON("amount_cents") != 6000.0 {
		t.Errorf("got %s, want an entry of the deposit", got.Body)
	}
	books.Call(t, "POST", "/ops/v1/cash/deposits",
		[]byte(`{"amount_cents":1,"currency":"CAD","from":"terminal"}`)).Refused(t, 422, "validation_error")
	remit := func(by *apptest.Operator, body string) *apptest.Answer {
		return by.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/remittances", []byte(body))
	}
	remit(desk, `{"amount_cents":100,"currency":"CAD"}`).Refused(t, 403, "forbidden")
	remit(books, `{"amount_cents":10001,"currency":"CAD"}`).Refused(t, 422, "validation_error")
	remit(books, `{"amount_cents":901,"currency":"CAD","from":"desk"}`).Refused(t, 422, "validation_error")
	remit(books, `{"amount_cents":901,"currency":"CAD","from":"revenue"}`).Refused(t, 422, "validation_error")
	remit(books, `{"amount_cents":900,"currency":"CAD","from":"desk","notes":"in an envelope"}`).Must(t, 201)
	remit(books, `{"amount_cents":9100,"currency":"CAD"}`).Must(t, 201)
	remit(books, `{"amount_cents":1,"currency":"CAD"}`).Refused(t, 422, "validation_error")
	found := books.Call(t, "GET", "/ops/v1/balances?partner_id="+f.partner.PartnerID, nil).Must(t, 200)
	balances := map[string]any{}
	for i := range found.Len("balances") {
		balances[found.Text("balances", i, "account")] = found.JSON("balances", i, "amount_cents")
	}
	for account, want := range map[string]any{
		"collected": 0.0, "cash": 3000.0, "desk": 0.0, "bank": -3100.0, "differences": 100.0,
	} {
		if balances[account] != want {
			t.Errorf("%s: got %v, want %v", account, balances[account], want)
		}
	}
	f.balanced(t, "")
}

// TestCashIsNotForOthers: a courier sees the own cash only.
func TestCashIsNotForOthers(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	noor, sam := f.rider(t, "noor"), f.rider(t, "sam")
	sam.Call(t, "GET", "/ops/v1/couriers/"+sam.CourierID+"/cash", nil).Must(t, 200)
	sam.Call(t, "GET", "/ops/v1/couriers/"+noor.CourierID+"/cash", nil).Refused(t, 404, "not_found")
	f.operator.Call(t, "GET", "/ops/v1/couriers/cou_none/cash", nil).Refused(t, 404, "not_found")
	sam.Call(t, "GET", "/ops/v1/cash", nil).Refused(t, 403, "forbidden")
	f.operator.As(t, "warehouse").Call(t, "GET", "/ops/v1/cash", nil).Refused(t, 403, "forbidden")
}

// TestCorrectedBeforeBooks corrects what was collected before the books were turned on. It is in no entry, and neither
// is the correction, although the first day of the books lies before the delivery.
func TestCorrectedBeforeBooks(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	f := floorOn(t, clock)
	noor := f.rider(t, "noor")
	id := f.toCollect(t, noor, "E-1", 5000)
	move(t, noor, id, paid(5000, "cash", "")).Must(t, 200)
	clock.Advance(time.Minute)
	f.keepBooks(t)
	f.operator.Call(t, "PUT", "/ops/v1/orders/"+id+"/collected",
		[]byte(`{"amount_cents":4000,"currency":"CAD","method":"cash","notes":"miscounted"}`)).Must(t, 200)
	if got := f.charges(t, id); len(got) != 0 {
		t.Errorf("got %s, want no entry", got)
	}
	if got := f.with(t, noor); got != "" {
		t.Errorf("got %s with the courier, want nothing", got)
	}
}

// TestCashInTwoCurrencies: what a courier carries is added up for each currency, of all partners.
func TestCashInTwoCurrencies(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	noor := f.rider(t, "noor")
	other := floor{f.Service, f.Register(t, "nord"), f.operator}
	for i, of := range []floor{f, other} {
		for j, currency := range []string{"CAD", "USD"} {
			id := of.toCollect(t, noor, fmt.Sprint("F-", 2*i+j), 0)
			move(t, noor, id, strings.Replace(paid(700, "cash", "a tip"), "CAD", currency, 1)).Must(t, 200)
		}
	}
	for target, list := range map[string]string{
		"/ops/v1/cash": "couriers", "/ops/v1/couriers/" + noor.CourierID + "/cash": "balances",
	} {
		found := f.operator.Call(t, "GET", target, nil).Must(t, 200)
		for i, currency := range []string{"CAD", "USD"} {
			if found.Len(list) != 2 || found.Text(list, i, "currency") != currency ||
				found.JSON(list, i, "amount_cents") != 1400.0 {
				t.Errorf("%s: got %s, want a sum for each currency", target, found.Body)
			}
		}
	}
}

// TestCorrectedAfterHandIn corrects the amount of an order whose cash was handed in. What the courier carries is that
// of the order that was delivered after it.
func TestCorrectedAfterHandIn(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	f := floorOn(t, clock)
	f.keepBooks(t)
	noor := f.rider(t, "noor")
	first := f.toCollect(t, noor, "G-1", 5000)
	move(t, noor, first, paid(5000, "cash", "")).Must(t, 200)
	handIn(t, f.operator, noor.CourierID, `{"counted_cents":5000,"currency":"CAD"}`).Must(t, 201)
	clock.Advance(time.Minute)
	move(t, noor, f.toCollect(t, noor, "G-2", 3000), paid(3000, "cash", "")).Must(t, 200)
	clock.Advance(time.Minute)
	f.operator.Call(t, "PUT", "/ops/v1/orders/"+first+"/collected",
		[]byte(`{"amount_cents":4000,"currency":"CAD","method":"cash","notes":"miscounted"}`)).Must(t, 200)
	if got := f.with(t, noor); got != "2000 CAD G-2:2000" {
		t.Errorf("got %s with the courier, want it to be of G-2", got)
	}
}

// TestUnconfirmedOfRemovedOrder: what can no longer be answered, because the order was removed, is not listed to be
// cleared up. The courier still carries the cash.
func TestUnconfirmedOfRemovedOrder(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	f := floorOn(t, clock)
	f.keepBooks(t)
	f.operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"require_collected":false}`)).Must(t, 200)
	noor := f.rider(t, "noor")
	id := f.toCollect(t, noor, "U-1", 2500)
	move(t, noor, id, `{"status":"delivered"}`).Must(t, 200)
	unconfirmed := func() int {
		return f.operator.Call(t, "GET", "/ops/v1/cash", nil).Must(t, 200).Len("unconfirmed")
	}
	if got := unconfirmed(); got != 1 {
		t.Errorf("got %d deliveries to clear up, want one", got)
	}
	clock.Advance(20 * 24 * time.Hour)
	f.Sweep(t, retention.Policy{Orders: 10 * 24 * time.Hour})
	f.operator.Call(t, "PUT", "/ops/v1/orders/"+id+"/collected",
		[]byte(`{"amount_cents":2500,"currency":"CAD","method":"cash"}`)).Refused(t, 404, "not_found")
	if got := unconfirmed(); got != 0 {
		t.Errorf("got %d deliveries to clear up, want none that cannot be", got)
	}
	if got := f.with(t, noor); got != "2500 CAD U-1:2500" {
		t.Errorf("got %s with the courier, want the cash", got)
	}
}

// TestCollectedAtHub: what is paid where the parcels lie is at the desk, and so is what a correction changes.
func TestCollectedAtHub(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	noor := f.rider(t, "noor")
	id := f.toCollect(t, noor, "H-1", 2500)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/transfer", []byte(`{"location":"HUB-1"}`)).Must(t, 200)
	move(t, f.operator, id, paid(2500, "cash", "")).Must(t, 200)
	f.operator.Call(t, "PUT", "/ops/v1/orders/"+id+"/collected",
		[]byte(`{"amount_cents":2400,"currency":"CAD","method":"cash","notes":"a dollar less"}`)).Must(t, 200)
	if got := f.charges(t, id); strings.Join(got[:2], "; ") !=
		"collection collected -2500 desk 2500; correction collected 100 desk -100" {
		t.Errorf("got %s, want the cash at the desk", got)
	}
	if got := f.with(t, noor); got != "" {
		t.Errorf("got %s with the courier, want nothing", got)
	}
	deposit := func(cents int) *apptest.Answer {
		return f.operator.Call(t, "POST", "/ops/v1/cash/deposits",
			fmt.Appendf(nil, `{"amount_cents":%d,"currency":"CAD"}`, cents))
	}
	deposit(2401).Refused(t, 422, "validation_error")
	deposit(2400).Must(t, 201)
	f.balanced(t, "")
}

// TestCountAfterCorrection: a correction of what was handed in already leaves the courier below zero, and the courier
// can still hand in what is collected later.
func TestCountAfterCorrection(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.keepBooks(t)
	noor := f.rider(t, "noor")
	count := func(counted, expected int) *apptest.Answer {
		return f.operator.Call(t, "POST", "/ops/v1/couriers/"+noor.CourierID+"/cash/hand-ins", fmt.Appendf(nil,
			`{"counted_cents":%d,"currency":"CAD","expected_cents":%d}`, counted, expected))
	}
	first := f.toCollect(t, noor, "E-1", 700)
	move(t, noor, first, paid(700, "cash", "")).Must(t, 200)
	count(400, 700).Must(t, 201)
	f.operator.Call(t, "PUT", "/ops/v1/orders/"+first+"/collected",
		[]byte(`{"amount_cents":400,"currency":"CAD","method":"cash","notes":"really 4"}`)).Must(t, 200)
	move(t, noor, f.toCollect(t, noor, "E-2", 250), paid(250, "cash", "")).Must(t, 200)
	if got := count(250, -50).Must(t, 201); got.JSON("difference_cents") != -300.0 {
		t.Errorf("got %s, want the difference of the first count back", got.Body)
	}
	if got := f.with(t, noor); got != "" {
		t.Errorf("got %s with the courier, want nothing", got)
	}
	f.balanced(t, "")
}
