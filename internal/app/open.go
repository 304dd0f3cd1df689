package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/gofrs/flock"
)

// makeData makes a data directory that does not exist. An error names the flag.
func makeData(folder string) error {
	if err := durable.MakeFolder(folder); err != nil {
		return fmt.Errorf("--data: cannot make the folder, choose another one by this flag: %w", err)
	}
	return nil
}

// openData locks the data directory and opens the store and the master key. What can
// be refused is refused before any file is changed.
func (a *App) openData(ctx context.Context) (err error) {
	if err := makeData(a.config.Data); err != nil {
		return err
	}
	warning, err := checkPermissions(a.config.Data)
	if err != nil {
		return err
	}
	a.warnings = append(a.warnings, warning)
	if !a.config.Postgres() {
		held, err := lockDirectories(a.config.Data, filepath.Dir(a.config.Database()))
		if err != nil {
			return err
		}
		a.atClose(held.release)
		warning, err := checkFileSystem(filepath.Dir(a.config.Database()), a.FileSystem)
		if err != nil {
			return err
		}
		a.warnings = append(a.warnings, warning)
	}
	if a.store, err = openForService(ctx, a.config, a.Surroundings); err != nil {
		return err
	}
	if a.config.Postgres() && a.config.DatabaseMayLoseData {
		a.warnings = append(a.warnings,
			"--database-may-lose-data is set: fsync and full_page_writes of PostgreSQL are not checked, "+
				"and a crash of its machine may lose orders that were acknowledged")
	}
	a.atClose(a.store.Close)
	a.store.Trace(a.tracer)
	if a.BeforeWrites != nil {
		a.store.BeforeWrites(a.BeforeWrites)
	}
	a.watchStore()
	if err := a.store.CheckWhole(ctx); err != nil {
		return err
	}
	a.masterKey, err = a.openMasterKey(ctx)
	return err
}

// reportOpening logs what openData has found. The line that says that the service is
// ready comes first, because supervisors wait for it.
func (a *App) reportOpening() {
	for _, warning := range a.warnings {
		if warning != "" {
			a.Log.Warn(warning)
		}
	}
	if a.store.Shared() {
		a.Log.Info("this node has joined the others", "node_id", a.nodes.self.NodeID) // dropyard key rotate names nodes by it
	}
	if log := a.store.Recovered(); log.Frames > 0 {
		a.Log.Info("the write-ahead log of a process that was killed was read",
			"frames", log.Frames, "valid", log.Valid, "committed", log.Committed)
	}
}

// checkPermissions refuses a directory in which other users can replace files. The
// warning, if there is one, says that they can read it.
func checkPermissions(dir string) (warning string, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	mode, exposed := info.Mode().Perm(), durable.Exposed(info)
	switch {
	case exposed&0o002 != 0:
		return "",
			fmt.Errorf("the data directory %s can be written by every user (mode %04o): run chmod 700 on it", dir, mode)
	case exposed != 0:
		return fmt.Sprintf("the data directory %s is open to other users (mode %04o): run chmod 700 on it", dir, mode), nil
	}
	return "", nil
}

// locks are held on directories for as long as the process lives.
type locks []*flock.Flock

// lockDirectories locks each directory once. The system frees the locks when the
// process ends, however it ends. Commands that run beside a service take no lock.
func lockDirectories(data, database string) (held locks, err error) {
	directories := []string{data}
	if filepath.Clean(database) != filepath.Clean(data) {
		directories = append(directories, database)
	}
	for _, dir := range directories {
		lock := flock.New(dir, flock.SetFlag(os.O_RDONLY)) // the directory itself
		if runtime.GOOS == "windows" {                     // where directories cannot be locked
			lock = flock.New(filepath.Join(dir, "dropyard.lock"))
		}
		free, err := lock.TryLock()
		if err == nil && !free {
			err = errInUse
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = fmt.Errorf("the data directory %s does not exist: set --data", dir)
		case errors.Is(err, fs.ErrPermission):
			err = fmt.Errorf("the data directory %s belongs to another user: run the program as that one, or set another --data", dir)
		case err != nil:
			err = fmt.Errorf("the data directory %s: %w", dir, err)
		}
		if err != nil {
			return nil, errors.Join(err, held.release())
		}
		held = append(held, lock)
	}
	return held, nil
}

var errInUse = errors.New("another dropyard serve is using it: stop it first, or set another --data")

func (l locks) release() (err error) {
	for _, lock := range l {
		err = errors.Join(err, lock.Close())
	}
	return err
}

// openForService opens the store, if its master key is the right one.
func openForService(ctx context.Context, settings *config.Config, world Surroundings) (*store.Store, error) {
	if settings.Postgres() {
		return openPostgres(ctx, settings)
	}
	if settings.NewDatabase {
		if err := db.AbandonSQLite(settings.Database()); err != nil {
			return nil, fmt.Errorf("--new-database: %w", err)
		}
	}
	examined, err := examine(ctx, settings)
	if err != nil {
		return nil, err
	}
	if err := checkMasterKey(settings, examined, world.Random); err != nil {
		return nil, err
	}
	return store.Open(ctx, examined, world.Log)
}

func openPostgres(ctx context.Context, settings *config.Config) (*store.Store, error) {
	if err := checkURL(settings); err != nil {
		return nil, err
	}
	if err := db.CheckServer(ctx, settings.DatabaseURL, settings.DatabaseMayLoseData); err != nil {
		return nil, err
	}
	return store.OpenPostgres(ctx, settings.DatabaseURL)
}

// SettingError marks an error in the settings that is found before anything is opened or
// created.
type SettingError struct{ error }

// Unwrap returns the error that was marked.
func (e SettingError) Unwrap() error { return e.error }

// checkURL returns a SettingError if the URL of a PostgreSQL database has faults. It also
// refuses to send the password of the database, and everyone's data, through a network in
// the clear, unless the settings allow it.
func checkURL(settings *config.Config) error {
	if !settings.Postgres() {
		return nil
	}
	check := db.CheckTransport
	if settings.DatabaseInsecure {
		check = db.CheckURL
	}
	if err := check(settings.DatabaseURL); err != nil {
		return SettingError{err}
	}
	return nil
}

// openStore opens the database for a command, which needs no master key.
func openStore(ctx context.Context, settings *config.Config) (*store.Store, error) {
	if settings.Postgres() {
		return openPostgres(ctx, settings)
	}
	examined, err := examine(ctx, settings)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, examined, slog.Default())
}

// examine refuses, besides a damaged database, to begin a new one beside a master key
// that the service made for another: partners' API keys would be gone without a word.
func examine(ctx context.Context, settings *config.Config) (*db.Examined, error) {
	examined, err := store.Schema.ExamineSQLite(ctx, settings.Database())
	if err != nil {
		return nil, err
	}
	key := settings.MasterKey()
	inData := settings.Data != "" && filepath.Clean(filepath.Dir(key)) == filepath.Clean(settings.Data)
	if examined.New && inData && !settings.NewDatabase && credential.IsMadeByService(key) {
		return nil, examined.Lost(key)
	}
	return examined, nil
}

// checkMasterKey compares the master key with the fingerprint in the database before
// the database is opened. It creates no key.
func checkMasterKey(settings *config.Config, examined *db.Examined, random io.Reader) error {
	known := examined.Setting(fingerprintSetting)
	if _, err := os.Stat(settings.MasterKey()); err != nil && known == "" {
		return nil
	}
	_, err := credential.OpenMasterKey(settings.MasterKey(), known, random)
	return err
}

const fingerprintSetting = "master_key_fingerprint"

// openMasterKey reads the master key and compares it with the fingerprint in the
// database. The first start creates the key and stores its fingerprint.
func (a *App) openMasterKey(ctx context.Context) (key credential.MasterKeys, err error) {
	known, err := a.store.Setting(ctx, fingerprintSetting)
	if err != nil {
		return key, err
	}
	if key, err = credential.OpenMasterKey(a.config.MasterKey(), known, a.Random); err != nil || known != "" {
		return sealingUnder(known, key), err
	}
	if known, err = a.store.AddSetting(ctx, fingerprintSetting, key.Fingerprint()); err != nil {
		return key, err
	}
	// Another node may have stored the fingerprint of another key in the meantime.
	return credential.OpenMasterKey(a.config.MasterKey(), known, a.Random)
}

// sealingUnder returns the keys so that those of the fingerprint in the database seal. A file
// of a rotation may be older than the database: a copy that a node got at its beginning.
func sealingUnder(known string, keys credential.MasterKeys) credential.MasterKeys {
	if keys.Stage == credential.Prepared && keys.Other.Fingerprint() == known {
		return keys.Replace()
	}
	return keys
}

// sealerOf returns a sealer for one purpose. During a rotation it opens what is sealed
// under either key.
func sealerOf(keys credential.MasterKeys, purpose string) (*credential.Sealer, error) {
	derived := keys.DeriveAll(purpose)
	return credential.NewSealer(derived[0], derived[1:]...)
}

// quoterOf returns the quoter. During a rotation it honours quotes under either key.
func quoterOf(keys credential.MasterKeys) *pricing.Quoter {
	derived := keys.DeriveAll("quotes")
	return pricing.NewQuoter(derived[0], derived[1:]...)
}
