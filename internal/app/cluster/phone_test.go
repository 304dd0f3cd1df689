package cluster_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// phone is a courier's phone with the app of 0.1.0, which keeps what was tapped and sends it later: with the bodies,
// headers, keys and times of assets/courier/outbox.js and send.js of that release.
type phone struct {
	owner, cookie string
	acts          []*act // oldest first
	last          time.Time
}

// act is a request of the phone. It is the same however often it is sent.
type act struct {
	orderID, path, contentType, key string
	body                            []byte
}

// newPhone signs a courier in.
func newPhone(t *testing.T, rider *apptest.Operator) *phone {
	t.Helper()
	const session = "dropyard_ops_session"
	return &phone{owner: rider.OperatorID, cookie: session + "=" + rider.Visit(t).Cookies[session]}
}

// now returns the time of a tap: to the millisecond, and later than that of the tap before.
func (p *phone) now() string {
	at := time.Now().UTC().Truncate(time.Millisecond)
	if !at.After(p.last) {
		at = p.last.Add(time.Millisecond)
	}
	p.last = at
	return at.Format("2006-01-02T15:04:05.000Z")
}

// tap records moves of an order. A picture is recorded for the names photo and signature.
func (p *phone) tap(orderID string, what ...string) {
	for _, one := range what {
		path, at := "/ops/v1/orders/"+orderID, p.now()
		made := &act{orderID: orderID, key: uuid.NewString()}
		if one == "photo" || one == "signature" {
			made.path, made.contentType, made.body = path+"/proofs?kind="+one+"&occurred_at="+at, "image/jpeg", p.picture()
		} else {
			made.path, made.contentType = path+"/status", "application/json"
			made.body = fmt.Appendf(nil, `{"status":%q,"occurred_at":%q}`, one, at)
		}
		p.acts = append(p.acts, made)
	}
}

// picture returns a picture that no act before has.
func (p *phone) picture() []byte {
	drawn := image.NewGray(image.Rect(0, 0, 32, 32))
	for i := range drawn.Pix {
		drawn.Pix[i] = byte(40 * (len(p.acts) + i/256))
	}
	var file bytes.Buffer
	_ = jpeg.Encode(&file, drawn, nil) // into memory
	return file.Bytes()
}

// of returns the acts on an order.
func (p *phone) of(orderID string) []*act {
	return slices.DeleteFunc(slices.Clone(p.acts), func(a *act) bool { return a.orderID != orderID })
}

// send sends an act, as the operator who tapped it.
func (p *phone) send(t *testing.T, s *apptest.Service, a *act) *apptest.Answer {
	t.Helper()
	return s.Do(t, "POST", a.path, a.body, "Accept", "application/json", "Content-Type", a.contentType,
		"Idempotency-Key", a.key, "Dropyard-Operator", p.owner, "Cookie", p.cookie, "Sec-Fetch-Site", "same-origin")
}

// twice sends an act to a node, and again to another, as a phone does that has lost the first response. The second
// response is the first one.
func (p *phone) twice(t *testing.T, first, second *apptest.Service, a *act) {
	t.Helper()
	status := 200
	if strings.Contains(a.path, "/proofs") {
		status = 201
	}
	got := p.send(t, first, a).Must(t, status)
	again := p.send(t, second, a).Must(t, status)
	if !bytes.Equal(again.Body, got.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s: got %s after %s, want the response once more", a.path, again.Body, got.Body)
	}
}

// carried is what is under way with a partner, at the desk and with a courier while the service is upgraded.
type carried struct {
	partner  *apptest.Partner
	desk     *apptest.Operator
	phone    *phone
	receiver *badReceiver
	quote    *apptest.Answer
	lamp     int               // of which each order has one
	orders   map[string]string // by name
}

// carriedNames are the orders of a carried, of which some have an amount to collect.
var carriedNames = []string{"early", "offline", "cash", "half", "moved", "taken", "left"}

const (
	toCollect = 4999 // cents
	stocked   = 100  // lamps
)

// carry lets a courier act on a node of 0.1.0: one order is delivered there; of the others, all or some acts wait on
// the phone. Of the order half, the service has the first acts, but the phone has got no responses.
func carry(t *testing.T, s *apptest.Service) *carried {
	t.Helper()
	c := &carried{partner: s.Register(t, "carrier"), desk: s.Operate(t), receiver: newBadReceiver(t),
		orders: map[string]string{}}
	c.receiver.calmDown() // so that nothing has to be sent again
	c.receiver.secret = c.partner.SetEndpoint(t, c.receiver.URL+"/hook")
	c.phone = newPhone(t, c.desk.As(t, "courier"))
	c.lamp = c.desk.Stock(t, c.partner.PartnerID, "Lamp", map[string]int{"MTL-1": stocked})
	c.quote = c.partner.Call(t, "POST", "/v1/rates/quote", testkit.OrderJSON("Q-1", "")).Must(t, 200)
	for _, name := range carriedNames {
		c.assign(t, s, name)
	}
	c.phone.tap(c.orders["early"], "picked_up", "out_for_delivery", "photo", "delivered")
	for _, a := range c.phone.of(c.orders["early"]) {
		if got := c.phone.send(t, s, a); got.Status/100 != 2 {
			t.Fatalf("%s: got status %d: %s", a.path, got.Status, got.Body)
		}
	}
	c.phone.tap(c.orders["offline"], "picked_up", "in_transit", "out_for_delivery", "photo", "signature", "delivered")
	c.phone.tap(c.orders["cash"], "picked_up", "out_for_delivery", "delivered")
	c.phone.tap(c.orders["half"], "picked_up", "photo", "out_for_delivery", "signature", "delivered")
	c.phone.tap(c.orders["moved"], "picked_up", "out_for_delivery")
	c.phone.tap(c.orders["taken"], "picked_up", "photo")
	for _, a := range c.phone.of(c.orders["half"])[:2] {
		c.phone.send(t, s, a)
	}
	return c
}

// assign creates an order and assigns it to the courier.
func (c *carried) assign(t *testing.T, s *apptest.Service, name string) (id string) {
	t.Helper()
	body := testkit.OrderJSON(name, buying(c.lamp, 1))
	if name == "cash" || name == "across" {
		body = bytes.Replace(body, []byte(`"reference":`),
			fmt.Appendf(nil, `"cod":{"amount_cents":%d,"currency":"CAD"},"reference":`, toCollect), 1)
	}
	id = at(c.partner, s).Create(t, body).Must(t, 201).Text("order_id")
	desk := c.deskAt(s)
	for _, status := range []string{"accepted", "courier_assigned"} {
		desk.Move(t, id, status).Must(t, 200)
	}
	c.orders[name] = id
	return id
}

func (c *carried) deskAt(s *apptest.Service) *apptest.Operator {
	desk := *c.desk
	desk.Service = s
	return &desk
}

// cross sends acts to a node of 0.1.0 and to one of this code, in turn, and each again to the other one.
func (c *carried) cross(t *testing.T, earlier, later *apptest.Service) {
	t.Helper()
	id := c.assign(t, earlier, "across")
	c.phone.tap(id, "picked_up", "photo", "out_for_delivery", "signature", "delivered")
	nodes := []*apptest.Service{earlier, later}
	for i, a := range c.phone.of(id) {
		c.phone.twice(t, nodes[i%2], nodes[(i+1)%2], a)
	}
	got := at(c.partner, later).Create(t, c.quoted("Q-across")).Must(t, 201)
	c.honours(t, got)
}

// quoted returns the body of an order with the quote.
func (c *carried) quoted(reference string) []byte {
	return bytes.Replace(testkit.OrderJSON(reference, ""), []byte("{"),
		fmt.Appendf(nil, `{"quote_id":%q,`, c.quote.Text("quote_id")), 1)
}

// honours expects the price of the quote.
func (c *carried) honours(t *testing.T, created *apptest.Answer) {
	t.Helper()
	if got, want := created.JSON("rate_cents"), c.quote.JSON("rate_cents"); got != want {
		t.Errorf("got a price of %v, want the %v of the quote of 0.1.0", got, want)
	}
}

// keepBooks sets the firm and turns the books on.
func (c *carried) keepBooks(t *testing.T, s *apptest.Service) *apptest.Answer {
	t.Helper()
	desk := c.deskAt(s)
	desk.Call(t, "PUT", "/ops/v1/firm", []byte(`{"name":"Livraisons Plateau inc.","address":"4200 Rue Saint-Denis",
		"numbers":{"gst_hst":"123456789 RT0001","qst":"1234567890 TQ0001"}}`)).Must(t, 200)
	return desk.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`))
}

// arrive connects the phone when no node of 0.1.0 is left. It sends everything to one node, and again to another. The
// books are on before: what the couriers have delivered since they were offline is charged.
func (c *carried) arrive(t *testing.T, first, second *apptest.Service) {
	t.Helper()
	desk := c.deskAt(first)
	apptest.Await(t, "the books are on", func() bool { return c.keepBooks(t, first).Status == 200 })
	desk.UploadCard(t, `"base_cents": `, `"base_cents": 1`, -1)
	c.honours(t, at(c.partner, second).Create(t, c.quoted("Q-after")).Must(t, 201))
	if got := at(c.partner, first).Create(t, testkit.OrderJSON("dearer", "")).Must(t, 201); got.JSON("rate_cents") ==
		c.quote.JSON("rate_cents") {
		t.Errorf("got a price of %v without the quote, want another one", got.JSON("rate_cents"))
	}
	desk.Move(t, c.orders["moved"], "picked_up").Must(t, 200)
	desk.Move(t, c.orders["taken"], "accepted").Must(t, 200)
	desk.Move(t, c.orders["left"], "cancelled").Must(t, 200)
	for _, name := range []string{"offline", "cash", "half", "early"} {
		for _, a := range c.phone.of(c.orders[name]) {
			c.phone.twice(t, first, second, a)
		}
	}
	for _, a := range c.phone.of(c.orders["moved"]) { // the desk was faster
		c.phone.send(t, second, a).Refused(t, 409, "conflict")
	}
	for _, a := range c.phone.of(c.orders["taken"]) {
		c.phone.send(t, first, a).Refused(t, 404, "not_found")
	}
}

// addsUp compares what is stored with what was tapped: each act once, in its order, at its time, and each delivery in
// the books once.
func (c *carried) addsUp(t *testing.T, stored *apptest.Service) {
	t.Helper()
	want := map[string]string{
		"early":   "picked_up out_for_delivery delivered; photo;",
		"offline": "picked_up in_transit out_for_delivery delivered; photo signature; delivery",
		"cash":    "picked_up out_for_delivery delivered; ; delivery unconfirmed",
		"half":    "picked_up out_for_delivery delivered; photo signature; delivery",
		"moved":   "picked_up; ;",
		"taken":   "accepted; ;",
		"left":    "cancelled; ;",
		"across":  "picked_up out_for_delivery delivered; photo signature;", // before the books
	}
	for name, id := range c.orders {
		if got := c.story(t, stored, id); got != want[name] {
			t.Errorf("%s: got %q, want %q", name, got, want[name])
		}
	}
	hasLamps(t, stored, c.partner, stocked-len(c.orders)+1) // one order was cancelled
	c.receiver.check(t, stored, c.partner)
}

// story returns what has happened to an order since it was assigned: its moves, proofs and entries in the journal.
func (c *carried) story(t *testing.T, stored *apptest.Service, id string) string {
	t.Helper()
	where := " WHERE order_id = '" + id + "'"
	moves := stored.Query(t, "SELECT status FROM order_history"+where+" ORDER BY version")
	proofs := stored.Query(t, "SELECT kind FROM order_proofs"+where+" ORDER BY kind")
	entries := stored.Query(t, "SELECT act FROM journal"+where+" ORDER BY act")
	parts := []string{strings.Join(moves[2:], " "), strings.Join(proofs, " "), strings.Join(entries, " ")}
	return strings.TrimSpace(strings.Join(parts, "; "))
}

// resume starts a program on a database as it was before the upgrade. The phone, whose courier signs in again, sends
// what is not stored there, and everything goes on.
func (c *carried) resume(t *testing.T, s settings) {
	t.Helper()
	p, err := startProcess(t, s)
	if err != nil {
		t.Fatal(err)
	}
	again := *c
	again.desk = p.service.Operate(t)
	rider := &apptest.Operator{Service: p.service, Email: "courier@example.com", Password: "a long password of a courier",
		OperatorID: c.phone.owner}
	again.phone = newPhone(t, rider)
	for _, name := range []string{"offline", "half"} {
		for _, a := range c.phone.of(c.orders[name]) {
			again.phone.twice(t, p.service, p.service, a)
		}
	}
	at(c.partner, p.service).Create(t, testkit.OrderJSON("resumed", "")).Must(t, 201)
	again.desk.Move(t, c.orders["left"], "picked_up").Must(t, 200)
	if printed := p.end(syscall.SIGTERM); strings.Contains(printed, "ERROR") || strings.Contains(printed, "panic") {
		t.Errorf("%s: the program printed %s", s.program(t), printed)
	}
	stored := &apptest.Service{Data: s.data, Database: s.database}
	for name, want := range map[string]string{
		"offline": "picked_up in_transit out_for_delivery delivered", "half": "picked_up out_for_delivery delivered",
		"cash": "", "moved": "", "left": "picked_up",
	} {
		moves := stored.Query(t, "SELECT status FROM order_history WHERE order_id = '"+c.orders[name]+"' ORDER BY version")
		if got := strings.Join(moves[2:], " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
