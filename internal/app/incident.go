package app

import (
	"log/slog"
	"sync"
	"time"
)

// incident logs something that lasts: its first cause at once, then one line a minute
// with the number of failures, and a line when it is over.
type incident struct {
	log  *slog.Logger
	what string // such as "not ready: disk_low"

	mu       sync.Mutex // guards the following fields
	began    time.Time  // zero while there is nothing to log
	logged   time.Time
	failures int
}

const logEvery = time.Minute

// failed notes a failure and its cause.
func (i *incident) failed(cause string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	i.failures++
	switch {
	case i.began.IsZero():
		i.began, i.logged = now, now
		i.log.Error(i.what, "error", cause)
	case now.Sub(i.logged) >= logEvery:
		i.logged = now
		i.log.Error(i.what+", still", "failures", i.failures, "since", i.began.UTC(), "error", cause)
	}
}

// report notes a failure with its cause if there is one, and otherwise that there is none.
func (i *incident) report(cause error, isFailure bool) {
	if isFailure {
		i.failed(cause.Error())
	} else {
		i.over()
	}
}

// over notes that there is no failure now.
func (i *incident) over() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.began.IsZero() {
		return
	}
	i.log.Info(i.what+", over", "failures", i.failures, "lasted", time.Since(i.began).Round(time.Millisecond))
	i.began, i.failures = time.Time{}, 0
}
