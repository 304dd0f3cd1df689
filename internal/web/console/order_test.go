package console_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOrderAtTheDesk takes an order from its creation to its delivery on its page: each
// form moves it, and the page says who did what.
func TestOrderAtTheDesk(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t)
	v := desk.As(t, "dispatcher").Visit(t)
	id := s.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	path := "/console/orders/" + id
	press := func(move string, values ...string) *apptest.Answer {
		t.Helper()
		return v.Send(t, v.Open(t, path).Must(t, http.StatusOK), path+"/moves/"+move, values...)
	}
	fill := func(move string, values ...string) {
		t.Helper()
		v.Fill(t, path+"/moves/"+move, values...).Leads(t, path)
	}

	v.Open(t, path).Shows(t, 200, "Pending", "Due tomorrow, 5:00 PM EST",
		"4000 Rue Saint-Denis", path+"/label?format=zpl", path+`/moves/cancelled"`)
	press("accepted").Leads(t, path)
	fill("courier_assigned", "courier_id", desk.CourierID)
	v.Open(t, path).Shows(t, 200, "A-1 is assigned.", "Camille Tremblay", "Reassign…", "Unassign")
	press("picked_up").Leads(t, path)
	press("out_for_delivery").Leads(t, path)
	fill("failed", "failure_reason", "not_home", "next_attempt", "2026-01-16T09:00", "notes", "")
	v.Open(t, path).Shows(t, 200, "<strong><bdi>No one was there", "The failed attempt at A-1 is recorded.",
		"Try again now", "Try again later", "Cancel and return…")
	press("out_for_delivery").Leads(t, path)
	press("delivered").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "A-1 is delivered.", "· dispatcher@example.com")
	if body := string(v.Open(t, path).Body); strings.Contains(body, "/moves/") {
		t.Errorf("got a page with moves of an order that has ended:\n%s", body)
	}
}

// TestOrderFormsAreRefused sends forms that are stale, incomplete, or for what is not
// allowed, and says so on the page.
func TestOrderFormsAreRefused(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t)
	other, v := desk.As(t, "dispatcher").Visit(t), desk.Visit(t)
	id := s.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	path := "/console/orders/" + id

	stale, seen := other.Open(t, path).Must(t, http.StatusOK), v.Open(t, path).Must(t, http.StatusOK)
	other.Send(t, other.Open(t, path), path+"/moves/accepted").Leads(t, path)
	v.Send(t, seen, path+"/moves/accepted").Leads(t, path)
	v.Open(t, path).Shows(t, 200,
		"Nothing was changed: dispatcher@example.com was faster. The order’s status is now “Accepted”.")
	other.Send(t, stale, path+"/moves/accepted").Leads(t, path)
	other.Open(t, path).Shows(t, 200, "Nothing was changed: the order’s status is now “Accepted”.") // by this operator
	v.Open(t, path+"/moves/failed").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "Nothing was changed: this is not possible while the order’s status is “Accepted”.")
	v.Open(t, path+"/moves/delivered").Must(t, http.StatusNotFound)
	v.Fill(t, path+"/moves/courier_assigned", "courier_id", "cou_none").Shows(t, 422, `id="fault-courier_id"`)
	v.Fill(t, path+"/moves/cancelled", "reason", strings.Repeat("x", 501)).Shows(t, 422, `id="fault-reason"`,
		"xxx</textarea>")
	v.Fill(t, path+"/moves/cancelled", "reason", "closed").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "A-1 is cancelled.", "closed")

	warehouse := desk.As(t, "warehouse").Visit(t)
	warehouse.Open(t, path).Must(t, http.StatusForbidden)
	v.Open(t, "/console/orders/ord_none").Must(t, http.StatusNotFound)
}

// TestOrderNotesAndProofs adds a note, which may hold markup, and a picture.
func TestOrderNotesAndProofs(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t)
	v := desk.Visit(t)
	id := s.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	path := "/console/orders/" + id
	v.Send(t, v.Open(t, path), path+"/notes", "text", "<b>ring twice</b>").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "The note is added.", "&lt;b&gt;ring twice&lt;/b&gt;", "· "+apptest.OperatorEmail)
	v.Send(t, v.Open(t, path), path+"/notes", "text", "").Shows(t, 422, `id="fault-text"`)

	for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	upload := func(data []byte) *apptest.Answer {
		body, kind := pictureForm(t, apptest.FieldOf(t, v.Open(t, path), path+"/proofs", "_key"), data)
		return v.Request(t, "POST", path+"/proofs", body, "Content-Type", kind)
	}
	upload(nil).Shows(t, 422, "Choose a file.")
	upload([]byte("no picture")).Shows(t, 422, "This is not a PNG")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	upload(picture.Bytes()).Leads(t, path)
	v.Open(t, path).Shows(t, 200, "The picture is added.", `src="/proofs/`)
	label := v.Open(t, path+"/label?format=zpl").Must(t, http.StatusOK)
	if !bytes.Contains(label.Body, []byte("^XA")) {
		t.Errorf("got %q, want a label in ZPL", label.Body)
	}
}

// pictureForm returns the form that adds a picture, and its content type.
func pictureForm(t *testing.T, key string, data []byte) (body []byte, contentType string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{"_key": key, "kind": "photo"} {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("picture", "door.png")
	if err == nil {
		_, err = part.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return form.Bytes(), w.FormDataContentType()
}

// TestOrderList narrows the list of open orders by status and search, and finds an order
// that has ended by its number.
func TestOrderList(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk, metro, nord := s.Operate(t), s.Register(t, "metro"), s.Register(t, "nord")
	v := desk.Visit(t)
	v.Open(t, "/console/orders").Shows(t, 200, "No order is open.")
	v.Open(t, "/console/orders?partner=none").Must(t, http.StatusNotFound)
	v.Open(t, "/console/orders?status=accepted&partner="+metro.PartnerID).
		Shows(t, 200, "Open orders of", "metro", "All partners", `href="/console/orders?status=accepted"`,
			metro.PartnerID+`&amp;status=failed`)
	ids := make([]string, 3)
	for i := range ids {
		ids[i] = metro.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201).Text("order_id")
	}
	desk.Move(t, ids[1], "accepted").Must(t, 200)
	desk.Move(t, ids[2], "cancelled").Must(t, 200)
	for path, want := range map[string][]string{
		"": {"A-0", "A-1"}, "?status=accepted": {"A-1"}, "?status=delivered": {"A-0", "A-1"}, "?q=A-2": {"A-2"},
		"?q=nothing": {}, "?status=failed": {}, "?cursor=x": {"A-0", "A-1"}, "?partner=" + metro.PartnerID: {"A-0", "A-1"},
		"?partner=" + nord.PartnerID: {}, "?status=accepted&partner=" + nord.PartnerID: {},
	} {
		got := string(v.Open(t, "/console/orders"+path).Must(t, http.StatusOK).Body)
		for i, id := range ids {
			name := fmt.Sprint("A-", i)
			if shown := strings.Contains(got,
				`href="/console/orders/`+id+`"`); shown != strings.Contains(strings.Join(want, " "), name) {
				t.Errorf("%q: got %s shown: %v, want %q", path, name, shown, want)
			}
		}
	}
}

// TestSearchShowsOpenOrdersFirst searches by a recipient with an order under way and one that has ended.
func TestSearchShowsOpenOrdersFirst(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk, metro := s.Operate(t), s.Register(t, "metro")
	v := desk.Visit(t)
	open := metro.Create(t, testkit.OrderJSON("A-0", "")).Must(t, 201).Text("order_id")
	ended := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	desk.Move(t, ended, "cancelled").Must(t, 200)
	apptest.Await(t, "the words of the orders", func() bool {
		s.Clock.Advance(time.Second)
		return bytes.Contains(v.Open(t, "/console/orders?q=alex").Body, []byte(ended))
	})
	found := v.Open(t, "/console/orders?q=alex")
	found.Shows(t, http.StatusOK, "2 orders found")
	if body := string(found.Body); strings.Index(body, open) > strings.Index(body, ended) {
		t.Error("got the cancelled order first, want the one under way")
	}
	desk.Move(t, open, "accepted").Must(t, 200)
	desk.Move(t, open, "courier_assigned").Must(t, 200)
	v.Open(t, "/console/orders/"+open).Shows(t, http.StatusOK, `href="/console/couriers/`+desk.CourierID+`"`,
		`href="/console/partners/`+metro.PartnerID+`"`)
}
