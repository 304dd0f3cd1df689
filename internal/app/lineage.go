package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/store"
)

// lineage notices that the database is older than what this data folder has seen, comes from
// elsewhere, or shares the folder with another copy.
type lineage struct {
	app     *App
	path    string // of the mark in the data folder
	strange *incident
}

const (
	markName = "installation.json"
	// branchTries is how often a start reads the lineage again because another node has
	// changed it meanwhile.
	branchTries = 10
)

// openLineage compares the database with the mark in the data folder, and begins a new epoch
// if it was restored or copied. The store must be open.
func (a *App) openLineage(ctx context.Context) error {
	a.lineage = &lineage{
		app: a, path: filepath.Join(a.config.Data, markName),
		strange: &incident{log: a.Log, what: "two copies of an installation"},
	}
	for range branchTries {
		o, err := a.origin(ctx)
		if err != nil {
			return err
		}
		if err := o.check(a.lineage.path); err != nil {
			return err
		}
		if done, err := a.branch(ctx, o); done || err != nil {
			if err == nil {
				a.lineage.beat()
			}
			return err
		}
	}
	return errors.New("the lineage of the database is changed by other nodes all the time")
}

// origin is what is known of where a database comes from.
type origin struct {
	text    string // the lineage as it is stored; empty if there is none
	lineage installation.Lineage
	mark    installation.Mark // in the data folder; the zero Mark if there is none
	note    string            // by dropyard restore or copy
	place   string            // where the database is
	used    bool              // a service has used it before
}

func (a *App) origin(ctx context.Context) (o origin, err error) {
	if o.lineage, o.text, err = a.lineage.read(ctx); err != nil {
		return o, err
	}
	if o.mark, err = readMark(a.lineage.path); err != nil {
		return o, err
	}
	if o.note, err = a.store.Setting(ctx, db.NoteSetting); err != nil {
		return o, err
	}
	last, err := a.store.Setting(ctx, lastTimeSetting)
	if err != nil {
		return o, err
	}
	o.used = last != ""
	o.place, err = a.store.Place(ctx)
	return o, err
}

// read returns the lineage in the database, and its text; the zero Lineage if there is none.
func (l *lineage) read(ctx context.Context) (held installation.Lineage, text string, err error) {
	if text, err = l.app.store.Setting(ctx, store.LineageSetting); err != nil || text == "" {
		return held, text, err
	}
	if err := json.Unmarshal([]byte(text), &held); err != nil {
		return held, text, fmt.Errorf("read the lineage of the database: %w", err)
	}
	return held, text, nil
}

// readMark reads the mark in a data folder; the zero Mark if there is none that can be read.
func readMark(path string) (m installation.Mark, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("read the mark of the installation: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return installation.Mark{}, nil //nolint:nilerr // a crash has cut it off; the next one replaces it
	}
	return m, nil
}

// check refuses a data folder of another installation, which the database does not
// come from either.
func (o origin) check(path string) error {
	folder, database := o.mark.Installation, o.lineage.Installation
	if o.note != "" || folder == "" || database == "" || folder == database {
		return nil
	}
	return fmt.Errorf("the data directory belongs to another installation (%s) than the database (%s): "+
		"set another --data or --database, or remove %s if this is meant", folder, database, path)
}

// why returns why deliveries are to be held; empty if the database is what it was. older is
// set if it may be an older state, so that what was given out or revoked since is unknown.
func (o origin) why() (reason installation.HoldReason, older bool) {
	known := o.mark.Installation != "" && o.lineage.Knows(o.mark)
	switch {
	case o.note == db.NoteRestored:
		return installation.HoldRestored, true
	case o.note == db.NoteCopied:
		return installation.HoldCopied, false
	case o.mark.Installation != "" && o.used && !known:
		return installation.HoldOlder, true
	case o.lineage.Epoch != "" && !samePlace(o.lineage.Place, o.place):
		return installation.HoldMoved, !known
	}
	return "", false
}

// samePlace compares two places, as far as both are known.
func samePlace(a, b string) bool {
	systemA, numberA, _ := strings.Cut(a, "/")
	systemB, numberB, _ := strings.Cut(b, "/")
	return numberA == numberB && (systemA == systemB || systemA == "" || systemB == "")
}

// branch begins a new epoch if there is a reason to. It is false if another node has changed
// the lineage meanwhile.
func (a *App) branch(ctx context.Context, o origin) (done bool, err error) {
	reason, older := o.why()
	if reason == "" && o.lineage.Epoch != "" {
		return true, nil
	}
	next, err := a.nextEpoch(o)
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(next)
	if err != nil {
		return false, err
	}
	b := store.Branching{
		Before: o.text, After: string(text), Older: older, New: o.text == "" && o.note == "" && !o.used,
	}
	if reason != "" {
		held := a.newHold(reason)
		if b.Hold, err = encodeHold(held); err != nil {
			return false, err
		}
		if b.Entry, err = a.holdEntry(ctx, audit.ActionHeld); err != nil {
			return false, err
		}
		b.Entry.After = held
	}
	if done, err = a.store.Branch(ctx, b); done {
		a.lineage.takeOver(next, o.mark)
	}
	if done && older {
		a.warnings = append(a.warnings,
			fmt.Sprintf("%s: all people were signed out, links are void, and product and movement "+
				"numbers go on %d and %d higher; API keys, tokens and people that were revoked since are valid again unless restore has listed them",
				installation.HoldReasons[reason], store.ProductMargin, store.MovementMargin))
	}
	return done, err
}

// nextEpoch returns the lineage that follows.
func (a *App) nextEpoch(o origin) (next installation.Lineage, err error) {
	epoch, err := identifier.New(a.Random, "epo_")
	if err != nil {
		return next, err
	}
	next = o.lineage.Begin(epoch, o.place)
	if next.Installation == "" {
		next.Installation, err = identifier.New(a.Random, "ins_")
	}
	return next, err
}

// takeOver drops the mark that was found in the data folder if the new epoch does not know it:
// of a database that was given up, or of a state that came after the restored one. Another
// service that still uses the folder notices.
func (l *lineage) takeOver(begun installation.Lineage, found installation.Mark) {
	if found.Installation == "" || begun.Knows(found) {
		return
	}
	if err := os.Remove(l.path); err != nil {
		l.app.Log.Warn("the mark of an earlier database was not removed", "error", err)
	}
}

// beatFor bounds how long a beat waits for the database.
const beatFor = time.Second

// beat counts a minute, and writes the mark in the data folder. Its failure is reported by
// all else that writes.
func (l *lineage) beat() {
	ctx, cancel := context.WithTimeout(context.Background(), beatFor)
	defer cancel()
	for range branchTries {
		held, text, err := l.read(ctx)
		if err != nil || held.Epoch == "" {
			return
		}
		held.Beats++
		next, err := json.Marshal(held)
		if err != nil {
			return
		}
		written, err := l.app.store.ReplaceSetting(ctx, store.LineageSetting, text, string(next))
		if err != nil {
			return
		}
		if written {
			l.mark(ctx, held)
			return
		}
	}
}

// mark writes the mark in the data folder, unless that has one of another copy.
func (l *lineage) mark(ctx context.Context, held installation.Lineage) {
	found, err := readMark(l.path)
	if err == nil && found.Installation != "" && !held.Knows(found) {
		// Another node that shares the folder may have counted since.
		if again, _, err := l.read(ctx); err != nil || !again.Knows(found) {
			l.strange.failed(
				fmt.Sprintf("%s was written by a service on another copy of the database, or the database was put back "+
					"to an older state: end the other service, or restart this one", l.path),
			)
			return
		}
	}
	l.strange.over()
	text, err := json.Marshal(held.Mark)
	if err == nil {
		err = durable.Replace(l.path, append(text, '\n'))
	}
	if err != nil {
		l.app.Log.Warn("the mark of the installation was not written", "error", err)
	}
}

// checkOrigin finds that webhooks and mails are held, or will be after the next start. setting
// returns a setting of the database, which is in the given place.
func (d *Diagnosis) checkOrigin(settings *config.Config, place string, setting func(name string) string) error {
	held, err := decodeHold(setting(store.HoldSetting))
	if err != nil {
		return err
	}
	if held != nil {
		d.find("%s", describeHold(held))
	}
	o := origin{
		text: setting(store.LineageSetting), note: setting(db.NoteSetting), place: place,
		used: setting(lastTimeSetting) != "",
	}
	if o.text != "" {
		if err := json.Unmarshal([]byte(o.text), &o.lineage); err != nil {
			return fmt.Errorf("read the lineage of the database: %w", err)
		}
	}
	path := filepath.Join(settings.Data, markName)
	if o.mark, err = readMark(path); err != nil {
		return err
	}
	if err := o.check(path); err != nil {
		d.find("%v", err)
		return nil
	}
	switch reason, older := o.why(); {
	case older:
		d.find("%s: the next start signs all people out, raises product and movement numbers, "+
			"and holds webhooks and mails until --resume, which you give that start if this is the only copy in use",
			installation.HoldReasons[reason])
	case reason != "":
		d.find("%s: the next start holds webhooks and mails until --resume, "+
			"which you give that start if this is the only copy in use", installation.HoldReasons[reason])
	}
	return nil
}

// checkPlace is checkOrigin for a PostgreSQL database.
func (d *Diagnosis) checkPlace(ctx context.Context, settings *config.Config, database *db.Database) error {
	place, err := database.Place(ctx)
	if err != nil {
		return err
	}
	found := map[string]string{}
	for _, name := range []string{store.HoldSetting, store.LineageSetting, db.NoteSetting, lastTimeSetting} {
		if found[name], err = database.Setting(ctx, name); err != nil {
			return err
		}
	}
	return d.checkOrigin(settings, place, func(name string) string { return found[name] })
}
