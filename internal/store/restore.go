package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// Restore puts a backup in the place of an embedded database. A database that
// is there is only replaced by force, and then moved aside, never deleted; one
// that a service has open is left alone. Nothing is touched before the backup
// has been copied and the copy verified.
func Restore(ctx context.Context, backup, to string, force bool) (made *Snapshot, err error) {
	if err := checkPaths(ctx, backup, to, force); err != nil {
		return nil, err
	}
	temp, err := createTemp(to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeDatabase(temp)) }()
	size, summed, err := copyBackup(ctx, backup, temp)
	if err != nil {
		return nil, err
	}
	held, err := verify(ctx, temp)
	if err != nil {
		return nil, fmt.Errorf("%s %w", backup, err)
	}
	made = held.snapshot(size)
	made.Summed = summed
	made.Aside, err = replace(ctx, temp, to)
	return made, err
}

// checkPaths refuses what could not be restored, before a long copy.
func checkPaths(ctx context.Context, backup, to string, force bool) error {
	source, err := os.Stat(backup)
	if err != nil {
		return err
	}
	if !source.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", backup)
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if log, err := os.Stat(backup + suffix); err == nil && log.Size() > 0 {
			return fmt.Errorf("%s has a log beside it (%s), so it is no backup but a database", backup, filepath.Base(backup+suffix))
		}
	}
	target, err := os.Lstat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case os.SameFile(source, target):
		return fmt.Errorf("%s is the database itself", backup)
	case !target.Mode().IsRegular():
		return fmt.Errorf("%s is no file", to)
	case !force:
		return fmt.Errorf("%s %w; --force moves it aside", to, ErrExists)
	}
	held, err := seize(ctx, to)
	if err != nil {
		return err
	}
	return held.Close()
}

// copyBackup copies a backup, durably, and holds it against its checksum if
// that is beside it.
func copyBackup(ctx context.Context, backup, to string) (size int64, summed bool, err error) {
	source, err := os.Open(backup)
	if err != nil {
		return 0, false, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		return 0, false, err
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(target, hash), contextReader{ctx, source})
	if err := errors.Join(err, target.Sync(), target.Close()); err != nil {
		return 0, false, fmt.Errorf("copy %s: %w", backup, err)
	}
	line, err := os.ReadFile(backup + checksumSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return size, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if want, _, _ := strings.Cut(string(line), " "); want != hex.EncodeToString(hash.Sum(nil)) {
		return 0, false, fmt.Errorf("%s %w: its checksum is not that of %s", backup, ErrDamaged, backup+checksumSuffix)
	}
	return size, true, nil
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// replace puts a finished file in a database's place and moves what was there
// aside, together with its log: a log that stayed behind would be taken for the
// new database's.
func replace(ctx context.Context, temp, to string) (aside string, err error) {
	if _, err := os.Lstat(to); err == nil {
		held, err := seize(ctx, to)
		if err != nil {
			return "", err
		}
		defer func() { _ = held.Close() }() // the lock lasts until all is in place
	}
	name := to + ".replaced-" + time.Now().UTC().Format("20060102T150405.000")
	for _, suffix := range append([]string{""}, companions...) {
		err := os.Rename(to+suffix, name+suffix)
		switch {
		case err == nil:
			aside = name
		case !errors.Is(err, fs.ErrNotExist):
			return aside, err
		}
	}
	return aside, publish(temp, to)
}

// holder is a database that nobody else can have open.
type holder struct{ conn *sqliteConn }

func (h holder) Close() error {
	if h.conn == nil {
		return nil
	}
	return h.conn.Close()
}

// seize takes a database for itself, and fails if anybody has it open. What
// its log holds is then in the file. A file that is no database cannot be held;
// nor can it be served.
func seize(ctx context.Context, path string) (holder, error) {
	c, err := openPlain(path)
	if err != nil {
		return holder{}, err
	}
	c.SetBusyTimeout(0)
	// Leaving WAL mode needs the exclusive lock, and every connection in WAL
	// mode holds a shared one for as long as it is open.
	for _, statement := range []string{"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE", "COMMIT"} {
		if _, err = c.exec(ctx, statement); err != nil {
			break
		}
	}
	switch {
	case err == nil:
		return holder{c}, nil
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy:
		err = fmt.Errorf("%s %w", path, ErrInUse)
	case isDamage(err):
		err = nil
	}
	return holder{}, errors.Join(err, c.Close())
}
