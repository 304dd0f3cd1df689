package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/store"
)

func writeMails(t *testing.T, s *store.Store, fn func(tx mailer.Writer) error) {
	t.Helper()
	must(t, s.Mails().Write(t.Context(), fn))
}

// waitingMail returns a mail without two equal fields, which is due at(n).
func waitingMail(n int) *mail.Mail {
	return &mail.Mail{
		MailID: fmt.Sprint("mail_",
			n), OrderID: fmt.Sprint("ord_", n), Kind: mail.Kind(fmt.Sprint("kind ", n)), Sealed: []byte{byte(n), 0, 255},
		Attempts: int64(n), NextAt: at(n), CreatedAt: at(n - 1),
	}
}

func testMails(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two, three := waitingMail(1), waitingMail(2), waitingMail(3)
	writeMails(t, s, func(tx mailer.Writer) error {
		for _, m := range []*mail.Mail{three, one, two} {
			must(t, tx.AddMail(ctx, m))
		}
		begun, err := tx.BeginAttempt(ctx, one, at(9))
		if !begun {
			t.Error("got no attempt begun, want one")
		}
		return err
	})
	one.Attempts, one.NextAt = 2, at(9)
	read := func(what string, now, limit int, want ...*mail.Mail) {
		must(t, s.Mails().Read(ctx, func(tx mailer.Reader) error {
			due, err := tx.DueMails(ctx, at(now), limit)
			same(t, what, due, want)
			return err
		}))
	}
	read("due", 2, 10, two)
	read("all due", 9, 10, two, three, one)
	read("cut", 9, 2, two, three)
	writeMails(t, s, func(tx mailer.Writer) error { return tx.RemoveMail(ctx, two.MailID) })
	must(t, s.Mails().Read(ctx, func(tx mailer.Reader) error {
		waiting, err := tx.CountMails(ctx)
		same(t, "waiting", waiting, 2)
		return err
	}))
}

// testMailAttemptedOnce begins one attempt in several transactions at the same time.
func testMailAttemptedOnce(t *testing.T, s *store.Store) {
	m := waitingMail(1)
	writeMails(t, s, func(tx mailer.Writer) error { return tx.AddMail(t.Context(), m) })
	var nodes sync.WaitGroup
	var attempts atomic.Int64
	for range 8 {
		nodes.Go(func() {
			begun := false
			err := s.Mails().Write(t.Context(), func(tx mailer.Writer) (err error) {
				begun, err = tx.BeginAttempt(t.Context(), m, at(9))
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if begun {
				attempts.Add(1)
			}
		})
	}
	nodes.Wait()
	if attempts.Load() != 1 {
		t.Errorf("8 transactions at the same time: got %d attempts, want 1", attempts.Load())
	}
}
