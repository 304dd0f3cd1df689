package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// welcome prints what to do first, as long as no operator exists who could sign in. The demo prints its own
// credentials, and an OpenID provider brings its operators.
func (a *App) welcome(ctx context.Context) error {
	if a.config.Demo || a.config.OIDCIssuer != "" {
		return nil
	}
	page, err := a.operators.List(ctx, "", 1)
	if err != nil || len(page.Operators) > 0 {
		return err
	}
	_, err = fmt.Fprintf(a.Out, `Dropyard is ready at %[1]s/

There is no operator yet. Add the first one in another terminal, and sign in at %[1]s/console:

%[2]s operator add you@example.com --password A-LONG-PASSWORD --data %[3]s%[4]s

Partners register at %[1]s/portal/register.
To look around in a day of invented deliveries first, stop this and run: %[2]s serve --demo --data ./demo
`, a.URL(), programName(), a.dataForCommands(), a.databaseForCommands())
	return err
}

// dataForCommands returns the data directory as a command in another directory finds it.
func (a *App) dataForCommands() string {
	data := a.config.Data
	if whole, err := filepath.Abs(data); err == nil {
		data = whole
	}
	if strings.ContainsAny(data, " ()&;") {
		return `"` + data + `"`
	}
	return data
}

// databaseForCommands returns what a command needs besides the data directory. It does not repeat the URL, which may
// hold a password.
func (a *App) databaseForCommands() string {
	if a.config.DatabaseURL == "" || os.Getenv("DROPYARD_DATABASE") != "" {
		return ""
	}
	return " --database URL"
}
