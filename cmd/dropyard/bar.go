package main

import (
	"context"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/headway"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// withBar returns a context whose work is shown as a bar, if standard error is a terminal.
// done removes the bar.
func withBar(ctx context.Context) (shown context.Context, done func()) {
	if !terminal.Is(os.Stderr) {
		return ctx, func() {}
	}
	bar := terminal.NewBar(os.Stderr, time.Now)
	return headway.With(ctx, bar.Show), bar.Clear
}
