package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// registration sets --registration.
func registration(kind string) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Registration = kind }
}

func TestRegistrationByApproval(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, registration("approval"))
	admin := s.Operate(t)
	const email, password = "new@example.com", "brume-et-goélands-1907"
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)
	made := s.Do(t, "POST", "/v1/auth/register",
		fmt.Appendf(nil, `{"name":"Port","email":%q,"password":%q}`, email, password)).Must(t, 201)
	id := made.Text("partner_id")
	if want := `{"partner_id":"` + id + `","name":"Port","email":"new@example.com","created_at":"2026-01-14T15:00:00.000Z","status":"pending"}`; string(made.Body) != want {
		t.Errorf("registered: got %s, want %s", made.Body, want)
	}

	headers := []string{"X-Partner-Email", email, "X-Partner-Password", password}
	refused := func() {
		t.Helper()
		for _, answer := range []*apptest.Answer{
			s.Do(t, "POST", "/v1/auth/login", login),
			s.Do(t, "GET", "/v1/auth/api-keys", nil, headers...),
			s.Do(t, "POST", "/v1/auth/api-keys", nil, headers...),
			s.Do(t, "POST", "/v1/auth/api-keys", login),
		} {
			answer.Refused(t, 403, "forbidden")
			if got := answer.Text("error", "message"); got != "this account awaits approval" {
				t.Errorf("got message %q, want that the account awaits approval", got)
			}
		}
	}
	refused()
	s.Do(t, "POST", "/v1/auth/login", []byte(strings.Replace(string(login), password, "wrong", 1))).Refused(t, 401,
		"unauthorized")

	pending := func() string {
		return string(admin.Call(t, "GET", "/ops/v1/partners?pending=true", nil).Must(t, 200).Body)
	}
	if got := pending(); !strings.Contains(got, id) ||
		!strings.Contains(got, `"pending_since":"2026-01-14T15:00:00.000Z"`) {
		t.Errorf("accounts that await approval: got %s, want %s", got, id)
	}
	// Other settings may be made before.
	admin.Call(t, "PATCH", "/ops/v1/partners/"+id, []byte(`{"rate_limit":60}`)).Must(t, 200)
	refused()

	approve := "/ops/v1/partners/" + id + "/approve"
	admin.As(t, "dispatcher").Call(t, "POST", approve, nil).Refused(t, 403, "forbidden")
	admin.Call(t, "POST", "/ops/v1/partners/par_00000000/approve", nil).Refused(t, 404, "not_found")
	for range 2 { // the second one changes nothing
		approved := admin.Call(t, "POST", approve, nil).Must(t, 200)
		if approved.JSON("pending_since") != nil || approved.JSON("rate_limit") != 60.0 {
			t.Errorf("approved: got %s, want no pending_since, and the settings from before", approved.Body)
		}
	}
	if got := pending(); strings.Contains(got, id) {
		t.Errorf("after the approval: got %s, want no account", got)
	}
	s.Do(t, "POST", "/v1/auth/api-keys", nil, headers...).Must(t, 201)
	in := s.Do(t, "POST", "/v1/auth/login", login).Must(t, 200)
	if strings.Contains(string(in.Body), "status") {
		t.Errorf("login: got %s, want the contract's record", in.Body)
	}
	entries, _ := admin.Call(t, "GET", "/ops/v1/audit?action=partner.approved", nil).Must(t, 200).JSON("entries").([]any)
	if want := "map[pending:true] map[pending:false] " + id; len(entries) != 1 || fmt.Sprint(member(entries[0], "before"),
		" ", member(entries[0], "after"), " ", member(entries[0], "partner_id")) != want {
		t.Errorf("audit log: got %v, want one entry with %s", entries, want)
	}
}

// member returns a member of a decoded JSON object.
func member(object any, name string) any { return object.(map[string]any)[name] }

// TestApprovalReachesOtherNodes approves on one node what another has refused.
func TestApprovalReachesOtherNodes(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.Sharable(t), registration("approval"))
	second := first.Beside(t, registration("approval"))
	made := first.Do(t, "POST", "/v1/auth/register",
		[]byte(`{"name":"Port","email":"new@example.com","password":"brume-et-vent"}`)).Must(t, 201)
	login := []byte(`{"email":"new@example.com","password":"brume-et-vent"}`)
	second.Do(t, "POST", "/v1/auth/login", login).Refused(t, 403, "forbidden")
	first.Operate(t).Call(t, "POST", "/ops/v1/partners/"+made.Text("partner_id")+"/approve", nil).Must(t, 200)
	first.Do(t, "POST", "/v1/auth/login", login).Must(t, 200)
	first.Clock.Advance(5 * time.Second)
	second.Do(t, "POST", "/v1/auth/login", login).Must(t, 200)
}

func TestRegistrationClosed(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, registration("closed"))
	refused := s.Do(t, "POST", "/v1/auth/register",
		[]byte(`{"name":"Port","email":"new@example.com","password":"brume-et-vent"}`)).Refused(t, 403, "forbidden")
	if got := refused.Text("error", "message"); got != "registration is closed" {
		t.Errorf("got message %q, want that registration is closed", got)
	}
}
