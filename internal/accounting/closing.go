package accounting

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
)

// Closing is the closing of a month for all partners. Each partner's is a transaction of its own, so what a crash has
// left is done by the node that takes over.
type Closing struct {
	Period     money.Period `json:"period"`
	OperatorID string       `json:"operator_id"` // who asked for it
	BegunAt    time.Time    `json:"begun_at"`
	EndedAt    time.Time    `json:"ended_at,omitzero"`
	Total      int          `json:"total"` // statements of the month that there will be
	// Holder is the node that works on it until HeldUntil; empty if none does.
	Holder    string    `json:"holder,omitzero"`
	HeldUntil time.Time `json:"held_until,omitzero"`
}

// State is how far the closing of a month is.
type State string

// The states of the closing of a month.
const (
	StateNone    State = "none" // not begun for all partners
	StateRunning State = "running"
	StateDone    State = "done"
)

// States lists all states.
var States = []State{StateNone, StateRunning, StateDone}

// Progress is how far the closing of a month is.
type Progress struct {
	Period      money.Period
	Total, Done int // statements
	State       State
}

// Closable returns the last month that has ended.
func (s *Service) Closable() money.Period {
	return money.PeriodOf(date.Of(s.config.Now(), s.config.Zone)) - 1
}

// Unclosed lists the partners that get a statement for a month and have none yet.
func (s *Service) Unclosed(ctx context.Context, period money.Period) (partnerIDs []string, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		partnerIDs, err = tx.Unclosed(ctx, period)
		return err
	})
	return partnerIDs, err
}

// Progress returns how far the closing of a month is; of the one that was begun last if period is 0.
func (s *Service) Progress(ctx context.Context, period money.Period) (progress Progress, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		closing, err := tx.Closing(ctx)
		if err != nil {
			return err
		}
		progress, err = progressOf(ctx, tx, closing, period)
		return err
	})
	return progress, err
}

func progressOf(ctx context.Context, tx Reader, closing Closing, period money.Period) (p Progress, err error) {
	if period == 0 {
		period = closing.Period
	}
	p = Progress{Period: period, State: StateNone}
	if period == 0 {
		return p, nil
	}
	if p.Done, err = tx.CountStatements(ctx, period); err != nil {
		return p, err
	}
	p.Total = p.Done
	switch {
	case closing.Period == period && closing.EndedAt.IsZero():
		p.State, p.Total = StateRunning, max(closing.Total, p.Done)
	case closing.Period == period || p.Done > 0 && closing.Period > period:
		p.State = StateDone
	}
	return p, nil
}

// BeginClosing begins the closing of a month for all partners that get a statement, and returns how far it is. It
// goes on in the background. It refuses with a conflict if the month has not ended, and while another is being closed.
func (s *Service) BeginClosing(ctx context.Context, period money.Period) (progress Progress, err error) {
	if !s.ended(period, s.now()) {
		return progress, errNotEnded
	}
	err = s.change(ctx, audit.ActionClosingBegun, func(tx Writer, note *audit.Entry) (bool, error) {
		closing, err := tx.LockClosing(ctx)
		if err != nil {
			return false, err
		}
		if running := closing.Period != 0 && closing.EndedAt.IsZero(); running && closing.Period != period {
			return false, errOther
		} else if closing.Period > period {
			return false, errLater
		} else if !running {
			due, err := tx.Unclosed(ctx, period)
			if err != nil {
				return false, err
			}
			closed, err := tx.CountStatements(ctx, period)
			if err != nil {
				return false, err
			}
			closing = Closing{Period: period, OperatorID: note.OperatorID, BegunAt: note.At, Total: closed + len(due)}
			if err := tx.SaveClosing(ctx, closing); err != nil {
				return false, err
			}
		}
		note.ObjectID, note.After = period.String(), map[string]any{"period": period, "total": closing.Total}
		progress, err = progressOf(ctx, tx, closing, period)
		return true, err
	})
	if err == nil {
		s.wake()
	}
	return progress, err
}

// errLater refuses to close a month for all partners behind a later one.
var errLater = refusal.New(refusal.CodeConflict, "a later month was closed for all partners")

// errOther refuses to close two months at a time.
var errOther = refusal.New(refusal.CodeConflict, "another month is being closed")

const (
	// lookEvery is how often a node looks for a month that is to be closed.
	lookEvery = time.Minute
	// heldFor is how long a node holds a closing. It is longer than one statement takes.
	heldFor = time.Minute
)

// wake has the background work look for a month that is to be closed.
func (s *Service) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// Run closes months in the background until Close: those that were begun, and, if a day is set for it, the last month
// from that day on.
func (s *Service) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stopped.Go(func() {
		for ctx.Err() == nil {
			if err := s.Work(ctx); err != nil && ctx.Err() == nil {
				s.config.Log.Error("the month is not closed for all partners, trying again later", "error", err)
			}
			select {
			case <-s.config.At(s.config.Now().Add(lookEvery)):
			case <-s.woken:
			case <-ctx.Done():
			}
		}
	})
}

// Close stops what Run has started after the statement that is being closed. The store must still be open.
func (s *Service) Close() {
	if s.cancel != nil {
		s.cancel()
	}
	s.stopped.Wait()
}

// Work closes the month that is to be closed, unless another node does. It returns the errors of all partners that it
// could not close; what is left is tried again. Run calls it regularly; tests call it so as not to wait.
func (s *Service) Work(ctx context.Context) error {
	if err := s.beginByDay(ctx); err != nil {
		return err
	}
	closing, err := s.take(ctx)
	if err != nil || closing == nil {
		return err
	}
	due, err := s.Unclosed(ctx, closing.Period)
	if err != nil {
		return errors.Join(err, s.leave(ctx, closing, false))
	}
	asked := audit.WithOperation(ctx, audit.Operation{OperatorID: closing.OperatorID})
	for _, partnerID := range due {
		if ctx.Err() != nil {
			break
		}
		if held, failed := s.hold(ctx, closing); failed != nil || !held {
			return errors.Join(err, failed)
		}
		begun := s.config.Now()
		_, _, refused := s.CloseMonth(asked, partnerID, closing.Period)
		if refused != nil && !errors.Is(refused, errClosed) && !errors.Is(refused, errNothing) {
			err = errors.Join(err, refused)
		}
		_ = s.pause(ctx, s.config.Now().Sub(begun))
	}
	// The closing is left also when the context has ended, so that another node need not wait.
	return errors.Join(err, s.leave(context.WithoutCancel(ctx), closing, err == nil && ctx.Err() == nil))
}

// beginByDay begins the closing of the last month if the day of the month has come on which that is done.
func (s *Service) beginByDay(ctx context.Context) error {
	today := date.Of(s.config.Now(), s.config.Zone)
	due := false
	err := s.config.Store.Read(ctx, func(tx Reader) error {
		_, settings, err := tx.Settings(ctx)
		if err != nil || settings.CloseOnDay == 0 || int64(today.Midnight().Day()) < settings.CloseOnDay {
			return err
		}
		closing, err := tx.Closing(ctx)
		due = closing.Period < s.Closable() && (closing.Period == 0 || !closing.EndedAt.IsZero())
		return err
	})
	if err != nil || !due {
		return err
	}
	_, err = s.BeginClosing(audit.WithOperation(ctx, audit.Operation{OperatorID: "settings"}), s.Closable())
	if errors.Is(err, errOther) { // another node was faster
		return nil
	}
	return err
}

// take returns the closing that is to be worked on, held by this node; nil if there is none, or another node has it.
func (s *Service) take(ctx context.Context) (taken *Closing, err error) {
	waits := false
	if err := s.config.Store.Read(ctx, func(tx Reader) error {
		closing, err := tx.Closing(ctx)
		waits = closing.Period != 0 && closing.EndedAt.IsZero()
		return err
	}); err != nil || !waits {
		return nil, err
	}
	if s.holder == "" {
		if s.holder, err = identifier.New(s.config.Random, "hld_"); err != nil {
			return nil, err
		}
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		taken = nil
		closing, err := tx.LockClosing(ctx)
		now := s.now()
		if err != nil || closing.Period == 0 || !closing.EndedAt.IsZero() ||
			closing.Holder != s.holder && now.Before(closing.HeldUntil) {
			return err
		}
		closing.Holder, closing.HeldUntil = s.holder, now.Add(heldFor)
		taken = &closing
		return tx.SaveClosing(ctx, closing)
	})
	return taken, err
}

// hold holds the closing for longer if half of the time is over. It is false if another node has taken it.
func (s *Service) hold(ctx context.Context, closing *Closing) (held bool, err error) {
	now := s.now()
	if now.Before(closing.HeldUntil.Add(-heldFor / 2)) {
		return true, nil
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		stored, err := tx.LockClosing(ctx)
		if held = stored.Holder == s.holder; err != nil || !held {
			return err
		}
		stored.HeldUntil = now.Add(heldFor)
		*closing = stored
		return tx.SaveClosing(ctx, stored)
	})
	return held, err
}

// leave frees the closing, and ends it if all is done.
func (s *Service) leave(ctx context.Context, closing *Closing, done bool) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		stored, err := tx.LockClosing(ctx)
		if err != nil || stored.Holder != s.holder || stored.Period != closing.Period {
			return err
		}
		stored.Holder, stored.HeldUntil = "", time.Time{}
		if done {
			stored.EndedAt = s.now()
		}
		return tx.SaveClosing(ctx, stored)
	})
}

// pause leaves processors and the disk to requests.
func (s *Service) pause(ctx context.Context, took time.Duration) error {
	if s.config.Pause != nil {
		return s.config.Pause(ctx, took)
	}
	return pace.After(ctx, min(took, time.Second))
}
