package app

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
)

// ErrKilled is what RotateUntilWrite returns after the write.
var ErrKilled = errors.New("killed by the test")

// RotateUntilWrite rotates the master key and ends after the first thing it has written,
// as a process that is killed there. It changes nothing and returns nil if the rotation
// was complete.
func RotateUntilWrite(ctx context.Context, settings *config.Config, world Surroundings, db *store.Store) error {
	r := &rotation{
		store: db, path: settings.MasterKey(), random: world.Random, now: world.Now, wrote: func() error { return ErrKilled },
	}
	_, err := r.run(ctx)
	return err
}
