package retention

import (
	"context"
	"errors"
	"time"
)

// Pictures deletes pictures, which are not kept in the database.
type Pictures interface {
	// Delete removes the picture of a name. It returns nil if there is none.
	Delete(ctx context.Context, name string) error
}

const (
	// picturesPage is how many pictures are deleted before they are taken off the
	// list.
	picturesPage = 100
	// maxInARow is how many pictures in a row may fail to be deleted. After that
	// the place where they are kept is taken to be unreachable; each further try
	// might have to wait for a timeout.
	maxInARow = 3
)

// errUnreachable means that trying to delete more pictures is of no use now.
var errUnreachable = errors.New("pictures cannot be deleted at present")

// deletePictures deletes the pictures of a partner that belong to no proof and are
// due, and returns their number. Some were left by uploads that broke off; the
// others belonged to proofs that were removed with their orders. Those are deleted
// after the transaction that removed the proofs, because a deleted picture cannot
// be brought back. The next sweep tries again those that cannot be deleted.
func (s *Service) deletePictures(ctx context.Context, partnerID string, now time.Time) (deleted int, err error) {
	for {
		var page []string
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			page, err = tx.LoosePictures(ctx, partnerID, now, picturesPage)
			return err
		})
		if err != nil || len(page) == 0 {
			return deleted, err
		}
		var done []string
		var failed error
		inARow := 0
		for _, name := range page {
			err := s.config.Pictures.Delete(ctx, name)
			if err == nil {
				done, inARow = append(done, name), 0
				continue
			}
			failed = errors.Join(failed, err)
			if inARow++; inARow == maxInARow {
				failed = errors.Join(failed, errUnreachable)
				break
			}
		}
		if len(done) > 0 {
			err = s.config.Store.Write(ctx, func(tx Writer) error { return tx.ForgetPictures(ctx, partnerID, done) })
		}
		if err := errors.Join(failed, err); err != nil {
			return deleted, err
		}
		deleted += len(done)
	}
}
