package app

import (
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/proof/s3"
)

// openProofs makes the service that keeps proofs of delivery. A bucket is not
// asked for anything yet: that it is away must keep no service from starting.
func (a *App) openProofs() error {
	where, err := a.config.ProofStore()
	if err != nil {
		return err
	}
	var store proof.Store
	if where.Endpoint != nil {
		a.bucket = s3.New(s3.Config{
			Endpoint: where.Endpoint, Bucket: where.Bucket, Prefix: where.Prefix, Region: where.Region,
			Key: where.Key, Secret: where.Secret, VirtualHost: where.VirtualHost, Now: a.Now,
		})
		store = a.bucket
	} else if store, err = proof.NewDirectory(where.Directory); err != nil {
		return err
	}
	a.proofs = proof.NewService(proof.Config{
		Store: store, Random: a.Random, Log: a.Log,
		URL: func(name string) string { return a.URL() + "/proofs/" + name },
	})
	return nil
}
