package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	mails = db.NewTable("mails",
		db.Key(db.Text("mail_id", func(m *mail.Mail) *string { return &m.MailID })),
		db.Text("kind", func(m *mail.Mail) *string { return (*string)(&m.Kind) }),
		db.Text("order_id", func(m *mail.Mail) *string { return &m.OrderID }),
		db.Blob("sealed", func(m *mail.Mail) *[]byte { return &m.Sealed }),
		db.Integer("attempts", func(m *mail.Mail) *int64 { return &m.Attempts }),
		db.Moment("next_at", func(m *mail.Mail) *time.Time { return &m.NextAt }),
		db.Moment("created_at", func(m *mail.Mail) *time.Time { return &m.CreatedAt }),
	)
	addMails = mails.Insert()
	// dropMailsOf removes the mails to the recipients of orders.
	dropMailsOf = db.DeleteFrom(mails, db.Key(db.Text("order_id", func(k *order.OrderKey) *string { return &k.OrderID })))
)

// Mails is the store as the sender of mails sees it.
func (s *Store) Mails() mailer.Store {
	return view[mailer.Reader, mailer.Writer]{s.Database,
		func(c db.Conn) mailer.Reader { return mailTx{c, mailing{c}} },
		func(c db.Conn) mailer.Writer { return mailTx{c, mailing{c}} }}
}

// mailTx is a transaction of the sender of mails.
type mailTx struct {
	conn db.Conn
	mailing
}

// mailing is a part of the transactions that have mails sent.
type mailing struct{ mails db.Conn }

// AddMail adds a mail.
func (tx mailing) AddMail(ctx context.Context, m *mail.Mail) error {
	_, err := db.WriteNow(ctx, tx.mails, addMails, m)
	return err
}

// LockMailCounts returns the counts of all the keys, locked until the transaction ends.
// They are kept beside those of logins.
func (tx mailing) LockMailCounts(ctx context.Context, keys []mail.CountKey) ([]mail.Count, error) {
	hashed := make([]credential.CountKey, len(keys))
	for i, key := range keys {
		hashed[i] = credential.CountKey(key)
	}
	locked, err := countTx{tx.mails}.LockCounts(ctx, hashed)
	counts := make([]mail.Count, len(locked))
	for i, count := range locked {
		counts[i] = mail.Count{Key: mail.CountKey(count.Key), RestAt: count.RestAt}
	}
	return counts, err
}

// SaveMailCounts writes counts that the same transaction has locked.
func (tx mailing) SaveMailCounts(ctx context.Context, counts []mail.Count) error {
	saved := make([]credential.Count, len(counts))
	for i, count := range counts {
		saved[i] = credential.Count{Key: credential.CountKey(count.Key), RestAt: count.RestAt}
	}
	return countTx{tx.mails}.SaveCounts(ctx, saved)
}

// DueMails lists mails whose next attempt is due, longest due first.
func (tx mailTx) DueMails(ctx context.Context, now time.Time, limit int) ([]*mail.Mail, error) {
	return mails.All(ctx, tx.conn, "WHERE next_at <= $1 ORDER BY next_at, mail_id LIMIT $2", now, limit)
}

// CountMails counts all mails.
func (tx mailTx) CountMails(ctx context.Context) (waiting int64, err error) {
	err = tx.conn.Query(ctx, "SELECT count(*) FROM mails", nil, func(r db.Row) error { return r.Scan(&waiting) })
	return waiting, err
}

// BeginAttempt counts an attempt to send a mail, unless the mail has changed since it
// was read. A transaction that does so at the same time waits for this one, and then
// finds it changed.
func (tx mailTx) BeginAttempt(ctx context.Context, read *mail.Mail, next time.Time) (begun bool, err error) {
	rows, err := tx.conn.Exec(ctx,
		"UPDATE mails SET attempts = attempts + 1, next_at = $1 WHERE mail_id = $2 AND attempts = $3", next, read.MailID,
		read.Attempts)
	return rows == 1, err
}

// RemoveMail removes a mail.
func (tx mailTx) RemoveMail(ctx context.Context, mailID string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM mails WHERE mail_id = $1", mailID)
	return err
}

// Stopped reports whether the recipient of an order wants no mail about it.
func (tx mailTx) Stopped(ctx context.Context, orderID string) (bool, error) {
	return recipientTx(tx).Stopped(ctx, orderID)
}
