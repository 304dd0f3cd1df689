// Package rest has pauses that end early when a context does. After paces work in the
// background, so that it leaves processors and the disk to requests.
package rest

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
func After(ctx context.Context, took time.Duration) error { return For(ctx, share*took) }

// For pauses for a time. It returns the error of ctx if that ends before.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
