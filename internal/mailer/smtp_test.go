package mailer_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http/httptest"
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
				t.Errorf("got %d mails, want %d", got, want)
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
