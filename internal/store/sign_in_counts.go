package store

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/credential"
)

var (
	signInCounts = db.NewTable("sign_in_counts",
		db.Key(db.Fixed("count_key", func(c *credential.Count) []byte { return c.Key[:] })),
		db.Moment("rest_at", func(c *credential.Count) *time.Time { return &c.RestAt }),
	)
	byCountKey       = db.Key(db.Fixed("count_key", func(k *credential.CountKey) []byte { return k[:] }))
	addSignInCounts  = signInCounts.Insert()
	saveSignInCounts = signInCounts.Update()
	findSignInCounts = db.LookUpBy(byCountKey, signInCounts)
	lockSignInCounts = db.LockBy(byCountKey, signInCounts)
)

// SignIns is the store of the counts of logins.
func (s *Store) SignIns() credential.CountStore {
	return unattended[credential.CountReader, credential.CountWriter]{view[credential.CountReader, credential.CountWriter]{s.Database,
		func(c db.Conn) credential.CountReader { return countTx{c} },
		func(c db.Conn) credential.CountWriter { return countTx{c} }}}
}

// countTx is a transaction on the counts of logins.
type countTx struct{ conn db.Conn }

// Counts returns the counts of those keys that have a row.
func (tx countTx) Counts(ctx context.Context, keys []credential.CountKey) ([]credential.Count, error) {
	rows, err := db.FindNow(ctx, tx.conn, findSignInCounts, keys...)
	return db.Values(rows), err
}

// LockCounts returns the counts of all keys, locked until the transaction ends. It adds
// the rows that are missing, in the order of the keys, so that no two nodes wait for
// each other. Another node may add a row at the same moment: the insert then waits for
// that node, and the look-up finds what it has written.
func (tx countTx) LockCounts(ctx context.Context, keys []credential.CountKey) ([]credential.Count, error) {
	missing := make([]*credential.Count, len(keys))
	for i, key := range keys {
		missing[i] = &credential.Count{Key: key}
	}
	slices.SortFunc(missing, func(a, b *credential.Count) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	p := db.NewPipeline(tx.conn)
	db.Write(p, addSignInCounts, missing)
	locked := db.Find(p, lockSignInCounts, keys)
	done, err := p.Flush(ctx)
	return db.Values(locked.After(done)), err
}

// SaveCounts writes counts that the same transaction has locked.
func (tx countTx) SaveCounts(ctx context.Context, counts []credential.Count) error {
	return db.WriteAllNow(ctx, tx.conn, saveSignInCounts, db.Pointers(counts)...)
}

// RemoveRested removes the counts that were at rest at a time.
func (tx countTx) RemoveRested(ctx context.Context, at time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM sign_in_counts WHERE rest_at <= $1", at)
	return err
}
