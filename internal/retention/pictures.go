package retention

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Pictures deletes what a database cannot.
type Pictures interface {
	// Delete removes the picture of a name. That there is none is no error.
	Delete(ctx context.Context, name string) error
}

// picturesPage is how many pictures are deleted before their rows are.
const picturesPage = 100

// deletePictures deletes the pictures of a partner's proofs that were given up
// with their orders, after the transaction that did so: a picture cannot be
// brought back. Then it removes their rows. Where a picture cannot be deleted its
// row stays, and the next sweep tries again.
func (s *Service) deletePictures(ctx context.Context, partnerID string) (deleted int, err error) {
	for {
		var page []delivery.Proof
		err := s.Store.Read(ctx, func(tx Reader) (err error) {
			page, err = tx.GivenUpProofs(ctx, partnerID, picturesPage)
			return err
		})
		if err != nil || len(page) == 0 {
			return deleted, err
		}
		var gone []delivery.Proof
		var failed error
		for _, proof := range page {
			if err := s.Pictures.Delete(ctx, proof.Name); err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			gone = append(gone, proof)
		}
		if len(gone) > 0 {
			err = s.Store.Write(ctx, func(tx Writer) error { return tx.ForgetProofs(ctx, gone) })
		}
		if err := errors.Join(failed, err); err != nil {
			return deleted, err
		}
		deleted += len(gone)
	}
}
