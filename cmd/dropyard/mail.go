package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
)

type mailCommand struct {
	Test testMailCommand `cmd:"" help:"Send one mail, with the settings of serve, and print the answer of the mail server."`
}

type testMailCommand struct {
	Address  string `arg:"" help:"Where the mail goes."`
	Language string `help:"Language of the mail: en or fr." enum:"en,fr" default:"en"`
	config.Config
}

// Run sends the mail at once. The service may be running.
func (c *testMailCommand) Run(ctx context.Context) error {
	if !delivery.EmailRule.Allows(c.Address) {
		return usageError{fmt.Errorf("%q is not an e-mail address", c.Address)}
	}
	if err := app.Check(&c.Config); err != nil {
		return usageError{err}
	}
	accepted, err := app.TryMail(ctx, &c.Config, app.System(), c.Address, c.Language)
	switch {
	case errors.Is(err, app.ErrNoMailServer):
		return usageError{err}
	case err != nil:
		return err
	}
	return printf("the mail server accepted the mail for %s: %s\n", c.Address, accepted)
}
