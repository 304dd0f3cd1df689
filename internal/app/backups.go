package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/backups"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db/backup"
	"github.com/dropyard/dropyard/internal/proof/s3"
	"github.com/dropyard/dropyard/internal/store"
)

// What is added to the name of the embedded database for the file that lists its backups, and for the folder of the
// one that is under way to a bucket.
const (
	backupsFile  = ".backups"
	uploadFolder = ".uploading"
)

// openBackups creates the service that makes backups, if the settings say where they are kept. The embedded
// database has one node, so that no other one makes the same backup.
func (a *App) openBackups() error {
	where, err := a.config.BackupStore()
	if err != nil || where == nil {
		return err
	}
	hour, minute, daily, err := a.config.BackupTime()
	if err != nil {
		return err
	}
	made := backups.Config{
		Place: a.backupPlace(where), Keep: a.config.BackupKeep, File: a.config.Database() + backupsFile,
		Now: a.Now, At: a.At, Log: a.Log,
		Write: func(ctx context.Context, file string) (int64, error) {
			written, err := store.Backups.Write(ctx, a.config.Database(), file)
			if err != nil {
				return 0, err
			}
			return written.Bytes, nil
		},
		Noted: func(at time.Time) error { return markBackup(a.config, at) },
	}
	if daily {
		made.Schedule = &backups.Schedule{Hour: hour, Minute: minute, Zone: a.Zones.Location(a.config.Zone())}
	}
	if a.backups, err = backups.Open(made); err != nil {
		return fmt.Errorf("--backups: %w", err)
	}
	a.atClose(ending(a.backups.Close))
	return nil
}

// backupPlace returns where backups are kept.
func (a *App) backupPlace(where *config.FileStore) backups.Place {
	if where.Endpoint == nil {
		return backups.Folder(where.Directory)
	}
	bucket := bucketOf(where, a.machine)
	a.atClose(ending(bucket.Close))
	return bucketOfBackups{bucket, where, a.config.Database() + uploadFolder}
}

// bucketOfBackups keeps backups in a bucket. Each is first written to a folder beside the database, which is removed
// once the bucket has it.
type bucketOfBackups struct {
	bucket *s3.Store
	where  *config.FileStore
	folder string // holds nothing else
}

func (b bucketOfBackups) String() string { return b.where.String() }

// ID implements backups.Place.
func (b bucketOfBackups) ID() string {
	return b.where.Endpoint.JoinPath(b.where.Bucket, b.where.Prefix).String()
}

// Prepare implements backups.Place.
func (b bucketOfBackups) Prepare() error { return os.RemoveAll(b.folder) }

// Keep implements backups.Place. The checksum goes first, so that a backup in the bucket has one.
func (b bucketOfBackups) Keep(ctx context.Context, name string, write backups.Write) (bytes int64, err error) {
	if err := os.Mkdir(b.folder, 0o700); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.folder)) }()
	file := filepath.Join(b.folder, name)
	if bytes, err = write(ctx, file); err != nil {
		return 0, err
	}
	sums := file + backups.ChecksumSuffix
	line, err := os.ReadFile(sums)
	if err != nil {
		return 0, err
	}
	sum, _, _ := strings.Cut(string(line), " ")
	ofLine, err := backup.Checksum(sums)
	if err != nil {
		return 0, err
	}
	if err := b.bucket.PutFile(ctx, name+backups.ChecksumSuffix, sums, ofLine); err != nil {
		return 0, fmt.Errorf("the checksum: %w", err)
	}
	if err := b.bucket.PutFile(ctx, name, file, sum); err != nil { // its checksum would stay for ever
		return 0, errors.Join(err, b.bucket.Delete(context.WithoutCancel(ctx), name+backups.ChecksumSuffix))
	}
	return bytes, nil
}

// Remove implements backups.Place.
func (b bucketOfBackups) Remove(ctx context.Context, name string) error {
	return errors.Join(b.bucket.Delete(ctx, name), b.bucket.Delete(ctx, name+backups.ChecksumSuffix))
}
