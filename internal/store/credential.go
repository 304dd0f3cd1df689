package store

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/credential"
)

var (
	oneTimeLinks = db.NewTable("one_time_links",
		db.Key(db.Blob("token_hash", func(l *credential.Link) *[]byte { return &l.TokenHash })),
		db.Text("link_id", func(l *credential.Link) *string { return &l.LinkID }),
		db.Text("kind", func(l *credential.Link) *string { return (*string)(&l.Kind) }),
		db.Text("user_id", func(l *credential.Link) *string { return &l.UserID }),
		db.Text("operator_id", func(l *credential.Link) *string { return &l.OperatorID }),
		db.Text("partner_id", func(l *credential.Link) *string { return &l.PartnerID }),
		db.Text("email", func(l *credential.Link) *string { return &l.Email }),
		db.Text("email_key", func(l *credential.Link) *string { return &l.EmailKey }),
		db.Text("role", func(l *credential.Link) *string { return &l.Role }),
		db.Text("created_by", func(l *credential.Link) *string { return &l.CreatedBy }),
		db.Moment("created_at", func(l *credential.Link) *time.Time { return &l.CreatedAt }),
		db.Moment("expires_at", func(l *credential.Link) *time.Time { return &l.ExpiresAt }),
	)
	addOneTimeLinks = oneTimeLinks.Insert()
)

// linking is the part of a transaction that reads and writes one-time links, and has
// them mailed.
type linking struct {
	auditing
	mailing
}

const usableLink = "WHERE token_hash = $1 AND kind = $2 AND expires_at > $3"

// Link returns a link of a kind that can be used at a time; nil if there is none.
func (tx linking) Link(
	ctx context.Context, kind credential.LinkKind, tokenHash []byte, now time.Time,
) (*credential.Link, error) {
	return oneTimeLinks.One(ctx, tx.conn, usableLink, tokenHash, string(kind), now)
}

// Links lists links that can be used at a time, oldest first.
func (tx linking) Links(ctx context.Context, filter credential.LinkFilter, now time.Time) ([]*credential.Link, error) {
	selected := linksOf(filter)
	selected.Add("expires_at > ?", now)
	sql, args := selected.Clause("ORDER BY created_at, link_id")
	return oneTimeLinks.All(ctx, tx.conn, sql, args...)
}

func linksOf(filter credential.LinkFilter) *db.Conditions {
	selected := &db.Conditions{}
	selected.AddText("link_id = ?", filter.LinkID)
	selected.AddText("kind = ?", string(filter.Kind))
	selected.AddText("user_id = ?", filter.UserID)
	selected.AddText("operator_id = ?", filter.OperatorID)
	selected.AddText("partner_id = ?", filter.PartnerID)
	selected.AddText("email_key = ?", filter.EmailKey)
	selected.AddText("created_by = ?", filter.CreatedBy)
	return selected
}

// AddLink adds a link.
func (tx linking) AddLink(ctx context.Context, link *credential.Link) error {
	_, err := db.WriteNow(ctx, tx.conn, addOneTimeLinks, link)
	return err
}

// TakeLink removes a link of a kind that can be used at a time and returns it; nil
// if there is none. A transaction that takes it at the same time waits for this one,
// and then finds none.
func (tx linking) TakeLink(
	ctx context.Context, kind credential.LinkKind, tokenHash []byte, now time.Time,
) (taken *credential.Link, err error) {
	err = tx.conn.Query(ctx, "DELETE FROM one_time_links "+usableLink+" RETURNING "+oneTimeLinks.List(""),
		[]any{tokenHash, string(kind), now}, func(r db.Row) error {
			taken = new(credential.Link)
			return r.Scan(db.Into(oneTimeLinks.Columns, taken)...)
		})
	return taken, err
}

// RemoveLinks removes the links that any of the filters selects, and returns how many.
func (tx linking) RemoveLinks(ctx context.Context, filters ...credential.LinkFilter) (removed int64, err error) {
	for _, filter := range filters {
		if filter == (credential.LinkFilter{}) {
			return 0, errors.New("remove links: the filter selects the links of everyone")
		}
		sql, args := linksOf(filter).Clause("")
		rows, err := tx.conn.Exec(ctx, "DELETE FROM one_time_links "+sql, args...)
		if err != nil {
			return 0, err
		}
		removed += rows
	}
	return removed, nil
}

// RemoveExpiredLinks removes the links that cannot be used any longer.
func (tx linking) RemoveExpiredLinks(ctx context.Context, now time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM one_time_links WHERE expires_at <= $1", now)
	return err
}

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
	return unattended[credential.CountReader, credential.CountWriter]{
		view[credential.CountReader, credential.CountWriter]{s.Database,
			func(c db.Conn) credential.CountReader { return countTx{c} },
			func(c db.Conn) credential.CountWriter { return countTx{c} }},
	}
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
