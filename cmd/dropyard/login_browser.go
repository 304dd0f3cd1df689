package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
	"github.com/dropyard/dropyard/internal/profile"
)

// keysPage is where the portal creates API keys.
const keysPage = "/portal/keys"

// pasteKey asks for an API key that the person creates in the browser. The service is
// asked whether it accepts the key before it is stored.
func (c *loginCommand) pasteKey(
	ctx context.Context, ask *terminal.Questioner, name string, changed *profile.Profile,
) error {
	page := c.Server + keysPage
	if c.Mode == client.ModeTest {
		page += "?mode=" + string(client.ModeTest)
	}
	notice("Create an API key for this machine (%q) at %s, and copy it here.", machineName(name), page)
	if terminal.Is(os.Stdin) {
		openBrowser(ctx, page)
	}
	key, err := ask.Ask(ctx, "Public key (pk_…)", "")
	if err != nil {
		return unanswered("public key", err)
	}
	secret, err := ask.Secret(ctx, "Secret key (sk_…)")
	if err != nil {
		return unanswered("secret key", err)
	}
	partner := client.New(c.Server, key, strings.TrimSpace(secret))
	// A key whose scopes do not include orders is refused with forbidden, but is valid.
	if _, err := partner.ListOrders(ctx, client.OrderQuery{Limit: 1}); err != nil &&
		client.CodeOf(err) != client.CodeForbidden {
		return err
	}
	mode := client.ModeLive
	if inTest(partner) {
		mode = client.ModeTest
	}
	before := cmp.Or(changed.Partner, &profile.Partner{})
	if before.PublicKey != "" && before.PublicKey != key {
		notice("The key %s, which this profile had, is still valid. Revoke it on the same page.", before.PublicKey)
	}
	changed.Partner = &profile.Partner{Email: c.Email, Mode: string(mode), PublicKey: key, SecretKey: partner.SecretKey}
	tell("Logged in at %s, in %s mode, with the API key %s.", c.Server, mode, key)
	return nil
}

// openBrowser opens a page in the person's browser, if there is one. The address was
// printed, so that a failure needs no message.
func openBrowser(ctx context.Context, page string) {
	command := []string{"xdg-open", page}
	switch browser := os.Getenv("BROWSER"); {
	case browser != "":
		command = []string{browser, page}
	case runtime.GOOS == "darwin":
		command[0] = "open"
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", page}
	}
	opened := exec.CommandContext(context.WithoutCancel(ctx), command[0],
		command[1:]...) //nolint:gosec // the person's own browser, and a checked URL
	if opened.Start() == nil {
		go func() { _ = opened.Wait() }()
	}
}
