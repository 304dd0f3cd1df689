package portal_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/pquerna/otp/totp"
)

const ownPage = "/portal/sign-in"

// TestPasswordInPortal changes the password, which ends the other sessions.
func TestPasswordInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	here, elsewhere := metro.Owner(t), metro.Owner(t)
	const path = ownPage + "/password"
	page := here.Open(t, path).Must(t, http.StatusOK)
	contains(t, here.Send(t, page, path, "current_password", "a guess", "new_password", "lune-sur-les-quais-89").Must(t, http.StatusUnprocessableEntity), "This is not your current password.")
	weak := here.Send(t, page, path, "current_password", here.Password, "new_password", "password").Must(t, http.StatusUnprocessableEntity)
	contains(t, weak, "Choose a password of at least 8 characters")
	if strings.Contains(string(weak.Body), here.Password) {
		t.Errorf("got a page with the current password:\n%s", weak.Body)
	}
	elsewhere.Open(t, ownPage).Must(t, http.StatusOK)
	here.Send(t, page, path, "current_password", here.Password, "new_password", "lune-sur-les-quais-89").Must(t, http.StatusSeeOther)
	here.Open(t, ownPage).Must(t, http.StatusOK)
	elsewhere.Call(t, "GET", "/v1/auth/me", nil).Refused(t, http.StatusUnauthorized, "unauthorized")
	s.Do(t, "POST", "/v1/auth/login", fmt.Appendf(nil, `{"email":%q,"password":"lune-sur-les-quais-89"}`, here.Email)).Must(t, http.StatusOK)
}

var endOne = regexp.MustCompile(`action="(/portal/sign-in/sessions/[^"]+)"`)

// TestSessionsInPortal ends one other session, and then all others.
func TestSessionsInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	here := metro.Owner(t)
	others := []*apptest.User{metro.Owner(t), metro.Owner(t), metro.Owner(t)}
	valid := func() (n int) {
		for _, other := range others {
			if other.Call(t, "GET", "/v1/auth/me", nil).Status == http.StatusOK {
				n++
			}
		}
		return n
	}
	page := here.Open(t, ownPage).Must(t, http.StatusOK)
	contains(t, page, "4 sessions", "(this one)")
	if ends := endOne.FindAllSubmatch(page.Body, -1); len(ends) != 3 {
		t.Fatalf("got %d sessions that can be ended, want 3", len(ends))
	}
	one := string(endOne.FindSubmatch(page.Body)[1])
	here.Send(t, page, one).Must(t, http.StatusSeeOther)
	if got := valid(); got != 2 {
		t.Errorf("after the end of one: got %d other sessions, want 2", got)
	}
	here.Send(t, page, ownPage+"/sessions").Must(t, http.StatusSeeOther)
	if got := valid(); got != 0 {
		t.Errorf("after the end of all others: got %d other sessions, want none", got)
	}
	contains(t, here.Open(t, ownPage).Must(t, http.StatusOK), "One session")
}

// TestEmailInPortal asks for another address, with mail and without.
func TestEmailInPortal(t *testing.T) {
	t.Parallel()
	const path = ownPage + "/email"
	without := apptest.Start(t).Register(t, "metro").Owner(t)
	contains(t, without.Open(t, path).Must(t, http.StatusOK), "This service sends no e-mails")

	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	owner := s.Register(t, "metro").Owner(t)
	s.Register(t, "other")
	page := owner.Open(t, path).Must(t, http.StatusOK)
	contains(t, owner.Send(t, page, path, "new_email", "lea@", "password", owner.Password).Must(t, http.StatusUnprocessableEntity), "Enter an e-mail address.", `value="lea@"`)
	owner.Send(t, page, path, "new_email", "lea@example.com", "password", owner.Password).Must(t, http.StatusSeeOther)
	if mail := <-server.Mails; mail.To != "lea@example.com" || !strings.Contains(mail.Text, s.URL+"/portal/email/") {
		t.Errorf("got a mail to %s with %q, want one to the new address with a link", mail.To, mail.Text)
	}
}

var (
	secretShown = regexp.MustCompile(`data-copy="([A-Z2-7]{32})"`)
	codesShown  = regexp.MustCompile(`<li class="mono">([^<]+)</li>`)
)

// TestFactorInPortal leads a person whose role must have a second factor to where it is
// set up, signs in with its codes, and removes it.
func TestFactorInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	s.Operate(t).Call(t, "PUT", "/ops/v1/sign-in-rules", []byte(`{"totp_required":{"operators":[],"users":["owner"]}}`)).Must(t, http.StatusOK)
	for _, path := range []string{"/portal", "/portal/team"} {
		if led := owner.Open(t, path).Must(t, http.StatusSeeOther); led.Header.Get("Location") != ownPage {
			t.Errorf("%s: got to %q, want to %q", path, led.Header.Get("Location"), ownPage)
		}
	}
	contains(t, owner.Open(t, ownPage).Must(t, http.StatusOK), "Your role must sign in with a code as well.")

	const path = ownPage + "/factor"
	page := owner.Open(t, path).Must(t, http.StatusOK)
	contains(t, owner.Send(t, page, path, "password", "a guess").Must(t, http.StatusUnprocessableEntity), "This is not your current password.")
	begun := owner.Send(t, page, path, "password", owner.Password).Must(t, http.StatusOK)
	contains(t, begun, `<svg class="qr"`)
	secret := secretShown.FindSubmatch(begun.Body)
	if secret == nil {
		t.Fatalf("got a page without the secret:\n%s", begun.Body)
	}
	code := func() string {
		t.Helper()
		s.Clock.Advance(time.Minute) // each code is accepted once
		shown, err := totp.GenerateCode(string(secret[1]), s.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return shown
	}
	wrong := owner.Send(t, begun, path+"/confirm", "code", "000000").Must(t, http.StatusUnprocessableEntity)
	contains(t, wrong, "This code is wrong")
	confirmed := owner.Send(t, wrong, path+"/confirm", "code", code()).Must(t, http.StatusOK)
	codes := codesShown.FindAllSubmatch(confirmed.Body, -1)
	if len(codes) != 10 {
		t.Fatalf("got %d recovery codes, want 10:\n%s", len(codes), confirmed.Body)
	}
	owner.Open(t, "/portal").Must(t, http.StatusOK)
	login := func(more string) int {
		t.Helper()
		return s.Do(t, "POST", "/v1/auth/login", fmt.Appendf(nil, `{"email":%q,"password":%q%s}`, owner.Email, owner.Password, more)).Status
	}
	if without, with, recovered := login(""), login(`,"code":"`+code()+`"`), login(`,"code":"`+string(codes[0][1])+`"`); without != http.StatusUnauthorized || with != http.StatusOK || recovered != http.StatusOK {
		t.Errorf("logins: got %d without a code, %d with one, and %d with a recovery code, want 401, 200 and 200", without, with, recovered)
	}
	enrolled := owner.Open(t, path).Must(t, http.StatusOK)
	contains(t, enrolled, "9 recovery codes left", "after removing it you can do nothing")
	owner.Send(t, enrolled, path+"/remove", "password", owner.Password, "code", "000000").Must(t, http.StatusUnprocessableEntity)
	owner.Send(t, enrolled, path+"/remove", "password", owner.Password, "code", code()).Must(t, http.StatusSeeOther)
	owner.Open(t, "/portal").Must(t, http.StatusSeeOther)
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
		contains(t, owner.Open(t, ownPage).Must(t, http.StatusOK), want)
		s.Clock.Advance(time.Minute)
	}
}
