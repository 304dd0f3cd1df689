// Package pace lets work in the background leave processors and the disk to requests: by
// pauses that end early when a context does, by how many processors it may keep busy, and in
// a process of low priority.
package pace

import (
	"context"
	"time"
)

// share is the ratio of a pause to the time that the work before it took. So work that
// pauses takes a tenth of a processor, or of the writer's time, and after each part of
// it all others get their turn.
const share = 9

// After pauses after work that took the given time, in proportion to it. It returns the
// error of ctx if that ends before.
func After(ctx context.Context, took time.Duration) error { return Pause(ctx, share*took) }

// Pause pauses for a time. It returns the error of ctx if that ends before.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() // it may have ended, too
	case <-ctx.Done():
		return ctx.Err()
	}
}
