package account_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/pquerna/otp/totp"
)

// section is where people of a kind manage their own sign-in.
type section struct {
	name string
	path string // of its first page
	api  string // of their sign-in in the interface for programs
	in   string // where programs log in
	home string // a page that opens only to those who have enrolled
	role string
}

var sections = []section{
	{"partner", "/portal/sign-in", "/v1/auth", "/v1/auth/login", "/portal/team", "owner"},
	{"operator", "/console/sign-in", "/ops/v1/auth", "/ops/v1/login", "/console", "dispatcher"},
	{"courier", "/courier/sign-in", "/ops/v1/auth", "/ops/v1/login", "/courier", "courier"},
}

// person is someone of a section, who is signed in by a browser.
type person struct {
	section
	*apptest.User // with no partner but the service for operators
}

// inEverySection runs a test for people of each kind. Operate is an admin of their service.
func inEverySection(
	t *testing.T, test func(t *testing.T, s *apptest.Service, operate *apptest.Operator, join func() person),
) {
	for _, c := range sections {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t)
			admin := s.Operate(t)
			test(t, s, admin, c.joiner(t, s, admin))
		})
	}
}

// joiner returns a function that begins another session of one person.
func (c section) joiner(t *testing.T, s *apptest.Service, admin *apptest.Operator) func() person {
	if c.name == "partner" {
		metro := s.Register(t, "metro")
		return func() person { return person{c, metro.Owner(t)} }
	}
	admin.As(t, c.role)
	return func() person {
		u := &apptest.User{
			Partner: &apptest.Partner{Service: s}, Email: c.role + "@example.com", Password: "a long password of a " + c.role,
		}
		login := s.Do(t, "POST", c.in, fmt.Appendf(nil, `{"email":%q,"password":%q}`, u.Email, u.Password)).Must(t,
			http.StatusOK)
		u.Cookie, _, _ = strings.Cut(login.Header.Get("Set-Cookie"), ";")
		return person{c, u}
	}
}

// signIn returns the status of a login with a password, and with a code if there is one.
func (p person) signIn(t *testing.T, password, code string) int {
	t.Helper()
	more := ""
	if code != "" {
		more = fmt.Sprintf(`,"code":%q`, code)
	}
	return p.Do(t, "POST", p.in, fmt.Appendf(nil, `{"email":%q,"password":%q%s}`, p.Email, password, more)).Status
}

// valid reports whether the person's session still exists.
func (p person) valid(t *testing.T) bool {
	t.Helper()
	return p.Call(t, "GET", p.api+"/sessions", nil).Status == http.StatusOK
}

// contains fails the test unless a page has some texts.
func contains(t *testing.T, page *apptest.Answer, wanted ...string) {
	t.Helper()
	for _, text := range wanted {
		if !strings.Contains(string(page.Body), text) {
			t.Errorf("got a page without %q:\n%s", text, page.Body)
		}
	}
}

// leads fails the test unless the response leads to a path.
func leads(t *testing.T, got *apptest.Answer, want string) {
	t.Helper()
	if to := got.Must(t, http.StatusSeeOther).Header.Get("Location"); to != want {
		t.Errorf("got sent to %q, want %q", to, want)
	}
}

// TestPassword changes the password, which ends the other sessions.
func TestPassword(t *testing.T) {
	t.Parallel()
	inEverySection(t, func(t *testing.T, _ *apptest.Service, _ *apptest.Operator, join func() person) {
		here, elsewhere := join(), join()
		path := here.path + "/password"
		page := here.Open(t, path).Must(t, http.StatusOK)
		wrong := here.Send(t, page, path, "current_password", "a guess", "new_password", "lune-sur-les-quais-89").Must(t,
			http.StatusUnprocessableEntity)
		contains(t, wrong, "This is not your current password.",
			`<a href="#field-current_password">Current password</a> · This is not`)
		weak := here.Send(t, page, path, "current_password", here.Password, "new_password", "password").Must(t,
			http.StatusUnprocessableEntity)
		contains(t, weak, "Choose a password of at least")
		if strings.Contains(string(weak.Body), here.Password) {
			t.Errorf("got a page with the current password:\n%s", weak.Body)
		}
		if !elsewhere.valid(t) {
			t.Error("got the other session ended by changes that were refused")
		}
		leads(t, here.Send(t, page, path, "current_password", here.Password, "new_password", "lune-sur-les-quais-89"),
			here.path)
		here.Open(t, here.path).Must(t, http.StatusOK)
		if elsewhere.valid(t) {
			t.Error("got the other session valid after the change of the password")
		}
		if got := here.signIn(t, "lune-sur-les-quais-89", ""); got != http.StatusOK {
			t.Errorf("login with the new password: got status %d, want 200", got)
		}
	})
}

var endOne = regexp.MustCompile(`action="(/[a-z]+/sign-in/sessions/[^"]+)"`)

// TestSessions ends one other session, and then all others.
func TestSessions(t *testing.T) {
	t.Parallel()
	inEverySection(t, func(t *testing.T, _ *apptest.Service, _ *apptest.Operator, join func() person) {
		here := join()
		others := []person{join(), join(), join()}
		valid := func() (n int) {
			for _, other := range others {
				if other.valid(t) {
					n++
				}
			}
			return n
		}
		page := here.Open(t, here.path).Must(t, http.StatusOK)
		contains(t, page, "4 sessions", "(this one)", here.Email)
		if ends := endOne.FindAllSubmatch(page.Body, -1); len(ends) != 3 {
			t.Fatalf("got %d sessions that can be ended, want 3", len(ends))
		}
		one := string(endOne.FindSubmatch(page.Body)[1])
		leads(t, here.Send(t, page, one), here.path)
		if got := valid(); got != 2 {
			t.Errorf("after the end of one: got %d other sessions, want 2", got)
		}
		leads(t, here.Send(t, page, here.path+"/sessions"), here.path)
		if got := valid(); got != 0 {
			t.Errorf("after the end of all others: got %d other sessions, want none", got)
		}
		contains(t, here.Open(t, here.path).Must(t, http.StatusOK), "One session")
	})
}

// TestEmail asks for another address, with mail and without. Operators have no such page.
func TestEmail(t *testing.T) {
	t.Parallel()
	const path = "/portal/sign-in/email"
	without := apptest.Start(t).Register(t, "metro").Owner(t)
	contains(t, without.Open(t, path).Must(t, http.StatusOK), "This service sends no e-mails")

	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) {
		c.SMTP, c.MailFrom = "smtp://dropyard:hunter2@"+server.Address, "Dropyard <no-reply@example.com>"
	})
	owner := s.Register(t, "metro").Owner(t)
	page := owner.Open(t, path).Must(t, http.StatusOK)
	contains(t, owner.Send(t, page, path, "new_email", "lea@", "password", owner.Password).Must(t,
		http.StatusUnprocessableEntity), "Enter an e-mail address.", `value="lea@"`)
	owner.Send(t, page, path, "new_email", "lea@example.com", "password", owner.Password).Must(t, http.StatusSeeOther)
	if mail := <-server.Mails; mail.To != "lea@example.com" || !strings.Contains(mail.Text, s.URL+"/portal/email/") {
		t.Errorf("got a mail to %s with %q, want one to the new address with a link", mail.To, mail.Text)
	}
}

// TestName changes the name of a person who may not change the team.
func TestName(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	reader, owner := metro.As(t, "reader"), metro.Owner(t)
	const path = "/portal/sign-in/name"
	page := reader.Open(t, path).Must(t, http.StatusOK)
	contains(t, page, `value="reader"`)
	contains(t, reader.Send(t, page, path, "name", "").Must(t, http.StatusUnprocessableEntity),
		`<a href="#field-name">Name</a> · This is required.`)
	leads(t, reader.Send(t, page, path, "name", "Zoé <Comptabilité>"), "/portal/sign-in")
	contains(t, reader.Open(t, "/portal/sign-in"), "Zoé &lt;Comptabilité&gt;")
	contains(t, owner.Open(t, "/portal/team"), "Zoé &lt;Comptabilité&gt;", "Reader")
	dispatcher := sections[1].joiner(t, s, s.Operate(t))()
	for _, missing := range []string{"/console/sign-in/name", "/console/sign-in/email", "/courier/sign-in/name"} {
		dispatcher.Open(t, missing).Must(t, http.StatusNotFound)
	}
}

var (
	secretShown = regexp.MustCompile(`data-copy="([A-Z2-7]{32})"`)
	codesShown  = regexp.MustCompile(`<li class="mono">([^<]+)</li>`)
)

// TestFactor leads a person whose role must have a second factor to where it is set up,
// signs in with its codes, and removes it.
func TestFactor(t *testing.T) {
	t.Parallel()
	inEverySection(t, func(t *testing.T, _ *apptest.Service, admin *apptest.Operator, join func() person) {
		p := join()
		users, operators := "", fmt.Sprintf("%q", p.role)
		if p.name == "partner" {
			users, operators = operators, users
		}
		rules := fmt.Appendf(nil, `{"totp_required":{"operators":[%s],"users":[%s]}}`, operators, users)
		admin.Call(t, "PUT", "/ops/v1/sign-in-rules", rules).Must(t, http.StatusOK)
		leads(t, p.Open(t, p.home), p.path)
		contains(t, p.Open(t, p.path).Must(t, http.StatusOK), "Until it is set up", `href="`+p.path+`/factor"`)

		path := p.path + "/factor"
		secret, codes := p.enrol(t, path)
		if led := p.Open(t, p.home).Header.Get("Location"); led == p.path {
			t.Errorf("after the second factor was set up: got sent from %s to %s", p.home, led)
		}
		without, with, recovered := p.signIn(t, p.Password,
			""), p.signIn(t, p.Password, p.code(t, secret)), p.signIn(t, p.Password, codes[0])
		if without != http.StatusUnauthorized || with != http.StatusOK || recovered != http.StatusOK {
			t.Errorf("logins: got %d without a code, %d with one, and %d with a recovery code, want 401, 200 and 200", without,
				with, recovered)
		}
		enrolled := p.Open(t, path).Must(t, http.StatusOK)
		contains(t, enrolled, "9 recovery codes left", "after removing it you can do nothing")
		p.Send(t, enrolled, path+"/remove", "password", p.Password, "code", "000000").Must(t, http.StatusUnprocessableEntity)
		leads(t, p.Send(t, enrolled, path+"/remove", "password", p.Password, "code", p.code(t, secret)), p.path)
		leads(t, p.Open(t, p.home), p.path)
	})
}

// TestVouchedOperator shows that an operator who came from an OpenID provider need
// not set up a second factor.
func TestVouchedOperator(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted(""))
	s.Operate(t).Call(t, "PUT", "/ops/v1/sign-in-rules",
		[]byte(`{"totp_required":{"operators":["admin"],"users":[]}}`)).Must(t, http.StatusOK)
	claims := apptest.Claims{"sub": "boss", "email": apptest.OperatorEmail, "email_verified": true}
	in := provider.SignIn(t, s, claims, nil)
	boss := &apptest.User{Partner: &apptest.Partner{Service: s}}
	for _, cookie := range (&http.Response{Header: in.Header}).Cookies() {
		if cookie.Name == "dropyard_ops_session" {
			boss.Cookie = cookie.Name + "=" + cookie.Value
		}
	}
	shown := boss.Open(t, "/console/sign-in").Must(t, http.StatusOK)
	contains(t, shown, "Your organization has signed you in.")
	if strings.Contains(string(shown.Body), "Until it is set up") {
		t.Errorf("got a page that asks for a second factor:\n%s", shown.Body)
	}
}

// enrol sets up a second factor, and returns its secret and the recovery codes.
func (p person) enrol(t *testing.T, path string) (secret string, codes []string) {
	t.Helper()
	page := p.Open(t, path).Must(t, http.StatusOK)
	contains(t, p.Send(t, page, path, "password", "a guess").Must(t, http.StatusUnprocessableEntity),
		"This is not your current password.")
	begun := p.Send(t, page, path, "password", p.Password).Must(t, http.StatusOK)
	contains(t, begun, `<svg class="qr"`)
	shown := secretShown.FindSubmatch(begun.Body)
	if shown == nil {
		t.Fatalf("got a page without the secret:\n%s", begun.Body)
	}
	secret = string(shown[1])
	wrong := p.Send(t, begun, path+"/confirm", "code", "000000").Must(t, http.StatusUnprocessableEntity)
	contains(t, wrong, "This code is wrong")
	confirmed := p.Send(t, wrong, path+"/confirm", "code", p.code(t, secret)).Must(t, http.StatusOK)
	for _, code := range codesShown.FindAllSubmatch(confirmed.Body, -1) {
		codes = append(codes, string(code[1]))
	}
	if len(codes) != 10 {
		t.Fatalf("got %d recovery codes, want 10:\n%s", len(codes), confirmed.Body)
	}
	return secret, codes
}

// code returns the next code of the app; each is accepted once.
func (p person) code(t *testing.T, secret string) string {
	t.Helper()
	p.Clock.Advance(time.Minute)
	code, err := totp.GenerateCode(secret, p.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestDevices names the devices of sessions by what their browsers send.
func TestDevices(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:152.0) Gecko/20100101 Firefox/152.0":                                                        ">Firefox, Windows<",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1": ">Safari, iPhone<",
		"Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36":                         ">Chrome, Android<",
		"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0":                       ">Edge, Windows<",
		"curl/8.16.0": ">curl/8.16.0<",
		"<b>shop</b>": ">&lt;b&gt;shop&lt;/b&gt;<",
	} {
		body := fmt.Appendf(nil, `{"email":%q,"password":%q}`, owner.Email, owner.Password)
		s.Do(t, "POST", "/v1/auth/login", body, "User-Agent", agent).Must(t, http.StatusOK)
		contains(t, owner.Open(t, "/portal/sign-in").Must(t, http.StatusOK), want)
		s.Clock.Advance(time.Minute)
	}
}

// TestConfirmation shows on the own page and, to owners, on that of the team who has
// confirmed the address, and sends the link again until the limit of such mails.
func TestConfirmation(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) {
		c.SMTP, c.MailFrom = "smtp://dropyard:hunter2@"+server.Address, "Dropyard <no-reply@example.com>"
	})
	metro := &apptest.Partner{Service: s, Email: "metro@example.com", Password: "a long password of a shop"}
	register := fmt.Appendf(nil, `{"name":"metro","email":%q,"password":%q}`, metro.Email, metro.Password)
	metro.PartnerID = s.Do(t, "POST", "/v1/auth/register", register).Must(t, http.StatusCreated).Text("partner_id")
	owner := metro.Owner(t)
	reader := metro.As(t, "reader")
	const path = "/portal/sign-in"
	contains(t, owner.Open(t, "/portal/team"), "Address not confirmed yet", "Address confirmed")
	if page := reader.Open(t, "/portal/team").Must(t, http.StatusOK); strings.Contains(string(page.Body), "confirmed") {
		t.Errorf("got the page of the team %s, want it without confirmations for a reader", page.Body)
	}
	team := owner.Open(t, "/portal/team")
	refused := owner.Send(t, team, "/portal/team", "email", "sam@example.com", "role", "clerk").Must(t,
		http.StatusConflict)
	contains(t, refused, "Confirm your address first")

	link := func() string {
		_, behind, _ := strings.Cut((<-server.Proofs).Text, "/portal/email/")
		token, _, _ := strings.Cut(behind, "\n")
		return "/portal/email/" + token
	}
	links := []string{link()}
	page := owner.Open(t, path)
	contains(t, page, "metro@example.com · not confirmed yet", "Send the confirmation again")
	for range 2 {
		leads(t, owner.Send(t, page, path+"/email/again"), path)
		links = append(links, link())
		page = owner.Open(t, path)
	}
	contains(t, page, "Send the confirmation again")
	leads(t, owner.Send(t, page, path+"/email/again"), path) // at the limit
	owner.Send(t, owner.Open(t, links[0]), links[0]).Must(t, http.StatusSeeOther)
	page = owner.Open(t, path)
	contains(t, page, "metro@example.com · confirmed")
	if strings.Contains(string(page.Body), "Send the confirmation again") {
		t.Errorf("got the page %s, want no button once the address is confirmed", page.Body)
	}
	s.Stop()
	if got := len(server.Proofs); got != 0 {
		t.Errorf("got %d mails more, want the %d only", got, len(links))
	}

	silent := apptest.Start(t).Register(t, "quiet").Owner(t).Open(t, path).Must(t, http.StatusOK)
	if strings.Contains(string(silent.Body), "confirmed") {
		t.Errorf("without mail: got the page %s, want nothing on confirmations", silent.Body)
	}
}
