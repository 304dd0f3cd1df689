package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

var (
	couriers = newTable("couriers",
		key(text("courier_id", func(c *operator.Courier) *string { return &c.CourierID })),
		text("name", func(c *operator.Courier) *string { return &c.Name }),
		text("phone", func(c *operator.Courier) *string { return &c.Phone }),
		text("vehicle", func(c *operator.Courier) *string { return &c.Vehicle }),
		flag("active", func(c *operator.Courier) *bool { return &c.Active }),
		moment("created_at", func(c *operator.Courier) *time.Time { return &c.CreatedAt }),
	)
	addCouriers  = couriers.insert()
	saveCouriers = couriers.update()
	findCouriers = lookUpBy(byID("courier_id"), couriers)
	lockCouriers = lockBy(byID("courier_id"), couriers)
)

// couriersByID returns couriers by their ids, active or not; those that do not
// exist are left out.
func couriersByID(ctx context.Context, c conn, ids []string) (map[string]*operator.Courier, error) {
	rows, err := findNow(ctx, c, findCouriers, ids...)
	byID := make(map[string]*operator.Courier, len(rows))
	for _, row := range rows {
		byID[row.CourierID] = row
	}
	return byID, err
}
