package model_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// after returns the steps with what happens to an order after its creation.
func (w *world) after() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"along":               w.along,
		"edit":                w.edit,
		"editByService":       w.editByService,
		"confirm":             w.confirm,
		"requestCancellation": w.requestCancellation,
		"handOver":            w.handOver,
		"bringBack":           w.bringBack,
		"receiveBack":         w.receiveBack,
		"returns":             w.returns,
		"scan":                w.scan,
		"pick":                w.pick,
		"locations":           w.locations,
		"orderByPhone":        w.orderByPhone,
		"message":             w.message,
		"labels":              w.labels,
	}
}

// early creates orders and takes half of those steps first: a sequence is too short for all
// steps, and orders rarely come far in it.
func (w *world) early(t *rapid.T) {
	for _, a := range w.accounts {
		w.createFor(t, a)
	}
	steps := w.after()
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		if rapid.Bool().Draw(t, name) {
			steps[name](t)
			w.compare(t)
		}
	}
}

// way are the statuses of an order on its way to its recipient.
var way = []string{"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"}

// bring takes an order along its way to a status, unless it has ended or come as far already. The
// courier gets it if it has none.
func (w *world) bring(t *rapid.T, a *account, o *order, to string, c *courier) {
	at := slices.Index(way, o.status)
	if o.status == "failed" { // the next attempt
		at = slices.Index(way, "picked_up")
	}
	if o.status == "cancelled" {
		return
	}
	for i := at + 1; i <= slices.Index(way, to); i++ {
		if o.hub {
			w.handTo(t, o, c)
		}
		w.advance(t, a, o, way[i], c)
	}
}

// advance moves an order to a status that it may have next. The courier who has it may, or the desk.
func (w *world) advance(t *rapid.T, a *account, o *order, to string, c *courier) {
	by := w.desk
	if o.courier == w.admin.CourierID && !slices.Contains([]string{"accepted", "courier_assigned", "cancelled"}, to) &&
		rapid.Bool().Draw(t, "by the courier") {
		by = w.rider
	}
	var p *payment
	if to == "delivered" {
		p = w.fitting(t, o)
	}
	w.insist(t, by, "/ops/v1/orders/"+o.id+"/status", moveTo(to, c, p), 200)
	w.audited("order.moved")
	w.wasMoved(a, o, to, c, p)
}

// wasMoved notes a move, with what was collected; nil if that was not said.
func (w *world) wasMoved(a *account, o *order, to string, c *courier, p *payment) {
	a.moved(o, to)
	w.assigned(o, to, c)
	if to == "delivered" {
		w.delivered(a, o, p)
	}
}

// active draws a courier who may get orders.
func (w *world) active(t *rapid.T) *courier {
	c := w.courier(t)
	if !c.active {
		return w.couriers[0] // always is
	}
	return c
}

// takeTo takes an order to one of the statuses, or as close as it comes.
func (w *world) takeTo(t *rapid.T, a *account, o *order, to ...string) {
	target, c := rapid.SampledFrom(to).Draw(t, "to"), w.active(t)
	if target != "failed" && target != "cancelled" {
		w.bring(t, a, o, target, c)
		return
	}
	w.bring(t, a, o, rapid.SampledFrom(way[1:5]).Draw(t, "from"), c)
	for _, next := range []string{"failed", "cancelled"} {
		if o.may(next) && o.status != target {
			w.advance(t, a, o, next, c)
		}
	}
}

// along takes an order to any status.
func (w *world) along(t *rapid.T) {
	a := w.account(t)
	w.takeTo(t, a, a.order(t), statuses[1:]...)
}

// perhaps takes an order to one of the statuses half of the time, because few come there otherwise.
func (w *world) perhaps(t *rapid.T, a *account, o *order, to ...string) {
	if rapid.Bool().Draw(t, "taken along") {
		w.takeTo(t, a, o, to...)
	}
}

// requester draws who sends a request about an order of an account: mostly its partner.
func (w *world) requester(t *rapid.T, a *account) *account {
	if rapid.IntRange(0, 3).Draw(t, "by another partner") == 3 {
		return w.other(a)
	}
	return a
}

// courierOrDesk draws an operator who may act on an order: the courier only on those that he has.
func (w *world) courierOrDesk(t *rapid.T) *apptest.Operator {
	if rapid.Bool().Draw(t, "by the courier") {
		return w.rider
	}
	return w.desk
}

// edit edits an order as its partner.
func (w *world) edit(t *rapid.T) {
	a := w.account(t)
	o, by := a.order(t), w.requester(t, a)
	w.perhaps(t, a, o, statuses[1:]...)
	send := func(patch string) *apptest.Answer {
		return w.call(t, by.partner, "PATCH", "/v1/orders/"+o.id, []byte(patch), uuid.NewString())
	}
	if by != a {
		expect(t, send(`{"reference":"mine"}`), 404, "not_found")
		return
	}
	w.editWith(t, o, "partner", send)
}

// editByService edits an order at the desk, which says why.
func (w *world) editByService(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	w.perhaps(t, a, o, statuses[1:]...)
	path := "/ops/v1/orders/" + o.id
	expect(t, w.operate(t, w.desk, "PATCH", path, `{"reference":"without a reason"}`), 422, "validation_error")
	expect(t, w.operate(t, w.rider, "PATCH", path, `{"reason":"by phone","reference":"by a courier"}`), 403, "forbidden")
	w.editWith(t, o, "service", func(patch string) *apptest.Answer {
		return w.operate(t, w.desk, "PATCH", path, `{"reason":"by phone",`+patch[1:])
	})
}

// editWith edits what may be edited in every status, twice to the same, and what may be until the end.
func (w *world) editWith(t *rapid.T, o *order, by string, send func(patch string) *apptest.Answer) {
	remark := w.name("PO")
	first := send(fmt.Sprintf(`{"reference":%q}`, remark))
	expect(t, first, 200, "")
	w.edited(o, by)
	o.remark = remark
	again := send(fmt.Sprintf(`{"reference":%q}`, remark))
	expect(t, again, 200, "")
	last := first.Len("changes") - 1
	if first.Text("reference") != remark || first.Text("status") != o.status ||
		first.Text("changes", last, "by") != by || first.JSON("changes", last, "fields", 0) != "reference" ||
		again.JSON("version") != first.JSON("version") {
		t.Fatalf("got %s\nand then %s\nwant the reference %s, and no change by the same", first.Body, again.Body, remark)
	}
	w.editPhone(t, o, by, send)
}

// editPhone edits the recipient's number, which the courier must confirm. It is refused at the end.
func (w *world) editPhone(t *rapid.T, o *order, by string, send func(patch string) *apptest.Answer) {
	*w.names++
	phone := fmt.Sprintf("+1438555%04d", *w.names%10000) // no order begins with it
	answer := send(fmt.Sprintf(`{"dropoff":{"phone":%q}}`, phone))
	if len(moves[o.status]) == 0 {
		expect(t, answer, 409, "order_not_editable")
		return
	}
	expect(t, answer, 200, "")
	w.edited(o, by)
	o.unseen = o.courier != ""
	if answer.Text("dropoff", "phone") != phone {
		t.Fatalf("got %s, want the number %s", answer.Body, phone)
	}
}

// edited notes an edit that has changed something.
func (w *world) edited(o *order, by string) {
	o.events = append(o.events, "order.updated")
	if by == "service" {
		w.audited("order.edited")
	}
}

// confirm confirms the edits of an order for its courier, who may have nothing to confirm.
func (w *world) confirm(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	w.perhaps(t, a, o, carrying...)
	path := "/ops/v1/orders/" + o.id
	if rapid.Bool().Draw(t, "edited before") {
		w.editPhone(t, o, "partner", func(patch string) *apptest.Answer {
			return w.call(t, a.partner, "PATCH", "/v1/orders/"+o.id, []byte(patch), uuid.NewString())
		})
	}
	record := w.operate(t, w.desk, "GET", path, "")
	expect(t, record, 200, "")
	version, _ := record.JSON("version").(float64)
	up := func(version float64) string { return fmt.Sprintf(`{"version":%d}`, int(version)) }
	expect(t, w.operate(t, w.desk, "POST", path+"/confirm", up(version+1)), 409, "conflict")
	by := w.courierOrDesk(t)
	answer := w.operate(t, by, "POST", path+"/confirm", up(version))
	if by == w.rider && o.courier != w.admin.CourierID {
		expect(t, answer, 404, "not_found")
		return
	}
	expect(t, answer, 200, "")
	next := version
	if o.unseen {
		w.audited("order.confirmed")
		next++
	}
	open, confirmed := false, false
	for i := range answer.Len("changes") { // those that couriers do not see have nothing of it
		open = open || answer.JSON("changes", i, "confirmed") == false
		confirmed = confirmed || answer.Text("changes", i, "confirmed_by") == by.OperatorID
	}
	if answer.JSON("version") != next || open || o.unseen && !confirmed {
		t.Fatalf("got %s, want version %v, confirmed %t", answer.Body, next, o.unseen)
	}
	o.unseen = false
}

// requestCancellation requests that the service cancels an order, which the desk grants or declines.
func (w *world) requestCancellation(t *rapid.T) {
	a := w.account(t)
	o, by := a.order(t), w.requester(t, a)
	w.perhaps(t, a, o, carrying...)
	request := func(by *account) *apptest.Answer {
		return w.call(t, by.partner, "POST", "/v1/orders/"+o.id+"/cancellation-request", []byte(`{"reason":"sold"}`),
			uuid.NewString())
	}
	grant := rapid.Bool().Draw(t, "granted")
	answer := func(by *apptest.Operator) *apptest.Answer {
		return w.operate(t, by, "POST", "/ops/v1/orders/"+o.id+"/cancellation-request/answer",
			fmt.Sprintf(`{"grant":%t,"answer":"by the desk"}`, grant))
	}
	requested := request(by)
	if by != a {
		expect(t, requested, 404, "not_found")
		return
	}
	if o.asked || !slices.Contains(carrying, o.status) {
		expect(t, requested, 409, "conflict")
		expect(t, answer(w.desk), 409, "conflict")
		return
	}
	expect(t, requested, 202, "")
	o.asked = true
	expect(t, request(a), 409, "conflict")
	expect(t, answer(w.rider), 403, "forbidden")
	answered := answer(w.desk)
	expect(t, answered, 200, "")
	w.audited("order.request_answered")
	state := "declined"
	if grant {
		state = "granted"
		a.moved(o, "cancelled")
	} else {
		o.events = append(o.events, "order.cancellation_declined")
	}
	if requested.Text("cancellation_request", "state") != "requested" ||
		answered.Text("cancellation_request", "state") != state || answered.Text("status") != o.status {
		t.Fatalf("got %s\nand then %s\nwant a request that is %s", requested.Body, answered.Body, state)
	}
	w.compareReturn(t, answered, o)
	expect(t, answer(w.desk), 409, "conflict")
	expect(t, request(a), 409, "conflict")
}

// compareReturn compares what the record of an order says of parcels that must come back.
func (w *world) compareReturn(t *rapid.T, record *apptest.Answer, o *order) {
	if got := record.Text("return", "state") == "due"; got != o.due {
		t.Fatalf("got %s, want parcels due back: %t", record.Body, o.due)
	}
}

const hub = "HUB-1"

// handOver hands the parcels of an order over, to a courier or to a hub.
func (w *world) handOver(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	w.perhaps(t, a, o, append(slices.Clone(carrying), "cancelled")...)
	c, toHub := w.courier(t), rapid.IntRange(0, 2).Draw(t, "to a hub") == 2
	by := w.courierOrDesk(t)
	to := fmt.Sprintf(`{"courier_id":%q}`, c.id)
	if toHub {
		to = fmt.Sprintf(`{"location":%q}`, hub)
	}
	answer := w.operate(t, by, "POST", "/ops/v1/orders/"+o.id+"/transfer", to)
	switch {
	case by == w.rider && o.courier != w.admin.CourierID:
		expect(t, answer, 404, "not_found")
	case !toHub && !c.active:
		expect(t, answer, 422, "validation_error")
	case !o.inHands(), toHub && o.hub, !toHub && !o.hub && o.courier == c.id:
		expect(t, answer, 409, "conflict")
	case toHub:
		w.handedOver(t, o, answer, nil)
	default:
		w.handedOver(t, o, answer, c)
	}
}

// inHands reports whether a courier or a hub has the parcels of the order.
func (o *order) inHands() bool {
	return o.pickedUp() && o.status != "delivered" && (o.status != "cancelled" || o.due)
}

// handTo gives a courier the parcels that are at a hub.
func (w *world) handTo(t *rapid.T, o *order, c *courier) {
	w.handedOver(t, o, w.operate(t, w.desk, "POST", "/ops/v1/orders/"+o.id+"/transfer",
		fmt.Sprintf(`{"courier_id":%q}`, c.id)), c)
}

// handedOver notes that a courier has got the parcels of an order; nil for the hub.
func (w *world) handedOver(t *rapid.T, o *order, answer *apptest.Answer, c *courier) {
	expect(t, answer, 200, "")
	w.audited("order.handed_over")
	if o.hub, o.unseen = c == nil, false; o.hub {
		o.courier = ""
	} else {
		w.changesHands(o, c)
	}
	o.events = append(o.events, "courier.changed")
	holder := o.courier
	if o.hub {
		holder = hub
	}
	record := w.operate(t, w.desk, "GET", "/ops/v1/orders/"+o.id, "")
	expect(t, record, 200, "")
	last := record.Len("custody") - 1
	if answer.Text("status") != o.status || record.Text("status") != o.status ||
		record.Text("courier", "courier_id") != o.courier || record.Text("custody", last, "holder", "id") != holder {
		t.Fatalf("got %s, want it %s with the courier %q, held by %s", record.Body, o.status, o.courier, holder)
	}
}

// bringBack creates an order that brings the goods of a delivered one back.
func (w *world) bringBack(t *rapid.T) {
	a := w.account(t)
	o, by := a.order(t), w.requester(t, a)
	w.perhaps(t, a, o, "delivered")
	end := rapid.SampledFrom([]string{"sender", "warehouse"}).Draw(t, "end")
	wanted := func(location string) []byte {
		return fmt.Appendf(nil, `{"reason":"too dark","to":%q,"location":%q,
			"pickup":{"time_window":{"start":"2026-01-19T09:00:00-05:00","end":"2026-01-19T17:00:00-05:00"}}}`, end, location)
	}
	w.putLocation(t)
	path := "/v1/orders/" + o.id + "/returns"
	answer := w.call(t, by.partner, "POST", path, wanted("MTL-1"), uuid.NewString())
	switch {
	case by != a:
		expect(t, answer, 404, "not_found")
		return
	case o.status != "delivered" || o.origin != nil || o.erased:
		expect(t, answer, 409, "conflict")
		return
	case o.returned:
		expect(t, answer, 422, "validation_error")
		return
	}
	expect(t, answer, 201, "")
	id := answer.Text("order_id")
	a.orders = append(a.orders, &order{
		id: id, reference: id, units: o.units, status: "pending", history: []string{"pending"}, origin: o,
		toWarehouse: end == "warehouse",
	})
	o.returned = true
	if answer.Text("return_of") != o.id || answer.Text("partner_order_id") != id || answer.Text("status") != "pending" {
		t.Fatalf("got %s, want an order of its own that returns %s", answer.Body, o.id)
	}
	read := w.call(t, a.partner, "GET", "/v1/orders/"+o.id, nil, "")
	if expect(t, read, 200, ""); read.Len("returns") != 1 || read.Text("returns", 0) != id {
		t.Fatalf("got %s, want the return %s", read.Body, id)
	}
	expect(t, w.call(t, a.partner, "POST", path, wanted("MTL-1"), uuid.NewString()), 422, "validation_error")
	end = "warehouse"
	expect(t, w.call(t, a.partner, "POST", path, wanted("none"), uuid.NewString()), 422, "validation_error")
}

// receiveBack receives parcels that come back at the warehouse, where they are in stock again. It can
// be done once.
func (w *world) receiveBack(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	if i := slices.IndexFunc(a.orders, func(o *order) bool { return o.due }); i >= 0 && rapid.Bool().Draw(t, "due") {
		o = a.orders[i]
	}
	w.perhaps(t, a, o, "cancelled")
	receive := func(by *apptest.Operator, units int) *apptest.Answer {
		lines := ""
		if units > 0 {
			lines = fmt.Sprintf(`{"product_id":%d,"quantity":%d,"disposition":"sellable"}`, a.lamp, units)
		}
		return w.operate(t, by, "POST", "/ops/v1/orders/"+o.id+"/return/receive",
			fmt.Sprintf(`{"location":"MTL-1","lines":[%s]}`, lines))
	}
	expect(t, receive(w.rider, o.units), 422, "validation_error") // couriers hand over
	if !o.due {
		expect(t, receive(w.warehouse, o.units), 409, "conflict")
		return
	}
	expect(t, receive(w.warehouse, o.units+1), 422, "validation_error")
	received := receive(w.warehouse, o.units)
	expect(t, received, 200, "")
	w.audited("order.returned")
	a.take(-o.units)
	o.due, o.events = false, append(o.events, "return.received")
	if received.Text("return", "state") != "received" || received.Text("status") != o.status {
		t.Fatalf("got %s, want it received and %s", received.Body, o.status)
	}
	expect(t, receive(w.warehouse, o.units), 409, "conflict")
}

// returns compares the list of parcels that must come back with the orders.
func (w *world) returns(t *rapid.T) {
	expect(t, w.operate(t, w.rider, "GET", "/ops/v1/returns", ""), 403, "forbidden")
	var got, want []string
	owners := map[string]bool{}
	for _, a := range w.accounts {
		owners[a.partner.PartnerID] = true
		for _, o := range a.orders {
			if o.due {
				want = append(want, o.id)
			}
		}
	}
	const first = "/ops/v1/returns?state=due&limit=200"
	for target := first; target != ""; {
		page := w.operate(t, w.warehouse, "GET", target, "")
		expect(t, page, 200, "")
		for i := range page.Len("returns") {
			if owners[page.Text("returns", i, "partner_id")] { // others are of earlier sequences
				got = append(got, page.Text("returns", i, "order_id"))
			}
		}
		target = ""
		if next := page.Text("next_cursor"); next != "" {
			target = first + "&cursor=" + next
		}
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Fatalf("got the orders %v due back, want %v", got, want)
	}
}

// scan records what was read from a label, which the order's record then has.
func (w *world) scan(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	by := w.courierOrDesk(t)
	path, code := "/ops/v1/orders/"+o.id, w.name("LAMP")
	answer := w.operate(t, by, "POST", path+"/scans", fmt.Sprintf(`{"code":%q}`, code))
	if by == w.rider && o.courier != w.admin.CourierID {
		expect(t, answer, 404, "not_found")
		return
	}
	expect(t, answer, 201, "")
	w.audited("order.scanned")
	o.scans++
	expect(t, w.operate(t, by, "POST", path+"/scans", `{}`), 422, "validation_error")
	record := w.operate(t, by, "GET", path, "")
	expect(t, record, 200, "")
	if record.Len("scans") != o.scans || record.Text("scans", 0, "code") != code ||
		record.Text("scans", 0, "operator_id") != by.OperatorID {
		t.Fatalf("got %s, want %d scans and the newest with the code %s", record.Body, o.scans, code)
	}
}

// putLocation sets the address of the warehouse, with a name that was never used before.
func (w *world) putLocation(t *rapid.T) (name string) {
	name = w.name("Depot")
	expect(t, w.operate(t, w.warehouse, "PUT", "/ops/v1/locations/MTL-1", depot(name)), 200, "")
	w.audited("location.changed")
	return name
}

func depot(name string) string {
	return fmt.Sprintf(`{"name":%q,"phone":"+15145550199","email":"depot@example.com","address":{
		"line1":"9000 Boulevard Saint-Laurent","city":"Montréal","province":"QC","postal_code":"H2N 1M5","country":"CA"}}`,
		name)
}

// locations changes the address of the warehouse, which the list then has.
func (w *world) locations(t *rapid.T) {
	name := w.putLocation(t)
	const path = "/ops/v1/locations"
	expect(t, w.operate(t, w.rider, "PUT", path+"/MTL-1", depot("of a courier")), 403, "forbidden")
	expect(t, w.operate(t, w.warehouse, "PUT", path+"/MTL-1", depot("")), 422, "validation_error")
	expect(t, w.operate(t, w.warehouse, "PUT", path+"/"+strings.Repeat("x", 65), depot(name)), 422, "validation_error")
	expect(t, w.operate(t, w.rider, "GET", path, ""), 403, "forbidden")
	listed := w.operate(t, w.desk, "GET", path, "")
	expect(t, listed, 200, "")
	if listed.Len("locations") != 1 || listed.Text("locations", 0, "code") != "MTL-1" ||
		listed.Text("locations", 0, "name") != name {
		t.Fatalf("got %s, want the warehouse with the name %s", listed.Body, name)
	}
}
