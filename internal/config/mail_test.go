package config_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/config"
)

// mailServer returns a change that sets a mail server.
func mailServer(url string) func(*config.Config) {
	return func(c *config.Config) { c.SMTP, c.MailFrom = url, "no-reply@example.com" }
}

func TestMailServer(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]config.MailServer{
		"smtp://mail.example.com": {Host: "mail.example.com", Port: 587, Security: "starttls"},
		"smtp://mailer:a%40b@mail.example.com:25": {
			Host: "mail.example.com", Port: 25, Security: "starttls", Username: "mailer", Password: "a@b",
		},
		"smtp://10.0.0.5:25?tls=none":        {Host: "10.0.0.5", Port: 25, Security: "none"},
		"smtp://127.0.0.1:2525":              {Host: "127.0.0.1", Port: 2525, Security: "local"},
		"smtp://localhost:2525?tls=none":     {Host: "localhost", Port: 2525, Security: "none"},
		"smtp://localhost:2525?tls=starttls": {Host: "localhost", Port: 2525, Security: "starttls"},
		"smtps://mailer:hunter2@mail.example.com": {
			Host: "mail.example.com", Port: 465, Security: "tls", Username: "mailer", Password: "hunter2",
		},
		"smtps://mailer:hunter2@mail.example.com:2465/": {
			Host: "mail.example.com", Port: 2465, Security: "tls", Username: "mailer", Password: "hunter2",
		},
	} {
		c := validConfig(t)
		mailServer(url)(c)
		want.From = "no-reply@example.com"
		got, err := c.MailServer()
		if err != nil || *got != want {
			t.Errorf("%s: got %+v, %v, want %+v", url, got, err, want)
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: got %v, want no error", url, err)
		}
	}
}
