package console_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// forms are the forms of a page that may change something.
var forms = regexp.MustCompile(`<form[^>]* method="post"[^>]*>`)

// TestAccountantReads leads an accountant to the books; the figures, partners and orders. Their pages have
// what a dispatcher reads, and nothing to press.
func TestAccountantReads(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	_, items := b.lamps(t, 2)
	due, carried := b.givenUp(t, "A-1", items), b.carried(t, "A-2", "")
	b.metro.Call(t, "POST", "/v1/orders/"+carried+"/cancellation-request", []byte(`{"reason":"wrong size"}`),
		"Idempotency-Key", uuid.NewString()).Must(t, http.StatusAccepted)
	b.desk.Call(t, "POST", "/ops/v1/orders/"+carried+"/notes", []byte(`{"text":"Paid in cash."}`)).Must(t, 201)
	pending := b.metro.Create(t, testkit.OrderJSON("A-3", "")).Must(t, 201).Text("order_id")
	partner := "/console/partners/" + b.metro.PartnerID

	v := b.desk.As(t, "accountant").Visit(t)
	v.Open(t, "/console").Leads(t, "/console/money")
	menu := []string{
		`href="/console/orders"`, `href="/console/partners"`, `href="/console/figures"`, `href="/console/sign-in"`,
	}
	for path, shows := range map[string][]string{
		"/console/figures": {"Figures"},
		"/console/figures?partner_id=" + b.metro.PartnerID: {"metro"},
		"/console/partners":          {partner},
		partner:                      {"/console/orders/" + due, b.metro.Email},
		"/console/orders":            {"/console/orders/" + carried, "/console/orders/" + pending},
		"/console/orders/" + due:     {"Parcels due back:", "Lamp"},
		"/console/orders/" + carried: {"wrong size", "Paid in cash.", "boss@example.com"},
		"/console/orders/" + pending: {"A-3", "Details"},
	} {
		page := v.Open(t, path)
		page.Shows(t, 200, append(shows, menu...)...)
		if sent := forms.FindAllString(string(page.Body), -1); len(sent) != 1 {
			t.Errorf("%s: got the forms %q, want the one that signs out", path, sent)
		}
		lacks(t, page, `href="/console/board`, `href="/console/couriers`, `href="/console/returns`, "label?format", `/edit"`, `/new"`)
	}
	v.Open(t, "/console/orders?q=A-2&open=1").Leads(t, "/console/orders/"+carried)
	v.Open(t, "/console/money").Shows(t, 200, `href="/console/exports"`)
	v.Open(t, "/console/exports").Shows(t, 200, "This service exports no days.")
	v.Open(t, "/console/board").Shows(t, http.StatusForbidden, "You don’t have access to this page", menu[0])
	v.Open(t, "/courier").Must(t, http.StatusForbidden)
}
