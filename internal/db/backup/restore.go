package backup

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

	"github.com/dropyard/dropyard/internal/foundation/progress"
)

// Restored describes a database that was restored.
type Restored struct {
	Contents
	// Checked is true if the backup's checksum was beside it, and right.
	Checked bool
	// Aside is the new name of the database that was there before; empty if there
	// was none.
	Aside string
	// Since is what had been taken away from the database that was there before, since the
	// backup was made.
	Since Since
}

// Restore puts a backup in the place of a database. If there is a database, it is
// left alone, or with force renamed, never deleted; the new name holds now. A
// database that a service has open is always left alone. Nothing is touched before
// the backup has been copied and the copy verified. What was taken away since is taken away
// from the copy, too (Since), and a note has the next start of a service go on from an older
// state (db.NoteRestored).
func (f Files) Restore(
	ctx context.Context, file, database string, force bool, now time.Time,
) (made *Restored, err error) {
	if err := f.checkPaths(ctx, file, database, force); err != nil {
		return nil, err
	}
	temp, err := createTemp(database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeDatabase(temp)) }()
	size, sum, err := copyFile(ctx, file, temp)
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", file, err)
	}
	checked, err := checkSum(file, sum)
	if err != nil {
		return nil, err
	}
	progress.Report(ctx, "verifying", 0, 0)
	held, err := f.verify(ctx, temp)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	made = &Restored{Contents: *held.contents(size), Checked: checked}
	if made.Since, err = f.mark(ctx, temp, database); err != nil {
		return nil, err
	}
	made.Aside, err = f.replace(ctx, temp, database, now)
	return made, err
}

// checkPaths refuses what could not be restored, before a long copy.
func (f Files) checkPaths(ctx context.Context, file, database string, force bool) error {
	source, err := os.Stat(file)
	if err != nil {
		return err
	}
	if !source.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", file)
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if log, err := os.Stat(file + suffix); err == nil && log.Size() > 0 {
			return fmt.Errorf("%s has a log beside it (%s), so it is not a backup but a database in use", file,
				filepath.Base(file+suffix))
		}
	}
	target, err := os.Lstat(database)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case os.SameFile(source, target):
		return fmt.Errorf("%s is the database itself", file)
	case !target.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", database)
	case !force:
		return fmt.Errorf("%s: %w: stop the service, and set --force, which renames the file", database, ErrExists)
	}
	release, err := f.seize(ctx, database)
	if err != nil {
		return err
	}
	return release()
}

// copyChunk is how many bytes are copied before the context is asked again.
const copyChunk = 8 << 20

// copyFile copies a file, waits until the disk has the copy, and returns its
// SHA-256.
func copyFile(ctx context.Context, from, to string) (size int64, sum string, err error) {
	source, err := os.Open(from)
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	total := int64(0)
	if info, err := source.Stat(); err == nil {
		total = info.Size()
	}
	target, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		return 0, "", err
	}
	hash := sha256.New()
	size, err = copyChunks(ctx, io.MultiWriter(target, hash), source, total)
	if err := errors.Join(err, target.Sync(), target.Close()); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

// copyChunks copies until the end of from, or of ctx. It reports the progress to a total
// of bytes.
func copyChunks(ctx context.Context, to io.Writer, from io.Reader, total int64) (size int64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, err := io.CopyN(to, from, copyChunk)
		size += n
		progress.Report(ctx, "copying", size, total)
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}

// checkSum compares a backup's SHA-256 with the checksum beside it. It is false
// if there is none.
func checkSum(file, sum string) (checked bool, err error) {
	line, err := os.ReadFile(file + checksumSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if want, _, _ := strings.Cut(string(line), " "); want != sum {
		return false, fmt.Errorf("%s: %w: its checksum is not that of %s", file, ErrDamaged, file+checksumSuffix)
	}
	return true, nil
}

// replace puts a finished file in a database's place and renames what was there
// together with its log: SQLite would take a log that stayed behind for the new
// database's.
func (f Files) replace(ctx context.Context, temp, database string, now time.Time) (aside string, err error) {
	if _, err := os.Lstat(database); err == nil {
		release, err := f.seize(ctx, database)
		if err != nil {
			return "", err
		}
		defer func() { _ = release() }() // when everything is in its place
	}
	name := database + ".replaced-" + now.UTC().Format("20060102T150405.000")
	for _, suffix := range append([]string{""}, companions...) {
		err := os.Rename(database+suffix, name+suffix)
		switch {
		case err == nil:
			aside = name
		case !errors.Is(err, fs.ErrNotExist):
			return aside, err
		}
	}
	return aside, publish(temp, database)
}
