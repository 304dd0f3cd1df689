package console_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRateCardList shows which card applies to which partners, and when.
func TestRateCardList(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	s.Register(t, "nord")
	added := o.Call(t, "POST", "/ops/v1/rate-cards", uploaded("deal", "deal-1", 1000)).Must(t, http.StatusCreated)
	later := strings.Replace(string(uploaded("deal", "deal-2", 900)), `"card"`,
		`"effective_from":"2026-03-01T00:00:00Z","card"`, 1)
	o.Call(t, "POST", "/ops/v1/rate-cards", []byte(later)).Must(t, http.StatusCreated)
	setPartner(t, o, metro, `{"rate_card":"deal"}`)
	s.Clock.Advance(time.Second)
	desk := o.Visit(t)
	for _, c := range []struct {
		query        string
		want, absent []string
	}{
		{"", []string{"3 cards", "deal-1", "deal-2", "default-1", "for one partner", "built in", apptest.OperatorEmail}, nil},
		{"?name=deal", []string{
			"2 cards", "One partner has this series.", `href="/console/partners?card=deal"`, "March 1",
		}, []string{"default-1"}},
		{"?state=planned", []string{"One card", "deal-2"}, []string{"deal-1", "default-1"}},
		{"?state=replaced", []string{"No card is in this state.", "Show all cards"}, []string{"deal-1"}},
		{"?name=%3Cb%3E", []string{"There is no series “&lt;b&gt;”."}, []string{"deal-1"}},
		{"?state=lost&after=none", []string{"3 cards"}, nil},
	} {
		page := desk.Open(t, "/console/rate-cards"+c.query)
		page.Shows(t, http.StatusOK, c.want...)
		showsNone(t, page, c.absent...)
	}
	path := "/console/rate-cards/" + added.Text("card_id")
	desk.Open(t, path).Shows(t, http.StatusOK, "deal-1", "values differ", "default-1", "$10.00", "Adjacent provinces",
		"12.5%", "1.375\u00a0CAD", "Per kg beyond", "&#34;parcel_cents&#34;: 150")
	file := desk.Open(t, path+"/file")
	if got := string(file.Body); got != cardJSON("deal-1", 1000) ||
		file.Header.Get("Content-Disposition") != `attachment; filename="deal-1.json"` {
		t.Errorf("got %q, want the card as it was uploaded, for download", got)
	}
	desk.Open(t, "/console/rate-cards/crd_none").Shows(t, http.StatusNotFound, "")
	o.As(t, "dispatcher").Visit(t).Open(t, "/console/rate-cards").Shows(t, http.StatusForbidden, "")
}

// TestRateCardProblems names what is wrong in a file by line and field, and keeps the text.
func TestRateCardProblems(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	desk := o.Visit(t)
	good := cardJSON("next-1", 1000)
	const to = "/console/rate-cards/new"
	page := desk.Open(t, to)
	for _, c := range []struct {
		name   string
		status int
		fields []string
		want   []string
	}{
		{"no file", 422, []string{"document", ""}, []string{`id="fault-document"`}},
		{"no name", 422, []string{"name", "a b", "document", good}, []string{`id="fault-name"`, "Enter 1 to 64 letters"}},
		{"in the past", 422, []string{
			"effective_from", "2020-01-01T00:00", "document", good,
		}, []string{`id="fault-effective_from"`, "Enter a time in the future"}},
		{"not JSON", 422, []string{
			"document", "{\n \"version\": \"x\",\n oops}",
		}, []string{`data-label="Line">3</td>`, "Correct the JSON here"}},
		{"too short", 422, []string{"document", "{\n \"version\": \"x\",\n"}, []string{`data-label="Line">2</td>`}},
		{"a member twice", 422, []string{
			"document", "{\n \"version\": \"x\",\n \"version\": \"y\"}",
		}, []string{`data-label="Line">3</td>`}},
		{"out of bounds", 422, []string{"document", strings.Replace(good, `"parcel_cents": 150`, `"parcel_cents": -1`,
			1)}, []string{`data-label="Line">23</td>`, "parcel_cents", ">-1<", "Enter a whole number from 0 to"}},
		{"unknown", 422, []string{"document", strings.Replace(good, `"fragile_cents": 250`, `"fragile": 250`,
			1)}, []string{`data-label="Line">25</td>`, "there is no such field", ">fragile_cents<", "2 things to correct"}},
		{"missing zone member", 422, []string{"document", strings.Replace(good, `"per_kg_cents": 25, `, ``,
			1)}, []string{`data-label="Line">5</td>`, "levels.standard.zones.local.per_kg_cents"}},
		{"in use", 422, []string{"document", cardJSON("default-1", 1000)}, []string{"version", `data-label="Line">2</td>`}},
		{"markup", 422, []string{
			"document", `{"<script>hacked=1</script>": 1}`,
		}, []string{"&lt;script&gt;hacked=1&lt;/script&gt;"}},
	} {
		got := desk.Send(t, page, to, c.fields...)
		got.Shows(t, c.status, c.want...)
		if document := c.fields[len(c.fields)-1]; document != "" && apptest.FieldOf(t, got, to, "document") != document {
			t.Errorf("%s: got another text than was sent, %q", c.name, apptest.FieldOf(t, got, to, "document"))
		}
	}
	if got := o.Call(t, "GET", "/ops/v1/rate-cards", nil).Must(t, http.StatusOK).Len("rate_cards"); got != 1 {
		t.Errorf("got %d cards, want the built-in one only", got)
	}
}

// TestRateCardUpload checks a file, previews it with real orders and adds it. A form is
// stale once another card was added to the series.
func TestRateCardUpload(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	metro := s.Register(t, "metro")
	created := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated)
	desk := o.Visit(t)
	const to, add = "/console/rate-cards/new", "/console/rate-cards"
	page := desk.Open(t, to)
	body, contentType := withFile(t, page.Form(t, to), "card.json", cardJSON("next-1", 1000))
	checked := desk.Request(t, "POST", to, body, "Content-Type", contentType)
	checked.Shows(t, http.StatusOK, "This card can be added", "next-1", "immediately",
		"for one partner without a series of its own", "values differ", "A-1", "In all", "Add this card")
	desk.Send(t, checked, to, "partner", "par_none").Shows(t, http.StatusOK, "There is no partner with this id.")
	desk.Send(t, checked, to, "partner", metro.PartnerID, "orders", "5").Shows(t, http.StatusOK, "A-1",
		`<option value="5" selected>`)

	o.Call(t, "POST", "/ops/v1/rate-cards", uploaded("default", "other", 700)).Must(t, http.StatusCreated)
	desk.Send(t, checked, add).Leads(t, "/console/rate-cards?name=default")
	desk.Open(t, "/console/rate-cards?name=default").Shows(t, http.StatusOK, "Someone else changed this")
	again := desk.Send(t, page, to, "document", strings.ReplaceAll(cardJSON("next-1", 1000), "\n", "\r\n"),
		"effective_from", "2026-02-01T00:00") // on the clock of Montréal
	added := desk.Send(t, again, add)
	path := added.Header.Get("Location")
	desk.Open(t, path).Shows(t, http.StatusOK, "The card next-1 was added to the series default.", "Planned",
		"<a href=\"/console/rate-cards/crd_", "other")
	listed := o.Call(t, "GET", "/ops/v1/rate-cards", nil).Must(t, http.StatusOK)
	if listed.Text("rate_cards", 0, "version") != "next-1" ||
		listed.Text("rate_cards", 0, "effective_from") != "2026-02-01T05:00:00.000Z" ||
		listed.Text("rate_cards", 0, "created_by") != o.OperatorID {
		t.Errorf("got %s, want next-1 from February, by %s", listed.Body, o.OperatorID)
	}
	if got := string(desk.Open(t, path+"/file").Body); got != cardJSON("next-1", 1000) {
		t.Errorf("got %q, want the file as it was typed, with the lines of a file", got)
	}
	log := o.Call(t, "GET", "/ops/v1/audit?action=rate_card.added", nil).Must(t, http.StatusOK)
	if got := log.Text("entries", 0, "operator_id"); got != o.OperatorID {
		t.Errorf("got an entry by %s, want one by %s", got, o.OperatorID)
	}
	preview := desk.Open(t, path+"/preview?partner="+metro.PartnerID)
	preview.Shows(t, http.StatusOK, "A-1", "Difference")
	price := o.Call(t, "POST", "/ops/v1/rate-cards/preview", []byte(`{"card_id":"`+strings.TrimPrefix(path,
		"/console/rate-cards/")+`","order_id":"`+created.Text("order_id")+`"}`)).Must(t, http.StatusOK)
	current, _ := price.JSON("current", "rate_cents").(float64)
	proposed, _ := price.JSON("proposed", "rate_cents").(float64)
	preview.Shows(t, http.StatusOK, dollars(current), dollars(proposed), "&#43;"+dollars(proposed-current))
	desk.Open(t, path+"/preview?partner=par_none").Shows(t, http.StatusOK, "There is no partner with this id.")
	desk.Open(t, "/console/rate-cards/new?from="+strings.TrimPrefix(path, "/console/rate-cards/")).Shows(t, http.StatusOK,
		"&#34;next-2&#34;")
}

// dollars returns an amount as pages in English show it.
func dollars(cents float64) string { return fmt.Sprintf("$%.2f", cents/100) }

// withFile returns a form that a browser sends with a file.
func withFile(t *testing.T, form []byte, name, content string) (body []byte, contentType string) {
	t.Helper()
	fields, err := url.ParseQuery(string(form))
	if err != nil {
		t.Fatal(err)
	}
	fields.Del("file")
	var sent bytes.Buffer
	parts := multipart.NewWriter(&sent)
	for name := range fields {
		if err := parts.WriteField(name, fields.Get(name)); err != nil {
			t.Fatal(err)
		}
	}
	file, err := parts.CreateFormFile("file", name)
	if err == nil {
		_, err = file.Write([]byte(content))
	}
	if err == nil {
		err = parts.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return sent.Bytes(), parts.FormDataContentType()
}
