package portal_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestStaleFormsNameTheChange sends forms after a colleague, or an operator, has changed
// what they show.
func TestStaleFormsNameTheChange(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	owner, colleague, clerk := metro.Owner(t), metro.As(t, "owner"), metro.As(t, "clerk")
	colleague.Call(t, "PATCH", "/v1/team/"+colleague.UserID, []byte(`{"name":"Zoé <b>"}`)).Must(t, http.StatusOK)

	team := "/portal/team/" + clerk.UserID
	page := owner.Open(t, team).Must(t, http.StatusOK)
	colleague.Call(t, "PATCH", "/v1/team/"+clerk.UserID, []byte(`{"role":"reader"}`)).Must(t, http.StatusOK)
	sent := owner.Send(t, page, team, "name", "Sam").Must(t, http.StatusSeeOther)
	shown := owner.Do(t, "GET", team, nil, "Cookie", owner.Cookie+"; "+flashOf(t, sent), "Accept", "text/html")
	contains(t, shown, "Latest change: just now, by Zoé &lt;b&gt;.")

	const settings = "/portal/settings"
	page = owner.Open(t, settings).Must(t, http.StatusOK)
	s.Clock.Advance(time.Second)
	colleague.Call(t, "PATCH", "/v1/account", []byte(`{"public_name":"Theirs"}`)).Must(t, http.StatusOK)
	stale := owner.Send(t, page, settings, "public_name", "Mine").Must(t, http.StatusConflict)
	contains(t, stale, "Latest change: just now, by Zoé &lt;b&gt;.", "You had entered: Mine")
	own := owner.Open(t, settings).Must(t, http.StatusOK)
	s.Clock.Advance(time.Second) // changes of one millisecond have no order
	owner.Call(t, "PATCH", "/v1/account", []byte(`{"public_name":"In another window"}`)).Must(t, http.StatusOK)
	shows(t, "own change", owner.Send(t, own, settings, "public_name", "Mine").Must(t, http.StatusConflict), nil,
		[]string{"Latest change"})
}

// flashOf returns the cookie of the message that a response leaves for the next page.
func flashOf(t *testing.T, sent *apptest.Answer) string {
	t.Helper()
	for _, cookie := range (&http.Response{Header: sent.Header}).Cookies() {
		if cookie.Name == "flash" {
			return fmt.Sprintf("%s=%s", cookie.Name, cookie.Value)
		}
	}
	t.Fatal("got no message for the next page")
	return ""
}
