package main

import (
	"context"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

type oidcCommand struct {
	Check checkOIDCCommand `cmd:"" help:"Check, with the settings of serve, whether operators can sign in through the OpenID provider."`
}

type checkOIDCCommand struct{ config.Config }

// Run prints what the provider says, one line each. The service may be running.
func (c *checkOIDCCommand) Run(ctx context.Context) error {
	if err := app.Check(&c.Config); err != nil {
		return usageError{err}
	}
	diagnosis, err := app.CheckOpenID(ctx, &c.Config)
	if err != nil {
		return usageError{err}
	}
	return printDiagnosis(diagnosis)
}
