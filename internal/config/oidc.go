package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/loopback"
)

// checkOIDC does not repeat the secret.
func (c *Config) checkOIDC() error {
	if c.OIDCIssuer == "" {
		if c.OIDCClientID != "" || c.OIDCClientSecret != "" || c.OIDCRoleClaim != "" {
			return errors.New("--oidc-issuer: the URL of the provider is missing")
		}
		return nil
	}
	if c.OIDCClientID == "" || c.OIDCClientSecret == "" {
		return errors.New("--oidc-issuer needs --oidc-client-id and --oidc-client-secret")
	}
	issuer, err := url.Parse(c.OIDCIssuer)
	switch {
	case err != nil:
		return errors.New("--oidc-issuer: the value is not a URL (example: https://login.example.com)")
	case issuer.User != nil, strings.ContainsAny(c.OIDCIssuer, "?#"), issuer.Hostname() == "":
		return fmt.Errorf("--oidc-issuer: %q must be a URL without user, query and fragment (example: https://login.example.com)", issuer.Redacted())
	case issuer.Scheme != "https" && (issuer.Scheme != "http" || !loopback.Is(issuer.Hostname())):
		return fmt.Errorf("--oidc-issuer: %q must begin with https://, except on this machine", issuer)
	}
	return nil
}
