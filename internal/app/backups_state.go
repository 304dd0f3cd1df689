package app

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/backups"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/installation"
)

var errNoBackups = refusal.New(refusal.CodeConflict,
	"this service makes no backups: set --backups or, with PostgreSQL, use its own tools")

// beginBackup begins a backup. It refuses with conflict if the settings name no place for it, and while one is being
// made.
func (a *App) beginBackup(context.Context) error {
	if a.backups == nil {
		return errNoBackups
	}
	return a.backups.Start()
}

// describeBackups describes the backups that the service makes; nil if it makes none.
func (a *App) describeBackups() *installation.Backups {
	if a.backups == nil {
		return nil
	}
	state := a.backups.State()
	described := &installation.Backups{
		KeptIn: "directory", Keep: a.backups.Keep(), NextAt: timeOrNull(state.Next),
		RunningSince: timeOrNull(state.Running), Kept: make([]installation.Backup, len(state.Kept)),
	}
	if where, err := a.config.BackupStore(); err == nil && where.Endpoint != nil {
		described.KeptIn = "bucket"
	}
	for i, made := range state.Kept {
		described.Kept[i] = describeBackup(made)
	}
	if state.Last != nil {
		last := describeBackup(*state.Last)
		described.Last = &last
	}
	return described
}

func describeBackup(made backups.Made) installation.Backup {
	described := installation.Backup{
		Name: made.Name, BegunAt: timestamp.Truncate(made.At), Seconds: made.Seconds, Bytes: made.Bytes,
	}
	if made.Error != "" {
		described.Error = &made.Error
	}
	return described
}

// timeOrNull returns a time as records have it; nil for the zero time.
func timeOrNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = timestamp.Truncate(at)
	return &at
}
