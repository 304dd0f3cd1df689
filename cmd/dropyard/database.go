package main

import "github.com/dropyard/dropyard/internal/config"

type databaseInsecureFlag struct {
	DatabaseInsecure bool `name:"database-allow-insecure" help:"Allow connections without TLS to a PostgreSQL server on another machine." env:"DROPYARD_DATABASE_ALLOW_INSECURE"`
}

// databaseFlags name the database that a command works on, as for serve.
type databaseFlags struct {
	Data     string `help:"Directory of the database and the master key." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	Database string `help:"Database to use, as for serve." env:"DROPYARD_DATABASE" placeholder:"URL"`

	databaseInsecureFlag
}

func (f databaseFlags) settings() *config.Config {
	return &config.Config{Data: f.Data, DatabaseURL: f.Database, DatabaseInsecure: f.DatabaseInsecure}
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
