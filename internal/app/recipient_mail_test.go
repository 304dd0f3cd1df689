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

// newMailFloor returns a floor whose partner informs its recipients, and the mail server.
func newMailFloor(t *testing.T) (floor, *testkit.MailServer) {
	t.Helper()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	service := apptest.Start(t, withMail(server))
	f := floor{service, service.Register(t, "metro"), service.Operate(t)}
	f.partner.Owner(t).Call(t, "PATCH", "/v1/account",
		[]byte(`{"public_name":"Épicerie Métro","support_url":"https://metro.example/help","recipient_mail":true}`)).Must(t,
		200)
	return f, server
}

// inQuebec returns the request for an order to Quebec.
func inQuebec(reference string) []byte {
	body := bytes.Replace(testkit.OrderJSON(reference, ""), []byte(`"province":"ON","postal_code":"M5H 2N2"`),
		[]byte(`"province":"QC","postal_code":"H2W 2M5"`), 1)
	return bytes.Replace(body, []byte("alex@example.com"), []byte("alexe@example.com"), 1)
}

// moved moves an order and returns the mail about it.
func (f floor) moved(t *testing.T, server *testkit.MailServer, orderID, move string) *testkit.Mail {
	t.Helper()
	f.operator.Call(t, "POST", "/ops/v1/orders/"+orderID+"/status", []byte(move)).Must(t, 200)
	return <-server.Mails
}

// noMail fails if the mail server has got a mail that no test has taken.
func noMail(t *testing.T, server *testkit.MailServer) {
	t.Helper()
	select {
	case m := <-server.Mails:
		t.Errorf("got the mail %q to %s, want none", m.Subject(), m.To)
	default:
	}
}

// TestRecipientMail follows an order in each language until it is delivered.
func TestRecipientMail(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	for _, c := range []struct {
		body                              []byte
		to, language                      string
		onItsWay, failed, next, delivered string
	}{
		{
			testkit.OrderJSON("A-1", ""), "alex@example.com", "en",
			"Your order A-1 is on its way", "No one was there to take the delivery.",
			"Next attempt: January 15, 2026 at 10:00 AM EST", "Your order A-1 was delivered",
		}, {
			inQuebec("A-2"), "alexe@example.com", "fr",
			"Votre commande A-2 est en route", "Il n’y avait personne pour recevoir la livraison.",
			"Prochaine tentative : 15 janvier 2026 à 10 h 00 HNE", "Votre commande A-2 est livrée",
		},
	} {
		id := f.partner.Create(t, c.body).Must(t, 201).Text("order_id")
		for _, step := range waysTo[delivery.StatusOutForDelivery][:len(waysTo[delivery.StatusOutForDelivery])-1] {
			f.operator.Move(t, id, step).Must(t, 200)
		}
		got := f.moved(t, server, id, `{"status":"out_for_delivery"}`)
		stop := f.URL + "/track/" + id + "/mail"
		if c.language == "fr" {
			stop += "?lang=fr"
		}
		if got.To != c.to || got.Subject() != c.onItsWay || got.Get("Content-Language") != c.language {
			t.Errorf("got %q to %s in %s, want %q to %s in %s", got.Subject(), got.To, got.Get("Content-Language"), c.onItsWay,
				c.to, c.language)
		}
		if got.Get("List-Unsubscribe") != "<"+stop+">" || got.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
			t.Errorf("got the headers %v, want those that stop the mails with %s", got.Header, stop)
		}
		for _, part := range []string{
			"Épicerie Métro", "https://metro.example/help", f.URL + "/track/" + id + "/html", stop, c.to,
		} {
			if !strings.Contains(got.Text, part) || !strings.Contains(got.HTML, part) {
				t.Errorf("got the text\n%s\nand the HTML\n%s\nwant %q in both", got.Text, got.HTML, part)
			}
		}
		got = f.moved(t, server, id, `{"status":"failed","failure_reason":"not_home","next_attempt":"2026-01-15T15:00:00Z"}`)
		if !strings.Contains(got.Text, c.failed) || !strings.Contains(got.Text, c.next) {
			t.Errorf("got the text\n%s\nwant %q and %q in it", got.Text, c.failed, c.next)
		}
		if got = f.moved(t, server, id, `{"status":"out_for_delivery"}`); got.Subject() != c.onItsWay {
			t.Errorf("got %q, want %q again", got.Subject(), c.onItsWay)
		}
		if got = f.moved(t, server, id, `{"status":"delivered"}`); got.Subject() != c.delivered {
			t.Errorf("got %q, want %q", got.Subject(), c.delivered)
		}
	}
	f.Until(t, "SELECT count(*) FROM mails", "0")
	noMail(t, server)
}

// TestNoRecipientMail: partners send none unless they have said so, and cancelled orders
// cause none.
func TestNoRecipientMail(t *testing.T) {
	t.Parallel()
	f, _ := newMailFloor(t)
	f.orderIn(t, "A-1", delivery.StatusCancelled)
	f.partner.Owner(t).Call(t, "PATCH", "/v1/account", []byte(`{"recipient_mail":false}`)).Must(t, 200)
	f.orderIn(t, "A-2", delivery.StatusDelivered)
	if waiting := f.Query(t, "SELECT kind FROM mails WHERE order_id <> ''"); len(waiting) != 0 {
		t.Errorf("got the mails %v, want none", waiting)
	}
}

// TestNoMailToTheAccount: an order whose recipient has no address has that of its account, to which no mail
// to recipients goes, whatever the case of its letters.
func TestNoMailToTheAccount(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	for i, email := range []string{"metro@example.com", "Metro@Example.com"} {
		body := bytes.Replace(testkit.OrderJSON(fmt.Sprintf("A-%d", i), ""), []byte("alex@example.com"), []byte(email), 1)
		id := f.partner.Create(t, body).Must(t, 201).Text("order_id")
		for _, step := range waysTo[delivery.StatusDelivered] {
			f.operator.Move(t, id, step).Must(t, 200)
		}
	}
	if waiting := f.Query(t, "SELECT kind FROM mails WHERE order_id <> ''"); len(waiting) != 0 {
		t.Errorf("got the mails %v, want none", waiting)
	}
	noMail(t, server)
}

// TestLateMail reports an order that is late once, also beside another node, and not at
// all if the recipient knows of a failed attempt.
func TestLateMail(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	orders := []struct {
		body []byte
		want string
	}{{inQuebec("A-2"), "Votre commande A-2 est en retard"}, {testkit.OrderJSON("A-1", ""), "Your order A-1 is late"}}
	expected := make([]time.Time, len(orders))
	for i, order := range orders {
		var err error
		text := f.partner.Create(t, order.body).Must(t, 201).Text("estimated_delivery")
		if expected[i], err = time.Parse(time.RFC3339, text); err != nil {
			t.Fatal(err)
		}
	}
	failed := f.orderIn(t, "A-3", delivery.StatusOutForDelivery)
	<-server.Mails // which says so
	f.moved(t, server, failed, `{"status":"failed"}`)
	for i, order := range orders {
		f.Clock.Advance(expected[i].Add(time.Minute).Sub(f.Clock.Now()))
		if got := <-server.Mails; got.Subject() != order.want {
			t.Errorf("after %v: got %q, want %q", expected[i], got.Subject(), order.want)
		}
	}
	f.Clock.Advance(time.Hour)
	got := f.moved(t, server, failed, `{"status":"out_for_delivery"}`)
	if strings.Contains(got.Text, "Expected by") {
		t.Errorf("got the text\n%s\nwant no estimate that has passed", got.Text)
	}
	noMail(t, server)
}

// TestStopRecipientMail stops the mails about an order by the page and by the POST of a
// mail program, with a mail that waits, and has them sent again.
func TestStopRecipientMail(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	<-server.Mails
	page := "/track/" + id + "/mail"
	shown := f.Do(t, "GET", page, nil).Must(t, 200)
	if !strings.Contains(string(shown.Body), "Stop the e-mails") ||
		!strings.Contains(string(shown.Body), "Épicerie Métro") {
		t.Errorf("got the page\n%s\nwant a button that stops the mails", shown.Body)
	}
	server.Away.Store(true)
	f.operator.Move(t, id, "failed").Must(t, 200)
	<-server.Dropped // the first attempt
	stopped := f.Do(t, "POST", page+"?lang=fr", []byte("List-Unsubscribe=One-Click"), "Content-Type",
		"application/x-www-form-urlencoded").Must(t, 200)
	if !strings.Contains(string(stopped.Body), "Vous ne recevrez plus") ||
		!strings.Contains(string(stopped.Body), "choice=resume") {
		t.Errorf("got the page\n%s\nwant it to say that the mails have stopped", stopped.Body)
	}
	server.Away.Store(false)
	f.Clock.Advance(2 * time.Minute)
	f.operator.Move(t, id, "out_for_delivery").Must(t, 200)
	f.Until(t, "SELECT count(*) FROM mails", "0")
	noMail(t, server)
	f.Do(t, "POST", page+"?choice=resume", nil).Must(t, 200)
	if got := f.moved(t, server, id, `{"status":"delivered"}`); got.Subject() != "Your order A-1 was delivered" {
		t.Errorf("got %q, want the mails again", got.Subject())
	}
	for _, method := range []string{"GET", "POST"} {
		unknown := strings.Replace(page, id, "ord_00000000000000000000000000000000", 1)
		f.Do(t, method, unknown, nil).Refused(t, 404, "not_found")
		html := f.Do(t, method, unknown, nil, "Accept", "text/html").Must(t, 404)
		if !strings.Contains(string(html.Body), "We do not know this delivery") {
			t.Errorf("got\n%s\nwant a page about an unknown delivery", html.Body)
		}
	}
}

// TestRecipientMailAfterOutage keeps the mail server away for an hour. Nothing is lost,
// and nothing arrives twice except the mail whose acceptance the server did not confirm:
// both copies have the same Message-ID.
func TestRecipientMailAfterOutage(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	server.Away.Store(true)
	const orders = 20
	for i := range orders {
		f.orderIn(t, fmt.Sprintf("A-%02d", i), delivery.StatusDelivered)
	}
	f.Until(t, "SELECT count(*) FROM mails WHERE order_id <> ''", fmt.Sprint(2*orders))
	for tried := range 3 {
		f.Clock.Advance(20 * time.Minute)
		f.Until(t, fmt.Sprintf("SELECT CASE WHEN sum(attempts) > %d THEN 'tried' ELSE '' END FROM mails", tried), "tried")
	}
	server.LoseAnswer.Store(true)
	server.Away.Store(false)
	unanswered := <-server.Mails
	f.Clock.Advance(2 * time.Hour)
	f.Until(t, "SELECT count(*) FROM mails", "0")
	copies := map[string]int{unanswered.Get("Message-Id"): 1}
	for len(server.Mails) > 0 {
		copies[(<-server.Mails).Get("Message-Id")]++
	}
	for id, got := range copies {
		want := 1
		if id == unanswered.Get("Message-Id") {
			want = 2
		}
		if got != want {
			t.Errorf("%s: got %d copies, want %d", id, got, want)
		}
	}
	if len(copies) != 2*orders {
		t.Errorf("got %d mails, want %d", len(copies), 2*orders)
	}
}

// TestErasureForgetsRecipientMail removes the mails that wait, and what the recipient has
// chosen, with the personal data of an order.
func TestErasureForgetsRecipientMail(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	server.Away.Store(true)
	erase := func(id string) {
		f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures",
			fmt.Appendf(nil, `{"order_ids":[%q],"force":true}`, id)).Must(t, 200)
	}
	left := func(table, want string) {
		if got := f.Query(t, "SELECT order_id FROM "+table+" WHERE order_id <> ''"); fmt.Sprint(got) != "["+want+"]" {
			t.Errorf("%s: got %v, want %s only", table, got, want)
		}
	}
	erased, kept := f.orderIn(t, "A-1", delivery.StatusOutForDelivery), f.orderIn(t, "A-2", delivery.StatusOutForDelivery)
	erase(erased)
	left("mails", kept)

	stopped := f.orderIn(t, "A-3", delivery.StatusOutForDelivery)
	for _, id := range []string{stopped, kept} {
		f.Do(t, "POST", "/track/"+id+"/mail", nil).Must(t, 200)
	}
	erase(stopped)
	left("order_mails", kept)
	f.operator.Move(t, erased, "delivered").Must(t, 200)
	if got := f.Query(t, "SELECT order_id FROM mails WHERE order_id NOT IN ('', '"+kept+"')"); len(got) != 0 {
		t.Errorf("got mails about %v, want none about an erased order", got)
	}
}

// TestReturnMail: who hands the goods of a return over gets the mails about it, and the shop none.
func TestReturnMail(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	id := f.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for _, step := range waysTo[delivery.StatusDelivered] {
		f.operator.Move(t, id, step).Must(t, 200)
	}
	for range 2 { // on its way, delivered
		<-server.Mails
	}
	back := giveBack(t, f.partner, id, `{"reason":"wrong colour","to":"sender",`+returnWindow+`}`).Must(t,
		201).Text("order_id")
	got := f.moved(t, server, back, `{"status":"accepted"}`)
	if got.To != "alex@example.com" || got.Subject() != "A courier will pick up your return" {
		t.Errorf("got %q to %s, want that a courier will come, to alex@example.com", got.Subject(), got.To)
	}
	for _, part := range []string{
		"From: January 19, 2026 at 9:00 AM EST", "Until: January 19, 2026 at 5:00 PM EST", "Épicerie Métro",
	} {
		if !strings.Contains(got.Text, part) {
			t.Errorf("got the text\n%s\nwant %q in it", got.Text, part)
		}
	}
	f.operator.Move(t, back, "courier_assigned").Must(t, 200)
	got = f.moved(t, server, back, `{"status":"failed","failure_reason":"not_home","next_attempt":"2026-01-20T15:00:00Z"}`)
	if got.Subject() != "Your return could not be picked up" ||
		!strings.Contains(got.Text, "January 20, 2026 at 10:00 AM EST") {
		t.Errorf("got %q\n%s\nwant the next attempt", got.Subject(), got.Text)
	}
	for _, step := range []string{"in_transit", "out_for_delivery", "failed", "out_for_delivery"} {
		f.operator.Move(t, back, step).Must(t, 200)
	}
	if got = f.moved(t, server, back, `{"status":"delivered"}`); got.Subject() != "Your return has arrived" {
		t.Errorf("got %q, want that the return has arrived", got.Subject())
	}
	f.Until(t, "SELECT count(*) FROM mails", "0")
	noMail(t, server)
}
