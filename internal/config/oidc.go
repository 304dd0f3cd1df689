package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

// oidcRoles are the roles that --oidc-roles may name.
var oidcRoles = []string{"admin", "dispatcher", "accountant", "warehouse", "courier"}

// OIDCRoleValues returns the roles that values of the role claim stand for, by value; empty
// if the values are the roles' names.
func (c *Config) OIDCRoleValues() (map[string]string, error) {
	if len(c.OIDCRoles) > 0 && c.OIDCRoleClaim == "" {
		return nil, errors.New("--oidc-roles needs --oidc-role-claim")
	}
	roles := make(map[string]string, len(c.OIDCRoles))
	for _, pair := range c.OIDCRoles {
		role, value, _ := strings.Cut(pair, "=")
		if value == "" || !slices.Contains(oidcRoles, role) {
			return nil,
				fmt.Errorf("--oidc-roles: %q must be ROLE=VALUE with one of the roles %s", pair, strings.Join(oidcRoles, ", "))
		}
		if strings.TrimSpace(value) != value {
			return nil, fmt.Errorf("--oidc-roles: the value %q has blanks around it, and no claim has", value)
		}
		if other, twice := roles[value]; twice && other != role {
			return nil, fmt.Errorf("--oidc-roles: the value %q stands for %s and for %s", value, other, role)
		}
		roles[value] = role
	}
	return roles, nil
}

// checkOIDC does not repeat the secret.
func (c *Config) checkOIDC() error {
	if c.OIDCIssuer == "" {
		if c.OIDCClientID != "" || c.OIDCClientSecret != "" || c.OIDCRoleClaim != "" || len(c.OIDCRoles) > 0 ||
			c.OIDCTrustEmails {
			return errors.New("--oidc-issuer: the URL of the provider is missing")
		}
		return nil
	}
	if c.OIDCClientID == "" || c.OIDCClientSecret == "" {
		return errors.New("--oidc-issuer needs --oidc-client-id and --oidc-client-secret")
	}
	if strings.TrimSpace(c.OIDCRoleClaim) != c.OIDCRoleClaim {
		return fmt.Errorf("--oidc-role-claim: %q has blanks around it", c.OIDCRoleClaim)
	}
	if _, err := c.OIDCRoleValues(); err != nil {
		return err
	}
	issuer, err := url.Parse(c.OIDCIssuer)
	switch {
	case err != nil:
		return errors.New("--oidc-issuer: the value is not a URL (example: https://login.example.com)")
	case issuer.User != nil, strings.ContainsAny(c.OIDCIssuer, "?#"), issuer.Hostname() == "":
		return fmt.Errorf(
			"--oidc-issuer: %q must be a URL without user, query and fragment (example: https://login.example.com)",
			issuer.Redacted(),
		)
	case strings.Contains(issuer.Path, "/.well-known/"):
		return fmt.Errorf("--oidc-issuer: %q must be the issuer itself, without /.well-known/ and what follows it", issuer)
	case issuer.Scheme != "https" && (issuer.Scheme != "http" || !machine.IsLoopback(issuer.Hostname())):
		return fmt.Errorf("--oidc-issuer: %q must begin with https://, except on this machine", issuer)
	}
	return nil
}
