package app

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/proof"
)

// openPictures opens the store of the pictures of proofs; end closes it. It does not
// connect to a bucket yet, so that a service starts although its bucket cannot be
// reached.
func openPictures(settings *config.Config, now func() time.Time) (pictures proof.Store, end func(), err error) {
	where, err := settings.ProofStore()
	if err != nil {
		return nil, nil, err
	}
	if where.Endpoint == nil {
		pictures, err = proof.NewDirectory(where.Directory)
		return pictures, func() {}, err
	}
	bucket := bucketOf(&where, now)
	return bucket, bucket.Close, nil
}

// openProofs creates the service of proofs of delivery.
func (a *App) openProofs() error {
	pictures, end, err := openPictures(a.config, a.machine)
	if err != nil {
		return err
	}
	a.pictures = pictures
	a.atClose(ending(end))
	a.proofs = proof.NewService(a.proofConfig())
	return nil
}

func (a *App) proofConfig() proof.Config {
	return proof.Config{
		Store: a.pictures, Records: a.store.Proofs(), Cleaner: a.cleaner, Now: a.Now, Random: a.Random, Log: a.Log,
		URL:     a.proofURL,
		TooLate: func(ctx context.Context, found *delivery.Order) error { return a.orders.TooLate(ctx, found) },
	}
}

// proofURL returns the public address of a proof.
func (a *App) proofURL(name string) string { return a.URL() + "/proofs/" + name }
