package config

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

// MailServer is the server that mails are handed to.
type MailServer struct {
	Host     string
	Port     int
	Security string // tls, starttls, local or none
	Username string // empty without
	Password string
	From     string
}

// The ports of message submission, by RFC 8314 and RFC 6409.
var mailPorts = map[string]int{"smtps": 465, "smtp": 587}

const mailExample = "(example: smtps://user:password@mail.example.com)"

// MailServer returns the server of the setting SMTP; nil if there is none. Its errors
// do not repeat the URL, which may hold a password.
func (c *Config) MailServer() (*MailServer, error) {
	if c.SMTP == "" {
		return nil, nil
	}
	server, err := url.Parse(c.SMTP)
	if err != nil {
		return nil, errors.New("--smtp: the value is not a URL " + mailExample)
	}
	port, known := mailPorts[server.Scheme]
	if !known || server.Hostname() == "" || server.Path != "" && server.Path != "/" || server.Fragment != "" {
		return nil, errors.New("--smtp: the URL must be smtp:// or smtps:// with a host, and without a path " + mailExample)
	}
	if server.Port() != "" {
		if port, err = strconv.Atoi(server.Port()); err != nil || port < 1 || port > 65535 {
			return nil, errors.New("--smtp: the port must be between 1 and 65535")
		}
	}
	security, err := mailSecurity(server)
	if err != nil {
		return nil, err
	}
	password, _ := server.User.Password()
	if (server.User.Username() == "") != (password == "") {
		return nil, errors.New("--smtp: user and password must be given together " + mailExample)
	}
	return &MailServer{
		Host: server.Hostname(), Port: port, Security: security, Username: server.User.Username(),
		Password: password, From: c.MailFrom,
	}, nil
}

// mailSecurity returns how the connection is protected. Without TLS everybody on the
// way could read the links in mails; so that must be asked for, except on this machine,
// where TLS is used if the server offers it.
func mailSecurity(server *url.URL) (string, error) {
	query := server.Query()
	wish := query.Get("tls")
	query.Del("tls")
	known := wish == "" || (wish == "none" || wish == "starttls") && server.Scheme == "smtp"
	if len(query) > 0 || !known {
		return "", errors.New("--smtp: the only parameters are tls=none and tls=starttls, for smtp://")
	}
	switch {
	case server.Scheme == "smtps":
		return "tls", nil
	case wish == "none":
		return "none", nil
	case wish == "" && machine.IsLoopback(server.Hostname()):
		return "local", nil
	default:
		return "starttls", nil
	}
}

// checkMail does not repeat the URL.
func (c *Config) checkMail() error {
	server, err := c.MailServer()
	if err != nil {
		return err
	}
	switch {
	case server == nil && c.MailFrom != "":
		return errors.New("--mail-from: --smtp is missing")
	case server == nil:
		return nil
	case c.MailFrom == "":
		return errors.New(
			"--mail-from: the address that mails come from is missing (example: Dropyard <no-reply@example.com>)",
		)
	}
	if _, err := mail.ParseAddress(c.MailFrom); err != nil {
		return fmt.Errorf("--mail-from: %q is not an e-mail address (example: Dropyard <no-reply@example.com>)", c.MailFrom)
	}
	return nil
}

// mailName returns the mail server without the password.
func (c *Config) mailName() string {
	server, err := c.MailServer()
	if err != nil || server == nil {
		return "none"
	}
	name := fmt.Sprintf("%s:%d (%s, from %s", server.Host, server.Port, server.Security, server.From)
	if server.Username != "" {
		name += ", user " + server.Username + ", password ****"
	}
	return name + ")"
}
