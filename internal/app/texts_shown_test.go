package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"golang.org/x/net/html"
)

// writtenOrder is the request for an order with a random text in each field that takes one.
type writtenOrder struct {
	body  []byte
	texts map[string]string // by the paths of the fields
}

// writeOrder returns a request with random texts. The number makes its partner_order_id unique.
func writeOrder(t *testing.T, texts *testkit.TextSource, number int) writtenOrder {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(testkit.OrderJSON("", ""), &body); err != nil {
		t.Fatal(err)
	}
	o := writtenOrder{texts: map[string]string{}}
	set := func(object any, path, name, text string) {
		object.(map[string]any)[name] = text
		o.texts[strings.TrimPrefix(path+"."+name, ".")] = text
	}
	set(body, "", "partner_order_id", fmt.Sprint(texts.Identifier(), number))
	set(body, "", "reference", texts.Visible())
	set(body, "", "instructions", texts.Visible())
	for _, end := range []string{"pickup", "dropoff"} {
		contact := body[end].(map[string]any)
		set(contact, end, "name", texts.Visible())
		for _, name := range []string{"line1", "line2", "city", "notes"} {
			set(contact["address"], end+".address", name, texts.Visible())
		}
	}
	parcel := body["parcels"].([]any)[0]
	set(parcel, "parcels[0]", "parcel_id", texts.Identifier())
	set(parcel, "parcels[0]", "description", texts.Visible())
	var err error
	if o.body, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	checkTexts(t, o.texts)
	return o
}

// formed are the members of a request that take no text, or only texts of a form of their own.
var formed = []string{
	"service_level", "phone", "email", "province", "postal_code", "country", "start", "end", "currency", "barcode",
	"length_cm", "width_cm", "height_cm", "weight_kg", "value_cents", "fragile", "amount_cents", "product_id", "quantity",
	"in", // of the metadata
}

// checkTexts fails the test for a member of a request that takes a text and got none.
func checkTexts(t *testing.T, texts map[string]string) {
	t.Helper()
	var filled delivery.OrderRequest
	testkit.Fill(&filled)
	for _, path := range testkit.Members(t, record.EncodeRequest(&filled)) {
		if name := path[strings.LastIndexByte(path, '.')+1:]; texts[path] == "" && !slices.Contains(formed, name) {
			t.Fatalf("got no text at %s, want one in writeOrder, so that pages are searched for it", path)
		}
	}
}

// shownTexts returns the texts of the elements of a page that have nothing else in them, and those
// of all fields.
func shownTexts(t *testing.T, page string) map[string]bool {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for node := range root.Descendants() {
		if child := node.FirstChild; child != nil && child == node.LastChild && child.Type == html.TextNode {
			shown[child.Data] = true
		}
		for _, attribute := range node.Attr {
			if attribute.Key == "value" || node.Data == "meta" {
				shown[attribute.Val] = true
			}
		}
	}
	return shown
}

// shows fails the test unless a page shows all of the texts, each in an element of its own.
func shows(t *testing.T, name, page string, texts map[string]string) {
	t.Helper()
	shown := shownTexts(t, page)
	for field, text := range texts {
		if !shown[text] {
			t.Errorf("%s: got no element with %s %q (%U)", name, field, text, []rune(text))
		}
	}
}

// inMail returns a name as mails have it: on one line, without changes of direction.
func inMail(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			return ' '
		}
		return r
	}, text))
}

// unlinked returns a text without what mail programs make a link of, which subjects leave out.
func unlinked(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("@:/.\u3002\uff0e\uff61\u2024", r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// TestTextsInPagesAndMails: random texts are the same in responses, on the pages of the portal, of
// the console and of recipients, and in the recipient's mail.
func TestTextsInPagesAndMails(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	texts := testkit.NewTextSource(repeatable.Rand(t))
	owner, desk := f.partner.Owner(t), f.operator.Visit(t)
	const inRound = 25 // the mailer sends the mails of a round together
	for round := range testkit.Scaled(12, 1) {
		type named struct{ order, sender string }
		sent := map[string]named{} // by order_id
		for i := range inRound {   // of 18 texts each
			order := writeOrder(t, texts, round*inRound+i)
			sender, courier, vehicle := texts.Name(), texts.Name(), texts.Visible()
			owner.Call(t, "PATCH", "/v1/account", marshal(t, map[string]any{"public_name": sender})).Must(t, 200)
			f.operator.Call(t, "PATCH", "/ops/v1/couriers/"+f.operator.CourierID,
				marshal(t, map[string]any{"name": courier, "vehicle": vehicle})).Must(t, 200)
			created := f.partner.Create(t, order.body).Must(t, 201)
			id := created.Text("order_id")
			order.answered(t, created)
			for _, step := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
				f.operator.Move(t, id, step).Must(t, 200)
			}
			sent[id] = named{order.texts["partner_order_id"], sender}

			order.answered(t, f.partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200))
			all := maps.Clone(order.texts)
			all["courier"], all["vehicle"] = courier, vehicle
			shows(t, "portal", string(owner.Open(t, "/portal/orders/"+id).Must(t, 200).Body), all)
			shows(t, "console", string(desk.Open(t, "/console/orders/"+id).Must(t, 200).Body), all)
			shows(t, "copy", string(owner.Open(t, "/portal/orders/new?from="+id).Must(t, 200).Body), copied(order.texts))
			shows(t, "recipient's page", string(f.Visit().Open(t, "/track/"+id+"/html").Must(t, 200).Body), map[string]string{
				"origin":      order.texts["pickup.address.city"] + ", QC",
				"destination": order.texts["dropoff.address.city"] + ", ON",
				"vehicle":     vehicle, "sender": sender,
			})
		}
		for range inRound {
			mail := <-server.Mails
			_, id, _ := strings.Cut(mail.Get("List-Unsubscribe"), "/track/")
			about := sent[strings.TrimSuffix(id, "/mail>")]
			order, sender := inMail(about.order), inMail(about.sender)
			shows(t, "mail", mail.HTML, map[string]string{"order": order, "sender": sender})
			for _, want := range []string{
				"  Order: " + order + "\n", "Your order from " + sender + " is", "\n\n" + sender + " answers questions",
			} {
				if !strings.Contains(mail.Text, want) {
					t.Errorf("got the text\n%s\nwant %q in it", mail.Text, want)
				}
			}
			if want := "Your order " + order + " is on its way"; unlinked(mail.Subject()) != unlinked(want) {
				t.Errorf("got the subject %q, want %q", mail.Subject(), want)
			}
			if paragraph := sender + " answers questions about your order here:"; !shownTexts(t, mail.HTML)[paragraph] {
				t.Errorf("got the HTML\n%s\nwant the paragraph %q", mail.HTML, paragraph)
			}
		}
	}
}

// answered fails the test unless the record of the order in a response, at a path, has all texts as
// they were sent.
func (o writtenOrder) answered(t *testing.T, response *apptest.Answer, at ...any) {
	t.Helper()
	for path, text := range o.texts {
		steps := slices.Clone(at)
		for step := range strings.SplitSeq(path, ".") {
			name, inList := strings.CutSuffix(step, "[0]")
			if steps = append(steps, name); inList {
				steps = append(steps, 0)
			}
		}
		if got := response.Text(steps...); got != text {
			t.Errorf("%s: got %q, want %q", path, got, text)
		}
	}
}

// copied returns the texts of an order that a copy of it begins with.
func copied(texts map[string]string) map[string]string {
	all := maps.Clone(texts)
	delete(all, "partner_order_id") // a copy has another one
	return all
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(value); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}
