package model_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// payment is what was collected of an order.
type payment struct {
	cents         int64
	method, notes string
}

const cash, terminal, nothing, unconfirmed = "cash", "terminal", "none", "unconfirmed"

// json returns the payment as it is sent.
func (p *payment) json() string {
	return fmt.Sprintf(`{"amount_cents":%d,"currency":"CAD","method":%q,"notes":%q}`, p.cents, p.method, p.notes)
}

// malformed reports whether the payment is one of no order.
func (p *payment) malformed() bool { return p != nil && (p.cents == 0) != (p.method == nothing) }

// takes reports whether the payment, which may be nil, can be that of the order.
func (o *order) takes(p *payment, required bool) bool {
	if p == nil {
		return o.cod == 0 || !required
	}
	return p.cents == o.cod || p.notes != ""
}

// holding is the cash of a partner that a courier carries.
type holding struct{ courierID, partnerID string }

// item is the cash of an order that a courier carries.
type item struct {
	partnerID, orderID string
	cents              int64
	at                 time.Time
}

// purse is the cash of a partner that a courier has collected.
type purse struct {
	cents int64   // that the courier carries: less what was handed in
	items []*item // all that was collected
}

// till is what the model knows of the money that was collected.
type till struct {
	required bool // deliveries have to say what was collected
	changed  bool // since it was compared
	purses   map[holding]*purse
	sums     map[string]map[string]int64 // by partner and account
}

// accountsOfCash are those that the till predicts.
var accountsOfCash = []string{"collected", "cash", "terminal", "desk", "bank", "differences"}

// openTill empties the till of the service as far as it can be, because earlier sequences have filled it, and reads
// what is left.
func (w *world) openTill(t *rapid.T) {
	w.till = &till{required: true, purses: map[holding]*purse{}, sums: map[string]map[string]int64{}}
	expect(t, w.operate(t, w.admin, "PATCH", "/ops/v1/books", `{"require_collected":true}`), 200, "")
	path := "/ops/v1/couriers/" + w.admin.CourierID + "/cash"
	if found := w.operate(t, w.admin, "GET", path, ""); found.Len("balances") > 0 {
		cents, _ := found.JSON("balances", 0, "amount_cents").(float64)
		w.operate(t, w.admin, "POST", path+"/hand-ins",
			fmt.Sprintf(`{"counted_cents":%d,"currency":"CAD"}`, max(0, int(cents))))
	}
	for _, account := range []string{"desk", "terminal"} {
		w.readTill(account)
		w.operate(t, w.admin, "POST", "/ops/v1/cash/deposits",
			fmt.Sprintf(`{"amount_cents":%d,"currency":"CAD","from":%q}`, w.till.all(account), account))
	}
	clear(w.till.sums)
	w.readTill("desk")
	w.readTill("terminal")
	left := w.operate(t, w.admin, "GET", path, "")
	for i := range left.Len("orders") {
		cents, _ := left.JSON("orders", i, "amount_cents").(float64)
		at, _ := time.Parse(time.RFC3339Nano, left.Text("orders", i, "collected_at"))
		of := holding{w.admin.CourierID, left.Text("orders", i, "partner_id")}
		w.till.carry(of, left.Text("orders", i, "order_id"), int64(cents), at)
	}
}

// readTill reads what an account has of each partner.
func (w *world) readTill(account string) {
	query := "SELECT partner_id, sum(cents) FROM journal_lines WHERE account = '" + account + "' GROUP BY partner_id"
	for _, row := range w.service.Query(w.t, query) {
		partnerID, sum, _ := strings.Cut(row, " ")
		cents, _ := strconv.ParseInt(sum, 10, 64)
		w.till.add(partnerID, account, cents)
	}
}

func (m *till) add(partnerID, account string, cents int64) {
	if m.sums[partnerID] == nil {
		m.sums[partnerID] = map[string]int64{}
	}
	m.sums[partnerID][account] += cents
	m.changed = true
}

// carry adds cash of an order to what a courier carries; below zero takes it back.
func (m *till) carry(of holding, orderID string, cents int64, at time.Time) {
	m.add(of.partnerID, "cash", cents)
	p := m.purses[of]
	if p == nil {
		p = &purse{}
		m.purses[of] = p
	}
	p.cents += cents
	known := slices.IndexFunc(p.items, func(i *item) bool { return i.orderID == orderID && orderID != "" })
	if known >= 0 {
		p.items[known].cents += cents
		return
	}
	p.items = append(p.items, &item{of.partnerID, orderID, cents, at})
}

// of returns what a courier carries, oldest first: of each partner, what was collected last.
func (m *till) of(courierID string) (carried []item) {
	for of, p := range m.purses {
		if of.courierID != courierID {
			continue
		}
		left := p.cents
		slices.SortFunc(p.items, func(a, b *item) int {
			return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.orderID, b.orderID))
		})
		for _, i := range slices.Backward(p.items) {
			if part := min(i.cents, left); part > 0 && i.orderID != "" {
				carried = append(carried, item{i.partnerID, i.orderID, part, i.at})
				left -= part
			}
		}
		if left != 0 {
			carried = append(carried, item{partnerID: of.partnerID, cents: left})
		}
	}
	slices.SortFunc(carried, func(a, b item) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.partnerID, b.partnerID), cmp.Compare(a.orderID, b.orderID))
	})
	return carried
}

func sumOf(items []item) (cents int64) {
	for _, i := range items {
		cents += i.cents
	}
	return cents
}

// all returns what is on an account of all partners.
func (m *till) all(account string) (cents int64) {
	for _, sums := range m.sums {
		cents += sums[account]
	}
	return cents
}

// took adds the lines of what was collected of an order of a partner; the sign -1 takes it back.
func (w *world) took(partnerID string, o *order, sign int64) {
	if o.paid == nil || o.paid.cents == 0 {
		return
	}
	cents := sign * o.paid.cents
	w.till.add(partnerID, "collected", -cents)
	switch {
	case o.paid.method == terminal:
		w.till.add(partnerID, "terminal", cents)
	case o.courier == "": // it was fetched at the hub
		w.till.add(partnerID, "desk", cents)
	default:
		w.till.carry(holding{o.courier, partnerID}, o.id, cents, w.acted)
	}
}

// delivered notes what was collected of an order that was delivered; nil if that was not said.
func (w *world) delivered(a *account, o *order, p *payment) {
	act := "collection"
	if p == nil && o.cod > 0 {
		p, act = &payment{cents: o.cod, method: unconfirmed}, unconfirmed
	}
	if p == nil || o.cod == 0 && p.cents == 0 {
		return
	}
	o.paid = p
	if p.cents > 0 {
		o.acts = append(o.acts, act)
	}
	w.took(a.partner.PartnerID, o, 1)
}

// payment draws what is sent as collected of an order, perhaps what it does not take; nil for nothing.
func (w *world) payment(t *rapid.T, o *order) *payment {
	if rapid.IntRange(0, 3).Draw(t, "nothing is said") == 0 {
		return nil
	}
	p := &payment{cents: o.cod, method: rapid.SampledFrom([]string{cash, cash, terminal, nothing}).Draw(t, "method")}
	if rapid.IntRange(0, 2).Draw(t, "another amount") == 0 {
		p.cents = rapid.Int64Range(1, 9000).Draw(t, "collected")
	}
	if p.method == nothing && rapid.IntRange(0, 4).Draw(t, "nothing of something") > 0 {
		p.cents = 0
	}
	if rapid.IntRange(0, 3).Draw(t, "notes") > 0 {
		p.notes = "as the recipient wished"
	}
	return p
}

// fitting draws what was collected of an order, which takes it.
func (w *world) fitting(t *rapid.T, o *order) *payment {
	p := w.payment(t, o)
	if !p.malformed() && o.takes(p, w.till.required) {
		return p
	}
	if o.cod == 0 {
		return nil
	}
	return &payment{cents: o.cod, method: cash}
}

// moveTo returns the body of a move of an order, with what is collected of it if it is delivered.
func moveTo(to string, c *courier, p *payment) string {
	body := fmt.Sprintf(`{"status":%q,"courier_id":%q,"failure_reason":"not_home"`, to, c.id)
	if to == "delivered" && p != nil {
		body += `,"collected":` + p.json()
	}
	return body + "}"
}

// insist sends a request that is carried out, perhaps twice under one key.
func (w *world) insist(t *rapid.T, by *apptest.Operator, path, body string, status int) *apptest.Answer {
	key := uuid.NewString()
	send := func() *apptest.Answer {
		return w.send(t, by.Service, "POST", path, []byte(body), "Authorization", "Bearer "+by.Token, "Idempotency-Key", key)
	}
	answer := send()
	expect(t, answer, status, "")
	if acted := w.acted; rapid.IntRange(0, 3).Draw(t, "repeated") == 0 {
		again := send()
		w.acted = acted
		expect(t, again, status, "")
		if string(again.Body) != string(answer.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Fatalf("got %s\nand then %s, want the same", answer.Body, again.Body)
		}
	}
	return answer
}

// bookkeeper draws who asks for money to be moved: mostly those who may, and perhaps others.
func (w *world) bookkeeper(t *rapid.T, may ...*apptest.Operator) (by *apptest.Operator, allowed bool) {
	if rapid.IntRange(0, 3).Draw(t, "in any role") > 0 {
		return rapid.SampledFrom(may).Draw(t, "by"), true
	}
	by = rapid.SampledFrom([]*apptest.Operator{w.admin, w.desk, w.books, w.warehouse, w.rider}).Draw(t, "by")
	return by, slices.Contains(may, by)
}

// correct confirms or corrects what was collected of an order.
func (w *world) correct(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	w.perhaps(t, a, o, "delivered")
	p := w.payment(t, o)
	if p == nil {
		p = &payment{cents: o.cod, method: cash}
	}
	by, allowed := w.bookkeeper(t, w.admin, w.desk, w.books)
	answer := w.operate(t, by, "PUT", "/ops/v1/orders/"+o.id+"/collected", p.json())
	switch {
	case !allowed:
		expect(t, answer, 403, "forbidden")
		return
	case p.malformed():
		expect(t, answer, 422, "validation_error")
		return
	case o.status != "delivered":
		expect(t, answer, 409, "conflict")
		return
	case !o.takes(p, true):
		expect(t, answer, 422, "validation_error")
		return
	}
	expect(t, answer, 200, "")
	if o.cod == 0 && p.cents == 0 && o.paid == nil || o.paid != nil && *o.paid == *p {
		return // nothing new
	}
	w.took(a.partner.PartnerID, o, -1)
	o.paid, o.acts = p, append(o.acts, "correction")
	w.took(a.partner.PartnerID, o, 1)
	w.audited("order.collected")
	last := answer.Len("status_history") - 1
	if got, _ := answer.JSON("status_history", last, "collected", "amount_cents").(float64); int64(got) != p.cents ||
		answer.Text("status_history", last, "collected", "method") != p.method {
		t.Fatalf("got %s, want %+v collected", answer.Body, *p)
	}
}

// handIn counts the cash of a courier.
func (w *world) handIn(t *rapid.T) {
	c := w.courier(t)
	for _, other := range w.couriers { // most carry nothing
		if len(w.till.of(other.id)) > 0 && rapid.Bool().Draw(t, "one with cash") {
			c = other
		}
	}
	carried := w.till.of(c.id)
	expected := sumOf(carried)
	kept := max(0, rapid.SampledFrom([]int64{0, 0, expected, expected / 3, expected + 1}).Draw(t, "kept"))
	counted := max(0, expected-kept+rapid.SampledFrom([]int64{0, 0, -100, 250, -expected}).Draw(t, "difference"))
	stale := rapid.IntRange(0, 5).Draw(t, "stale") == 0
	body := fmt.Sprintf(`{"counted_cents":%d,"kept_cents":%d,"currency":"CAD"`, counted, kept)
	switch {
	case stale:
		body += fmt.Sprintf(`,"expected_cents":%d`, max(0, expected)+1)
	case rapid.Bool().Draw(t, "as expected"):
		body += fmt.Sprintf(`,"expected_cents":%d`, expected)
	}
	body += "}"
	by, allowed := w.bookkeeper(t, w.admin, w.desk, w.books)
	path := "/ops/v1/couriers/" + c.id + "/cash/hand-ins"
	refused := func(status int, code string) { expect(t, w.operate(t, by, "POST", path, body), status, code) }
	switch {
	case !allowed:
		refused(403, "forbidden")
	case len(carried) == 0 || stale:
		refused(409, "conflict")
	case kept > max(0, expected), counted > 0 && kept > 0 && kept == expected:
		refused(422, "validation_error")
	default:
		answer := w.insist(t, by, path, body, 201)
		w.audited("cash.counted")
		if missing, _ := answer.JSON("difference_cents").(float64); int64(missing) != expected-kept-counted {
			t.Fatalf("got %s, want a difference of %d", answer.Body, expected-kept-counted)
		}
		w.counted(c.id, carried, expected-kept, counted)
	}
}

// counted books a count: the oldest is handed in, and what is missing is missing of the newest.
func (w *world) counted(courierID string, carried []item, handedIn, counted int64) {
	last := carried[0].partnerID
	for _, i := range carried {
		part := i.cents
		if part > 0 {
			part = min(part, handedIn)
		}
		if part == 0 {
			break
		}
		there := min(part, counted)
		handedIn, counted, last = handedIn-part, counted-there, i.partnerID
		w.till.purses[holding{courierID, i.partnerID}].cents -= part
		w.till.add(i.partnerID, "cash", -part)
		w.till.add(i.partnerID, "desk", there)
		w.till.add(i.partnerID, "differences", part-there)
	}
	w.till.add(last, "desk", counted)
	w.till.add(last, "differences", -counted)
}

// deposit takes cash from the desk to the bank, or what was paid by card.
func (w *world) deposit(t *rapid.T) {
	from := rapid.SampledFrom([]string{"desk", "terminal"}).Draw(t, "from")
	there := w.till.all(from)
	cents := max(1, rapid.SampledFrom([]int64{there, there / 2, there + 1}).Draw(t, "deposited"))
	body := fmt.Sprintf(`{"amount_cents":%d,"currency":"CAD","from":%q}`, cents, from)
	by, allowed := w.bookkeeper(t, w.admin, w.books)
	switch {
	case !allowed:
		expect(t, w.operate(t, by, "POST", "/ops/v1/cash/deposits", body), 403, "forbidden")
	case cents > there:
		expect(t, w.operate(t, by, "POST", "/ops/v1/cash/deposits", body), 422, "validation_error")
	default:
		w.insist(t, by, "/ops/v1/cash/deposits", body, 201)
		w.audited("cash.deposited")
		for _, partnerID := range slices.Sorted(maps.Keys(w.till.sums)) {
			part := max(0, min(cents, w.till.sums[partnerID][from]))
			cents -= part
			w.till.add(partnerID, from, -part)
			w.till.add(partnerID, "bank", part)
		}
	}
}

// remit sends a partner what was collected for it.
func (w *world) remit(t *rapid.T) {
	partnerID := w.account(t).partner.PartnerID
	for _, a := range w.accounts { // few are owed something
		if w.till.sums[a.partner.PartnerID]["collected"] < 0 {
			partnerID = a.partner.PartnerID
		}
	}
	owed := -w.till.sums[partnerID]["collected"]
	cents := max(1, rapid.SampledFrom([]int64{owed, owed / 2, owed + 1}).Draw(t, "remitted"))
	from := rapid.SampledFrom([]string{"bank", "desk"}).Draw(t, "from")
	body := fmt.Sprintf(`{"amount_cents":%d,"currency":"CAD","from":%q}`, cents, from)
	path := "/ops/v1/partners/" + partnerID + "/remittances"
	by, allowed := w.bookkeeper(t, w.admin, w.books)
	switch {
	case !allowed:
		expect(t, w.operate(t, by, "POST", path, body), 403, "forbidden")
	case cents > owed, from == "desk" && cents > w.till.all("desk"):
		expect(t, w.operate(t, by, "POST", path, body), 422, "validation_error")
	default:
		w.insist(t, by, path, body, 201)
		w.audited("remittance.sent")
		w.till.add(partnerID, "collected", cents)
		w.till.add(partnerID, from, -cents)
	}
}

// require changes whether deliveries have to say what was collected.
func (w *world) require(t *rapid.T) {
	required := rapid.IntRange(0, 2).Draw(t, "required") > 0
	expect(t, w.operate(t, w.admin, "PATCH", "/ops/v1/books", fmt.Sprintf(`{"require_collected":%t}`, required)), 200, "")
	if required != w.till.required {
		w.audited("books.changed")
	}
	w.till.required = required
}

// compareCash compares what couriers carry with the model, as the desk and as the courier sees it.
func (w *world) compareCash(t *rapid.T) {
	if !w.till.changed {
		return
	}
	w.till.changed = false
	found := w.operate(t, w.desk, "GET", "/ops/v1/cash", "")
	expect(t, found, 200, "")
	out := map[string]int64{}
	for i := range found.Len("couriers") {
		cents, _ := found.JSON("couriers", i, "amount_cents").(float64)
		out[found.Text("couriers", i, "courier_id")] += int64(cents)
	}
	for _, c := range w.couriers {
		carried := w.till.of(c.id)
		if sum := sumOf(carried); sum != out[c.id] {
			t.Fatalf("got %d cents with the courier %s, want %d: %s", out[c.id], c.id, sum, found.Body)
		}
		by, path := w.books, "/ops/v1/couriers/"+c.id+"/cash"
		if c.id == w.admin.CourierID {
			by = w.rider
		} else {
			expect(t, w.operate(t, w.rider, "GET", path, ""), 404, "not_found")
		}
		cashbox := w.operate(t, by, "GET", path, "")
		expect(t, cashbox, 200, "")
		got := make([]item, cashbox.Len("orders"))
		for i := range got {
			cents, _ := cashbox.JSON("orders", i, "amount_cents").(float64)
			at, _ := time.Parse(time.RFC3339Nano, cashbox.Text("orders", i, "collected_at"))
			got[i] = item{
				cashbox.Text("orders", i, "partner_id"), cashbox.Text("orders", i, "order_id"), int64(cents), at.UTC(),
			}
		}
		for i := range carried {
			carried[i].at = carried[i].at.UTC()
		}
		if fmt.Sprint(got) != fmt.Sprint(carried) {
			t.Fatalf("got the cash %v with the courier %s, want %v", got, c.id, carried)
		}
	}
	expect(t, w.operate(t, w.warehouse, "GET", "/ops/v1/cash", ""), 403, "forbidden")
}

// compareSums compares the sums of an account's entries about money that was collected with the model, and the balances
// with the sums of all its entries.
func (w *world) compareSums(t *rapid.T, a *account, ofCash, all map[string]int64) {
	partnerID := a.partner.PartnerID
	for _, account := range accountsOfCash {
		if got, want := ofCash[account], w.till.sums[partnerID][account]; got != want {
			t.Fatalf("got %d cents on the account %s of %s, want %d", got, account, partnerID, want)
		}
	}
	if !w.till.changed {
		return
	}
	found := w.operate(t, w.books, "GET", "/ops/v1/balances?partner_id="+partnerID, "")
	expect(t, found, 200, "")
	sum := int64(0)
	for i := range found.Len("balances") {
		cents, _ := found.JSON("balances", i, "amount_cents").(float64)
		sum += int64(cents)
		if account := found.Text("balances", i, "account"); all[account] != int64(cents) {
			t.Fatalf("got a balance of %v on the account %s, want %d, the sum of its lines", cents, account, all[account])
		}
		delete(all, found.Text("balances", i, "account"))
	}
	if sum != 0 || len(all) > 0 {
		t.Fatalf("got balances that add up to %d, and none of %v: %s", sum, all, found.Body)
	}
}
