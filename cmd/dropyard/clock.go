package main

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/app"
)

type clockCommand struct {
	Accept acceptClockCommand `cmd:"" help:"Accept the clock of this machine although it is far from the latest time in the store. Old data are then removed by this clock."`
}

type acceptClockCommand struct{ databaseFlags }

// Run accepts the clock. The service may be running; it looks again within a minute.
func (c *acceptClockCommand) Run(ctx context.Context) error {
	world := app.System()
	was, err := app.AcceptClock(ctx, c.settings(), world)
	if err != nil {
		return fmt.Errorf("accept the clock: %w", err)
	}
	return printf("clock accepted: data ages by %s, after %s before\n",
		world.Now().UTC().Format(time.RFC3339), was.UTC().Format(time.RFC3339))
}
