package main

import (
	"context"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

type serveCommand struct {
	config.Config
}

// Run serves until the process is told to stop, then finishes what runs.
func (c *serveCommand) Run(ctx context.Context) error {
	if err := app.Check(&c.Config); err != nil {
		return usageError{err}
	}
	service, err := app.Start(ctx, &c.Config, app.System())
	if err != nil {
		return err
	}
	return service.Run(ctx)
}
