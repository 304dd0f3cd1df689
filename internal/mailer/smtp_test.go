package mailer_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/testkit"
)

func envelope() *mailer.Envelope {
	return &mailer.Envelope{
		MailID: "mail_1", To: "sam@example.com", Language: mail.English, Date: testkit.Epoch,
		Content: &mail.Content{Subject: "Subject", Text: "text\n", HTML: "<p>text</p>"},
	}
}

// certified returns the settings of a server with a certificate for 127.0.0.1, and of
// a client that trusts it.
func certified(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	web.Close()
	pool := x509.NewCertPool()
	pool.AddCert(web.Certificate())
	return &tls.Config{Certificates: web.TLS.Certificates}, &tls.Config{RootCAs: pool, ServerName: "example.com"}
}

func TestDeliverSignsIn(t *testing.T) {
	t.Parallel()
	secured, trusting := certified(t)
	for name, c := range map[string]struct {
		server, client *tls.Config
		security       mailer.Security
		password       string
		want           error
	}{
		"plain":                {nil, nil, mailer.NoTLS, "hunter2", nil},
		"wrong password":       {nil, nil, mailer.NoTLS, "guess", mailer.ErrUnreachable},
		"STARTTLS":             {secured, trusting, mailer.StartTLS, "hunter2", nil},
		"untrusted":            {secured, nil, mailer.StartTLS, "hunter2", mailer.ErrUnreachable},
		"STARTTLS not offered": {nil, nil, mailer.StartTLS, "hunter2", mailer.ErrUnreachable},
		"local":                {nil, nil, mailer.LocalTLS, "hunter2", nil},
		"local STARTTLS":       {secured, nil, mailer.LocalTLS, "hunter2", nil},
		"local guess":          {secured, nil, mailer.LocalTLS, "guess", mailer.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testkit.StartMailServer(t, "dropyard:hunter2", c.server)
			client := serverAt(t, server.Address)
			client.Security, client.TLS, client.Username, client.Password = c.security, c.client, "dropyard", c.password
			if err := client.Deliver(t.Context(), envelope()); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if got, want := len(server.Mails), map[bool]int{true: 1}[c.want == nil]; got != want {
				t.Fatalf("got %d mails, want %d", got, want)
			}
			if c.want == nil {
				if got := <-server.Mails; got.Secure != (c.server != nil) {
					t.Errorf("got TLS %t, want %t", got.Secure, c.server != nil)
				}
			}
		})
	}
}

func TestDeliverRefusesWrongAddress(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "", nil)
	e := envelope()
	e.To = "two@example.com, three@example.com"
	if err := serverAt(t, server.Address).Deliver(t.Context(), e); !errors.Is(err, mailer.ErrRefused) {
		t.Errorf("got %v, want %v", err, mailer.ErrRefused)
	}
}

// TestDeliverGreets: the service greets with the name of its public address.
func TestDeliverGreets(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"drop.example.com": "drop.example.com", "192.0.2.7": "[192.0.2.7]", "2001:db8::1": "[IPv6:2001:db8::1]",
	} {
		server := testkit.StartMailServer(t, "", nil)
		client := serverAt(t, server.Address)
		client.Hello = mailer.HelloName(host)
		if err := client.Deliver(t.Context(), envelope()); err != nil {
			t.Fatal(err)
		}
		if got := <-server.Mails; got.Hello != want {
			t.Errorf("%s: got %q, want %q", host, got.Hello, want)
		}
	}
}

// TestHeadersAreFoldedAfterFirstWord: each header has text on the line of its name, no
// line is too long for a server, and what was folded reads as before.
func TestHeadersAreFoldedAfterFirstWord(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "", nil)
	client := serverAt(t, server.Address)
	client.From = "Ünïted Déliveries of Québec and Åland <no-reply@" + strings.Repeat("long.", 20) + "example.com>"
	e := envelope()
	e.MailID, e.To = "mail_"+strings.Repeat("1", 60), strings.Repeat("s", 64)+"@"+strings.Repeat("t", 60)+".example.com"
	e.Subject = "Éé" + strings.Repeat("日本語", 40) + " and a tail"
	e.StopURL = "https://delivery.example.com/track/" + strings.Repeat("x", 120)
	if err := client.Deliver(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	got := <-server.Mails
	head, _, _ := strings.Cut(got.Raw, "\r\n\r\n")
	for line := range strings.SplitSeq(head, "\r\n") {
		name, text, found := strings.Cut(line, ":")
		if line[0] != ' ' && (!found || strings.TrimSpace(text) == "") {
			t.Errorf("got the line %q, want text after the name %s", line, name)
		}
		if strings.Contains(line, "=?") && len(line) > 76 && !strings.HasPrefix(line, "From:") {
			t.Errorf("got a line of %d characters, %q, want at most 76 with encoded words", len(line), line)
		}
	}
	if got.Subject() != e.Subject {
		t.Errorf("got the subject %q, want %q", got.Subject(), e.Subject)
	}
	if want := "<" + e.StopURL + ">"; got.Get("List-Unsubscribe") != want || got.To != e.To {
		t.Errorf("got %q to %s, want %q to %s", got.Get("List-Unsubscribe"), got.To, want, e.To)
	}
	if want := "<" + e.MailID + "@" + strings.Repeat("long.", 20) + "example.com>"; got.Get("Message-Id") != want {
		t.Errorf("got the Message-ID %q, want %q", got.Get("Message-Id"), want)
	}
}
