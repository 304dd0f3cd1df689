package storetest

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/store"
)

// testSignInCounts adds to the same counts from many places at once, in another order
// each, the first time too: no change may be lost.
func testSignInCounts(t *testing.T, s *store.Store) {
	ctx, start := t.Context(), time.UnixMicro(1_767_225_600_000_000).UTC()
	all := []credential.CountKey{{1}, {2}, {3}, {4}} // the last is never counted
	keys := all[:3]
	bump := func(tx credential.CountWriter, keys []credential.CountKey) error {
		counts, err := tx.LockCounts(ctx, keys)
		for i := range counts {
			counts[i].RestAt = latest(counts[i].RestAt, start).Add(time.Second)
		}
		if err != nil {
			return err
		}
		return tx.SaveCounts(ctx, counts)
	}
	const workers, rounds = 8, 10
	var running sync.WaitGroup
	for worker := range workers {
		order := slices.Concat(keys[worker%3:], keys[:worker%3])
		running.Go(func() {
			for range rounds {
				if err := s.SignIns().Write(ctx, func(tx credential.CountWriter) error { return bump(tx, order) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	must(t, s.SignIns().Write(ctx, func(tx credential.CountWriter) error { return bump(tx, keys[:1]) }))
	want := []credential.Count{{
		Key: keys[0], RestAt: start.Add(81 * time.Second),
	}, {Key: keys[1], RestAt: start.Add(80 * time.Second)}, {Key: keys[2], RestAt: start.Add(80 * time.Second)}}
	wantCounts(t, s, all, want)
	must(t, s.SignIns().Write(ctx,
		func(tx credential.CountWriter) error { return tx.RemoveRested(ctx, start.Add(80*time.Second)) }))
	wantCounts(t, s, keys, want[:1])
}

func wantCounts(t *testing.T, s *store.Store, keys []credential.CountKey, want []credential.Count) {
	t.Helper()
	must(t, s.SignIns().Read(t.Context(), func(tx credential.CountReader) error {
		got, err := tx.Counts(t.Context(), keys)
		slices.SortFunc(got, func(a, b credential.Count) int { return bytes.Compare(a.Key[:], b.Key[:]) })
		if !slices.Equal(got, want) {
			t.Errorf("got counts %v, want %v", got, want)
		}
		return err
	}))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
