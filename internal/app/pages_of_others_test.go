package app_test

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web"
)

// withoutLooking are the routes that answer otherwise than with 404 about a record that is not there. The first two are
// about no record, the next two lead to its page, and the others check the form first, or have nothing left to do.
var withoutLooking = map[string]int{
	"GET addresses/{kind}":                    http.StatusOK,
	"POST addresses/{kind}":                   http.StatusUnprocessableEntity,
	"GET imports/{draft_id}/check":            http.StatusSeeOther,
	"GET orders/{order_id}/edit/preview":      http.StatusSeeOther,
	"POST addresses/{kind}/{entry_id}":        http.StatusUnprocessableEntity,
	"POST addresses/{kind}/{entry_id}/remove": http.StatusSeeOther,
	"POST sign-in/sessions/{session_id}":      http.StatusSeeOther,
}

// TestOtherPartnersPages opens each page of the portal that is about one record, and sends its form, as an owner of
// another partner. The record does not exist there, and stays as it is. Its own owner sees each of these pages.
func TestOtherPartnersPages(t *testing.T) {
	t.Parallel()
	records := &apptest.Records{}
	f := newFloor(t, records.Companies(apptest.NewProvider(t)))
	owner, theirs := f.recordsOfPages(t, records)
	stranger := f.Register(t, "other")
	stranger.SetEndpoint(t, apptest.NewReceiver(t).URL)
	other := stranger.Owner(t)
	const rows = `SELECT document FROM saved_entries UNION ALL SELECT domain || checked_at FROM partner_domains
		UNION ALL SELECT email || role FROM users UNION ALL SELECT link_id FROM one_time_links
		UNION ALL SELECT public_key || revoked_at FROM api_keys
		UNION ALL SELECT session_id FROM sessions`
	before, content := strings.Join(f.Query(t, rows), "\n"), f.Content(t)
	asked := 0
	for _, route := range app.PageRoutes() {
		if route.For != web.Partners || !strings.Contains(route.Pattern, "{") || strings.Contains(route.Pattern, "...") {
			continue
		}
		target := wildcard.ReplaceAllStringFunc(route.Pattern, func(name string) string {
			if theirs[name] == "" {
				t.Fatalf("%s: got the parameter %s: add a record of the first partner here", route.Pattern, name)
			}
			return theirs[name]
		})
		asked++
		var got *apptest.Answer
		if route.Method == http.MethodGet {
			got = other.Open(t, target)
			if own := owner.Open(t, target); own.Status >= 400 && own.Status != http.StatusConflict {
				t.Errorf("%s: got status %d for its owner: %s", target, own.Status, own.Body)
			}
		} else {
			got = other.Do(t, route.Method, target, fmt.Appendf(nil, "_key=%032x", asked), "Cookie", other.Cookie, "Accept",
				"text/html", "Content-Type", "application/x-www-form-urlencoded")
		}
		if want := cmp.Or(withoutLooking[route.Method+" "+strings.TrimPrefix(route.Pattern, "/portal/")],
			http.StatusNotFound); got.Status != want {
			t.Errorf("%s %s: got status %d, want %d", route.Method, route.Pattern, got.Status, want)
		}
	}
	if after := strings.Join(f.Query(t, rows), "\n"); after != before {
		t.Errorf("got\n%s\nwant what was there before\n%s", after, before)
	}
	f.Unchanged(t, content)
	if asked < 25 {
		t.Errorf("got %d routes, want more", asked)
	}
}

// recordsOfPages creates a record for each parameter in the paths of the portal.
func (f floor) recordsOfPages(t *testing.T, records *apptest.Records) (owner *apptest.User, theirs map[string]string) {
	t.Helper()
	f.keepBooks(t)
	orderID := f.orderIn(t, "A-1", delivery.StatusDelivered)
	f.endMonth(t)
	statement := f.operator.Call(t, "POST", "/ops/v1/statements",
		fmt.Appendf(nil, `{"period":"2026-01","partner_id":%q}`, f.partner.PartnerID)).Must(t, 201)
	owner = f.partner.Owner(t)
	owner.NameDomain(t, records, "metro.example")
	f.partner.SetEndpoint(t, apptest.NewReceiver(t).URL)
	f.partner.Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201)
	refused := f.partner.Create(t, []byte(`{}`)).Refused(t, 422, "validation_error")
	f.Until(t, "SELECT count(*) FROM request_log WHERE requests > 0", "1")
	draft := startImport(t, owner, "/portal/orders/import").Must(t, http.StatusSeeOther).Header.Get("Location")
	f.Execute(t, `INSERT INTO saved_entries (partner_id, kind, entry_id, name, email, document, updated_at)
		VALUES ('`+f.partner.PartnerID+`', 'recipient', '0123456789abcdef01234567', 'Alex', '', '{}', 1)`)
	return owner, map[string]string{
		"{order_id}": orderID, "{kind}": "recipient", "{entry_id}": "0123456789abcdef01234567", "{domain}": "metro.example",
		"{key_id}": f.partner.KeyID, "{user_id}": owner.UserID, "{request_id}": refused.Header.Get("X-Request-Id"),
		"{file}":     statement.Text("statement_id") + ".pdf",
		"{event_id}": f.partner.Call(t, "GET", "/v1/webhooks/events", nil).Must(t, 200).Text("events", 0, "event_id"),
		"{invitation_id}": owner.Call(t, "POST", "/v1/team/invitations",
			[]byte(`{"email":"sam@metro.example","role":"clerk"}`)).Must(t, 201).Text("invitation_id"),
		"{draft_id}":   path.Base(draft),
		"{session_id}": owner.Call(t, "GET", "/v1/auth/sessions", nil).Must(t, 200).Text("sessions", 0, "session_id"),
	}
}
