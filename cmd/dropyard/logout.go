package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/profile"
)

type logoutCommand struct {
	KeepKey bool   `help:"Only remove the secrets from this machine, and revoke nothing. No password is needed."`
	Profile string `help:"Profile to remove. Default: the one in use." env:"DROPYARD_PROFILE" placeholder:"NAME"`
}

// Run revokes the API key and the token of the profile, and removes the profile. To revoke
// an API key takes a password, because a key cannot manage keys.
func (c *logoutCommand) Run(ctx context.Context) error {
	all, path, err := profiles()
	if err != nil {
		return err
	}
	name := cmp.Or(c.Profile, all.InUse())
	removed := all.Profiles[name]
	if removed == nil {
		return errNoProfile(name)
	}
	if !c.KeepKey {
		if err := revoke(ctx, removed); err != nil {
			return fmt.Errorf("%w; nothing was removed (see --keep-key)", err)
		}
	}
	if err := profile.Update(path, func(all *profile.Profiles) { all.Remove(name) }); err != nil {
		return err
	}
	tell("Logged out. The profile %q is removed.", name)
	return nil
}

// revoke revokes the credentials of a profile. What has ended already is no error.
func revoke(ctx context.Context, p *profile.Profile) error {
	if p.Operator != nil {
		_, err := client.NewOperator(p.Server, p.Operator.Token).RevokeToken(ctx, p.Operator.TokenID)
		if code := client.CodeOf(err); err != nil && code != client.CodeNotFound && code != client.CodeUnauthorized {
			return fmt.Errorf("revoke the token: %w", err)
		}
	}
	if p.Partner == nil {
		return nil
	}
	session, err := signIn(ctx, questions(), client.NewService(p.Server), p.Partner.Email, "")
	if err != nil {
		return err
	}
	defer func() { _, _ = session.Logout(ctx) }()
	keys, err := session.ListAPIKeys(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys.APIKeys {
		if key.PublicKey != p.Partner.PublicKey {
			continue
		}
		if _, err := session.RevokeAPIKey(ctx, key.KeyID); err != nil && client.CodeOf(err) != client.CodeNotFound {
			return fmt.Errorf("revoke the API key: %w", err)
		}
	}
	return nil
}
