package credential_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// TestUsesOfSessions notes uses while they cannot be written for a while. Until then they are
// known, and afterwards they are written, the last one of each session.
func TestUsesOfSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := func(minute int) time.Time { return time.Unix(0, 0).Add(time.Duration(minute) * time.Minute) }
		var failing atomic.Bool // changes while a goroutine waits for its next try
		failing.Store(true)
		tries, written := 0, map[string]time.Time{}
		uses := credential.NewUses(func(_ context.Context, uses []credential.SessionUse) error {
			if tries++; failing.Load() {
				return errors.New("the disk is full")
			}
			for _, use := range uses {
				written[string(use.TokenHash)] = use.At
			}
			return nil
		}, slog.New(slog.DiscardHandler))
		uses.Note([]byte("a"), at(1))
		uses.Note([]byte("b"), at(1))
		synctest.Wait()
		for i := range 10 {
			uses.Note([]byte("a"), at(2+i))
		}
		if got := uses.Seen([]byte("a"), at(0)); !got.Equal(at(11)) || tries != 1 || uses.Flush(t.Context()) == nil {
			t.Errorf("got %v after %d tries, want %v after one, and an error", got, tries, at(11))
		}
		if got := uses.Seen([]byte("a"), at(20)); !got.Equal(at(20)) {
			t.Errorf("got %v, want the later time that was stored", got)
		}
		failing.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !written["a"].Equal(at(11)) || !written["b"].Equal(at(1)) || tries != 3 {
			t.Errorf("got %v after %d tries, want the last use of each after 3", written, tries)
		}
		if got := uses.Seen([]byte("a"), at(0)); !got.Equal(at(0)) {
			t.Errorf("got %v after it was written, want what is stored", got)
		}
		failing.Store(true)
		uses.Note([]byte("c"), at(1))
		synctest.Wait()
		failing.Store(false)
		if err := uses.Close(); err != nil || !written["c"].Equal(at(1)) {
			t.Errorf("got %v, %v, want what waits to be written at last", written, err)
		}
		uses.Note([]byte("d"), at(1)) // nothing starts
	})
}
