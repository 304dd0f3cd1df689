package retention

import (
	"context"
	"errors"
	"time"
)

// Pictures deletes what a database cannot.
type Pictures interface {
	// Delete removes the picture of a name. That there is none is no error.
	Delete(ctx context.Context, name string) error
}

const (
	// picturesPage is how many pictures are deleted before they are forgotten.
	picturesPage = 100
	// maxInARow is after how many pictures in a row that cannot be deleted it is
	// not they that resist: where they are kept is away, and each try may take long.
	maxInARow = 3
)

// errAway tells that there is no use in trying to delete more pictures.
var errAway = errors.New("none can be deleted at present")

// deletePictures deletes the pictures of a partner that belong to no proof: those
// of proofs that were removed with their orders, after the transaction that did
// so, because a picture cannot be brought back; and those that an upload that was
// broken off has left behind. One that cannot be deleted is tried again by the
// next sweep.
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
		var gone []string
		var failed error
		inARow := 0
		for _, name := range page {
			err := s.config.Pictures.Delete(ctx, name)
			if err == nil {
				gone, inARow = append(gone, name), 0
				continue
			}
			failed = errors.Join(failed, err)
			if inARow++; inARow == maxInARow {
				failed = errors.Join(failed, errAway)
				break
			}
		}
		if len(gone) > 0 {
			err = s.config.Store.Write(ctx, func(tx Writer) error { return tx.ForgetPictures(ctx, partnerID, gone) })
		}
		if err := errors.Join(failed, err); err != nil {
			return deleted, err
		}
		deleted += len(gone)
	}
}
