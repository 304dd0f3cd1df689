package portal_test

import (
	"net/http"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestHome shows a partner's own orders, those of the mode that is looked at, and to
// each person what the role may do.
func TestHome(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("LIVE-1", "")).Must(t, 201)
	metro.InTest(t).Create(t, testkit.OrderJSON("TEST-1", "")).Must(t, 201)
	s.Register(t, "nord").Create(t, testkit.OrderJSON("NORD-1", "")).Must(t, 201)
	owner, reader := metro.Owner(t), metro.As(t, "reader")
	for _, c := range []struct {
		who          *apptest.User
		path         string
		want, absent []string
	}{
		{owner, "/portal", []string{
			"LIVE-1", "Orders, 14 days", `href="/portal/orders/new"`, `href="/portal?mode=test"`,
		}, []string{"TEST-1", "NORD-1", "Test mode:"}},
		{owner, "/portal?mode=test", []string{
			"TEST-1", "Test mode:", `href="/portal/orders/new?mode=test"`,
		}, []string{"LIVE-1", "Orders, 14 days"}},
		{owner, "/portal?lang=fr", []string{"Bonjour", `<html lang="fr"`}, []string{"Hello"}},
		{reader, "/portal", []string{"LIVE-1"}, []string{`href="/portal/orders/new"`}},
	} {
		shows(t, c.path, c.who.Open(t, c.path).Must(t, http.StatusOK), c.want, c.absent)
	}
}

// TestPortalRequiresSession leads people who have not signed in to the sign-in page.
func TestPortalRequiresSession(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	answer := s.Do(t, "GET", "/portal?mode=test", nil).Must(t, http.StatusSeeOther)
	if got := answer.Header.Get("Location"); got != "/portal/login?next=%2Fportal%3Fmode%3Dtest" {
		t.Errorf("got to %q, want to the sign-in page", got)
	}
}
