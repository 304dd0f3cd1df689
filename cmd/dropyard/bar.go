package main

import (
	"context"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/progress"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// watch, if it is set, gets the progress of commands in the place of a bar. Tests stop
// commands by it when these have done a certain part of their work.
var watch func(context.Context) progress.Reporter

// withBar returns a context whose work is shown as a bar, if standard error is a terminal.
// done removes the bar.
func withBar(ctx context.Context) (shown context.Context, done func()) {
	if watch != nil {
		return progress.With(ctx, watch(ctx)), func() {}
	}
	if !terminal.Is(os.Stderr) {
		return ctx, func() {}
	}
	bar := terminal.NewBar(os.Stderr, time.Now)
	return progress.With(ctx, bar.Show), bar.Clear
}
