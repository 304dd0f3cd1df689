package main

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

// dataFlags say which database a command works on, as for serve.
type dataFlags struct {
	Data          string `help:"Directory of the database and the master key." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	Database      string `help:"Where the data is, as for serve." env:"DROPYARD_DATABASE" placeholder:"URL"`
	MasterKeyFile string `help:"File of the master key, as for serve." env:"DROPYARD_MASTER_KEY_FILE" placeholder:"FILE"`
}

func (f *dataFlags) settings() *config.Config {
	return &config.Config{Data: f.Data, DatabaseURL: f.Database, MasterKeyFile: f.MasterKeyFile}
}

type backupCommand struct {
	dataFlags
	File string `arg:"" help:"File to write; it must not exist."`
}

// Run writes the backup; it may run beside the service.
func (c *backupCommand) Run(ctx context.Context) error {
	settings := c.settings()
	made, err := app.Backup(ctx, settings, c.File)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%s: %d rows in %d tables, %d bytes, verified\nThe master key is not part of it. Keep a copy of %s elsewhere: without it the backup is of no use.\n",
		c.File, made.Rows, made.Tables, made.Bytes, settings.MasterKey())
	return err
}
