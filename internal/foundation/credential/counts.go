package credential

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// CountStore keeps the counts of logins, so that they hold on all nodes and outlive a
// restart. A count is the time at which its key is at rest (see throttle.Charge); a
// key without a row is at rest.
type CountStore interface {
	Read(ctx context.Context, fn func(CountReader) error) error
	// Write runs fn in a transaction. fn may run again after a lost race.
	Write(ctx context.Context, fn func(CountWriter) error) error
}

// CountReader reads counts.
type CountReader interface {
	// Counts returns the counts of those keys that have a row.
	Counts(ctx context.Context, keys []CountKey) ([]Count, error)
}

// CountWriter changes counts.
type CountWriter interface {
	// LockCounts returns the counts of all the keys, locked until the transaction ends.
	// It adds the rows that are missing.
	LockCounts(ctx context.Context, keys []CountKey) ([]Count, error)
	SaveCounts(ctx context.Context, counts []Count) error
	// RemoveRested removes the counts that were at rest at a time.
	RemoveRested(ctx context.Context, at time.Time) error
}

// CountKey is the hash of what is counted. So the store holds neither e-mail
// addresses nor IP addresses of people who tried to log in.
type CountKey [sha256.Size]byte

// Count is when a key is at rest.
type Count struct {
	Key    CountKey
	RestAt time.Time
}

const (
	// countTimeout bounds how long a login waits for the counts, each time.
	countTimeout = 2 * time.Second
	// sweepCountsEvery is how often a node that writes counts removes those at rest.
	// Most are after a minute.
	sweepCountsEvery = time.Minute
)

// keyOf returns the key under which nodes share a count.
func (g *Gate) keyOf(counted throttle.Keyed) CountKey {
	return sha256.Sum256([]byte(g.config.Accounts + "\x00" + counted.Key))
}

// learn adds what all nodes have counted to what this node knows. It is one read.
func (g *Gate) learn(ctx context.Context, all []throttle.Keyed) error {
	if g.config.Store == nil {
		return nil
	}
	names := make(map[CountKey]string, len(all))
	keys := make([]CountKey, len(all))
	for i, counted := range all {
		keys[i] = g.keyOf(counted)
		names[keys[i]] = counted.Key
	}
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	return g.config.Store.Read(ctx, func(tx CountReader) error {
		found, err := tx.Counts(ctx, keys)
		for _, count := range found {
			g.known.Raise(names[count.Key], count.RestAt)
		}
		return err
	})
}

// share adds one to the counts of all nodes. This node has counted already: what it
// knows and the store does not is added too. An error is logged and means that only
// this node has counted. The context's end does not stop it, because otherwise
// guesses whose clients hang up would not count.
func (g *Gate) share(ctx context.Context, all []throttle.Keyed) {
	if g.config.Store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTimeout)
	defer cancel()
	if err := g.config.Store.Write(ctx, func(tx CountWriter) error { return g.add(ctx, tx, all) }); err != nil {
		g.config.Log.Warn("a login was counted on this node only", "error", err)
	}
}

func (g *Gate) add(ctx context.Context, tx CountWriter, all []throttle.Keyed) error {
	counted := make(map[CountKey]throttle.Keyed, len(all))
	keys := make([]CountKey, len(all))
	for i, one := range all {
		keys[i] = g.keyOf(one)
		counted[keys[i]] = one
	}
	now := g.config.Now()
	if g.mustSweep(now) {
		if err := tx.RemoveRested(ctx, g.config.Aged()); err != nil {
			return err
		}
	}
	counts, err := tx.LockCounts(ctx, keys)
	if err != nil {
		return err
	}
	for i, count := range counts {
		one := counted[count.Key]
		counts[i].RestAt = throttle.Charge(one.Rate, count.RestAt, now)
		if own := g.known.RestAt(one.Key); own.After(counts[i].RestAt) {
			counts[i].RestAt = own
		}
	}
	return tx.SaveCounts(ctx, counts)
}

// mustSweep reports whether it is time to remove counts that are at rest.
func (g *Gate) mustSweep(now time.Time) bool {
	last := g.swept.Load()
	return now.UnixNano()-last >= int64(sweepCountsEvery) && g.swept.CompareAndSwap(last, now.UnixNano())
}

// Sweep removes the counts that are at rest, also those of other kinds of accounts.
func (g *Gate) Sweep(ctx context.Context) error {
	if g.config.Store == nil {
		return nil
	}
	return g.config.Store.Write(ctx, func(tx CountWriter) error { return tx.RemoveRested(ctx, g.config.Aged()) })
}
