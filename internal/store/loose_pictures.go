package store

import (
	"context"
	"time"
)

// loosePicture is a picture that belongs to no proof.
type loosePicture struct {
	partnerID, name string
	dueAt           time.Time // to be deleted; zero for immediately
}

var (
	byPicture = key(
		text("partner_id", func(p *loosePicture) *string { return &p.partnerID }),
		text("name", func(p *loosePicture) *string { return &p.name }))
	loosePictures = newTable("loose_pictures", byPicture,
		moment("due_at", func(p *loosePicture) *time.Time { return &p.dueAt }))
	addLoose    = loosePictures.upsert()
	forgetLoose = deleteFrom(loosePictures, byPicture)
)

// duePictures lists pictures of a partner that are due to be deleted, by name.
func duePictures(ctx context.Context, c conn, partnerID string, now time.Time, limit int) ([]string, error) {
	return ids(ctx, c, "SELECT name FROM loose_pictures WHERE partner_id = $1 AND due_at <= $2 ORDER BY name LIMIT $3", partnerID, now, limit)
}

// forgetPictures removes pictures from the list, and returns how many were on
// it.
func forgetPictures(ctx context.Context, c conn, partnerID string, names ...string) (int64, error) {
	pictures := make([]*loosePicture, len(names))
	for i, name := range names {
		pictures[i] = &loosePicture{partnerID: partnerID, name: name}
	}
	return writeNow(ctx, c, forgetLoose, pictures...)
}
