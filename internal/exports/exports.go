// Package exports writes files with the orders, events, movements and entries of the journal of each day, once the day
// has ended, to a folder or a bucket, for programs that analyze them.
//
// It is settled in the database first which rows are in the files of a day (seal.go): each row is in those of one day.
// Then the files are written (files.go), and last a manifest with their digests (manifest.go). Files without a manifest
// are not complete, and are written again. docs/exports.md describes the files and the rules.
package exports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/money"
)

// Place is where files are kept. Names have slashes.
type Place interface {
	// String names the place, without secrets.
	String() string
	// Prepare makes the place ready, and removes what a crash has left of files that were being written. It returns a
	// folder for such files.
	Prepare() (folder string, err error)
	// Put moves a complete file to the place, under a name. digest is its SHA-256 in hexadecimal. Readers find all of
	// it or nothing.
	Put(ctx context.Context, name, file, digest string) error
	// Open returns the content of a file. The error is fs.ErrNotExist if there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
}

// EntryTable is how entries of the journal are written as CSV: a row for each line.
type EntryTable struct {
	Columns []string
	Write   func(w *csvfile.Writer, e *money.Entry)
}

// Config holds what a Service depends on.
type Config struct {
	Store   Store
	Place   Place
	Entries EntryTable
	Formats []Format
	// Personal adds names, addresses and the texts that people have typed.
	Personal     bool
	Zone         *time.Location
	Hour, Minute int      // when a day is exported after its end
	From         date.Day // the first day; the day of the first start if it is 0
	// Held reports whether the data are a copy that sends nothing. Then nothing is exported.
	Held   func() bool
	Now    func() time.Time
	At     func(time.Time) <-chan time.Time
	Random io.Reader
	// Post sends mails to admins when exports fail; with nil there are none.
	Post    mail.Post
	BaseURL func() string // of links in mails
	Log     *slog.Logger
	// Pause waits after work that took some time; pace.After if it is nil.
	Pause func(ctx context.Context, took time.Duration) error
	// PartBytes is how many bytes a file has before the next one is begun; a gibibyte if it is 0.
	PartBytes int64
}

const (
	// lookEvery is how often a node looks for a day that is to be exported.
	lookEvery = time.Minute
	// heldFor is how long a node holds the work. It is longer than a page or the sending of a file takes as a rule.
	heldFor = 10 * time.Minute
	// retryAfter is how long after a failure it is tried again.
	retryAfter = 15 * time.Minute
	// reportAfter is for how long exports fail before admins get a mail.
	reportAfter = time.Hour
	// pageSize is how many rows are read at a time.
	pageSize = 500
	// sealSize is how many rows are sealed in a transaction, which orders may wait for: of some 20 ms.
	sealSize = 2000
	// remembered is for how many days it is known which row is in the files of which. A row that is committed later
	// than that after it was recorded is not exported.
	remembered = 35
)

// Service exports days. Only one node does so at a time.
type Service struct {
	config Config
	cancel context.CancelFunc
	work   sync.WaitGroup
	one    sync.Mutex // held while days are exported
	holder string     // names this service while it works; guarded by one
	until  time.Time  // when another node may take the work; guarded by one
	woken  chan struct{}
}

// NewService returns a service, which does nothing by itself until Run.
func NewService(config Config) *Service {
	return &Service{config: config, woken: make(chan struct{}, 1)}
}

// Place returns the name of where the files are, without secrets.
func (s *Service) Place() string { return s.config.Place.String() }

// Run exports days as they are due, until Close.
func (s *Service) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.work.Go(func() {
		for ctx.Err() == nil {
			if _, err := s.Work(ctx); err != nil && ctx.Err() == nil {
				s.config.Log.Error("a day was not exported, trying again later", "place", s.Place(), "error", err)
			}
			select {
			case <-s.config.At(s.config.Now().Add(lookEvery)):
			case <-s.woken:
			case <-ctx.Done():
			}
		}
	})
}

// Close stops what Run has started. The store must still be open.
func (s *Service) Close() {
	if s.cancel != nil {
		s.cancel()
	}
	s.work.Wait()
}

// Status is how far the export is.
type Status struct {
	State
	Last *Day      // the latest day that was exported; nil before the first
	Next date.Day  // the day that is exported next
	Due  time.Time // when it is
	// Behind is how many days are due.
	Behind int
	// Running reports whether a node exports days at the moment.
	Running bool
}

// Status returns how far the export is.
func (s *Service) Status(ctx context.Context) (status Status, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		status, err = s.status(ctx, tx)
		return err
	})
	return status, err
}

func (s *Service) status(ctx context.Context, tx Reader) (status Status, err error) {
	if status.State, err = tx.State(ctx); err != nil {
		return status, err
	}
	days, err := tx.Days(ctx, 0, 2)
	if err != nil {
		return status, err
	}
	for _, day := range days {
		if !day.DoneAt.IsZero() {
			status.Last = day
			break
		}
	}
	now := s.config.Now()
	status.Running = status.Holder != "" && now.Before(status.HeldUntil)
	switch today := date.Of(now, s.config.Zone); {
	case status.Last != nil:
		status.Next = status.Last.Day + 1
	case status.First != 0:
		status.Next = status.First
	case s.config.From != 0:
		status.Next = s.config.From
	default:
		status.Next = today
	}
	status.Due = s.due(status.Next)
	for day := status.Next; !s.due(day).After(now); day++ {
		status.Behind++
	}
	return status, nil
}

// due returns when a day is exported: on the next one, at the time of day.
func (s *Service) due(day date.Day) time.Time { return s.onDay(day+1, s.config.Hour, s.config.Minute) }

// begins returns when a day begins.
func (s *Service) begins(day date.Day) time.Time { return s.onDay(day, 0, 0) }

func (s *Service) onDay(day date.Day, hour, minute int) time.Time {
	at := day.Midnight()
	return time.Date(at.Year(), at.Month(), at.Day(), hour, minute, 0, 0, s.config.Zone)
}

// Days lists the days whose export has begun, the latest first: those before one, or all if it is 0.
func (s *Service) Days(ctx context.Context, before date.Day, limit int) (days []*Day, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		days, err = tx.Days(ctx, before, limit)
		return err
	})
	return days, err
}

// The refusals of Ask.
var (
	errAllDone = refusal.New(refusal.CodeConflict, "all days that have ended were exported")
	errStopped = refusal.New(refusal.CodeConflict,
		"nothing is exported while webhooks and mails are held: resume them first")
)

// askedFacts is what the audit log holds of an attempt that an operator has asked for.
type askedFacts struct {
	First date.Day `json:"first"`
	Last  date.Day `json:"last"`
}

// Ask has all days exported that have ended and were not, as soon as a node can, also after a failure. It refuses with
// a conflict if there are none, and while nothing is exported.
func (s *Service) Ask(ctx context.Context) error {
	if s.config.Held != nil && s.config.Held() {
		return errStopped
	}
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), audit.ActionExportBegun)
	if err != nil {
		return err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if _, err := tx.LockState(ctx); err != nil {
			return err
		}
		status, err := s.status(ctx, tx)
		if err != nil {
			return err
		}
		if status.Next > s.yesterday() {
			return errAllDone
		}
		status.AskedAt = entry.At
		if err := tx.SaveState(ctx, status.State); err != nil {
			return err
		}
		entry.ObjectID, entry.After = "exports", askedFacts{status.Next, s.yesterday()}
		return tx.AddAudit(ctx, entry)
	})
	if err == nil {
		select {
		case s.woken <- struct{}{}:
		default: // it will look anyway
		}
	}
	return err
}

// yesterday returns the latest day that has ended.
func (s *Service) yesterday() date.Day { return date.Of(s.config.Now(), s.config.Zone) - 1 }

// Work exports the days that are due, the earliest first, unless another node does, and returns how many. It does
// nothing for a time after a failure, unless an operator has asked for it. Run calls it regularly; tests call it so as
// not to wait.
func (s *Service) Work(ctx context.Context) (exported int, err error) {
	status, err := s.Status(ctx)
	last, waits := status.Next+date.Day(status.Behind)-1, s.config.Now().Before(status.FailedAt.Add(retryAfter))
	if asked := status.AskedAt; !asked.IsZero() {
		last, waits = max(last, date.Of(asked, s.config.Zone)-1), false // not of days that have ended since
	}
	if err != nil || last < status.Next || waits {
		if err == nil && status.First == 0 && status.Behind == 0 {
			err = s.begin(ctx, status.Next)
		}
		return 0, err
	}
	if s.config.Held != nil && s.config.Held() { // is shown elsewhere
		return 0, nil
	}
	if exported, err = s.Until(ctx, last); errors.Is(err, ErrBusy) {
		err = nil
	}
	return exported, err
}

// begin notes the first day that is exported.
func (s *Service) begin(ctx context.Context, first date.Day) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		state, err := tx.LockState(ctx)
		if err != nil || state.First != 0 {
			return err
		}
		state.First = first
		return tx.SaveState(ctx, state)
	})
}

// ErrNotEnded means that a day has not ended yet.
var ErrNotEnded = errors.New("the day has not ended yet")

// ErrHeld means that nothing is exported because the data were restored or copied.
var ErrHeld = errors.New(
	"nothing is exported while webhooks and mails are held: resume first if this is the only copy in use")

// ErrBusy means that another node exports days at the moment.
var ErrBusy = errors.New("another node exports days at the moment: try again later")

// Until exports all days up to one that have ended and were not exported, the earliest first, and returns how many it
// has exported. The error is ErrBusy while another node does this.
func (s *Service) Until(ctx context.Context, last date.Day) (exported int, err error) {
	s.one.Lock()
	defer s.one.Unlock()
	switch {
	case s.config.Held != nil && s.config.Held():
		return 0, ErrHeld
	case s.begins(last + 1).After(s.config.Now()):
		return 0, fmt.Errorf("%s: %w", last, ErrNotEnded)
	}
	status, err := s.Status(ctx)
	if err != nil || status.Next > last {
		return 0, err
	}
	if err := s.take(ctx, status.Next); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.leave(context.WithoutCancel(ctx), err)) }()
	if status, err = s.Status(ctx); err != nil { // another node may have done it
		return 0, err
	}
	for day := status.Next; day <= last; day++ {
		if err := s.export(ctx, day, status.First); err != nil {
			return exported, fmt.Errorf("%s: %w", day, err)
		}
		exported++
	}
	return exported, nil
}

// take holds the work for this node, and notes the first day. The error is ErrBusy while another node holds it.
func (s *Service) take(ctx context.Context, first date.Day) (err error) {
	if s.holder == "" {
		if s.holder, err = identifier.New(s.config.Random, "hld_"); err != nil {
			return err
		}
	}
	return s.config.Store.Write(ctx, func(tx Writer) error {
		state, err := tx.LockState(ctx)
		if err != nil {
			return err
		}
		now := s.now()
		if state.Holder != "" && state.Holder != s.holder && now.Before(state.HeldUntil) {
			return ErrBusy
		}
		if state.First == 0 {
			state.First = first
		}
		state.Holder, state.HeldUntil, state.AskedAt = s.holder, now.Add(heldFor), time.Time{}
		s.until = state.HeldUntil
		return tx.SaveState(ctx, state)
	})
}

// errTaken means that another node has taken the work, because this one was too slow.
var errTaken = errors.New("another node goes on with the export")

// held makes a change while this node holds the work, and holds it for longer.
func (s *Service) held(ctx context.Context, change func(tx Writer) error) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		state, err := tx.LockState(ctx)
		if err != nil {
			return err
		}
		if state.Holder != s.holder {
			return errTaken
		}
		if now := s.now(); now.After(state.HeldUntil.Add(-heldFor / 2)) {
			state.HeldUntil = now.Add(heldFor)
			if err := tx.SaveState(ctx, state); err != nil {
				return err
			}
		}
		s.until = state.HeldUntil
		return change(tx)
	})
}

// hold holds the work for longer, unless no other node can take it for some time.
func (s *Service) hold(ctx context.Context) error {
	if s.now().Before(s.until.Add(-heldFor / 2)) {
		return nil
	}
	return s.held(ctx, func(Writer) error { return nil })
}

// leave frees the work, and notes a failure.
func (s *Service) leave(ctx context.Context, failed error) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		state, err := tx.LockState(ctx)
		if err != nil || state.Holder != s.holder {
			return err
		}
		state.Holder, state.HeldUntil, state.FailedAt, state.Error = "", time.Time{}, time.Time{}, ""
		switch {
		case failed == nil:
			state.FailingSince, state.Reported = time.Time{}, false
		case !errors.Is(failed, context.Canceled):
			state.FailedAt, state.Error = s.now(), failed.Error()
			if err := s.report(ctx, tx, &state); err != nil {
				return err
			}
		}
		return tx.SaveState(ctx, state)
	})
}

// report writes a mail to each admin, once exports have failed for some time, in the transaction that notes it.
func (s *Service) report(ctx context.Context, tx Writer, state *State) error {
	if state.FailingSince.IsZero() {
		state.FailingSince = state.FailedAt
	}
	if s.config.Post == nil || state.Reported || state.FailedAt.Before(state.FailingSince.Add(reportAfter)) {
		return nil
	}
	admins, err := tx.Admins(ctx)
	if err != nil {
		return err
	}
	for _, email := range admins {
		if err := s.config.Post.Send(ctx, tx, &mail.Message{
			Kind: mail.Exports, To: email, At: state.FailingSince, Detail: state.Error,
			URL: s.config.BaseURL() + "/console/system",
		}); err != nil {
			return err
		}
	}
	state.Reported = true
	return nil
}

func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// pause leaves processors and the disk to requests.
func (s *Service) pause(ctx context.Context, took time.Duration) error {
	if s.config.Pause != nil {
		return s.config.Pause(ctx, took)
	}
	return pace.After(ctx, min(took, time.Second)/4)
}
