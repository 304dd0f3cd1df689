package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
	"github.com/dropyard/dropyard/internal/profile"
)

type loginCommand struct {
	Email    string         `help:"E-mail address of the account. Default: it is asked for." placeholder:"EMAIL"`
	Mode     client.KeyMode `help:"Mode of the API key: test, in which the service simulates deliveries, or live." enum:"test,live" default:"test"`
	Operator bool           `help:"Log in as an operator of the service, instead of as a partner." xor:"who"`
	Browser  bool           `help:"Create the API key in the browser, and paste it here, so that no password is typed in the terminal." xor:"who"`
	profileFlags
}

// questions asks on standard error, because standard output holds only results.
func questions() *terminal.Questioner { return terminal.NewQuestioner(os.Stdin, os.Stderr) }

// unanswered returns the error of a question: it is one of usage if there was no answer.
func unanswered(what string, err error) error {
	if errors.Is(err, terminal.ErrNoAnswer) {
		return usageError{fmt.Errorf("%s: %w", what, err)}
	}
	return err
}

// confirm asks a question, and returns an error unless the answer is yes.
func confirm(ctx context.Context, question string) error {
	switch yes, err := questions().Confirm(ctx, question); {
	case errors.Is(err, terminal.ErrNoAnswer):
		return usageError{fmt.Errorf("%w; use --yes to go on without a question", err)}
	case err != nil:
		return err
	case !yes:
		return errors.New("stopped: the answer was not yes")
	}
	return nil
}

// Run asks for what it needs, and stores an API key or an operator's token in the profile,
// which is in use from then on.
func (c *loginCommand) Run(ctx context.Context) error {
	all, path, err := profiles()
	if err != nil {
		return err
	}
	name := cmp.Or(c.Profile, all.InUse())
	if err := profile.CheckName(name); err != nil {
		return usageError{fmt.Errorf("--profile: %w", err)}
	}
	if err := profile.Check(path); err != nil {
		return fmt.Errorf("no key was created, because it could not be kept: %w", err)
	}
	ask := questions()
	present := cmp.Or(all.Profiles[name], &profile.Profile{})
	if c.Server == "" && !terminal.Is(os.Stdin) { // the first line of input is the address or the password
		c.Server = cmp.Or(present.Server, defaultServer)
	}
	if c.Server == "" {
		if c.Server, err = ask.Ask(ctx, "Server", cmp.Or(present.Server, defaultServer)); err != nil {
			return unanswered("--server", err)
		}
	}
	if err := checkServer(c.Server); err != nil {
		return err
	}
	c.Server = strings.TrimSuffix(c.Server, "/")
	warnUnencrypted(c.Server)
	changed := *present
	if present.Server != c.Server {
		changed = profile.Profile{Server: c.Server} // credentials of another server are of no use
	}
	as := c.asPartner
	switch {
	case c.Operator:
		as = c.asOperator
	case c.Browser:
		as = c.pasteKey
	}
	if err := as(ctx, ask, name, &changed); err != nil {
		return err
	}
	err = profile.Update(path, func(all *profile.Profiles) { all.Profiles[name], all.Current = &changed, name })
	if err != nil {
		return err
	}
	tell("The profile %q is in use. Its secrets are in %s, which only you can read.", name, path)
	return nil
}

// warnUnencrypted prints a warning if passwords would cross a network unencrypted.
func warnUnencrypted(server string) {
	if where, err := url.Parse(server); err == nil && where.Scheme == "http" && !machine.IsLoopback(where.Host) {
		notice("WARNING: %s is not encrypted. Others on the network can read your password and your secrets.", server)
	}
}

// asPartner creates an API key. The one that the profile had is revoked.
func (c *loginCommand) asPartner(
	ctx context.Context, ask *terminal.Questioner, name string, changed *profile.Profile,
) error {
	before := cmp.Or(changed.Partner, &profile.Partner{})
	session, err := signIn(ctx, ask, client.NewService(c.Server), c.Email, before.Email)
	if err != nil {
		return err
	}
	defer func() { _, _ = session.Logout(ctx) }()
	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: machineName(name), Mode: c.Mode})
	if err != nil {
		return err
	}
	changed.Partner = &profile.Partner{
		Email: session.Partner.User.Email, Name: session.Partner.Name, Mode: string(key.Mode),
		KeyID: key.KeyID, PublicKey: key.PublicKey, SecretKey: key.SecretKey,
	}
	if before.KeyID != "" && before.Email == changed.Partner.Email { // of another account, it can't be revoked here
		if _, err := session.RevokeAPIKey(ctx, before.KeyID); err != nil && client.CodeOf(err) != client.CodeNotFound {
			notice("The key %s of this profile could not be revoked: %s", before.KeyID, describe(err))
		}
	}
	tell("Logged in at %s as %s (%s), in %s mode, with the new API key %s.", c.Server, session.Partner.Name,
		changed.Partner.Email, key.Mode, key.PublicKey)
	return nil
}

// asOperator creates a token. The one that the profile had is revoked.
func (c *loginCommand) asOperator(
	ctx context.Context, ask *terminal.Questioner, name string, changed *profile.Profile,
) error {
	before := cmp.Or(changed.Operator, &profile.Operator{})
	service := client.NewService(c.Server)
	var token *client.Token
	email, err := withPassword(ctx, ask, c.Email, before.Email, func(email, password, code string) (err error) {
		token, err = service.CreateToken(ctx,
			client.TokenRequest{Email: email, Password: password, Code: code, Name: machineName(name)})
		return err
	})
	if err != nil {
		return err
	}
	changed.Operator = &profile.Operator{
		Email: email, Role: string(token.Role), TokenID: token.TokenID, Token: token.Token, ExpiresAt: token.ExpiresAt,
	}
	if before.TokenID != "" {
		_, err := client.NewOperator(c.Server, token.Token).RevokeToken(ctx, before.TokenID)
		if err != nil && client.CodeOf(err) != client.CodeNotFound {
			notice("The token %s of this profile could not be revoked: %s", before.TokenID, describe(err))
		}
	}
	tell("Logged in at %s as operator %s (%s), until %s.", c.Server, email, token.Role, moment(token.ExpiresAt))
	return nil
}

// machineName returns the name of a key or token, by which people recognise it later.
func machineName(profileName string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	return "dropyard on " + host + ", profile " + profileName
}

// signIn asks for what is missing, and begins a session.
func signIn(
	ctx context.Context, ask *terminal.Questioner, service *client.Service, email, byDefault string,
) (session *client.Session, err error) {
	_, err = withPassword(ctx, ask, email, byDefault, func(email, password, code string) (err error) {
		session, err = service.Login(ctx, client.LoginRequest{Email: email, Password: password, Code: code})
		return err
	})
	return session, err
}

// withPassword asks for the e-mail address unless it is given, for the password, and if
// the service wants one for the code of an authenticator app, and calls try with them.
func withPassword(
	ctx context.Context, ask *terminal.Questioner, email, byDefault string, try func(email, password, code string) error,
) (string, error) {
	var err error
	if email == "" {
		if email, err = ask.Ask(ctx, "E-mail", byDefault); err != nil {
			return "", unanswered("--email", err)
		}
	}
	password, err := ask.Secret(ctx, "Password of "+email)
	if err != nil {
		return "", unanswered("password", err)
	}
	err = try(email, password, "")
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Details.Reason != client.ReasonTOTPRequired {
		return email, err
	}
	code, err := ask.Secret(ctx, "Code of your authenticator app, or a recovery code")
	if err != nil {
		return "", unanswered("code", err)
	}
	return email, try(email, password, strings.TrimSpace(code))
}
