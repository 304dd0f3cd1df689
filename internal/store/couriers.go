package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
)

var (
	couriers = db.NewTable("couriers",
		db.Key(db.Text("courier_id", func(c *operator.Courier) *string { return &c.CourierID })),
		db.Text("name", func(c *operator.Courier) *string { return &c.Name }),
		db.Text("phone", func(c *operator.Courier) *string { return &c.Phone }),
		db.Text("vehicle", func(c *operator.Courier) *string { return &c.Vehicle }),
		db.Flag("active", func(c *operator.Courier) *bool { return &c.Active }),
		db.Moment("created_at", func(c *operator.Courier) *time.Time { return &c.CreatedAt }),
	)
	addCouriers  = couriers.Insert()
	saveCouriers = couriers.Update()
	findCouriers = db.LookUpBy(db.ByID("courier_id"), couriers)
	lockCouriers = db.LockBy(db.ByID("courier_id"), couriers)
)

// couriersByID returns couriers by their ids, active or not; those that do not
// exist are left out.
func couriersByID(ctx context.Context, c db.Conn, ids []string) (map[string]*operator.Courier, error) {
	rows, err := db.FindNow(ctx, c, findCouriers, ids...)
	byID := make(map[string]*operator.Courier, len(rows))
	for _, row := range rows {
		byID[row.CourierID] = row
	}
	return byID, err
}
