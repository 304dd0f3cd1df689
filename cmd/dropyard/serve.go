package main

import (
	"context"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

type serveCommand struct {
	config.Config
}

// Run serves until ctx ends, which a signal causes, and then shuts down.
func (c *serveCommand) Run(ctx context.Context) error {
	if err := app.Check(&c.Config); err != nil {
		return usageError{err}
	}
	world := app.System()
	world.Version = version
	service, err := app.Start(ctx, &c.Config, world)
	if err != nil {
		return err
	}
	return service.Run(ctx)
}
