package requestlogger

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/requestlog"
)

const (
	// overhead is what a segment takes up in the database beside its contents, in bytes:
	// the other columns, and its place in the index.
	overhead = 200
	// measureEvery is how often the log is measured at least. Other nodes write, too.
	measureEvery = time.Hour
	// share is the part of MaxBytes after which the log is measured again.
	share = 32
	// pruned is how many segments one transaction removes at most.
	pruned = 200
	// rest is the ratio of the pause after a transaction to the time that it took, so
	// that removing takes at most a fifth of the time of the only writer.
	rest = 4
)

// pruneDue reports whether the log may have grown too large, or too old.
func (s *Service) pruneDue() bool {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	now := s.config.Now()
	if s.written < s.config.MaxBytes/share && now.Sub(s.measured) < measureEvery {
		return false
	}
	s.written, s.measured = 0, now
	return true
}

// Prune removes what is older than requestlog.Kept, and the oldest segments as long as
// the log takes up more than the settings allow. It pauses between its transactions, and
// returns early after Close.
func (s *Service) Prune(ctx context.Context) error {
	age := s.config.Aged()
	cutoff := identifier.FirstUUID(age.Now.Add(-requestlog.Kept))
	if age.Doubtful(age.Now.Add(-requestlog.Kept)) {
		cutoff = "" // only what is too much is removed
	}
	excess, err := s.excess(ctx)
	for err == nil {
		begun := time.Now() // the real clock: it measures work
		var old []*requestlog.Segment
		if old, err = s.oldest(ctx, cutoff, excess); err != nil || len(old) == 0 {
			return err
		}
		err = s.config.Store.Write(ctx, func(tx Writer) error { return tx.RemoveSegments(ctx, old) })
		excess -= sizeOf(old)
		if !s.pause(rest * time.Since(begun)) {
			return err
		}
	}
	return err
}

// excess returns by how many bytes the log is too large; less than 1 if it is not.
func (s *Service) excess(ctx context.Context) (excess int64, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		segments, bytes, err := tx.MeasureSegments(ctx)
		excess = bytes + segments*overhead - s.config.MaxBytes
		return err
	})
	return excess, err
}

// oldest returns some of the segments that are to be removed.
func (s *Service) oldest(ctx context.Context, cutoff string, excess int64) (old []*requestlog.Segment, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) (err error) {
		old, err = tx.OldestSegments(ctx, pruned)
		return err
	})
	for i, segment := range old {
		if segment.SegmentID >= cutoff && sizeOf(old[:i]) >= excess {
			return old[:i], err
		}
	}
	return old, err
}

func sizeOf(segments []*requestlog.Segment) (size int64) {
	for _, segment := range segments {
		size += segment.Size + overhead
	}
	return size
}

// pause waits, and is false after Close.
func (s *Service) pause(length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.stop:
		return false
	}
}
