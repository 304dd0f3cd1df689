package portal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// addDeliveries creates two orders, of which one is delivered, on 14 January 2026, and
// one more on the day before.
func addDeliveries(t *testing.T, s *apptest.Service, metro *apptest.Partner) {
	t.Helper()
	desk := s.Operate(t)
	metro.Create(t, testkit.OrderJSON("A-0", "")).Must(t, http.StatusCreated)
	s.Clock.Advance(24 * time.Hour)
	metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated)
	orderID := metro.Create(t, testkit.OrderJSON("A-2", "")).Must(t, http.StatusCreated).Text("order_id")
	for _, status := range []string{
		"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered",
	} {
		s.Clock.Advance(10 * time.Minute)
		desk.Move(t, orderID, status).Must(t, http.StatusOK)
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	addDeliveries(t, s, metro)
	metro.InTest(t)
	owner, other := metro.As(t, "reader"), s.Register(t, "nord").Owner(t)
	const nothing = "Nothing was ordered or delivered"
	for _, c := range []struct {
		who          *apptest.User
		path         string
		want, absent []string
	}{
		{owner, "/portal/figures", []string{
			"<b>3</b>", "100.0%", `href="/portal/figures.csv?days=30"`, "<svg", "January 15: orders: 2, delivered: 1", "10 min",
		}, []string{nothing}},
		{owner, "/portal/figures?from=2026-01-15&to=2026-01-15", []string{
			"<b>2</b>", "&#43;100.0% from 1", ">January 15</p>",
		}, []string{"<b>3</b>"}},
		{owner, "/portal/figures?days=1", []string{
			`<a class="chip" href="/portal/figures?days=1" aria-current="true">Today</a>`,
		}, nil},
		{owner, "/portal/figures?from=2026-01-01&to=2026-01-15", []string{
			`<a class="chip" href="/portal/figures?from=2026-01-01&amp;to=2026-01-15" aria-current="true">This month</a>`,
			`<a class="chip" href="/portal/figures?from=2025-12-01&amp;to=2025-12-31">Last month</a>`,
		}, nil},
		{owner, "/portal/figures?by=courier", []string{
			"Camille Tremblay", `href="/portal/figures.csv?by=courier&amp;days=30"`,
		}, []string{"Thursday, January 15"}},
		{owner, "/portal/figures?by=courier&days=90", []string{
			"at most 31 days", `href="/portal/figures.csv?days=90"`,
		}, []string{"Camille"}},
		{owner, "/portal/figures?days=8", []string{"<b>3</b>", `href="/portal/figures.csv?days=30"`}, nil},
		{owner, "/portal/figures?from=2025-01-01&to=2025-01-31", []string{nothing}, []string{"<svg class=\"columns"}},
		{owner, "/portal/figures?mode=test", []string{
			"Figures count live orders only.",
		}, []string{"<svg class=\"columns", nothing}},
		{other, "/portal/figures", []string{nothing}, []string{"<b>3</b>"}},
	} {
		opens(t, c.who, c.path, c.want, c.absent)
	}
}

// TestFiguresPeriodFaults shows a faulty period again, with what is wrong beside its
// fields. The file leads there.
func TestFiguresPeriodFaults(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	for query, want := range map[string]string{
		"from=yesterday":                "Enter a date",
		"to=2026-02-30":                 "Enter a date",
		"from=2026-01-02&to=2026-01-01": "at most 366 days",
		"from=2024-01-01&to=2026-01-01": "at most 366 days",
	} {
		answer := owner.Open(t, "/portal/figures?"+query).Must(t, http.StatusUnprocessableEntity)
		shows(t, query, answer, []string{want, `aria-invalid="true"`}, nil)
		file := owner.Open(t, "/portal/figures.csv?"+query).Must(t, http.StatusSeeOther)
		if got := file.Header.Get("Location"); got != "/portal/figures?"+query {
			t.Errorf("the file of %s: got to %q, want to the page", query, got)
		}
	}
}

// TestFiguresFile compares the file with the answer of the interface.
func TestFiguresFile(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	addDeliveries(t, s, metro)
	owner := metro.Owner(t)
	for query, lines := range map[string]int{
		"?from=2026-01-14&to=2026-01-15": 2, "?by=courier&from=2026-01-14&to=2026-01-15": 3,
	} {
		file := owner.Open(t, "/portal/figures.csv"+query).Must(t, http.StatusOK)
		want := owner.Do(t, "GET", "/v1/figures"+query+"&bom=1", nil, "Cookie", owner.Cookie, "Accept", "text/csv").Must(t,
			http.StatusOK)
		if string(file.Body) != string(want.Body) || strings.Count(string(file.Body), "\n") != 1+lines {
			t.Errorf("%s: got\n%s\nwant %d lines, as from the interface\n%s", query, file.Body, lines, want.Body)
		}
		if got := file.Header.Get("Content-Disposition"); got != `attachment; filename="figures-2026-01-14-2026-01-15.csv"` {
			t.Errorf("%s: got %q, want a file named by the period", query, got)
		}
	}
	test := owner.Open(t, "/portal/figures.csv?mode=test").Must(t, http.StatusSeeOther)
	if got := test.Header.Get("Location"); got != "/portal/figures?mode=test" {
		t.Errorf("in test mode: got to %q, want to the page", got)
	}
}
