package main

import "github.com/dropyard/dropyard/internal/config"

// databaseFlags name the database that a command works on, as for serve.
type databaseFlags struct {
	Data     string `help:"Directory of the database and the master key." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	Database string `help:"Database to use, as for serve." env:"DROPYARD_DATABASE" placeholder:"URL"`
}

func (f databaseFlags) settings() *config.Config {
	return &config.Config{Data: f.Data, DatabaseURL: f.Database}
}

// databaseAndKeyFlags also name the master key that belongs to the database.
type databaseAndKeyFlags struct {
	databaseFlags
	MasterKeyFile string `help:"File of the master key, as for serve." env:"DROPYARD_MASTER_KEY_FILE" placeholder:"FILE"`
}

func (f databaseAndKeyFlags) settings() *config.Config {
	settings := f.databaseFlags.settings()
	settings.MasterKeyFile = f.MasterKeyFile
	return settings
}
