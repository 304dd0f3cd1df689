package mailer

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/mail"
)

// Store is what this package needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads mails that wait.
type Reader interface {
	// DueMails lists mails whose next attempt is due, longest due first.
	DueMails(ctx context.Context, now time.Time, limit int) ([]*mail.Mail, error)
	CountMails(ctx context.Context) (waiting int64, err error)
}

// Writer changes mails that wait.
type Writer interface {
	Reader
	mail.Writer
	// BeginAttempt counts an attempt to send a mail, and sets the time of the next one,
	// unless the mail has changed since it was read. Of several nodes that have read it,
	// one gets true.
	BeginAttempt(ctx context.Context, read *mail.Mail, next time.Time) (begun bool, err error)
	RemoveMail(ctx context.Context, mailID string) error
	// Stopped reports whether the recipient of an order wants no mail about it.
	Stopped(ctx context.Context, orderID string) (bool, error)
}
