package app_test

import (
	"fmt"
	"html"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// browser signs a person in, with the cookie of its device once it has one.
type browser struct {
	*apptest.Service
	login, email, password string
	agent, cookie          string
}

// signIn signs in and keeps the cookie of the device.
func (b *browser) signIn() error {
	answer, err := b.Try("POST", b.login, fmt.Appendf(nil, `{"email":%q,"password":%q}`, b.email, b.password),
		"User-Agent", b.agent, "Cookie", b.cookie)
	if err != nil {
		return err
	}
	for _, set := range answer.Header.Values("Set-Cookie") {
		if cookie, rest, _ := strings.Cut(set, ";"); strings.HasPrefix(cookie, "dropyard_device=") &&
			strings.Contains(rest, "; Max-Age=31536000; HttpOnly; SameSite=Lax") {
			b.cookie = cookie
			return nil
		}
	}
	return fmt.Errorf("got %d with %v, want the cookie of a device", answer.Status, answer.Header)
}

// causes signs in and expects so many mails to wait.
func (b *browser) causes(t *testing.T, mails string) {
	t.Helper()
	if err := b.signIn(); err != nil {
		t.Fatal(err)
	}
	if waiting := b.Query(t, "SELECT count(*) FROM mails WHERE kind NOT IN ('proof', 'changed')"); waiting[0] != mails {
		t.Errorf("after a sign-in with %q: got %s mails, want %s", b.agent, waiting[0], mails)
	}
}

// with returns another browser of the same person.
func (b browser) with(agent, cookie string) *browser {
	b.agent, b.cookie = agent, cookie
	return &b
}

// TestNewDeviceIsMailed signs a person in from known and new devices, while the mail
// server is away, and then reads the mails.
func TestNewDeviceIsMailed(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	server.Away.Store(true)
	s := apptest.Start(t, withMail(server))
	metro := s.Register(t, "metro")
	metro.Owner(t).Call(t, "PATCH", "/v1/account", []byte(`{"language":"fr"}`)).Must(t, 200) // the first device
	s.Operate(t)
	user := browser{Service: s, login: "/v1/auth/login", email: metro.Email, password: metro.Password}
	operator := browser{
		Service: s, login: "/ops/v1/login", email: apptest.OperatorEmail, password: apptest.OperatorPassword,
	}
	operator.with("first", "").causes(t, "0")
	user.with("second <b>", "").causes(t, "1")
	waiting := 1
	for _, person := range []browser{user, operator} {
		again := person.with("third", "")
		waiting++
		again.causes(t, fmt.Sprint(waiting))
		before := again.cookie
		again.causes(t, fmt.Sprint(waiting))
		if again.cookie != before {
			t.Errorf("at the second sign-in: got the cookie %q, want it renewed as %q", again.cookie, before)
		}
		again.with("third, updated", before).causes(t, fmt.Sprint(waiting))
		again.with("third", "").causes(t, fmt.Sprint(waiting)) // keeps no cookies
	}
	for _, err := range apptest.Together(6,
		func(i int) error { return user.with(fmt.Sprint("together ", i/2), "").signIn() }) {
		if err != nil {
			t.Error(err)
		}
	}
	user.with("third", "").causes(t, "6")
	server.Away.Store(false)
	s.Clock.Advance(time.Hour)
	got := map[string]int{}
	for range waiting + 3 {
		got[readSignIn(t, <-server.Mails)]++
	}
	want := map[string]int{
		"fr " + metro.Email + " second <b>": 1, "fr " + metro.Email + " third": 1,
		"en " + apptest.OperatorEmail + " third": 1, "fr " + metro.Email + " together 0": 1,
		"fr " + metro.Email + " together 1": 1, "fr " + metro.Email + " together 2": 1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got mails %v, want %v", got, want)
	}
}

// readSignIn returns the language of a mail about a sign-in, its recipient, and which
// browser it names.
func readSignIn(t *testing.T, m *testkit.Mail) string {
	t.Helper()
	language, label := "en", "Browser: "
	parts := []string{"127.0.0.1", "change your password now and end all other sessions", "You get this message because"}
	if strings.HasPrefix(m.Subject(), "Nouvelle connexion") {
		language, label = "fr", "Navigateur : "
		parts = []string{
			"127.0.0.1", "changez tout de suite votre mot de passe et mettez fin à toutes les autres sessions",
			"Vous recevez ce message parce qu",
		}
	}
	_, agent, _ := strings.Cut(m.Text, label)
	agent, _, _ = strings.Cut(agent, "\n")
	for _, part := range parts {
		if !strings.Contains(m.Text, part) || !strings.Contains(m.HTML, part) {
			t.Errorf("got %q and %q, want %q in both", m.Text, m.HTML, part)
		}
	}
	if !strings.Contains(m.HTML, `<html lang="`+language+`">`) || !strings.Contains(m.HTML, html.EscapeString(agent)) {
		t.Errorf("got %q, want it in %s with %q", m.HTML, language, agent)
	}
	return language + " " + m.To + " " + agent
}

// TestNewDeviceThroughOpenID signs an operator in through a provider, from two browsers.
func TestNewDeviceThroughOpenID(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	server.Away.Store(true)
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, withMail(server), provider.Trusted("groups"))
	for i, agent := range []string{"first", "first", "second", "second"} {
		target, ticket := provider.Approve(t, s, "/ops/v1/oidc/login", anna(), nil)
		s.Do(t, "GET", target, nil, "Cookie", ticket, "User-Agent", agent).Must(t, 200)
		if waiting := s.Query(t,
			"SELECT count(*) FROM mails WHERE kind NOT IN ('proof', 'changed')"); waiting[0] != fmt.Sprint(i/2) {
			t.Errorf("sign-in %d, with %q: got %s mails, want %d", i, agent, waiting[0], i/2)
		}
	}
}

// TestNewDeviceWithoutMail: devices are remembered without a mail server, and programs
// that send a password with each request sign in from none.
func TestNewDeviceWithoutMail(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	s.Do(t, "GET", "/v1/auth/api-keys", nil, metro.Login()...).Must(t, 200)
	s.Operate(t)
	if known := s.Query(t, "SELECT count(*) FROM known_devices"); known[0] != "0" {
		t.Errorf("without sessions: got %s known devices, want none", known[0])
	}
	user := browser{Service: s, login: "/v1/auth/login", email: metro.Email, password: metro.Password}
	user.with("first", "").causes(t, "0")
	user.with("second", "").causes(t, "0")
}
