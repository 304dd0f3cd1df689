package mailer_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
)

// cause writes a mail through one node, and reports whether it was refused.
func (f *fixture) cause(t *testing.T, node *mailer.Service, m *mail.Message) (refused bool) {
	t.Helper()
	err := f.store.Mails().Write(t.Context(), func(tx mailer.Writer) error { return node.Send(t.Context(), tx, m) })
	if err != nil && !refusal.HasCode(err, refusal.CodeRateLimited) {
		t.Fatal(err)
	}
	return err != nil
}

// TestMailsToAddressAreLimited: strangers together cause few mails of a kind to one
// address, on two nodes, however it is written; other kinds and addresses have their own
// count, and time gives more.
func TestMailsToAddressAreLimited(t *testing.T) {
	t.Parallel()
	for _, kind := range []mail.Kind{mail.Invitation, mail.Email, mail.Proof, mail.Reset} {
		f := newFixture(t)
		nodes := []*mailer.Service{f.Service, mailer.NewService(f.config)}
		refused := 0
		for i := range 157 {
			partner := "par_" + string(rune('a'+i%26))
			address := []string{"sam@example.com", "Sam@Example.com"}[i/2%2]
			if f.cause(t, nodes[i%2], &mail.Message{Kind: kind, To: address, PartnerID: partner}) {
				refused++
			}
		}
		if refused != 154 {
			t.Errorf("%s: got %d refused, want all but 3", kind, refused)
		}
		f.mustWait(t, 3)
		if f.cause(t, f.Service, &mail.Message{Kind: kind, To: "kim@example.com"}) {
			t.Errorf("%s to another address: refused", kind)
		}
		if f.cause(t, f.Service, &mail.Message{Kind: mail.SignIn, To: "sam@example.com"}) {
			t.Errorf("%s: a mail of another kind was refused", kind)
		}
		f.clock.Advance(time.Hour)
		if f.cause(t, f.Service, &mail.Message{Kind: kind, To: "sam@example.com"}) {
			t.Errorf("%s an hour later: refused", kind)
		}
	}
}

// TestMailsOfAccountAreLimited: a partner that writes to one stranger after another
// comes to an end.
func TestMailsOfAccountAreLimited(t *testing.T) {
	t.Parallel()
	for kind, want := range map[mail.Kind]int{mail.Invitation: 50, mail.Email: 10, mail.Proof: 10} {
		f := newFixture(t)
		sent := 0
		for i := range 60 {
			to := "stranger" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "@example.com"
			if !f.cause(t, f.Service, &mail.Message{Kind: kind, To: to, PartnerID: "par_1"}) {
				sent++
			}
		}
		if sent != want {
			t.Errorf("%s: got %d sent, want %d", kind, sent, want)
		}
		if f.cause(t, f.Service, &mail.Message{Kind: kind, To: "sam@example.com", PartnerID: "par_2"}) {
			t.Errorf("%s of another partner: refused", kind)
		}
	}
}

// TestNoticesAreLeftOutAtLimit: what a notice is about goes on.
func TestNoticesAreLeftOutAtLimit(t *testing.T) {
	t.Parallel()
	for _, kind := range []mail.Kind{mail.SignIn, mail.Changed, mail.Disabled} {
		f := newFixture(t)
		for range 30 {
			if f.cause(t, f.Service, &mail.Message{Kind: kind, To: "sam@example.com"}) {
				t.Errorf("%s: refused, want it left out", kind)
			}
		}
		f.mustWait(t, 10)
	}
}
