package pagetest

import (
	"context"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/home"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/pquerna/otp/totp"
)

// firstPage returns the first page of a service, and, at /demo, that of a demo, of which the visitor is
// signed in.
func firstPage(site *page.Site) (routes []web.Route) {
	isDemo := func(v *web.PageRequest) bool { return v.Request.URL.Path == "/demo" }
	pages := home.New(home.Config{
		Site: site,
		SignedIn: func(v *web.PageRequest, kind web.Audience) (name, home string, err error) {
			if !isDemo(v) || kind != web.Operators {
				return "", "", nil
			}
			return "camille.tremblay-desrosiers@dropyard.example", "/console", nil
		},
		Demo: func(v *web.PageRequest) (tracking string, may bool) {
			if !isDemo(v) {
				return "", false
			}
			return "/track/" + mailedOrder + "/html", true
		},
		Facts: func(v *web.PageRequest) ([]home.Fact, error) { return facts(isDemo(v)), nil },
	})
	for _, route := range pages.Routes() {
		demo := route
		demo.Pattern = "/demo"
		routes = append(routes, route, demo)
	}
	return routes
}

// facts are those of a demo, or of a service that is used.
func facts(demo bool) []home.Fact {
	if demo {
		return []home.Fact{
			{Key: "home.fact.open", Count: 1_342, Path: "/console/board"},
			{Key: "home.fact.delivered", Count: 171, Path: "/console/figures"},
			{Key: "home.fact.punctual", Count: 1_117, Of: 1_163, Path: "/console/figures"},
			{Key: "home.fact.webhooks", Count: 412, Path: "/portal/webhooks"},
		}
	}
	return []home.Fact{
		{Key: "home.fact.state", Word: "home.fact.unready", Path: "/v1/ready"},
		{Key: "home.fact.operations", Count: 87, Path: "/docs/api/createOrder"},
		{Key: "home.fact.events", Count: 13, Path: "/docs/webhooks"},
		{Key: "home.fact.errors", Count: 42, Path: "/docs"},
	}
}

// The operators who look at pages.
const (
	administrator = "administrator"
	dispatcher    = "dispatcher"
	rider         = "rider"     // a courier
	storekeep     = "storekeep" // must set up a second factor first
)

const operatorCookie = "dropyard_ops_session"

// logins are what people need who sign in.
type logins struct {
	operators  map[string]string // session cookies, by name
	reset      string            // the path of a link for a new password
	invitation string            // the path of an invitation
	answers    map[string]answer // to forms, by scene and language
}

// answer is the page that responds to a form. A scene is a GET, and looking at it
// must not count as another attempt to sign in.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// addLogins adds operators, links by which people come in, and the responses to
// sign-ins that do not succeed at once. The clock of the house stands at its last time.
func (h *house) addLogins(ctx context.Context) error {
	h.logins = logins{operators: map[string]string{}, answers: map[string]answer{}}
	for _, add := range []func(context.Context) error{
		h.addOperators, h.addCouriers, h.addLinks, h.addRefusedSignIns, h.addSecured, h.addPartnerDesk, h.addWarehouse,
		h.addCompanies, h.keepReturns, h.keepTrials, h.keepCells, h.addBooks, h.addCash,
	} {
		if err := add(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (h *house) addOperators(ctx context.Context) error {
	vehicle, err := h.desk.CreateCourier(ctx,
		client.CourierRequest{Name: "Marc Roy", Phone: "+15145550178", Vehicle: "van"})
	if err != nil {
		return err
	}
	if err := h.addRound(ctx, vehicle.CourierID); err != nil {
		return err
	}
	for _, request := range []client.OperatorRequest{
		{
			Email: administrator, Role: client.OperatorAdmin,
		}, {Email: dispatcher, Role: client.OperatorDispatcher}, {Email: storekeep, Role: client.OperatorWarehouse},
		{Email: rider, Role: client.OperatorCourier, CourierID: vehicle.CourierID},
	} {
		if err := h.addOperator(ctx, request); err != nil {
			return err
		}
	}
	rules := client.SignInRules{TOTPRequired: client.TOTPRequired{
		Operators: []client.OperatorRole{client.OperatorWarehouse}, Users: []client.Role{client.RoleClerk},
	}}
	_, err = h.desk.PutSignInRules(ctx, rules)
	return err
}

// addOperator adds an operator who is named by the request instead of an address, and
// signs in.
func (h *house) addOperator(ctx context.Context, request client.OperatorRequest) error {
	who := request.Email
	request.Email, request.Password = who+"@dropyard.example", housePassword
	added, err := h.desk.CreateOperator(ctx, request)
	if err != nil {
		return err
	}
	if h.operatorID == "" {
		h.operatorID = added.OperatorID
	}
	session, err := client.NewService(h.url).LoginOperator(ctx,
		client.LoginRequest{Email: request.Email, Password: housePassword})
	if err != nil {
		return err
	}
	h.logins.operators[who] = session.Cookie
	return nil
}

// twoFactor is a partner whose owner signs in with a code as well.
const twoFactor = "guarded"

func (h *house) addLinks(ctx context.Context) error {
	if _, _, err := h.register(ctx, twoFactor, "Boulangerie Lune", "rosa@lune.example"); err != nil {
		return err
	}
	session, err := h.signIn(ctx, twoFactor)
	if err != nil {
		return err
	}
	invited, err := session.InviteUser(ctx,
		client.InvitationRequest{Email: "alexandrine.martin-desrosiers@lune.example", Role: client.RoleDeveloper})
	if err != nil {
		return err
	}
	h.logins.invitation = strings.TrimPrefix(invited.URL, h.url)
	me, err := h.desk.GetOperator(ctx)
	if err != nil {
		return err
	}
	link, err := h.desk.CreateOperatorResetLink(ctx, me.OperatorID)
	if err != nil {
		return err
	}
	h.logins.reset = strings.TrimPrefix(link.URL, h.url)
	begun, err := session.BeginTOTP(ctx, client.PasswordProof{Password: housePassword})
	if err != nil {
		return err
	}
	code, err := totp.GenerateCode(begun.Secret, h.clock.Now())
	if err != nil {
		return err
	}
	_, err = session.ConfirmTOTP(ctx, client.CodeProof{Code: code})
	return err
}

// addRefusedSignIns keeps the pages that sign-ins lead to which do not succeed.
func (h *house) addRefusedSignIns(ctx context.Context) error {
	for _, one := range []struct {
		scene, path, email, password string
		times                        int
	}{
		{"portal-login-wrong", "/portal/login", "lea@metro.example", "a guess", 1},
		{"portal-login-code", "/portal/login", "rosa@lune.example", housePassword, 1},
		{"courier-login-locked", "/courier/login", "nobody@dropyard.example", "a guess", 11},
		{"portal-register-faults", "/portal/register", "lea@metro.example", "dropyard", 1},
	} {
		for _, language := range page.Languages {
			fields := url.Values{"email": {one.email}, "password": {one.password}, "_key": {strings.Repeat("0a", 16)}}
			for range one.times {
				found, err := h.post(ctx, one.path, "", fields, language)
				if err != nil {
					return err
				}
				h.logins.answers[one.scene+"/"+string(language)] = found
			}
			one.times = 1
		}
	}
	return nil
}

func (h *house) post(
	ctx context.Context, path, cookie string, fields url.Values, language page.Language,
) (found answer, err error) {
	return h.ask(ctx, http.MethodPost, path, cookie, strings.NewReader(fields.Encode()), language)
}

// ask asks for a page as a browser does, with a form if there is one.
func (h *house) ask(
	ctx context.Context, method, path, cookie string, form io.Reader, language page.Language,
) (found answer, err error) {
	request, err := http.NewRequestWithContext(ctx, method, h.url+path, form)
	if err != nil {
		return found, err
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	request.Header.Set("Accept-Language", string(language))
	request.Header.Set("Accept", "text/html")
	if cookie != "" {
		request.Header.Set("Cookie", cookie)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return found, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, body}, err
}

// proxy passes requests on to the house.
func (h *house) proxy() http.Handler {
	target, err := url.Parse(h.url)
	if err != nil {
		return http.NotFoundHandler() // cannot happen: the house listens there
	}
	return httputil.NewSingleHostReverseProxy(target)
}

// answered serves the responses to forms, and by next what it has not.
func (h *house) answered(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		if name := r.PathValue("name"); strings.HasPrefix(name, "console") || strings.HasPrefix(name, "stock") {
			h.proxy().ServeHTTP(w, r) // only the house has the assets of the console
			return
		}
		next.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /answered/{scene}", func(w http.ResponseWriter, r *http.Request) {
		found, known := h.logins.answers[r.PathValue("scene")+"/"+string(page.LanguageOf(r, ""))]
		if !known {
			http.NotFound(w, r)
			return
		}
		for _, name := range []string{"Content-Type", "Content-Security-Policy", "Content-Language", "Cache-Control"} {
			w.Header().Set(name, found.header.Get(name))
		}
		w.WriteHeader(found.status)
		_, _ = w.Write(found.body) // fails only if the client has gone
	})
	return mux
}

// loginScenes are the pages by which people come in. beside is the address of answered.
func (h *house) loginScenes(beside string) (scenes []Scene) {
	add := func(name, address, cookie string) {
		scenes = append(scenes, Scene{Name: name, URL: address, Policy: page.Policy, Cookie: cookie})
	}
	for name, path := range map[string]string{
		"portal-login": "/portal/login?next=%2Fportal%2Forders", "console-login": "/console/login",
		"courier-login": "/courier/login", "console-login-openid": "/console/login?openid=role_missing",
		"portal-register": "/portal/register", "portal-register-pending": "/portal/register?pending=yes",
		"portal-reset": "/portal/reset", "portal-reset-done": "/portal/reset?sent=yes", "console-reset": "/console/reset",
		"console-reset-link": h.logins.reset, "console-reset-gone": "/console/reset/none",
		"portal-invitation-gone": "/portal/invitations/none", "portal-invitation": h.logins.invitation,
		"portal-email": "/portal/email/none",
	} {
		add(name, h.url+path, "")
	}
	for name := range h.logins.answers {
		if scene, english := strings.CutSuffix(name, "/"+string(page.English)); english &&
			!strings.HasPrefix(name, "self-") && !strings.HasPrefix(name, "stock-") && !strings.HasPrefix(name, "returns-") {
			add(scene, beside+"/answered/"+scene, "")
		}
	}
	slices.SortFunc(scenes, func(a, b Scene) int { return strings.Compare(a.Name, b.Name) })
	return scenes
}
