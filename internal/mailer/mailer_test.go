package mailer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/emersion/go-smtp"
)

// fixture is a sender, its store, and the server that it sends to.
type fixture struct {
	*mailer.Service
	clock    *testkit.Clock
	store    *store.Store
	server   *testkit.MailServer
	config   mailer.Config
	outcomes map[mailer.Outcome]int
	log      *bytes.Buffer
}

func (f *fixture) Mailed(o mailer.Outcome) { f.outcomes[o]++ }

func newFixture(t *testing.T) *fixture {
	t.Helper()
	opened, err := store.OpenSQLite(t.Context(), filepath.Join(testkit.FastDir(t), "dropyard.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	sealer, err := credential.NewSealer(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{
		clock: testkit.NewClock(testkit.Epoch), store: opened, server: testkit.StartMailServer(t, "", nil),
		outcomes: map[mailer.Outcome]int{}, log: &bytes.Buffer{},
	}
	f.config = mailer.Config{
		Store: opened.Mails(), Sealer: sealer, Server: serverAt(t,
			f.server.Address), Now: f.clock.Now, Random: repeatable.Reader(t),
		Log: slog.New(slog.NewTextHandler(f.log, nil)), Observer: f,
		Language: func(_ context.Context, partnerID string) (mail.Language, error) {
			if partnerID == "par_french" {
				return mail.French, nil
			}
			return mail.English, nil
		},
	}
	f.Service = mailer.NewService(f.config)
	return f
}

// serverAt returns the server at an address, without TLS.
func serverAt(t *testing.T, address string) *mailer.SMTP {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return &mailer.SMTP{Host: host, Port: number, Security: mailer.NoTLS, From: "Dropyard <no-reply@example.com>"}
}

const secret = "https://delivery.example.com/reset/secret-token"

// post writes a mail to a person.
func (f *fixture) post(t *testing.T, to, partnerID string) {
	t.Helper()
	err := f.store.Mails().Write(t.Context(), func(tx mailer.Writer) error {
		return f.Send(t.Context(), tx, &mail.Message{
			Kind: mail.Reset, To: to, PartnerID: partnerID, URL: secret, Until: f.clock.Now().Add(time.Hour),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) sendDue(t *testing.T) {
	t.Helper()
	if err := f.SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) mustWait(t *testing.T, want int64) {
	t.Helper()
	if got, err := mailer.Waiting(t.Context(), f.store.Mails()); got != want || err != nil {
		t.Errorf("got %d mails waiting, %v, want %d", got, err, want)
	}
}

// received returns the addressees of the mails that the server has got since.
func (f *fixture) received() (to []string) {
	for {
		select {
		case m := <-f.server.Mails:
			to = append(to, m.To)
		default:
			return to
		}
	}
}

// messageID is the form of a Message-ID (RFC 5322, 3.6.4).
var messageID = regexp.MustCompile(`^<mail_[0-9a-z]+@example\.com>$`)

func TestMailsAreSentInTheirLanguage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.post(t, "en@example.com", "")
	f.clock.Advance(time.Millisecond)
	f.post(t, "fr@example.com", "par_french")
	f.sendDue(t)
	for _, want := range []struct{ to, subject, part string }{
		{"en@example.com", "Set a new password", "It works once"},
		{"fr@example.com", "Choisissez un nouveau mot de passe", "Il ne sert qu’une fois"},
	} {
		got := <-f.server.Mails
		if got.To != want.to || got.From != "no-reply@example.com" || got.Subject() != want.subject {
			t.Errorf("got %q from %s to %s, want %q to %s", got.Subject(), got.From, got.To, want.subject, want.to)
		}
		if !strings.Contains(got.Text, want.part) || !strings.Contains(got.HTML, want.part) ||
			!strings.Contains(got.Text, secret) {
			t.Errorf("got the text %q and the HTML %q, want %q and the link in both", got.Text, got.HTML, want.part)
		}
		if id := got.Get("Message-Id"); !messageID.MatchString(id) || got.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("got the headers %v, want a Message-ID of the mail, and Auto-Submitted", got.Header)
		}
	}
	f.mustWait(t, 0)
}

// TestMailsAreHeld: no mail is sent while they are held, and all that wait afterwards.
func TestMailsAreHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	held := true
	f.config.Held = func() bool { return held }
	f.Service = mailer.NewService(f.config)
	f.post(t, "sam@example.com", "")
	f.post(t, "kim@example.com", "")
	f.sendDue(t)
	f.clock.Advance(48 * time.Hour)
	f.sendDue(t)
	f.mustWait(t, 2)
	if got := f.received(); len(got) > 0 {
		t.Errorf("got mails to %q while they are held, want none", got)
	}
	held = false
	f.sendDue(t)
	if got := f.received(); len(got) != 2 {
		t.Errorf("got mails to %q afterwards, want both", got)
	}
}

func TestMailsAreSealedUntilSent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.post(t, "sam@example.com", "")
	err := f.store.Mails().Read(t.Context(), func(tx mailer.Reader) error {
		due, err := tx.DueMails(t.Context(), f.clock.Now(), 10)
		if len(due) != 1 || bytes.Contains(due[0].Sealed, []byte("secret-token")) ||
			bytes.Contains(due[0].Sealed, []byte("sam@")) {
			t.Errorf("got %+v, want one sealed mail", due)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsLostWhileServerIsAway: the server is away for an hour, and the process
// restarts meanwhile.
func TestNothingIsLostWhileServerIsAway(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.server.Away.Store(true)
	for range 60 {
		if f.clock.Now().Sub(testkit.Epoch) < 3*time.Minute {
			f.post(t, "sam@example.com", "")
		}
		f.sendDue(t)
		f.clock.Advance(time.Minute)
		f.Service = mailer.NewService(f.config)
	}
	f.mustWait(t, 3)
	f.server.Away.Store(false)
	for range 60 {
		f.sendDue(t)
		f.clock.Advance(time.Minute)
	}
	if got := f.received(); len(got) != 3 {
		t.Errorf("got the mails %q, want each of 3 once", got)
	}
	f.mustWait(t, 0)
	if f.outcomes[mailer.Sent] != 3 || f.outcomes[mailer.Failed] != 0 {
		t.Errorf("got the outcomes %v, want 3 sent and none failed", f.outcomes)
	}
}

// TestMailIsSentAfterProcessDies: the process dies between the attempt and its end.
func TestMailIsSentAfterProcessDies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.post(t, "sam@example.com", "")
	dying := f.config
	dying.Server = panicking{}
	func() {
		defer func() { _ = recover() }()
		_ = mailer.NewService(dying).SendDue(t.Context())
	}()
	f.sendDue(t)
	if got := f.received(); len(got) != 0 {
		t.Errorf("right after: got the mails %q, want none, because the other process may be sending", got)
	}
	f.clock.Advance(time.Minute)
	f.sendDue(t)
	if got := f.received(); len(got) != 1 {
		t.Errorf("a minute later: got the mails %q, want one", got)
	}
}

// panicking is a server that ends the process.
type panicking struct{}

func (panicking) Deliver(context.Context, *mailer.Envelope) error { panic("killed") }

// TestLostAnswerMakesSecondMail: the same mail is sent again, under the same
// Message-ID, if the answer to it was lost.
func TestLostAnswerMakesSecondMail(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.server.LoseAnswer.Store(true)
	f.post(t, "sam@example.com", "")
	f.sendDue(t)
	f.clock.Advance(time.Minute)
	f.sendDue(t)
	f.mustWait(t, 0)
	first, second := <-f.server.Mails, <-f.server.Mails
	if first.Get("Message-Id") != second.Get("Message-Id") {
		t.Errorf("got the ids %s and %s, want the same", first.Get("Message-Id"), second.Get("Message-Id"))
	}
}

// TestRefusedMails: a mail is given up only if the recipient's mailbox is the cause.
// Whatever the server says about the sender, the greeting or the relaying ends when a
// setting is corrected.
func TestRefusedMails(t *testing.T) {
	t.Parallel()
	none := smtp.NoEnhancedCode
	for _, c := range []struct {
		code     int
		enhanced smtp.EnhancedCode
		want     mailer.Outcome
	}{
		{450, none, mailer.Postponed},
		{450, smtp.EnhancedCode{4, 1, 1}, mailer.Postponed},
		{550, none, mailer.Failed},
		{551, none, mailer.Failed},
		{553, none, mailer.Failed},
		{501, none, mailer.Postponed},
		{552, none, mailer.Postponed},
		{554, none, mailer.Postponed},
		{550, smtp.EnhancedCode{5, 1, 1}, mailer.Failed},
		{554, smtp.EnhancedCode{5, 1, 10}, mailer.Failed},
		{552, smtp.EnhancedCode{5, 2, 2}, mailer.Failed},
		{550, smtp.EnhancedCode{5, 1, 7}, mailer.Postponed}, // the sender's syntax
		{550, smtp.EnhancedCode{5, 1, 8}, mailer.Postponed}, // the sender's domain
		{554, smtp.EnhancedCode{5, 7, 1}, mailer.Postponed}, // relay access denied
		{550, smtp.EnhancedCode{5, 7, 1}, mailer.Postponed},
		{504, smtp.EnhancedCode{5, 5, 2}, mailer.Postponed}, // HELO
		{550, smtp.EnhancedCode{5, 4, 1}, mailer.Postponed},
	} {
		f := newFixture(t)
		f.server.Refusal.Store(&smtp.SMTPError{
			Code: c.code, EnhancedCode: c.enhanced, Message: "<sam@example.com>: said \x1b the server",
		})
		f.post(t, "sam@example.com", "")
		f.sendDue(t)
		if f.outcomes[c.want] != 1 {
			t.Errorf("%d %v: got the outcomes %v, want %s", c.code, c.enhanced, f.outcomes, c.want)
		}
		if log := f.log.String(); strings.Contains(log, "sam@") || strings.Contains(log, "secret-token") {
			t.Errorf("%d: got the log %s, want neither address nor link in it", c.code, log)
		}
		if log := f.log.String(); !strings.Contains(log, fmt.Sprintf("refused the recipient: %d", c.code)) ||
			!strings.Contains(log, "said   the server") {
			t.Errorf("%d: got the log %s, want the code and the server's words in it", c.code, log)
		}
	}
}

// TestMailOutlivesWrongRelay: a server that refuses to relay, and is then set right,
// gets the mail.
func TestMailOutlivesWrongRelay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.server.Refusal.Store(&smtp.SMTPError{
		Code: 554, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "Relay access denied",
	})
	f.post(t, "sam@example.com", "")
	f.sendDue(t)
	f.server.Refusal.Store(nil)
	f.clock.Advance(time.Minute)
	f.sendDue(t)
	if got := f.received(); len(got) != 1 {
		t.Errorf("got the mails %q, want the one that was refused before", got)
	}
	f.mustWait(t, 0)
}

// TestMailsAreGivenUpAfterDay counts the attempts on the way.
func TestMailsAreGivenUpAfterDay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.server.Away.Store(true)
	f.post(t, "sam@example.com", "")
	for range 25 * 60 {
		f.sendDue(t)
		f.clock.Advance(time.Minute)
	}
	f.mustWait(t, 0)
	if f.outcomes[mailer.Failed] != 1 || f.outcomes[mailer.Postponed] < 24 || f.outcomes[mailer.Postponed] > 40 {
		t.Errorf("got the outcomes %v, want 24 to 40 postponed and then one failed", f.outcomes)
	}
	if !strings.Contains(f.log.String(), "given up") {
		t.Errorf("got the log %s, want it to say that the mail was given up", f.log)
	}
}

// TestWrongClockGivesUpNoMail tries a mail while the clock is 60 days ahead of the time by which
// mails age, and again when that has caught up.
func TestWrongClockGivesUpNoMail(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	aged := f.clock.Now()
	f.config.Aged = func() clock.Age { return clock.At(aged) }
	f.Service = mailer.NewService(f.config)
	f.server.Away.Store(true)
	f.post(t, "sam@example.com", "")
	f.clock.Advance(60 * 24 * time.Hour)
	f.sendDue(t)
	f.mustWait(t, 1)
	aged = f.clock.Now()
	f.clock.Advance(time.Hour)
	f.sendDue(t)
	f.mustWait(t, 0)
}

// TestNoMailWithoutCommit undoes the transaction that wrote a mail.
func TestNoMailWithoutCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	wanted := errors.New("wanted")
	err := f.store.Mails().Write(t.Context(), func(tx mailer.Writer) error {
		return errors.Join(f.Send(t.Context(), tx, &mail.Message{Kind: mail.Reset, To: "sam@example.com"}), wanted)
	})
	if !errors.Is(err, wanted) {
		t.Fatalf("got %v, want the error of the function", err)
	}
	f.mustWait(t, 0)
}

// TestServices runs two services on one database in the background, as two nodes do.
func TestServices(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	config := f.config
	config.Observer = quiet{}
	nodes := []*mailer.Service{mailer.NewService(config), mailer.NewService(config)}
	for i := range 10 {
		f.post(t, fmt.Sprintf("sam%d@example.com", i), "")
	}
	for _, node := range nodes {
		node.Run()
	}
	for range 10 {
		<-f.server.Mails
	}
	for _, node := range nodes {
		node.Close()
	}
	f.mustWait(t, 0)
	if got := f.received(); len(got) != 0 {
		t.Errorf("got %d mails more than were written", len(got))
	}
}

// quiet observes nothing.
type quiet struct{}

func (quiet) Mailed(mailer.Outcome) {}

// freezing is a store on a node that is frozen after its first commit, while others go on.
type freezing struct {
	mailer.Store
	meanwhile func()
}

func (s *freezing) Write(ctx context.Context, fn func(mailer.Writer) error) error {
	err := s.Store.Write(ctx, fn)
	if meanwhile := s.meanwhile; meanwhile != nil {
		s.meanwhile = nil
		meanwhile()
	}
	return err
}

// TestFrozenNodeSendsNoMailTwice freezes a node between the beginning of an attempt and the
// sending, until another node has sent the mail.
func TestFrozenNodeSendsNoMailTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.post(t, "a@example.com", "")
	config := f.config
	config.Store = &freezing{f.config.Store, func() {
		f.clock.Advance(time.Minute)
		f.sendDue(t)
	}}
	if err := mailer.NewService(config).SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := f.received(); len(got) != 1 {
		t.Errorf("got mails to %v, want one", got)
	}
	f.mustWait(t, 0)
}
