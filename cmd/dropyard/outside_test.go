package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/emersion/go-smtp"
)

// TestMailTest sends a mail to a server that takes it, and to one that refuses the address.
func TestMailTest(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	r := run{dir: t.TempDir(), env: []string{
		"DROPYARD_SMTP=smtp://dropyard:hunter2@" + server.Address, "DROPYARD_MAIL_FROM=Dropyard <no-reply@example.com>",
	}}
	got := r.do(t, "mail", "test", "sam@example.com", "--language", "fr")
	if got.code != 0 || !strings.Contains(got.stdout, "accepted the mail for sam@example.com: 250 ") {
		t.Errorf("got %+v, want the server's words", got)
	}
	if m := <-server.Mails; m.To != "sam@example.com" || m.Subject() != "Les courriels de ce service arrivent" {
		t.Errorf("got %q to %s", m.Subject(), m.To)
	}
	server.Refusal.Store(&smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no mailbox here"})
	if got := r.do(t, "mail", "test", "sam@example.com"); got.code != exitFailed ||
		!strings.Contains(got.stderr, "550 5.1.1 no mailbox here") {
		t.Errorf("got %+v, want the server's words", got)
	}
	if got := r.do(t, "mail", "test", "sam"); got.code != exitUsage ||
		!strings.Contains(got.stderr, `"sam" is not an e-mail address`) {
		t.Errorf("got %+v, want a wrong address refused", got)
	}
	r.env = nil
	if got := r.do(t, "mail", "test", "sam@example.com"); got.code != exitUsage ||
		!strings.Contains(got.stderr, "--smtp is not set") {
		t.Errorf("got %+v, want the setting that is missing", got)
	}
	if left := readFiles(t, r.dir); len(left) > 0 {
		t.Errorf("got files %v, want none", left)
	}
}

// TestOIDCCheck asks a provider that is none.
func TestOIDCCheck(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	r := run{dir: t.TempDir(), env: []string{
		"DROPYARD_OIDC_ISSUER=" + stranger.URL, "DROPYARD_OIDC_CLIENT_ID=x", "DROPYARD_OIDC_CLIENT_SECRET=y",
		"DROPYARD_OIDC_ROLE_CLAIM=groups", "DROPYARD_OIDC_ROLES=dispatcher=desk",
	}}
	got := r.do(t, "oidc", "check")
	if got.code != exitFailed || !strings.Contains(got.stdout, "does not describe itself") ||
		!strings.Contains(got.stdout, "404") {
		t.Errorf("got %+v, want what the provider answered", got)
	}
	r.env = nil
	if got := r.do(t, "oidc", "check"); got.code != exitUsage ||
		!strings.Contains(got.stderr, "--oidc-issuer is not set") {
		t.Errorf("got %+v, want the setting that is missing", got)
	}
}
