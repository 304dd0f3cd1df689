package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/portal"
)

// placeholders are the parts of a pattern that stand for ids.
var placeholders = regexp.MustCompile(`\{[^}]*\}`)

// sender sends requests as a browser in which a person is signed in.
type sender func(t testing.TB, method, path string, body []byte, headers ...string) *apptest.Answer

// keepsMenu requests each page, and sends each form, as a person who reads French. Those that are refused, because
// the role may not use them or because the ids in them name nothing, must keep the menu and the language. It
// returns how many were.
func keepsMenu(t *testing.T, who string, send sender, routes []web.Route, menu ...string) (refused int) {
	t.Helper()
	for _, route := range routes {
		path := placeholders.ReplaceAllString(route.Pattern, "none")
		if strings.HasSuffix(path, "/logout") || strings.HasPrefix(path, "/ops/") {
			continue
		}
		got := send(t, route.Method, path, []byte("_key=0123456789abcdef0123456789abcdef"), "Content-Type",
			"application/x-www-form-urlencoded")
		if got.Status != http.StatusForbidden && got.Status != http.StatusNotFound {
			continue
		}
		refused++
		for _, want := range append(menu, `<html lang="fr"`, `hreflang="en"`) {
			if !strings.Contains(string(got.Body), want) {
				t.Errorf("%s: %s %s: got status %d without %s:\n%s", who, route.Method, path, got.Status, want, got.Body)
			}
		}
	}
	return refused
}

// TestRefusalsKeepTheMenuOfEachRole opens every page and sends every form of the console and the portal as each
// role, with ids that name nothing.
func TestRefusalsKeepTheMenuOfEachRole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.RateLimit(0))
	admin, metro := s.Operate(t), s.Register(t, "metro")
	nowhere := web.Route{Method: http.MethodGet, Pattern: "/console/nowhere"}
	for _, role := range operator.Roles {
		v := admin.As(t, string(role)).Visit(t)
		v.Cookies["lang"] = "fr"
		menu := []string{`action="/console/logout"`, `class="back"`}
		switch role {
		case operator.RoleCourier: // couriers have no desk
			menu = menu[:1]
		case operator.RoleAccountant:
			menu = append(menu, "Partenaires")
		default:
			menu = append(menu, "Retours")
		}
		routes := append([]web.Route{nowhere}, consoleRoutes()...)
		if keepsMenu(t, string(role), v.Request, routes, menu...) < 5 {
			t.Errorf("%s: got fewer than 5 refusals, want those of ids that name nothing", role)
		}
	}
	nowhere.Pattern = "/portal/nowhere"
	routes := append([]web.Route{nowhere}, portal.New(portal.Config{Site: page.NewSite(page.Config{})}).Routes()...)
	for _, role := range []partner.Role{partner.RoleOwner, partner.RoleDeveloper, partner.RoleClerk, partner.RoleReader} {
		user := metro.As(t, string(role))
		name, value, _ := strings.Cut(user.Cookie, "=")
		v := s.Visit()
		v.Cookies["lang"], v.Cookies[name] = "fr", value
		if keepsMenu(t, string(role), v.Request, routes, `action="/portal/logout"`, "Accueil", `class="back"`) < 5 {
			t.Errorf("%s: got fewer than 5 refusals, want those of ids that name nothing", role)
		}
	}
}
