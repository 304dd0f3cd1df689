package retention

import (
	"context"
	"fmt"
	"time"
)

// scrubEvery is the time between two scrubs by sweeps. A scrub reads all of the database.
// Rows that are removed other than by an erasure, such as a user or an old order, are
// overwritten immediately, but for copies, which a scrub finds.
const scrubEvery = 24 * time.Hour

// scrub overwrites what removed rows have left in the files of the database, once a day.
func (w *sweep) scrub(ctx context.Context) error {
	store, now := w.config.Store, w.config.Now()
	last, err := store.Scrubbed(ctx)
	if err != nil || !last.After(now) && now.Before(last.Add(scrubEvery)) {
		return err
	}
	if err := store.Scrub(ctx, w.config.Pause); err != nil {
		return fmt.Errorf("what removed data have left in the files: %w", err)
	}
	return store.SetScrubbed(ctx, now)
}

// scrubNow does the same for an erasure, without pauses, because a person waits for it. If
// it fails, it leaves the work to the next sweep: the orders are erased.
func (s *Service) scrubNow(ctx context.Context) {
	err := s.config.Store.Scrub(ctx, func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
	if err == nil {
		return
	}
	s.config.Log.WarnContext(ctx,
		"erased data can still be in freed parts of the database's files: the service overwrites them within two hours",
		"error", err)
	if err := s.config.Store.SetScrubbed(ctx, time.Time{}); err != nil {
		s.config.Log.WarnContext(ctx, "the service overwrites freed parts of the database's files within a day only", "error",
			err)
	}
}
