package mailer_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/testkit"
)

// postfix is a Postfix, as Debian has it, that relays mails for one recipient to a server
// of testkit. Like Debian's it offers STARTTLS with a certificate that no one trusts.
type postfix struct {
	address string
	behind  *testkit.MailServer // which gets what Postfix has accepted
}

// postfixSettings are those of main.cf; the first %s is the folder, the second the port
// of the server behind.
const postfixSettings = `compatibility_level = 3.6
queue_directory = %[1]s/queue
data_directory = %[1]s/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = mail.example.org
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 192.0.2.1/32
maillog_file = %[1]s/log
maillog_file_prefixes = %[1]s
relay_domains = example.com
relay_recipient_maps = inline:{ sam@example.com=OK }
relayhost = [127.0.0.1]:%[2]s
smtp_tls_security_level = none
smtpd_tls_security_level = may
smtpd_tls_chain_files = %[1]s/tls.pem
smtpd_helo_required = yes
smtpd_helo_restrictions = reject_non_fqdn_helo_hostname
smtpd_sender_restrictions = check_sender_access inline:{ other@example.com=REJECT }
smtpd_relay_restrictions = reject_unauth_destination
`

// postfixServices are those of master.cf; %s is the port.
const postfixServices = `127.0.0.1:%s inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`

// startPostfix starts a Postfix until the test ends.
func startPostfix(t *testing.T) *postfix {
	t.Helper()
	testkit.NeedFullLength.OrSkip(t)
	testkit.NeedPostfix.OrSkip(t)
	dir, err := os.MkdirTemp("", "postfix") // not t.TempDir, which other users cannot open
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &postfix{address: freeAddress(t), behind: testkit.StartMailServer(t, "", nil)}
	_, port, _ := net.SplitHostPort(p.address)
	_, behind, _ := net.SplitHostPort(p.behind.Address)
	for name, content := range map[string]string{
		"main.cf": fmt.Sprintf(postfixSettings, dir,
			behind), "master.cf": fmt.Sprintf(postfixServices, port), "tls.pem": chain(t),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{
		"chmod 755 " + dir, "chmod 644 " + dir + "/main.cf " + dir + "/master.cf", "mkdir " + dir + "/queue " + dir + "/data",
		"chown postfix " + dir + "/data", "postfix -c " + dir + " start",
	} {
		run(t, command)
	}
	t.Cleanup(func() {
		_ = exec.CommandContext(context.WithoutCancel(t.Context()), "postfix", "-c", dir, "stop").Run()
		if log, err := os.ReadFile(filepath.Join(dir, "log")); err == nil && t.Failed() {
			t.Logf("the log of Postfix: %s", log)
		}
	})
	return p
}

func run(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(command)
	if out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// chain returns a private key and its certificate in the form that Postfix reads.
func chain(t *testing.T) string {
	t.Helper()
	secured, _ := certified(t)
	certificate := secured.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}))
}

// client returns the service's side of a connection to Postfix.
func (p *postfix) client(t *testing.T) *mailer.SMTP {
	t.Helper()
	client := serverAt(t, p.address)
	client.Security, client.Hello = mailer.LocalTLS, "drop.example.net"
	return client
}

// TestPostfix hands mails to Postfix: what it accepts arrives behind it whole, and what it
// refuses is final only if the recipient is the cause.
func TestPostfix(t *testing.T) {
	t.Parallel()
	p := startPostfix(t)
	e := envelope()
	e.Subject = "Votre commande « A-1 » est livrée à " + strings.Repeat("Montréal ", 8)
	if err := p.client(t).Deliver(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	got := <-p.behind.Mails
	if got.To != e.To || got.Get("Message-Id") != "<mail_1@example.com>" || got.Subject() != e.Subject ||
		got.Text != e.Text {
		t.Errorf("got %q with the id %s to %s and the text %q, want %q, <mail_1@example.com>, %s and %q",
			got.Subject(), got.Get("Message-Id"), got.To, got.Text, e.Subject, e.To, e.Text)
	}
	if received := got.Get("Received"); !strings.Contains(received, "from drop.example.net ") ||
		!strings.Contains(received, "ESMTPS") {
		t.Errorf("got the header Received %q, want the greeting drop.example.net, and TLS", received)
	}
	for name, c := range map[string]struct {
		change func(*mailer.SMTP, *mailer.Envelope)
		final  bool
	}{
		"unknown recipient": {func(_ *mailer.SMTP, e *mailer.Envelope) { e.To = "max@example.com" }, true},
		"relay":             {func(_ *mailer.SMTP, e *mailer.Envelope) { e.To = "sam@elsewhere.example" }, false},
		"greeting":          {func(s *mailer.SMTP, _ *mailer.Envelope) { s.Hello = "laptop" }, false},
		"sender":            {func(s *mailer.SMTP, _ *mailer.Envelope) { s.From = "other@example.com" }, false},
		"TLS": {func(s *mailer.SMTP, _ *mailer.Envelope) {
			s.Security, s.TLS = mailer.StartTLS, &tls.Config{ServerName: "example.com"}
		}, false},
	} {
		client, e := p.client(t), envelope()
		c.change(client, e)
		err := client.Deliver(t.Context(), e)
		if err == nil || errors.Is(err, mailer.ErrRefused) != c.final || strings.Contains(err.Error(), "sam@") {
			t.Errorf("%s: got %v, want an error without the address; final: %t", name, err, c.final)
		}
	}
}
