package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/credential"
)

type keyCommand struct {
	Rotate rotateKeyCommand `cmd:"" help:"Replace the master key with a new one, and encrypt all secrets with it. Stop the service first if it uses the embedded database. If the command is interrupted, run it again."`
}

type rotateKeyCommand struct {
	databaseAndKeyFlags
	KeepOld string `help:"File to copy the old key to, for backups made under it. It must not exist." placeholder:"FILE"`
}

// Run rotates the master key as far as the running nodes allow, and prints what is
// next. Exit code 1 means that nodes have to be restarted first.
func (c *rotateKeyCommand) Run(ctx context.Context) error {
	settings := c.settings()
	if err := app.CheckPlaces(settings); err != nil {
		return usageError{err}
	}
	if _, err := os.Stat(settings.Data); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the data directory %s does not exist: set --data", settings.Data)
	}
	done, err := app.RotateMasterKey(ctx, settings, app.System(), c.KeepOld)
	if errors.Is(err, credential.ErrMasterKeyUnsaved) {
		return fmt.Errorf("--keep-old: %w", err)
	}
	if err != nil {
		return fmt.Errorf("rotate the master key: %w; run the same command again to continue", err)
	}
	for _, value := range done.Unreadable {
		tell("note: %s cannot be opened with either key, and was left as it is", value)
	}
	if done.Stage != credential.Settled {
		tell("The rotation is under way, from the key %s to %s.", done.From, done.To)
		return fmt.Errorf("these nodes run without the new state of %s: %s; copy the file to every node, restart one node after the other, and run this command again (a node that was killed is forgotten after 90 s)",
			settings.MasterKey(), strings.Join(done.Nodes, ", "))
	}
	err = printf("secrets sealed again: %d\nThe master key in %s is new: its fingerprint is %s. Keep a copy. Backups made before need the old key, %s.\n",
		done.Resealed, settings.MasterKey(), done.To, done.From)
	return err
}
