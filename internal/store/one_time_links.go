package store

import (
	"context"
	"errors"
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
func (tx linking) Link(ctx context.Context, kind credential.LinkKind, tokenHash []byte, now time.Time) (*credential.Link, error) {
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
func (tx linking) TakeLink(ctx context.Context, kind credential.LinkKind, tokenHash []byte, now time.Time) (taken *credential.Link, err error) {
	err = tx.conn.Query(ctx, "DELETE FROM one_time_links "+usableLink+" RETURNING "+oneTimeLinks.List(""),
		[]any{tokenHash, string(kind), now}, func(r db.Row) error {
			taken = new(credential.Link)
			return r.Scan(db.Into(oneTimeLinks.Columns, taken)...)
		})
	return taken, err
}

// RemoveLinks removes the links that a filter selects, and returns how many.
func (tx linking) RemoveLinks(ctx context.Context, filter credential.LinkFilter) (int64, error) {
	if filter == (credential.LinkFilter{}) {
		return 0, errors.New("remove links: the filter selects the links of everyone")
	}
	sql, args := linksOf(filter).Clause("")
	return tx.conn.Exec(ctx, "DELETE FROM one_time_links "+sql, args...)
}

// RemoveExpiredLinks removes the links that cannot be used any longer.
func (tx linking) RemoveExpiredLinks(ctx context.Context, now time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM one_time_links WHERE expires_at <= $1", now)
	return err
}
