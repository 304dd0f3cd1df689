package login

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Demo signs people in as those of the demo.
type Demo struct {
	// Tracking returns the path of the recipient's page of an order that is on its way; empty if there is
	// none.
	Tracking func() string
	// Partner, Operator and Courier are what each signs in with.
	Partner, Operator, Courier DemoAccount
}

// DemoAccount is an account of the demo with the password that was printed.
type DemoAccount struct{ Email, Password string }

// demoRoutes are there only with --demo.
func (pages *Pages) demoRoutes() (routes []web.Route) {
	demo := pages.config.Demo
	if demo == nil {
		return nil
	}
	for _, as := range []struct {
		name    string
		door    *door
		account DemoAccount
	}{{"partner", portal, demo.Partner}, {"operator", console, demo.Operator}, {"courier", courier, demo.Courier}} {
		serve := pages.serve(as.door, func(s *sheet) (int, []byte, error) { return s.enterDemo(as.account) })
		routes = append(routes,
			web.Route{Method: http.MethodPost, Pattern: "/demo/" + as.name, For: web.Anyone, Serve: serve})
	}
	return routes
}

// enterDemo signs in as a person of the demo, with the password that was printed: an
// account whose password was changed, or that has a second factor, is as closed here as
// on the sign-in page.
func (s *sheet) enterDemo(account DemoAccount) (int, []byte, error) {
	if !OnThisMachine(s.Request) {
		return 0, nil, refusal.NotFound("this path")
	}
	role, err := s.signIn(signin.Credentials{Email: account.Email, Password: account.Password})
	if refusal.HasCode(err, refusal.CodeUnauthorized) || refusal.HasCode(err, refusal.CodeForbidden) {
		return s.LeadTo(s.door.path+"/login", page.Flash{Key: "entrance.demo.changed", Danger: true})
	}
	if err != nil {
		return 0, nil, err
	}
	return s.enter(role, "", page.Flash{})
}

// forwarding are headers that proxies add to requests of others.
var forwarding = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Server", "X-Real-Ip",
	"Cf-Connecting-Ip", "True-Client-Ip",
}

// OnThisMachine reports whether a request was made on the machine that the service runs
// on: the connection comes from a loopback address, no proxy has passed the request on,
// and it names a loopback host. A page of another site whose name was made to resolve to
// a loopback address still sends its own name.
func OnThisMachine(r *http.Request) bool {
	for _, header := range forwarding {
		if r.Header.Get(header) != "" {
			return false
		}
	}
	return machine.IsLoopback(r.RemoteAddr) && machine.IsLoopback(r.Host)
}
