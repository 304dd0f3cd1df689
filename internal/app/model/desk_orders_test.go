package model_test

import (
	"slices"

	"pgregory.net/rapid"
)

// orderByPhone has the desk create an order for a partner.
func (w *world) orderByPhone(t *rapid.T) {
	a := w.account(t)
	o := w.draft(t, a)
	key := o.key
	o.key = "" // the partner cannot repeat it
	status, code := a.accept(o)
	answer := w.send(t, w.service, "POST", "/ops/v1/partners/"+a.partner.PartnerID+"/orders", o.body,
		"Authorization", "Bearer "+w.desk.Token, "Content-Type", "application/json", "Idempotency-Key", key)
	expect(t, answer, status, code)
	if o.id = answer.Text("order_id"); status == 201 {
		w.audited("order.created")
	}
}

// message sends the rider a message, which the rider reads and confirms.
func (w *world) message(t *rapid.T) {
	target := "/ops/v1/couriers/" + w.admin.CourierID + "/messages"
	sent := w.operate(t, w.desk, "POST", target, `{"text":"Call the desk."}`)
	expect(t, sent, 201, "")
	w.audited("courier.messaged")
	listed := w.operate(t, w.rider, "GET", target, "")
	expect(t, listed, 200, "")
	id := sent.Text("message_id")
	if listed.Text("messages", 0, "message_id") != id {
		t.Fatalf("got %s, want the message %s first", listed.Body, id)
	}
	expect(t, w.operate(t, w.desk, "POST", target+"/"+id+"/read", `{}`), 403, "forbidden")
	expect(t, w.operate(t, w.rider, "POST", target+"/"+id+"/read", `{}`), 200, "")
	w.audited("courier.message_read")
}

// labels prints the labels of an order that is under way.
func (w *world) labels(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	if o.id == "" || o.erased || slices.Contains([]string{"delivered", "cancelled"}, o.status) {
		t.Skip("nothing to print")
	}
	expect(t, w.call(t, a.partner, "GET", "/v1/labels?order_id="+o.id, nil, ""), 200, "")
}
