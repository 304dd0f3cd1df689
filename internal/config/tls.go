package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

// domainForm is that of names for which certificates are issued: letters, digits and
// hyphens in at least two labels, as ASCII.
var domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// TLS reports whether the service itself speaks TLS, rather than a proxy before it.
func (c *Config) TLS() bool { return c.TLSCert != "" || len(c.TLSDomains) > 0 }

// Certificates returns the directory in which certificates for --tls-domain are kept.
func (c *Config) Certificates() string { return filepath.Join(c.Data, "certificates") }

func (c *Config) checkTLS() error {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key must be set together")
	case c.TLSCert != "" && len(c.TLSDomains) > 0:
		return errors.New("--tls-domain does not go with --tls-cert: certificates are either given or requested")
	case !c.TLS() && c.TLSRedirect != "":
		return errors.New("--tls-redirect needs --tls-cert or --tls-domain")
	case c.TLSRedirect != "" && !isAddress(c.TLSRedirect):
		return fmt.Errorf("--tls-redirect: %q is not an address (example: :80)", c.TLSRedirect)
	case c.TLS() && c.BaseURL != "" && !c.Secure():
		return errors.New("--base-url: the URL must begin with https:// with --tls-cert and --tls-domain")
	}
	for _, file := range []struct{ flag, name string }{{"--tls-cert", c.TLSCert}, {"--tls-key", c.TLSKey}} {
		if file.name == "" {
			continue
		}
		if info, err := os.Stat(file.name); err != nil {
			return fmt.Errorf("%s: %w", file.flag, err)
		} else if info.IsDir() {
			return fmt.Errorf("%s: %q is a directory", file.flag, file.name)
		}
	}
	for _, domain := range c.TLSDomains {
		if !domainForm.MatchString(domain) {
			return fmt.Errorf("--tls-domain: %q is not a domain in lower case (example: delivery.example.com)", domain)
		}
	}
	return c.checkAuthority()
}

func (c *Config) checkAuthority() error {
	if c.TLSAuthority == "" {
		return nil
	}
	if len(c.TLSDomains) == 0 {
		return errors.New("--tls-authority needs --tls-domain")
	}
	authority, err := url.Parse(c.TLSAuthority)
	if err != nil || authority.Hostname() == "" ||
		(authority.Scheme != "https" && (authority.Scheme != "http" || !machine.IsLoopback(authority.Hostname()))) {
		return errors.New("--tls-authority: the value must be a URL that begins with https://, except on this machine")
	}
	return nil
}

// tlsName describes where certificates come from.
func (c *Config) tlsName() string {
	switch {
	case c.TLSCert != "":
		return c.TLSCert
	case len(c.TLSDomains) > 0:
		return "acme:" + strings.Join(c.TLSDomains, ",")
	}
	return "off"
}

// tlsHost returns the host, with a port unless it is that of https, under which clients reach
// a service that speaks TLS itself.
func (c *Config) tlsHost(listening string) string {
	host, port, err := net.SplitHostPort(listening)
	if err != nil {
		return listening
	}
	if len(c.TLSDomains) > 0 {
		host = c.TLSDomains[0]
	}
	if port == "443" {
		return host
	}
	return net.JoinHostPort(host, port)
}
