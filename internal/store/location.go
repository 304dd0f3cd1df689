package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
)

var (
	locations = db.NewTable("locations",
		db.Key(db.Text("code", func(l *delivery.Location) *string { return &l.Code })),
		db.Text("name", func(l *delivery.Location) *string { return &l.Name }),
		db.Text("phone", func(l *delivery.Location) *string { return &l.Phone }),
		db.Text("email", func(l *delivery.Location) *string { return &l.Email }),
		db.Text("line1", func(l *delivery.Location) *string { return &l.Address.Line1 }),
		db.Text("line2", func(l *delivery.Location) *string { return &l.Address.Line2 }),
		db.Text("city", func(l *delivery.Location) *string { return &l.Address.City }),
		db.Text("province", func(l *delivery.Location) *string { return &l.Address.Province }),
		db.Text("postal_code", func(l *delivery.Location) *string { return &l.Address.PostalCode }),
		db.Text("country", func(l *delivery.Location) *string { return &l.Address.Country }),
		db.Text("notes", func(l *delivery.Location) *string { return &l.Address.Notes }),
		db.Moment("updated_at", func(l *delivery.Location) *time.Time { return &l.UpdatedAt }),
	)
	saveLocations = locations.Upsert()
)

// locationsOf lists the locations that have an address, by code: all, or the one with a code.
func locationsOf(ctx context.Context, c db.Conn, code string) ([]*delivery.Location, error) {
	if code != "" {
		return locations.All(ctx, c, "WHERE code = $1", code)
	}
	return locations.All(ctx, c, "ORDER BY code")
}

// Locations lists the locations that have an address, by code: all, or the one with a code.
func (tx operatorTx) Locations(ctx context.Context, code string) ([]*delivery.Location, error) {
	return locationsOf(ctx, tx.conn, code)
}

// SaveLocation adds or replaces the address of a location.
func (tx operatorTx) SaveLocation(ctx context.Context, l *delivery.Location) error {
	return db.WriteAllNow(ctx, tx.conn, saveLocations, l)
}

// Locations lists the locations that have an address, by code.
func (tx dispatchTx) Locations(ctx context.Context) ([]*delivery.Location, error) {
	return locationsOf(ctx, tx.conn, "")
}

// Locations lists the locations that have an address, by code: all, or the one with a code.
func (tx orderTx) Locations(ctx context.Context, code string) ([]*delivery.Location, error) {
	return locationsOf(ctx, tx.conn, code)
}
