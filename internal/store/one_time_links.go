package store

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

var (
	oneTimeLinks = newTable("one_time_links",
		key(blob("token_hash", func(l *credential.Link) *[]byte { return &l.TokenHash })),
		text("link_id", func(l *credential.Link) *string { return &l.LinkID }),
		text("kind", func(l *credential.Link) *string { return (*string)(&l.Kind) }),
		text("user_id", func(l *credential.Link) *string { return &l.UserID }),
		text("operator_id", func(l *credential.Link) *string { return &l.OperatorID }),
		text("partner_id", func(l *credential.Link) *string { return &l.PartnerID }),
		text("email", func(l *credential.Link) *string { return &l.Email }),
		text("email_key", func(l *credential.Link) *string { return &l.EmailKey }),
		text("role", func(l *credential.Link) *string { return &l.Role }),
		text("created_by", func(l *credential.Link) *string { return &l.CreatedBy }),
		moment("created_at", func(l *credential.Link) *time.Time { return &l.CreatedAt }),
		moment("expires_at", func(l *credential.Link) *time.Time { return &l.ExpiresAt }),
	)
	addOneTimeLinks = oneTimeLinks.insert()
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
	return oneTimeLinks.one(ctx, tx.conn, usableLink, tokenHash, string(kind), now)
}

// Links lists links that can be used at a time, oldest first.
func (tx linking) Links(ctx context.Context, filter credential.LinkFilter, now time.Time) ([]*credential.Link, error) {
	selected := linksOf(filter)
	selected.add("expires_at > ?", now)
	sql, args := selected.clause("ORDER BY created_at, link_id")
	return oneTimeLinks.all(ctx, tx.conn, sql, args...)
}

func linksOf(filter credential.LinkFilter) *conditions {
	selected := &conditions{}
	selected.addText("link_id = ?", filter.LinkID)
	selected.addText("kind = ?", string(filter.Kind))
	selected.addText("user_id = ?", filter.UserID)
	selected.addText("operator_id = ?", filter.OperatorID)
	selected.addText("partner_id = ?", filter.PartnerID)
	selected.addText("email_key = ?", filter.EmailKey)
	selected.addText("created_by = ?", filter.CreatedBy)
	return selected
}

// AddLink adds a link.
func (tx linking) AddLink(ctx context.Context, link *credential.Link) error {
	_, err := writeNow(ctx, tx.conn, addOneTimeLinks, link)
	return err
}

// TakeLink removes a link of a kind that can be used at a time and returns it; nil
// if there is none. A transaction that takes it at the same time waits for this one,
// and then finds none.
func (tx linking) TakeLink(ctx context.Context, kind credential.LinkKind, tokenHash []byte, now time.Time) (taken *credential.Link, err error) {
	err = tx.conn.query(ctx, "DELETE FROM one_time_links "+usableLink+" RETURNING "+oneTimeLinks.list(""),
		[]any{tokenHash, string(kind), now}, func(r row) error {
			taken = new(credential.Link)
			return r.scan(into(oneTimeLinks.columns, taken)...)
		})
	return taken, err
}

// RemoveLinks removes the links that a filter selects, and returns how many.
func (tx linking) RemoveLinks(ctx context.Context, filter credential.LinkFilter) (int64, error) {
	if filter == (credential.LinkFilter{}) {
		return 0, errors.New("remove links: the filter selects the links of everyone")
	}
	sql, args := linksOf(filter).clause("")
	return tx.conn.exec(ctx, "DELETE FROM one_time_links "+sql, args...)
}

// RemoveExpiredLinks removes the links that cannot be used any longer.
func (tx linking) RemoveExpiredLinks(ctx context.Context, now time.Time) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM one_time_links WHERE expires_at <= $1", now)
	return err
}
