package app

import (
	"fmt"

	"github.com/dropyard/dropyard/internal/foundation/accesslog"
)

// openAccessLog opens the access log if the settings ask for one.
func (a *App) openAccessLog() (err error) {
	if a.config.AccessLog == "" {
		return nil
	}
	if a.accessLog, err = accesslog.Open(a.config.AccessLog, a.Out, a.Log); err != nil {
		return fmt.Errorf("--access-log: %w", err)
	}
	a.atClose(a.accessLog.Close)
	return nil
}

// ReopenAccessLog opens the file of the access log again, after a program has renamed it.
func (a *App) ReopenAccessLog() {
	if a.accessLog != nil {
		a.accessLog.Reopen()
	}
}
