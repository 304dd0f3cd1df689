package db

import (
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"zombiezen.com/go/sqlite"
)

// ErrUnfit is in the errors of writes that are refused because the files of the
// database are gone or damaged, and of reads that have met damage. Callers of the service see this part only. Unlike
// refusal.ErrUnreachable it is not worth trying again soon: an operator has to act.
var ErrUnfit = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "the service cannot use its database at the moment", RetryAfter: time.Minute,
}

// fitness decides whether the embedded database may be written. It may not when
// its files are not at their paths, because commits would go to files that the
// next start does not find; and it may not after SQLite has found damage, because
// changes on top of damage spread it.
type fitness struct {
	log    *slog.Logger
	files  []openedFile // set once, before the first transaction
	lost   atomic.Bool  // the last look found a file missing or replaced
	mu     sync.Mutex   // guards damage
	damage error        // the first damage that was found; it stays until a restart
	hurt   atomic.Bool  // damage is set
}

// openedFile is a file that SQLite has open.
type openedFile struct {
	path string
	info os.FileInfo // as it was opened
}

// opened remembers which files SQLite has opened at these paths.
func (f *fitness) opened(paths ...string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("open the database: %w", err)
		}
		f.files = append(f.files, openedFile{path, info})
	}
	return nil
}

// unfit returns the reason for which nothing may be written now; nil if there is
// none.
func (f *fitness) unfit() error {
	if f.hurt.Load() {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.damage
	}
	err := f.look()
	if missing := err != nil; f.lost.Swap(missing) != missing {
		if missing {
			f.log.Error("changes are refused: the database's files are not in their place", "error", err)
		} else {
			f.log.Info("changes are accepted again: the database's files are back in their place")
		}
	}
	return err
}

// look compares the files that are open with those that their paths lead to.
func (f *fitness) look() error {
	for _, opened := range f.files {
		info, err := os.Stat(opened.path)
		switch {
		case err != nil:
			return fmt.Errorf("a file of the database is gone: %w", err)
		case !os.SameFile(info, opened.info):
			return fmt.Errorf("a file of the database was replaced while it was open: %s", opened.path)
		}
	}
	return nil
}

// mayBegin returns an error if a transaction that writes would be in vain. It looks
// at the files only if they were missing before: most are found missing by mayAnswer.
func (f *fitness) mayBegin() error {
	if !f.lost.Load() && !f.hurt.Load() {
		return nil
	}
	return f.mayAnswer()
}

// mayAnswer returns an error if what was just committed must not be acknowledged.
func (f *fitness) mayAnswer() error {
	if err := f.unfit(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	return nil
}

// note looks for damage in the error of a transaction, which it returns, with ErrUnfit
// if there is. It logs the first damage, with its cause; from then on nothing is
// written.
func (f *fitness) note(err error) error {
	if err == nil || !isDamage(err) {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.damage == nil {
		f.damage = fmt.Errorf("the database is damaged: %w", err)
		f.hurt.Store(true)
		f.log.Error("changes are refused until a restart: the database is damaged; stop the service and run dropyard doctor",
			"error", err)
	}
	return fmt.Errorf("%w: %w", ErrUnfit, err)
}

// isDamage reports whether SQLite has found that a file does not hold what was
// written to it. Errors that may pass, such as a full disk or a failed write, are
// not damage: SQLite undoes the transaction and writes the same pages again.
func isDamage(err error) bool {
	switch code := sqlite.ErrCode(err); code {
	case sqlite.ResultIOErrShortRead, resultIOErrData, resultIOErrCorruptFS:
		return true
	default:
		primary := code.ToPrimary()
		return primary == sqlite.ResultCorrupt || primary == sqlite.ResultNotADB
	}
}

// Result codes that the driver does not name (sqlite.org/rescode.html).
const (
	resultIOErrData      = sqlite.ResultIOErr | 32<<8
	resultIOErrCorruptFS = sqlite.ResultIOErr | 33<<8
)

// Unfit returns the reason for which the database accepts no writes now: a file of the
// embedded database is missing, was replaced, or is damaged. It returns nil if the
// database accepts writes, and always for PostgreSQL. It is cheap enough for every
// check of readiness.
func (d *Database) Unfit() error { return d.engine.unfit() }
