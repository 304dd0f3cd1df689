package console_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// refuses returns the answer to the command of a sign-in.
type refuses func(command string) string

// mailServer is a mail server that accepts mails, or refuses the password unless refuse is nil. It returns its address
// and the channel of the recipients.
func mailServer(t *testing.T, refuse refuses) (address string, to <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	recipients := make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				talk(conn, refuse, recipients)
			}()
		}
	}()
	return listener.Addr().String(), recipients
}

// talk speaks SMTP with one client.
func talk(conn net.Conn, refuse refuses, recipients chan<- string) {
	answer := func(line string) { _, _ = fmt.Fprintf(conn, "%s\r\n", line) }
	answer("220 mail.example.com ESMTP")
	lines := bufio.NewScanner(conn)
	for inData := false; lines.Scan(); {
		verb, _, _ := strings.Cut(lines.Text(), " ")
		switch {
		case inData && lines.Text() == ".":
			inData = false
			answer("250 2.0.0 Ok: queued as 4B1C")
		case inData:
		case verb == "EHLO":
			answer("250-mail.example.com\r\n250 AUTH PLAIN")
		case verb == "AUTH" && refuse != nil:
			answer(refuse(lines.Text()))
		case verb == "AUTH":
			answer("235 2.7.0 Authentication successful")
		case verb == "RCPT":
			recipients <- lines.Text()
			answer("250 2.1.5 Ok")
		case verb == "DATA":
			inData = true
			answer("354 End data with <CR><LF>.<CR><LF>")
		case verb == "QUIT":
			answer("221 Bye")
			return
		default:
			answer("250 Ok")
		}
	}
}

const systemPage = "/console/system"

// try makes one of the trials of the system page.
func try(t *testing.T, v *apptest.Visitor, name string) *apptest.Answer {
	t.Helper()
	return v.Send(t, v.Open(t, systemPage).Must(t, http.StatusOK), systemPage, "trial", name)
}

// TestTryMail sends a test mail to the admin who asks, and shows the words of the mail server: those with
// which it accepts the mail, and those with which it refuses the password, unless they repeat it in any form.
func TestTryMail(t *testing.T) {
	t.Parallel()
	const password = "verysecretpassword"
	accepts := []string{"It works.", "queued as 4B1C"}
	onlyCode := []string{"It does not work.", "the server refused the sign-in: 535 5.7.8<"}
	for name, c := range map[string]struct {
		refuse refuses
		texts  []string
	}{
		"accepted": {nil, accepts},
		"in words": {
			func(string) string { return "535 5.7.8 <b>Error</b>: authentication failed" },
			[]string{"It does not work.", "535 ", "5.7.8 &lt;b&gt;Error&lt;/b&gt;: authentication failed"},
		},
		"with the password": {func(string) string { return "535 5.7.8 " + password + " is wrong" }, onlyCode},
		"with the command":  {func(command string) string { return "535 5.7.8 Error: " + command }, onlyCode},
		"with a part":       {func(command string) string { return "535 5.7.8 " + command[:len(command)-9] }, onlyCode},
		"malformed": {
			func(command string) string { return "refused " + command },
			[]string{"It does not work.", "the server&#39;s answer to the sign-in is malformed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, to := mailServer(t, c.refuse)
			s := apptest.Start(t, func(settings *config.Config, _ *app.Surroundings) {
				settings.SMTP, settings.MailFrom = "smtp://mailer:"+password+"@"+address, "no-reply@example.com"
			})
			admin := s.Operate(t)
			v := admin.Visit(t)
			v.Open(t, systemPage).Shows(t, http.StatusOK, address, "Send me a test mail")
			got := try(t, v, "mail")
			got.Shows(t, map[bool]int{true: 422, false: 200}[c.refuse != nil], c.texts...)
			secret := base64.StdEncoding.EncodeToString([]byte("\x00mailer\x00" + password))
			if shown := string(got.Body); strings.Contains(shown, password) || strings.Contains(shown, secret[:len(secret)-9]) {
				t.Errorf("got the password of the mail server:\n%s", shown)
			}
			if c.refuse != nil {
				return
			}
			if first := <-to; !strings.Contains(first, admin.Email) {
				t.Errorf("got a mail to %s, want %s", first, admin.Email)
			}
		})
	}
}

// TestTryOpenID asks the provider, and shows what it says.
func TestTryOpenID(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	v := apptest.Start(t, provider.Trusted("")).Operate(t).Visit(t)
	try(t, v, "openid").Shows(t, http.StatusOK, "It works.", "the redirect URI must be",
		`href="/ops/v1/oidc/login?return_to=/console/system" target="_blank"`)
	gone := apptest.Start(t, provider.Trusted(""), func(c *config.Config, _ *app.Surroundings) { c.OIDCIssuer += "/none" })
	try(t, gone.Operate(t).Visit(t), "openid").Shows(t, http.StatusUnprocessableEntity, "It does not work.",
		"does not describe itself")
}

// TestTryStorage writes, reads and deletes an object where proofs are kept, and shows why that fails.
func TestTryStorage(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "proofs")
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.Proofs = folder })
	v := s.Operate(t).Visit(t)
	got := try(t, v, "storage")
	got.Shows(t, http.StatusOK, "It works.", "PUT, GET, DELETE", folder)
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("got %s, want no file left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	try(t, v, "storage").Shows(t, http.StatusUnprocessableEntity, "It does not work.", "not a directory")
	const bucket = "s3://AKIDEXAMPLE:verysecretkey@127.0.0.1:1/proofs?tls=off"
	away := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.Proofs = bucket }).Operate(t).Visit(t)
	failed := try(t, away, "storage")
	failed.Shows(t, http.StatusUnprocessableEntity, "AKIDEXAMPLE:****@127.0.0.1:1/proofs", "connection refused")
	if strings.Contains(string(failed.Body), "verysecretkey") {
		t.Errorf("got the secret of the bucket:\n%s", failed.Body)
	}
}

// TestTrialsOfWhatIsNotSet shows which settings are missing, refuses trials of them, and trials that come too often.
func TestTrialsOfWhatIsNotSet(t *testing.T) {
	t.Parallel()
	v := apptest.Start(t).Operate(t).Visit(t)
	v.Open(t, systemPage).Shows(t, http.StatusOK, "Not set (--smtp)", "Not set (--oidc-issuer)", "Test the storage")
	try(t, v, "mail").Must(t, http.StatusBadRequest)
	for range 5 {
		try(t, v, "storage").Must(t, http.StatusOK)
	}
	limited := try(t, v, "storage")
	limited.Shows(t, http.StatusTooManyRequests, "Too many requests")
	v.Open(t, systemPage+"?lang=fr").Shows(t, http.StatusOK, "Connexions", "Non défini (--smtp)")
}
