package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
)

// loosePicture is a picture that belongs to no proof.
type loosePicture struct {
	partnerID, name string
	dueAt           time.Time // to be deleted; zero for immediately
}

var (
	byPicture = db.Key(
		db.Text("partner_id", func(p *loosePicture) *string { return &p.partnerID }),
		db.Text("name", func(p *loosePicture) *string { return &p.name }))
	loosePictures = db.NewTable("loose_pictures", byPicture,
		db.Moment("due_at", func(p *loosePicture) *time.Time { return &p.dueAt }))
	addLoose    = loosePictures.Upsert()
	forgetLoose = db.DeleteFrom(loosePictures, byPicture)
)

// duePictures lists pictures of a partner that are due to be deleted, by name.
func duePictures(ctx context.Context, c db.Conn, partnerID string, now time.Time, limit int) ([]string, error) {
	return db.IDs(ctx, c, "SELECT name FROM loose_pictures WHERE partner_id = $1 AND due_at <= $2 ORDER BY name LIMIT $3", partnerID, now, limit)
}

// forgetPictures removes pictures from the list, and returns how many were on
// it.
func forgetPictures(ctx context.Context, c db.Conn, partnerID string, names ...string) (int64, error) {
	pictures := make([]*loosePicture, len(names))
	for i, name := range names {
		pictures[i] = &loosePicture{partnerID: partnerID, name: name}
	}
	return db.WriteNow(ctx, c, forgetLoose, pictures...)
}
