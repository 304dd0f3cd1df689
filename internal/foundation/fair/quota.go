package fair

import "sync"

// Quota is an amount that takers take from and return to. It may be used by many
// goroutines.
type Quota struct {
	limit, share int64
	watch        Watch // set by NewQuota only

	mu      sync.Mutex
	held    int64            // in all; guarded by mu
	by      map[string]int64 // held by each taker, never 0; guarded by mu
	refused int64            // guarded by mu
	high    bool             // the last call of watch.Crossed; guarded by mu
}

// Watch reports when much of a quota is held. The zero Watch reports nothing.
type Watch struct {
	Level int64
	// Crossed is called with true when Level has been reached, and with false when
	// no more than half of it is held again. It is called with the quota locked,
	// and so must return quickly and may not use the quota.
	Crossed func(high bool)
}

// NewQuota returns a quota of which each taker may hold up to share.
func NewQuota(limit, share int64, watch Watch) *Quota {
	return &Quota{limit: limit, share: share, watch: watch, by: map[string]int64{}}
}

// Take takes n for the taker, unless that would exceed its share or the limit. It
// reports whether it has. Taking 0 always succeeds.
func (b *Quota) Take(taker string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.limit-b.held || n > b.share-b.by[taker] {
		if n > 0 {
			b.refused++
			return false
		}
	}
	b.add(taker, n)
	return true
}

// Force takes n for the taker even if that exceeds its share or the limit, so that
// others are refused until n is returned.
func (b *Quota) Force(taker string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(taker, n)
}

// Return gives back n, which the taker must hold.
func (b *Quota) Return(taker string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(taker, -n)
}

// add changes what the taker holds by n. The caller holds mu.
func (b *Quota) add(taker string, n int64) {
	b.held += n
	if now := b.by[taker] + n; now == 0 {
		delete(b.by, taker)
	} else {
		b.by[taker] = now
	}
	if high := b.held >= b.watch.Level || b.high && b.held > b.watch.Level/2; b.watch.Crossed != nil && high != b.high {
		b.high = high
		b.watch.Crossed(high)
	}
}

// Stats describes a quota at one moment.
type Stats struct {
	Limit   int64
	Held    int64
	Refused int64 // how often Take has refused so far
}

// Stats returns the present state.
func (b *Quota) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Limit: b.limit, Held: b.held, Refused: b.refused}
}
