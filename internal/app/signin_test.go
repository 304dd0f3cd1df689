package app_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/pquerna/otp/totp"
)

// person is an operator or a user of a partner, who signs in with a password. Both do
// the same, at paths that differ.
type person struct {
	*apptest.Service
	auth            string // the prefix of the paths of one's own sign-in
	login, me       string // paths
	email, password string
	secret          string // of TOTP; empty without
	// newLink makes a link for a new password of the person, and clear removes the
	// person's second factor, both as an admin.
	newLink, clear func() *apptest.Answer
}

// people returns a service with a person of each kind.
func people(t *testing.T, options ...apptest.Option) map[string]*person {
	t.Helper()
	s := apptest.Start(t, options...)
	boss := s.Operate(t)
	desk := boss.As(t, "dispatcher")
	metro := s.Register(t, "metro")
	return map[string]*person{
		"user": {
			Service: s, auth: "/v1/auth", login: "/v1/auth/login", me: "/v1/auth/me", email: metro.Email,
			password: metro.Password,
			newLink: func() *apptest.Answer {
				return boss.Call(t, "POST", "/ops/v1/partners/"+metro.PartnerID+"/reset-link", nil)
			},
			clear: func() *apptest.Answer {
				target := "/ops/v1/partners/" + metro.PartnerID + "/users"
				owner := boss.Call(t, "GET", target, nil).Must(t, 200).Text("users", 0, "user_id")
				boss.Call(t, "DELETE", "/ops/v1/partners/par_other/users/"+owner+"/totp", nil).Refused(t, 404, "not_found")
				return boss.Call(t, "DELETE", target+"/"+owner+"/totp", nil)
			},
		},
		"operator": {
			Service: s, auth: "/ops/v1/auth", login: "/ops/v1/login", me: "/ops/v1/me",
			email: "dispatcher@example.com", password: "a long password of a dispatcher",
			newLink: func() *apptest.Answer {
				return boss.Call(t, "POST", "/ops/v1/operators/"+desk.OperatorID+"/reset-link", nil)
			},
			clear: func() *apptest.Answer {
				return boss.Call(t, "DELETE", "/ops/v1/operators/"+desk.OperatorID+"/totp", nil)
			},
		},
	}
}

// forPeople runs a test for each kind of person.
func forPeople(t *testing.T, test func(*testing.T, *person)) {
	t.Parallel()
	for kind, p := range people(t) {
		t.Run(kind, func(t *testing.T) { test(t, p) }) // one after the other: they share a clock
	}
}

// enter signs in with a password and, unless it is empty, a code.
func (p *person) enter(t *testing.T, password, code string, headers ...string) *apptest.Answer {
	t.Helper()
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, p.email, password)
	if code != "" {
		body = fmt.Sprintf(`{"email":%q,"password":%q,"code":%q}`, p.email, password, code)
	}
	return p.Do(t, "POST", p.login, []byte(body), headers...)
}

// cookie signs in with the password and returns the cookie of the session.
func (p *person) cookie(t *testing.T, headers ...string) string {
	t.Helper()
	in := p.enter(t, p.password, "", headers...).Must(t, 200)
	cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	return cookie
}

// in sends a request in a session.
func (p *person) in(t *testing.T, cookie, method, path, body string) *apptest.Answer {
	t.Helper()
	var sent []byte
	if body != "" {
		sent = []byte(body)
	}
	return p.Do(t, method, p.auth+path, sent, "Cookie", cookie)
}

// isIn reports whether a session is valid.
func (p *person) isIn(t *testing.T, cookie string) bool {
	t.Helper()
	return p.Do(t, "GET", p.me, nil, "Cookie", cookie).Status == 200
}

// code returns the code that the person's authenticator app shows now.
func (p *person) code(t *testing.T) string {
	t.Helper()
	code, err := totp.GenerateCode(p.secret, p.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// wrongCodes returns codes that are not the person's, now or a minute before or after.
func (p *person) wrongCodes(t *testing.T, count int) (wrong []string) {
	t.Helper()
	right := map[string]bool{}
	for step := -2; step <= 2; step++ {
		code, err := totp.GenerateCode(p.secret, p.Clock.Now().Add(time.Duration(step)*30*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		right[code] = true
	}
	for number := 0; len(wrong) < count; number++ {
		if code := fmt.Sprintf("%06d", number); !right[code] {
			wrong = append(wrong, code)
		}
	}
	return wrong
}

// enrol enrols an authenticator app and returns the recovery codes. The code that was
// shown has expired afterwards.
func (p *person) enrol(t *testing.T, cookie string) (codes []string) {
	t.Helper()
	begun := p.in(t, cookie, "POST", "/totp", fmt.Sprintf(`{"password":%q}`, p.password)).Must(t, 200)
	p.secret = begun.Text("secret")
	uri, err := url.Parse(begun.Text("uri"))
	if err != nil || uri.Scheme != "otpauth" || uri.Query().Get("secret") != p.secret ||
		!strings.Contains(uri.Path, p.email) {
		t.Errorf("got URI %q, %v, want one of the secret for %s", begun.Text("uri"), err, p.email)
	}
	confirmed := p.in(t, cookie, "POST", "/totp/confirm", fmt.Sprintf(`{"code":%q}`, p.code(t))).Must(t, 200)
	for i := range confirmed.Len("recovery_codes") {
		codes = append(codes, confirmed.Text("recovery_codes", i))
	}
	if len(codes) != 10 {
		t.Fatalf("got %d recovery codes, want 10", len(codes))
	}
	p.Clock.Advance(time.Minute)
	return codes
}

// refusedFor checks that a sign-in was refused for a reason.
func refusedFor(t *testing.T, answer *apptest.Answer, status int, code, reason string) {
	t.Helper()
	answer.Refused(t, status, code)
	if got := answer.Text("error", "details", "reason"); got != reason {
		t.Errorf("got details.reason %q, want %q: %s", got, reason, answer.Body)
	}
}

// token returns the token of a one-time link.
func token(t *testing.T, link *apptest.Answer) string {
	t.Helper()
	at := link.Must(t, 201).Text("url")
	if !strings.Contains(at, "/reset/") {
		t.Errorf("got URL %q, want a page /reset/{token}", at)
	}
	return at[strings.LastIndex(at, "/")+1:]
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		own, stolen := p.cookie(t), p.cookie(t)
		change := func(cookie, current, changed string) *apptest.Answer {
			return p.in(t, cookie, "POST", "/password",
				fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, current, changed))
		}
		for _, guess := range []string{"password1234", "dropyard", strings.ToUpper(p.email), "short"} {
			if field := change(own, p.password, guess).Refused(t, 422, "validation_error").Text("error", "details",
				"field"); field != "new_password" {
				t.Errorf("new password %q: got a fault at %q, want new_password", guess, field)
			}
		}
		if field := change(stolen, "a guess", "lune-sur-les-quais-89").Refused(t, 422, "validation_error").Text("error",
			"details", "field"); field != "current_password" {
			t.Errorf("wrong current password: got a fault at %q, want current_password", field)
		}
		open := token(t, p.newLink())
		change(own, p.password, "lune-sur-les-quais-89").Must(t, 200)
		if !p.isIn(t, own) || p.isIn(t, stolen) {
			t.Errorf("got own session valid %t, stolen one %t, want true and false", p.isIn(t, own), p.isIn(t, stolen))
		}
		change(stolen, p.password, "lune-sur-les-quais-90").Refused(t, 401, "unauthorized")
		p.enter(t, p.password, "").Refused(t, 401, "unauthorized")
		p.enter(t, "lune-sur-les-quais-89", "").Must(t, 200)
		p.Do(t, "POST", p.auth+"/reset/"+open, []byte(`{"new_password":"lune-sur-les-quais-90"}`)).Refused(t, 404,
			"not_found")
	})
}

// TestGuessesInASession guesses the current password with a stolen cookie.
func TestGuessesInASession(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		stolen := p.cookie(t)
		got := map[int]int{}
		for range 12 {
			got[p.in(t, stolen, "POST", "/password",
				`{"current_password":"a guess","new_password":"lune-sur-les-quais-89"}`).Status]++
		}
		if got[422] != 10 || got[429] != 2 {
			t.Errorf("12 guesses: got %v, want 422 for 10 and 429 for 2", got)
		}
	})
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		desk := p.cookie(t, "User-Agent", "Desk/1.0 "+strings.Repeat("x", 300))
		p.Clock.Advance(time.Minute)
		phone := p.cookie(t, "User-Agent", "Phone/2.0")
		p.Clock.Advance(time.Minute)
		lost := p.cookie(t)
		list := p.in(t, phone, "GET", "/sessions", "").Must(t, 200)
		if list.Len("sessions") != 3 {
			t.Fatalf("got %s, want three sessions", list.Body)
		}
		for i, want := range []struct {
			agent   string
			current bool
		}{{"Desk/1.0 ", false}, {"Phone/2.0", true}} {
			agent := list.Text("sessions", i, "agent")
			if !strings.HasPrefix(agent, want.agent) || len(agent) > 200 ||
				list.JSON("sessions", i, "current") != want.current || list.Text("sessions", i, "address") != "127.0.0.1" {
				t.Errorf("session %d: got %v, want %+v", i, list.JSON("sessions", i), want)
			}
		}
		target := "/sessions/" + list.Text("sessions", 0, "session_id")
		p.in(t, phone, "DELETE", target, "").Must(t, 200)
		p.in(t, phone, "DELETE", target, "").Refused(t, 404, "not_found")
		if p.isIn(t, desk) || !p.isIn(t, lost) {
			t.Errorf("got the ended session valid %t, another %t, want false and true", p.isIn(t, desk), p.isIn(t, lost))
		}
		if ended := p.in(t, phone, "DELETE", "/sessions", "").Must(t, 200).JSON("ended"); ended != 1.0 {
			t.Errorf("all others: got %v ended, want 1", ended)
		}
		if p.isIn(t, lost) || !p.isIn(t, phone) {
			t.Errorf("got the other session valid %t, the own %t, want false and true", p.isIn(t, lost), p.isIn(t, phone))
		}
	})
}

func TestResetByLink(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		session := p.cookie(t)
		reset := func(token, password string) *apptest.Answer {
			return p.Do(t, "POST", p.auth+"/reset/"+token, fmt.Appendf(nil, `{"new_password":%q}`, password))
		}
		older := token(t, p.newLink())
		link := token(t, p.newLink())
		reset(older, "lune-sur-les-quais-89").Refused(t, 404, "not_found")
		reset("made-up", "lune-sur-les-quais-89").Refused(t, 404, "not_found")
		reset(link, "short").Refused(t, 422, "validation_error")
		if email := reset(link, "lune-sur-les-quais-89").Must(t, 200).Text("email"); email != p.email {
			t.Errorf("got the address %q, want %q", email, p.email)
		}
		used, unknown := reset(link, "lune-sur-les-quais-90"), reset("made-up", "lune-sur-les-quais-90")
		used.Refused(t, 404, "not_found")
		if used.Text("error", "message") != unknown.Text("error", "message") {
			t.Errorf("a used link and an unknown one: got %s and %s, want the same", used.Body, unknown.Body)
		}
		if p.isIn(t, session) {
			t.Error("got the session from before the reset valid, want it ended")
		}
		p.enter(t, p.password, "").Refused(t, 401, "unauthorized")
		p.enter(t, "lune-sur-les-quais-89", "").Must(t, 200)
		late := token(t, p.newLink())
		p.Clock.Advance(time.Hour)
		reset(late, "lune-sur-les-quais-90").Refused(t, 404, "not_found")
	})
}

// TestResetRevokesTokens checks that a reset revokes an operator's bearer tokens, and
// that a change of password does not.
func TestResetRevokesTokens(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	desk := boss.As(t, "dispatcher")
	desk.Call(t, "POST", "/ops/v1/auth/password",
		[]byte(`{"current_password":"a long password of a dispatcher","new_password":"lune-sur-les-quais-89"}`)).Must(t, 200)
	desk.Call(t, "GET", "/ops/v1/me", nil).Must(t, 200)
	link := token(t, boss.Call(t, "POST", "/ops/v1/operators/"+desk.OperatorID+"/reset-link", nil))
	s.Do(t, "POST", "/ops/v1/auth/reset/"+link, []byte(`{"new_password":"lune-sur-les-quais-90"}`)).Must(t, 200)
	desk.Call(t, "GET", "/ops/v1/me", nil).Refused(t, 401, "unauthorized")
	desk.Call(t, "POST", "/ops/v1/operators/"+boss.OperatorID+"/reset-link", nil).Refused(t, 401, "unauthorized")
	boss.Call(t, "POST", "/ops/v1/operators/opr_0000000000000000/reset-link", nil).Refused(t, 404, "not_found")
}

// TestOneLinkOneReset uses one link in several requests at the same time.
func TestOneLinkOneReset(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		link := token(t, p.newLink())
		answers := apptest.Together(6, func(i int) int {
			return p.Do(t, "POST", p.auth+"/reset/"+link, fmt.Appendf(nil, `{"new_password":"lune-sur-les-quais-%d"}`, i)).Status
		})
		won := -1
		for i, status := range answers {
			if status == 200 && won < 0 {
				won = i
			} else if status != 404 {
				t.Errorf("got statuses %v, want 200 once and 404 for the others", answers)
			}
		}
		if won < 0 {
			t.Fatalf("got statuses %v, want 200 once", answers)
		}
		p.enter(t, fmt.Sprintf("lune-sur-les-quais-%d", won), "").Must(t, 200)
	})
}

// TestResetOfUnknownAddress asks for a new password of an address without an account.
// The answer is the same as for one with an account.
func TestResetOfUnknownAddress(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		ask := func(email string) *apptest.Answer {
			return p.Do(t, "POST", p.auth+"/reset", fmt.Appendf(nil, `{"email":%q}`, email)).Must(t, 202)
		}
		if known, unknown := ask(p.email), ask("stranger@example.com"); string(known.Body) != string(unknown.Body) {
			t.Errorf("got %s for an account and %s for none, want the same", known.Body, unknown.Body)
		}
		p.Do(t, "POST", p.auth+"/reset", []byte(`{"email":"no address"}`)).Refused(t, 422, "validation_error")
	})
}

// TestOperatorWaitsForPassword shows admins which operators have asked for a new password.
func TestOperatorWaitsForPassword(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	s.Do(t, "POST", "/ops/v1/auth/reset", fmt.Appendf(nil, `{"email":%q}`, apptest.OperatorEmail)).Must(t, 202)
	s.Until(t, "SELECT count(*) FROM sign_ins WHERE reset_requested_at <> 0", "1")
	list := boss.Call(t, "GET", "/ops/v1/operators", nil).Must(t, 200)
	if list.Text("operators", 0, "reset_requested_at") != "2026-01-14T15:00:00.000Z" ||
		list.JSON("operators", 0, "totp_enrolled") != false {
		t.Errorf("got %s, want the request for a new password", list.Body)
	}
}

// TestPeopleOfPartner shows an admin who asked for a new password and who signs in with
// a code.
func TestPeopleOfPartner(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss, metro := s.Operate(t), s.Register(t, "metro")
	p := &person{Service: s, auth: "/v1/auth", login: "/v1/auth/login", email: metro.Email, password: metro.Password}
	target := "/ops/v1/partners/" + metro.PartnerID
	first := boss.Call(t, "GET", target+"/users", nil).Must(t, 200)
	if first.Len("users") != 1 || first.Text("users", 0, "role") != "owner" ||
		first.JSON("users", 0, "totp_enrolled") != false || first.JSON("users", 0, "reset_requested_at") != nil {
		t.Errorf("got %s, want the owner, without a code", first.Body)
	}
	p.enrol(t, p.cookie(t))
	s.Do(t, "POST", "/v1/auth/reset", fmt.Appendf(nil, `{"email":%q}`, strings.ToUpper(p.email))).Must(t, 202)
	s.Until(t, "SELECT count(*) FROM sign_ins WHERE reset_requested_at <> 0", "1")
	if waits := boss.Call(t, "GET", target+"/users", nil).Must(t,
		200); waits.JSON("users", 0, "reset_requested_at") == nil {
		t.Errorf("got %s, want the request for a new password shown", waits.Body)
	}
	user := first.Text("users", 0, "user_id")
	boss.Call(t, "POST", target+"/reset-link", []byte(`{"user_id":"usr_unknown"}`)).Refused(t, 404, "not_found")
	boss.Call(t, "POST", "/ops/v1/partners/par_unknown/reset-link", nil).Refused(t, 404, "not_found")
	for _, naming := range []string{
		`{"user":%q}`, `{"User_Id":%q}`, `{"email":%q}`, `{"user_id":%q,"email":"a@example.com"}`, `{"user_id":[%q]}`,
	} {
		boss.Call(t, "POST", target+"/reset-link", fmt.Appendf(nil, naming, user)).Refused(t, 422, "validation_error")
	}
	for _, naming := range []string{`{"user_id":null}`, `{"user_id":""}`} {
		boss.Call(t, "POST", target+"/reset-link", []byte(naming)).Refused(t, 422, "validation_error")
	}
	if made := boss.Call(t, "GET", "/ops/v1/audit?action=reset_link.created", nil).Must(t, 200); made.Len("entries") != 0 {
		t.Errorf("got %s, want no link made by a body that names no user", made.Body)
	}
	link := token(t, boss.Call(t, "POST", target+"/reset-link", fmt.Appendf(nil, `{"user_id":%q}`, user)))
	s.Do(t, "POST", "/v1/auth/reset/"+link, []byte(`{"new_password":"brume-et-vent-1908"}`)).Must(t, 200)
	after := boss.Call(t, "GET", target+"/users", nil).Must(t, 200)
	if after.JSON("users", 0, "totp_enrolled") != true || after.JSON("users", 0, "reset_requested_at") != nil {
		t.Errorf("after the reset: got %s, want the code kept and the request settled", after.Body)
	}
}

// letter is what a postbox was given.
type letter struct{ to, token string }

// postbox is a mail.Post that keeps what it is given.
type postbox chan letter

func (b postbox) Send(_ context.Context, _ mail.Writer, m *mail.Message) error {
	if m.Kind == mail.Proof || m.Kind == mail.Changed { // which have no link to follow here
		return nil
	}
	b <- letter{m.To, m.URL[strings.LastIndex(m.URL, "/")+1:]}
	return nil
}

func TestChangeOfAddress(t *testing.T) {
	t.Parallel()
	box := make(postbox, 10)
	s := apptest.Start(t, func(_ *config.Config, world *app.Surroundings) { world.Post = box })
	metro, other := s.Register(t, "metro"), s.Register(t, "other")
	p := &person{
		Service: s, auth: "/v1/auth", login: "/v1/auth/login", me: "/v1/auth/me", email: metro.Email,
		password: metro.Password,
	}
	session := p.cookie(t)
	change := func(email, password string) *apptest.Answer {
		return p.in(t, session, "POST", "/email", fmt.Sprintf(`{"new_email":%q,"password":%q}`, email, password))
	}
	change("Quay@example.com", "a guess").Refused(t, 422, "validation_error")
	change("Quay@example.com", p.password).Must(t, 202)
	sent := <-box
	if sent.to != "Quay@example.com" {
		t.Errorf("got the mail sent to %q, want the new address", sent.to)
	}
	p.enter(t, p.password, "").Must(t, 200) // with the old address until it is confirmed
	confirm := func(token string) *apptest.Answer {
		return s.Do(t, "POST", "/v1/auth/email/"+token, holder(p.password))
	}
	if email := confirm(sent.token).Must(t, 200).Text("email"); email != "Quay@example.com" {
		t.Errorf("got the address %q, want Quay@example.com", email)
	}
	confirm(sent.token).Refused(t, 404, "not_found")
	p.enter(t, p.password, "").Refused(t, 401, "unauthorized")
	p.email = "quay@example.com"
	me := s.Do(t, "GET", p.me, nil, "Cookie", p.cookie(t)).Must(t, 200)
	if me.Text("email") != "Quay@example.com" || me.Text("user", "email") != "Quay@example.com" {
		t.Errorf("me: got %s, want the new address of partner and user", me.Body)
	}
	change(other.Email, p.password).Must(t, 202)
	confirm((<-box).token).Refused(t, 400, "email_taken")
}

func TestChangeOfAddressNeedsMail(t *testing.T) {
	t.Parallel()
	p := people(t)["user"]
	p.in(t, p.cookie(t), "POST", "/email",
		fmt.Sprintf(`{"new_email":"quay@example.com","password":%q}`, p.password)).Refused(t, 409, "conflict")
}

// TestResetByMail asks for a new password and uses the link that is sent.
func TestResetByMail(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	all := people(t, withMail(server))
	for _, p := range []*person{all["user"], all["operator"]} {
		p.Do(t, "POST", p.auth+"/reset", []byte(`{"email":"stranger@example.com"}`)).Must(t, 202)
		p.Do(t, "POST", p.auth+"/reset", fmt.Appendf(nil, `{"email":%q}`, p.email)).Must(t, 202)
		sent := <-server.Mails
		if sent.To != p.email {
			t.Errorf("got a mail to %s, want it to %s", sent.To, p.email)
		}
		p.Do(t, "POST", p.auth+"/reset/"+linkIn(t, sent, "reset"), []byte(`{"new_password":"brume-et-vent-1908"}`)).Must(t,
			200)
		p.enter(t, "brume-et-vent-1908", "").Must(t, 200)
		if answer := p.newLink().Must(t, 201); answer.JSON("url") != nil {
			t.Errorf("a link that was sent by mail: got %s, want no url", answer.Body)
		}
		if sent := <-server.Mails; sent.To != p.email {
			t.Errorf("got a mail to %s, want it to %s", sent.To, p.email)
		}
	}
}
