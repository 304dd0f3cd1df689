package main

import "github.com/dropyard/dropyard/internal/config"

// databaseRiskFlags allow what is refused by default of PostgreSQL databases.
type databaseRiskFlags struct {
	DatabaseInsecure    bool `name:"database-allow-insecure" help:"Allow connections without TLS to a PostgreSQL server on another machine." env:"DROPYARD_DATABASE_ALLOW_INSECURE"`
	DatabaseMayLoseData bool `name:"database-may-lose-data" help:"Use a PostgreSQL server whose fsync or full_page_writes is off, as for serve." env:"DROPYARD_DATABASE_MAY_LOSE_DATA"`
}

// databaseFlags name the database that a command works on, as for serve.
type databaseFlags struct {
	Data     string `help:"Directory of the database and the master key." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	Database string `help:"Database to use, as for serve." env:"DROPYARD_DATABASE" placeholder:"URL"`

	databaseRiskFlags
}

// settings returns those of the database at url.
func (f databaseRiskFlags) settings(url string) *config.Config {
	return &config.Config{
		DatabaseURL: url, DatabaseInsecure: f.DatabaseInsecure, DatabaseMayLoseData: f.DatabaseMayLoseData,
	}
}

func (f databaseFlags) settings() *config.Config {
	settings := f.databaseRiskFlags.settings(f.Database)
	settings.Data = f.Data
	return settings
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
