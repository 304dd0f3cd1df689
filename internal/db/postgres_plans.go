package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// firstPlans and laterPlans are how long the first plans of a connection last, and at
	// most the later ones. Planning all statements of a busy connection takes some 5 ms.
	firstPlans = time.Second
	laterPlans = 16 * time.Second
)

// planAge is when a connection began to make its plans, and how long they last.
type planAge struct {
	made time.Time
	last time.Duration
}

const planAgeKey = "dropyard: plan age"

// replan is pgxpool.Config.PrepareConn: it lets a connection plan its statements again
// after one second, two more, four more, and so on.
//
// While a table has fewer than about 200 rows, all of its indexes that begin with
// partner_id cost the same to the planner, whatever else a look-up compares, and it may
// choose one that leads to all rows of the partner. The plan of a prepared statement
// outlives the size of its tables: without this, look-ups on a young database can read
// thousands of rows until autovacuum, which looks once a minute, analyzes the table.
//
// It reports false for a connection that does not work, which the pool then closes.
func replan(ctx context.Context, c *pgx.Conn) (bool, error) {
	data, now := c.PgConn().CustomData(), time.Now()
	age, known := data[planAgeKey].(*planAge)
	if !known {
		data[planAgeKey] = &planAge{now, firstPlans}
		return true, nil
	}
	if now.Sub(age.made) < age.last {
		return true, nil
	}
	_, err := c.Exec(ctx, "DISCARD PLANS")
	age.made, age.last = now, min(2*age.last, laterPlans)
	return err == nil, nil
}
