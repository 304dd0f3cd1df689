package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/api/ops"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/operator"
)

// ErrNoOpenID means that the settings have no OpenID provider.
var ErrNoOpenID = errors.New("--oidc-issuer is not set, so operators sign in with passwords only")

// CheckOpenID asks the OpenID provider of the settings whether operators can sign in through
// it. It stores nothing, and the service may be running. The error is ErrNoOpenID.
func CheckOpenID(ctx context.Context, settings *config.Config) (*Diagnosis, error) {
	if settings.OIDCIssuer == "" {
		return nil, ErrNoOpenID
	}
	d := &Diagnosis{}
	d.checkOpenID(ctx, settings)
	return d, nil
}

// checkOpenID checks the OpenID provider and the settings of signing in through it. That
// the settings fit each other was checked before.
func (d *Diagnosis) checkOpenID(ctx context.Context, settings *config.Config) {
	if settings.OIDCIssuer == "" {
		return
	}
	client := openIDOf(settings, settings.Public(listenAddress(settings))+ops.OpenIDCallback, openid.Config{
		Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	found := client.Examine(ctx)
	d.Findings = append(d.Findings, found.Faults...)
	d.Notes = append(d.Notes, found.Notes...)
	if settings.OIDCTrustEmails {
		d.note("--oidc-trust-emails is set: a person who can choose an address at %s can sign in as the operator who has it",
			settings.OIDCIssuer)
	}
	if roles, _ := settings.OIDCRoleValues(); len(roles) > 0 {
		d.checkOpenIDRoles(roles)
	}
	d.note("at the OpenID provider, the redirect URI must be %s",
		settings.Public(listenAddress(settings))+ops.OpenIDCallback)
}

// checkOpenIDRoles notes roles that no value of the claim stands for: people who have them
// are refused, or get another role at their next sign-in.
func (d *Diagnosis) checkOpenIDRoles(roles map[string]string) {
	named := map[string]bool{}
	for _, role := range roles {
		named[role] = true
	}
	missing := make([]string, 0, len(operator.Roles))
	for _, role := range operator.Roles {
		if !named[string(role)] {
			missing = append(missing, string(role))
		}
	}
	if len(missing) > 0 {
		d.note("--oidc-roles: no value stands for %s, so people with such a role cannot sign in through the OpenID provider",
			strings.Join(missing, ", "))
	}
}
