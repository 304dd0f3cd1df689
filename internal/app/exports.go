package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/exports"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/proof/s3"
	"github.com/dropyard/dropyard/internal/store"
)

// exportsFolder is the folder of the data directory for files that are under way to a bucket.
const exportsFolder = "exporting"

// openExports creates the service that exports days, if the settings say where to.
func (a *App) openExports() error {
	where, err := a.config.ExportStore()
	if err != nil || where == nil {
		return err
	}
	a.exports, err = newExports(a.store, a.config, a.Surroundings, a.machine, a.hold.on,
		a.URL, a.atClose)
	return err
}

// newExports returns a service that exports days of a store. The settings must name a place, whose requests are signed
// by the clock of the machine. base returns what the links of its mails begin with; atClose gets what ends it.
func newExports(
	s *store.Store, settings *config.Config, world Surroundings, machine func() time.Time, held func() bool,
	base func() string, atClose func(func() error),
) (*exports.Service, error) {
	made := exports.Config{
		Store: s.Exports(), Personal: settings.ExportPersonal, Zone: world.Zones.Location(settings.Zone()), Held: held,
		Entries: exports.EntryTable{Columns: accounting.EntryColumns(), Write: accounting.WriteEntry},
		Now:     world.Now, At: world.At, Random: world.Random, Log: world.Log,
		Post: world.Post, BaseURL: base,
	}
	where, err := settings.ExportStore()
	if err != nil {
		return nil, err
	}
	formats, err := settings.ExportFiles()
	if err != nil {
		return nil, err
	}
	for _, format := range formats {
		made.Formats = append(made.Formats, exports.Format(format))
	}
	if made.Hour, made.Minute, err = settings.ExportTime(); err != nil {
		return nil, err
	}
	if made.From, err = settings.ExportFirst(); err != nil {
		return nil, err
	}
	made.Place = exports.Folder(where.Directory)
	if where.Endpoint != nil {
		bucket := bucketOf(where, machine)
		atClose(ending(bucket.Close))
		made.Place = bucketOfExports{bucket, where, filepath.Join(settings.Data, exportsFolder)}
	}
	return exports.NewService(made), nil
}

// bucketOf returns the bucket that a setting names.
func bucketOf(where *config.FileStore, now func() time.Time) *s3.Store {
	return s3.New(s3.Config{
		Endpoint: where.Endpoint, Bucket: where.Bucket, Prefix: where.Prefix, Region: where.Region, Key: where.Key,
		Secret: where.Secret, VirtualHost: where.VirtualHost, Now: now,
	})
}

// bucketOfExports keeps exports in a bucket. Each file is first written to a folder of the data directory.
type bucketOfExports struct {
	bucket *s3.Store
	where  *config.FileStore
	folder string // holds nothing else
}

func (b bucketOfExports) String() string { return b.where.String() }

// Prepare implements exports.Place.
func (b bucketOfExports) Prepare() (string, error) {
	return b.folder, errors.Join(os.RemoveAll(b.folder), os.MkdirAll(b.folder, 0o700))
}

// Put implements exports.Place.
func (b bucketOfExports) Put(ctx context.Context, name, file, digest string) error {
	if err := b.bucket.PutFile(ctx, name, file, digest); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.Remove(file)
}

// Open implements exports.Place.
func (b bucketOfExports) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return b.bucket.Open(ctx, name)
}

// ErrNoExports means that the settings do not say where days are exported to.
var ErrNoExports = errors.New("--export-to: set the directory or the bucket that serve exports to")

// ErrExportsBusy means that another process exports days at the moment.
var ErrExportsBusy = exports.ErrBusy

// Exported is what ExportDays has done.
type Exported struct {
	Days int
	Last *exports.Day // the latest day that was exported, now or before; nil if there is none
}

// ExportDays exports all days until one that have ended and were not exported; the zero day means yesterday. A service
// may be running, which then goes on from there. The error is ErrExportsBusy if days are due that it exports just now.
func ExportDays(
	ctx context.Context, settings *config.Config, world Surroundings, until date.Day,
) (done Exported, err error) {
	err = withExports(ctx, settings, world, func(s *exports.Service, today date.Day) error {
		if until == 0 {
			until = today - 1
		}
		if done.Days, err = s.Until(ctx, until); err != nil {
			return err
		}
		status, err := s.Status(ctx)
		done.Last = status.Last
		return err
	})
	return done, err
}

// CheckedExports is what VerifyExports has found.
type CheckedExports = exports.Checked

// VerifyExports compares all days that were exported with their manifests.
func VerifyExports(
	ctx context.Context, settings *config.Config, world Surroundings,
) (found CheckedExports, err error) {
	err = withExports(ctx, settings, world, func(s *exports.Service, _ date.Day) error {
		found, err = s.Verify(ctx)
		return err
	})
	return found, err
}

// withExports opens the database for a command.
func withExports(
	ctx context.Context, settings *config.Config, world Surroundings, do func(*exports.Service, date.Day) error,
) (err error) {
	if settings.ExportTo == "" {
		return ErrNoExports
	}
	zone := world.Zones.Location(settings.Zone())
	if zone == nil {
		return fmt.Errorf("--time-zone: %q is not a time zone of Canada (example: America/Toronto)", settings.TimeZone)
	}
	db, err := openExisting(ctx, settings)
	if err != nil {
		return err
	}
	ends := []func() error{db.Close}
	defer func() {
		for i := len(ends) - 1; i >= 0; i-- {
			err = errors.Join(err, ends[i]())
		}
	}()
	held, err := db.Setting(ctx, store.HoldSetting)
	if err != nil {
		return err
	}
	made, err := newExports(db, settings, world, world.Now, func() bool { return held != "" },
		nil, func(end func() error) { ends = append(ends, end) })
	if err != nil {
		return err
	}
	return do(made, date.Of(world.Now(), zone))
}

// describeExports describes the exports of days; nil if there are none.
func (a *App) describeExports(ctx context.Context) (*installation.Exports, error) {
	if a.exports == nil {
		return nil, nil
	}
	status, err := a.exports.Status(ctx)
	if err != nil {
		return nil, err
	}
	described := &installation.Exports{
		KeptIn: "directory", NextDay: status.Next.String(), NextAt: *timeOrNull(status.Due), DaysBehind: status.Behind,
		Running: status.Running, FailedAt: timeOrNull(status.FailedAt), Error: strictjson.OrNull(status.Error),
	}
	if where, err := a.config.ExportStore(); err == nil && where.Endpoint != nil {
		described.KeptIn = "bucket"
	}
	if last := status.Last; last != nil {
		described.Last = &installation.ExportedDay{
			Day: last.Day.String(), SealedAt: last.SealedAt, DoneAt: last.DoneAt, Files: last.Files, Bytes: last.Bytes,
			ManifestSHA256: last.Digest,
		}
	}
	return described, nil
}

// listExports describes the exports of days, and a page of the days: those before one, or the latest if it is 0.
func (a *App) listExports(ctx context.Context, before date.Day, limit int) (list installation.ExportList, err error) {
	list.Days = []installation.ExportDay{}
	if list.Exports, err = a.describeExports(ctx); err != nil || list.Exports == nil {
		return list, err
	}
	days, err := a.exports.Days(ctx, before, limit+1)
	if len(days) > limit {
		days = days[:limit]
		list.Next = days[limit-1].Day.String()
	}
	for _, day := range days {
		list.Days = append(list.Days, describeDay(day))
	}
	return list, err
}

func describeDay(day *exports.Day) installation.ExportDay {
	described := installation.ExportDay{
		Day: day.Day.String(), State: string(day.Stage()), SealedAt: timeOrNull(day.SealedAt), DoneAt: timeOrNull(day.DoneAt),
		Bytes: day.Bytes, ManifestSHA256: strictjson.OrNull(day.Digest),
		Files: make([]installation.ExportFile, len(day.Contents)),
	}
	for i, file := range day.Contents {
		described.Files[i] = installation.ExportFile{
			Name: file.Name, Kind: string(file.Kind), Format: string(file.Format), Rows: file.Rows, Bytes: file.Bytes,
			SHA256: file.SHA256,
		}
	}
	return described
}

var errExportsNothing = refusal.New(refusal.CodeConflict, "this service exports nothing: set --export-to")

// beginExport has all days exported that have ended and were not.
func (a *App) beginExport(ctx context.Context) error {
	if a.exports == nil {
		return errExportsNothing
	}
	return a.exports.Ask(ctx)
}

// exportsBehind returns how many days are due to be exported and were not; 0 if the service exports none.
func (a *App) exportsBehind(ctx context.Context) (int, error) {
	if a.exports == nil {
		return 0, nil
	}
	status, err := a.exports.Status(ctx)
	return status.Behind, err
}
