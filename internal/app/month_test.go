package app_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// month is a month of a firm that goes as a script says, with its books as they follow from the script alone: this test
// has its own table of taxes, and its own arithmetic.
type month struct {
	floor
	*testing.T
	clock    *testkit.Clock
	zone     *time.Location
	halifax  *time.Location
	partners []*apptest.Partner
	riders   []*apptest.Operator
	orders   []*monthsOrder
	tomorrow []func()
	books    map[string]map[string]int64 // in cents, by partner and account
	carried  map[*apptest.Operator][]note
}

// monthsOrder is an order of the month, by its number in the script.
type monthsOrder struct {
	number   int
	id       string
	partner  *apptest.Partner
	rider    *apptest.Operator
	province string // of the recipient; the sender is in Quebec
	net      int64  // the price before tax
	cod      int64
}

// note is the cash of an order that a courier carries.
type note struct {
	partnerID, orderID string
	cents              int64
}

// The places of recipients.
var towns = []struct{ province, address string }{
	{"ON", `"city":"Toronto","province":"ON","postal_code":"M5H 2N2"`},
	{"NS", `"city":"Halifax","province":"NS","postal_code":"B3H 4R2"`},
	{"QC", `"city":"Montréal","province":"QC","postal_code":"H2J 2K8"`},
	{"AB", `"city":"Calgary","province":"AB","postal_code":"T2P 1J9"`},
}

// What the rate card of keepBooks charges besides prices, in cents.
const perAttempt, perReturn, perLateCancellation = 301, 450, 400

// TestMonth compares the trial balance of a month with figures that follow from its script, cent by cent. In the middle
// of the month Nova Scotia lowers its tax.
func TestMonth(t *testing.T) {
	t.Parallel()
	count := 500
	if testing.Short() {
		count = 100
	}
	m := newMonth(t, count)
	m.compare()
	m.Audit(t)
	t.Logf("the trial balance of %d orders:\n%s", count, m.trialBalance())
}

// newMonth returns a service after a month in which partners have created so many orders.
func newMonth(t *testing.T, count int) *month {
	t.Helper()
	m := &month{T: t, books: map[string]map[string]int64{}, carried: map[*apptest.Operator][]note{}}
	m.zone, m.halifax = zone.Own().Location("America/Toronto"), zone.Own().Location("America/Halifax")
	m.clock = testkit.NewClock(time.Date(2025, time.March, 15, 7, 0, 0, 0, m.zone))
	m.floor = floorOn(t, m.clock)
	m.keepBooks(t)
	m.partners = []*apptest.Partner{m.partner}
	for _, name := range []string{"nord", "plateau", "rive", "verdun"} {
		m.partners = append(m.partners, m.Register(t, name))
	}
	for _, p := range m.partners {
		m.books[p.PartnerID] = map[string]int64{}
	}
	for _, name := range []string{"noor", "sam", "ines", "leo"} {
		m.riders = append(m.riders, m.rider(t, name))
	}
	const days = 31 // until 14 April, on which what is left is done
	for day := range days {
		m.morning(day, day*count/(days-1), min(count, (day+1)*count/(days-1)))
		m.evening(day)
	}
	return m
}

// until moves the clock to an hour of a day.
func (m *month) until(day, hour int) {
	m.Helper()
	at := time.Date(2025, time.March, 15+day, hour, 0, 0, 0, m.zone)
	if by := at.Sub(m.clock.Now()); by > 0 {
		m.clock.Advance(by)
	}
}

// post adds amounts to the books, which add up to zero.
func (m *month) post(p *apptest.Partner, lines map[string]int64) {
	for account, cents := range lines {
		m.books[p.PartnerID][account] += cents
	}
}

// taxes returns the taxes on an amount, by account, for a way that begins in a province and ends in another.
func (m *month) taxes(from, to string, at time.Time, cents int64) map[string]int64 {
	share := func(thousandths int64) int64 { return (cents*thousandths + 50_000) / 100_000 }
	switch to {
	case "ON":
		return map[string]int64{"tax_hst": share(13_000)}
	case "NS":
		if at.In(m.halifax).Before(time.Date(2025, time.April, 1, 0, 0, 0, 0, m.halifax)) {
			return map[string]int64{"tax_hst": share(15_000)}
		}
		return map[string]int64{"tax_hst": share(14_000)}
	}
	taxes := map[string]int64{"tax_gst": share(5_000)}
	if from == "QC" && to == "QC" {
		taxes["tax_qst"] = share(9_975)
	}
	return taxes
}

// charge books a charge.
func (m *month) charge(p *apptest.Partner, from, to string, at time.Time, cents int64) {
	lines := map[string]int64{"charges": cents, "revenue": -cents}
	for account, tax := range m.taxes(from, to, at, cents) {
		lines["charges"] += tax
		lines[account] -= tax
	}
	m.post(p, lines)
}

// morning does what was left yesterday, signs people in again when their tokens end, and creates and takes out the
// orders with some numbers.
func (m *month) morning(day, first, last int) {
	m.Helper()
	m.until(day, 8)
	left := m.tomorrow
	m.tomorrow = nil
	for _, do := range left {
		m.clock.Advance(time.Second)
		do()
	}
	if day == 15 {
		m.operator.Token = tokenOf(m.T, m.Service, m.operator.Email, m.operator.Password).Must(m.T, 201).Text("token")
		for i, name := range []string{"noor", "sam", "ines", "leo"} {
			m.clock.Advance(time.Minute)
			m.riders[i].Token = tokenOf(m.T, m.Service, name+"@riders.example", "a long password of "+name).Must(m.T, 201).
				Text("token")
		}
	}
	for number := first; number < last; number++ {
		m.orders = append(m.orders, &monthsOrder{
			number: number, partner: m.partners[number%5], rider: m.riders[number%4], province: towns[number/3%4].province,
		})
	}
	today := m.orders[first:]
	m.create(today)
	m.advance(today, "accepted", nil)
	today = slices.DeleteFunc(slices.Clone(today), func(o *monthsOrder) bool { return o.number%25 == 3 })
	for _, rider := range m.riders {
		m.advance(m.with(today, rider), "courier_assigned", rider)
	}
	late := func(o *monthsOrder) bool { return o.number%25 == 7 }
	for _, o := range today {
		if late(o) { // goods that are not ready
			m.clock.Advance(time.Second)
			m.operator.Move(m.T, o.id, "cancelled").Must(m.T, 200)
			m.charge(o.partner, "QC", o.province, m.clock.Now(), perLateCancellation)
		}
	}
	today = slices.DeleteFunc(today, late)
	m.until(day, 10)
	m.advance(today, "picked_up", nil)
	m.advance(today, "out_for_delivery", nil)
	m.until(day, 13)
	for _, o := range today {
		m.clock.Advance(time.Second)
		m.atDoor(day, o)
	}
}

// with returns the orders of a courier.
func (m *month) with(orders []*monthsOrder, rider *apptest.Operator) []*monthsOrder {
	return slices.DeleteFunc(slices.Clone(orders), func(o *monthsOrder) bool { return o.rider != rider })
}

// create creates orders. A third is paid for at the door, and some are cancelled before anything costs.
func (m *month) create(orders []*monthsOrder) {
	m.Helper()
	for _, o := range orders {
		m.clock.Advance(time.Second)
		body := testkit.OrderJSON(fmt.Sprint("M-", o.number), "")
		if o.number%3 == 0 {
			o.cod = 1000 + int64(o.number)*137%9000
			body = bytes.Replace(body, []byte(`"reference":`),
				fmt.Appendf(nil, `"cod":{"amount_cents":%d,"currency":"CAD"},"reference":`, o.cod), 1)
		}
		body = bytes.Replace(body, []byte(towns[0].address), []byte(towns[o.number/3%4].address), 1)
		created := o.partner.Create(m.T, body).Must(m.T, 201)
		net, _ := created.JSON("rate_cents").(float64)
		o.id, o.net = created.Text("order_id"), int64(net)
		if o.number%25 == 3 {
			o.partner.Cancel(m.T, o.id, "sold out").Must(m.T, 200)
		}
	}
}

// advance moves orders together, those that were not cancelled.
func (m *month) advance(orders []*monthsOrder, status string, rider *apptest.Operator) {
	m.Helper()
	var ids []string
	for _, o := range orders {
		if o.number%25 != 3 {
			ids = append(ids, fmt.Sprintf("%q", o.id))
		}
	}
	if len(ids) == 0 {
		return
	}
	body := fmt.Sprintf(`{"status":%q,"order_ids":[%s]}`, status, strings.Join(ids, ","))
	if rider != nil {
		body = fmt.Sprintf(`{"courier_id":%q,%s`, rider.CourierID, body[1:])
	}
	moved := m.operator.Call(m.T, "POST", "/ops/v1/orders/status", []byte(body)).Must(m.T, 200)
	for i := range ids {
		if got := moved.Text("results", i, "status"); got != status {
			m.Fatalf("got %s, want it %s: %s", got, status, moved.Body)
		}
	}
}

// atDoor is what happens at the door of a recipient.
func (m *month) atDoor(day int, o *monthsOrder) {
	m.Helper()
	fail := func() { move(m.T, o.rider, o.id, `{"status":"failed","failure_reason":"not_home"}`).Must(m.T, 200) }
	again := func() {
		m.operator.Move(m.T, o.id, "out_for_delivery").Must(m.T, 200)
		m.charge(o.partner, "QC", o.province, m.clock.Now(), perAttempt)
	}
	switch {
	case o.number%25 == 11: // one attempt more
		fail()
		again()
		m.deliver(o, "")
	case o.number%25 == 13: // two, the last of which goes on until the next day
		fail()
		again()
		fail()
		again()
		m.tomorrow = append(m.tomorrow, func() { m.deliver(o, "") })
	case o.number%25 == 17: // given up; the goods come back on the next day
		fail()
		m.operator.Move(m.T, o.id, "cancelled").Must(m.T, 200)
		m.charge(o.partner, "QC", o.province, m.clock.Now(), o.net)
		m.tomorrow = append(m.tomorrow, func() {
			receive(m.T, m.operator, o.id, `{"location":"MTL-1","lines":[]}`).Must(m.T, 200)
			m.charge(o.partner, o.province, "QC", m.clock.Now(), perReturn)
		})
	case o.number%25 == 21 && o.rider == m.riders[1]: // the phone is without a connection until the next day
		at := m.clock.Now().Format(time.RFC3339)
		m.tomorrow = append(m.tomorrow, func() { m.deliver(o, at) })
	case o.province == "NS" && o.number%2 == 0: // late in the evening, when it is the next day in Halifax
		m.tomorrow = append(m.tomorrow, func() {
			m.deliver(o, time.Date(2025, time.March, 15+day, 23, 30, 0, 0, m.zone).Format(time.RFC3339))
		})
	default:
		m.deliver(o, "")
	}
}

// deliver delivers an order, at another time than now unless it is empty, with what is paid at the door.
func (m *month) deliver(o *monthsOrder, at string) {
	m.Helper()
	cents, method, notes := o.cod, "cash", ""
	switch {
	case o.number%21 == 0:
		cents, method, notes = 0, "none", "was paid online"
	case o.number%9 == 0:
		method = "terminal"
	case o.number%33 == 0:
		cents, notes = o.cod-500, "a coupon"
	}
	body := `{"status":"delivered"}`
	if o.cod > 0 {
		body = paid(int(cents), method, notes)
	}
	when := m.clock.Now()
	if at != "" {
		when, _ = time.Parse(time.RFC3339, at)
		body = fmt.Sprintf(`{"occurred_at":%q,%s`, at, body[1:])
	}
	move(m.T, o.rider, o.id, body).Must(m.T, 200)
	m.charge(o.partner, "QC", o.province, when, o.net)
	if o.cod > 0 && cents > 0 {
		m.collect(o, cents, method)
	}
	switch {
	case o.number%50 == 24: // brought back to the shop, at the price of an order of its own
		m.bringBack(o)
	case o.number%15 == 6: // the courier has counted wrong, which the desk finds out
		m.correct(o)
	}
}

// collect books what was paid at the door.
func (m *month) collect(o *monthsOrder, cents int64, method string) {
	if method == "terminal" {
		m.post(o.partner, map[string]int64{"collected": -cents, "terminal": cents})
		return
	}
	m.post(o.partner, map[string]int64{"collected": -cents, "cash": cents})
	m.carried[o.rider] = append(m.carried[o.rider], note{o.partner.PartnerID, o.id, cents})
}

// correct takes a dollar of what was collected of an order back.
func (m *month) correct(o *monthsOrder) {
	m.Helper()
	carried := m.carried[o.rider]
	i := slices.IndexFunc(carried, func(n note) bool { return n.orderID == o.id })
	if i < 0 {
		return
	}
	carried[i].cents -= 100
	m.operator.Call(m.T, "PUT", "/ops/v1/orders/"+o.id+"/collected",
		fmt.Appendf(nil, `{"amount_cents":%d,"currency":"CAD","method":"cash","notes":"a dollar less"}`, carried[i].cents)).
		Must(m.T, 200)
	m.post(o.partner, map[string]int64{"collected": 100, "cash": -100})
}

// bringBack creates an order that brings the goods back, and has it delivered.
func (m *month) bringBack(o *monthsOrder) {
	m.Helper()
	created := o.partner.Call(m.T, "POST", "/v1/orders/"+o.id+"/returns", []byte(`{"reason":"too large","to":"sender",`+
		returnWindow+`}`), "Idempotency-Key", uuid.NewString()).Must(m.T, 201)
	net, _ := created.JSON("rate_cents").(float64)
	by := *m.operator
	by.CourierID = o.rider.CourierID
	for _, status := range append(slices.Clone(waysTo["out_for_delivery"]), "delivered") {
		by.Move(m.T, created.Text("order_id"), status).Must(m.T, 200)
	}
	m.charge(o.partner, o.province, "QC", m.clock.Now(), int64(net))
}

// evening counts the couriers' cash, and does what the accountant does on some days.
func (m *month) evening(day int) {
	m.Helper()
	m.until(day, 20)
	for i, rider := range m.riders {
		m.clock.Advance(time.Second)
		m.count(day+i, rider, i == 0 && day%4 != 3)
	}
	weekday := m.clock.Now().In(m.zone).Weekday()
	if weekday == time.Tuesday {
		m.remit()
	}
	if desk := m.total("desk"); weekday == time.Friday && desk > 5000 {
		m.deposit("desk", desk-5000)
	}
	if card := m.total("terminal"); weekday == time.Thursday && card > 0 {
		m.deposit("terminal", card-card/50)
	}
	if day%14 == 13 {
		m.pay()
	}
}

// count counts the cash of a courier, who keeps some if keeps is set. Some days it is less than it should be, and some
// more.
func (m *month) count(number int, rider *apptest.Operator, keeps bool) {
	m.Helper()
	carried, expected := m.carried[rider], int64(0)
	for _, n := range carried {
		expected += n.cents
	}
	if expected == 0 {
		return
	}
	kept, missing := int64(0), []int64{0, 0, 250, 0, -50, 0}[number%6]
	if keeps {
		kept = min(2000, expected-1)
	}
	missing = min(missing, expected-kept)
	counted := expected - kept - missing
	handIn(m.T, m.operator, rider.CourierID, fmt.Sprintf(
		`{"counted_cents":%d,"kept_cents":%d,"currency":"CAD","expected_cents":%d}`, counted, kept, expected)).Must(m.T, 201)
	left, last := expected-kept, ""
	for len(carried) > 0 && left > 0 {
		part := min(left, carried[0].cents)
		left, last = left-part, carried[0].partnerID
		m.books[last]["cash"] -= part
		m.books[last]["desk"] += part
		if carried[0].cents -= part; carried[0].cents == 0 {
			carried = carried[1:]
		}
	}
	m.books[last]["desk"] -= missing // which is less than the last order
	m.books[last]["differences"] += missing
	m.carried[rider] = carried
}

// total returns the sum on an account of all partners.
func (m *month) total(account string) (cents int64) {
	for _, balances := range m.books {
		cents += balances[account]
	}
	return cents
}

// deposit takes cash to the bank, or what was paid by card: of one partner after the other, in the order of their ids.
func (m *month) deposit(from string, cents int64) {
	m.Helper()
	m.operator.Call(m.T, "POST", "/ops/v1/cash/deposits",
		fmt.Appendf(nil, `{"amount_cents":%d,"currency":"CAD","from":%q}`, cents, from)).Must(m.T, 201)
	for _, partnerID := range slices.Sorted(maps.Keys(m.books)) {
		part := max(0, min(cents, m.books[partnerID][from]))
		cents -= part
		m.books[partnerID][from] -= part
		m.books[partnerID]["bank"] += part
	}
}

// remit sends the partners what was collected for them: the first one in cash if there is enough.
func (m *month) remit() {
	m.Helper()
	for i, p := range m.partners {
		owed, from := -m.books[p.PartnerID]["collected"], "bank"
		if i == 0 && m.total("desk") >= owed {
			from = "desk"
		}
		if owed <= 0 {
			continue
		}
		m.operator.Call(m.T, "POST", "/ops/v1/partners/"+p.PartnerID+"/remittances",
			fmt.Appendf(nil, `{"amount_cents":%d,"currency":"CAD","from":%q}`, owed, from)).Must(m.T, 201)
		m.post(p, map[string]int64{"collected": owed, from: -owed})
	}
}

// pay has each partner pay half of what it owes; one has a part of a charge taken back before, and storage charged.
func (m *month) pay() {
	m.Helper()
	p := m.partners[2]
	adjust := func(body string) {
		m.operator.Call(m.T, "POST", "/ops/v1/partners/"+p.PartnerID+"/adjustments", []byte(body)).Must(m.T, 201)
	}
	i := slices.IndexFunc(m.orders, func(o *monthsOrder) bool {
		return o.partner == p && o.province == "QC" && o.number%25 == 2
	})
	if i >= 0 {
		o := m.orders[i]
		adjust(fmt.Sprintf(`{"amount_cents":-999,"order_id":%q,"reason":"Delivered late"}`, o.id))
		lines := map[string]int64{"charges": -999, "revenue": 999}
		for account, tax := range m.taxes("QC", "QC", m.clock.Now(), o.net) {
			part := (2*tax*999 + o.net) / (2 * o.net) // half up
			lines["charges"] -= part
			lines[account] += part
		}
		m.post(p, lines)
	}
	adjust(`{"amount_cents":2500,"reason":"Storage"}`)
	m.post(p, map[string]int64{"charges": 2500, "revenue": -2500})
	for _, p := range m.partners {
		half := m.books[p.PartnerID]["charges"] / 2
		m.operator.Call(m.T, "POST", "/ops/v1/partners/"+p.PartnerID+"/payments",
			fmt.Appendf(nil, `{"amount_cents":%d}`, half)).Must(m.T, 201)
		m.post(p, map[string]int64{"charges": -half, "bank": half})
	}
}

var accountsOfBooks = strings.Fields("charges collected revenue tax_gst tax_hst tax_qst cash terminal desk bank differences")

// compare compares the balances of each partner, and of all, with the script.
func (m *month) compare() {
	m.Helper()
	all := map[string]int64{}
	for _, p := range m.partners {
		m.same(p.PartnerID, "partner_id="+p.PartnerID, m.books[p.PartnerID])
		for account, cents := range m.books[p.PartnerID] {
			all[account] += cents
		}
	}
	m.same("all", "", all)
	m.balanced(m.T, "")
	for i, rider := range m.riders {
		sum := int64(0)
		for _, n := range m.carried[rider] {
			sum += n.cents
		}
		found := m.operator.Call(m.T, "GET", "/ops/v1/couriers/"+rider.CourierID+"/cash", nil).Must(m.T, 200)
		if got, _ := found.JSON("balances", 0, "amount_cents").(float64); int64(got) != sum {
			m.Errorf("courier %d: got %s, want %d cents", i, found.Body, sum)
		}
	}
}

func (m *month) same(whose, query string, want map[string]int64) {
	m.Helper()
	found := m.operator.Call(m.T, "GET", "/ops/v1/balances?"+query, nil).Must(m.T, 200)
	got, sum := map[string]int64{}, int64(0)
	for i := range found.Len("balances") {
		cents, _ := found.JSON("balances", i, "amount_cents").(float64)
		got[found.Text("balances", i, "account")] += int64(cents)
		sum += int64(cents)
	}
	for _, account := range accountsOfBooks {
		if got[account] != want[account] {
			m.Errorf("%s, %s: got %d cents, want %d", whose, account, got[account], want[account])
		}
	}
	if sum != 0 {
		m.Errorf("%s: got balances that add up to %d", whose, sum)
	}
}

// trialBalance returns the balances as a table.
func (m *month) trialBalance() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table, "\t%s\t\n", strings.Join(accountsOfBooks, "\t"))
	row := func(name string, cents func(account string) int64) {
		cells := []string{name}
		for _, account := range accountsOfBooks {
			cells = append(cells, dollarsOf(cents(account)))
		}
		_, _ = fmt.Fprintf(table, "%s\t\n", strings.Join(cells, "\t"))
	}
	for _, p := range slices.SortedFunc(slices.Values(m.partners), func(a, b *apptest.Partner) int {
		return cmp.Compare(a.Email, b.Email)
	}) {
		row(p.Email, func(account string) int64 { return m.books[p.PartnerID][account] })
	}
	row("all", m.total)
	_ = table.Flush()
	return text.String()
}

// dollarsOf returns cents as dollars.
func dollarsOf(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}
