package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/store"
)

// Diagnosis is what Doctor has found.
type Diagnosis struct {
	// Findings describe one fault each on one line, with what to do.
	Findings []string
	// Notes describe what was checked, or could not be.
	Notes []string
}

func (d *Diagnosis) find(format string, args ...any) {
	d.Findings = append(d.Findings, fmt.Sprintf(format, args...))
}

func (d *Diagnosis) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// Doctor checks an installation: the settings, the database with the master key, and
// what the machine gives. Of an embedded database it checks the files and all of the
// contents, and the pictures of proofs; of a PostgreSQL database how the server is set.
// It changes nothing. A service may be running; then SQLite's log is not checked.
func Doctor(ctx context.Context, settings *config.Config) (*Diagnosis, error) {
	d := &Diagnosis{}
	d.checkSettings(settings)
	d.checkOpenID(ctx, settings)
	d.checkBuckets(ctx, settings)
	d.checkFolders(settings)
	d.checkFileLimit()
	zones, err := zone.Newest()
	d.checkZones(zones, err, time.Now())
	if settings.Postgres() {
		return d, d.checkPostgres(ctx, settings)
	}
	if _, err := os.Stat(settings.Data); errors.Is(err, fs.ErrNotExist) {
		d.find("the data directory %s does not exist: set --data", settings.Data)
		return d, nil
	}
	d.checkDirectory(settings)
	held, err := lockDirectories(settings.Data, filepath.Dir(settings.Database()))
	running := errors.Is(err, errInUse)
	if err != nil && !running {
		d.find("%v", err)
	}
	err = d.checkDatabase(ctx, settings, running)
	return d, errors.Join(err, held.release())
}

// checkDirectory checks permissions and free space.
func (d *Diagnosis) checkDirectory(settings *config.Config) {
	warning, err := checkPermissions(settings.Data)
	if err != nil {
		d.find("%v", err)
	} else if warning != "" {
		d.find("%s", warning)
	}
	for _, suffix := range []string{"", "-wal", "-mark"} {
		path := settings.Database() + suffix
		if info, err := os.Stat(path); err == nil && durable.Exposed(info) != 0 {
			d.find("%s is open to other users (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
		}
	}
	warning, err = checkFileSystem(filepath.Dir(settings.Database()), machine.FileSystemOf)
	if err != nil {
		d.find("%v", err)
	} else if warning != "" {
		d.note("%s", warning)
	}
	if info, err := os.Stat(settings.MasterKey()); err == nil && durable.Exposed(info) == 0 &&
		info.Mode().Perm()&0o070 != 0 {
		d.note("%s has mode %04o: the other members of the service's group, if it has any, can read it", settings.MasterKey(),
			info.Mode().Perm())
	}
	if err := diskLow([]string{settings.Data}, minFree); err != nil {
		d.find("%v: make room", err)
	}
}

func (d *Diagnosis) checkDatabase(ctx context.Context, settings *config.Config, running bool) error {
	examined, err := examine(ctx, settings)
	var fault *db.FaultError
	switch {
	case errors.As(err, &fault):
		d.find("%v", err)
		d.checkKey(settings, "")
		return nil
	case err != nil:
		return err
	case examined.New:
		d.note("there is no database yet: %s", settings.Database())
		d.checkKey(settings, "")
		return nil
	}
	if log := examined.Log; log.Frames > 0 {
		d.note(
			"the log of a process that was killed has %d frames, %d of them valid and %d committed; the next start reads them",
			log.Frames, log.Valid, log.Committed,
		)
	}
	if running || examined.Used {
		d.note("the database is in use, so its log and the mark were not checked")
	}
	pictures, err := d.newPictures(settings)
	if err != nil {
		return err
	}
	secrets := newSecrets(settings)
	providers := &companies{}
	found, err := examined.Inspect(ctx, pictures.check, secrets.check, providers.add)
	if err != nil {
		return err
	}
	for _, fault := range found.Faults {
		d.find("%v", fault)
	}
	pictures.report()
	if err := providers.ask(ctx, settings, d); err != nil {
		return err
	}
	d.note("%s: %d rows in %d tables", settings.Database(), found.Rows, found.Tables)
	d.checkBackup(settings)
	d.checkExports(found.Setting(store.ExportsSetting))
	d.checkClock(found.Setting(lastTimeSetting), time.Now())
	d.checkTrust(found.Setting(clock.MarkSetting), time.Now())
	if err := d.checkOrigin(settings, "", found.Setting); err != nil {
		return err
	}
	if d.checkKey(settings, found.Setting(fingerprintSetting)) {
		secrets.report(d)
	}
	return nil
}

// checkKey checks the master key against the fingerprint in the database, which is
// empty if it is not known, and reports whether it is there and the right one.
func (d *Diagnosis) checkKey(settings *config.Config, known string) bool {
	if _, err := os.Stat(settings.MasterKey()); err != nil && known == "" {
		return false
	}
	keys, err := credential.OpenMasterKey(settings.MasterKey(), known, nil)
	if err != nil {
		d.find("%v", err)
		return false
	}
	if keys.Stage != credential.Settled {
		d.find("a rotation of the master key is not complete: run dropyard key rotate again")
	}
	return true
}

// secrets counts those in the database that the master key does not open.
type secrets struct {
	sealer *credential.Sealer // nil if the file of the key cannot be read
	count  int
	closed int
	first  string // of those that cannot be opened
}

func newSecrets(settings *config.Config) *secrets {
	keys, err := credential.OpenMasterKey(settings.MasterKey(), "", refused{})
	if err != nil {
		return &secrets{}
	}
	sealer, _ := sealerOf(keys, "secrets") // derived keys have the right length
	return &secrets{sealer: sealer}
}

// refused is a source of random bytes that has none, so that no key is created.
type refused struct{}

func (refused) Read([]byte) (int, error) { return 0, fs.ErrNotExist }

func (s *secrets) check(of db.SealedColumn, value db.SealedValue) {
	s.count++
	if s.sealer == nil {
		return
	}
	if _, err := s.sealer.Open(value.Sealed, sealedFor(of, value.Key)); err != nil {
		s.closed++
		s.first = cmp.Or(s.first, of.String()+" of "+value.Key)
	}
}

func (s *secrets) report(d *Diagnosis) {
	d.note("secrets sealed under the master key: %d", s.count)
	if s.closed > 0 {
		d.find("%d secrets cannot be opened with the master key, such as %s: they are damaged, or from another database; revoke the API key, rotate the webhook's secret, or have the second factor set up again", s.closed, s.first)
	}
}

// pictures checks that those that proofs refer to are there.
type pictures struct {
	diagnosis *Diagnosis
	folder    *proof.Directory // nil if they are in a bucket
	where     string
	proofs    int
	missing   int
	first     string // of the missing ones
}

func (d *Diagnosis) newPictures(settings *config.Config) (*pictures, error) {
	where, err := settings.ProofStore()
	if err != nil {
		return nil, err
	}
	p := &pictures{diagnosis: d, where: where.Directory}
	if where.Endpoint != nil {
		d.note("the pictures of proofs are in a bucket, and were not compared with the proofs")
		return p, nil
	}
	if _, err := os.Stat(where.Directory); err == nil {
		p.folder, err = proof.NewDirectory(where.Directory)
		return p, err
	}
	return p, nil
}

func (p *pictures) check(name string) {
	p.proofs++
	if p.where == "" || p.folder != nil && p.folder.Has(name) {
		return
	}
	p.missing++
	p.first = cmp.Or(p.first, name)
}

func (p *pictures) report() {
	if p.missing > 0 {
		p.diagnosis.find(
			"%d of %d pictures of proofs are missing in %s, such as %s: put them back from a backup of the directory", p.missing,
			p.proofs, p.where, p.first,
		)
	}
}
