// Package mailer sends the mails that packages have written into the database. A mail is
// removed once the server has accepted it. An attempt is counted before it is made, so
// that one node at a time sends a mail, and that a process which dies in between loses
// none: the mail is due again later. It can be sent twice only if the process dies, or
// the connection breaks, after the server has the whole mail and before its answer is
// noted.
package mailer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/mail"
)

const (
	// pollEvery is how often the database is asked for mails that are due.
	pollEvery = 500 * time.Millisecond
	// pollTimeout bounds one query of a poll.
	pollTimeout = 10 * time.Second
	// batch is how many mails are read at a time.
	batch = 20
	// firstPause is the time from the first attempt to the second. It is longer than an
	// attempt can take, which attemptTimeout bounds. Later pauses double up to lastPause.
	firstPause     = time.Minute
	lastPause      = time.Hour
	attemptTimeout = 30 * time.Second
	// patience is how old a mail may become. The first attempt that fails later is the
	// last.
	patience = 24 * time.Hour
)

// Envelope is a mail for a Server.
type Envelope struct {
	MailID string // the same at each attempt
	To     string
	// StopURL ends further mails of this kind by one POST (RFC 8058); empty if the mail
	// is not one of several.
	StopURL string
	*mail.Content
	Language mail.Language
	Date     time.Time
}

// ErrRefused means that the server will never accept a mail, such as for an address
// that does not exist.
var ErrRefused = errors.New("the mail server refused the mail for good")

// ErrUnreachable means that the server accepts no mail at present, whichever it is.
var ErrUnreachable = errors.New("the mail server cannot be used")

// Server accepts mails.
type Server interface {
	// Deliver returns nil once the server has accepted the mail. Its errors do not
	// repeat the recipient's address.
	Deliver(ctx context.Context, envelope *Envelope) error
}

// Outcome is how an attempt ended.
type Outcome string

// The outcomes.
const (
	Sent      Outcome = "sent"
	Postponed Outcome = "postponed" // it will be tried again
	Failed    Outcome = "failed"    // given up
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{Sent, Postponed, Failed}

// Observer is called with the outcome of each attempt, for metrics. It must be fast.
type Observer interface{ Mailed(Outcome) }

// Config holds what the service needs.
type Config struct {
	Store  Store
	Sealer *credential.Sealer
	Server Server
	// Language returns the language of a partner; nil means English for all.
	Language func(ctx context.Context, partnerID string) (mail.Language, error)
	Now      func() time.Time
	// Aged returns the time by which mails age until they are given up; nil stands for Now.
	Aged     func() clock.Age
	Random   io.Reader // safe for use by many goroutines
	Log      *slog.Logger
	Observer Observer
	// Held reports whether no mail may be sent; nil means that all may. Mails then wait.
	Held func() bool
}

// Service sends mails. It is a mail.Post, and may be used by many goroutines.
type Service struct {
	config Config
	stop   chan struct{}
	ended  sync.WaitGroup
	// sending guards away, and lets one round run at a time.
	sending sync.Mutex
	away    bool // the server could not be used at the last attempt
}

// NewService returns a service that sends nothing by itself before Run.
func NewService(config Config) *Service {
	if config.Aged == nil {
		config.Aged = func() clock.Age { return clock.At(config.Now()) }
	}
	if config.Held == nil {
		config.Held = func() bool { return false }
	}
	return &Service{config: config, stop: make(chan struct{})}
}

// Run sends mails in the background until Close.
func (s *Service) Run() {
	s.ended.Go(func() {
		ticker := time.NewTicker(pollEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := s.SendDue(context.Background()); err != nil {
					s.config.Log.Error("mails not sent, trying again later", "error", err)
				}
			case <-s.stop:
				return
			}
		}
	})
}

// Close stops the background work after the mail that is being sent. The store must
// still be open.
func (s *Service) Close() {
	close(s.stop)
	s.ended.Wait()
}

// Send implements mail.Post.
func (s *Service) Send(ctx context.Context, tx mail.Writer, message *mail.Message) error {
	sealed, err := s.Seal(message)
	if err != nil {
		return err
	}
	if admitted, err := s.admit(ctx, tx, message); err != nil || !admitted {
		return err
	}
	return tx.AddMail(ctx, sealed)
}

// Seal returns a message as it is stored. It is sent if the caller writes it into a
// transaction.
func (s *Service) Seal(message *mail.Message) (*mail.Mail, error) {
	id, err := identifier.New(s.config.Random, "mail_")
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	now := timestamp.Truncate(s.config.Now())
	sealed := &mail.Mail{MailID: id, Kind: message.Kind, Sealed: s.config.Sealer.Seal(encoded,
		SealedFor(id)), NextAt: now, CreatedAt: now}
	if message.Order != nil {
		sealed.OrderID = message.Order.OrderID
	}
	return sealed, nil
}

// SealedFor returns the owner that a message is sealed for.
func SealedFor(mailID string) string { return "mail " + mailID }

// SendDue sends the mails that are due. It returns early when the server cannot be
// used, when mails are held, or on Close. Run calls it regularly; tests call it so as
// not to wait.
func (s *Service) SendDue(ctx context.Context) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	for !s.config.Held() {
		due, err := s.due(ctx)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, m := range due {
			if s.closing() || s.config.Held() {
				return nil
			}
			if err := s.attempt(ctx, m); err != nil || s.away {
				return err
			}
		}
	}
	return nil
}

func (s *Service) due(ctx context.Context) (due []*mail.Mail, err error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		due, err = tx.DueMails(ctx, timestamp.Truncate(s.config.Now()), batch)
		return err
	})
	return due, err
}

func (s *Service) closing() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// attempt sends a mail unless another node does. Its errors are those of the store.
func (s *Service) attempt(ctx context.Context, m *mail.Mail) error {
	now := timestamp.Truncate(s.config.Now())
	begun := false
	err := s.config.Store.Write(ctx, func(tx Writer) (err error) {
		begun, err = s.begin(ctx, tx, m, now)
		return err
	})
	if err != nil || !begun {
		return err
	}
	// The attempt is this node's until the next one is due. If the node was frozen since, it
	// may be that another one has sent the mail.
	if !s.config.Now().Before(now.Add(pauseAfter(m.Attempts))) {
		return nil
	}
	outcome := s.deliver(ctx, m)
	s.config.Observer.Mailed(outcome)
	if outcome == Postponed {
		return nil
	}
	return s.config.Store.Write(ctx, func(tx Writer) error { return tx.RemoveMail(ctx, m.MailID) })
}

// begin begins an attempt. A mail that its recipient does not want any longer is removed
// instead: it may have been written just before the recipient said so.
func (s *Service) begin(ctx context.Context, tx Writer, m *mail.Mail, now time.Time) (begun bool, err error) {
	if m.OrderID != "" {
		stopped, err := tx.Stopped(ctx, m.OrderID)
		if err != nil {
			return false, err
		}
		if stopped {
			return false, tx.RemoveMail(ctx, m.MailID)
		}
	}
	return tx.BeginAttempt(ctx, m, now.Add(pauseAfter(m.Attempts)))
}

// pauseAfter returns the time to the next attempt, given how many were made before
// this one.
func pauseAfter(attempts int64) time.Duration { return min(firstPause<<min(attempts, 10), lastPause) }

// deliver hands a mail to the server, and logs what went wrong.
func (s *Service) deliver(ctx context.Context, m *mail.Mail) Outcome {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	envelope, err := s.open(ctx, m)
	if err == nil {
		err = s.config.Server.Deliver(ctx, envelope)
		s.noteServer(err)
	}
	log := s.config.Log.With("mail_id", m.MailID, "kind", m.Kind, "attempt", m.Attempts+1)
	switch {
	case err == nil:
		return Sent
	case errors.Is(err, ErrRefused) || errors.Is(err, credential.ErrUnsealed) || s.age(m) >= patience:
		log.Error("a mail was given up", "error", err)
		return Failed
	case !s.away:
		log.Warn("a mail was not sent, trying again later", "error", err)
	}
	return Postponed
}

// age returns how old a mail is.
func (s *Service) age(m *mail.Mail) time.Duration {
	age := s.config.Aged()
	return timestamp.Truncate(age.Now).Sub(age.Of(m.CreatedAt))
}

// noteServer logs when the server begins or ceases to be usable.
func (s *Service) noteServer(err error) {
	away := errors.Is(err, ErrUnreachable)
	switch {
	case away && !s.away:
		s.config.Log.Warn("mails wait until the mail server can be used", "error", err)
	case !away && s.away:
		s.config.Log.Info("the mail server can be used again")
	}
	s.away = away
}

// open unseals a mail and puts it into words.
func (s *Service) open(ctx context.Context, m *mail.Mail) (*Envelope, error) {
	encoded, err := s.config.Sealer.Open(m.Sealed, SealedFor(m.MailID))
	if err != nil {
		return nil, err
	}
	var message mail.Message
	if err := json.Unmarshal(encoded, &message); err != nil {
		return nil, fmt.Errorf("read the mail: %w", err)
	}
	language, err := s.languageOf(ctx, &message)
	if err != nil {
		return nil, err
	}
	content, err := mail.Compose(&message, language)
	if err != nil {
		return nil, err
	}
	envelope := &Envelope{MailID: m.MailID, To: message.To, Content: content, Language: language, Date: m.CreatedAt}
	if message.Order != nil {
		envelope.StopURL = message.Order.StopURL
	}
	return envelope, nil
}

func (s *Service) languageOf(ctx context.Context, message *mail.Message) (mail.Language, error) {
	switch {
	case message.Language != "":
		return message.Language, nil
	case s.config.Language != nil && message.PartnerID != "":
		return s.config.Language(ctx, message.PartnerID)
	default:
		return mail.English, nil
	}
}

// Waiting returns how many mails wait to be sent.
func Waiting(ctx context.Context, store Store) (waiting int64, err error) {
	err = store.Read(ctx, func(tx Reader) error {
		waiting, err = tx.CountMails(ctx)
		return err
	})
	return waiting, err
}
