package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/signin"
)

var (
	knownDevices = db.NewTable("known_devices",
		db.Key(
			db.Text("person_id", func(d *signin.KnownDevice) *string { return &d.PersonID }),
			db.Blob("device_hash", func(d *signin.KnownDevice) *[]byte { return &d.Hash })),
		db.Moment("last_seen_at", func(d *signin.KnownDevice) *time.Time { return &d.LastSeenAt }),
	)
	saveKnownDevices = knownDevices.Upsert()
)

// DevicesOf lists a person's devices, the last one seen first.
func (tx proving) DevicesOf(ctx context.Context, personID string) ([]*signin.KnownDevice, error) {
	return knownDevices.All(ctx, tx.conn, "WHERE person_id = $1 ORDER BY last_seen_at DESC, device_hash", personID)
}

// SaveDevices writes when devices were last seen.
func (tx proving) SaveDevices(ctx context.Context, devices ...*signin.KnownDevice) error {
	return db.WriteAllNow(ctx, tx.conn, saveKnownDevices, devices...)
}

// RemoveDevice removes a device of a person.
func (tx proving) RemoveDevice(ctx context.Context, personID string, hash []byte) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM known_devices WHERE person_id = $1 AND device_hash = $2", personID, hash)
	return err
}

// RemoveOldDevices removes the devices last seen before a time. The latest of each
// person stays: without any, the next device would count as the person's first.
func (tx proving) RemoveOldDevices(ctx context.Context, before time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM known_devices WHERE last_seen_at < $1 AND EXISTS (SELECT 1 FROM known_devices later"+
		" WHERE later.person_id = known_devices.person_id AND later.last_seen_at > known_devices.last_seen_at)", before)
	return err
}
