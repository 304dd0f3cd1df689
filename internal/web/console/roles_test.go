package console_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
)

// rights are the roles that pages and forms are for, by the beginning of their patterns. The
// longest one that fits counts. One that ends in $ is a whole pattern.
var rights = map[string]string{
	"/console":                                 "admin dispatcher accountant warehouse",
	"/console/board":                           "admin dispatcher",
	"/console/orders":                          "admin dispatcher",
	"/console/orders$":                         "admin dispatcher accountant",
	"/console/orders/{order_id}$":              "admin dispatcher accountant",
	"/console/couriers":                        "admin dispatcher",
	"/console/couriers/{courier_id}/login":     "admin",
	"/console/figures":                         "admin dispatcher accountant",
	"/console/figures.csv":                     "admin dispatcher accountant",
	"/console/stock":                           "admin warehouse",
	"/console/picks":                           "admin warehouse",
	"/console/warehouse":                       "admin warehouse",
	"/console/returns":                         "admin dispatcher warehouse",
	"/console/locations":                       "admin dispatcher warehouse",
	"/console/locations/edit":                  "admin dispatcher warehouse",
	"/console/partners":                        "admin dispatcher accountant",
	"/console/partners/{partner_id}/approve":   "admin",
	"/console/partners/{partner_id}/establish": "admin",
	"/console/partners/{partner_id}/suspend":   "admin",

	"/console/partners/{partner_id}/openid/stop":                    "admin",
	"/console/partners/{partner_id}/openid/allow":                   "admin",
	"/console/partners/{partner_id}/openid/domains/{domain}/check":  "admin",
	"/console/partners/{partner_id}/openid/domains/{domain}/remove": "admin",
	"/console/partners/{partner_id}/resume":                         "admin",
	"/console/partners/{partner_id}/limits":                         "admin",
	"/console/partners/{partner_id}/dispatch":                       "admin",
	"/console/partners/{partner_id}/orders":                         "admin dispatcher",
	"/console/partners/{partner_id}/people":                         "admin",
	"/console/partners/{partner_id}/erasure":                        "admin",
	"/ops/v1/partners/{partner_id}/export":                          "admin",
	"/console/money":                                                "admin accountant",
	"/console/money/settings/firm":                                  "admin",
	"/console/money/settings/books":                                 "admin",
	"/console/money/settings/closing":                               "admin",
	"/console/money/settings/door":                                  "admin",
	"/console/cash":                                                 "admin dispatcher accountant",
	"/console/cash/transfers.csv":                                   "admin accountant",
	"/console/cash/deposits":                                        "admin accountant",
	"/console/cash/remittances":                                     "admin accountant",
	"/console/orders/{order_id}/collected$":                         "admin dispatcher accountant",
	"/console/rate-cards":                                           "admin",
	"/console/rate-cards$":                                          "admin accountant",
	"/console/rate-cards/{card_id}$":                                "admin accountant",
	"/console/rate-cards/{card_id}/file$":                           "admin accountant",
	"/console/operators":                                            "admin",
	"/console/settings":                                             "admin",
	"/console/audit":                                                "admin",
	"/console/audit.csv":                                            "admin",
	"/console/system":                                               "admin",
	"/console/exports":                                              "admin accountant",
}

// admits reports whether a role may use the page or form with a pattern.
func admits(t *testing.T, pattern string, role operator.Role) bool {
	t.Helper()
	if only, found := rights[pattern+"$"]; found {
		return slices.Contains(strings.Fields(only), string(role))
	}
	longest := ""
	for begin := range rights {
		below := begin != "/console" && strings.HasPrefix(pattern, begin+"/")
		if (pattern == begin || below) && len(begin) > len(longest) {
			longest = begin
		}
	}
	if longest == "" {
		t.Errorf("%s: got a page that rights does not have", pattern)
	}
	return slices.Contains(strings.Fields(rights[longest]), string(role))
}

// consoleRoutes are the pages and forms of the console, and the forms of its pages that
// other packages have.
func consoleRoutes() []web.Route {
	others := []web.Route{
		{Method: http.MethodGet, Pattern: "/console/figures"}, {Method: http.MethodGet, Pattern: "/console/figures.csv"},
		{Method: http.MethodPost, Pattern: "/ops/v1/partners/{partner_id}/export"},
	}
	own := slices.DeleteFunc(console.New(console.Config{Site: page.NewSite(page.Config{})}).Routes(),
		func(r web.Route) bool { return strings.HasSuffix(r.Pattern, "{rest...}") })
	return append(others, own...)
}

// addresses are where links and forms of a page lead to within the console.
var addresses = regexp.MustCompile(`(href|action)="(/(?:console|ops)[^"#]*)"`)

// TestRolesUseTheirPages opens every page and sends every form as each role: what a role may
// not use is refused, and no page that the role may open links or sends there.
func TestRolesUseTheirPages(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin, metro := s.Operate(t), s.Register(t, "metro")
	order := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated).Text("order_id")
	product := admin.Stock(t, metro.PartnerID, "Lamp", map[string]int{"MTL-1": 1})
	fill := strings.NewReplacer("{partner_id}", metro.PartnerID, "{order_id}", order, "{courier_id}", admin.CourierID,
		"{operator_id}", admin.OperatorID, "{product_id}", strconv.Itoa(product), "{status}", "accepted", "{user_id}",
		"usr_none", "{card_id}", "crd_none")
	routes, patterns := consoleRoutes(), http.NewServeMux()
	for _, route := range routes {
		patterns.Handle(route.Method+" "+route.Pattern, http.NotFoundHandler())
	}
	for _, role := range operator.Roles {
		v := admin.As(t, string(role)).Visit(t)
		reader := roleReader{v, role, patterns, map[string]bool{}}
		for _, route := range routes {
			path := fill.Replace(route.Pattern)
			allowed := admits(t, route.Pattern, role)
			if route.Method == http.MethodGet && allowed {
				reader.read(t, path, 2)
				continue
			}
			if allowed {
				continue // a form that would change something
			}
			got := v.Request(t, route.Method, path, []byte("_key="+fmt.Sprintf("%032x", len(path))), "Content-Type",
				"application/x-www-form-urlencoded")
			if got.Status != http.StatusForbidden {
				t.Errorf("%s: %s %s: got status %d, want 403", role, route.Method, path, got.Status)
			}
		}
		t.Logf("%s: %d pages", role, len(reader.seen))
	}
}

// roleReader reads the pages of the console as a role.
type roleReader struct {
	*apptest.Visitor
	role     operator.Role
	patterns *http.ServeMux // of the console's routes
	seen     map[string]bool
}

// read opens a page and checks where it leads to. It follows links up to a depth.
func (r roleReader) read(t *testing.T, path string, depth int) {
	t.Helper()
	if r.seen[path] {
		return
	}
	r.seen[path] = true
	got := r.Open(t, path)
	if got.Status == http.StatusForbidden {
		t.Errorf("%s: %s: got status 403, want the page", r.role, path)
	}
	for _, found := range addresses.FindAllStringSubmatch(string(got.Body), -1) {
		target := html.UnescapeString(found[2])
		pattern := r.patternOf(target, found[1] == "action")
		if pattern == "" {
			continue // signing out, and one's own sign-in
		}
		if !admits(t, pattern, r.role) {
			t.Errorf("%s: %s: got a %s to %s, want none", r.role, path, found[1], target)
		} else if depth > 0 && found[1] == "href" {
			r.read(t, target, depth-1)
		}
	}
}

// patternOf returns the pattern of an address: of the form that is sent there, if there is
// one, or of the page. It is empty for addresses of other packages.
func (r roleReader) patternOf(target string, form bool) string {
	methods := []string{http.MethodGet}
	if form {
		methods = []string{http.MethodPost, http.MethodGet}
	}
	for _, method := range methods {
		if _, pattern := r.patterns.Handler(httptest.NewRequest(method, target, nil)); pattern != "" {
			_, path, _ := strings.Cut(pattern, " ")
			return path
		}
	}
	return ""
}
