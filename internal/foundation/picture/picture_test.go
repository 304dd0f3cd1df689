package picture_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/dropyard/dropyard/internal/foundation/picture"
)

// TestCleaningSlots: while two pictures are being cleaned, a third waits for a slot
// or for the end of its context.
func TestCleaningSlots(t *testing.T) {
	t.Parallel()
	data := encodePNG(t, signature(9, 9))
	synctest.Test(t, func(t *testing.T) {
		cleaner := picture.NewCleaner()
		release := cleaner.Occupy()
		defer cleaner.Occupy()()
		ctx, cancel := context.WithCancel(context.Background())
		gone, waited := make(chan error, 1), make(chan error, 1)
		clean := func(ctx context.Context, done chan<- error) {
			_, err := cleaner.Clean(ctx, data, asProof)
			done <- err
		}
		go clean(ctx, gone)
		go clean(context.Background(), waited)
		synctest.Wait()
		if len(gone)+len(waited) != 0 {
			t.Error("a third picture did not wait")
		}
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while waiting: got %v, want context.Canceled", err)
		}
		if _, err := cleaner.Clean(ctx, data, asProof); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: got %v, want context.Canceled", err)
		}
		release()
		if err := <-waited; err != nil {
			t.Errorf("with a free slot: %v", err)
		}
	})
}
