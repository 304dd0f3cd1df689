package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// digestsCommandName is the hidden command of the worker that checks passwords.
const digestsCommandName = "digest-passwords"

type digestsCommand struct{}

// Run answers the requests of the service that has started this process.
func (c *digestsCommand) Run() error { return pace.ServeWorker(os.Stdin, os.Stdout, credential.Digest) }

type serveCommand struct {
	config.Config
}

// Run serves until ctx ends, which a signal causes, and then shuts down.
func (c *serveCommand) Run(ctx context.Context) error {
	if err := app.Check(&c.Config); err != nil {
		return usageError{err}
	}
	signal.Ignore(syscall.SIGPIPE) // a reader of the output that ends must not end the service
	world := app.System()
	world.Version = version
	world.Hasher = credential.NewHasherWith(pace.NewWorker(world.Log, digestsCommandName), credential.DefaultCost,
		world.Random)
	hangUps := make(chan os.Signal, 1)
	if c.AccessLog != "" {
		signal.Notify(hangUps, syscall.SIGHUP) // one that comes during the start must not end the program
	}
	service, err := app.Start(ctx, &c.Config, world)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // a stop during the start is not a failure
	case err != nil:
		return err
	}
	go func() {
		for range hangUps {
			service.ReopenAccessLog()
		}
	}()
	defer func() {
		signal.Stop(hangUps)
		close(hangUps)
	}()
	return service.Run(ctx)
}
