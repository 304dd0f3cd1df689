package app

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/store"
)

// hold is what this node knows of whether webhooks and mails are held.
type hold struct {
	state atomic.Pointer[installation.Hold]
}

// on reports whether webhooks and mails are held.
func (h *hold) on() bool { return h.state.Load() != nil }

// holdEvery is how often a node looks whether another one has resumed deliveries.
const holdEvery = 5 * time.Second

// openHold reads whether webhooks and mails are held, after it has done what the settings ask
// for. It comes before all that sends them.
func (a *App) openHold(ctx context.Context) error {
	if err := a.lookAtHold(ctx); err != nil {
		return err
	}
	switch {
	case a.config.Hold && !a.hold.on():
		if err := a.startHold(ctx); err != nil {
			return err
		}
	case a.config.Resume:
		if err := a.resume(ctx); err != nil {
			return err
		}
	}
	if held := a.hold.state.Load(); held != nil {
		a.warnings = append(a.warnings, describeHold(held))
	}
	return nil
}

// describeHold says since when and why webhooks and mails are held, and what to do.
func describeHold(held *installation.Hold) string {
	return fmt.Sprintf("webhooks and mails are held since %s, because %s: when this is the only copy in use, "+
		"start once with --resume, or resume on the system page", timestamp.Format(held.Since), held.Message)
}

// newHold returns a hold that begins now.
func (a *App) newHold(reason installation.HoldReason) installation.Hold {
	return installation.Hold{Since: timestamp.Truncate(a.Now()), Reason: reason, Message: installation.HoldReasons[reason]}
}

// followHold has this node notice when another one resumes deliveries, or begins a hold. The
// sender must be open.
func (a *App) followHold() {
	if !a.store.Shared() {
		return
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go a.watchHold(stop, done)
	a.atClose(ending(func() {
		close(stop)
		<-done
	}))
}

// watchHold looks regularly, until stop is closed.
func (a *App) watchHold(stop <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	for {
		select {
		case <-a.At(a.Now().Add(holdEvery)):
			ctx, cancel := context.WithTimeout(context.Background(), holdEvery)
			_ = a.lookAtHold(ctx) // all else that reads reports it; what was known counts
			cancel()
		case <-stop:
			return
		}
	}
}

// lookAtHold reads whether webhooks and mails are held.
func (a *App) lookAtHold(ctx context.Context) error {
	text, err := a.store.Setting(ctx, store.HoldSetting)
	if err != nil {
		return err
	}
	held, err := decodeHold(text)
	if err != nil {
		return err
	}
	a.setHold(held)
	return nil
}

// setHold notes the hold, nil for none, and has the sender go on after the end of one. While
// the service starts there is no sender, and reportOpening logs the hold.
func (a *App) setHold(held *installation.Hold) {
	was := a.hold.state.Swap(held)
	switch {
	case a.sender == nil:
	case was == nil && held != nil:
		a.Log.Warn("webhooks and mails are held", "since", held.Since, "reason", held.Reason)
	case was != nil && held == nil:
		a.Log.Info("webhooks and mails are resumed", "held_since", was.Since)
		a.sender.Resumed()
	}
}

// startHold holds webhooks and mails because the settings say so.
func (a *App) startHold(ctx context.Context) error {
	held := a.newHold(installation.HoldAsked)
	text, err := encodeHold(held)
	if err != nil {
		return err
	}
	entry, err := a.holdEntry(ctx, audit.ActionHeld)
	if err != nil {
		return err
	}
	entry.After = held
	if _, err := a.store.ChangeHold(ctx, "", text, entry); err != nil {
		return fmt.Errorf("hold webhooks and mails: %w", err)
	}
	return a.lookAtHold(ctx)
}

// resume has webhooks and mails sent again, on the authority of the person in the context if
// there is one. If they are not held, it does nothing.
func (a *App) resume(ctx context.Context) error {
	text, err := a.store.Setting(ctx, store.HoldSetting)
	if err != nil || text == "" {
		return err
	}
	held, err := decodeHold(text)
	if err != nil {
		return err
	}
	entry, err := a.holdEntry(ctx, audit.ActionResumed)
	if err != nil {
		return err
	}
	entry.Before = held
	if _, err := a.store.ChangeHold(ctx, text, "", entry); err != nil {
		return fmt.Errorf("resume webhooks and mails: %w", err)
	}
	return a.lookAtHold(ctx)
}

// holdEntry returns an entry of the audit log for the person in the context, or else for the
// settings.
func (a *App) holdEntry(ctx context.Context, action audit.Action) (*audit.Entry, error) {
	entry, err := audit.NewEntry(ctx, a.Random, timestamp.Truncate(a.Now()), action)
	if err != nil {
		return nil, err
	}
	if entry.OperatorID == "" {
		entry.OperatorID = "settings"
	}
	entry.ObjectID = "messages"
	return entry, nil
}

func encodeHold(held installation.Hold) (string, error) {
	text, err := json.Marshal(held)
	return string(text), err
}

// decodeHold reads the setting; nil if nothing is held.
func decodeHold(text string) (*installation.Hold, error) {
	if text == "" {
		return nil, nil
	}
	held := &installation.Hold{}
	if err := json.Unmarshal([]byte(text), held); err != nil {
		return nil, fmt.Errorf("read why webhooks and mails are held: %w", err)
	}
	return held, nil
}
