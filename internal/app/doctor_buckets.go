package app

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/proof/s3"
)

// nothingThere is the name of an object that no bucket has.
const nothingThere = "dropyard-doctor-finds-nothing"

// checkBuckets asks each bucket of the settings for an object that it does not have: one that says so can be reached,
// exists, and knows the access key. Nothing is written, so whether the key may write is not known afterwards.
func (d *Diagnosis) checkBuckets(ctx context.Context, settings *config.Config) {
	asked := map[string]bool{}
	for _, one := range storesOf(settings) {
		where, err := one.store()
		if err != nil || where == nil || where.Endpoint == nil || asked[where.String()] {
			continue // wrong settings are refused before
		}
		asked[where.String()] = true
		d.checkBucket(ctx, one.flag, where)
	}
}

// fileStore is a setting that names a folder or a bucket.
type fileStore struct {
	flag  string
	store func() (*config.FileStore, error)
}

func storesOf(settings *config.Config) []fileStore {
	return []fileStore{
		{"--proofs", func() (*config.FileStore, error) {
			where, err := settings.ProofStore()
			return &where, err
		}},
		{"--backups", settings.BackupStore},
		{"--export-to", settings.ExportStore},
	}
}

func (d *Diagnosis) checkBucket(ctx context.Context, flag string, where *config.FileStore) {
	bucket := bucketOf(where, time.Now)
	defer bucket.Close()
	content, err := bucket.Open(ctx, nothingThere)
	if err == nil {
		_ = content.Close()
	}
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		d.note("the bucket of %s answers, and knows the key: %s. Whether the key may write was not tried", flag, where)
	case errors.Is(err, proof.ErrUnavailable):
		d.find("the bucket of %s, %s: %v: correct the setting, or see why the server does not answer", flag, where, err)
	case errors.Is(err, s3.ErrDenied):
		d.note("the bucket of %s knows the key, which may not list objects, so whether it may read was not tried: %s", flag, where)
	default:
		d.find("the bucket of %s refuses the service: %s: %v", flag, where, err)
	}
}
