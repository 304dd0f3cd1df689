package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type keysCommand struct {
	List   listKeysCommand  `cmd:"" default:"withargs" help:"List the active API keys."`
	Create createKeyCommand `cmd:"" help:"Create an API key. Its secret is printed this once."`
	Revoke revokeKeyCommand `cmd:"" help:"Revoke an API key."`
}

// keyFlags are the flags of the commands about API keys. A key cannot manage keys, so
// that these ask for the password of a person.
type keyFlags struct {
	Email string `help:"E-mail address of the account. Default: that of the profile, or else it is asked for." placeholder:"EMAIL"`
	outputFlags
	profileFlags
}

// session begins a session of a person.
func (f *keyFlags) session(ctx context.Context) (*client.Session, error) {
	_, chosen, err := f.chosen()
	if err != nil {
		return nil, err
	}
	service, err := f.service()
	if err != nil {
		return nil, err
	}
	if f.Email == "" && chosen != nil && chosen.Partner != nil &&
		strings.TrimSuffix(chosen.Server, "/") == service.BaseURL {
		f.Email = chosen.Partner.Email
	}
	warnUnencrypted(service.BaseURL)
	return signIn(ctx, questions(), service, f.Email, "")
}

type listKeysCommand struct{ keyFlags }

// Run prints the keys.
func (c *listKeysCommand) Run(ctx context.Context) error {
	session, err := c.session(ctx)
	if err != nil {
		return err
	}
	defer func() { _, _ = session.Logout(ctx) }()
	var answer client.Answer
	keys, err := session.ListAPIKeys(ctx, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return newLister(c.output(), "api_keys", []column[client.APIKey]{
		text("ID", func(k client.APIKey) string { return k.KeyID }),
		text("NAME", func(k client.APIKey) string { return k.Name }),
		text("KEY", func(k client.APIKey) string { return k.PublicKey }),
		text("MODE", func(k client.APIKey) string { return string(k.Mode) }),
		text("SCOPES", func(k client.APIKey) string { return scopeNames(k.Scopes) }),
		text("CREATED", func(k client.APIKey) string { return moment(k.CreatedAt) }),
		text("LAST USED", func(k client.APIKey) string { return moment(k.LastUsedAt) }),
	}).print(keys.APIKeys, &answer)
}

// scopeNames returns what a key may do.
func scopeNames(scopes []client.Scope) string {
	if len(scopes) == 0 {
		return "all"
	}
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}

type createKeyCommand struct {
	Name   string         `arg:"" optional:"" help:"A label for the key."`
	Mode   client.KeyMode `help:"Mode of the key: test or live." enum:"test,live" default:"test"`
	Scopes []client.Scope `help:"What the key may do: orders, stock, webhooks, read. Default: everything that a key can do." placeholder:"SCOPE"`
	V2     bool           `name:"require-v2" help:"Refuse signatures of version 1."`
	keyFlags
}

// Run creates a key and prints it with its secret.
func (c *createKeyCommand) Run(ctx context.Context) error {
	session, err := c.session(ctx)
	if err != nil {
		return err
	}
	defer func() { _, _ = session.Logout(ctx) }()
	var answer client.Answer
	key, err := session.CreateAPIKey(ctx,
		client.CreateAPIKeyRequest{Name: c.Name, Mode: c.Mode, Scopes: c.Scopes, RequireV2: c.V2}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{
		field("id",
			key.KeyID), field("name", key.Name), field("mode", string(key.Mode)), field("scopes", scopeNames(key.Scopes)),
		field("key", key.PublicKey), field("secret", key.SecretKey),
	})
}

type revokeKeyCommand struct {
	KeyID string `arg:"" help:"The key (key_…)."`
	keyFlags
}

// errOwnKey means that the key of the profile would be revoked.
var errOwnKey = errors.New("this is the key of the profile: use dropyard logout")

// Run revokes a key.
func (c *revokeKeyCommand) Run(ctx context.Context) error {
	if _, chosen, err := c.chosen(); err == nil && chosen != nil && chosen.Partner != nil &&
		chosen.Partner.KeyID == c.KeyID {
		return usageError{fmt.Errorf("<key-id>: %w", errOwnKey)}
	}
	session, err := c.session(ctx)
	if err != nil {
		return err
	}
	defer func() { _, _ = session.Logout(ctx) }()
	var answer client.Answer
	revoked, err := session.RevokeAPIKey(ctx, c.KeyID, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{field("id", revoked.KeyID), field("revoked", yes(revoked.Revoked))})
}
