package config

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// defaultBackupAt is when a backup is made if --backups is set.
const defaultBackupAt = "03:00"

// offText turns a setting off that has a default.
const offText = "off"

// BackupStore parses --backups; nil if it is not set. Its errors do not repeat the URL of a bucket, which holds a
// secret.
func (c *Config) BackupStore() (*FileStore, error) {
	if c.Backups == "" {
		return nil, nil
	}
	store, err := readStore("--backups", c.Backups)
	return &store, err
}

// BackupTime returns the time of day at which a backup is made; set is false if none is.
func (c *Config) BackupTime() (hour, minute int, set bool, err error) {
	if c.BackupAt == offText || c.Backups == "" {
		return 0, 0, false, nil
	}
	text := cmp.Or(c.BackupAt, defaultBackupAt)
	at, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, 0, false, fmt.Errorf("--backup-at: %q is not a time of day such as 03:00, or off", c.BackupAt)
	}
	return at.Hour(), at.Minute(), true, nil
}

func (c *Config) checkBackups() error {
	if _, err := c.BackupStore(); err != nil {
		return err
	}
	if _, _, _, err := c.BackupTime(); err != nil {
		return err
	}
	switch {
	case c.Backups == "" && c.BackupAt != "" && c.BackupAt != offText:
		return fmt.Errorf("--backup-at: %s names no place for the backup; set --backups, too", c.BackupAt)
	case c.BackupKeep < 1:
		return fmt.Errorf("--backup-keep: %d is too few, at least 1 is needed", c.BackupKeep)
	case c.Backups != "" && c.Postgres():
		return errors.New("--backups: the service backs up the embedded database only; for PostgreSQL use pg_dump, or archive its write-ahead log (docs/backup.md)")
	}
	return nil
}

// backupsName returns the BackupStore as String shows it.
func (c *Config) backupsName() string {
	store, err := c.BackupStore()
	switch {
	case err != nil:
		return "(not readable)"
	case store == nil:
		return ""
	}
	return store.String()
}
